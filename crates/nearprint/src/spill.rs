//! Documents' terms on disk, in order: written once while documents are read, read again for fingerprints (in order) and
//! for comparing candidates (anywhere). The file has no name and goes with the process, however that ends.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 17;

/// Lists of 64-bit numbers, one a document, in a temporary file; 8 bytes a number, and 8 bytes of memory a list.
#[derive(Debug)]
pub(crate) struct Spill {
    file: File,
    folder: PathBuf,
    /// Where each list ends, in numbers from the file's start.
    ends: Vec<u64>,
    buffer: Vec<u8>,
    written: u64,
}

impl Spill {
    /// An empty spill in `folder`.
    pub(crate) fn new(folder: &Path) -> Result<Spill, Error> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io("create a temporary file in", folder))?;
        Ok(Spill { file, folder: folder.to_path_buf(), ends: Vec::new(), buffer: Vec::new(), written: 0 })
    }

    /// Appends a list.
    pub(crate) fn push(&mut self, numbers: &[u64]) -> Result<(), Error> {
        for number in numbers {
            self.append(*number)?;
        }
        self.end();
        Ok(())
    }

    /// Appends one number to the list in the making.
    #[inline]
    pub(crate) fn append(&mut self, number: u64) -> Result<(), Error> {
        self.buffer.extend_from_slice(&number.to_ne_bytes());
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Ends the list in the making.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.numbers());
    }

    fn numbers(&self) -> u64 {
        self.written + self.buffer.len() as u64 / 8
    }

    /// Writes out what is still in the buffer; needed before reading.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        use std::io::Write;
        self.file.write_all(&self.buffer).map_err(Error::io("write a temporary file in", &self.folder))?;
        self.written += self.buffer.len() as u64 / 8;
        self.buffer.clear();
        Ok(())
    }

    /// Drops everything and gives the disk back.
    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.ends = Vec::new();
        self.buffer = Vec::new();
        self.written = 0;
        self.file.set_len(0).map_err(Error::io("empty a temporary file in", &self.folder))
    }

    fn start(&self, index: usize) -> u64 {
        if index == 0 { 0 } else { self.ends[index - 1] }
    }

    /// Fills `out` with list `index`. Everything must have been flushed.
    pub(crate) fn read(&self, index: usize, out: &mut Vec<u64>) -> Result<(), Error> {
        self.read_lists(index, index + 1, out)
    }

    /// Fills `out` with the lists from `first` to before `last`, one after the other.
    pub(crate) fn read_lists(&self, first: usize, last: usize, out: &mut Vec<u64>) -> Result<(), Error> {
        out.clear();
        let (start, end) = (self.start(first), if last == first { self.start(first) } else { self.ends[last - 1] });
        out.resize((end - start) as usize, 0);
        read_exact_at(&self.file, bytemuck::cast_slice_mut(out), start * 8)
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
            spill.push(list).unwrap();
        }
        spill.flush().unwrap();
        let mut out = Vec::new();
        for index in (0..lists.len()).rev() {
            spill.read(index, &mut out).unwrap();
            assert_eq!(out, lists[index]);
        }
        spill.read_lists(10, 13, &mut out).unwrap();
        assert_eq!(out, lists[10..13].concat());
        spill.read_lists(5, 5, &mut out).unwrap();
        assert!(out.is_empty());
    }
}
