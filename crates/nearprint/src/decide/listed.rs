//! All compared pairs, where they are wanted -> duplicate pairs, pairs that just missed the least
//! similarity, and what may link.
//!
//! To list pairs changes no decision. Hubs settle as in any other run
//! ([`resolve`](super::resolve)), and their pairs with each other, as far as the tables of the
//! search see them, are compared afterwards for the lists alone.

use super::bounds::Bounded;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::DuplicatePair;
use crate::spill::Sorter;

/// The pairs so far.
pub(super) struct Listed {
    /// Duplicate pairs have at least this similarity.
    least: f64,
    pub pairs: Sorter<DuplicatePair>,
    pub just_missed: Sorter<DuplicatePair>,
    /// Those of which one document may go for the other.
    pub linked: Sorter<Bounded>,
}

impl Listed {
    /// None yet.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(corpus: &Corpus, least: f64) -> Result<Listed, Error> {
        let folder = corpus.folder();
        let (pairs, just_missed, linked) =
            (Sorter::new(folder)?, Sorter::new(folder)?, Sorter::new(folder)?);
        Ok(Listed { least, pairs, just_missed, linked })
    }

    /// Takes in a pair by its ranks and by its documents, with the largest least similarity at
    /// which it would be one of duplicates.
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
