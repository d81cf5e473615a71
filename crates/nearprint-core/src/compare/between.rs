//! Two texts -> their equal beginnings and ends, and the part between.

use std::ops::Range;

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
        let mut first = common(read, other);
        while !is_boundary(read, first) {
            first -= 1;
        }
        if letters(0..first) < length {
            first = 0;
        }
        let mut last = common_end(&read[first..], &other[first..]);
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

/// The number of equal bytes at the beginnings of two texts.
#[inline]
pub(super) fn common(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}

/// The number of equal bytes at the ends of two texts.
fn common_end(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_rchunks::<8>().1.iter().rev().zip(right.as_rchunks::<8>().1.iter().rev());
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.leading_zeros() as usize / 8;
        }
        same += 8;
    }
    let rest = [left, right].map(|text| text[..text.len() - same].iter().rev());
    let [left, right] = rest;
    same + left.zip(right).take_while(|(left, right)| left == right).count()
}
