//! A column of fingerprints -> tables of it in flat lists -> for any fingerprint, those of the column that are near it.
//!
//! A table lists the places of all fingerprints by their keys, and where the places of each key begin. A fingerprint is compared with those
//! of each key within the radius of its own. The lists are numbers in a row, so that they may lie in a file, and may be read from there
//! where they lie. They depend on the column and the plan alone.
//!
//! Of fingerprints of 64 bits at most the lists hold the fingerprints themselves, too, in the order of the places: those of a key are
//! then read in a row.
//!
//! Cost of a question: a look at each key, and one at each fingerprint that has one of them, two to six nanoseconds each. Where these are so
//! many that a look at all fingerprints in a row is cheaper, that is done.
//!
//! Sources: those of [`Lookup`](super::Lookup).

// A function that is compiled for more instructions than the rest of the program is called.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::Neighbor;
use super::plan::{Plan, Table};

/// Looking at fingerprints here and there takes about as long as looking at this number of times as many in a row.
const IN_A_ROW: usize = 6;

/// The lists of all tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// For each table where the places of each key begin, and their end; then the places by key.
    pub places: Vec<u32>,
    /// For each table the fingerprints in the order of these places, where they have 64 bits at most.
    pub values: Vec<u64>,
}

/// What a question needs. One a thread.
#[derive(Debug, Default)]
pub struct Asking {
    keys: Vec<u32>,
    ranges: Vec<(u32, u32)>,
    places: Vec<u32>,
}

/// Fingerprints with the tables of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    plan: &'a Plan,
    words: &'a [u64],
    places: &'a [u32],
    values: &'a [u64],
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
            values: vec![0; if W == 1 { plan.tables().len() * items.len() } else { 0 }],
        };
        let mut rest = lists.places.as_mut_slice();
        let mut parts = Vec::new();
        for table in plan.tables() {
            let (starts, behind) = rest.split_at_mut(starts(table));
            let (places, behind) = behind.split_at_mut(items.len());
            rest = behind;
            parts.push((table, starts, places));
        }
        parts.into_par_iter().for_each(|(table, starts, places)| {
            items.iter().for_each(|item| starts[table.key(item) + 1] += 1);
            for key in 1..starts.len() {
                starts[key] += starts[key - 1];
            }
            // Each start moves on to that of the next key.
            for (place, item) in (0..).zip(items) {
                let next = &mut starts[table.key(item)];
                places[*next as usize] = place;
                *next += 1;
            }
            starts.copy_within(..starts.len() - 1, 1);
            starts[0] = 0;
        });
        let mut rest = lists.places.as_slice();
        for (table, values) in plan.tables().iter().zip(lists.values.chunks_exact_mut(items.len().max(1))) {
            let (places, behind) = rest[starts(table)..].split_at(items.len());
            values.iter_mut().zip(places).for_each(|(value, place)| *value = items[*place as usize][0]);
            rest = behind;
        }
        lists
    }
}

/// Starts of the keys of a table, and the end.
fn starts(table: &Table) -> usize {
    (1 << table.bits) + 1
}

/// How many numbers the places take among this many fingerprints.
pub fn numbers(plan: &Plan, fingerprints: usize) -> usize {
    plan.tables().iter().map(|table| starts(table) + fingerprints).sum()
}

impl<'a> Tables<'a> {
    /// The words of fingerprints of the plan's width, with their lists.
    ///
    /// # Panics
    /// If the lists are of another length than those of this plan.
    pub fn new(plan: &'a Plan, words: &'a [u64], places: &'a [u32], values: &'a [u64]) -> Tables<'a> {
        let each = plan.bits().div_ceil(64) as usize;
        let count = words.len() / each;
        assert_eq!(places.len(), numbers(plan, count), "the places of another plan");
        let own = if each == 1 { plan.tables().len() * count } else { 0 };
        assert_eq!(values.len(), own, "the values of another plan");
        Tables { plan, words, places, values }
    }

    /// Adds the fingerprints that a table of the plan sees within `max_distance` of this one, inclusive, by place.
    pub fn near(&self, item: &[u64; 4], max_distance: u32, asking: &mut Asking, out: &mut Vec<Neighbor>) {
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

    fn near_of<const W: usize>(&self, item: &[u64; 4], most: u32, asking: &mut Asking, out: &mut Vec<Neighbor>) {
        let item: [u64; W] = std::array::from_fn(|word| item[word]);
        let (items, _) = self.words.as_chunks::<W>();
        let Asking { keys, ranges, places } = asking;
        let (mut rest, mut met) = (self.places, 0);
        let mut begin = 0u32;
        ranges.clear();
        for table in self.plan.tables() {
            keys.clear();
            keys_within(table.key(&item) as u32, 0, table.bits, table.radius, keys);
            let (starts, behind) = rest.split_at(starts(table));
            begin += starts.len() as u32;
            for key in keys.iter() {
                let (start, end) = (starts[*key as usize], starts[*key as usize + 1]);
                met += (end - start) as usize;
                if end > start {
                    ranges.push((begin + start, begin + end));
                }
            }
            begin += items.len() as u32;
            rest = &behind[items.len()..];
        }
        if self.plan.is_brute_force() || met * IN_A_ROW > items.len() {
            return scan(items, &item, most, out);
        }
        if W == 1 {
            // The places of a table begin behind its starts, its values do not.
            let mut begin = 0;
            let mut table = self.plan.tables().iter();
            let mut lead = 0;
            for (start, end) in ranges.iter() {
                while *start as usize >= begin {
                    let Some(table) = table.next() else { break };
                    lead += starts(table);
                    begin += starts(table) + items.len();
                }
                let values = &self.values[*start as usize - lead..*end as usize - lead];
                compare_row(values.as_chunks::<W>().0, &item, most, &self.places[*start as usize..], out);
            }
            return;
        }
        places.clear();
        for (start, end) in ranges.iter() {
            places.extend_from_slice(&self.places[*start as usize..*end as usize]);
        }
        compare(items, places, &item, most, out);
    }
}

/// Adds the fingerprints of a column within `max_distance` of one, inclusive, by place: each is compared.
pub fn scan_column(words: &[u64], each: usize, item: &[u64; 4], max_distance: u32, out: &mut Vec<Neighbor>) {
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

/// Makes a function that is compiled for processors of different ages of one that is always inlined.
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
        if let Some(ahead) = places.get(number + AHEAD).and_then(|ahead| items.get(*ahead as usize)) {
            prefetch(ahead);
        }
        let distance = distance(&items[*place as usize], item);
        if distance <= most {
            out.push(Neighbor { slot: *place, distance });
        }
    }
}

/// Fingerprints that are asked for before one is looked at.
const AHEAD: usize = 24;

/// Asks for a value that is looked at later.
#[inline(always)]
fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the processor has it, and the address is that of a value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
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
fn scan_inlined<const W: usize>(items: &[[u64; W]], item: &[u64; W], most: u32, out: &mut Vec<Neighbor>) {
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
    use crate::join::plan;
    use crate::random::Random;

    /// Fingerprints around a few centers, and others.
    fn column(bits: u32, count: usize, random: &mut Random) -> Vec<u64> {
        let each = bits.div_ceil(64) as usize;
        let cut = |word: u64| if bits == 32 { word & u64::MAX << 32 } else { word };
        let centers: Vec<Vec<u64>> = (0..4).map(|_| (0..each).map(|_| cut(random.next())).collect()).collect();
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
            let max_distance = (complete + beyond).min(bits - 1);
            let mut asking = Asking::default();
            for own in words.chunks(each).take(40) {
                let mut item = [0; 4];
                item[..each].copy_from_slice(own);
                let mut found = vec![Neighbor { slot: 7, distance: 7 }];
                tables.near(&item, max_distance, &mut asking, &mut found);
                prop_assert_eq!(found.remove(0), Neighbor { slot: 7, distance: 7 });
                for (slot, other) in (0..).zip(words.chunks(each)) {
                    let distance = own.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
                    let is_found = found.binary_search(&Neighbor { slot, distance }).is_ok();
                    // A look at all of them sees more.
                    prop_assert!(!is_found || distance <= max_distance);
                    prop_assert!(is_found || distance > max_distance || !plan.sees(own, other));
                }
                prop_assert!(found.is_sorted());
                found.dedup();
                prop_assert!(found.len() <= count);
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
            let distance = item[..each].iter().zip(&words[77 * each..]).map(|(a, b)| (a ^ b).count_ones()).sum();
            let mut found = Vec::new();
            tables.near(&item, complete, &mut Asking::default(), &mut found);
            assert_eq!(found, [Neighbor { slot: 77, distance }]);
            assert!(!plan.is_brute_force());
        }
    }

    #[test]
    fn all_keys_within_a_radius() {
        let mut keys = Vec::new();
        keys_within(0b101, 0, 5, 2, &mut keys);
        keys.sort_unstable();
        let expected: Vec<u32> = (0..32).filter(|key: &u32| (key ^ 0b101).count_ones() <= 2).collect();
        assert_eq!(keys, expected);
    }
}
