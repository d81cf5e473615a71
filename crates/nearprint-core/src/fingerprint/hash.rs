//! A feature -> the bits with which it votes, and its position among them.
//!
//! | feature hash | bits | use |
//! | --- | --- | --- |
//! | `xxh3` | XXH3-128 of the feature's 64-bit hash (little-endian), seed 880; bits 128-255 with seed 881 | default |
//! | `md5` | MD5 of the feature's text (terms of an n-gram joined by blanks); 32 bits: the top bit of each hex digit | the published variants |
//!
//! Both are formats for ever: a fingerprint made today must be found again by one made in ten
//! years.

use md5::{Digest, Md5};

use crate::features::xxh3_128_of_number;
use crate::statistics::HashIndex;

/// The seed of `xxh3-1`. XORing a rank into a hash can cancel out: where two words of equal weight
/// change places and their hashes agree in the bits that differ between the ranks, the sums stay
/// the same. This is the smallest seed for which that does not happen to the five words of Zhang
/// Hang et al. 2020, figure 2, at any width.
const SEED: u64 = 880;

/// Which hash gives a feature its bits.
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
    /// Name and version, as it travels with saved fingerprints.
    pub fn name(self) -> &'static str {
        match self {
            FeatureHash::Xxh3 => "xxh3-1",
            FeatureHash::Md5 => "md5-1",
        }
    }
}

/// Whether and how a feature's place in the document enters its hash: the number is XORed into the
/// low bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Position {
    /// Not at all.
    #[default]
    Off,
    /// The rank of the feature by first occurrence, from 1 (E-SimHash; Zhang Hang et al. 2020,
    /// section 3.2 and figure 3, a reading).
    Rank,
    /// The number, from 1, of the part in which the feature first occurs, of this many equal parts
    /// of the document: moving a paragraph changes it, inserting a word hardly does.
    Bucket(u32),
}

impl Position {
    /// The number to XOR for a feature that is the `rank`-th distinct one (from 0) and first occurs
    /// as the `first`-th (from 0) of `total` features.
    #[inline]
    pub fn number(self, rank: usize, first: u32, total: u32) -> u64 {
        match self {
            Position::Off => 0,
            Position::Rank => rank as u64 + 1,
            Position::Bucket(parts) => u64::from(first) * u64::from(parts) / u64::from(total) + 1,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Position::Off => f.write_str("off"),
            Position::Rank => f.write_str("rank"),
            Position::Bucket(parts) => write!(f, "bucket:{parts}"),
        }
    }
}

impl std::str::FromStr for Position {
    type Err = String;

    fn from_str(text: &str) -> Result<Position, String> {
        let parts = text
            .strip_prefix("bucket:")
            .and_then(|parts| parts.parse().ok())
            .filter(|parts| *parts > 0);
        match (text, parts) {
            ("off", _) => Ok(Position::Off),
            ("rank", _) => Ok(Position::Rank),
            (_, Some(parts)) => Ok(Position::Bucket(parts)),
            _ => Err(format!(
                "\"{text}\" is not a position; write off, rank or bucket:N with N of 1 or more"
            )),
        }
    }
}

impl From<Position> for String {
    fn from(position: Position) -> String {
        position.to_string()
    }
}

impl TryFrom<String> for Position {
    type Error = String;

    fn try_from(text: String) -> Result<Position, String> {
        text.parse()
    }
}

/// Gives features their bits.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Hasher {
    bits: u32,
    /// MD5 of every feature met, by the feature's hash; `None` for XXH3, which needs no text.
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

    /// Whether every feature must be introduced by [`learn`](Self::learn) before its bits can be
    /// had.
    pub fn needs_text(&self) -> bool {
        self.digests.is_some()
    }

    /// Forgets what it has learnt.
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
    /// Where [`needs_text`](Self::needs_text) and the feature was never learnt.
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

/// The bits of a feature under `xxh3`, for fingerprints of `bits` bits: those beyond 128 are 0
/// where they are not asked for.
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
        let learnt = |bits| {
            let mut hasher = Hasher::new(FeatureHash::Md5, bits);
            hasher.learn(1, "");
            hasher.hash(1, 0)
        };
        assert_eq!(learnt(32)[0] >> 32, 0b1001_1111_1100_1000_1110_0111_1111_0001);
        assert_eq!(learnt(64)[0], 0xd41d_8cd9_8f00_b204);
        assert_eq!(learnt(128)[..2], [0xd41d_8cd9_8f00_b204, 0xe980_0998_ecf8_427e]);
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

    #[test]
    fn positions_number_ranks_and_parts_from_one() {
        assert_eq!(Position::Off.number(4, 9, 10), 0);
        assert_eq!(Position::Rank.number(4, 9, 10), 5);
        assert_eq!(Position::Bucket(2).number(4, 4, 10), 1);
        assert_eq!(Position::Bucket(2).number(4, 5, 10), 2);
        assert_eq!("bucket:8".parse(), Ok(Position::Bucket(8)));
        assert!("bucket:0".parse::<Position>().is_err());
    }

    /// As the xxHash reference implementation gives them.
    const XXH3_SAMPLE: [u64; 4] = [
        0xb1af_d33e_044e_58d6,
        0xb714_e71a_a68d_d477,
        0xb738_8dda_0b88_2294,
        0x647e_43cf_4a5f_648a,
    ];
}
