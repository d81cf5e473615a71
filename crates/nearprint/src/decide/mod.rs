//! Corpus -> candidate pairs -> duplicate pairs -> clusters -> the decision on every document.
//!
//! ```text
//! documents of equal text -> one that stands for all                equal.rs
//! documents with very many candidates -> those that matter          resolve.rs
//!   by the characters of short ones                                 short_hubs.rs
//! candidate pairs -> those that the judge confirms -> clusters      confirm.rs
//! all compared pairs, where they are wanted -> lists               listed.rs
//! kept documents of a sample -> pairs that just missed              just_missed.rs
//! pairs -> how many would be removed at other least similarities   bounds.rs
//! documents that hold some of the other side -> whom they go for    leaks.rs
//! clusters -> removals with their evidence, counts                  explain.rs
//! a finished search -> the share of pairs that it found             recall.rs
//! ```

mod bounds;
mod confirm;
mod equal;
mod explain;
mod just_missed;
mod leaks;
mod listed;
mod recall;
mod resolve;
mod short_hubs;

use nearprint_core::judge::Rules;

use crate::cluster;
use crate::config::Config;
use crate::corpus::Corpus;
use crate::keep;
use crate::outcome::Search;
use crate::search::Input;

pub use confirm::{Confirmed, confirm};
pub use equal::representatives;
pub use explain::explain;
pub use recall::recall;

/// The documents in the order in which they are kept, and the one that stands for each.
pub struct Order {
    /// The rank of each document; of two duplicates the one of the smaller rank stays.
    pub ranks: Vec<u32>,
    /// For each document the best-ranked one of equal normalized text and the same pairs; itself
    /// for most.
    pub representatives: Vec<u32>,
}

/// Ranks the documents and folds those of equal text.
pub fn order(config: &Config, corpus: &Corpus) -> Order {
    let ranks = ranks(config, corpus);
    let representatives = representatives(config, corpus, &ranks);
    Order { ranks, representatives }
}

/// The rules of the judge, where a search went as far as this one.
fn rules(input: &Input<'_>, search: &Search) -> Rules {
    input.config.rules(search.max_distance)
}

/// Whether a document of which this much is lost may go for the other one of a pair.
fn may_go(most: Option<f64>, lost: Option<f64>) -> bool {
    most.is_none_or(|most| lost.is_some_and(|lost| lost <= most))
}

/// The rank of every document in clustering: those that the others are compared with first, each
/// side by the policy.
pub fn ranks(config: &Config, corpus: &Corpus) -> Vec<u32> {
    let mut ranks = keep::ranks(&config.keep.policy, corpus.letter_bytes(), corpus.fields());
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

#[cfg(test)]
mod tests;
