//! One text of a pair: its passages, which the other one has as well, the gaps between them, and its figures.

use std::ops::Range;

use super::figures::Figure;
use super::windows::is_ascii;
use crate::normalize::{Cursor, size_of};

/// A text of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'t> {
    /// Its letters and digits.
    pub text: &'t [u8],
    pub size: Cursor,
    /// The bytes that stand in the other text as well, in order and apart.
    pub passages: &'t [(usize, usize)],
    /// Its figures, in order.
    pub figures: &'t [Figure],
}

impl<'t> Side<'t> {
    /// The bytes between the passages, before the first one and after the last one, in order; none of them is empty.
    pub fn gaps(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.passages.iter().map(|passage| passage.1));
        let ends = self.passages.iter().map(|passage| passage.0).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty())
    }

    /// The letters of a part of the text.
    pub fn letters(&self, part: Range<usize>) -> u32 {
        size_of(&self.text[part], is_ascii(self.text, self.size)).letters
    }

    /// Gives the letters up to a byte, for bytes in order.
    pub fn letters_of(self) -> impl FnMut(usize) -> u32 + use<'t> {
        let mut place = Cursor::default();
        move |byte| {
            place = Cursor { byte, letters: place.letters + self.letters(place.byte..byte) };
            place.letters
        }
    }

    /// The letters up to the next character, with those up to this one.
    pub fn letters_from(&self, byte: usize, letters: u32) -> u32 {
        let mut cursor = Cursor { byte, letters };
        cursor.advance(self.text);
        cursor.letters
    }

    /// The byte that lies this many letters before a byte of the text, or at its beginning.
    pub fn before(&self, byte: usize, letters: u32) -> usize {
        let (mut byte, mut passed) = (byte, 0);
        while byte > 0 && passed < letters {
            byte -= 1;
            while !is_first(self.text[byte]) {
                byte -= 1;
            }
            let mut cursor = Cursor { byte, letters: 0 };
            cursor.advance(self.text);
            passed += cursor.letters;
        }
        byte
    }

    /// The byte that lies this many letters after a byte of the text, or at its end.
    pub fn after(&self, byte: usize, letters: u32) -> usize {
        let mut cursor = Cursor { byte, letters: 0 };
        while cursor.byte < self.text.len() && cursor.letters < letters {
            cursor.advance(self.text);
        }
        cursor.byte
    }

    /// The parts of passages that lie in any of these parts, or within `around` letters of one, in order.
    pub fn shared_around(
        &self,
        mut parts: Vec<Range<usize>>,
        around: u32,
    ) -> impl Iterator<Item = Range<usize>> + use<'t> {
        parts.sort_unstable_by_key(|part| part.start);
        let parts = merged(parts.into_iter().map(|part| self.before(part.start, around)..self.after(part.end, around)));
        let (mut parts, mut passages) = (parts.into_iter().peekable(), self.passages.iter().peekable());
        std::iter::from_fn(move || {
            loop {
                let (part, (start, end)) = (parts.peek()?.clone(), **passages.peek()?);
                if end > part.end {
                    parts.next();
                } else {
                    passages.next();
                }
                let shared = part.start.max(start)..part.end.min(end);
                if !shared.is_empty() {
                    return Some(shared);
                }
            }
        })
    }

    /// How many letters these are.
    pub fn letters_around(&self, parts: Vec<Range<usize>>, around: u32) -> u32 {
        self.shared_around(parts, around).map(|part| self.letters(part)).sum()
    }
}

/// Whether a byte is the first one of a character.
fn is_first(byte: u8) -> bool {
    byte as i8 >= -64
}

/// Parts in the order of their beginnings -> the same bytes as parts that lie apart.
fn merged(parts: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match merged.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => merged.push(part),
        }
    }
    merged
}
