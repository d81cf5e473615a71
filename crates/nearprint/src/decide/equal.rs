//! Documents of equal normalized text -> the one that stands for all of them.
//!
//! They are folded before the search, so n copies make no n² pairs. Where guards are set, only
//! those fold that have the same values:
//!
//! | guards | equal texts of the same values | of other values |
//! | --- | --- | --- |
//! | none, or `same` | fold, and all but the best-ranked one go | are no pairs |
//! | `differ` | are no pairs, but of the same documents, so they fold, and stay or go together | are pairs, if they differ in each field |
//!
//! The pairs of the last cell are candidates of the search
//! ([`EqualTexts`](crate::search::EqualTexts)). In a component, documents that are no pair may be
//! linked through others, so there nothing folds that must differ.

use hashbrown::HashTable;

use crate::cluster::{self, Method};
use crate::config::Config;
use crate::corpus::Corpus;

/// For each document the best-ranked one of equal normalized text that has the same pairs. Empty
/// documents equal nothing.
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
        if corpus.is_empty_text(document) {
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

/// The document that one goes for, itself where it is the keeper, by the keepers of
/// representatives; `None` where it goes for none.
///
/// Where documents are compared across two sides, a document without a keeper on the other side
/// stays. Where guards are set, so does one whose text is kept, if it is no pair of that document.
pub(super) fn keeper_of(
    corpus: &Corpus,
    representatives: &[u32],
    keepers: &[u32],
    document: u32,
) -> Option<u32> {
    let representative = representatives[document as usize];
    let keeper = keepers[representative as usize];
    let goes = match keeper == representative {
        true => corpus.may_pair(keeper, document),
        false => corpus.origins.may_pair(keeper, document),
    };
    goes.then_some(keeper)
}

/// Each document whose text another one stands for, with that one, if the two may be a pair.
pub(super) fn copies(corpus: &Corpus, representatives: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let pairs = (0..).zip(representatives.iter().copied());
    pairs.filter(|(document, representative)| {
        document != representative && corpus.may_pair(*document, *representative)
    })
}
