//! Texts -> the duplicates of each among the documents of an index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use nearprint_core::judge::{PreparedText, Preparer, Verdict};
use nearprint_core::near::{Among, QUERY, Record};

use super::filter::{Asked, Dated, Filter};
use super::kept::Kept;
use super::near::{Families, NearDocuments};
use super::store::Stored;
use super::view::View;
use super::{Answer, Index, IndexMatch, now};
use crate::corpus::StoreJudge;
use crate::document::{FieldValue, Id};
use crate::error::Error;
use crate::find::duplicates;
use crate::shown_fields::ShowFields;
use crate::watch::{Watch, stop_if_asked};

/// How texts are looked up.
#[derive(Debug, Clone)]
pub struct Question {
    /// The most duplicates that are listed of each text.
    pub top: usize,
    /// The documents that may be an answer.
    pub filter: Filter,
}

impl Default for Question {
    fn default() -> Question {
        Question { top: 10, filter: Filter::default() }
    }
}

impl Index {
    /// Returns at most `top` duplicates of a text.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] if data that the answer needs is damaged;
    /// [`Error::Interrupted`].
    pub fn query(&mut self, text: &str, top: usize, watch: &dyn Watch) -> Result<Answer, Error> {
        let question = Question { top, ..Question::default() };
        let mut answers = Vec::new();
        self.ask([Asked::text(text)], &question, watch, |_, answer| {
            answers.push(answer);
            Ok(())
        })?;
        Ok(answers.pop().unwrap_or_default())
    }

    /// Refuses a field to show that the index does not store.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check_stored(&self, shown: &ShowFields) -> Result<(), Error> {
        let stored = &self.options.store_fields;
        match shown.named().iter().find(|field| !stored.contains(field)) {
            None => Ok(()),
            Some(field) => {
                let stored = stored.join(", ");
                let problem = format!(
                    "the index stores no field \"{field}\"; name another one (stored: {stored})"
                );
                Err(Error::usage("show-field", problem))
            }
        }
    }

    /// Calls `each` with the number of each text and its duplicates. All answers are of one
    /// generation.
    ///
    /// # Errors
    /// As [`query`](Self::query); [`Error::Usage`] for a filter on a field that the index does not
    /// store; those of `each`.
    pub fn ask<'t>(
        &mut self,
        texts: impl IntoIterator<Item = Asked<'t>>,
        question: &Question,
        watch: &dyn Watch,
        mut each: impl FnMut(usize, Answer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.check_filter(&question.filter)?;
        self.read(|index| {
            let now = now();
            let mut preparer = Preparer::new(&index.recipe, index.rules);
            let (mut judge, mut among) = (index.judge(), None);
            let mut query = PreparedText::default();
            for (number, asked) in texts.into_iter().enumerate() {
                stop_if_asked(watch)?;
                let among = index.among(&asked, &mut preparer, &mut query, &mut among)?;
                query = judge.store().query(query);
                judge.forget();
                let mut found = duplicates(QUERY, among, &mut judge, watch)?;
                if let Some(id) = asked.id {
                    index.add_marks((id, Some(asked.text)), &mut found, &mut judge)?;
                }
                let dated = Dated::new(asked.fields, &index.options, now);
                let found = index.admitted(found, &question.filter, &dated, now)?;
                each(number, index.answer(&found, question.top)?)?;
            }
            Ok(())
        })
    }

    /// The documents that may be duplicates of any of some texts, and those of the ids `also`, in
    /// the order in which they were added: `ask` is given a function to call with each of these
    /// texts. With them are those that
    /// show which of them are in a family. A deduplication against these documents finds the
    /// pairs that one against all documents finds, except for pairs beyond the complete distance
    /// that the index does not see. The index is read when a document is read; it must not change
    /// until then.
    ///
    /// # Errors
    /// As [`query`](Self::query); those of `ask`.
    pub(crate) fn near_documents(
        mut self,
        also: &[Id],
        ask: impl FnOnce(&mut dyn FnMut(Asked<'_>) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Result<NearDocuments, Error> {
        let (numbers, searched) = self.read(|index| {
            let mut preparer = Preparer::new(&index.recipe, index.rules);
            let (mut query, mut numbers) = (PreparedText::default(), BTreeSet::new());
            let (mut among, mut families) = (None, Families::new(&index.view, &index.config));
            ask(&mut |asked| {
                let among = index.among(&asked, &mut preparer, &mut query, &mut among)?;
                numbers.extend(among.equal());
                let near = among.near();
                for number in families.unshown(&near) {
                    numbers.extend(among.others(number));
                }
                numbers.extend(near.iter().chain(&among.short()).map(|met| met.number));
                Ok(())
            })?;
            for id in also {
                numbers.extend(index.store.number(id)?);
            }
            let now = now();
            let mut there = Vec::with_capacity(numbers.len());
            for number in numbers {
                let document = index.there(number)?;
                if document.is_there(now) {
                    there.push(number);
                }
            }
            Ok((there, index.store.count_at(now)?))
        })?;
        let stores_texts = self.options.store_text;
        Ok(NearDocuments { store: Mutex::new(self.store), numbers, searched, stores_texts })
    }

    /// Prepares a text, and makes it the query among the documents.
    ///
    /// # Errors
    /// [`Error::Usage`] for a text without tokens if the documents have their own.
    fn among<'v, 'a>(
        &'v self,
        asked: &Asked<'_>,
        preparer: &mut Preparer,
        query: &mut PreparedText,
        among: &'a mut Option<Among<'v, View>>,
    ) -> Result<&'a mut Among<'v, View>, Error> {
        preparer.prepare_document(asked.text, self.own_tokens(asked.tokens)?, query);
        let record = Record::new(query, &self.rules);
        let among = among.get_or_insert_with(|| Among::new(&self.view, &self.rules, record));
        among.query(record, None);
        Ok(among)
    }

    /// The own tokens of a document, if the index takes them.
    ///
    /// # Errors
    /// [`Error::Usage`] if it takes them, and there are none.
    pub(crate) fn own_tokens<'t>(
        &self,
        tokens: Option<&'t [String]>,
    ) -> Result<Option<&'t [String]>, Error> {
        match self.config.tokens_field() {
            None => Ok(None),
            Some(field) if tokens.is_none() => {
                let problem = format!(
                    "the documents of the index have their own tokens in the field \"{field}\"; \
                     give documents with this field in place of texts alone"
                );
                Err(Error::usage("tokens-field", problem))
            }
            Some(_) => Ok(tokens),
        }
    }

    pub(super) fn judge(&self) -> StoreJudge<Kept<'_>> {
        let kept = Kept::new(
            &self.store,
            Preparer::new(&self.recipe, self.rules),
            self.options.store_text,
            self.recipe.takes_tokens(),
        );
        StoreJudge::of(kept, self.rules)
    }

    /// These duplicates without those that have expired or that a filter leaves out.
    pub(super) fn admitted(
        &self,
        mut found: Vec<(u32, Verdict)>,
        filter: &Filter,
        asked: &Dated<'_>,
        now: i64,
    ) -> Result<Vec<(u32, Verdict)>, Error> {
        if self.options.ttl.is_none() && filter.is_empty() {
            return Ok(found);
        }
        let mut admitted = Vec::with_capacity(found.len());
        for (number, verdict) in found.drain(..) {
            let document = self.there(number)?;
            if document.is_there(now) && filter.admits(asked, &document) {
                admitted.push((number, verdict));
            }
        }
        Ok(admitted)
    }

    /// The answer with the first `top` of these duplicates.
    pub(super) fn answer(&self, found: &[(u32, Verdict)], top: usize) -> Result<Answer, Error> {
        let (shown, more) = found.split_at(top.min(found.len()));
        let matched =
            |(number, verdict): &(u32, Verdict)| self.matched(self.there(*number)?, verdict);
        let matches = shown.iter().map(matched).collect::<Result<_, Error>>()?;
        Ok(Answer { matches, more: more.len() as u64 })
    }

    fn matched(&self, document: Stored, verdict: &Verdict) -> Result<IndexMatch, Error> {
        let Verdict { similarity, reason, distance, .. } = *verdict;
        let Stored { number, id, fields, .. } = document;
        let text = self.text_as_read(number)?;
        Ok(IndexMatch { id, similarity, reason, distance, fields: self.shown(fields), text })
    }

    /// The stored fields of a document, as read.
    fn shown(&self, fields: Vec<(String, FieldValue)>) -> BTreeMap<String, FieldValue> {
        let is_stored = |(name, _): &(String, _)| self.options.store_fields.contains(name);
        fields.into_iter().filter(is_stored).collect()
    }
}
