//! Named settings to start from.

use toml::Table;

use super::Config;
use crate::error::Error;

/// The presets: name, purpose, and difference from `default` as TOML.
pub const PRESETS: [(&str, &str, &str); 9] = [
    ("default", "near-duplicates of articles and web pages, confirmed by their texts", ""),
    (
        "strict",
        "fewer wrong removals than default: texts must be more similar",
        "min-similarity = 0.85",
    ),
    (
        "loose",
        "fewer remaining duplicates than default: texts may be less similar",
        "min-similarity = 0.65",
    ),
    (
        "paper",
        "after E-SimHash (Zhang Hang et al. 2020): word counts, stop words dropped, distance at most 10 (the paper: below 10)",
        "features = 'words'\nmin-features = 16\nnormalize = 'nfkc,simplified,case,space'\nstop-words = ['zh', 'en']\ntf = 'raw'\nidf = 'signed'\nleast-idf = 0.0\nposition = 'rank'\nbits = 128\nmax-distance = 10\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "simhash",
        "plain SimHash as that paper describes it, with weight 1 for every word",
        "features = 'words'\nmin-features = 16\nnormalize = 'nfkc,simplified,case,space'\nstop-words = ['zh', 'en']\nweights = 'one'\nbits = 128\nmax-distance = 10\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "google",
        "64 bits within 3 (Manku, Jain and Das Sarma 2007)",
        "features = 'words'\nmin-features = 16\nnormalize = 'nfkc,simplified,case,space'\nweights = 'tfidf'\ntf = 'raw'\nbits = 64\nmax-distance = 3\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "md5-32",
        "a published 32-bit variant: MD5 of jieba's Chinese words",
        "features = 'words'\nmin-features = 16\nnormalize = 'none'\nsegmenter = 'chinese'\nhan-only = true\nweights = 'tf'\ntf = 'relative'\nweight-cap = 'none'\n\
         bits = 32\nfeature-hash = 'md5'\nmax-distance = 3\nverify = 'none'\nmin-similarity = 0.8",
    ),
    (
        "jaccard",
        "exact Jaccard similarity of sets of 3 words in a row, all pairs found",
        "features = 'words'\nmin-features = 1\nweights = 'one'\nmax-distance = 'any'\nverify = 'jaccard'\nmin-similarity = 0.7\nrecall-sample = 'off'",
    ),
    (
        "exact",
        "equal texts only, after normalization",
        "max-distance = 'off'\nverify = 'none'\nmin-similarity = 1.0",
    ),
];

impl Config {
    /// The settings of a preset.
    ///
    /// ```
    /// use nearprint::Config;
    /// assert_eq!(Config::preset("google")?.fingerprint.bits, 64);
    /// assert!(Config::preset("best").unwrap_err().to_string().contains("there are: default, strict, loose, paper"));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name; it lists the known ones.
    pub fn preset(name: &str) -> Result<Config, Error> {
        let Some((_, _, changes)) = PRESETS.iter().find(|preset| preset.0 == name) else {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.0).collect();
            return Err(Error::usage(
                "preset",
                format!("no preset \"{name}\"; there are: {}", names.join(", ")),
            ));
        };
        let mut table = Config::default().to_table();
        table.extend(changes.parse::<Table>().expect("presets are TOML"));
        table.insert("preset".to_string(), name.into());
        Config::of_table(table)
    }
}
