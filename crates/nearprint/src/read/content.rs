//! The bytes of a file -> their hash.
//!
//! A run reads its input twice, and a row that was judged must be the row that is written. Size and
//! time indicate that a file is the same; a hash of its bytes proves it. A file that is read from
//! beginning to end is hashed on the way (XXH3-128, a hundredth of the time of reading JSON). A
//! Parquet file is not read in order, so it is hashed as a whole before the first reading and after
//! the second one, and a change between the two shows.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::Xxh3;

/// The number of bytes that are hashed at a time after the reader has stopped.
const BUFFER: usize = 256 << 10;

/// XXH3-128 of a file.
pub(crate) fn hash_of(path: &Path) -> io::Result<u128> {
    let mut raw = Raw::of(Box::new(File::open(path)?));
    raw.read_on()?;
    Ok(raw.hash.digest128())
}

/// A file or a stream, the number of its bytes that were read, and their hash.
struct Raw {
    file: Box<dyn Read + Send>,
    bytes: u64,
    hash: Box<Xxh3>,
}

impl Raw {
    fn of(file: Box<dyn Read + Send>) -> Raw {
        Raw { file, bytes: 0, hash: Box::default() }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.bytes += count as u64;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }

    /// Reads to the end.
    fn read_on(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; BUFFER];
        loop {
            match self.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A file whose reader and whose hash are used in two places. All clones stand for the same file.
#[derive(Clone)]
pub(crate) struct Content(Arc<Mutex<Raw>>);

impl Content {
    pub fn open(path: &Path) -> io::Result<Content> {
        Ok(Content::of(Box::new(File::open(path)?)))
    }

    /// The content of a stream.
    pub fn of(stream: Box<dyn Read + Send>) -> Content {
        Content(Arc::new(Mutex::new(Raw::of(stream))))
    }

    fn raw(&self) -> MutexGuard<'_, Raw> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.raw().bytes
    }

    /// XXH3-128 of the whole file. The rest that no reader took, such as the part behind damage, is
    /// read for the hash. If the file cannot be read on, the hash covers the bytes before the
    /// failure.
    pub fn hash(&self) -> u128 {
        let mut raw = self.raw();
        // The reader has reported the failure.
        let _ = raw.read_on();
        raw.hash.digest128()
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.raw().read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_128;

    #[test]
    fn whatever_was_read_the_hash_is_of_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for length in [0, 1, BUFFER - 1, BUFFER, 3 * BUFFER + 17] {
            let bytes: Vec<u8> =
                (0..length as u32).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(hash_of(&path).unwrap(), xxh3_128(&bytes));
            for taken in [0, length / 3, length] {
                let mut content = Content::open(&path).unwrap();
                content.read_exact(&mut vec![0; taken]).unwrap();
                assert_eq!(content.bytes_read(), taken as u64);
                assert_eq!(
                    (content.hash(), content.bytes_read()),
                    (xxh3_128(&bytes), length as u64)
                );
            }
        }
    }
}
