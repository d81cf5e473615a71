//! Character -> code: its dense number in the trie, the path and the hidden Markov model.
//!
//! | codes | characters |
//! | --- | --- |
//! | [`OUTSIDE`] | all other characters: they end a block, and are no tokens |
//! | [`OUTSIDE_LETTER`] | letters and digits that end a block |
//! | [`OUTSIDE_HAN`] | Han characters that end a block, because jieba does not know them as such |
//! | from [`FIRST`] | ASCII digits and letters, then `+#&._%-` |
//! | from [`FIRST_HAN`] | Han characters that the hidden Markov model covers, U+4E00 to U+9FD5, frequent ones first |
//! | [`OTHER_HAN`] | every other Han character that no word has |
//! | above | the other Han characters of the words |
//!
//! Frequent characters come first: their entries lie together in every table, and stay in the
//! cache.

use std::collections::BTreeMap;

use crate::normalize::is_han;

/// The code of a character that no block holds, neither letter nor digit.
pub(super) const OUTSIDE: u16 = 0;
/// The code of a letter or digit that no block holds.
pub(super) const OUTSIDE_LETTER: u16 = 1;
/// The code of a Han character that no block holds.
pub(super) const OUTSIDE_HAN: u16 = 2;
/// The first code of a character that a block may hold.
pub(super) const FIRST: u16 = 3;
/// The first code of a Han character.
pub(super) const FIRST_HAN: u16 = FIRST + INSIDE.len() as u16;
/// The code of a Han character that neither a word nor the model has.
pub(super) const OTHER_HAN: u16 = FIRST_HAN + MODEL_CHARACTERS as u16;
/// The most codes, and the size of a trie's block.
pub(super) const CODES: usize = 1 << 15;
/// The code of the percent sign.
pub(super) const PERCENT: u16 = ASCII[b'%' as usize];
/// The code of the full stop.
pub(super) const POINT: u16 = ASCII[b'.' as usize];

/// The Han characters that the hidden Markov model covers.
const MODEL: std::ops::RangeInclusive<char> = '\u{4e00}'..='\u{9fd5}';
const MODEL_CHARACTERS: usize = 0x9fd5 - 0x4e00 + 1;

/// The codes of all characters.
#[derive(Debug, Clone)]
pub(super) struct Characters {
    /// The codes of characters up to U+FFFF.
    table: Vec<u16>,
    /// The codes of Han characters beyond U+FFFF, if they have one of their own.
    rare: BTreeMap<char, u16>,
    /// The next code for a character that the model does not cover.
    next: usize,
}

impl Characters {
    /// Codes for Han characters in the order of `han`, which is that of their frequency. The other
    /// characters of the model follow.
    pub(super) fn new(han: impl IntoIterator<Item = char>) -> Characters {
        let code = |c: u32| char::from_u32(c).map_or(OUTSIDE, shared);
        let mut characters = Characters {
            table: (0..=0xffff).map(code).collect(),
            rare: BTreeMap::new(),
            next: usize::from(OTHER_HAN) + 1,
        };
        let (model, other): (Vec<char>, Vec<char>) =
            han.into_iter().partition(|c| MODEL.contains(c));
        let mut next = FIRST_HAN;
        for c in model.into_iter().chain(MODEL) {
            let code = &mut characters.table[c as usize];
            if *code == OTHER_HAN {
                *code = next;
                next += 1;
            }
        }
        for c in other {
            characters.learn(c);
        }
        characters
    }

    /// The code of a character.
    #[inline]
    pub(super) fn code(&self, c: char) -> u16 {
        match self.table.get(c as usize) {
            Some(code) => *code,
            None => self.rare(c),
        }
    }

    #[cold]
    fn rare(&self, c: char) -> u16 {
        self.rare.get(&c).copied().unwrap_or_else(|| shared(c))
    }

    /// The code of a character of a word; a new one if it has none of its own. `None` if no block
    /// may hold the character, or if there are no more codes.
    pub(super) fn learn(&mut self, c: char) -> Option<u16> {
        let mut code = self.code(c);
        if code == OTHER_HAN {
            code = Some(self.next).filter(|next| *next < CODES)? as u16;
            self.next += 1;
            match self.table.get_mut(c as usize) {
                Some(place) => *place = code,
                None => _ = self.rare.insert(c, code),
            }
        }
        Some(code).filter(|code| *code >= FIRST)
    }
}

/// The code of a character without a code of its own.
fn shared(c: char) -> u16 {
    match ASCII.get(c as usize) {
        Some(code) => *code,
        None if is_ideograph(c) => OTHER_HAN,
        None if is_han(c) => OUTSIDE_HAN,
        None if c.is_alphanumeric() => OUTSIDE_LETTER,
        None => OUTSIDE,
    }
}

/// Returns true if a code is that of an ASCII letter or digit.
#[inline]
pub(super) fn is_alphanumeric(code: u16) -> bool {
    (FIRST..FIRST + 62).contains(&code)
}

/// Returns true if a code is that of an ASCII digit.
pub(super) fn is_digit(code: u16) -> bool {
    (FIRST..FIRST + 10).contains(&code)
}

/// Returns true if the hidden Markov model covers a character.
#[inline]
pub(super) fn is_in_model(code: u16) -> bool {
    (FIRST_HAN..OTHER_HAN).contains(&code)
}

/// Returns true if jieba counts a character as Han: extensions A to F and compatibility ideographs
/// included, later extensions not.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ebef}'
        | '\u{2f800}'..='\u{2fa1f}')
}

/// The ASCII characters that a block may hold, letters and digits first.
const INSIDE: &[u8; 69] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+#&._%-";

const ASCII: [u16; 128] = {
    let mut codes = [OUTSIDE; 128];
    let mut at = 0;
    while at < INSIDE.len() {
        codes[INSIDE[at] as usize] = FIRST + at as u16;
        at += 1;
    }
    codes
};
