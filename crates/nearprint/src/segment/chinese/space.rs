//! The children of a node -> the base at which they find free places in the double array.

use super::characters::CODES;
use super::trie::ROOT;

/// Which places and which bases are taken, a bit each.
#[derive(Debug)]
pub(super) struct Space {
    places: Vec<u64>,
    bases: Vec<u64>,
    /// Before this word of `places` nothing is free.
    from: usize,
}

impl Default for Space {
    /// Only the root, with the first block for its children.
    fn default() -> Space {
        let mut space = Space { places: vec![u64::MAX; CODES / 64], bases: vec![0; CODES / 64], from: 0 };
        set(&mut space.bases, ROOT);
        space
    }
}

impl Space {
    /// Takes the first base that no other node has and at which all these codes, sorted, find free places.
    pub(super) fn place(&mut self, codes: &[u16]) -> u32 {
        while self.places.get(self.from) == Some(&u64::MAX) {
            self.from += 1;
        }
        let first = u32::from(codes[0]);
        for word in self.from.. {
            if word == self.places.len() {
                self.places.resize(word + CODES / 64, 0);
                self.bases.resize(word + CODES / 64, 0);
            }
            let mut free = !self.places[word];
            while free != 0 {
                let base = (word as u32 * 64 + free.trailing_zeros()) ^ first;
                free &= free - 1;
                if !is_set(&self.bases, base) && codes.iter().all(|code| !is_set(&self.places, base ^ u32::from(*code)))
                {
                    self.take(base, codes);
                    return base;
                }
            }
        }
        unreachable!("a new block has room for all codes")
    }

    /// Marks a base and its children's places as taken.
    fn take(&mut self, base: u32, codes: &[u16]) {
        set(&mut self.bases, base);
        codes.iter().for_each(|code| set(&mut self.places, base ^ u32::from(*code)));
    }

    /// How many places there are, free or not.
    pub(super) fn places(&self) -> usize {
        self.places.len() * 64
    }
}

fn is_set(bits: &[u64], at: u32) -> bool {
    bits[at as usize / 64] >> (at % 64) & 1 == 1
}

fn set(bits: &mut [u64], at: u32) {
    bits[at as usize / 64] |= 1 << (at % 64);
}
