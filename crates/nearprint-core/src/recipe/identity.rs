//! The names and versions of the parts of a recipe. They are saved with fingerprints, statistics
//! and summaries.

use super::Options;
use crate::features::{self, Kind};
use crate::fingerprint::NGRAM_HASH;
use crate::segment::Segmenter;

/// The identity of the parts that make features.
pub(super) fn of_features(options: &Options, segmenter: &Segmenter) -> String {
    let normalize = options.normalize.identity();
    // It is absent where nothing is left out.
    let left_out = match &options.leave_out {
        Some(leave_out) => format!("; left-out={}", leave_out.name()),
        None => String::new(),
    };
    if options.features == Kind::Letters {
        let features = features::character_ngrams::NAME;
        return format!("normalize={normalize} (1){left_out}; features={features}");
    }
    let words = &options.words.terms;
    let stop_words: Vec<&str> = words.stop_words.iter().map(String::as_str).collect();
    let stop_words = match stop_words.len() {
        0 => "none".to_string(),
        count => format!("{count} ({:016x})", features::term(&stop_words.join("\n"))),
    };
    let segmenter = match options.words.own_tokens {
        true => "the documents' own tokens (1)".to_string(),
        false => segmenter.name(),
    };
    format!(
        "normalize={normalize} (1){left_out}; segmenter={segmenter}; stop-words={stop_words}; min-token-length={}; han-only={}; ngram={}; terms=xxh3-64",
        words.min_token_length, words.han_only, words.ngram,
    )
}

/// The identity of the parts that make fingerprints, those of features included. `statistics` is
/// the name of the statistics that weigh.
pub(super) fn of_fingerprints(
    options: &Options,
    features_identity: &str,
    statistics: &str,
) -> String {
    let bits = options.bits;
    if options.features == Kind::Letters {
        return format!("{features_identity}; bits={bits}; feature-hash={NGRAM_HASH}");
    }
    let (words, weights) = (&options.words, &options.words.weights);
    format!(
        "{features_identity}; weights=\"{}\"; statistics={statistics}; tf=\"{}\"; idf=\"{}\"; least-idf={}; weight-cap={}; \
         position={}; bits={bits}; feature-hash={}",
        weights.model.name(),
        weights.tf.name(),
        weights.idf.name(),
        weights.least_idf,
        weights.cap.map_or("none".to_string(), |cap| cap.to_string()),
        words.position,
        words.feature_hash.name(),
    )
}
