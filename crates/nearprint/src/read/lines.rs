//! Bytes -> lines, each bounded in length.
//!
//! A line is never held beyond the limit: the rest of a longer one is skipped up to its line feed.
//! `\n` and `\r\n` end a line; the last line needs neither.

use std::io::{self, BufRead, Read};

use super::frames::{Frame, Kind};

/// The two bytes a line may have beyond its content.
const LINE_END: u64 = 2;

/// Cuts lines.
pub(crate) struct Lines {
    input: Box<dyn BufRead + Send>,
    limit: u64,
    blank_is_row: bool,
    buffer: Vec<u8>,
    /// The number of bytes of the next line, if the buffer holds it already.
    ahead: Option<io::Result<usize>>,
    number: u64,
}

impl Lines {
    /// Lines of at most `limit` bytes without their ends. A line of white space alone is a row if
    /// `blank_is_row`.
    pub fn new(input: Box<dyn BufRead + Send>, limit: u64, blank_is_row: bool) -> Lines {
        Lines { input, limit, blank_is_row, buffer: Vec::new(), ahead: None, number: 0 }
    }

    /// The next line, numbered from 1.
    pub fn next(&mut self) -> io::Result<Option<Frame<'_>>> {
        if self.read()? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let end = match self.buffer.as_slice() {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n'] => 1,
            _ => 0,
        };
        let content = self.buffer.len() - end;
        let kind = if content as u64 > self.limit {
            if end == 0 {
                self.input.skip_until(b'\n')?;
            }
            Kind::TooLong
        } else if !self.blank_is_row && self.buffer.trim_ascii_start().is_empty() {
            Kind::Blank
        } else {
            Kind::Row
        };
        Ok(Some(Frame { number: self.number, kind, bytes: &self.buffer, content }))
    }

    /// The bytes of the next line, up to the limit. An error of reading is returned by the next
    /// call of [`Lines::next`].
    pub fn peek(&mut self) -> &[u8] {
        self.ahead = Some(self.read());
        &self.buffer
    }

    /// Reads the next line into the buffer, unless it is there already.
    fn read(&mut self) -> io::Result<usize> {
        if let Some(read) = self.ahead.take() {
            return read;
        }
        self.buffer.clear();
        let room = self.limit.saturating_add(LINE_END);
        self.input.by_ref().take(room).read_until(b'\n', &mut self.buffer)
    }
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
    fn a_line_far_over_the_limit_is_never_held() {
        let mut bytes = vec![b'x'; 3_000_000];
        bytes.extend_from_slice(b"\nshort\n");
        let found = frames(&bytes, 100, 4096);
        assert_eq!(found, [(1, Kind::TooLong, Vec::new()), (2, Kind::Row, b"short".to_vec())]);
    }
}
