//! A feature -> the bits with which it votes, with the number of its position in the lowest ones.
//!
//! | feature hash | bits | use |
//! | --- | --- | --- |
//! | `xxh3` | XXH3-128 of the feature's 64-bit hash (little-endian), seed 880; bits 128-255 with seed 881 | default |
//! | `md5` | MD5 of the feature's text (terms of an n-gram joined by blanks); 32 bits: the top bit of each hex digit | the published variants |
//!
//! Both are formats: a fingerprint made today must be found again by one made in ten years.

use md5::{Digest, Md5};

use crate::features::xxh3_128_of_number;
use crate::statistics::HashIndex;

/// The seed of `xxh3-1`. If two words of equal weight change places, and their hashes agree in the
/// bits in which the ranks differ, XORing the ranks into the hashes does not change the sums. This
/// is the smallest seed with which that does not happen to the five words of Zhang Hang et al.
/// 2020, figure 2, at any width.
const SEED: u64 = 880;

/// The hash that gives a feature its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureHash {
    /// XXH3-128.
    #[default]
    Xxh3,
    /// MD5 of the feature's text; at most 128 bits.
    Md5,
}

impl FeatureHash {
    /// The name and version, which are saved with fingerprints.
    pub fn name(self) -> &'static str {
        match self {
            FeatureHash::Xxh3 => "xxh3-1",
            FeatureHash::Md5 => "md5-1",
        }
    }
}

/// Gives features their bits.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Hasher {
    bits: u32,
    /// The MD5 of every learned feature, by the feature's hash; `None` for XXH3, which needs no
    /// text.
    digests: Option<HashIndex<u128>>,
}

impl Hasher {
    /// A hasher for fingerprints of `bits` bits. MD5 has no more than 128.
    pub fn new(hash: FeatureHash, bits: u32) -> Hasher {
        let digests = match hash {
            FeatureHash::Xxh3 => None,
            FeatureHash::Md5 => Some(HashIndex::default()),
        };
        Hasher { bits, digests }
    }

    /// Returns true if every feature must be given to [`learn`](Self::learn) before it is hashed.
    pub fn needs_text(&self) -> bool {
        self.digests.is_some()
    }

    /// Forgets all features.
    pub fn forget(&mut self) {
        self.digests.iter_mut().for_each(HashIndex::clear);
    }

    /// Remembers the text of a feature.
    pub fn learn(&mut self, feature: u64, text: &str) {
        if let Some(digests) = &mut self.digests {
            digests.entry(feature).or_insert_with(|| u128::from_be_bytes(Md5::digest(text).into()));
        }
    }

    /// The bits of a feature, bit 0 the highest of the first word, with the position number XORed
    /// into the lowest.
    ///
    /// # Panics
    /// Panics if it [`needs_text`](Self::needs_text) and the feature was never learned.
    #[inline]
    pub fn hash(&self, feature: u64, position: u64) -> [u64; 4] {
        let mut words = match &self.digests {
            None => bits_of_feature(feature, self.bits),
            Some(digests) => match digests[&feature] {
                digest if self.bits == 32 => [top_bits_of_hex_digits(digest), 0, 0, 0],
                digest => [(digest >> 64) as u64, digest as u64, 0, 0],
            },
        };
        match self.bits {
            32 => words[0] ^= position << 32,
            bits => words[bits as usize / 64 - 1] ^= position,
        }
        words
    }
}

/// The bits of a feature under `xxh3`, for fingerprints of `bits` bits. The bits from 128 on are 0
/// for narrower fingerprints.
#[inline]
pub(super) fn bits_of_feature(feature: u64, bits: u32) -> [u64; 4] {
    let [first, second] = xxh3_128_of_number(feature, SEED);
    match bits {
        256 => {
            let [third, fourth] = xxh3_128_of_number(feature, SEED + 1);
            [first, second, third, fourth]
        }
        _ => [first, second, 0, 0],
    }
}

/// The highest bit of each of the 32 hex digits, in order, in the upper half of a word.
fn top_bits_of_hex_digits(digest: u128) -> u64 {
    (0..32).fold(0, |bits, digit| bits | ((digest >> (127 - 4 * digit) & 1) as u64) << (63 - digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_gives_the_top_bits_of_hex_digits_or_the_first_64_bits() {
        // MD5("") = d41d8cd98f00b204e9800998ecf8427e
        let learned = |bits| {
            let mut hasher = Hasher::new(FeatureHash::Md5, bits);
            hasher.learn(1, "");
            hasher.hash(1, 0)
        };
        assert_eq!(learned(32)[0] >> 32, 0b1001_1111_1100_1000_1110_0111_1111_0001);
        assert_eq!(learned(64)[0], 0xd41d_8cd9_8f00_b204);
        assert_eq!(learned(128)[..2], [0xd41d_8cd9_8f00_b204, 0xe980_0998_ecf8_427e]);
    }

    #[test]
    fn xxh3_bits_never_change() {
        let hasher = Hasher::new(FeatureHash::Xxh3, 256);
        assert_eq!(hasher.hash(0x0123_4567_89ab_cdef, 0), XXH3_SAMPLE);
    }

    #[test]
    fn the_position_enters_the_lowest_bits() {
        for (bits, word, shift) in [(32, 0, 32), (64, 0, 0), (128, 1, 0), (256, 3, 0)] {
            let hasher = Hasher::new(FeatureHash::Xxh3, bits);
            let (plain, moved) = (hasher.hash(7, 0), hasher.hash(7, 5));
            assert_eq!(plain[word] ^ moved[word], 5 << shift, "{bits} bits");
        }
    }

    /// Values of the reference implementation of xxHash.
    const XXH3_SAMPLE: [u64; 4] = [
        0xb1af_d33e_044e_58d6,
        0xb714_e71a_a68d_d477,
        0xb738_8dda_0b88_2294,
        0x647e_43cf_4a5f_648a,
    ];
}
