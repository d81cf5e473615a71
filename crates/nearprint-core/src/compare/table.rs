//! A text -> a table of the places of its windows; another text -> its windows that the table may
//! have.
//!
//! Most windows of another text stand nowhere in the text. So the table has a filter, with two bits
//! of one word for each window (a blocked Bloom filter: Putze, Sanders and Singler 2009). It has no
//! false negatives, and one in a hundred absent windows passes. Letters outside of all passing
//! windows are in no run. If there are more of them than the least similarity allows, the pair is
//! ruled out before its runs are searched for.

mod lanes;
mod present;

use lanes::Lanes;
pub(super) use present::Present;

use super::windows::{Windows, hash, is_ascii, is_boundary};
use crate::normalize::{Cursor, size_of};

/// The most windows after which the letters outside are counted.
const OFTEN: usize = 64;

/// The windows of one text.
#[derive(Debug, Default)]
pub(super) struct WindowTable {
    /// The bits of the windows; the number of words is a power of two.
    words: Vec<u32>,
    /// For each word the place, from 1, of the first window of its chain.
    heads: Vec<u32>,
    /// For each byte the place, from 1, of the next window in the chain of the window that begins
    /// there; 0 after the last one.
    after: Vec<u32>,
    /// The letters in a window; 0 in an empty table.
    length: u32,
    has_chains: bool,
}

impl WindowTable {
    /// Holds the windows of this text alone, of `length` letters each, without their places.
    pub fn hold(&mut self, text: &[u8], size: Cursor, length: u32) {
        self.words.clear();
        self.words.resize((size.letters as usize).next_power_of_two().clamp(64, 1 << 31), 0);
        (self.length, self.has_chains) = (length, false);
        let shift = self.shift();
        let words = &mut self.words[..];
        each_hash(text, size, length, |_, hash| words[(hash >> shift) as usize] |= bits(hash));
    }

    /// Takes in the places of the windows of the text that is held, unless they are there.
    pub fn hold_places(&mut self, text: &[u8], size: Cursor) {
        if std::mem::replace(&mut self.has_chains, true) {
            return;
        }
        let shift = self.shift();
        let WindowTable { words, heads, after, length, .. } = self;
        heads.clear();
        heads.resize(words.len(), 0);
        after.resize(text.len(), 0);
        // Windows come from the last one to the first, so that chains are in the order of the text.
        each_hash(text, size, *length, |byte, hash| {
            after[byte] = std::mem::replace(&mut heads[(hash >> shift) as usize], byte as u32 + 1);
        });
    }

    /// The letters in a window; 0 if nothing was held.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The letters for which there is room.
    pub fn capacity(&self) -> usize {
        self.words.capacity()
    }

    /// Holds nothing.
    pub fn forget(&mut self) {
        self.length = 0;
    }

    #[inline(always)]
    fn has(&self, hash: u32) -> bool {
        let bits = bits(hash);
        self.words[(hash >> self.shift()) as usize] & bits == bits
    }

    /// The shift of a hash: its highest bits are the number of its word.
    #[inline(always)]
    fn shift(&self) -> u32 {
        32 - self.words.len().ilog2()
    }

    /// The places where a window may stand, in the order of the text. They must have been taken in.
    #[inline]
    pub fn places(&self, window: &[u8]) -> impl Iterator<Item = usize> {
        debug_assert!(self.has_chains);
        let mut place = self.heads[(short_hash(window) >> self.shift()) as usize];
        std::iter::from_fn(move || {
            let byte = (place as usize).checked_sub(1)?;
            place = self.after[byte];
            Some(byte)
        })
    }

    /// The windows of a text that the table may have, and the letters outside of them. The search
    /// ends as soon as more than `most` letters lie outside.
    pub fn present(&self, text: &[u8], size: Cursor, most: u32, present: &mut Present) {
        present.clear(text.len());
        match Lanes::for_windows(self.length as usize, text).filter(|_| is_ascii(text, size)) {
            Some(lanes) => lanes.present(self, text, most, present),
            None => self.present_plainly(text, size, most, present),
        }
    }

    fn present_plainly(&self, text: &[u8], size: Cursor, most: u32, present: &mut Present) {
        let ascii = is_ascii(text, size);
        let letters = |start: usize, end: usize| size_of(&text[start..end], ascii).letters;
        let mut windows = Windows::new(text, size, self.length);
        let mut number = 0;
        // All letters before this byte are covered or counted.
        let mut covered = 0;
        while let Some((start, end)) = windows.next() {
            let found = self.has(short_hash(&text[start..end]));
            if start > covered && (found || number % OFTEN == 0) {
                present.uncovered += letters(covered, start);
                covered = start;
                if present.uncovered > most {
                    return;
                }
            }
            if found {
                present.set(start);
                // The last letter of a run of wide and narrow characters may be in no window of the
                // run.
                let past = end + usize::from(!ascii && end < text.len());
                covered = (past..text.len())
                    .find(|byte| is_boundary(text, *byte))
                    .unwrap_or(text.len().min(past));
            }
            number += 1;
        }
        present.uncovered += letters(covered.min(text.len()), text.len());
    }
}

/// Calls `each` with the first byte and the hash of all windows of a text, from the last one to the
/// first.
#[inline]
fn each_hash(text: &[u8], size: Cursor, length: u32, each: impl FnMut(usize, u32)) {
    match Lanes::for_windows(length as usize, text).filter(|_| is_ascii(text, size)) {
        Some(lanes) => lanes.each_hash(length as usize, text, each),
        None => each_hash_plainly(text, size, length, each),
    }
}

fn each_hash_plainly(text: &[u8], size: Cursor, length: u32, mut each: impl FnMut(usize, u32)) {
    let mut windows = Windows::new(text, size, length);
    let mut hashes = Vec::with_capacity(size.letters as usize);
    while let Some((start, end)) = windows.next() {
        hashes.push((start, short_hash(&text[start..end])));
    }
    hashes.into_iter().rev().for_each(|(start, hash)| each(start, hash));
}

/// The bits of a hash in its word.
#[inline(always)]
fn bits(hash: u32) -> u32 {
    1 << (hash & 31) | 1 << (hash >> 5 & 31)
}

const FACTORS: [u32; 4] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// Returns true if a window is hashed by four bytes of its beginning, its middle and its end.
fn is_narrow(bytes: usize) -> bool {
    (4..=12).contains(&bytes)
}

/// The hash of a window for tables in memory, which is not a format.
#[inline(always)]
fn short_hash(window: &[u8]) -> u32 {
    if !is_narrow(window.len()) {
        return (hash(window) >> 20) as u32;
    }
    let four = |at: usize| {
        u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]])
    };
    let last = window.len() - 4;
    let parts = [four(0), four(last.min(4)), four(last)];
    let sum = parts
        .iter()
        .zip(FACTORS)
        .fold(0u32, |sum, (part, factor)| sum.wrapping_add(part.wrapping_mul(factor)));
    let mixed = (sum ^ sum >> 16).wrapping_mul(FACTORS[3]);
    mixed ^ mixed >> 15
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::size;

    /// The windows of a text, as ranges of bytes.
    fn all(text: &str, length: u32) -> Vec<(usize, usize)> {
        let mut windows = Windows::new(text.as_bytes(), size(text), length);
        std::iter::from_fn(|| windows.next()).collect()
    }

    /// The letters of a text in no window that the other one has.
    fn exactly_uncovered(text: &str, other: &str, length: u32) -> u32 {
        let others: Vec<&str> =
            all(other, length).into_iter().map(|(start, end)| &other[start..end]).collect();
        let mut uncovered = vec![true; text.len()];
        for (start, end) in all(text, length) {
            if others.contains(&&text[start..end]) {
                uncovered[start..end].fill(false);
            }
        }
        let characters = text.char_indices().filter(|(at, _)| uncovered[*at]);
        characters
            .map(|(at, c)| size_of(&text.as_bytes()[at..at + c.len_utf8()], false).letters)
            .sum()
    }

    fn holding(text: &str, length: u32) -> WindowTable {
        let mut table = WindowTable::default();
        table.hold(text.as_bytes(), size(text), length);
        table.hold_places(text.as_bytes(), size(text));
        table
    }

    fn present(table: &WindowTable, text: &str, most: u32) -> Present {
        let mut present = Present::default();
        table.present(text.as_bytes(), size(text), most, &mut present);
        present
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["([a-z]{1,60}|[0-9]{1,20}|abcabcabc){0,9}", "([a-z]{1,30}|[é天地人]{1,9}){0,9}"]
    }

    proptest! {
        #[test]
        fn a_window_of_the_text_is_present_and_found_at_all_its_places(
            own in prop_oneof![text(), Just("天".repeat(40))], other in text(), pick in 0usize..40, length in 4u32..=10,
        ) {
            let cut = (0..=own.len()).rev().find(|at| *at <= pick && own.is_char_boundary(*at)).unwrap();
            let table = holding(&own, length);
            for other in [other.clone(), format!("{}{other}", &own[cut..]), own.clone()] {
                let present = present(&table, &other, u32::MAX);
                prop_assert!(present.uncovered <= exactly_uncovered(&other, &own, length));
                for (start, end) in all(&other, length) {
                    let window = &other[start..end];
                    let places: Vec<usize> = table.places(window.as_bytes()).filter(|at| own[*at..].starts_with(window)).collect();
                    let standing = all(&own, length).into_iter().filter(|(start, end)| &own[*start..*end] == window);
                    prop_assert_eq!(&places, &standing.map(|(start, _)| start).collect::<Vec<_>>());
                    prop_assert!(present.has(start) || places.is_empty());
                }
            }
        }

        #[test]
        fn lanes_answer_like_the_plain_way(own in "[a-c0-2]{0,300}", other in "[a-c0-2]{0,300}", length in 4u32..=10) {
            let plain = holding(&own, length);
            let mut plainly = Present::default();
            plainly.clear(other.len());
            plain.present_plainly(other.as_bytes(), size(&other), u32::MAX, &mut plainly);
            let in_lanes = present(&plain, &other, u32::MAX);
            prop_assert_eq!(in_lanes.uncovered, plainly.uncovered);
            for byte in 0..other.len() {
                prop_assert_eq!(in_lanes.has(byte), plainly.has(byte));
                prop_assert_eq!(in_lanes.next(byte), (byte..other.len()).find(|byte| plainly.has(*byte)));
            }
            for most in (0..1000).step_by(17) {
                prop_assert_eq!(present(&plain, &other, most).uncovered <= most, plainly.uncovered <= most);
            }
        }
    }

    #[test]
    fn few_absent_windows_pass() {
        let text = |seed: u64| -> String {
            (0..3000u64)
                .map(|n| char::from(b'a' + (crate::random::mix(seed << 32 | n) % 26) as u8))
                .collect()
        };
        let (own, other) = (text(1), text(2));
        let table = holding(&own, 10);
        let passed =
            other.as_bytes().windows(10).filter(|window| table.has(short_hash(window))).count();
        assert!(passed < 45, "{passed}");
        assert!(present(&table, &other, u32::MAX).uncovered > 2600);
    }
}
