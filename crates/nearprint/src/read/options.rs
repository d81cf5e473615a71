//! The options of reading: the format of the files and the fields to read.

use super::{Delimiter, Encoding, Escape, Format, Quote};

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
    /// The quote of the fields of CSV and TSV; `None`: the double quote, or none in a file whose
    /// beginning shows that quotes are letters.
    pub quote: Option<Quote>,
    /// The escape in quoted fields of CSV and TSV; `None`: a quote is doubled only.
    pub escape: Option<Escape>,
    /// The character encoding of text formats; `None`: UTF-8.
    pub encoding: Option<Encoding>,
    /// Patterns of files that are left out of folders and globs: of the name of the file, or of its
    /// path below the folder.
    pub exclude: Vec<String>,
    /// If true, a file whose name stands for a format with fields has that format, and `format` is
    /// that of the other files.
    pub names_first: bool,
    /// The fields that make up the text, joined with a line feed. The names of all fields may have
    /// alternatives and lie inside of others, as [`field`](crate::field) describes.
    pub text_fields: Vec<String>,
    /// The field that holds the id. A row without it is called `NAME:ROW`, and so is every row if
    /// this is `None`.
    pub id_field: Option<String>,
    /// The fields whose values are kept: that of `keep`, and those of `same` and `differ`.
    pub kept_fields: Vec<String>,
    /// The number of kept fields, from the first, in which a text of CSV that reads as a number is
    /// one. In the others it stays as it is written.
    pub numeric_fields: usize,
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
            quote: None,
            escape: None,
            encoding: None,
            exclude: Vec::new(),
            names_first: false,
            text_fields: vec!["text".to_string()],
            id_field: Some("id".to_string()),
            kept_fields: Vec::new(),
            numeric_fields: usize::MAX,
            tokens_field: None,
            whole_rows: false,
            // Longer than any book, and short enough for the buffers of two threads.
            max_document_bytes: 64 << 20,
        }
    }
}

impl Options {
    /// The format of a file whose name stands for `by_name`.
    pub(super) fn format_of(&self, by_name: Option<Format>) -> Option<Format> {
        let first = by_name.filter(|format| self.names_first && format.has_fields());
        first.or(self.format).or(by_name)
    }
}
