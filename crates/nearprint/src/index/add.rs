//! Documents -> added to an index in one transaction, each with an outcome.
//!
//! A document replaces the one of the same id, unless both are equal. If only new documents are
//! wanted, each one is first a query among all documents of the index, including those that were
//! added earlier in the same transaction.

use nearprint_core::fingerprint::Distance;
use nearprint_core::judge::{PreparedText, Preparer, Rules};
use nearprint_core::near::{Among, Asking, Collection, Met, QUERY, Query, Record, query_of};
use rayon::prelude::*;

use super::filter::{Dated, Filter};
use super::kept::Kept;
use super::record::{Packed, Text};
use super::store::{Copied, Stored};
use super::view::View;
use super::{Answer, Index, IndexOptions, now};
use crate::corpus::{StoreJudge, text_hash};
use crate::document::{Document, FieldValue, Id};
use crate::error::Error;
use crate::find::duplicates as duplicates_of;
use crate::message;
use crate::message::Verb;
use crate::watch::{Watch, stop_if_asked};

/// The number of documents that a thread prepares at a time.
const PART: usize = 64;

/// The number of documents that a thread looks up together, and the most documents near one of them.
/// One with more is looked up again when its turn comes, so a batch needs little memory.
const TOGETHER: usize = 1024;
const MOST_NEAR: usize = 256;

/// Which documents are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// All of them.
    #[default]
    All,
    /// Documents without a duplicate. A duplicate leaves no trace.
    Skip,
    /// Documents without a duplicate. A duplicate becomes a copy of the story of its most similar
    /// duplicate.
    Count,
    /// All of them. A document takes the place of its most similar duplicate, which becomes a copy.
    Update,
}

/// How documents are added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adding {
    /// Which documents are added.
    pub mode: Mode,
    /// The documents of the index that count as duplicates.
    pub filter: Filter,
    /// The most duplicates that are listed of each document; the first one is always listed.
    pub top: usize,
}

/// A document and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Added {
    /// The id of the document.
    pub id: Id,
    /// The outcome.
    pub outcome: Outcome,
    /// The duplicates of the document, the most similar first. There are none if the document was
    /// not compared.
    pub duplicates: Answer,
    /// The number of its story; `None` if it is in none.
    pub story: Option<u32>,
}

/// The outcome of adding a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The document was added.
    New,
    /// The document has replaced another one of its id, or its most similar duplicate under
    /// [`Mode::Update`].
    Replaced,
    /// The index has the document already, with the same text and fields.
    Unchanged,
    /// The document was not added, since it has expired.
    Expired,
    /// The document was not added, since it has a duplicate.
    Duplicate,
}

impl Outcome {
    /// The outcome in one word.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::New => "new",
            Outcome::Replaced => "replaced",
            Outcome::Unchanged => "unchanged",
            Outcome::Expired => "expired",
            Outcome::Duplicate => "duplicate",
        }
    }
}

/// A document that is prepared for the index.
struct Ready {
    document: Copied,
    packed: Packed,
    /// The prepared text, if it is a query.
    query: Option<PreparedText>,
    /// The documents near it, if they were searched already.
    met: Option<Vec<Met>>,
}

impl Index {
    /// Adds documents: all of them, or none after an error. Their fields are those of
    /// [`IndexOptions::fields`](super::IndexOptions::fields), in that order. With `if_new`,
    /// documents that have a duplicate of another id are not added ([`Mode::Skip`]). Expired
    /// documents are removed first.
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
        let mode = if if_new { Mode::Skip } else { Mode::All };
        self.offer(documents, &Adding { mode, ..Adding::default() }, watch)
    }

    /// Adds documents as [`add`](Self::add), in another mode.
    ///
    /// # Errors
    /// As [`add`](Self::add); [`Error::Usage`] for a filter on a field that the index does not
    /// store.
    pub fn offer(
        &mut self,
        documents: Vec<Document>,
        adding: &Adding,
        watch: &dyn Watch,
    ) -> Result<Vec<Added>, Error> {
        self.check_filter(&adding.filter)?;
        let now = now();
        let is_asked = adding.mode != Mode::All;
        // Only this thread uses the store.
        let (recipe, rules, options) = (&self.recipe, self.rules, &self.options);
        let tokens_field = self.config.tokens_field();
        for document in documents.iter() {
            self.own_tokens(document.tokens())?;
        }
        let preparer = || Preparer::new(recipe, rules);
        let prepare = |preparer: &mut Preparer, documents: &[Document]| {
            let each = |document| {
                ready(document, (options, tokens_field), is_asked, now, &rules, preparer)
            };
            documents.iter().map(each).collect::<Result<Vec<_>, Error>>()
        };
        let ready: Vec<Vec<Ready>> =
            documents.par_chunks(PART).map_init(preparer, prepare).collect::<Result<_, Error>>()?;
        let mut ready: Vec<Ready> = ready.into_iter().flatten().collect();
        self.write(false, |index, view| {
            index.remove_expired(view)?;
            let since = view.state().next;
            if is_asked {
                look_up(view, &rules, &mut ready);
            }
            let mut judge = index.judge();
            let mut added = Vec::with_capacity(documents.len());
            for (Document { text, .. }, mut ready) in documents.into_iter().zip(ready) {
                stop_if_asked(watch)?;
                if let Some(met) = &mut ready.met {
                    met.retain(|met| view.has(met.number));
                    view.near_since(since, &query_of(&ready.document.record, &rules), met);
                }
                added.push(index.offer_one(view, &mut judge, &text, ready, adding, now, watch)?);
            }
            Ok(added)
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the loop over documents, taken apart")]
    fn offer_one(
        &self,
        view: &mut View,
        judge: &mut StoreJudge<Kept<'_>>,
        text: &str,
        ready: Ready,
        adding: &Adding,
        now: i64,
        watch: &dyn Watch,
    ) -> Result<Added, Error> {
        let Ready { mut document, packed, query, met } = ready;
        let id = document.stored.id.clone();
        let before = match self.store.number(&id)? {
            Some(number) => Some(self.there(number)?),
            None => None,
        };
        let number = before.as_ref().map(|before| before.number);
        let story = before.as_ref().map(|before| before.story);
        let done =
            |outcome, duplicates, story| Ok(Added { id: id.clone(), outcome, duplicates, story });
        if !document.stored.is_there(now) {
            // The expired document still replaces the one of its id.
            self.remove_one(view, &id, now)?;
            return done(Outcome::Expired, Answer::default(), None);
        }
        let copy = if before.is_none() { self.store.copy(&id)? } else { None };
        if self.is_unchanged(view, before.as_ref(), &document)? {
            return done(Outcome::Unchanged, Answer::default(), story);
        }
        let mut duplicates = Answer::default();
        if let Some(query) = query {
            let dated = Dated::new(&document.stored.fields, &self.options, now);
            // A copy that comes again stays one, whatever was added since.
            let known = self.known_copy(copy.as_ref(), &document)?;
            let mut found = self.admitted(known, &adding.filter, &dated, now)?;
            let is_known = !found.is_empty();
            if !is_known {
                let mut among = Among::new(view, &self.rules, document.record);
                among.query(document.record, met);
                judge.store().query(query);
                judge.forget();
                found = duplicates_of(QUERY, &mut among, judge, watch)?;
                self.add_marks((&id, Some(text)), &mut found, judge)?;
                // A document is no duplicate of its earlier version.
                found.retain(|(own, _)| Some(*own) != number);
                found = self.admitted(found, &adding.filter, &dated, now)?;
            }
            duplicates = self.answer(&found, adding.top.max(1))?;
            if let Some((best, verdict)) = found.first() {
                let story = self.there(*best)?.story;
                if before.is_some() && matches!(adding.mode, Mode::Count | Mode::Update) {
                    // With its new text the document is one of another story.
                    document.stored.added = before.as_ref().map_or(now, |before| before.added);
                    self.remove_one(view, &id, now)?;
                }
                match adding.mode {
                    Mode::Update if !is_known => {
                        let keeper = self.whole(view, *best)?;
                        self.take_out(view, *best)?;
                        let number = self.raise(view, &document, Some(story), now)?;
                        self.hide(keeper, None, (number, verdict), now)?;
                        self.settle(view, story, now)?;
                        return done(Outcome::Replaced, duplicates, Some(story));
                    }
                    Mode::Count | Mode::Update => {
                        let as_read = Some(text_hash(text));
                        self.hide(document, as_read, (*best, verdict), now)?;
                        return done(Outcome::Duplicate, duplicates, Some(story));
                    }
                    Mode::All | Mode::Skip => {
                        return done(Outcome::Duplicate, duplicates, Some(story));
                    }
                }
            }
        }
        let text_before = number.map(|number| self.store.text(number)).transpose()?.flatten();
        let has_same_text = text_before.is_some_and(|own| own == document.text)
            && before.as_ref().is_some_and(|own| own.tokens() == document.stored.tokens());
        match &before {
            Some(before) => {
                self.take_out(view, before.number)?;
                if !has_same_text && !self.options.store_text {
                    // Nobody has judged the new text, and the pairs do not know that it is new.
                    self.store.remove_pairs_of(&id)?;
                }
                document.stored.added = before.added;
                self.store.story_changed(before.story, now)?;
            }
            // A copy that is a document now leaves its story.
            None => {
                if copy.is_some()
                    && let Some(left) = self.store.release_copy(&id)?
                {
                    self.store.story_changed(left, now)?;
                }
            }
        }
        let number = self.insert(view, &document, packed, story)?;
        if let Some(story) = story.filter(|_| !has_same_text) {
            self.settle(view, story, now)?;
        }
        let outcome = if before.is_some() { Outcome::Replaced } else { Outcome::New };
        done(outcome, duplicates, Some(story.unwrap_or(number)))
    }

    /// Returns true if a document has the text and fields of the one before.
    fn is_unchanged(
        &self,
        view: &View,
        before: Option<&Stored>,
        document: &Copied,
    ) -> Result<bool, Error> {
        let Some(before) = before else { return Ok(false) };
        if view.record(before.number).is_none_or(|own| own != document.record)
            || before.fields != document.stored.fields
        {
            return Ok(false);
        }
        Ok(self.store.text(before.number)?.is_some_and(|own| own == document.text))
    }

    /// The number of the next document.
    pub(super) fn next_number(&self, view: &View) -> Result<u32, Error> {
        let number = view.state().next;
        if number == QUERY {
            let problem = message![
                "it has no document numbers left; write its documents with ",
                Verb::IndexExport,
                ", and create a new index from them"
            ];
            return Err(Error::usage("index", problem));
        }
        Ok(number)
    }
}

/// Prepares a document for the index.
fn ready(
    document: &Document,
    (options, tokens_field): (&IndexOptions, Option<&str>),
    is_asked: bool,
    now: i64,
    rules: &Rules,
    preparer: &mut Preparer,
) -> Result<Ready, Error> {
    let mut query = PreparedText::default();
    let tokens = tokens_field.zip(document.tokens());
    preparer.prepare_document(&document.text, tokens.map(|(_, own)| own), &mut query);
    let mut fields = document.named(&options.fields());
    if let Some((name, own)) = tokens {
        fields.push((name.to_string(), FieldValue::Tokens(own.to_vec())));
    }
    let dated = dated(options, &document.id, &fields, now)?;
    let stored = Stored {
        number: 0,
        id: document.id.clone(),
        expires: options.ttl.map(|ttl| dated.saturating_add(ttl.0.into())),
        added: now,
        dated,
        story: 0,
        fields,
    };
    let text = kept_text(&query, options.store_text.then_some(document));
    let document = Copied { stored, record: Record::new(&query, rules), text };
    let (packed, query) = (document.text.packed(), is_asked.then_some(query));
    Ok(Ready { document, packed, query, met: None })
}

/// Searches the documents near each one, many together. Those of the same transaction are not there
/// yet.
fn look_up(view: &View, rules: &Rules, documents: &mut [Ready]) {
    if rules.distance == Distance::Edit {
        return;
    }
    let part = documents.len().div_ceil(rayon::current_num_threads()).clamp(PART, TOGETHER);
    documents.par_chunks_mut(part).for_each_init(Asking::default, |asking, documents| {
        let query =
            |own: &Ready| Query { limit: MOST_NEAR, ..query_of(&own.document.record, rules) };
        let queries: Vec<Query> = documents.iter().map(query).collect();
        let found = view.near_each(&queries, asking);
        documents.iter_mut().zip(found).for_each(|(own, met)| own.met = met);
    });
}

/// The date of a document, in seconds since 1970: by the date field, or else the current time.
fn dated(
    options: &IndexOptions,
    id: &Id,
    fields: &[(String, FieldValue)],
    now: i64,
) -> Result<i64, Error> {
    let Some(name) = &options.date_field else { return Ok(now) };
    let value = fields.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    super::options::date(name, value).map_err(|problem| {
        let problem = message!["document ", id.to_string(), ": ", problem.message()];
        Error::usage("date-field", problem)
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::watch::Silent;

    fn document(id: i64, text: String) -> Document {
        Document { row: 0, id: Id::Integer(id), text, fields: Vec::new() }
    }

    fn text(kind: i64, number: i64) -> String {
        format!(
            "Kind {kind}: the ferry to Hiddensee returns after {number} weeks of repairs. The captain \
             has painted its railings green, and the cook has baked cardamom buns for all who come \
             aboard in the year {} before the first crossing at dawn.",
            kind * 7919
        )
    }

    #[test]
    fn documents_of_a_batch_get_the_outcomes_that_they_get_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        // More than are looked up together, and some of another kind.
        let family = MOST_NEAR as i64 + 20;
        let first = (0..family).map(|number| document(number, text(1, number)));
        let first: Vec<Document> = first.chain([document(-1, text(2, 5))]).collect();
        let next: Vec<Document> = (0..40)
            .map(|number| match number % 4 {
                0 => document(1000 + number, text(1, number)),
                1 => document(1000 + number, text(2, number)),
                2 => document(1000 + number, text(number, number)),
                // An id that is there, with another text.
                _ => document(number, text(3, number)),
            })
            .collect();
        for mode in [Mode::Skip, Mode::Count, Mode::Update] {
            let outcomes = [next.len(), 1].map(|together| {
                let path = folder.path().join(format!("{mode:?}-{together}"));
                let (config, options) = (Config::default(), IndexOptions::default());
                let mut index = Index::create(&path, &config, &options).unwrap();
                index.add(first.clone(), false, &Silent).unwrap();
                let adding = Adding { mode, ..Adding::default() };
                let offer = |documents: &[Document]| {
                    index.offer(documents.to_vec(), &adding, &Silent).unwrap()
                };
                next.chunks(together).flat_map(offer).collect::<Vec<Added>>()
            });
            assert_eq!(outcomes[0], outcomes[1]);
            let all: Vec<Outcome> = outcomes[0].iter().map(|added| added.outcome).collect();
            assert!(all.contains(&Outcome::New), "{all:?}");
            assert!(all.iter().any(|own| *own != Outcome::New), "{all:?}");
        }
    }
}
