//! The reports of a finished run -> their rows, in order.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Lines};
use std::marker::PhantomData;
use std::path::PathBuf;

use nearprint_core::judge::Reason;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Finished, Place, Wanted};
use crate::document::Id;
use crate::error::Error;
use crate::message;
use crate::message::Verb;
use crate::write::reports::{CLUSTERS, JUST_MISSED, LEAKS, REJECTED, REMOVED};

/// A row of `removed.jsonl`: a removed document and its keeper.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Removed {
    /// The document.
    pub id: Id,
    /// The document that stays in its place.
    pub keeper: Id,
    /// The number of their cluster, from 1.
    pub cluster: u32,
    /// The Hamming distance of their fingerprints in bits; `None` if one of the two is short.
    pub distance: Option<u32>,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// The reason why the document was removed.
    pub reason: Reason,
    /// The share of the document that stands nowhere in its keeper, 0 to 1; `None` if the texts
    /// were not compared.
    pub lost: Option<f64>,
    /// The share of both texts that stands in the other one, if coverage decided.
    pub share: Option<f64>,
    /// With [`Reason::Contains`] the first character of the place where the keeper stands in the
    /// document, counted from 0.
    pub first: Option<u32>,
    /// The last character of that place.
    pub last: Option<u32>,
    /// The file of the document, as the user named or found it.
    pub file: String,
    /// The row of the document, from 1.
    pub row: u64,
    /// The number of characters of its text as read.
    pub length: u32,
    /// The file of the keeper.
    pub keeper_file: String,
    /// The row of the keeper, from 1.
    pub keeper_row: u64,
    /// The number of characters of its text as read.
    pub keeper_length: u32,
}

impl Removed {
    /// The document, to be read again.
    pub fn wanted(&self) -> Wanted {
        let place = Place { file: self.file.clone(), row: self.row };
        Wanted { place, id: Some(self.id.clone()), length: Some(self.length) }
    }

    /// The keeper, to be read again.
    pub fn wanted_keeper(&self) -> Wanted {
        let place = Place { file: self.keeper_file.clone(), row: self.keeper_row };
        Wanted { place, id: Some(self.keeper.clone()), length: Some(self.keeper_length) }
    }
}

/// A row of `clusters.jsonl`: a keeper and its cluster.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Cluster {
    /// The number of the cluster, from 1.
    pub cluster: u32,
    /// The document that stays.
    pub keeper: Id,
    /// The number of documents in the cluster.
    pub size: u64,
    /// All documents of the cluster, the keeper included, without a reference document.
    pub members: Vec<Id>,
}

/// A row of `leaks.jsonl`: a document that is a duplicate of an item, or contains one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Leak {
    /// The document.
    pub id: Id,
    /// The reference document that it was compared with.
    pub item: Id,
    /// The reason why it is a leak.
    pub reason: Reason,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// With [`Reason::Contains`] the first character of the place where the item stands in the
    /// document, counted from 0.
    pub first: Option<u32>,
    /// The last character of that place.
    pub last: Option<u32>,
    /// The action: `removed`, `listed`, `masked`, …
    pub action: String,
    /// The file of the reference document, or its index, as the user named or found it.
    pub item_file: String,
    /// The row of the reference document, from 1.
    pub item_row: u64,
}

/// A row of `just_missed.jsonl`: two kept documents whose similarity lies just below the bound.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Missed {
    /// One of the two, the first in the input.
    pub left: Id,
    /// The second one.
    pub right: Id,
    /// The Hamming distance of their fingerprints in bits; `None` if one of the two is short.
    pub distance: Option<u32>,
    /// Their similarity as the run had it, 0 to 1.
    pub similarity: f64,
    /// The file of the first one.
    pub left_file: String,
    /// The row of the first one, from 1.
    pub left_row: u64,
    /// The file of the second one.
    pub right_file: String,
    /// The row of the second one, from 1.
    pub right_row: u64,
}

/// A row of `rejected.jsonl`: a file or row that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    /// The file, as the user named or found it.
    pub file: String,
    /// The row, from 1; `None` for the whole file.
    pub row: Option<u64>,
    /// The problem, in a word.
    pub problem: String,
    /// The description of the problem, with its remedy.
    pub message: String,
}

/// The rows of a report, in order.
pub struct ReportRows<T> {
    path: PathBuf,
    /// `None` if the run has no such report.
    lines: Option<Lines<BufReader<File>>>,
    line: u64,
    /// The number of rows by the summary, if it has one.
    all: Option<u64>,
    of: PhantomData<T>,
}

impl<T: DeserializeOwned> Iterator for ReportRows<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Result<T, Error>> {
        let Some(line) = self.lines.as_mut()?.next() else {
            let all = self.all.take().filter(|all| *all != self.line)?;
            return Some(Err(Error::lacks_rows(&self.path, self.line, all)));
        };
        self.line += 1;
        let damaged = |error: serde_json::Error| {
            let problem = message![
                format!("row {} is damaged ({error}); run ", self.line),
                Verb::Dedup,
                " again"
            ];
            Error::Incompatible { path: self.path.clone(), problem }
        };
        let row = line.map_err(Error::io("read", &self.path));
        Some(row.and_then(|line| serde_json::from_str(&line).map_err(damaged)))
    }
}

impl Finished {
    /// The removed documents in input order.
    ///
    /// # Errors
    /// [`Error::Io`], also if the report is gone; [`Error::Incompatible`] for a damaged row, and
    /// for a number of rows that differs from that of the summary.
    pub fn removed(&self) -> Result<ReportRows<Removed>, Error> {
        Ok(ReportRows { all: Some(self.removed), ..self.report(REMOVED, false)? })
    }

    /// The clusters of two or more, by number.
    ///
    /// # Errors
    /// The errors of [`removed`](Self::removed).
    pub fn clusters(&self) -> Result<ReportRows<Cluster>, Error> {
        self.report(CLUSTERS, false)
    }

    /// Pairs that just missed the least similarity; none if the run did not look for such pairs.
    ///
    /// # Errors
    /// The errors of [`removed`](Self::removed).
    pub fn just_missed(&self) -> Result<ReportRows<Missed>, Error> {
        self.report(JUST_MISSED, true)
    }

    /// The leaks in input order; none in an ordinary run.
    ///
    /// # Errors
    /// The errors of [`removed`](Self::removed).
    pub fn leaks(&self) -> Result<ReportRows<Leak>, Error> {
        self.report(LEAKS, self.against.is_empty())
    }

    /// The files and rows that were left out, in input order; none if the run was to stop at the
    /// first.
    ///
    /// # Errors
    /// The errors of [`removed`](Self::removed).
    pub fn rejected(&self) -> Result<ReportRows<Rejected>, Error> {
        self.report(REJECTED, true)
    }

    fn report<T>(&self, name: &str, may_lack: bool) -> Result<ReportRows<T>, Error> {
        let path = self.folder.join(name);
        let lines = match File::open(&path) {
            Err(error) if may_lack && error.kind() == ErrorKind::NotFound => None,
            file => Some(
                BufReader::with_capacity(1 << 16, file.map_err(Error::io("read", &path))?).lines(),
            ),
        };
        Ok(ReportRows { path, lines, line: 0, all: None, of: PhantomData })
    }
}
