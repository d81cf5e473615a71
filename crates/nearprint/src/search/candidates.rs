//! Candidate pairs of documents in order; in memory while they are few, on disk beyond that.
//!
//! Documents that are all duplicates of each other are n² / 2 pairs, so pairs are worked on in one pass over them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::spill::{Sorted, Sorter};

/// Stands for the distance of a pair that has none: of short documents.
const NO_DISTANCE: u32 = u32::MAX;

/// A pair that may be one of duplicates, by the ranks of its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The better rank, which is the smaller number.
    pub better: u32,
    /// The other rank.
    pub other: u32,
    /// Hamming distance of the fingerprints in bits; `None` where a document is short.
    pub distance: Option<u32>,
}

/// Takes in candidates.
#[derive(Debug)]
pub struct Candidates(Sorter<[u32; 3]>);

impl Candidates {
    /// None yet. Those that are too many for memory go to `folder`.
    pub fn new(folder: &Path) -> Result<Candidates, Error> {
        Sorter::new(folder).map(Candidates)
    }

    /// Takes in a candidate.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn push(&mut self, candidate: Candidate) -> Result<(), Error> {
        self.0.push([candidate.better, candidate.other, candidate.distance.unwrap_or(NO_DISTANCE)])
    }

    /// All candidates.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(self) -> Result<SortedCandidates, Error> {
        self.0.finish().map(SortedCandidates)
    }
}

/// Candidates in the order of their better rank, then of the other one, each once.
#[derive(Debug, Serialize, Deserialize)]
pub struct SortedCandidates(Sorted<[u32; 3]>);

impl SortedCandidates {
    /// The same in a file with a name.
    pub fn in_file(self, path: &Path) -> Result<SortedCandidates, Error> {
        self.0.in_file(path).map(SortedCandidates)
    }

    /// Opens the file of those that were loaded. `false` where it is not what it was.
    pub fn reopen(&mut self, path: &Path) -> Result<bool, Error> {
        self.0.reopen(path)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The candidates in order.
    pub fn iter(&self) -> impl Iterator<Item = Result<Candidate, Error>> + '_ {
        self.0.iter().map(|row| {
            let [better, other, distance] = row?;
            Ok(Candidate { better, other, distance: (distance != NO_DISTANCE).then_some(distance) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_come_back_sorted() {
        let mut candidates = Candidates::new(&std::env::temp_dir()).unwrap();
        let candidate = |better, other, distance| Candidate { better, other, distance };
        let (one, other) = (candidate(1, 2, None), candidate(0, 3, Some(80)));
        candidates.push(one).unwrap();
        candidates.push(other).unwrap();
        let candidates = candidates.finish().unwrap();
        assert_eq!(candidates.iter().collect::<Result<Vec<_>, Error>>().unwrap(), [other, one]);
    }
}
