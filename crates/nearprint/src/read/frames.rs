//! A source of a text format -> its rows as they lie in the file, in UTF-8.
//!
//! This file alone decides where a row starts and ends, which number it has and which bytes are its
//! line end. Reading and writing both start here, so that "row 17" is the same row for both.

use std::io;

use memchr::memchr2_iter;

use super::compression;
use super::content::Content;
use super::dialect::Dialect;
use super::lines::Lines;
use super::records::Records;
use super::{Fault, Format, Options, Source};
use crate::error::Problem;

/// The kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A row.
    Row,
    /// An empty line between rows.
    Blank,
    /// A row over the limit; only its start is kept.
    TooLong,
}

/// A row as it lies in the file.
pub(crate) struct Frame<'a> {
    /// The row number from 1. A blank line has a number in JSON Lines, where the line number
    /// counts.
    pub number: u64,
    /// The kind of the frame.
    pub kind: Kind,
    /// The bytes in UTF-8, line end included.
    pub bytes: &'a [u8],
    /// The number of bytes before the line end.
    pub content: usize,
    /// The number of characters of line ends that are not in `bytes`, since the row is too long.
    pub left_out: usize,
}

impl<'a> Frame<'a> {
    /// The bytes without the line end.
    pub fn content(&self) -> &'a [u8] {
        &self.bytes[..self.content]
    }

    /// The number of line feeds and carriage returns in the row, line end included.
    pub fn line_ends(&self) -> usize {
        self.left_out + memchr2_iter(b'\n', b'\r', self.bytes).count()
    }

    /// The line end; empty at the end of a file that lacks one.
    pub fn end(&self) -> &'a [u8] {
        &self.bytes[self.content..]
    }
}

/// The rows of one source, in order.
pub(crate) struct Frames {
    cutter: Cutter,
    byte_order_mark: &'static [u8],
    header: Vec<u8>,
    header_content: usize,
    /// The number of line ends before the header.
    before_header: usize,
    content: Content,
}

enum Cutter {
    Lines(Lines),
    Records(Records),
}

impl Frames {
    /// Opens a source of a text format with rows: JSON Lines, CSV, TSV, lines. The header of CSV is
    /// read at once.
    pub fn open(source: &Source, options: &Options) -> Result<Frames, Problem> {
        let input = compression::open(source)?;
        if input.empty {
            return Err(Problem::EmptyFile);
        }
        let limit = options.max_document_bytes;
        let cutter = match Dialect::of(source) {
            Some(dialect) => Cutter::Records(Records::new(input.bytes, dialect, limit)),
            None => Cutter::Lines(Lines::new(input.bytes, limit, source.format == Format::Lines)),
        };
        let mut frames = Frames {
            cutter,
            byte_order_mark: input.byte_order_mark,
            header: Vec::new(),
            header_content: 0,
            before_header: 0,
            content: input.content,
        };
        frames.read_header(limit)?;
        Ok(frames)
    }

    /// The next frame. An error concerns the file: nothing more can be read.
    pub fn next(&mut self) -> io::Result<Option<Frame<'_>>> {
        match &mut self.cutter {
            Cutter::Lines(lines) => lines.next(),
            Cutter::Records(records) => records.next(),
        }
    }

    /// The value that `parse` makes of the content and the number of the next row. Rows over `limit`
    /// are faults.
    pub fn next_row<T>(
        &mut self,
        limit: u64,
        mut parse: impl FnMut(&[u8], u64) -> Result<T, Problem>,
    ) -> Option<Result<T, Fault>> {
        loop {
            let frame = match self.next() {
                Ok(frame) => frame?,
                Err(error) => return Some(Err(Fault::file(compression::problem(&error)))),
            };
            let row = frame.number;
            let parsed = match frame.kind {
                Kind::Blank => continue,
                Kind::TooLong => Err(Problem::TooLong { limit }),
                Kind::Row => parse(frame.content(), row),
            };
            return Some(parsed.map_err(|problem| Fault::row(row, problem)));
        }
    }

    /// Returns true if the first line begins like an array of objects. Must be called before the
    /// first frame is read.
    pub fn begin_an_array(&mut self) -> bool {
        let Cutter::Lines(lines) = &mut self.cutter else { return false };
        let start = lines.peek().trim_ascii_start();
        start
            .strip_prefix(b"[")
            .is_some_and(|rest| matches!(rest.trim_ascii_start(), [] | [b'{', ..]))
    }

    /// The byte order mark of the file in its own encoding, or nothing.
    pub fn byte_order_mark(&self) -> &'static [u8] {
        self.byte_order_mark
    }

    /// The header record, line end included; row 0. Empty for formats without a header.
    pub fn header(&self) -> Frame<'_> {
        Frame {
            number: 0,
            kind: Kind::Row,
            bytes: &self.header,
            content: self.header_content,
            left_out: self.before_header,
        }
    }

    /// The number of bytes read from the file so far.
    pub fn bytes_read(&self) -> u64 {
        self.content.bytes_read()
    }

    /// XXH3-128 of the whole file as it lies on disk.
    pub fn content_hash(&self) -> u128 {
        self.content.hash()
    }

    fn read_header(&mut self, limit: u64) -> Result<(), Problem> {
        let Cutter::Records(records) = &mut self.cutter else { return Ok(()) };
        loop {
            match records.next().map_err(|error| compression::problem(&error))? {
                None => return Err(Problem::EmptyFile),
                Some(blank @ Frame { kind: Kind::Blank, .. }) => {
                    self.before_header += blank.line_ends();
                }
                Some(Frame { kind: Kind::TooLong, .. }) => return Err(Problem::TooLong { limit }),
                Some(Frame { kind: Kind::Row, bytes, content, .. }) => {
                    self.header = bytes.to_vec();
                    self.header_content = content;
                    break;
                }
            }
        }
        records.count_from_here();
        Ok(())
    }
}
