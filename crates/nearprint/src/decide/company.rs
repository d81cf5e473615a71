//! Candidate pairs -> for each document some that are near it, which may be of the same form: those of the least priorities.

use super::Order;
use crate::cluster;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::search::{self, COMPANY, Candidate, Candidates, Crowd};

/// Some candidates of every document, all by rank.
#[derive(Default)]
pub(super) struct Company<'c> {
    crowd: Option<&'c Crowd>,
    /// By rank.
    priorities: Vec<u32>,
    /// Where the listed candidates of each rank begin.
    starts: Vec<u32>,
    /// Priority and rank, the least first.
    first: Vec<(u32, u32)>,
}

impl<'c> Company<'c> {
    /// The company of each document. `documents` is the document of each rank.
    ///
    /// # Errors
    /// [`Error::Io`] where the candidates cannot be read.
    pub(super) fn of_corpus(
        corpus: &Corpus,
        documents: &[u32],
        candidates: &'c Candidates,
    ) -> Result<Company<'c>, Error> {
        let priorities: Vec<u32> = documents.iter().map(|document| search::priority(corpus, *document)).collect();
        let across = corpus.origins.against() > 0;
        Company::new(priorities, across, candidates)
    }

    /// The same; `priorities` are those of all documents, by rank. Of candidates across two sides, that of the documents of the
    /// second side alone: it depends on no other document of theirs, so that they may be compared in parts.
    ///
    /// # Errors
    /// [`Error::Io`] where the candidates cannot be read.
    fn new(priorities: Vec<u32>, across: bool, candidates: &'c Candidates) -> Result<Company<'c>, Error> {
        let each = |candidate: Candidate| {
            let Candidate { better, other, .. } = candidate;
            [(other, better), (better, other)].into_iter().take(if across { 1 } else { 2 })
        };
        // Short documents have no form.
        let near =
            || candidates.listed().filter(|candidate| !candidate.as_ref().is_ok_and(|pair| pair.distance.is_none()));
        let documents = priorities.len();
        let mut counts = vec![0u8; documents];
        for candidate in near() {
            for (rank, _) in each(candidate?) {
                let count = &mut counts[rank as usize];
                *count = (*count + 1).min(COMPANY as u8);
            }
        }
        let mut starts = Vec::with_capacity(documents + 1);
        starts.push(0);
        for count in &counts {
            starts.push(starts[starts.len() - 1] + u32::from(*count));
        }
        let mut first = vec![(u32::MAX, u32::MAX); starts[documents] as usize];
        for candidate in near() {
            for (rank, other) in each(candidate?) {
                let own = &mut first[starts[rank as usize] as usize..starts[rank as usize + 1] as usize];
                let other = (priorities[other as usize], other);
                let place = own.partition_point(|kept| *kept < other);
                if place < own.len() {
                    own[place..].rotate_right(1);
                    own[place] = other;
                }
            }
        }
        Ok(Company { crowd: Some(&candidates.crowd), priorities, starts, first })
    }

    /// The company of the document of a rank, the first ones first.
    pub(super) fn of(&self, rank: u32) -> Vec<u32> {
        let own = &self.first[self.starts[rank as usize] as usize..self.starts[rank as usize + 1] as usize];
        let listed = own.iter().map(|other| other.1);
        // Of a document of the crowd the others of the crowd are not listed.
        let Some(crowd) = self.crowd.and_then(|crowd| crowd.company(rank)) else { return listed.collect() };
        let mut company: Vec<u32> = crowd.iter().copied().chain(listed).collect();
        company.sort_unstable_by_key(|other| (self.priorities[*other as usize], *other));
        company.truncate(COMPANY);
        company
    }
}

/// The company of documents by their own numbers.
pub(super) struct Companies<'c> {
    order: &'c Order,
    /// The document of each rank.
    documents: Vec<u32>,
    company: Company<'c>,
}

impl<'c> Companies<'c> {
    /// The company of each document of a corpus.
    ///
    /// # Errors
    /// As [`Company::of_corpus`].
    pub(super) fn new(corpus: &Corpus, order: &'c Order, candidates: &'c Candidates) -> Result<Companies<'c>, Error> {
        let documents = cluster::by_rank(&order.ranks);
        let company = Company::of_corpus(corpus, &documents, candidates)?;
        Ok(Companies { order, documents, company })
    }

    /// The company of a document, or of the one that represents its text.
    pub(super) fn of(&self, document: u32) -> Vec<u32> {
        let Order { ranks, representatives } = self.order;
        let near = self.company.of(ranks[representatives[document as usize] as usize]);
        near.into_iter().map(|rank| self.documents[rank as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::EqualTexts;
    use crate::spill::Sorter;

    const MOST: u32 = COMPANY as u32;

    fn candidates(pairs: &[(u32, u32)]) -> Candidates {
        let folder = tempfile::tempdir().unwrap();
        let mut candidates = Sorter::new(folder.path()).unwrap();
        for (better, other) in pairs {
            candidates.push(Candidate { better: *better, other: *other, distance: Some(9) }).unwrap();
        }
        candidates.push(Candidate { better: 0, other: 50, distance: None }).unwrap();
        let (crowd, equal) = (Crowd::default(), EqualTexts::default());
        Candidates { pairs: candidates.finish().unwrap(), crowd, short_crowd: Vec::new(), equal, families: None }
    }

    /// The company of a document, where later documents come first.
    fn of(across: bool, pairs: &[(u32, u32)], rank: u32) -> Vec<u32> {
        let priorities: Vec<u32> = (0..60).map(|rank| 60 - rank).collect();
        Company::new(priorities, across, &candidates(pairs)).unwrap().of(rank)
    }

    #[test]
    fn the_first_candidates_are_the_company() {
        let pairs = [(0, 1), (0, 2), (1, 2), (1, 3), (4, 5)];
        assert_eq!(
            [0, 1, 3, 5, 6].map(|rank| of(false, &pairs, rank)),
            [vec![2, 1], vec![3, 2, 0], vec![1], vec![4], vec![]]
        );
    }

    #[test]
    fn some_of_many_are_enough() {
        let pairs: Vec<(u32, u32)> = (1..60).map(|other| (0, other)).collect();
        assert_eq!(of(false, &pairs, 0), (60 - MOST..60).rev().collect::<Vec<_>>());
    }

    #[test]
    fn across_two_sides_those_of_the_first_one_are_the_company() {
        let pairs = [(0, 5), (1, 5), (1, 6)];
        assert_eq!([1, 5, 6].map(|rank| of(true, &pairs, rank)), [vec![], vec![1, 0], vec![1]]);
    }
}
