//! Documents -> added to an index in one transaction, each with an outcome.
//!
//! A document replaces the one of the same id, unless both are equal. If only new documents are
//! wanted, each one is first a query among all documents of the index, including those that were
//! added earlier in the same transaction.

use nearprint_core::judge::{PreparedText, Preparer, Rules};
use nearprint_core::near::{Among, Collection, QUERY, Record};
use rayon::prelude::*;
use serde::Serialize;

use super::record::{Packed, Text, bytes_of_record};
use super::store::Stored;
use super::view::View;
use super::{Index, IndexMatch, IndexOptions, now};
use crate::document::{Document, FieldValue, Id};
use crate::error::Error;
use crate::find::duplicates;
use crate::message;
use crate::message::Verb;
use crate::watch::{Watch, stop_if_asked};

/// The number of documents that a thread prepares at a time.
const PART: usize = 64;

/// A document and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Added {
    /// The id of the document.
    pub id: Id,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of adding a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    /// The document was added.
    New,
    /// The document has replaced another one of its id.
    Replaced,
    /// The index has the document already, with the same text and fields.
    Unchanged,
    /// The document was not added, since it has expired.
    Expired,
    /// The document was not added, since it has a duplicate.
    Duplicate {
        /// The most similar of its duplicates.
        of: Box<IndexMatch>,
    },
}

impl Outcome {
    /// The outcome in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::New => "new",
            Outcome::Replaced => "replaced",
            Outcome::Unchanged => "unchanged",
            Outcome::Expired => "expired",
            Outcome::Duplicate { .. } => "duplicate",
        }
    }
}

/// A document that is prepared for the index.
struct Ready {
    record: Record,
    text: Text,
    packed: Packed,
    expires: Option<i64>,
    fields: Vec<(String, FieldValue)>,
    /// The prepared text, if it is a query.
    query: Option<PreparedText>,
}

impl Index {
    /// Adds documents: all of them, or none after an error. Their fields are those of
    /// [`IndexOptions::fields`](super::IndexOptions::fields), in that order. With `if_new`,
    /// documents that have a duplicate of another id are not added. Expired documents are removed
    /// first.
    ///
    /// # Errors
    /// [`Error::Usage`] for a document without a date if the index needs one, and if no document
    /// numbers are left; [`Error::Io`], for example if the disk is full; [`Error::IndexTaken`] if
    /// another process is writing; [`Error::Incompatible`] if the index is damaged;
    /// [`Error::Interrupted`].
    pub fn add(
        &mut self,
        documents: Vec<Document>,
        if_new: bool,
        watch: &dyn Watch,
    ) -> Result<Vec<Added>, Error> {
        let now = now();
        // Only this thread uses the store.
        let (recipe, rules, options) = (&self.recipe, self.rules, &self.options);
        let preparer = || Preparer::new(recipe, rules);
        let prepare = |preparer: &mut Preparer, documents: &[Document]| {
            let each = |document| ready(document, options, if_new, now, &rules, preparer);
            documents.iter().map(each).collect::<Result<Vec<_>, Error>>()
        };
        let ready: Vec<Vec<Ready>> =
            documents.par_chunks(PART).map_init(preparer, prepare).collect::<Result<_, Error>>()?;
        self.write(false, |index, view| {
            index.remove_expired(view)?;
            let mut judge = index.judge();
            let mut added = Vec::with_capacity(documents.len());
            for (document, mut ready) in documents.into_iter().zip(ready.into_iter().flatten()) {
                stop_if_asked(watch)?;
                let before = index.store.number(&document.id)?;
                let outcome = match () {
                    () if ready.expires.is_some_and(|expires| expires <= now) => {
                        // The expired document still replaces the one of its id.
                        index.take_out(view, before)?;
                        Outcome::Expired
                    }
                    () if index.is_unchanged(view, before, &ready)? => Outcome::Unchanged,
                    () => match ready.query.take() {
                        None => index.put(view, &document.id, before, ready)?,
                        Some(query) => {
                            let mut among = Among::new(view, &index.rules, ready.record);
                            judge.store().query(query);
                            judge.forget();
                            let mut found = duplicates(QUERY, &mut among, &mut judge, watch)?;
                            let named = (&document.id, document.text.as_str());
                            index.add_marks(named, &mut found, &mut judge)?;
                            // A document is no duplicate of its earlier version.
                            found.retain(|(number, _)| Some(*number) != before);
                            match index.answer(&found, 1, now)?.matches.pop() {
                                Some(of) => Outcome::Duplicate { of: Box::new(of) },
                                None => index.put(view, &document.id, before, ready)?,
                            }
                        }
                    },
                };
                added.push(Added { id: document.id, outcome });
            }
            Ok(added)
        })
    }

    /// Returns true if the document of the number `before` has the same text and fields.
    fn is_unchanged(&self, view: &View, before: Option<u32>, ready: &Ready) -> Result<bool, Error> {
        let Some(number) = before else { return Ok(false) };
        if view.record(number).is_none_or(|own| own != ready.record) {
            return Ok(false);
        }
        let has_fields = self.store.document(number)?.is_some_and(|own| own.fields == ready.fields);
        Ok(has_fields && self.store.text(number)?.is_some_and(|own| own == ready.text))
    }

    /// Inserts a document, and removes the one of the number `before`.
    fn put(
        &self,
        view: &mut View,
        id: &Id,
        before: Option<u32>,
        ready: Ready,
    ) -> Result<Outcome, Error> {
        let Ready { record, packed, expires, fields, .. } = ready;
        self.take_out(view, before)?;
        let number = view.state().next;
        if number == QUERY {
            let problem = message![
                "it has no document numbers left; write its documents with ",
                Verb::IndexExport,
                ", and create a new index from them"
            ];
            return Err(Error::usage("index", problem));
        }
        let each = self.config.fingerprint.bits.div_ceil(64) as usize;
        let document = Stored { number, id: id.clone(), expires, fields };
        self.store.insert(
            &document,
            &bytes_of_record(&record, number, each),
            &packed.record(number),
        )?;
        view.add(number, &record);
        Ok(if before.is_some() { Outcome::Replaced } else { Outcome::New })
    }
}

/// Prepares a document for the index.
fn ready(
    document: &Document,
    options: &IndexOptions,
    if_new: bool,
    now: i64,
    rules: &Rules,
    preparer: &mut Preparer,
) -> Result<Ready, Error> {
    let mut query = PreparedText::default();
    preparer.prepare(&document.text, &mut query);
    let names = options.fields();
    let values = names.iter().zip(&document.fields);
    let fields: Vec<(String, FieldValue)> =
        values.filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect();
    let text = kept_text(&query, options.store_text.then_some(document));
    Ok(Ready {
        record: Record::new(&query, rules),
        packed: text.packed(),
        text,
        expires: expires(options, &document.id, &fields, now)?,
        fields,
        query: if_new.then_some(query),
    })
}

/// The time at which a document expires, in seconds since 1970.
fn expires(
    options: &IndexOptions,
    id: &Id,
    fields: &[(String, FieldValue)],
    now: i64,
) -> Result<Option<i64>, Error> {
    let Some(ttl) = options.ttl else { return Ok(None) };
    let Some(name) = &options.date_field else { return Ok(Some(now + i64::from(ttl.0))) };
    let value = fields.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let date = super::options::date(name, value).map_err(|problem| {
        let problem = message!["document ", id.to_string(), ": ", problem.message()];
        Error::usage("date-field", problem)
    })?;
    Ok(Some(date.saturating_add(ttl.0.into())))
}

/// The text that is kept: normalized, or as read in a document.
fn kept_text(of: &PreparedText, as_read: Option<&Document>) -> Text {
    let normalized = || of.prepared.text.get().cloned().unwrap_or_default();
    Text {
        characters: of.characters,
        features: of.prepared.features,
        text: as_read.map_or_else(normalized, |document| document.text.clone()),
    }
}
