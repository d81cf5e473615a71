//! Corpus -> candidate pairs -> duplicate pairs -> clusters -> the decision on every document.
//!
//! ```text
//! documents of equal text -> one that stands for all                equal.rs
//! candidate pairs -> those that the judge confirms -> clusters      confirm.rs
//! clusters -> removals with their evidence, counts                  explain.rs
//! a finished search -> the share of pairs that it found             recall.rs
//! ```

mod confirm;
mod equal;
mod explain;
mod recall;

use crate::cluster;
use crate::config::Config;
use crate::corpus::{Corpus, Purpose};
use crate::error::Error;
use crate::judge::Rules;
use crate::keep;
use crate::memory::MemoryBound;
use crate::outcome::{Decisions, Recall, Search};
use crate::recipe::Recipe;
use crate::search::{self, SortedCandidates};
use crate::watch::Watch;

pub use confirm::Confirmed;

/// The settings of a decision, and the documents that it is about.
#[derive(Clone, Copy)]
pub struct Decision<'c> {
    /// The settings.
    pub config: &'c Config,
    /// The recipe of the corpus.
    pub recipe: &'c Recipe,
    /// The documents.
    pub corpus: &'c Corpus,
    /// The memory that the run may take.
    pub memory: MemoryBound,
}

/// The documents in the order in which they are kept, and the one that stands for each.
pub struct Order {
    /// The rank of each document; of two duplicates the one of the smaller rank stays.
    pub ranks: Vec<u32>,
    /// For each document the best-ranked one of equal normalized text; itself for most.
    pub representatives: Vec<u32>,
}

impl Decision<'_> {
    /// Refuses a corpus that was not read to find duplicates, or not by this recipe.
    ///
    /// # Errors
    /// [`Error::Unfit`].
    pub fn check(&self) -> Result<(), Error> {
        self.corpus.check(Purpose::Dedup, self.config, self.recipe)
    }

    /// Ranks the documents and folds those of equal text.
    pub fn order(&self) -> Order {
        let ranks = ranks(self.config, self.corpus);
        let representatives = equal::representatives(self.corpus, &ranks);
        Order { ranks, representatives }
    }

    /// Finds the candidate pairs.
    ///
    /// # Errors
    /// [`Error::Io`] where temporary files cannot be written or read, [`Error::OverMemory`],
    /// [`Error::Interrupted`].
    pub fn search(&self, order: &Order, watch: &dyn Watch) -> Result<(SortedCandidates, Search), Error> {
        search::search(&self.searched(), &order.ranks, &order.representatives, watch)
    }

    /// Compares the candidates that may change a cluster, or `all` of them.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`].
    pub fn confirm(
        &self,
        order: &Order,
        candidates: &SortedCandidates,
        search: &Search,
        all: bool,
        watch: &dyn Watch,
    ) -> Result<Confirmed, Error> {
        confirm::confirm(self, &order.ranks, candidates, self.rules(search), all, watch)
    }

    /// Measures the recall of a search; `None` where none is measured.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`].
    pub fn recall(
        &self,
        order: &Order,
        candidates: &SortedCandidates,
        watch: &dyn Watch,
    ) -> Result<Option<Recall>, Error> {
        recall::recall(self, order, candidates, watch)
    }

    /// Gives every removed document its evidence, and every cluster its number.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Interrupted`].
    pub fn explain(
        &self,
        order: Order,
        confirmed: Confirmed,
        search: Search,
        recall: Option<Recall>,
        watch: &dyn Watch,
    ) -> Result<Decisions, Error> {
        explain::explain(self, order, confirmed, search, recall, watch)
    }

    /// The documents as the search sees them.
    fn searched(&self) -> search::Searched<'_> {
        search::Searched { config: self.config, recipe: self.recipe, corpus: self.corpus, memory: self.memory }
    }

    /// The rules of the judge, where a search went this far.
    fn rules(&self, search: &Search) -> Rules {
        Rules::new(self.config, search.max_distance)
    }
}

/// The rank of every document: those that the others are compared with first, each side by the policy.
pub fn ranks(config: &Config, corpus: &Corpus) -> Vec<u32> {
    let mut ranks = keep::ranks(&config.keep, corpus.lengths(), corpus.fields());
    let against = corpus.origins.against() as u32;
    if against > 0 {
        let mut next = [0, against];
        for document in cluster::by_rank(&ranks) {
            let next = &mut next[usize::from(document >= against)];
            ranks[document as usize] = *next;
            *next += 1;
        }
    }
    ranks
}

pub use equal::representatives;
