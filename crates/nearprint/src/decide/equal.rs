//! Documents of equal normalized text -> the one that stands for all of them.
//!
//! Equal texts are folded before the search, so n copies make no n² pairs. If guards are set, equal
//! texts fold only if their guarded fields have the same values:
//!
//! | guards | equal texts of the same values | equal texts of other values |
//! | --- | --- | --- |
//! | none, or `same` | fold, and all but the best-ranked one go | are no pairs |
//! | `differ` | fold: they are no pair, but have the same pairs, so they stay or go together | are pairs, if they differ in each field |
//!
//! The pairs of the last cell are candidates of the search
//! ([`EqualTexts`](crate::search::EqualTexts)). A component may link documents that are no pair
//! through others, so under `differ` nothing folds in components. A document that a person marked
//! folds with no other one, since it has pairs of its own.

use hashbrown::HashTable;

use super::Order;
use crate::cluster::{self, Method};
use crate::config::Config;
use crate::corpus::Corpus;

/// For each document the best-ranked one of equal normalized text that has the same pairs. An empty
/// document equals no other.
pub fn representatives(config: &Config, corpus: &Corpus, ranks: &[u32]) -> Vec<u32> {
    let (text, values) = (
        |document: u32| corpus.text_hash(document),
        |document: u32| corpus.guards().values(document),
    );
    let must_differ = corpus.guards().differ();
    if must_differ && config.keep.cluster == Method::Components {
        return (0..corpus.len() as u32).collect();
    }
    let is_against = |document: u32| (document as usize) < corpus.origins.against();
    let folds = |one: u32, other: u32| {
        let of_one_side = !must_differ || is_against(one) == is_against(other);
        text(one) == text(other) && values(one).eq(values(other)) && of_one_side
    };
    let mut best: HashTable<u32> = HashTable::new();
    let mut representatives: Vec<u32> = (0..corpus.len() as u32).collect();
    for document in cluster::by_rank(ranks) {
        if corpus.is_empty_text(document) || corpus.marks().has(document) {
            continue;
        }
        let mixed = |hash: u64, value: u32| {
            (hash.rotate_left(5) ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let hash = |document: u32| values(document).fold(text(document) as u64, mixed);
        match best.find(hash(document), |other| folds(*other, document)) {
            Some(other) => representatives[document as usize] = *other,
            None => {
                best.insert_unique(hash(document), document, |other| hash(*other));
            }
        }
    }
    representatives
}

/// The keeper of a document, by the keepers of the representatives. `None` if the two may not be a
/// pair, so that the document stays.
///
/// Across two sides, a document stays if its keeper would be on its own side. Under guards, a
/// document also stays if its text is kept but the two are no pair. A document that marks keep
/// apart from its keeper goes only with those that marks merge with it: other documents may link
/// the two in a component.
pub(super) fn keeper_of(
    corpus: &Corpus,
    Order { ranks, representatives }: &Order,
    keepers: &[u32],
    document: u32,
) -> Option<u32> {
    let representative = representatives[document as usize];
    let mut keeper = keepers[representative as usize];
    if corpus.marks().verdict(keeper, representative) == Some(false) {
        keeper = corpus.marks().leader(representative, ranks);
    }
    let goes = match keeper == representative {
        true => corpus.may_pair(keeper, document),
        false => corpus.origins.may_pair(keeper, document),
    };
    goes.then_some(keeper)
}

/// Each document with its representative, if that is another document and the two may be a pair.
pub(super) fn copies(corpus: &Corpus, representatives: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let pairs = (0..).zip(representatives.iter().copied());
    pairs.filter(|(document, representative)| {
        document != representative && corpus.may_pair(*document, *representative)
    })
}
