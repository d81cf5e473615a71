//! Seeds of items -> a table in which many of them are looked up at a time.
//!
//! A look into a large table waits for memory far longer than it computes. So many seeds are looked
//! up together in two passes: the first finds the bucket of each, the second its postings. No look
//! waits for the one before.

use std::ops::Range;

/// An item that has a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub item: u32,
    /// The place of the seed among the letters and digits of all items, or [`SEVERAL`].
    pub place: u32,
}

/// Stands for several places of a seed in one item.
pub(super) const SEVERAL: u32 = u32::MAX;

/// The postings of seeds, by the hash of the seed.
#[derive(Debug)]
pub(super) struct Table {
    /// The hashes of the seeds and their postings, in order.
    postings: Vec<(u64, Posting)>,
    /// The beginning of each bucket, and the end of the last one. A bucket has the postings of
    /// hashes with equal first bits.
    begins: Vec<u32>,
    shift: u32,
}

impl Table {
    /// A table of at most [`u32::MAX`] postings, which are in order.
    pub fn new(postings: Vec<(u64, Posting)>) -> Table {
        let buckets = postings.len().next_power_of_two().max(2);
        let shift = 64 - buckets.ilog2();
        let mut begins = vec![0; buckets + 1];
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

    /// The range of a hash's bucket among the postings.
    #[inline(always)]
    fn bucket(&self, hash: u64) -> Range<usize> {
        let number = (hash >> self.shift) as usize;
        self.begins[number] as usize..self.begins[number + 1] as usize
    }

    /// Moves hashes that are in the table, or whose bucket has several postings, to the front, in
    /// order. The number of these; the rest of the list is of no use.
    pub fn retain(&self, hashes: &mut [(u64, usize)]) -> usize {
        let may_be_there = retain(hashes, |hash, _| !self.bucket(hash).is_empty());
        retain(&mut hashes[..may_be_there], |hash, _| {
            let bucket = self.bucket(hash);
            (bucket.len() > 1) | (self.postings[bucket.start].0 == hash)
        })
    }

    /// The postings of a seed, in order; none for a seed that is not in the table.
    pub fn get(&self, hash: u64) -> &[(u64, Posting)] {
        let postings = &self.postings[self.bucket(hash)];
        let from = postings.partition_point(|(other, _)| *other < hash);
        let number = postings[from..].partition_point(|(other, _)| *other == hash);
        &postings[from..from + number]
    }
}

/// Moves hashes with this property to the front, in order. The number of these. No branch depends
/// on the property, so that the next look-up begins while the memory for the last one is on its
/// way.
#[inline(always)]
pub(super) fn retain(
    hashes: &mut [(u64, usize)],
    mut holds: impl FnMut(u64, usize) -> bool,
) -> usize {
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
            // The hashes differ in their first bits, or only in their last ones.
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

    #[test]
    fn hashes_whose_bucket_has_no_posting_or_another_one_alone_are_left_out() {
        let posting = Posting { item: 0, place: 0 };
        // The table has two buckets, by the first bit.
        let retained = |postings: Vec<(u64, Posting)>| {
            let mut hashes = [(5, 0), (6, 1), (1 << 63 | 5, 2)];
            let number = Table::new(postings).retain(&mut hashes);
            hashes[..number].iter().map(|(_, start)| *start).collect::<Vec<_>>()
        };
        assert!(retained(vec![]).is_empty());
        assert_eq!(retained(vec![(5, posting)]), [0]);
        assert_eq!(retained(vec![(4, posting), (5, posting)]), [0, 1]);
    }
}
