//! The windows of one text, or of several, as a Bloom filter -> a lower bound on the part of another text that no passage
//! covers, before any exact comparison.
//!
//! Most candidates are no duplicates. The prefilter of a text has two bits of one word for each of its windows (a Bloom
//! filter in blocks: Putze, Sanders and Singler 2009), so that it has no false negative. Characters of another text that
//! lie in no window of the prefilter lie in no passage either. If these are more letters than the least similarity allows,
//! the pair is no duplicate; else the exact comparison decides. One in a hundred absent windows passes, and a window that
//! occurs once may pass several times. So the prefilter lets some pairs through that are no duplicates, and never holds a
//! duplicate back.

mod lanes;
mod uncovered;

use lanes::Lanes;
pub(super) use uncovered::Uncovered;

use super::runs::is_boundary;
use super::windows::{Windows, hash, is_ascii};
use crate::normalize::{Cursor, size_of};

/// The part outside is counted after this number of windows at the latest.
const OFTEN: usize = 64;

/// There is a word of 32 bits or more to a window, up to this number of words, 4 MiB: in a longer text more windows pass.
const MOST_WORDS: usize = 1 << 20;

/// The windows of one text.
#[derive(Debug, Default)]
pub(super) struct Prefilter {
    /// A power of two long.
    words: Vec<u32>,
    /// The letters in a window.
    length: u32,
}

impl Prefilter {
    /// Holds the windows of this text, of `length` letters each, and no others.
    #[cfg(test)]
    fn build(&mut self, text: &[u8], size: Cursor, length: u32) {
        self.clear(size.letters as usize, length);
        self.add_text(text, size);
    }

    /// Holds no windows, and has room for `windows` windows of `length` letters each.
    pub fn clear(&mut self, windows: usize, length: u32) {
        let words = windows.next_power_of_two().clamp(64, MOST_WORDS);
        self.words.clear();
        self.words.shrink_to(1 << 16);
        self.words.resize(words, 0);
        self.length = length;
    }

    /// Adds the windows of a text.
    pub fn add_text(&mut self, text: &[u8], size: Cursor) {
        match Lanes::for_windows(self.length as usize, text).filter(|_| is_ascii(text, size)) {
            Some(lanes) => lanes.add_text(self, text),
            None => self.add_plainly(text, size),
        }
    }

    fn add_plainly(&mut self, text: &[u8], size: Cursor) {
        let mut windows = Windows::new(text, size, self.length);
        while let Some((start, end)) = windows.next() {
            self.add(short_hash(&text[start..end]));
        }
    }

    #[inline(always)]
    fn add(&mut self, hash: u32) {
        let word = (hash >> self.shift()) as usize;
        self.words[word] |= bits(hash);
    }

    #[inline(always)]
    fn has(&self, hash: u32) -> bool {
        let bits = bits(hash);
        self.words[(hash >> self.shift()) as usize] & bits == bits
    }

    /// The highest bits of a hash say which word is its.
    #[inline(always)]
    fn shift(&self) -> u32 {
        32 - self.words.len().ilog2()
    }

    /// The part of a text outside the windows of the prefilter, block by block, and its windows that the prefilter has. Of
    /// the rest of it nothing is known once more than `most` lies outside.
    pub fn uncovered(&self, text: &[u8], size: Cursor, most: u32, uncovered: &mut Uncovered) {
        uncovered.clear();
        match Lanes::for_windows(self.length as usize, text).filter(|_| is_ascii(text, size)) {
            Some(lanes) => lanes.uncovered(self, text, most, uncovered),
            None => self.uncovered_plainly(text, size, most, uncovered),
        }
    }

    /// A block is a stretch that windows of the prefilter cover without a gap, or a part of the text between two of them.
    fn uncovered_plainly(&self, text: &[u8], size: Cursor, most: u32, uncovered: &mut Uncovered) {
        let ascii = is_ascii(text, size);
        let letters = |start: usize, end: usize| size_of(&text[start..end], ascii).letters;
        let mut windows = Windows::new(text, size, self.length);
        let mut number = 0;
        // The letters before `from` have been counted; up to `covered` it is covered.
        let (mut from, mut covered) = (0, 0);
        while let Some((start, end)) = windows.next() {
            let found = self.has(short_hash(&text[start..end]));
            if start > covered && (found || number % OFTEN == 0) {
                uncovered.push(letters(from, covered), 0);
                let between = letters(covered, start);
                uncovered.push(between, between);
                (from, covered) = (start, start);
                if uncovered.total > most {
                    return;
                }
            }
            if found {
                uncovered.set_present(number);
                // The last letter of a passage of wide and narrow characters may be in none of its windows.
                let past = end + usize::from(!ascii && end < text.len());
                covered = (past..text.len()).find(|byte| is_boundary(text, *byte)).unwrap_or(text.len().min(past));
            }
            number += 1;
        }
        uncovered.push(letters(from, covered), 0);
        let rest = letters(covered, text.len());
        uncovered.push(rest, rest);
    }
}

/// The bits of a hash in its word.
#[inline(always)]
fn bits(hash: u32) -> u32 {
    1 << (hash & 31) | 1 << (hash >> 5 & 31)
}

const FACTORS: [u32; 4] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// Whether a window is hashed by four bytes of its beginning, its middle and its end.
fn is_narrow(bytes: usize) -> bool {
    (4..=12).contains(&bytes)
}

/// A hash of a window: for bits in memory, not a format.
#[inline(always)]
pub(super) fn short_hash(window: &[u8]) -> u32 {
    if !is_narrow(window.len()) {
        return (hash(window) >> 20) as u32;
    }
    let four = |at: usize| u32::from_le_bytes([window[at], window[at + 1], window[at + 2], window[at + 3]]);
    let last = window.len() - 4;
    let parts = [four(0), four(last.min(4)), four(last)];
    let sum = parts.iter().zip(FACTORS).fold(0u32, |sum, (part, factor)| sum.wrapping_add(part.wrapping_mul(factor)));
    let mixed = (sum ^ sum >> 16).wrapping_mul(FACTORS[3]);
    mixed ^ mixed >> 15
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::size;

    /// The letters of a text in no window that the other one has.
    fn exactly_uncovered(text: &str, other: &str, length: u32) -> u32 {
        let all = |text: &str| {
            let mut windows = Windows::new(text.as_bytes(), size(text), length);
            std::iter::from_fn(move || windows.next()).collect::<Vec<_>>()
        };
        let others: Vec<&str> = all(other).into_iter().map(|(start, end)| &other[start..end]).collect();
        let mut uncovered = vec![true; text.len()];
        for (start, end) in all(text) {
            if others.contains(&&text[start..end]) {
                uncovered[start..end].fill(false);
            }
        }
        let characters = text.char_indices().filter(|(at, _)| uncovered[*at]);
        characters.map(|(at, c)| size_of(&text.as_bytes()[at..at + c.len_utf8()], false).letters).sum()
    }

    fn uncovered(prefilter: &Prefilter, text: &str, most: u32) -> Uncovered {
        let mut uncovered = Uncovered::default();
        prefilter.uncovered(text.as_bytes(), size(text), most, &mut uncovered);
        uncovered
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["([a-z]{1,60}|[0-9]{1,20}|abcabcabc){0,9}", "([a-z]{1,30}|[é天地人]{1,9}){0,9}"]
    }

    proptest! {
        #[test]
        fn nothing_is_outside_that_is_covered(
            own in prop_oneof![text(), Just("天".repeat(40))], other in text(), pick in 0usize..40, length in 4u32..=10,
        ) {
            let cut = (0..=own.len()).rev().find(|at| *at <= pick && own.is_char_boundary(*at)).unwrap();
            for other in [other.clone(), format!("{}{other}", &own[cut..]), own.clone()] {
                let mut prefilter = Prefilter::default();
                prefilter.build(own.as_bytes(), size(&own), length);
                prop_assert!(uncovered(&prefilter, &other, u32::MAX).total <= exactly_uncovered(&other, &own, length));
            }
        }

        #[test]
        fn lanes_answer_like_the_plain_way(own in "[a-c0-2]{0,300}", other in "[a-c0-2]{0,300}", length in 4u32..=10) {
            let (mut prefilter, mut plain) = (Prefilter::default(), Prefilter::default());
            prefilter.build(own.as_bytes(), size(&own), length);
            plain.build(own.as_bytes(), size(&own), length);
            plain.words.fill(0);
            plain.add_plainly(own.as_bytes(), size(&own));
            prop_assert_eq!(&prefilter.words, &plain.words);
            let mut plainly = Uncovered::default();
            plain.uncovered_plainly(other.as_bytes(), size(&other), u32::MAX, &mut plainly);
            let in_lanes = uncovered(&prefilter, &other, u32::MAX);
            prop_assert_eq!(in_lanes.total, plainly.total);
            for number in 0..other.len() {
                prop_assert_eq!(in_lanes.is_present(number), plainly.is_present(number));
            }
            for most in (0..1000).step_by(17) {
                prop_assert_eq!(uncovered(&prefilter, &other, most).total <= most, plainly.total <= most);
            }
        }
    }

    #[test]
    fn few_absent_windows_pass() {
        let text = |seed: u64| -> String {
            (0..3000u64).map(|n| char::from(b'a' + (crate::random::mix(seed << 32 | n) % 26) as u8)).collect()
        };
        let (own, other) = (text(1), text(2));
        let mut prefilter = Prefilter::default();
        prefilter.build(own.as_bytes(), size(&own), 10);
        let passed = other.as_bytes().windows(10).filter(|window| prefilter.has(short_hash(window))).count();
        assert!(passed < 45, "{passed}");
        assert!(uncovered(&prefilter, &other, u32::MAX).total > 2600);
    }
}
