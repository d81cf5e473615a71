//! Verbs other than `dedup`: fingerprint, compare, presets, and the help of each. `stats` has its
//! own file.

use crate::common::{self, FERRY, LIBRARY, Place, Run, column, row, rows, sample};
use arrow_array::{
    Array, Float64Array, Int64Array, ListArray, StringArray, StructArray, UInt32Array,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

/// True if a value is a string of `digits` lower-case hex digits.
fn is_hex(value: &Value, digits: usize) -> bool {
    let text = value.as_str().unwrap();
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[test]
fn fingerprints_are_lines_of_id_hex_and_number_of_features() {
    let place = sample();
    for (bits, digits) in [("32", 8), ("64", 16), ("128", 32), ("256", 64)] {
        let run = place
            .run(&["fingerprint", "articles.jsonl", "--bits", bits, "--max-distance", "9"])
            .succeeds();
        let fingerprints = rows(&run.stdout);
        assert_eq!(column(&fingerprints, "id"), column(&place.rows("articles.jsonl"), "id"));
        for row in &fingerprints {
            assert!(is_hex(&row["fingerprint"], digits), "{bits}: {row}");
            assert_eq!(row.as_object().unwrap().len(), 4);
            let recipe = row["recipe"].as_str().unwrap();
            assert!(recipe.contains(&format!("bits={bits};")), "{recipe}");
        }
        assert!(
            column(&fingerprints, "features").contains(&json!(0)),
            "the sample has an empty text"
        );
    }
}

#[test]
fn fingerprints_written_to_a_file_are_those_of_standard_output() {
    let rows = row("a", FERRY) + "{\"text\":\"雨停了\"}\n";
    let place = Place::with("news.jsonl", rows);
    let stdout = place.run(&["fingerprint", "news.jsonl"]).succeeds().stdout;
    place.run(&["fingerprint", "news.jsonl", "--output", "f.jsonl", "--quiet"]).succeeds();
    assert_eq!(place.text("f.jsonl"), stdout);
    assert_eq!(place.names(), ["f.jsonl", "news.jsonl"]);
}

#[test]
fn fingerprints_as_parquet_keep_the_type_of_ids() {
    for (ids, integers) in [(["7", "8"], true), (["7", "\"八\""], false)] {
        let lines = ids.map(|id| format!("{{\"id\":{id},\"text\":\"{FERRY}\"}}\n")).concat();
        let place = Place::with("news.jsonl", lines);
        place.run(&["fingerprint", "news.jsonl", "--output", "f.parquet", "--quiet"]).succeeds();
        let file = std::fs::File::open(place.path("f.parquet")).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let description = builder.schema().metadata()["nearprint.fingerprint"].clone();
        assert!(
            description.contains("bits=256") && description.contains("features=letters"),
            "{description}"
        );
        let batch = builder.build().unwrap().next().unwrap().unwrap();
        let names: Vec<String> =
            batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["id", "fingerprint", "features"]);
        match integers {
            true => assert_eq!(
                batch.column(0).as_any().downcast_ref::<Int64Array>().unwrap().values(),
                &[7, 8]
            ),
            false => {
                let ids = batch.column(0).as_any().downcast_ref::<StringArray>().unwrap();
                assert_eq!((ids.value(0), ids.value(1)), ("7", "八"));
            }
        }
        let lines = rows(&place.run(&["fingerprint", "news.jsonl"]).succeeds().stdout);
        let hex = batch.column(1).as_any().downcast_ref::<StringArray>().unwrap();
        let features = batch.column(2).as_any().downcast_ref::<UInt32Array>().unwrap();
        for (place, line) in lines.iter().enumerate() {
            assert_eq!(
                (json!(hex.value(place)), json!(features.value(place))),
                (line["fingerprint"].clone(), line["features"].clone())
            );
        }
    }
}

#[test]
fn fingerprints_come_with_the_heaviest_words() {
    let text = "能力比学历重要性高，能力最重要。学历高的人很多，能力强的人不多。";
    let place = Place::with(
        "news.jsonl",
        row("a", text) + &row("b", FERRY) + "{\"id\":\"c\",\"text\":\"\"}\n",
    );
    let flags = ["fingerprint", "news.jsonl", "--preset", "google"];
    let with = |more: &[&str]| rows(&place.run(&[&flags[..], more].concat()).succeeds().stdout);
    let all = with(&["--top", "1000"]);
    let plain = with(&[]);
    for (row, plain) in all.iter().zip(&plain) {
        let words = row["heaviest"].as_array().unwrap();
        assert_eq!(
            (words.len(), &row["fingerprint"]),
            (row["features"].as_u64().unwrap() as usize, &plain["fingerprint"])
        );
        assert!(plain.get("heaviest").is_none());
        let weights: Vec<f64> = words.iter().map(|word| word["weight"].as_f64().unwrap()).collect();
        assert!(weights.is_sorted_by(|left, right| left >= right), "{weights:?}");
    }
    assert_eq!(all[0]["heaviest"][0]["feature"], "能力");
    assert_eq!(all[0]["heaviest"][0]["count"], 3);
    for (row, all) in with(&["--top", "3"]).iter().zip(&all) {
        let first: Vec<Value> =
            all["heaviest"].as_array().unwrap().iter().take(3).cloned().collect();
        assert_eq!(row["heaviest"], json!(first));
    }

    place
        .run(&[&flags[..], &["--top", "3", "--output", "f.parquet", "--quiet"]].concat())
        .succeeds();
    let file = std::fs::File::open(place.path("f.parquet")).unwrap();
    let batch = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let lists =
        batch.column_by_name("heaviest").unwrap().as_any().downcast_ref::<ListArray>().unwrap();
    assert_eq!((0..3).map(|row| lists.value(row).len()).collect::<Vec<_>>(), [3, 3, 0]);
    let words = lists.value(0);
    let words = words.as_any().downcast_ref::<StructArray>().unwrap();
    let features = words.column(0).as_any().downcast_ref::<StringArray>().unwrap();
    let weights = words.column(2).as_any().downcast_ref::<Float64Array>().unwrap();
    for (at, word) in all[0]["heaviest"].as_array().unwrap().iter().take(3).enumerate() {
        assert_eq!(
            (json!(features.value(at)), json!(weights.value(at))),
            (word["feature"].clone(), word["weight"].clone())
        );
    }
}

#[test]
fn words_of_equal_weight_come_in_the_order_of_the_text() {
    let place = Place::with("news.jsonl", row("a", "pear apple quince apple fig"));
    let run =
        ["fingerprint", "news.jsonl", "--features", "words", "--weights", "one", "--top", "3"];
    let rows = rows(&place.run(&run).succeeds().stdout);
    let words: Vec<&Value> =
        rows[0]["heaviest"].as_array().unwrap().iter().map(|word| &word["feature"]).collect();
    assert_eq!(words, ["pear", "apple", "quince"]);
    let run = place.run(&["fingerprint", "news.jsonl", "--top", "3"]);
    run.ends_with_code(2).says(&["--top: lists words; set --features words"]);
}

/// The distance that `compare` shows with a preset.
fn distance(preset: &str, left: &str, right: &str) -> u64 {
    let compare = ["compare", "--json", "--preset", preset, "--text", left, "--text", right];
    Place::new().run(&compare).succeeds().json()["distance"].as_u64().unwrap()
}

#[test]
fn ranked_positions_tell_texts_of_the_same_words_apart() {
    let sentences: Vec<&str> = FERRY.split_inclusive(". ").collect();
    let moved: String = sentences.iter().rev().map(|sentence| format!("{sentence} ")).collect();
    assert_eq!(distance("simhash", FERRY, &moved), 0);
    assert_ne!(distance("paper", FERRY, &moved), 0);
}

/// Figure 2 of the paper.
#[test]
fn ranked_positions_tell_the_papers_example_apart() {
    assert_eq!(distance("simhash", "能力比学历重要性高", "学历比能力重要性高"), 0);
    assert_ne!(distance("paper", "能力比学历重要性高", "学历比能力重要性高"), 0);
}

#[test]
fn compare_shows_every_measure_of_two_files() {
    let place = Place::with("draft", FERRY);
    place.write("published.md", FERRY.replace("cardamom", "cinnamon"));
    let compare = ["compare", "draft", "published.md", "--features", "words", "--weights", "tf"];
    let run = place.run(&compare).succeeds();
    for name in [
        "Hamming distance",
        "bit edit distance",
        "estimated cosine",
        "cosine",
        "Jaccard",
        "containment",
        "coverage",
        "similarity",
    ] {
        assert!(
            run.stdout.lines().any(|line| line.starts_with(name)),
            "{name} is not in\n{}",
            run.stdout
        );
    }
    assert!(
        run.stdout.starts_with(
            "without a corpus, the two texts are duplicates (near): their similarity is 0."
        ),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("[-cardamom-]{+cinnamon+}"), "{}", run.stdout);
    assert!(
        run.stdout.contains("Heaviest on the left") && run.stdout.contains("Votes on the right"),
        "{}",
        run.stdout
    );
    // Without words, no features are readable.
    let letters = place.run(&compare[..3]).succeeds().stdout;
    assert!(
        letters.contains("[-cardamom-]{+cinnamon+}") && !letters.contains("Heaviest"),
        "{letters}"
    );

    let found = place.run(&[&compare[..], &["--json", "--top", "3"]].concat()).succeeds().json();
    assert!(
        is_hex(&found["left"]["fingerprint"], 64) && is_hex(&found["right"]["fingerprint"], 64)
    );
    assert_eq!((&found["verdict"], &found["bits"]), (&json!("near"), &json!(256)));
    // The measures can be checked by hand: the texts differ in one word, and three n-grams of three
    // words contain it.
    let words: Vec<&str> =
        FERRY.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let shingles = words.len() as f64 - 2.0;
    let close = |name: &str, value: f64| {
        assert!(
            (found[name].as_f64().unwrap() - value).abs() < 1e-9,
            "{name} is {}, not {value}",
            found[name]
        );
    };
    close("jaccard", (shingles - 3.0) / (shingles + 3.0));
    close("containment", (shingles - 3.0) / shingles);
    close("similarity", found["coverage"].as_f64().unwrap());
    assert_eq!(found.get("edit_similarity"), None);
    let distance = found["distance"].as_f64().unwrap();
    close("estimated_cosine", (std::f64::consts::PI * distance / 256.0).cos());
    assert!(found["bit_edit_distance"].as_f64().unwrap() <= distance);
    assert!((0.9..1.0).contains(&found["cosine"].as_f64().unwrap()), "{}", found["cosine"]);
    let heaviest = &found["left"]["heaviest"];
    assert_eq!(
        (heaviest.as_array().unwrap().len(), &heaviest[0]["feature"], &heaviest[0]["count"]),
        (3, &json!("the"), &json!(4))
    );
    let mut differing = column(found["differing"].as_array().unwrap(), "feature");
    differing.sort_by_key(Value::to_string);
    assert_eq!(differing, ["cardamom", "cinnamon"]);
}

#[test]
fn compare_knows_equal_short_and_empty_texts() {
    let place = Place::new();
    let verdict = |left: &str, right: &str| {
        let run = place.run(&["compare", "--json", "--text", left, "--text", right]).succeeds();
        run.json()["verdict"].as_str().unwrap().to_string()
    };
    assert_eq!(verdict(FERRY, &FERRY.to_uppercase()), "exact");
    assert_eq!(verdict("雨停了，我们走吧。", "雨停了，我们走吧！"), "short");
    assert_eq!(verdict("雨停了。", "今天晚上八点停电。"), "different");
    assert_eq!(verdict("", ""), "different");
    assert_eq!(verdict(FERRY, LIBRARY), "different");
    assert_eq!(verdict(FERRY, ""), "different");
}

#[test]
fn compare_names_a_file_that_cannot_be_used() {
    let place = Place::with("a.txt", FERRY);
    place.write("b.txt", b"caf\xe9");
    place.run(&["compare", "a.txt", "gone.txt"]).ends_with_code(1).says(&["cannot read gone.txt"]);
    place.run(&["compare", "a.txt", "b.txt"]).ends_with_code(1).says(&["b.txt", "not UTF-8"]);
    place.run(&["compare", "a.txt", "."]).ends_with_code(2).says(&["input: . is a folder"]);
    place.write(
        "rows.jsonl",
        format!("{{\"id\":17,\"text\":\"{FERRY}\"}}\n{{\"text\":\"{LIBRARY}\"}}\n"),
    );
    let run = place.run(&["compare", "rows.jsonl", "rows.jsonl"]).ends_with_code(2);
    run.says(&["input: rows.jsonl has rows", "with --in rows.jsonl"]);
    let found = place
        .run(&["compare", "--in", "rows.jsonl", "17", "rows.jsonl:2", "--json"])
        .succeeds()
        .json();
    assert_eq!(found["view"]["left"][0]["kind"], "own");
    let run = place.run(&["compare", "--in", "rows.jsonl", "17", "71"]).ends_with_code(1);
    run.says(&["rows.jsonl: no document has the id \"71\"; the nearest ids are \"17\""]);
    place
        .run(&["compare", "-", "-"])
        .ends_with_code(2)
        .says(&["input: standard input is one text"]);
}

#[test]
fn presets_are_listed_with_what_they_set() {
    let place = Place::new();
    let all = place.run(&["presets"]).succeeds().stdout;
    for part in [
        "# default:",
        "preset = \"default\"",
        "# strict:",
        "# loose:",
        "# paper:",
        "position = 'rank'",
        "# google:",
        "bits = 64",
        "# md5-32:",
        "# exact:",
        "# simhash:",
    ] {
        assert!(all.contains(part), "{part} is not in\n{all}");
    }
    let paper = place.run(&["presets", "paper"]).succeeds().stdout;
    let paper: toml::Table = paper.parse().unwrap();
    assert_eq!(
        (paper["preset"].as_str(), paper["max-distance"].as_integer()),
        (Some("paper"), Some(10))
    );
    place
        .run(&["presets", "best"])
        .ends_with_code(2)
        .says(&["--preset: no preset \"best\"", "google"]);
}

#[test]
fn the_help_of_every_verb_shows_an_example() {
    let place = Place::new();
    for verb in [
        &["dedup"][..],
        &["find"],
        &["explain"],
        &["fingerprint"],
        &["compare"],
        &["stats"],
        &["stats", "merge"],
        &["stats", "show"],
        &["presets"],
        &["completions"],
        &["man"],
    ] {
        let help = place.run(&[verb, &["--help"]].concat()).succeeds().stdout;
        let (_, examples) =
            help.split_once("Example").unwrap_or_else(|| panic!("no example: {verb:?}\n{help}"));
        assert!(examples.contains(&format!("  nearprint {}", verb.join(" "))), "{verb:?}\n{help}");
    }
    let version = place.run(&["--version"]).succeeds().stdout;
    assert_eq!(version, format!("nearprint {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn standard_input_is_kept_for_the_second_reading_where_tmp_dir_says() {
    let place = Place::with("b.txt", FERRY);
    std::fs::create_dir(place.path("tmp")).unwrap();
    for (verb, input) in [
        (&["dedup", "-", "--output", "out"][..], row("a", FERRY)),
        (&["fingerprint", "-"], row("a", FERRY)),
        (&["stats", "-", "--output", "s"], row("a", FERRY)),
        (&["compare", "-", "b.txt"], FERRY.to_string()),
    ] {
        let mut command = place.command(&[verb, &["--tmp-dir", "tmp"]].concat());
        let mut child =
            command.env("TMPDIR", "/nowhere").stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        Run::new(verb, child.wait_with_output().unwrap()).succeeds();
        assert_eq!(common::names(&place.path("tmp")), [""; 0], "{verb:?} left something");
    }
}

#[test]
fn a_dash_is_standard_output_and_no_file_is_compressed_by_its_name() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    let plain = place.run(&["fingerprint", "news.jsonl"]).succeeds().stdout;
    assert_eq!(place.run(&["fingerprint", "news.jsonl", "--output", "-"]).succeeds().stdout, plain);
    let run = place.run(&["fingerprint", "news.jsonl", "--output", "f.jsonl.gz"]).ends_with_code(2);
    run.says(&["--output: f.jsonl.gz would not be compressed"]);
    assert_eq!(place.names(), ["news.jsonl"]);
}

#[test]
fn a_description_tells_which_statistics_weighed() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.run(&["stats", "news.jsonl", "--output", "s", "--quiet"]).succeeds();
    let statistics = |arguments: &[&str]| {
        place.dedup(&[&["news.jsonl", "--force"], arguments].concat());
        let description = place.summary("out")["fingerprint"].as_str().unwrap().to_string();
        description
            .split("; ")
            .find_map(|part| part.strip_prefix("statistics=").map(str::to_string))
            .unwrap()
    };
    assert_eq!(statistics(&["--features", "words"]), "the input's own");
    assert_eq!(statistics(&["--features", "words", "--weights", "tf", "--stats", "s"]), "none");
    let saved = statistics(&["--features", "words", "--stats", "s"]);
    assert!(saved.starts_with("file ") && saved.len() == 37, "{saved}");
}

#[test]
fn a_reader_that_stops_reading_is_no_failure() {
    let place = Place::with("news.jsonl", common::Articles::json_lines(5, 4_000, 20));
    let mut child = place.command(&["fingerprint", "news.jsonl"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
