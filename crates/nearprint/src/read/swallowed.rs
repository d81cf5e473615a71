//! Quoted fields that may have taken in rows, since a quote is missing -> a warning.
//!
//! Between two stray quotes lie the end of one row, whole rows, and the beginning of another one.
//! A record has as many fields as the header, so both quotes stand in one column. The first line of
//! the field then has the delimiters of a row behind this column, the last line has those before
//! it, and each line between has those of a whole row. Ordinary texts hardly ever have that many in
//! line after line.

use memchr::{memchr_iter, memchr2};

use super::dialect::Dialect;
use super::records::Fields;
use super::{Quote, Source};
use crate::message;
use crate::message::{Message, Setting};

/// The fewest rows that a field takes in to be warned of. The less a line that looks like a row
/// shows, the more of them it takes.
fn fewest(columns: usize, delimiter: u8) -> usize {
    match delimiter {
        // Every line looks like a row.
        _ if columns == 1 => 100,
        // Texts have commas and line ends, but hardly ever tabs and line ends.
        b'\t' => 1,
        _ => 3,
    }
}

/// The number of rows that a warning names.
const NAMED: usize = 3;

/// Rows with a quoted field whose lines look like rows.
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
        let taken_in = |column| lines_like_rows(fields.get(column), column, fields.len(), dialect);
        let Some(lines) = (0..fields.len()).filter_map(taken_in).max() else { return };
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

/// The number of lines of a field in this column, if they look like rows. Empty lines do not count,
/// and one line in ten may be damaged.
fn lines_like_rows(field: &[u8], column: usize, columns: usize, dialect: Dialect) -> Option<usize> {
    let end = if memchr_iter(b'\n', field).next().is_some() { b'\n' } else { b'\r' };
    let lines = 1 + memchr_iter(end, field).count();
    let least = fewest(columns, dialect.delimiter);
    if lines <= least {
        return None;
    }
    let (mut all, mut like_rows) = (0, 0);
    for (number, line) in field.split(|&byte| byte == end).enumerate() {
        let expected = match number {
            0 => columns - 1 - column,
            _ if number == lines - 1 => column,
            _ if line.trim_ascii().is_empty() => continue,
            _ => columns - 1,
        };
        all += 1;
        like_rows += usize::from(memchr_iter(dialect.delimiter, line).count() == expected);
    }
    (all > least && like_rows * 10 >= all * 9).then_some(lines)
}

#[cfg(test)]
mod tests {
    use crate::read::testing::{options, source};
    use crate::read::{Options, Quote, read};

    fn warning(name: &str, text: &str, options: &Options) -> (usize, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let quote = options.quote.or(Some(Quote::DOUBLE));
        let options = Options { quote, ..options.clone() };
        let source = source(folder.path(), name, text.as_bytes(), &options);
        let mut documents = read(&source, &options).unwrap();
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
    fn rows_of_csv_between_two_stray_quotes_are_warned_of_in_any_column() {
        for (header, row, quoted) in [
            ("id,text", "7,the ferry", ["7,\"the ferry", "7,the ferry\""]),
            ("text,id", "the ferry,7", ["\"the ferry,7", "the ferry\",7"]),
            ("id,text,day", "7,the ferry,1", ["7,\"the ferry,1", "7,the ferry\",1"]),
        ] {
            let table = |rows: usize, end: &str| {
                let between = vec![row; rows - 2];
                let lines = [&[header, quoted[0]], &between[..], &[quoted[1], row]].concat();
                lines.join(end)
            };
            for (rows, end) in [(4, "\n"), (5, "\r\n"), (5, "\r"), (60, "\n"), (60, "\n\n")] {
                let (count, said) = warning("a.csv", &table(rows, end), &options());
                let lines = if end == "\n\n" { 2 * rows - 1 } else { rows };
                let spans = format!("a.csv, row 1: a field in quotes spans up to {lines} lines");
                assert!(said.is_some_and(|said| said.starts_with(&spans)), "{header} {rows}");
                assert_eq!(count, 2);
            }
            assert_eq!(warning("a.csv", &table(3, "\n"), &options()), (2, None), "{header}");
            // One damaged row of many does not hide the others.
            let damaged = table(60, "\n").replacen(row, "damaged", 1);
            assert!(warning("a.csv", &damaged, &options()).1.is_some(), "{header}");
        }
    }

    #[test]
    fn several_rows_are_named_together_and_ordinary_texts_are_no_rows() {
        let poem = "床前明月光\n疑是地上霜, 举头\n望明月\n低头, 思故乡\n";
        let csv = format!("text,id\n{}", format!("\"{}\",1\n", poem.repeat(50)).repeat(5));
        assert_eq!(warning("a.csv", &csv, &options()), (5, None));
        let csv = format!("text,id\n{}", "\"a,1\nb,2\nc,3\nd\",4\n".repeat(5));
        let said = warning("a.csv", &csv, &options()).1.unwrap();
        assert!(
            said.starts_with("a.csv, rows 1, 2, 3 and 2 more: a field in quotes spans up to 4")
        );
        let tsv = "text\tid\n\"a\nb\"\t1\n";
        assert_eq!(warning("a.tsv", tsv, &options()), (1, None));
        // A table of one column has no delimiters that could tell.
        let one = |lines| format!("text\n\"{}\"\n", "x\n".repeat(lines));
        assert_eq!(warning("a.csv", &one(99), &options()), (1, None));
        assert!(warning("a.csv", &one(200), &options()).1.is_some());
    }
}
