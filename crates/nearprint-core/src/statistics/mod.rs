//! Features of every document -> corpus statistics: document frequency and left/right neighbor
//! entropies.
//!
//! E_L(W) = -Σ P(aW|W) log2 P(aW|W) over the distinct left neighbors a of W in the corpus, E_R(W)
//! likewise on the right, H = (E_L + E_R) / 2 (Zhang Hang et al. 2020, eq. 6-9). With c the count
//! of a neighbor and N the sum of these counts, the entropy is log2 N - (Σ c log2 c) / N. So each
//! distinct pair of neighbors is visited once and needs no table of its own. Neighbors are adjacent
//! features of one document. Its first feature has no left neighbor, its last one no right
//! neighbor.
//!
//! Counting takes two steps, so that memory stays at the size of the vocabulary. [`FeatureCounts::add`]
//! numbers the features and hands out every pair of neighbors. The caller keeps the pairs in
//! [`SHARDS`] shards, usually on disk, and hands each whole shard to [`count_pairs`]. Sums are
//! integers, so any order gives equal bits.

mod counts;
mod entropies;
mod file;
mod merge;
mod radix;
mod top;

use hashbrown::HashMap;

use crate::features::Feature;

pub use counts::{FeatureCounts, count_pairs};
pub use entropies::Entropies;
pub use file::{Saved, SavedFeature};
pub use merge::merge;
pub use top::{Order, TopFeature};

/// The number of shards of pairs of neighbors.
pub const SHARDS: usize = 64;

/// A pair of neighboring features by their numbers: the left one in the upper half.
pub type Pair = u64;

/// A map from feature hashes, which are not hashed again.
pub(crate) type HashIndex<V> = HashMap<u64, V, std::hash::BuildHasherDefault<AlreadyHashed>>;

/// The hasher that returns a 64-bit hash unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AlreadyHashed(u64);

impl std::hash::Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The numbers of a feature that weights need.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FeatureStatistics {
    /// ln(|D| / (df + 1)); negative for a feature in nearly every document.
    pub idf: f64,
    /// H: the mean of left and right neighbor entropy in bits, at least 0.
    pub entropy: f64,
}

impl FeatureStatistics {
    /// The numbers of a feature for weights that need no statistics.
    pub const UNSEEN: FeatureStatistics = FeatureStatistics { idf: 0.0, entropy: 0.0 };
}

/// A feature and its numbers.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Known {
    /// The feature's hash.
    pub hash: u64,
    /// Its numbers in the corpus.
    pub statistics: FeatureStatistics,
}

fn idf(documents: u64, df: u64) -> f64 {
    if documents == 0 { 0.0 } else { libm::log(documents as f64 / (df + 1) as f64) }
}

/// Corpus statistics, ready for weights.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    documents: u64,
    numbers: HashIndex<u32>,
    features: Vec<Known>,
}

impl Statistics {
    /// Documents of the corpus.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Distinct features of the corpus.
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// Fills `out` with the numbers of each feature. This is faster than [`of`](Self::of) for each,
    /// because look-ups do not wait for one another.
    pub fn of_all(&self, features: &[Feature], out: &mut Vec<Known>) {
        out.clear();
        out.extend(
            features
                .iter()
                .map(|feature| Known { hash: feature.hash, statistics: self.of(feature.hash) }),
        );
    }

    /// The numbers of the feature with the number that [`FeatureCounts::number`] gave it.
    ///
    /// # Panics
    /// Panics if no feature has this number.
    #[inline]
    pub fn of_number(&self, number: u32) -> Known {
        self.features[number as usize]
    }

    /// The numbers of a feature. A feature outside the corpus has df = 0 and H = 0.
    #[inline]
    pub fn of(&self, hash: u64) -> FeatureStatistics {
        match self.numbers.get(&hash) {
            Some(number) => self.features[*number as usize].statistics,
            None => FeatureStatistics { idf: idf(self.documents, 0), entropy: 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::features::Counter;

    /// The statistics by their definition.
    fn plain(documents: &[Vec<u64>]) -> BTreeMap<u64, (u64, f64, f64)> {
        type Neighbors = BTreeMap<u64, u64>;
        let mut features: BTreeMap<u64, (u64, Neighbors, Neighbors)> = BTreeMap::new();
        for document in documents {
            for hash in std::collections::BTreeSet::from_iter(document) {
                features.entry(*hash).or_default().0 += 1;
            }
            for pair in document.windows(2) {
                *features.entry(pair[1]).or_default().1.entry(pair[0]).or_default() += 1;
                *features.entry(pair[0]).or_default().2.entry(pair[1]).or_default() += 1;
            }
        }
        let entropy = |neighbors: &BTreeMap<u64, u64>| {
            let all: u64 = neighbors.values().sum();
            -neighbors.values().map(|c| *c as f64 / all as f64).map(|p| p * p.log2()).sum::<f64>()
        };
        features
            .into_iter()
            .map(|(hash, (df, left, right))| (hash, (df, entropy(&left), entropy(&right))))
            .collect()
    }

    fn count(documents: &[Vec<u64>]) -> (FeatureCounts, Entropies) {
        let (mut counter, mut counts) = (Counter::default(), FeatureCounts::default());
        let mut shards = vec![Vec::new(); SHARDS];
        for document in documents {
            counter.count(document);
            counts.add(
                counter.last(),
                counter.places(),
                |shard, pair| shards[shard].push(pair),
                |_| {},
            );
        }
        let mut entropies = Entropies::new(counts.hashes().len());
        for shard in &mut shards {
            count_pairs(shard, |pair, count| entropies.add(pair, count));
        }
        (counts, entropies)
    }

    proptest! {
        #[test]
        fn counts_and_entropies_follow_the_definition(documents in proptest::collection::vec(proptest::collection::vec(0u64..12, 0..40), 0..12)) {
            let (counts, entropies) = count(&documents);
            let plain = plain(&documents);
            prop_assert_eq!(counts.hashes().len(), plain.len());
            for (number, hash) in counts.hashes().iter().enumerate() {
                let (df, left, right) = plain[hash];
                prop_assert_eq!(counts.frequency()[number], df);
                prop_assert!((entropies.left(number) - left).abs() < 1e-3);
                prop_assert!((entropies.right(number) - right).abs() < 1e-3);
            }
        }

        #[test]
        fn the_order_of_documents_changes_nothing(documents in proptest::collection::vec(proptest::collection::vec(0u64..12, 0..40), 0..12)) {
            let statistics = |documents: &[Vec<u64>]| {
                let (counts, entropies) = count(documents);
                counts.finish(&entropies)
            };
            let reversed: Vec<_> = documents.iter().rev().cloned().collect();
            let (forward, backward) = (statistics(&documents), statistics(&reversed));
            let all: Vec<u64> = (0..14).collect();
            let (mut counter, mut together) = (Counter::default(), Vec::new());
            forward.of_all(counter.count(&all), &mut together);
            for hash in 0..14 {
                prop_assert_eq!(forward.of(hash), backward.of(hash));
                prop_assert_eq!(Known { hash, statistics: forward.of(hash) }, together[hash as usize]);
                if let Some(number) = forward.numbers.get(&hash) {
                    prop_assert_eq!(forward.of_number(*number), together[hash as usize]);
                }
            }
        }
    }

    #[test]
    fn an_unseen_feature_has_no_documents_and_no_entropy() {
        let (counts, entropies) = count(&[vec![1, 2], vec![1, 3]]);
        let statistics = counts.finish(&entropies);
        assert_eq!(statistics.of(99), FeatureStatistics { idf: libm::log(2.0), entropy: 0.0 });
        assert_eq!(Statistics::default().of(99), FeatureStatistics::UNSEEN);
    }
}
