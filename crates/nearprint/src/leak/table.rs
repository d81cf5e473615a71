//! Seeds of items -> a table in which many of them are looked up at a time.
//!
//! A look into a large table waits for memory, some hundred times as long as it computes. So the table says of many seeds first
//! where their postings would begin, and then which of them are there: no look waits for the one before.

use std::ops::Range;

use super::index::Posting;

/// The postings of seeds, by the hash of the seed.
#[derive(Debug)]
pub(super) struct Table {
    /// In order.
    postings: Vec<(u64, Posting)>,
    /// For the first bits of a hash where the postings of such hashes begin, and the end of the last.
    begins: Vec<u32>,
    shift: u32,
}

impl Table {
    /// The postings are in order, and at most [`u32::MAX`].
    pub fn new(postings: Vec<(u64, Posting)>) -> Table {
        let places = postings.len().next_power_of_two().max(2);
        let shift = 64 - places.ilog2();
        let mut begins = vec![0; places + 1];
        for (hash, _) in &postings {
            begins[(hash >> shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        Table { postings, begins, shift }
    }

    /// Where the postings begin and end that have the first bits of this hash.
    #[inline(always)]
    fn place(&self, hash: u64) -> Range<usize> {
        let place = (hash >> self.shift) as usize;
        self.begins[place] as usize..self.begins[place + 1] as usize
    }

    /// Moves the hashes that are in the table, and few others, to the front; how many these are.
    pub fn retain(&self, hashes: &mut [(u64, usize)]) -> usize {
        let may_be_there = retain(hashes, |hash, _| !self.place(hash).is_empty());
        retain(&mut hashes[..may_be_there], |hash, _| {
            let place = self.place(hash);
            (place.len() > 1) | (self.postings[place.start].0 == hash)
        })
    }

    /// The postings of a seed.
    pub fn get(&self, hash: u64) -> &[(u64, Posting)] {
        let postings = &self.postings[self.place(hash)];
        let from = postings.partition_point(|(other, _)| *other < hash);
        let number = postings[from..].partition_point(|(other, _)| *other == hash);
        &postings[from..from + number]
    }
}

/// Moves the hashes of which this holds to the front, in order; how many these are. No branch depends on an answer, so that the
/// next question is asked while the memory for the last one is on its way.
#[inline(always)]
pub(super) fn retain(hashes: &mut [(u64, usize)], mut holds: impl FnMut(u64, usize) -> bool) -> usize {
    let mut number = 0;
    for at in 0..hashes.len() {
        let (hash, start) = hashes[at];
        hashes[number] = (hash, start);
        number += usize::from(holds(hash, start));
    }
    number
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_postings_of_a_seed_are_those_that_were_put_in(
            seeds in prop::collection::vec((0u64..40, 0u32..5), 0..200),
            first_bits in prop::bool::ANY,
        ) {
            // Hashes that differ in their first bits, or only in their last ones.
            let hash = |seed: u64| if first_bits { seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) } else { u64::MAX - seed };
            let mut postings: Vec<_> = seeds.iter().zip(0..).map(|((seed, item), place)| (hash(*seed), Posting { item: *item, place })).collect();
            postings.sort_unstable();
            let mut expected: BTreeMap<u64, Vec<(u64, Posting)>> = BTreeMap::new();
            postings.iter().for_each(|posting| expected.entry(posting.0).or_default().push(*posting));
            let table = Table::new(postings);
            let mut hashes: Vec<_> = (0..60).map(|seed| (hash(seed), seed as usize)).collect();
            let number = table.retain(&mut hashes);
            for seed in 0..60 {
                let of_seed = expected.get(&hash(seed)).map_or(&[][..], Vec::as_slice);
                prop_assert_eq!(table.get(hash(seed)), of_seed);
                prop_assert!(of_seed.is_empty() || hashes[..number].contains(&(hash(seed), seed as usize)));
            }
            prop_assert!(hashes[..number].is_sorted_by_key(|(_, seed)| *seed));
        }
    }
}
