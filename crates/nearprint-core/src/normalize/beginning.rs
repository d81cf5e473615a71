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

use super::{Options, ascii_run, caseless_run, han_run};

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

/// The plain form, run by run.
mod plain {
    use super::*;

    pub(super) fn append_alphanumeric(text: &str, out: &mut String) -> usize {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let ascii = ascii_run(&bytes[at..]);
            append_of_ascii(&bytes[at..at + ascii], out);
            at += ascii;
            let han = han_run(&bytes[at..]);
            out.push_str(&text[at..at + han]);
            at += han;
            at += match &bytes[at..] {
                // U+2000..=U+203F, and the comma, the full stop and the brackets of Chinese:
                // punctuation.
                [0xe2, 0x80, ..] | [0xe3, 0x80, 0x80..=0x82 | 0x88..=0x91, ..] => 3,
                _ if ascii + han == 0 => return at,
                _ => 0,
            };
        }
    }

    pub(super) fn append_folded(text: &str, options: Options, out: &mut String) -> usize {
        let Options { nfkc, case, digits, space, .. } = options;
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            // Kana and others may compose with what follows or stands before them.
            let caseless = if nfkc { han_run(&bytes[at..]) } else { caseless_run(&bytes[at..]) };
            out.push_str(&text[at..at + caseless]);
            at += caseless;
            let start = out.len();
            let regular = regular_ascii(&bytes[at..]);
            out.push_str(&text[at..at + regular]);
            at += regular;
            if case {
                out[start..].make_ascii_lowercase();
            }
            if digits && out[start..].bytes().any(|byte| byte.is_ascii_digit()) {
                let zeroed: String = out[start..]
                    .chars()
                    .map(|c| if c.is_ascii_digit() { '0' } else { c })
                    .collect();
                out.replace_range(start.., &zeroed);
            }
            match bytes.get(at) {
                Some(b' ' | b'\t'..=b'\r') if space && takes_no_blank(out) => at += 1,
                Some(b' ' | b'\t'..=b'\r') if space => {
                    out.push(' ');
                    at += 1;
                }
                Some(byte @ (..b'!' | 0x7f)) => {
                    out.push(char::from(*byte));
                    at += 1;
                }
                _ if caseless + regular > 0 => {}
                _ => return at,
            }
        }
    }

    pub(super) fn marks(bytes: &[u8], mut from: usize) -> (usize, u64) {
        let is_single = |byte: u8| (byte.wrapping_sub(b'0') <= b'@' - b'0') | (byte == b']');
        let is_w = |byte: u8| byte | 0x20 == b'w';
        loop {
            let block = &bytes[from..bytes.len().min(from + MARKED_BLOCK)];
            // Most blocks have no mark: this check has no branch.
            if block.iter().fold(false, |found, byte| found | is_single(*byte) | is_w(*byte)) {
                let mut marks = 0;
                for (place, byte) in block.iter().enumerate() {
                    let is_pair = is_w(*byte)
                        && block
                            .get(place + 1)
                            .map_or(place + 1 == MARKED_BLOCK, |next| is_w(*next));
                    marks |= u64::from(is_single(*byte) || is_pair) << place;
                }
                if marks != 0 {
                    return (from, marks);
                }
            }
            if block.len() < MARKED_BLOCK {
                return (from, 0);
            }
            from += MARKED_BLOCK;
        }
    }

    /// Length of the leading ASCII words with one blank between each two, which no folding of white
    /// space changes.
    fn regular_ascii(bytes: &[u8]) -> usize {
        const BLOCK: usize = 32;
        if bytes.first() == Some(&b' ') {
            return 0;
        }
        let mut at = 0;
        // Whole blocks without a branch inside, each with the byte after it.
        while let Some(block) = bytes[at..].first_chunk::<{ BLOCK + 1 }>() {
            let mut irregular = false;
            for (byte, next) in block.iter().zip(&block[1..]) {
                irregular |= !(b' '..=b'~').contains(byte) | ((*byte == b' ') & (*next == b' '));
            }
            if irregular {
                break;
            }
            at += BLOCK;
        }
        let mut blank = at > 0 && bytes[at - 1] == b' ';
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'!'..=b'~' => blank = false,
                b' ' if !blank => blank = true,
                _ => break,
            }
            at += 1;
        }
        at - usize::from(blank)
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
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::*;

    pub(super) fn is_there() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
    }

    const BLOCK: usize = 32;
    /// A character of three bytes may begin here and end in the block.
    const ENDS_IN_BLOCK: u32 = (1 << (BLOCK - 2)) - 1;

    /// For each set of eight bytes the places of its members.
    const PACKED: [[u8; 8]; 256] = {
        let (mut packed, mut set) = ([[0; 8]; 256], 0);
        while set < 256 {
            let (mut place, mut length) = (0, 0);
            while place < 8 {
                if set >> place & 1 == 1 {
                    packed[set][length] = place as u8;
                    length += 1;
                }
                place += 1;
            }
            set += 1;
        }
        packed
    };

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
            let han = characters(
                among(bytes, 0xe5, 5) | among(bytes, 0xe4, 1) & among(bytes, 0xb8, 8) >> 1,
            );
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
                    let quotes = among(bytes, 0xe2, 1)
                        & among(bytes, 0x80, 1) >> 1
                        & among(bytes, 0x98, 8) >> 2;
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
            // SAFETY: each half has 32 bytes.
            let halves = [0, BLOCK]
                .map(|half| unsafe { _mm256_loadu_si256(block.as_ptr().add(half).cast()) });
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

    /// Hands blocks of 32 bytes to `each`, as the AVX-512 form does with 64 bytes.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn each_block(
        text: &str,
        out: &mut String,
        mut each: impl FnMut(__m256i, u32) -> (__m256i, u32, u32),
    ) -> usize {
        // SAFETY: whole characters are appended, and ASCII.
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
        let own_byte = _mm256_setr_epi64x(
            0,
            0x0101_0101_0101_0101,
            0x0202_0202_0202_0202,
            0x0303_0303_0303_0303,
        );
        let own_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), own_byte);
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, own_bit), own_bit)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::*;

    pub(super) fn is_there() -> bool {
        let vectors =
            is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2");
        let bits = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
        vectors && bits && is_x86_feature_detected!("popcnt")
    }

    const BLOCK: usize = 64;
    /// A character of three bytes may begin here and end in the block.
    const ENDS_IN_BLOCK: u64 = (1 << (BLOCK - 2)) - 1;

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
            let han = characters(
                among(bytes, 0xe5, 5) | among(bytes, 0xe4, 1) & among(bytes, 0xb8, 8) >> 1,
            );
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
                    let quotes = among(bytes, 0xe2, 1)
                        & among(bytes, 0x80, 1) >> 1
                        & among(bytes, 0x98, 8) >> 2;
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
                    bytes = _mm512_mask_mov_epi8(
                        bytes,
                        characters(blanks),
                        _mm512_set1_epi8(b' ' as i8),
                    );
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
            let there = if rest.len() < BLOCK { (1 << rest.len()) - 1 } else { u64::MAX };
            // SAFETY: only bytes of the text are loaded.
            let block = unsafe { _mm512_maskz_loadu_epi8(there, rest.as_ptr().cast()) };
            let w = among(_mm512_or_si512(block, _mm512_set1_epi8(0x20)), b'w', 1);
            let marks =
                among(block, b'0', 17) | among(block, b']', 1) | w & (w >> 1 | 1 << (BLOCK - 1));
            if marks != 0 || rest.len() < BLOCK {
                return (from, marks);
            }
            from += BLOCK;
        }
    }

    /// Hands `each` the blocks of the text, and a bit for each byte that is there. `each` returns
    /// the new bytes, the bits of the leading bytes that it knows, and the bits of the wanted ones.
    /// Returns the number of bytes before the first unknown one.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn each_block(
        text: &str,
        out: &mut String,
        mut each: impl FnMut(__m512i, u64) -> (__m512i, u64, u64),
    ) -> usize {
        // SAFETY: whole characters are appended, and ASCII.
        let out = unsafe { out.as_mut_vec() };
        out.reserve(text.len());
        let (mut at, mut length) = (0, out.len());
        loop {
            let rest = &text.as_bytes()[at..];
            let there = if rest.len() < BLOCK { (1 << rest.len()) - 1 } else { u64::MAX };
            // SAFETY: only bytes of the text are loaded.
            let bytes = unsafe { _mm512_maskz_loadu_epi8(there, rest.as_ptr().cast()) };
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
