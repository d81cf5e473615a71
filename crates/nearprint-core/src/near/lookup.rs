//! Fingerprints that come and go one by one; a query -> those among them that are near in bits.
//!
//! ```text
//! number and width of fingerprints -> the blocks, or none: a scan                lookup/choose.rs
//! a fingerprint -> its slot, and an entry in the bucket of each of its blocks    lookup/buckets.rs
//! a query -> all fingerprints within a distance, or the nearest of them          lookup/near.rs
//! ```
//!
//! The idea is that of the join: two fingerprints within the distance differ in at most r_t bits of
//! the key of some block t. So a query reads only the buckets whose keys are within r_t of its own
//! key. An entry holds 32 bits from elsewhere in the fingerprint, which rule out nearly all others
//! before they are read. Every answer is checked on the fingerprint itself.
//!
//! So a bucket may hold entries that are no longer valid. The removal of a fingerprint only marks
//! its slot; its entries stay until the tables are made again. Tables are made again, with new
//! blocks and keys, if there are twice as many entries as there were fingerprints the last time, or
//! four times as many as there are fingerprints now. So an insertion costs O(1) for each table on
//! average, and sometimes as much as the insertion of all fingerprints. If the
//! entries near a query cost more than a scan, the query is a scan.
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
mod near;

use super::hamming::Kernel;
use super::plan::Plan;
use buckets::Buckets;
use choose::choose;

/// The fewest entries at which tables are chosen again. A scan of fewer is cheap.
const LEAST_ROOM: usize = 64;

/// A fingerprint that is near: its slot and its Hamming distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbor {
    /// The number that [`Lookup::insert`] gave it.
    pub slot: u32,
    /// The number of bits in which the two differ.
    pub distance: u32,
}

/// Fingerprints of one width in memory, which queries near them find.
///
/// Every fingerprint is known by its slot. Slots count from 0. The slot of a removed fingerprint is
/// given to a later one, the last removed one first. Words are those of
/// [`Fingerprints`](crate::fingerprint::Fingerprints): bit 0 is the highest bit of the first word,
/// and 32 bits fill the upper half of their word.
///
/// Answers are complete whatever the data looks like, and equal calls in equal order give equal
/// answers on every machine. Many threads may query at once.
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
    /// The words of all slots in order, with those of removed fingerprints.
    words: Vec<u64>,
    /// True for each slot that holds a fingerprint.
    taken: Vec<bool>,
    /// The slots of removed fingerprints. The last one is given next.
    free: Vec<u32>,
    /// The tables. Without tables every query is a scan.
    tables: Vec<Buckets>,
    /// The number of entries in each table: of the fingerprints it was made with, and of those that
    /// were inserted later.
    entries: usize,
    /// The number of entries at which the tables are made again.
    room: usize,
    kernel: Kernel,
}

impl Lookup {
    /// An empty lookup of fingerprints of `bits` bits, for queries within `max_distance`,
    /// inclusive.
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

    /// The width of the fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The largest distance that [`near`](Self::near) finds, in bits, inclusive.
    pub fn max_distance(&self) -> u32 {
        self.max_distance
    }

    /// The number of fingerprints.
    pub fn len(&self) -> usize {
        self.taken.len() - self.free.len()
    }

    /// Returns true if there are no fingerprints.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of the fingerprint in a slot; `None` if the slot was never given, or its
    /// fingerprint was removed.
    pub fn get(&self, slot: u32) -> Option<&[u64]> {
        let (slot, each) = (slot as usize, self.words_each());
        self.taken.get(slot)?.then(|| &self.words[slot * each..][..each])
    }

    /// The bytes of memory of the lookup, with the capacity for later fingerprints.
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

    /// Inserts a fingerprint and returns its slot. Equal fingerprints have different slots.
    ///
    /// # Panics
    ///
    /// If there are 2^32 - 1 fingerprints already, or if `fingerprint` does not have
    /// [`bits`](Self::bits) bits: it has another number of words, or its lower half is not 0 with
    /// 32 bits.
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

    /// Removes the fingerprint in a slot. Returns true if there was one.
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

    /// The number of 64-bit words of a fingerprint.
    fn words_each(&self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    /// A fingerprint, followed by zeros: an array of one length for every width.
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

    /// Makes the tables that suit the present number of fingerprints, up to twice as many.
    fn make_tables(&mut self) {
        let plan = choose(self.len(), self.taken.len(), self.bits, self.max_distance);
        self.make_tables_by(&plan);
    }

    fn make_tables_by(&mut self, plan: &Plan) {
        let each = self.words_each();
        // The old tables are freed before the new ones are made.
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
}

#[cfg(test)]
mod tests;
