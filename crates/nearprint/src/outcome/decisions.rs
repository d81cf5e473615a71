//! The decision on every document, with its evidence.

use nearprint_core::judge::{Reason, Verdict};

use super::{Bounds, Counts, Recall, Search};
use crate::error::Error;
use crate::spill::{Record, Sorted, distance_from_row, distance_to_row};

/// Two documents confirmed as duplicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplicatePair {
    /// The earlier document.
    pub left: u32,
    /// The later document.
    pub right: u32,
    /// The Hamming distance of the fingerprints in bits; `None` if one document is too short for a
    /// meaningful fingerprint.
    pub distance: Option<u32>,
    /// The similarity by the run's measure; for short documents the similarity of their characters.
    pub similarity: f64,
    /// The reason why they are duplicates.
    pub reason: Reason,
}

/// Duplicate pairs between representatives of equal texts, sorted by their documents, each once.
pub type DuplicatePairs = Sorted<DuplicatePair>;

/// The row holds left, right, distance, the two halves of the similarity's bits, and the reason.
impl Record for DuplicatePair {
    type Row = [u32; 6];

    fn to_row(self) -> [u32; 6] {
        let (distance, similarity) = (distance_to_row(self.distance), self.similarity.to_bits());
        [
            self.left,
            self.right,
            distance,
            (similarity >> 32) as u32,
            similarity as u32,
            self.reason as u32,
        ]
    }

    fn from_row([left, right, distance, high, low, reason]: [u32; 6]) -> DuplicatePair {
        let similarity = f64::from_bits(u64::from(high) << 32 | u64::from(low));
        let reason = Reason::ALL[reason as usize];
        DuplicatePair { left, right, distance: distance_from_row(distance), similarity, reason }
    }
}

/// A removed document with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Removal {
    /// The document.
    pub document: u32,
    /// The document that stays in its place.
    pub keeper: u32,
    /// The number of their cluster, from 1.
    pub cluster: u32,
    /// The Hamming distance to the keeper in bits; `None` if one of the two is short.
    pub distance: Option<u32>,
    /// The similarity to the keeper, 0 to 1.
    pub similarity: f64,
    /// The reason of the removal.
    pub reason: Reason,
    /// The share of the document that stands nowhere in the keeper, 0 to 1: of its letters and
    /// digits, for a short document of its characters, and under measures of word n-grams of these.
    /// `None` under measures that compare neither.
    pub lost: Option<f64>,
    /// The share of both texts that stands in the other one, if coverage decided.
    pub share: Option<f64>,
    /// With [`Reason::Contains`] the first and the last character, counted from 0, of the place of
    /// the keeper in the document.
    pub place: Option<[u32; 2]>,
}

/// The decision on every document.
#[derive(Debug)]
pub struct Decisions {
    /// Removed documents in input order.
    pub removals: Vec<Removal>,
    /// Duplicates of reference documents that stay, since leaks are only listed; in input order.
    pub listed: Vec<Removal>,
    /// Clusters of two or more, by number - 1: the keeper, then all members in input order, the
    /// keeper included. A reference document is a member only as a keeper.
    pub clusters: Vec<(u32, Vec<u32>)>,
    /// All duplicate pairs between representatives of equal texts; empty unless all pairs are
    /// wanted.
    pub pairs: DuplicatePairs,
    /// Pairs that just missed the least similarity, with the largest bound at which they would be
    /// duplicates, sorted; `None` if they are not wanted, or if there was no search.
    pub just_missed: Option<DuplicatePairs>,
    /// The number of documents that would be removed at other least similarities; `None` if only
    /// equal texts are searched for, or if duplicates are only listed.
    pub bounds: Option<Bounds>,
    /// Each copy of an equal text, with its representative.
    pub copies: Vec<(u32, u32)>,
    /// For each document true if it is in a family: at least three other texts are near it.
    pub families: Vec<bool>,
    /// The search for the pairs.
    pub search: Search,
    /// The share of the duplicate pairs that was found, measured on a sample; `None` if it was not
    /// measured.
    pub recall: Option<Recall>,
    /// The counts of the summary.
    pub counts: Counts,
}

impl Decisions {
    /// Every duplicate pair, if all are wanted: first each copy of an equal text with its
    /// representative, then the pairs of the representatives, each sorted.
    ///
    /// # Errors
    /// [`Error::Io`] if pairs on disk cannot be read.
    pub fn all_pairs(&self) -> impl Iterator<Item = Result<DuplicatePair, Error>> + '_ {
        let copies = self.copies.iter().map(|(document, representative)| {
            let (left, right) = (*document.min(representative), *document.max(representative));
            let Verdict { distance, similarity, reason, .. } = Verdict::of_equal_texts();
            Ok(DuplicatePair { left, right, distance, similarity, reason })
        });
        copies.chain(self.pairs.iter())
    }

    /// The removal of a document; `None` for a kept one.
    pub fn removal(&self, document: u32) -> Option<&Removal> {
        let place = self.removals.binary_search_by_key(&document, |removal| removal.document);
        place.ok().map(|place| &self.removals[place])
    }

    /// The cluster of each of `documents` documents; `None` for a document without duplicates.
    pub fn cluster_of(&self, documents: usize) -> Vec<Option<u32>> {
        let mut cluster_of = vec![None; documents];
        for (number, (_, members)) in self.clusters.iter().enumerate() {
            members
                .iter()
                .for_each(|member| cluster_of[*member as usize] = Some(number as u32 + 1));
        }
        cluster_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_its_row() {
        let values = [
            (None, 0.8, Reason::Short),
            (Some(0), 1.0, Reason::Exact),
            (Some(80), 0.1 + 0.2, Reason::Near),
        ];
        for (distance, similarity, reason) in values {
            let pair = DuplicatePair { left: 3, right: 5, distance, similarity, reason };
            assert_eq!(DuplicatePair::from_row(pair.to_row()), pair);
        }
    }
}
