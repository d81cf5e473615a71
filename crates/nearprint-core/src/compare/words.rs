//! A normalized text -> its words, and their places among its letters and digits.
//!
//! A word is a run of letters and digits; a character of Chinese, Japanese or Korean is a word of
//! its own. Signs within a number do not cut it: `1,234.5` and `10:30` are one word each. Nor do
//! characters that show nothing, such as a soft hyphen.
//!
//! Some words are figures: words with a digit, Chinese numerals, and in English numbers up to
//! twelve, months and days of the week. The value of a figure does not count: `9.7 mln` and
//! `9,700,000` are different.

mod ascii;
mod figures;

use figures::{is_named, is_numeral};
use xxhash_rust::xxh3::xxh3_64;

use super::fold::fold;
use crate::signs::shows_nothing;

/// The hash of a word for comparisons in memory, which is not a format.
#[inline]
fn hash(word: &[u8]) -> u64 {
    let [first, last] = match word.len() {
        1..4 => [
            u64::from(word[0])
                | u64::from(word[word.len() / 2]) << 8
                | u64::from(word[word.len() - 1]) << 16,
            0,
        ],
        4..=8 => [word.first_chunk(), word.last_chunk()]
            .map(|four| u64::from(u32::from_le_bytes(*four.expect("there are four")))),
        9..=16 => [word.first_chunk(), word.last_chunk()]
            .map(|eight| u64::from_le_bytes(*eight.expect("there are eight"))),
        _ => return xxh3_64(word),
    };
    fold(first, last) ^ (word.len() as u64) << 40
}

/// The classes of bytes in a word.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
/// A sign that may stand within a number; any byte of other characters.
const UNSURE: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b',' | b'.' | b':' | 0x80.. => UNSURE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The place of its first byte among the letters and digits of the text
    /// ([`append_alphanumeric`](crate::normalize::append_alphanumeric)).
    pub start: u32,
    /// The place past its last byte there.
    pub end: u32,
    /// The hash of the word. Equal words have equal hashes.
    pub hash: u64,
    /// True if the word is a figure.
    pub is_figure: bool,
}

/// Fills `out` with the words of a normalized text, in order.
///
/// ```
/// use nearprint_core::compare::words;
/// let mut out = Vec::new();
/// words("rose 1,234.5 to 二月", &mut out);
/// let found: Vec<_> = out.iter().map(|word| (word.start, word.end, word.is_figure)).collect();
/// assert_eq!(found[..3], [(0, 4, false), (4, 9, true), (9, 11, false)]);
/// assert_eq!(found[3..], [(11, 14, true), (14, 17, false)]);
/// ```
pub fn words(text: &str, out: &mut Vec<Word>) {
    out.clear();
    match text.is_ascii() {
        true => ascii::words(text.as_bytes(), out),
        false => words_one_by_one(text, out),
    }
}

/// The words of any text, character by character.
fn words_one_by_one(text: &str, out: &mut Vec<Word>) {
    let bytes = text.as_bytes();
    let mut kept = 0;
    let mut word = Open::default();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte < 0x80 {
            let class = CLASSES[byte as usize];
            if word.letters.is_empty() && class & (LETTER | DIGIT) != 0 {
                let (mut past, mut classes, mut next) = (at + 1, class, 0);
                while past < bytes.len() {
                    next = CLASSES[bytes[past] as usize];
                    if next & (LETTER | DIGIT) == 0 {
                        break;
                    }
                    classes |= next;
                    (past, next) = (past + 1, 0);
                }
                let ends = next != UNSURE || bytes[past] < 0x80 && !is_between_digits(bytes, past);
                if ends {
                    push(&bytes[at..past], classes & DIGIT != 0, &mut kept, out);
                    at = past;
                    continue;
                }
            }
            match byte {
                b'0'..=b'9' => word.take(&text[at..=at], true),
                b'a'..=b'z' | b'A'..=b'Z' => word.take(&text[at..=at], false),
                b',' | b'.' | b':' if is_between_digits(bytes, at) => (),
                _ => word.close(&mut kept, out),
            }
            at += 1;
            continue;
        }
        let c = text[at..].chars().next().expect("the end was not reached");
        let one = &text[at..at + c.len_utf8()];
        at += one.len();
        if !is_ideograph(c) && !c.is_alphanumeric() {
            if !shows_nothing(c) {
                word.close(&mut kept, out);
            }
        } else if is_wide(c) {
            word.close(&mut kept, out);
            push(one.as_bytes(), is_numeral(c), &mut kept, out);
        } else {
            word.take(one, c.is_numeric());
        }
    }
    word.close(&mut kept, out);
}

/// Returns true if a character is one of the frequent Chinese ones.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Returns true if a character counts as two letters.
pub(super) fn is_wide(c: char) -> bool {
    c >= '\u{2e80}'
}

fn is_between_digits(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1].is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}

/// Adds a word.
#[inline]
fn push(letters: &[u8], is_figure: bool, kept: &mut u32, out: &mut Vec<Word>) {
    let start = *kept;
    *kept += letters.len() as u32;
    let hash = hash(letters);
    let is_figure = is_figure || is_named(hash);
    out.push(Word { start, end: *kept, hash, is_figure });
}

/// A word that has not ended.
#[derive(Default)]
struct Open {
    letters: String,
    is_figure: bool,
}

impl Open {
    #[inline]
    fn take(&mut self, letters: &str, is_figure: bool) {
        self.letters.push_str(letters);
        self.is_figure |= is_figure;
    }

    #[inline]
    fn close(&mut self, kept: &mut u32, out: &mut Vec<Word>) {
        if self.letters.is_empty() {
            return;
        }
        push(self.letters.as_bytes(), self.is_figure, kept, out);
        self.letters.clear();
        self.is_figure = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::append_alphanumeric;

    #[test]
    fn ideographs_are_letters() {
        assert!(('\u{4e00}'..='\u{9fff}').all(|c| is_ideograph(c) && c.is_alphanumeric()));
    }

    #[test]
    fn characters_that_show_nothing_cut_no_word() {
        let hashes = |text: &str| {
            let mut found = Vec::new();
            words(text, &mut found);
            found.iter().map(|word| (word.hash, word.is_figure)).collect::<Vec<_>>()
        };
        let plain = hashes("the harbor, 4711 or 12.5");
        for sign in ['\u{200b}', '\u{ad}', '\u{2060}', '\u{fe0f}', '\u{feff}', '\u{e0061}'] {
            let hidden = format!("the har{sign}bor{sign}, {sign}47{sign}1{sign}1 or 12.5{sign}");
            assert_eq!(hashes(&hidden), plain, "{sign:?}");
        }
        assert_ne!(hashes("47 11"), hashes("4711"));
    }

    proptest! {
        #[test]
        fn words_are_the_letters_and_digits_of_a_text(text in "[a-c0-9 ,.:é二天。\u{3400}-]{0,40}") {
            let (mut letters, mut found) = (String::new(), Vec::new());
            append_alphanumeric(&text, &mut letters);
            words(&text, &mut found);
            if text.chars().any(char::is_alphanumeric) {
                let mut end = 0;
                for word in &found {
                    prop_assert_eq!(word.start, end);
                    prop_assert_eq!(word.hash, hash(&letters.as_bytes()[word.start as usize..word.end as usize]));
                    end = word.end;
                }
                prop_assert_eq!(end as usize, letters.len());
            } else {
                prop_assert!(found.is_empty());
            }
        }
    }
}
