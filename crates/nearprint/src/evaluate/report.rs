//! The report of an evaluation: plain data.

use std::collections::BTreeMap;

use super::answers::AnswerFile;
use super::proposal::Proposal;
use super::worst::Worst;
use super::{Figure, PairCounts};
use crate::config::Config;
use crate::error::Rejections;
use crate::message::Message;
use crate::read::Source;

/// The agreement of two files.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct EvaluationReport {
    /// The version of nearprint.
    pub nearprint: &'static str,
    /// The found answer.
    pub found: EvaluatedFile,
    /// The labeled answer.
    pub truth: EvaluatedFile,
    /// The least similarity that the marks of the truth propose; absent without marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// The numbers of documents.
    pub documents: DocumentCounts,
    /// The numbers of pairs.
    pub counts: PairCounts,
    /// Each measure by name.
    pub measures: BTreeMap<&'static str, Figure>,
    /// The options of the intervals.
    pub bootstrap: Bootstrap,
    /// Labeled pairs that were not found, the most similar first.
    pub misses: Worst,
    /// Found pairs that are not labeled, the least similar first.
    pub false_alarms: Worst,
    /// The settings of the comparison of texts; absent if no texts were compared.
    pub settings: Option<Config>,
    /// Notes that help to read the figures.
    pub notes: Vec<Message>,
    /// The rows and files that were left out.
    #[serde(skip)]
    pub rejections: Rejections,
}

/// One of the two files.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct EvaluatedFile {
    /// The file that was read.
    pub file: String,
    /// `pairs` or `clusters`.
    pub shape: &'static str,
    /// The number of rows that were used.
    pub rows: u64,
    /// The number of pairs of a document with itself, which do not count.
    pub self_pairs: u64,
    /// The number of repeated pairs, in either order.
    pub repeated_pairs: u64,
    /// The number of pairs that the file does not list because a pair of equal texts stands for
    /// them.
    pub implied_pairs: u64,
    /// The number of pairs that are labeled as different.
    pub different_pairs: u64,
}

impl EvaluatedFile {
    /// The numbers of a file with this answer.
    pub(super) fn new(file: &Source, answer: &AnswerFile) -> EvaluatedFile {
        EvaluatedFile {
            file: file.label.clone(),
            shape: if answer.clusters { "clusters" } else { "pairs" },
            rows: answer.rows,
            self_pairs: answer.self_pairs,
            repeated_pairs: answer.repeated_pairs,
            implied_pairs: answer.implied_pairs,
            different_pairs: answer.different.len() as u64,
        }
    }
}

/// The numbers of documents by the files that name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct DocumentCounts {
    /// The number of documents that count.
    pub counted: u64,
    /// The number of all documents that the found answer names.
    pub in_found: u64,
    /// The number of all documents that the labeled answer names.
    pub in_truth: u64,
    /// The number of documents that were read; absent without documents.
    pub in_documents: Option<u64>,
}

/// The options of the intervals.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Bootstrap {
    /// The number of replicates; 0 for no intervals.
    pub replicates: u32,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The share of the replicates inside an interval.
    pub level: f64,
}
