//! Normalized text -> its letters and digits, of which character n-grams and passages are made.

use super::beginning;

/// Appends to `out` the letters and digits of a normalized text. If the text has none, appends all
/// its characters but white space.
///
/// ```
/// let mut out = String::new();
/// nearprint_core::normalize::append_alphanumeric("“重要”，it is!", &mut out);
/// assert_eq!(out, "重要itis");
/// ```
pub fn append_alphanumeric(text: &str, out: &mut String) {
    let (before, mut at) = (out.len(), 0);
    loop {
        at += beginning::append_alphanumeric(&text[at..], out);
        let Some(c) = text[at..].chars().next() else { break };
        // The tables of the standard library are slow for Chinese characters.
        if matches!(c, '一'..='\u{9fff}') || c.is_alphanumeric() {
            out.push(c);
        }
        at += c.len_utf8();
    }
    if out.len() == before {
        out.extend(text.chars().filter(|c| !c.is_whitespace()));
    }
}

/// A place between two characters of a text, or the end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cursor {
    /// Bytes before it.
    pub byte: usize,
    /// Letters before it: a wide character, from U+2E80 on, counts as two.
    pub letters: u32,
}

impl Cursor {
    /// Past the next character.
    #[inline]
    pub fn advance(&mut self, text: &[u8]) {
        let lead = text[self.byte];
        let bytes =
            1 + usize::from(lead >= 0xc0) + usize::from(lead >= 0xe0) + usize::from(lead >= 0xf0);
        let is_wide = lead >= 0xe3 || lead == 0xe2 && text[self.byte + 1] >= 0xba;
        let letters = 1 + u32::from(is_wide);
        self.byte += bytes;
        self.letters += letters;
    }
}

/// The end of a text.
pub fn size(text: impl AsRef<[u8]>) -> Cursor {
    let text = text.as_ref();
    size_of(text, text.is_ascii())
}

/// The bytes of a block: the count of its letters fits into a byte.
const COUNTED: usize = 64;

/// The end of a part of a text. The part begins and ends between characters.
#[inline]
pub fn size_of(text: &[u8], ascii: bool) -> Cursor {
    if ascii {
        return Cursor { byte: text.len(), letters: text.len() as u32 };
    }
    // Counts characters by their first bytes, and characters from U+2E80 on twice.
    let of_byte = |byte: u8, next: u8| {
        u8::from(byte as i8 >= -64) + u8::from((byte >= 0xe3) | ((byte == 0xe2) & (next >= 0xba)))
    };
    let (mut letters, mut at) = (0, 0);
    while let (Some(bytes), Some(next)) = (
        text[at..].first_chunk::<COUNTED>(),
        text.get(at + 1..).and_then(<[u8]>::first_chunk::<COUNTED>),
    ) {
        letters +=
            u32::from(bytes.iter().zip(next).map(|(byte, next)| of_byte(*byte, *next)).sum::<u8>());
        at += COUNTED;
    }
    let rest = &text[at..];
    let next = rest.iter().skip(1).chain([&0]);
    letters +=
        rest.iter().zip(next).map(|(byte, next)| u32::from(of_byte(*byte, *next))).sum::<u32>();
    Cursor { byte: text.len(), letters }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::compose::tests::mixed_text;
    use super::*;

    proptest! {
        #[test]
        fn the_letters_and_digits_are_appended(before in "[ -~天]{0,3}", text in prop_oneof![mixed_text(), "[ -~]{0,300}"]) {
            let mut plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
            if plain.is_empty() {
                plain = text.chars().filter(|c| !c.is_whitespace()).collect();
            }
            let mut out = before.clone();
            append_alphanumeric(&text, &mut out);
            prop_assert_eq!(out, before + &plain);
        }

        #[test]
        fn the_size_is_that_of_all_characters(text in prop_oneof![mixed_text(), "[é⹿⺀天𠀀0-9a]{0,200}"]) {
            let mut end = Cursor::default();
            while end.byte < text.len() {
                end.advance(text.as_bytes());
            }
            prop_assert_eq!(size(&text), end);
            prop_assert_eq!(size_of(text.as_bytes(), false), end);
        }
    }
}
