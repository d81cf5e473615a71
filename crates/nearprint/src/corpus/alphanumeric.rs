//! The letters and digits of every document, on disk: coverage compares them, and n-grams of letters are made of them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Storage;
use crate::error::Error;
use crate::spill::Spill;

/// The file of the letters and digits, where it has a name.
const FILE: &str = "alphanumeric";

/// The letters and digits of every document, as UTF-8.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Alphanumeric(Spill<u8>);

impl Alphanumeric {
    /// None yet.
    pub(super) fn new(storage: &Storage<'_>) -> Result<Alphanumeric, Error> {
        storage.spill(FILE).map(Alphanumeric)
    }

    /// Takes in those of the next document.
    pub(super) fn push(&mut self, alphanumeric: &[u8]) -> Result<(), Error> {
        self.0.append(alphanumeric)?;
        self.0.end();
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.0.flush()
    }

    /// Opens the file of those that were loaded. `false` where it is not what it was.
    pub(super) fn reopen(&mut self, folder: &Path) -> Result<bool, Error> {
        self.0.reopen(&folder.join(FILE))
    }

    /// Fills `out` with those of a document.
    pub(super) fn read(&self, document: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        self.0.read(document as usize, out)
    }
}
