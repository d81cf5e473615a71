//! Names and versions of the parts of a recipe. They travel with everything that is saved: fingerprints, statistics,
//! summaries.

use serde::Serialize;

use crate::config::Config;
use crate::features::{self, Kind};
use crate::fingerprint::NGRAM_HASH;
use crate::segment::Segmenter;

/// The parts that make features.
pub(super) fn of_features(config: &Config, segmenter: &Segmenter, words: &features::Options) -> String {
    if config.features.kind() == Kind::Letters {
        return format!("normalize={} (1); features={}", config.normalize.identity(), features::character_ngrams::NAME);
    }
    let stop_words: Vec<&str> = words.stop_words.iter().map(String::as_str).collect();
    let stop_words = match stop_words.len() {
        0 => "none".to_string(),
        count => format!("{count} ({:016x})", features::term(&stop_words.join("\n"))),
    };
    let segmenter = match config.tokens_field() {
        Some(_) => "the documents' own tokens (1)".to_string(),
        None => segmenter.name(),
    };
    format!(
        "normalize={} (1); segmenter={segmenter}; stop-words={stop_words}; min-token-length={}; han-only={}; ngram={}; terms=xxh3-64",
        config.normalize.identity(),
        words.min_token_length,
        words.han_only,
        words.ngram,
    )
}

/// The parts that make fingerprints, those that make features among them. `statistics` names the statistics that weigh.
pub(super) fn of_fingerprints(config: &Config, features_identity: &str, statistics: &str) -> String {
    if config.features.kind() == Kind::Letters {
        return format!("{features_identity}; bits={}; feature-hash={NGRAM_HASH}", config.bits);
    }
    let words = config.words();
    format!(
        "{features_identity}; weights={}; statistics={statistics}; tf={}; idf={}; least-idf={}; weight-cap={}; position={}; \
         bits={}; feature-hash={}",
        in_toml(words.weights),
        in_toml(words.tf),
        in_toml(words.idf),
        words.least_idf,
        words.weight_cap.map_or("none".to_string(), |cap| cap.to_string()),
        words.position,
        config.bits,
        words.feature_hash.name(),
    )
}

/// A setting's value as a file of settings has it.
fn in_toml(value: impl Serialize) -> String {
    toml::Value::try_from(value).map(|value| value.to_string()).unwrap_or_default()
}
