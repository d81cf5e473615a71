//! MinHash (Broder 1997): the share of equal minima under random hash functions estimates the
//! Jaccard similarity.

use crate::random::mix;

/// The number of hash functions, and so of minima in a signature. The standard error of the
/// estimate is sqrt(J (1 - J) / 256) <= 0.032.
pub const PERMUTATIONS: usize = 256;

/// The minima of a set of word n-grams, one for each hash function. Two empty sets have equal
/// signatures.
///
/// ```
/// use nearprint_core::compare::{minhash_similarity, signature};
/// let (a, b) = (signature(&[1, 2, 3]), signature(&[4, 5, 6]));
/// assert_eq!(minhash_similarity(&a, &a), 1.0);
/// assert!(minhash_similarity(&a, &b) < 0.1);
/// ```
pub fn signature(ngrams: &[u64]) -> [u64; PERMUTATIONS] {
    let mut minima = [u64::MAX; PERMUTATIONS];
    for ngram in ngrams {
        for (number, minimum) in minima.iter_mut().enumerate() {
            *minimum = (*minimum).min(mix(*ngram ^ mix(number as u64 + 1)));
        }
    }
    minima
}

/// The share of equal minima, 0..=1.
pub fn similarity(left: &[u64; PERMUTATIONS], right: &[u64; PERMUTATIONS]) -> f64 {
    left.iter().zip(right).filter(|(a, b)| a == b).count() as f64 / PERMUTATIONS as f64
}

#[cfg(test)]
mod tests {
    use super::super::jaccard;
    use super::*;

    #[test]
    fn the_estimate_is_within_four_standard_errors() {
        for shared in [0u64, 20, 50, 80, 100] {
            let left: Vec<u64> = (0..100).map(mix).collect();
            let right: Vec<u64> = (100 - shared..200 - shared).map(mix).collect();
            let sorted = |list: &[u64]| {
                let mut list = list.to_vec();
                list.sort_unstable();
                list
            };
            let exact = jaccard(&sorted(&left), &sorted(&right));
            let estimate = similarity(&signature(&left), &signature(&right));
            let error = (exact * (1.0 - exact) / PERMUTATIONS as f64).sqrt();
            assert!((estimate - exact).abs() <= 4.0 * error, "{estimate} for {exact}");
        }
    }
}
