//! Bytes -> lines, each bounded in length.
//!
//! A line is never held beyond the limit: the rest of a longer one is skipped up to its end. `\n`,
//! `\r\n` and a lone `\r` end a line, as in CSV; the last line needs none of them.

use std::io::{self, BufRead};

use memchr::memchr2;

use super::frames::{Frame, Kind};

/// Cuts lines.
pub(crate) struct Lines {
    input: Box<dyn BufRead + Send>,
    limit: u64,
    blank_is_row: bool,
    /// The line up to the limit, and its end.
    buffer: Vec<u8>,
    /// The next line, if the buffer holds it already.
    ahead: Option<io::Result<Option<Line>>>,
    number: u64,
}

/// The numbers of bytes of a line and of its end.
struct Line {
    content: u64,
    end: usize,
}

impl Lines {
    /// Lines of at most `limit` bytes without their ends. A line of white space alone is a row if
    /// `blank_is_row`.
    pub fn new(input: Box<dyn BufRead + Send>, limit: u64, blank_is_row: bool) -> Lines {
        Lines { input, limit, blank_is_row, buffer: Vec::new(), ahead: None, number: 0 }
    }

    /// The next line, numbered from 1.
    pub fn next(&mut self) -> io::Result<Option<Frame<'_>>> {
        let line = self.ahead.take().unwrap_or_else(|| self.read())?;
        let Some(Line { content, end }) = line else { return Ok(None) };
        self.number += 1;
        let kind = if content > self.limit {
            Kind::TooLong
        } else if !self.blank_is_row && self.buffer.trim_ascii_start().is_empty() {
            Kind::Blank
        } else {
            Kind::Row
        };
        let content = self.buffer.len() - end;
        Ok(Some(Frame { number: self.number, kind, bytes: &self.buffer, content, left_out: 0 }))
    }

    /// The bytes of the next line, up to the limit. An error of reading is returned by the next
    /// call of [`Lines::next`].
    pub fn peek(&mut self) -> &[u8] {
        self.ahead = Some(self.read());
        &self.buffer
    }

    /// Reads the next line into the buffer.
    fn read(&mut self) -> io::Result<Option<Line>> {
        self.buffer.clear();
        let mut content = 0;
        let mut is_there = false;
        loop {
            let chunk = filled(&mut *self.input)?;
            if chunk.is_empty() {
                return Ok(is_there.then_some(Line { content, end: 0 }));
            }
            is_there = true;
            let end = memchr2(b'\n', b'\r', chunk);
            let length = end.unwrap_or(chunk.len());
            let room = usize::try_from(self.limit.saturating_sub(content)).unwrap_or(usize::MAX);
            self.buffer.extend_from_slice(&chunk[..length.min(room)]);
            content += length as u64;
            let Some(end) = end.map(|end| chunk[end]) else {
                self.input.consume(length);
                continue;
            };
            self.input.consume(length + 1);
            self.buffer.push(end);
            let is_pair = end == b'\r' && filled(&mut *self.input)?.first() == Some(&b'\n');
            if is_pair {
                self.input.consume(1);
                self.buffer.push(b'\n');
            }
            return Ok(Some(Line { content, end: 1 + usize::from(is_pair) }));
        }
    }
}

/// The next bytes; none at the end.
pub(super) fn filled(input: &mut dyn BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // The borrow of the first call would outlive the loop.
    input.fill_buf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    fn frames(bytes: &[u8], limit: u64, buffer: usize) -> Vec<(u64, Kind, Vec<u8>)> {
        let input = BufReader::with_capacity(buffer, Cursor::new(bytes.to_vec()));
        let mut lines = Lines::new(Box::new(input), limit, false);
        let mut found = Vec::new();
        while let Some(frame) = lines.next().unwrap() {
            let content =
                if frame.kind == Kind::TooLong { Vec::new() } else { frame.content().to_vec() };
            found.push((frame.number, frame.kind, content));
            assert!(
                lines.buffer.capacity() as u64 <= 2 * (limit + 8),
                "the buffer must stay near the limit"
            );
        }
        found
    }

    #[test]
    fn the_limit_is_inclusive_and_the_next_line_is_read() {
        let bytes = b"12345\r\n123456\n1234567890\r\n\n  \t\n12345\n123456";
        for buffer in [1, 2, 3, 7, 4096] {
            assert_eq!(
                frames(bytes, 5, buffer),
                [
                    (1, Kind::Row, b"12345".to_vec()),
                    (2, Kind::TooLong, Vec::new()),
                    (3, Kind::TooLong, Vec::new()),
                    (4, Kind::Blank, Vec::new()),
                    (5, Kind::Blank, b"  \t".to_vec()),
                    (6, Kind::Row, b"12345".to_vec()),
                    (7, Kind::TooLong, Vec::new()),
                ],
                "buffer of {buffer}"
            );
        }
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line_and_two_characters_are_one_end() {
        for buffer in [1, 2, 3, 4096] {
            assert_eq!(
                frames(b"a\rb\r\nc\n\r123456\rd\r", 5, buffer),
                [
                    (1, Kind::Row, b"a".to_vec()),
                    (2, Kind::Row, b"b".to_vec()),
                    (3, Kind::Row, b"c".to_vec()),
                    (4, Kind::Blank, Vec::new()),
                    (5, Kind::TooLong, Vec::new()),
                    (6, Kind::Row, b"d".to_vec()),
                ],
                "buffer of {buffer}"
            );
        }
    }

    #[test]
    fn a_line_far_over_the_limit_is_never_held() {
        let mut bytes = vec![b'x'; 3_000_000];
        bytes.extend_from_slice(b"\nshort\n");
        let found = frames(&bytes, 100, 4096);
        assert_eq!(found, [(1, Kind::TooLong, Vec::new()), (2, Kind::Row, b"short".to_vec())]);
    }
}
