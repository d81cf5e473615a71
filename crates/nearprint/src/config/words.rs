//! The features that fingerprints are made of, and the settings about words.

use std::path::PathBuf;

use nearprint_core::features::Kind;
use nearprint_core::segment;
use nearprint_core::weights;
use serde::{Deserialize, Serialize};

use super::values::none_or_number;
use super::{FeatureHash, Idf, Position, Segmenter, Tf, Weights};

/// The features that fingerprints are made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Features {
    /// Character n-grams: four letters in a row, which all weigh the same.
    #[default]
    Letters,
    /// Words, cut and weighed by these settings.
    Words(Words),
}

/// The settings that cut, choose and weigh words. In TOML they stand beside the others, and need
/// `features = "words"`.
///
/// ```
/// use nearprint::config::{Segmenter, Words};
/// let words = Words { segmenter: Segmenter::Characters, ngram: 4, ..Words::default() };
/// assert_eq!((words.hmm, words.weight_cap), (true, Some(90.0)));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Words {
    /// The method that cuts text into tokens.
    pub segmenter: Segmenter,
    /// True if unknown Chinese words are guessed.
    pub hmm: bool,
    /// The field with the tokens of a document, which replace those of the segmenter; `None`
    /// without such a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_field: Option<String>,
    /// Names of built-in stop-word lists (`zh`, `en`, …) and files with one word a line.
    pub stop_words: Vec<String>,
    /// The least number of characters of a token; 1 or more.
    pub min_token_length: u32,
    /// True if only tokens that begin with a Chinese character are kept.
    pub han_only: bool,
    /// The number of terms in a feature, 1 to 64.
    pub ngram: u32,
    /// The weight model.
    pub weights: Weights,
    /// The definition of term frequency.
    pub tf: Tf,
    /// The treatment of a negative idf.
    pub idf: Idf,
    /// A feature weighs at least as much as one that occurs once with this share, 0 to 1, of the
    /// largest idf.
    pub least_idf: f64,
    /// The largest weight, above 0 to 10⁹; `None` for no bound.
    #[serde(with = "none_or_number")]
    pub weight_cap: Option<f64>,
    /// The part of a feature's place in its hash.
    pub position: Position,
    /// The hash that gives features their bits.
    pub feature_hash: FeatureHash,
    /// Saved corpus statistics to weigh with, instead of the input's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<PathBuf>,
}

impl Default for Words {
    fn default() -> Words {
        let (segment, weights) = (segment::Options::default(), weights::Options::default());
        Words {
            segmenter: segment.kind,
            hmm: segment.hmm,
            tokens_field: None,
            stop_words: Vec::new(),
            min_token_length: 1,
            han_only: false,
            ngram: 1,
            weights: weights.model,
            tf: Tf::Log,
            idf: weights.idf,
            least_idf: weights.least_idf,
            weight_cap: weights.cap,
            position: Position::Off,
            feature_hash: FeatureHash::Xxh3,
            stats: None,
        }
    }
}

impl Features {
    /// The kind of the features.
    pub fn kind(&self) -> Kind {
        match self {
            Features::Letters => Kind::Letters,
            Features::Words(_) => Kind::Words,
        }
    }
}
