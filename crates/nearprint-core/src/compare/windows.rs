//! A text -> its windows, the shortest passages that it may share, and their hashes.

use xxhash_rust::xxh3::xxh3_64;

use super::fold::fold;
use crate::normalize::Cursor;

/// The letters in the shortest passage of texts that are not short.
pub const LONGEST: u32 = 10;

/// The letters in the shortest passage of the shortest texts.
const SHORTEST: u32 = 3;

/// The letters in the shortest passage of two texts, of which the shorter one has `letters`
/// letters: 2 log₂ of its length in units of 25. They are few enough that texts of a sentence or
/// two have passages, and enough that longer texts have none by chance.
pub(super) fn passage_length(letters: u32) -> u32 {
    (2 * (letters / 25).max(1).ilog2()).clamp(SHORTEST, LONGEST)
}

/// Returns true if a text of this size is ASCII. Exactly then every byte is a letter.
pub(super) fn is_ascii(text: &[u8], size: Cursor) -> bool {
    size.letters as usize == text.len()
}

/// Returns true if a character of UTF-8 begins at this byte, or the text ends there or before.
#[inline]
pub fn is_boundary(text: &[u8], byte: usize) -> bool {
    text.get(byte).is_none_or(|byte| *byte as i8 >= -64)
}

/// The hash of a window for tables in memory, which is never 0 and not a format.
#[inline(always)]
pub(super) fn hash(window: &[u8]) -> u64 {
    let (first, last) = match (window.first_chunk(), window.last_chunk()) {
        (Some(first), Some(last)) if window.len() <= 16 => {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        }
        (None, None) => {
            let mut bytes = [0; 8];
            bytes[..window.len()].copy_from_slice(window);
            (u64::from_le_bytes(bytes), window.len() as u64)
        }
        _ => return xxh3_64(window) | 1 << 63,
    };
    // The first and the last eight bytes may overlap, so that windows of different lengths can
    // agree in them.
    (fold(first, last) ^ (window.len() as u64) << 40) | 1 << 63
}

/// The windows of a text in order, one from each character on: the shortest runs of `length`
/// letters. A text of fewer letters is one window.
#[derive(Debug)]
pub(super) struct Windows<'t> {
    text: &'t [u8],
    length: u32,
    ascii: bool,
    start: Cursor,
    end: Cursor,
}

impl<'t> Windows<'t> {
    /// The windows of a text of this size, of `length` letters each.
    pub fn new(text: &'t [u8], size: Cursor, length: u32) -> Windows<'t> {
        let (start, end) = (Cursor::default(), Cursor::default());
        Windows { text, length: length.min(size.letters), ascii: is_ascii(text, size), start, end }
    }

    /// The first byte of the next window and the byte past its last one.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(usize, usize)> {
        let Windows { text, length, ascii, start, end } = self;
        if start.byte == text.len() {
            return None;
        }
        let first = start.byte;
        if *ascii {
            let past = first + *length as usize;
            start.byte += 1;
            return (past <= text.len()).then_some((first, past));
        }
        while end.letters - start.letters < *length {
            if end.byte == text.len() {
                return None;
            }
            end.advance(text);
        }
        start.advance(text);
        Some((first, end.byte))
    }
}

/// The byte past `letters` letters of a text from a byte on. The last letter may be half of a wide
/// character.
pub(super) fn past(text: &[u8], start: usize, letters: u32) -> usize {
    let mut end = Cursor { byte: start, letters: 0 };
    while end.letters < letters && end.byte < text.len() {
        end.advance(text);
    }
    end.byte
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_different_length_differ_in_their_hashes() {
        // The windows agree in their first and last eight bytes.
        assert_ne!(hash("截至11日上".as_bytes()), hash("截至111日上".as_bytes()));
        assert_ne!(hash(b"abababab"), hash(b"abababababab"));
    }
}
