//! Text in scripts that separate words -> words, by the boundaries of Unicode Standard Annex 29.
//!
//! ASCII text, nearly all of English, is cut 64 bytes at a time: the classes of the bytes become
//! bits, and words begin and end where the bits change. The bits are made with AVX-512, with AVX2,
//! or by plain code: 2.1, 2.1 and 1.1 GB/s on a virtual Zen 4. Text with the accents and quotation
//! marks of European languages is cut by a small state machine, and other text by the full tables.
//! The tests compare the first two ways with the tables.

// The unsafe code calls functions that are compiled for detected instructions. They load bytes of a
// text.
#![allow(unsafe_code)]

#[deny(unsafe_code)]
mod european;

use european::european;
use unicode_segmentation::UnicodeSegmentation;

/// The name of rules and tables. Raise the version whenever they change.
pub(super) const NAME: &str = "UAX 29, Unicode 17";

/// Hands on the words of any text.
pub(super) fn words<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    if text.is_ascii() {
        ascii(text, each);
    } else if european::has_classes(text) {
        european(text, each);
    } else {
        unicode(text, each);
    }
}

/// Hands on the words of any text, by the full tables.
fn unicode<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    text.unicode_words().for_each(each);
}

/// Hands on the words of ASCII text.
#[inline]
fn ascii<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("bmi1") {
        // SAFETY: the processor has these instructions.
        return unsafe { avx512::ascii(text, each) };
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") {
        // SAFETY: as above.
        return unsafe { avx2::ascii(text, each) };
    }
    cut(text, Block::plain, each);
}

const BLOCK: usize = 64;

/// The class of each byte of a block, one bit a byte, the first byte the lowest bit. Beyond the end
/// of the text no bit is set.
#[derive(Debug, Clone, Copy)]
struct Block {
    letters: u64,
    digits: u64,
    joiners: u64,
    /// The bytes that may stand between two letters.
    between_letters: u64,
    /// The bytes that may stand between two digits.
    between_digits: u64,
}

impl Block {
    /// The block at the beginning of some bytes.
    fn plain(bytes: &[u8]) -> Block {
        let mut block = [0; BLOCK];
        let length = bytes.len().min(BLOCK);
        block[..length].copy_from_slice(&bytes[..length]);
        let both = which(&block, |byte| (byte == b'.') | (byte == b'\''));
        Block {
            letters: which(&block, |byte| byte.is_ascii_alphabetic()),
            digits: which(&block, |byte| byte.is_ascii_digit()),
            joiners: which(&block, |byte| byte == b'_'),
            between_letters: which(&block, |byte| byte == b':') | both,
            between_digits: which(&block, |byte| (byte == b',') | (byte == b';')) | both,
        }
    }
}

/// One bit for each byte. The product of eight bytes that are 0 or 1 has these bits, in order, in
/// its highest byte.
#[inline(always)]
fn which(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    let ones = block.map(|byte| u8::from(is(byte)));
    let eights = ones.as_chunks().0.iter().enumerate();
    eights.fold(0, |bits, (place, eight)| {
        bits | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * place)
    })
}

/// Cuts ASCII text into words, block by block.
///
/// A word is a run of letters, digits, underscores, and signs between two letters or two digits.
/// Its edges are the changes of the bits of such runs.
#[inline(always)]
fn cut<'t>(text: &'t str, block: impl Fn(&[u8]) -> Block, each: &mut impl FnMut(&'t str)) {
    // 1 if the byte before the block is a letter, a digit, in a run.
    let (mut letter, mut digit, mut inside) = (0, 0, 0);
    let (mut at, mut start) = (0, 0);
    while at < text.len() {
        let Block { letters, digits, joiners, between_letters, between_digits } =
            block(&text.as_bytes()[at..]);
        let joined = between_letters & (letters << 1 | letter) & letters >> 1
            | between_digits & (digits << 1 | digit) & digits >> 1;
        let within = letters | digits | joiners | joined;
        // The next block decides about a last byte that may stand between two others.
        let undecided = (between_letters | between_digits) >> (BLOCK - 1);
        let length = BLOCK - undecided as usize;
        let mut edges = (within ^ (within << 1 | inside)) & u64::MAX >> undecided;
        while edges != 0 {
            let place = edges.trailing_zeros() as usize;
            edges &= edges - 1;
            match within >> place & 1 {
                0 => emit(&text[start..at + place], each),
                _ => start = at + place,
            }
        }
        [letter, digit, inside] = [letters, digits, within].map(|bits| bits >> (length - 1) & 1);
        at += length;
    }
    if inside == 1 {
        emit(&text[start..], each);
    }
}

/// Hands on a run, unless it has underscores alone.
#[inline(always)]
fn emit<'t>(run: &'t str, each: &mut impl FnMut(&'t str)) {
    if !run.starts_with('_') || run.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        each(run);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Block};

    #[target_feature(enable = "avx2,bmi1")]
    pub(super) fn ascii<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
        super::cut(text, |bytes| block(bytes), each);
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1")]
    fn block(bytes: &[u8]) -> Block {
        let block = bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut block = [0; BLOCK];
            block[..bytes.len()].copy_from_slice(bytes);
            block
        });
        let (halves, _) = block.as_chunks::<{ BLOCK / 2 }>();
        // SAFETY: a half has 32 bytes.
        let load = |half: &[u8; BLOCK / 2]| unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
        let halves = [load(&halves[0]), load(&halves[1])];
        let bits = |halves: [__m256i; 2]| {
            let [low, high] = halves.map(|half| _mm256_movemask_epi8(half) as u32);
            u64::from(high) << 32 | u64::from(low)
        };
        let is = |byte: u8| {
            bits(halves.map(|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8))))
        };
        // A byte is in the range if its distance from `first` is at most that of the last byte.
        // AVX2 compares signed bytes only, but has a minimum of unsigned ones.
        let among = |halves: [__m256i; 2], first: u8, count: i8| {
            bits(halves.map(|half| {
                let distance = _mm256_sub_epi8(half, _mm256_set1_epi8(first as i8));
                _mm256_cmpeq_epi8(_mm256_min_epu8(distance, _mm256_set1_epi8(count - 1)), distance)
            }))
        };
        let both = is(b'.') | is(b'\'');
        Block {
            letters: among(
                halves.map(|half| _mm256_or_si256(half, _mm256_set1_epi8(0x20))),
                b'a',
                26,
            ),
            digits: among(halves, b'0', 10),
            joiners: is(b'_'),
            between_letters: is(b':') | both,
            between_digits: is(b',') | is(b';') | both,
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Block};

    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    pub(super) fn ascii<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
        super::cut(text, |bytes| block(bytes), each);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi1")]
    fn block(bytes: &[u8]) -> Block {
        let there = if bytes.len() < BLOCK { (1 << bytes.len()) - 1 } else { u64::MAX };
        // SAFETY: only bytes of the text are loaded.
        let bytes = unsafe { _mm512_maskz_loadu_epi8(there, bytes.as_ptr().cast()) };
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
        let among = |bytes, first: u8, count| {
            _mm512_cmplt_epu8_mask(
                _mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8)),
                _mm512_set1_epi8(count),
            )
        };
        let both = is(b'.') | is(b'\'');
        Block {
            letters: among(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)), b'a', 26),
            digits: among(bytes, b'0', 10),
            joiners: is(b'_'),
            between_letters: is(b':') | both,
            between_digits: is(b',') | is(b';') | both,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    pub(super) fn cut_by(
        way: impl for<'t> Fn(&'t str, &mut Vec<&'t str>),
        text: &str,
    ) -> Vec<&str> {
        let mut words = Vec::new();
        way(text, &mut words);
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn every_way_cuts_ascii_like_the_full_tables(
            text in prop_oneof!["[\\x00-\\x7f]{0,200}", "[a-c1-3_.,:;'\"\\- -]{0,200}", "[a-z]{55,70}[.,:_'][a-z0-9]{0,70}"]
        ) {
            let wanted = cut_by(|text, words| unicode(text, &mut |word| words.push(word)), &text);
            prop_assert_eq!(&cut_by(|text, words| ascii(text, &mut |word| words.push(word)), &text), &wanted);
            prop_assert_eq!(&cut_by(|text, words| cut(text, Block::plain, &mut |word| words.push(word)), &text), &wanted);
            prop_assert_eq!(&cut_by(|text, words| european(text, &mut |word| words.push(word)), &text), &wanted);
            #[cfg(target_arch = "x86_64")]
            {
                if processor_has!("segment/words.rs with AVX2", "avx2", "bmi1") {
                    // SAFETY: the processor has these instructions.
                    let found = cut_by(|text, words| unsafe { avx2::ascii(text, &mut |word| words.push(word)) }, &text);
                    prop_assert_eq!(&found, &wanted);
                }
                if processor_has!("segment/words.rs with AVX-512", "avx512bw", "bmi1") {
                    // SAFETY: as above.
                    let found = cut_by(|text, words| unsafe { avx512::ascii(text, &mut |word| words.push(word)) }, &text);
                    prop_assert_eq!(&found, &wanted);
                }
            }
        }
    }
}
