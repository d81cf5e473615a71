//! Two texts -> their equal beginnings and ends, and the part between.

use std::ops::Range;

use super::affixes::{common_prefix, common_suffix};
use super::windows::{is_ascii, is_boundary};
use crate::normalize::{Cursor, size_of};

/// The part of two texts between their equal beginnings and ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Between {
    /// The bytes of the equal beginnings and ends; 0 if they are shorter than a window.
    pub ends: [usize; 2],
    /// The size of the part of the first text.
    pub size: Cursor,
}

impl Between {
    /// The part between of two texts of letters and digits. Equal ends have `length` letters or
    /// more.
    pub fn of([read, other]: [&[u8]; 2], size: Cursor, length: u32) -> Between {
        let ascii = is_ascii(read, size);
        let letters = |part: Range<usize>| size_of(&read[part], ascii).letters;
        let mut first = common_prefix(read, other);
        while !is_boundary(read, first) {
            first -= 1;
        }
        if letters(0..first) < length {
            first = 0;
        }
        let mut last = common_suffix(&read[first..], &other[first..]);
        while !is_boundary(read, read.len() - last) {
            last -= 1;
        }
        if letters(read.len() - last..read.len()) < length {
            last = 0;
        }
        Between { ends: [first, last], size: size_of(&read[first..read.len() - last], ascii) }
    }

    /// The first byte of the part, in both texts.
    pub fn first(&self) -> usize {
        self.ends[0]
    }

    /// The bytes of the part in a text.
    pub fn part<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let [first, last] = self.ends;
        &text[first..text.len() - last]
    }
}
