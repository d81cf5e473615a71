//! Sets of word n-grams and another set -> the sets that are similar enough to it, all of them.
//!
//! A set that is similar to another one shares many n-grams with it, so it has at least one of any
//! few more than those that it may lack (prefix filter; Chaudhuri, Ganti, Kaushik: "A Primitive
//! Operator for Similarity Joins in Data Cleaning", ICDE 2006). The rarest ones are looked up in an
//! inverted index. Each set met there is compared, as far as it may be similar.
//!
//! | measure | similar sets share at least | the other set has at least |
//! | --- | --- | --- |
//! | `jaccard` | S / (1 + S) of the sum of their sizes, which is S of this set or more | S of the n-grams of this set, and at most 1 / S |
//! | `containment` | S of the n-grams of the smaller set | one n-gram |
//! | `minhash` | as under `jaccard`, with S less five standard errors: an estimate is farther off in at most one of 250,000 pairs (Hoeffding 1963) | |
//!
//! Memory: 8 bytes for each n-gram of each set, 4 for its place in the index, and 13 for each
//! distinct n-gram.

use std::ops::Range;

use rayon::prelude::*;

use super::{Measure, PERMUTATIONS};

/// Two counts that differ by less are equal: they are products of a rounded similarity.
const ROUNDING: f64 = 1e-6;

/// Sets of word n-grams, and an index of them.
///
/// ```
/// use nearprint_core::compare::{Measure, NgramSets};
/// let sets = NgramSets::new(Measure::Jaccard, vec![vec![1, 2, 3], vec![7, 8, 9]], 0.5);
/// let mut similar = Vec::new();
/// sets.similar(&[2, 3, 4], None, &mut similar);
/// assert_eq!(similar, [0]);
/// ```
#[derive(Debug)]
pub struct NgramSets {
    measure: Measure,
    /// The similarity that sets reach.
    least: f64,
    /// The n-grams of all sets, and where each set begins.
    ngrams: Vec<u64>,
    starts: Vec<usize>,
    /// The distinct n-grams, sorted, and the sets that have each.
    distinct: Vec<u64>,
    lists: Vec<u32>,
    sets: Vec<u32>,
    /// Where the distinct n-grams with the same highest bits begin.
    buckets: Vec<u32>,
    shift: u32,
}

impl NgramSets {
    /// The index of these sets, each as [`word_ngrams`](super::word_ngrams()) gives it, for
    /// similarities of `least` or more under `jaccard`, `containment` or `minhash`.
    pub fn new(measure: Measure, sets: Vec<Vec<u64>>, least: f64) -> NgramSets {
        let least = match measure {
            // The standard error is at most 1/2 over the root of the number of minima.
            Measure::Minhash => (least - 2.5 / (PERMUTATIONS as f64).sqrt()).max(ROUNDING),
            _ => least,
        };
        let mut starts = vec![0];
        let mut postings = Vec::new();
        for (ngrams, number) in sets.iter().zip(0..) {
            postings.extend(ngrams.iter().map(|ngram| (*ngram, number)));
            starts.push(postings.len());
        }
        let ngrams = sets.into_iter().flatten().collect();
        postings.par_sort_unstable();
        let (mut distinct, mut lists) = (Vec::new(), Vec::new());
        for (place, (ngram, _)) in (0..).zip(&postings) {
            if distinct.last() != Some(ngram) {
                distinct.push(*ngram);
                lists.push(place);
            }
        }
        lists.push(postings.len() as u32);
        // Some four n-grams in each bucket.
        let bits = (distinct.len() / 4).next_power_of_two().ilog2().max(1);
        let shift = 64 - bits;
        let mut buckets = vec![0; (1 << bits) + 1];
        distinct.iter().for_each(|ngram| buckets[(ngram >> shift) as usize + 1] += 1);
        for bucket in 1..buckets.len() {
            buckets[bucket] += buckets[bucket - 1];
        }
        let sets = postings.into_iter().map(|(_, number)| number).collect();
        NgramSets { measure, least, ngrams, starts, distinct, lists, sets, buckets, shift }
    }

    /// The number of n-grams to which sets may grow before one more is added.
    pub const MOST: usize = u32::MAX as usize / 2;

    /// The bytes of memory that sets of this many n-grams take while their index is made.
    pub fn bytes(ngrams: usize) -> u64 {
        48 * ngrams as u64
    }

    /// The n-grams of a set.
    pub fn get(&self, number: usize) -> &[u64] {
        &self.ngrams[self.starts[number]..self.starts[number + 1]]
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns true if there is no set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` with the numbers of the sets that are similar to a set, in order. With `above`,
    /// only sets of more n-grams count, and those of as many whose number is at least this.
    pub fn similar(&self, ngrams: &[u64], above: Option<u32>, out: &mut Vec<u32>) {
        out.clear();
        let size = ngrams.len();
        if size == 0 {
            return;
        }
        // Among larger sets, those similar under containment share as many of this one.
        let shared = match (self.measure, above) {
            (Measure::Containment, None) => 1.0,
            _ => self.least * size as f64,
        };
        let needed = ((shared - ROUNDING).ceil() as usize).clamp(1, size);
        let mut lists: Vec<Range<usize>> = ngrams.iter().map(|ngram| self.list(*ngram)).collect();
        let looked_up = size - needed + 1;
        if looked_up < size {
            lists.select_nth_unstable_by_key(looked_up, Range::len);
        }
        for list in &lists[..looked_up] {
            out.extend_from_slice(&self.sets[list.clone()]);
        }
        out.sort_unstable();
        out.dedup();
        out.retain(|number| {
            let other = self.get(*number as usize);
            let is_above = above
                .is_none_or(|first| other.len() > size || other.len() == size && *number >= first);
            is_above && self.are_similar(ngrams, other)
        });
    }

    /// The places of the sets that have an n-gram.
    fn list(&self, ngram: u64) -> Range<usize> {
        let bucket = (ngram >> self.shift) as usize;
        let [start, end] = [bucket, bucket + 1].map(|bucket| self.buckets[bucket] as usize);
        match self.distinct[start..end].iter().position(|own| *own == ngram) {
            Some(place) => {
                let place = start + place;
                self.lists[place] as usize..self.lists[place + 1] as usize
            }
            None => 0..0,
        }
    }

    fn are_similar(&self, left: &[u64], right: &[u64]) -> bool {
        let (sum, smaller) = (left.len() + right.len(), left.len().min(right.len()));
        let fewest = match self.measure {
            Measure::Containment => self.least * smaller as f64,
            _ => self.least / (1.0 + self.least) * sum as f64,
        };
        let fewest = (fewest - ROUNDING).ceil() as usize;
        // The n-grams that may still be shared, less those that must be.
        let Some(mut spare) = smaller.checked_sub(fewest) else { return false };
        let [smaller, larger] =
            if left.len() <= right.len() { [left, right] } else { [right, left] };
        let mut rest = larger;
        for ngram in smaller {
            // The lists are sorted.
            let before = rest.iter().position(|other| other >= ngram).unwrap_or(rest.len());
            rest = &rest[before..];
            match rest.first() {
                Some(other) if other == ngram => rest = &rest[1..],
                _ if spare == 0 => return false,
                _ => spare -= 1,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compare;

    proptest! {
        #[test]
        fn similar_sets_are_those_of_brute_force(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u64..40, 0..30), 1..9),
            scale in prop_oneof![Just(1u64), Just(0x0123_4567_89ab_cdef)],
            least in prop_oneof![Just(0.5), Just(1.0), 0.01..1.0],
        ) {
            let lists: Vec<Vec<u64>> = sets
                .iter()
                .map(|set| {
                    let mut list: Vec<u64> = set.iter().map(|ngram| ngram.wrapping_mul(scale)).collect();
                    list.sort_unstable();
                    list
                })
                .collect();
            let mut similar = Vec::new();
            let measures = [
                (Measure::Jaccard, compare::jaccard as fn(&[u64], &[u64]) -> f64),
                (Measure::Containment, compare::containment),
            ];
            for (measure, similarity) in measures {
                let index = NgramSets::new(measure, lists.clone(), least);
                for (own, list) in lists.iter().enumerate() {
                    let all: Vec<u32> = (0..).zip(&lists)
                        .filter(|(_, other)| !list.is_empty() && !other.is_empty() && similarity(list, other) + 1e-9 >= least)
                        .map(|(number, _)| number)
                        .collect();
                    index.similar(list, None, &mut similar);
                    prop_assert_eq!(&similar, &all);
                    let size = |number: u32| (lists[number as usize].len(), number);
                    let above: Vec<u32> = all.into_iter().filter(|other| size(*other) >= size(own as u32)).collect();
                    index.similar(list, Some(own as u32), &mut similar);
                    prop_assert_eq!(&similar, &above);
                }
            }
        }

        #[test]
        fn in_blocks_each_pair_comes_up_once(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u64..20, 1..12), 1..9),
            cut in 0usize..9,
            least in prop_oneof![Just(0.5), 0.01..1.0],
        ) {
            let lists: Vec<Vec<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let cut = cut.min(lists.len());
            for (measure, similarity) in [
                (Measure::Jaccard, compare::jaccard as fn(&[u64], &[u64]) -> f64),
                (Measure::Containment, compare::containment),
            ] {
                let (mut found, mut similar) = (Vec::new(), Vec::new());
                for block in [0..cut, cut..lists.len()] {
                    let index = NgramSets::new(measure, lists[block.clone()].to_vec(), least);
                    for (place, list) in lists.iter().enumerate() {
                        let above = (place + 1).saturating_sub(block.start).min(index.len());
                        index.similar(list, Some(above as u32), &mut similar);
                        let others = similar.iter().map(|other| block.start + *other as usize);
                        found.extend(others.map(|other| (place.min(other), place.max(other))));
                    }
                }
                found.sort_unstable();
                let all = (0..lists.len()).flat_map(|one| (one + 1..lists.len()).map(move |other| (one, other)));
                let expected: Vec<(usize, usize)> =
                    all.filter(|(one, other)| similarity(&lists[*one], &lists[*other]) + 1e-9 >= least).collect();
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn no_estimate_of_a_similar_set_is_ruled_out(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u64..40, 1..30), 1..9),
            least in 0.01..1.0,
        ) {
            let lists: Vec<Vec<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let index = NgramSets::new(Measure::Minhash, lists.clone(), least);
            let mut similar = Vec::new();
            for list in &lists {
                index.similar(list, None, &mut similar);
                for (number, other) in (0..).zip(&lists) {
                    let [own, other] = [list, other].map(|list| compare::signature(list));
                    let alike = compare::minhash_similarity(&own, &other) >= least;
                    prop_assert!(!alike || similar.contains(&number));
                }
            }
        }
    }
}
