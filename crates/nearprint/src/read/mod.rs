//! Input files -> documents.
//!
//! [`find`] turns the names that the user gave (files, folders, globs, standard input) into
//! [`Source`]s; [`read`] turns one source into its [`Document`]s, row by row, in order. A row that
//! cannot be used is a [`Rejection`], and the next row follows. A file that cannot be read on ends
//! with a [`Rejection`] without a row.
//!
//! Memory: one row, bounded by [`Options::max_document_bytes`], and buffers of fixed size; for
//! Parquet a small batch of rows and the pages that hold them. The write room reads the same files
//! again with the same framing, so that row n is the same row in both.
//!
//! ```
//! use nearprint::{document::Id, read};
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("诗.jsonl");
//! std::fs::write(&path, "{\"id\":7,\"text\":\"床前明月光\"}\n\n{\"text\":\"疑是地上霜\"}\n")?;
//! let options = read::Options::default();
//! let inputs = [path.to_string_lossy().into_owned()];
//! let sources = read::find(&inputs, &options, folder.path(), &nearprint::Silent)?;
//! let documents: Vec<_> = read::read(&sources[0], &options)?.collect::<Result<_, _>>()?;
//! assert_eq!((documents[0].id.clone(), documents[0].text.as_str()), (Id::Integer(7), "床前明月光"));
//! assert_eq!(documents[1].id, Id::Text("诗.jsonl:3".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod columns;
pub(crate) mod compression;
pub(crate) mod content;
pub(crate) mod delimited;
mod distinct;
mod format;
mod found_again;
pub(crate) mod frames;
mod inputs;
pub(crate) mod json;
mod json_lines;
pub(crate) mod lines;
mod memory;
pub(crate) mod records;
mod source;
mod standard_input;
pub(crate) mod table;
#[cfg(test)]
pub(crate) mod testing;
mod text;

use columns::ColumnsReader;
pub use columns::expects_panics;
#[cfg(feature = "parquet")]
pub use columns::{as_views, holds_texts, without_dictionary};
use delimited::DelimitedReader;
pub(crate) use format::of_name;
pub use format::{Compression, Delimiter, Format};
pub use found_again::check_not_found_again;
pub(crate) use found_again::resolved;
pub use inputs::find;
pub(crate) use inputs::{Found, find_all, find_table};
use json_lines::JsonLinesReader;
pub(crate) use memory::StoredRows;
use memory::{InMemory, MemoryReader};
pub use source::{Input, Source};
pub(crate) use standard_input::STANDARD_INPUT;

use std::borrow::Cow;

use crate::document::{Document, FieldValue, Id};
use crate::error::{Problem, Rejection};

/// Options of reading: the format of the files and the fields to read.
///
/// ```
/// let options = nearprint::read::Options::default();
/// assert_eq!(options.text_fields, ["text"]);
/// assert_eq!(options.id_field.as_deref(), Some("id"));
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Options {
    /// The format of all input files; `None`: by the name of each file.
    pub format: Option<Format>,
    /// The delimiter of the fields of CSV and TSV; `None`: a comma for CSV, a tab for TSV.
    pub delimiter: Option<Delimiter>,
    /// If true, a file whose name stands for a format with fields has that format, and `format` is
    /// that of the other files.
    pub names_first: bool,
    /// The fields that make up the text, joined with a line feed.
    pub text_fields: Vec<String>,
    /// The field that holds the id. A row without it is called `NAME:ROW`, and so is every row if
    /// this is `None`.
    pub id_field: Option<String>,
    /// The fields whose values are kept, each once: the fields of `keep`, `same` and `differ`.
    pub kept_fields: Vec<String>,
    /// The field with the tokens of the document, the last of the kept fields, if documents bring
    /// their own tokens.
    pub tokens_field: Option<String>,
    /// If true, all columns of Parquet are decoded. A row with damage in another column is then
    /// rejected here, not discovered when it is copied.
    pub whole_rows: bool,
    /// The largest size of a line, record, file or value taken as one document, inclusive.
    pub max_document_bytes: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            format: None,
            delimiter: None,
            names_first: false,
            text_fields: vec!["text".to_string()],
            id_field: Some("id".to_string()),
            kept_fields: Vec::new(),
            tokens_field: None,
            whole_rows: false,
            // Longer than any book, and short enough for the buffers of two threads.
            max_document_bytes: 64 << 20,
        }
    }
}

impl Options {
    /// The format of a file whose name stands for `by_name`.
    fn format_of(&self, by_name: Option<Format>) -> Option<Format> {
        let first = by_name.filter(|format| self.names_first && format.has_fields());
        first.or(self.format).or(by_name)
    }
}

/// Opens a source. An error here concerns the whole file; nothing of it can be read.
pub fn read(source: &Source, options: &Options) -> Result<Documents, Rejection> {
    let without_fields = matches!(source.memory, Some(InMemory::Texts(_)))
        || source.memory.is_none() && !source.format.has_fields();
    if let (true, Some(field)) = (without_fields, &options.tokens_field) {
        let problem = no_tokens(field, "absent from plain text");
        return Err(Rejection { file: source.label.clone(), row: None, problem });
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
    match reader {
        Ok(reader) => {
            // A source in memory may have no rows, and a text file is a document whatever it holds.
            let may_be_empty = source.memory.is_some() || source.format == Format::Text;
            Ok(Documents { reader, file: source.label.clone(), ended: false, some: may_be_empty })
        }
        Err(problem) => Err(Rejection { file: source.label.clone(), row: None, problem }),
    }
}

/// The documents of one source, in order; made by [`read`].
pub struct Documents {
    reader: SourceReader,
    file: String,
    ended: bool,
    /// True if there was a row, or none is needed.
    some: bool,
}

enum SourceReader {
    JsonLines(JsonLinesReader),
    Delimited(DelimitedReader),
    Columns(Box<ColumnsReader>),
    Memory(MemoryReader),
    WholeFile(text::WholeFile),
    EachLine(text::EachLine),
}

impl Documents {
    /// Reads ahead and parses on all threads of the pool, if the format allows it. The documents
    /// are the same.
    pub(crate) fn read_in_blocks(mut self) -> Documents {
        if let SourceReader::JsonLines(reader) = &mut self.reader {
            reader.read_in_blocks();
        }
        self
    }

    /// The number of bytes of the file read so far, as they lie on disk (compressed); for Parquet
    /// in proportion to the rows.
    pub fn bytes_read(&self) -> u64 {
        match &self.reader {
            SourceReader::JsonLines(reader) => reader.bytes_read(),
            SourceReader::Delimited(reader) => reader.bytes_read(),
            SourceReader::Columns(reader) => reader.bytes_read(),
            SourceReader::Memory(_) => 0,
            SourceReader::WholeFile(reader) => reader.bytes_read(),
            SourceReader::EachLine(reader) => reader.bytes_read(),
        }
    }

    /// XXH3-128 of the whole file, if it is read from beginning to end.
    pub(crate) fn content_hash(&self) -> Option<u128> {
        match &self.reader {
            SourceReader::JsonLines(reader) => Some(reader.content_hash()),
            SourceReader::Delimited(reader) => Some(reader.content_hash()),
            SourceReader::Columns(_) | SourceReader::Memory(_) => None,
            SourceReader::WholeFile(reader) => Some(reader.content_hash()),
            SourceReader::EachLine(reader) => Some(reader.content_hash()),
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
        };
        let item = item.or_else(|| {
            self.ended = true;
            // A file without a row may be empty, or have only blank lines or a header.
            (!self.some).then(|| Err(Fault::file(Problem::EmptyFile)))
        });
        self.some = true;
        item.map(|item| {
            item.map_err(|Fault { row, problem }| {
                self.ended = row.is_none();
                Rejection { file: self.file.clone(), row, problem }
            })
        })
    }
}

/// A rejection that does not name its file yet. Without a row it concerns the file and ends it.
#[derive(Debug)]
pub(crate) struct Fault {
    pub row: Option<u64>,
    pub problem: Problem,
}

impl Fault {
    pub fn row(row: u64, problem: Problem) -> Fault {
        Fault { row: Some(row), problem }
    }

    pub fn file(problem: Problem) -> Fault {
        Fault { row: None, problem }
    }
}

/// The id of a row without an id of its own.
pub(crate) fn row_id(name: &str, row: u64) -> Id {
    Id::Text(format!("{name}:{row}"))
}

/// The bytes as text. A NUL byte is looked for first, so that UTF-16 is reported by its name.
fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    // `contains` searches a word at a time, `position` a byte.
    if bytes.contains(&0) {
        let offset = bytes.iter().position(|&byte| byte == 0).unwrap_or_default();
        return Err(Problem::NulByte { offset });
    }
    std::str::from_utf8(bytes).map_err(|error| Problem::NotUtf8 { offset: error.valid_up_to() })
}

/// The tokens of a string, which white space separates.
fn tokens_of(text: &str) -> FieldValue {
    FieldValue::Tokens(text.split_whitespace().map(str::to_string).collect())
}

/// The problem of a row, or of a whole file, without tokens.
fn no_tokens(field: &str, found: impl Into<Cow<'static, str>>) -> Problem {
    Problem::NoTokens { field: field.to_string(), found: found.into() }
}

/// The text fields of one row as one text, without null fields; `None` if all are null.
fn join_texts<'a>(texts: impl Iterator<Item = Option<Cow<'a, str>>>) -> Option<String> {
    let mut joined: Option<String> = None;
    for text in texts.flatten() {
        match &mut joined {
            None => joined = Some(text.into_owned()),
            Some(joined) => {
                joined.push('\n');
                joined.push_str(&text);
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::testing::{compress, documents, messages, options, readable, rejection, source};
    use super::*;

    fn rows(count: usize) -> Vec<u8> {
        (0..count).flat_map(|row| format!("{{\"text\":\"第{row}行\"}}\n").into_bytes()).collect()
    }

    #[test]
    fn compressed_files_are_read_whole_in_several_parts() {
        for name in ["a.jsonl.gz", "a.jsonl.zst"] {
            let bytes = [
                compress(name, b"\xef\xbb\xbf{\"text\":\"a\"}\n{\"te"),
                compress(name, b"xt\":\"b\"}"),
            ]
            .concat();
            let found = documents(name, &bytes, &options());
            let texts: Vec<_> = found.into_iter().map(|document| document.unwrap().text).collect();
            assert_eq!(texts, ["a", "b"], "{name}");
        }
    }

    #[test]
    fn a_cut_off_file_gives_its_rows_and_then_says_so() {
        for name in ["a.jsonl.gz", "a.jsonl.zst", "a.csv.gz", "a.csv.zst", "a.txt.gz", "a.txt.zst"]
        {
            let plain =
                if name.contains("csv") { b"text\n".repeat(200_000) } else { rows(100_000) };
            let bytes = compress(name, &plain);
            let found = documents(name, &bytes[..bytes.len() - 5], &options());
            let (last, before) = found.split_last().unwrap();
            let last = last.as_ref().unwrap_err();
            assert_eq!((last.row, last.problem.name()), (None, "truncated"), "{name}");
            assert!(
                last.to_string().starts_with(&format!(
                    "{name}: the compressed data is incomplete or damaged ("
                ))
            );
            assert!(before.iter().all(Result::is_ok));
            assert!(before.len() > 10_000 || name.contains("txt"), "{name}");
        }
    }

    #[test]
    fn damaged_data_is_told_from_a_bad_row() {
        for name in ["a.jsonl.gz", "a.jsonl.zst"] {
            let found = documents(name, b"{\"text\":\"not compressed\"}\n", &options());
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].as_ref().unwrap_err().problem.name(), "truncated");
        }
    }

    #[test]
    fn a_file_without_a_row_is_refused_whatever_else_it_holds() {
        let without_a_row: [(&str, &[u8]); 11] = [
            ("a.jsonl", b""),
            ("a.jsonl", b"\xef\xbb\xbf"),
            ("a.jsonl", b"\n \t\r\n\n"),
            ("a.jsonl.gz", b""),
            ("a.jsonl.zst", b"\n"),
            ("a.csv", b""),
            ("a.csv", b"\n\r\n"),
            ("a.csv", b"id,text"),
            ("a.csv.zst", b"id,text\n\n\n"),
            ("a.tsv", b"\xef\xbb\xbfid\ttext\r\n"),
            ("a.parquet", b""),
        ];
        for (name, bytes) in
            without_a_row.into_iter().filter(|(name, _)| !readable(&[name]).is_empty())
        {
            let found = documents(name, &compress(name, bytes), &options());
            assert_eq!(found, [rejection(name, None, Problem::EmptyFile)], "{name} {bytes:?}");
            assert_eq!(
                messages(&found),
                [format!("{name}: the file has no rows; remove it from the input")]
            );
        }
        // A refused row counts as a row, and so does an empty line of the format `lines`.
        assert_eq!(documents("a.jsonl", b"\nno\n", &options()).len(), 1);
        let lines = Options { format: Some(Format::Lines), ..options() };
        assert_eq!(documents("a.txt", b"\n", &lines)[0].as_ref().unwrap().text, "");
        assert_eq!(
            documents("a.txt.gz", &compress("a.txt.gz", b""), &options())[0].as_ref().unwrap().text,
            ""
        );
    }

    #[test]
    fn a_file_that_is_gone_is_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        for name in readable(&["a.jsonl", "a.csv", "a.txt", "a.parquet"]) {
            let source = source(folder.path(), name, b"x", &options());
            std::fs::remove_file(&source.path).unwrap();
            let rejection = read(&source, &options()).err().unwrap();
            assert_eq!((rejection.row, rejection.problem.name()), (None, "unreadable"), "{name}");
        }
    }

    #[test]
    fn progress_reaches_the_size_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.txt"] {
            let source = source(folder.path(), name, &compress(name, &rows(50_000)), &options());
            let mut documents = read(&source, &options()).unwrap();
            assert!(documents.next().is_some());
            while documents.next().is_some() {}
            assert_eq!(documents.bytes_read(), source.bytes, "{name}");
            assert!(documents.next().is_none());
        }
    }

    #[test]
    fn documents_can_be_read_on_another_thread() {
        fn sent<T: Send>() {}
        sent::<Documents>();
    }
}
