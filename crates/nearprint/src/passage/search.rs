//! Texts of passages and the letters of all documents -> the documents with copies, and the
//! candidates for these.
//!
//! Passages whose seeds do not fit into memory together are searched for one part after the other,
//! with the same result.

use std::path::Path;

use nearprint_core::normalize::Normalizer;
use rayon::prelude::*;

use super::edited::{Candidate, KnownPassages};
use super::gathered::Gathered;
use crate::error::Error;
use crate::spill::{Record, Sorted, Sorter};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The number of documents whose letters are searched together.
const DOCUMENTS_TOGETHER: usize = 4096;

/// The fewest bytes of passages that are searched for together.
const LEAST_PART: u64 = 16 << 20;

/// A candidate of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateRow {
    /// The number of the document.
    pub document: u32,
    /// The candidate.
    pub candidate: Candidate,
}

/// A candidate as numbers, in the order of documents.
impl Record for CandidateRow {
    type Row = [u64; 3];

    fn to_row(self) -> [u64; 3] {
        let CandidateRow { document, candidate: Candidate { piece, begins, is_exact } } = self;
        let [start, end] = begins;
        let length = (end - start) as u64;
        let place = u64::from(document) << 32 | u64::from(piece);
        [place, start as u64, length << 1 | u64::from(is_exact)]
    }

    fn from_row([place, start, length]: [u64; 3]) -> CandidateRow {
        let begins = [start as i64, start as i64 + (length >> 1) as i64];
        let candidate = Candidate { piece: place as u32, begins, is_exact: length & 1 == 1 };
        CandidateRow { document: (place >> 32) as u32, candidate }
    }
}

/// A search for copies of passages in the letters of all documents.
#[derive(Debug)]
pub struct Search<'s> {
    gathered: &'s Gathered,
    groups: &'s [u64],
    is_searched: Vec<bool>,
    known: KnownPassages,
    most_bytes: u64,
    candidates: Sorter<CandidateRow>,
    /// Whether a candidate may be an edited copy, or one of an approved passage.
    has_work: bool,
}

impl<'s> Search<'s> {
    /// A search that adds passages to `known`, and takes about `memory` bytes for them. `groups` are
    /// the groups of the documents, empty if all are in one; `is_searched` says which documents are
    /// searched. Candidates go to temporary files in `folder`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(
        known: KnownPassages,
        gathered: &'s Gathered,
        groups: &'s [u64],
        is_searched: Vec<bool>,
        memory: u64,
        folder: &Path,
    ) -> Result<Search<'s>, Error> {
        let (most_bytes, candidates) = (memory.max(LEAST_PART), Sorter::new(folder)?);
        let has_work = false;
        Ok(Search { gathered, groups, is_searched, known, most_bytes, candidates, has_work })
    }

    /// Adds the text of a passage, which is looked for in documents of this group: its number, and
    /// whether it is the text of this passage alone.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`].
    pub fn add(
        &mut self,
        passage: (u32, bool),
        group: u64,
        text: &str,
        normalizer: &Normalizer,
        watch: &dyn Watch,
    ) -> Result<(), Error> {
        if self.known.bytes() >= self.most_bytes {
            self.search(watch)?;
        }
        self.known.add(passage, group, text, normalizer);
        Ok(())
    }

    /// Searches for the passages that were added since the last search.
    fn search(&mut self, watch: &dyn Watch) -> Result<(), Error> {
        self.known.finish();
        let known = &self.known;
        let documents = self.is_searched.len();
        let stage = Progress::begin(watch, Stage::Verify, documents, self.gathered.bytes());
        let numbers: Vec<u32> = (0..documents as u32).collect();
        for numbers in numbers.chunks(DOCUMENTS_TOGETHER) {
            let find = |buffer: &mut Vec<u8>, number: &u32| {
                if !self.is_searched[*number as usize] {
                    return Ok((*number, Vec::new()));
                }
                let letters = self.gathered.letters(*number, buffer)?;
                let group = self.groups.get(*number as usize).copied().unwrap_or(0);
                Ok((*number, known.candidates(letters, group)))
            };
            let of_numbers: Vec<(u32, Vec<Candidate>)> =
                numbers.par_iter().map_init(Vec::new, find).collect::<Result<_, Error>>()?;
            for (document, own) in of_numbers {
                for candidate in own {
                    // Exact copies were found before, unless a person approved the passages.
                    self.has_work |= self.known.is_approved() || !candidate.is_exact();
                    self.candidates.push(CandidateRow { document, candidate })?;
                }
            }
            stage.advance(numbers.len());
            stop_if_asked(watch)?;
        }
        self.known.next_part();
        Ok(())
    }

    /// The passages, and their candidates by document; `None` if all copies were found before.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish(
        mut self,
        watch: &dyn Watch,
    ) -> Result<(KnownPassages, Option<Sorted<CandidateRow>>), Error> {
        if !self.known.is_empty() {
            self.search(watch)?;
        }
        let candidates = self.has_work.then(|| self.candidates.finish()).transpose()?;
        Ok((self.known, candidates))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_candidate_is_that_of_its_numbers(
            [document, piece] in any::<[u32; 2]>(),
            start in -(1i64 << 33)..1 << 33,
            length in 1i64..1 << 33,
            is_exact in any::<bool>(),
        ) {
            let candidate = Candidate { piece, begins: [start, start + length], is_exact };
            let row = CandidateRow { document, candidate };
            prop_assert_eq!(CandidateRow::from_row(row.to_row()), row);
        }
    }
}
