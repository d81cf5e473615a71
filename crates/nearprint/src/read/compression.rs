//! A source -> its uncompressed bytes in UTF-8, behind one buffered reader.
//!
//! Files of several members, frames or streams are read whole. A byte order mark at the start is
//! removed here, once for every text format. An error of a decompressor is told apart from an error
//! of the disk.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::content::Content;
use super::encoding::{Decoded, FileEncoding, MARK, UTF_8, byte_order_mark, marked, may_be_marked};
use super::lines::filled;
use super::standard_input::STANDARD_INPUT;
use super::{Compression, Source, binary};
use crate::error::Problem;

/// The size of the buffer. It is large enough that a system call costs nothing beside the parsing,
/// and small enough for the second-level cache.
const BUFFER: usize = 256 << 10;

/// The largest window that `zstd --long` can ask for. Only files that were made with such a window
/// take the memory for it.
const ZSTD_WINDOW_LOG: u32 = 31;

/// The most memory that an xz file may ask for, in KiB: what `xz -9` takes, and a gigabyte more.
const XZ_MEMORY: u32 = (1 << 20) + (65 << 10);

/// The number of first bytes that tell a compression or a binary format.
pub(super) const START: u64 = 512;

/// An opened source.
pub(crate) struct Input {
    /// The uncompressed bytes in UTF-8, after the byte order mark.
    pub bytes: Box<dyn BufRead + Send>,
    /// The byte order mark at the start of the file, in its own encoding; empty if it has none.
    pub byte_order_mark: &'static [u8],
    /// True if there are no bytes at all.
    pub empty: bool,
    /// The file beneath, still compressed.
    pub content: Content,
}

/// Opens a source and looks at its first bytes. Refuses binary formats.
pub(crate) fn open(source: &Source) -> Result<Input, Problem> {
    let content = match &source.stream {
        Some(stream) => stream.take().map(Content::of),
        None => Content::open(&source.path),
    };
    let content = content.map_err(|error| problem(&error))?;
    let opened = opened(content.clone(), source).map_err(|error| problem(&error))?;
    let Opened { bytes, start, encoding, byte_order_mark } = opened;
    // Files of Parquet were told from text when they were found.
    let is_plain_stream = source.label == STANDARD_INPUT && source.compression == Compression::None;
    if is_plain_stream && binary::is_parquet(&start) {
        return Err(Problem::ParquetAsText);
    }
    if let Some(refused) = binary::recognized(&start) {
        return Err(refused);
    }
    let bytes = match encoding == UTF_8 {
        true => bytes,
        false => Box::new(Decoded::new(bytes, encoding)),
    };
    Ok(Input { bytes, byte_order_mark, empty: start.is_empty(), content })
}

/// Opens a source for its uncompressed bytes in its own encoding, after the byte order mark.
pub(crate) fn open_encoded(source: &Source) -> io::Result<Box<dyn BufRead + Send>> {
    Ok(opened(Content::open(&source.path)?, source)?.bytes)
}

/// Uncompressed bytes in their own encoding.
struct Opened {
    /// The bytes after the byte order mark.
    bytes: Box<dyn BufRead + Send>,
    /// The first bytes, with the mark.
    start: Vec<u8>,
    encoding: FileEncoding,
    /// The mark; empty without one.
    byte_order_mark: &'static [u8],
}

fn opened(content: Content, source: &Source) -> io::Result<Opened> {
    let mut bytes = decompressed(content, source.compression)?;
    let mut start = Vec::new();
    let read = match source.stream.is_some() {
        true => read_what_is_there(&mut *bytes, &mut start),
        false => bytes.by_ref().take(START).read_to_end(&mut start).map(drop),
    };
    if let Err(error) = read {
        if start.is_empty() {
            return Err(error);
        }
        // The rows before the damage are read.
        bytes = Box::new(BufReader::new(Failed(Some(error))));
    }
    // The mark of a file was looked at when the file was found; that of a stream is seen here.
    let encoding = match source.encoding == UTF_8 {
        true => UTF_8,
        false => marked(&start).unwrap_or(source.encoding),
    };
    let mark = byte_order_mark(encoding);
    let byte_order_mark = if start.starts_with(mark) { mark } else { b"" };
    let mut first = Cursor::new(start.clone());
    first.set_position(byte_order_mark.len() as u64);
    Ok(Opened { bytes: Box::new(first.chain(bytes)), start, encoding, byte_order_mark })
}

/// Takes the first bytes of a stream as they come, so that its first rows need not wait for others.
/// Only a byte order mark is waited for.
fn read_what_is_there(bytes: &mut (dyn BufRead + Send), start: &mut Vec<u8>) -> io::Result<()> {
    while start.is_empty() || start.len() < MARK && may_be_marked(start[0]) {
        let there = filled(bytes)?;
        let count = there.len().min(START as usize - start.len());
        if count == 0 {
            break;
        }
        start.extend(&there[..count]);
        bytes.consume(count);
    }
    Ok(())
}

/// An input that fails once.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The uncompressed bytes of a file.
pub(super) fn decompressed(
    file: impl Read + Send + 'static,
    compression: Compression,
) -> io::Result<Box<dyn BufRead + Send>> {
    let mut raw = BufReader::with_capacity(BUFFER, file);
    // A file of no bytes at all is empty, whatever its name says.
    let compression = if raw.fill_buf()?.is_empty() { Compression::None } else { compression };
    fn buffered(bytes: impl Read + Send + 'static) -> Box<dyn BufRead + Send> {
        Box::new(BufReader::with_capacity(BUFFER, bytes))
    }
    Ok(match compression {
        Compression::None => Box::new(raw),
        Compression::Gzip => buffered(flate2::bufread::MultiGzDecoder::new(raw)),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(raw)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            buffered(decoder)
        }
        Compression::Bzip2 => buffered(bzip2::bufread::MultiBzDecoder::new(raw)),
        Compression::Xz => buffered(lzma_rust2::XzReader::new_mem_limit(raw, true, XZ_MEMORY)),
    })
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
