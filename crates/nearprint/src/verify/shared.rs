//! A text in a hash table, and another one -> the places of the windows that both have.
//!
//! The i-th occurrence of a window in one text is shared if the other text has it at least i times. Where the text in
//! the table has a window of the other one, the two are compared byte by byte from there on, and all windows before the
//! first byte that differs are found at once, but for those that occur repeatedly. The prefilter has said which windows
//! of the other text are worth a look. So equal text costs a comparison of bytes, and different text hardly anything.
//!
//! One file, since the table, its bits and the walk along equal text share their places and are read together.

use super::prefilter::{Uncovered, append_hashes, short_hash};
use super::windows::{Windows, is_ascii};
use crate::normalize::{Cursor, size_of};

/// Tables of more chains, some 2 MB, are not kept for the next text.
const MOST_KEPT: usize = 1 << 17;

/// The windows of one text in a table, to look up those of others. A window is known by its place: how many come before it.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The first place of each chain, or [`NONE`]; a power of two long. The highest bits of a window's hash say which is its
    /// chain, and in that are the first places of different windows, in order.
    heads: Vec<u32>,
    /// The place after each one in its chain, or [`NONE`].
    next: Vec<u32>,
    /// The hashes of all windows in order, and the places that have another one after them in their chain: while it is built.
    hashes: Vec<u32>,
    followed: Vec<u32>,
    places: Places,
    /// The places whose window the text has more than once.
    repeated: Bits,
    /// For each of these places which of the repeated windows it is.
    repeats_at: Vec<u32>,
    repeats: Vec<Repeat>,
    /// The places whose window the other text has; those of repeated windows once all of it was seen.
    shared: Bits,
    comparison: u32,
}

/// No place.
const NONE: u32 = u32::MAX;

/// Where windows begin and end.
#[derive(Debug, Default)]
struct Places {
    count: usize,
    /// The bytes in a window of ASCII text, each of which begins a byte after the one before.
    length: usize,
    /// Those of other texts.
    listed: Vec<(u32, u32)>,
}

impl Places {
    /// The first byte of a window, and the byte past its last one.
    #[inline(always)]
    fn range(&self, place: usize) -> (usize, usize) {
        match self.listed.get(place) {
            Some((start, end)) => (*start as usize, *end as usize),
            None => (place, place + self.length),
        }
    }

    #[inline(always)]
    fn window<'t>(&self, text: &'t [u8], place: usize) -> &'t [u8] {
        let (start, end) = self.range(place);
        &text[start..end]
    }

    /// How many windows from a place on end before this byte or at it.
    #[inline(always)]
    fn ending(&self, first: usize, byte: usize) -> usize {
        match self.listed.get(first..) {
            Some(listed) if !listed.is_empty() => listed.partition_point(|(_, end)| *end as usize <= byte),
            _ => (byte + 1).saturating_sub(first + self.length).min(self.count - first),
        }
    }
}

/// A window that the text has more than once.
#[derive(Debug, Clone, Copy)]
struct Repeat {
    /// How often it has it.
    own: u32,
    /// How often it was met in the other text of the last comparison that met it.
    other: u32,
    /// How many of its own have been passed on the way back.
    passed: u32,
    /// That comparison.
    comparison: u32,
}

/// A text that meets the one in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefiltered<'t> {
    pub text: &'t [u8],
    pub size: Cursor,
    /// The answer of the prefilter of the text in the table.
    pub windows: &'t Uncovered,
}

impl Table {
    /// Gives back the memory of a table that few texts need.
    pub fn forget_large(&mut self) {
        if self.heads.capacity() > MOST_KEPT {
            *self = Table::default();
        }
    }

    /// Chains that there is memory for.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.heads.capacity()
    }

    /// Puts the windows of a text into the table.
    pub fn build(&mut self, text: &[u8], size: Cursor, length: u32) {
        self.forget_large();
        self.comparison = 0;
        self.places.length = length.min(size.letters) as usize;
        self.places.listed.clear();
        self.hashes.clear();
        if is_ascii(text, size) {
            append_hashes(text, self.places.length, &mut self.hashes);
        } else {
            let mut windows = Windows::new(text, size, length);
            while let Some((start, end)) = windows.next() {
                self.places.listed.push((start as u32, end as u32));
                self.hashes.push(short_hash(&text[start..end]));
            }
        }
        let count = self.hashes.len();
        self.places.count = count;
        self.repeated.clear(count);
        self.repeats.clear();
        self.repeats_at.resize(count, 0);
        self.chain();
        self.note_repeats(text);
    }

    /// Puts every place into the chain of its hash.
    fn chain(&mut self) {
        let Table { heads, next, hashes, followed, .. } = self;
        let count = hashes.len();
        heads.clear();
        heads.resize((count * 2).next_power_of_two().max(64), NONE);
        next.resize(count, NONE);
        followed.resize(count, NONE);
        let shift = shift(heads);
        // From the last place to the first, without a branch that chance decides.
        let mut some = count;
        for (place, (hash, next)) in hashes.iter().zip(next.iter_mut()).enumerate().rev() {
            let head = &mut heads[(hash >> shift) as usize];
            *next = *head;
            *head = place as u32;
            followed[some - 1] = place as u32;
            some -= usize::from(*next != NONE);
        }
        followed.drain(..some);
    }

    /// Takes all but the first place of every window out of the chains, and notes which windows these are.
    fn note_repeats(&mut self, text: &[u8]) {
        let Table { next, followed, places, repeated, repeats_at, repeats, .. } = self;
        for first in followed.iter().map(|place| *place as usize) {
            if repeated.any(first, 1) {
                continue;
            }
            let window = places.window(text, first);
            let mut own = 1;
            let (mut before, mut place) = (first, next[first]);
            while place != NONE {
                let this = place as usize;
                place = next[this];
                if !equal(places.window(text, this), window) {
                    before = this;
                    continue;
                }
                next[before] = place;
                own += 1;
                repeats_at[this] = repeats.len() as u32;
                repeated.set(this, 1);
            }
            if own > 1 {
                repeats_at[first] = repeats.len() as u32;
                repeated.set(first, 1);
                repeats.push(Repeat { own, other: 0, passed: 0, comparison: 0 });
            }
        }
    }

    /// The first place of a window. `text` is the one in the table.
    #[inline(always)]
    fn first(&self, text: &[u8], window: &[u8]) -> Option<usize> {
        let mut place = self.heads[(short_hash(window) >> shift(&self.heads)) as usize];
        while place != NONE {
            if equal(self.places.window(text, place as usize), window) {
                return Some(place as usize);
            }
            place = self.next[place as usize];
        }
        None
    }

    /// Where the windows of another text are that it shares with `text`, which is the one in the table. `false` once more
    /// than `most_uncovered` of its letters are known to lie outside.
    pub fn meet(
        &mut self,
        text: &[u8],
        other: Prefiltered<'_>,
        length: u32,
        most_uncovered: u32,
        ranges: &mut Ranges,
    ) -> bool {
        let Prefiltered { text: other, size, windows: prefiltered } = other;
        self.comparison += 1;
        self.shared.clear(self.places.count);
        let ascii = is_ascii(other, size);
        ranges.clear(ascii);
        let window = length.min(size.letters) as usize;
        let mut windows = Windows::new(other, size, length);
        // How many windows come before the next one; of ASCII, the byte where it begins.
        let mut number = 0;
        loop {
            let (start, end) = if ascii {
                let Some(next) = prefiltered.next_present(number) else { break };
                number = next;
                (next, next + window)
            } else {
                let Some(range) = windows.next() else { break };
                range
            };
            let looked_up = prefiltered.is_present(number).then(|| self.first(text, &other[start..end]));
            let Some(first) = looked_up.flatten() else {
                number += 1;
                continue;
            };
            let origin = self.places.range(first).0;
            let same = common(&text[origin..], &other[start..]);
            let count = self.places.ending(first, origin + same);
            self.share(first..first + count, start, other, ranges);
            if ranges.uncovered > most_uncovered {
                return false;
            }
            number += count;
            if !ascii {
                windows.skip_past(start + self.places.range(first + count - 1).0 - origin);
            }
        }
        true
    }

    /// Notes that the windows at these places follow one another in the other text, too, from its byte `start` on.
    #[inline]
    fn share(&mut self, places: std::ops::Range<usize>, start: usize, bytes: &[u8], ranges: &mut Ranges) {
        let origin = self.places.range(places.start).0;
        let mut add = |all: &Places, first: usize, last: usize| {
            ranges.add(start + all.range(first).0 - origin, start + all.range(last).1 - origin, bytes);
        };
        let mut place = places.start;
        while place < places.end {
            // Windows that the text has once, and that the other one has for the first time.
            let count = zeros(&self.repeated, &self.shared, place, places.end);
            if count > 0 {
                self.shared.set(place, count);
                add(&self.places, place, place + count - 1);
                place += count;
                continue;
            }
            if self.repeated.any(place, 1) && self.meet_repeat(place) {
                add(&self.places, place, place);
            }
            place += 1;
        }
    }

    /// Notes that the other text has this repeated window once more; whether the text in the table has it as often.
    fn meet_repeat(&mut self, place: usize) -> bool {
        let repeat = &mut self.repeats[self.repeats_at[place] as usize];
        if repeat.comparison != self.comparison {
            (repeat.comparison, repeat.other, repeat.passed) = (self.comparison, 0, 0);
        }
        repeat.other += 1;
        repeat.other <= repeat.own
    }

    /// Where the windows of the text in the table are that the text of the last [`meet`](Self::meet) has, too.
    pub fn meet_back(&mut self, text: &[u8], size: Cursor, ranges: &mut Ranges) {
        let Table { places, repeated, repeats_at, repeats, shared, comparison, .. } = self;
        repeated.each_run(|first, count| {
            for (place, repeat) in repeats_at.iter().enumerate().skip(first).take(count) {
                let repeat = &mut repeats[*repeat as usize];
                if repeat.comparison == *comparison {
                    repeat.passed += 1;
                    if repeat.passed <= repeat.other {
                        shared.set(place, 1);
                    }
                }
            }
        });
        ranges.clear(is_ascii(text, size));
        shared.each_run(|first, count| {
            let (start, end) = (places.range(first).0, places.range(first + count - 1).1);
            ranges.add(start, end, text);
        });
    }
}

/// The highest bits of a hash say which of these chains is its.
#[inline(always)]
fn shift(heads: &[u32]) -> u32 {
    32 - heads.len().ilog2()
}

/// Whether two windows are equal; without a call where they are of 8 to 16 bytes.
#[inline(always)]
fn equal(left: &[u8], right: &[u8]) -> bool {
    match (left.first_chunk::<8>(), left.last_chunk::<8>(), right.first_chunk(), right.last_chunk()) {
        (Some(first), Some(last), Some(other_first), Some(other_last)) if left.len() <= 16 => {
            left.len() == right.len() && first == other_first && last == other_last
        }
        _ => left == right,
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
    /// The letters that are known to lie outside, up to the byte `counted`.
    uncovered: u32,
    counted: usize,
    ascii: bool,
}

impl Ranges {
    fn clear(&mut self, ascii: bool) {
        self.list.clear();
        (self.uncovered, self.counted, self.ascii) = (0, 0, ascii);
    }

    /// Adds a range that begins no earlier than the one before.
    #[inline]
    fn add(&mut self, start: usize, end: usize, text: &[u8]) {
        match self.list.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => {
                self.count(start, text);
                self.list.push((start, end));
            }
        }
    }

    /// Counts what lies outside up to a byte that is in no range.
    fn count(&mut self, until: usize, text: &[u8]) {
        let from = self.counted.max(self.list.last().map_or(0, |last| last.1));
        if until > from {
            self.uncovered += size_of(&text[from..until], self.ascii).letters;
            self.counted = until;
        }
    }
}

/// A list of bits.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    /// `count` bits, all 0.
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

/// How many places from `first` on, before `end`, have a bit in neither list.
#[inline]
fn zeros(one: &Bits, other: &Bits, first: usize, end: usize) -> usize {
    let mut at = first;
    while at < end {
        let bits = (one.0[at / 64] | other.0[at / 64]) >> (at % 64);
        if bits != 0 {
            return (at + bits.trailing_zeros() as usize).min(end) - first;
        }
        at += 64 - at % 64;
    }
    end - first
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
