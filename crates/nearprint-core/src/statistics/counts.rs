//! Features of every document -> their numbers, document frequencies, and pairs of neighbors.

use std::io::{self, Write};

use super::entropies::{Entropies, Sums};
use super::file::{SavedFeature, Writer};
use super::{FeatureStatistics, HashIndex, Known, Pair, SHARDS, Statistics, idf, radix};
use crate::features::Feature;

/// The number of a feature that has none yet.
const NEW: u32 = u32::MAX;

/// Numbers the distinct features of a corpus and counts the documents of each.
#[derive(Debug, Default)]
pub struct FeatureCounts {
    documents: u64,
    numbers: HashIndex<u32>,
    hashes: Vec<u64>,
    frequency: Vec<u64>,
    /// The hashes and numbers of the features of the document that is taken in.
    own: Vec<(u64, u32)>,
}

impl FeatureCounts {
    /// Takes in one document: its distinct features, and for each occurrence in order the place of
    /// its feature among them ([`Counter`](crate::features::Counter) gives both). Every pair of
    /// neighbors goes to `pair` with its shard; every feature that is new to the corpus goes to
    /// `new`.
    ///
    /// # Panics
    /// Panics with 2³² - 1 distinct features or more.
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
        let mut writer = Writer::new(out, description, self.documents, &features)?;
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
                    entropy: entropies.mean(number),
                },
            })
            .collect();
        Statistics { documents: self.documents, numbers: self.numbers, features }
    }
}

/// Sorts the pairs of one shard and calls `each` with every distinct pair and its count, in order.
pub fn count_pairs(pairs: &mut Vec<Pair>, mut each: impl FnMut(Pair, u64)) {
    radix::sort(pairs);
    for run in pairs.chunk_by(|a, b| a == b) {
        each(run[0], run.len() as u64);
    }
}

/// The shard of a pair of neighbors: a function of their hashes alone, so that the shards of two
/// corpora fit together.
fn shard(left: u64, right: u64) -> usize {
    let mixed = (left ^ right.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 58) as usize
}
