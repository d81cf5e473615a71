//! A column of fingerprints -> tables of it in flat lists -> for any fingerprint, those of the
//! column that are near it.
//!
//! A table lists all fingerprints by their keys, and where those of each key begin. A fingerprint
//! is compared with those of each key within the radius of its own. The lists are numbers in a row,
//! so that they may lie in a file, and may be read from there where they lie. They depend on the
//! column and the plan alone.
//!
//! An entry of 128 or 256 bits is the place of the fingerprint and a check, which rules out most
//! others without a look at them ([`Entries`]). Of 64 bits at most an entry is the fingerprint
//! itself, and its place stands in another list.
//!
//! Cost of a question: a look at each key, one or two nanoseconds for each entry, and five to ten
//! for each one that passes. Where entries are so many that a look at all fingerprints in a row is
//! cheaper, that is done.
//!
//! Sources: those of [`Lookup`](super::Lookup).

// A function that is compiled for more instructions than the rest of the program is called.
#![allow(unsafe_code)]

use std::ops::Range;

use rayon::prelude::*;

use super::Neighbor;
use super::entries::{Entries, check};
use super::plan::{Plan, Table};
use crate::random::Random;

/// An entry takes about as long as this number of fingerprints in a row.
const IN_A_ROW: usize = 3;

/// The lists of all tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// For each table where the entries of each key begin, and their end; of fingerprints of 64
    /// bits at most behind these the places of its entries.
    pub places: Vec<u32>,
    /// For each table its entries, or the fingerprints themselves.
    pub values: Vec<u64>,
}

/// What a question needs. One a thread.
#[derive(Debug, Default)]
pub struct Asking {
    keys: Vec<u32>,
    buckets: Vec<Bucket>,
    places: Vec<u32>,
}

/// Fingerprints with the tables of a plan.
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

impl Lists {
    /// The lists of a column of fingerprints of the plan's width, whose words these are.
    pub fn new(plan: &Plan, words: &[u64]) -> Lists {
        match plan.bits().div_ceil(64) {
            1 => Lists::of(plan, words.as_chunks::<1>().0),
            2 => Lists::of(plan, words.as_chunks::<2>().0),
            _ => Lists::of(plan, words.as_chunks::<4>().0),
        }
    }

    fn of<const W: usize>(plan: &Plan, items: &[[u64; W]]) -> Lists {
        let mut lists = Lists {
            places: vec![0; numbers(plan, items.len())],
            values: vec![0; plan.tables().len() * items.len()],
        };
        let layout = Entries::new(plan, items.len());
        let mut rest = lists.places.as_mut_slice();
        let mut parts = Vec::new();
        for (table, values) in
            plan.tables().iter().zip(lists.values.chunks_exact_mut(items.len().max(1)))
        {
            let (starts, behind) = rest.split_at_mut(starts(table));
            let (places, behind) = behind.split_at_mut(if W == 1 { items.len() } else { 0 });
            rest = behind;
            parts.push((table, starts, places, values));
        }
        parts.into_par_iter().for_each(|(table, starts, places, values)| {
            items.iter().for_each(|item| starts[table.key(item) + 1] += 1);
            for key in 1..starts.len() {
                starts[key] += starts[key - 1];
            }
            // Each start moves on to that of the next key.
            for (place, item) in (0u32..).zip(items) {
                let next = &mut starts[table.key(item)];
                match W {
                    1 => (places[*next as usize], values[*next as usize]) = (place, item[0]),
                    _ => values[*next as usize] = layout.entry(check(table, item), place),
                }
                *next += 1;
            }
            starts.copy_within(..starts.len() - 1, 1);
            starts[0] = 0;
        });
        lists
    }
}

/// The share of pairs of fingerprints that tables of `count` fingerprints see among those that
/// differ in `distance` bits at random places, counted on twenty thousand: always the same ones.
pub fn share_seen(plan: &Plan, count: usize, distance: u32) -> f64 {
    const PAIRS: u32 = 20_000;
    if plan.is_brute_force() {
        return 1.0;
    }
    if plan.bits() <= 64 || distance <= plan.complete_distance() {
        return plan.share_seen(distance);
    }
    let (layout, mut random, mut seen) =
        (Entries::new(plan, count), Random::new(distance.into()), 0);
    for _ in 0..PAIRS {
        let mut item = [0u64; 4];
        let mut left = distance.min(plan.bits());
        while left > 0 {
            let bit = random.below(plan.bits().into());
            let (word, mask) = (bit as usize / 64, 1 << (63 - bit % 64));
            left -= u32::from(item[word] & mask == 0);
            item[word] |= mask;
        }
        let sees = |table: &Table| {
            let check = if plan.bits() == 128 {
                check(table, &[item[0], item[1]])
            } else {
                check(table, &item)
            };
            (table.key(&item) as u32).count_ones() <= table.radius && layout.pass(check, 0)
        };
        seen += u32::from(plan.tables().iter().any(sees));
    }
    f64::from(seen) / f64::from(PAIRS)
}

/// Starts of the keys of a table, and the end.
fn starts(table: &Table) -> usize {
    (1 << table.bits) + 1
}

/// How many numbers the places take among this many fingerprints.
pub fn numbers(plan: &Plan, fingerprints: usize) -> usize {
    let places = if plan.bits() <= 64 { fingerprints } else { 0 };
    plan.tables().iter().map(|table| starts(table) + places).sum()
}

impl<'a> Tables<'a> {
    /// The words of fingerprints of the plan's width, with their lists.
    ///
    /// # Panics
    /// If the lists are of another length than those of this plan.
    pub fn new(
        plan: &'a Plan,
        words: &'a [u64],
        places: &'a [u32],
        values: &'a [u64],
    ) -> Tables<'a> {
        let count = words.len() / plan.bits().div_ceil(64) as usize;
        Tables::with_layout(plan, Entries::new(plan, count), words, places, values)
    }

    /// The same with a layout that was computed before, as that takes a while.
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

    /// Adds the fingerprints that a table of the plan sees within `max_distance` of this one,
    /// inclusive, by place.
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
        // Several tables see one that differs little.
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
        // Where the starts of a table begin among the places, and its entries among the values.
        let (mut begin, mut entries) = (0, 0);
        buckets.clear();
        for table in self.plan.tables() {
            keys.clear();
            keys_within(table.key(&item) as u32, 0, table.bits, table.radius, keys);
            let places = begin + starts(table);
            let check = if W == 1 { 0 } else { check(table, &item) };
            for start in keys.iter().map(|key| begin + *key as usize) {
                // The starts lie anywhere, too.
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
                self.ask_ahead(buckets.get(number + BUCKETS_AHEAD));
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
            self.ask_ahead(buckets.get(number + BUCKETS_AHEAD));
            passed +=
                self.layout.pass_all(&self.values[values.clone()], *check, &mut places[passed..]);
        }
        compare(items, &places[..passed], &item, most, out);
    }

    /// Asks for the entries of a key: they lie in a row, and those of the next key somewhere else.
    #[inline(always)]
    fn ask_ahead(&self, bucket: Option<&Bucket>) {
        if let Some(bucket) = bucket {
            self.values[bucket.values.clone()].iter().step_by(LINE).for_each(prefetch);
        }
    }
}

/// The entries of a key.
#[derive(Debug)]
struct Bucket {
    /// Where their start stands among the places.
    start: usize,
    values: Range<usize>,
    /// Where their places begin, if these are in a list of their own.
    places: usize,
    /// The check of the fingerprint that is asked for.
    check: u64,
}

/// Adds the fingerprints of a column within `max_distance` of one, inclusive, by place: each is
/// compared.
pub fn scan_column(
    words: &[u64],
    each: usize,
    item: &[u64; 4],
    max_distance: u32,
    out: &mut Vec<Neighbor>,
) {
    match each {
        1 => scan(words.as_chunks::<1>().0, &[item[0]], max_distance, out),
        2 => scan(words.as_chunks::<2>().0, &[item[0], item[1]], max_distance, out),
        _ => scan(words.as_chunks::<4>().0, item, max_distance, out),
    }
}

/// Adds the key with up to `radius` of its bits from `first` on turned, and itself.
fn keys_within(key: u32, first: u32, bits: u32, radius: u32, out: &mut Vec<u32>) {
    out.push(key);
    if radius > 0 {
        (first..bits).for_each(|bit| keys_within(key ^ 1 << bit, bit + 1, bits, radius - 1, out));
    }
}

/// Makes a function that is compiled for processors of different ages of one that is always
/// inlined.
macro_rules! for_each_processor {
    ($name:ident = $inlined:ident, ($($argument:ident: $type:ty),+)) => {
        fn $name<const W: usize>($($argument: $type),+) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,popcnt,avx512f,avx512vl,avx512vpopcntdq")]
                fn avx512<const W: usize>($($argument: $type),+) {
                    $inlined($($argument),+);
                }
                #[target_feature(enable = "popcnt")]
                fn popcnt<const W: usize>($($argument: $type),+) {
                    $inlined($($argument),+);
                }
                if is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("popcnt")
                {
                    // SAFETY: the instructions were just detected.
                    return unsafe { avx512($($argument),+) };
                }
                if is_x86_feature_detected!("popcnt") {
                    // SAFETY: as above.
                    return unsafe { popcnt($($argument),+) };
                }
            }
            $inlined($($argument),+);
        }
    };
}

for_each_processor!(
    compare = compare_inlined,
    (items: &[[u64; W]], places: &[u32], item: &[u64; W], most: u32, out: &mut Vec<Neighbor>)
);

#[inline(always)]
fn compare_inlined<const W: usize>(
    items: &[[u64; W]],
    places: &[u32],
    item: &[u64; W],
    most: u32,
    out: &mut Vec<Neighbor>,
) {
    for (number, place) in places.iter().enumerate() {
        // They lie anywhere, so each is asked for well before it is looked at.
        if let Some(ahead) = places.get(number + AHEAD).and_then(|ahead| items.get(*ahead as usize))
        {
            prefetch(ahead);
        }
        let distance = distance(&items[*place as usize], item);
        if distance <= most {
            out.push(Neighbor { slot: *place, distance });
        }
    }
}

/// Keys whose entries are asked for before those of one are looked at, and entries in a line of
/// memory.
const BUCKETS_AHEAD: usize = 4;
const LINE: usize = 8;

/// Fingerprints that are asked for before one is looked at: as many as the second cache waits for.
const AHEAD: usize = 48;

/// Asks for a value that is looked at later, into the second cache, which waits for several times
/// as many as the first one.
#[inline(always)]
fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: the processor has it, and the address is that of a value.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

for_each_processor!(
    compare_row = compare_row_inlined,
    (values: &[[u64; W]], item: &[u64; W], most: u32, places: &[u32], out: &mut Vec<Neighbor>)
);

#[inline(always)]
fn compare_row_inlined<const W: usize>(
    values: &[[u64; W]],
    item: &[u64; W],
    most: u32,
    places: &[u32],
    out: &mut Vec<Neighbor>,
) {
    for (value, place) in values.iter().zip(places) {
        let distance = distance(value, item);
        if distance <= most {
            out.push(Neighbor { slot: *place, distance });
        }
    }
}

for_each_processor!(scan = scan_inlined, (items: &[[u64; W]], item: &[u64; W], most: u32, out: &mut Vec<Neighbor>));

/// Fingerprints that are compared before one question whether any is near.
const TOGETHER: usize = 16;

#[inline(always)]
fn scan_inlined<const W: usize>(
    items: &[[u64; W]],
    item: &[u64; W],
    most: u32,
    out: &mut Vec<Neighbor>,
) {
    let mut place = 0;
    for together in items.chunks(TOGETHER) {
        let least = together.iter().fold(u32::MAX, |least, other| least.min(distance(other, item)));
        if least <= most {
            for (slot, other) in (place..).zip(together) {
                let distance = distance(other, item);
                if distance <= most {
                    out.push(Neighbor { slot, distance });
                }
            }
        }
        place += TOGETHER as u32;
    }
}

#[inline(always)]
fn distance<const W: usize>(one: &[u64; W], other: &[u64; W]) -> u32 {
    let mut distance = 0;
    for word in 0..W {
        distance += (one[word] ^ other[word]).count_ones();
    }
    distance
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::near::plan;
    use crate::random::Random;

    /// Fingerprints around a few centers, and others.
    fn column(bits: u32, count: usize, random: &mut Random) -> Vec<u64> {
        let each = bits.div_ceil(64) as usize;
        let cut = |word: u64| if bits == 32 { word & u64::MAX << 32 } else { word };
        let centers: Vec<Vec<u64>> =
            (0..4).map(|_| (0..each).map(|_| cut(random.next())).collect()).collect();
        let mut words = Vec::new();
        for number in 0..count {
            let mut own: Vec<u64> = match number % 3 {
                0 => (0..each).map(|_| cut(random.next())).collect(),
                center => centers[center].clone(),
            };
            for _ in 0..random.below(u64::from(bits) / 3) {
                let bit = random.below(u64::from(bits));
                own[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
            }
            words.extend(own);
        }
        words
    }

    proptest! {
        #[test]
        fn the_tables_find_what_their_plan_sees(
            seed in any::<u64>(),
            bits in prop::sample::select(vec![32u32, 64, 128, 256]),
            count in 0usize..400,
            blocks in 1u32..6,
            key_bits in 1u32..9,
            beyond in 0u32..40,
        ) {
            let mut random = Random::new(seed);
            let words = column(bits, count, &mut random);
            let complete = 5;
            let plan = Plan::with_blocks(bits, complete, blocks, key_bits);
            let lists = Lists::new(&plan, &words);
            let tables = Tables::new(&plan, &words, &lists.places, &lists.values);
            let each = bits.div_ceil(64) as usize;
            let (max_distance, layout) = ((complete + beyond).min(bits - 1), Entries::new(&plan, count));
            let mut asking = Asking::default();
            for own in words.chunks(each).take(40) {
                let mut item = [0; 4];
                item[..each].copy_from_slice(own);
                let mut found = vec![Neighbor { slot: 7, distance: 7 }];
                tables.near(&item, max_distance, &mut asking, &mut found);
                prop_assert_eq!(found.remove(0), Neighbor { slot: 7, distance: 7 });
                let (mut by_tables, mut by_scan) = (Vec::new(), Vec::new());
                for (slot, other) in (0..).zip(words.chunks(each)) {
                    let distance = own.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
                    let mut differing = [0; 4];
                    differing.iter_mut().zip(own.iter().zip(other)).for_each(|(bits, (a, b))| *bits = a ^ b);
                    let passes = |table: &Table| match each {
                        1 => true,
                        2 => layout.pass(check(table, &[differing[0], differing[1]]), 0),
                        _ => layout.pass(check(table, &differing), 0),
                    };
                    let sees = |table: &Table| (table.key(&differing) as u32).count_ones() <= table.radius && passes(table);
                    if distance <= max_distance {
                        by_scan.push(Neighbor { slot, distance });
                        if plan.tables().iter().any(sees) {
                            by_tables.push(Neighbor { slot, distance });
                        }
                    }
                    prop_assert!(distance > complete || plan.tables().iter().any(sees));
                }
                prop_assert!(found == by_tables || found == by_scan, "{:?} {:?}", found, by_tables);
            }
        }
    }

    #[test]
    fn tables_of_many_are_looked_into_and_not_scanned() {
        let mut random = Random::new(9);
        for (bits, complete) in [(64, 3), (128, 10), (256, 32)] {
            let words: Vec<u64> = (0..30_000 * bits as usize / 64).map(|_| random.next()).collect();
            let plan = plan(30_000, bits, complete);
            let lists = Lists::new(&plan, &words);
            let tables = Tables::new(&plan, &words, &lists.places, &lists.values);
            let each = bits as usize / 64;
            let mut item = [0; 4];
            item[..each].copy_from_slice(&words[77 * each..78 * each]);
            (0..complete).for_each(|bit| item[bit as usize % each] ^= 1 << (bit * 3 % 64));
            let distance = item[..each]
                .iter()
                .zip(&words[77 * each..])
                .map(|(a, b)| (a ^ b).count_ones())
                .sum();
            let mut found = Vec::new();
            tables.near(&item, complete, &mut Asking::default(), &mut found);
            assert_eq!(found, [Neighbor { slot: 77, distance }]);
            assert!(!plan.is_brute_force() && lists.values.len() == plan.tables().len() * 30_000);
        }
    }

    /// Pairs within the complete distance whose differing bits lie where they hurt most.
    #[test]
    fn a_check_hides_nothing_within_the_complete_distance() {
        let mut random = Random::new(4);
        for (bits, complete, count) in [
            (256, 32, 30_000),
            (256, 32, 1_000_000),
            (256, 32, 8_000_000),
            (128, 16, 1_000_000),
            (128, 10, 50_000),
        ] {
            let plan = plan(count, bits, complete);
            assert!(!plan.is_brute_force());
            let layout = Entries::new(&plan, count);
            for _ in 0..20_000 {
                // Most tables are just exceeded; the rest lies behind a few keys.
                let mut item = [0u64; 4];
                let mut left = complete;
                let mut turn = |bit: u32, left: &mut u32| {
                    let (word, mask) = ((bit % bits) as usize / 64, 1 << (63 - bit % 64));
                    if *left > 0 && item[word] & mask == 0 {
                        item[word] |= mask;
                        *left -= 1;
                    }
                };
                let spared = random.below(plan.tables().len() as u64);
                for (number, table) in plan.tables().iter().enumerate() {
                    let is_spared = number as u64 == spared || random.below(4) == 0;
                    for _ in 0..if is_spared { table.radius } else { table.radius + 1 } {
                        turn(table.first_bit + random.below(table.bits.into()) as u32, &mut left);
                    }
                }
                let table = plan.tables()[spared as usize];
                while left > 0 {
                    turn(table.first_bit + table.bits + random.below(96) as u32, &mut left);
                }
                let check = |table: &Table| match bits {
                    128 => check(table, &[item[0], item[1]]),
                    _ => check(table, &item),
                };
                let sees = |table: &Table| {
                    (table.key(&item) as u32).count_ones() <= table.radius
                        && layout.pass(check(table), 0)
                };
                assert!(plan.tables().iter().any(sees), "{plan}: {item:x?}");
            }
        }
    }

    #[test]
    fn the_share_is_that_of_the_plan_but_for_checks() {
        for (bits, complete) in [(256, 32), (128, 16), (64, 8)] {
            let plan = plan(1_000_000, bits, complete);
            for distance in [0, complete, complete + 8, complete * 2] {
                let (seen, by_plan) =
                    (share_seen(&plan, 1_000_000, distance), plan.share_seen(distance));
                assert!(
                    seen <= by_plan + 0.02 && seen >= by_plan - 0.05,
                    "{bits} {distance}: {seen} {by_plan}"
                );
            }
        }
        assert_eq!(share_seen(&Plan::brute_force(256, 80), 1_000, 100), 1.0);
    }

    #[test]
    fn all_keys_within_a_radius() {
        let mut keys = Vec::new();
        keys_within(0b101, 0, 5, 2, &mut keys);
        keys.sort_unstable();
        let expected: Vec<u32> =
            (0..32).filter(|key: &u32| (key ^ 0b101).count_ones() <= 2).collect();
        assert_eq!(keys, expected);
    }
}
