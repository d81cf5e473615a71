//! The windows of ASCII texts -> their hashes, 16 at a time with AVX-512 and 8 at a time with AVX2.
//!
//! A window of 4 to 10 letters is hashed by four bytes of its beginning, its middle and its end.
//! One shuffle gives these bytes of all windows at once, and the words of the table's filter are
//! gathered. The forms give the same hashes and bits.

// The unsafe code calls functions that are compiled for detected instructions. They load bytes from
// arrays, store numbers into arrays, and gather words of the filter.
#![allow(unsafe_code)]

use super::{Present, WindowTable};

/// A form of the loops in instructions that this processor has. Only detection makes one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes(Instructions);

#[derive(Debug, Clone, Copy)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Lanes {
    /// The fastest form for a text with at least one whole window of `window` bytes, four to ten of
    /// them, if the processor has one.
    pub(super) fn for_windows(window: usize, text: &[u8]) -> Option<Lanes> {
        #[cfg(target_arch = "x86_64")]
        if (4..=10).contains(&window) && text.len() >= window {
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi") {
                return Some(Lanes(Instructions::Avx512));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                return Some(Lanes(Instructions::Avx2));
            }
        }
        let _ = (window, text);
        None
    }

    /// Calls `each` with the first byte and the hash of each window of `length` letters, from the
    /// last one to the first.
    pub(super) fn each_hash(self, length: usize, text: &[u8], each: impl FnMut(usize, u32)) {
        match self.0 {
            // SAFETY: `for_windows` has seen that the processor has these instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::each_hash(length, text, each) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::each_hash(length, text, each) },
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (length, text, each);
    }

    /// Fills in the windows of the text that the table may have, until more than `most` letters lie
    /// in none.
    pub(super) fn present(
        self,
        table: &WindowTable,
        text: &[u8],
        most: u32,
        present: &mut Present,
    ) {
        match self.0 {
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::present(table, text, most, present) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::present(table, text, most, present) },
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (table, text, most, present);
    }
}

/// The windows, or letters, whose bits make one number.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 64;

/// The bytes that the windows of a block load, of which the last 16 windows load 32.
#[cfg(target_arch = "x86_64")]
const READ: usize = BLOCK + 16;

/// The bytes of a block and the bytes that are read after it, of the text or of a copy with zeros
/// after its end.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bytes_from<'b>(text: &'b [u8], at: usize, copy: &'b mut [u8; READ]) -> &'b [u8; READ] {
    if let Some(bytes) = text[at..].first_chunk() {
        return bytes;
    }
    copy.fill(0);
    copy[..text.len() - at].copy_from_slice(&text[at..]);
    copy
}

/// The `LENGTH` bytes from a byte of the block on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn part<const LENGTH: usize>(bytes: &[u8; READ], at: usize) -> &[u8; LENGTH] {
    bytes[at..].first_chunk().expect("the last part ends with the bytes")
}

/// The lowest `count` bits, or all.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn first_bits(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// A bit for each letter of a block in a window that begins in it or in the block before.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn widened(before: u64, present: u64, length: u32) -> u64 {
    let mut bits = u128::from(present) << 64 | u128::from(before);
    let mut reach = 1;
    while 2 * reach <= length {
        bits |= bits << reach;
        reach *= 2;
    }
    bits |= bits << (length - reach);
    (bits >> 64) as u64
}

/// Adds the windows `found` of a block, which the table may have, to `present`. `before` has the
/// windows of the block before.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn push_block(
    text: &[u8],
    at: usize,
    length: u32,
    found: u64,
    before: &mut u64,
    present: &mut Present,
) {
    let windows = text.len() - length as usize + 1;
    let found = found & first_bits(windows.saturating_sub(at));
    present.set_block(at, found);
    let covered = widened(*before, found, length);
    *before = found;
    present.uncovered += (!covered & first_bits(text.len() - at)).count_ones();
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::super::{FACTORS, Present, WindowTable};
    use super::{BLOCK, READ, bytes_from, part, push_block};

    /// The windows that are hashed together, and the bytes that they load: 16 from the first one
    /// on, and 16 from the fifth one on.
    const LANES: usize = 8;
    const BYTES: usize = 20;

    /// Makes hashes of 8 windows.
    struct Hasher {
        /// The places, among 16 bytes, of the first four bytes of each of four windows, of four in
        /// the middle, and of the last four.
        parts: [__m256i; 3],
        factors: [__m256i; 4],
    }

    impl Hasher {
        #[target_feature(enable = "avx2")]
        fn new(length: usize) -> Hasher {
            let last = length - 4;
            let places = |first: usize| {
                let places: [u8; 32] =
                    std::array::from_fn(|place| (first + place % 16 / 4 + place % 4) as u8);
                // SAFETY: the array has 32 bytes.
                unsafe { _mm256_loadu_si256(places.as_ptr().cast()) }
            };
            Hasher {
                parts: [places(0), places(last.min(4)), places(last)],
                factors: FACTORS.map(|factor| _mm256_set1_epi32(factor as i32)),
            }
        }

        /// The hashes of the windows that begin at the first 8 of these bytes, as `short_hash`
        /// makes them.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn hashes(&self, bytes: &[u8; BYTES]) -> __m256i {
            // SAFETY: there are 16 bytes from the first one on, and from the fifth one.
            let [low, high] =
                [0, 4].map(|at| unsafe { _mm_loadu_si128(bytes.as_ptr().add(at).cast()) });
            let bytes = _mm256_set_m128i(high, low);
            let [first, middle, last] = self.parts.map(|places| _mm256_shuffle_epi8(bytes, places));
            let [f0, f1, f2, f3] = self.factors;
            let sum =
                _mm256_add_epi32(_mm256_mullo_epi32(first, f0), _mm256_mullo_epi32(middle, f1));
            let sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(last, f2));
            let mixed = _mm256_mullo_epi32(_mm256_xor_si256(sum, _mm256_srli_epi32::<16>(sum)), f3);
            _mm256_xor_si256(mixed, _mm256_srli_epi32::<15>(mixed))
        }

        /// The hashes of the windows of a block.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn block(&self, bytes: &[u8; READ]) -> [u32; BLOCK] {
            let mut hashes = [0u32; BLOCK];
            for (number, hashes) in hashes.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                // SAFETY: the array has 32 bytes.
                unsafe {
                    _mm256_storeu_si256(
                        hashes.as_mut_ptr().cast(),
                        self.hashes(part(bytes, LANES * number)),
                    )
                };
            }
            hashes
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn each_hash(length: usize, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let hasher = Hasher::new(length);
        let windows = text.len() - length + 1;
        let mut copy = [0; READ];
        for at in (0..windows).step_by(BLOCK).rev() {
            let hashes = hasher.block(bytes_from(text, at, &mut copy));
            let there = hashes.iter().enumerate().take(windows - at);
            there.rev().for_each(|(number, hash)| each(at + number, *hash));
        }
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub fn present(table: &WindowTable, text: &[u8], most: u32, present: &mut Present) {
        let length = table.length;
        let hasher = Hasher::new(length as usize);
        let shift = _mm_cvtsi32_si128(table.shift() as i32);
        let (one, low) = (_mm256_set1_epi32(1), _mm256_set1_epi32(31));
        let mut copy = [0; READ];
        let mut before = 0;
        for at in (0..text.len()).step_by(BLOCK) {
            let bytes = bytes_from(text, at, &mut copy);
            let mut found_here = 0u64;
            for number in 0..BLOCK / LANES {
                let hashes = hasher.hashes(part(bytes, LANES * number));
                let words = _mm256_srl_epi32(hashes, shift);
                // SAFETY: there is a power of two of words, and the shift leaves a number below
                // that.
                let words =
                    unsafe { _mm256_i32gather_epi32::<4>(table.words.as_ptr().cast(), words) };
                let bit = |hashes| _mm256_sllv_epi32(one, _mm256_and_si256(hashes, low));
                let bits = _mm256_or_si256(bit(hashes), bit(_mm256_srli_epi32::<5>(hashes)));
                let found = _mm256_cmpeq_epi32(_mm256_and_si256(words, bits), bits);
                let found = _mm256_movemask_ps(_mm256_castsi256_ps(found)) as u8;
                found_here |= u64::from(found) << (LANES * number);
            }
            push_block(text, at, length, found_here, &mut before, present);
            if present.uncovered > most {
                return;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::{FACTORS, Present, WindowTable};
    use super::{BLOCK, READ, bytes_from, part, push_block};

    /// Makes hashes of 16 windows.
    struct Hasher {
        /// The places, among 32 bytes, of the first four bytes of each window, of four in the
        /// middle, and of the last four.
        parts: [__m512i; 3],
        factors: [__m512i; 4],
    }

    impl Hasher {
        #[target_feature(enable = "avx512bw,avx512vbmi")]
        fn new(length: usize) -> Hasher {
            let last = length - 4;
            let places = |first: usize| {
                let places: [u8; 64] =
                    std::array::from_fn(|place| (first + place / 4 + place % 4) as u8);
                // SAFETY: the array has 64 bytes.
                unsafe { _mm512_loadu_si512(places.as_ptr().cast()) }
            };
            Hasher {
                parts: [places(0), places(last.min(4)), places(last)],
                factors: FACTORS.map(|factor| _mm512_set1_epi32(factor as i32)),
            }
        }

        /// The hashes of the windows that begin at the first 16 of these bytes, as `short_hash`
        /// makes them.
        #[inline]
        #[target_feature(enable = "avx512bw,avx512vbmi")]
        fn hashes(&self, bytes: &[u8; 32]) -> __m512i {
            // SAFETY: there are 32 bytes.
            let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
            let bytes = _mm512_castsi256_si512(bytes);
            let [first, middle, last] =
                self.parts.map(|places| _mm512_permutexvar_epi8(places, bytes));
            let [f0, f1, f2, f3] = self.factors;
            let sum =
                _mm512_add_epi32(_mm512_mullo_epi32(first, f0), _mm512_mullo_epi32(middle, f1));
            let sum = _mm512_add_epi32(sum, _mm512_mullo_epi32(last, f2));
            let mixed = _mm512_mullo_epi32(_mm512_xor_si512(sum, _mm512_srli_epi32::<16>(sum)), f3);
            _mm512_xor_si512(mixed, _mm512_srli_epi32::<15>(mixed))
        }
    }

    #[target_feature(enable = "avx512bw,avx512vbmi")]
    pub fn each_hash(length: usize, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let hasher = Hasher::new(length);
        let windows = text.len() - length + 1;
        let mut copy = [0; READ];
        for at in (0..windows).step_by(BLOCK).rev() {
            let bytes = bytes_from(text, at, &mut copy);
            for number in (0..4).rev() {
                let mut hashes = [0u32; 16];
                // SAFETY: the array has 64 bytes.
                unsafe {
                    _mm512_storeu_si512(
                        hashes.as_mut_ptr().cast(),
                        hasher.hashes(part(bytes, 16 * number)),
                    )
                };
                let first = at + 16 * number;
                let there = hashes.iter().enumerate().take(windows.saturating_sub(first));
                there.rev().for_each(|(number, hash)| each(first + number, *hash));
            }
        }
    }

    #[target_feature(enable = "avx512bw,avx512vbmi")]
    pub fn present(table: &WindowTable, text: &[u8], most: u32, present: &mut Present) {
        let length = table.length;
        let hasher = Hasher::new(length as usize);
        let shift = _mm_cvtsi32_si128(table.shift() as i32);
        let (one, low) = (_mm512_set1_epi32(1), _mm512_set1_epi32(31));
        let mut copy = [0; READ];
        let mut before = 0;
        for at in (0..text.len()).step_by(BLOCK) {
            let bytes = bytes_from(text, at, &mut copy);
            let mut found_here = 0u64;
            for number in 0..4 {
                let hashes = hasher.hashes(part(bytes, 16 * number));
                let words = _mm512_srl_epi32(hashes, shift);
                // SAFETY: there is a power of two of words, and the shift leaves a number below
                // that.
                let words =
                    unsafe { _mm512_i32gather_epi32::<4>(words, table.words.as_ptr().cast()) };
                let bit = |hashes| _mm512_sllv_epi32(one, _mm512_and_si512(hashes, low));
                let bits = _mm512_or_si512(bit(hashes), bit(_mm512_srli_epi32::<5>(hashes)));
                let found = _mm512_cmpeq_epi32_mask(_mm512_and_si512(words, bits), bits);
                found_here |= u64::from(found) << (16 * number);
            }
            push_block(text, at, length, found_here, &mut before, present);
            if present.uncovered > most {
                return;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[cfg(test)]
mod tests;
