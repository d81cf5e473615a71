//! One file or row of the input that cannot be used, and the reason. If `on-error` is `fail` it
//! stops the run; if it is `skip` it is listed in `rejected.jsonl`.

use std::borrow::Cow;
use std::fmt;

use super::hint::{Hint, meant};
use super::names::file_in_words;
use crate::message;
use crate::message::Message;

/// One file or row of the input that cannot be used, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rejection {
    /// The input file as the user named it; `-` for standard input.
    pub file: String,
    /// The row number from 1 (JSON Lines and the format `lines`: the line; CSV: the record below
    /// the header; Parquet: the row); `None` for the whole file.
    pub row: Option<u64>,
    /// The problem.
    pub problem: Problem,
}

impl Rejection {
    /// The place and the problem, in a form that each face spells.
    pub fn message(&self) -> Message {
        let file = file_in_words(&self.file);
        let place = match self.row {
            Some(row) => format!("{file}, row {row}"),
            None => file.to_string(),
        };
        message![place, ": ", self.problem.message()]
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for Rejection {}

/// The problem with a file or row. Its message has the remedy.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Problem {
    /// The row has no such field.
    MissingField {
        /// The wanted field.
        field: String,
        /// The setting that names the field.
        setting: Cow<'static, str>,
        /// The fields of the row; empty if they are not listed. A field inside of another is called
        /// `outer.inner`.
        available: Box<[String]>,
        /// The likely cause, if the row shows it.
        hint: Option<Box<Hint>>,
    },
    /// The field is there and null.
    NullField {
        /// The wanted field.
        field: String,
    },
    /// The id is there and null.
    NullId {
        /// The field of the id.
        field: String,
    },
    /// The field lies in a list without elements.
    EmptyList {
        /// The wanted field.
        field: String,
    },
    /// The field of `tokens-field` has no tokens.
    NoTokens {
        /// The wanted field.
        field: String,
        /// The value in place of tokens, in words.
        found: Cow<'static, str>,
    },
    /// The field has a type that cannot be used.
    WrongType {
        /// The wanted field.
        field: String,
        /// The type wanted, in words: `a string`.
        wanted: Cow<'static, str>,
        /// The type found, in words.
        found: String,
    },
    /// The row lacks the date that an index needs.
    NoDate {
        /// The field of the date.
        field: String,
        /// The value in place of a date, in words.
        found: String,
    },
    /// The row has no date in the field that ranks documents by their dates. It can be used, so
    /// only a check of the input finds this.
    Undated {
        /// The field.
        field: String,
        /// The beginning of its value.
        value: String,
    },
    /// The text field is not one text, but has texts inside.
    HasParts {
        /// The wanted field.
        field: String,
        /// The setting that names the field.
        setting: Cow<'static, str>,
        /// The names of the texts inside: `messages[].content`.
        parts: Box<[String]>,
    },
    /// The field is in the row several times (JSON Lines).
    RepeatedField {
        /// The wanted field.
        field: String,
    },
    /// The file lacks the column (Parquet, CSV).
    MissingColumn {
        /// The wanted column.
        column: String,
        /// The setting that names the column.
        setting: Cow<'static, str>,
        /// The columns of the file.
        available: Box<[String]>,
        /// The likely cause, if the file shows it.
        hint: Option<Box<Hint>>,
    },
    /// Several columns of the header have a wanted name (Parquet, CSV).
    RepeatedColumn {
        /// Their names, each once.
        columns: Vec<String>,
    },
    /// The file is one JSON array, not one object a line.
    JsonArray,
    /// The line is not a JSON object.
    NotJson {
        /// Column (byte) in the line, from 1.
        column: usize,
        /// The parser's reason.
        reason: String,
    },
    /// The bytes are not UTF-8.
    NotUtf8 {
        /// Offset of the first bad byte in the row, from 0.
        offset: usize,
    },
    /// The bytes are not UTF-8, and the file looks like a text in another encoding.
    OtherEncoding {
        /// The name of that encoding.
        likely: String,
    },
    /// The bytes are not valid in the encoding that `encoding` names.
    NotEncoded {
        /// The name of the encoding.
        encoding: String,
    },
    /// The row has a character that its encoding cannot write.
    NotEncodable {
        /// The name of the encoding.
        encoding: String,
    },
    /// The file has a binary format: an archive, a PDF, a database.
    NotText {
        /// The format, in words: `a zip archive`.
        found: Cow<'static, str>,
        /// The remedy, in words: `unpack it first`.
        remedy: Cow<'static, str>,
    },
    /// Standard input is Parquet and is read as text.
    ParquetAsText,
    /// A NUL byte: most likely the file is binary, or UTF-16.
    NulByte {
        /// Offset of the byte in the row, from 0.
        offset: usize,
    },
    /// The row is longer than `max-document-bytes`.
    TooLong {
        /// The limit in bytes.
        limit: u64,
    },
    /// The compressed file ends early, or its data is damaged.
    Truncated {
        /// The decompressor's reason.
        reason: String,
    },
    /// The file is damaged in another way (Parquet, CSV).
    Damaged {
        /// The reader's reason.
        reason: String,
    },
    /// A quoted field has no end, or goes on after it (CSV, TSV).
    BadQuote {
        /// True if the quote is never closed.
        is_open: bool,
        /// The number of lines that the row spans. Most of them may be rows of their own.
        lines: u64,
    },
    /// The file holds no row: it is empty, or has only blank lines or a header.
    EmptyFile,
    /// The file cannot be opened or read.
    Unreadable {
        /// The system's reason.
        reason: String,
    },
    /// The pair was labeled before in another way.
    Contradiction {
        /// The ids of the pair, as JSON.
        pair: String,
        /// The place of the first label: file and row.
        first: String,
    },
    /// An earlier document has the same id.
    DuplicateId {
        /// The id, as JSON.
        id: String,
        /// The place of the earlier document: file and row.
        first: String,
        /// The setting that names the field of the ids, if documents may do without one.
        setting: Option<Cow<'static, str>>,
    },
}

impl Problem {
    /// The problem as one of a reference document, whose remedy is a setting of that side.
    ///
    /// ```
    /// use nearprint::error::Problem;
    /// let missing = Problem::MissingField { field: "text".into(), setting: "text-field".into(), available: ["question".into()].into(), hint: None };
    /// let says = "no field \"text\"; there are: question; name the right one with against-text-field";
    /// assert_eq!(missing.of_against().to_string(), says);
    /// ```
    pub fn of_against(mut self) -> Problem {
        let setting = match &mut self {
            Problem::MissingField { setting, .. }
            | Problem::MissingColumn { setting, .. }
            | Problem::HasParts { setting, .. } => Some(setting),
            Problem::DuplicateId { setting, .. } => setting.as_mut(),
            _ => None,
        };
        if let Some(setting) = setting {
            match &**setting {
                "text-field" => *setting = "against-text-field".into(),
                "id-field" => *setting = "against-id-field".into(),
                _ => {}
            }
        }
        self
    }

    /// The kind of the problem. Two problems of one kind differ only in a value or a place, and their
    /// messages give one hint.
    pub(crate) fn kind(&self) -> String {
        let none = String::new;
        let [of, hint] = match self {
            Problem::MissingField { field, setting, available, hint }
            | Problem::MissingColumn { column: field, setting, available, hint } => {
                [format!("{field}\0{setting}"), meant(field, available, hint.as_deref())]
            }
            Problem::HasParts { field, setting, parts } => {
                [format!("{field}\0{setting}"), parts.join("\0")]
            }
            Problem::NullField { field }
            | Problem::EmptyList { field }
            | Problem::Undated { field, .. }
            | Problem::RepeatedField { field } => [field.clone(), none()],
            Problem::NoTokens { field, found } => [field.clone(), found.to_string()],
            Problem::WrongType { field, found, .. } | Problem::NoDate { field, found } => {
                [field.clone(), found.clone()]
            }
            Problem::Truncated { reason }
            | Problem::Damaged { reason }
            | Problem::Unreadable { reason } => [reason.clone(), none()],
            Problem::BadQuote { is_open, .. } => [is_open.to_string(), none()],
            Problem::OtherEncoding { likely: encoding }
            | Problem::NotEncoded { encoding }
            | Problem::NotEncodable { encoding } => [encoding.clone(), none()],
            Problem::NotText { found, .. } => [found.to_string(), none()],
            _ => [none(), none()],
        };
        // Some kinds share a name.
        format!("{:?}\0{of}\0{hint}", std::mem::discriminant(self))
    }

    /// The number of rows that are lost by it, as far as it tells.
    pub(super) fn rows(&self) -> u64 {
        match self {
            Problem::BadQuote { lines, .. } => *lines,
            _ => 1,
        }
    }

    /// A word for programs: `missing_field`, `not_json`, …
    pub fn name(&self) -> &'static str {
        match self {
            Problem::MissingField { .. } => "missing_field",
            Problem::NullField { .. } | Problem::NullId { .. } | Problem::EmptyList { .. } => {
                "null_field"
            }
            Problem::NoTokens { .. } => "no_tokens",
            Problem::WrongType { .. } => "wrong_type",
            Problem::NoDate { .. } | Problem::Undated { .. } => "no_date",
            Problem::HasParts { .. } => "wrong_type",
            Problem::RepeatedField { .. } => "repeated_field",
            Problem::MissingColumn { .. } => "missing_column",
            Problem::RepeatedColumn { .. } => "repeated_column",
            Problem::JsonArray => "json_array",
            Problem::NotJson { .. } => "not_json",
            Problem::NotUtf8 { .. } | Problem::OtherEncoding { .. } => "not_utf8",
            Problem::NotEncoded { .. } => "not_encoded",
            Problem::NotEncodable { .. } => "not_encodable",
            Problem::NotText { .. } | Problem::ParquetAsText => "not_text",
            Problem::NulByte { .. } => "nul_byte",
            Problem::TooLong { .. } => "too_long",
            Problem::Truncated { .. } => "truncated",
            Problem::Damaged { .. } | Problem::BadQuote { .. } => "damaged",
            Problem::EmptyFile => "empty_file",
            Problem::Unreadable { .. } => "unreadable",
            Problem::Contradiction { .. } => "contradiction",
            Problem::DuplicateId { .. } => "duplicate_id",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}
