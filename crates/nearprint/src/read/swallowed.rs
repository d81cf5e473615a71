//! Quoted fields that may have taken in rows, since a quote is missing -> a warning.

use memchr::{memchr_iter, memchr2};

use super::dialect::Dialect;
use super::records::Fields;
use super::{Quote, Source};
use crate::message;
use crate::message::{Message, Setting};

/// The most lines of a quoted field that are taken for one text without a warning.
const MOST_LINES: usize = 100;

/// The number of rows that a warning names.
const NAMED: usize = 3;

/// Rows with a quoted field of many lines, or of lines that look like rows.
pub(super) struct Swallowed {
    file: String,
    first: Vec<u64>,
    rows: u64,
    /// The number of lines of the longest of these fields.
    lines: usize,
}

impl Swallowed {
    pub fn of(source: &Source) -> Swallowed {
        Swallowed { file: source.label.clone(), first: Vec::new(), rows: 0, lines: 0 }
    }

    /// Looks at a record and its fields.
    pub fn look_at(&mut self, record: &[u8], row: u64, fields: &Fields, dialect: Dialect) {
        if memchr2(b'\n', b'\r', record).is_none() {
            return;
        }
        let count = fields.len();
        let lines = (0..count).map(|place| fields.get(place)).filter_map(|field| {
            let end = if memchr_iter(b'\n', field).next().is_some() { b'\n' } else { b'\r' };
            let lines = 1 + memchr_iter(end, field).count();
            // Texts have commas and line ends, but hardly ever tabs and line ends.
            let is_row = |line: &[u8]| memchr_iter(b'\t', line).count() + 1 == count;
            let has_row = || lines > 1 && count > 1 && field.split(|&byte| byte == end).any(is_row);
            (lines > MOST_LINES || dialect.delimiter == b'\t' && has_row()).then_some(lines)
        });
        let Some(lines) = lines.max() else { return };
        self.rows += 1;
        self.lines = self.lines.max(lines);
        if self.first.len() < NAMED {
            self.first.push(row);
        }
    }

    /// The warning, if there is one.
    pub fn warning(&self) -> Option<Message> {
        let rows: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let rows = match self.rows - rows.len() as u64 {
            0 if rows.is_empty() => return None,
            0 if rows.len() == 1 => format!("row {}", rows[0]),
            0 => format!("rows {}", rows.join(", ")),
            more => format!("rows {} and {more} more", rows.join(", ")),
        };
        Some(message![
            format!(
                "{}, {rows}: a field in quotes spans up to {} lines, so a missing quote may have \
                 joined rows; if quotes are letters in this file, read it with ",
                self.file, self.lines
            ),
            Setting::with("quote", Quote::NONE.to_string())
        ])
    }
}

#[cfg(test)]
mod tests {
    use crate::read::testing::{options, source};
    use crate::read::{Options, Quote, read};

    fn warning(name: &str, text: &str, options: &Options) -> (usize, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let mut documents =
            read(&source(folder.path(), name, text.as_bytes(), options), options).unwrap();
        let count = documents.by_ref().filter(Result::is_ok).count();
        (count, documents.warning().map(|warning| warning.to_string()))
    }

    #[test]
    fn quoted_rows_are_warned_of_with_their_file_and_rows() {
        let tsv = "id\ttext\n1\t\"one\n2\ttwo\n3\tthree\"\n4\tfour\n";
        let (count, said) = warning("a.tsv", tsv, &options());
        assert_eq!(count, 2);
        assert_eq!(
            said.unwrap(),
            "a.tsv, row 1: a field in quotes spans up to 3 lines, so a missing quote may have \
             joined rows; if quotes are letters in this file, read it with quote = \"none\""
        );
        let letters = Options { quote: Some(Quote::NONE), ..options() };
        assert_eq!(warning("a.tsv", tsv, &letters), (4, None));
    }

    #[test]
    fn long_quoted_fields_are_warned_of_and_ordinary_ones_are_not() {
        let csv = |lines: usize| {
            format!("text,id\n{}", format!("\"{}\",1\n", "x,\n".repeat(lines)).repeat(5))
        };
        assert_eq!(warning("a.csv", &csv(99), &options()), (5, None));
        let said = warning("a.csv", &csv(100), &options()).1.unwrap();
        assert!(
            said.starts_with("a.csv, rows 1, 2, 3 and 2 more: a field in quotes spans up to 101")
        );
        let tsv = "text\tid\n\"a\nb\"\t1\n";
        assert_eq!(warning("a.tsv", tsv, &options()), (1, None));
    }
}
