//! Sixteen bytes -> a hash, for tables in memory. It is no format.

/// A hash of two words of a text: the two halves of their product, XORed.
///
/// Both words are first XORed with bytes that UTF-8 never has, so that no text makes a factor 0.
#[inline(always)]
pub fn fold(first: u64, last: u64) -> u64 {
    let product =
        u128::from(first ^ 0xf5f6_f7f8_f9fa_fbfc) * u128::from(last ^ 0xfff5_fdf8_fbf6_f9fe);
    (product >> 64) as u64 ^ product as u64
}
