//! Sums -> measures, each a ratio in closed form.

use super::tally::{Sums, UNIT, pairs_of};

/// The measures by name, in the order in which they are shown.
pub const MEASURES: [&str; 8] = [
    "precision",
    "recall",
    "f1",
    "bcubed_precision",
    "bcubed_recall",
    "bcubed_f1",
    "adjusted_rand_index",
    "document_accuracy",
];

/// The values of [`MEASURES`]; `None` where the denominator is zero.
pub(super) fn measures(sums: &Sums) -> [Option<f64>; MEASURES.len()] {
    let units = sums.documents * UNIT;
    let (bcubed_precision, bcubed_recall) =
        (ratio(sums.precision, units), ratio(sums.recall, units));
    [
        ratio(sums.common, sums.found),
        ratio(sums.common, sums.truth),
        ratio(2 * sums.common, sums.found + sums.truth),
        bcubed_precision,
        bcubed_recall,
        // The harmonic mean of the two. Neither is 0 if there are documents, since each document is
        // right about itself.
        bcubed_precision.zip(bcubed_recall).map(|(p, r)| 2.0 * p * r / (p + r)),
        adjusted_rand_index(sums),
        ratio(sums.agreeing, sums.documents),
    ]
}

fn ratio(part: u128, whole: u128) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Hubert and Arabie 1985, equation 5, written with the four cells of the pair confusion matrix.
/// All terms of the denominator are positive, and exchanging the answers only exchanges terms.
/// Equal clusterings have the value 1, even if chance allows no other clustering.
fn adjusted_rand_index(sums: &Sums) -> Option<f64> {
    if sums.documents == 0 {
        return None;
    }
    let both = sums.common_clustered;
    let (found_only, truth_only) = (sums.found_clustered - both, sums.truth_clustered - both);
    if found_only == 0 && truth_only == 0 {
        return Some(1.0);
    }
    let neither = pairs_of(sums.documents) - both - found_only - truth_only;
    let [both, found_only, truth_only, neither] =
        [both, found_only, truth_only, neither].map(|count| count as f64);
    let numerator = 2.0 * (both * neither - found_only * truth_only);
    let denominator =
        (both + truth_only) * (truth_only + neither) + (both + found_only) * (found_only + neither);
    Some(numerator / denominator)
}
