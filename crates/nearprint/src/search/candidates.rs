//! A candidate pair, and how it is sorted: in memory while there are few, on disk beyond that.
//!
//! Documents that are all duplicates of each other are n² / 2 pairs, so pairs are worked on in one
//! pass over them.

use crate::spill::{Record, Sorted, distance_from_row, distance_to_row};

/// A pair that may be one of duplicates, by the ranks of its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The better rank, which is the smaller number.
    pub better: u32,
    /// The other rank.
    pub other: u32,
    /// Hamming distance of the fingerprints in bits; `None` where a document is short, or the texts
    /// are equal.
    pub distance: Option<u32>,
}

/// Candidates in the order of their better rank, then of the other one, each once.
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
