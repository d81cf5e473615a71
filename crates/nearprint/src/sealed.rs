//! A value in a file that is complete or absent: four bytes that name its type, the value in
//! [Postcard](https://postcard.jamesmunns.com), and the XXH3-128 of all bytes before. It is written
//! under another name and renamed. A damaged file counts as absent.
//!
//! Postcard describes no types, so bytes of one type may also be a value of another one. Each saved
//! type therefore has a [`Format`] beside it, which changes with the type.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Take, Write};
use std::path::Path;

use postcard::de_flavors::Flavor;
use postcard::{Deserializer, Error as Failed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;
use crate::spill::hash_of;

/// The name of a saved type and its version: the first bytes of a file. A file of another format
/// counts as absent.
pub type Format = [u8; 4];

/// The number of bytes of the hash at the end of a file.
const HASH: u64 = 16;

/// Writes a value of a type of this format to a file, and replaces an existing one.
///
/// # Errors
/// [`Error::Io`].
pub fn save(path: &Path, format: Format, value: &impl Serialize) -> Result<(), Error> {
    let part = path.with_extension("part");
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(Hashed { to: File::create(&part)?, hash: Box::default() });
        out.write_all(&format)?;
        postcard::to_io(value, &mut out).map_err(io::Error::other)?;
        out.flush()?;
        let mut out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        out.to.write_all(&out.hash.digest128().to_le_bytes())?;
        fs::rename(&part, path)
    };
    write().map_err(Error::io("write", &part))
}

/// The value in a file; `None` without a file, or without a complete one of this format.
///
/// # Errors
/// [`Error::Io`].
pub fn load<T: DeserializeOwned>(path: &Path, format: Format) -> Result<Option<T>, Error> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(Error::io("read", path))?,
    };
    let whole = whole(&mut file).map_err(Error::io("read", path))?;
    Ok(whole.and_then(|length| {
        let mut bytes = Bytes { from: BufReader::new(file).take(length), taken: Vec::new() };
        if bytes.try_take_n_temp(format.len()).ok()? != format {
            return None;
        }
        let mut decoder = Deserializer::from_flavor(bytes);
        let value = T::deserialize(&mut decoder).ok()?;
        decoder.finalize().ok()?;
        Some(value)
    }))
}

/// The length of the value in a file, if the file ends with its hash. Goes back to its beginning.
fn whole(file: &mut File) -> io::Result<Option<u64>> {
    let Some(length) = file.metadata()?.len().checked_sub(HASH) else { return Ok(None) };
    let hash = hash_of((&mut *file).take(length))?;
    let mut end = [0; HASH as usize];
    file.seek(io::SeekFrom::Start(length))?;
    file.read_exact(&mut end)?;
    file.rewind()?;
    Ok((u128::from_le_bytes(end) == hash).then_some(length))
}

/// The bytes of a value in a file, for the decoder.
struct Bytes {
    from: Take<BufReader<File>>,
    taken: Vec<u8>,
}

impl<'de> Flavor<'de> for Bytes {
    type Remainder = ();
    type Source = ();

    fn pop(&mut self) -> Result<u8, Failed> {
        let mut byte = [0];
        self.from.read_exact(&mut byte).map_err(|_| Failed::DeserializeUnexpectedEnd)?;
        Ok(byte[0])
    }

    /// Bytes of a file cannot be borrowed; values that own their strings do not ask for it.
    fn try_take_n(&mut self, _: usize) -> Result<&'de [u8], Failed> {
        Err(Failed::WontImplement)
    }

    fn try_take_n_temp<'a>(&'a mut self, count: usize) -> Result<&'a [u8], Failed>
    where
        'de: 'a,
    {
        if count as u64 > self.from.limit() {
            return Err(Failed::DeserializeUnexpectedEnd);
        }
        self.taken.resize(count, 0);
        self.from.read_exact(&mut self.taken).map_err(|_| Failed::DeserializeUnexpectedEnd)?;
        Ok(&self.taken)
    }

    /// A value that is shorter than the file is of another type.
    fn finalize(self) -> Result<(), Failed> {
        if self.from.limit() == 0 { Ok(()) } else { Err(Failed::DeserializeBadEncoding) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = *b"VAL1";

    type Value = (u64, String, Vec<Option<f64>>);

    fn value() -> Value {
        (u64::MAX, "消息 news".to_string(), vec![None, Some(-0.5)])
    }

    /// Writes the bytes, and their hash at the end.
    fn write(path: &Path, bytes: &[u8]) {
        let mut hash = Xxh3::new();
        hash.update(bytes);
        fs::write(path, [bytes, &hash.digest128().to_le_bytes()].concat()).unwrap();
    }

    #[test]
    fn a_saved_value_is_loaded_and_an_absent_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("value");
        assert_eq!(load::<Value>(&path, FORMAT).unwrap(), None);
        save(&path, FORMAT, &value()).unwrap();
        assert_eq!(load(&path, FORMAT).unwrap(), Some(value()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn each_changed_byte_and_each_shorter_file_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("value");
        save(&path, FORMAT, &value()).unwrap();
        let saved = fs::read(&path).unwrap();
        for at in 0..saved.len() {
            let mut changed = saved.clone();
            changed[at] ^= 1;
            for damaged in [&changed[..], &saved[..at]] {
                fs::write(&path, damaged).unwrap();
                assert_eq!(load::<Value>(&path, FORMAT).unwrap(), None, "byte {at}");
            }
        }
    }

    #[test]
    fn a_file_of_another_format_or_type_counts_as_absent_though_its_hash_is_right() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("value");
        let encoded = postcard::to_stdvec(&7u64).unwrap();
        write(&path, &[&FORMAT, &encoded[..]].concat());
        assert_eq!(load::<u64>(&path, FORMAT).unwrap(), Some(7));
        assert_eq!(load::<u64>(&path, *b"VAL2").unwrap(), None, "of an earlier type");
        assert_eq!(load::<(u64, u64)>(&path, FORMAT).unwrap(), None, "shorter than its type");
        for other in [encoded.clone(), [b"VAL0", &encoded[..]].concat(), Vec::new()] {
            write(&path, &other);
            assert_eq!(load::<u64>(&path, FORMAT).unwrap(), None);
        }
        write(&path, &[&FORMAT, &encoded[..], &[0]].concat());
        assert_eq!(load::<u64>(&path, FORMAT).unwrap(), None, "longer than its type");
    }
}
