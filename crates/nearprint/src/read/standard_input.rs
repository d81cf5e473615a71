//! Standard input -> a file, since a run reads its input twice; or a stream, for a reader that reads
//! once.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::compression::START;
use super::encoding::UTF_8;
use super::{Compression, Encoding, Format, Options, Source, columns, detect, quoting};
use crate::error::Error;
use crate::watch::Watch;

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// The longest silence of standard input before a check whether the user wants to stop.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The number of bytes that tell the compression.
const MARK: usize = 10;

/// Bytes that are read once, while they come. All clones stand for the same bytes.
#[derive(Clone)]
pub(crate) struct Stream(Arc<Mutex<Option<Box<dyn Read + Send>>>>);

impl Stream {
    fn of(bytes: Box<dyn Read + Send>) -> Stream {
        Stream(Arc::new(Mutex::new(Some(bytes))))
    }

    /// The bytes.
    ///
    /// # Errors
    /// If they were taken before.
    pub fn take(&self) -> io::Result<Box<dyn Read + Send>> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| io::Error::other("it was read already"))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Stream")
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Source {
    /// Rows of JSON Lines in memory that are read once. `name` stands for the file in messages.
    pub fn rows(name: &str, lines: Vec<u8>) -> Source {
        let options = Options { format: Some(Format::JsonLines), ..Options::default() };
        let stream = Some(Stream::of(Box::new(Cursor::new(lines))));
        Source {
            name: name.to_string(),
            label: name.to_string(),
            stream,
            ..of_start(b"", &options)
        }
    }
}

/// Saves standard input to a file. It has no name, so its first bytes tell its compression.
pub(super) fn spool(
    input: impl Read + Send + 'static,
    options: &Options,
    folder: &Path,
    watch: &dyn Watch,
) -> Result<Source, Error> {
    if options.format == Some(Format::Parquet) {
        columns::check_readable("standard input")?;
    }
    let part = folder.join("stdin");
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let mut file = File::create(&part).map_err(Error::io("create", &part))?;
    let mut start: Vec<u8> = Vec::new();
    let chunks = read_aside(input)?;
    while let Some(chunk) = next(&chunks, watch)? {
        file.write_all(&chunk).map_err(Error::io("write", &part))?;
        start.extend(chunk.iter().take((START as usize).saturating_sub(start.len())));
    }
    let source = of_start(&start, options);
    let path = folder.join(&source.name);
    fs::rename(&part, &path).map_err(Error::io("create", &path))?;
    let metadata = file.metadata().map_err(Error::io("read", &path))?;
    let modified = metadata.modified().map_err(Error::io("read", &path))?;
    let encoding = detect::encoding_of(&path, source.format, source.compression, options.encoding);
    let source = Source { path, bytes: metadata.len(), modified, encoding, ..source };
    Ok(Source { quote: quoting::quote_of(&source), ..source })
}

/// Makes a source of standard input that is read while it comes. Waits for its first bytes, which
/// tell its compression and its byte order mark, or for its first line, which may be shorter.
pub(super) fn stream(
    input: impl Read + Send + 'static,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Source, Error> {
    let chunks = read_aside(input)?;
    let mut start = Vec::new();
    while start.len() < MARK
        && !start.contains(&b'\n')
        && let Some(chunk) = next(&chunks, watch)?
    {
        start.extend(chunk);
    }
    let source = of_start(&start, options);
    let rest = Chunks { chunks, chunk: Cursor::new(start) };
    Ok(Source { stream: Some(Stream::of(Box::new(rest))), ..source })
}

/// The source of standard input that begins with these bytes.
fn of_start(start: &[u8], options: &Options) -> Source {
    let format = options.format.unwrap_or(Format::JsonLines);
    let compression =
        if format == Format::Parquet { Compression::None } else { Compression::of_bytes(start) };
    Source {
        path: PathBuf::new(),
        name: format!("stdin.{}{}", format.ending(), compression.ending()),
        label: STANDARD_INPUT.to_string(),
        format,
        delimiter: options.delimiter,
        quote: options.quote,
        escape: options.escape,
        encoding: options.encoding.and_then(Encoding::of_all).unwrap_or(UTF_8),
        compression,
        bytes: 0,
        modified: SystemTime::UNIX_EPOCH,
        memory: None,
        stream: None,
    }
}

/// The next bytes; `None` at the end.
fn next(
    chunks: &Receiver<io::Result<Vec<u8>>>,
    watch: &dyn Watch,
) -> Result<Option<Vec<u8>>, Error> {
    loop {
        let chunk = match chunks.recv_timeout(LOOK_UP) {
            Ok(chunk) => Some(chunk.map_err(Error::io("read", "standard input"))?),
            Err(RecvTimeoutError::Timeout) if watch.stopped() => return Err(Error::Interrupted),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => None,
        };
        return if watch.stopped() { Err(Error::Interrupted) } else { Ok(chunk) };
    }
}

/// Bytes that come in chunks.
struct Chunks {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.chunk.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match self.chunks.recv() {
                Ok(chunk) => self.chunk = Cursor::new(chunk?),
                Err(mpsc::RecvError) => return Ok(0),
            }
        }
    }
}

/// Reads on a thread of its own, since nothing ends a read that waits for a writer. A run that
/// stops leaves the thread behind.
fn read_aside(
    mut input: impl Read + Send + 'static,
) -> Result<Receiver<io::Result<Vec<u8>>>, Error> {
    let (sender, receiver) = mpsc::sync_channel(4);
    let read = move || {
        let mut buffer = vec![0; 256 << 10];
        loop {
            let chunk = match input.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => Ok(buffer[..count].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let failed = chunk.is_err();
            if sender.send(chunk).is_err() || failed {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .spawn(read)
        .map_err(Error::io("start a thread to read", "standard input"))?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Silent;

    #[test]
    fn standard_input_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let source =
            spool(&b"{\"text\":\"a\"}\n"[..], &Options::default(), folder.path(), &Silent).unwrap();
        assert_eq!(
            (source.name.as_str(), source.label.as_str(), source.bytes),
            ("stdin.jsonl", "-", 13)
        );
        assert_eq!(fs::read(&source.path).unwrap(), b"{\"text\":\"a\"}\n");
        let csv = Options { format: Some(Format::Csv), ..Options::default() };
        let source =
            spool(&b"\x1f\x8brest"[..], &csv, &folder.path().join("new"), &Silent).unwrap();
        assert_eq!((source.name.as_str(), source.compression), ("stdin.csv.gz", Compression::Gzip));
        assert_eq!(spool(io::empty(), &csv, folder.path(), &Silent).unwrap().bytes, 0);
    }

    #[test]
    fn a_stream_is_read_once_while_it_comes() {
        let (input, mut writer) = io::pipe().unwrap();
        writer.write_all(b"{\"text\":\"a\"}\n").unwrap();
        let source = stream(input, &Options::default(), &Silent).unwrap();
        assert_eq!((source.name.as_str(), source.label.as_str()), ("stdin.jsonl", "-"));
        let mut documents = crate::read::read(&source, &Options::default()).unwrap();
        let mut text = || documents.next().map(|document| document.unwrap().text);
        // The writer has not ended.
        assert_eq!(text().as_deref(), Some("a"));
        writer.write_all(b"{\"text\":\"b\"}\n{\"text\":\"c\"}").unwrap();
        assert_eq!(text().as_deref(), Some("b"));
        drop(writer);
        assert_eq!((text().as_deref(), text()), (Some("c"), None));
        assert!(crate::read::read(&source, &Options::default()).is_err());
        let gzip = stream(&b"\x1f\x8brest"[..], &Options::default(), &Silent).unwrap();
        assert_eq!((gzip.name.as_str(), gzip.compression), ("stdin.jsonl.gz", Compression::Gzip));
        let empty = stream(io::empty(), &Options::default(), &Silent).unwrap();
        assert_eq!(crate::read::read(&empty, &Options::default()).unwrap().count(), 0);
    }

    #[test]
    fn a_silent_standard_input_can_be_left() {
        struct Stopped;
        impl Watch for Stopped {
            fn stopped(&self) -> bool {
                true
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let (input, _writer) = io::pipe().unwrap();
        let error = spool(input, &Options::default(), folder.path(), &Stopped).unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{error}");
        let (input, _writer) = io::pipe().unwrap();
        let error = stream(input, &Options::default(), &Stopped).unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{error}");
    }
}
