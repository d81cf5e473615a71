//! The MinHash values of the Python package `datasketch`, so that its saved values stay comparable.
//!
//! ```text
//! items      -> hash values     sha1.rs: the first 4 or 8 bytes of SHA-1, from the lowest on
//! hash value -> a value for each permutation
//! values     -> minima          of all items, one for each permutation
//! weights    -> samples         weighted.rs: consistent weighted sampling
//! ```
//!
//! The share of equal minima of two sets estimates their Jaccard similarity (Broder 1997). A
//! permutation has two numbers, `a` and `b`, which the caller draws as the package does:
//!
//! | scheme | value of the hash h |
//! | --- | --- |
//! | [`Affine32`](Permutations::Affine32) | a · mix(h) + b mod 2³², where mix is the finalizer of MurmurHash3 |
//! | [`Affine64`](Permutations::Affine64) | the same mod 2⁶⁴ |
//! | [`Legacy`](Permutations::Legacy) | (a · h + b mod 2⁶⁴) mod 2⁶¹ - 1, of which the last 32 bits |
//!
//! Cost for an item and 128 permutations, one thread of a virtual Zen 4 with AVX-512: 5 ns, in the
//! legacy scheme 30 ns, and 18 ns for the SHA-1 of a short item, if many are hashed together.
//!
//! Source: `datasketch` 2.0.0 (<https://github.com/ekzhu/datasketch>), `MinHash`; before 2.0.0 the
//! legacy scheme was the only one. The golden values of the tests are values of the package.

// The unsafe code only calls functions that are compiled for detected instructions.
#![allow(unsafe_code)]

mod sha1;
mod weighted;

use bytemuck::Pod;

pub use sha1::{sha1_64, sha1_all};
pub use weighted::{Row, Samples};

/// Permutations of the hash values, under one of the schemes of the package. `a` and `b` are of
/// equal length.
#[derive(Debug)]
pub enum Permutations {
    /// Of 32-bit values; each `a` is odd.
    Affine32 {
        /// The factors.
        a: Vec<u32>,
        /// The summands.
        b: Vec<u32>,
    },
    /// Of 64-bit values; each `a` is odd.
    Affine64 {
        /// The factors.
        a: Vec<u64>,
        /// The summands.
        b: Vec<u64>,
    },
    /// The only scheme before version 2.0.0. Minima are kept in 64 bits.
    Legacy {
        /// The factors.
        a: Vec<u64>,
        /// The summands.
        b: Vec<u64>,
    },
}

/// Permutations of 32-bit values that are worked on together. Their factors, summands and minima
/// fill 12 of the 16 registers of AVX2.
const LANES: usize = 32;

/// The same of 64-bit values, whose products need more registers.
const WIDE_LANES: usize = 8;

impl Permutations {
    /// The bytes of the minima of a set.
    pub fn width(&self) -> usize {
        match self {
            Permutations::Affine32 { a, .. } => 4 * a.len(),
            Permutations::Affine64 { a, .. } | Permutations::Legacy { a, .. } => 8 * a.len(),
        }
    }

    /// Lowers minima to those of a set with these hash values, too. `minima` are numbers as in
    /// memory. The hash values are overwritten.
    ///
    /// ```
    /// use nearprint_core::fingerprint::minhash::Permutations;
    /// let permutations = Permutations::Legacy { a: vec![3, 5], b: vec![1, 2] };
    /// let mut minima = [u64::from(u32::MAX); 2];
    /// permutations.lower(bytemuck::bytes_of_mut(&mut minima), &mut [10, 7]);
    /// assert_eq!(minima, [22, 37]);
    /// ```
    ///
    /// # Panics
    /// Panics if `minima` has another length than [`width`](Self::width).
    pub fn lower(&self, minima: &mut [u8], hashes: &mut [u64]) {
        assert_eq!(minima.len(), self.width(), "bytes of minima");
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has these instructions.
            return unsafe { self.lower_avx512(minima, hashes) };
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            return unsafe { self.lower_avx2(minima, hashes) };
        }
        self.lower_each(minima, hashes);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn lower_avx512(&self, minima: &mut [u8], hashes: &mut [u64]) {
        self.lower_each(minima, hashes);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn lower_avx2(&self, minima: &mut [u8], hashes: &mut [u64]) {
        self.lower_each(minima, hashes);
    }

    #[inline(always)]
    fn lower_each(&self, minima: &mut [u8], hashes: &mut [u64]) {
        match self {
            Permutations::Affine32 { a, b } => {
                hashes.iter_mut().for_each(|hash| *hash = u64::from(mix_32(*hash as u32)));
                lower::<u32, LANES>(minima, [a, b], hashes, |a, b, hash| {
                    a.wrapping_mul(hash as u32).wrapping_add(b)
                });
            }
            Permutations::Affine64 { a, b } => {
                hashes.iter_mut().for_each(|hash| *hash = mix_64(*hash));
                lower::<u64, WIDE_LANES>(minima, [a, b], hashes, |a, b, hash| {
                    a.wrapping_mul(hash).wrapping_add(b)
                });
            }
            Permutations::Legacy { a, b } => {
                lower::<u64, WIDE_LANES>(minima, [a, b], hashes, |a, b, hash| {
                    last_bits(a.wrapping_mul(hash).wrapping_add(b))
                });
            }
        }
    }
}

/// Lowers minima, `LANES` of them at a time for all hash values, so that they stay in registers.
#[inline(always)]
fn lower<W: Pod + Ord, const LANES: usize>(
    minima: &mut [u8],
    [a, b]: [&[W]; 2],
    hashes: &[u64],
    value: impl Fn(W, W, u64) -> W,
) {
    let places = a.chunks(LANES).zip(b.chunks(LANES));
    for (minima, (a, b)) in minima.chunks_mut(LANES * size_of::<W>()).zip(places) {
        let mut lanes = [[W::zeroed(); LANES]; 3];
        let [lowest, factors, summands] = &mut lanes;
        bytemuck::cast_slice_mut(&mut lowest[..a.len()]).copy_from_slice(minima);
        factors[..a.len()].copy_from_slice(a);
        summands[..b.len()].copy_from_slice(b);
        for hash in hashes {
            for lane in 0..LANES {
                lowest[lane] = lowest[lane].min(value(factors[lane], summands[lane], *hash));
            }
        }
        minima.copy_from_slice(bytemuck::cast_slice(&lowest[..a.len()]));
    }
}

/// The finalizer of MurmurHash3 for 32 bits.
fn mix_32(mut hash: u32) -> u32 {
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// The finalizer of MurmurHash3 for 64 bits.
fn mix_64(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

/// The last 32 bits of a number modulo 2⁶¹ - 1. As 2⁶¹ is 1 modulo that, the first three bits are
/// added to the others; the sum is below twice the modulus.
#[inline(always)]
fn last_bits(number: u64) -> u64 {
    const MODULUS: u64 = (1 << 61) - 1;
    let sum = (number & MODULUS) + (number >> 61);
    let rest = if sum >= MODULUS { sum - MODULUS } else { sum };
    rest & u64::from(u32::MAX)
}

#[cfg(test)]
mod tests;
