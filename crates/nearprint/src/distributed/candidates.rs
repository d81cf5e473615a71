//! The number of documents -> the plan; two groups of prints -> candidate pairs.

use std::ops::ControlFlow;

use crate::config::Config;
use crate::error::Error;
use crate::fingerprint::Fingerprints;
use crate::join::{self, CandidatePair};
use crate::search::{largest_distance, plan_of};
use crate::short::Pool;
use crate::verify::ShortText;
use crate::watch::Silent;

/// Bytes of memory that the tables of a join take at most.
const MEMORY: u64 = 1 << 30;

/// The other group of a pair of groups.
#[derive(Debug, Clone, Copy)]
pub enum Side<'f> {
    /// The same: all pairs within it.
    Same,
    /// Another one: all pairs across the two.
    Other(&'f Fingerprints),
}

/// The candidate pairs within a group of fingerprints, or across two, by their places; those of the other group count behind those of the
/// first. `documents` is the number of all documents of different text that are not short: with the settings it gives the plan, so
/// that every pair is seen, or not, as in a run on one machine.
///
/// ```
/// use nearprint::distributed::{Side, candidates};
/// use nearprint::{Config, Fingerprints};
/// let group = |words: &[u64]| {
///     let mut group = Fingerprints::new(64);
///     words.iter().for_each(|word| group.push(&[*word]));
///     group
/// };
/// let config = Config { bits: 64, ..Config::default() };
/// let (one, other) = (group(&[0, u64::MAX]), group(&[0b111]));
/// assert_eq!(candidates(&config, 3, &one, Side::Same)?.len(), 0);
/// let across = candidates(&config, 3, &one, Side::Other(&other))?;
/// assert_eq!((across[0].left, across[0].right, across[0].distance), (0, 2, 3));
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// As [`check`](super::check).
pub fn candidates(
    config: &Config,
    documents: usize,
    group: &Fingerprints,
    side: Side<'_>,
) -> Result<Vec<CandidatePair>, Error> {
    super::check(config)?;
    let Some(max_distance) = largest_distance(config) else { return Ok(Vec::new()) };
    let plan = plan_of(config, documents);
    let mut pairs = Vec::new();
    let emit: &mut join::Emit<'_> = &mut |batch| {
        pairs.extend_from_slice(batch.pairs);
        ControlFlow::Continue(())
    };
    let _ = match side {
        Side::Same => join::join_within(group, &plan, max_distance, MEMORY, emit),
        Side::Other(other) => {
            let mut both = group.clone();
            (0..other.len()).for_each(|place| both.push(other.get(place)));
            join::join_across(&both, group.len(), &plan, max_distance, MEMORY, emit)
        }
    };
    pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
    Ok(pairs)
}

/// The pairs of texts of which one is short that are to be compared by their characters, by their places. Each comes with whether it is
/// short; one without characters is in no pair.
///
/// # Errors
/// As [`check`](super::check).
pub fn short_candidates(config: &Config, texts: &[(ShortText, bool)]) -> Result<Vec<(u32, u32)>, Error> {
    super::check(config)?;
    if largest_distance(config).is_none() {
        return Ok(Vec::new());
    }
    let mut pool = Pool::default();
    for ((text, is_short), place) in texts.iter().zip(0..) {
        pool.add(place, *is_short, text);
    }
    let mut pairs = Vec::new();
    let push = |one: u32, other: u32| pairs.push((one.min(other), one.max(other)));
    pool.duplicates(config.min_similarity, |_| true, |_, _| true, None, &Silent, push);
    pairs.sort_unstable();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn group(column: &[[u64; 4]], numbers: &[usize]) -> Fingerprints {
        let mut group = Fingerprints::new(256);
        numbers.iter().for_each(|number| group.push(&column[*number]));
        group
    }

    #[test]
    fn groups_see_the_pairs_that_all_together_see() {
        let (config, column) = (Config::default(), column(300));
        let all: Vec<usize> = (0..column.len()).collect();
        for documents in [300, 1_000_000] {
            let pairs = |numbers: [&[usize]; 2]| -> Vec<(usize, usize, u32)> {
                let groups = numbers.map(|numbers| group(&column, numbers));
                let side = if numbers[1].is_empty() { Side::Same } else { Side::Other(&groups[1]) };
                let both = [numbers[0], numbers[1]].concat();
                let found = candidates(&config, documents, &groups[0], side).unwrap();
                let named = |place: u32| both[place as usize];
                let ends = |pair: &CandidatePair| (named(pair.left), named(pair.right));
                let sorted = |pair: &CandidatePair| (ends(pair).0.min(ends(pair).1), ends(pair).0.max(ends(pair).1));
                found.iter().map(|pair| (sorted(pair).0, sorted(pair).1, pair.distance)).collect()
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
            let near = |one: usize, other: usize| group(&column, &[one, other]).distance(0, 1) <= 80;
            let by_brute_force = all.iter().flat_map(|one| (one + 1..300).map(move |other| (*one, other)));
            let all_near = by_brute_force.filter(|(one, other)| near(*one, *other)).count();
            assert_eq!(apart, together);
            // The tables of a plan for a million see a part of these.
            assert!(together.len() > 1_000 && (documents == 300) == (together.len() == all_near), "{all_near}");
        }
    }
}
