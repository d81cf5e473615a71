//! Documents that become copies, and copies that become documents.
//!
//! A story has one searched document, its keeper, and copies that are kept beside it. When the
//! keeper leaves, the first copy takes its place, so a story ends with its last document. Each copy is
//! a duplicate of its keeper: under another keeper, those that are none are looked up again.

use nearprint_core::judge::{Basis, Parts, PreparedText, Preparer, Verdict};
use nearprint_core::near::{Among, Collection, QUERY};

use super::Index;
use super::filter::{Dated, Filter};
use super::pair::{Pair, PairStatus};
use super::record::{Packed, Text, bytes_of_record};
use super::store::{Copied, Stored};
use super::view::View;
use crate::corpus::text_hash;
use crate::error::Error;
use crate::find::duplicates;
use crate::watch::Silent;

impl Index {
    /// Keeps a document as a copy of the document of a number. `as_read` is the hash of its text as
    /// read, if it is known. Returns the number of their pair.
    pub(super) fn hide(
        &self,
        document: Copied,
        as_read: Option<u64>,
        (keeper, verdict): (u32, &Verdict),
        now: i64,
    ) -> Result<i64, Error> {
        let keeper = self.there(keeper)?;
        let story = keeper.story;
        let mut copy = Copied { stored: Stored { story, ..document.stored }, ..document };
        self.store.move_open_pair(&copy.stored.id, &keeper.id)?;
        let of_keeper = self.text_as_read(keeper.number)?;
        let texts =
            [as_read.or_else(|| self.as_read(&copy.text)), of_keeper.as_deref().map(text_hash)];
        let pair = self.store.insert_pair(&Pair {
            pair: 0,
            copy: copy.stored.id.clone(),
            keeper: keeper.id,
            story,
            at: now,
            similarity: verdict.similarity,
            reason: verdict.reason,
            distance: verdict.distance,
            texts,
            status: PairStatus::Open,
        })?;
        self.store.remove_other_open_pairs(&copy.stored.id, pair)?;
        if let Some(before) = self.store.copy(&copy.stored.id)? {
            copy.stored.added = before.stored.added;
            let same = Stored { number: before.stored.number, ..copy.stored.clone() };
            if (&same, &copy.text) == (&before.stored, &before.text) {
                return Ok(pair);
            }
            self.leave(&copy, story, now)?;
        }
        self.store.insert_copy(&copy)?;
        self.store.story_changed(story, now)?;
        Ok(pair)
    }

    /// Removes a copy from the story in which it was, which changes unless it is this one.
    fn leave(&self, copy: &Copied, story: u32, now: i64) -> Result<(), Error> {
        match self.store.remove_copy(&copy.stored.id)? {
            Some(before) if before != story => self.store.story_changed(before, now),
            _ => Ok(()),
        }
    }

    /// Makes a copy a searched document of a story. Returns its number.
    pub(super) fn raise(
        &self,
        view: &mut View,
        copy: &Copied,
        story: Option<u32>,
        now: i64,
    ) -> Result<u32, Error> {
        let before = self.store.release_copy(&copy.stored.id)?;
        let number = self.insert(view, copy, copy.text.packed(), story)?;
        // A story that a copy begins has changed: it is older than its number.
        let stories = [before, Some(story.unwrap_or(number))];
        stories.into_iter().flatten().try_for_each(|story| self.store.story_changed(story, now))?;
        Ok(number)
    }

    /// Inserts a document with the bytes of its text. It begins a story unless it is in one. Returns
    /// its number.
    pub(super) fn insert(
        &self,
        view: &mut View,
        document: &Copied,
        packed: Packed,
        story: Option<u32>,
    ) -> Result<u32, Error> {
        let number = self.next_number(view)?;
        let Copied { stored, record, .. } = document;
        let each = self.config.fingerprint.bits.div_ceil(64) as usize;
        let stored = Stored { number, story: story.unwrap_or(number), ..stored.clone() };
        let print = bytes_of_record(record, number, each);
        self.store.insert(&stored, &print, &packed.record(number))?;
        view.add(number, record);
        Ok(number)
    }

    /// Gives a story without a keeper its first copy as the keeper. Returns false if it has none.
    pub(super) fn succeed(&self, view: &mut View, story: u32, now: i64) -> Result<bool, Error> {
        let Some(first) = self.store.copies_of(story, 0, 1)?.pop() else { return Ok(false) };
        self.raise(view, &first, Some(story), now)?;
        self.settle(view, story, now)?;
        Ok(true)
    }

    /// Looks those copies up again that are no duplicates of the keeper of their story, which is
    /// another one now or has another text. For the others there is a pair with this keeper, unless a
    /// person has found the last one right.
    pub(super) fn settle(&self, view: &mut View, story: u32, now: i64) -> Result<(), Error> {
        let Some(keeper) = self.store.keeper(story)? else { return Ok(()) };
        let id = self.there(keeper)?.id;
        let mut after = 0;
        while let Some(copy) = self.store.copies_of(story, after, 1)?.pop() {
            after = copy.stored.number;
            let found = self.keepers_of(view, &copy, now)?;
            let Some((_, verdict)) = found.iter().find(|(own, _)| *own == keeper) else {
                self.place(view, copy, found.first(), now)?;
                continue;
            };
            let pair = self.store.last_pair_of(&copy.stored.id)?;
            if pair.is_none_or(|pair| pair.status != PairStatus::Right && pair.keeper != id) {
                self.hide(copy, None, (keeper, verdict), now)?;
            }
        }
        Ok(())
    }

    /// Makes a copy one of its best duplicate, or a document of its own.
    pub(super) fn place(
        &self,
        view: &mut View,
        copy: Copied,
        best: Option<&(u32, Verdict)>,
        now: i64,
    ) -> Result<(), Error> {
        match best {
            Some((keeper, verdict)) => self.hide(copy, None, (*keeper, verdict), now).map(|_| ()),
            None => self.raise(view, &copy, None, now).map(|_| ()),
        }
    }

    /// Moves all copies of a story to another one.
    pub(super) fn move_copies(&self, from: u32, to: u32) -> Result<(), Error> {
        while let Some(copy) = self.store.copies_of(from, 0, 1)?.pop() {
            self.store.remove_copy(&copy.stored.id)?;
            let stored = Stored { story: to, ..copy.stored };
            self.store.insert_copy(&Copied { stored, ..copy })?;
        }
        Ok(())
    }

    /// The duplicates of a kept text among the documents of a view, as marks leave them, the best
    /// first.
    pub(super) fn keepers_of(
        &self,
        view: &View,
        document: &Copied,
        now: i64,
    ) -> Result<Vec<(u32, Verdict)>, Error> {
        let mut judge = self.judge();
        judge.store().query(self.prepared(document));
        let mut among = Among::new(view, &self.rules, document.record);
        let mut found = duplicates(QUERY, &mut among, &mut judge, &Silent)?;
        self.add_marks((&document.stored.id, None), &mut found, &mut judge)?;
        let dated = Dated::new(&document.stored.fields, &self.options, now);
        self.admitted(found, &Filter::default(), &dated, now)
    }

    /// The keeper of the copy of a document's id, with the verdict of their pair, if it has the
    /// document's text and tokens.
    pub(super) fn known_copy(
        &self,
        copy: Option<&Copied>,
        document: &Copied,
    ) -> Result<Vec<(u32, Verdict)>, Error> {
        let is_same = |copy: &&Copied| {
            copy.text == document.text && copy.stored.tokens() == document.stored.tokens()
        };
        let Some(copy) = copy.filter(is_same) else { return Ok(Vec::new()) };
        let keeper = self.store.keeper(copy.stored.story)?;
        let pair = self.store.last_pair_of(&copy.stored.id)?;
        let known = keeper.zip(pair).map(|(keeper, pair)| {
            let verdict = Verdict {
                duplicates: true,
                reason: pair.reason,
                distance: pair.distance,
                similarity: pair.similarity,
                basis: Basis::Nothing,
                lost: None,
                difference: None,
                in_family: false,
            };
            (keeper, verdict)
        });
        Ok(known.into_iter().collect())
    }

    /// The verdict on a kept text and another document, whatever a search would find. The other one
    /// has this number now.
    pub(super) fn compared(
        &self,
        document: &Copied,
        (number, other): (u32, &Copied),
    ) -> Result<Verdict, Error> {
        let mut judge = self.judge();
        judge.store().query(self.prepared(document));
        let parts = Parts { fingerprint: true, short: true, ..Parts::default() };
        let verdict = judge.verdict_of([QUERY, number], parts)?;
        let records = [document.record, other.record];
        let distance =
            self.rules.distance.of(&records[0].words, &records[1].words, self.rules.bits);
        let are_searched = records.iter().all(|record| record.kind.is_searched());
        Ok(Verdict { distance: are_searched.then_some(distance), ..verdict })
    }

    /// A kept text, prepared as a query.
    fn prepared(&self, document: &Copied) -> PreparedText {
        let mut query = PreparedText::default();
        let (text, tokens) = (&document.text.text, document.stored.tokens());
        Preparer::new(&self.recipe, self.rules).prepare_document(text, tokens, &mut query);
        query
    }

    /// The document of a number, with its record and its text.
    pub(super) fn whole(&self, view: &View, number: u32) -> Result<Copied, Error> {
        let damaged = |what| self.store.damaged(what, number);
        let record = view.record(number).ok_or_else(|| damaged("the fingerprint"))?;
        let text = self.store.text(number)?.ok_or_else(|| damaged("the text"))?;
        Ok(Copied { stored: self.there(number)?, record, text })
    }

    /// The document of a number that a search has found.
    pub(super) fn there(&self, number: u32) -> Result<Stored, Error> {
        self.store.document(number)?.ok_or_else(|| self.store.damaged("the row", number))
    }

    fn as_read(&self, text: &Text) -> Option<u64> {
        self.options.store_text.then(|| text_hash(&text.text))
    }
}
