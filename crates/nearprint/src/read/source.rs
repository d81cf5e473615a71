//! An input file, or rows in memory; and the inputs that the user names.

use std::path::PathBuf;
use std::time::SystemTime;

use super::encoding::FileEncoding;
use super::memory::InMemory;
use super::standard_input::Stream;
use super::{Compression, Delimiter, Escape, Format, Quote};

/// One input file, or rows in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The path of the file; for standard input the file in which it was saved, if it was.
    pub path: PathBuf,
    /// The name in the output, parts separated by `/`: the file name, or the path below the folder
    /// in which it was found. Parts of the path around them tell files of one name apart.
    pub name: String,
    /// The name that the user gave, for messages.
    pub label: String,
    /// The format, which divides the file into rows.
    pub format: Format,
    /// The delimiter of the fields, if it is not the default of the format.
    pub delimiter: Option<Delimiter>,
    /// The quote of the fields, if it is not the double quote: of the settings, or of this file.
    pub(crate) quote: Option<Quote>,
    /// The escape in quoted fields, if there is one.
    pub(crate) escape: Option<Escape>,
    /// The character encoding of a text format.
    pub(crate) encoding: FileEncoding,
    /// The compression of the whole file.
    pub compression: Compression,
    /// The size on disk when the file was found.
    pub bytes: u64,
    /// The time of the last change when the file was found.
    pub modified: SystemTime,
    /// The rows, if they are in memory; there is no file then.
    pub(crate) memory: Option<InMemory>,
    /// The bytes, if they come from standard input and are read once.
    pub(crate) stream: Option<Stream>,
}

impl Source {
    /// Returns true for a file of rows, false for a file that is one document and for rows in
    /// memory.
    pub(crate) fn has_rows(&self) -> bool {
        self.memory.is_none() && self.format != Format::Text
    }
}

/// The files that the user named, or rows in memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A file, folder or glob, or `-` for standard input.
    Named(String),
    /// Rows in memory, or a file that was found before.
    Found(Source),
}

impl Input {
    /// Returns true if the input has this name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        matches!(self, Input::Named(own) if own == name)
    }
}

impl From<String> for Input {
    fn from(name: String) -> Input {
        Input::Named(name)
    }
}

impl From<Source> for Input {
    fn from(source: Source) -> Input {
        Input::Found(source)
    }
}

impl Default for Input {
    fn default() -> Input {
        Input::Named(String::new())
    }
}
