//! How texts become fingerprints, as a caller asks for it, and what may be wrong with that.

use crate::fingerprint::{FeatureHash, Position};
use crate::{features, normalize, segment, weights};

/// How texts become features, weights and a fingerprint. The default are letters and 256 bits.
///
/// ```
/// use nearprint_core::recipe::{Options, Recipe};
/// let recipe = Recipe::new(Options { bits: 64, ..Options::default() })?;
/// assert!(recipe.identity().contains("bits=64"));
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    /// How a text is normalized.
    pub normalize: normalize::Options,
    /// The kind of features.
    pub features: features::Kind,
    /// How words are cut, counted and weighed: features are made of them, or measures compare them.
    pub words: Words,
    /// The width of fingerprints: 32, 64, 128 or 256 bits.
    pub bits: u32,
}

/// How words are cut, counted and weighed.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// How a text is cut into tokens.
    pub segment: segment::Options,
    /// Whether documents bring their own tokens
    /// ([`Recipe::prepare_with_tokens`](super::Recipe::prepare_with_tokens)).
    pub own_tokens: bool,
    /// Which tokens become terms, and how many terms make a feature.
    pub terms: features::Options,
    /// How features are weighed.
    pub weights: weights::Options,
    /// Whether a feature's place enters its hash.
    pub position: Position,
    /// The hash that gives features their bits.
    pub feature_hash: FeatureHash,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            normalize: normalize::Options::default(),
            features: features::Kind::default(),
            words: Words::default(),
            bits: 256,
        }
    }
}

/// A recipe cannot be made, or cannot do what is asked of it.
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
    /// Documents are to bring their own tokens, and a text alone has none.
    #[error("a text has no tokens field")]
    NeedsTokens,
    /// The weights need the statistics of a corpus.
    #[error("the weights need the statistics of a corpus")]
    NeedsStatistics,
}

impl Options {
    /// Whether all options are in their ranges.
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

/// A larger weight might overflow the sum of a vote.
const MOST_CAP: f64 = 1e9;
