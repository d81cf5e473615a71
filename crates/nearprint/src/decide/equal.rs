//! Documents of equal normalized text -> the one that stands for all of them.
//!
//! They are folded before the search, so n copies make no n² pairs.

use hashbrown::HashTable;

use crate::cluster;
use crate::corpus::Corpus;

/// For each document the best-ranked one of equal normalized text. Empty documents equal nothing.
pub fn representatives(corpus: &Corpus, ranks: &[u32]) -> Vec<u32> {
    let text = |document: u32| corpus.text_hash(document);
    let mut best: HashTable<u32> = HashTable::new();
    let mut representatives: Vec<u32> = (0..corpus.len() as u32).collect();
    for document in cluster::by_rank(ranks) {
        if corpus.is_empty_text(document) {
            continue;
        }
        let hash = |document: u32| text(document) as u64;
        match best.find(hash(document), |other| text(*other) == text(document)) {
            Some(other) => representatives[document as usize] = *other,
            None => {
                best.insert_unique(hash(document), document, |other| hash(*other));
            }
        }
    }
    representatives
}

/// Each document whose text another one stands for, with that one, if the two may be a pair.
pub(super) fn copies(corpus: &Corpus, representatives: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let pairs = (0..).zip(representatives.iter().copied());
    pairs.filter(|(document, representative)| {
        document != representative && corpus.origins.may_pair(*document, *representative)
    })
}
