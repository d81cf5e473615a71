//! Rows of `removed.jsonl`, `leaks.jsonl` and `just_missed.jsonl` -> the fields for counting, in a
//! few bytes a row. The whole row is read again where its pair is written.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use nearprint_core::judge::Reason;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::Error;
use crate::message;
use crate::message::Verb;

/// A removed document is much longer than its keeper if it has this many percent more characters.
pub(super) const LONGER: u64 = 20;

/// The files that rows name, each once.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub names: Vec<String>,
    numbers: HashMap<String, u32>,
}

/// All rows of a file.
#[derive(Debug, Default)]
pub(super) struct ReportRows {
    path: PathBuf,
    pub rows: Vec<Row>,
}

/// A removed document and its keeper, a document that stays and an item in it, or a pair just below
/// the bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub similarity: f64,
    /// The number of the cluster; 0 for a pair without a removed document.
    pub cluster: u32,
    /// The reason of the removal; `None` for a pair just below the bound, and for a reason that
    /// this version does not know.
    pub reason: Option<Reason>,
    /// The numbers of characters of the document and of its keeper.
    pub lengths: [u32; 2],
    /// The share of both texts that stands in the other one, if coverage decided.
    pub share: Option<f64>,
    /// The share of the document that its keeper lacks, if the measure tells it.
    pub lost: Option<f64>,
    pub place: Place,
    pub keeper: Place,
}

/// The place of a document: the number of its file, and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub file: u32,
    pub row: u64,
}

/// The shown fields of a line of one of the files.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'l> {
    #[serde(borrow, alias = "left")]
    pub id: &'l RawValue,
    #[serde(borrow, alias = "right", alias = "item")]
    pub keeper: &'l RawValue,
    #[serde(default)]
    pub cluster: u32,
    pub distance: Option<u32>,
    pub similarity: f64,
    #[serde(borrow)]
    pub reason: Option<Cow<'l, str>>,
    pub lost: Option<f64>,
    pub share: Option<f64>,
    pub first: Option<u32>,
    pub last: Option<u32>,
    /// The action on a leak.
    #[serde(borrow)]
    pub action: Option<Cow<'l, str>>,
    #[serde(borrow, alias = "left_file")]
    pub file: Cow<'l, str>,
    #[serde(alias = "left_row")]
    pub row: u64,
    #[serde(alias = "left_length")]
    pub length: u32,
    #[serde(borrow, alias = "right_file", alias = "item_file")]
    pub keeper_file: Cow<'l, str>,
    #[serde(alias = "right_row", alias = "item_row")]
    pub keeper_row: u64,
    #[serde(alias = "right_length", alias = "item_length")]
    pub keeper_length: u32,
}

impl Row {
    /// Returns true if a comparison of texts by fingerprint removed the document.
    pub fn is_near(&self) -> bool {
        matches!(self.reason, Some(Reason::Near | Reason::Contained))
    }

    /// Returns true if the document is much longer than its keeper, and not by characters alone
    /// that do not count.
    pub fn is_longer(&self) -> bool {
        let [own, keeper] = self.lengths.map(u64::from);
        self.is_near() && self.lost != Some(0.0) && 100 * own >= (100 + LONGER) * keeper
    }

    /// Returns true if one of the two is in a family of similar texts, in which a text may lose
    /// less. So the similarity of a pair with this share is lower than elsewhere.
    pub fn is_in_family(&self) -> bool {
        self.share.is_some_and(|share| self.similarity + 3e-6 < 2.0 * share - 1.0)
    }
}

impl Files {
    /// The number of a file.
    fn number(&mut self, name: &str) -> u32 {
        let next = self.names.len() as u32;
        *self.numbers.entry_ref(name).or_insert_with(|| {
            self.names.push(name.to_string());
            next
        })
    }

    /// The number of a file, if some row names it.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }
}

impl ReportRows {
    /// Reads a file of reports, and numbers the files that it names.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] for a line that is no row.
    pub fn read(path: &Path, files: &mut Files) -> Result<ReportRows, Error> {
        let mut rows = Vec::new();
        lines(path, |_, read| {
            let [file, keeper] = [&read.file, &read.keeper_file].map(|name| files.number(name));
            rows.push(Row {
                similarity: read.similarity,
                cluster: read.cluster,
                reason: read.reason.as_deref().and_then(known),
                lengths: [read.length, read.keeper_length],
                share: read.share,
                lost: read.lost,
                place: Place { file, row: read.row },
                keeper: Place { file: keeper, row: read.keeper_row },
            });
            Ok(())
        })?;
        Ok(ReportRows { path: path.to_path_buf(), rows })
    }

    /// Calls `each` with every row and its line, in order.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`]; the errors of `each`.
    pub fn lines(
        &self,
        mut each: impl FnMut(&Row, Line<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.rows.is_empty() {
            true => Ok(()),
            false => lines(&self.path, |number, line| each(&self.rows[number], line)),
        }
    }

    /// The clusters with their numbers of documents, the keeper included, the largest first; of
    /// equal ones the first.
    pub fn sizes(&self) -> Vec<(u32, u32)> {
        let mut sizes: HashMap<u32, u32> = HashMap::new();
        self.rows.iter().for_each(|row| *sizes.entry(row.cluster).or_insert(1) += 1);
        let mut sizes: Vec<(u32, u32)> = sizes.into_iter().collect();
        sizes.sort_unstable_by_key(|(cluster, size)| (Reverse(*size), *cluster));
        sizes
    }
}

/// The reason of this name.
pub(super) fn known(name: &str) -> Option<Reason> {
    Reason::ALL.into_iter().find(|reason| reason.name() == name)
}

/// Calls `each` with every line and its number. Leaks of removed documents are left out, since
/// `removed.jsonl` has these documents.
fn lines(
    path: &Path,
    mut each: impl FnMut(usize, Line<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let mut lines = BufReader::with_capacity(1 << 18, file);
    let (mut line, mut number) = (Vec::new(), 0);
    while lines.read_until(b'\n', &mut line).map_err(Error::io("read", path))? > 0 {
        let parsed = parsed(path, &line)?;
        if parsed.action.as_deref() != Some("removed") {
            each(number, parsed)?;
            number += 1;
        }
        line.clear();
    }
    Ok(())
}

fn parsed<'l>(path: &Path, line: &'l [u8]) -> Result<Line<'l>, Error> {
    serde_json::from_slice(line).map_err(|error| {
        let problem =
            message![format!("a row cannot be read ({error}); run "), Verb::Dedup, " again"];
        Error::Incompatible { path: path.to_path_buf(), problem }
    })
}
