//! Bytes -> records of delimiter-separated values, each bounded in length; a record -> its fields.
//!
//! The rules are those of RFC 4180 as the csv crate reads them (the tests compare the two). A field
//! that starts with a quote runs to the next lone quote, delimiters and line ends included, and
//! `""` in it is one quote. In such a field the character after an escape is a letter, if the
//! dialect has an escape. A quote anywhere else is a letter. `\n`, `\r\n` and a lone `\r` end a
//! record. Empty lines are no records. Three rules are stricter. A record is never held beyond the
//! limit. A quote that is never closed, or that closes before its field ends, is an error instead
//! of a field. Otherwise a stray quote at the start of a text would silently swallow all rows up to
//! the next quote.
//!
//! The csv crate is not used for reading: it holds a whole record, however long, and does not
//! return the bytes of the record.

use std::io::{self, BufRead};
use std::ops::Range;

use memchr::memchr2_iter;

use super::dialect::Dialect;
use super::frames::{Frame, Kind};
use super::lines::filled;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    FieldStart,
    Unquoted,
    Quoted,
    AfterEscape,
    AfterQuote,
}

/// Cuts records.
pub(crate) struct Records {
    input: Box<dyn BufRead + Send>,
    dialect: Dialect,
    limit: u64,
    buffer: Vec<u8>,
    number: u64,
}

impl Records {
    /// Records of at most `limit` bytes without their line ends.
    pub fn new(input: Box<dyn BufRead + Send>, dialect: Dialect, limit: u64) -> Records {
        Records { input, dialect, limit, buffer: Vec::new(), number: 0 }
    }

    /// Makes the next record number 1.
    pub fn count_from_here(&mut self) {
        self.number = 0;
    }

    /// The next record, numbered from 1. A blank line has the number of the record before it.
    pub fn next(&mut self) -> io::Result<Option<Frame<'_>>> {
        self.buffer.clear();
        let mut state = State::FieldStart;
        let mut too_long = false;
        let (mut content, mut left_out) = (0, 0);
        loop {
            let chunk = filled(&mut *self.input)?;
            if chunk.is_empty() {
                if content == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = scan(chunk, self.dialect, &mut state);
            let (taken, in_content) = match end {
                Some(end) => (end + 1, end),
                None => (chunk.len(), chunk.len()),
            };
            let ended_by_return = end.is_some_and(|end| chunk[end] == b'\r');
            content += in_content;
            too_long |= content as u64 > self.limit;
            if too_long {
                left_out += memchr2_iter(b'\n', b'\r', &chunk[..taken]).count();
            } else {
                self.buffer.extend_from_slice(&chunk[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                if ended_by_return && filled(&mut *self.input)?.first() == Some(&b'\n') {
                    self.buffer.push(b'\n');
                    self.input.consume(1);
                }
                break;
            }
        }
        let kind = if too_long {
            Kind::TooLong
        } else if content == 0 {
            Kind::Blank
        } else {
            Kind::Row
        };
        if kind != Kind::Blank {
            self.number += 1;
        }
        Ok(Some(Frame {
            number: self.number,
            kind,
            bytes: &self.buffer,
            content: content.min(self.buffer.len()),
            left_out,
        }))
    }
}

/// The end of the record in these bytes, if it is there.
fn scan(chunk: &[u8], dialect: Dialect, state: &mut State) -> Option<usize> {
    // A number beyond all bytes stands for no character.
    let number = |character: Option<u8>| character.map_or(u16::MAX, u16::from);
    let (delimiter, quote, escape) =
        (dialect.delimiter, number(dialect.quote), number(dialect.escape));
    let mut now = *state;
    for (place, &byte) in chunk.iter().enumerate() {
        now = match now {
            State::Quoted if u16::from(byte) == quote => State::AfterQuote,
            State::Quoted if u16::from(byte) == escape => State::AfterEscape,
            State::Quoted | State::AfterEscape => State::Quoted,
            _ if byte == b'\n' || byte == b'\r' => return Some(place),
            _ if byte == delimiter => State::FieldStart,
            State::FieldStart | State::AfterQuote if u16::from(byte) == quote => State::Quoted,
            _ => State::Unquoted,
        };
    }
    *state = now;
    None
}

/// The fields of one record, unquoted; reused from record to record.
#[derive(Default)]
pub(crate) struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// The fault in the quotes of a record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadQuote {
    /// A quote is opened and never closed.
    Open,
    /// A quoted field goes on after its closing quote.
    Stray,
}

impl Fields {
    /// Takes a record apart, without its line end.
    pub fn split(&mut self, mut record: &[u8], dialect: Dialect) -> Result<(), BadQuote> {
        let delimiter = dialect.delimiter;
        self.bytes.clear();
        self.ends.clear();
        loop {
            if let Some(quote) = dialect.quote.filter(|quote| record.first() == Some(quote)) {
                record = self.push_quoted(&record[1..], quote, dialect.escape)?;
                if record.first().is_some_and(|&byte| byte != delimiter) {
                    return Err(BadQuote::Stray);
                }
            }
            let length = record.iter().position(|&byte| byte == delimiter);
            self.bytes.extend_from_slice(&record[..length.unwrap_or(record.len())]);
            self.ends.push(self.bytes.len());
            match length {
                Some(length) => record = &record[length + 1..],
                None => return Ok(()),
            }
        }
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field at this place, which must be below [`Fields::len`].
    pub fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// Takes the quoted part and returns the rest behind the closing quote.
    fn push_quoted<'a>(
        &mut self,
        mut rest: &'a [u8],
        quote: u8,
        escape: Option<u8>,
    ) -> Result<&'a [u8], BadQuote> {
        loop {
            let is_special = |&byte: &u8| byte == quote || Some(byte) == escape;
            let special = rest.iter().position(is_special).ok_or(BadQuote::Open)?;
            self.bytes.extend_from_slice(&rest[..special]);
            let is_quote = rest[special] == quote;
            rest = &rest[special + 1..];
            if is_quote && rest.first() != Some(&quote) {
                return Ok(rest);
            }
            let (letter, after) = rest.split_first().ok_or(BadQuote::Open)?;
            self.bytes.push(*letter);
            rest = after;
        }
    }
}

/// The ranges of the fields in a record that [`Fields::split`] accepts, quotes included.
pub(crate) fn places(record: &[u8], dialect: Dialect) -> Vec<Range<usize>> {
    let (mut places, mut start, mut state) = (Vec::new(), 0, State::FieldStart);
    for at in 0..record.len() {
        // A record has no line end outside of quotes.
        scan(&record[at..=at], dialect, &mut state);
        if state == State::FieldStart {
            places.push(start..at);
            start = at + 1;
        }
    }
    places.push(start..record.len());
    places
}

/// Writes a value as one field, with quotes if it needs them. Returns false for a value that needs
/// quotes if the dialect has none.
#[must_use]
pub(crate) fn push_field(out: &mut Vec<u8>, value: &str, dialect: Dialect) -> bool {
    let special = |byte: u8| {
        byte == dialect.delimiter || Some(byte) == dialect.quote || matches!(byte, b'\n' | b'\r')
    };
    match dialect.quote {
        _ if !value.bytes().any(special) => out.extend_from_slice(value.as_bytes()),
        Some(quote) => push_quoted(out, value.as_bytes(), quote, dialect.escape),
        None => return false,
    }
    true
}

/// Writes a value as one field in quotes.
pub(crate) fn push_quoted(out: &mut Vec<u8>, value: &[u8], quote: u8, escape: Option<u8>) {
    out.push(quote);
    for &byte in value {
        if byte == quote || Some(byte) == escape {
            out.push(byte);
        }
        out.push(byte);
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{BufReader, Cursor};

    const COMMA: Dialect = Dialect { delimiter: b',', quote: Some(b'"'), escape: None };

    fn records(bytes: &[u8], limit: u64, buffer: usize) -> Vec<(u64, Kind, Vec<u8>)> {
        records_of(COMMA, bytes, limit, buffer)
    }

    fn records_of(
        dialect: Dialect,
        bytes: &[u8],
        limit: u64,
        buffer: usize,
    ) -> Vec<(u64, Kind, Vec<u8>)> {
        let input = BufReader::with_capacity(buffer, Cursor::new(bytes.to_vec()));
        let mut records = Records::new(Box::new(input), dialect, limit);
        let mut found = Vec::new();
        while let Some(frame) = records.next().unwrap() {
            found.push((frame.number, frame.kind, frame.bytes.to_vec()));
        }
        found
    }

    fn fields(record: &[u8]) -> Result<Vec<Vec<u8>>, BadQuote> {
        let mut fields = Fields::default();
        fields.split(record, COMMA)?;
        Ok((0..fields.len()).map(|place| fields.get(place).to_vec()).collect())
    }

    #[test]
    fn line_ends_in_quotes_belong_to_the_record() {
        let bytes = b"a,\"b\r\nc\"\r\n\r\n\"x\"\"\n\",y\r\"z,\n";
        for buffer in [1, 2, 5, 4096] {
            let found = records(bytes, 100, buffer);
            assert_eq!(found[0], (1, Kind::Row, b"a,\"b\r\nc\"\r\n".to_vec()));
            assert_eq!(found[1], (1, Kind::Blank, b"\r\n".to_vec()));
            assert_eq!(found[2], (2, Kind::Row, b"\"x\"\"\n\",y\r".to_vec()));
            assert_eq!(found[3], (3, Kind::Row, b"\"z,\n".to_vec()));
            assert_eq!(found.len(), 4);
        }
        assert_eq!(fields(b"\"z,\n"), Err(BadQuote::Open));
        assert_eq!(fields(b"a,\"Well,\" he said,b"), Err(BadQuote::Stray));
        assert_eq!(fields(b"a,5\" disk").unwrap(), [b"a".to_vec(), b"5\" disk".to_vec()]);
    }

    proptest! {
        #[test]
        fn fields_lie_where_they_are_cut(record in "[ab,\"]{0,20}") {
            if let Ok(fields) = fields(record.as_bytes()) {
                let unquoted = |place: Range<usize>| match record[place.clone()].strip_prefix('"') {
                    Some(quoted) => quoted.strip_suffix('"').unwrap().replace("\"\"", "\""),
                    None => record[place].to_string(),
                };
                let cut: Vec<_> = places(record.as_bytes(), COMMA).into_iter().map(|place| unquoted(place).into_bytes()).collect();
                prop_assert_eq!(cut, fields);
            }
        }
    }

    #[test]
    fn a_record_over_the_limit_is_skipped_and_not_held() {
        let bytes = [b"\"".as_slice(), &[b'\n'; 1_000_000], b"\",b\r\nc,d\n"].concat();
        let mut records =
            Records::new(Box::new(BufReader::with_capacity(64, Cursor::new(bytes))), COMMA, 100);
        assert_eq!(records.next().unwrap().unwrap().kind, Kind::TooLong);
        assert!(records.buffer.capacity() < 1000);
        assert_eq!(records.next().unwrap().unwrap().bytes, b"c,d\n");
        assert!(records.next().unwrap().is_none());
    }

    proptest! {
        /// The csv crate is the reference: both must find the same fields in the same records.
        #[test]
        fn agrees_with_the_csv_crate(text in "[ab,\"\r\n光]{0,40}", buffer in 1usize..9) {
            let mut oracle = Vec::new();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
            for record in reader.byte_records() {
                oracle.push(record.unwrap().iter().map(<[u8]>::to_vec).collect::<Vec<_>>());
            }
            let frames = records(text.as_bytes(), 1000, buffer);
            let joined: Vec<u8> = frames.iter().flat_map(|frame| frame.2.clone()).collect();
            prop_assert_eq!(joined, text.as_bytes());
            let rows: Vec<_> = frames.into_iter().filter(|frame| frame.1 == Kind::Row).collect();
            prop_assert_eq!(rows.len(), oracle.len());
            for (row, oracle) in rows.iter().zip(&oracle) {
                let mut fields = Fields::default();
                // A quote is left open only at the end of the file. The csv crate accepts both
                // kinds of bad quotes.
                let content = if fields.split(&row.2, COMMA) == Err(BadQuote::Open) {
                    continue;
                } else {
                    let content = row.2.strip_suffix(b"\n").unwrap_or(&row.2);
                    content.strip_suffix(b"\r").unwrap_or(content)
                };
                if fields.split(content, COMMA).is_err() {
                    continue;
                }
                let ours: Vec<_> = (0..fields.len()).map(|place| fields.get(place).to_vec()).collect();
                prop_assert_eq!(&ours, oracle);
            }
        }

        /// The csv crate is the reference here, too.
        #[test]
        fn other_quotes_and_escapes_agree_with_the_csv_crate(
            text in "[ab,'\\\\\n光]{0,40}",
            quote in prop::option::of(Just(b'\'')),
            escapes in prop::bool::ANY,
        ) {
            let dialect = Dialect { delimiter: b',', quote, escape: (escapes && quote.is_some()).then_some(b'\\') };
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .quoting(quote.is_some())
                .quote(b'\'')
                .escape(dialect.escape)
                .from_reader(text.as_bytes());
            let oracle: Vec<Vec<Vec<u8>>> = reader
                .byte_records()
                .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            let rows = records_of(dialect, text.as_bytes(), 1000, 3);
            let rows: Vec<_> = rows.into_iter().filter(|row| row.1 == Kind::Row).collect();
            prop_assert_eq!(rows.len(), oracle.len());
            for (row, oracle) in rows.iter().zip(&oracle) {
                let mut fields = Fields::default();
                if fields.split(&row.2, dialect) == Err(BadQuote::Open) {
                    continue;
                }
                let content = row.2.strip_suffix(b"\n").unwrap_or(&row.2);
                if fields.split(content, dialect).is_err() {
                    continue;
                }
                let ours: Vec<_> = (0..fields.len()).map(|place| fields.get(place).to_vec()).collect();
                prop_assert_eq!(&ours, oracle);
            }
        }

        #[test]
        fn a_written_field_is_read_back_with_an_escape(value in "[ab,'\\\\\n光]{0,12}") {
            let dialect = Dialect { delimiter: b',', quote: Some(b'\''), escape: Some(b'\\') };
            let mut record = Vec::new();
            prop_assert!(push_field(&mut record, &value, dialect));
            let mut fields = Fields::default();
            fields.split(&record, dialect).unwrap();
            prop_assert_eq!((fields.len(), fields.get(0)), (1, value.as_bytes()));
            let none = Dialect { quote: None, ..dialect };
            prop_assert_eq!(push_field(&mut record, &value, none), !value.contains([',', '\n']));
        }

        #[test]
        fn a_written_field_is_read_back(value in "[ab,\"\r\n光]{0,12}") {
            let mut record = Vec::new();
            prop_assert!(push_field(&mut record, &value, COMMA));
            record.extend_from_slice(b",b");
            prop_assert_eq!(fields(&record).unwrap(), vec![value.into_bytes(), b"b".to_vec()]);
        }
    }
}
