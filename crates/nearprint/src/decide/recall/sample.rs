//! The searched documents -> a sample that has as many pairs as the settings ask for.

use super::BLOCK;
use crate::corpus::{Corpus, smallest};

/// The largest number of characters of a block. A single document may have more.
const BLOCK_CHARACTERS: u64 = 8_000_000;

/// Sampled documents. A place is an index into them.
pub(super) struct Sample {
    /// The documents of each side, in the order of their text hashes.
    pub documents: Vec<u32>,
    /// Across two sides, the first `columns` documents are those of the side with fewer documents,
    /// and each other document is compared with all of them. With one side it is 0, and each
    /// document is compared with those before it.
    pub columns: usize,
    /// True if no larger number gives a larger sample.
    pub is_largest: bool,
}

/// Draws a sample that has as many pairs as a `number` of documents has with all others.
pub(super) fn draw(corpus: &Corpus, searched: &[u32], number: usize) -> Sample {
    let root = |pairs: usize| (pairs as f64).sqrt().ceil() as usize;
    let Some((one, other)) =
        corpus.origins.first_side(searched).map(|first| searched.split_at(first))
    else {
        let documents = smallest(corpus, searched, root(2 * number * searched.len()));
        let is_largest = documents.len() == searched.len();
        return Sample { documents, columns: 0, is_largest };
    };
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if few.is_empty() {
        return Sample { documents: Vec::new(), columns: 0, is_largest: true };
    }
    let pairs = number * many.len();
    let mut documents = smallest(corpus, few, root(pairs).min(BLOCK));
    let columns = in_block(corpus, &documents);
    documents.truncate(columns);
    documents.extend(smallest(corpus, many, pairs.div_ceil(columns)));
    let is_largest = root(pairs) >= few.len().min(BLOCK) && documents.len() == columns + many.len();
    Sample { documents, columns, is_largest }
}

/// The number of documents, from the first one on, whose characters fit into a block.
pub(super) fn in_block(corpus: &Corpus, documents: &[u32]) -> usize {
    let mut characters = 0;
    let fits = documents.iter().take_while(|document| {
        characters += u64::from(corpus.lengths()[**document as usize]);
        characters <= BLOCK_CHARACTERS
    });
    fits.count().max(1)
}
