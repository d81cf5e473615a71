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
    pub(super) searched: u64,
}

impl StoredRows for NearDocuments {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn searched(&self) -> u64 {
        self.searched
    }

    fn document(&self, row: usize, fields: &[String]) -> Result<Option<Document>, Problem> {
        let store = self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let found = document(&store, self.numbers[row], fields)
            .map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
        let reason = || "a document was removed from it meanwhile; run again".to_string();
        found.map(Some).ok_or_else(|| Problem::Unreadable { reason: reason() })
    }
}

/// The document of a number with the values of these fields, as far as the index keeps them; `None`
/// if the index no longer has it.
pub(super) fn document(
    store: &Store,
    number: u32,
    fields: &[String],
) -> Result<Option<Document>, Error> {
    let Some((found, text)) = store.document(number)?.zip(store.text(number)?) else {
        return Ok(None);
    };
    let value = |name: &String| {
        found.fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
    };
    let fields = fields.iter().map(value).collect();
    Ok(Some(Document { row: 0, id: found.id, text: text.text, fields }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::document::Id;
    use crate::index::{Index, IndexOptions};
    use crate::watch::Silent;

    #[test]
    fn a_document_that_was_removed_meanwhile_is_no_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen");
        let mut index = Index::create(&path, &Config::default(), &IndexOptions::default()).unwrap();
        let texts = ["The ferry returns on Monday after repairs", "The bakeries close at noon"];
        let document = |(id, text): (i64, &str)| Document {
            row: 0,
            id: Id::Integer(id),
            text: text.to_string(),
            fields: Vec::new(),
        };
        let documents = (0..).zip(texts).map(document).collect();
        index.add(documents, false, &Silent).unwrap();
        let near = Index::open(&path)
            .unwrap()
            .near_documents(|ask| texts.iter().try_for_each(|text| ask(text)))
            .unwrap();
        assert_eq!((near.len(), near.searched()), (2, 2));
        assert_eq!(near.document(1, &[]).unwrap().unwrap().id, Id::Integer(1));
        index.remove(&[Id::Integer(1)]).unwrap();
        let gone = near.document(1, &[]).unwrap_err();
        assert!(matches!(gone, Problem::Unreadable { reason } if reason.ends_with("run again")));
        assert_eq!(near.document(0, &[]).unwrap().unwrap().id, Id::Integer(0));
    }
}
