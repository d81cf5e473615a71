//! A table and a bound on memory -> the parts of its keys that are searched one after the other.

use super::super::buckets::Stretches;
use super::super::plan::Table;

/// The most first bits of a key that number its stretch.
const COUNTED_BITS: u32 = 12;

/// The parts of a table's keys that are sorted one after the other. Each two keys that differ in at
/// most `radius` bits are together in one part. A part has at most about `most_items` fingerprints,
/// unless more of them are equal in the first [`COUNTED_BITS`] bits.
pub(super) fn parts<const W: usize>(
    items: &[[u64; W]],
    table: &Table,
    most_items: usize,
) -> Vec<Stretches> {
    if items.len() <= most_items {
        return vec![Stretches::all(table)];
    }
    let counted = table.bits.min(COUNTED_BITS);
    let mut counts = vec![0usize; 1 << counted];
    items.iter().for_each(|item| counts[table.key(item) >> (table.bits - counted)] += 1);
    let parts_of = |number_bits: u32| {
        let near = (0..1u32 << number_bits).filter(|flip| flip.count_ones() <= table.radius);
        let key_bits = table.bits - number_bits;
        near.flat_map(move |flip| {
            let highest = flip.checked_ilog2().map_or(0, |bit| 1 << bit);
            let lower = (0..1u32 << number_bits).filter(move |first| first & highest == 0);
            lower.map(move |first| Stretches { key_bits, first, second: first ^ flip })
        })
    };
    let largest = |number_bits: u32| {
        let longest = 1usize << (counted - number_bits);
        let sizes: Vec<usize> = counts.chunks(longest).map(|counts| counts.iter().sum()).collect();
        let size = |part: Stretches| match part.first == part.second {
            true => sizes[part.first as usize],
            false => sizes[part.first as usize] + sizes[part.second as usize],
        };
        parts_of(number_bits).map(size).max().unwrap_or(0)
    };
    // Keys that are equal in all counted bits cannot be parted. So a part may have a quarter more
    // than the largest part by all counted bits.
    let enough = most_items.max(largest(counted) / 4 * 5);
    parts_of((1..counted).find(|bits| largest(*bits) <= enough).unwrap_or(counted)).collect()
}
