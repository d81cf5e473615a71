//! Candidate pairs -> for each document those that are nearest to it, which may be of the same form.

use crate::error::Error;
use crate::search::{Candidate, SortedCandidates};

/// The documents in a company.
const MOST: usize = 32;

/// The nearest candidates of every document, all by rank.
#[derive(Default)]
pub(super) struct Company {
    /// Where those of each rank begin.
    starts: Vec<u32>,
    /// Distance and rank, the nearest first: one more than a company has, since the other document of a pair is left out.
    nearest: Vec<(u32, u32)>,
}

impl Company {
    /// The company of each of this number of documents. Of candidates across two sides, that of the documents of the second
    /// side alone: it depends on no other document of theirs, so that they may be compared in parts.
    ///
    /// # Errors
    /// [`Error::Io`] where the candidates cannot be read.
    pub(super) fn new(documents: usize, across: bool, candidates: &SortedCandidates) -> Result<Company, Error> {
        let each = |candidate: Candidate| {
            let Candidate { better, other, distance } = candidate;
            let distance = distance.unwrap_or(u32::MAX);
            [(other, distance, better), (better, distance, other)].into_iter().take(if across { 1 } else { 2 })
        };
        let mut counts = vec![0u8; documents];
        for candidate in candidates.iter() {
            for (rank, ..) in each(candidate?) {
                let count = &mut counts[rank as usize];
                *count = (*count + 1).min(MOST as u8 + 1);
            }
        }
        let mut starts = Vec::with_capacity(documents + 1);
        starts.push(0);
        for count in &counts {
            starts.push(starts[starts.len() - 1] + u32::from(*count));
        }
        let mut nearest = vec![(u32::MAX, u32::MAX); starts[documents] as usize];
        for candidate in candidates.iter() {
            for (rank, distance, neighbour) in each(candidate?) {
                let own = &mut nearest[starts[rank as usize] as usize..starts[rank as usize + 1] as usize];
                let place = own.partition_point(|kept| *kept < (distance, neighbour));
                if place < own.len() {
                    own[place..].rotate_right(1);
                    own[place] = (distance, neighbour);
                }
            }
        }
        Ok(Company { starts, nearest })
    }

    /// The company of each document of a pair, the nearest first, without the two.
    pub(super) fn of(&self, pair: [u32; 2]) -> [Vec<u32>; 2] {
        pair.map(|rank| {
            let own = &self.nearest[self.starts[rank as usize] as usize..self.starts[rank as usize + 1] as usize];
            own.iter().map(|near| near.1).filter(|rank| !pair.contains(rank)).take(MOST).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spill::Sorter;

    fn company(across: bool, pairs: &[(u32, u32, u32)]) -> Company {
        let folder = tempfile::tempdir().unwrap();
        let mut candidates = Sorter::new(folder.path()).unwrap();
        for (better, other, distance) in pairs {
            candidates.push(Candidate { better: *better, other: *other, distance: Some(*distance) }).unwrap();
        }
        Company::new(60, across, &candidates.finish().unwrap()).unwrap()
    }

    #[test]
    fn the_nearest_without_the_two_are_the_company() {
        let company = company(false, &[(0, 1, 9), (0, 2, 4), (1, 2, 3), (1, 3, 7), (4, 5, 1)]);
        assert_eq!(company.of([0, 1]), [vec![2], vec![2, 3]]);
        assert_eq!(company.of([0, 2]), [vec![1], vec![1]]);
        assert_eq!(company.of([4, 5]), [Vec::<u32>::new(), Vec::new()]);
    }

    #[test]
    fn some_of_many_are_enough() {
        let pairs: Vec<(u32, u32, u32)> = (1..60).map(|other| (0, other, 60 - other)).collect();
        let company = company(false, &pairs);
        assert_eq!(company.of([0, 59])[0], (59 - MOST as u32..59).rev().collect::<Vec<_>>());
        assert_eq!(company.of([0, 1])[0], (60 - MOST as u32..60).rev().collect::<Vec<_>>());
    }

    #[test]
    fn across_two_sides_those_of_the_first_one_are_the_company() {
        let company = company(true, &[(0, 5, 2), (1, 5, 3), (1, 6, 1)]);
        assert_eq!(company.of([1, 5]), [vec![], vec![0]]);
        assert_eq!(company.of([1, 6]), [Vec::<u32>::new(), Vec::new()]);
    }
}
