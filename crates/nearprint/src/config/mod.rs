//! The settings of a run, with their names in TOML.
//!
//! | file | content |
//! | --- | --- |
//! | `mod` | [`Config`] |
//! | `groups` | the groups of settings, plain data |
//! | `setters` | a method for each setting |
//! | `words` | the features, and the settings about words |
//! | `values` | values that are a number or a keyword |
//! | `fields` | settings -> the fields of documents that a run needs |
//! | `names` | the names of settings |
//! | `presets` | named settings to start from |
//! | `layers` | TOML tables -> settings |
//! | `shown` | settings -> TOML |
//! | `flat` | all settings side by side, as in a table |
//! | `checks` | ranges of values, and combinations that conflict |
//!
//! This room reads no file. Other rooms define some of the types
//! of values and give them their meaning. The types are exported here again, so that this room
//! alone is enough to make a [`Config`].

mod checks;
mod fields;
mod flat;
mod groups;
mod layers;
mod names;
mod presets;
mod setters;
mod shown;
mod values;
mod words;

use std::sync::LazyLock;

pub use crate::cluster::Method as Cluster;
pub use crate::error::MaxRejected;
pub use crate::keep::Policy;
pub use crate::read::{Delimiter, Encoding, Escape, Format, Quote};
pub use crate::size::Size;
pub use checks::{LARGEST_DOCUMENT, LEAST_MEMORY};
pub use groups::{Decide, Fingerprint, Keep, Read, Run, Search};
use groups::{FEWEST_NGRAMS, FEWEST_WORDS};
pub use nearprint_core::compare::Measure;
pub use nearprint_core::fingerprint::{Distance, FeatureHash, Position};
pub use nearprint_core::normalize::Options as Normalize;
pub use nearprint_core::segment::Kind as Segmenter;
pub use nearprint_core::weights::{Idf, Model as Weights, Tf};
pub use presets::PRESETS;
pub use values::{IdField, Ids, JustMissed, LeakAction, MaxDistance, OnError, RecallSample, share};
pub use words::{Features, Words};

/// All settings. [`Default`] is the preset `default`.
///
/// A setting is read as a field of its group, and set by a method:
/// ```
/// use nearprint::config::{Config, Features, Policy, Position, Weights, Words};
/// let config = Config::default().min_similarity(0.8).keep(Policy::First).threads(4);
/// assert_eq!((config.decide.min_similarity, config.run.threads), (0.8, 4));
///
/// let words = Words { weights: Weights::Tf, position: Position::Rank, ..Words::default() };
/// let config = Config::default().features(Features::Words(words)).min_features(16);
/// assert!(config.check().is_ok());
/// ```
///
/// Settings from a file or from flags come in layers: a preset, then TOML text, then single
/// settings; a later layer wins. See [`Config::from_toml`] and [`Config::from_layers`].
///
/// Serialized settings are flat, by their names, and only those in force: see [`Config::to_toml`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The preset on which the other settings are based.
    pub preset: String,
    /// Input files and their fields.
    pub read: Read,
    /// Normalization, features and fingerprints.
    pub fingerprint: Fingerprint,
    /// The search for candidate pairs.
    pub search: Search,
    /// The decision on a pair.
    pub decide: Decide,
    /// Clusters, kept documents and leaks.
    pub keep: Keep,
    /// Threads, memory and the temporary folder.
    pub run: Run,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            preset: "default".to_string(),
            read: Read::default(),
            fingerprint: Fingerprint::default(),
            search: Search::default(),
            decide: Decide::default(),
            keep: Keep::default(),
            run: Run::default(),
        }
    }
}

impl Config {
    /// The settings that cut and weigh words: those of the features, or the defaults if features
    /// are letters and n-grams of words are only compared.
    ///
    /// ```
    /// use nearprint::config::{Config, Words};
    /// assert_eq!(Config::default().words(), &Words::default());
    /// assert!(Config::preset("md5-32")?.words().han_only);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn words(&self) -> &Words {
        static USUAL: LazyLock<Words> = LazyLock::new(Words::default);
        match &self.fingerprint.features {
            Features::Letters => &USUAL,
            Features::Words(words) => words,
        }
    }

    /// A copy of the settings with words as features: by the settings about words, or by the
    /// defaults if features are letters. `min_features` stays unchanged.
    pub fn with_words(self) -> Config {
        let words = self.words().clone();
        self.features(Features::Words(words))
    }

    /// Returns true if the weights need corpus statistics and no file of them is named. The input's
    /// own statistics are used then.
    pub fn needs_statistics(&self) -> bool {
        match &self.fingerprint.features {
            Features::Letters => false,
            Features::Words(words) => words.weights.needs_statistics() && words.stats.is_none(),
        }
    }

    /// The similarity from which on every pair is searched for: that of duplicates, or that of the
    /// just missed pairs if all of these are wanted.
    ///
    /// ```
    /// use nearprint::config::{Config, JustMissed};
    /// let config = Config::default().just_missed(JustMissed::Down(0.6));
    /// assert_eq!((config.least_similarity(), Config::default().least_similarity()), (0.6, 0.75));
    /// ```
    pub fn least_similarity(&self) -> f64 {
        match self.decide.just_missed {
            JustMissed::Down(least) => least,
            JustMissed::Auto | JustMissed::Off => self.decide.min_similarity,
        }
    }

    /// Returns true if every candidate pair is compared, since all just missed pairs are wanted.
    pub fn wants_all_pairs(&self) -> bool {
        matches!(self.decide.just_missed, JustMissed::Down(_))
    }
}
