//! The settings of a recipe, and the errors in them.

use super::LeaveOut;
use crate::fingerprint::{FeatureHash, Position};
use crate::{features, normalize, segment, weights};

/// The settings of a recipe. The default is letters and 256 bits.
///
/// ```
/// use nearprint_core::recipe::{Options, Recipe};
/// let recipe = Recipe::new(Options { bits: 64, ..Options::default() })?;
/// assert!(recipe.identity().contains("bits=64"));
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    /// The steps of normalization.
    pub normalize: normalize::Options,
    /// The parts of texts that are left out; `None` if texts are prepared whole.
    pub leave_out: Option<LeaveOut>,
    /// The kind of features.
    pub features: features::Kind,
    /// The settings of words: features are made of words, or measures compare them.
    pub words: Words,
    /// The width of fingerprints: 32, 64, 128 or 256 bits.
    pub bits: u32,
}

/// The settings that cut, count and weigh words.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// The segmenter that cuts a text into tokens.
    pub segment: segment::Options,
    /// True if documents bring their own tokens
    /// ([`Recipe::prepare_with_tokens`](super::Recipe::prepare_with_tokens)).
    pub own_tokens: bool,
    /// The tokens that become terms, and the number of terms in a feature.
    pub terms: features::Options,
    /// The weights of features.
    pub weights: weights::Options,
    /// The place of a feature that enters its hash.
    pub position: Position,
    /// The hash that gives features their bits.
    pub feature_hash: FeatureHash,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            normalize: normalize::Options::default(),
            leave_out: None,
            features: features::Kind::default(),
            words: Words::default(),
            bits: 256,
        }
    }
}

/// The reason why a recipe cannot be made or used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no fingerprints of this width.
    #[error("{0} is not 32, 64, 128 or 256")]
    Bits(u32),
    /// A feature of words has at least one term.
    #[error("an n-gram has at least 1 term")]
    Ngram,
    /// A weight is no number of the range that its option names.
    #[error("{0} is out of range")]
    Weights(&'static str),
    /// Documents bring their own tokens, and a text alone has none.
    #[error("documents must bring their own tokens")]
    NeedsTokens,
    /// The weights need the statistics of a corpus.
    #[error("the weights need the statistics of a corpus")]
    NeedsStatistics,
}

impl Options {
    /// Checks that all options are in their ranges.
    pub(super) fn check(&self) -> Result<(), Error> {
        let weights = &self.words.weights;
        if !matches!(self.bits, 32 | 64 | 128 | 256) {
            return Err(Error::Bits(self.bits));
        }
        if self.words.terms.ngram == 0 {
            return Err(Error::Ngram);
        }
        if !(0.0..=1.0).contains(&weights.least_idf) {
            return Err(Error::Weights("least_idf"));
        }
        match weights.cap {
            Some(cap) if !(cap > 0.0 && cap <= MOST_CAP) => Err(Error::Weights("cap")),
            _ => Ok(()),
        }
    }
}

/// The largest cap. A larger weight might overflow the sum of a vote.
const MOST_CAP: f64 = 1e9;
