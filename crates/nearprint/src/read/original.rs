//! The rows of an encoded source in its own bytes, in step with its decoded frames.
//!
//! A frame ends after a line end or at the end of the file, and line ends are the same characters
//! before and after decoding. So the number of line ends in a frame tells where its bytes end.

use std::io::{self, BufRead};

use encoding_rs::{UTF_16BE, UTF_16LE};
use memchr::memchr2;

use super::encoding::UTF_8;
use super::frames::{Frame, Kind};
use super::lines::filled;
use super::{Source, compression};

/// The bytes of a source that is not in UTF-8, after the byte order mark.
pub(crate) struct Original {
    bytes: Box<dyn BufRead + Send>,
    unit: Unit,
}

/// The form of a line end.
enum Unit {
    /// One byte.
    Byte,
    /// Two bytes, the low one first or last; and the first of two bytes, if it was read.
    Pair { low_first: bool, first: Option<u8> },
}

impl Original {
    /// Opens a source; `None` if it is in UTF-8, so that its frames have its own bytes.
    pub fn open(source: &Source) -> io::Result<Option<Original>> {
        if source.encoding == UTF_8 {
            return Ok(None);
        }
        let unit = match source.encoding == UTF_16LE || source.encoding == UTF_16BE {
            true => Unit::Pair { low_first: source.encoding == UTF_16LE, first: None },
            false => Unit::Byte,
        };
        Ok(Some(Original { bytes: compression::open_encoded(source)?, unit }))
    }

    /// Appends the bytes of a frame. The frames must come in order, none left out.
    pub fn take(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        self.read(frame, |bytes| out.extend_from_slice(bytes))
    }

    /// Passes over the bytes of a frame.
    pub fn skip(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        self.read(frame, |_| ())
    }

    fn read(&mut self, frame: &Frame<'_>, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        let mut line_ends = frame.line_ends();
        let is_last = line_ends == 0 || frame.kind != Kind::TooLong && frame.end().is_empty();
        while is_last || line_ends > 0 {
            let chunk = filled(&mut *self.bytes)?;
            if chunk.is_empty() {
                break;
            }
            let end = if is_last { None } else { self.unit.line_end(chunk) };
            let taken = end.map_or(chunk.len(), |end| end + 1);
            line_ends -= usize::from(end.is_some());
            each(&chunk[..taken]);
            self.bytes.consume(taken);
        }
        Ok(())
    }
}

impl Unit {
    /// The place of the last byte of the first line end in these bytes.
    fn line_end(&mut self, chunk: &[u8]) -> Option<usize> {
        let Unit::Pair { low_first, first } = self else { return memchr2(b'\n', b'\r', chunk) };
        for (place, &byte) in chunk.iter().enumerate() {
            let Some(before) = first.take() else {
                *first = Some(byte);
                continue;
            };
            let (low, high) = if *low_first { (before, byte) } else { (byte, before) };
            if high == 0 && matches!(low, b'\n' | b'\r') {
                return Some(place);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::encoding::{Encoding, byte_order_mark, encoded};
    use crate::read::frames::Frames;
    use crate::read::testing::{compress, options, source};
    use crate::read::{Format, Options};

    #[test]
    fn the_rows_of_a_file_together_are_its_bytes() {
        let text = "正文,n\r\n\r\n春眠\r\"不\n觉\r晓\",ਊ\n\n𠀀,ഊ\u{d00}\u{a0a}\r\r\nabcdefghijklmnopqrstuvwxyz\rend,1";
        for label in ["gb18030", "utf-16le", "utf-16be"] {
            let encoding: Encoding = label.parse().unwrap();
            let own = encoding.of_all().unwrap();
            let bytes =
                [byte_order_mark(own), &encoded(text.as_bytes(), own).unwrap()[..]].concat();
            for (name, format) in [("a.csv.gz", Format::Csv), ("a.txt.bz2", Format::Lines)] {
                let limit = Options { max_document_bytes: 20, ..options() };
                let options = Options { encoding: Some(encoding), format: Some(format), ..limit };
                let folder = tempfile::tempdir().unwrap();
                let source = source(folder.path(), name, &compress(name, &bytes), &options);
                let mut frames = Frames::open(&source, &options).unwrap();
                let mut original = Original::open(&source).unwrap().unwrap();
                let mut joined = frames.byte_order_mark().to_vec();
                if format == Format::Csv {
                    original.take(&frames.header(), &mut joined).unwrap();
                }
                let mut skipped = Vec::new();
                while let Some(frame) = frames.next().unwrap() {
                    let before = joined.len();
                    original.take(&frame, &mut joined).unwrap();
                    if frame.kind == Kind::Row {
                        let row = encoded(frame.bytes, own).unwrap();
                        assert_eq!(joined[before..], row[..], "{label} {name}");
                    }
                    skipped.push(joined.len() - before);
                }
                assert_eq!(joined, bytes, "{label} {name}");
                assert!(skipped.len() > 3);
            }
        }
    }
}
