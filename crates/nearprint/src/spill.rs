//! Lists of numbers, of which the first are in memory and the others on disk. They are written
//! once, in order, and read again in order or at any place. A file without a name disappears with
//! the process, however the process ends. For a file with a name, the ends of the lists can be
//! saved, and the file can be opened again.

mod sorter;

pub use sorter::{Record, Sorted, Sorter, distance_from_row, distance_to_row};

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;

/// The number of bytes that are gathered before they are written.
const BUFFER: usize = 1 << 15;

/// Lists of numbers in a file, the first of which may be in memory. Each list takes 8 bytes of
/// memory.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Spill<N> {
    /// `None` only in a spill that was loaded and not reopened.
    #[serde(skip)]
    file: Option<File>,
    #[serde(skip)]
    folder: PathBuf,
    /// The end of each list, in numbers from the start of the first one.
    ends: Vec<u64>,
    /// The first lists. A file with a name holds them as well, a file without one does not.
    #[serde(skip)]
    held: Vec<N>,
    /// The limit of `held` in bytes; 0 once the next list goes to the file alone.
    #[serde(skip)]
    holds: usize,
    #[serde(skip)]
    is_named: bool,
    /// The numbers that are not written yet.
    #[serde(skip)]
    buffer: Vec<N>,
    written: u64,
    /// The running hash of all written bytes.
    #[serde(skip)]
    hash: Xxh3,
    /// The hash at the last flush.
    digest: u128,
}

impl<N> fmt::Debug for Spill<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spill")
            .field("folder", &self.folder)
            .field("lists", &self.ends.len())
            .finish_non_exhaustive()
    }
}

impl<N: Pod> Spill<N> {
    /// An empty spill in `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Spill<N>, Error> {
        let file = tempfile::tempfile_in(folder)
            .map_err(Error::io("create a temporary file in", folder))?;
        Ok(Spill::of(file, folder))
    }

    /// An empty spill in a new file, which replaces an existing one.
    pub(crate) fn create(path: &Path) -> Result<Spill<N>, Error> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path);
        Ok(Spill { is_named: true, ..Spill::of(file.map_err(Error::io("create", path))?, path) })
    }

    /// Keeps the first lists in memory: as many as fit into this number of bytes, and the list that
    /// goes beyond.
    pub(crate) fn holding(self, bytes: usize) -> Spill<N> {
        Spill { holds: bytes, ..self }
    }

    fn of(file: File, folder: &Path) -> Spill<N> {
        Spill {
            file: Some(file),
            folder: folder.to_path_buf(),
            ends: Vec::new(),
            held: Vec::new(),
            holds: 0,
            is_named: false,
            buffer: Vec::new(),
            written: 0,
            hash: Xxh3::new(),
            digest: 0,
        }
    }

    /// Opens the file of a spill that was loaded. Returns `false` if the file is missing or has
    /// changed.
    pub(crate) fn reopen(&mut self, path: &Path) -> Result<bool, Error> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            file => file.map_err(Error::io("read", path))?,
        };
        let length = file.metadata().map_err(Error::io("read", path))?.len();
        let whole =
            length == self.written * size_of::<N>() as u64 && self.numbers() as u64 == self.written;
        let whole = whole && hash_of(&file).map_err(Error::io("read", path))? == self.digest;
        (self.file, self.folder) = (Some(file), path.to_path_buf());
        Ok(whole)
    }

    fn file(&self) -> &File {
        self.file.as_ref().expect("a spill that was loaded is reopened before it is used")
    }

    /// Appends a list.
    pub(crate) fn push(&mut self, numbers: impl IntoIterator<Item = N>) -> Result<(), Error> {
        let start = self.buffer.len();
        self.buffer.extend(numbers);
        if self.holds > 0 {
            self.held.extend_from_slice(&self.buffer[start..]);
            self.buffer.truncate(if self.is_named { self.buffer.len() } else { start });
        }
        self.end();
        self.flush_if_full()
    }

    /// Appends numbers to the current list.
    #[inline]
    pub(crate) fn append(&mut self, numbers: &[N]) -> Result<(), Error> {
        if self.holds > 0 {
            self.held.extend_from_slice(numbers);
            if !self.is_named {
                return Ok(());
            }
        }
        if size_of_val(numbers) >= BUFFER {
            self.flush()?;
            return self.write(numbers);
        }
        self.buffer.extend_from_slice(numbers);
        self.flush_if_full()
    }

    /// Ends the current list.
    pub(crate) fn end(&mut self) {
        if size_of_val(&self.held[..]) >= self.holds {
            self.holds = 0;
        }
        let in_memory_alone = if self.is_named { 0 } else { self.held.len() };
        self.ends.push((in_memory_alone + self.buffer.len()) as u64 + self.written);
    }

    #[inline]
    fn flush_if_full(&mut self) -> Result<(), Error> {
        if size_of_val(&self.buffer[..]) < BUFFER { Ok(()) } else { self.flush() }
    }

    /// Writes the buffer to the file. Needed before reading.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        self.digest = self.hash.digest128();
        Ok(())
    }

    fn write(&mut self, numbers: &[N]) -> Result<(), Error> {
        let bytes = bytemuck::cast_slice(numbers);
        self.file()
            .write_all(bytes)
            .map_err(Error::io("write a temporary file in", &self.folder))?;
        self.hash.update(bytes);
        self.written += numbers.len() as u64;
        Ok(())
    }

    /// Drops all lists and frees the disk.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.ends = Vec::new();
        (self.held, self.holds) = (Vec::new(), 0);
        self.buffer = Vec::new();
        self.written = 0;
        self.hash.reset();
        self.file().set_len(0).map_err(Error::io("empty a temporary file in", &self.folder))
    }

    /// The number of lists.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of numbers in all lists.
    pub(crate) fn numbers(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// The begin and the end of list `index`, in numbers from the start of the first one.
    pub(crate) fn range(&self, index: usize) -> (u64, u64) {
        (if index == 0 { 0 } else { self.ends[index - 1] }, self.ends[index])
    }

    /// Fills `out` with list `index`. All lists must have been flushed.
    pub(crate) fn read(&self, index: usize, out: &mut Vec<N>) -> Result<(), Error> {
        let (start, end) = self.range(index);
        self.read_range(start, end, out)
    }

    /// Fills `out` with at most `most` numbers of list `index` from place `from` on. All lists must
    /// have been flushed.
    pub(crate) fn part(
        &self,
        index: usize,
        from: usize,
        most: usize,
        out: &mut Vec<N>,
    ) -> Result<(), Error> {
        let (start, end) = self.range(index);
        let from = start + from as u64;
        self.read_range(from, end.min(from + most as u64), out)
    }

    /// List `index`. It is read into `buffer` if it is on disk alone. All lists must have been
    /// flushed.
    pub(crate) fn list<'l>(
        &'l self,
        index: usize,
        buffer: &'l mut Vec<N>,
    ) -> Result<&'l [N], Error> {
        let (start, end) = self.range(index);
        if let Some(held) = self.in_memory(start, end) {
            return Ok(held);
        }
        self.read_range(start, end, buffer)?;
        Ok(buffer)
    }

    /// The numbers between two places, if they are in memory.
    fn in_memory(&self, start: u64, end: u64) -> Option<&[N]> {
        self.held.get(start as usize..end as usize)
    }

    /// Fills `out` with the numbers between two places. All lists must have been flushed.
    fn read_range(&self, start: u64, end: u64, out: &mut Vec<N>) -> Result<(), Error> {
        out.clear();
        if let Some(held) = self.in_memory(start, end) {
            out.extend_from_slice(held);
            return Ok(());
        }
        out.resize((end - start) as usize, N::zeroed());
        let before = if self.is_named { start } else { start - self.held.len() as u64 };
        read_exact_at(self.file(), bytemuck::cast_slice_mut(out), before * size_of::<N>() as u64)
            .map_err(Error::io("read a temporary file in", &self.folder))
    }
}

/// XXH3-128 of all remaining bytes.
pub(crate) fn hash_of(mut bytes: impl Read) -> io::Result<u128> {
    let (mut hash, mut buffer) = (Xxh3::new(), vec![0; 256 << 10]);
    loop {
        match bytes.read(&mut buffer)? {
            0 => return Ok(hash.digest128()),
            count => hash.update(&buffer[..count]),
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_in_any_order_from_memory_and_from_disk() {
        let lists: Vec<Vec<u64>> =
            (0..300).map(|i| (0..i * 7 % 1000).map(|n| n * n + i).collect()).collect();
        let bytes = lists.concat().len() * 8;
        let folder = tempfile::tempdir().unwrap();
        let cases = [(0, true), (1, true), (bytes / 2, true), (bytes, false), (bytes + 1, false)];
        for (held, on_disk) in cases {
            for (appended, is_named) in [(false, false), (true, false), (false, true), (true, true)]
            {
                let spill = if is_named {
                    Spill::create(&folder.path().join("lists"))
                } else {
                    Spill::new(folder.path())
                };
                let mut spill = spill.unwrap().holding(held);
                for list in &lists {
                    if appended {
                        spill.append(list).unwrap();
                        spill.end();
                    } else {
                        spill.push(list.iter().copied()).unwrap();
                    }
                }
                spill.flush().unwrap();
                assert_eq!(spill.written > 0, on_disk || is_named, "{held}");
                let mut out = Vec::new();
                for index in (0..lists.len()).rev() {
                    spill.read(index, &mut out).unwrap();
                    assert_eq!(out, lists[index]);
                }
            }
        }
    }

    #[test]
    fn lists_in_a_file_with_a_name_can_be_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lists");
        let mut spill = Spill::create(&path).unwrap();
        spill.push([1u32, 2, 3]).unwrap();
        spill.push([4]).unwrap();
        spill.flush().unwrap();
        let saved = postcard::to_stdvec(&spill).unwrap();
        let open = || -> Spill<u32> { postcard::from_bytes(&saved).unwrap() };
        let mut again = open();
        assert!(again.reopen(&path).unwrap());
        let mut out = Vec::new();
        again.read(0, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3]);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[5] ^= 1;
        for damaged in [&b"short"[..], &bytes] {
            std::fs::write(&path, damaged).unwrap();
            assert!(!open().reopen(&path).unwrap());
        }
        std::fs::remove_file(&path).unwrap();
        assert!(!open().reopen(&path).unwrap());
    }
}
