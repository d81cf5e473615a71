//! Two ranges of fingerprints -> the pairs that are near: the innermost loop of every join.
//!
//! Eight fingerprints (the columns) are transposed into arrays of eight, one array for each word.
//! Each row is compared with all eight by exclusive or and bit count, and one branch asks whether
//! any is near. The loop is plain, safe Rust. It is compiled several times, since x86-64 without
//! extensions has no instruction that counts bits. For AVX-512 it is written out in `avx512.rs`.
//!
//! Nanoseconds a pair with the plain loop, 128 bits, 16 x 16 and 256 x 1024 fingerprints, one core
//! of an Ice Lake server at 2.8 GHz:
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

// Functions that are compiled for more instructions are called after detection, and words are
// loaded from arrays.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use std::ops::Range;

use super::plan::binomials;

/// The number of columns compared with one row at a time: eight words fill an AVX-512 register.
const LANES: usize = 8;

/// The condition of a near pair: it is within `max_distance`, and no earlier table sees it.
pub(super) struct Near<const W: usize> {
    /// The most bits that differ, inclusive.
    pub(super) max_distance: u32,
    /// The word to compare first: one without bits of the key, in which pairs that meet are alike.
    pub(super) first_word: usize,
    /// The half of a single word that rules out nearly all pairs, if one does.
    pub(super) first_half: Option<Half>,
    /// The keys of the earlier tables.
    pub(super) earlier: Vec<Field<W>>,
}

/// 32 bits of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    High,
    Low,
}

impl Half {
    /// The half with the fewest bits of a key, if its other bits leave less than one in a thousand
    /// unrelated pairs within this distance. It is `None` for fingerprints of several words.
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

/// Some bits of a fingerprint, and the number of them in which two may differ.
pub(super) struct Field<const W: usize> {
    /// Ones at the bits of the field.
    pub(super) mask: [u64; W],
    /// The most bits under the mask that differ, inclusive.
    pub(super) radius: u32,
}

/// A near pair: its positions in the compared slice, `row < column`, and its distance in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) distance: u32,
}

/// The comparison loop in instructions that this processor has. It is made by detection alone.
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
    /// The fastest kernel of this processor.
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
            // SAFETY: only `available` makes a kernel, after it detected these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => unsafe { near_pairs_popcnt(items, rows, columns, near, hits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { near_pairs_avx2(items, rows, columns, near, hits) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::near_pairs(items, rows, columns, near, hits) },
        }
    }

    /// Calls `near` with the place and the distance of each item within `max_distance` of a
    /// fingerprint, in order of the places.
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
            Instructions::Popcnt | Instructions::Avx2 => unsafe {
                scan_popcnt(items, item, max_distance, near)
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { scan_avx512(items, item, max_distance, near) },
        }
    }
}

/// Compares a fingerprint with every item. It is inlined, so that its callers compile it for their
/// instructions.
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

/// Defines [`scan`] compiled for other instructions.
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

/// Defines [`near_pairs`] compiled for other instructions.
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

/// The plain loop of [`Kernel::near_pairs`].
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
        // A row at or after the last column of the block is before none of its columns.
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

/// Eight fingerprints from `first` on, transposed: an array for each word. It has zeros after the
/// end of the slice, and fingerprints of the next bucket after the end of a bucket. The caller
/// drops both, so a short bucket costs no loop over single fingerprints.
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
mod tests;
