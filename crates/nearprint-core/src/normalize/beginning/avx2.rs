//! The form for AVX2, 32 bytes at a time.

use std::arch::x86_64::*;

use super::super::Options;
use super::blocks_of_32::{BLOCK, ENDS_IN_BLOCK, each_block, halves};
use super::{MARKED_BLOCK, takes_no_blank};

pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("popcnt")
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
pub(super) fn append_alphanumeric(text: &str, out: &mut String) -> usize {
    each_block(text, out, |bytes, there| {
        let letters = among(_mm256_or_si256(bytes, _mm256_set1_epi8(0x20)), b'a', 26);
        let wanted = letters | among(bytes, b'0', 10);
        let ascii = !bits(bytes) & there;
        if ascii == there {
            return (bytes, there, wanted);
        }
        // The AVX-512 form explains these ranges.
        let han =
            characters(among(bytes, 0xe5, 5) | among(bytes, 0xe4, 1) & among(bytes, 0xb8, 8) >> 1);
        let third = (among(bytes, 0x80, 3) | among(bytes, 0x88, 10)) >> 2;
        let first = among(bytes, 0xe2, 1) | among(bytes, 0xe3, 1) & third;
        let punctuation = characters(first & among(bytes, 0x80, 1) >> 1);
        (bytes, leading(ascii | han | punctuation), wanted | han)
    })
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
pub(super) fn append_folded(text: &str, options: Options, out: &mut String) -> usize {
    let Options { nfkc, case, digits, space, .. } = options;
    let [case, digits, space] =
        [case, digits, space].map(|on| _mm256_set1_epi8(if on { -1 } else { 0 }));
    let mut after_blank = u32::from(takes_no_blank(out));
    each_block(text, out, |mut bytes, there| {
        let mut taken = !bits(bytes) & there;
        let mut dropped = 0;
        if taken != there {
            // The AVX-512 form explains these ranges.
            let e3_80 = among(bytes, 0xe3, 1) & among(bytes, 0x80, 1) >> 1;
            let blanks = e3_80 & among(bytes, 0x80, 1) >> 2;
            if nfkc {
                let han =
                    among(bytes, 0xe5, 5) | among(bytes, 0xe4, 1) & among(bytes, 0xb8, 8) >> 1;
                let comma = e3_80 & (among(bytes, 0x81, 2) | among(bytes, 0x88, 10)) >> 2;
                let quotes =
                    among(bytes, 0xe2, 1) & among(bytes, 0x80, 1) >> 1 & among(bytes, 0x98, 8) >> 2;
                let wide = among(bytes, 0xef, 1);
                let [low, high] = [
                    wide & among(bytes, 0xbc, 1) >> 1 & among(bytes, 0x81, 63) >> 2,
                    wide & among(bytes, 0xbd, 1) >> 1 & among(bytes, 0x80, 31) >> 2,
                ]
                .map(|first| first & ENDS_IN_BLOCK);
                taken = leading(taken | characters(han | comma | quotes | blanks | low | high));
                if low | high | blanks != 0 {
                    bytes = _mm256_sub_epi8(
                        bytes,
                        _mm256_and_si256(spread(low << 2), _mm256_set1_epi8(0x60)),
                    );
                    bytes = _mm256_sub_epi8(
                        bytes,
                        _mm256_and_si256(spread(high << 2), _mm256_set1_epi8(0x20)),
                    );
                    let blank = _mm256_set1_epi8(b' ' as i8);
                    bytes = _mm256_blendv_epi8(bytes, blank, spread(characters(blanks)));
                }
                let narrowed = low | high | blanks & ENDS_IN_BLOCK & !bits(space);
                dropped = narrowed | narrowed << 1;
            } else {
                taken = leading(taken | characters(among(bytes, 0xe3, 7) & !blanks));
            }
        }
        let white = _mm256_or_si256(which(bytes, b' ', 1), which(bytes, b'\t', 5));
        let white = _mm256_and_si256(white, space);
        let upper = _mm256_and_si256(which(bytes, b'A', 26), case);
        let folded = _mm256_add_epi8(bytes, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
        let digit = _mm256_and_si256(which(bytes, b'0', 10), digits);
        let folded = _mm256_blendv_epi8(folded, _mm256_set1_epi8(b'0' as i8), digit);
        let folded = _mm256_blendv_epi8(folded, _mm256_set1_epi8(b' ' as i8), white);
        let white = bits(white);
        let wanted = !(white & (white << 1 | after_blank) | dropped);
        after_blank = u32::from(white & taken & !(taken >> 1) != 0);
        (folded, taken, wanted)
    })
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
pub(super) fn marks(bytes: &[u8], mut from: usize) -> (usize, u64) {
    loop {
        let rest = &bytes[from..];
        let mut last = [0; MARKED_BLOCK];
        let block = rest.first_chunk::<MARKED_BLOCK>().unwrap_or_else(|| {
            last[..rest.len()].copy_from_slice(rest);
            &last
        });
        let halves = halves(block);
        let of_both = |first: u8, count: i8, lower: u8| {
            let lower = _mm256_set1_epi8(lower as i8);
            let [low, high] =
                halves.map(|half| u64::from(among(_mm256_or_si256(half, lower), first, count)));
            low | high << BLOCK
        };
        let w = of_both(b'w', 1, 0x20);
        let marks =
            of_both(b'0', 17, 0) | of_both(b']', 1, 0) | w & (w >> 1 | 1 << (MARKED_BLOCK - 1));
        if marks != 0 || rest.len() < MARKED_BLOCK {
            return (from, marks);
        }
        from += MARKED_BLOCK;
    }
}

/// The set bits from the lowest one up to the first unset one.
fn leading(set: u32) -> u32 {
    (!set & set.wrapping_add(1)).wrapping_sub(1)
}

/// All bytes of the three-byte characters with these first bytes, but for characters that may
/// end in the next block.
fn characters(first: u32) -> u32 {
    let first = first & ENDS_IN_BLOCK;
    first | first << 1 | first << 2
}

/// All bits of each byte that is one of the `count` values from `first` on. AVX2 compares
/// signed bytes only, so the comparison is by a minimum.
#[inline]
#[target_feature(enable = "avx2")]
fn which(bytes: __m256i, first: u8, count: i8) -> __m256i {
    let distance = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
    _mm256_cmpeq_epi8(_mm256_min_epu8(distance, _mm256_set1_epi8(count - 1)), distance)
}

/// One bit for each byte that is one of the `count` values from `first` on.
#[inline]
#[target_feature(enable = "avx2")]
fn among(bytes: __m256i, first: u8, count: i8) -> u32 {
    bits(which(bytes, first, count))
}

/// The highest bit of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(bytes: __m256i) -> u32 {
    _mm256_movemask_epi8(bytes) as u32
}

/// Each bit as a byte of eight equal bits.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(bits: u32) -> __m256i {
    let own_byte =
        _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let own_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), own_byte);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, own_bit), own_bit)
}
