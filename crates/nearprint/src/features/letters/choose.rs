//! ASCII -> its chosen grams, 16 at a time where the processor can compress numbers.
//!
//! Integers: every variant gives the same.

// A function that is compiled for more instructions than the rest of the program is called, and in it bytes are loaded from
// a slice and numbers stored into a vector with room for them.
#![allow(unsafe_code)]

use super::{LENGTH, is_chosen};

/// Fills `out` with the chosen grams of an ASCII text, in order, with repetitions.
pub(super) fn chosen_grams(text: &[u8], out: &mut Vec<u32>) {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vbmi") {
        // SAFETY: the processor has these instructions.
        return unsafe { chosen_avx512(text, out) };
    }
    append(text, out);
}

/// Gram after gram, without a branch.
fn append(text: &[u8], out: &mut Vec<u32>) {
    let mut length = out.len();
    out.resize(length + text.len(), 0);
    for gram in text.windows(LENGTH as usize) {
        let gram = u32::from_le_bytes(gram.try_into().expect("a gram is four bytes"));
        out[length] = gram;
        length += usize::from(is_chosen(u64::from(gram)));
    }
    out.truncate(length);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn chosen_avx512(text: &[u8], out: &mut Vec<u32>) {
    use std::arch::x86_64::*;

    use super::{FACTOR, LIMIT};

    // Grams that begin at one of 16 bytes end in the three bytes after them; a load takes 64.
    const STEP: usize = 16;
    let places: [u8; 64] = std::array::from_fn(|place| (place / 4 + place % 4) as u8);
    // SAFETY: the array has 64 bytes.
    let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
    let (factor, limit) = (_mm512_set1_epi32(FACTOR as i32), _mm512_set1_epi32(LIMIT as i32));
    out.reserve(text.len() + STEP);
    let (mut at, mut length) = (0, 0);
    while at + 64 <= text.len() {
        for start in [at, at + STEP, at + 2 * STEP] {
            // SAFETY: the last start is 32 bytes before the end of the 64 at hand.
            let bytes = unsafe { _mm256_loadu_si256(text.as_ptr().add(start).cast()) };
            let grams = _mm512_permutexvar_epi8(places, _mm512_castsi256_si512(bytes));
            let chosen = _mm512_cmplt_epu32_mask(_mm512_mullo_epi32(grams, factor), limit);
            let packed = _mm512_maskz_compress_epi32(chosen, grams);
            // SAFETY: at most 16 numbers for each step before are written, and there is room for those of all steps and 16
            // more.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(length).cast(), packed) };
            length += chosen.count_ones() as usize;
        }
        at += 3 * STEP;
    }
    // SAFETY: all numbers before have been written.
    unsafe { out.set_len(length) };
    append(&text[at..], out);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_variant_chooses_alike(text in "[a-f0-9]{0,400}") {
            let grams = text.as_bytes().windows(4).map(|gram| u32::from_le_bytes(gram.try_into().unwrap()));
            let plain: Vec<u32> = grams.filter(|gram| is_chosen(u64::from(*gram))).collect();
            let mut out = Vec::new();
            append(text.as_bytes(), &mut out);
            prop_assert_eq!(&out, &plain);
            chosen_grams(text.as_bytes(), &mut out);
            prop_assert_eq!(&out, &plain);
        }
    }
}
