//! Letters and digits of a text -> the character n-grams that are chosen, or the others.
//!
//! A hash chooses an n-gram, so a branch on the choice could not be predicted. Every form writes
//! each n-gram, and the next one over it unless it is wanted. AVX-512 and AVX2 take 16 n-grams of
//! ASCII or 8 of three-byte characters at a time: on a virtual Zen 4 AVX2 makes 1.5 times as many
//! n-grams of English a second as the plain form, and 4.4 times as many of Chinese. The forms give
//! the same n-grams in the same order.

// The unsafe code calls functions that are compiled for detected instructions. They load bytes from
// a slice and store numbers into a vector with room for them.
#![allow(unsafe_code)]

use super::{LENGTH, Walk, is_chosen};

/// The n-grams of a part, roughly.
const PART: usize = 1 << 13;

/// Fills `out` with the next n-grams of a text that are chosen, or with the other ones, with
/// repetitions. Returns the number of n-grams to choose from; 0 at the end of the text.
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
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: as above.
        return unsafe { next_avx2(walk, chosen, out) };
    }
    next(walk, chosen, out)
}

/// The plain form, n-gram after n-gram, without a branch on the choice.
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
                take(u64::from(u32::from_le_bytes(
                    ngram.try_into().expect("an n-gram is four bytes"),
                )));
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
#[target_feature(enable = "avx2,popcnt")]
fn next_avx2(walk: &mut Walk, chosen: bool, out: &mut Vec<u64>) -> usize {
    use std::arch::x86_64::*;

    use super::{FACTOR, FOLD, LIMIT};
    use crate::packed::PACKED;

    /// The most bytes that a step may read.
    const READ: usize = 48;
    /// The most n-grams of a step: of ASCII, and of three-byte characters that count as two
    /// letters.
    const NARROW: usize = 16;
    const WIDE: usize = 8;
    /// The first bytes of nine three-byte characters.
    const FIRSTS: u32 = 0o111_111_111;
    /// Four lanes of 64 bits as eight of 32.
    const DOUBLED: [u8; 16] = {
        let (mut doubled, mut set) = ([0; 16], 0);
        while set < 16 {
            doubled[set] = ((set & 1) * 3 + (set & 2) * 6 + (set & 4) * 12 + (set & 8) * 24) as u8;
            set += 1;
        }
        doubled
    };

    // The places of the bytes of each number: of four ASCII n-grams, and of two n-grams of
    // three-byte characters, whose highest two bytes stay zero.
    let narrow: [u8; 32] = std::array::from_fn(|place| (place % 16 / 4 + place % 4) as u8);
    let wide: [u8; 32] = std::array::from_fn(|place| {
        if place % 8 < 6 { (place % 16 / 8 * 3 + place % 8) as u8 } else { 0x80 }
    });
    // SAFETY: the arrays have 32 bytes.
    let [narrow, wide] =
        [narrow, wide].map(|places| unsafe { _mm256_loadu_si256(places.as_ptr().cast()) });
    let (fold, factor) = (_mm256_set1_epi32(FOLD as i32), _mm256_set1_epi32(FACTOR as i32));
    // The limit is a power of two, so a product is below it if no higher bit is set.
    const { assert!(LIMIT == 1 << 30) };
    let below_limit =
        |product| _mm256_cmpeq_epi32(_mm256_srli_epi32::<30>(product), _mm256_setzero_si256());
    // Loads sixteen bytes from each of two places.
    let load = |bytes: &[u8; READ], low: usize, high: usize| {
        let [low, high]: [&[u8; 16]; 2] =
            [low, high].map(|at| bytes[at..].first_chunk().expect("both places lie within"));
        // SAFETY: there are 16 bytes.
        let [low, high] =
            [low, high].map(|bytes| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
        _mm256_set_m128i(high, low)
    };
    let pack = |numbers, set: u8| {
        // SAFETY: an entry has eight bytes.
        let lanes = unsafe { _mm_loadl_epi64(PACKED[usize::from(set)].as_ptr().cast()) };
        _mm256_permutevar8x32_epi32(numbers, _mm256_cvtepu8_epi32(lanes))
    };
    let others = if chosen { 0 } else { u8::MAX };

    out.reserve(PART + NARROW);
    let (mut ngrams, mut length) = (0, 0);
    while ngrams < PART {
        let rest = walk.rest();
        let mut copy = [0; READ];
        let bytes = rest.first_chunk::<READ>().unwrap_or_else(|| {
            copy[..rest.len()].copy_from_slice(rest);
            &copy
        });
        let block = load(bytes, 0, 16);
        let there = if rest.len() < 32 { (1 << rest.len()) - 1 } else { u32::MAX };
        let ascii = (!there | _mm256_movemask_epi8(block) as u32).trailing_zeros() as usize;
        if ascii >= LENGTH as usize {
            let count = (ascii + 1 - LENGTH as usize).min(NARROW);
            for (half, set) in [0, 8].into_iter().zip((u16::MAX >> (NARROW - count)).to_le_bytes())
            {
                let numbers = _mm256_shuffle_epi8(load(bytes, half, half + 4), narrow);
                let voting = below_limit(_mm256_mullo_epi32(numbers, factor));
                let voting = (_mm256_movemask_ps(_mm256_castsi256_ps(voting)) as u8 ^ others) & set;
                let packed = pack(numbers, voting);
                // SAFETY: fewer than PART + 8 numbers are in it, of which the last 8 are of this
                // step, and there is room for 16 more than PART.
                unsafe {
                    let place = out.as_mut_ptr().add(length);
                    _mm256_storeu_si256(
                        place.cast(),
                        _mm256_cvtepu32_epi64(_mm256_castsi256_si128(packed)),
                    );
                    let high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256::<1>(packed));
                    _mm256_storeu_si256(place.add(4).cast(), high);
                }
                length += voting.count_ones() as usize;
            }
            ngrams += count;
            walk.skip(count, count);
            continue;
        }
        // From U+3000 on: E3 80 80 to EF BF BF.
        let from_first = _mm256_sub_epi8(block, _mm256_set1_epi8(0xe3u8 as i8));
        let first =
            _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, _mm256_set1_epi8(12)), from_first);
        let first = _mm256_movemask_epi8(first) as u32;
        let characters = (!first & FIRSTS | 1 << 27).trailing_zeros() as usize / 3;
        if characters >= 2 {
            let count = characters - 1;
            let there = u8::MAX >> (WIDE - count);
            for (at, set) in [(0, there & 0xf), (12, there >> 4)] {
                let numbers = _mm256_shuffle_epi8(load(bytes, at, at + 6), wide);
                let high = _mm256_srli_epi64::<32>(numbers);
                let folded = _mm256_xor_si256(numbers, _mm256_mullo_epi32(high, fold));
                // Only the lower half of each number decides. Its answer moves to the upper half,
                // whose sign is taken.
                let voting =
                    _mm256_slli_epi64::<32>(below_limit(_mm256_mullo_epi32(folded, factor)));
                let voting = (_mm256_movemask_pd(_mm256_castsi256_pd(voting)) as u8 ^ others) & set;
                let packed = pack(numbers, DOUBLED[usize::from(voting)]);
                // SAFETY: as above.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(length).cast(), packed) };
                length += voting.count_ones() as usize;
            }
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
fn next_avx512(walk: &mut Walk, chosen: bool, out: &mut Vec<u64>) -> usize {
    use std::arch::x86_64::*;

    use super::{FACTOR, FOLD, LIMIT};

    /// The most n-grams of a step: of ASCII, and of three-byte characters that count as two
    /// letters.
    const NARROW: usize = 16;
    const WIDE: usize = 8;
    /// The first bytes of nine three-byte characters.
    const FIRSTS: u32 = 0o111_111_111;

    let narrow: [u8; 64] = std::array::from_fn(|place| (place / 4 + place % 4) as u8);
    let wide: [u8; 64] = std::array::from_fn(|place| (place / 8 * 3 + place % 8) as u8);
    // SAFETY: the arrays have 64 bytes.
    let [narrow, wide] =
        [narrow, wide].map(|places| unsafe { _mm512_loadu_si512(places.as_ptr().cast()) });
    let six_of_eight = 0x3f3f_3f3f_3f3f_3f3f;
    let (fold, factor) = (_mm512_set1_epi32(FOLD as i32), _mm512_set1_epi32(FACTOR as i32));
    let (limit, long_limit) =
        (_mm512_set1_epi32(LIMIT as i32), _mm512_set1_epi64(i64::from(LIMIT)));
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
            let voting =
                _mm512_cmplt_epu32_mask(_mm512_mullo_epi32(numbers, factor), limit) ^ others;
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
        let first = _mm256_cmplt_epu8_mask(
            _mm256_sub_epi8(bytes, _mm256_set1_epi8(0xe3u8 as i8)),
            _mm256_set1_epi8(13),
        );
        let characters = (!first & FIRSTS | 1 << 27).trailing_zeros() as usize / 3;
        if characters >= 2 {
            let count = characters - 1;
            let numbers =
                _mm512_maskz_permutexvar_epi8(six_of_eight, wide, _mm512_castsi256_si512(bytes));
            let folded = _mm512_xor_si512(
                numbers,
                _mm512_mullo_epi32(_mm512_srli_epi64::<32>(numbers), fold),
            );
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
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    type Form = fn(&mut Walk, bool, &mut Vec<u64>) -> usize;

    /// All forms that this processor can run.
    fn forms() -> Vec<Form> {
        let mut forms: Vec<Form> = vec![next, next_ngrams];
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: only where the processor has these instructions.
            if processor_has!("features/character_ngrams/choose.rs with AVX2", "avx2", "popcnt") {
                forms.push(|walk, chosen, out| unsafe { next_avx2(walk, chosen, out) });
            }
            if processor_has!(
                "features/character_ngrams/choose.rs with AVX-512",
                "avx512bw",
                "avx512vl",
                "avx512vbmi"
            ) {
                forms.push(|walk, chosen, out| unsafe { next_avx512(walk, chosen, out) });
            }
        }
        forms
    }

    proptest! {
        #[test]
        fn every_variant_chooses_alike(
            text in prop_oneof!["[a-f0-9]{0,400}", "([a-f]{0,30}|[重要性]{0,30}|[а-в]{1,2}|[ㇰ一鿿가\u{ff41}\u{2e80}𠀀]{0,3}){0,30}"],
            chosen: bool,
        ) {
            let plain: Vec<u64> = Walk::of(&text).map(|(ngram, ..)| ngram).collect();
            let wanted: Vec<u64> = plain.iter().copied().filter(|ngram| is_chosen(*ngram) == chosen).collect();
            for variant in forms() {
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
