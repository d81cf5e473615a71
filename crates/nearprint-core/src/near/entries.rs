//! A fingerprint in a table -> its entry: its place, and a check that rules out most others before
//! their fingerprints are read from elsewhere in memory.
//!
//! With 128 and 256 bits an entry has 64 bits: the place, in as many bits as the number of
//! fingerprints needs, 16 at least, and a *check*, the bits that follow the key of the table,
//! cyclically. Fingerprints whose checks differ in more than T bits are not compared.
//!
//! The check keeps the search complete. Let S be the tables that see a pair within the complete
//! distance k, where sum (r_t + 1) = k + 1. Every other table t has r_t + 1 differing bits or more,
//! so at most sum over S of (r_t + 1) - 1 bits are left for the keys of S, and to exceed r_t + 1
//! elsewhere. Say that a check touches the keys of w tables, that a bit lies in the checks of at
//! most m tables, and that r is the largest radius. If each table of S had more than T differing
//! bits in its check, of which at most `w (r + 1)` are those that other tables need, then
//! `|S| (T + 1 - w (r + 1)) <= m (|S| (r + 1) - 1)`. With `T = (w + m) (r + 1) - 1` this is
//! impossible. Beyond k a check hides some pairs that the plan sees, so T is at least three eighths
//! of the bits of a check.
//!
//! A longer check touches more keys, so its T is larger. The longest check is taken for which three
//! eighths are enough; if there is none, all remaining bits are used. With default settings one
//! unrelated fingerprint in ten or twenty passes.

// A function that is compiled for vector instructions is called after detection.
#![allow(unsafe_code)]

use super::plan::{Plan, Table};

/// The fewest bits of a place.
const PLACE: u32 = 16;

/// The least share of the bits of a check that may differ, as a fraction. A smaller share hides
/// pairs that are worth finding.
const MOST: (u32, u32) = (3, 8);

/// The layout of entries: the check in the upper bits, the place in the lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entries {
    /// The number of bits of a check.
    check: u32,
    /// The most of them that differ if two fingerprints are compared.
    most: u32,
}

/// The 64 bits that follow the key of a table, cyclically.
pub fn check<const W: usize>(table: &Table, item: &[u64; W]) -> u64 {
    let first = (table.first_bit + table.bits) as usize % (64 * W);
    let (word, offset) = (first / 64, first % 64);
    let low = if offset == 0 { 0 } else { item[(word + 1) % W] >> (64 - offset) };
    item[word] << offset | low
}

impl Entries {
    /// The layout for the tables of a plan and this number of fingerprints.
    pub fn new(plan: &Plan, count: usize) -> Entries {
        let place = (count as u64).next_power_of_two().trailing_zeros().max(PLACE);
        let room = 64 - place;
        let enough = |check: u32| check * MOST.0 / MOST.1;
        let check =
            (1..=room).rev().find(|check| complete(plan, *check) <= enough(*check)).unwrap_or(room);
        Entries { check, most: complete(plan, check).max(enough(check)) }
    }

    /// Ones at the bits of an entry below its check.
    fn mask(self) -> u64 {
        u64::MAX >> self.check
    }

    /// The entry of a fingerprint with these 64 bits after its key.
    #[inline(always)]
    pub fn entry(self, check: u64, place: u32) -> u64 {
        check & !self.mask() | u64::from(place)
    }

    /// Returns true if two fingerprints with these bits after their keys are compared.
    #[inline(always)]
    pub fn pass(self, one: u64, other: u64) -> bool {
        ((one ^ other) & !self.mask()).count_ones() <= self.most
    }

    /// Fills the beginning of `places` with the places of the entries that pass, and returns their
    /// number.
    pub fn pass_all(self, entries: &[u64], check: u64, places: &mut [u32]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the instructions were just detected.
            return unsafe { self.pass_by_eight(entries, check, places) };
        }
        self.pass_by_one(entries, check, places)
    }

    #[inline(always)]
    fn pass_by_one(self, entries: &[u64], check: u64, places: &mut [u32]) -> usize {
        let places = &mut places[..entries.len()];
        let mut count = 0;
        for entry in entries {
            // There is no branch: the next place overwrites the place of an entry that fails.
            places[count] = (entry & self.mask()) as u32;
            count += usize::from(self.pass(*entry, check));
        }
        count
    }

    /// [`pass_by_one`](Self::pass_by_one) for eight entries at a time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,avx512f,avx512vl,avx512vpopcntdq")]
    fn pass_by_eight(self, entries: &[u64], check: u64, places: &mut [u32]) -> usize {
        use std::arch::x86_64::*;
        let (eights, rest) = entries.as_chunks::<8>();
        let (checks, mask) =
            (_mm512_set1_epi64(check as i64), _mm512_set1_epi64(self.mask() as i64));
        let most = _mm512_set1_epi64(self.most.into());
        let mut count = 0;
        for eight in eights {
            // SAFETY: eight entries are 64 bytes.
            let eight = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
            let differing =
                _mm512_popcnt_epi64(_mm512_andnot_si512(mask, _mm512_xor_si512(eight, checks)));
            let passing = _mm512_cmple_epu64_mask(differing, most);
            let found = _mm256_maskz_compress_epi32(
                passing,
                _mm512_cvtepi64_epi32(_mm512_and_si512(eight, mask)),
            );
            let room: &mut [u32; 8] =
                (&mut places[count..count + 8]).try_into().expect("there is room for every entry");
            // SAFETY: eight places are 32 bytes.
            unsafe { _mm256_storeu_si256(room.as_mut_ptr().cast(), found) };
            count += passing.count_ones() as usize;
        }
        count + self.pass_by_one(rest, check, &mut places[count..])
    }
}

/// The T of a check of this number of bits, by the proof above.
fn complete(plan: &Plan, check: u32) -> u32 {
    let (bits, tables) = (plan.bits(), plan.tables());
    let behind =
        |table: &Table, bit: u32| (bit + bits - (table.first_bit + table.bits) % bits) % bits;
    let touches = |table: &Table, other: &Table| {
        let begin = behind(table, other.first_bit);
        begin < check || begin + other.bits > bits
    };
    let keys = tables
        .iter()
        .map(|table| tables.iter().filter(|other| touches(table, other)).count())
        .max();
    let checks =
        (0..bits).map(|bit| tables.iter().filter(|table| behind(table, bit) < check).count()).max();
    let radius = tables.iter().map(|table| table.radius).max().unwrap_or(0);
    ((keys.unwrap_or(0) + checks.unwrap_or(0)) as u32 * (radius + 1)).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::near::plan;
    use crate::random::Random;

    #[test]
    fn a_check_has_the_bits_after_the_key() {
        let item = [1, 0, 0, 3 << 62 | 0xff];
        let table = |first_bit, bits| Table { first_bit, bits, radius: 1 };
        assert_eq!(check(&table(112, 16), &item), 0);
        assert_eq!(check(&table(170, 10), &item), 0b11 << 50);
        assert_eq!(check(&table(232, 16), &item), 0xff << 56);
        assert_eq!(check(&table(240, 16), &item), 1);
        assert_eq!(check(&table(0, 62), &item), 1 << 62);
    }

    proptest! {
        #[test]
        fn entries_pass_eight_at_a_time_as_one_by_one(seed in any::<u64>(), length in 0usize..100, count in 0usize..5_000_000) {
            let mut random = Random::new(seed);
            let layout = Entries { most: random.below(40) as u32, ..Entries::new(&plan(count, 256, 32), count) };
            let entries: Vec<u64> = (0..length).map(|_| random.next()).collect();
            let (check, mut places) = (random.next(), [vec![0; length], vec![0; length]]);
            let passed = layout.pass_all(&entries, check, &mut places[0]);
            prop_assert_eq!(passed, layout.pass_by_one(&entries, check, &mut places[1]));
            prop_assert_eq!(&places[0][..passed], &places[1][..passed]);
        }
    }

    #[test]
    fn few_unrelated_fingerprints_pass() {
        for count in [32_768, 1_000_000, 2_097_152, 8_388_608, 16_777_216] {
            let layout = Entries::new(&plan(count, 256, 32), count);
            let mut random = Random::new(3);
            let passed = (0..20_000).filter(|_| layout.pass(random.next(), random.next())).count();
            assert!(passed < 2_400, "{count}: {layout:?}, {passed} of 20,000");
        }
    }
}
