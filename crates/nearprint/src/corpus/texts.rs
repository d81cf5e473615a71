//! The normalized text of every document, on disk: coverage compares it, and n-grams of letters are
//! made of it again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Storage;
use crate::error::Error;
use crate::spill::Spill;

/// The file of the texts, if it has a name.
const FILE: &str = "texts";

/// The normalized text of every document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Texts(Spill<u8>);

impl Texts {
    /// Starts without texts.
    pub(super) fn new(storage: &Storage<'_>) -> Result<Texts, Error> {
        storage.spill(FILE).map(Texts)
    }

    /// Adds the text of the next document.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Error> {
        self.0.append(text.as_bytes())?;
        self.0.end();
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Error> {
        self.0.flush()
    }

    /// Opens the file of texts that were loaded. Returns `false` if the file has changed.
    pub(super) fn reopen(&mut self, folder: &Path) -> Result<bool, Error> {
        self.0.reopen(&folder.join(FILE))
    }

    /// Fills `out` with the text of a document; `buffer` is for a text that is on disk alone.
    pub(super) fn read(
        &self,
        document: u32,
        buffer: &mut Vec<u8>,
        out: &mut String,
    ) -> Result<(), Error> {
        let bytes = self.0.list(document as usize, buffer)?;
        out.clear();
        out.push_str(simdutf8::basic::from_utf8(bytes).expect("texts are written as UTF-8"));
        Ok(())
    }
}
