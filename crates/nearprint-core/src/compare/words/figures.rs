//! Words -> the figures among them without a digit: Chinese numerals, English numbers and dates.

use std::sync::LazyLock;

use hashbrown::HashSet;

use super::hash;

/// English words for numbers and dates.
const NAMED: &str = "one two three four five six seven eight nine ten eleven twelve first \
    second third fourth fifth sixth january february march april may june july \
    august september october november december jan feb mar apr jun jul aug \
    sept sep oct nov dec monday tuesday wednesday thursday friday saturday \
    sunday million mln billion bln";

/// The hashes of [`NAMED`], and a bit for some bits of each, which rules out most words.
static NAMED_HASHES: LazyLock<(HashSet<u64>, [u64; 16])> = LazyLock::new(|| {
    let hashes: HashSet<u64> = NAMED.split(' ').map(|word| hash(word.as_bytes())).collect();
    let mut bits = [0; 16];
    hashes.iter().for_each(|hash| bits[(hash >> 6 & 15) as usize] |= 1 << (hash & 63));
    (hashes, bits)
});

/// Returns true if the word with this hash is an English number or date.
#[inline]
pub(super) fn is_named(word: u64) -> bool {
    let (hashes, bits) = &*NAMED_HASHES;
    bits[(word >> 6 & 15) as usize] >> (word & 63) & 1 == 1 && hashes.contains(&word)
}

/// Returns true if a character is a Chinese numeral.
pub(super) fn is_numeral(c: char) -> bool {
    matches!(
        c,
        '一' | '二'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '百'
            | '千'
            | '万'
            | '亿'
            | '零'
            | '两'
            | '〇'
    )
}
