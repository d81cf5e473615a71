//! The settings of a run, with their names in TOML.
//!
//! | file | content |
//! | --- | --- |
//! | `mod` | [`Config`], plain data |
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
//! This room holds data only: it reads and computes nothing. Other rooms define some of the types
//! of values and give them their meaning. The types are exported here again, so that this room
//! alone is enough to make a [`Config`].

mod checks;
mod fields;
mod flat;
mod layers;
mod names;
mod presets;
mod shown;
mod values;
mod words;

use std::path::PathBuf;
use std::sync::LazyLock;

pub use crate::cluster::Method as Cluster;
pub use crate::keep::Policy as Keep;
use crate::read;
pub use crate::read::{Delimiter, Format};
pub use crate::size::Size;
pub use checks::{LARGEST_DOCUMENT, LEAST_MEMORY};
pub use nearprint_core::compare::Measure;
pub use nearprint_core::fingerprint::{Distance, FeatureHash, Position};
pub use nearprint_core::normalize::Options as Normalize;
pub use nearprint_core::segment::Kind as Segmenter;
pub use nearprint_core::weights::{Idf, Model as Weights, Tf};
pub use presets::PRESETS;
pub use values::{IdField, Ids, JustMissed, LeakAction, MaxDistance, OnError, share};
pub use words::{Features, Words};

/// All settings. [`Default`] is the preset `default`.
///
/// Settings come in layers: a preset, then TOML text, then single settings; a later layer wins.
/// ```
/// use nearprint::config::{Config, MaxDistance};
/// let file = "preset = 'google'\nmin-features = 20".parse()?;
/// let flags = toml::Table::from_iter([("max-distance".to_string(), toml::Value::Integer(4))]);
/// let config = Config::from_layers(&[file, flags])?;
/// assert_eq!((config.bits, config.min_features), (64, 20));
/// assert_eq!(config.max_distance, MaxDistance::Bits(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// In Rust settings are fields, and those about words are together:
/// ```
/// use nearprint::config::{Config, Features, Position, Weights, Words};
/// let words = Words { weights: Weights::Tf, position: Position::Rank, ..Words::default() };
/// let config = Config { features: Features::Words(words), min_features: 16, ..Config::default() };
/// assert!(config.to_toml().contains("position = \"rank\"") && config.check().is_ok());
/// assert!(!Config::default().to_toml().contains("position"));
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// Serialized settings are flat, by their names, and only those in force: see [`Config::to_toml`].
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The preset on which the other settings are based.
    pub preset: String,

    /// The fields of the text, one or more; several are joined with a line feed. In TOML
    /// `text-field`.
    pub text_fields: Vec<String>,
    /// The fields of the text of reference documents; empty if they are `text_fields`. In TOML
    /// `against-text-field`.
    pub against_text_fields: Vec<String>,
    /// The field of the id.
    pub id_field: IdField,
    /// The field of the id of reference documents; `None` if it is `id_field`.
    pub against_id_field: Option<IdField>,
    /// The source of ids.
    pub ids: Ids,
    /// The format of all input files; by their names if absent. For reference documents it is the
    /// format of files whose names stand for no format with fields.
    pub format: Option<Format>,
    /// The delimiter of the fields of all CSV and TSV files; a comma and a tab if absent.
    pub delimiter: Option<Delimiter>,
    /// The largest number of bytes of a row; 1 to [`LARGEST_DOCUMENT`].
    pub max_document_bytes: u64,
    /// The treatment of input that cannot be used.
    pub on_error: OnError,

    /// Steps of normalization.
    pub normalize: Normalize,
    /// The features that fingerprints are made of.
    pub features: Features,
    /// The width of fingerprints in bits: 32, 64, 128 or 256.
    pub bits: u32,
    /// Documents with fewer distinct features are never matched by fingerprint; 1 or more. From
    /// TOML the default is 32 for letters and 16 for words.
    pub min_features: u32,

    /// The share of the pairs of similarity `min_similarity` that is to be found, between 0 and 1,
    /// exclusive. The run chooses its distances for it by a sample, so `max_distance` and
    /// `complete_distance` must be unset.
    pub recall: Option<f64>,
    /// The distance of two fingerprints that `max_distance` bounds.
    pub distance: Distance,
    /// The largest distance of candidates in bits; below `bits`.
    pub max_distance: MaxDistance,
    /// The distance in bits within which every pair is found; `None`: the run chooses. At most
    /// `max_distance`.
    pub complete_distance: Option<u32>,
    /// The measure that confirms candidates.
    pub verify: Measure,
    /// The number of terms in a word n-gram (shingle) of `jaccard` and `containment`, 1 to 64.
    pub shingle: u32,
    /// The least similarity of duplicates, above 0 to 1.
    pub min_similarity: f64,
    /// The pairs below that similarity that are kept as just missed.
    pub just_missed: JustMissed,
    /// The number of documents whose pairs with all others are as many as the pairs of the sample
    /// that measures the recall; 0 for no measurement.
    pub recall_sample: u32,

    /// The method that makes clusters of duplicate pairs.
    pub cluster: Cluster,
    /// The rule that chooses the kept document of a cluster.
    pub keep: Keep,
    /// Fields whose values are equal in duplicates: documents that differ in one of them are no
    /// pair.
    pub same: Vec<String>,
    /// Fields whose values differ in duplicates: documents that agree in one of them are no pair.
    pub differ: Vec<String>,
    /// The largest share, 0 to 1, of a removed document that may stand nowhere in its keeper;
    /// `None` for no bound. For coverage and stars only.
    pub max_lost: Option<f64>,
    /// The action on a document that contains an item, which is a reference document.
    pub leak_action: LeakAction,
    /// The least number of letters, 15 at least, of an item that is searched for inside of
    /// documents; a Chinese character counts as two. `None` for no search.
    pub min_leak_length: Option<u32>,

    /// The number of threads, at most 1,024; 0 for as many as the machine has.
    pub threads: usize,
    /// The most memory that a run may take, at least [`LEAST_MEMORY`]; if absent, three quarters of
    /// the limit of the container of the process, or as much as it needs without a limit.
    pub memory: Option<Size>,
    /// The folder for temporary files; if absent, beside the output of `dedup`, and the system's
    /// folder for other runs.
    pub tmp_dir: Option<PathBuf>,
}

/// The default of `min-features` for letters, and for words (docs/algorithms.md).
const FEWEST_NGRAMS: u32 = 32;
const FEWEST_WORDS: u32 = 16;

/// The default of `min-leak-length` (docs/leaks.md).
const MIN_LEAK_LENGTH: u32 = 60;

impl Default for Config {
    fn default() -> Config {
        let read = read::Options::default();
        Config {
            preset: "default".to_string(),
            text_fields: read.text_fields,
            against_text_fields: Vec::new(),
            id_field: read.id_field.map_or(IdField::Off, IdField::Named),
            against_id_field: None,
            ids: Ids::Field,
            format: None,
            delimiter: None,
            max_document_bytes: read.max_document_bytes,
            on_error: OnError::Fail,
            normalize: Normalize::default(),
            features: Features::Letters,
            bits: 256,
            min_features: FEWEST_NGRAMS,
            recall: None,
            distance: Distance::Hamming,
            max_distance: MaxDistance::Auto,
            complete_distance: None,
            verify: Measure::Coverage,
            shingle: 3,
            min_similarity: 0.75,
            just_missed: JustMissed::Auto,
            recall_sample: 128,
            cluster: Cluster::Star,
            keep: Keep::Longest,
            same: Vec::new(),
            differ: Vec::new(),
            max_lost: None,
            leak_action: LeakAction::Remove,
            min_leak_length: Some(MIN_LEAK_LENGTH),
            threads: 0,
            memory: None,
            tmp_dir: None,
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
        match &self.features {
            Features::Letters => &USUAL,
            Features::Words(words) => words,
        }
    }

    /// A copy of the settings with words as features: by the settings about words, or by the
    /// defaults if features are letters. `min_features` stays unchanged.
    pub fn with_words(self) -> Config {
        Config { features: Features::Words(self.words().clone()), ..self }
    }

    /// Returns true if the weights need corpus statistics and no file of them is named. The input's
    /// own statistics are used then.
    pub fn needs_statistics(&self) -> bool {
        match &self.features {
            Features::Letters => false,
            Features::Words(words) => words.weights.needs_statistics() && words.stats.is_none(),
        }
    }

    /// The least similarity of the pairs that are all searched for: that of duplicates, or that of
    /// the just missed pairs if all of these are wanted.
    ///
    /// ```
    /// use nearprint::config::{Config, JustMissed};
    /// let config = Config { just_missed: JustMissed::Down(0.6), ..Config::default() };
    /// assert_eq!((config.least_similarity(), Config::default().least_similarity()), (0.6, 0.75));
    /// ```
    pub fn least_similarity(&self) -> f64 {
        match self.just_missed {
            JustMissed::Down(least) => least,
            JustMissed::Auto | JustMissed::Off => self.min_similarity,
        }
    }

    /// Returns true if every candidate pair is compared, since all just missed pairs are wanted.
    pub fn wants_all_pairs(&self) -> bool {
        matches!(self.just_missed, JustMissed::Down(_))
    }
}
