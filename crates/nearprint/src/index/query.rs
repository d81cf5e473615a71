//! Texts -> the duplicates of each among the documents of an index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use nearprint_core::judge::{PreparedText, Preparer, Verdict};
use nearprint_core::near::{Among, QUERY, Record};

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

impl Index {
    /// Returns at most `top` duplicates of a text.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Incompatible`] if data that the answer needs is damaged;
    /// [`Error::Interrupted`].
    pub fn query(&mut self, text: &str, top: usize, watch: &dyn Watch) -> Result<Answer, Error> {
        let mut answers = Vec::new();
        self.query_all([text], top, watch, |_, answer| {
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

    /// Calls `each` with the number of each text and at most `top` duplicates of it. All answers
    /// are of one generation.
    ///
    /// # Errors
    /// As [`query`](Self::query); those of `each`.
    pub fn query_all<'t>(
        &mut self,
        texts: impl IntoIterator<Item = &'t str>,
        top: usize,
        watch: &dyn Watch,
        each: impl FnMut(usize, Answer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.query_documents(texts.into_iter().map(|text| (None, text)), top, watch, each)
    }

    /// As [`query_all`](Self::query_all), for texts of documents with ids, which marks name.
    ///
    /// # Errors
    /// As [`query`](Self::query); those of `each`.
    pub(crate) fn query_documents<'t>(
        &mut self,
        documents: impl IntoIterator<Item = (Option<&'t Id>, &'t str)>,
        top: usize,
        watch: &dyn Watch,
        mut each: impl FnMut(usize, Answer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.read(|index| {
            let now = now();
            let mut preparer = Preparer::new(&index.recipe, index.rules);
            let (mut judge, mut among) = (index.judge(), None);
            let mut query = PreparedText::default();
            for (number, (id, text)) in documents.into_iter().enumerate() {
                stop_if_asked(watch)?;
                let among = index.among(text, &mut preparer, &mut query, &mut among);
                query = judge.store().query(query);
                judge.forget();
                let mut found = duplicates(QUERY, among, &mut judge, watch)?;
                if let Some(id) = id {
                    index.add_marks((id, text), &mut found, &mut judge)?;
                }
                each(number, index.answer(&found, top, now)?)?;
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
        ask: impl FnOnce(&mut dyn FnMut(&str) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Result<NearDocuments, Error> {
        let (numbers, searched) = self.read(|index| {
            let mut preparer = Preparer::new(&index.recipe, index.rules);
            let (mut query, mut numbers) = (PreparedText::default(), BTreeSet::new());
            let (mut among, mut families) = (None, Families::new(&index.view, &index.config));
            ask(&mut |text| {
                let among = index.among(text, &mut preparer, &mut query, &mut among);
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
                let document = index
                    .store
                    .document(number)?
                    .ok_or_else(|| index.store.damaged("the row", number))?;
                if document.expires.is_none_or(|expires| expires > now) {
                    there.push(number);
                }
            }
            Ok((there, index.store.count_at(now)?))
        })?;
        let stores_texts = self.options.store_text;
        Ok(NearDocuments { store: Mutex::new(self.store), numbers, searched, stores_texts })
    }

    /// Prepares a text, and makes it the query among the documents.
    fn among<'v, 'a>(
        &'v self,
        text: &str,
        preparer: &mut Preparer,
        query: &mut PreparedText,
        among: &'a mut Option<Among<'v, View>>,
    ) -> &'a mut Among<'v, View> {
        preparer.prepare(text, query);
        let record = Record::new(query, &self.rules);
        let among = among.get_or_insert_with(|| Among::new(&self.view, &self.rules, record));
        among.query(record);
        among
    }

    pub(super) fn judge(&self) -> StoreJudge<Kept<'_>> {
        let kept = Kept::new(
            &self.store,
            Preparer::new(&self.recipe, self.rules),
            self.options.store_text,
        );
        StoreJudge::of(kept, self.rules)
    }

    /// The answer with the first `top` of these duplicates. Expired documents are left out.
    pub(super) fn answer(
        &self,
        found: &[(u32, Verdict)],
        top: usize,
        now: i64,
    ) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        for (number, verdict) in found {
            if answer.matches.len() == top && self.options.ttl.is_none() {
                answer.more += 1;
                continue;
            }
            let document = self.store.document(*number)?;
            let document = document.ok_or_else(|| self.store.damaged("the row", *number))?;
            match document.expires.is_none_or(|expires| expires > now) {
                true if answer.matches.len() < top => {
                    answer.matches.push(self.matched(document, verdict)?)
                }
                true => answer.more += 1,
                false => {}
            }
        }
        Ok(answer)
    }

    fn matched(&self, document: Stored, verdict: &Verdict) -> Result<IndexMatch, Error> {
        let Verdict { similarity, reason, distance, .. } = *verdict;
        let Stored { number, id, fields, .. } = document;
        let text = match self.options.store_text {
            true => self.store.text(number)?.map(|text| text.text),
            false => None,
        };
        Ok(IndexMatch { id, similarity, reason, distance, fields: self.shown(fields), text })
    }

    /// The stored fields of a document, as read.
    fn shown(&self, fields: Vec<(String, FieldValue)>) -> BTreeMap<String, FieldValue> {
        let is_stored = |(name, _): &(String, _)| self.options.store_fields.contains(name);
        fields.into_iter().filter(is_stored).collect()
    }
}
