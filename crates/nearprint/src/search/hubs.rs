//! Candidate pairs, and the documents that have so many of them that these are not all listed.

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
    /// The candidate pairs; of those of two hubs some, or all where all are wanted.
    pub pairs: SortedCandidates,
    /// The documents that are in more than [`HUB_PAIRS`](nearprint_core::near::HUB_PAIRS) pairs,
    /// where these resolve without their lists.
    pub hubs: HubDocuments,
    /// The ranks of short documents of which very many are duplicates, in order; pairs of two of
    /// these are not listed.
    pub short_hubs: Vec<u32>,
    /// Documents of equal text whose pairs are candidates, too.
    pub equal: EqualTexts,
    /// By rank the families of which alone the documents may be a pair, where these are known.
    pub families: Option<Vec<Option<u32>>>,
    /// The neighbors of each document by its rank: texts that are near, whatever guards say, up to
    /// [`FAMILY`]; those of documents that others are only compared with have one more, which is
    /// the document compared.
    pub neighbors: Vec<u8>,
}

impl Candidates {
    /// Whether one of the documents of two ranks is in a family of texts.
    pub fn in_family(&self, ranks: [u32; 2]) -> bool {
        ranks.iter().any(|rank| self.neighbors[*rank as usize] >= FAMILY)
    }

    /// Whether both documents of a candidate pair are of one family, so that they may be a pair.
    pub fn is_of_family(&self, candidate: &Candidate) -> bool {
        let Some(families) = &self.families else { return true };
        let [better, other] =
            [candidate.better, candidate.other].map(|rank| families[rank as usize]);
        better.is_some() && better == other
    }

    /// Whether both documents of a candidate pair are hubs, so that it is looked for once more as
    /// they resolve. Equal texts are not.
    pub fn is_hub(&self, candidate: &Candidate) -> bool {
        candidate.distance.is_some()
            && self.hubs.has(candidate.better)
            && self.hubs.has(candidate.other)
    }

    /// The pairs of different texts that are candidates as they are: all but those of two hubs.
    ///
    /// # Errors
    /// Each may be an [`Error::Io`] instead, where the disk cannot be read.
    pub fn listed(&self) -> impl Iterator<Item = Result<Candidate, Error>> + '_ {
        self.pairs
            .iter()
            .filter(|candidate| !candidate.as_ref().is_ok_and(|candidate| self.is_hub(candidate)))
    }

    /// The same and the pairs of equal texts, in order. `ranks` are those of the documents of the
    /// corpus.
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

    /// The same with the pairs in a file that has a name, so that they can be saved.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn in_file(self, path: &Path) -> Result<Candidates, Error> {
        Ok(Candidates { pairs: self.pairs.in_file(path)?, ..self })
    }
}

/// Documents with very many candidates.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct HubDocuments {
    /// Their ranks, in order.
    ranks: Vec<u32>,
    /// A bit for each rank.
    bits: Vec<u64>,
    /// The words of one fingerprint after the other.
    words: Vec<u64>,
    /// The largest distance of candidates.
    max_distance: u32,
}

/// A document of hubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HubDocument<'f> {
    /// Its rank.
    pub rank: u32,
    /// Its fingerprint.
    pub fingerprint: &'f [u64],
}

impl HubDocuments {
    /// These documents, and the largest distance of candidates.
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

    /// The ranks of its documents, in order.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Whether the document of a rank is in it.
    pub fn has(&self, rank: u32) -> bool {
        self.bits.get(rank as usize / 64).is_some_and(|bits| bits >> (rank % 64) & 1 == 1)
    }

    /// The place of the document of a rank among the ranks; `None` if it is not in the hubs.
    pub fn place(&self, rank: u32) -> Option<usize> {
        self.has(rank).then(|| self.ranks.binary_search(&rank).expect("it has a bit"))
    }

    /// The largest distance of candidates.
    pub fn max_distance(&self) -> u32 {
        self.max_distance
    }

    /// The fingerprint of a document, by its place among the ranks.
    pub fn fingerprint(&self, place: usize) -> &[u64] {
        let each = self.words.len() / self.ranks.len();
        &self.words[place * each..(place + 1) * each]
    }

    /// The Hamming distance of two documents, by their places among the ranks, if it is that of
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
