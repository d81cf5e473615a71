//! A value in a file that is complete or absent: MessagePack, followed by the XXH3-128 of its
//! bytes. It is written under another name and renamed. A damaged file counts as absent.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;
use crate::spill::hash_of;

/// The number of bytes of the hash at the end of a file.
const HASH: u64 = 16;

/// Writes a value to a file, and replaces an existing one.
///
/// # Errors
/// [`Error::Io`].
pub fn save(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let part = path.with_extension("part");
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(Hashed { to: File::create(&part)?, hash: Box::default() });
        rmp_serde::encode::write(&mut out, value).map_err(io::Error::other)?;
        out.flush()?;
        let mut out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        out.to.write_all(&out.hash.digest128().to_le_bytes())?;
        fs::rename(&part, path)
    };
    write().map_err(Error::io("write", &part))
}

/// The value in a file; `None` without a file, or without a complete one.
///
/// # Errors
/// [`Error::Io`].
pub fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(Error::io("read", path))?,
    };
    let is_whole = is_whole(&mut file).map_err(Error::io("read", path))?;
    // The decoder does not read the hash at the end.
    Ok(if is_whole { rmp_serde::decode::from_read(BufReader::new(file)).ok() } else { None })
}

/// Returns true if a file ends with the hash of the bytes before. Goes back to its beginning.
fn is_whole(file: &mut File) -> io::Result<bool> {
    let Some(length) = file.metadata()?.len().checked_sub(HASH) else { return Ok(false) };
    let hash = hash_of((&mut *file).take(length))?;
    let mut end = [0; HASH as usize];
    file.seek(io::SeekFrom::Start(length))?;
    file.read_exact(&mut end)?;
    file.rewind()?;
    Ok(u128::from_le_bytes(end) == hash)
}

/// Passes bytes on and hashes them.
struct Hashed<W> {
    to: W,
    hash: Box<Xxh3>,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
