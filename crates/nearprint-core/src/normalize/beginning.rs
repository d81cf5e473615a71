//! The beginning of a text, of ASCII and frequent Chinese characters -> the beginning folded, or
//! its letters and digits; and the next bytes at which a part may have to be stripped.
//!
//! Characters of the beginning need no Unicode tables. Each form ends at the first other character,
//! which the caller looks up. The plain form works run by run. The AVX-512 form takes 64 bytes at a
//! time and compresses the kept ones; the AVX2 form takes 32 and packs eight at a time by a table.
//! On a virtual Zen 4, letters and digits of English come at 0.95, 8.6 (AVX2) and 18 GB/s
//! (AVX-512), folded Chinese at 0.23, 0.45 and 0.59. The forms give the same text.

// The unsafe code calls functions that are compiled for detected instructions. They load bytes of a
// text and store bytes into a string with room for them: whole characters, or ASCII in place of
// ASCII.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
#[deny(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[deny(unsafe_code)]
mod avx512;
#[deny(unsafe_code)]
mod plain;

use super::Options;

/// Appends the letters and digits of the beginning of a text. Returns the bytes of that beginning;
/// the caller looks the next character up, if there is one.
pub(super) fn append_alphanumeric(text: &str, out: &mut String) -> usize {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_there() {
        // SAFETY: the processor has these instructions.
        return unsafe { avx512::append_alphanumeric(text, out) };
    }
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: as above.
        return unsafe { avx2::append_alphanumeric(text, out) };
    }
    plain::append_alphanumeric(text, out)
}

/// Appends the beginning of a text, folded: NFKC, to lower case, digits to `0`, white space to one
/// blank, none after another or at the start. Returns the bytes of that beginning; the caller looks
/// the next character up, if there is one.
pub(super) fn append_folded(text: &str, options: Options, out: &mut String) -> usize {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_there() {
        // SAFETY: the processor has these instructions.
        return unsafe { avx512::append_folded(text, options, out) };
    }
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: as above.
        return unsafe { avx2::append_folded(text, options, out) };
    }
    plain::append_folded(text, options, out)
}

/// The bytes of a block of marks.
pub(super) const MARKED_BLOCK: usize = 64;

/// The first block of 64 bytes with marks, from the block that begins at `from` on: its first byte,
/// and a bit for each of its bytes. At the end of the text no bit is set. A mark is a digit, one of
/// `:;<=>?@`, `]`, or a `w` before another `w`, in either case. A `w` at the end of a block is
/// always a mark.
pub(super) fn marks(bytes: &[u8], from: usize) -> (usize, u64) {
    #[cfg(target_arch = "x86_64")]
    if avx512::is_there() {
        // SAFETY: the processor has these instructions.
        return unsafe { avx512::marks(bytes, from) };
    }
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        // SAFETY: as above.
        return unsafe { avx2::marks(bytes, from) };
    }
    plain::marks(bytes, from)
}

/// Returns true if a blank after this text would be one too many.
pub(super) fn takes_no_blank(out: &str) -> bool {
    out.is_empty() || out.ends_with(' ')
}

/// Appends the letters and digits of ASCII, without a branch.
fn append_of_ascii(ascii: &[u8], out: &mut String) {
    // SAFETY: ASCII is appended.
    let out = unsafe { out.as_mut_vec() };
    let mut length = out.len();
    out.resize(length + ascii.len(), 0);
    for byte in ascii {
        out[length] = *byte;
        length += usize::from(byte.is_ascii_alphanumeric());
    }
    out.truncate(length);
}

/// Blocks of 32 bytes, loaded and stored with AVX2.
#[cfg(target_arch = "x86_64")]
mod blocks_of_32 {
    use std::arch::x86_64::*;

    use super::MARKED_BLOCK;
    use crate::packed::PACKED;

    pub(super) const BLOCK: usize = 32;
    /// A character of three bytes may begin here and end in the block.
    pub(super) const ENDS_IN_BLOCK: u32 = (1 << (BLOCK - 2)) - 1;

    /// Hands blocks of 32 bytes to `each`, as the AVX-512 form does with 64 bytes.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,popcnt")]
    pub(super) fn each_block(
        text: &str,
        out: &mut String,
        mut each: impl FnMut(__m256i, u32) -> (__m256i, u32, u32),
    ) -> usize {
        // SAFETY: the forms take whole characters, or give ASCII in place of ASCII.
        let out = unsafe { out.as_mut_vec() };
        out.reserve(text.len());
        let (mut at, mut length) = (0, out.len());
        while let Some(block) = text.as_bytes()[at..].first_chunk::<BLOCK>() {
            // SAFETY: there are 32 bytes.
            let (folded, taken, wanted) =
                each(unsafe { _mm256_loadu_si256(block.as_ptr().cast()) }, u32::MAX);
            let kept = taken & wanted;
            // SAFETY: as many bytes at the most as the text has up to the block lie before
            // `length`, there is room for as many as all of it has, and `store` writes no byte
            // beyond a block.
            length += unsafe { store(folded, kept, out.as_mut_ptr().add(length)) };
            at += taken.count_ones() as usize;
            if taken & ENDS_IN_BLOCK != ENDS_IN_BLOCK {
                // SAFETY: all bytes before have been written.
                unsafe { out.set_len(length) };
                return at;
            }
        }
        // SAFETY: as above.
        unsafe { out.set_len(length) };
        let rest = &text.as_bytes()[at..];
        let (mut last, mut stored) = ([0; BLOCK], [0; BLOCK]);
        last[..rest.len()].copy_from_slice(rest);
        // SAFETY: both arrays have 32 bytes.
        let count = unsafe {
            let there = (1 << rest.len()) - 1;
            let (folded, taken, wanted) = each(_mm256_loadu_si256(last.as_ptr().cast()), there);
            at += taken.count_ones() as usize;
            store(folded, taken & wanted, stored.as_mut_ptr())
        };
        out.extend_from_slice(&stored[..count]);
        at
    }

    /// Writes the kept bytes of a block one after the other. Returns their number.
    ///
    /// # Safety
    ///
    /// There must be room for a whole block.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    unsafe fn store(bytes: __m256i, kept: u32, to: *mut u8) -> usize {
        if kept == u32::MAX {
            // SAFETY: there is room for a block.
            unsafe { _mm256_storeu_si256(to.cast(), bytes) };
            return BLOCK;
        }
        let [low, high] = [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)];
        let eights = [low, _mm_srli_si128::<8>(low), high, _mm_srli_si128::<8>(high)];
        let mut length = 0;
        for (eight, kept) in eights.into_iter().zip(kept.to_le_bytes()) {
            // SAFETY: an entry has eight bytes. No more bytes lie before `length` than in the
            // eights before this one, so that eight more end within a block.
            unsafe {
                let places = _mm_loadl_epi64(PACKED[usize::from(kept)].as_ptr().cast());
                _mm_storel_epi64(to.add(length).cast(), _mm_shuffle_epi8(eight, places));
            }
            length += kept.count_ones() as usize;
        }
        length
    }

    /// The two blocks of a block of marks.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn halves(block: &[u8; MARKED_BLOCK]) -> [__m256i; 2] {
        // SAFETY: each half has 32 bytes.
        [0, BLOCK].map(|half| unsafe { _mm256_loadu_si256(block.as_ptr().add(half).cast()) })
    }
}

/// Blocks of 64 bytes, loaded and stored with AVX-512.
#[cfg(target_arch = "x86_64")]
mod blocks_of_64 {
    use std::arch::x86_64::*;

    pub(super) const BLOCK: usize = 64;
    /// A character of three bytes may begin here and end in the block.
    pub(super) const ENDS_IN_BLOCK: u64 = (1 << (BLOCK - 2)) - 1;

    /// Hands `each` the blocks of the text, and a bit for each byte that is there. `each` returns
    /// the new bytes, the bits of the leading bytes that it knows, and the bits of the wanted ones.
    /// Returns the number of bytes before the first unknown one.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub(super) fn each_block(
        text: &str,
        out: &mut String,
        mut each: impl FnMut(__m512i, u64) -> (__m512i, u64, u64),
    ) -> usize {
        // SAFETY: the forms take whole characters, or give ASCII in place of ASCII.
        let out = unsafe { out.as_mut_vec() };
        out.reserve(text.len());
        let (mut at, mut length) = (0, out.len());
        loop {
            let rest = &text.as_bytes()[at..];
            let (bytes, there) = load(rest);
            let (folded, taken, wanted) = each(bytes, there);
            let packed = _mm512_maskz_compress_epi8(taken & wanted, folded);
            let count = (taken & wanted).count_ones();
            // SAFETY: there is room for as many bytes as the text has.
            unsafe {
                let filled = _bzhi_u64(u64::MAX, count);
                _mm512_mask_storeu_epi8(out.as_mut_ptr().add(length).cast(), filled, packed);
            }
            length += count as usize;
            at += taken.count_ones() as usize;
            if taken & ENDS_IN_BLOCK != ENDS_IN_BLOCK {
                // SAFETY: all bytes before have been written.
                unsafe { out.set_len(length) };
                return at;
            }
        }
    }

    /// The first block of some bytes, with zeros after their end, and a bit for each byte that is
    /// there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn load(rest: &[u8]) -> (__m512i, u64) {
        let there = if rest.len() < BLOCK { (1 << rest.len()) - 1 } else { u64::MAX };
        // SAFETY: only bytes of the text are loaded.
        (unsafe { _mm512_maskz_loadu_epi8(there, rest.as_ptr().cast()) }, there)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Normalizer;
    use super::super::compose::tests::mixed_text;
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    type Keep = fn(&str, &mut String) -> usize;
    type Fold = fn(&str, Options, &mut String) -> usize;

    /// All forms that this processor can run, the plain one first.
    fn forms() -> Vec<(Keep, Fold)> {
        let mut forms: Vec<(Keep, Fold)> = vec![
            (plain::append_alphanumeric, plain::append_folded),
            (append_alphanumeric, append_folded),
        ];
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: only where the processor has these instructions.
            if processor_has!("normalize/beginning.rs with AVX2", "avx2", "bmi1", "popcnt") {
                let keep: Keep = |text, out| unsafe { avx2::append_alphanumeric(text, out) };
                forms.push((keep, |text, options, out| unsafe {
                    avx2::append_folded(text, options, out)
                }));
            }
            if processor_has!(
                "normalize/beginning.rs with AVX-512",
                "avx512bw",
                "avx512vbmi2",
                "bmi1",
                "bmi2",
                "popcnt"
            ) {
                let keep: Keep = |text, out| unsafe { avx512::append_alphanumeric(text, out) };
                forms.push((keep, |text, options, out| unsafe {
                    avx512::append_folded(text, options, out)
                }));
            }
        }
        forms
    }

    type Marks = fn(&[u8], usize) -> (usize, u64);

    /// All forms of [`marks`] that this processor can run, the plain one first.
    fn forms_of_marks() -> Vec<Marks> {
        let mut forms: Vec<Marks> = vec![plain::marks, marks];
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: only where the processor has these instructions.
            if avx2::is_there() {
                forms.push(|bytes, from| unsafe { avx2::marks(bytes, from) });
            }
            if avx512::is_there() {
                forms.push(|bytes, from| unsafe { avx512::marks(bytes, from) });
            }
        }
        forms
    }

    /// A whole text by a form of the loop; `other` takes the characters that the form does not
    /// know.
    fn whole(
        text: &str,
        beginning: impl Fn(&str, &mut String) -> usize,
        other: impl Fn(char, &mut String),
    ) -> String {
        let (mut out, mut at) = (String::new(), 0);
        loop {
            at += beginning(&text[at..], &mut out);
            let Some(c) = text[at..].chars().next() else { return out };
            assert!(!c.is_ascii());
            other(c, &mut out);
            at += c.len_utf8();
        }
    }

    fn chinese() -> impl Strategy<Value = String> {
        "([a-zA-Z0-9 \t\n,]{0,70}|[\u{2010}-\u{2030}\u{3000}-\u{3015}一-鿿]{0,70}|[㐀-龥ー가é𠀀\u{2003}\u{a0}“Ａ～，！｀１\u{301}]{0,3}){0,8}"
    }

    proptest! {
        #[test]
        fn every_variant_keeps_letters_and_digits(text in prop_oneof![mixed_text(), chinese(), "[\0-\x7f]{0,300}"]) {
            let kept: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
            let other = |c: char, out: &mut String| out.extend(Some(c).filter(|c| c.is_alphanumeric()));
            for (variant, _) in forms() {
                prop_assert_eq!(&whole(&text, variant, other), &kept);
            }
        }

        #[test]
        fn every_variant_finds_the_marks(text in prop_oneof!["[a-z ]{0,90}[ -~]{0,2}[a-xW ]{0,90}[ -~]?[a-vx-z ]{0,60}", "[wW ]{0,200}", "天{0,60}w"]) {
            let bytes = text.as_bytes();
            let is_w = |at: usize| bytes.get(at).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'w'));
            let is_mark = |at: &usize| {
                matches!(bytes[*at], b'0'..=b'9' | b':'..=b'@' | b']') || is_w(*at) && (at % 64 == 63 || is_w(at + 1))
            };
            let marks: Vec<usize> = (0..bytes.len()).filter(is_mark).collect();
            for form in forms_of_marks() {
                let (mut found, mut from) = (Vec::new(), 0);
                while let (block, set @ 1..) = form(bytes, from) {
                    found.extend((0..64).filter(|bit| set >> bit & 1 == 1).map(|bit| block + bit));
                    from = block + 64;
                    if from > bytes.len() {
                        break;
                    }
                }
                prop_assert_eq!(&found, &marks);
            }
        }

        #[test]
        fn every_variant_folds_alike(
            text in prop_oneof![mixed_text(), chinese(), "[\0-\x7f]{0,300}"],
            nfkc: bool,
            case: bool,
            digits: bool,
            space: bool,
        ) {
            let normalizer = Normalizer::new(Options { nfkc, case, digits, space, ..Options::NONE });
            let mut folded = forms().into_iter().map(|(_, form)| normalizer.fold_by(form, &text));
            let plain = folded.next();
            for folded in folded {
                prop_assert_eq!(Some(folded), plain.clone());
            }
        }
    }
}
