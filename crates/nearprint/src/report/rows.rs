//! Rows of `removed.jsonl` and `just_missed.jsonl` -> the fields for counting and choosing, in a
//! few bytes a row. The whole row is read where its pair is shown.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
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

/// All rows of a file.
#[derive(Debug, Default)]
pub(super) struct ReportRows {
    path: PathBuf,
    pub rows: Vec<Row>,
    /// The files that the rows name, each once, by their numbers.
    pub files: Vec<String>,
}

/// A removed document and its keeper, or a pair just below the bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The byte at which its line begins in the file.
    start: u64,
    pub similarity: f64,
    /// The number of the cluster; 0 for a pair just below the bound.
    pub cluster: u32,
    /// The reason of the removal; `Near` for a pair just below the bound.
    pub reason: Reason,
    /// The numbers of characters of the document and of its keeper.
    pub lengths: [u32; 2],
    /// The share of both texts that stands in the other one, if coverage decided.
    pub share: Option<f64>,
    pub place: Place,
    pub keeper: Place,
}

/// The place of a document: the number of its file, and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub file: u32,
    pub row: u64,
}

/// The shown fields of a line of either file.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'l> {
    #[serde(borrow, alias = "left")]
    pub id: &'l RawValue,
    #[serde(borrow, alias = "right")]
    pub keeper: &'l RawValue,
    #[serde(default)]
    pub cluster: u32,
    pub distance: Option<u32>,
    pub similarity: f64,
    pub reason: Option<Reason>,
    pub lost: Option<f64>,
    pub share: Option<f64>,
    pub first: Option<u32>,
    pub last: Option<u32>,
    #[serde(borrow, alias = "left_file")]
    pub file: Cow<'l, str>,
    #[serde(alias = "left_row")]
    pub row: u64,
    #[serde(alias = "left_length")]
    pub length: u32,
    #[serde(borrow, alias = "right_file")]
    pub keeper_file: Cow<'l, str>,
    #[serde(alias = "right_row")]
    pub keeper_row: u64,
    #[serde(alias = "right_length")]
    pub keeper_length: u32,
}

impl Row {
    /// Returns true if a comparison of texts by fingerprint removed the document.
    pub fn is_near(&self) -> bool {
        is_near(self.reason)
    }

    /// Returns true if the document is much longer than its keeper.
    pub fn is_longer(&self) -> bool {
        is_longer(self.reason, self.lengths)
    }
}

impl Line<'_> {
    /// Returns true if the pair lies just below the bound, without a cluster.
    pub fn is_missed(&self) -> bool {
        self.cluster == 0
    }

    /// Returns true if the document is much longer than its keeper.
    pub fn is_longer(&self) -> bool {
        !self.is_missed()
            && is_longer(self.reason.unwrap_or(Reason::Near), [self.length, self.keeper_length])
    }
}

fn is_near(reason: Reason) -> bool {
    matches!(reason, Reason::Near | Reason::Contained)
}

/// Returns true if a document that was removed for this reason is much longer than its keeper.
fn is_longer(reason: Reason, lengths: [u32; 2]) -> bool {
    let [own, keeper] = lengths.map(u64::from);
    is_near(reason) && 100 * own >= (100 + LONGER) * keeper
}

impl ReportRows {
    /// Reads a file of reports.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`] for a line that is no row.
    pub fn read(path: &Path) -> Result<ReportRows, Error> {
        let file = File::open(path).map_err(Error::io("read", path))?;
        let mut lines = BufReader::with_capacity(1 << 18, file);
        let mut rows = ReportRows { path: path.to_path_buf(), ..ReportRows::default() };
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let (mut line, mut start) = (Vec::new(), 0);
        loop {
            line.clear();
            let length = lines.read_until(b'\n', &mut line).map_err(Error::io("read", path))?;
            if length == 0 {
                return Ok(rows);
            }
            let read = parsed(path, &line)?;
            let [file, keeper_file] = [&read.file, &read.keeper_file].map(|name| {
                let next = numbers.len() as u32;
                *numbers.entry_ref(&**name).or_insert_with(|| {
                    rows.files.push(name.to_string());
                    next
                })
            });
            rows.rows.push(Row {
                start,
                similarity: read.similarity,
                cluster: read.cluster,
                reason: read.reason.unwrap_or(Reason::Near),
                lengths: [read.length, read.keeper_length],
                share: read.share,
                place: Place { file, row: read.row },
                keeper: Place { file: keeper_file, row: read.keeper_row },
            });
            start += length as u64;
        }
    }

    /// Calls `each` with the lines of some rows, by their numbers in order.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`]; the errors of `each`.
    pub fn lines(
        &self,
        numbers: &[usize],
        mut each: impl FnMut(usize, Line<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut file = File::open(&self.path).map_err(Error::io("read", &self.path))?;
        for number in numbers {
            file.seek(SeekFrom::Start(self.rows[*number].start))
                .map_err(Error::io("read", &self.path))?;
            let mut line = Vec::new();
            match self.rows.get(number + 1) {
                Some(next) => {
                    (&mut file).take(next.start - self.rows[*number].start).read_to_end(&mut line)
                }
                None => file.read_to_end(&mut line),
            }
            .map_err(Error::io("read", &self.path))?;
            each(*number, parsed(&self.path, &line)?)?;
        }
        Ok(())
    }
}

fn parsed<'l>(path: &Path, line: &'l [u8]) -> Result<Line<'l>, Error> {
    serde_json::from_slice(line).map_err(|error| {
        let problem =
            message![format!("a row cannot be read ({error}); run "), Verb::Dedup, " again"];
        Error::Incompatible { path: path.to_path_buf(), problem }
    })
}
