//! A build without the libraries for columns: no columns in memory, and Parquet files are refused.

use crate::document::Document;
use crate::error::{Error, Problem};
use crate::read::json::Value;
use crate::read::{Fault, Options, Source};

/// Columns in memory, of which there are none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Columns {}

impl Columns {
    /// The number of rows.
    pub fn rows(&self) -> u64 {
        match *self {}
    }
}

/// Refuses a Parquet file of this name.
///
/// # Errors
/// [`Error::Usage`].
pub(crate) fn check_readable(label: &str) -> Result<(), Error> {
    Err(Error::usage("input", format!("{label} is Parquet, {REMEDY}")))
}

const REMEDY: &str = "which this build of nearprint cannot read; build it with its feature `parquet`, or give JSON Lines or CSV";

fn unreadable() -> Problem {
    Problem::Unreadable { reason: format!("it is Parquet, {REMEDY}") }
}

/// Reads the documents of columns in memory.
pub(crate) fn open(columns: &Columns, _: &Source, _: &Options) -> Result<ColumnsReader, Problem> {
    match *columns {}
}

/// Reads the documents of a Parquet file.
pub(crate) fn open_file(_: &Source, _: &Options) -> Result<ColumnsReader, Problem> {
    Err(unreadable())
}

/// Documents of columns, of which there are none.
pub(crate) enum ColumnsReader {}

impl ColumnsReader {
    /// For each text field true if there is a column for it; `None` without any column.
    pub fn texts_found(&self) -> Option<Vec<bool>> {
        match *self {}
    }

    /// The number of bytes of the file that were read.
    pub fn bytes_read(&self) -> u64 {
        match *self {}
    }

    /// The next document.
    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        match *self {}
    }
}

/// The names of the columns of a source.
pub(crate) fn names(_: &Source) -> Result<Vec<String>, Problem> {
    Err(unreadable())
}

/// The names of all fields of a source, those inside of others as well.
pub(crate) fn fields(_: &Source) -> Result<Vec<String>, Problem> {
    Err(unreadable())
}

/// The number of rows of a file, which is unknown.
pub(crate) fn count_rows(_: &Source) -> Option<u64> {
    None
}

/// The rows of a source, for the values of these columns.
pub(crate) fn rows(_: &Source, _: &[String]) -> Result<ColumnsRows, Problem> {
    Err(unreadable())
}

/// Rows of columns, of which there are none.
pub(crate) enum ColumnsRows {}

impl ColumnsRows {
    /// The result of `parse` for the next row.
    pub fn next<T>(
        &mut self,
        _: &[String],
        _: impl FnMut(u64, &[Option<Value<'_>>]) -> Result<T, Problem>,
    ) -> Option<Result<T, Fault>> {
        match *self {}
    }
}

/// Returns true if a panic of this thread, now, means a damaged file and becomes an error. The
/// panic hook of a program may then keep silent.
pub fn expects_panics() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use crate::read::{Format, Options, find};
    use crate::watch::Silent;

    #[test]
    fn a_parquet_file_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = |name: &str, options: &Options| {
            let path = folder.path().join(name);
            std::fs::write(&path, "PAR1").unwrap();
            find(&[path.display().to_string()], options, folder.path(), &Silent)
                .unwrap_err()
                .to_string()
        };
        let remedy = "is Parquet, which this build of nearprint cannot read; build it with its feature `parquet`";
        assert!(refusal("a.parquet", &Options::default()).contains(&format!("a.parquet {remedy}")));
        let by_name = Options { format: Some(Format::Parquet), ..Options::default() };
        assert!(refusal("a.data", &by_name).contains(&format!("a.data {remedy}")));
    }
}
