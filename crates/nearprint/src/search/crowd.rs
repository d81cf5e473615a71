//! Candidate pairs, and the documents that have so many of them that these are not all listed.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::candidates::{Candidate, SortedCandidates};
use super::equal::EqualTexts;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::fingerprint::Fingerprints;
use crate::join::{Plan, join_across};

/// The result of a search.
#[derive(Debug, Serialize, Deserialize)]
pub struct Candidates {
    /// The candidate pairs; of those of two documents of the crowd some, or all where all are wanted.
    pub pairs: SortedCandidates,
    /// The documents that are in more than [`CROWDED`](crate::join::CROWDED) pairs, where these settle without their lists.
    pub crowd: Crowd,
    /// The ranks of short documents of which very many are duplicates, in order; pairs of two of these are not listed.
    pub short_crowd: Vec<u32>,
    /// Documents of equal text whose pairs are candidates, too.
    pub equal: EqualTexts,
    /// By rank the families of which alone the documents may be a pair, where these are known.
    pub families: Option<Vec<Option<u32>>>,
}

impl Candidates {
    /// Whether both documents of a candidate pair are of one family, so that they may be a pair.
    pub fn is_of_family(&self, candidate: &Candidate) -> bool {
        let Some(families) = &self.families else { return true };
        let [better, other] = [candidate.better, candidate.other].map(|rank| families[rank as usize]);
        better.is_some() && better == other
    }

    /// Whether both documents of a candidate pair are of the crowd, so that it is looked for once more as they settle. Equal texts are
    /// not: what fills a form tells them from no other.
    pub fn is_of_crowd(&self, candidate: &Candidate) -> bool {
        candidate.distance.is_some() && self.crowd.has(candidate.better) && self.crowd.has(candidate.other)
    }

    /// The pairs of different texts that are candidates as they are: all but those of two documents of the crowd.
    ///
    /// # Errors
    /// Each may be an [`Error::Io`] instead, where the disk cannot be read.
    pub fn listed(&self) -> impl Iterator<Item = Result<Candidate, Error>> + '_ {
        self.pairs.iter().filter(|candidate| !candidate.as_ref().is_ok_and(|candidate| self.is_of_crowd(candidate)))
    }

    /// The same and the pairs of equal texts, in order. `ranks` are those of the documents of the corpus.
    ///
    /// # Errors
    /// As [`listed`](Self::listed).
    pub fn with_equal_texts<'c>(
        &'c self,
        corpus: &'c Corpus,
        ranks: &'c [u32],
    ) -> impl Iterator<Item = Result<Candidate, Error>> + 'c {
        let (mut listed, mut equal) = (self.listed().peekable(), self.equal.candidates(corpus, ranks).peekable());
        std::iter::from_fn(move || match (listed.peek(), equal.peek()) {
            (Some(Ok(one)), Some(other)) if (other.better, other.other) < (one.better, one.other) => {
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

/// The documents in a company.
pub const COMPANY: usize = 16;

/// Documents that the first sample of a crowd has.
const SAMPLE: usize = 64;

/// Documents with very many candidates.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Crowd {
    /// Their ranks, in order.
    ranks: Vec<u32>,
    /// A bit for each rank.
    bits: Vec<u64>,
    /// The words of one fingerprint after the other.
    words: Vec<u64>,
    /// The largest distance of candidates.
    max_distance: u32,
    /// The company of each, by rank: the candidates with the least priorities.
    company: Vec<Vec<u32>>,
}

/// A document of a crowd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crowded<'f> {
    /// Says nothing of the others ([`priority`](super::priority)).
    pub priority: u32,
    /// Its rank.
    pub rank: u32,
    /// Its number.
    pub document: u32,
    /// Its fingerprint.
    pub fingerprint: &'f [u64],
}

impl Crowd {
    /// These documents, the plan of their search, and the largest distance of candidates; `wanted` says of two documents whether
    /// they may be candidates at all. It takes about `bytes` bytes beside the fingerprints.
    pub(super) fn new(
        mut documents: Vec<Crowded<'_>>,
        plan: &Plan,
        max_distance: u32,
        bytes: u64,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Crowd {
        documents.sort_unstable();
        let mut companies: Vec<(u32, Vec<u32>)> = companies(&documents, COMPANY, plan, max_distance, bytes, wanted)
            .into_iter()
            .zip(&documents)
            .map(|(near, own)| (own.rank, near.iter().map(|place| documents[*place as usize].rank).collect()))
            .collect();
        companies.sort_unstable();
        documents.sort_unstable_by_key(|document| document.rank);
        let mut bits = vec![0; documents.last().map_or(0, |last| last.rank as usize / 64 + 1)];
        documents.iter().for_each(|document| bits[document.rank as usize / 64] |= 1 << (document.rank % 64));
        let words = documents.iter().flat_map(|document| document.fingerprint.iter().copied()).collect();
        let ranks = documents.iter().map(|document| document.rank).collect();
        let company = companies.into_iter().map(|(_, near)| near).collect();
        Crowd { ranks, bits, words, max_distance, company }
    }

    /// The company of the document of a rank; `None` if it is not in the crowd.
    pub fn company(&self, rank: u32) -> Option<&[u32]> {
        self.place(rank).map(|place| self.company[place].as_slice())
    }

    /// The ranks of its documents, in order.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Whether the document of a rank is in it.
    pub fn has(&self, rank: u32) -> bool {
        self.bits.get(rank as usize / 64).is_some_and(|bits| bits >> (rank % 64) & 1 == 1)
    }

    /// The place of the document of a rank among the ranks; `None` if it is not in the crowd.
    pub fn place(&self, rank: u32) -> Option<usize> {
        self.has(rank).then(|| self.ranks.binary_search(&rank).expect("it has a bit"))
    }

    /// The Hamming distance of two documents, by their places among the ranks, if it is that of candidates.
    pub fn near(&self, one: usize, other: usize) -> Option<u32> {
        let each = self.words.len() / self.ranks.len();
        let words = |place: usize| &self.words[place * each..(place + 1) * each];
        let distance = words(one).iter().zip(words(other)).map(|(one, other)| (one ^ other).count_ones()).sum();
        (distance <= self.max_distance).then_some(distance)
    }
}

/// For each document the first ones that are near it, as many as `enough`, by their places. The documents are sorted.
///
/// Those in a large family have many of these among the first documents, and need not be held against the others: each round takes
/// twice as many documents as the last one for a sample, for those that have not found enough.
pub fn companies(
    documents: &[Crowded<'_>],
    enough: usize,
    plan: &Plan,
    max_distance: u32,
    bytes: u64,
    wanted: impl Fn(u32, u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut companies: Vec<Vec<u32>> = documents.iter().map(|_| Vec::new()).collect();
    let mut asking: Vec<u32> = (0..documents.len() as u32).collect();
    let mut sample = SAMPLE;
    while !asking.is_empty() {
        sample = sample.min(documents.len());
        let mut fingerprints = Fingerprints::new(plan.bits());
        let asked = asking.iter().map(|place| &documents[*place as usize]);
        documents[..sample].iter().chain(asked).for_each(|document| fingerprints.push(document.fingerprint));
        asking.iter().for_each(|place| companies[*place as usize].clear());
        let _ = join_across(&fingerprints, sample, plan, max_distance, bytes, &mut |batch| {
            for pair in batch.pairs {
                let place = asking[pair.right as usize - sample];
                let [one, other] = [place, pair.left].map(|place| documents[place as usize].document);
                if place != pair.left && wanted(one, other) {
                    companies[place as usize].push(pair.left);
                }
            }
            ControlFlow::Continue(())
        });
        let is_enough = |place: &u32| sample == documents.len() || companies[*place as usize].len() >= enough;
        let (with_enough, rest): (Vec<u32>, Vec<u32>) = asking.into_iter().partition(is_enough);
        for place in with_enough {
            let near = &mut companies[place as usize];
            near.sort_unstable();
            near.truncate(enough);
            near.shrink_to_fit();
        }
        asking = rest;
        sample *= 2;
    }
    companies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::join::plan;
    use crate::random::Random;

    #[test]
    fn documents_are_known_by_rank() {
        let words = [[0b0u64, 1], [0b111, 0], [0b1, 1]];
        let crowded =
            |rank, place: usize| Crowded { priority: rank ^ 5, rank, document: rank, fingerprint: &words[place] };
        let crowd =
            Crowd::new(vec![crowded(200, 0), crowded(3, 1), crowded(64, 2)], &plan(3, 128, 3), 3, u64::MAX, |_, _| {
                true
            });
        assert_eq!(crowd.ranks(), [3, 64, 200]);
        assert_eq!((0..400).filter(|rank| crowd.has(*rank)).collect::<Vec<_>>(), crowd.ranks());
        assert_eq!([crowd.near(0, 1), crowd.near(1, 2), crowd.near(0, 2)], [Some(3), Some(1), None]);
        assert_eq!(
            [3, 64, 200, 5].map(|rank| crowd.company(rank)),
            [Some(&[64][..]), Some(&[3, 200]), Some(&[64]), None]
        );
    }

    #[test]
    fn a_company_is_the_first_of_those_that_are_near() {
        let mut random = Random::new(3);
        let centers: Vec<u64> = (0..20).map(|_| random.next()).collect();
        let words: Vec<[u64; 1]> = (0..1500)
            .map(|number: usize| {
                [centers[number % (1 + number % 20)] ^ 1 << (random.next() % 64) ^ 1 << (random.next() % 64)]
            })
            .collect();
        let documents: Vec<Crowded<'_>> = (0..)
            .zip(&words)
            .map(|(rank, words)| Crowded { priority: random.next() as u32, rank, document: rank, fingerprint: words })
            .collect();
        let wanted = |one: u32, other: u32| !(one ^ other).is_multiple_of(7);
        let crowd = Crowd::new(documents.clone(), &plan(1500, 64, 4), 4, u64::MAX, wanted);
        for own in &documents {
            let distance = |other: &Crowded<'_>| (own.fingerprint[0] ^ other.fingerprint[0]).count_ones();
            let mut near: Vec<_> =
                documents.iter().filter(|other| wanted(own.rank, other.rank) && distance(other) <= 4).collect();
            near.sort_unstable();
            let near: Vec<u32> = near.iter().take(COMPANY).map(|other| other.rank).collect();
            assert_eq!(crowd.company(own.rank), Some(&near[..]));
        }
    }
}
