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
use super::plan::{Plan, Table};
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

/// The number of keys that are looked up together, unless a table has more of them. One query looks
/// into all tables at once, and many queries look into one table after another. Tests do so with few.
const TOGETHER: usize = if cfg!(test) { 64 } else { 8192 };

/// A fingerprint that is looked up.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Its words.
    pub words: [u64; 4],
    /// The most bits by which a near fingerprint differs, inclusive.
    pub most: u32,
    /// The number of near fingerprints after which the search may end: if a list has more, others
    /// may be missing.
    pub limit: usize,
}

impl Query {
    /// A query for all fingerprints within `most` bits, inclusive, of these words.
    pub fn all(words: [u64; 4], most: u32) -> Query {
        Query { words, most, limit: usize::MAX }
    }
}

/// The buffers of a search, one a thread.
#[derive(Debug, Default)]
pub struct Asking {
    keys: Vec<u32>,
    buckets: Vec<Bucket>,
    places: Vec<u32>,
    /// The number of entries that each query has met, or [`ENDED`].
    met: Vec<usize>,
}

/// The number of entries that a query has met whose search has ended at its limit.
const ENDED: usize = usize::MAX;

/// A column of fingerprints with the tables of a plan.
///
/// ```
/// use nearprint_core::near::{Asking, Lists, Neighbor, Query, Tables, plan};
/// let words: Vec<u64> = (0..100_000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
/// let plan = plan(words.len(), 64, 3);
/// let lists = Lists::new(&plan, &words);
/// let tables = Tables::new(&plan, &words, &lists.places, &lists.values);
/// let mut near = [Vec::new()];
/// tables.near(&[Query::all([words[7] ^ 0b101, 0, 0, 0], 3)], &mut Asking::default(), &mut near);
/// assert!(near[0].contains(&Neighbor { slot: 7, distance: 2 }));
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

    /// Replaces each list of `out` by the fingerprints near the query of its number that a table of
    /// the plan sees, in the order of their places. Many queries at once are faster than one after
    /// another: they share a part of the tables at a time, which the processor keeps at hand.
    ///
    /// # Panics
    ///
    /// If `out` has fewer lists than there are queries.
    pub fn near(&self, queries: &[Query], asking: &mut Asking, out: &mut [Vec<Neighbor>]) {
        out.iter_mut().for_each(Vec::clear);
        match self.plan.bits().div_ceil(64) {
            1 => self.near_of::<1>(queries, asking, out),
            2 => self.near_of::<2>(queries, asking, out),
            _ => self.near_of::<4>(queries, asking, out),
        }
        out.iter_mut().for_each(once);
    }

    fn near_of<const W: usize>(
        &self,
        queries: &[Query],
        asking: &mut Asking,
        out: &mut [Vec<Neighbor>],
    ) {
        let (items, _) = self.words.as_chunks::<W>();
        asking.met.clear();
        asking.met.resize(queries.len(), 0);
        // The indexes of the first start of a table in `places`, and of its first entry in
        // `values`.
        let (mut begin, mut entries) = (0, 0);
        asking.buckets.clear();
        for table in self.plan.tables() {
            self.look_up::<W>(table, [begin, entries], queries, asking);
            begin += starts(table) + if W == 1 { items.len() } else { 0 };
            entries += items.len();
            if asking.buckets.len() >= TOGETHER {
                self.compare(items, queries, asking, out);
            }
        }
        self.compare(items, queries, asking, out);
        for ((query, met), out) in queries.iter().zip(&asking.met).zip(out) {
            if *met != ENDED && self.is_scanned(*met, items.len()) {
                out.clear();
                scan(items, &cut(&query.words), query.most, out);
                out.truncate(query.limit.saturating_add(1));
            }
        }
    }

    /// Returns true if a query that meets this number of entries is compared with all `count`
    /// fingerprints instead.
    fn is_scanned(&self, met: usize, count: usize) -> bool {
        self.plan.is_brute_force() || met.saturating_mul(IN_A_ROW) > count
    }

    /// Adds the buckets of the queries in a table.
    fn look_up<const W: usize>(
        &self,
        table: &Table,
        [begin, entries]: [usize; 2],
        queries: &[Query],
        Asking { keys, buckets, .. }: &mut Asking,
    ) {
        let places = begin + starts(table);
        for (query, Query { words, .. }) in (0..).zip(queries) {
            let item = cut::<W>(words);
            keys.clear();
            keys_within(table.key(&item) as u32, 0, table.bits, table.radius, keys);
            let check = if W == 1 { 0 } else { check(table, &item) };
            for start in keys.iter().map(|key| begin + *key as usize) {
                // The starts of the keys are scattered in memory.
                prefetch(&self.places[start]);
                buckets.push(Bucket { query, start, values: entries..entries, places, check });
            }
        }
    }

    /// Compares the queries with the fingerprints in their buckets, and removes the buckets.
    fn compare<const W: usize>(
        &self,
        items: &[[u64; W]],
        queries: &[Query],
        Asking { buckets, places, met, .. }: &mut Asking,
        out: &mut [Vec<Neighbor>],
    ) {
        for Bucket { query, start, values, places, .. } in &mut *buckets {
            let [start, end] =
                [self.places[*start], self.places[*start + 1]].map(|place| place as usize);
            met[*query as usize] = met[*query as usize].saturating_add(end - start);
            *places += start;
            *values = values.start + start..values.start + end;
        }
        buckets.retain(|bucket| !self.is_scanned(met[bucket.query as usize], items.len()));
        match W {
            1 => self.compare_rows::<W>(queries, buckets, out),
            _ => self.compare_checked(items, queries, buckets, places, out),
        }
        buckets.clear();
        for ((query, met), out) in queries.iter().zip(met).zip(out) {
            if out.len() > query.limit {
                once(out);
                if out.len() > query.limit {
                    *met = ENDED;
                }
            }
        }
    }

    /// Compares the queries with the values in their buckets.
    fn compare_rows<const W: usize>(
        &self,
        queries: &[Query],
        buckets: &[Bucket],
        out: &mut [Vec<Neighbor>],
    ) {
        for (number, Bucket { query, values, places, .. }) in buckets.iter().enumerate() {
            self.prefetch_entries(buckets.get(number + BUCKETS_AHEAD));
            let (values, places) = (&self.values[values.clone()], &self.places[*places..]);
            let Query { words, most, .. } = &queries[*query as usize];
            let out = &mut out[*query as usize];
            compare_row(values.as_chunks::<W>().0, &cut(words), *most, places, out);
        }
    }

    /// Compares the queries with the fingerprints in their buckets whose checks pass.
    fn compare_checked<const W: usize>(
        &self,
        items: &[[u64; W]],
        queries: &[Query],
        buckets: &mut [Bucket],
        places: &mut Vec<u32>,
        out: &mut [Vec<Neighbor>],
    ) {
        places.clear();
        for number in 0..buckets.len() {
            self.prefetch_entries(buckets.get(number + BUCKETS_AHEAD));
            let Bucket { values, check, places: end, .. } = &mut buckets[number];
            let (values, begin) = (&self.values[values.clone()], places.len());
            places.resize(begin + values.len(), 0);
            *end = begin + self.layout.pass_all(values, *check, &mut places[begin..]);
            places.truncate(*end);
        }
        let mut begin = 0;
        for run in buckets.chunk_by(|one, other| one.query == other.query) {
            let (query, end) = (run[0].query as usize, run[run.len() - 1].places);
            let Query { words, most, .. } = &queries[query];
            compare_places(items, places, begin..end, &cut(words), *most, &mut out[query]);
            begin = end;
        }
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
    /// The number of the query.
    query: u32,
    /// The index of the start of the key in [`Tables::places`].
    start: usize,
    /// The range of the entries in [`Tables::values`].
    values: Range<usize>,
    /// With 64 bits or fewer the index of the place of the first entry in [`Tables::places`]. With
    /// more, the number of places that passed in this bucket and those before it.
    places: usize,
    /// The check of the query.
    check: u64,
}

/// Sorts what a query has found, without what several tables have seen.
fn once(found: &mut Vec<Neighbor>) {
    found.sort_unstable();
    found.dedup();
}

/// The words of a fingerprint that has `W` of them.
fn cut<const W: usize>(words: &[u64; 4]) -> [u64; W] {
    std::array::from_fn(|word| words[word])
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
