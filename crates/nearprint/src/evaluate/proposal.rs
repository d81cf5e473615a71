//! Pairs that a person marked as right or wrong, with their similarities -> the bound that
//! separates them best.
//!
//! A bound accepts the pairs of at least its similarity as duplicates. Its precision is the share
//! of right pairs among the accepted marked pairs; its recall is the share of accepted pairs among
//! those marked right. The bound with the largest F1 is proposed, the highest one of several. Its
//! recall does not cover unmarked pairs: neither pairs that the search did not find, nor pairs
//! below the similarities that were examined. No bound is proposed that is less precise on the
//! marks than the bound of the run, and no lower one if most marked pairs that the run accepts are
//! wrong.
//!
//! A proposal needs [`LEAST_MARKS`] marks, or marks of all pairs of a run that has fewer
//! (`run_pairs.rs`), since more cannot be marked.
//!
//! Intervals are those of Wilson (1927), as if marks were drawn at random. The bound was chosen by
//! the same marks, so the intervals are slightly optimistic for few marks.

use super::Figure;
use super::run_pairs::RunPairs;
use crate::document::Id;
use crate::message::Message;
use crate::outcome::wilson;

/// The number of marks that a proposal needs, if the run has as many pairs.
pub const LEAST_MARKS: u64 = 50;

/// A pair that a person marked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    pub similarity: f64,
    /// True if the documents are duplicates.
    pub right: bool,
}

/// The least similarity that marked pairs propose.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Proposal {
    /// The number of marked pairs with a similarity whose documents the run knows.
    pub marks: u64,
    /// The number of those pairs that are marked right.
    pub right: u64,
    /// The number of marks that are missing for a proposal: of [`LEAST_MARKS`], or of all pairs of
    /// a run that has fewer, with at least one right and one wrong mark. 0 also if all pairs of the
    /// run are marked alike.
    pub missing: u64,
    /// The number of pairs of the run that can be marked, if it is less than [`LEAST_MARKS`].
    pub all_pairs: Option<u64>,
    /// The number of marks without a similarity, which do not count.
    pub without_similarity: u64,
    /// Marked pairs with a document that the run does not know, which do not count.
    pub unknown: Vec<[Id; 2]>,
    /// The proposed `min-similarity`; `None` if marks are missing, or are all alike.
    pub min_similarity: Option<f64>,
    /// The share of marked pairs of at least that similarity that are marked right, with its
    /// interval.
    pub precision: Option<Figure>,
    /// The share of pairs marked right that have at least that similarity, with its interval; among
    /// the marked pairs only.
    pub recall: Option<Figure>,
    /// One sentence about what follows from the marks of a run, if they propose no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Message>,
}

impl Proposal {
    /// The proposal of these marks. `few` are the pairs of a run that has few of them, and `today`
    /// is the least similarity of the run, if it is known.
    pub(super) fn new(
        marks: &[Mark],
        today: Option<f64>,
        few: Option<RunPairs>,
        without_similarity: u64,
        unknown: Vec<[Id; 2]>,
    ) -> Proposal {
        let count = marks.len() as u64;
        let right = marks.iter().filter(|mark| mark.right).count() as u64;
        let (least_right, least_wrong) = (u64::from(right == 0), u64::from(right == count));
        let kinds = least_right + least_wrong;
        let missing = match few {
            Some(RunPairs { unmarked: 0, .. }) => 0,
            Some(RunPairs { unmarked, .. }) => {
                LEAST_MARKS.saturating_sub(count).min(unmarked).max(kinds)
            }
            None => LEAST_MARKS.saturating_sub(count).max(kinds),
        };
        let now = today.map(|today| accepted(marks, today));
        let may = |bound: &Bound| {
            now.is_none_or(|now| {
                let is_as_precise = bound.hits * now.taken >= now.hits * bound.taken;
                is_as_precise && (bound.bound >= now.bound || 2 * now.hits >= now.taken)
            })
        };
        let best = if missing == 0 && kinds == 0 { best(marks, right, may) } else { None };
        let figure = |(part, of): (u64, u64)| {
            let (low, high) = wilson(part as f64, of as f64);
            Figure { value: Some(part as f64 / of as f64), low: Some(low), high: Some(high) }
        };
        Proposal {
            marks: count,
            right,
            missing,
            all_pairs: few.map(|few| few.count),
            without_similarity,
            unknown,
            min_similarity: best.map(|best| best.bound),
            precision: best.map(|best| figure((best.hits, best.taken))),
            recall: best.map(|best| figure((best.hits, right))),
            advice: None,
        }
    }
}

/// A bound, the number of marked pairs that it accepts, and the number of those that are marked
/// right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    pub bound: f64,
    pub taken: u64,
    pub hits: u64,
}

/// The marks that a bound accepts.
pub(super) fn accepted(marks: &[Mark], bound: f64) -> Bound {
    let taken = || marks.iter().filter(|mark| mark.similarity >= bound);
    let hits = taken().filter(|mark| mark.right).count() as u64;
    Bound { bound, taken: taken().count() as u64, hits }
}

/// The permitted bound with the largest F1, the highest one of several; `None` without a pair that
/// is marked right. The bounds are the similarities of the marks: any other bound accepts the same
/// pairs as the next higher one of these.
pub(super) fn best(marks: &[Mark], right: u64, may: impl Fn(&Bound) -> bool) -> Option<Bound> {
    let mut marks = marks.to_vec();
    marks.sort_unstable_by(|one, other| other.similarity.total_cmp(&one.similarity));
    let (mut now, mut best) = (Bound { bound: 1.0, taken: 0, hits: 0 }, None::<Bound>);
    for same in marks.chunk_by(|one, other| one.similarity == other.similarity) {
        now.bound = same[0].similarity;
        now.taken += same.len() as u64;
        now.hits += same.iter().filter(|mark| mark.right).count() as u64;
        // F1 is 2 hits / (taken + right), compared without rounding.
        let is_better =
            |best: Bound| now.hits * (best.taken + right) > best.hits * (now.taken + right);
        if now.hits > 0 && may(&now) && best.is_none_or(is_better) {
            best = Some(now);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marks(list: &[(u32, bool)]) -> Vec<Mark> {
        list.iter()
            .map(|(hundredths, right)| Mark {
                similarity: f64::from(*hundredths) / 100.0,
                right: *right,
            })
            .collect()
    }

    #[test]
    fn the_bound_lies_where_right_and_wrong_part() {
        let list: Vec<(u32, bool)> =
            (40..100).map(|hundredths| (hundredths, hundredths >= 71)).collect();
        let proposal = Proposal::new(&marks(&list), None, None, 0, vec![]);
        assert_eq!(
            (proposal.min_similarity, proposal.missing, proposal.right),
            (Some(0.71), 0, 29)
        );
        let precision = proposal.precision.unwrap();
        assert!(precision.value == Some(1.0) && precision.high == Some(1.0));
        assert!((precision.low.unwrap() - 29.0 / (29.0 + 1.96f64.powi(2))).abs() < 1e-3);
    }

    #[test]
    fn few_marks_propose_nothing_and_say_how_many_are_missing() {
        let of = |count: u32, right: bool| {
            marks(&(0..count).map(|n| (n + 20, right)).collect::<Vec<_>>())
        };
        let missing = |marks: &[Mark]| {
            let proposal = Proposal::new(marks, None, None, 0, vec![]);
            assert!(proposal.min_similarity.is_none() && proposal.precision.is_none());
            proposal.missing
        };
        assert_eq!(missing(&[of(20, true), of(29, false)].concat()), 1);
        assert_eq!((missing(&[]), missing(&of(60, true)), missing(&of(60, false))), (50, 1, 1));
    }

    #[test]
    fn all_pairs_of_a_run_are_enough_where_they_are_of_both_kinds() {
        let list: Vec<(u32, bool)> =
            (70..80).map(|hundredths| (hundredths, hundredths >= 76)).collect();
        let of = |marks: &[Mark], unmarked| {
            let few = Some(RunPairs { count: 10, unmarked });
            let proposal = Proposal::new(marks, None, few, 0, vec![]);
            assert_eq!(proposal.all_pairs, Some(10));
            (proposal.min_similarity, proposal.missing)
        };
        let marks = marks(&list);
        assert_eq!(of(&marks, 0), (Some(0.76), 0));
        assert_eq!(of(&marks[..7], 3), (None, 3));
        assert_eq!((of(&marks[6..], 0), of(&marks[6..], 6)), ((None, 0), (None, 6)));
    }

    #[test]
    fn a_proposal_is_as_precise_as_the_bound_of_the_run() {
        // A lower bound would find more right pairs, and more wrong ones.
        let list: Vec<(u32, bool)> = (40..100).map(|at| (at, at >= 80 || at % 4 > 0)).collect();
        let free = Proposal::new(&marks(&list), None, None, 0, vec![]).min_similarity.unwrap();
        let bound = Proposal::new(&marks(&list), Some(0.8), None, 0, vec![]).min_similarity;
        assert!(free < 0.8 && bound == Some(0.77), "{free} {bound:?}");
    }

    proptest! {
        #[test]
        fn no_proposal_is_less_precise_than_the_bound_of_the_run(
            list in proptest::collection::vec((30u32..100, any::<bool>()), 50..80),
            today in 30u32..100,
        ) {
            let (marks, today) = (marks(&list), f64::from(today) / 100.0);
            let proposal = Proposal::new(&marks, Some(today), None, 0, vec![]);
            if let Some(bound) = proposal.min_similarity {
                let [now, then] = [today, bound].map(|bound| accepted(&marks, bound));
                prop_assert!(then.hits * now.taken >= now.hits * then.taken, "{} {}", today, bound);
                prop_assert!(bound >= today || 2 * now.hits >= now.taken, "{} {}", today, bound);
            }
        }

        #[test]
        fn no_bound_has_a_larger_f1(list in proptest::collection::vec((30u32..100, any::<bool>()), 1..80)) {
            let marks = marks(&list);
            let right = marks.iter().filter(|mark| mark.right).count() as u64;
            let f1 = |bound: f64| {
                let taken: Vec<&Mark> = marks.iter().filter(|mark| mark.similarity >= bound).collect();
                let hits = taken.iter().filter(|mark| mark.right).count() as f64;
                2.0 * hits / (taken.len() as f64 + right as f64)
            };
            let Some(best) = best(&marks, right, |_| true) else {
                prop_assert_eq!(right, 0);
                return Ok(());
            };
            for hundredths in 0..=100 {
                let bound = f64::from(hundredths) / 100.0;
                let (own, other) = (f1(best.bound), f1(bound));
                prop_assert!(other < own + 1e-12 && (bound <= best.bound || other < own - 1e-12), "{} {}", bound, best.bound);
            }
        }
    }
}
