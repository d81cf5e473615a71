//! An id -> the document of an index.

use std::collections::BTreeMap;

use super::store::Stored;
use super::{Index, IndexDocument, now};
use crate::document::Id;
use crate::error::Error;

impl Index {
    /// The document of an id; `None` if there is none, or if it has expired.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn document(&mut self, id: &Id) -> Result<Option<IndexDocument>, Error> {
        let now = now();
        self.read(|index| {
            let Some(number) = index.store.number(id)? else { return Ok(None) };
            let damaged = |what| index.store.damaged(what, number);
            let Stored { id, fields, expires, .. } =
                index.store.document(number)?.ok_or_else(|| damaged("the row"))?;
            if expires.is_some_and(|expires| expires <= now) {
                return Ok(None);
            }
            let text = index.store.text(number)?.ok_or_else(|| damaged("the text"))?.text;
            Ok(Some(IndexDocument { id, text, fields: BTreeMap::from_iter(fields), expires }))
        })
    }

    /// The ids in the index that a person may mean by a name: a string, or the integer with these
    /// digits. A string in quotation marks of JSON is meant as it is.
    ///
    /// # Errors
    /// As [`document`](Self::document).
    pub fn ids_named(&self, name: &str) -> Result<Vec<Id>, Error> {
        let integer =
            name.parse().map(Id::Integer).or_else(|_| name.parse().map(Id::Unsigned)).ok();
        let quoted = serde_json::from_str::<String>(name).map(Id::Text).ok();
        let mut found = Vec::new();
        for id in [Some(Id::Text(name.to_string())), integer].into_iter().flatten() {
            if self.contains(&id)? {
                found.push(id);
            }
        }
        match quoted {
            Some(id) if found.is_empty() && self.contains(&id)? => Ok(vec![id]),
            _ => Ok(found),
        }
    }
}
