//! Fingerprints -> buckets: sorted by the key of one table, each bucket one contiguous run.
//!
//! A counting sort with the fingerprints themselves inline, so that comparing two buckets reads two
//! runs of memory and nothing else; positions lie beside them and are read for hits only. With more
//! than a million or two fingerprints each write would miss the cache. So they are first sorted by
//! the first bits of their keys into *runs* of buckets, which writes to few places at a time, and
//! then each run is sorted by the other bits, in the cache, from a copy. Four scans over n
//! fingerprints; memory n * (a fingerprint + 4 bytes), 4 bytes a key, and a copy of one run a
//! thread. Where that is too much, only the buckets of one or two *stretches* of keys that begin
//! alike are there at once. Threads share the work by ranges of runs: each scans all fingerprints,
//! the cheap part, and writes only its own range, a slice of its own. Both sorts are stable, so
//! threads leave no trace.
//!
//! A share of the fingerprints for each thread, which writes slices of its own in every run, needs
//! no scan of everything, but on one thread takes a twentieth longer.

use std::ops::Range;

use rayon::prelude::*;

use super::plan::Table;

/// Beyond eight, threads that each scan everything gain nothing more.
const MAX_PARTS: usize = 8;

/// Up to this number of fingerprints are sorted in one go: 1 million are 3 to 6 % faster by it, 2
/// million 10 % slower.
const MAX_DIRECT: usize = 3 << 19;

/// Runs of more fingerprints than that: 512 take a tenth longer in all, since that number of places
/// to write does not stay in the cache.
const RUNS: usize = 256;

/// No copy is made of a run that holds more than this fraction (one in N) of the fingerprints; each
/// such run is one more scan instead.
const COPIED: usize = 16;

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
        let direct = items.len() <= MAX_DIRECT || stretches.len() <= RUNS;
        self.fill_by_runs(items, table, stretches, if direct { 1 } else { stretches.len() / RUNS });
    }

    /// The same by way of runs of `run_keys` keys each, a power of two.
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

    /// Sorts by `run`, a number below `runs` or one beyond them all; `starts` are those of the
    /// runs.
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

    /// Sorts each run by the places of its items, of which it has `run_keys`; `starts` are then
    /// those of the places.
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
                // First where each place starts; as items are put there, it becomes where the place
                // ends.
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

    /// Where the fingerprints with this key, which is in the stretches, are.
    pub(super) fn bucket(&self, key: u32) -> Range<usize> {
        let place = self.stretches.place(key as usize);
        self.starts[place] as usize..self.starts[place + 1] as usize
    }
}

/// Cuts the two at the same places, into parts that end there.
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

/// Calls `visit` with the position of each item whose place is one of `places` and with how far
/// that is from the first of them, in order.
///
/// Items are first picked without a branch, a thousand at a time: whether a key is in range cannot
/// be predicted.
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
            buckets.fill(&items, &other, Stretches::all(&other)); // An earlier filling leaves no trace.
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
