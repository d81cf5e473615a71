//! A file being written: its folders made, its bytes compressed, every error told with its path. Where the current pool has
//! more than one thread, another one compresses and writes while the caller goes on.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use flate2::write::GzEncoder;

use crate::error::Error;
use crate::read::Compression;

/// What `gzip` does when it is not told otherwise.
const GZIP_LEVEL: u32 = 6;

/// What `zstd` does when it is not told otherwise.
const ZSTD_LEVEL: i32 = 3;

const BUFFER: usize = 256 << 10;

/// Blocks of so many bytes that may wait for the other thread.
const WAITING: usize = 4;

/// A file being written. Only [`Output::finish`] makes it whole.
pub(super) struct Output {
    path: PathBuf,
    /// Bytes that make no block yet.
    block: Vec<u8>,
    blocks: Blocks,
}

/// Where blocks go.
enum Blocks {
    Here(Sink),
    /// To a thread, which ends with the first error or when there are no more.
    There(SyncSender<Vec<u8>>, JoinHandle<io::Result<Sink>>),
    /// Nowhere any more, since that thread has failed.
    Nowhere,
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(file) => file.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
            Sink::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// Writes what is left and returns the size of the file.
    fn finish(self) -> io::Result<u64> {
        let file = match self {
            Sink::Plain(file) => file,
            Sink::Gzip(encoder) => encoder.finish()?,
            Sink::Zstd(encoder) => encoder.finish()?,
        };
        Ok(file.into_inner().map_err(io::IntoInnerError::into_error)?.metadata()?.len())
    }
}

impl Blocks {
    fn new(mut sink: Sink) -> Blocks {
        if rayon::current_thread_index().is_none() || rayon::current_num_threads() == 1 {
            return Blocks::Here(sink);
        }
        let (blocks, there) = sync_channel::<Vec<u8>>(WAITING);
        let write_all = move || there.iter().try_for_each(|block| sink.write(&block)).map(|()| sink);
        Blocks::There(blocks, thread::spawn(write_all))
    }

    /// Writes a block, which is empty then.
    fn write(&mut self, block: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Blocks::Here(sink) => {
                sink.write(block)?;
                block.clear();
                Ok(())
            }
            Blocks::There(blocks, _) if blocks.send(std::mem::take(block)).is_ok() => Ok(()),
            // The thread has ended, so it has failed.
            _ => std::mem::replace(self, Blocks::Nowhere).finish().map(|_| ()),
        }
    }

    fn finish(self) -> io::Result<u64> {
        match self {
            Blocks::Here(sink) => sink.finish(),
            Blocks::There(blocks, thread) => {
                drop(blocks);
                thread.join().map_err(|_| io::Error::other("the thread that writes has panicked"))??.finish()
            }
            Blocks::Nowhere => Err(io::Error::other("writing has failed before")),
        }
    }
}

/// Makes a file and the folders it lies in.
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
            Compression::Gzip => Sink::Gzip(Box::new(GzEncoder::new(file, flate2::Compression::new(GZIP_LEVEL)))),
            Compression::Zstd => {
                Sink::Zstd(zstd::stream::write::Encoder::new(file, ZSTD_LEVEL).map_err(Error::io("write", path))?)
            }
        };
        Ok(Output { path: path.to_path_buf(), block: Vec::new(), blocks: Blocks::new(sink) })
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.block.extend_from_slice(bytes);
        if self.block.len() < BUFFER {
            return Ok(());
        }
        self.blocks.write(&mut self.block).map_err(Error::io("write", &self.path))
    }

    /// Writes what is left and returns the size of the file.
    pub fn finish(mut self) -> Result<u64, Error> {
        let written = self.blocks.write(&mut self.block).and_then(|()| self.blocks.finish());
        written.map_err(Error::io("write", self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_an_error_with_its_path_and_a_remedy() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
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
        let bytes: Vec<u8> = (0..3_000_000u32).map(|place| (place.wrapping_mul(0x9e37_79b1) >> 28) as u8).collect();
        let write = |path: &Path, compression| {
            let mut output = Output::create(path, compression)?;
            bytes.chunks(1_000).try_for_each(|bytes| output.write(bytes))?;
            output.finish()
        };
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let [here, there] = ["here", "there"].map(|name| folder.path().join(name));
            let size = write(&here, compression).unwrap();
            assert_eq!(threads.install(|| write(&there, compression)).unwrap(), size);
            assert_eq!(fs::read(&here).unwrap(), fs::read(&there).unwrap());
            let message = threads.install(|| write(Path::new("/dev/full"), compression)).unwrap_err().to_string();
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
