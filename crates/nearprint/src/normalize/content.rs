//! Normalized text -> its content, the letters and digits, of which grams and passages are made.

/// Appends to `out` the content of a normalized text: its letters and digits, or where it has none
/// everything but white space.
///
/// ```
/// let mut content = String::new();
/// nearprint::normalize::append_content("“重要”，it is!", &mut content);
/// assert_eq!(content, "重要itis");
/// ```
pub fn append_content(text: &str, out: &mut String) {
    let before = out.len();
    out.extend(text.chars().filter(|c| c.is_alphanumeric()));
    if out.len() == before {
        out.extend(text.chars().filter(|c| !c.is_whitespace()));
    }
}

/// A place between two characters of a text, or the end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Cursor {
    /// Bytes before it.
    pub(crate) byte: usize,
    /// Letters before it: a wide character, from U+2E80 on, counts as two in the length of a passage.
    pub(crate) letters: u32,
    /// The weight of all before it: a digit weighs 3, other characters their letters.
    pub(crate) weight: u32,
}

impl Cursor {
    /// Past the next character.
    #[inline]
    pub(crate) fn advance(&mut self, text: &[u8]) {
        let lead = text[self.byte];
        let (bytes, letters, weight) = match lead {
            b'0'..=b'9' => (1, 1, 3),
            ..0x80 => (1, 1, 1),
            0x80..0xe0 => (2, 1, 1),
            0xe2 if text[self.byte + 1] < 0xba => (3, 1, 1),
            0xe0 | 0xe1 => (3, 1, 1),
            0xe2..0xf0 => (3, 2, 2),
            0xf0.. => (4, 2, 2),
        };
        self.byte += bytes;
        self.letters += letters;
        self.weight += weight;
    }
}

/// The end of a text.
pub(crate) fn size(text: &str) -> Cursor {
    let text = text.as_bytes();
    if text.is_ascii() {
        let digits = text.iter().map(|byte| u32::from(byte.is_ascii_digit())).sum::<u32>();
        return Cursor { byte: text.len(), letters: text.len() as u32, weight: text.len() as u32 + 2 * digits };
    }
    let mut end = Cursor::default();
    while end.byte < text.len() {
        end.advance(text);
    }
    end
}
