//! Fingerprints -> buckets, sorted by the key of one table. Each bucket is contiguous.
//!
//! The counting sort moves the fingerprints themselves, so two buckets are compared from two ranges
//! of memory alone. The positions lie beside them and are read for hits only.
//!
//! With more than a million or two fingerprints each write would miss the cache. So they are first
//! sorted by the first bits of their keys into *runs* of buckets, which writes to few places at a
//! time. Then each run is sorted by the other bits, in the cache, from a copy. Cost: four scans
//! over n fingerprints; memory for n fingerprints and positions of 4 bytes, 4 bytes a key, and the
//! copy of one run a thread. If this is too much, only the buckets of one or two *stretches* are
//! held at once: keys with the same first bits.
//!
//! Each thread has a range of runs. It scans all fingerprints, which is cheap, and writes to a
//! slice of its own. Both sorts are stable, so the number of threads does not show.
//!
//! The alternative was tried: each thread has a share of the fingerprints and writes to its slices
//! of every run. It scans less, but takes a twentieth longer on one thread.

use std::ops::Range;

use rayon::prelude::*;

use super::plan::Table;

/// The most parts, since more threads that each scan all fingerprints gain nothing.
const MAX_PARTS: usize = 8;

/// The most fingerprints that are sorted without runs: 1 million are 3 to 6 % faster so, 2 million
/// 10 % slower.
const MAX_DIRECT: usize = 3 << 19;

/// The number of runs. 512 runs take a tenth longer in all, since so many places to write do not
/// stay in the cache.
const RUNS: usize = 256;

/// A run with more than one in this number of the fingerprints is not copied, but sorted by another
/// scan of all fingerprints.
const COPIED: usize = 16;

/// The keys of a table whose first bits are one of one or two numbers. The keys of a number are a
/// stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretches {
    /// The number of bits of a key after the number of its stretch.
    pub(super) key_bits: u32,
    /// The number of the first stretch.
    pub(super) first: u32,
    /// The number of the second stretch, or of the first one again.
    pub(super) second: u32,
}

impl Stretches {
    /// All keys of a table.
    pub(super) fn all(table: &Table) -> Stretches {
        Stretches { key_bits: table.bits, first: 0, second: 0 }
    }

    /// The number of keys.
    fn len(&self) -> usize {
        (1 + usize::from(self.first != self.second)) << self.key_bits
    }

    /// The place of a key among these keys, or `usize::MAX` if it is none of them.
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
    /// The position of each fingerprint in the input.
    pub(super) positions: Vec<u32>,
}

impl<const W: usize> Buckets<W> {
    /// No buckets, to be filled again and again.
    pub(super) fn new() -> Buckets<W> {
        let stretches = Stretches { key_bits: 0, first: 0, second: 0 };
        Buckets { stretches, starts: Vec::new(), items: Vec::new(), positions: Vec::new() }
    }

    /// Sorts the items whose key in `table` is in these stretches.
    pub(super) fn fill(&mut self, items: &[[u64; W]], table: &Table, stretches: Stretches) {
        let direct = items.len() <= MAX_DIRECT || stretches.len() <= RUNS;
        self.fill_by_runs(items, table, stretches, if direct { 1 } else { stretches.len() / RUNS });
    }

    /// Sorts by way of runs of `run_keys` keys each, a power of two.
    fn fill_by_runs(
        &mut self,
        items: &[[u64; W]],
        table: &Table,
        stretches: Stretches,
        run_keys: usize,
    ) {
        self.stretches = stretches;
        let place = |item: &[u64; W]| stretches.place(table.key(item));
        self.sort_into_runs(items, stretches.len() / run_keys, |item| {
            place(item) >> run_keys.ilog2()
        });
        if run_keys > 1 {
            self.sort_runs(items, run_keys, place);
        }
    }

    /// Sorts the items by `run`, and drops those for which it is not below `runs`. `starts` are
    /// then the starts of the runs.
    fn sort_into_runs(
        &mut self,
        items: &[[u64; W]],
        runs: usize,
        run: impl Fn(&[u64; W]) -> usize + Sync,
    ) {
        let runs_each = runs.div_ceil(rayon::current_num_threads().clamp(1, MAX_PARTS));
        self.starts.clear();
        self.starts.resize(runs + 1, 0);
        self.starts[1..].par_chunks_mut(runs_each).enumerate().for_each(|(part, counts)| {
            let low = part * runs_each;
            for_each_within(items, &run, low..low + counts.len(), |_, run| counts[run] += 1);
        });
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.items.resize(sum as usize, [0; W]);
        self.positions.resize(sum as usize, 0);

        let starts = &self.starts;
        let lows = (0..runs).step_by(runs_each);
        let ends = lows.clone().map(|low| starts[runs.min(low + runs_each)] as usize);
        let parts = cut(&mut self.items, &mut self.positions, ends);
        parts.into_par_iter().zip(lows.collect::<Vec<_>>()).for_each(
            |((part, part_positions), low)| {
                let part_runs = low..runs.min(low + runs_each);
                let mut next: Vec<u32> =
                    starts[part_runs.clone()].iter().map(|start| start - starts[low]).collect();
                for_each_within(items, &run, part_runs, |position, run| {
                    let slot = next[run] as usize;
                    next[run] += 1;
                    part[slot] = items[position];
                    part_positions[slot] = position as u32;
                });
            },
        );
    }

    /// Sorts the items of each run by their places, of which a run has `run_keys`. `starts` are
    /// then the starts of the places.
    fn sort_runs(
        &mut self,
        items: &[[u64; W]],
        run_keys: usize,
        place: impl Fn(&[u64; W]) -> usize + Sync,
    ) {
        let most_copied = self.items.len() / COPIED;
        let run_starts = std::mem::take(&mut self.starts);
        self.starts.resize((run_starts.len() - 1) * run_keys + 1, 0);
        let runs = cut(
            &mut self.items,
            &mut self.positions,
            run_starts[1..].iter().map(|end| *end as usize),
        );
        let ends = self.starts[1..].par_chunks_mut(run_keys);
        let copies = || (Vec::new(), Vec::new());
        runs.into_par_iter().zip(ends).enumerate().for_each_init(
            copies,
            |(copy, copied_positions), (number, run)| {
                let ((run, run_positions), ends) = run;
                let copied = run.len() <= most_copied;
                let (base, low) = (run_starts[number], number * run_keys);
                run.iter().for_each(|item| ends[place(item) - low] += 1);
                // First the start of each place. It becomes the end of the place as items are put
                // there.
                let mut sum = base;
                for end in &mut *ends {
                    sum += std::mem::replace(end, sum);
                }
                copy.clear();
                copied_positions.clear();
                if copied {
                    copy.extend_from_slice(run);
                    copied_positions.extend_from_slice(run_positions);
                }
                let mut put = |item: &[u64; W], position: u32, key: usize| {
                    let slot = (ends[key] - base) as usize;
                    ends[key] += 1;
                    run[slot] = *item;
                    run_positions[slot] = position;
                };
                if copied {
                    let copies = copy.iter().zip(&*copied_positions);
                    copies.for_each(|(item, position)| put(item, *position, place(item) - low));
                } else {
                    let places = low..low + run_keys;
                    for_each_within(items, &place, places, |position, key| {
                        put(&items[position], position as u32, key)
                    });
                }
            },
        );
    }

    /// The range of the fingerprints with this key, which is in the stretches.
    pub(super) fn bucket(&self, key: u32) -> Range<usize> {
        let place = self.stretches.place(key as usize);
        self.starts[place] as usize..self.starts[place + 1] as usize
    }
}

/// Cuts two slices into parts that end at these places.
fn cut<'a, A, B>(
    mut left: &'a mut [A],
    mut right: &'a mut [B],
    ends: impl Iterator<Item = usize>,
) -> Vec<(&'a mut [A], &'a mut [B])> {
    let mut parts = Vec::new();
    let mut start = 0;
    for end in ends {
        let (part, other_part);
        (part, left) = left.split_at_mut(end - start);
        (other_part, right) = right.split_at_mut(end - start);
        parts.push((part, other_part));
        start = end;
    }
    parts
}

/// Calls `visit` in order with the position of each item whose place is in `places`, and with the
/// difference of its place and the first of them.
///
/// Items are first picked without a branch, a thousand at a time, since a branch on
/// the range would be mispredicted.
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
        let items: Vec<[u64; 2]> =
            (0..5000u64).map(|i| [i.wrapping_mul(0x9e37_79b9_7f4a_7c15), i << 60]).collect();
        for (first_bit, bits) in [(0, 0), (0, 1), (60, 9), (120, 8), (64, 3), (32, 18)] {
            let table = Table { first_bit, bits, radius: 0 };
            let mut buckets = Buckets::new();
            let other = Table { first_bit: 3, bits: 13, radius: 0 };
            buckets.fill(&items, &other, Stretches::all(&other)); // Other buckets are replaced.
            let mut parts = vec![Stretches::all(&table)];
            if bits >= 3 {
                let key_bits = bits - 2;
                parts.extend([(0, 0), (1, 1), (2, 3)].map(|(first, second)| Stretches {
                    key_bits,
                    first,
                    second,
                }));
            }
            let run_keys =
                |stretches: &Stretches| [1, 2, 8, 1 << 17].map(|keys| stretches.len().min(keys));
            for (stretches, run_keys) in
                parts.into_iter().flat_map(|part| run_keys(&part).map(|keys| (part, keys)))
            {
                buckets.fill_by_runs(&items, &table, stretches, run_keys);
                let mut seen = 0;
                for key in
                    (0..1 << bits).filter(|key| stretches.place(*key as usize) < stretches.len())
                {
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
