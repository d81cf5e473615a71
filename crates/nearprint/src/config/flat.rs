//! All settings side by side <-> [`Config`].
//!
//! A table is flat: settings about words stand beside the others.

use std::path::PathBuf;

use nearprint_core::features::Kind;
use serde::{Deserialize, Serialize};

use super::{Config, Decide, Features, Fingerprint, Keep, Normalize, Read, Run, Search, Words};

/// All settings side by side, as in a table.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Flat {
    preset: String,
    #[serde(flatten)]
    read: Read,
    normalize: Normalize,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore_passages: Option<PathBuf>,
    features: Kind,
    #[serde(flatten)]
    words: Words,
    bits: u32,
    min_features: u32,
    #[serde(flatten)]
    search: Search,
    #[serde(flatten)]
    decide: Decide,
    #[serde(flatten)]
    keep: Keep,
    #[serde(flatten)]
    run: Run,
}

impl Flat {
    pub fn of(config: &Config) -> Flat {
        let words = config.words().clone();
        let Config { preset, read, fingerprint, search, decide, keep, run } = config.clone();
        let Fingerprint { normalize, ignore_passages, features, bits, min_features } = fingerprint;
        let features = features.kind();
        Flat {
            preset,
            read,
            normalize,
            ignore_passages,
            features,
            words,
            bits,
            min_features,
            search,
            decide,
            keep,
            run,
        }
    }

    pub fn config(self) -> Config {
        let Flat { preset, read, normalize, ignore_passages, words, bits, min_features, .. } = self;
        let features = match self.features {
            Kind::Letters => Features::Letters,
            Kind::Words => Features::Words(words),
        };
        let fingerprint = Fingerprint { normalize, ignore_passages, features, bits, min_features };
        let Flat { search, decide, keep, run, .. } = self;
        Config { preset, read, fingerprint, search, decide, keep, run }
    }
}
