//! Text -> its n-grams that are chosen, or the others: 16 or 8 at a time where the processor can compress numbers.
//!
//! Integers: every variant gives the same.

// A function that is compiled for more instructions than the rest of the program is called, and in it bytes are loaded from
// a slice and numbers stored into a vector with room for them.
#![allow(unsafe_code)]

use super::{LENGTH, Walk, is_chosen};

/// N-grams that are chosen from together, more or less.
const PART: usize = 1 << 13;

/// Fills `out` with the next n-grams of a text that are chosen or, if so wanted, the others, with repetitions. How many n-grams
/// there were to choose from; 0 at the end of the text.
pub(super) fn next_ngrams(walk: &mut Walk, chosen: bool, out: &mut Vec<u64>) -> usize {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
    {
        // SAFETY: the processor has these instructions.
        return unsafe { next_avx512(walk, chosen, out) };
    }
    next(walk, chosen, out)
}

/// N-gram after n-gram, without a branch on what is chosen.
fn next(walk: &mut Walk, chosen: bool, out: &mut Vec<u64>) -> usize {
    /// N-grams of a block of ASCII.
    const BLOCK: usize = 32;
    out.resize(PART.min(walk.rest().len()) + BLOCK, 0);
    let (mut ngrams, mut length) = (0, 0);
    let mut take = |ngram| {
        out[length] = ngram;
        length += usize::from(is_chosen(ngram) == chosen);
    };
    while ngrams < PART {
        let block = walk.rest().first_chunk::<{ BLOCK + LENGTH as usize - 1 }>();
        if let Some(block) = block.filter(|block| block.is_ascii()) {
            for ngram in block.windows(LENGTH as usize) {
                take(u64::from(u32::from_le_bytes(ngram.try_into().expect("an n-gram is four bytes"))));
            }
            walk.skip(BLOCK, BLOCK);
            ngrams += BLOCK;
        } else if let Some((ngram, ..)) = walk.next() {
            take(ngram);
            ngrams += 1;
        } else {
            break;
        }
    }
    out.truncate(length);
    ngrams
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn next_avx512(walk: &mut Walk, chosen: bool, out: &mut Vec<u64>) -> usize {
    use std::arch::x86_64::*;

    use super::{FACTOR, FOLD, LIMIT};

    /// The most n-grams of a step: of ASCII, and of characters of three bytes that count as two letters.
    const NARROW: usize = 16;
    const WIDE: usize = 8;
    /// The first bytes of nine such characters.
    const FIRSTS: u32 = 0o111_111_111;

    let narrow: [u8; 64] = std::array::from_fn(|place| (place / 4 + place % 4) as u8);
    let wide: [u8; 64] = std::array::from_fn(|place| (place / 8 * 3 + place % 8) as u8);
    // SAFETY: the arrays have 64 bytes.
    let [narrow, wide] = [narrow, wide].map(|places| unsafe { _mm512_loadu_si512(places.as_ptr().cast()) });
    let six_of_eight = 0x3f3f_3f3f_3f3f_3f3f;
    let (fold, factor) = (_mm512_set1_epi32(FOLD as i32), _mm512_set1_epi32(FACTOR as i32));
    let (limit, long_limit) = (_mm512_set1_epi32(LIMIT as i32), _mm512_set1_epi64(i64::from(LIMIT)));
    let others = if chosen { 0 } else { u16::MAX };

    out.reserve(PART + NARROW);
    let (mut ngrams, mut length) = (0, 0);
    while ngrams < PART {
        let rest = walk.rest();
        let there = if rest.len() < 32 { (1 << rest.len()) - 1 } else { u32::MAX };
        // SAFETY: only bytes of the text are loaded.
        let bytes = unsafe { _mm256_maskz_loadu_epi8(there, rest.as_ptr().cast()) };
        let ascii = (!there | _mm256_movepi8_mask(bytes)).trailing_zeros() as usize;
        if ascii >= LENGTH as usize {
            let count = (ascii + 1 - LENGTH as usize).min(NARROW);
            let numbers = _mm512_permutexvar_epi8(narrow, _mm512_castsi256_si512(bytes));
            let voting = _mm512_cmplt_epu32_mask(_mm512_mullo_epi32(numbers, factor), limit) ^ others;
            let voting = voting & u16::MAX >> (NARROW - count);
            let packed = _mm512_maskz_compress_epi32(voting, numbers);
            let low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(packed));
            let high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64::<1>(packed));
            // SAFETY: fewer than PART numbers are in it, and there is room for 16 more.
            unsafe {
                _mm512_storeu_si512(out.as_mut_ptr().add(length).cast(), low);
                _mm512_storeu_si512(out.as_mut_ptr().add(length + NARROW / 2).cast(), high);
            }
            length += voting.count_ones() as usize;
            ngrams += count;
            walk.skip(count, count);
            continue;
        }
        // From U+3000 on: E3 80 80 to EF BF BF.
        let first =
            _mm256_cmplt_epu8_mask(_mm256_sub_epi8(bytes, _mm256_set1_epi8(0xe3u8 as i8)), _mm256_set1_epi8(13));
        let characters = (!first & FIRSTS | 1 << 27).trailing_zeros() as usize / 3;
        if characters >= 2 {
            let count = characters - 1;
            let numbers = _mm512_maskz_permutexvar_epi8(six_of_eight, wide, _mm512_castsi256_si512(bytes));
            let folded = _mm512_xor_si512(numbers, _mm512_mullo_epi32(_mm512_srli_epi64::<32>(numbers), fold));
            let product = _mm512_mullo_epi32(folded, factor);
            let product = _mm512_and_si512(product, _mm512_set1_epi64(i64::from(u32::MAX)));
            let voting = _mm512_cmplt_epu64_mask(product, long_limit) ^ others as u8;
            let voting = voting & u8::MAX >> (WIDE - count);
            // SAFETY: as above.
            unsafe {
                let packed = _mm512_maskz_compress_epi64(voting, numbers);
                _mm512_storeu_si512(out.as_mut_ptr().add(length).cast(), packed);
            }
            length += voting.count_ones() as usize;
            ngrams += count;
            walk.skip(3 * count, 2 * count);
            continue;
        }
        let Some((ngram, ..)) = walk.next() else { break };
        // SAFETY: as above.
        unsafe { out.as_mut_ptr().add(length).write(ngram) };
        length += usize::from(is_chosen(ngram) == chosen);
        ngrams += 1;
    }
    // SAFETY: all numbers before have been written.
    unsafe { out.set_len(length) };
    ngrams
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_variant_chooses_alike(
            text in prop_oneof!["[a-f0-9]{0,400}", "([a-f]{0,30}|[重要性]{0,30}|[а-в]{1,2}|[ㇰ一鿿가\u{ff41}\u{2e80}𠀀]{0,3}){0,30}"],
            chosen: bool,
        ) {
            let plain: Vec<u64> = Walk::of(&text).map(|(ngram, ..)| ngram).collect();
            let wanted: Vec<u64> = plain.iter().copied().filter(|ngram| is_chosen(*ngram) == chosen).collect();
            for variant in [next, next_ngrams] {
                let (mut walk, mut ngrams, mut all, mut part) = (Walk::of(&text), 0, Vec::new(), Vec::new());
                loop {
                    let more = variant(&mut walk, chosen, &mut part);
                    ngrams += more;
                    all.append(&mut part);
                    if more == 0 {
                        break;
                    }
                }
                prop_assert_eq!((ngrams, &all), (plain.len(), &wanted));
            }
        }
    }
}
