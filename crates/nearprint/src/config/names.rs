//! The names of settings in TOML. The command line and Python use the same names.

use super::Config;

/// All names, in the order in which settings are shown.
pub(super) const NAMES: [&str; 55] = [
    "preset",
    "text-field",
    "against-text-field",
    "id-field",
    "against-id-field",
    "ids",
    "format",
    "delimiter",
    "quote",
    "escape",
    "encoding",
    "exclude",
    "max-document-bytes",
    "on-error",
    "max-rejected",
    "normalize",
    "ignore-passages",
    "features",
    "segmenter",
    "hmm",
    "tokens-field",
    "stop-words",
    "min-token-length",
    "han-only",
    "ngram",
    "weights",
    "tf",
    "idf",
    "least-idf",
    "weight-cap",
    "position",
    "bits",
    "feature-hash",
    "min-features",
    "recall",
    "distance",
    "max-distance",
    "complete-distance",
    "verify",
    "shingle",
    "min-similarity",
    "just-missed",
    "recall-sample",
    "cluster",
    "keep",
    "same",
    "differ",
    "max-lost",
    "marks",
    "leak-action",
    "min-leak-length",
    "threads",
    "memory",
    "tmp-dir",
    "stats",
];

/// The settings about words.
pub(super) const WORD_SETTINGS: [&str; 15] = [
    "segmenter",
    "hmm",
    "tokens-field",
    "stop-words",
    "min-token-length",
    "han-only",
    "ngram",
    "weights",
    "tf",
    "idf",
    "least-idf",
    "weight-cap",
    "position",
    "feature-hash",
    "stats",
];

impl Config {
    /// The names of all settings, including those that may be absent.
    ///
    /// ```
    /// let names = nearprint::Config::names();
    /// assert!(names.contains(&"bits") && names.contains(&"stats"));
    /// ```
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }
}
