//! A found set of duplicates and a labeled one -> measures of their agreement.
//!
//! An [`Answer`] is a list of pairs, or clusters whose documents are all duplicates of each other.
//! Pairs of clusters are counted in closed form through the contingency table and never listed, so
//! a cluster of a million documents costs a million steps. Cost: sorting the documents and the
//! listed pairs once, then the bootstrap.
//!
//! | measure | unit | source |
//! | --- | --- | --- |
//! | `precision`, `recall`, `f1` | pairs | |
//! | `bcubed_precision`, `bcubed_recall`, `bcubed_f1` | documents: the share of a cluster that is right, on average | Bagga and Baldwin 1998; Amigó et al. 2009, section 5 |
//! | `adjusted_rand_index` | all pairs, less what chance gives | Hubert and Arabie 1985, equation 5 |
//! | `document_accuracy` | documents whose partners are exactly the labeled ones | the CORE Deduplication dataset, LREC 2020 |
//!
//! B-cubed and the adjusted Rand index compare clusterings; for pairs these are the connected
//! components.

mod advice;
mod answer;
mod answers;
mod bootstrap;
mod evaluator;
mod lacking;
mod marks;
mod measures;
mod names;
mod notes;
mod proposal;
mod question;
mod report;
mod run;
mod run_pairs;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod worst;

use std::collections::BTreeMap;

pub use answer::{Answer, Pair};
pub use answers::Columns;
pub use lacking::lacking;
pub use measures::MEASURES;
pub use proposal::{LEAST_MARKS, Proposal};
pub use question::{Evaluator, Question};
pub use report::{Bootstrap, DocumentCounts, EvaluatedFile, EvaluationReport};
pub use run::run_of;
pub use worst::{Case, Worst};

/// The most replicates of the bootstrap. Each takes some 150 bytes, and more would not change a
/// digit that is shown.
pub const MOST_REPLICATES: u32 = 1_000_000;

/// Options of the intervals.
///
/// ```
/// let options = nearprint::evaluate::Options::default();
/// assert_eq!((options.replicates, options.seed), (1000, 0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The number of replicates of the bootstrap, at most [`MOST_REPLICATES`]; 0 for no intervals.
    pub replicates: u32,
    /// The seed of the random numbers. The same seed gives the same intervals on every machine.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { replicates: 1000, seed: 0 }
    }
}

/// The agreement of two answers.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Evaluation {
    /// The numbers of documents, pairs, and blocks.
    pub counts: PairCounts,
    /// Each measure of [`MEASURES`] by name.
    pub measures: BTreeMap<&'static str, Figure>,
}

/// The counts of a comparison. Only `left_out_pairs` counts pairs that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct PairCounts {
    /// The number of documents, those without duplicates included.
    pub documents: u64,
    /// The number of pairs of the found answer.
    pub found_pairs: u64,
    /// The number of pairs of the labeled answer.
    pub labelled_pairs: u64,
    /// The number of pairs of both.
    pub true_positives: u64,
    /// The number of found pairs that are not labeled.
    pub false_alarms: u64,
    /// The number of labeled pairs that were not found.
    pub misses: u64,
    /// The number of pairs that are left out.
    pub left_out_pairs: u64,
    /// The number of blocks. Documents linked by either answer form a block; every other document
    /// is a block of its own. The bootstrap draws blocks.
    pub blocks: u64,
}

/// A measure with its 95 % interval. A measure whose denominator is zero is absent.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Figure {
    /// The measure.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
}

/// Compares a found answer about `documents` documents, numbered from 0, with the labeled one.
/// `left_out` are pairs that do not count, in either order. Pairs of clusters that are left out are
/// still together for B-cubed and the adjusted Rand index. Other documents in the answers do not
/// count.
///
/// ```
/// use nearprint::evaluate::{Answer, Options, evaluate};
/// let found = Answer::pairs([(0, 1), (2, 3)]);
/// let truth = Answer::clusters([0, 0, 0, 1, 2]); // documents 0, 1 and 2 are duplicates
/// let evaluation = evaluate(5, &found, &truth, &[], Options::default());
/// assert_eq!((evaluation.counts.true_positives, evaluation.counts.misses), (1, 2));
/// assert_eq!(evaluation.measures["precision"].value, Some(0.5));
/// assert_eq!(evaluation.measures["document_accuracy"].value, Some(0.2)); // document 4 alone
/// ```
pub fn evaluate(
    documents: u32,
    found: &Answer,
    truth: &Answer,
    left_out: &[Pair],
    options: Options,
) -> Evaluation {
    let left_out =
        answer::sorted(left_out.iter().copied().filter(|pair| pair.0.max(pair.1) < documents));
    let kinds =
        tally::kinds(documents, &found.below(documents), &truth.below(documents), &left_out);
    let (mut all, mut blocks) = (tally::Sums::default(), 0);
    for (sums, count) in &kinds {
        all.add(sums, *count);
        blocks += count;
    }
    let values = measures::measures(&all);
    let intervals = bootstrap::intervals(&kinds, options);
    let figure = |place: usize| Figure {
        value: values[place],
        low: intervals[place].map(|interval| interval.0),
        high: intervals[place].map(|interval| interval.1),
    };
    // There are at most as many pairs as 2³² documents have.
    let number = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
    Evaluation {
        counts: PairCounts {
            documents: documents.into(),
            found_pairs: number(all.found),
            labelled_pairs: number(all.truth),
            true_positives: number(all.common),
            false_alarms: number(all.found - all.common),
            misses: number(all.truth - all.common),
            left_out_pairs: left_out.len() as u64,
            blocks,
        },
        measures: MEASURES.iter().enumerate().map(|(place, name)| (*name, figure(place))).collect(),
    }
}
