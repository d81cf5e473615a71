//! Lists of numbers on disk: written once, in order, and read again in order or anywhere. The file has no name and goes
//! with the process, however that ends.

mod sorter;

pub(crate) use sorter::{Sorted, Sorter};

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;

use crate::error::Error;

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 15;

/// Lists of numbers in a temporary file, and 8 bytes of memory a list.
#[derive(Debug)]
pub(crate) struct Spill<N> {
    file: File,
    folder: PathBuf,
    /// Where each list ends, in numbers from the file's start.
    ends: Vec<u64>,
    buffer: Vec<N>,
    written: u64,
}

impl<N: Pod> Spill<N> {
    /// An empty spill in `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Spill<N>, Error> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io("create a temporary file in", folder))?;
        Ok(Spill { file, folder: folder.to_path_buf(), ends: Vec::new(), buffer: Vec::new(), written: 0 })
    }

    /// Appends a list.
    pub(crate) fn push(&mut self, numbers: impl IntoIterator<Item = N>) -> Result<(), Error> {
        self.buffer.extend(numbers);
        self.end();
        self.flush_if_full()
    }

    /// Appends numbers to the list in the making.
    #[inline]
    pub(crate) fn append(&mut self, numbers: &[N]) -> Result<(), Error> {
        if size_of_val(numbers) >= BUFFER {
            self.flush()?;
            return self.write(numbers);
        }
        self.buffer.extend_from_slice(numbers);
        self.flush_if_full()
    }

    /// Ends the list in the making.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.written + self.buffer.len() as u64);
    }

    #[inline]
    fn flush_if_full(&mut self) -> Result<(), Error> {
        if size_of_val(&self.buffer[..]) >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes out what is still in the buffer; needed before reading.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn write(&mut self, numbers: &[N]) -> Result<(), Error> {
        let bytes = bytemuck::cast_slice(numbers);
        self.file.write_all(bytes).map_err(Error::io("write a temporary file in", &self.folder))?;
        self.written += numbers.len() as u64;
        Ok(())
    }

    /// Drops everything and gives the disk back.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.ends = Vec::new();
        self.buffer = Vec::new();
        self.written = 0;
        self.file.set_len(0).map_err(Error::io("empty a temporary file in", &self.folder))
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many numbers there are in all lists.
    pub(crate) fn numbers(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Where list `index` begins and ends, in numbers from the file's start.
    pub(crate) fn range(&self, index: usize) -> (u64, u64) {
        (if index == 0 { 0 } else { self.ends[index - 1] }, self.ends[index])
    }

    /// Fills `out` with list `index`. Everything must have been flushed.
    pub(crate) fn read(&self, index: usize, out: &mut Vec<N>) -> Result<(), Error> {
        let (start, end) = self.range(index);
        self.read_range(start, end, out)
    }

    /// Fills `out` with the numbers from one place to another. Everything must have been flushed.
    fn read_range(&self, start: u64, end: u64, out: &mut Vec<N>) -> Result<(), Error> {
        out.clear();
        out.resize((end - start) as usize, N::zeroed());
        read_exact_at(&self.file, bytemuck::cast_slice_mut(out), start * size_of::<N>() as u64)
            .map_err(Error::io("read a temporary file in", &self.folder))
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
    fn lists_come_back_in_any_order() {
        let mut spill = Spill::new(&std::env::temp_dir()).unwrap();
        let lists: Vec<Vec<u64>> = (0..300).map(|i| (0..i * 7 % 1000).map(|n| n * n + i).collect()).collect();
        for list in &lists {
            spill.push(list.iter().copied()).unwrap();
        }
        spill.flush().unwrap();
        let mut out = Vec::new();
        for index in (0..lists.len()).rev() {
            spill.read(index, &mut out).unwrap();
            assert_eq!(out, lists[index]);
        }
    }
}
