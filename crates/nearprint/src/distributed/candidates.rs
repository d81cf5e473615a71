//! Records of one group or two, and the number of all documents -> candidate pairs.

use std::ops::ControlFlow;

use nearprint_core::compare::{Measure, Sketch};
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::judge::FAMILY;
use nearprint_core::near::{CandidatePair, Hubs, Join};

use super::families::Sets;
use super::{Keys, Worker};
use crate::search::plan_among;

/// The largest number of bytes for the tables of a join.
pub(super) const MEMORY: u64 = 1 << 30;

/// Records with fingerprints, of one group or of two groups. A place is an index into them.
#[derive(Debug, Clone)]
pub struct Group {
    /// The keys and the values of guards of the documents.
    pub documents: Keys,
    /// The fingerprint of each document.
    pub fingerprints: Fingerprints,
    /// The sketch of each document.
    pub sketches: Vec<Option<Sketch>>,
    /// The number of records of the first group, which come first; then only pairs across the two
    /// groups are looked for. `None` for all pairs of one group.
    pub first: Option<usize>,
}

/// The near documents of a group, or across two groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The near pairs, without pairs of two hubs.
    pub pairs: Vec<Near>,
    /// The places of documents in more than [`HUB_PAIRS`](nearprint_core::near::HUB_PAIRS) pairs
    /// here, in order. Empty unless [`has_hubs`](Worker::has_hubs).
    pub hubs: Vec<u32>,
}

/// A pair of near documents. Guards may forbid that they are duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Near {
    /// The places of the two.
    pub pair: CandidatePair,
    /// True if the two may be similar enough by their sketches, and no pairs before this one
    /// connect them.
    pub connects: bool,
}

impl Worker {
    /// The candidate pairs of a group, or across two groups. `documents` is the number of all
    /// documents of different text that are not short. `against` is the number of reference
    /// documents among them, `None` if all are compared with each other. The two numbers and the
    /// settings determine the plan, so a pair is seen if and only if a run on one machine sees it.
    ///
    /// A document is a hub of the run if it is among the [`hubs`](Found::hubs) of some call, or in
    /// more than [`HUB_PAIRS`](nearprint_core::near::HUB_PAIRS) pairs of all calls.
    ///
    /// ```
    /// use nearprint::distributed::{Keys, Group, Worker};
    /// use nearprint::{Config, Fingerprints};
    /// let mut fingerprints = Fingerprints::new(64);
    /// [0, u64::MAX, 0b111].iter().for_each(|word| fingerprints.push(&[*word]));
    /// let documents = Keys { keys: vec![1, 2, 3], values: vec![] };
    /// let mut group = Group { documents, fingerprints, sketches: vec![None; 3], first: Some(2) };
    /// let worker = Worker::new(&Config::default().bits(64))?;
    /// let pair = worker.candidates(3, None, &group).pairs[0].pair;
    /// assert_eq!((pair.left, pair.right, pair.distance), (0, 2, 3));
    /// // Now the third document belongs to the first group as well.
    /// group.first = Some(3);
    /// assert_eq!(worker.candidates(3, None, &group).pairs, []);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn candidates(&self, documents: usize, against: Option<usize>, group: &Group) -> Found {
        let Some(max_distance) = self.max_distance() else { return Found::default() };
        let Group { fingerprints, first, .. } = group;
        let plan = plan_among(self.config(), documents, against);
        let hubs = Hubs::new(if self.has_hubs(against.is_some()) { fingerprints.len() } else { 0 });
        let join = Join::new(&plan, max_distance).across(*first).within(MEMORY);
        let join = join.without_hubs((!hubs.is_empty()).then_some(&hubs));
        let mut pairs = self.pairs_of(join, fingerprints);
        let is_hub = |place: u32| !hubs.is_empty() && hubs.has(place);
        pairs.retain(|pair| !is_hub(pair.left) || !is_hub(pair.right));
        pairs.sort_unstable();
        let mut sets = Sets::new(fingerprints.len());
        let mut near = |pair: CandidatePair| {
            let connects =
                self.is_possible(group, pair.left, pair.right) && sets.join(pair.left, pair.right);
            Near { pair, connects }
        };
        let pairs = pairs.into_iter().map(&mut near).collect();
        Found {
            pairs,
            hubs: (0..fingerprints.len() as u32).filter(|place| is_hub(*place)).collect(),
        }
    }

    /// The near pairs across two groups, up to [`FAMILY`] of other texts for each document of the
    /// first group. The first groups hold the reference documents that are near a document of the
    /// other side, `queries` in all. The second groups hold all `against` reference documents.
    ///
    /// ```
    /// use nearprint::distributed::{Keys, Group, Worker};
    /// use nearprint::{Config, Fingerprints};
    /// let mut fingerprints = Fingerprints::new(64);
    /// [0b000, 0b000, 0b001, u64::MAX].iter().for_each(|word| fingerprints.push(&[*word]));
    /// // The first text stands in both groups.
    /// let documents = Keys { keys: [1, 1, 2, 3].map(|text| text << 64).to_vec(), values: vec![] };
    /// let group = Group { documents, fingerprints, sketches: vec![None; 4], first: Some(1) };
    /// let worker = Worker::new(&Config::default().bits(64))?;
    /// let pairs = worker.neighbors(1, 3, &group);
    /// assert_eq!(pairs.iter().map(|pair| (pair.left, pair.right)).collect::<Vec<_>>(), [(0, 2)]);
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn neighbors(&self, queries: usize, against: usize, group: &Group) -> Vec<CandidatePair> {
        let Some(max_distance) = self.max_distance() else { return Vec::new() };
        let Group { documents, fingerprints, first, .. } = group;
        let plan = plan_among(self.config(), queries + against, Some(queries));
        let hubs = Hubs::new(fingerprints.len());
        // With guards, many near documents may be of one text.
        let without_hubs = documents.values.is_empty().then_some(&hubs);
        let join = Join::new(&plan, max_distance).across(Some(first.unwrap_or(0))).within(MEMORY);
        let pairs = self.pairs_of(join.without_hubs(without_hubs), fingerprints);
        let text = |place: u32| documents.keys[place as usize] >> 64;
        let mut met = vec![Vec::new(); first.unwrap_or(0)];
        let mut is_new = |pair: &CandidatePair| {
            let (met, other) = (&mut met[pair.left as usize], text(pair.right));
            let is_new =
                met.len() < FAMILY as usize && text(pair.left) != other && !met.contains(&other);
            if is_new {
                met.push(other);
            }
            is_new
        };
        pairs.into_iter().filter(|pair| is_new(pair)).collect()
    }

    /// The pairs of a join.
    pub(super) fn pairs_of(&self, join: Join<'_>, column: &Fingerprints) -> Vec<CandidatePair> {
        self.run.install(|| {
            let mut pairs = Vec::new();
            let _ = join.run(column, &mut |batch| {
                pairs.extend(batch.pairs.iter());
                ControlFlow::Continue(())
            });
            pairs
        })
    }

    /// Returns true if two documents may be duplicates, by their guards and the sketches of their
    /// texts.
    pub(super) fn is_possible(&self, group: &Group, left: u32, right: u32) -> bool {
        let sketch = |place: u32| group.sketches[place as usize].as_ref();
        let may_be_similar = match (&self.bound, sketch(left), sketch(right)) {
            (Some(bound), Some(left), Some(right)) => bound.may_reach(left, right),
            _ => true,
        };
        may_be_similar && self.may_be_near(&group.documents, left, right)
    }

    /// Returns true if the run has hubs: documents with so many candidates that they are not all
    /// listed. `with_against` is true for a run with reference documents.
    pub fn has_hubs(&self, with_against: bool) -> bool {
        self.has_short_hubs(with_against)
            && self.config().decide.verify == Measure::Coverage
            && !self.lists_all
    }
}

#[cfg(test)]
mod tests {
    use nearprint_core::random::Random;

    use super::*;
    use crate::cluster::Method;
    use crate::config::Config;

    /// Fingerprints so near a center that a plan with tables sees many pairs, but not all.
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
        let documents = Keys { keys: vec![0; numbers.len()], values: Vec::new() };
        Group { documents, fingerprints, sketches: vec![None; numbers.len()], first: None }
    }

    #[test]
    fn groups_see_the_pairs_that_all_together_see() {
        // Components have no hubs, so no pair is left out.
        let config = Config::default().cluster(Method::Components);
        let (worker, column) = (Worker::new(&config).unwrap(), column(300));
        let all: Vec<usize> = (0..column.len()).collect();
        for documents in [300, 1_000_000] {
            let pairs = |numbers: [&[usize]; 2]| -> Vec<(usize, usize, u32)> {
                let both = [numbers[0], numbers[1]].concat();
                let first = (!numbers[1].is_empty()).then_some(numbers[0].len());
                let found =
                    worker.candidates(documents, None, &Group { first, ..group(&column, &both) });
                let named = |place: u32| both[place as usize];
                let ends = |pair: &CandidatePair| (named(pair.left), named(pair.right));
                let sorted = |pair: &CandidatePair| {
                    (ends(pair).0.min(ends(pair).1), ends(pair).0.max(ends(pair).1))
                };
                found
                    .pairs
                    .iter()
                    .map(|near| (sorted(&near.pair).0, sorted(&near.pair).1, near.pair.distance))
                    .collect()
            };
            let together = pairs([&all, &[]]);
            let parts: Vec<Vec<usize>> = (0..3)
                .map(|part| all.iter().copied().filter(|number| number % 3 == part).collect())
                .collect();
            let mut apart = Vec::new();
            for (number, one) in parts.iter().enumerate() {
                apart.extend(pairs([one, &[]]));
                parts[number + 1..].iter().for_each(|other| apart.extend(pairs([one, other])));
            }
            apart.sort_unstable();
            let near = |one: usize, other: usize| {
                group(&column, &[one, other]).fingerprints.distance(0, 1) <= 80
            };
            let by_brute_force =
                all.iter().flat_map(|one| (one + 1..300).map(move |other| (*one, other)));
            let all_near = by_brute_force.filter(|(one, other)| near(*one, *other)).count();
            assert_eq!(apart, together);
            // The tables of a plan for a million documents see a part of the near pairs.
            assert!(
                together.len() > 1_000 && (documents == 300) == (together.len() == all_near),
                "{all_near}"
            );
        }
    }
}
