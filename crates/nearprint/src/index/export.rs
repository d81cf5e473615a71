//! Every document of an index -> its text and fields.

use std::path::Path;

use super::open::open_store;
use super::store::Store;
use super::{Index, IndexDocument, now};
use crate::error::Error;

impl Index {
    /// Calls `each` with every document, in the order in which they were added.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`]; those of `each`.
    pub fn export(
        &mut self,
        each: impl FnMut(IndexDocument) -> Result<(), Error>,
    ) -> Result<(), Error> {
        export_of(&self.store, each)
    }
}

/// Calls `each` with every document of the index in a folder, in the order in which they were
/// added. The recipe of this program may differ from the one that created the index.
///
/// # Errors
/// [`Error::Io`]; [`Error::Incompatible`] if the folder has no index of this format, or if the
/// index is damaged; those of `each`.
pub fn export(
    folder: &Path,
    each: impl FnMut(IndexDocument) -> Result<(), Error>,
) -> Result<(), Error> {
    export_of(&open_store(folder)?, each)
}

/// Calls `each` with every document of a store that has not expired.
fn export_of(
    store: &Store,
    mut each: impl FnMut(IndexDocument) -> Result<(), Error>,
) -> Result<(), Error> {
    store.begin()?;
    let now = now();
    let result = store.documents(|document| {
        let number = document.number;
        if !document.is_there(now) {
            return Ok(());
        }
        let text = store.text(number)?.ok_or_else(|| store.damaged("the text", number))?.text;
        each(document.shown(text, false))
    });
    store.end();
    result
}
