//! The rows of a text file -> its copy, in the file's own encoding and compression. A row that does
//! not change keeps its bytes.

use std::borrow::Cow;
use std::path::Path;

use super::output::Output;
use crate::error::{Error, Problem, Rejection};
use crate::read::Source;
use crate::read::encoding::{encoded, name};
use crate::read::frames::Frame;
use crate::read::original::Original;

/// The form of a row in the copy.
pub(super) enum Form {
    /// The row is left out.
    LeftOut,
    /// The row keeps its bytes.
    Same,
    /// The row is replaced by other bytes in UTF-8.
    New,
}

/// A copy of a source in its encoding and compression.
pub(super) struct Copied<'s> {
    source: &'s Source,
    pub output: Output,
    /// The bytes of the source, if its rows are decoded.
    original: Option<Original>,
    /// The bytes of one row.
    bytes: Vec<u8>,
    /// True if the last row ends with a carriage return.
    ends_in_return: bool,
}

impl<'s> Copied<'s> {
    /// Starts a copy.
    pub fn create(source: &'s Source, target: &Path) -> Result<Copied<'s>, Error> {
        let original = Original::open(source).map_err(Error::io("read", &source.path))?;
        let output = Output::create(target, source.compression)?;
        Ok(Copied { source, output, original, bytes: Vec::new(), ends_in_return: false })
    }

    /// Writes the next row of the source in this form. Every row must come, also one left out.
    pub fn write(&mut self, frame: &Frame<'_>, form: &Form, new: &[u8]) -> Result<(), Error> {
        let cannot_read = || Error::io("read", &self.source.path);
        let text = match (form, &mut self.original) {
            (Form::LeftOut, None) => return Ok(()),
            (Form::LeftOut, Some(original)) => {
                return original.skip(frame).map_err(cannot_read());
            }
            (Form::New, Some(original)) => {
                original.skip(frame).map_err(cannot_read())?;
                new
            }
            (Form::New, None) => new,
            (Form::Same, _) => frame.bytes,
        };
        // A line feed after a carriage return would be one end with it.
        if self.ends_in_return && text.starts_with(b"\n") {
            self.output.write(&encoded_in(self.source, b"\n", frame.number)?)?;
        }
        self.ends_in_return = text.ends_with(b"\r");
        match (form, &mut self.original) {
            (Form::Same, Some(original)) => {
                self.bytes.clear();
                original.take(frame, &mut self.bytes).map_err(cannot_read())?;
                self.output.write(&self.bytes)
            }
            _ => {
                let bytes = encoded_in(self.source, text, frame.number)?;
                self.output.write(&bytes)
            }
        }
    }
}

/// A text of a row in the encoding of its source.
pub(super) fn encoded_in<'t>(
    source: &Source,
    text: &'t [u8],
    row: u64,
) -> Result<Cow<'t, [u8]>, Error> {
    encoded(text, source.encoding).ok_or_else(|| {
        let encoding = name(source.encoding).to_string();
        rejected(source, row, Problem::NotEncodable { encoding })
    })
}

/// The error of a row that is to be kept and cannot be copied.
pub(super) fn rejected(source: &Source, row: u64, problem: Problem) -> Error {
    Error::Rejected(Rejection { file: source.label.clone(), row: Some(row), problem })
}
