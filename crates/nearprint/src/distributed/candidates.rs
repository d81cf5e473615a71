//! The number of documents -> the plan; two groups of prints -> candidate pairs.

use std::ops::ControlFlow;

use super::Worker;
use crate::cluster::Method;
use crate::fingerprint::Fingerprints;
use crate::join::{self, CandidatePair, Crowds};
use crate::search::{largest_distance, plan_among};
use crate::short::Pool;
use crate::verify::{Measure, ShortText, Sketch};
use crate::watch::Silent;

/// Bytes of memory that the tables of a join take at most.
const MEMORY: u64 = 1 << 30;

/// A group of prints that have a fingerprint.
#[derive(Debug, Clone)]
pub struct Group {
    /// The fingerprint of each.
    pub fingerprints: Fingerprints,
    /// The sketch of each.
    pub sketches: Vec<Option<Sketch>>,
}

/// The other group of a pair of groups.
#[derive(Debug, Clone, Copy)]
pub enum Side<'g> {
    /// The same: all pairs within it.
    Same,
    /// Another one: all pairs across the two.
    Other(&'g Group),
}

/// A candidate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Near {
    /// The places of the two; those of the other group count behind those of the first.
    pub pair: CandidatePair,
    /// Whether the two texts may be similar enough, by their sketches.
    pub is_possible: bool,
}

impl Worker {
    /// The candidate pairs within a group, or across two. `documents` is the number of all documents of different text that are not
    /// short, and `against` how many of these the others are only compared with, `None` where all are compared with each other: with the
    /// settings they give the plan, so that every pair is seen, or not, as in a run on one machine.
    ///
    /// Of two documents that both are in more than [`CROWDED`](join::CROWDED) pairs the pair may be left out, where
    /// [`has_crowds`](Self::has_crowds).
    ///
    /// ```
    /// use nearprint::distributed::{Group, Side, Worker};
    /// use nearprint::{Config, Fingerprints};
    /// let group = |words: &[u64]| {
    ///     let mut fingerprints = Fingerprints::new(64);
    ///     words.iter().for_each(|word| fingerprints.push(&[*word]));
    ///     Group { fingerprints, sketches: vec![None; words.len()] }
    /// };
    /// let worker = Worker::new(&Config { bits: 64, ..Config::default() })?;
    /// let (one, other) = (group(&[0, u64::MAX]), group(&[0b111]));
    /// assert_eq!(worker.candidates(3, None, &one, Side::Same).len(), 0);
    /// let pair = worker.candidates(3, None, &one, Side::Other(&other))[0].pair;
    /// assert_eq!((pair.left, pair.right, pair.distance), (0, 2, 3));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn candidates(&self, documents: usize, against: Option<usize>, group: &Group, side: Side<'_>) -> Vec<Near> {
        let others = match side {
            Side::Same => None,
            Side::Other(other) => Some(other),
        };
        let first = group.fingerprints.len();
        let sketch = |place: u32| match (place as usize).checked_sub(first) {
            None => group.sketches[place as usize].as_ref(),
            Some(place) => others.and_then(|other| other.sketches[place].as_ref()),
        };
        let is_possible = |pair: &CandidatePair| match (&self.bound, sketch(pair.left), sketch(pair.right)) {
            (Some(bound), Some(left), Some(right)) => bound.may_reach(left, right),
            _ => true,
        };
        let mut near = Vec::new();
        let both = others.map(|other| joined(&group.fingerprints, &other.fingerprints));
        self.run.install(|| {
            let all = both.as_ref().unwrap_or(&group.fingerprints);
            self.each_pair((documents, against), all, both.as_ref().map(|_| first), true, |pair| {
                near.push(Near { pair: *pair, is_possible: is_possible(pair) });
            });
        });
        near.sort_unstable_by_key(|near| (near.pair.left, near.pair.right));
        near
    }

    /// Whether documents with very many candidates are decided without a list of all of these.
    pub fn has_crowds(&self, with_against: bool) -> bool {
        self.config().cluster == Method::Star && self.config().verify == Measure::Coverage && !with_against
    }

    /// Pairs of documents that are in more than [`CROWDED`](join::CROWDED) pairs each: by their places, as those of
    /// [`candidates`](Self::candidates). They connect whom all candidate pairs of these connect, and are fewer than the documents.
    pub fn connections(&self, documents: usize, group: &Fingerprints, other: Option<&Fingerprints>) -> Vec<(u32, u32)> {
        let both = other.map(|other| joined(group, other));
        let all = both.as_ref().unwrap_or(group);
        let mut sets = super::families::Sets::new(all.len());
        let mut connections = Vec::new();
        self.run.install(|| {
            self.each_pair((documents, None), all, both.as_ref().map(|_| group.len()), false, |pair| {
                if sets.join(pair.left, pair.right) {
                    connections.push((pair.left, pair.right));
                }
            });
        });
        connections
    }

    fn each_pair(
        &self,
        (documents, against): (usize, Option<usize>),
        all: &Fingerprints,
        first: Option<usize>,
        leaves_out: bool,
        mut take: impl FnMut(&CandidatePair),
    ) {
        let Some(max_distance) = largest_distance(self.config()) else { return };
        let plan = plan_among(self.config(), documents, against);
        let crowds = Crowds::new(if leaves_out && self.has_crowds(against.is_some()) { all.len() } else { 0 });
        let emit: &mut join::Emit<'_> = &mut |batch| {
            batch.pairs.iter().for_each(&mut take);
            ControlFlow::Continue(())
        };
        let _ = match first {
            first if !crowds.is_empty() => join::join_crowds(all, first, &crowds, &plan, max_distance, MEMORY, emit),
            None => join::join_within(all, &plan, max_distance, MEMORY, emit),
            Some(first) => join::join_across(all, first, &plan, max_distance, MEMORY, emit),
        };
    }

    /// The pairs of texts of which one is short that are to be compared by their characters, by their places. Each comes with whether it
    /// is short; one without characters is in no pair. With `against` the first ones, of this number, are only compared with the others.
    pub fn short_candidates(&self, against: Option<usize>, texts: &[(ShortText, bool)]) -> Vec<(u32, u32)> {
        if largest_distance(self.config()).is_none() {
            return Vec::new();
        }
        let mut pool = Pool::default();
        for ((text, is_short), place) in texts.iter().zip(0..) {
            pool.add(place, *is_short, text);
        }
        let wanted = |one: u32, other: u32| {
            against.is_none_or(|against| ((one as usize) < against) != ((other as usize) < against))
        };
        let mut pairs = Vec::new();
        let push = |one: u32, other: u32| pairs.push((one.min(other), one.max(other)));
        self.run.install(|| pool.duplicates(self.config().min_similarity, |_| true, wanted, None, &Silent, push));
        pairs.sort_unstable();
        pairs
    }
}

/// The fingerprints of two groups, one after the other.
fn joined(group: &Fingerprints, other: &Fingerprints) -> Fingerprints {
    let mut both = group.clone();
    (0..other.len()).for_each(|place| both.push(other.get(place)));
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::random::Random;

    /// Fingerprints around a few, so near that a plan with tables sees many pairs, and not all.
    fn column(count: usize) -> Vec<[u64; 4]> {
        let mut random = Random::new(18);
        let center: [u64; 4] = std::array::from_fn(|_| random.next());
        let mut own = || {
            let mut words = center;
            for _ in 0..random.below(60) {
                let bit = random.below(256) as usize;
                words[bit / 64] ^= 1 << (bit % 64);
            }
            words
        };
        (0..count).map(|_| own()).collect()
    }

    fn group(column: &[[u64; 4]], numbers: &[usize]) -> Group {
        let mut fingerprints = Fingerprints::new(256);
        numbers.iter().for_each(|number| fingerprints.push(&column[*number]));
        Group { fingerprints, sketches: vec![None; numbers.len()] }
    }

    #[test]
    fn groups_see_the_pairs_that_all_together_see() {
        // Without crowds, so that no pair is left out.
        let config = Config { cluster: Method::Components, ..Config::default() };
        let (worker, column) = (Worker::new(&config).unwrap(), column(300));
        let all: Vec<usize> = (0..column.len()).collect();
        for documents in [300, 1_000_000] {
            let pairs = |numbers: [&[usize]; 2]| -> Vec<(usize, usize, u32)> {
                let groups = numbers.map(|numbers| group(&column, numbers));
                let side = if numbers[1].is_empty() { Side::Same } else { Side::Other(&groups[1]) };
                let both = [numbers[0], numbers[1]].concat();
                let found = worker.candidates(documents, None, &groups[0], side);
                let named = |place: u32| both[place as usize];
                let ends = |pair: &CandidatePair| (named(pair.left), named(pair.right));
                let sorted = |pair: &CandidatePair| (ends(pair).0.min(ends(pair).1), ends(pair).0.max(ends(pair).1));
                found.iter().map(|near| (sorted(&near.pair).0, sorted(&near.pair).1, near.pair.distance)).collect()
            };
            let together = pairs([&all, &[]]);
            let parts: Vec<Vec<usize>> =
                (0..3).map(|part| all.iter().copied().filter(|number| number % 3 == part).collect()).collect();
            let mut apart = Vec::new();
            for (number, one) in parts.iter().enumerate() {
                apart.extend(pairs([one, &[]]));
                parts[number + 1..].iter().for_each(|other| apart.extend(pairs([one, other])));
            }
            apart.sort_unstable();
            let near = |one: usize, other: usize| group(&column, &[one, other]).fingerprints.distance(0, 1) <= 80;
            let by_brute_force = all.iter().flat_map(|one| (one + 1..300).map(move |other| (*one, other)));
            let all_near = by_brute_force.filter(|(one, other)| near(*one, *other)).count();
            assert_eq!(apart, together);
            // The tables of a plan for a million see a part of these.
            assert!(together.len() > 1_000 && (documents == 300) == (together.len() == all_near), "{all_near}");
        }
    }
}
