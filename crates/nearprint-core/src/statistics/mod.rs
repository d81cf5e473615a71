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
//! Counting takes two steps, so that memory stays at the size of the vocabulary. [`Counts::add`]
//! numbers the features and hands out every pair of neighbors. The caller keeps the pairs in
//! [`SHARDS`] shards, usually on disk, and hands each whole shard to [`count_pairs`]. Sums are
//! integers, so any order gives equal bits.

mod file;
mod radix;

use std::io::{self, Write};

use hashbrown::HashMap;

use crate::features::Feature;

pub use file::{Order, Saved, SavedFeature, TopFeature, merge};

/// The number of shards of pairs of neighbors.
pub const SHARDS: usize = 64;

/// A pair of neighboring features by their numbers: the left one in the upper half.
pub type Pair = u64;

/// A map from feature hashes, which are not hashed again.
pub type HashIndex<V> = HashMap<u64, V, std::hash::BuildHasherDefault<AlreadyHashed>>;

/// The hasher that returns a 64-bit hash unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlreadyHashed(u64);

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

/// Stands for the number of a feature that has none yet.
const NEW: u32 = u32::MAX;

/// Numbers the distinct features of a corpus and counts the documents of each.
#[derive(Debug, Default)]
pub struct Counts {
    documents: u64,
    numbers: HashIndex<u32>,
    hashes: Vec<u64>,
    frequency: Vec<u64>,
    /// The hashes and numbers of the features of the document that is taken in.
    own: Vec<(u64, u32)>,
}

impl Counts {
    /// Takes in one document: its distinct features, and for each occurrence in order the place of
    /// its feature among them ([`Counter`](crate::features::Counter) gives both). Every pair of
    /// neighbors goes to `pair` with its shard; every feature that is new to the corpus goes to
    /// `new`.
    ///
    /// # Panics
    /// With 2³² - 1 distinct features or more.
    pub fn add(
        &mut self,
        features: &[Feature],
        places: &[u32],
        mut pair: impl FnMut(usize, Pair),
        mut new: impl FnMut(&Feature),
    ) {
        self.documents += 1;
        // Fetching memory takes most of the time, so all look-ups come first: they do not wait for
        // one another.
        self.own.clear();
        self.own.extend(
            features.iter().map(|f| (f.hash, self.numbers.get(&f.hash).copied().unwrap_or(NEW))),
        );
        for (own, feature) in self.own.iter_mut().zip(features) {
            if own.1 == NEW {
                own.1 = u32::try_from(self.hashes.len())
                    .ok()
                    .filter(|number| *number != NEW)
                    .expect("fewer than 2^32 - 1 distinct features");
                self.numbers.insert(feature.hash, own.1);
                self.hashes.push(feature.hash);
                self.frequency.push(0);
                new(feature);
            }
            self.frequency[own.1 as usize] += 1;
        }
        for neighbors in places.windows(2) {
            let [(left_hash, left), (right_hash, right)] =
                [0, 1].map(|side| self.own[neighbors[side] as usize]);
            pair(shard(left_hash, right_hash), u64::from(left) << 32 | u64::from(right));
        }
    }

    /// The bytes of the larger table that a next document of `more` features needs beside the
    /// present one; 0 if there is room for them.
    pub fn growth(&self, more: usize) -> u64 {
        let (room, count) = (self.numbers.capacity(), self.numbers.len());
        // The larger table has twice the room, an eighth of it free, and a byte for each entry.
        let larger =
            (2 * room.max(count + more)) as u64 * 8 / 7 * (size_of::<(u64, u32)>() as u64 + 1);
        if count + more > room { larger } else { 0 }
    }

    /// The number of the feature at this place among the distinct features of the last document.
    #[inline]
    pub fn number(&self, place: u32) -> u32 {
        self.own[place as usize].1
    }

    /// The hashes of the distinct features so far, by number.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The number of documents of each feature, by number.
    pub fn frequency(&self) -> &[u64] {
        &self.frequency
    }

    /// The number of documents so far.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Writes the statistics to `out`. `text` gives the text of a feature by its number, `pairs`
    /// the pairs of each shard.
    ///
    /// # Errors
    /// The errors of `out` and of `pairs`.
    pub fn save(
        &self,
        description: &str,
        text: impl Fn(u32) -> String,
        out: impl Write,
        mut pairs: impl FnMut(usize) -> io::Result<Vec<Pair>>,
    ) -> io::Result<()> {
        let mut by_hash: Vec<u32> = (0..self.hashes.len() as u32).collect();
        by_hash.sort_unstable_by_key(|number| self.hashes[*number as usize]);
        let mut places = vec![0; by_hash.len()];
        let mut features = Vec::with_capacity(by_hash.len());
        for (place, number) in by_hash.into_iter().enumerate() {
            places[number as usize] = place as u32;
            let (hash, frequency) = (self.hashes[number as usize], self.frequency[number as usize]);
            features.push(SavedFeature { hash, frequency, text: text(number) });
        }
        let mut writer = file::Writer::new(out, description, self.documents, &features)?;
        for shard in 0..SHARDS {
            let mut pairs = pairs(shard)?;
            for pair in &mut pairs {
                let (left, right) = (places[(*pair >> 32) as usize], places[*pair as u32 as usize]);
                *pair = u64::from(left) << 32 | u64::from(right);
            }
            let mut counted = Vec::new();
            count_pairs(&mut pairs, |pair, count| counted.push((pair, count)));
            writer.shard(&counted)?;
        }
        writer.finish()?.flush()
    }

    /// The bytes that [`finish`](Self::finish) needs besides the counts, and the bytes of the
    /// entropies.
    pub fn finishing(&self) -> [u64; 2] {
        [size_of::<Known>(), 2 * size_of::<Sums>()].map(|bytes| (self.hashes.len() * bytes) as u64)
    }

    /// The statistics of these counts and of the entropies of the pairs.
    pub fn finish(self, entropies: &Entropies) -> Statistics {
        let features = (self.frequency.iter().zip(&self.hashes).enumerate())
            .map(|(number, (df, hash))| Known {
                hash: *hash,
                statistics: FeatureStatistics {
                    idf: idf(self.documents, *df),
                    entropy: (entropies.left(number) + entropies.right(number)) / 2.0,
                },
            })
            .collect();
        Statistics { documents: self.documents, numbers: self.numbers, features }
    }
}

/// The shard of a pair of neighbors: a function of their hashes alone, so that the shards of two
/// corpora fit together.
fn shard(left: u64, right: u64) -> usize {
    let mixed = (left ^ right.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 58) as usize
}

fn idf(documents: u64, df: u64) -> f64 {
    if documents == 0 { 0.0 } else { libm::log(documents as f64 / (df + 1) as f64) }
}

/// Sorts the pairs of one shard and calls `each` with every distinct pair and its count, in order.
pub fn count_pairs(pairs: &mut Vec<Pair>, mut each: impl FnMut(Pair, u64)) {
    radix::sort(pairs);
    for run in pairs.chunk_by(|a, b| a == b) {
        each(run[0], run.len() as u64);
    }
}

/// The neighbor entropies of each feature, by number, summed up pair by pair.
#[derive(Debug)]
pub struct Entropies {
    left: Vec<Sums>,
    right: Vec<Sums>,
    /// c log2 c of small counts, in units of 2⁻¹⁶.
    logs: Vec<u64>,
}

/// Sums over the neighbors of one feature on one side.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Σ c.
    count: u64,
    /// Σ c log2 c, in units of 2⁻¹⁶.
    log: u64,
}

impl Entropies {
    /// The entropies of `features` distinct features without any pair.
    pub fn new(features: usize) -> Entropies {
        let logs = (0..256).map(count_log).collect();
        Entropies {
            left: vec![Sums::default(); features],
            right: vec![Sums::default(); features],
            logs,
        }
    }

    /// Takes in a distinct pair of neighbors that occurs `count` times.
    ///
    /// ```
    /// use nearprint_core::statistics::Entropies;
    /// let mut entropies = Entropies::new(3);
    /// entropies.add(0 << 32 | 2, 5); // feature 2 has left neighbors 0 and 1, five times each
    /// entropies.add(1 << 32 | 2, 5);
    /// assert!((entropies.left(2) - 1.0).abs() < 1e-4);
    /// assert_eq!(entropies.right(2), 0.0);
    /// ```
    pub fn add(&mut self, pair: Pair, count: u64) {
        let log = self.logs.get(count as usize).copied().unwrap_or_else(|| count_log(count));
        for sums in [&mut self.left[pair as u32 as usize], &mut self.right[(pair >> 32) as usize]] {
            // Only a damaged file has so large counts.
            sums.count = sums.count.saturating_add(count);
            sums.log = sums.log.saturating_add(log);
        }
    }

    /// E_L of a feature in bits.
    pub fn left(&self, number: usize) -> f64 {
        self.left[number].entropy()
    }

    /// E_R of a feature in bits.
    pub fn right(&self, number: usize) -> f64 {
        self.right[number].entropy()
    }
}

/// c log2 c in units of 2⁻¹⁶.
fn count_log(count: u64) -> u64 {
    if count <= 1 { 0 } else { (count as f64 * libm::log2(count as f64) * 65536.0).round() as u64 }
}

impl Sums {
    fn entropy(self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let mean_log = self.log as f64 / 65536.0 / self.count as f64;
        // One neighbor alone gives 0 up to rounding.
        (libm::log2(self.count as f64) - mean_log).max(0.0)
    }
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

    /// The numbers of the feature with the number that [`Counts::number`] gave it.
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

    fn count(documents: &[Vec<u64>]) -> (Counts, Entropies) {
        let (mut counter, mut counts) = (Counter::default(), Counts::default());
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
