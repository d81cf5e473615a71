//! The documents of crowds -> their candidate pairs, in the order of their ranks, as far as they still matter.
//!
//! The pairs of two documents of a crowd are not listed ([`Candidates`]). Each that no keeper has claimed becomes one, and only then
//! its pairs with later documents are looked for.

use rayon::prelude::*;

use super::company::Company;
use super::crowd::ByFillings;
use super::short_crowd::ByCharacters;
use crate::error::Error;
use crate::search::{Candidate, Candidates, Input};
use crate::watch::Progress;

/// Documents that settle together at most, and the candidates beyond which only one does.
const MOST_TOGETHER: usize = 1 << 10;
const MOST_CANDIDATES: usize = 1 << 16;

/// The documents of crowds.
pub(super) struct Settling<'c> {
    by_fillings: Option<ByFillings<'c>>,
    by_characters: ByCharacters<'c>,
    /// The ranks of all, in order.
    ranks: Vec<u32>,
    /// The next of these, and the number of documents that settle together.
    next: usize,
    together: usize,
}

impl<'c> Settling<'c> {
    /// Reads the documents of crowds. `documents` is the document of each rank.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unfit`] where texts were not gathered, [`Error::Interrupted`].
    pub fn new(
        input: &Input<'c>,
        candidates: &'c Candidates,
        company: &Company<'_>,
        documents: &[u32],
        stage: &Progress<'_>,
    ) -> Result<Settling<'c>, Error> {
        let Candidates { crowd, short_crowd, .. } = candidates;
        let by_fillings = match crowd.ranks().is_empty() {
            true => None,
            false => Some(ByFillings::new(input, crowd, company, documents, stage)?),
        };
        let by_characters = ByCharacters::new(input.corpus, input.config.min_similarity, short_crowd, documents);
        let mut ranks = [crowd.ranks(), short_crowd].concat();
        // One without a family is there for its company alone.
        ranks.retain(|rank| candidates.families.as_ref().is_none_or(|families| families[*rank as usize].is_some()));
        ranks.sort_unstable();
        ranks.dedup();
        Ok(Settling { by_fillings, by_characters, ranks, next: 0, together: 1 })
    }

    /// The candidate pairs of the next documents that are free, in order, as if they all became keepers; and the rank of the first
    /// document that is left for the next call, if there is one. Documents settle one by one at first, and the more together, the
    /// fewer pairs they have.
    pub fn settle(&mut self, is_free: impl Fn(u32) -> bool + Sync) -> (Vec<Candidate>, Option<u32>) {
        self.by_fillings.iter_mut().for_each(|crowd| crowd.forget(&is_free));
        self.by_characters.forget(&is_free);
        let free = (self.next..self.ranks.len()).filter(|place| is_free(self.ranks[*place]));
        let next: Vec<usize> = free.take(self.together).collect();
        let of_document = |place: &usize| {
            let rank = self.ranks[*place];
            let mut candidates = self.by_characters.candidates(rank);
            candidates.extend(self.by_fillings.iter().flat_map(|crowd| crowd.candidates(rank, &is_free)));
            candidates.sort_unstable_by_key(|candidate| candidate.other);
            candidates
        };
        let candidates = next.par_iter().map(of_document).collect::<Vec<_>>().concat();
        self.next = next.last().map_or(self.ranks.len(), |last| last + 1);
        let most = if candidates.len() > MOST_CANDIDATES { 1 } else { MOST_TOGETHER };
        self.together = (2 * self.together).min(most);
        (candidates, self.ranks.get(self.next).copied())
    }
}
