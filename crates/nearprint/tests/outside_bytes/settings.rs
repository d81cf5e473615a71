//! TOML with settings. It is refused with the name of a setting, or gives settings that come back
//! from their own TOML.

use nearprint::{Config, Deduplicator};
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::bytes::{Bytes, damaged, made_up};
use crate::target;

const PIECES: &[&[u8]] = &[
    b"bits",
    b" = ",
    b"0",
    b"-1",
    b"1e400",
    b"nan",
    b"\"auto\"",
    b"'skip'\n",
    b"[",
    b"]",
    b"\n",
    b"\"",
    b"ngram = 3\n",
    b"\xff",
    "字".as_bytes(),
    b"99999999999999999999",
];

/// Whole lines, at least one for every setting: usual values, values out of their range, and some
/// that contradict each other.
const LINES: &[&[u8]] = &[
    b"preset = 'paper'\n",
    b"preset = 'exact'\n",
    b"text-field = ['a', 'b']\n",
    b"text-field = []\n",
    b"against-text-field = 'question, answer'\n",
    b"against-id-field = 'off'\n",
    b"id-field = 'url'\n",
    b"format = 'lines'\n",
    b"max-document-bytes = 0\n",
    b"on-error = 'skip'\n",
    b"marks = 'marks.csv'\n",
    b"ignore-passages = 'no such file'\n",
    b"max-rejected = '10%'\n",
    b"exclude = ['*.json']\n",
    b"ids = 'file-row'\n",
    b"delimiter = ';'\n",
    b"quote = 'none'\n",
    b"quote = ';'\n",
    b"escape = '\\'\n",
    b"encoding = 'auto'\n",
    b"encoding = 'gb18030'\n",
    b"normalize = ['nfkc', 'lowercase']\n",
    b"normalize = 'none'\n",
    b"features = 'words'\n",
    b"features = 'letters'\n",
    b"segmenter = 'chinese'\n",
    b"segmenter = 'characters'\n",
    b"hmm = false\n",
    b"tokens-field = 'words'\n",
    b"stop-words = ['zh', 'en']\n",
    b"stop-words = 'no such file'\n",
    b"min-token-length = 2\n",
    b"han-only = true\n",
    b"ngram = 65\n",
    b"weights = 'entropy'\n",
    b"tf = 'log'\n",
    b"idf = 'signed'\n",
    b"least-idf = 1.5\n",
    b"weight-cap = 'none'\n",
    b"position = 'rank'\n",
    b"bits = 64\n",
    b"bits = 100\n",
    b"feature-hash = 'md5'\n",
    b"min-features = 5\n",
    b"recall = 0.9\n",
    b"distance = 'edit'\n",
    b"max-distance = 'off'\n",
    b"max-distance = 9\n",
    b"complete-distance = 300\n",
    b"complete-distance = 'auto'\n",
    b"verify = 'jaccard'\n",
    b"shingle = 3\n",
    b"min-similarity = 0.5\n",
    b"just-missed = 0.4\n",
    b"just-missed = 'off'\n",
    b"recall-sample = 0\n",
    b"cluster = 'components'\n",
    b"keep = 'newest:day'\n",
    b"same = 'x'\n",
    b"differ = ['x', 'y']\n",
    b"max-lost = 0.2\n",
    b"leak-action = 'list'\n",
    b"min-leak-length = 'off'\n",
    b"min-leak-length = 30\n",
    b"threads = 2000\n",
    b"memory = '4G'\n",
    b"tmp-dir = 'no such folder'\n",
    b"stats = 'no such file'\n",
];

#[test]
fn settings_in_toml() {
    let whole = Config::from_toml("preset = 'paper'\nkeep = 'longest'\n").unwrap().to_toml();
    let lines = subsequence(LINES, 0..12).prop_map(|lines| Bytes(lines.concat()));
    let texts = prop_oneof![
        damaged(whole.clone().into(), PIECES),
        damaged(whole.into(), LINES),
        made_up(PIECES),
        lines
    ];
    target(texts, |Bytes(bytes)| {
        let Ok(table) = String::from_utf8_lossy(&bytes).parse::<toml::Table>() else {
            return Ok(());
        };
        match Config::from_layers(std::slice::from_ref(&table)) {
            Ok(config) => {
                let again = Config::from_toml(&config.to_toml()).unwrap();
                prop_assert_eq!(&again, &config);
                made(&config.threads(1).memory(None))?;
            }
            // The named setting is one of the given ones.
            Err(error) => {
                let named = error.subject().is_some_and(|setting| table.contains_key(setting));
                prop_assert!(named, "{error}");
            }
        }
        Ok(())
    });
}

/// Impossible settings are refused before anything is read, with the name of the setting. A refusal
/// that needs a look at the disk names a setting of a file or folder.
fn made(config: &Config) -> Result<(), TestCaseError> {
    match (config.check(), Deduplicator::new(config.clone())) {
        (Ok(()), Ok(deduplicator)) => prop_assert_eq!(deduplicator.config(), config),
        (Ok(()), Err(error)) => {
            let setting = error.subject().unwrap_or_default().to_string();
            prop_assert!(
                ["ignore-passages", "marks", "stop-words", "stats", "tmp-dir"]
                    .contains(&setting.as_str()),
                "{error}"
            );
        }
        (Err(refusal), made) => {
            prop_assert!(
                refusal.subject().is_some_and(|setting| Config::names().contains(&setting)),
                "{refusal}"
            );
            prop_assert_eq!(made.err().map(|error| error.to_string()), Some(refusal.to_string()));
        }
    }
    Ok(())
}

#[test]
fn every_setting_has_a_line() {
    for name in Config::names() {
        let begins = format!("{name} = ");
        assert!(
            LINES.iter().any(|line| line.starts_with(begins.as_bytes())),
            "{name} is never tried"
        );
    }
}
