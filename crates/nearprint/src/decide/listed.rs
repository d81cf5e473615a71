//! All compared pairs, if they are wanted -> three lists: duplicate pairs, pairs that just missed
//! the least similarity, and pairs that may link two documents.
//!
//! A list of pairs changes no decision. Hubs resolve as in any other run
//! ([`resolve`](super::resolve)). Afterwards, the pairs of two hubs that the tables of the search
//! see are compared for the lists alone.

use super::bounds::Bounded;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::DuplicatePair;
use crate::spill::Sorter;

/// The lists so far.
pub(super) struct Listed {
    /// The least similarity of duplicates.
    least: f64,
    /// The duplicate pairs.
    pub pairs: Sorter<DuplicatePair>,
    /// The pairs below the least similarity.
    pub just_missed: Sorter<DuplicatePair>,
    /// The pairs of both lists in which one document may go for the other.
    pub linked: Sorter<Bounded>,
}

impl Listed {
    /// Empty lists. Duplicates have at least the similarity `least`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(corpus: &Corpus, least: f64) -> Result<Listed, Error> {
        let folder = corpus.folder();
        let (pairs, just_missed, linked) =
            (Sorter::new(folder)?, Sorter::new(folder)?, Sorter::new(folder)?);
        Ok(Listed { least, pairs, just_missed, linked })
    }

    /// Adds a pair, by its ranks and by its documents.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn push(&mut self, ranks: Bounded, may_go: bool, pair: DuplicatePair) -> Result<(), Error> {
        if may_go {
            self.linked.push(ranks)?;
        }
        match ranks.bound < self.least {
            true => self.just_missed.push(DuplicatePair { similarity: ranks.bound, ..pair }),
            false => self.pairs.push(pair),
        }
    }
}
