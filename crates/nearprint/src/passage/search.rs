//! Texts of passages and the letters of all documents -> the copies of passages in each document.
//!
//! Passages that do not fit into memory together are searched for one part after the other, with the
//! same result.

use nearprint_core::normalize::Normalizer;
use rayon::prelude::*;

use super::edited::{Copy, KnownPassages};
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
    copies: Vec<(u32, Copy)>,
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
        Search { gathered, groups, is_searched, known, most_bytes, copies: Vec::new() }
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
        let new = self.known.without_passages();
        let mut known = std::mem::replace(&mut self.known, new);
        known.finish();
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
                Ok((*number, known.copies(letters, group)))
            };
            let of_numbers: Vec<(u32, Vec<Copy>)> =
                numbers.par_iter().map_init(Vec::new, find).collect::<Result<_, Error>>()?;
            for (number, copies) in of_numbers {
                self.copies.extend(copies.into_iter().map(|copy| (number, copy)));
            }
            stage.advance(numbers.len());
            stop_if_asked(watch)?;
        }
        Ok(())
    }

    /// The copies of all passages, by document.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish(mut self, watch: &dyn Watch) -> Result<Vec<(u32, Vec<Copy>)>, Error> {
        if !self.known.is_empty() {
            self.search(watch)?;
        }
        let Search { mut copies, known, .. } = self;
        copies.sort_by_key(|(document, _)| *document);
        let of_documents = copies.chunk_by(|one, next| one.0 == next.0).map(|own| {
            let copies = own.iter().map(|(_, copy)| copy.clone()).collect();
            (own[0].0, known.together(copies))
        });
        Ok(of_documents.filter(|(_, copies)| !copies.is_empty()).collect())
    }
}
