//! A file of pairs or clusters -> an answer about documents by their numbers.
//!
//! | columns | rows |
//! | --- | --- |
//! | `left`, `right` | pairs; with `label` judged ones: above 0 duplicates, 0 none, empty not known |
//! | `left`, `right`, `verdict` | pairs that a person marked: `right` duplicates, `wrong` none, empty not known |
//! | `members` | a cluster a row, as `dedup` writes `clusters.jsonl` |
//! | `id`, `keeper` | removed documents, as `dedup` writes `removed.jsonl`: a document and its keeper are together |
//! | `id`, `cluster` | documents with the name of their cluster; one without is in none |

mod clusters;
mod pairs;

use hashbrown::HashMap;

use super::names::Names;
use super::{Answer, Pair};
use crate::config::OnError;
use crate::error::{Error, Problem, Rejection, Rejections};
use crate::message;
use crate::message::{Message, Setting};
use crate::read::table;
use crate::read::{Format, Source};

/// Names of columns, for files with unusual ones. A file without a column of this name is read by
/// the usual name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// The first document of a pair: `left`.
    pub left: Option<String>,
    /// The second document of a pair: `right`.
    pub right: Option<String>,
    /// The document of a row of clusters: `id`.
    pub id: Option<String>,
    /// The cluster that a document is in: `cluster`.
    pub cluster: Option<String>,
    /// The label of a pair: `label`.
    pub label: Option<String>,
}

/// The answer of a file, with its documents as numbers.
#[derive(Debug, Default)]
pub(in crate::evaluate) struct AnswerFile {
    /// True if the file holds clusters.
    pub clusters: bool,
    /// The number of rows that were used.
    pub rows: u64,
    /// The number of pairs of a document with itself, which do not count.
    pub self_pairs: u64,
    /// The number of repeated pairs, in either order.
    pub repeated_pairs: u64,
    /// The number of pairs that only stand for other pairs of equal texts.
    pub implied_pairs: u64,
    /// The duplicates of a file of pairs.
    pub duplicates: Vec<Pair>,
    /// Pairs judged to be no duplicates.
    pub different: Vec<Pair>,
    /// Pairs without a judgment.
    pub left_out: Vec<Pair>,
    /// The cluster of each document by its number, for a file of clusters.
    labels: Vec<Option<u32>>,
    /// The similarity of each marked pair that has one; `None` without marks.
    pub marked: Option<HashMap<Pair, f64>>,
    /// The distances and similarities of pairs that the file has, sorted.
    pub evidence: Vec<(Pair, Evidence)>,
    /// The rows that were left out.
    pub rejections: Rejections,
    /// The named columns that the file has.
    pub has: Vec<String>,
    /// All columns of the file; of JSON Lines those of the first rows.
    pub columns: Vec<String>,
}

/// Distance and similarity of a pair.
pub(super) type Evidence = (Option<u32>, Option<f64>);

impl AnswerFile {
    /// The answer. Documents that the file does not name are single.
    pub(super) fn answer(&self) -> Answer {
        match self.clusters {
            false => Answer::pairs(self.duplicates.iter().copied()),
            true => {
                let beyond = self.labels.iter().flatten().max().map_or(0, |label| label + 1);
                Answer::clusters(
                    (beyond..).zip(&self.labels).map(|(alone, label)| label.unwrap_or(alone)),
                )
            }
        }
    }
}

/// The kind of rows that a file has, and the columns that hold them.
enum Shape {
    Pairs { left: String, right: String },
    Members,
    Keepers { id: String },
    Labels { id: String, cluster: String },
}

/// Reads a file, with distances and similarities if `evidence` is true.
///
/// # Errors
/// [`Error::Incompatible`] for a file that holds neither pairs nor clusters or cannot be read,
/// [`Error::Rejected`] for a row that cannot be used if `on-error` is `fail`.
pub(super) fn read(
    source: &Source,
    columns: &Columns,
    names: &mut Names,
    on_error: OnError,
    evidence: bool,
) -> Result<AnswerFile, Error> {
    let whole_file = |rejection: Rejection| Error::Incompatible {
        path: rejection.file.clone().into(),
        problem: rejection.problem.message(),
    };
    let enough = |available: &[String]| recognize(available, columns).is_some();
    let available = match table::columns(source, enough) {
        Ok(available) => available,
        // Nothing was found, so a file without a row was written.
        Err(Rejection { problem: Problem::EmptyFile, .. }) => return Ok(AnswerFile::default()),
        Err(rejection) => return Err(whole_file(rejection)),
    };
    let recognized = recognize(&available, columns).or_else(|| {
        // Rows without any field are skipped, or report their own faults.
        let fields = || Shape::Pairs { left: "left".to_string(), right: "right".to_string() };
        (available.is_empty() && source.format == Format::JsonLines).then(fields)
    });
    let Some(shape) = recognized else {
        return Err(Error::Incompatible {
            path: source.label.clone().into(),
            problem: unknown(&available),
        });
    };
    check_different(&shape, columns, &source.label)?;
    let given = [&columns.left, &columns.right, &columns.id, &columns.cluster, &columns.label];
    let has =
        given.into_iter().flatten().filter(|name| available.contains(name)).cloned().collect();
    let mut answer = AnswerFile { has, columns: available.clone(), ..AnswerFile::default() };
    answer.rejections.begin(&source.label, source.has_rows());
    let mut reader =
        AnswerReader { names, columns, available: &available, on_error, evidence, answer };
    match &shape {
        Shape::Pairs { left, right } => reader.pairs(source, left, right),
        Shape::Members => reader.members(source),
        Shape::Keepers { id } => reader.keepers(source, id),
        Shape::Labels { id, cluster } => reader.labels(source, id, cluster),
    }
    .map_err(|error| match error {
        Error::Rejected(rejection) if rejection.row.is_none() => whole_file(rejection),
        error => error,
    })?;
    let mut answer = reader.answer;
    answer.evidence.sort_by_key(|(pair, _)| *pair);
    Ok(answer)
}

fn recognize(available: &[String], columns: &Columns) -> Option<Shape> {
    let has = |name: &str| available.iter().any(|column| column == name);
    let pick = |named: &Option<String>, usual: &str| {
        named.clone().filter(|name| has(name)).or_else(|| has(usual).then(|| usual.to_string()))
    };
    let id = pick(&columns.id, "id");
    if let (Some(id), Some(cluster)) = (&id, columns.cluster.clone().filter(|name| has(name))) {
        return Some(Shape::Labels { id: id.clone(), cluster });
    }
    if let (Some(left), Some(right)) = (pick(&columns.left, "left"), pick(&columns.right, "right"))
    {
        return Some(Shape::Pairs { left, right });
    }
    match (has("members"), id) {
        (true, _) => Some(Shape::Members),
        (false, Some(id)) if has("keeper") => Some(Shape::Keepers { id }),
        (false, Some(id)) if has("cluster") => {
            Some(Shape::Labels { id, cluster: "cluster".to_string() })
        }
        _ => None,
    }
}

/// Refuses one column in two roles: every pair would be a pair of a document with itself, or every
/// document a cluster.
fn check_different(shape: &Shape, columns: &Columns, file: &str) -> Result<(), Error> {
    let named = |name: &Option<String>, is: &str| name.as_deref() == Some(is);
    let (setting, column) = match shape {
        Shape::Pairs { left, right } if left == right && named(&columns.right, right) => {
            ("right-field", right)
        }
        Shape::Pairs { left, right } if left == right => ("left-field", left),
        Shape::Pairs { left, .. } if named(&columns.label, left) => ("label-field", left),
        Shape::Pairs { right, .. } if named(&columns.label, right) => ("label-field", right),
        Shape::Labels { id, cluster } if id == cluster => ("cluster-field", cluster),
        _ => return Ok(()),
    };
    let problem =
        format!("column \"{column}\" of {file} would have two meanings; name another column");
    Err(Error::usage(setting, problem))
}

fn unknown(available: &[String]) -> Message {
    let [left, right, id, cluster] =
        ["left-field", "right-field", "id-field", "cluster-field"].map(Setting::named);
    message![
        "the columns are neither of pairs (left, right) nor of clusters (id, cluster); there are: ",
        available.iter().take(30).cloned().collect::<Vec<_>>().join(", "),
        "; name the columns with ",
        left,
        " and ",
        right,
        ", or with ",
        id,
        " and ",
        cluster
    ]
}

/// A file being read.
struct AnswerReader<'r> {
    names: &'r mut Names,
    columns: &'r Columns,
    available: &'r [String],
    on_error: OnError,
    evidence: bool,
    answer: AnswerFile,
}

impl AnswerReader<'_> {
    /// Accepts a row, or reports its fault as the settings demand.
    fn take<T>(&mut self, row: Result<T, Rejection>) -> Result<Option<T>, Error> {
        match row {
            Ok(value) => {
                self.answer.rows += 1;
                self.answer.rejections.use_row(0);
                Ok(Some(value))
            }
            Err(rejection) if rejection.row.is_some() && self.on_error == OnError::Skip => {
                self.answer.rejections.reject(0, rejection, None);
                Ok(None)
            }
            Err(rejection) => Err(rejection.into()),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.available.iter().any(|column| column == name)
    }
}

/// The id of a number as JSON.
fn json(names: &Names, number: u32) -> String {
    serde_json::to_string(&names.id(number)).expect("an id is JSON")
}
