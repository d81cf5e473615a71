//! A measured sample of a corpus, and the wanted recall -> the two distances of the search.
//!
//! A pair of distances reaches a recall if that share of the edited copies lies within
//! `max_distance` and is seen by the plan that is complete to `complete_distance`. Of all such
//! pairs of distances, the cheapest by the model below is chosen: smaller distances mean fewer
//! candidates, and a plan that guarantees more needs more tables. If none is affordable, the pair
//! with the most recall is chosen. Cost: a plan for each distance up to half the bits, and a lookup
//! of the copies in it.

use nearprint_core::near;

use super::chance::Chance;
use super::{Copied, MeasuredSample};
use crate::message;
use crate::message::{Message, Setting, Verb};

/// The time to confirm a candidate, in nanoseconds of one thread. It was measured like the costs in
/// `near/plan/cost.rs`, with articles of some 3,000 bytes that have little in common.
const CONFIRM: f64 = 10_000.0;

/// The highest cost of the search for each document, in nanoseconds of one thread: a thousand
/// candidates, about twenty times the time to read an article.
const AFFORDABLE: f64 = 1000.0 * CONFIRM;

/// The chosen distances, and their expected recall and cost.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Choice {
    /// The similarity of duplicates that is to be found.
    pub similarity: f64,
    /// The wanted recall.
    pub recall: f64,
    /// The largest distance of candidates, in bits.
    pub max_distance: u32,
    /// The distance to which every pair is found, in bits.
    pub complete_distance: u32,
    /// The share of pairs of that similarity that the search is expected to find.
    pub expected_recall: f64,
    /// The expected number of candidate pairs by chance.
    pub expected_candidates: f64,
    /// True if that number is extrapolated beyond the measurements of the sample.
    pub extrapolated: bool,
    /// The expected number of pairs of fingerprints that the search compares for these candidates.
    pub compared_fingerprints: f64,
    /// True if the wanted recall is reached at an affordable cost.
    pub reached: bool,
    /// The obstacle, if it is not reached.
    pub obstacle: Option<Obstacle>,
    /// The number of documents that are searched by fingerprint.
    pub documents: usize,
    /// The number of these documents in the sample.
    pub sample: usize,
    /// The number of edited copies of them; without copies, the recall is that of the angle
    /// formula.
    pub copies: usize,
}

impl Choice {
    /// Returns true if a search with other distances finds pairs that this one misses: one of these
    /// is larger.
    pub fn finds_less_than(&self, max_distance: u32, complete_distance: u32) -> bool {
        self.max_distance < max_distance || self.complete_distance < complete_distance
    }
}

/// The distances for a similarity and a recall. With `complete`, every pair within `max_distance`
/// must be found.
///
/// ```
/// use nearprint::estimate::{Copied, MeasuredSample, choose};
/// let copy = |bits: u32| Copied { difference: [(1 << bits) - 1, 0, 0, 0], cosine: 0.9 };
/// let sample = MeasuredSample {
///     bits: 64,
///     documents: 50,
///     sampled: 50,
///     unrelated: vec![0; 65],
///     related: vec![0; 65],
///     copies: (0..20).map(copy).collect(),
/// };
/// let choice = choose(&sample, 0.8, 0.9, true);
/// assert_eq!((choice.max_distance, choice.complete_distance), (17, 17));
/// assert_eq!(choice.expected_recall, 0.9);
/// ```
pub fn choose(sample: &MeasuredSample, similarity: f64, recall: f64, complete: bool) -> Choice {
    let chance = Chance::new(&sample.unrelated);
    let documents = sample.documents;
    let candidate = |max_distance: u32,
                     complete_distance: u32,
                     plan_cost: f64,
                     expected_recall: f64| Candidate {
        max_distance,
        complete_distance,
        expected_recall,
        cost: plan_cost + chance.pairs(max_distance, documents) * CONFIRM,
    };
    let formula = sample.copies.is_empty().then(|| sample.within_by_formula(similarity));
    // Unrelated fingerprints differ in half the bits.
    let farthest = sample.bits / 2;
    let mut candidates = Vec::new();
    for complete_distance in 0..=farthest {
        let plan = near::plan(documents, sample.bits, complete_distance);
        let plan_cost = plan.nanoseconds(documents);
        let found = match &formula {
            // Without copies, only the guarantee of the tables is known.
            Some(within) => {
                within.iter().map(|share| share.min(within[complete_distance as usize])).collect()
            }
            None => {
                within(&sample.copies, sample.bits, |copy| plan.sees(&copy.difference, &[0; 4]))
            }
        };
        let farthest = if complete { complete_distance } else { farthest };
        for max_distance in complete_distance..=farthest {
            candidates.push(candidate(
                max_distance,
                complete_distance,
                plan_cost,
                found[max_distance as usize],
            ));
        }
    }
    let cheapest = |a: &&Candidate, b: &&Candidate| {
        a.cost
            .total_cmp(&b.cost)
            .then(a.max_distance.cmp(&b.max_distance))
            .then(b.complete_distance.cmp(&a.complete_distance))
    };
    let affordable =
        |candidate: &&Candidate| candidate.cost <= AFFORDABLE * documents.max(1) as f64;
    let enough = candidates
        .iter()
        .filter(affordable)
        .filter(|c| c.expected_recall >= recall)
        .min_by(cheapest);
    let best = || {
        let most = |a: &&Candidate, b: &&Candidate| {
            a.expected_recall.total_cmp(&b.expected_recall).then(cheapest(b, a))
        };
        candidates.iter().filter(affordable).max_by(most)
    };
    let obstacle = match enough {
        Some(_) => None,
        None if candidates.iter().all(|candidate| candidate.expected_recall < recall) => {
            Some(Obstacle::Distance)
        }
        None if chance.is_assumed() => Some(Obstacle::Sample),
        None => Some(Obstacle::Cost),
    };
    // If a search within 0 bits is not affordable, no search is; equal fingerprints are searched
    // for all the same.
    let chosen = enough.or_else(best).unwrap_or(&candidates[0]);
    Choice {
        similarity,
        recall,
        max_distance: chosen.max_distance,
        complete_distance: chosen.complete_distance,
        expected_recall: chosen.expected_recall,
        expected_candidates: chance.pairs(chosen.max_distance, documents),
        extrapolated: !chance.is_measured(chosen.max_distance),
        compared_fingerprints: near::plan(documents, sample.bits, chosen.complete_distance)
            .comparisons(documents),
        reached: enough.is_some(),
        obstacle,
        documents,
        sample: sample.sampled,
        copies: sample.copies.len(),
    }
}

/// The reason why a recall is not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Obstacle {
    /// No distance up to half the bits finds this share of the pairs of the similarity.
    Distance,
    /// A distance would, but the sample has too few unrelated pairs to estimate its cost, and among
    /// random fingerprints it would cost too much.
    Sample,
    /// A distance would, and by the sample it costs too much.
    Cost,
}

impl Obstacle {
    /// The reason why the recall is not reached, and the remedy.
    pub fn message(self) -> Message {
        let [similarity, recall, bits, max_distance] =
            ["min-similarity", "recall", "bits", "max-distance"].map(Setting::named);
        match self {
            Obstacle::Distance => message![
                "too many of these pairs are expected to differ in more than half the bits, as \
                 unrelated texts do. Set a higher ",
                similarity,
                " or a lower ",
                recall,
                ", or more ",
                bits,
                " (up to 256)."
            ],
            Obstacle::Sample => message![
                "the sample has fewer than 10 pairs of unrelated texts, too few to estimate the \
                 candidates at farther distances, and random fingerprints would give too many to \
                 compare. Run ",
                Verb::Tune,
                " with a larger ",
                Setting::named("sample"),
                "; if all texts are alike, set ",
                max_distance,
                " instead of ",
                recall,
                "."
            ],
            Obstacle::Cost => message![
                "farther distances give too many candidates, or too many comparisons of \
                 fingerprints. Set a higher ",
                similarity,
                " or a lower ",
                recall,
                ", set ",
                max_distance,
                " instead of it, or more ",
                bits,
                " (up to 256)."
            ],
        }
    }
}

/// Two distances, the share of copies that they find, and their cost in nanoseconds of one thread.
struct Candidate {
    max_distance: u32,
    complete_distance: u32,
    expected_recall: f64,
    cost: f64,
}

/// The share of copies of one similarity that each distance finds, beside a choice of distances.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AtSimilarity {
    /// The similarity of the copies.
    pub similarity: f64,
    /// The number of copies.
    pub copies: usize,
    /// For each distance from 0 to half the bits the share of copies within it; none without
    /// copies.
    pub copies_within: Vec<f64>,
    /// For each distance the share of copies that the plan of the chosen complete distance also
    /// sees.
    pub copies_found: Vec<f64>,
}

impl MeasuredSample {
    /// The share of these copies of another similarity that each distance finds with the plan of a
    /// choice.
    pub fn at(&self, choice: &Choice, similarity: f64, copies: &[Copied]) -> AtSimilarity {
        let plan = near::plan(self.documents, self.bits, choice.complete_distance);
        let shares = |found: &dyn Fn(&Copied) -> bool| -> Vec<f64> {
            let shares = within(copies, self.bits, found);
            shares
                .into_iter()
                .take(if copies.is_empty() { 0 } else { self.bits as usize / 2 + 1 })
                .collect()
        };
        AtSimilarity {
            similarity,
            copies: copies.len(),
            copies_within: shares(&|_| true),
            copies_found: shares(&|copy| plan.sees(&copy.difference, &[0; 4])),
        }
    }
}

/// For each distance the share of copies within it for which `found` returns true.
fn within(copies: &[Copied], bits: u32, found: impl Fn(&Copied) -> bool) -> Vec<f64> {
    let mut counts = vec![0u32; bits as usize + 1];
    copies.iter().filter(|copy| found(copy)).for_each(|copy| counts[copy.distance() as usize] += 1);
    let mut sum = 0;
    let share = |count: u32| {
        sum += count;
        f64::from(sum) / copies.len().max(1) as f64
    };
    counts.into_iter().map(share).collect()
}
