//! Confirmed pairs of documents in order; in memory while they are few, on disk beyond that.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::DuplicatePair;
use crate::error::Error;
use crate::spill::{Sorted, Sorter};

/// Stands for the distance of a pair that has none: of short documents.
const NO_DISTANCE: u32 = u32::MAX;

/// A confirmed pair as it is sorted: left, right, distance, and the two halves of the similarity's bits.
type Row = [u32; 5];

/// Takes in confirmed pairs.
#[derive(Debug)]
pub struct Pairs(Sorter<Row>);

impl Pairs {
    /// None yet. Those that are too many for memory go to `folder`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(folder: &Path) -> Result<Pairs, Error> {
        Sorter::new(folder).map(Pairs)
    }

    /// Takes in a pair.
    pub fn push(&mut self, pair: DuplicatePair) -> Result<(), Error> {
        let similarity = pair.similarity.to_bits();
        let distance = pair.distance.unwrap_or(NO_DISTANCE);
        self.0.push([pair.left, pair.right, distance, (similarity >> 32) as u32, similarity as u32])
    }

    /// All pairs.
    pub fn finish(self) -> Result<DuplicatePairs, Error> {
        self.0.finish().map(DuplicatePairs)
    }
}

/// Duplicate pairs between documents of different texts, sorted by their documents, each once.
#[derive(Debug, Serialize, Deserialize)]
pub struct DuplicatePairs(Sorted<Row>);

impl DuplicatePairs {
    /// The same in a file with a name.
    pub fn in_file(self, path: &Path) -> Result<DuplicatePairs, Error> {
        self.0.in_file(path).map(DuplicatePairs)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_sorted_and_whole() {
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
    }
}
