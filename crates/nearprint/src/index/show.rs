//! An id, or words of a title -> documents of an index.

use std::collections::BTreeMap;

use serde::Serialize;

use super::store::Stored;
use super::{Index, IndexDocument, ListedDocument, now};
use crate::document::{FieldValue, Id};
use crate::error::Error;

/// Documents with some words.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Found {
    /// The documents, and then the copies.
    pub documents: Vec<ListedDocument>,
    /// The number of documents and copies that were looked at.
    pub searched: u64,
}

impl Index {
    /// The document of an id, also a copy; `None` if there is none, or if it has expired.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn document(&mut self, id: &Id) -> Result<Option<IndexDocument>, Error> {
        self.read(|index| index.found(id, now()))
    }

    pub(super) fn found(&self, id: &Id, now: i64) -> Result<Option<IndexDocument>, Error> {
        let (stored, text, hidden) = match self.store.number(id)? {
            Some(number) => {
                let text = self.store.text(number)?;
                let text = text.ok_or_else(|| self.store.damaged("the text", number))?;
                (self.there(number)?, text, false)
            }
            None => match self.store.copy(id)? {
                Some(copy) => (copy.stored, copy.text, true),
                None => return Ok(None),
            },
        };
        Ok(stored.is_there(now).then(|| stored.shown(text.text, hidden)))
    }

    /// Documents and copies that have each of some words in their id or in a field, the latest first.
    /// Case does not matter. At most `searched` documents and as many copies are looked at.
    ///
    /// # Errors
    /// As [`document`](Self::document).
    pub fn search(&mut self, words: &str, most: usize, searched: u64) -> Result<Found, Error> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        self.read(|index| {
            let (now, mut found) = (now(), Found::default());
            for hidden in [false, true] {
                let mut looked = 0;
                if found.documents.len() >= most {
                    break;
                }
                let mut each = |document: Stored| {
                    looked += 1;
                    if document.is_there(now) && document.has_all(&words) {
                        found.documents.push(document.listed(hidden));
                    }
                    Ok(looked < searched && found.documents.len() < most)
                };
                index.store.latest(hidden, &mut each)?;
                found.searched += looked;
            }
            Ok(found)
        })
    }

    /// The id in the index that a person means by a name: the integer that is written so if there is
    /// one, or else the string. In quotation marks of JSON it is the string inside them.
    ///
    /// # Errors
    /// As [`document`](Self::document).
    pub fn id_named(&self, name: &str) -> Result<Option<Id>, Error> {
        let integer =
            name.parse().map(Id::Integer).or_else(|_| name.parse().map(Id::Unsigned)).ok();
        // 007 and +7 are not 7.
        let integer = integer.filter(|id| id.to_string() == name);
        let quoted = serde_json::from_str::<String>(name).map(Id::Text).ok();
        for id in [integer, Some(Id::Text(name.to_string())), quoted].into_iter().flatten() {
            if self.has(&id)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Returns true if there is a document or a copy of an id.
    fn has(&self, id: &Id) -> Result<bool, Error> {
        Ok(self.contains(id)? || self.store.copy(id)?.is_some())
    }
}

impl IndexDocument {
    /// Its own tokens, if the index takes them.
    pub fn tokens(&self) -> Option<&[String]> {
        tokens_in(self.fields.values())
    }
}

/// The tokens among the fields of a document. No other field holds tokens.
fn tokens_in<'f>(mut fields: impl Iterator<Item = &'f FieldValue>) -> Option<&'f [String]> {
    fields.find_map(|value| match value {
        FieldValue::Tokens(tokens) => Some(&tokens[..]),
        _ => None,
    })
}

impl Stored {
    /// The own tokens of the document, if the index takes them.
    pub(super) fn tokens(&self) -> Option<&[String]> {
        tokens_in(self.fields.iter().map(|(_, value)| value))
    }

    /// The document with its text.
    pub(super) fn shown(self, text: String, hidden: bool) -> IndexDocument {
        let Stored { id, fields, expires, added, story, .. } = self;
        let fields = BTreeMap::from_iter(fields);
        IndexDocument { id, text, fields, expires, added, story, hidden }
    }

    /// The document without its text.
    pub(super) fn listed(self, hidden: bool) -> ListedDocument {
        let Stored { id, fields, added, story, .. } = self;
        ListedDocument { id, fields: BTreeMap::from_iter(fields), added, story, hidden }
    }

    /// Returns true if each of some words in lower case stands in its id or in a field.
    fn has_all(&self, words: &[String]) -> bool {
        let values = self.fields.iter().map(|(_, value)| value.to_string());
        let values: Vec<String> = [self.id.to_string()]
            .into_iter()
            .chain(values)
            .map(|value| value.to_lowercase())
            .collect();
        words.iter().all(|word| values.iter().any(|value| value.contains(word.as_str())))
    }
}
