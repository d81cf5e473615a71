//! Candidate pairs, sorted in memory while they are few, and on disk beyond that.
//!
//! n documents that are all duplicates of each other have n² / 2 pairs, so later stages pass over
//! the pairs once.

use crate::spill::{Record, Sorted, distance_from_row, distance_to_row};

/// A pair that may be a duplicate pair, by the ranks of its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The better rank: the smaller number.
    pub better: u32,
    /// The other rank.
    pub other: u32,
    /// The Hamming distance of the fingerprints in bits; `None` if a document is short, or if the
    /// texts are equal.
    pub distance: Option<u32>,
}

/// Candidates in the order of the better rank, then of the other one, without repetitions.
pub type SortedCandidates = Sorted<Candidate>;

impl Record for Candidate {
    type Row = [u32; 3];

    fn to_row(self) -> [u32; 3] {
        [self.better, self.other, distance_to_row(self.distance)]
    }

    fn from_row([better, other, distance]: [u32; 3]) -> Candidate {
        Candidate { better, other, distance: distance_from_row(distance) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_its_row() {
        for candidate in
            [None, Some(0), Some(256)].map(|distance| Candidate { better: 1, other: 2, distance })
        {
            assert_eq!(Candidate::from_row(candidate.to_row()), candidate);
        }
    }
}
