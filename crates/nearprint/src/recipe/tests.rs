//! Compares fingerprints of single texts with those of a corpus and of a comparison.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use nearprint_core::fingerprint::to_hex;
use proptest::prelude::*;

use super::*;
use crate::compare::compare_by;
use crate::config::Config;
use crate::corpus::Purpose;
use crate::run::Deduplicator;
use crate::watch::Silent;

/// Settings, each of which uses another code path.
const SETTINGS: [&str; 10] = [
    "",
    "features = 'letters'\nbits = 128",
    "bits = 32",
    "preset = 'simhash'",
    "preset = 'md5-32'",
    "preset = 'md5-32'\nngram = 2",
    "features = 'words'\nweights = 'tf'\ntf = 'raw'\nbits = 128",
    "features = 'words'\nweights = 'tf'\ntf = 'relative'\nweight-cap = 3.0\nbits = 64",
    "features = 'words'\nweights = 'tf'\ntf = 'raw'\nngram = 3\nstop-words = ['en']\nmin-token-length = 2",
    "features = 'words'\nweights = 'tf'\ntf = 'raw'\nsegmenter = 'characters'\nngram = 2\nposition = 'rank'",
];

/// The settings with their recipes, which take a while to make.
static CONFIGS: LazyLock<Vec<(Config, Recipe)>> = LazyLock::new(|| {
    let config = |settings: &&str| {
        let config = Config::from_toml(settings).unwrap();
        let recipe = config.recipe().unwrap();
        (config, recipe)
    };
    SETTINGS.iter().map(config).collect()
});

#[test]
fn a_text_alone_has_the_fingerprint_that_it_has_in_a_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        "The ferry returns on Monday, don’t you think?",
        "能力比学历重要，一根藤上七朵花",
        "葫芦娃 one two one",
        "x",
    ];
    let lines = texts.map(|text| serde_json::json!({ "text": text }).to_string());
    let path = folder.path().join("texts.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    for (config, recipe) in CONFIGS.iter() {
        let deduplicator = Deduplicator::new(config.clone()).unwrap();
        let sources =
            deduplicator.find_files(&[path.display().to_string()], folder.path(), &Silent).unwrap();
        let corpus = deduplicator.read(sources, Purpose::Fingerprint, &Silent).unwrap();
        let table = deduplicator.fingerprint_table(&corpus, 0, &Silent).unwrap();
        let mut fingerprinter = Fingerprinter::new(recipe).unwrap();
        let all = fingerprinter
            .fingerprint_all(texts.len(), |number| texts[number], |_| ControlFlow::Continue(()))
            .unwrap();
        for (number, (text, row)) in texts.iter().zip(table.rows()).enumerate() {
            let (alone, row) =
                (to_hex(&fingerprinter.fingerprint(text), config.fingerprint.bits), row.unwrap());
            assert_eq!(alone, row.fingerprint, "{}", fingerprinter.recipe().identity());
            assert_eq!(alone, to_hex(all.get(number), all.bits()));
            assert!(row.features > 0 || *text == "x" || config.words().han_only, "{text}");
        }
    }
}

proptest! {
    #[test]
    fn a_text_alone_has_the_fingerprint_that_it_has_in_a_comparison(
        text in "(one|two|The|don’t|3.14|café|能力|学历|比|學|Ａ|葫芦娃|[a-e]{1,4})?( (one|two|the|é|能力比|葫芦娃|[a-c]{1,2})){0,30}"
    ) {
        for (config, recipe) in CONFIGS.iter() {
            let compared = compare_by(recipe, config.rules(Some(0)), [&text, "another"], None, 0);
            let mut fingerprinter = Fingerprinter::new(recipe).unwrap();
            fingerprinter.fingerprint("one before");
            let alone = to_hex(&fingerprinter.fingerprint(&text), config.fingerprint.bits);
            prop_assert_eq!(alone, compared.left.fingerprint, "{}", fingerprinter.recipe().identity());
        }
    }
}
