//! Records in any order -> the same records sorted. Few records are sorted in memory. Many are
//! sorted in runs on disk, which are merged whenever the records are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use bytemuck::Pod;
use rayon::slice::ParallelSliceMut;
use serde::{Deserialize, Serialize};

use super::Spill;
use crate::error::Error;

/// The number of bytes of rows in memory that become a run on disk.
const RUN_BYTES: usize = 24 << 20;

/// The number of bytes of a run that are read at once.
const READ_BYTES: usize = 64 << 10;

/// A value that is sorted and stored as a row of numbers.
pub trait Record: Copy {
    /// The numbers; their order is the order of the records.
    type Row: Pod + Ord + Send;

    /// The numbers of this record.
    fn to_row(self) -> Self::Row;

    /// The record of these numbers.
    fn from_row(row: Self::Row) -> Self;
}

/// The number that stands for a missing distance: one document of the pair is short.
const NO_DISTANCE: u32 = u32::MAX;

/// A Hamming distance in bits as a number of a row.
pub fn distance_to_row(distance: Option<u32>) -> u32 {
    distance.unwrap_or(NO_DISTANCE)
}

/// The distance that [`distance_to_row`] made this number of.
pub fn distance_from_row(number: u32) -> Option<u32> {
    (number != NO_DISTANCE).then_some(number)
}

/// Collects records.
#[derive(Debug)]
pub struct Sorter<R: Record> {
    run: Vec<R::Row>,
    longest_run: usize,
    runs: Spill<R::Row>,
}

impl<R: Record> Sorter<R> {
    /// An empty sorter. Records that do not fit into memory go to a file in `folder`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(folder: &Path) -> Result<Sorter<R>, Error> {
        Ok(Sorter {
            run: Vec::new(),
            longest_run: RUN_BYTES / size_of::<R::Row>(),
            runs: Spill::new(folder)?,
        })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn push(&mut self, record: R) -> Result<(), Error> {
        if self.run.len() == self.longest_run {
            self.run.par_sort_unstable();
            self.runs.append(&self.run)?;
            self.runs.end();
            self.run.clear();
        }
        self.run.push(record.to_row());
        Ok(())
    }

    /// All records, sorted.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<Sorted<R>, Error> {
        self.run.par_sort_unstable();
        self.runs.flush()?;
        Ok(Sorted { last_run: self.run, runs: self.runs })
    }
}

/// Sorted records, which can be read any number of times. Few are in memory, many on disk.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Sorted<R: Record> {
    #[serde(skip)]
    last_run: Vec<R::Row>,
    runs: Spill<R::Row>,
}

impl<R: Record> Sorted<R> {
    /// The number of records.
    pub fn len(&self) -> usize {
        self.last_run.len() + self.runs.numbers()
    }

    /// Returns true if there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The records in one run in a file with a name, so that they can be saved.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn in_file(self, path: &Path) -> Result<Sorted<R>, Error> {
        let mut runs = Spill::create(path)?;
        for row in self.rows() {
            runs.append(&[row?])?;
        }
        runs.end();
        runs.flush()?;
        Ok(Sorted { last_run: Vec::new(), runs })
    }

    /// Opens the file of records that were loaded. Returns `false` if the file has changed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn reopen(&mut self, path: &Path) -> Result<bool, Error> {
        self.runs.reopen(path)
    }

    /// The records in order; equal ones follow each other.
    ///
    /// # Errors
    /// Each item may be an [`Error::Io`] instead, if the disk cannot be read.
    pub fn iter(&self) -> impl Iterator<Item = Result<R, Error>> + '_ {
        self.rows().map(|row| row.map(R::from_row))
    }

    fn rows(&self) -> Merge<'_, R> {
        let mut merge =
            Merge { sorted: self, heads: BinaryHeap::new(), parts: Vec::new(), failed: None };
        let of_last = Part { rows: Vec::new(), next: 0, read: 0, end: 0 };
        let on_disk = (0..self.runs.len()).map(|run| {
            let (start, end) = self.runs.range(run);
            Part { rows: Vec::new(), next: 0, read: start, end }
        });
        merge.parts = std::iter::once(of_last).chain(on_disk).collect();
        (0..merge.parts.len()).for_each(|part| merge.advance(part));
        merge
    }
}

/// The part of a run on disk that has been read, and the place of the rest. The last run is in
/// memory; it comes first and uses `next` only.
#[derive(Debug)]
struct Part<N> {
    rows: Vec<N>,
    next: usize,
    read: u64,
    end: u64,
}

/// Merges the runs.
struct Merge<'s, R: Record> {
    sorted: &'s Sorted<R>,
    /// The next row of each run that still has one.
    heads: BinaryHeap<Reverse<(R::Row, usize)>>,
    parts: Vec<Part<R::Row>>,
    failed: Option<Error>,
}

impl<R: Record> Merge<'_, R> {
    /// Adds the next row of a run to the heads.
    fn advance(&mut self, number: usize) {
        let part = &mut self.parts[number];
        let row = match number {
            0 => self.sorted.last_run.get(part.next).copied(),
            _ => {
                if part.next == part.rows.len() && part.read < part.end {
                    let count =
                        (part.end - part.read).min((READ_BYTES / size_of::<R::Row>()) as u64);
                    if let Err(error) =
                        self.sorted.runs.read_range(part.read, part.read + count, &mut part.rows)
                    {
                        self.failed = Some(error);
                        return;
                    }
                    (part.next, part.read) = (0, part.read + count);
                }
                part.rows.get(part.next).copied()
            }
        };
        part.next += 1;
        if let Some(row) = row {
            self.heads.push(Reverse((row, number)));
        }
    }
}

impl<R: Record> Iterator for Merge<'_, R> {
    type Item = Result<R::Row, Error>;

    fn next(&mut self) -> Option<Result<R::Row, Error>> {
        if let Some(error) = self.failed.take() {
            self.heads.clear();
            return Some(Err(error));
        }
        let Reverse((row, part)) = self.heads.pop()?;
        self.advance(part);
        Some(Ok(row))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Record for [u32; 2] {
        type Row = [u32; 2];

        fn to_row(self) -> [u32; 2] {
            self
        }

        fn from_row(row: [u32; 2]) -> [u32; 2] {
            row
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_come_back_sorted_as_often_as_they_are_read(
            mut rows in proptest::collection::vec((0u32..9, any::<u32>()).prop_map(|(key, rest)| [key, rest]), 0..400),
            longest_run in 1usize..100,
        ) {
            let mut sorter = Sorter { longest_run, ..Sorter::new(&std::env::temp_dir()).unwrap() };
            rows.iter().for_each(|row| sorter.push(*row).unwrap());
            let sorted = sorter.finish().unwrap();
            rows.sort_unstable();
            prop_assert_eq!(sorted.len(), rows.len());
            for _ in 0..2 {
                prop_assert_eq!(&sorted.iter().collect::<Result<Vec<_>, Error>>().unwrap(), &rows);
            }
        }
    }
}
