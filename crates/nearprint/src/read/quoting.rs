//! A beginning of a CSV or TSV file -> whether its quotes are letters.
//!
//! Tables that databases write, and TSV as it was registered at IANA, have a row on each line and
//! no quoted fields. A quote that begins a text is a letter there. RFC 4180 then refuses the row,
//! or joins it with the next ones. A file is read without quotes if RFC 4180 fails in that way, and
//! if each line has as many fields as the header once quotes are letters.

use std::io::{Cursor, Read};

use memchr::{memchr, memmem};

use super::compression;
use super::detect::BEGINNING;
use super::dialect::Dialect;
use super::frames::Kind;
use super::records::{BadQuote, Fields, Records};
use super::swallowed::Swallowed;
use super::{Quote, Source};

/// The quote of a source that the settings leave open; `None` if it is the usual one, or if the
/// settings name one.
pub(super) fn quote_of(source: &Source) -> Option<Quote> {
    if source.quote.is_some() {
        return source.quote;
    }
    let dialect = Dialect::of(source).filter(|dialect| dialect.escape.is_none())?;
    let mut text = Vec::new();
    // A file that cannot be read to its end is reported when its rows are read.
    let _ = compression::open(source).ok()?.bytes.take(BEGINNING).read_to_end(&mut text);
    if text.len() as u64 == BEGINNING {
        // The last line may go on.
        text.truncate(text.iter().rposition(|byte| is_line_end(*byte))?);
        text.truncate(text.trim_ascii_end().len());
    }
    let quote = dialect.quote?;
    // A quote after a backslash is escaped.
    let may_be_letters =
        memchr(quote, &text).is_some() && memmem::find(&text, &[b'\\', quote]).is_none();
    let are_letters = may_be_letters
        && lines_are_rows(&text, dialect, quote)
        && quotes_do_harm(&text, dialect, Swallowed::of(source));
    are_letters.then_some(Quote::NONE)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns true if each line has as many fields as the header, and several, once quotes are letters.
/// If most lines have a field in quotes, the quotes are no letters.
fn lines_are_rows(text: &[u8], dialect: Dialect, quote: u8) -> bool {
    let letters = Dialect { quote: None, ..dialect };
    let lines = rows(text, letters);
    let mut fields = Fields::default();
    let (mut columns, mut quoted) = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        let splits = fields.split(line, letters).is_ok();
        if number == 0 {
            columns = fields.len();
        }
        if !splits || fields.len() != columns {
            return false;
        }
        let is_quoted =
            |place| matches!(fields.get(place), [first, .., last] if [*first, *last] == [quote; 2]);
        quoted += usize::from((0..columns).any(is_quoted));
    }
    columns > 1 && 2 * quoted <= lines.len()
}

/// Returns true if RFC 4180 refuses a row or gives it another number of fields than the header, or
/// if a row is likely to have taken in others. A quote that is open in the last line alone shows
/// that the text is cut.
fn quotes_do_harm(text: &[u8], dialect: Dialect, mut swallowed: Swallowed) -> bool {
    let mut fields = Fields::default();
    let mut columns = None;
    let does_harm = |row: &Vec<u8>| match fields.split(row, dialect) {
        Err(BadQuote::Stray) => true,
        Err(BadQuote::Open) => row.iter().copied().any(is_line_end),
        Ok(()) => {
            swallowed.look_at(row, 0, &fields, dialect);
            *columns.get_or_insert(fields.len()) != fields.len()
        }
    };
    rows(text, dialect).iter().any(does_harm) || swallowed.warning().is_some()
}

/// The rows of a text.
fn rows(text: &[u8], dialect: Dialect) -> Vec<Vec<u8>> {
    let mut records = Records::new(Box::new(Cursor::new(text.to_vec())), dialect, u64::MAX);
    let mut rows = Vec::new();
    while let Ok(Some(frame)) = records.next() {
        if frame.kind == Kind::Row {
            rows.push(frame.content().to_vec());
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Options;
    use crate::read::testing::{options, source};

    fn quote(name: &str, text: impl AsRef<[u8]>, options: &Options) -> Option<Quote> {
        let folder = tempfile::tempdir().unwrap();
        source(folder.path(), name, text.as_ref(), options).quote
    }

    #[test]
    fn stray_quotes_are_letters_where_each_line_is_a_row() {
        for (name, text) in [
            // A quoted field goes on after its end.
            ("a.tsv", "id\ttext\n1\t\"One\" returns\n2\ttwo\n"),
            // A quote is never closed.
            ("a.csv", "id,text\r\n1,one\r\n2,\"two\r\n3,three\r\n"),
            // Rows have joined.
            ("a.tsv", "id\ttext\n1\t\"one\n2\ttwo\n3\tthree\"\n"),
            ("a.csv", "id,text\n1,\"one\n2,two\n3,three\n4,four\"\n5,five"),
            ("a.tsv", "id\ttext\r1\t\"one\r2\ttwo\r"),
        ] {
            assert_eq!(quote(name, text, &options()), Some(Quote::NONE), "{text:?}");
        }
    }

    #[test]
    fn quotes_stay_quotes_where_anything_speaks_for_them() {
        for (name, text) in [
            // Nothing is wrong.
            ("a.csv", "id,text\n1,\"one\"\n2,two\n"),
            ("a.csv", "id,text\n1,\"one, and\nmore\"\n"),
            // A line has other fields.
            ("a.csv", "id,text\n1,\"one\" returns\n2,\"two,\nand more\"\n"),
            ("a.tsv", "id\ttext\n1\t\"One\" returns\n2\n"),
            // The lines of a poem of two columns.
            ("a.csv", "id,text\n1,\"one\ntwo, three\"\n"),
            // All rows are quoted, and one is damaged.
            ("a.csv", "id,text\n\"1\",\"one\"\n\"2\",\"two\n\"3\",\"three\"\n"),
            // A quote is escaped.
            ("a.csv", "id,text\n1,\"say \\\"one\\\" now\"\n2,two\n3,three\n"),
            // The file is cut off.
            ("a.csv", "id,text\n1,one\n2,\"two, and"),
            ("a.csv", "id,text\n1,one\n2,\"two"),
            // One column has no delimiters that could tell.
            ("a.csv", "text\n\"One\" returns\n"),
            ("a.jsonl", "{\"text\":\"a\"}\n"),
            ("a.csv", ""),
        ] {
            assert_eq!(quote(name, text, &options()), None, "{text:?}");
        }
    }

    #[test]
    fn a_setting_decides_before_the_file() {
        let text = "id\ttext\n1\t\"One\" returns\n2\ttwo\n";
        let usual = Some(Quote::DOUBLE);
        assert_eq!(quote("a.tsv", text, &Options { quote: usual, ..options() }), usual);
        let escape = Some("\\".parse().unwrap());
        assert_eq!(quote("a.tsv", text, &Options { escape, ..options() }), None);
    }

    #[test]
    fn a_cut_last_row_shows_nothing_and_encodings_are_read() {
        // The first megabyte ends in a quoted text of two lines, also between its line ends.
        let mut text = format!("id,text\n{}", "1,one\n".repeat(BEGINNING as usize / 6));
        for (end, before) in [("\n", 30), ("\n", 20), ("\r\n", 21), ("\r\n", 20), ("\r\n", 19)] {
            text.truncate(BEGINNING as usize - before);
            text.truncate(text.rfind('\n').unwrap() + 1);
            let line = "x".repeat(BEGINNING as usize - before - text.len());
            let line = format!("{line}7,\"a line of a text{end}and {}\"{end}", "more ".repeat(40));
            assert_eq!(
                quote("a.csv", format!("{text}{line}"), &options()),
                None,
                "{end:?} {before}"
            );
        }
        let stray = format!("{text}7,\"a\" b\n{}", "1,one two\n".repeat(20));
        assert_eq!(quote("a.csv", &stray, &options()), Some(Quote::NONE));
        let gbk = Options { encoding: Some("gbk".parse().unwrap()), ..options() };
        let text = encoding_rs::GBK.encode("id\ttext\n1\t\"光\" 明\n2\t月\n").0.into_owned();
        assert_eq!(quote("a.tsv", &text, &gbk), Some(Quote::NONE));
    }
}
