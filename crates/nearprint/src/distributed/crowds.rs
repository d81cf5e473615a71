//! Documents with very many candidates -> whom these connect, and the company of each.

use std::ops::ControlFlow;

use super::candidates::MEMORY;
use super::{Group, Near, Worker};
use crate::join::{self, CandidatePair, Connected};
use crate::search::{self, COMPANY, Crowded, companies, largest_distance, plan_among};

impl Worker {
    /// Some pairs of documents of a crowd, a group of it or two: those that connect whom all its candidate pairs connect, and those of each
    /// document with the first ones by their text hashes, which tell its form. They are some twenty for a document.
    /// `documents` is as in [`candidates`](Self::candidates).
    pub fn crowd(&self, documents: usize, group: &Group) -> Vec<Near> {
        let Some(max_distance) = largest_distance(self.config()) else { return Vec::new() };
        let Group { text_hashes, fingerprints, first, .. } = group;
        let plan = plan_among(self.config(), documents, None);
        let is_possible = |left, right| self.is_possible(group, left, right);
        let connected = Connected::new(fingerprints.len(), &is_possible);
        let mut pairs = Vec::new();
        let emit: &mut (dyn FnMut(join::Batch<'_>) -> ControlFlow<()> + Send) = &mut |batch| {
            pairs.extend(batch.pairs.iter().map(|pair| Near { pair: *pair, connects: true }));
            ControlFlow::Continue(())
        };
        let crowded = |place: u32| Crowded {
            priority: search::priority_of(text_hashes[place as usize]),
            rank: place,
            document: place,
            fingerprint: fingerprints.get(place as usize),
        };
        let mut documents: Vec<Crowded<'_>> = (0..fingerprints.len() as u32).map(crowded).collect();
        documents.sort_unstable();
        let is_first = |place: u32| first.is_some_and(|first| (place as usize) < first);
        let wanted = |one, other| first.is_none() || is_first(one) != is_first(other);
        let company = self.run.install(|| {
            let _ = join::join_apart(fingerprints, *first, &connected, &plan, max_distance, MEMORY, emit);
            // One more, as of equal priorities the better rank is the first one.
            companies(&documents, COMPANY + 1, &plan, max_distance, MEMORY, wanted)
        });
        let ends = company
            .iter()
            .zip(&documents)
            .flat_map(|(near, own)| near.iter().map(|other| [own.document, documents[*other as usize].document]));
        let mut ends: Vec<[u32; 2]> = ends.map(|[one, other]| [one.min(other), one.max(other)]).collect();
        ends.sort_unstable();
        ends.dedup();
        pairs.extend(ends.into_iter().map(|[left, right]| {
            let distance = fingerprints.distance(left as usize, right as usize);
            Near { pair: CandidatePair { left, right, distance }, connects: false }
        }));
        pairs
    }
}
