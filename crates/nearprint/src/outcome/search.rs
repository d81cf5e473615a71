//! How duplicate pairs were searched for, and the share of them that was found.

use serde::{Deserialize, Serialize};

use crate::estimate::Choice;

/// How duplicate pairs were searched for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Search {
    /// Pairs of fingerprints that were near.
    pub candidates: u64,
    /// The largest distance of candidates in bits, inclusive; `None` where nothing was searched.
    pub max_distance: Option<u32>,
    /// The distance that `max-distance auto` stands for, had it not brought too many candidates.
    pub lowered_from: Option<u32>,
    /// The bound in bits to which every pair was found, inclusive; `None` where nothing was
    /// searched.
    pub complete_distance: Option<u32>,
    /// The plan of the join.
    pub plan: String,
    /// The share of pairs at the largest distance that its tables see; `None` where nothing was
    /// searched.
    pub seen_at_max_distance: Option<f64>,
    /// The estimate that chose the distances, where a recall was asked for.
    pub estimate: Option<Choice>,
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// Fewer pairs have no recall: the interval of four is 0.49 wide at least.
const FEWEST_PAIRS: u64 = 5;

/// The share of the similar pairs of a sample that the search found. It does not say whether the
/// removals are right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// Documents in the sample.
    pub sampled: u64,
    /// Pairs of these whose texts alone have a similarity of `min-similarity` or more.
    pub pairs: u64,
    /// Of these, the candidate pairs of the run.
    pub found: u64,
    /// Found of all pairs; `None` where there are fewer than 5.
    pub recall: Option<f64>,
    /// Of the candidate pairs, those of which both documents stay, since a family, hubs or
    /// `max-lost` keeps them apart.
    pub kept_apart: u64,
    /// The lower end of its 95 % interval, where there is one.
    pub low: Option<f64>,
    /// The upper end.
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
}

/// The ends of the 95 % interval for a share, `found` of `all`, which does not leave 0..=1 and has
/// a width where none or all were found (Wilson 1927).
pub fn wilson(found: f64, all: f64) -> (f64, f64) {
    let (share, square) = (found / all, NORMAL * NORMAL);
    let middle = share + square / (2.0 * all);
    let half = NORMAL * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    let end = |end: f64| (end / (1.0 + square / all)).clamp(0.0, 1.0);
    // Rounding errors must not say that none, or all, is impossible.
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
        // Ten of ten: z² / (n + z²) remains below.
        let (low, high) = wilson(10.0, 10.0);
        assert!((low - 10.0 / (10.0 + NORMAL * NORMAL)).abs() < 1e-12 && high == 1.0);
        assert_eq!(wilson(0.0, 10.0).0, 0.0);
    }
}
