//! A file being written: its folders made, its bytes compressed, every error told with its path.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use crate::error::Error;
use crate::read::Compression;

/// What `gzip` does when it is not told otherwise.
const GZIP_LEVEL: u32 = 6;

/// What `zstd` does when it is not told otherwise.
const ZSTD_LEVEL: i32 = 3;

const BUFFER: usize = 256 << 10;

/// A file being written. Only [`Output::finish`] makes it whole.
pub(super) struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Plain(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
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
        Ok(Output { path: path.to_path_buf(), sink })
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.sink {
            Sink::Plain(file) => file.write_all(bytes),
            Sink::Gzip(encoder) => encoder.write_all(bytes),
            Sink::Zstd(encoder) => encoder.write_all(bytes),
        }
        .map_err(Error::io("write", &self.path))
    }

    /// Writes what is left and returns the size of the file.
    pub fn finish(self) -> Result<u64, Error> {
        let finish = || -> io::Result<u64> {
            let file = match self.sink {
                Sink::Plain(file) => file,
                Sink::Gzip(encoder) => encoder.finish()?,
                Sink::Zstd(encoder) => encoder.finish()?,
            };
            Ok(file.into_inner().map_err(io::IntoInnerError::into_error)?.metadata()?.len())
        };
        finish().map_err(Error::io("write", self.path))
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
