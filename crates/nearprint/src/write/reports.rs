//! The reports beside the kept files: one JSON object a line, ids as the user wrote them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::error::{Error, Rejection};

/// A report being written: rows of JSON.
#[derive(Debug)]
pub(crate) struct Report<'p> {
    path: &'p Path,
    out: BufWriter<File>,
    bytes: u64,
}

impl<'p> Report<'p> {
    pub(crate) fn create(path: &'p Path) -> Result<Report<'p>, Error> {
        let file = File::create(path).map_err(Error::io("create", path))?;
        Ok(Report { path, out: BufWriter::with_capacity(1 << 16, file), bytes: 0 })
    }

    /// Writes one row; `json` ends without a line feed.
    pub(crate) fn row(&mut self, json: std::fmt::Arguments<'_>) -> Result<(), Error> {
        let line = format!("{json}\n");
        self.bytes += line.len() as u64;
        self.out.write_all(line.as_bytes()).map_err(Error::io("write", self.path))
    }

    /// Writes out what is still buffered and gives the bytes written.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        self.out.flush().map_err(Error::io("write", self.path))?;
        Ok(self.bytes)
    }
}

/// A similarity as it stands in reports: six decimals.
pub fn rounded(similarity: f64) -> f64 {
    (similarity * 1e6).round() / 1e6
}

/// The same, as short as it can be written.
pub(crate) fn similarity(value: f64) -> serde_json::Value {
    serde_json::Value::from(rounded(value))
}

/// A distance as it stands in reports.
pub(crate) fn distance(value: Option<u32>) -> serde_json::Value {
    serde_json::Value::from(value)
}

/// Lists files and rows that were left out: `file, row, problem, message`.
///
/// # Errors
/// Those of `out`.
pub fn rejections(rejections: &[Rejection], out: &mut impl Write) -> io::Result<()> {
    for rejection in rejections {
        let row = serde_json::json!({
            "file": rejection.file,
            "row": rejection.row,
            "problem": rejection.problem.name(),
            "message": rejection.problem.to_string(),
        });
        writeln!(out, "{row}")?;
    }
    Ok(())
}
