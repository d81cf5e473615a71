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
    let special = Special::of(dialect);
    let mut now = *state;
    for (place, &byte) in chunk.iter().enumerate() {
        if matches!(byte, b'\n' | b'\r') && !matches!(now, State::Quoted | State::AfterEscape) {
            return Some(place);
        }
        now = special.after(now, byte);
    }
    *state = now;
    None
}

/// The characters of a dialect, ready to be compared with bytes.
#[derive(Clone, Copy)]
struct Special {
    delimiter: u8,
    quote: u16,
    escape: u16,
}

impl Special {
    fn of(dialect: Dialect) -> Special {
        // A number beyond all bytes stands for no character.
        let number = |character: Option<u8>| character.map_or(u16::MAX, u16::from);
        let (quote, escape) = (number(dialect.quote), number(dialect.escape));
        Special { delimiter: dialect.delimiter, quote, escape }
    }

    /// The state after a byte that does not end the record.
    fn after(self, state: State, byte: u8) -> State {
        match state {
            State::Quoted if u16::from(byte) == self.quote => State::AfterQuote,
            State::Quoted if u16::from(byte) == self.escape => State::AfterEscape,
            State::Quoted | State::AfterEscape => State::Quoted,
            _ if byte == self.delimiter => State::FieldStart,
            State::FieldStart | State::AfterQuote if u16::from(byte) == self.quote => State::Quoted,
            _ => State::Unquoted,
        }
    }
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
    let special = Special::of(dialect);
    let (mut places, mut start, mut state) = (Vec::new(), 0, State::FieldStart);
    for (at, &byte) in record.iter().enumerate() {
        state = special.after(state, byte);
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
mod tests;
