//! Writes a file: makes its folders, compresses its bytes, and reports every error with its path.
//! If the current pool has more than one thread, another thread compresses and writes while the
//! caller goes on.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};

use crate::error::Error;
use crate::read::Compression;

/// The default level of `gzip`.
const GZIP_LEVEL: u32 = 6;

/// The default level of `zstd`.
const ZSTD_LEVEL: i32 = 3;

/// The default level of `bzip2`.
const BZIP2_LEVEL: u32 = 9;

/// The default level of `xz`.
const XZ_LEVEL: u32 = 6;

const BUFFER: usize = 256 << 10;

/// The most parts that wait for the other thread, a megabyte. With so many, neither thread waits
/// long for the other.
const WAITING: usize = 4;

/// An unfinished file. Only [`Output::finish`] completes it.
pub(super) struct Output {
    path: PathBuf,
    /// Bytes that wait for a full part.
    part: Vec<u8>,
    writer: Writer,
}

/// The place where bytes are compressed and written.
enum Writer {
    Caller(Sink),
    Thread(Thread),
    /// No writer: writing has failed.
    Nobody,
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
    Bzip2(Box<BzEncoder<BufWriter<File>>>),
    Xz(Box<XzWriter<BufWriter<File>>>),
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
            Sink::Zstd(encoder) => encoder.write_all(bytes),
            Sink::Bzip2(encoder) => encoder.write_all(bytes),
            Sink::Xz(encoder) => encoder.write_all(bytes),
        }
    }

    /// Writes the rest and returns the size of the file.
    fn finish(self) -> io::Result<u64> {
        let file = match self {
            Sink::Plain(file) => file,
            Sink::Gzip(encoder) => encoder.finish()?,
            Sink::Zstd(encoder) => encoder.finish()?,
            Sink::Bzip2(encoder) => encoder.finish()?,
            Sink::Xz(encoder) => encoder.finish()?,
        };
        Ok(file.into_inner().map_err(io::IntoInnerError::into_error)?.metadata()?.len())
    }
}

/// Another thread with the sink. It ends with the first error, or when the channel of parts is
/// closed, and never outlives this value.
struct Thread {
    parts: Option<SyncSender<Vec<u8>>>,
    handle: Option<JoinHandle<io::Result<Sink>>>,
}

impl Thread {
    /// Starts the thread. Returns the sink if the system refuses a thread.
    fn start(sink: Sink) -> Result<Thread, Sink> {
        let (parts, coming) = sync_channel::<Vec<u8>>(WAITING);
        let (give, take) = sync_channel::<Sink>(1);
        let write_all = move || {
            let mut sink = take.recv().map_err(io::Error::other)?;
            coming.iter().try_for_each(|part| sink.write(&part))?;
            Ok(sink)
        };
        match thread::Builder::new().spawn(write_all) {
            Ok(handle) => match give.send(sink) {
                Ok(()) => Ok(Thread { parts: Some(parts), handle: Some(handle) }),
                Err(back) => Err(back.0),
            },
            Err(_) => Err(sink),
        }
    }

    /// Returns true if the part was taken, false if the thread has failed.
    fn write(&self, part: Vec<u8>) -> bool {
        self.parts.as_ref().is_some_and(|parts| parts.send(part).is_ok())
    }

    /// Waits until all parts are written.
    fn end(&mut self) -> io::Result<Sink> {
        self.parts = None;
        let failed = |_| Err(io::Error::other("the thread that writes has panicked"));
        self.handle
            .take()
            .map_or_else(|| failed(()), |handle| handle.join().unwrap_or_else(|_| failed(())))
    }
}

/// No thread goes on writing into an abandoned file.
impl Drop for Thread {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Writer {
    /// Hands the sink to another thread if the current pool has several.
    fn hand_over(self) -> Writer {
        let several = rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1;
        match self {
            Writer::Caller(sink) if several => {
                Thread::start(sink).map_or_else(Writer::Caller, Writer::Thread)
            }
            other => other,
        }
    }

    /// Writes a part and empties it.
    fn write(&mut self, part: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Writer::Caller(sink) => {
                sink.write(part)?;
                part.clear();
                Ok(())
            }
            Writer::Thread(thread) if thread.write(std::mem::take(part)) => Ok(()),
            _ => std::mem::replace(self, Writer::Nobody).finish().map(|_| ()),
        }
    }

    fn finish(self) -> io::Result<u64> {
        match self {
            Writer::Caller(sink) => sink.finish(),
            Writer::Thread(mut thread) => thread.end()?.finish(),
            Writer::Nobody => Err(io::Error::other("writing has failed before")),
        }
    }
}

/// Makes a file and the folders around it.
pub(super) fn create(path: &Path) -> Result<File, Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    File::create(path).map_err(Error::io("create", path))
}

impl Output {
    /// Starts a file.
    pub fn create(path: &Path, compression: Compression) -> Result<Output, Error> {
        let file = BufWriter::with_capacity(BUFFER, create(path)?);
        let sink = match compression {
            Compression::None => Sink::Plain(file),
            Compression::Gzip => {
                Sink::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::new(GZIP_LEVEL))))
            }
            Compression::Zstd => Sink::Zstd(
                zstd::stream::write::Encoder::new(file, ZSTD_LEVEL)
                    .map_err(Error::io("write", path))?,
            ),
            Compression::Bzip2 => {
                Sink::Bzip2(Box::new(BzEncoder::new(file, bzip2::Compression::new(BZIP2_LEVEL))))
            }
            Compression::Xz => {
                let options = XzOptions::with_preset(XZ_LEVEL);
                Sink::Xz(Box::new(XzWriter::new(file, options).map_err(Error::io("write", path))?))
            }
        };
        Ok(Output { path: path.to_path_buf(), part: Vec::new(), writer: Writer::Caller(sink) })
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.part.extend_from_slice(bytes);
        if self.part.len() < BUFFER {
            return Ok(());
        }
        self.writer = std::mem::replace(&mut self.writer, Writer::Nobody).hand_over();
        self.writer.write(&mut self.part).map_err(Error::io("write", &self.path))
    }

    /// Writes the rest and returns the size of the file.
    pub fn finish(mut self) -> Result<u64, Error> {
        let written = self.writer.write(&mut self.part).and_then(|()| self.writer.finish());
        written.map_err(Error::io("write", self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Compression; 5] = [
        Compression::None,
        Compression::Gzip,
        Compression::Zstd,
        Compression::Bzip2,
        Compression::Xz,
    ];

    #[test]
    fn a_full_disk_is_an_error_with_its_path_and_a_remedy() {
        for compression in ALL {
            let mut output = Output::create(Path::new("/dev/full"), compression).unwrap();
            output.write(b"short enough to stay in the buffer until the end").unwrap();
            let message = output.finish().unwrap_err().to_string();
            assert!(message.starts_with("cannot write /dev/full: No space left"), "{message}");
            assert!(message.contains("free some space"), "{message}");
        }
    }

    #[test]
    fn another_thread_writes_the_same_bytes_and_its_errors_are_told() {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> =
            (0..3_000_000u32).map(|place| (place.wrapping_mul(0x9e37_79b1) >> 28) as u8).collect();
        let write = |path: &Path, compression| {
            let mut output = Output::create(path, compression)?;
            bytes.chunks(1_000).try_for_each(|bytes| output.write(bytes))?;
            output.finish()
        };
        for compression in ALL {
            let [here, there] = ["here", "there"].map(|name| folder.path().join(name));
            let size = write(&here, compression).unwrap();
            assert_eq!(threads.install(|| write(&there, compression)).unwrap(), size);
            assert_eq!(fs::read(&here).unwrap(), fs::read(&there).unwrap());
            let message = threads
                .install(|| write(Path::new("/dev/full"), compression))
                .unwrap_err()
                .to_string();
            assert!(message.starts_with("cannot write /dev/full: No space left"), "{message}");
        }
    }

    #[test]
    fn folders_are_made_and_what_bars_them_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c.txt");
        let mut output = Output::create(&path, Compression::None).unwrap();
        output.write(b"abc").unwrap();
        assert_eq!(output.finish().unwrap(), 3);
        let barred = Output::create(&path.join("d"), Compression::None).err().unwrap();
        assert!(barred.to_string().contains("c.txt"), "{barred}");
    }
}
