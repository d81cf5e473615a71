//! A query and fingerprints -> those within a distance, in the instructions that the processor has.

use std::ops::Range;

use super::super::Neighbor;

/// The number of fingerprints that are prefetched before one is read: as many as the second-level
/// cache has misses in flight.
const AHEAD: usize = 48;

/// The number of fingerprints that are compared before one branch asks whether any is near.
const TOGETHER: usize = 16;

/// Compares a query with each fingerprint of a column, and adds those within `max_distance`,
/// inclusive, in the order of their places. A fingerprint has `each` words.
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

/// Defines a function that runs the body of another one, compiled for several instruction sets. The
/// other one is always inlined.
macro_rules! for_each_processor {
    ($name:ident = $inlined:ident, ($($argument:ident: $type:ty),+)) => {
        pub(super) fn $name<const W: usize>($($argument: $type),+) {
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

// Compares the fingerprints at these of the places with a query.
for_each_processor!(
    compare_places = compare_places_inlined,
    (items: &[[u64; W]], places: &[u32], these: Range<usize>, item: &[u64; W], most: u32, out: &mut Vec<Neighbor>)
);

#[inline(always)]
fn compare_places_inlined<const W: usize>(
    items: &[[u64; W]],
    places: &[u32],
    these: Range<usize>,
    item: &[u64; W],
    most: u32,
    out: &mut Vec<Neighbor>,
) {
    for (number, place) in these.clone().zip(&places[these]) {
        // The fingerprints are scattered in memory, so each is prefetched.
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

/// Prefetches a value into the second-level cache, which has several times as many misses in flight
/// as the first-level cache.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and the address is that of a value.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

// Compares values in a row with a query; their places stand in a list of their own.
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

// Compares all fingerprints of a column with a query.
for_each_processor!(
    scan = scan_inlined,
    (items: &[[u64; W]], item: &[u64; W], most: u32, out: &mut Vec<Neighbor>)
);

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
