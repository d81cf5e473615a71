//! The children of a node -> the base at which their places in the double array are free.

use super::characters::CODES;
use super::trie::{LEAF, ROOT, Trie};

/// The taken places and bases, a bit for each.
#[derive(Debug)]
pub(super) struct Space {
    places: Vec<u64>,
    bases: Vec<u64>,
    /// The first word of `places` in which a place may be free.
    from: usize,
}

impl Default for Space {
    /// A space of the root alone, with the first block for its children.
    fn default() -> Space {
        let mut space =
            Space { places: vec![u64::MAX; CODES / 64], bases: vec![0; CODES / 64], from: 0 };
        set(&mut space.bases, ROOT);
        space
    }
}

impl Space {
    /// The places that a trie takes.
    pub(super) fn of(trie: &Trie) -> Space {
        let mut space = Space::default();
        space.places.resize(trie.places() / 64, 0);
        space.bases.resize(trie.places() / 64, 0);
        for (place, base) in trie.taken() {
            set(&mut space.places, place as u32);
            if base != LEAF {
                set(&mut space.bases, base);
            }
        }
        space
    }

    /// Takes the first base that no other node has and at which the places of all these codes,
    /// which are sorted, are free.
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
                if !is_set(&self.bases, base)
                    && codes.iter().all(|code| !is_set(&self.places, base ^ u32::from(*code)))
                {
                    self.take(base, codes);
                    return base;
                }
            }
        }
        unreachable!("a new block has room for all codes")
    }

    /// Takes the place for one more code, if it is free.
    pub(super) fn take_free(&mut self, base: u32, code: u16) -> bool {
        let free = !is_set(&self.places, base ^ u32::from(code));
        if free {
            set(&mut self.places, base ^ u32::from(code));
        }
        free
    }

    /// Frees a base and the places of its codes.
    pub(super) fn release(&mut self, base: u32, codes: &[u16]) {
        clear(&mut self.bases, base);
        for code in codes {
            let place = base ^ u32::from(*code);
            clear(&mut self.places, place);
            self.from = self.from.min(place as usize / 64);
        }
    }

    /// Takes a base and the places of its codes.
    fn take(&mut self, base: u32, codes: &[u16]) {
        set(&mut self.bases, base);
        codes.iter().for_each(|code| set(&mut self.places, base ^ u32::from(*code)));
    }

    /// The number of places, free or not.
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

fn clear(bits: &mut [u64], at: u32) {
    bits[at as usize / 64] &= !(1 << (at % 64));
}
