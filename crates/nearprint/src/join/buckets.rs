//! Fingerprints into buckets: sorted by the key of one table, each bucket one contiguous run.
//!
//! One counting sort with the fingerprints themselves inline, so that comparing two buckets reads two runs of memory
//! and nothing else; positions lie beside them and are read for hits only. Two scans over n fingerprints; memory n *
//! (a fingerprint + 4 bytes) and 4 bytes a key. Where that is too much, only the buckets of one or two *stretches* of keys
//! that begin alike are there at once. Threads share the work by ranges of keys: each scans all
//! fingerprints, the cheap part, and writes only its own range, a slice of its own. The sort is stable, so threads
//! leave no trace.
//!
//! Two sorts, positions by half the key and then fingerprints by the rest, write in better order, but were no faster.

use std::ops::Range;

use rayon::prelude::*;

use super::plan::Table;

/// Beyond eight, threads that each scan everything gain nothing more.
const MAX_PARTS: usize = 8;

/// Some keys of a table, in one or two stretches: those whose first bits are a stretch's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretches {
    /// A key's bits after the number of its stretch.
    pub(super) key_bits: u32,
    /// The number of a stretch.
    pub(super) first: u32,
    /// That of another one, or the same.
    pub(super) second: u32,
}

impl Stretches {
    /// All keys of a table.
    pub(super) fn all(table: &Table) -> Stretches {
        Stretches { key_bits: table.bits, first: 0, second: 0 }
    }

    /// How many keys there are.
    fn len(&self) -> usize {
        (1 + usize::from(self.first != self.second)) << self.key_bits
    }

    /// The place of a key among these, or one beyond them.
    #[inline(always)]
    fn place(&self, key: usize) -> usize {
        let (number, rest) = (key >> self.key_bits, key & ((1 << self.key_bits) - 1));
        match number {
            number if number == self.first as usize => rest,
            number if number == self.second as usize => rest | 1 << self.key_bits,
            _ => usize::MAX,
        }
    }
}

/// Fingerprints in their input order within a bucket, buckets in the order of their keys.
pub(super) struct Buckets<const W: usize> {
    stretches: Stretches,
    /// The bucket of the key at `place` is at `starts[place]..starts[place + 1]`.
    starts: Vec<u32>,
    /// The fingerprints.
    pub(super) items: Vec<[u64; W]>,
    /// Where each of them was in the input.
    pub(super) positions: Vec<u32>,
}

impl<const W: usize> Buckets<W> {
    /// Nothing yet; to be filled again and again.
    pub(super) fn new() -> Buckets<W> {
        let stretches = Stretches { key_bits: 0, first: 0, second: 0 };
        Buckets { stretches, starts: Vec::new(), items: Vec::new(), positions: Vec::new() }
    }

    /// Sorts those of `items` whose key in `table` is in these stretches.
    pub(super) fn fill(&mut self, items: &[[u64; W]], table: &Table, stretches: Stretches) {
        self.stretches = stretches;
        let keys = stretches.len();
        let keys_each = keys.div_ceil(rayon::current_num_threads().clamp(1, MAX_PARTS));
        let place = |item: &[u64; W]| stretches.place(table.key(item));

        self.starts.clear();
        self.starts.resize(keys + 1, 0);
        self.starts[1..].par_chunks_mut(keys_each).enumerate().for_each(|(part, counts)| {
            let low = part * keys_each;
            for_each_within(items, place, low..low + counts.len(), |_, key| counts[key] += 1);
        });
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.items.resize(sum as usize, [0; W]);
        self.positions.resize(sum as usize, 0);

        let mut parts = Vec::new();
        let (mut rest, mut rest_positions) = (&mut self.items[..], &mut self.positions[..]);
        for low in (0..keys).step_by(keys_each) {
            let part_keys = low..keys.min(low + keys_each);
            let len = (self.starts[part_keys.end] - self.starts[low]) as usize;
            let (part, part_positions);
            (part, rest) = rest.split_at_mut(len);
            (part_positions, rest_positions) = rest_positions.split_at_mut(len);
            parts.push((part_keys, part, part_positions));
        }
        parts.into_par_iter().for_each(|(part_keys, part, part_positions)| {
            let base = self.starts[part_keys.start];
            let mut next: Vec<u32> = self.starts[part_keys.clone()].iter().map(|start| start - base).collect();
            for_each_within(items, place, part_keys, |position, key| {
                let slot = next[key] as usize;
                next[key] += 1;
                part[slot] = items[position];
                part_positions[slot] = position as u32;
            });
        });
    }

    /// Where the fingerprints with this key, which is in the stretches, are.
    pub(super) fn bucket(&self, key: u32) -> Range<usize> {
        let place = self.stretches.place(key as usize);
        self.starts[place] as usize..self.starts[place + 1] as usize
    }
}

/// Calls `visit` with the position of each item whose place is one of `places` and with how far that is from the first of
/// them, in order.
///
/// Items are first picked without a branch, a thousand at a time: whether a key is in range cannot be predicted.
fn for_each_within<const W: usize>(
    items: &[[u64; W]],
    place: impl Fn(&[u64; W]) -> usize,
    places: Range<usize>,
    mut visit: impl FnMut(usize, usize),
) {
    const PICKED: usize = 1024;
    let mut picked = [(0, 0); PICKED];
    for (chunk, chunk_items) in items.chunks(PICKED).enumerate() {
        let mut len = 0;
        for (offset, item) in chunk_items.iter().enumerate() {
            let place = place(item).wrapping_sub(places.start);
            picked[len] = (chunk * PICKED + offset, place);
            len += usize::from(place < places.len());
        }
        for &(position, place) in &picked[..len] {
            visit(position, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_the_bucket_of_its_key_in_input_order() {
        let items: Vec<[u64; 2]> = (0..5000u64).map(|i| [i.wrapping_mul(0x9e37_79b9_7f4a_7c15), i << 60]).collect();
        for (first_bit, bits) in [(0, 0), (0, 1), (60, 9), (120, 8), (64, 3), (32, 18)] {
            let table = Table { first_bit, bits, radius: 0 };
            let mut buckets = Buckets::new();
            let other = Table { first_bit: 3, bits: 13, radius: 0 };
            buckets.fill(&items, &other, Stretches::all(&other)); // An earlier filling leaves no trace.
            let mut parts = vec![Stretches::all(&table)];
            if bits >= 3 {
                let key_bits = bits - 2;
                parts.extend([(0, 0), (1, 1), (2, 3)].map(|(first, second)| Stretches { key_bits, first, second }));
            }
            for stretches in parts {
                buckets.fill(&items, &table, stretches);
                let mut seen = 0;
                for key in (0..1 << bits).filter(|key| stretches.place(*key as usize) < stretches.len()) {
                    let bucket = buckets.bucket(key);
                    assert!(buckets.positions[bucket.clone()].is_sorted());
                    for index in bucket {
                        let position = buckets.positions[index] as usize;
                        assert_eq!(buckets.items[index], items[position]);
                        assert_eq!(table.key(&items[position]), key as usize);
                        seen += 1;
                    }
                }
                let among = |item: &&[u64; 2]| {
                    let number = (table.key(item) >> stretches.key_bits) as u32;
                    number == stretches.first || number == stretches.second
                };
                assert_eq!((seen, buckets.items.len()), (items.iter().filter(among).count(), seen));
            }
        }
    }
}
