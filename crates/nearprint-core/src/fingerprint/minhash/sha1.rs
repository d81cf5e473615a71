//! Items -> hash values, the first bytes of their SHA-1.
//!
//! Each of the 80 rounds of SHA-1 needs the result of the one before. So 16 items that fit one block
//! are hashed at a time, each in a lane of the vector registers: on a virtual Zen 4 in 18 ns an item with AVX-512,
//! where its instructions for SHA-1 take 50 ns. AVX2 and SSE2 are between the two.
//!
//! Source: FIPS 180-4, section 6.1.

use std::ops::Range;

use sha1::{Digest, Sha1};

/// The first 8 bytes of the SHA-1 of an item, from the lowest on. The first 4 are its last 32 bits.
///
/// ```
/// use nearprint_core::fingerprint::minhash::sha1_64;
/// assert_eq!(sha1_64(b"Hello") as u32, 0x8b9e_fff7);
/// ```
pub fn sha1_64(item: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Sha1::digest(item).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// [`sha1_64`] of each of many items. After each item, where `ends` points, is one more byte.
///
/// ```
/// use nearprint_core::fingerprint::minhash::{sha1_64, sha1_all};
/// assert_eq!(sha1_all(b"Hello,you,", &[5, 9]), [sha1_64(b"Hello"), sha1_64(b"you")]);
/// ```
pub fn sha1_all(bytes: &[u8], ends: &[usize]) -> Vec<u64> {
    let mut hashes = vec![0; ends.len()];
    let mut begin = 0;
    for (hashes, ends) in hashes.chunks_mut(LANES).zip(ends.chunks(LANES)) {
        let mut items: [Range<usize>; LANES] = Default::default();
        for (item, end) in items.iter_mut().zip(ends) {
            *item = begin..*end;
            begin = end + 1;
        }
        hash(bytes, &items[..ends.len()], hashes);
    }
    hashes
}

/// Items that are hashed together.
const LANES: usize = 16;

/// Up to this number of items, hashing one by one is faster.
const FEW: usize = 8;

/// The longest item that fits one block, with the padding bit and its length.
const SHORT: usize = 55;

fn hash(bytes: &[u8], items: &[Range<usize>], hashes: &mut [u64]) {
    if items.len() <= FEW {
        let each = hashes.iter_mut().zip(items);
        return each.for_each(|(hash, item)| *hash = sha1_64(&bytes[item.clone()]));
    }
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has these instructions.
            return unsafe { hash_avx512(bytes, items, hashes) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { hash_avx2(bytes, items, hashes) };
        }
    }
    hash_together(bytes, items, hashes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn hash_avx512(bytes: &[u8], items: &[Range<usize>], hashes: &mut [u64]) {
    hash_together(bytes, items, hashes);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn hash_avx2(bytes: &[u8], items: &[Range<usize>], hashes: &mut [u64]) {
    hash_together(bytes, items, hashes);
}

/// Hashes up to `LANES` items. Among those of up to `SHORT` bytes the length decides no branch, which
/// would be mispredicted.
#[inline(always)]
fn hash_together(bytes: &[u8], items: &[Range<usize>], hashes: &mut [u64]) {
    let mut blocks = [[0; LANES]; 16];
    // The number of words that an item fills.
    let mut filled = [0; LANES];
    let most = items.iter().map(|item| item.len().min(SHORT) / 4).max().unwrap_or(0);
    for (lane, item) in items.iter().enumerate().filter(|(_, item)| item.len() <= SHORT) {
        let mut copy = [0; SHORT + 1];
        let text = bytes[item.start..].first_chunk().unwrap_or_else(|| {
            copy[..item.len()].copy_from_slice(&bytes[item.clone()]);
            &copy
        });
        let words = text.as_chunks::<4>().0;
        for (word, own) in blocks.iter_mut().zip(words).take(most) {
            word[lane] = u32::from_be_bytes(*own);
        }
        let full = item.len() / 4;
        let after = 32 - 8 * (item.len() % 4);
        let last = u64::from(u32::from_be_bytes(words[full])) >> after << after;
        blocks[full][lane] = last as u32 | 0x80 << (after - 8);
        blocks[15][lane] = 8 * item.len() as u32;
        filled[lane] = full as u32;
    }
    let mut made = [[0; LANES]; 2];
    let [first, second] = &mut made;
    // The compiler vectorizes only plain loads and stores of each lane.
    let [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, wa, wb, wc, wd, _, bits] = &blocks;
    for lane in 0..LANES {
        let w = |place, words: &[u32; LANES]| if place <= filled[lane] { words[lane] } else { 0 };
        [first[lane], second[lane]] = first_words([
            w(0, w0),
            w(1, w1),
            w(2, w2),
            w(3, w3),
            w(4, w4),
            w(5, w5),
            w(6, w6),
            w(7, w7),
            w(8, w8),
            w(9, w9),
            w(10, wa),
            w(11, wb),
            w(12, wc),
            w(13, wd),
            0,
            bits[lane],
        ]);
    }
    for (lane, (hash, item)) in hashes.iter_mut().zip(items).enumerate() {
        let [first, second] = made.map(|words| u64::from(words[lane].swap_bytes()));
        let short = item.len() <= SHORT;
        *hash = if short { second << 32 | first } else { sha1_64(&bytes[item.clone()]) };
    }
}

/// The first two words of the SHA-1 of a block.
#[inline(always)]
fn first_words(mut w: [u32; 16]) -> [u32; 2] {
    const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let [mut a, mut b, mut c, mut d, mut e] = START;
    macro_rules! rounds {
        ($constant:literal, $mix:expr, $($round:literal)*) => {$(
            let at = $round % 16;
            if $round >= 16 {
                w[at] ^= w[(at + 13) % 16] ^ w[(at + 8) % 16] ^ w[(at + 2) % 16];
                w[at] = w[at].rotate_left(1);
            }
            let sum = $mix.wrapping_add(e).wrapping_add(w[at]).wrapping_add($constant);
            (a, b, c, d, e) = (a.rotate_left(5).wrapping_add(sum), a, b.rotate_left(30), c, d);
        )*};
    }
    rounds!(0x5a82_7999, (b & c | !b & d), 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    rounds!(0x6ed9_eba1, (b ^ c ^ d), 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
    rounds!(
        0x8f1b_bcdc, (b & c | b & d | c & d),
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
    );
    rounds!(0xca62_c1d6, (b ^ c ^ d), 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79);
    _ = (c, d, e);
    [a.wrapping_add(START[0]), b.wrapping_add(START[1])]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::testing::processor_has;

    proptest! {
        #[test]
        fn many_items_have_the_hash_values_of_each(
            items in proptest::collection::vec(
                proptest::collection::vec(any::<u8>(), 0..70), 0..100,
            ),
        ) {
            let expected: Vec<u64> = items.iter().map(|item| sha1_64(item)).collect();
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            for item in &items {
                bytes.extend(item);
                ends.push(bytes.len());
                bytes.push(0xff);
            }
            prop_assert_eq!(&sha1_all(&bytes, &ends), &expected);
            type Hash = fn(&[u8], &[Range<usize>], &mut [u64]);
            let mut variants: Vec<Hash> = vec![hash_together];
            #[cfg(target_arch = "x86_64")]
            if processor_has!("fingerprint/minhash/sha1.rs with AVX2", "avx2") {
                // SAFETY: the processor has these instructions.
                variants.push(|bytes, items, hashes| unsafe { hash_avx2(bytes, items, hashes) });
            }
            #[cfg(target_arch = "x86_64")]
            if processor_has!("fingerprint/minhash/sha1.rs with AVX-512", "avx512f") {
                // SAFETY: the processor has these instructions.
                variants.push(|bytes, items, hashes| unsafe { hash_avx512(bytes, items, hashes) });
            }
            let items: Vec<Range<usize>> =
                items.iter().zip(ends).map(|(item, end)| end - item.len()..end).collect();
            for hash in variants {
                let mut found = vec![0; items.len()];
                let batches = items.chunks(LANES).zip(found.chunks_mut(LANES));
                batches.for_each(|(items, hashes)| hash(&bytes, items, hashes));
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
