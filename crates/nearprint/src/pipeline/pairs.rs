//! Confirmed pairs with their evidence, sorted; in memory while they are few, on disk beyond that.
//!
//! Documents that are all duplicates of each other are n² / 2 pairs, so what becomes of pairs is done in one pass over
//! them: clusters, the evidence of removed documents, and the report of all pairs.

use std::path::Path;

use super::DuplicatePair;
use crate::error::Error;
use crate::spill::{Sorted, Sorter};

/// A pair as it is sorted: left, right, distance, and the two halves of the similarity's bits.
type Row = [u32; 5];

/// The distance of a pair that has none.
const NO_DISTANCE: u32 = u32::MAX;

/// Takes in confirmed pairs.
#[derive(Debug)]
pub(super) struct Pairs(Sorter<Row>);

impl Pairs {
    /// None yet. What is too much for memory goes to `folder`.
    pub(super) fn new(folder: &Path) -> Result<Pairs, Error> {
        Sorter::new(folder).map(Pairs)
    }

    /// Takes in a pair.
    pub(super) fn push(&mut self, pair: DuplicatePair) -> Result<(), Error> {
        let similarity = pair.similarity.to_bits();
        let distance = pair.distance.unwrap_or(NO_DISTANCE);
        self.0.push([pair.left, pair.right, distance, (similarity >> 32) as u32, similarity as u32])
    }

    /// All pairs.
    pub(super) fn finish(self) -> Result<DuplicatePairs, Error> {
        self.0.finish().map(DuplicatePairs)
    }
}

/// The duplicate pairs of a run between documents of different texts, sorted by their documents, each once.
#[derive(Debug)]
pub struct DuplicatePairs(Sorted<Row>);

impl DuplicatePairs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs in order.
    ///
    /// # Errors
    /// Each pair may be an [`Error::Io`] instead, where the disk cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = Result<DuplicatePair, Error>> + '_ {
        self.0.iter().map(|row| {
            let [left, right, distance, high, low] = row?;
            let similarity = f64::from_bits(u64::from(high) << 32 | u64::from(low));
            Ok(DuplicatePair { left, right, distance: (distance != NO_DISTANCE).then_some(distance), similarity })
        })
    }

    /// Calls `found` with each of the sorted `wanted` pairs of documents that there is, by its place among them.
    pub(super) fn find(&self, wanted: &[(u32, u32)], mut found: impl FnMut(usize, DuplicatePair)) -> Result<(), Error> {
        let mut next = 0;
        for pair in self.iter() {
            let pair = pair?;
            let ends = (pair.left, pair.right);
            while wanted.get(next).is_some_and(|wanted| *wanted < ends) {
                next += 1;
            }
            match wanted.get(next) {
                None => break,
                Some(wanted) if *wanted == ends => found(next, pair),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_with_their_evidence() {
        let mut pairs = Pairs::new(&std::env::temp_dir()).unwrap();
        let pair = |left, right, distance, similarity| DuplicatePair { left, right, distance, similarity };
        let mut all = vec![
            pair(3, 5, None, 0.8),
            pair(0, 9, Some(0), 1.0),
            pair(3, 4, Some(80), 0.1 + 0.2),
            pair(0, 2, Some(7), 0.9),
        ];
        all.iter().for_each(|pair| pairs.push(*pair).unwrap());
        let pairs = pairs.finish().unwrap();
        all.sort_by_key(|pair| (pair.left, pair.right));
        assert_eq!(pairs.iter().collect::<Result<Vec<_>, Error>>().unwrap(), all);
        let mut found = Vec::new();
        pairs.find(&[(0, 1), (0, 9), (2, 3), (3, 5), (4, 5)], |place, pair| found.push((place, pair))).unwrap();
        assert_eq!(found, [(1, all[1]), (3, all[3])]);
    }
}
