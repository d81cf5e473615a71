//! The search for duplicate pairs, and the share of them that was found.

use serde::{Deserialize, Serialize};

use crate::estimate::Choice;

/// The search for duplicate pairs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Search {
    /// The number of pairs of near fingerprints.
    pub candidates: u64,
    /// The largest distance of candidates in bits, inclusive; `None` if there was no search.
    pub max_distance: Option<u32>,
    /// The value of `max-distance auto` before it was lowered because of too many candidates.
    pub lowered_from: Option<u32>,
    /// The bound in bits to which every pair was found, inclusive; `None` if there was no search.
    pub complete_distance: Option<u32>,
    /// The plan of the join.
    pub plan: String,
    /// The share of pairs at the largest distance that its tables see; `None` if there was no
    /// search.
    pub seen_at_max_distance: Option<f64>,
    /// The estimate that chose the distances for a wanted recall.
    pub estimate: Option<Choice>,
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// The least number of pairs with a recall. The interval of four would be at least 0.49 wide.
const FEWEST_PAIRS: u64 = 5;

/// The largest width of an interval that tells something, inclusive.
const NARROW: f64 = 0.1;

/// The share of the similar pairs of a sample that the search found. It does not tell if the
/// removals are right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// The number of documents in the sample.
    pub sampled: u64,
    /// The number of pairs of these whose texts alone have a similarity of at least
    /// `min-similarity`.
    pub pairs: u64,
    /// The number of these pairs that are candidate pairs of the run.
    pub found: u64,
    /// The share of found pairs; `None` for fewer than 5 pairs.
    pub recall: Option<f64>,
    /// The number of candidate pairs of which both documents stay, since a family, hubs or
    /// `max-lost` keeps them apart.
    pub kept_apart: u64,
    /// The lower end of the 95 % interval, if there is one.
    pub low: Option<f64>,
    /// The upper end of the 95 % interval, if there is one.
    pub high: Option<f64>,
}

impl Recall {
    /// The recall of a sample of `sampled` documents with `pairs` pairs, of which `found` were
    /// found and `kept_apart` stay, with its interval (E. B. Wilson, "Probable Inference, the Law
    /// of Succession, and Statistical Inference", 1927).
    pub fn new(sampled: u64, pairs: u64, found: u64, kept_apart: u64) -> Recall {
        let interval = (pairs >= FEWEST_PAIRS).then(|| wilson(found as f64, pairs as f64));
        Recall {
            sampled,
            pairs,
            found,
            kept_apart,
            recall: interval.map(|_| found as f64 / pairs as f64),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        }
    }

    /// The interval, if it is at most a tenth wide.
    pub fn narrow(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high).filter(|(low, high)| high - low <= NARROW)
    }
}

/// The ends of the 95 % interval for a share, `found` of `all`. The interval lies within 0..=1 and
/// has a width even if none or all were found (Wilson 1927).
pub fn wilson(found: f64, all: f64) -> (f64, f64) {
    let (share, square) = (found / all, NORMAL * NORMAL);
    let middle = share + square / (2.0 * all);
    let half = NORMAL * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    let end = |end: f64| (end / (1.0 + square / all)).clamp(0.0, 1.0);
    // Rounding errors must not exclude a share of 0 or 1.
    let low = if found == 0.0 { 0.0 } else { end(middle - half) };
    let high = if found == all { 1.0 } else { end(middle + half) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_have_no_recall() {
        let [few, enough] = [4, 5].map(|pairs| Recall::new(100, pairs, pairs, 0));
        assert_eq!((few.recall, few.low, few.high, few.pairs), (None, None, None, 4));
        assert_eq!((enough.recall, enough.high), (Some(1.0), Some(1.0)));
        let (low, high) = wilson(4.0, 4.0);
        assert!(high - low > 0.48);
    }

    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = wilson(92.0, 93.0);
        assert!((low - 0.9416).abs() < 5e-4 && (high - 0.9981).abs() < 5e-4, "{low} {high}");
        // For ten of ten, z² / (n + z²) remains below.
        let (low, high) = wilson(10.0, 10.0);
        assert!((low - 10.0 / (10.0 + NORMAL * NORMAL)).abs() < 1e-12 && high == 1.0);
        assert_eq!(wilson(0.0, 10.0).0, 0.0);
    }
}
