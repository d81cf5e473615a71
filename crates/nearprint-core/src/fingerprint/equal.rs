//! Features of equal weight -> fingerprint. Bit-sliced counters count the features that set each
//! bit, which is cheaper than adding a weight for each bit of each feature.

use super::bit_sliced::BitSlicedCounters;
use super::first_bits;
use super::hash::bits_of_feature;

/// Makes one fingerprint after the other, in buffers of its own. A feature that occurs several
/// times votes several times.
///
/// ```
/// use nearprint_core::fingerprint::{EqualVote, FeatureHash, Hasher, Vote};
/// let (hasher, mut vote) = (Hasher::new(FeatureHash::Xxh3, 128), Vote::new(128));
/// [(7, 2), (9, 1)].map(|(feature, count)| vote.add(&hasher.hash(feature, 0), count));
/// assert_eq!(EqualVote::new(128).fingerprint(&[7, 9, 7]), vote.finish());
/// ```
#[derive(Debug)]
pub struct EqualVote {
    bits: u32,
    counts: BitSlicedCounters,
    /// The bits of some features.
    hashes: Vec<[u64; 4]>,
}

/// The features that are counted together. Their bits stay in the first-level cache.
const TOGETHER: usize = 256;

impl EqualVote {
    /// A vote on fingerprints of `bits` bits.
    pub fn new(bits: u32) -> EqualVote {
        EqualVote { bits, counts: BitSlicedCounters::zero(), hashes: Vec::with_capacity(TOGETHER) }
    }

    /// The fingerprint of these features under the feature hash `xxh3`, in the first bits of the
    /// words. A bit is 1 if more than half of the features have a 1.
    pub fn fingerprint(&mut self, features: &[u64]) -> [u64; 4] {
        let EqualVote { bits, counts, hashes } = self;
        counts.clear();
        for features in features.chunks(TOGETHER) {
            hashes.clear();
            hashes.extend(features.iter().map(|feature| bits_of_feature(*feature, *bits)));
            counts.add(hashes);
        }
        first_bits(counts.greater_than(features.len() as u64 / 2), *bits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FeatureHash, Hasher, Vote};
    use super::*;

    proptest! {
        #[test]
        fn equal_votes_are_weighted_ones(
            bits in prop_oneof![Just(32u32), Just(64), Just(128), Just(256)],
            documents in proptest::collection::vec(proptest::collection::vec(0u64..40, 0..700), 1..3),
        ) {
            let (hasher, mut vote, mut equal) = (Hasher::new(FeatureHash::Xxh3, bits), Vote::new(bits), EqualVote::new(bits));
            for features in documents {
                features.iter().for_each(|feature| vote.add(&hasher.hash(*feature, 0), 1));
                prop_assert_eq!(equal.fingerprint(&features), vote.finish());
            }
        }
    }
}
