//! Texts of passages and the letters of all documents -> the documents with copies, and the
//! candidates for these.
//!
//! Passages whose seeds do not fit into memory together are searched for one part after the other,
//! with the same result.

use nearprint_core::normalize::Normalizer;
use rayon::prelude::*;

use super::edited::{Candidate, KnownPassages};
use super::gathered::Gathered;
use crate::error::Error;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The number of documents whose letters are searched together.
const DOCUMENTS_TOGETHER: usize = 4096;

/// The fewest bytes of passages that are searched for together.
const LEAST_PART: u64 = 16 << 20;

/// A search for copies of passages in the letters of all documents.
#[derive(Debug)]
pub struct Search<'s> {
    gathered: &'s Gathered,
    groups: &'s [u64],
    is_searched: Vec<bool>,
    known: KnownPassages,
    most_bytes: u64,
    candidates: Vec<(u32, Candidate)>,
}

impl<'s> Search<'s> {
    /// A search that adds passages to `known`, and takes about `memory` bytes for them. `groups` are
    /// the groups of the documents, empty if all are in one; `is_searched` says which documents are
    /// searched.
    pub fn new(
        known: KnownPassages,
        gathered: &'s Gathered,
        groups: &'s [u64],
        is_searched: Vec<bool>,
        memory: u64,
    ) -> Search<'s> {
        let most_bytes = memory.max(LEAST_PART);
        Search { gathered, groups, is_searched, known, most_bytes, candidates: Vec::new() }
    }

    /// Adds the text of a passage, which is looked for in documents of this group.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`].
    pub fn add(
        &mut self,
        passage: u32,
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
            for (number, own) in of_numbers {
                self.candidates.extend(own.into_iter().map(|candidate| (number, candidate)));
            }
            stage.advance(numbers.len());
            stop_if_asked(watch)?;
        }
        self.known.next_part();
        Ok(())
    }

    /// The passages, and the candidates of each document that has some, by document.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish(
        mut self,
        watch: &dyn Watch,
    ) -> Result<(KnownPassages, Vec<(u32, Candidate)>), Error> {
        if !self.known.is_empty() {
            self.search(watch)?;
        }
        let mut candidates = self.candidates;
        candidates.sort_by_key(|(document, _)| *document);
        if !self.known.is_approved() {
            // Exact copies were found before.
            let is_exact = |(_, candidate): &(u32, Candidate)| candidate.is_exact();
            let of_documents = candidates.chunk_by(|one, next| one.0 == next.0);
            let edited = of_documents.filter(|own| !own.iter().all(is_exact));
            candidates = edited.flatten().cloned().collect();
        }
        Ok((self.known, candidates))
    }
}
