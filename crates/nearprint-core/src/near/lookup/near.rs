//! A query -> the fingerprints of a lookup that are near it: by the buckets, or by a scan.

use std::ops::Range;

use super::buckets::Walks;
use super::{Lookup, Neighbor, choose};

/// The slots that a search for the nearest fingerprints compares first.
const FIRST_LOOK: usize = 64;

impl Lookup {
    /// Fills `out` with all fingerprints within [`max_distance`](Self::max_distance) of
    /// `fingerprint`, inclusive, in the order of their slots.
    ///
    /// # Panics
    ///
    /// If `fingerprint` does not have [`bits`](Self::bits) bits, as [`insert`](Self::insert).
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

    /// Fills `out` with the nearest fingerprints that [`near`](Self::near) gives and that are
    /// `wanted`, at most `count`, in the order of distances, then of slots.
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
        // Each step scans twice as many slots as the last one. The distance shrinks to that of the
        // `count`-th nearest fingerprint so far.
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

    /// Returns true if the buckets near a query hold so few entries that a scan costs more.
    pub(super) fn tables_pay(&self, item: &[u64; 4]) -> bool {
        if self.tables.is_empty() {
            return false;
        }
        let most = choose::entries_of_a_scan(self.taken.len(), self.bits);
        let mut entries = 0;
        // The first lines of all buckets are loaded here, independently of each other. They are
        // read again soon.
        self.tables.iter().all(|table| {
            entries += table.entries_near(item);
            entries <= most
        })
    }

    /// Adds the fingerprints near a query that the tables see, which are all of them.
    pub(super) fn near_by_tables(&self, item: &[u64; 4], out: &mut Vec<Neighbor>) {
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
        // the tables were made.
        out.sort_unstable();
        out.dedup();
    }

    /// Calls `near` with each fingerprint in some slots that is within `most` bits of a query.
    pub(super) fn near_by_scan(
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

/// Keeps the nearest ones, at most `count`, in the order of distances, then of slots.
fn keep_nearest(found: &mut Vec<Neighbor>, count: usize) {
    let nearness = |neighbor: &Neighbor| (neighbor.distance, neighbor.slot);
    if found.len() > count {
        found.select_nth_unstable_by_key(count, nearness);
        found.truncate(count);
    }
    found.sort_unstable_by_key(nearness);
}
