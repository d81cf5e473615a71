//! Rows in any order -> the same rows sorted. Few of them are sorted in memory; more go to disk in sorted runs, which are
//! merged whenever the rows are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use bytemuck::Pod;
use rayon::slice::ParallelSliceMut;
use serde::{Deserialize, Serialize};

use super::Spill;
use crate::error::Error;

/// Bytes of rows in memory before they become a run on disk.
const RUN_BYTES: usize = 24 << 20;

/// Rows of a run that are read at once.
const READ_BYTES: usize = 64 << 10;

/// Takes in rows.
#[derive(Debug)]
pub(crate) struct Sorter<T> {
    run: Vec<T>,
    longest_run: usize,
    runs: Spill<T>,
}

impl<T: Pod + Ord + Send> Sorter<T> {
    /// None yet. Runs go to a file in `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Sorter<T>, Error> {
        Ok(Sorter { run: Vec::new(), longest_run: RUN_BYTES / size_of::<T>(), runs: Spill::new(folder)? })
    }

    /// Takes in a row.
    pub(crate) fn push(&mut self, row: T) -> Result<(), Error> {
        if self.run.len() == self.longest_run {
            self.run.par_sort_unstable();
            self.runs.append(&self.run)?;
            self.runs.end();
            self.run.clear();
        }
        self.run.push(row);
        Ok(())
    }

    /// All rows, sorted.
    pub(crate) fn finish(mut self) -> Result<Sorted<T>, Error> {
        self.run.par_sort_unstable();
        self.runs.flush()?;
        Ok(Sorted { last_run: self.run, runs: self.runs })
    }
}

/// Sorted rows, to be read as often as one likes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Sorted<T> {
    #[serde(skip)]
    last_run: Vec<T>,
    runs: Spill<T>,
}

impl<T: Pod + Ord> Sorted<T> {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.last_run.len() + self.runs.numbers()
    }

    /// The same rows in one run in a file with a name, so that they can be saved.
    pub(crate) fn in_file(self, path: &Path) -> Result<Sorted<T>, Error> {
        let mut runs = Spill::create(path)?;
        for row in self.iter() {
            runs.append(&[row?])?;
        }
        runs.end();
        runs.flush()?;
        Ok(Sorted { last_run: Vec::new(), runs })
    }

    /// Opens the file of rows that were loaded. `false` where it is not what it was.
    pub(crate) fn reopen(&mut self, path: &Path) -> Result<bool, Error> {
        self.runs.reopen(path)
    }

    /// The rows in order; equal ones one after the other.
    pub(crate) fn iter(&self) -> Merge<'_, T> {
        let mut merge = Merge { sorted: self, heads: BinaryHeap::new(), parts: Vec::new(), failed: None };
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

/// The part of a run on disk that has been read, and the place of the rest. The last run, in memory, comes first and needs
/// `next` only.
#[derive(Debug)]
struct Part<T> {
    rows: Vec<T>,
    next: usize,
    read: u64,
    end: u64,
}

/// Merges the runs.
#[derive(Debug)]
pub(crate) struct Merge<'s, T> {
    sorted: &'s Sorted<T>,
    /// The next row of each run that has one.
    heads: BinaryHeap<Reverse<(T, usize)>>,
    parts: Vec<Part<T>>,
    failed: Option<Error>,
}

impl<T: Pod + Ord> Merge<'_, T> {
    /// Puts the next row of a run among the heads.
    fn advance(&mut self, number: usize) {
        let part = &mut self.parts[number];
        let row = match number {
            0 => self.sorted.last_run.get(part.next).copied(),
            _ => {
                if part.next == part.rows.len() && part.read < part.end {
                    let count = (part.end - part.read).min((READ_BYTES / size_of::<T>()) as u64);
                    if let Err(error) = self.sorted.runs.read_range(part.read, part.read + count, &mut part.rows) {
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

impl<T: Pod + Ord> Iterator for Merge<'_, T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Result<T, Error>> {
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
