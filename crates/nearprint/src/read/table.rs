//! A source with columns (JSON Lines, CSV, TSV, Parquet) -> the values of some of them, row by row.
//!
//! Tables are files without documents: pairs and clusters. A text that looks like a number, as in
//! CSV, stays text.

use std::borrow::Cow;

use hashbrown::HashSet;

use super::dialect::Dialect;
use super::frames::{Frames, Kind};
use super::json::{self, Value};
use super::records::Fields;
use super::rejected::Faults;
use super::{Fault, Format, Options, Source, columns, compression, delimited, utf8};
use crate::error::{Problem, Rejection};

/// The most names of a file of rows with columns.
pub(crate) const MOST_NAMES: usize = 4096;

/// The names of the columns of a source, in order. Every row of JSON Lines may bring other names:
/// rows are read until `enough` returns true, or until there are some thousands of names.
pub(crate) fn columns(
    source: &Source,
    enough: impl Fn(&[String]) -> bool,
) -> Result<Vec<String>, Rejection> {
    let found = match source.format {
        Format::Parquet => columns::names(source),
        // Texts in memory have no columns.
        _ if source.memory.is_some() => Ok(Vec::new()),
        Format::JsonLines | Format::Csv | Format::Tsv | Format::Text | Format::Lines => {
            Frames::open(source, &Options::default()).and_then(|frames| match Dialect::of(source) {
                Some(dialect) => delimited::header(frames.header().content(), dialect),
                None => json_names(frames, enough),
            })
        }
    };
    found.map_err(|problem| Faults::of(source).rejection(Fault::file(problem)))
}

fn json_names(
    mut frames: Frames,
    enough: impl Fn(&[String]) -> bool,
) -> Result<Vec<String>, Problem> {
    let mut names: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    while let Some(frame) = frames.next().map_err(|error| compression::problem(&error))? {
        // The fault of a row is reported when the values of the row are read.
        let row = if frame.kind == Kind::Row {
            std::str::from_utf8(frame.content()).unwrap_or_default()
        } else {
            ""
        };
        let before = names.len();
        for name in json::names(row) {
            if names.len() < MOST_NAMES && !known.contains(&name) {
                known.insert(name.clone());
                names.push(name);
            }
        }
        if names.len() == MOST_NAMES || names.len() > before && enough(&names) {
            break;
        }
    }
    Ok(names)
}

/// The names of the fields of a source, for messages: those of all columns, or of the first row of
/// JSON Lines that has some. A field inside of another is called `outer.inner`.
pub(crate) fn fields(source: &Source) -> Option<Vec<String>> {
    if source.format == Format::Parquet {
        return columns::fields(source).ok();
    }
    if source.format != Format::JsonLines || source.memory.is_some() {
        return columns(source, |_| true).ok();
    }
    let mut frames = Frames::open(source, &Options::default()).ok()?;
    while let Some(frame) = frames.next().ok()? {
        let row = if frame.kind == Kind::Row { frame.content() } else { &[] };
        let names = json::texts(std::str::from_utf8(row).unwrap_or_default());
        if !names.is_empty() {
            return Some(names.into_iter().map(|(name, _)| name).collect());
        }
    }
    Some(Vec::new())
}

/// The number of rows of a file of which no row could be read, since its columns are not the wanted
/// ones; `None` if the file itself is damaged.
pub(crate) fn count_rows(source: &Source) -> Option<u64> {
    match source.format {
        _ if source.memory.is_some() => None,
        Format::Parquet => columns::count_rows(source),
        Format::JsonLines | Format::Text | Format::Lines => None,
        Format::Csv | Format::Tsv => {
            let mut table = Table::open(source, &[]).ok()?;
            let mut rows = 0;
            while let Some(row) = table.next(|_, _| Ok(())) {
                if row.is_err_and(|rejection| rejection.row.is_none()) {
                    return None;
                }
                rows += 1;
            }
            Some(rows)
        }
    }
}

/// The rows of a source.
pub(crate) struct Table {
    faults: Faults,
    rows: TableRows,
    names: Vec<String>,
    limit: u64,
    /// True if the elements of arrays are kept.
    lists: bool,
    ended: bool,
}

enum TableRows {
    JsonLines(Frames),
    /// The rows, their dialect, the number of columns, the places of the wanted columns, and the
    /// fields of a row.
    Delimited(Frames, Dialect, usize, Vec<usize>, Fields),
    Columns(Box<columns::ColumnsRows>),
}

impl Table {
    /// Opens a source for the values of these columns. The source has all of them, but some rows of
    /// JSON Lines may lack them.
    pub fn open(source: &Source, names: &[String]) -> Result<Table, Rejection> {
        let options = Options::default();
        let rows = match source.format {
            Format::Parquet => columns::rows(source, names).map(Box::new).map(TableRows::Columns),
            Format::JsonLines | Format::Csv | Format::Tsv | Format::Text | Format::Lines => {
                Frames::open(source, &options).and_then(|frames| match Dialect::of(source) {
                    None => Ok(TableRows::JsonLines(frames)),
                    Some(dialect) => {
                        let header = delimited::header(frames.header().content(), dialect)?;
                        let places = places(&header, names)?;
                        Ok(TableRows::Delimited(
                            frames,
                            dialect,
                            header.len(),
                            places,
                            Fields::default(),
                        ))
                    }
                })
            }
        };
        let (faults, limit) = (Faults::of(source), options.max_document_bytes);
        match rows {
            Ok(rows) => {
                let names = names.to_vec();
                Ok(Table { faults, rows, names, limit, lists: false, ended: false })
            }
            Err(problem) => Err(faults.rejection(Fault::file(problem))),
        }
    }

    /// Opens a source for columns that hold lists: arrays of JSON Lines come with their elements.
    pub fn open_lists(source: &Source, names: &[String]) -> Result<Table, Rejection> {
        Ok(Table { lists: true, ..Table::open(source, names)? })
    }

    /// The result of `parse` on the number of the next row and the values of the wanted columns,
    /// `None` for a field that the row lacks. A row that `parse` refuses, or that is damaged, is a
    /// rejection, and the next row follows it. A rejection without a row concerns the file and ends
    /// it.
    pub fn next<T>(
        &mut self,
        mut parse: impl FnMut(u64, &[Option<Value<'_>>]) -> Result<T, Problem>,
    ) -> Option<Result<T, Rejection>> {
        if self.ended {
            return None;
        }
        let item = match &mut self.rows {
            TableRows::JsonLines(frames) => frames.next_row(self.limit, |line, row| {
                let line = std::str::from_utf8(line).or_else(|_| utf8(line))?;
                let values = if self.lists { json::parse_lists } else { json::parse };
                parse(row, &values(line, &self.names)?)
            }),
            TableRows::Delimited(frames, dialect, count, places, fields) => {
                frames.next_row(self.limit, |record, row| {
                    delimited::split(record, *dialect, *count, fields)?;
                    let value = |place: &usize| {
                        Ok(Some(Value::Text(Cow::Borrowed(utf8(fields.get(*place))?))))
                    };
                    parse(row, &places.iter().map(value).collect::<Result<Vec<_>, Problem>>()?)
                })
            }
            TableRows::Columns(rows) => rows.next(&self.names, parse),
        };
        self.ended = matches!(item, None | Some(Err(Fault { row: None, .. })));
        item.map(|item| item.map_err(|fault| self.faults.rejection(fault)))
    }
}

/// The place of each of these columns.
pub(super) fn places(available: &[String], names: &[String]) -> Result<Vec<usize>, Problem> {
    delimited::check_not_repeated(available, names)?;
    let place = |name: &String| {
        let missing = || Problem::MissingColumn {
            column: name.clone(),
            setting: "id-field".into(),
            available: available.into(),
            hint: None,
        };
        available.iter().position(|column| column == name).ok_or_else(missing)
    };
    names.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::testing::{compress, options, source};

    fn values(name: &str, bytes: &[u8], wanted: &[&str]) -> Vec<Result<String, String>> {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), name, bytes, &options());
        let wanted: Vec<String> = wanted.iter().map(|name| name.to_string()).collect();
        let mut table = match Table::open_lists(&source, &wanted) {
            Ok(table) => table,
            Err(rejection) => return vec![Err(rejection.to_string())],
        };
        let mut out = Vec::new();
        while let Some(row) = table.next(|row, values| Ok(format!("{row} {values:?}"))) {
            out.push(row.map_err(|rejection| rejection.to_string()));
        }
        out
    }

    #[test]
    fn rows_have_their_numbers_and_values() {
        let lines = b"{\"a\":[1,\"x\",[2,[3]]],\"b\":true}\n\nno\n{\"b\":0.5}\n";
        let found = values("a.jsonl.gz", &compress("a.jsonl.gz", lines), &["a", "b"]);
        let array = "1 [Some(Array([Integer(1), Text(\"x\"), Array([])])), Some(Boolean(true))]";
        assert_eq!(found[0].as_deref(), Ok(array));
        assert!(found[1].as_ref().unwrap_err().starts_with("a.jsonl.gz, row 3: not a JSON object"));
        assert_eq!(found[2].as_deref(), Ok("4 [None, Some(Fraction(0.5))]"));
        let found = values("a.csv", b"x,b,a\n1,2,3\n\n4,5\n6,,7\n", &["a", "b"]);
        assert_eq!(found[0].as_deref(), Ok("1 [Some(Text(\"3\")), Some(Text(\"2\"))]"));
        assert!(
            found[1]
                .as_ref()
                .unwrap_err()
                .starts_with("a.csv, row 2: damaged (2 fields, but the header has 3")
        );
        assert_eq!(found[2].as_deref(), Ok("3 [Some(Text(\"7\")), Some(Text(\"\"))]"));
    }

    #[test]
    fn some_thousand_names_are_gathered_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let rows: String =
            (0..20_000).map(|n| format!("{{\"a{n}\":1,\"a{}\":1}}\n", n / 2)).collect();
        let source = source(folder.path(), "a.jsonl", rows.as_bytes(), &options());
        let names = columns(&source, |_| false).unwrap();
        assert_eq!(
            (names.len(), names[0].as_str(), names[MOST_NAMES - 1].as_str()),
            (MOST_NAMES, "a0", "a4095")
        );
    }

    #[test]
    fn columns_are_gathered_until_they_are_enough() {
        let folder = tempfile::tempdir().unwrap();
        let lines = b"{\"id\":1}\nno\n{\"id\":2,\"cluster\":1}\n{\"more\":1}\n";
        let source = source(folder.path(), "a.jsonl", lines, &options());
        let names = |enough: &str| {
            columns(&source, |names| names.iter().any(|name| name == enough)).unwrap()
        };
        assert_eq!(
            (names("cluster"), names("nothing")),
            (
                vec!["id".into(), "cluster".into()],
                vec!["id".into(), "cluster".into(), "more".into()]
            )
        );
    }
}
