//! Weighted features -> fingerprint: every feature votes on every bit (SimHash; Charikar 2002,
//! Manku et al. 2007).
//!
//! Each feature has `bits` hash bits. V_i is the sum of the weights of the features whose bit i is
//! 1, minus those of the features whose bit i is 0. Bit i of the fingerprint is 1 if V_i > 0; a tie
//! gives 0. Weights are integers, so V is exact and does not depend on the order of features. Two
//! fingerprints differ in a share of bits that estimates the angle between the two weighted feature
//! vectors: P[bit differs] = θ / π.

mod bit_sliced;
mod character_ngrams;
mod edits;
mod equal;
mod fingerprints;
mod hash;
pub mod minhash;
mod position;
pub mod simhash;
mod tally;
mod vote;

pub use character_ngrams::{NGRAM_HASH, NgramVote, bits_of_ngram};
pub use edits::{Distance, edit_distance, edit_distance_within};
pub use equal::EqualVote;
pub use fingerprints::{Fingerprints, hamming_distance};
pub use hash::{FeatureHash, Hasher};
pub use position::Position;
pub use vote::Vote;

/// The words with all but the first `bits` bits set to 0.
fn first_bits(mut words: [u64; 4], bits: u32) -> [u64; 4] {
    for (word, own) in words.iter_mut().enumerate() {
        let wanted = bits.saturating_sub(64 * word as u32).min(64);
        *own &= if wanted == 0 { 0 } else { u64::MAX << (64 - wanted) };
    }
    words
}

/// A fingerprint in hexadecimal, bit 0 first: `bits / 4` digits of 0-9a-f.
///
/// ```
/// assert_eq!(nearprint_core::fingerprint::to_hex(&[0xfd66_ef2d_0000_0000], 32), "fd66ef2d");
/// ```
pub fn to_hex(words: &[u64], bits: u32) -> String {
    let mut hex: String = words.iter().map(|word| format!("{word:016x}")).collect();
    hex.truncate(bits as usize / 4);
    hex
}

/// The words of a fingerprint of `bits` bits from its hexadecimal digits, bit 0 first; `None` for a
/// text that is not `bits / 4` digits of 0-9a-fA-F.
///
/// ```
/// use nearprint_core::fingerprint::{from_hex, to_hex};
/// let words = [0xfd66_ef2d_0123_4567, 0x89ab_cdef_0000_0001, 0, 0];
/// assert_eq!(from_hex(&to_hex(&words, 128), 128), Some(words));
/// assert_eq!(from_hex("FD66EF2D", 32), Some([0xfd66_ef2d_0000_0000, 0, 0, 0]));
/// assert!(from_hex("fd66ef2d", 64).is_none() && from_hex("+d66ef2d", 32).is_none());
/// ```
pub fn from_hex(hex: &str, bits: u32) -> Option<[u64; 4]> {
    if hex.len() != bits as usize / 4 {
        return None;
    }
    let mut words = [0; 4];
    for (place, digit) in hex.chars().enumerate() {
        words[place / 16] |= u64::from(digit.to_digit(16)?) << (60 - 4 * (place % 16));
    }
    Some(words)
}

/// The cosine of two feature vectors that a Hamming distance estimates: cos(π d / bits).
///
/// ```
/// assert_eq!(nearprint_core::fingerprint::estimated_cosine(0, 128), 1.0);
/// assert!(nearprint_core::fingerprint::estimated_cosine(64, 128).abs() < 1e-15);
/// ```
pub fn estimated_cosine(distance: u32, bits: u32) -> f64 {
    libm::cos(std::f64::consts::PI * f64::from(distance) / f64::from(bits))
}
