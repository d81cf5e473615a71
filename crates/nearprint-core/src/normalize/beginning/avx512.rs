//! The form for AVX-512, 64 bytes at a time.

use std::arch::x86_64::*;

use super::super::Options;
use super::blocks_of_64::{BLOCK, ENDS_IN_BLOCK, each_block, load};
use super::takes_no_blank;

pub(super) fn is_there() -> bool {
    let vectors = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2");
    let bits = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
    vectors && bits && is_x86_feature_detected!("popcnt")
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn append_alphanumeric(text: &str, out: &mut String) -> usize {
    each_block(text, out, |bytes, there| {
        let letters = among(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), b'a', 26);
        let wanted = letters | among(bytes, b'0', 10);
        let ascii = !_mm512_movepi8_mask(bytes) & there;
        if ascii == there {
            return (bytes, there, wanted);
        }
        // U+4E00..=U+9FFF: E4 B8 80 to E9 BF BF.
        let han =
            characters(among(bytes, 0xe5, 5) | among(bytes, 0xe4, 1) & among(bytes, 0xb8, 8) >> 1);
        // Punctuation as in the plain form.
        let third = (among(bytes, 0x80, 3) | among(bytes, 0x88, 10)) >> 2;
        let first = among(bytes, 0xe2, 1) | among(bytes, 0xe3, 1) & third;
        let punctuation = characters(first & among(bytes, 0x80, 1) >> 1);
        (bytes, leading(ascii | han | punctuation), wanted | han)
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn append_folded(text: &str, options: Options, out: &mut String) -> usize {
    let Options { nfkc, case, digits, space, .. } = options;
    let [case, digits, space] = [case, digits, space].map(|on| if on { u64::MAX } else { 0 });
    let mut after_blank = u64::from(takes_no_blank(out));
    each_block(text, out, |mut bytes, there| {
        let mut taken = !_mm512_movepi8_mask(bytes) & there;
        let mut dropped = 0;
        if taken != there {
            let e3_80 = among(bytes, 0xe3, 1) & among(bytes, 0x80, 1) >> 1;
            let blanks = e3_80 & among(bytes, 0x80, 1) >> 2;
            if nfkc {
                // Characters of `without_tables`: E4 B8 80 to E9 BF BF, E3 80 and E2 80 with
                // some third bytes.
                let han =
                    among(bytes, 0xe5, 5) | among(bytes, 0xe4, 1) & among(bytes, 0xb8, 8) >> 1;
                let comma = e3_80 & (among(bytes, 0x81, 2) | among(bytes, 0x88, 10)) >> 2;
                let quotes =
                    among(bytes, 0xe2, 1) & among(bytes, 0x80, 1) >> 1 & among(bytes, 0x98, 8) >> 2;
                // EF BC 81 to EF BC BF are ! to _, EF BD 80 to EF BD 9E are ` to ~.
                let wide = among(bytes, 0xef, 1);
                let [low, high] = [
                    wide & among(bytes, 0xbc, 1) >> 1 & among(bytes, 0x81, 63) >> 2,
                    wide & among(bytes, 0xbd, 1) >> 1 & among(bytes, 0x80, 31) >> 2,
                ]
                .map(|first| first & ENDS_IN_BLOCK);
                taken = leading(taken | characters(han | comma | quotes | blanks | low | high));
                bytes = _mm512_mask_sub_epi8(bytes, low << 2, bytes, _mm512_set1_epi8(0x60));
                bytes = _mm512_mask_sub_epi8(bytes, high << 2, bytes, _mm512_set1_epi8(0x20));
                // A blank of three bytes is three blanks, of which one stays.
                bytes =
                    _mm512_mask_mov_epi8(bytes, characters(blanks), _mm512_set1_epi8(b' ' as i8));
                let narrowed = low | high | blanks & ENDS_IN_BLOCK & !space;
                dropped = narrowed | narrowed << 1;
            } else {
                // U+3001..=U+9FFF: E3 80 81 to E9 BF BF.
                taken = leading(taken | characters(among(bytes, 0xe3, 7) & !blanks));
            }
        }
        let white = space & (among(bytes, b' ', 1) | among(bytes, b'\t', 5));
        let wanted = !(white & (white << 1 | after_blank) | dropped);
        after_blank = u64::from(white & taken & !(taken >> 1) != 0);
        let upper = case & among(bytes, b'A', 26);
        let folded = _mm512_mask_add_epi8(bytes, upper, bytes, _mm512_set1_epi8(0x20));
        let folded = _mm512_mask_mov_epi8(
            folded,
            digits & among(bytes, b'0', 10),
            _mm512_set1_epi8(b'0' as i8),
        );
        (_mm512_mask_mov_epi8(folded, white, _mm512_set1_epi8(b' ' as i8)), taken, wanted)
    })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn marks(bytes: &[u8], mut from: usize) -> (usize, u64) {
    loop {
        let rest = &bytes[from..];
        let (block, _) = load(rest);
        let w = among(_mm512_or_si512(block, _mm512_set1_epi8(0x20)), b'w', 1);
        let marks =
            among(block, b'0', 17) | among(block, b']', 1) | w & (w >> 1 | 1 << (BLOCK - 1));
        if marks != 0 || rest.len() < BLOCK {
            return (from, marks);
        }
        from += BLOCK;
    }
}

/// The set bits from the lowest one up to the first unset one.
fn leading(set: u64) -> u64 {
    (!set & set.wrapping_add(1)).wrapping_sub(1)
}

/// All bytes of the three-byte characters with these first bytes, but for characters that may
/// end in the next block.
fn characters(first: u64) -> u64 {
    let first = first & ENDS_IN_BLOCK;
    first | first << 1 | first << 2
}

/// One bit for each byte that is one of the `count` values from `first` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn among(bytes: __m512i, first: u8, count: i8) -> u64 {
    _mm512_cmplt_epu8_mask(
        _mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8)),
        _mm512_set1_epi8(count),
    )
}
