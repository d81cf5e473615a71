//! The terms of every document, on disk.

use std::path::Path;

use nearprint_core::features::Term;
use nearprint_core::statistics::{FeatureCounts, Statistics};
use serde::{Deserialize, Serialize};

use super::Storage;
use super::needs::TermsAs;
use crate::error::Error;
use crate::spill::Spill;

/// The file of the terms, if it has a name.
const FILE: &str = "terms";

/// The terms of every document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Terms {
    /// The terms themselves.
    Hashes(Spill<u64>),
    /// The numbers of the terms in the corpus statistics, half as long.
    Numbers(Spill<u32>),
}

impl Terms {
    /// Starts without terms.
    pub(super) fn new(form: TermsAs, storage: &Storage<'_>) -> Result<Terms, Error> {
        match form {
            TermsAs::Hashes => storage.spill(FILE).map(Terms::Hashes),
            TermsAs::Numbers => storage.spill(FILE).map(Terms::Numbers),
        }
    }

    /// Adds the terms of the next document. `places` are the places of its terms among the features
    /// that `counts` counted last.
    pub(super) fn push(
        &mut self,
        terms: Vec<Term>,
        places: &[u32],
        counts: &FeatureCounts,
    ) -> Result<(), Error> {
        match self {
            Terms::Hashes(spill) => spill.push(terms),
            Terms::Numbers(spill) => spill.push(places.iter().map(|place| counts.number(*place))),
        }
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        match self {
            Terms::Hashes(spill) => spill.flush(),
            Terms::Numbers(spill) => spill.flush(),
        }
    }

    /// Opens the file of terms that were loaded. Returns `false` if the file has changed.
    pub(super) fn reopen(&mut self, folder: &Path) -> Result<bool, Error> {
        match self {
            Terms::Hashes(spill) => spill.reopen(&folder.join(FILE)),
            Terms::Numbers(spill) => spill.reopen(&folder.join(FILE)),
        }
    }

    /// Fills `out` with the terms of a document; `numbers` is a buffer.
    pub(super) fn read(
        &self,
        document: u32,
        statistics: &Statistics,
        numbers: &mut Vec<u32>,
        out: &mut Vec<Term>,
    ) -> Result<(), Error> {
        match self {
            Terms::Hashes(spill) => spill.read(document as usize, out),
            Terms::Numbers(spill) => {
                spill.read(document as usize, numbers)?;
                out.clear();
                out.extend(numbers.iter().map(|number| statistics.of_number(*number).hash));
                Ok(())
            }
        }
    }
}
