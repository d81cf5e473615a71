//! The windows of ASCII texts, 16 at a time where the processor can gather and permute.
//!
//! Integers: every variant gives the same.

// A function that is compiled for more instructions than the rest of the program is called, and in it bytes are loaded from
// arrays, stored into them, and gathered from the words of the prefilter.
#![allow(unsafe_code)]

use super::{Prefilter, Uncovered};

/// Puts all windows into the prefilter; `false` where that has to be done plainly.
pub(super) fn add_text(prefilter: &mut Prefilter, text: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if fits(prefilter.length as usize, text) {
        // SAFETY: the processor has the instructions.
        unsafe { avx512::add_text(prefilter, text) };
        return true;
    }
    let _ = (prefilter, text);
    false
}

/// What lies outside; `false` where that has to be found plainly.
pub(super) fn uncovered(prefilter: &Prefilter, text: &[u8], most: u32, uncovered: &mut Uncovered) -> bool {
    #[cfg(target_arch = "x86_64")]
    if fits(prefilter.length as usize, text) {
        // SAFETY: the processor has the instructions.
        unsafe { avx512::uncovered(prefilter, text, most, uncovered) };
        return true;
    }
    let _ = (prefilter, text, most, uncovered);
    false
}

/// Appends the hashes of all windows of so many bytes; `false` where that has to be done plainly.
pub(super) fn append_hashes(text: &[u8], window: usize, out: &mut Vec<u32>) -> bool {
    #[cfg(target_arch = "x86_64")]
    if fits(window, text) {
        // SAFETY: the processor has the instructions.
        unsafe { avx512::append_hashes(text, window, out) };
        return true;
    }
    let _ = (text, window, out);
    false
}

/// Whether the processor has the instructions, and the text has at least one whole window, of four to ten letters.
#[cfg(target_arch = "x86_64")]
fn fits(window: usize, text: &[u8]) -> bool {
    is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && (4..=10).contains(&window)
        && text.len() >= window
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::{FACTORS, Prefilter, Uncovered};

    /// Windows, or letters, of which the bits make one number.
    const BLOCK: usize = 64;

    /// What a block of windows reads: its last 16 windows load 32 bytes.
    const READ: usize = BLOCK + 16;

    /// Makes hashes of 16 windows.
    struct Hasher {
        /// Which bytes of 32 are the first four of each window, four in its middle, and its last four.
        parts: [__m512i; 3],
        factors: [__m512i; 4],
    }

    impl Hasher {
        #[target_feature(enable = "avx512bw,avx512vbmi")]
        fn new(length: usize) -> Hasher {
            let last = length - 4;
            let places = |first: usize| {
                let places: [u8; 64] = std::array::from_fn(|place| (first + place / 4 + place % 4) as u8);
                // SAFETY: the array has 64 bytes.
                unsafe { _mm512_loadu_si512(places.as_ptr().cast()) }
            };
            Hasher {
                parts: [places(0), places(last.min(4)), places(last)],
                factors: FACTORS.map(|factor| _mm512_set1_epi32(factor as i32)),
            }
        }

        /// The hashes of the windows that begin at the first 16 of these bytes, as `short_hash` makes them.
        #[inline]
        #[target_feature(enable = "avx512bw,avx512vbmi")]
        fn hashes(&self, bytes: &[u8; 32]) -> __m512i {
            // SAFETY: there are 32 bytes.
            let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
            let bytes = _mm512_castsi256_si512(bytes);
            let [first, middle, last] = self.parts.map(|places| _mm512_permutexvar_epi8(places, bytes));
            let [f0, f1, f2, f3] = self.factors;
            let sum = _mm512_add_epi32(_mm512_mullo_epi32(first, f0), _mm512_mullo_epi32(middle, f1));
            let sum = _mm512_add_epi32(sum, _mm512_mullo_epi32(last, f2));
            let mixed = _mm512_mullo_epi32(_mm512_xor_si512(sum, _mm512_srli_epi32::<16>(sum)), f3);
            _mm512_xor_si512(mixed, _mm512_srli_epi32::<15>(mixed))
        }
    }

    /// The bytes of a block and what is read after it, from the text, or from a copy with zeros after its end.
    #[inline(always)]
    fn bytes_from<'b>(text: &'b [u8], at: usize, copy: &'b mut [u8; READ]) -> &'b [u8; READ] {
        if let Some(bytes) = text[at..].first_chunk() {
            return bytes;
        }
        copy.fill(0);
        copy[..text.len() - at].copy_from_slice(&text[at..]);
        copy
    }

    #[inline(always)]
    fn part(bytes: &[u8; READ], number: usize) -> &[u8; 32] {
        bytes[16 * number..].first_chunk().expect("the last part ends with the bytes")
    }

    #[target_feature(enable = "avx512bw,avx512vbmi")]
    pub fn append_hashes(text: &[u8], window: usize, out: &mut Vec<u32>) {
        let hasher = Hasher::new(window);
        let windows = text.len() - window + 1;
        let mut copy = [0; READ];
        for at in (0..windows).step_by(BLOCK) {
            let bytes = bytes_from(text, at, &mut copy);
            let mut hashes = [0u32; BLOCK];
            for (number, hashes) in hashes.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                // SAFETY: the array has 64 bytes.
                unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().cast(), hasher.hashes(part(bytes, number))) };
            }
            out.extend_from_slice(&hashes[..BLOCK.min(windows - at)]);
        }
    }

    #[target_feature(enable = "avx512bw,avx512vbmi")]
    pub fn add_text(prefilter: &mut Prefilter, text: &[u8]) {
        let hasher = Hasher::new(prefilter.length as usize);
        let windows = text.len() - prefilter.length as usize + 1;
        let mut copy = [0; READ];
        for at in (0..windows).step_by(BLOCK) {
            let bytes = bytes_from(text, at, &mut copy);
            for number in 0..4 {
                let mut hashes = [0u32; 16];
                // SAFETY: the array has 64 bytes.
                unsafe { _mm512_storeu_si512(hashes.as_mut_ptr().cast(), hasher.hashes(part(bytes, number))) };
                let count = windows.saturating_sub(at + 16 * number).min(16);
                hashes[..count].iter().for_each(|hash| prefilter.add(*hash));
            }
        }
    }

    #[target_feature(enable = "avx512bw,avx512vbmi")]
    pub fn uncovered(prefilter: &Prefilter, text: &[u8], most: u32, uncovered: &mut Uncovered) {
        let length = prefilter.length;
        let hasher = Hasher::new(length as usize);
        let shift = _mm_cvtsi32_si128(prefilter.shift() as i32);
        let (one, low) = (_mm512_set1_epi32(1), _mm512_set1_epi32(31));
        let windows = text.len() - length as usize + 1;
        let mut copy = [0; READ];
        let mut before = 0;
        for at in (0..text.len()).step_by(BLOCK) {
            let bytes = bytes_from(text, at, &mut copy);
            let mut present = 0u64;
            for number in 0..4 {
                let hashes = hasher.hashes(part(bytes, number));
                let words = _mm512_srl_epi32(hashes, shift);
                // SAFETY: there is a power of two of words, and the shift leaves a number below that.
                let words = unsafe { _mm512_i32gather_epi32::<4>(words, prefilter.words.as_ptr().cast()) };
                let bit = |hashes| _mm512_sllv_epi32(one, _mm512_and_si512(hashes, low));
                let bits = _mm512_or_si512(bit(hashes), bit(_mm512_srli_epi32::<5>(hashes)));
                let found = _mm512_cmpeq_epi32_mask(_mm512_and_si512(words, bits), bits);
                present |= u64::from(found) << (16 * number);
            }
            present &= first_bits(windows.saturating_sub(at));
            uncovered.push_present(present);
            let covered = widened(before, present, length);
            before = present;
            let there = first_bits(text.len() - at);
            let outside = !covered & there;
            // SAFETY: a block has 64 bytes.
            let block = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            let from_zero = _mm512_sub_epi8(block, _mm512_set1_epi8(b'0' as i8));
            let digits = _mm512_cmplt_epu8_mask(from_zero, _mm512_set1_epi8(10));
            // A digit weighs 3.
            let weight = |letters: u64| letters.count_ones() + 2 * (letters & digits).count_ones();
            uncovered.push(weight(there), weight(outside));
            if uncovered.total > most {
                return;
            }
        }
    }

    /// The lowest `count` bits, at most all.
    #[inline(always)]
    fn first_bits(count: usize) -> u64 {
        if count >= 64 { u64::MAX } else { (1 << count) - 1 }
    }

    /// Which letters of a block lie in a window: those that begin in the block before, or in it.
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
}
