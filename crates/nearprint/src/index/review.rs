//! Pairs of a copy and its keeper for a person to judge, and verdicts -> marks that all later
//! answers obey.

use super::marked::meant;
use super::pair::{Judged, Pair, PairDocument, PairDocuments, PairOrder, PairStatus};
use super::view::View;
use super::{Index, now};
use crate::document::Id;
use crate::error::Error;

impl Index {
    /// At most `most` pairs with a verdict after a pair, in this order.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub fn pairs(
        &mut self,
        status: PairStatus,
        order: PairOrder,
        after: Option<i64>,
        most: usize,
    ) -> Result<Vec<PairDocuments>, Error> {
        self.read(|index| {
            let pairs = index.store.pairs_with(status, order, after, most)?;
            pairs.into_iter().map(|pair| index.with_documents(pair)).collect()
        })
    }

    /// At most `most` pairs after a pair, in the order in which they were found, without documents.
    ///
    /// # Errors
    /// As [`pairs`](Self::pairs).
    pub fn list_pairs(&mut self, after: i64, most: usize) -> Result<Vec<Pair>, Error> {
        self.read(|index| index.store.pairs_after(after, most))
    }

    /// The pair of a number; `None` if there is none.
    ///
    /// # Errors
    /// As [`pairs`](Self::pairs).
    pub fn pair(&mut self, pair: i64) -> Result<Option<PairDocuments>, Error> {
        self.read(|index| {
            index.store.pair(pair)?.map(|pair| index.with_documents(pair)).transpose()
        })
    }

    /// The number of the pair of two documents, in either order; `None` if there is none. An integer
    /// and its digits are one id.
    ///
    /// # Errors
    /// As [`pairs`](Self::pairs).
    pub fn pair_named(&mut self, ids: [&Id; 2]) -> Result<Option<i64>, Error> {
        let [one, other] = ids.map(meant);
        self.read(|index| {
            for (one, other) in one.iter().flat_map(|one| other.iter().map(move |own| (one, own))) {
                for (copy, keeper) in [(one, other), (other, one)] {
                    if let Some(found) = index.store.pair_of(copy, keeper)? {
                        return Ok(Some(found.pair));
                    }
                }
            }
            Ok(None)
        })
    }

    /// The number of pairs with a verdict.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn count_pairs(&self, status: PairStatus) -> Result<u64, Error> {
        self.store.count_pairs(status)
    }

    fn with_documents(&self, pair: Pair) -> Result<PairDocuments, Error> {
        let now = now();
        let side = |id: &Id| match self.found(id, now)? {
            Some(document) => Ok::<_, Error>(PairDocument::There(document)),
            None => Ok(PairDocument::Gone { id: id.clone() }),
        };
        let (left, right) = (side(&pair.copy)?, side(&pair.keeper)?);
        Ok(PairDocuments { pair, left, right })
    }

    /// Records verdicts of a person on pairs, in one transaction. A copy of a wrong pair is looked up
    /// again: it becomes a document of its own, or a copy of another one. If a wrong verdict is taken
    /// back, the copy is looked up again, too. Returns for each verdict whether there is such a pair,
    /// with the document that is to be its keeper.
    ///
    /// # Errors
    /// As [`Index::add`].
    pub fn judge_pairs(&mut self, verdicts: &[Judged]) -> Result<Vec<bool>, Error> {
        let now = now();
        self.write(false, |index, view| {
            let judge = |judged: &Judged| index.judge_pair(view, judged, now);
            verdicts.iter().map(judge).collect()
        })
    }

    fn judge_pair(&self, view: &mut View, judged: &Judged, now: i64) -> Result<bool, Error> {
        let Some(pair) = self.store.pair(judged.pair)? else { return Ok(false) };
        if judged.keeper.as_ref().is_some_and(|id| ![&pair.copy, &pair.keeper].contains(&id)) {
            return Ok(false);
        }
        self.store.set_verdict(pair.pair, judged.status, now)?;
        self.store.story_changed(pair.story, now)?;
        let was_wrong = pair.status == PairStatus::Wrong;
        let is_wrong = judged.status == PairStatus::Wrong;
        if is_wrong != was_wrong {
            match self.store.copy(&pair.copy)? {
                Some(copy) => {
                    let found = self.keepers_of(view, &copy, now)?;
                    self.place(view, copy, found.first(), now)?;
                }
                None if was_wrong => self.hide_again(view, &pair.copy, now)?,
                None => {}
            }
        }
        if judged.status == PairStatus::Right && judged.keeper.as_ref() == Some(&pair.copy) {
            self.swap(view, &pair.copy, now)?;
        }
        Ok(true)
    }

    /// Makes a document a copy again if it has a duplicate. Its own copies follow it.
    fn hide_again(&self, view: &mut View, id: &Id, now: i64) -> Result<(), Error> {
        let Some(number) = self.store.number(id)? else { return Ok(()) };
        let document = self.whole(view, number)?;
        let found = self.keepers_of(view, &document, now)?;
        let other = found.iter().find(|(own, _)| *own != number);
        let Some((keeper, verdict)) = other else { return Ok(()) };
        let (story, to) = (document.stored.story, self.there(*keeper)?.story);
        self.move_copies(story, to)?;
        self.take_out(view, number)?;
        self.hide(document, None, (*keeper, verdict), now)?;
        self.settle(view, to, now)?;
        self.store.story_changed(story, now)
    }

    /// Makes a copy the keeper of its story, and the keeper a copy. Returns false if it is no copy.
    pub(super) fn swap(&self, view: &mut View, id: &Id, now: i64) -> Result<bool, Error> {
        let Some(copy) = self.store.copy(id)? else { return Ok(false) };
        let story = copy.stored.story;
        let Some(keeper) = self.store.keeper(story)? else { return Ok(false) };
        let before = self.whole(view, keeper)?;
        self.store.turn_pair(&copy.stored.id, &before.stored.id)?;
        self.take_out(view, keeper)?;
        let number = self.raise(view, &copy, Some(story), now)?;
        let verdict = self.compared(&before, (number, &copy))?;
        let pair = self.hide(before, None, (number, &verdict), now)?;
        self.store.set_verdict(pair, PairStatus::Right, now)?;
        self.settle(view, story, now)?;
        Ok(true)
    }
}
