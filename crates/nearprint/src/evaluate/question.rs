//! The answers to compare, and how they are compared.

use std::path::Path;

use nearprint_core::recipe::Recipe;

use super::Options;
use super::answers::Columns;
use crate::config::Config;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::finished::Finished;
use crate::read::{self, Input, Source};
use crate::watch::Watch;

/// The two answers to compare, and the options of the comparison.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Found pairs or clusters: a file, an output folder of `dedup`, or rows in memory.
    pub found: Input,
    /// Labeled pairs or clusters, in the same forms.
    pub truth: Input,
    /// The documents themselves: files, folders, globs, or rows in memory. They add the documents
    /// that neither file names, and the texts.
    pub documents: Vec<Input>,
    /// The run of which `found` is the output folder ([`run_of`](super::run_of)), if it is one. Its
    /// inputs are then the documents, unless others are named, and documents that it has not read
    /// do not count.
    pub run: Option<Finished>,
    /// Names of columns other than the usual ones.
    pub columns: Columns,
    /// If true, only the pairs that TRUTH lists, or the documents that it names, count. This is
    /// always so for a TRUTH with marks, since a person marks only some pairs.
    pub judged_only: bool,
    /// The number of misses and of false alarms to show; 0 for none.
    pub worst: usize,
    /// Options of the intervals.
    pub options: Options,
}

/// Reads documents to compare pairs of them.
type Read<'e> = dyn Fn(Vec<Source>, &dyn Watch) -> Result<Corpus, Error> + Sync + 'e;

/// Evaluates answers under these settings.
pub struct Evaluator<'e> {
    /// The settings.
    pub config: &'e Config,
    /// The recipe by which documents are compared.
    pub recipe: &'e Recipe,
    /// The options of reading documents.
    pub options: &'e read::Options,
    /// A folder for standard input.
    pub spool: &'e Path,
    /// Reads the documents to compare pairs of them.
    pub read: &'e Read<'e>,
}
