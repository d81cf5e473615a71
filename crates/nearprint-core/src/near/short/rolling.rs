//! A text -> the hash of any run of its characters, from hashes of its beginnings (Karp and Rabin
//! 1987). The hash is a polynomial over the characters, modulo the prime 2⁶¹ - 1. Two different
//! runs of n characters collide with a probability of n / 2⁶¹.

/// The modulus.
const PRIME: u64 = (1 << 61) - 1;

/// The base of the polynomial: a number without a pattern, below the prime.
const BASE: u64 = 0x0f1b_bcdc_bfa5_3e0b;

/// The hashes of the beginnings of a text.
#[derive(Debug, Default)]
pub(super) struct Rolling {
    /// For each character, and for the end, the hash of all characters before it.
    beginnings: Vec<u64>,
    /// The powers of the base, up to the length of the longest text so far.
    powers: Vec<u64>,
}

impl Rolling {
    /// Replaces the text.
    pub(super) fn set(&mut self, text: impl Iterator<Item = char>) {
        self.beginnings.clear();
        self.beginnings.push(0);
        let mut hash = 0;
        for c in text {
            // The digit is one more than the character, so that runs of U+0000 differ by length.
            hash = reduce(u128::from(hash) * u128::from(BASE) + u128::from(u32::from(c)) + 1);
            self.beginnings.push(hash);
        }
        while self.powers.len() < self.beginnings.len() {
            let next =
                self.powers.last().map_or(1, |last| reduce(u128::from(*last) * u128::from(BASE)));
            self.powers.push(next);
        }
    }

    /// The hash of the characters from `start` up to `end`, below 2⁶¹.
    #[inline]
    pub(super) fn hash(&self, start: usize, end: usize) -> u64 {
        let before =
            reduce(u128::from(self.beginnings[start]) * u128::from(self.powers[end - start]));
        let hash = self.beginnings[end] + PRIME - before;
        if hash >= PRIME { hash - PRIME } else { hash }
    }
}

/// A number below 2¹²², modulo the prime.
#[inline]
fn reduce(number: u128) -> u64 {
    let folded = (number as u64 & PRIME) + (number >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equal_runs_have_equal_hashes_and_others_do_not(text in "[ab天]{1,30}") {
            let characters: Vec<char> = text.chars().collect();
            let mut rolling = Rolling::default();
            rolling.set(characters.iter().copied());
            let runs: Vec<(usize, usize)> =
                (0..characters.len()).flat_map(|s| (s + 1..=characters.len()).map(move |e| (s, e))).collect();
            for (a, b) in &runs {
                for (c, d) in &runs {
                    let equal = characters[*a..*b] == characters[*c..*d];
                    prop_assert_eq!(rolling.hash(*a, *b) == rolling.hash(*c, *d), equal);
                }
            }
        }
    }
}
