//! A source -> its uncompressed bytes, behind one buffered reader.
//!
//! Gzip files of several members and zstd files of several frames are read whole. A byte order mark
//! at the start is removed here, once for every text format. An error of a decompressor is told
//! apart from an error of the disk.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::content::Content;
use super::{Compression, Source};
use crate::error::Problem;

/// The size of the buffer. It is large enough that a system call costs nothing beside the parsing,
/// and small enough for the second-level cache.
const BUFFER: usize = 256 << 10;

/// The largest window that `zstd --long` can ask for. Only files that were made with such a window
/// take the memory for it.
const ZSTD_WINDOW_LOG: u32 = 31;

/// The byte order mark in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An opened source.
pub(crate) struct Input {
    /// The uncompressed bytes after the byte order mark.
    pub bytes: Box<dyn BufRead + Send>,
    /// True if the file starts with a byte order mark.
    pub byte_order_mark: bool,
    /// True if there are no bytes at all.
    pub empty: bool,
    /// The file beneath, still compressed.
    pub content: Content,
}

/// Opens a source and looks at its first bytes.
pub(crate) fn open(source: &Source) -> io::Result<Input> {
    let content = Content::open(&source.path)?;
    let mut raw = BufReader::with_capacity(BUFFER, content.clone());
    // A file of no bytes at all is empty, whatever its name says.
    let compression =
        if raw.fill_buf()?.is_empty() { Compression::None } else { source.compression };
    let mut bytes: Box<dyn BufRead + Send> = match compression {
        Compression::None => Box::new(raw),
        Compression::Gzip => {
            Box::new(BufReader::with_capacity(BUFFER, flate2::bufread::MultiGzDecoder::new(raw)))
        }
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(raw)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        }
    };
    let mut start = Vec::new();
    bytes.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
    let empty = start.is_empty();
    let byte_order_mark = start == BYTE_ORDER_MARK;
    if !byte_order_mark && !empty {
        bytes = Box::new(Cursor::new(start).chain(bytes));
    }
    Ok(Input { bytes, byte_order_mark, empty, content })
}

/// Turns a failed read into the problem that the user sees. Only the system's own errors carry a
/// number.
pub(crate) fn problem(error: &io::Error) -> Problem {
    let reason = error.to_string();
    if error.raw_os_error().is_some() {
        Problem::Unreadable { reason }
    } else {
        Problem::Truncated { reason }
    }
}
