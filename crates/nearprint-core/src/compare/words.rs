//! A normalized text -> its words, and where each stands among its letters and digits.
//!
//! A word is a run of letters and digits; a character of Chinese, Japanese or Korean is a word of
//! its own. Signs within a number do not cut it: `1,234.5` and `10:30` are one word each.
//!
//! Some words are figures: those with a digit, the numerals of Chinese, and in English numbers up
//! to twelve, months and days of the week. What a figure is worth is not looked at: `9.7 mln` and
//! `9,700,000` are other words.

use std::sync::LazyLock;

use hashbrown::HashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::fold::fold;

/// Words that stand for numbers and dates.
const NAMED: [&str; 53] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sept",
    "sep",
    "oct",
    "nov",
    "dec",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "million",
    "mln",
    "billion",
    "bln",
];

/// Their hashes, and a bit for some bits of each: most words have others.
static NAMED_HASHES: LazyLock<(HashSet<u64>, [u64; 16])> = LazyLock::new(|| {
    let hashes: HashSet<u64> = NAMED.iter().map(|word| hash(word.as_bytes())).collect();
    let mut bits = [0; 16];
    hashes.iter().for_each(|hash| bits[(hash >> 6 & 15) as usize] |= 1 << (hash & 63));
    (hashes, bits)
});

/// A hash of a word: for comparisons in memory, not a format.
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

/// What an ASCII byte is in a word.
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

/// Whether a character is a numeral of Chinese.
fn is_numeral(c: char) -> bool {
    matches!(
        c,
        '一' | '二'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '百'
            | '千'
            | '万'
            | '亿'
            | '零'
            | '两'
            | '〇'
    )
}

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The place of its first byte among the letters and digits of the text
    /// ([`append_alphanumeric`](crate::normalize::append_alphanumeric)).
    pub start: u32,
    /// The place past its last byte there.
    pub end: u32,
    /// Equal words have the same.
    pub hash: u64,
    /// Whether it is a figure.
    pub is_figure: bool,
}

/// Fills `out` with the words of a normalized text, in order.
///
/// ```
/// use nearprint_core::compare::words;
/// let mut out = Vec::new();
/// words("rose 1,234.5 to 二月", &mut out);
/// assert_eq!(out.iter().map(|word| (word.start, word.end)).collect::<Vec<_>>(), [(0, 4), (4, 9), (9, 11), (11, 14), (14, 17)]);
/// assert_eq!(out.iter().map(|word| word.is_figure).collect::<Vec<_>>(), [false, true, false, true, false]);
/// ```
pub fn words(text: &str, out: &mut Vec<Word>) {
    out.clear();
    match text.is_ascii() {
        true => words_of_ascii(text.as_bytes(), out),
        false => words_one_by_one(text, out),
    }
}

/// Those of ASCII text, whose bytes are told apart 64 at a time.
fn words_of_ascii(text: &[u8], out: &mut Vec<Word>) {
    let mut kept = 0;
    // The parts of a number before its signs.
    let mut parts: Vec<u8> = Vec::new();
    let mut take = |word: &[u8], end: usize, has_digit: bool| {
        if has_digit && is_between_digits(text, end) && matches!(text[end], b',' | b'.' | b':') {
            parts.extend_from_slice(word);
        } else if parts.is_empty() {
            push(word, has_digit, &mut kept, out);
        } else {
            parts.extend_from_slice(word);
            push(&parts, true, &mut kept, out);
            parts.clear();
        }
    };
    let (mut start, mut is_open, mut before) = (0, false, 0);
    for (number, part) in text.chunks(64).enumerate() {
        let mut block = [0; 64];
        block[..part.len()].copy_from_slice(part);
        let (letters, digits) = letters_and_digits(&block);
        // A bit where a word begins, and where it has ended.
        let mut edges = letters ^ (letters << 1 | before);
        before = letters >> 63;
        while edges != 0 {
            let bit = edges.trailing_zeros();
            let at = 64 * number + bit as usize;
            edges &= edges - 1;
            if is_open {
                let word = &text[start..at];
                let here = digits & ((1 << bit) - 1) & (u64::MAX << (start.max(64 * number) % 64));
                take(
                    word,
                    at,
                    here != 0 || start < 64 * number && word.iter().any(u8::is_ascii_digit),
                );
            }
            (start, is_open) = (at, !is_open);
        }
    }
    if is_open {
        let word = &text[start..];
        take(word, text.len(), word.iter().any(u8::is_ascii_digit));
    }
}

/// A bit for each ASCII byte that is a letter or a digit, and for each digit.
#[inline]
fn letters_and_digits(block: &[u8; 64]) -> (u64, u64) {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let all = |byte: u8| u64::from_le_bytes([byte; 8]);
    // The highest bit of each byte that is `least` or more; all of them are ASCII.
    let from = |bytes: u64, least: u8| bytes + all(0x80 - least);
    let (mut letters, mut digits) = (0, 0);
    for (number, eight) in block.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*eight);
        let lower = bytes | all(0x20);
        let letter = from(lower, b'a') & !from(lower, b'z' + 1) & HIGH;
        let digit = from(bytes, b'0') & !from(bytes, b'9' + 1) & HIGH;
        let bits = |high: u64| (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        letters |= bits(letter | digit) << (8 * number);
        digits |= bits(digit) << (8 * number);
    }
    (letters, digits)
}

/// Those of any text.
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
            word.close(&mut kept, out);
        } else if is_wide(c) {
            word.close(&mut kept, out);
            push(one.as_bytes(), is_numeral(c), &mut kept, out);
        } else {
            word.take(one, c.is_numeric());
        }
    }
    word.close(&mut kept, out);
}

/// Whether it is one of those characters of Chinese that nearly all are.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Whether a character is as wide as two letters.
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
    let (hashes, bits) = &*NAMED_HASHES;
    let is_named =
        || bits[(hash >> 6 & 15) as usize] >> (hash & 63) & 1 == 1 && hashes.contains(&hash);
    let is_figure = is_figure || is_named();
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

    proptest! {
        #[test]
        fn words_of_ascii_are_those_of_any_text(text in "([a-zA-Z]{1,9}|[0-9]{1,4}|[ -~]|[,.:]){0,90}") {
            let [mut fast, mut plain] = [Vec::new(), Vec::new()];
            words_of_ascii(text.as_bytes(), &mut fast);
            words_one_by_one(&text, &mut plain);
            prop_assert_eq!(fast, plain);
        }
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
