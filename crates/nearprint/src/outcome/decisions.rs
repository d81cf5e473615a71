//! The decision on every document, with its evidence.

use nearprint_core::compare::judge::{Reason, Verdict};

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
    /// Hamming distance of the fingerprints in bits; `None` where one is too short to have a
    /// meaningful one.
    pub distance: Option<u32>,
    /// Similarity under the run's measure; for short documents the similarity of their characters.
    pub similarity: f64,
    /// Why they are duplicates.
    pub reason: Reason,
}

/// Duplicate pairs between documents none of which stands for the other, sorted by their documents,
/// each once.
pub type DuplicatePairs = Sorted<DuplicatePair>;

/// Left, right, distance, the two halves of the similarity's bits, and the reason.
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
    /// Hamming distance to the keeper in bits; `None` where one of the two is short.
    pub distance: Option<u32>,
    /// Similarity to the keeper, 0 to 1.
    pub similarity: f64,
    /// Why.
    pub reason: Reason,
    /// The share of it that stands nowhere in the keeper, 0 to 1: of its letters and digits, of a
    /// short document of its characters, and under measures of word n-grams of these. `None` under
    /// measures that compare neither.
    pub lost: Option<f64>,
    /// The share of both texts that stands in the other one, where coverage decided.
    pub share: Option<f64>,
    /// With [`Reason::Contains`] the first and the last character, counted from 0, of the place
    /// where the keeper stands in it.
    pub place: Option<[u32; 2]>,
}

/// The decision on every document.
#[derive(Debug)]
pub struct Decisions {
    /// Removed documents in input order.
    pub removals: Vec<Removal>,
    /// Duplicates of documents that they were compared with and that stay, since leaks are only to
    /// be listed; in input order.
    pub listed: Vec<Removal>,
    /// Clusters of two or more, by number - 1: the keeper, then all members in input order, the
    /// keeper among them. Of documents that the others are only compared with the keeper alone is a
    /// member.
    pub clusters: Vec<(u32, Vec<u32>)>,
    /// All duplicate pairs between documents none of which stands for the other; none unless they
    /// were asked for.
    pub pairs: DuplicatePairs,
    /// Pairs that just missed the least similarity, with the largest one at which they would be
    /// duplicates, sorted; `None` where none are wanted, and where nothing was searched.
    pub just_missed: Option<DuplicatePairs>,
    /// How many documents would be removed at other least similarities; `None` where only equal
    /// texts are looked for, and where duplicates are only listed.
    pub bounds: Option<Bounds>,
    /// Each copy of an equal text, with the document that stands for all of them.
    pub copies: Vec<(u32, u32)>,
    /// Whether each document is in a family: three other texts or more are near it.
    pub families: Vec<bool>,
    /// How the pairs were searched for.
    pub search: Search,
    /// The share of the duplicate pairs that was found, measured on a sample; `None` where none is
    /// measured.
    pub recall: Option<Recall>,
    /// Numbers for the summary.
    pub counts: Counts,
}

impl Decisions {
    /// Every duplicate pair, where all were asked for: first each copy of an equal text with the
    /// one that stands for all of them, then the pairs of those, each sorted.
    ///
    /// # Errors
    /// [`Error::Io`] where pairs on disk cannot be read.
    pub fn all_pairs(&self) -> impl Iterator<Item = Result<DuplicatePair, Error>> + '_ {
        let copies = self.copies.iter().map(|(document, representative)| {
            let (left, right) = (*document.min(representative), *document.max(representative));
            let Verdict { distance, similarity, reason, .. } = Verdict::of_equal_texts();
            Ok(DuplicatePair { left, right, distance, similarity, reason })
        });
        copies.chain(self.pairs.iter())
    }

    /// The removal of a document; `None` where it is kept.
    pub fn removal(&self, document: u32) -> Option<&Removal> {
        let place = self.removals.binary_search_by_key(&document, |removal| removal.document);
        place.ok().map(|place| &self.removals[place])
    }

    /// The cluster of each document, of this number of them; `None` for one that has no duplicates.
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
