use std::collections::BTreeSet;
use std::path::PathBuf;

use nearprint_core::random::Random;

use super::super::*;
use super::*;

fn config(toml: &str) -> Config {
    Config::from_toml(toml).unwrap()
}

fn error(toml: &str) -> String {
    Config::from_toml(toml).unwrap_err().to_string()
}

/// A random value of these.
fn one<T: Clone>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize].clone()
}

/// Random settings that fit together.
fn drawn(random: &mut Random) -> Config {
    let preset = one(random, &PRESETS).0;
    let recall = one(random, &[None, None, Some(0.9)]);
    let open = recall.is_some();
    let words = Words {
        segmenter: one(
            random,
            &[Segmenter::Auto, Segmenter::Chinese, Segmenter::Words, Segmenter::Characters],
        ),
        hmm: one(random, &[true, false]),
        tokens_field: if open { None } else { one(random, &[None, Some("words".to_string())]) },
        stop_words: one(random, &[vec![], vec!["zh".to_string(), "my words, all.txt".to_string()]]),
        min_token_length: one(random, &[1, 2]),
        han_only: one(random, &[true, false]),
        ngram: one(random, &[1, 4]),
        weights: one(random, &[Weights::One, Weights::Tf, Weights::Tfidf, Weights::Entropy]),
        tf: one(random, &[Tf::Raw, Tf::Relative, Tf::Log]),
        idf: one(random, &[Idf::Clamped, Idf::Signed]),
        least_idf: one(random, &[0.0, 0.5, 1.0]),
        weight_cap: one(random, &[None, Some(90.0), Some(0.25)]),
        position: one(random, &[Position::Off, Position::Rank, Position::Bucket(7)]),
        feature_hash: one(random, &[FeatureHash::Xxh3, FeatureHash::Md5]),
        stats: one(random, &[None, Some("news.stats".into())]),
    };
    let config = Config { preset: preset.to_string(), ..Config::default() };
    config
        .text_fields(one(
            random,
            &[vec!["text".to_string()], vec!["title".to_string(), "a, b".to_string()]],
        ))
        .id_field(one(random, &["id", "url", "off"]).into())
        .against_id_field(one(random, &[None, Some("off"), Some("name")]).map(IdField::from))
        .ids(one(random, &[Ids::Field, Ids::FileRow]))
        .format(one(random, &[None, Some(Format::Csv), Some(Format::Lines)]))
        .delimiter(one(random, &[None, ";".parse().ok(), "tab".parse().ok()]))
        .quote(one(random, &[None, "'".parse().ok(), "none".parse().ok()]))
        .escape(one(random, &[None, "\\".parse().ok()]))
        .encoding(one(random, &[None, "gbk".parse().ok(), "auto".parse().ok()]))
        .exclude(one(random, &[vec![], vec!["*.json".to_string(), "a, b".to_string()]]))
        .max_document_bytes(one(random, &[1, 64 << 20]))
        .on_error(one(random, &[OnError::Fail, OnError::Skip]))
        .max_rejected(one(random, &[MaxRejected::default(), MaxRejected::Rows(17)]))
        .normalize(one(random, &["none", "nfkc", "nfkc,simplified,case,space"]).parse().unwrap())
        .ignore_passages(one(random, &[None, Some(PathBuf::from("footers.jsonl"))]))
        .features(one(
            random,
            &[Features::Letters, Features::Words(words), Features::Words(Words::default())],
        ))
        .bits(one(random, &[32, 64, 128, 256]))
        .min_features(one(random, &[1, 16, 32]))
        .recall(recall)
        .distance(Distance::Hamming)
        .max_distance(match open {
            true => MaxDistance::Auto,
            false => one(
                random,
                &[MaxDistance::Auto, MaxDistance::Off, MaxDistance::Bits(3), MaxDistance::Bits(10)],
            ),
        })
        .complete_distance(if open { None } else { one(random, &[None, Some(3)]) })
        .verify(one(
            random,
            &[Measure::Coverage, Measure::Jaccard, Measure::Minhash, Measure::None],
        ))
        .shingle(one(random, &[1, 3]))
        .min_similarity(one(random, &[0.8, 0.925, 1.0]))
        .just_missed(one(
            random,
            &[JustMissed::Auto, JustMissed::Off, JustMissed::Down(0.5), JustMissed::Down(1.0)],
        ))
        .recall_sample(one(random, &[0, 128]))
        .cluster(one(random, &[Cluster::Star, Cluster::Components]))
        .keep(one(random, &[Policy::First, Policy::Longest, Policy::Newest("day".to_string())]))
        .same(one(random, &[vec![], vec!["lang".to_string(), "a, b".to_string()]]))
        .differ(one(random, &[vec![], vec!["source".to_string()]]))
        .max_lost(one(random, &[None, Some(0.05)]))
        .against_text_fields(vec!["question".into(), "answer".into()])
        .leak_action(LeakAction::Cut)
        .min_leak_length(None)
        .threads(one(random, &[0, 3]))
        .memory(one(random, &[None, Some(Size(1 << 30)), Some(Size(800_000_001))]))
        .tmp_dir(one(random, &[None, Some("tmp".into())]))
}

#[test]
fn settings_in_force_give_the_same_settings_back() {
    let mut random = Random::new(1);
    let drawn = (0..400).map(|_| drawn(&mut random)).collect::<Vec<_>>();
    let presets = PRESETS.iter().map(|preset| Config::preset(preset.0).unwrap());
    for config in presets.chain(drawn) {
        let toml = config.to_toml();
        let table: Table = toml.parse().unwrap();
        assert_eq!(Config::from_layers(std::slice::from_ref(&table)).unwrap(), config, "{toml}");
        let short = config.to_short_toml(&["bits"]);
        assert_eq!(Config::from_toml(&short).unwrap(), config, "{short}");
        assert!(
            short.starts_with(&format!("preset = \"{}\"\n", config.preset))
                && short.contains("\nbits = ")
        );

        let about_words = WORD_SETTINGS.iter().any(|name| table.contains_key(*name));
        assert_eq!(about_words, config.fingerprint.features != Features::Letters, "{toml}");
        assert_eq!(
            table.contains_key("shingle"),
            config.decide.verify.needs_terms() || config.decide.shingle != 3,
            "{toml}"
        );
        assert_eq!(table.contains_key("recall"), config.search.recall.is_some(), "{toml}");
        let json = serde_json::to_value(&config).unwrap();
        let names: BTreeSet<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, table.keys().map(|name| &**name).collect(), "{toml}");
    }
}

#[test]
fn names_are_those_of_the_table_in_its_order() {
    let all = Config::default()
        .against_text_fields(vec!["question".to_string()])
        .against_id_field(Some(IdField::Off))
        .format(Format::Csv)
        .recall(0.5)
        .same(vec!["lang".to_string()])
        .differ(vec!["source".to_string()])
        .max_lost(0.5)
        .delimiter(Some(";".parse().unwrap()))
        .quote(Some("'".parse().unwrap()))
        .escape(Some("\\".parse().unwrap()))
        .encoding(Some("auto".parse().unwrap()))
        .exclude(vec!["*.json".to_string()])
        .ignore_passages(PathBuf::new())
        .marks(PathBuf::new())
        .memory(Some(Size(0)))
        .tmp_dir(Some(PathBuf::new()))
        .features(Features::Words(Words {
            tokens_field: Some("words".to_string()),
            stats: Some(PathBuf::new()),
            ..Words::default()
        }));
    let table = toml::Table::try_from(Flat::of(&all)).unwrap();
    let names: BTreeSet<&str> = table.keys().map(String::as_str).collect();
    assert_eq!(names, Config::names().iter().copied().collect());
    // The length of word n-grams is shown if it is in force.
    let shown = all.shingle(2).to_toml();
    let shown: Vec<&str> = shown.lines().filter_map(|line| line.split(" = ").next()).collect();
    assert_eq!(shown, Config::names());
    assert!(WORD_SETTINGS.iter().all(|name| NAMES.contains(name)));
}

#[test]
fn later_layers_win_whatever_preset_a_layer_names() {
    let file: Table = "max-distance = 5\npreset = 'google'".parse().unwrap();
    let flags = "preset = 'paper'".parse().unwrap();
    let config = Config::from_layers(&[file, flags]).unwrap();
    assert_eq!(
        (config.preset.as_str(), config.words().position, config.search.max_distance),
        ("paper", Position::Rank, MaxDistance::Bits(5))
    );
}

#[test]
fn settings_about_words_want_words() {
    for name in WORD_SETTINGS {
        let value = match Flat::of(&Config::preset("paper").unwrap()) {
            _ if name == "tokens-field" => Value::from("words"),
            flat if name == "stats" => {
                toml::Table::try_from(&flat).map(|_| Value::from("news.stats")).unwrap()
            }
            flat => toml::Table::try_from(&flat).unwrap()[name].clone(),
        };
        let layer = |more: &str| {
            let mut table: Table = more.parse().unwrap();
            table.insert(name.to_string(), value.clone());
            Config::from_layers(&[table])
        };
        let refused = layer("").unwrap_err();
        assert_eq!(refused.subject(), Some(name));
        assert!(refused.to_string().contains("features = \"words\""), "{refused}");
        assert!(layer("preset = 'google'\nfeatures = 'letters'").is_err());
        assert!(layer("features = 'words'").is_ok() && layer("preset = 'google'").is_ok());
    }
    // The settings of a preset do not express a wish of the user.
    assert_eq!(
        config("preset = 'md5-32'\nfeatures = 'letters'").fingerprint.features,
        Features::Letters
    );
}

#[test]
fn few_features_are_other_numbers_of_words_and_of_letters() {
    let fewest = |toml: &str| config(toml).fingerprint.min_features;
    assert_eq!(
        (fewest(""), fewest("features = 'words'"), fewest("preset = 'paper'")),
        (32, 16, 16)
    );
    assert_eq!(fewest("preset = 'paper'\nfeatures = 'letters'"), 32);
    assert_eq!(fewest("features = 'words'\nmin-features = 5"), 5);
}

#[test]
fn other_bits_alone_scale_the_distances() {
    let paper = |bits: &str| config(&format!("preset = 'paper'\n{bits}")).search.max_distance;
    assert_eq!(paper("bits = 64"), MaxDistance::Bits(5));
    assert_eq!(paper("bits = 32"), MaxDistance::Bits(2));
    assert_eq!(paper("bits = 256"), MaxDistance::Bits(20));
    assert_eq!(paper("bits = 64\nmax-distance = 7"), MaxDistance::Bits(7));
    assert_eq!(paper("bits = 64\ncomplete-distance = 'auto'"), MaxDistance::Bits(5));
    assert_eq!(paper("bits = 64\ncomplete-distance = 3"), MaxDistance::Bits(5));
    assert_eq!(config("bits = 64").search.max_distance, MaxDistance::Auto);
    assert_eq!(config("bits = 64\npreset = 'exact'").search.max_distance, MaxDistance::Off);
}

#[test]
fn recall_leaves_the_distances_to_the_run() {
    let google = config("preset = 'google'\nrecall = 0.9");
    assert_eq!(
        (google.search.max_distance, google.search.complete_distance),
        (MaxDistance::Auto, None)
    );
    for setting in ["max-distance", "complete-distance"] {
        assert!(
            error(&format!("recall = 0.9\n{setting} = 3"))
                .starts_with(&format!("{setting}: 3 contradicts recall"))
        );
    }
}

#[test]
fn words_stand_for_absent_numbers() {
    let config = config(
        "features = 'words'\nmax-distance = 'off'\ncomplete-distance = 'auto'\nweight-cap = 'none'",
    );
    let found =
        (config.search.max_distance, config.search.complete_distance, config.words().weight_cap);
    assert_eq!(found, (MaxDistance::Off, None, None));
}

#[test]
fn a_bad_setting_is_named() {
    for (toml, name, part) in [
        ("max-distance = 'far'", "max-distance", "off"),
        ("max-distance = -1", "max-distance", "non-negative"),
        ("colour = 1", "colour", "is not a setting; there are: preset, "),
        (
            "min_similarity = 0.8",
            "min_similarity",
            "is not a setting; did you mean min-similarity?",
        ),
        ("lines = true", "lines", "format = \"lines\""),
        ("similarity = 0.9", "similarity", "min-similarity"),
        ("weights = 'heavy'", "weights", "entropy"),
        ("normalize = 'upper'", "normalize", "simplified"),
        ("preset = 'best'", "preset", "google"),
        ("preset = 1", "preset", "not a name"),
        ("keep = 'oldest'", "keep", "newest:FIELD"),
    ] {
        let error = error(toml);
        assert!(error.starts_with(&format!("{name}: ")) && error.contains(part), "{toml}: {error}");
    }
}

#[test]
fn lists_may_be_written_with_commas() {
    let config = config("features = 'words'\nstop-words = 'zh,en'\ntext-field = 'title'");
    assert_eq!(config.words().stop_words, ["zh", "en"]);
    assert_eq!(config.read.text_fields, ["title"]);
    let lists = |toml: &str| self::config(toml).fingerprint.normalize;
    assert_eq!(lists("normalize = ['nfkc', 'case']"), lists("normalize = 'nfkc,case'"));
    assert_eq!(lists("normalize = []"), lists("normalize = 'none'"));
}
