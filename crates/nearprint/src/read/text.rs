//! Text files -> documents: the whole file as one document, or each line as one.

use std::io::Read;

use super::content::Content;
use super::frames::{Frames, Kind};
use super::{Fault, Options, Source, compression, row_id, utf8};
use crate::document::Document;
use crate::error::Problem;

/// Reads a file as one document. An empty file is an empty document.
pub(crate) struct WholeFile {
    input: Option<compression::Input>,
    name: String,
    limit: u64,
    content: Content,
}

impl WholeFile {
    pub fn open(source: &Source, options: &Options) -> Result<WholeFile, Problem> {
        let input = compression::open(source)?;
        let content = input.content.clone();
        Ok(WholeFile {
            input: Some(input),
            name: source.name.clone(),
            limit: options.max_document_bytes,
            content,
        })
    }

    pub fn bytes_read(&self) -> u64 {
        self.content.bytes_read()
    }

    pub fn content_hash(&self) -> u128 {
        self.content.hash()
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        let input = self.input.take()?;
        let mut bytes = Vec::new();
        if let Err(error) = input.bytes.take(self.limit.saturating_add(1)).read_to_end(&mut bytes) {
            return Some(Err(Fault::file(compression::problem(&error))));
        }
        if bytes.len() as u64 > self.limit {
            return Some(Err(Fault::row(1, Problem::TooLong { limit: self.limit })));
        }
        Some(document(&bytes, 1, &self.name).map_err(|problem| Fault::row(1, problem)))
    }
}

/// Reads each line as one document, empty lines too.
pub(crate) struct EachLine {
    frames: Frames,
    name: String,
    limit: u64,
}

impl EachLine {
    pub fn open(source: &Source, options: &Options) -> Result<EachLine, Problem> {
        let frames = Frames::open(source, options)?;
        Ok(EachLine { frames, name: source.name.clone(), limit: options.max_document_bytes })
    }

    pub fn bytes_read(&self) -> u64 {
        self.frames.bytes_read()
    }

    pub fn content_hash(&self) -> u128 {
        self.frames.content_hash()
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        let frame = match self.frames.next() {
            Ok(frame) => frame?,
            Err(error) => return Some(Err(Fault::file(compression::problem(&error)))),
        };
        let row = frame.number;
        let document = match frame.kind {
            Kind::TooLong => Err(Problem::TooLong { limit: self.limit }),
            Kind::Row | Kind::Blank => document(frame.content(), row, &self.name),
        };
        Some(document.map_err(|problem| Fault::row(row, problem)))
    }
}

fn document(bytes: &[u8], row: u64, name: &str) -> Result<Document, Problem> {
    let text = utf8(bytes)?.to_string();
    Ok(Document { row, id: row_id(name, row), text, fields: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Id;
    use crate::read::Format;
    use crate::read::testing::{documents, options, rejection};

    #[test]
    fn a_text_file_is_one_document() {
        let found = documents("诗.txt", "\u{feff}一\r\n\n二".as_bytes(), &options());
        let expected = Document {
            row: 1,
            id: Id::Text("诗.txt:1".into()),
            text: "一\r\n\n二".into(),
            fields: Vec::new(),
        };
        assert_eq!(found, [Ok(expected)]);
        assert_eq!(documents("a.txt", b"", &options())[0].as_ref().unwrap().text, "");
        let small = Options { max_document_bytes: 3, ..options() };
        assert_eq!(documents("a.txt", b"abc", &small)[0].as_ref().unwrap().text, "abc");
        assert_eq!(
            documents("a.txt", b"abcd", &small),
            [rejection("a.txt", Some(1), Problem::TooLong { limit: 3 })]
        );
        assert_eq!(
            documents("a.txt", b"ab\xff", &options()),
            [rejection("a.txt", Some(1), Problem::NotUtf8 { offset: 2 })]
        );
        assert_eq!(
            documents("a.txt", b"\xff\xfea\0", &options()),
            [rejection("a.txt", Some(1), Problem::OtherEncoding { likely: "UTF-16LE".into() })]
        );
    }

    #[test]
    fn each_line_is_a_document_and_empty_lines_count() {
        let lines = Options { format: Some(Format::Lines), max_document_bytes: 4, ..options() };
        let found = documents("a.txt", b"\xef\xbb\xbfa\r\n\n12345\nb\0\nc", &lines);
        assert_eq!(found.len(), 5);
        assert_eq!(found[0].as_ref().unwrap().text, "a");
        assert_eq!(found[1].as_ref().unwrap().text, "");
        assert_eq!(found[2], rejection("a.txt", Some(3), Problem::TooLong { limit: 4 }));
        assert_eq!(found[3], rejection("a.txt", Some(4), Problem::NulByte { offset: 1 }));
        assert_eq!(found[4].as_ref().unwrap().id, Id::Text("a.txt:5".into()));
        assert_eq!(documents("a.txt", b"", &lines), []);
    }
}
