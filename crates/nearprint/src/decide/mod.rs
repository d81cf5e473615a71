//! Corpus -> candidate pairs -> duplicate pairs -> clusters -> the decision on every document.
//!
//! ```text
//! documents of equal text -> the one that stands for all            equal.rs
//! hubs -> their candidate pairs that still matter                   resolve.rs
//!   the same of short hubs, by their characters                     short_hubs.rs
//! candidate pairs -> verdicts of the judge                          confirm.rs
//!   verdicts -> clusters and the links in them                      clustering.rs
//!   verdicts, if all pairs are wanted -> lists of pairs             listed.rs
//!   the result, which can be saved                                  confirmed.rs
//! kept documents of a sample -> pairs that just missed              just_missed.rs
//! pairs -> the numbers of removals at other least similarities      bounds.rs
//! documents with reference documents inside -> their removals       leaks.rs
//! clusters -> removals with their evidence, counts                  explain.rs
//! a finished search -> the share of similar pairs that it found     recall.rs
//!   documents -> a sample of them                                   recall/sample.rs
//!   the sample -> its pairs that may be similar                     recall/possible.rs
//! ```

mod bounds;
mod clustering;
mod confirm;
mod confirmed;
mod equal;
mod explain;
mod just_missed;
mod leaks;
mod listed;
mod recall;
mod resolve;
mod short_hubs;

use nearprint_core::judge::Rules;

use crate::cluster::{self, Clusters, Method};
use crate::config::Config;
use crate::corpus::Corpus;
use crate::keep;
use crate::outcome::Search;
use crate::search::Input;

pub use confirm::confirm;
pub use confirmed::Confirmed;
pub use equal::representatives;
pub use explain::explain;
pub use recall::recall;

/// The ranks of the documents, and the document that stands for each.
pub struct Order {
    /// The rank of each document. Of two duplicates, the one of the smaller rank stays.
    pub ranks: Vec<u32>,
    /// For each document the best-ranked one of equal normalized text and the same pairs. Most
    /// documents stand for themselves.
    pub representatives: Vec<u32>,
}

/// Ranks the documents and folds those of equal text.
pub fn order(config: &Config, corpus: &Corpus) -> Order {
    let ranks = ranks(config, corpus);
    let representatives = representatives(config, corpus, &ranks);
    Order { ranks, representatives }
}

/// Clusters of the documents that a person has marked as right, before anything else is decided,
/// and the documents that go in them. `ranks` are those of the documents. A reference document
/// never goes.
fn marked(method: Method, corpus: &Corpus, ranks: &[u32]) -> (Clusters, Vec<u32>) {
    let (mut clusters, mut gone) = (Clusters::new(method, ranks.len()), Vec::new());
    for (leader, members) in corpus.marks().groups(ranks) {
        let may_go =
            |member: &&u32| **member != leader && (**member as usize) >= corpus.origins.against();
        for member in members.iter().filter(may_go) {
            clusters.join(ranks[leader as usize], ranks[*member as usize]);
            gone.push(*member);
        }
    }
    (clusters, gone)
}

/// The rules of the judge after this search, with the largest distance that it used.
fn rules(input: &Input<'_>, search: &Search) -> Rules {
    input.config.rules(search.max_distance)
}

/// Returns true if a document may go for the other one of a pair: at most the share `most` of it is
/// lost. An unknown loss is too large.
fn may_go(most: Option<f64>, lost: Option<f64>) -> bool {
    most.is_none_or(|most| lost.is_some_and(|lost| lost <= most))
}

/// The rank of every document in clustering. Reference documents come first; each side is ranked by
/// the policy.
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
