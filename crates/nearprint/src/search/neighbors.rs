//! Pairs of documents that are near -> how many other texts are near each document, up to [`FAMILY`].
//!
//! Where documents are compared with those of another side alone, a document of that side has its neighbors there, and the document that it is
//! compared with is one more. So each of several new documents is judged as if it came alone.

use std::ops::ControlFlow;

use hashbrown::HashMap;

use crate::corpus::Corpus;
use crate::error::Error;
use crate::fingerprint::Fingerprints;
use crate::join::{Crowds, Emit};
use crate::judge::FAMILY;
use crate::watch::{Watch, stop_if_asked};

/// Counts the neighbors of documents, equal texts once.
pub(super) struct Neighbors<'c> {
    corpus: &'c Corpus,
    ranks: &'c [u32],
    /// By document whether another one of its text counts for it; empty where each has a text of its own.
    again: Vec<bool>,
    counts: Vec<u8>,
}

impl<'c> Neighbors<'c> {
    /// Those of these documents. `ranks` are those of the documents of the corpus.
    pub fn new(corpus: &'c Corpus, ranks: &'c [u32], documents: impl Iterator<Item = u32>) -> Neighbors<'c> {
        let mut again = Vec::new();
        if !corpus.guards().is_empty() {
            again.resize(corpus.len(), false);
            let mut counted: HashMap<u128, u32> = HashMap::new();
            documents.for_each(|own| again[own as usize] = *counted.entry(corpus.text_hash(own)).or_insert(own) != own);
        }
        let mut counts = vec![0; corpus.len()];
        // Those that the others are only compared with rank first; the document that one is compared with is a neighbor.
        counts[..corpus.origins.against()].fill(1);
        Neighbors { corpus, ranks, again, counts }
    }

    /// Two documents are near.
    pub fn meet(&mut self, one: u32, other: u32) {
        let of_other_side = |own: u32| (own as usize) < self.corpus.origins.against();
        let [one_of_it, other_of_it] = [one, other].map(of_other_side);
        if one_of_it <= other_of_it {
            self.count(one, other);
        }
        if other_of_it <= one_of_it {
            self.count(other, one);
        }
    }

    /// One more is near a document.
    fn count(&mut self, own: u32, other: u32) {
        let is_new = self.corpus.text_hash(own) != self.corpus.text_hash(other)
            && self.again.get(other as usize).is_none_or(|again| !again);
        let count = &mut self.counts[self.ranks[own as usize] as usize];
        *count = (*count + u8::from(is_new)).min(FAMILY);
    }

    /// A document has very many neighbors.
    pub fn crowd(&mut self, document: u32) {
        self.counts[self.ranks[document as usize] as usize] = FAMILY;
    }

    /// Looks for the neighbors of the documents of these places in a column among all documents of the column.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn find(
        &mut self,
        places: &[u32],
        (documents, fingerprints): (&[u32], &Fingerprints),
        join: impl FnOnce(&Fingerprints, &Crowds, &mut Emit<'_>) -> ControlFlow<()>,
        watch: &dyn Watch,
    ) -> Result<(), Error> {
        let own = places.iter().flat_map(|place| fingerprints.get(*place as usize));
        let all = fingerprints.words()[..documents.len() * fingerprints.words_each()].iter();
        let column = Fingerprints::of_words(fingerprints.bits(), own.chain(all).copied().collect());
        let (crowds, mut stopped) = (Crowds::new(column.len()), Ok(()));
        let own = |place: u32| documents[places[place as usize] as usize];
        let _ = join(&column, &crowds, &mut |batch| {
            let other = |place: u32| documents[place as usize - places.len()];
            batch.pairs.iter().for_each(|pair| self.count(own(pair.left), other(pair.right)));
            stopped = stop_if_asked(watch);
            if stopped.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (0..places.len() as u32).filter(|place| crowds.has(*place)).for_each(|place| self.crowd(own(place)));
        stopped
    }

    /// The neighbors of each document by its rank, up to [`FAMILY`].
    pub fn counts(self) -> Vec<u8> {
        self.counts
    }
}
