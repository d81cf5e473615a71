//! The two documents of a candidate pair -> the similarity of their texts.
//!
//! | measure | of | value |
//! | --- | --- | --- |
//! | `coverage` | runs of letters | the share of both texts that stand in the other one |
//! | `jaccard` | sets of word n-grams: `shingle` terms in a row | \|A ∩ B\| / \|A ∪ B\| (Broder 1997) |
//! | `containment` | sets of word n-grams | \|A ∩ B\| / min(\|A\|, \|B\|): 1 if one text is part of the other |
//! | `cosine` | weighted features | A·B / (\|A\| \|B\|), which the Hamming distance estimates |
//! | `minhash` | sets of word n-grams | the estimate of `jaccard` from 256 minima, standard error at most 0.032 |
//! | `none` | - | the cosine that the Hamming distance estimates; nothing is compared |

mod affixes;
mod alignment;
mod between;
pub(crate) mod chain;
mod coverage;
mod difference;
mod facts;
mod fold;
mod minhash;
mod ngram_sets;
mod places;
mod runs;
mod short_text;
mod sketch;
mod table;
mod texts;
mod windows;
mod words;

use crate::features::{Term, append_features};

pub use affixes::{common_prefix, common_suffix};
pub use alignment::aligned;
pub use coverage::{Coverage, Passages, coverage, is_containment, passages};
pub use difference::{Difference, Fact};
pub use fold::fold;
pub use minhash::{PERMUTATIONS, signature, similarity as minhash_similarity};
pub use ngram_sets::NgramSets;
pub use places::Place;
pub use short_text::{ShortSimilarity, ShortText};
pub use short_text::{counts, most_broken};
pub use sketch::{BINS, Sketch, SketchBound, Sketches, sketch};
pub use windows::is_boundary;
pub use words::{Word, words};

/// The measure that confirms a candidate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The share of both texts that stand in the other one as well.
    #[default]
    Coverage,
    /// Exact Jaccard similarity of word n-grams.
    Jaccard,
    /// Exact containment of word n-grams.
    Containment,
    /// Exact cosine of the weighted features.
    Cosine,
    /// MinHash estimate of the Jaccard similarity.
    Minhash,
    /// No comparison: documents that are near in bits are duplicates.
    None,
}

impl Measure {
    /// Returns true if it compares terms.
    pub fn needs_terms(self) -> bool {
        match self {
            Measure::Jaccard | Measure::Containment | Measure::Minhash => true,
            Measure::Coverage | Measure::Cosine | Measure::None => false,
        }
    }
}

/// Fills `out` with the distinct word n-grams of a document, sorted: hashes of `length` terms in a
/// row. A document of fewer terms has one word n-gram of all its terms. A document without terms
/// has none.
///
/// ```
/// let mut ngrams = Vec::new();
/// nearprint_core::compare::word_ngrams(&[1, 2, 3, 1, 2, 3], 3, &mut ngrams);
/// assert_eq!(ngrams.len(), 3);
/// ```
pub fn word_ngrams(terms: &[Term], length: u32, out: &mut Vec<u64>) {
    out.clear();
    append_features(terms, length, out);
    out.sort_unstable();
    out.dedup();
}

/// The number of values that two sorted lists of distinct values share.
pub fn shared(left: &[u64], right: &[u64]) -> usize {
    let (mut l, mut r, mut shared) = (0, 0, 0);
    while l < left.len() && r < right.len() {
        let (a, b) = (left[l], right[r]);
        shared += usize::from(a == b);
        l += usize::from(a <= b);
        r += usize::from(b <= a);
    }
    shared
}

/// The Jaccard similarity of two sorted lists of distinct values, 0..=1; 0 for two empty ones.
///
/// ```
/// assert_eq!(nearprint_core::compare::jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
/// ```
pub fn jaccard(left: &[u64], right: &[u64]) -> f64 {
    let shared = shared(left, right);
    ratio(shared as f64, (left.len() + right.len() - shared) as f64)
}

/// The containment of the smaller of two sorted lists of distinct values in the other one, 0..=1; 0
/// if one is empty.
///
/// ```
/// assert_eq!(nearprint_core::compare::containment(&[1, 2], &[1, 2, 3, 4]), 1.0);
/// ```
pub fn containment(left: &[u64], right: &[u64]) -> f64 {
    ratio(shared(left, right) as f64, left.len().min(right.len()) as f64)
}

/// The cosine of two weighted feature vectors, each a list of (feature, weight) sorted by feature,
/// 0..=1.
///
/// ```
/// let cosine = nearprint_core::compare::cosine(&[(1, 3), (2, 4)], &[(1, 3), (2, 4)]);
/// assert_eq!(cosine, 1.0);
/// assert_eq!(nearprint_core::compare::cosine(&[(1, 3)], &[(2, 4)]), 0.0);
/// ```
pub fn cosine(left: &[(u64, u64)], right: &[(u64, u64)]) -> f64 {
    let square = |list: &[(u64, u64)]| {
        list.iter().map(|(_, w)| u128::from(*w) * u128::from(*w)).sum::<u128>()
    };
    let (mut l, mut r, mut dot) = (0, 0, 0u128);
    while l < left.len() && r < right.len() {
        let ((a, weight), (b, other)) = (left[l], right[r]);
        dot += if a == b { u128::from(weight) * u128::from(other) } else { 0 };
        l += usize::from(a <= b);
        r += usize::from(b <= a);
    }
    ratio(dot as f64, (square(left) as f64).sqrt() * (square(right) as f64).sqrt()).min(1.0)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn set_measures_follow_their_definitions(
            left in proptest::collection::btree_set(0u64..30, 0..20),
            right in proptest::collection::btree_set(0u64..30, 0..20),
        ) {
            let list = |set: &BTreeSet<u64>| set.iter().copied().collect::<Vec<_>>();
            let both = left.intersection(&right).count();
            let any = left.union(&right).count();
            prop_assert_eq!(shared(&list(&left), &list(&right)), both);
            if any > 0 {
                prop_assert_eq!(jaccard(&list(&left), &list(&right)), both as f64 / any as f64);
            }
            if !left.is_empty() && !right.is_empty() {
                let smaller = left.len().min(right.len());
                prop_assert_eq!(containment(&list(&left), &list(&right)), both as f64 / smaller as f64);
            }
        }
    }

    #[test]
    fn nothing_is_similar_to_nothing() {
        assert_eq!(jaccard(&[], &[]), 0.0);
        assert_eq!(containment(&[], &[1]), 0.0);
        assert_eq!(cosine(&[], &[]), 0.0);
    }

    #[test]
    fn cosine_is_that_of_the_vectors() {
        let cosine = cosine(&[(1, 1), (2, 2), (5, 9)], &[(2, 3), (4, 1), (5, 1)]);
        assert!((cosine - (6.0 + 9.0) / (86f64.sqrt() * 11f64.sqrt())).abs() < 1e-12, "{cosine}");
    }
}
