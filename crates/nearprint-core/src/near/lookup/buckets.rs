//! The fingerprints of one block, in buckets that grow one entry at a time.
//!
//! A bucket is a line of 64 bytes, the size of a cache line, at the place of its key. It has seven
//! entries, the number of all its entries, and the place of the line that was full before. So most
//! insertions and most reads of a bucket touch one line. A full line is copied to the end of a
//! list, and the first line starts again. No bucket is ever moved, however long.
//!
//! An entry is a slot and a *tag*: 32 bits of the fingerprint that share as few bits with the key
//! as possible.
//!
//! Cost: 64 bytes for each of 2^p keys and for every seven more entries; with 4 to 8 entries a key,
//! 17 to 12 bytes an entry.

use super::super::plan::Table;

/// The number of entries in a line.
const ENTRIES: u32 = 7;

/// The number of buckets walked through at once: more than the cache misses that a processor has in
/// flight.
const WALKS: usize = 32;

/// Some entries of a bucket.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    /// The entries: a tag in the upper half, a slot in the lower half.
    entries: [u64; ENTRIES as usize],
    /// The place, from 1, of the line that was full before this one; 0 if there is none.
    earlier: u32,
    /// The number of entries of the whole bucket, counted in its first line.
    len: u32,
}

/// The buckets of one block.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    table: Table,
    /// The number of the 32 bits of a fingerprint that are its tag, counted from 0 at its
    /// beginning.
    half: u32,
    /// The differences of a key and the keys within the radius, those of fewest bits first.
    flips: Vec<u32>,
    /// The line of each key that is being filled.
    first: Vec<Line>,
    /// The full lines.
    full: Vec<Line>,
}

impl Buckets {
    /// Empty buckets, for fingerprints of `bits` bits.
    pub(super) fn new(table: &Table, bits: u32) -> Buckets {
        let (half, _) = tag(table, bits);
        let first = vec![Line::default(); 1 << table.bits];
        Buckets { table: *table, half, flips: flips(table), first, full: Vec::new() }
    }

    /// The bytes of memory, with the capacity for later entries.
    pub(super) fn bytes(&self) -> usize {
        (self.first.capacity() + self.full.capacity()) * size_of::<Line>()
            + self.flips.capacity() * size_of::<u32>()
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, item: &[u64; 4], slot: u32) {
        let entry = u64::from(self.tag(item)) << 32 | u64::from(slot);
        let line = &mut self.first[self.table.key(item)];
        let used = line.len % ENTRIES;
        if used == 0 && line.len > 0 {
            if self.full.len() == self.full.capacity() {
                // They grow by a quarter, since they are most of the memory of a large lookup.
                self.full.reserve_exact(self.full.len() / 4 + 16);
            }
            self.full.push(*line);
            line.earlier = self.full.len() as u32;
        }
        line.entries[used as usize] = entry;
        line.len += 1;
    }

    /// The number of entries in the buckets whose keys are within the radius of the key of a
    /// fingerprint.
    pub(super) fn entries_near(&self, item: &[u64; 4]) -> u64 {
        let key = self.table.key(item);
        self.flips.iter().map(|flip| u64::from(self.first[key ^ *flip as usize].len)).sum()
    }

    /// Calls `found` with the slots of near tags in these buckets. Their first lines are read now,
    /// their full lines when `walks` are gone.
    pub(super) fn look<'b>(
        &'b self,
        item: &[u64; 4],
        walks: &mut Walks<'b>,
        found: &mut impl FnMut(u32),
    ) {
        let (key, tag) = (self.table.key(item), self.tag(item));
        for flip in &self.flips {
            let line = &self.first[key ^ *flip as usize];
            let full = line.len.saturating_sub(1) / ENTRIES;
            let used = (line.len - full * ENTRIES) as usize;
            near_tags(&line.entries[..used], tag, walks.max_distance, found);
            if full > 0 {
                walks.push(Walk { full: &self.full, tag, earlier: line.earlier }, found);
            }
        }
    }

    fn tag(&self, item: &[u64; 4]) -> u32 {
        (item[(self.half / 2) as usize] >> (32 * (1 - self.half % 2))) as u32
    }
}

/// Walks through the full lines of several buckets at once, so that their cache misses overlap.
pub(super) struct Walks<'b> {
    max_distance: u32,
    walks: [Walk<'b>; WALKS],
    len: usize,
}

/// A walk through the full lines of a bucket, with the place, from 1, of the next line.
#[derive(Clone, Copy)]
struct Walk<'b> {
    full: &'b [Line],
    tag: u32,
    earlier: u32,
}

impl<'b> Walks<'b> {
    /// No walks, for tags within `max_distance` bits.
    pub(super) fn new(max_distance: u32) -> Walks<'b> {
        Walks { max_distance, walks: [Walk { full: &[], tag: 0, earlier: 0 }; WALKS], len: 0 }
    }

    fn push(&mut self, walk: Walk<'b>, found: &mut impl FnMut(u32)) {
        if self.len == WALKS {
            self.go(found);
        }
        self.walks[self.len] = walk;
        self.len += 1;
    }

    /// Goes all walks to their ends, and calls `found` with the slots whose tags are near.
    pub(super) fn go(&mut self, found: &mut impl FnMut(u32)) {
        while self.len > 0 {
            let walks = &mut self.walks[..self.len];
            let line = |walk: &Walk<'b>| &walk.full[walk.earlier as usize - 1];
            // Every line is loaded before the first one is compared.
            let mut earlier = [0; WALKS];
            earlier
                .iter_mut()
                .zip(&*walks)
                .for_each(|(earlier, walk)| *earlier = line(walk).earlier);
            walks.iter().for_each(|walk| {
                near_tags(&line(walk).entries, walk.tag, self.max_distance, found)
            });
            let mut going = 0;
            for (index, earlier) in (0..self.len).zip(earlier) {
                if earlier > 0 {
                    walks[going] = Walk { earlier, ..walks[index] };
                    going += 1;
                }
            }
            self.len = going;
        }
    }
}

/// Calls `found` with the slots of the entries whose tags are near.
#[inline(always)]
fn near_tags(entries: &[u64], tag: u32, max_distance: u32, found: &mut impl FnMut(u32)) {
    for entry in entries {
        if ((entry >> 32) as u32 ^ tag).count_ones() <= max_distance {
            found(*entry as u32);
        }
    }
}

/// The number of the 32 bits of a fingerprint of `bits` bits that are its tag, and the number of
/// bits in them that are not in the key.
pub(super) fn tag(table: &Table, bits: u32) -> (u32, u32) {
    let key = table.first_bit..table.first_bit + table.bits;
    let shared = |half: u32| key.end.min(32 * half + 32).saturating_sub(key.start.max(32 * half));
    let halves = (0..bits / 32).map(|half| (half, 32 - shared(half)));
    // The first one wins among equals.
    halves.reduce(|best, other| if other.1 > best.1 { other } else { best }).unwrap_or((0, 0))
}

/// The numbers with at most `radius` ones among the bits of a key, those with fewest ones first.
fn flips(table: &Table) -> Vec<u32> {
    let mut flips = vec![0u32];
    let mut fewer = 0;
    for _ in 0..table.radius {
        let end = flips.len();
        for index in fewer..end {
            let flip = flips[index];
            // Each number comes from the one without its lowest bit.
            let lower = if flip == 0 { table.bits } else { flip.trailing_zeros() };
            flips.extend((0..lower).map(|bit| flip | 1 << bit));
        }
        fewer = end;
    }
    flips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flips_are_all_numbers_of_few_ones() {
        for bits in 1..=9 {
            for radius in 0..=bits + 1 {
                let flips = flips(&Table { first_bit: 3, bits, radius });
                assert!(flips.is_sorted_by_key(|flip| flip.count_ones()), "{flips:?}");
                let mut sorted = flips;
                sorted.sort_unstable();
                let expected: Vec<u32> =
                    (0..1 << bits).filter(|flip: &u32| flip.count_ones() <= radius).collect();
                assert_eq!(sorted, expected);
            }
        }
    }

    #[test]
    fn a_tag_avoids_the_key() {
        let tag = |first_bit, bits, of| tag(&Table { first_bit, bits, radius: 0 }, of);
        assert_eq!([tag(0, 16, 64), tag(16, 16, 64), tag(32, 16, 64)], [(1, 32), (1, 32), (0, 32)]);
        assert_eq!(
            [tag(8, 12, 32), tag(20, 20, 64), tag(100, 20, 128)],
            [(0, 20), (1, 24), (0, 32)]
        );
    }

    #[test]
    fn a_bucket_keeps_all_entries_in_any_number() {
        let mut buckets = Buckets::new(&Table { first_bit: 0, bits: 4, radius: 1 }, 64);
        for len in 0..40u32 {
            let mut slots = Vec::new();
            let mut walks = Walks::new(32);
            buckets.look(&[1 << 60, 0, 0, 0], &mut walks, &mut |slot| slots.push(slot));
            walks.go(&mut |slot| slots.push(slot));
            slots.sort_unstable();
            assert_eq!(slots, (0..len).collect::<Vec<_>>());
            assert_eq!(buckets.entries_near(&[1 << 60, 0, 0, 0]), u64::from(len));
            // A key one bit away is within the radius; a key two bits away is not.
            assert_eq!(buckets.entries_near(&[3 << 60, 0, 0, 0]), u64::from(len));
            assert_eq!(buckets.entries_near(&[2 << 60, 0, 0, 0]), 0);
            buckets.push(&[1 << 60, 0, 0, 0], len);
        }
    }
}
