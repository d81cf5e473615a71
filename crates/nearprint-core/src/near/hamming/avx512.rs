//! The comparison loop written out for AVX-512.
//!
//! It compares eight rows with eight columns before one branch. A first look compares only as many
//! words as rule out nearly all pairs, by which joins take a tenth to a third less time. With 64
//! bits and distances up to 6 it compares half a word of sixteen columns: another tenth to a fifth
//! less.

use std::arch::x86_64::*;
use std::ops::Range;

use super::{Field, Half, Hit, LANES, Near, differing, lanes};

/// The number of rows that are compared before one branch.
const ROWS: usize = 8;

/// Finds near pairs with the first look that suits the distance.
#[target_feature(enable = "popcnt,avx2,avx512f,avx512vl,avx512vpopcntdq")]
pub(super) fn near_pairs<const W: usize>(
    items: &[[u64; W]],
    rows: Range<usize>,
    columns: Range<usize>,
    near: &Near<W>,
    hits: &mut Vec<Hit>,
) {
    match (near.first_half, first_look(near.max_distance)) {
        (Some(Half::High), _) => near_pairs_by::<W, 0, 32>(items, rows, columns, near, hits),
        (Some(Half::Low), _) => near_pairs_by::<W, 0, 0>(items, rows, columns, near, hits),
        (None, 1) => near_pairs_by::<W, 1, 0>(items, rows, columns, near, hits),
        (None, 2) if W > 2 => near_pairs_by::<W, 2, 0>(items, rows, columns, near, hits),
        (None, 3) if W > 3 => near_pairs_by::<W, 3, 0>(items, rows, columns, near, hits),
        _ => near_pairs_by::<W, W, 0>(items, rows, columns, near, hits),
    }
}

/// The number of words that leave less than one in a thousand unrelated pairs within this distance,
/// which is more than three standard deviations below their mean.
fn first_look(max_distance: u32) -> usize {
    match max_distance {
        0..20 => 1,
        20..47 => 2,
        47..75 => 3,
        _ => 4,
    }
}

/// Finds near pairs by a first look and, for those that pass it, by all words. The first look
/// compares `P` words of eight columns. With `P` = 0 it compares 32 bits of sixteen columns of one
/// word: those above its `LOW` low bits.
#[inline]
#[target_feature(enable = "popcnt,avx2,avx512f,avx512vl,avx512vpopcntdq")]
fn near_pairs_by<const W: usize, const P: usize, const LOW: u32>(
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
        let halves = if P == 0 { halves::<W, LOW>(items, first) } else { _mm512_setzero_si512() };
        let words = if P == 0 { [_mm512_setzero_si512(); W] } else { words(items, first) };
        let words: [__m512i; P] = std::array::from_fn(|word| words[(near.first_word + word) % W]);
        // A row at or after the last column of the block is before none of its columns.
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
        // All kernels give the pairs in the order of blocks of eight columns.
        if P == 0 && hits.len() > known {
            hits[known..].sort_by_key(|hit| hit.column as usize >= first + LANES);
        }
    }
}

/// The 32 bits above the `LOW` low ones of sixteen fingerprints of one word from `first` on.
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

/// Eight fingerprints from `first` on: for each word a vector with that word of all eight.
#[inline]
#[target_feature(enable = "avx512f")]
fn words<const W: usize>(items: &[[u64; W]], first: usize) -> [__m512i; W] {
    // SAFETY: an array of eight words has 64 bytes.
    let load = |words: &[u64; LANES]| unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    let Some(block) = items[first..].first_chunk::<LANES>().filter(|_| W <= 4) else {
        return lanes(items, first).map(|words| load(&words));
    };
    // The vectors first hold the words as they lie in memory; then they are transposed.
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

/// Adds a pair if it is near and no earlier table sees it.
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
