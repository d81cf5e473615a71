//! Fingerprints into buckets: sorted by the key of one table, each bucket one contiguous run.
//!
//! One counting sort with the fingerprints themselves inline, so that comparing two buckets reads two runs of memory
//! and nothing else; positions lie beside them and are read for hits only. Two scans over n fingerprints; memory n *
//! (a fingerprint + 4 bytes) and 4 bytes a key. Threads share the work by ranges of keys: each scans all
//! fingerprints, the cheap part, and writes only its own range, a slice of its own. The sort is stable, so threads
//! leave no trace.
//!
//! Two sorts, positions by half the key and then fingerprints by the rest, write in better order, but were no faster.

use std::ops::Range;

use rayon::prelude::*;

use super::plan::Table;

/// Beyond eight, threads that each scan everything gain nothing more.
const MAX_PARTS: usize = 8;

/// Fingerprints in their input order within a bucket, buckets in the order of their keys.
pub(super) struct Buckets<const W: usize> {
    /// Bucket `key` is at `starts[key]..starts[key + 1]`.
    starts: Vec<u32>,
    /// The fingerprints.
    pub(super) items: Vec<[u64; W]>,
    /// Where each of them was in the input.
    pub(super) positions: Vec<u32>,
}

impl<const W: usize> Buckets<W> {
    /// Room for `len` fingerprints, to be filled for one table after the other.
    pub(super) fn new(len: usize) -> Buckets<W> {
        Buckets { starts: Vec::new(), items: vec![[0; W]; len], positions: vec![0; len] }
    }

    /// Sorts `items`, as many as there is room for, by the key of `table`.
    pub(super) fn fill(&mut self, items: &[[u64; W]], table: &Table) {
        let keys = 1usize << table.bits;
        let keys_each = keys.div_ceil(rayon::current_num_threads().clamp(1, MAX_PARTS));

        self.starts.clear();
        self.starts.resize(keys + 1, 0);
        self.starts[1..].par_chunks_mut(keys_each).enumerate().for_each(|(part, counts)| {
            let low = part * keys_each;
            for_each_within(items, table, low..low + counts.len(), |_, key| counts[key] += 1);
        });
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }

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
            for_each_within(items, table, part_keys, |position, key| {
                let slot = next[key] as usize;
                next[key] += 1;
                part[slot] = items[position];
                part_positions[slot] = position as u32;
            });
        });
    }

    /// Where the fingerprints with this key are.
    pub(super) fn bucket(&self, key: u32) -> Range<usize> {
        self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize
    }
}

/// Calls `visit` with the position of each item whose key is one of `keys` and with the key's place among them, in
/// order.
///
/// Items are first picked without a branch, a thousand at a time: whether a key is in range cannot be predicted.
fn for_each_within<const W: usize>(
    items: &[[u64; W]],
    table: &Table,
    keys: Range<usize>,
    mut visit: impl FnMut(usize, usize),
) {
    const PICKED: usize = 1024;
    let mut picked = [(0, 0); PICKED];
    for (chunk, chunk_items) in items.chunks(PICKED).enumerate() {
        let mut len = 0;
        for (offset, item) in chunk_items.iter().enumerate() {
            let place = table.key(item).wrapping_sub(keys.start);
            picked[len] = (chunk * PICKED + offset, place);
            len += usize::from(place < keys.len());
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
            let mut buckets = Buckets::new(items.len());
            let other = Table { first_bit: 3, bits: 13, radius: 0 };
            buckets.fill(&items, &other); // An earlier filling leaves no trace.
            buckets.fill(&items, &table);
            let mut seen = 0;
            for key in 0..1 << bits {
                let bucket = buckets.bucket(key);
                assert!(buckets.positions[bucket.clone()].is_sorted());
                for index in bucket {
                    let position = buckets.positions[index] as usize;
                    assert_eq!(buckets.items[index], items[position]);
                    assert_eq!(table.key(&items[position]), key as usize);
                    seen += 1;
                }
            }
            assert_eq!(seen, items.len());
        }
    }
}
