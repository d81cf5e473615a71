//! Documents of an index, read one by one as the reference documents of a run.

use std::collections::HashSet;
use std::sync::Mutex;

use nearprint_core::fingerprint::hamming_distance;
use nearprint_core::judge::FAMILY;
use nearprint_core::near::{Collection, Met};

use super::store::Store;
use super::view::View;
use crate::config::Config;
use crate::document::Document;
use crate::error::{Error, Problem};
use crate::field::alternatives;
use crate::read::StoredRows;
use crate::search::least_complete_distance;

/// Documents of an index by their numbers, in the order in which they were added.
#[derive(Debug)]
pub(crate) struct NearDocuments {
    pub(super) store: Mutex<Store>,
    pub(super) numbers: Vec<u32>,
    pub(super) searched: u64,
    pub(super) stores_texts: bool,
}

/// Finds the documents near some queries whose families the documents near these queries do not
/// show.
pub(super) struct Families<'v> {
    view: &'v View,
    /// The distance within which every search finds all documents.
    complete_distance: u32,
    /// The texts of earlier calls.
    texts: HashSet<u128>,
}

impl<'v> Families<'v> {
    /// Starts without queries.
    pub fn new(view: &'v View, config: &Config) -> Families<'v> {
        let complete_distance = least_complete_distance(config);
        Families { view, complete_distance, texts: HashSet::new() }
    }

    /// The first document of each new text among those near a query, unless three other texts among
    /// them are surely its neighbors. Near copies show each other at once.
    pub fn unshown(&mut self, near: &[Met]) -> Vec<u32> {
        let mut texts = HashSet::new();
        let is_first = |met: &&Met| texts.insert(met.text_hash);
        let with_words = |met: &Met| Some((*met, self.view.record(met.number)?.words));
        let first: Vec<(Met, [u64; 4])> =
            near.iter().filter(is_first).filter_map(with_words).collect();
        let is_shown = |own: &[u64; 4]| {
            let within = self.complete_distance;
            let is_near = |(_, other): &&(Met, [u64; 4])| hamming_distance(own, other) <= within;
            // The text itself is one of them.
            first.iter().filter(is_near).take(1 + FAMILY as usize).count() > FAMILY as usize
        };
        let is_unshown =
            |(met, own): &&(Met, [u64; 4])| self.texts.insert(met.text_hash) && !is_shown(own);
        first.iter().filter(is_unshown).map(|(met, _)| met.number).collect()
    }
}

impl StoredRows for NearDocuments {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn searched(&self) -> u64 {
        self.searched
    }

    fn has_texts_as_read(&self) -> bool {
        self.stores_texts
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
        let stored = |own: &String| found.fields.iter().find(|(name, _)| name == own);
        stored(name)
            .or_else(|| alternatives(name).iter().find_map(stored))
            .map(|(_, value)| value.clone())
    };
    let fields = fields.iter().map(value).collect();
    Ok(Some(Document { row: 0, id: found.id, text: text.text, fields }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::document::Id;
    use crate::index::{Asked, Index, IndexOptions};
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
            .near_documents(&[], |ask| texts.iter().try_for_each(|text| ask(Asked::text(text))))
            .unwrap();
        assert_eq!((near.len(), near.searched()), (2, 2));
        assert_eq!(near.document(1, &[]).unwrap().unwrap().id, Id::Integer(1));
        index.remove(&[Id::Integer(1)]).unwrap();
        let gone = near.document(1, &[]).unwrap_err();
        assert!(matches!(gone, Problem::Unreadable { reason } if reason.ends_with("run again")));
        assert_eq!(near.document(0, &[]).unwrap().unwrap().id, Id::Integer(0));
    }

    #[test]
    fn near_copies_show_that_they_are_a_family() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen");
        let mut index = Index::create(&path, &Config::default(), &IndexOptions::default()).unwrap();
        let text = |number| {
            format!(
                "The ferry to Hiddensee returns on Monday after {number} weeks of repairs. The \
                 captain has painted its railings green, and the cook has baked cardamom buns for \
                 all who come aboard before the first crossing at dawn."
            )
        };
        let document =
            |id| Document { row: 0, id: Id::Integer(id), text: text(id), fields: Vec::new() };
        for (documents, unshown) in [(3, 3), (4, 0), (40, 0)] {
            index.add((0..documents).map(document).collect(), false, &Silent).unwrap();
            let found = index.read(|index| {
                let near: Vec<Met> = index.view.near(&[0; 4], 256, &mut Default::default());
                assert_eq!(near.len(), documents as usize);
                let mut families = Families::new(&index.view, &index.config);
                let found = families.unshown(&near);
                assert!(families.unshown(&near).is_empty(), "these texts are known");
                Ok(found.len())
            });
            assert_eq!(found.unwrap(), unshown, "{documents} documents");
        }
    }
}
