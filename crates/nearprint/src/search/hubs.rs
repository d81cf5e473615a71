//! Candidate pairs, and the hubs: documents with so many candidates that they are not all listed.

use std::path::Path;

use nearprint_core::judge::FAMILY;
use serde::{Deserialize, Serialize};

use super::candidates::{Candidate, SortedCandidates};
use super::equal::EqualTexts;
use crate::corpus::Corpus;
use crate::error::Error;

/// The result of a search.
#[derive(Debug, Serialize, Deserialize)]
pub struct Candidates {
    /// The candidate pairs. Pairs of two hubs are all listed if that is wanted, else in part.
    pub pairs: SortedCandidates,
    /// The documents that are in more than [`HUB_PAIRS`](nearprint_core::near::HUB_PAIRS) pairs, if
    /// hubs resolve without a list.
    pub hubs: HubDocuments,
    /// The ranks of short documents with very many duplicates, in increasing order. Pairs of two of
    /// them are not listed.
    pub short_hubs: Vec<u32>,
    /// The documents of equal text whose pairs are candidates, too.
    pub equal: EqualTexts,
    /// The family of each document by its rank, if families are known. Only documents of one family
    /// may be a pair.
    pub families: Option<Vec<Option<u32>>>,
    /// The number of neighbors of each document by its rank, up to [`FAMILY`]. Guards do not
    /// matter. A reference document has one neighbor more: the document that is compared with it.
    pub neighbors: Vec<u8>,
}

impl Candidates {
    /// Returns true if one of two documents, given by rank, is in a family.
    pub fn in_family(&self, ranks: [u32; 2]) -> bool {
        ranks.iter().any(|rank| self.neighbors[*rank as usize] >= FAMILY)
    }

    /// Returns true if both documents of a candidate pair are of one family, or if families are
    /// unknown.
    pub fn is_of_family(&self, candidate: &Candidate) -> bool {
        let Some(families) = &self.families else { return true };
        let [better, other] =
            [candidate.better, candidate.other].map(|rank| families[rank as usize]);
        better.is_some() && better == other
    }

    /// Returns true if both documents of a candidate pair are hubs, which look for the pair again
    /// as they resolve. Pairs of equal texts and of short documents are none.
    pub fn is_hub(&self, candidate: &Candidate) -> bool {
        candidate.distance.is_some()
            && self.hubs.has(candidate.better)
            && self.hubs.has(candidate.other)
    }

    /// The listed candidate pairs of different texts, without the pairs of two hubs.
    ///
    /// # Errors
    /// An item is an [`Error::Io`] if the disk cannot be read.
    pub fn listed(&self) -> impl Iterator<Item = Result<Candidate, Error>> + '_ {
        self.pairs
            .iter()
            .filter(|candidate| !candidate.as_ref().is_ok_and(|candidate| self.is_hub(candidate)))
    }

    /// The [`listed`](Self::listed) pairs and the pairs of equal texts, in order. `ranks` are those
    /// of the documents of the corpus.
    ///
    /// # Errors
    /// As [`listed`](Self::listed).
    pub fn with_equal_texts<'c>(
        &'c self,
        corpus: &'c Corpus,
        ranks: &'c [u32],
    ) -> impl Iterator<Item = Result<Candidate, Error>> + 'c {
        let (mut listed, mut equal) =
            (self.listed().peekable(), self.equal.candidates(corpus, ranks).peekable());
        std::iter::from_fn(move || match (listed.peek(), equal.peek()) {
            (Some(Ok(one)), Some(other))
                if (other.better, other.other) < (one.better, one.other) =>
            {
                equal.next().map(Ok)
            }
            (None, _) => equal.next().map(Ok),
            _ => listed.next(),
        })
    }

    /// Moves the pairs to a file with a name, so that the candidates can be saved.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn in_file(self, path: &Path) -> Result<Candidates, Error> {
        Ok(Candidates { pairs: self.pairs.in_file(path)?, ..self })
    }
}

/// The hubs and their fingerprints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct HubDocuments {
    /// The ranks of the hubs, in increasing order.
    ranks: Vec<u32>,
    /// A bit for each rank: 1 for a hub.
    bits: Vec<u64>,
    /// The words of the fingerprints, one fingerprint after the other.
    words: Vec<u64>,
    /// The largest distance of candidates.
    max_distance: u32,
}

/// A hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HubDocument<'f> {
    /// The rank of the document.
    pub rank: u32,
    /// The fingerprint of the document.
    pub fingerprint: &'f [u64],
}

impl HubDocuments {
    /// Collects the hubs. `max_distance` is the largest distance of candidates.
    pub(super) fn new(mut documents: Vec<HubDocument<'_>>, max_distance: u32) -> HubDocuments {
        documents.sort_unstable_by_key(|document| document.rank);
        let mut bits = vec![0; documents.last().map_or(0, |last| last.rank as usize / 64 + 1)];
        documents
            .iter()
            .for_each(|document| bits[document.rank as usize / 64] |= 1 << (document.rank % 64));
        let words =
            documents.iter().flat_map(|document| document.fingerprint.iter().copied()).collect();
        let ranks = documents.iter().map(|document| document.rank).collect();
        HubDocuments { ranks, bits, words, max_distance }
    }

    /// The ranks of the hubs, in increasing order.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Returns true if the document of a rank is a hub.
    pub fn has(&self, rank: u32) -> bool {
        self.bits.get(rank as usize / 64).is_some_and(|bits| bits >> (rank % 64) & 1 == 1)
    }

    /// The place of a rank among the ranks of hubs; `None` if the document is no hub.
    pub fn place(&self, rank: u32) -> Option<usize> {
        self.has(rank).then(|| self.ranks.binary_search(&rank).expect("it has a bit"))
    }

    /// The largest distance of candidates.
    pub fn max_distance(&self) -> u32 {
        self.max_distance
    }

    /// The fingerprint of the hub at a place.
    pub fn fingerprint(&self, place: usize) -> &[u64] {
        let each = self.words.len() / self.ranks.len();
        &self.words[place * each..(place + 1) * each]
    }

    /// The Hamming distance of the hubs at two places; `None` if it exceeds the largest distance of
    /// candidates.
    pub fn near(&self, one: usize, other: usize) -> Option<u32> {
        let distance = self
            .fingerprint(one)
            .iter()
            .zip(self.fingerprint(other))
            .map(|(one, other)| (one ^ other).count_ones())
            .sum();
        (distance <= self.max_distance).then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_known_by_rank() {
        let words = [[0b0u64, 1], [0b111, 0], [0b1, 1]];
        let hub = |rank, place: usize| HubDocument { rank, fingerprint: &words[place] };
        let hubs = HubDocuments::new(vec![hub(200, 0), hub(3, 1), hub(64, 2)], 3);
        assert_eq!(hubs.ranks(), [3, 64, 200]);
        assert_eq!((0..400).filter(|rank| hubs.has(*rank)).collect::<Vec<_>>(), hubs.ranks());
        assert_eq!([hubs.near(0, 1), hubs.near(1, 2), hubs.near(0, 2)], [Some(3), Some(1), None]);
    }
}
