//! The documents of an index that a finished run names, by row and id -> the same documents, read
//! from the index again.
//!
//! A row of the run is not stored in an index, so the document is looked up by its id.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use super::near::document;
use super::open::open_store;
use super::store::Store;
use crate::document::{Document, Id};
use crate::error::{Error, Problem};
use crate::read::{Source, StoredRows};

/// Documents of an index, by the place of their row.
#[derive(Debug)]
struct Again {
    store: Mutex<Store>,
    ids: BTreeMap<usize, Id>,
}

/// The index in a folder as the source of the documents with these ids, each at its row, from 1.
/// Documents that the index no longer has are left out.
///
/// # Errors
/// [`Error::Io`]; [`Error::Incompatible`] if the index is damaged.
pub(crate) fn again(folder: &Path, ids: BTreeMap<u64, Id>) -> Result<Source, Error> {
    let store = Mutex::new(open_store(folder)?);
    let ids = ids.into_iter().map(|(row, id)| (row.saturating_sub(1) as usize, id)).collect();
    let rows = Again { store, ids };
    Ok(Source::stored(folder.display().to_string(), std::sync::Arc::new(rows)))
}

impl StoredRows for Again {
    fn len(&self) -> usize {
        self.ids.last_key_value().map_or(0, |(row, _)| row + 1)
    }

    fn searched(&self) -> u64 {
        self.ids.len() as u64
    }

    fn has_texts_as_read(&self) -> bool {
        false
    }

    fn document(&self, row: usize, fields: &[String]) -> Result<Option<Document>, Problem> {
        let Some(id) = self.ids.get(&row) else { return Ok(None) };
        let store = self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let found = store.number(id).and_then(|number| match number {
            Some(number) => document(&store, number, fields),
            None => Ok(None),
        });
        found.map_err(|error| Problem::Unreadable { reason: error.to_string() })
    }
}
