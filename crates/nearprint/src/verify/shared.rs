//! A text in a table, and another one -> where the windows are that both have.
//!
//! The i-th occurrence of a window in one text is shared if the other text has it at least i times. Where the text in the
//! table has a window of the other one, the two are compared byte by byte from there on, and all windows before the first
//! byte that differs are found at once. So what is the same costs a comparison of bytes, and what is not a look at one bit
//! for most windows.

use super::windows::{Windows, hash, is_ascii};
use crate::normalize::{Cursor, size_of};

/// Tables of more slots, some 3 MB, are not kept for the next text.
const MOST_KEPT: usize = 1 << 17;

/// Misses after which it is weighed what lies outside.
const MISSES: u32 = 32;

/// The windows of one text in a table, to look up those of others.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// A bit for some bits of every hash in the table: it answers for most windows of texts that have little in common.
    seen: Vec<u64>,
    /// Open addressing over `distinct`: place + 1, or 0 for an empty slot; a power of two long.
    slots: Vec<u32>,
    distinct: Vec<Window>,
    /// Every window of the text, in order.
    places: Vec<Place>,
    /// The places whose window the text has more than once.
    repeated: Bits,
    /// The places whose window the other text has; those of repeated windows once all of it was seen.
    shared: Bits,
    comparison: u32,
}

/// A distinct window of the text.
#[derive(Debug, Clone, Copy)]
struct Window {
    hash: u64,
    /// Its first place.
    first: u32,
    /// How often it occurs in the text.
    own: u32,
    /// How often it was met in the other text of the last comparison that met it; only where `own` is more than 1.
    other: u32,
    /// That comparison.
    comparison: u32,
}

/// A window where it stands in the text.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u32,
    end: u32,
    /// Which distinct one it is.
    window: u32,
    /// Which occurrence of it, from 1.
    occurrence: u32,
}

impl Table {
    /// Gives back the memory of a table that few texts need.
    pub fn forget_large(&mut self) {
        if self.slots.capacity() > MOST_KEPT {
            *self = Table::default();
        }
    }

    /// Slots that there is memory for.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Puts the windows of a text into the table.
    pub fn build(&mut self, text: &str, size: Cursor, length: u32) {
        self.forget_large();
        self.comparison = 0;
        // There are no more windows than letters or bytes.
        let most = (size.letters as usize).min(text.len());
        let slots = (most * 2).next_power_of_two().max(64);
        self.slots.clear();
        self.slots.resize(slots, 0);
        self.seen.clear();
        self.seen.resize(slots / 8, 0);
        self.repeated.clear(most);
        self.distinct.clear();
        self.places.clear();
        let mut windows = Windows::new(text, size, length);
        while let Some((start, end)) = windows.next() {
            let hash = hash(&text.as_bytes()[start..end]);
            let word = self.word(hash);
            self.seen[word] |= 1 << (hash & 63);
            let (slot, place) = (self.slot(hash), self.places.len());
            if self.slots[slot] == 0 {
                self.distinct.push(Window { hash, first: place as u32, own: 0, other: 0, comparison: 0 });
                self.slots[slot] = self.distinct.len() as u32;
            }
            let window = self.slots[slot] - 1;
            let known = &mut self.distinct[window as usize];
            known.own += 1;
            if known.own > 1 {
                self.repeated.set(known.first as usize, 1);
                self.repeated.set(place, 1);
            }
            self.places.push(Place { start: start as u32, end: end as u32, window, occurrence: known.own });
        }
    }

    /// Where the bit of a hash is.
    #[inline(always)]
    fn word(&self, hash: u64) -> usize {
        (hash >> 6) as usize & (self.seen.len() - 1)
    }

    /// The slot of a hash, or the empty one where it would be.
    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 24) as usize & mask;
        while self.slots[slot] != 0 && self.distinct[self.slots[slot] as usize - 1].hash != hash {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// The first place of the window with this hash.
    #[inline(always)]
    fn first(&self, hash: u64) -> Option<usize> {
        if self.seen[self.word(hash)] >> (hash & 63) & 1 == 0 {
            return None;
        }
        match self.slots[self.slot(hash)] {
            0 => None,
            place => Some(self.distinct[place as usize - 1].first as usize),
        }
    }

    /// Where the windows of another text are that it shares with `text`, which is the one in the table. `false` once more
    /// than `most_outside` of its weight is known to lie outside.
    pub fn meet(
        &mut self,
        text: &str,
        other: &str,
        size: Cursor,
        length: u32,
        most_outside: u32,
        ranges: &mut Ranges,
    ) -> bool {
        self.comparison += 1;
        self.shared.clear(self.places.len());
        let (text, bytes) = (text.as_bytes(), other.as_bytes());
        ranges.clear(is_ascii(bytes, size));
        let mut windows = Windows::new(other, size, length);
        let mut misses = 0;
        while let Some((start, end)) = windows.next() {
            let first = self.first(hash(&bytes[start..end]));
            // Windows of one hash have the same bytes, unless chance will have it.
            let found = first.filter(|first| {
                let Place { start: from, end: to, .. } = self.places[*first];
                text[from as usize..to as usize] == bytes[start..end]
            });
            if let Some(first) = found {
                let origin = self.places[first].start as usize;
                let same = common(&text[origin..], &bytes[start..]);
                let count = self.places[first..].partition_point(|place| place.end as usize <= origin + same);
                self.share(first..first + count, start, bytes, ranges);
                windows.skip_past(start + self.places[first + count - 1].start as usize - origin);
            } else {
                misses += 1;
                if misses % MISSES == 0 {
                    ranges.weigh(start, bytes);
                }
            }
            if ranges.outside > most_outside {
                return false;
            }
        }
        true
    }

    /// Notes that the windows at these places follow one another in the other text, too, from its byte `start` on.
    #[inline]
    fn share(&mut self, places: std::ops::Range<usize>, start: usize, bytes: &[u8], ranges: &mut Ranges) {
        let (first, count) = (places.start, places.len());
        let origin = self.places[first].start as usize;
        if !self.repeated.any(first, count) && !self.shared.any(first, count) {
            self.shared.set(first, count);
            let end = self.places[places.end - 1].end as usize;
            return ranges.add(start, start + end - origin, bytes);
        }
        for number in places {
            let place = self.places[number];
            let is_shared = if self.repeated.any(number, 1) {
                let window = &mut self.distinct[place.window as usize];
                if window.comparison != self.comparison {
                    (window.comparison, window.other) = (self.comparison, 0);
                }
                window.other += 1;
                window.other <= window.own
            } else {
                let is_first = !self.shared.any(number, 1);
                self.shared.set(number, 1);
                is_first
            };
            if is_shared {
                ranges.add(start + place.start as usize - origin, start + place.end as usize - origin, bytes);
            }
        }
    }

    /// Where the windows of the text in the table are that the text of the last [`meet`](Self::meet) has, too.
    pub fn meet_back(&mut self, text: &str, size: Cursor, ranges: &mut Ranges) {
        let Table { distinct, places, repeated, shared, comparison, .. } = self;
        repeated.each_run(|first, count| {
            for (number, place) in places.iter().enumerate().skip(first).take(count) {
                let window = distinct[place.window as usize];
                if window.comparison == *comparison && place.occurrence <= window.other {
                    shared.set(number, 1);
                }
            }
        });
        ranges.clear(is_ascii(text.as_bytes(), size));
        shared.each_run(|first, count| {
            let (start, end) = (places[first].start, places[first + count - 1].end);
            ranges.add(start as usize, end as usize, text.as_bytes());
        });
    }
}

/// How many bytes two texts have in common at their beginnings.
#[inline]
fn common(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}

/// Ranges of bytes of one text that windows cover: in order, and none touches the one before it.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    pub list: Vec<(usize, usize)>,
    /// The weight of what is known to lie outside, up to the byte `weighed`.
    outside: u32,
    weighed: usize,
    ascii: bool,
}

impl Ranges {
    fn clear(&mut self, ascii: bool) {
        self.list.clear();
        (self.outside, self.weighed, self.ascii) = (0, 0, ascii);
    }

    /// Adds a range that begins no earlier than the one before.
    #[inline]
    fn add(&mut self, start: usize, end: usize, text: &[u8]) {
        match self.list.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => {
                self.weigh(start, text);
                self.list.push((start, end));
            }
        }
    }

    /// Weighs what lies outside up to a byte that is in no range.
    fn weigh(&mut self, until: usize, text: &[u8]) {
        let from = self.weighed.max(self.list.last().map_or(0, |last| last.1));
        if until > from {
            self.outside += size_of(&text[from..until], self.ascii).weight;
            self.weighed = until;
        }
    }
}

/// A list of bits.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// So many bits, all 0.
    fn clear(&mut self, count: usize) {
        self.0.clear();
        self.0.resize(count.div_ceil(64), 0);
    }

    /// Sets the bits from `first` on.
    #[inline]
    fn set(&mut self, first: usize, count: usize) {
        Bits::each_word(first, count, |word, mask| self.0[word] |= mask);
    }

    /// Whether one of the bits from `first` on is 1.
    #[inline]
    fn any(&self, first: usize, count: usize) -> bool {
        let mut any = 0;
        Bits::each_word(first, count, |word, mask| any |= self.0[word] & mask);
        any != 0
    }

    /// Calls `each` with the words that hold these bits, and which of their bits they are.
    #[inline(always)]
    fn each_word(first: usize, count: usize, mut each: impl FnMut(usize, u64)) {
        let end = first + count;
        let mut at = first;
        while at < end {
            let within = (64 - at % 64).min(end - at);
            each(at / 64, u64::MAX >> (64 - within) << (at % 64));
            at += within;
        }
    }

    /// Calls `each` with the beginning and the length of every run of ones.
    fn each_run(&self, mut each: impl FnMut(usize, usize)) {
        let bit = |at: usize| self.0[at / 64] >> (at % 64);
        let (mut at, end) = (0, self.0.len() * 64);
        while at < end {
            let zeros = bit(at).trailing_zeros() as usize;
            if zeros >= 64 - at % 64 {
                at += 64 - at % 64;
                continue;
            }
            let first = at + zeros;
            at = first;
            while at < end {
                let ones = (bit(at).trailing_ones() as usize).min(64 - at % 64);
                at += ones;
                if ones == 0 || at % 64 != 0 {
                    break;
                }
            }
            each(first, at - first);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_bits(runs in proptest::collection::vec((0usize..300, 1usize..150), 0..6), probe in (0usize..440, 1usize..9)) {
            let mut bits = Bits::default();
            bits.clear(450);
            let mut plain = [false; 450];
            for (first, count) in runs {
                bits.set(first, count);
                plain[first..first + count].fill(true);
            }
            prop_assert_eq!(bits.any(probe.0, probe.1), plain[probe.0..probe.0 + probe.1].contains(&true));
            let mut again = [false; 450];
            let mut last = None;
            bits.each_run(|first, count| {
                assert!(count > 0 && last.is_none_or(|last| first > last));
                again[first..first + count].fill(true);
                last = Some(first + count);
            });
            prop_assert_eq!(again, plain);
        }

        #[test]
        fn common_is_the_length_of_the_common_beginning(same in "[ab]{0,40}", left in "[ab]{0,20}", right in "[ab]{0,20}") {
            let (left, right) = (format!("{same}{left}"), format!("{same}{right}"));
            let plain = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
            prop_assert_eq!(common(left.as_bytes(), right.as_bytes()), plain);
        }
    }
}
