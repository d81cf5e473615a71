//! ASCII text -> its words, 64 bytes at a time.

use super::{Word, is_between_digits, push};

/// The words of ASCII text, whose bytes are classified 64 at a time.
pub(super) fn words(text: &[u8], out: &mut Vec<Word>) {
    let mut kept = 0;
    // The parts of a number before its last sign.
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
        // A bit for each byte at which a word begins, or has ended.
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
    // The highest bit of each byte that is `least` or more. All bytes are ASCII.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words_one_by_one;

    proptest! {
        #[test]
        fn words_of_ascii_are_those_of_any_text(text in "([a-zA-Z]{1,9}|[0-9]{1,4}|[ -~]|[,.:]){0,90}") {
            let [mut fast, mut plain] = [Vec::new(), Vec::new()];
            super::words(text.as_bytes(), &mut fast);
            words_one_by_one(&text, &mut plain);
            prop_assert_eq!(fast, plain);
        }
    }
}
