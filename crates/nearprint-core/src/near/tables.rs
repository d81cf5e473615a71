//! A column of fingerprints -> tables of it in flat lists; a query -> the fingerprints of the
//! column that are near it.
//!
//! ```text
//! column, plan -> the lists of the tables                              lists.rs
//! query, entries -> near fingerprints, in vector instructions          compare.rs
//! distance, plan -> the share of pairs that the tables see             share.rs
//! ```
//!
//! A table has an entry for each fingerprint, in the order of the keys. A query is compared with
//! the entries of each key within the radius of its own key. The lists are columns of numbers, so
//! that they can be read from a mapped file. They depend on the column and the plan alone.
//!
//! With 128 or 256 bits an entry is the place of a fingerprint and a check, which rules out most
//! fingerprints before they are read ([`Entries`]). With fewer bits an entry is the fingerprint
//! itself, and its place stands in another list.
//!
//! Cost of a query: a look at each key, one or two nanoseconds for each entry, and five to ten for
//! each entry that passes the check. If a scan of the column is cheaper, the column is scanned.
//!
//! Sources: those of [`Lookup`](super::Lookup).

// Functions that are compiled for vector instructions are called after detection.
#[allow(unsafe_code)]
mod compare;
mod lists;
mod share;

use std::ops::Range;

use super::Neighbor;
use super::entries::{Entries, check};
use super::plan::Plan;
pub use compare::scan_column;
use compare::{compare_places, compare_row, prefetch, scan};
use lists::starts;
pub use lists::{Lists, numbers};
pub use share::share_seen;

/// The number of fingerprints that a scan compares in the time of one entry.
const IN_A_ROW: usize = 3;

/// The number of keys whose entries are prefetched before those of one key are read.
const BUCKETS_AHEAD: usize = 4;

/// The number of entries in a cache line.
const LINE: usize = 8;

/// The buffers of a query, one a thread.
#[derive(Debug, Default)]
pub struct Asking {
    keys: Vec<u32>,
    buckets: Vec<Bucket>,
    places: Vec<u32>,
}

/// A column of fingerprints with the tables of a plan.
///
/// ```
/// use nearprint_core::near::{Asking, Lists, Neighbor, Tables, plan};
/// let words: Vec<u64> = (0..100_000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
/// let plan = plan(words.len(), 64, 3);
/// let lists = Lists::new(&plan, &words);
/// let tables = Tables::new(&plan, &words, &lists.places, &lists.values);
/// let mut near = Vec::new();
/// tables.near(&[words[7] ^ 0b101, 0, 0, 0], 3, &mut Asking::default(), &mut near);
/// assert!(near.contains(&Neighbor { slot: 7, distance: 2 }));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    plan: &'a Plan,
    words: &'a [u64],
    places: &'a [u32],
    values: &'a [u64],
    layout: Entries,
}

impl<'a> Tables<'a> {
    /// The tables of fingerprints of the plan's width, given by their words and lists.
    ///
    /// # Panics
    ///
    /// If the lists have another length than those of this plan.
    pub fn new(
        plan: &'a Plan,
        words: &'a [u64],
        places: &'a [u32],
        values: &'a [u64],
    ) -> Tables<'a> {
        let count = words.len() / plan.bits().div_ceil(64) as usize;
        Tables::with_layout(plan, Entries::new(plan, count), words, places, values)
    }

    /// The tables with a layout that was computed before, since computing it takes a while.
    pub fn with_layout(
        plan: &'a Plan,
        layout: Entries,
        words: &'a [u64],
        places: &'a [u32],
        values: &'a [u64],
    ) -> Tables<'a> {
        let each = plan.bits().div_ceil(64) as usize;
        let count = words.len() / each;
        assert_eq!(places.len(), numbers(plan, count), "the places of another plan");
        assert_eq!(values.len(), plan.tables().len() * count, "the values of another plan");
        Tables { plan, words, places, values, layout }
    }

    /// Adds the fingerprints within `max_distance` of a query, inclusive, that a table of the plan
    /// sees, in the order of their places.
    pub fn near(
        &self,
        item: &[u64; 4],
        max_distance: u32,
        asking: &mut Asking,
        out: &mut Vec<Neighbor>,
    ) {
        let begin = out.len();
        match self.plan.bits().div_ceil(64) {
            1 => self.near_of::<1>(item, max_distance, asking, out),
            2 => self.near_of::<2>(item, max_distance, asking, out),
            _ => self.near_of::<4>(item, max_distance, asking, out),
        }
        // Several tables see a fingerprint that differs little.
        let found = &mut out[begin..];
        found.sort_unstable();
        let mut kept = 0;
        for next in 0..found.len() {
            if next == 0 || found[next] != found[kept - 1] {
                found[kept] = found[next];
                kept += 1;
            }
        }
        out.truncate(begin + kept);
    }

    fn near_of<const W: usize>(
        &self,
        item: &[u64; 4],
        most: u32,
        asking: &mut Asking,
        out: &mut Vec<Neighbor>,
    ) {
        let item: [u64; W] = std::array::from_fn(|word| item[word]);
        let (items, _) = self.words.as_chunks::<W>();
        let Asking { keys, buckets, places } = asking;
        // The indexes of the first start of a table in `places`, and of its first entry in
        // `values`.
        let (mut begin, mut entries) = (0, 0);
        buckets.clear();
        for table in self.plan.tables() {
            keys.clear();
            keys_within(table.key(&item) as u32, 0, table.bits, table.radius, keys);
            let places = begin + starts(table);
            let check = if W == 1 { 0 } else { check(table, &item) };
            for start in keys.iter().map(|key| begin + *key as usize) {
                // The starts of the keys are scattered in memory.
                prefetch(&self.places[start]);
                buckets.push(Bucket { start, values: entries..entries, places, check });
            }
            begin = places + if W == 1 { items.len() } else { 0 };
            entries += items.len();
        }
        let mut met = 0;
        for Bucket { start, values, places, .. } in &mut *buckets {
            let [start, end] =
                [self.places[*start], self.places[*start + 1]].map(|place| place as usize);
            met += end - start;
            *places += start;
            *values = values.start + start..values.start + end;
        }
        if self.plan.is_brute_force() || met * IN_A_ROW > items.len() {
            return scan(items, &item, most, out);
        }
        if W == 1 {
            for (number, Bucket { values, places, .. }) in buckets.iter().enumerate() {
                self.prefetch_entries(buckets.get(number + BUCKETS_AHEAD));
                compare_row(
                    self.values[values.clone()].as_chunks::<W>().0,
                    &item,
                    most,
                    &self.places[*places..],
                    out,
                );
            }
            return;
        }
        places.clear();
        places.resize(met, 0);
        let mut passed = 0;
        for (number, Bucket { values, check, .. }) in buckets.iter().enumerate() {
            self.prefetch_entries(buckets.get(number + BUCKETS_AHEAD));
            passed +=
                self.layout.pass_all(&self.values[values.clone()], *check, &mut places[passed..]);
        }
        compare_places(items, &places[..passed], &item, most, out);
    }

    /// Prefetches the entries of a key. They are contiguous, but each key has them elsewhere.
    #[inline(always)]
    fn prefetch_entries(&self, bucket: Option<&Bucket>) {
        if let Some(bucket) = bucket {
            self.values[bucket.values.clone()].iter().step_by(LINE).for_each(prefetch);
        }
    }
}

/// The entries of a key.
#[derive(Debug)]
struct Bucket {
    /// The index of the start of the key in [`Tables::places`].
    start: usize,
    /// The range of the entries in [`Tables::values`].
    values: Range<usize>,
    /// The index of the place of the first entry in [`Tables::places`], with 64 bits or fewer.
    places: usize,
    /// The check of the query.
    check: u64,
}

/// Adds the key, and all keys that differ from it in up to `radius` bits from bit `first` on.
fn keys_within(key: u32, first: u32, bits: u32, radius: u32, out: &mut Vec<u32>) {
    out.push(key);
    if radius > 0 {
        (first..bits).for_each(|bit| keys_within(key ^ 1 << bit, bit + 1, bits, radius - 1, out));
    }
}

#[cfg(test)]
mod tests;
