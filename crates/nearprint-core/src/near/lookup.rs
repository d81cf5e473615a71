//! Fingerprints that come and go one by one -> for any fingerprint, those among them that are near
//! in bits.
//!
//! ```text
//! insert  a fingerprint -> its slot; an entry in the bucket of each of its blocks     lookup/buckets.rs
//! choose  number and width of fingerprints -> the blocks, or none: a scan             lookup/choose.rs
//! near    a fingerprint -> entries of the buckets near it -> those within a distance; or a scan of all
//! nearest the same, those of the least distances alone
//! ```
//!
//! The idea is that of the join: cut into blocks, two fingerprints within the distance differ in at
//! most r_t bits of the key of some block t, so it is enough to look into the buckets whose keys
//! are within r_t of one's own. An entry holds 32 bits from elsewhere in the fingerprint, which
//! rule out nearly all others without a look at them. Every answer is checked on the fingerprint
//! itself.
//!
//! So a bucket may hold entries that are no longer valid. Removing a fingerprint only marks its
//! slot: entries of removed fingerprints stay until the tables are made again. That happens when
//! there are twice as many entries as there were fingerprints the last time, or four times as many
//! as there are fingerprints now, and then blocks and keys are chosen anew. So an insertion costs
//! O(1) for each table on average, and now and then as much as inserting all again. Where the data
//! is so alike that buckets hold more than a scan would cost, that query is a scan.
//!
//! Cost of one fingerprint among uniform ones, one thread of a virtual Zen 4 that others share, by
//! the processor's time, where one in a hundred queries has an answer:
//!
//! | bits, distance | fingerprints | insertion | query | memory |
//! | --- | --- | --- | --- | --- |
//! | 64, 2 | 100,000 | 0.12 µs | 0.24 µs | 54 bytes |
//! | 64, 2 | 1,000,000 | 0.36 µs | 0.48 µs | 50 bytes |
//! | 64, 3 | 100,000 | 0.20 µs | 0.40 µs | 68 bytes |
//! | 64, 3 | 1,000,000 | 0.39 µs | 0.92 µs | 58 bytes |
//! | 64, 6 | 1,000,000 | 0.37 µs | 4.8 µs | 58 bytes |
//! | 128, 10 | 100,000 | 0.52 µs | 2.2 µs | 148 bytes |
//! | 128, 10 | 1,000,000 | 0.84 µs | 7.1 µs | 112 bytes |
//! | 256, 32 | 1,000,000 | 1.7 µs | 0.5 ms | 237 bytes |
//!
//! A scan takes 1.2 ns a slot of 64 or 128 bits, and 2 ns of 256.
//!
//! Sources: Manku, Jain, Das Sarma, "Detecting Near-Duplicates for Web Crawling" (WWW 2007),
//! section 3, for tables of blocks; Norouzi, Punjani, Fleet, "Fast Search in Hamming Space with
//! Multi-Index Hashing" (CVPR 2012), section 3, for few blocks searched within a radius.

mod buckets;
mod choose;

use std::ops::Range;

use super::hamming::Kernel;
use super::plan::Plan;
use buckets::{Buckets, Walks};
use choose::choose;

/// Tables are chosen again when there are as many entries as this, or more: fewer are scanned in no
/// time.
const LEAST_ROOM: usize = 64;

/// Slots that a search for the nearest ones compares at first.
const FIRST_LOOK: usize = 64;

/// A fingerprint that is near: its slot and its Hamming distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbor {
    /// The number that [`Lookup::insert`] gave it.
    pub slot: u32,
    /// Bits in which the two differ.
    pub distance: u32,
}

/// Fingerprints of one width in memory, found by what is near them.
///
/// Every fingerprint is known by its slot. Slots count from 0; that of a removed fingerprint is
/// given to a later one, the last one removed first. Words are those of
/// [`Fingerprints`](crate::fingerprint::Fingerprints): bit 0 is the highest bit of the first word,
/// and 32 bits fill the upper half of their word.
///
/// Answers are complete whatever the data looks like, and equal calls in equal order give equal
/// answers on every machine. Many threads may ask at once.
///
/// # Examples
///
/// ```
/// use nearprint_core::near::{Lookup, Neighbor};
///
/// let mut seen = Lookup::new(64, 3);
/// let first = seen.insert(&[0x0f0f]);
/// let second = seen.insert(&[0xffff_0000_ffff]);
///
/// let mut near = Vec::new();
/// seen.near(&[0x0f0e], &mut near);
/// assert_eq!(near, [Neighbor { slot: first, distance: 1 }]);
///
/// assert!(seen.remove(first));
/// seen.near(&[0x0f0e], &mut near);
/// assert!(near.is_empty());
/// assert_eq!(seen.insert(&[0x0f0e]), first);
/// assert_eq!((seen.len(), seen.get(second)), (2, Some(&[0xffff_0000_ffff][..])));
/// ```
#[derive(Debug, Clone)]
pub struct Lookup {
    bits: u32,
    max_distance: u32,
    /// The words of slot after slot, removed ones as well.
    words: Vec<u64>,
    /// Whether a slot holds a fingerprint.
    taken: Vec<bool>,
    /// Slots of removed fingerprints, the next one to be given last.
    free: Vec<u32>,
    /// None of them means that every query is a scan.
    tables: Vec<Buckets>,
    /// Fingerprints inserted since the tables were made, and those they were made with: how much
    /// each table holds.
    entries: usize,
    /// The tables are made again when they reach this number of entries.
    room: usize,
    kernel: Kernel,
}

impl Lookup {
    /// Nothing yet; to be asked for fingerprints of `bits` bits within `max_distance`, inclusive.
    ///
    /// # Panics
    ///
    /// If `bits` is not 32, 64, 128 or 256, or `max_distance` is not below `bits`.
    pub fn new(bits: u32, max_distance: u32) -> Lookup {
        assert!(
            matches!(bits, 32 | 64 | 128 | 256),
            "a fingerprint has 32, 64, 128 or 256 bits, not {bits}"
        );
        assert!(max_distance < bits, "everything is within {max_distance} of {bits} bits");
        let (words, taken, free, tables) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Lookup {
            bits,
            max_distance,
            words,
            taken,
            free,
            tables,
            entries: 0,
            room: LEAST_ROOM,
            kernel: Kernel::fastest(),
        }
    }

    /// Width of the fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The distance that [`near`](Self::near) asks for, in bits, inclusive.
    pub fn max_distance(&self) -> u32 {
        self.max_distance
    }

    /// How many fingerprints there are.
    pub fn len(&self) -> usize {
        self.taken.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of the fingerprint in a slot; none where the slot was never given, or its
    /// fingerprint was removed.
    pub fn get(&self, slot: u32) -> Option<&[u64]> {
        let (slot, each) = (slot as usize, self.words_each());
        self.taken.get(slot)?.then(|| &self.words[slot * each..][..each])
    }

    /// Bytes of memory that all of it takes, with room for what comes.
    ///
    /// ```
    /// let mut seen = nearprint_core::near::Lookup::new(64, 3);
    /// (0..10_000u64).for_each(|number| _ = seen.insert(&[number.wrapping_mul(0x9e37_79b9_7f4a_7c15)]));
    /// assert!(seen.bytes() / seen.len() < 200);
    /// ```
    pub fn bytes(&self) -> usize {
        let column = self.words.capacity() * size_of::<u64>();
        let slots = self.taken.capacity() + self.free.capacity() * size_of::<u32>();
        column + slots + self.tables.iter().map(Buckets::bytes).sum::<usize>()
    }

    /// Takes in a fingerprint and gives its slot. Equal ones each get their own.
    ///
    /// # Panics
    ///
    /// If there are 2^32 - 1 already, or if `fingerprint` is not of [`bits`](Self::bits) bits: too
    /// many or too few words, or of 32 bits a lower half that is not 0.
    pub fn insert(&mut self, fingerprint: &[u64]) -> u32 {
        let item = self.item(fingerprint);
        if self.entries >= self.room {
            self.make_tables();
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                let each = self.words_each();
                self.words[slot as usize * each..][..each].copy_from_slice(fingerprint);
                self.taken[slot as usize] = true;
                slot
            }
            None => {
                assert!(
                    self.taken.len() < u32::MAX as usize,
                    "a lookup holds at most 2^32 - 1 fingerprints"
                );
                self.words.extend_from_slice(fingerprint);
                self.taken.push(true);
                self.taken.len() as u32 - 1
            }
        };
        self.tables.iter_mut().for_each(|table| table.push(&item, slot));
        self.entries += 1;
        slot
    }

    /// Removes the fingerprint in a slot, and says whether there was one.
    ///
    /// ```
    /// let mut seen = nearprint_core::near::Lookup::new(32, 2);
    /// let slot = seen.insert(&[0x0123_4567 << 32]);
    /// assert_eq!([seen.remove(slot), seen.remove(slot), seen.remove(7)], [true, false, false]);
    /// ```
    pub fn remove(&mut self, slot: u32) -> bool {
        let Some(taken @ true) = self.taken.get_mut(slot as usize) else { return false };
        *taken = false;
        self.free.push(slot);
        if self.entries > 4 * self.len().max(LEAST_ROOM) {
            self.make_tables();
        }
        true
    }

    /// All within [`max_distance`](Self::max_distance) of `fingerprint`, inclusive, in order of
    /// their slots. They replace what is in `out`.
    ///
    /// # Panics
    ///
    /// If `fingerprint` is not of [`bits`](Self::bits) bits, as [`insert`](Self::insert).
    pub fn near(&self, fingerprint: &[u64], out: &mut Vec<Neighbor>) {
        out.clear();
        let item = self.item(fingerprint);
        if self.tables_pay(&item) {
            self.near_by_tables(&item, out);
        } else {
            self.near_by_scan(0..self.taken.len(), &item, self.max_distance, |neighbor| {
                out.push(neighbor)
            });
        }
    }

    /// The nearest ones of those that `near` gives and that are wanted, so many at most, in the
    /// order of distances, then of slots. They replace what is in `out`.
    ///
    /// ```
    /// let mut seen = nearprint_core::near::Lookup::new(64, 3);
    /// [0b011, 0b000, 0b001, 0b111, 0b100].iter().for_each(|word| _ = seen.insert(&[*word]));
    /// let mut nearest = Vec::new();
    /// seen.nearest(&[0b000], 3, |slot| slot != 1, &mut nearest);
    /// assert_eq!(nearest.iter().map(|neighbor| neighbor.slot).collect::<Vec<_>>(), [2, 4, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`near`](Self::near).
    pub fn nearest(
        &self,
        fingerprint: &[u64],
        count: usize,
        mut wanted: impl FnMut(u32) -> bool,
        out: &mut Vec<Neighbor>,
    ) {
        out.clear();
        let item = self.item(fingerprint);
        if self.tables_pay(&item) {
            self.near_by_tables(&item, out);
            out.retain(|neighbor| wanted(neighbor.slot));
            keep_nearest(out, count);
            return;
        }
        // Twice as many slots at a time: what is farther than enough of those before is not looked
        // for any more.
        let (mut most, mut slots) = (self.max_distance, 0..0);
        while slots.end < self.taken.len() {
            slots =
                slots.end..self.taken.len().min(slots.end + slots.len().max(FIRST_LOOK / 2) * 2);
            self.near_by_scan(slots.clone(), &item, most, |neighbor| {
                if wanted(neighbor.slot) {
                    out.push(neighbor);
                }
            });
            if out.len() >= count {
                keep_nearest(out, count);
                most = out.last().map_or(0, |last| last.distance);
            }
        }
        keep_nearest(out, count);
    }

    /// 64-bit words a fingerprint takes.
    fn words_each(&self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    /// A fingerprint and zeros: of this length for every width.
    fn item(&self, fingerprint: &[u64]) -> [u64; 4] {
        assert_eq!(
            fingerprint.len(),
            self.words_each(),
            "not the words of a fingerprint of {} bits",
            self.bits
        );
        assert!(
            self.bits != 32 || fingerprint[0] as u32 == 0,
            "32 bits fill the upper half of their word"
        );
        let mut item = [0; 4];
        item[..fingerprint.len()].copy_from_slice(fingerprint);
        item
    }

    /// Makes the tables that suit as many fingerprints as there are, and half to all as many again.
    fn make_tables(&mut self) {
        let plan = choose(self.len(), self.taken.len(), self.bits, self.max_distance);
        self.make_tables_by(&plan);
    }

    fn make_tables_by(&mut self, plan: &Plan) {
        let each = self.words_each();
        // The old ones go before the new ones come.
        self.tables.clear();
        for table in plan.tables() {
            let mut buckets = Buckets::new(table, self.bits);
            for (slot, words) in (0..).zip(self.words.chunks_exact(each)) {
                if self.taken[slot as usize] {
                    let mut item = [0; 4];
                    item[..each].copy_from_slice(words);
                    buckets.push(&item, slot);
                }
            }
            self.tables.push(buckets);
        }
        self.entries = self.len();
        self.room = (2 * self.entries).max(LEAST_ROOM);
    }

    /// Whether the buckets to look into hold so little that this is cheaper than a scan.
    fn tables_pay(&self, item: &[u64; 4]) -> bool {
        if self.tables.is_empty() {
            return false;
        }
        let most = choose::entries_of_a_scan(self.taken.len(), self.bits);
        let mut entries = 0;
        // The first lines of all buckets are asked for here, none waiting for another; they are
        // read again soon.
        self.tables.iter().all(|table| {
            entries += table.entries_near(item);
            entries <= most
        })
    }

    fn near_by_tables(&self, item: &[u64; 4], out: &mut Vec<Neighbor>) {
        let each = self.words_each();
        let mut found = |slot: u32| {
            let words = &self.words[slot as usize * each..][..each];
            let distance = words.iter().zip(item).map(|(a, b)| (a ^ b).count_ones()).sum();
            if distance <= self.max_distance && self.taken[slot as usize] {
                out.push(Neighbor { slot, distance });
            }
        };
        let mut walks = Walks::new(self.max_distance);
        self.tables.iter().for_each(|table| table.look(item, &mut walks, &mut found));
        walks.go(&mut found);
        // Several tables see a pair that differs little, and a slot may have been given twice since
        // they were made.
        out.sort_unstable();
        out.dedup();
    }

    /// Compares with these slots.
    fn near_by_scan(
        &self,
        slots: Range<usize>,
        item: &[u64; 4],
        most: u32,
        near: impl FnMut(Neighbor),
    ) {
        match self.words_each() {
            1 => self.scan(self.words.as_chunks::<1>().0, slots, item, most, near),
            2 => self.scan(self.words.as_chunks::<2>().0, slots, item, most, near),
            _ => self.scan(self.words.as_chunks::<4>().0, slots, item, most, near),
        }
    }

    fn scan<const W: usize>(
        &self,
        items: &[[u64; W]],
        slots: Range<usize>,
        item: &[u64; 4],
        most: u32,
        mut near: impl FnMut(Neighbor),
    ) {
        let item = item.first_chunk().expect("a fingerprint has up to four words");
        self.kernel.scan(&items[slots.clone()], item, most, |place, distance| {
            let slot = slots.start + place;
            if self.taken[slot] {
                near(Neighbor { slot: slot as u32, distance });
            }
        });
    }
}

/// Leaves the nearest ones, in the order of distances, then of slots.
fn keep_nearest(found: &mut Vec<Neighbor>, count: usize) {
    let nearness = |neighbor: &Neighbor| (neighbor.distance, neighbor.slot);
    if found.len() > count {
        found.select_nth_unstable_by_key(count, nearness);
        found.truncate(count);
    }
    found.sort_unstable_by_key(nearness);
}

#[cfg(test)]
mod tests;
