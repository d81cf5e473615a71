//! A source -> its documents, by the reader of its format.

use super::columns::{self, ColumnsReader};
use super::delimited::DelimitedReader;
use super::json_lines::JsonLinesReader;
use super::memory::{InMemory, MemoryReader};
use super::rejected::Faults;
use super::{Fault, Format, Options, Source, compression, content, no_tokens, text};
use crate::document::Document;
use crate::error::{Problem, Rejection};
use crate::message::Message;

/// Opens a source. A file that is empty, or has only blank lines or a header, has no documents.
///
/// # Errors
/// [`Rejection`] without a row: no row of the file can be read, or no text field is named.
pub fn read(source: &Source, options: &Options) -> Result<Documents, Rejection> {
    let without_fields = matches!(source.memory, Some(InMemory::Texts(_)))
        || source.memory.is_none() && !source.format.has_fields();
    if let (true, Some(field)) = (without_fields, &options.tokens_field) {
        let problem = no_tokens(field, "absent from plain text");
        return Err(Faults::of(source).rejection(Fault::file(problem)));
    }
    if source.format.has_fields() && options.text_fields.is_empty() {
        let problem = Problem::MissingField {
            field: String::new(),
            setting: "text-field".into(),
            available: Box::default(),
            hint: None,
        };
        return Err(Faults::of(source).rejection(Fault::file(problem)));
    }
    let columns = |reader: ColumnsReader| SourceReader::Columns(Box::new(reader));
    let reader = match (&source.memory, source.format) {
        (Some(InMemory::Texts(texts)), _) => {
            Ok(SourceReader::Memory(MemoryReader::texts(texts, source, options)))
        }
        (Some(InMemory::Documents(own)), _) => {
            Ok(SourceReader::Memory(MemoryReader::documents(own, source, options)))
        }
        (Some(InMemory::Stored(rows)), _) => {
            Ok(SourceReader::Memory(MemoryReader::stored(rows, source, options)))
        }
        (Some(InMemory::Columns(own)), _) => columns::open(own, source, options).map(columns),
        (None, Format::JsonLines) => {
            JsonLinesReader::open(source, options).map(SourceReader::JsonLines)
        }
        (None, Format::Csv | Format::Tsv) => {
            DelimitedReader::open(source, options).map(SourceReader::Delimited)
        }
        (None, Format::Parquet) => columns::open_file(source, options).map(columns),
        (None, Format::Text) => text::WholeFile::open(source, options).map(SourceReader::WholeFile),
        (None, Format::Lines) => text::EachLine::open(source, options).map(SourceReader::EachLine),
    };
    let reader = reader.or_else(|problem| match problem {
        Problem::EmptyFile if source.stream.is_some() => Ok(SourceReader::Empty(0)),
        Problem::EmptyFile => content::hash_of(&source.path)
            .map(SourceReader::Empty)
            .map_err(|error| compression::problem(&error)),
        problem => Err(problem),
    });
    match reader {
        Ok(reader) => Ok(Documents { reader, faults: Faults::of(source), ended: false }),
        Err(problem) => Err(Faults::of(source).rejection(Fault::file(problem))),
    }
}

/// The documents of one source, in order. [`read`] makes it.
pub struct Documents {
    reader: SourceReader,
    faults: Faults,
    ended: bool,
}

enum SourceReader {
    JsonLines(JsonLinesReader),
    Delimited(DelimitedReader),
    Columns(Box<ColumnsReader>),
    Memory(MemoryReader),
    WholeFile(text::WholeFile),
    EachLine(text::EachLine),
    /// The hash of a file without rows.
    Empty(u128),
}

impl Documents {
    /// Reads ahead and parses on all threads of the pool, if the format allows it. The documents do
    /// not change.
    pub(crate) fn read_in_blocks(mut self) -> Documents {
        if let SourceReader::JsonLines(reader) = &mut self.reader {
            reader.read_in_blocks();
        }
        self
    }

    /// The number of bytes read so far, compressed if the file is; for Parquet in proportion to the
    /// rows.
    pub fn bytes_read(&self) -> u64 {
        match &self.reader {
            SourceReader::JsonLines(reader) => reader.bytes_read(),
            SourceReader::Delimited(reader) => reader.bytes_read(),
            SourceReader::Columns(reader) => reader.bytes_read(),
            SourceReader::Memory(_) | SourceReader::Empty(_) => 0,
            SourceReader::WholeFile(reader) => reader.bytes_read(),
            SourceReader::EachLine(reader) => reader.bytes_read(),
        }
    }

    /// A warning about the rows read so far, if there is one.
    pub(crate) fn warning(&self) -> Option<Message> {
        match &self.reader {
            SourceReader::Delimited(reader) => reader.warning(),
            _ => None,
        }
    }

    /// For each text field true if one of the rows so far had it, with a text or null; `None` if
    /// the source has texts without fields.
    pub(crate) fn texts_found(&self) -> Option<Vec<bool>> {
        match &self.reader {
            SourceReader::JsonLines(reader) => Some(reader.texts_found()),
            SourceReader::Delimited(reader) => Some(reader.texts_found()),
            SourceReader::Columns(reader) => reader.texts_found(),
            SourceReader::Memory(_) | SourceReader::WholeFile(_) | SourceReader::EachLine(_) => {
                None
            }
            SourceReader::Empty(_) => None,
        }
    }

    /// The XXH3-128 hash of the whole file, if it is read from beginning to end.
    pub(crate) fn content_hash(&self) -> Option<u128> {
        match &self.reader {
            SourceReader::JsonLines(reader) => Some(reader.content_hash()),
            SourceReader::Delimited(reader) => Some(reader.content_hash()),
            SourceReader::Columns(_) | SourceReader::Memory(_) => None,
            SourceReader::WholeFile(reader) => Some(reader.content_hash()),
            SourceReader::EachLine(reader) => Some(reader.content_hash()),
            SourceReader::Empty(hash) => Some(*hash),
        }
    }
}

impl Iterator for Documents {
    type Item = Result<Document, Rejection>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = match &mut self.reader {
            SourceReader::JsonLines(reader) => reader.next(),
            SourceReader::Delimited(reader) => reader.next(),
            SourceReader::Columns(reader) => reader.next(),
            SourceReader::Memory(reader) => reader.next(),
            SourceReader::WholeFile(reader) => reader.next(),
            SourceReader::EachLine(reader) => reader.next(),
            SourceReader::Empty(_) => None,
        };
        self.ended = item.is_none();
        item.map(|item| {
            item.map_err(|fault| {
                self.ended = fault.row.is_none();
                self.faults.rejection(fault)
            })
        })
    }
}
