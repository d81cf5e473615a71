//! Documents of an index, read one by one as the reference documents of a run.

use std::sync::Mutex;

use super::store::Store;
use crate::document::Document;
use crate::error::{Error, Problem};
use crate::read::StoredRows;

/// Documents of an index by their numbers, in the order in which they were added.
#[derive(Debug)]
pub(crate) struct NearDocuments {
    pub(super) store: Mutex<Store>,
    pub(super) numbers: Vec<u32>,
}

impl StoredRows for NearDocuments {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn document(&self, row: usize) -> Result<Document, Problem> {
        let number = self.numbers[row];
        let store = self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let unreadable = |error: Error| Problem::Unreadable { reason: error.to_string() };
        let parts = store.document(number).map_err(unreadable)?;
        let parts = parts.zip(store.text(number).map_err(unreadable)?);
        let Some((document, text)) = parts else {
            let reason = "a document was removed from it meanwhile; run again".to_string();
            return Err(Problem::Unreadable { reason });
        };
        Ok(Document { row: 0, id: document.id, text: text.text, fields: Vec::new() })
    }
}
