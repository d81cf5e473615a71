//! The fingerprints of the Python package `simhash`, so that its saved values stay comparable.
//!
//! ```text
//! text      -> letters                  lower case; letters, digits and the underscore, joined
//! letters   -> windows                  letters.rs: four characters each; all of a shorter text
//! windows   -> MD5 -> the last bits     md5.rs: sixteen at a time
//! bits      -> fingerprint              a bit is 1 if more than half of the windows have a 1
//! features  -> fingerprint              vote.rs: features of the caller's own, with weights
//! ```
//!
//! A window that occurs several times votes several times. Features of the caller's own are weighed
//! by integers or by 64-bit floating-point numbers. They are summed in the order of the package, so
//! that the sums are rounded as there. No other vote has floating-point sums.
//!
//! In text beyond ASCII the letters depend on the version of Unicode of the caller's Python, so the
//! caller finds them; [`ascii_letters`] is for ASCII.
//!
//! Cost, through the Python package and with all that Python adds: 5.5 µs for 461 characters of
//! English, 10 µs for 416 of Chinese, one thread of a virtual Zen 4 with AVX-512.
//!
//! Source: `simhash` 2.1.2 (<https://github.com/1e0n/simhash>), `Simhash` with `f` bits under its
//! default `hashfunc`. The golden values of the tests are values of the package.

mod letters;
mod md5;
mod vote;

pub use letters::{ascii_letters, of_letters};
pub use vote::{MOST_BITS_OF_A_VOTE, Vote, Weight};

/// The most bits, those of an MD5.
pub const MOST_BITS: u32 = 128;

/// Checks that an MD5 gives fingerprints of `bits` bits.
///
/// # Panics
/// Panics if it does not.
fn check(bits: u32) {
    assert!(
        bits.is_multiple_of(8) && (8..=MOST_BITS).contains(&bits),
        "MD5 gives 8, 16, ... 128 bits, not {bits}"
    );
}

/// The bits of a digest, as the first 128 of a slice.
fn bits_of(digest: [u32; 4]) -> [u64; 4] {
    // The bytes of a word of MD5 count from the lowest on.
    let [a, b, c, d] = digest.map(|word| u64::from(word.swap_bytes()));
    [a << 32 | b, c << 32 | d, 0, 0]
}

#[cfg(test)]
mod tests;
