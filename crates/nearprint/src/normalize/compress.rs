//! ASCII -> its letters and digits, 64 bytes at a time where the processor can compress bytes.
//!
//! Integers and bytes: every variant gives the same.

// A function that is compiled for more instructions than the rest of the program is called, and in it bytes are loaded from
// a slice and stored into a vector with room for them.
#![allow(unsafe_code)]

/// Appends the letters and digits of an ASCII text.
pub(super) fn append_letters_and_digits(text: &[u8], out: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2") {
        // SAFETY: the processor has these instructions.
        return unsafe { append_avx512(text, out) };
    }
    append(text, out);
}

/// Byte after byte, without a branch.
fn append(text: &[u8], out: &mut Vec<u8>) {
    let mut length = out.len();
    out.resize(length + text.len(), 0);
    for byte in text {
        out[length] = *byte;
        length += usize::from(byte.is_ascii_alphanumeric());
    }
    out.truncate(length);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vbmi2")]
fn append_avx512(text: &[u8], out: &mut Vec<u8>) {
    use std::arch::x86_64::*;

    let (blocks, rest) = text.as_chunks::<64>();
    // Each block stores 64 bytes, of which only the first ones stay.
    out.reserve(text.len() + 64);
    let mut length = out.len();
    for block in blocks {
        // SAFETY: a block has 64 bytes.
        let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        let among = |bytes, first: u8, count: i8| {
            _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8)), _mm512_set1_epi8(count))
        };
        let letters = among(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), b'a', 26);
        let wanted = letters | among(bytes, b'0', 10);
        let packed = _mm512_maskz_compress_epi8(wanted, bytes);
        // SAFETY: `length` is the old length of `out` and at most 64 for each block before, and there is room for that of
        // all blocks and 64 more.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(length).cast(), packed) };
        length += wanted.count_ones() as usize;
    }
    // SAFETY: all bytes before have been written.
    unsafe { out.set_len(length) };
    append(rest, out);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_variant_keeps_letters_and_digits(before in "[a-z]{0,9}", text in "[\0-\x7f]{0,300}") {
            let plain: Vec<u8> = before.bytes().chain(text.bytes().filter(u8::is_ascii_alphanumeric)).collect();
            for variant in [append, append_letters_and_digits] {
                let mut out = before.clone().into_bytes();
                variant(text.as_bytes(), &mut out);
                prop_assert_eq!(&out, &plain);
            }
        }
    }
}
