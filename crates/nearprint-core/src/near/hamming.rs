//! Two ranges of fingerprints -> the pairs that are near: the innermost loop of every join.
//!
//! Eight fingerprints (the columns) are turned into arrays of eight, one array a word; then every
//! row is compared with all eight by exclusive or and bit count, and one branch asks whether any is
//! near. The loop is plain, safe Rust, compiled several times, for processors of different ages,
//! because x86-64 as such has no instruction that counts bits. For AVX-512 it is written out: it
//! compares eight rows with eight columns before one branch, and first only as many words as rule
//! out nearly all pairs, by which joins take a tenth to a third less. Of 64 bits half are enough
//! for distances to 6, with sixteen columns: another tenth to a fifth less. Nanoseconds a pair with
//! the plain loop, 128 bits, 16 x 16 and 256 x 1024 fingerprints, one core of an Ice Lake server at
//! 2.8 GHz:
//!
//! | instructions | 16 x 16 | 256 x 1024 |
//! | --- | --- | --- |
//! | AVX-512 with VPOPCNTDQ | 0.24 | 0.16 |
//! | AVX2 | 0.62 | 0.52 |
//! | POPCNT | 0.82 | 0.68 |
//! | none of them | 3.6 | 3.6 |
//!
//! Dropping the pairs that earlier tables see for eight columns at a time was tried and lost: the
//! loop without hits became five times slower.

// A function that is compiled for more instructions than the rest of the program is called, and in
// it words are loaded from arrays.
#![allow(unsafe_code)]

use std::ops::Range;

use super::plan::binomials;

/// Fingerprints compared with one row at a time: eight words fill an AVX-512 register.
const LANES: usize = 8;

/// Which pairs count: those within `max_distance` that are within the radius in none of the
/// `earlier` fields.
pub(super) struct Near<const W: usize> {
    /// Inclusive bound on the bits that differ.
    pub(super) max_distance: u32,
    /// The word to look at first: one without bits of the key, in which pairs that meet are alike.
    pub(super) first_word: usize,
    /// The half that rules out nearly all pairs of a single word, if one does.
    pub(super) first_half: Option<Half>,
    /// The fields in which other tables have found their pairs already.
    pub(super) earlier: Vec<Field<W>>,
}

/// 32 bits of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    High,
    Low,
}

impl Half {
    /// The half of fingerprints of one word, all or 32 `bits` of it, with the fewest bits of a key,
    /// if its other bits leave less than one in a thousand unrelated pairs within this distance.
    pub(super) fn first_look<const W: usize>(
        key: &[u64; W],
        bits: u32,
        max_distance: u32,
    ) -> Option<Half> {
        let there = if bits == 32 { u64::MAX << 32 } else { u64::MAX };
        let free = there & !key[0];
        let [high, low] = [(free >> 32) as u32, free as u32].map(u32::count_ones);
        let (half, free) = if high > low { (Half::High, high) } else { (Half::Low, low) };
        let near: f64 = binomials(free).zip(0..=max_distance).map(|(ways, _)| ways).sum();
        (W == 1 && near * 1000.0 < (1u64 << free) as f64).then_some(half)
    }
}

/// Some bits of a fingerprint, and in how many of them two may differ.
pub(super) struct Field<const W: usize> {
    /// One at the bits of the field.
    pub(super) mask: [u64; W],
    /// Inclusive bound on the bits under the mask that differ.
    pub(super) radius: u32,
}

/// A pair of positions in the compared slice, `row < column`, and its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) distance: u32,
}

/// The comparison loop in instructions that this processor has: only detection makes one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel(Instructions);

#[derive(Debug, Clone, Copy)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Popcnt,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The best kernel of this processor.
    pub(super) fn fastest() -> Kernel {
        Kernel::available().pop().unwrap_or(Kernel(Instructions::Portable))
    }

    /// All kernels of this processor, the fastest last.
    fn available() -> Vec<Kernel> {
        #[allow(unused_mut)] // Only x86-64 adds to it.
        let mut kernels = vec![Kernel(Instructions::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            let popcnt = is_x86_feature_detected!("popcnt");
            let avx2 = popcnt && is_x86_feature_detected!("avx2");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq");
            let all = [
                (popcnt, Instructions::Popcnt),
                (avx2, Instructions::Avx2),
                (avx512, Instructions::Avx512),
            ];
            kernels.extend(
                all.into_iter()
                    .filter(|&(found, _)| found)
                    .map(|(_, instructions)| Kernel(instructions)),
            );
        }
        kernels
    }

    /// Appends to `hits` every near pair of one of `rows` and one of `columns` with `row < column`,
    /// each once.
    pub(super) fn near_pairs<const W: usize>(
        self,
        items: &[[u64; W]],
        rows: Range<usize>,
        columns: Range<usize>,
        near: &Near<W>,
        hits: &mut Vec<Hit>,
    ) {
        match self.0 {
            Instructions::Portable => near_pairs(items, rows, columns, near, hits),
            // SAFETY: a kernel is made by `available` only, after these very instructions were
            // detected.
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => unsafe { near_pairs_popcnt(items, rows, columns, near, hits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { near_pairs_avx2(items, rows, columns, near, hits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { near_pairs_avx512(items, rows, columns, near, hits) },
        }
    }

    /// Calls `near` with the place and the distance of every item within `max_distance` of a
    /// fingerprint, in order.
    pub(super) fn scan<const W: usize>(
        self,
        items: &[[u64; W]],
        item: &[u64; W],
        max_distance: u32,
        near: impl FnMut(usize, u32),
    ) {
        match self.0 {
            Instructions::Portable => scan(items, item, max_distance, near),
            // SAFETY: as in `near_pairs`.
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => unsafe { scan_popcnt(items, item, max_distance, near) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { scan_popcnt(items, item, max_distance, near) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { scan_avx512(items, item, max_distance, near) },
        }
    }
}

/// Compares a fingerprint with every item. What stays a function of its own is compiled for the
/// oldest processors.
#[inline(always)]
fn scan<const W: usize>(
    items: &[[u64; W]],
    item: &[u64; W],
    max_distance: u32,
    mut near: impl FnMut(usize, u32),
) {
    for (place, words) in items.iter().enumerate() {
        let distance = words.iter().zip(item).map(|(one, other)| (one ^ other).count_ones()).sum();
        if distance <= max_distance {
            near(place, distance);
        }
    }
}

/// [`scan`] once more, compiled for other instructions.
macro_rules! scan_for {
    ($name:ident, $features:literal) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $name<const W: usize>(
            items: &[[u64; W]],
            item: &[u64; W],
            most: u32,
            near: impl FnMut(usize, u32),
        ) {
            scan(items, item, most, near);
        }
    };
}

scan_for!(scan_popcnt, "popcnt");
scan_for!(scan_avx512, "popcnt,avx2,avx512f,avx512vl,avx512vpopcntdq");

/// [`near_pairs`] once more, compiled for other instructions.
macro_rules! compiled_for {
    ($name:ident, $features:literal) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $name<const W: usize>(
            items: &[[u64; W]],
            rows: Range<usize>,
            columns: Range<usize>,
            near: &Near<W>,
            hits: &mut Vec<Hit>,
        ) {
            near_pairs(items, rows, columns, near, hits);
        }
    };
}

compiled_for!(near_pairs_popcnt, "popcnt");
compiled_for!(near_pairs_avx2, "popcnt,avx2");

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,avx2,avx512f,avx512vl,avx512vpopcntdq")]
fn near_pairs_avx512<const W: usize>(
    items: &[[u64; W]],
    rows: Range<usize>,
    columns: Range<usize>,
    near: &Near<W>,
    hits: &mut Vec<Hit>,
) {
    match (near.first_half, first_look(near.max_distance)) {
        (Some(Half::High), _) => avx512::near_pairs::<W, 0, 32>(items, rows, columns, near, hits),
        (Some(Half::Low), _) => avx512::near_pairs::<W, 0, 0>(items, rows, columns, near, hits),
        (None, 1) => avx512::near_pairs::<W, 1, 0>(items, rows, columns, near, hits),
        (None, 2) if W > 2 => avx512::near_pairs::<W, 2, 0>(items, rows, columns, near, hits),
        (None, 3) if W > 3 => avx512::near_pairs::<W, 3, 0>(items, rows, columns, near, hits),
        _ => avx512::near_pairs::<W, W, 0>(items, rows, columns, near, hits),
    }
}

/// The number of words that leave less than one in a thousand unrelated pairs within this distance:
/// three deviations and more.
#[cfg(target_arch = "x86_64")]
fn first_look(max_distance: u32) -> usize {
    match max_distance {
        0..20 => 1,
        20..47 => 2,
        47..75 => 3,
        _ => 4,
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;
    use std::ops::Range;

    use super::{Field, Hit, LANES, Near, differing, lanes};

    /// Rows that are compared before one branch.
    const ROWS: usize = 8;

    /// The first look compares the first `P` words or, if that is 0, with sixteen columns at a time
    /// the 32 bits of the only word that are above its `LOW` low bits.
    #[inline]
    #[target_feature(enable = "popcnt,avx2,avx512f,avx512vl,avx512vpopcntdq")]
    pub(super) fn near_pairs<const W: usize, const P: usize, const LOW: u32>(
        items: &[[u64; W]],
        rows: Range<usize>,
        columns: Range<usize>,
        near: &Near<W>,
        hits: &mut Vec<Hit>,
    ) {
        let most = match P {
            0 => _mm512_set1_epi32(near.max_distance as i32),
            _ => _mm512_set1_epi64(i64::from(near.max_distance)),
        };
        let passed = |distance| match P {
            0 => u32::from(_mm512_cmple_epu32_mask(distance, most)),
            _ => u32::from(_mm512_cmple_epu64_mask(distance, most)),
        };
        let lanes = if P == 0 { 2 * LANES } else { LANES };
        for first in columns.clone().step_by(lanes) {
            let known = hits.len();
            let halves =
                if P == 0 { halves::<W, LOW>(items, first) } else { _mm512_setzero_si512() };
            let words = if P == 0 { [_mm512_setzero_si512(); W] } else { words(items, first) };
            let words: [__m512i; P] =
                std::array::from_fn(|word| words[(near.first_word + word) % W]);
            // A row from the block's last column on is before none of its columns.
            let end = rows.end.min(first + lanes - 1);
            let distance = |query: &[u64; W]| {
                if P == 0 {
                    let query = _mm512_set1_epi32((query[0] >> LOW) as i32);
                    return _mm512_popcnt_epi32(_mm512_xor_si512(halves, query));
                }
                let mut distance = _mm512_setzero_si512();
                for word in 0..P {
                    let differ = _mm512_xor_si512(
                        words[word],
                        _mm512_set1_epi64(query[(near.first_word + word) % W] as i64),
                    );
                    distance = _mm512_add_epi64(distance, _mm512_popcnt_epi64(differ));
                }
                distance
            };
            let mut look_closer = |row: usize, distance| {
                let mut passed = passed(distance);
                while passed != 0 {
                    let column = first + passed.trailing_zeros() as usize;
                    passed &= passed - 1;
                    if row < column && column < columns.end {
                        report(items, row, column, near, hits);
                    }
                }
            };
            let (groups, rest) = items[rows.start.min(end)..end].as_chunks::<ROWS>();
            let mut row = rows.start;
            for queries in groups {
                let distances = queries.each_ref().map(distance);
                let [a, b, c, d, e, f, g, h] = distances;
                let min = |one, other| _mm512_min_epu32(one, other);
                let least = min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)));
                if passed(least) != 0 {
                    distances
                        .into_iter()
                        .enumerate()
                        .for_each(|(place, distance)| look_closer(row + place, distance));
                }
                row += ROWS;
            }
            let mut distances = [_mm512_set1_epi64(-1); ROWS];
            let mut least = distances[0];
            for (query, place) in rest.iter().zip(&mut distances) {
                *place = distance(query);
                least = _mm512_min_epu32(least, *place);
            }
            if passed(least) != 0 {
                distances
                    .into_iter()
                    .enumerate()
                    .for_each(|(place, distance)| look_closer(row + place, distance));
            }
            // In the order of blocks of eight columns, as on every machine.
            if P == 0 && hits.len() > known {
                hits[known..].sort_by_key(|hit| hit.column as usize >= first + LANES);
            }
        }
    }

    /// Of sixteen fingerprints of one word from `first` on, the 32 bits above the `LOW` low ones.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn halves<const W: usize, const LOW: u32>(items: &[[u64; W]], first: usize) -> __m512i {
        let rest = items[first..].as_flattened();
        let block = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut block = [0; 2 * LANES];
            block[..rest.len()].copy_from_slice(rest);
            block
        });
        let (vectors, _) = block.as_chunks::<LANES>();
        // SAFETY: an array of eight words has 64 bytes.
        let load = |words: &[u64; LANES]| unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
        let [low, high] = [load(&vectors[0]), load(&vectors[1])];
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        _mm512_permutex2var_epi32(
            low,
            _mm512_add_epi32(even, _mm512_set1_epi32(i32::from(LOW == 32))),
            high,
        )
    }

    /// Eight fingerprints from `first` on, a vector a word.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn words<const W: usize>(items: &[[u64; W]], first: usize) -> [__m512i; W] {
        // SAFETY: an array of eight words has 64 bytes.
        let load = |words: &[u64; LANES]| unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
        let Some(block) = items[first..].first_chunk::<LANES>().filter(|_| W <= 4) else {
            return lanes(items, first).map(|words| load(&words));
        };
        // Word after word as they lie in memory, eight at a time; then those of one place together.
        let (vectors, _) = block.as_flattened().as_chunks::<LANES>();
        let vectors: [__m512i; W] = std::array::from_fn(|vector| load(&vectors[vector]));
        let step = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        let at = |place: usize, step| _mm512_add_epi64(_mm512_set1_epi64(place as i64), step);
        match W {
            1 => vectors,
            2 => std::array::from_fn(|word| {
                _mm512_permutex2var_epi64(
                    vectors[0],
                    at(word, _mm512_slli_epi64::<1>(step)),
                    vectors[W - 1],
                )
            }),
            _ => std::array::from_fn(|word| {
                let places = at(word, _mm512_slli_epi64::<2>(step));
                let low = _mm512_permutex2var_epi64(vectors[0], places, vectors[1 % W]);
                let high = _mm512_permutex2var_epi64(vectors[2 % W], places, vectors[3 % W]);
                _mm512_inserti64x4::<1>(low, _mm512_castsi512_si256(high))
            }),
        }
    }

    /// Adds a pair if it is near.
    fn report<const W: usize>(
        items: &[[u64; W]],
        row: usize,
        column: usize,
        near: &Near<W>,
        hits: &mut Vec<Hit>,
    ) {
        let (left, right) = (&items[row], &items[column]);
        let distance = differing(left, right, &[u64::MAX; W]);
        let seen_earlier = |field: &Field<W>| differing(left, right, &field.mask) <= field.radius;
        if distance <= near.max_distance && !near.earlier.iter().any(seen_earlier) {
            hits.push(Hit { row: row as u32, column: column as u32, distance });
        }
    }
}

#[inline(always)]
fn near_pairs<const W: usize>(
    items: &[[u64; W]],
    rows: Range<usize>,
    columns: Range<usize>,
    near: &Near<W>,
    hits: &mut Vec<Hit>,
) {
    let max_distance = u64::from(near.max_distance);
    for first in columns.clone().step_by(LANES) {
        let lanes = lanes(items, first);
        // A row from the block's last column on is before none of its columns.
        let end = rows.end.min(first + LANES - 1);
        for row in rows.start..end {
            let query = items[row];
            let mut distances = [0u64; LANES];
            for (lanes, query) in lanes.iter().zip(&query) {
                for (distance, lane) in distances.iter_mut().zip(lanes) {
                    *distance += u64::from((lane ^ query).count_ones());
                }
            }
            let mut any = false;
            for distance in distances {
                any |= distance <= max_distance;
            }
            if any {
                for (column, distance) in (first..columns.end).zip(distances) {
                    let seen_earlier = |field: &Field<W>| {
                        differing(&query, &items[column], &field.mask) <= field.radius
                    };
                    if row < column
                        && distance <= max_distance
                        && !near.earlier.iter().any(seen_earlier)
                    {
                        hits.push(Hit {
                            row: row as u32,
                            column: column as u32,
                            distance: distance as u32,
                        });
                    }
                }
            }
        }
    }
}

/// The fingerprints from `first` on, word by word. Behind the end of the slice there are zeros,
/// which no one reports; behind the end of a bucket lies the next one, so that a short bucket costs
/// no loop over single fingerprints.
#[inline(always)]
fn lanes<const W: usize>(items: &[[u64; W]], first: usize) -> [[u64; LANES]; W] {
    let rest = &items[first..];
    let block = rest.first_chunk::<LANES>().copied().unwrap_or_else(|| {
        let mut block = [[0; W]; LANES];
        block[..rest.len()].copy_from_slice(rest);
        block
    });
    std::array::from_fn(|word| block.map(|item| item[word]))
}

/// The number of bits under `mask` in which two fingerprints differ.
#[inline(always)]
fn differing<const W: usize>(left: &[u64; W], right: &[u64; W], mask: &[u64; W]) -> u32 {
    (0..W).map(|word| ((left[word] ^ right[word]) & mask[word]).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    /// The pairs that [`Kernel::near_pairs`] should find, one comparison after the other.
    fn naive<const W: usize>(
        items: &[[u64; W]],
        rows: Range<usize>,
        columns: Range<usize>,
        near: &Near<W>,
    ) -> Vec<(u32, u32, u32)> {
        let mut found = Vec::new();
        for row in rows {
            for column in columns.clone() {
                let distance = differing(&items[row], &items[column], &[u64::MAX; W]);
                let earlier = near
                    .earlier
                    .iter()
                    .any(|f| differing(&items[row], &items[column], &f.mask) <= f.radius);
                if row < column && distance <= near.max_distance && !earlier {
                    found.push((row as u32, column as u32, distance));
                }
            }
        }
        found
    }

    fn check<const W: usize>(
        words: &[u64],
        cuts: [usize; 4],
        max_distance: u32,
        mask: u64,
    ) -> Result<(), TestCaseError> {
        let items = words.as_chunks::<W>().0;
        let cut = cuts.map(|cut| cut % (items.len() + 1));
        let (rows, columns) =
            (cut[0].min(cut[1])..cut[0].max(cut[1]), cut[2].min(cut[3])..cut[2].max(cut[3]));
        for earlier in [Vec::new(), vec![Field { mask: [mask; W], radius: 1 }]] {
            let first_word = mask as usize % W;
            let first_half = [None, Some(Half::High), Some(Half::Low)]
                [if W == 1 { mask as usize % 3 } else { 0 }];
            let near =
                Near { max_distance: max_distance * W as u32, first_word, first_half, earlier };
            let expected = naive(items, rows.clone(), columns.clone(), &near);
            let scanned = |kernel: Kernel| {
                let mut found = Vec::new();
                let item = items.first().unwrap_or(&[0; W]);
                kernel.scan(items, item, near.max_distance, |place, distance| {
                    found.push((place, distance))
                });
                found
            };
            let near_first = |place: usize| {
                let distance = items[place]
                    .iter()
                    .zip(&items[0])
                    .map(|(one, other)| (one ^ other).count_ones())
                    .sum();
                (distance <= near.max_distance).then_some((place, distance))
            };
            let all_near: Vec<(usize, u32)> = (0..items.len()).filter_map(near_first).collect();
            let mut in_order = Vec::new();
            Kernel(Instructions::Portable).near_pairs(
                items,
                rows.clone(),
                columns.clone(),
                &near,
                &mut in_order,
            );
            for kernel in Kernel::available() {
                prop_assert_eq!(&scanned(kernel), &all_near, "{:?}", kernel);
                let mut hits = Vec::new();
                kernel.near_pairs(items, rows.clone(), columns.clone(), &near, &mut hits);
                prop_assert_eq!(&hits, &in_order, "{:?}", kernel);
                let mut found: Vec<_> =
                    hits.iter().map(|hit| (hit.row, hit.column, hit.distance)).collect();
                found.sort_unstable();
                prop_assert_eq!(&found, &expected, "{:?}", kernel);
            }
        }
        Ok(())
    }

    #[test]
    fn half_a_word_is_looked_at_where_it_rules_out_enough() {
        let high_key = [0xffff << 48];
        assert_eq!(Half::first_look(&high_key, 64, 6), Some(Half::Low));
        assert_eq!(Half::first_look(&[0xff], 64, 3), Some(Half::High));
        assert_eq!(Half::first_look(&high_key, 64, 7), None);
        assert_eq!(Half::first_look(&[high_key[0], 0], 128, 3), None);
        assert_eq!(Half::first_look(&[u64::MAX], 64, 0), None);
        assert_eq!(Half::first_look(&[0xff << 56], 32, 5), None);
        assert_eq!(Half::first_look(&[0xff << 56], 32, 3), Some(Half::High));
    }

    proptest! {
        #![proptest_config(Config {
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            cases: 200,
            ..Config::default()
        })]

        #[test]
        fn every_kernel_finds_what_single_comparisons_find(
            words in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 0..120),
            cuts in any::<[usize; 4]>(),
            max_distance in 0u32..=64,
            mask in any::<u64>(),
        ) {
            #[cfg(target_arch = "x86_64")]
            {
                processor_has!("join/hamming.rs with POPCNT", "popcnt");
                processor_has!("join/hamming.rs with AVX2", "popcnt", "avx2");
                processor_has!("join/hamming.rs with AVX-512", "avx512f", "avx512vl", "avx512vpopcntdq");
            }
            check::<1>(&words, cuts, max_distance, mask)?;
            check::<2>(&words, cuts, max_distance, mask)?;
            check::<4>(&words, cuts, max_distance, mask)?;
        }
    }
}
