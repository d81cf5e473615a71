//! Everything that can go wrong, sorted by what the user can do about it.
//!
//! [`Error`] stops a run. [`Rejection`] is one file or row that cannot be used: with `--on-error fail` it becomes
//! [`Error::Rejected`], with `--on-error skip` it is listed in `rejected.jsonl` and the run goes on.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What stops a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting, or a combination of settings, that cannot be carried out. Nothing was read; change the setting.
    #[error("{setting}: {problem}")]
    Usage {
        /// The setting as the command line spells it, without dashes: `max-distance`.
        setting: String,
        /// What is wrong with it and what would be right.
        problem: String,
    },
    /// The operating system refused a file or folder (missing, no permission, disk full).
    #[error("cannot {doing} {}: {source}{}", path.display(), io_remedy(source))]
    Io {
        /// What was being done: `read`, `write`, `create`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's own reason.
        source: io::Error,
    },
    /// A file or row of the input that cannot be used.
    #[error("{0}; or {way} with --on-error skip", way = way_on(.0))]
    Rejected(#[from] Rejection),
    /// A file that is no input of documents (corpus statistics, pairs, clusters) and is damaged, of another version, made
    /// under other settings, or without the columns it needs.
    #[error("{}: {problem}", path.display())]
    Incompatible {
        /// The file.
        path: PathBuf,
        /// What differs, and how to make a file that fits.
        problem: String,
    },
    /// A corpus in memory that was read for another purpose, or by another recipe, than it is used for. Read it again for that.
    #[error("the corpus does not fit: {0}; read it again for this purpose")]
    Unfit(String),
    /// The user asked to stop.
    #[error("interrupted; no output was written")]
    Interrupted,
}

impl Error {
    /// A [`Error::Usage`] from its two parts.
    pub fn usage(setting: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::Usage { setting: setting.into(), problem: problem.into() }
    }

    /// A setting that names a file or folder which cannot be used; for `map_err`.
    pub fn setting(setting: &'static str, path: impl AsRef<std::path::Path>) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().display().to_string();
        move |error| Error::usage(setting, format!("{path}: {error}"))
    }

    /// Wraps an I/O error with the path it happened on; for `map_err`.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { doing, path, source }
    }
}

fn way_on(rejection: &Rejection) -> &'static str {
    if rejection.row.is_some() { "leave such rows out" } else { "go on without it" }
}

fn io_remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space, or choose another place with --output or --tmp-dir"
        }
        io::ErrorKind::PermissionDenied => "; check the permissions",
        _ => "",
    }
}

/// One file or row of the input that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("{}: {problem}", place(file, row))]
pub struct Rejection {
    /// The input file as the user named it.
    pub file: String,
    /// Row number from 1 (JSON Lines and `--lines`: the line; CSV: the record below the header; Parquet: the row);
    /// `None` where the whole file is meant.
    pub row: Option<u64>,
    /// What is wrong.
    pub problem: Problem,
}

fn place(file: &str, row: &Option<u64>) -> String {
    match row {
        Some(row) => format!("{file}, row {row}"),
        None => file.to_string(),
    }
}

/// What is wrong with a file or row. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Problem {
    /// The row has no such field.
    MissingField {
        /// The field asked for.
        field: String,
    },
    /// The field is there and null.
    NullField {
        /// The field asked for.
        field: String,
    },
    /// The field is there and is not of a usable type.
    WrongType {
        /// The field asked for.
        field: String,
        /// The type wanted, in words: `a string`.
        wanted: Cow<'static, str>,
        /// The type found, in words.
        found: String,
    },
    /// The column is not in the file at all (Parquet, CSV).
    MissingColumn {
        /// The column asked for.
        column: String,
        /// The columns that are there.
        available: Vec<String>,
    },
    /// Several columns of the header have a name that is asked for (Parquet, CSV).
    RepeatedColumn {
        /// Their names, each once.
        columns: Vec<String>,
    },
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
    /// A NUL byte: most likely a binary file, or UTF-16.
    NulByte {
        /// Offset of the byte in the row, from 0.
        offset: usize,
    },
    /// The row is longer than `--max-document-bytes`.
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
    /// The file holds nothing at all.
    EmptyFile,
    /// The file cannot be opened or read.
    Unreadable {
        /// The system's reason.
        reason: String,
    },
    /// The pair was labelled before, and otherwise.
    Contradiction {
        /// The ids of the pair, as JSON.
        pair: String,
        /// Where it was labelled first: file and row.
        first: String,
    },
    /// The id was used before.
    DuplicateId {
        /// The id, as JSON.
        id: String,
        /// Where it was used first: file and row.
        first: String,
    },
}

impl Problem {
    /// A word for programs: `missing_field`, `not_json`, …
    pub fn name(&self) -> &'static str {
        match self {
            Problem::MissingField { .. } => "missing_field",
            Problem::NullField { .. } => "null_field",
            Problem::WrongType { .. } => "wrong_type",
            Problem::MissingColumn { .. } => "missing_column",
            Problem::RepeatedColumn { .. } => "repeated_column",
            Problem::NotJson { .. } => "not_json",
            Problem::NotUtf8 { .. } => "not_utf8",
            Problem::NulByte { .. } => "nul_byte",
            Problem::TooLong { .. } => "too_long",
            Problem::Truncated { .. } => "truncated",
            Problem::Damaged { .. } => "damaged",
            Problem::EmptyFile => "empty_file",
            Problem::Unreadable { .. } => "unreadable",
            Problem::Contradiction { .. } => "contradiction",
            Problem::DuplicateId { .. } => "duplicate_id",
        }
    }
}

/// Names in a list that stays readable, whatever was taken for a header.
fn shortened(names: &[String]) -> String {
    const NAMES: usize = 30;
    const CHARACTERS: usize = 60;
    let cut = |name: &String| match name.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let shown: Vec<String> = names.iter().take(NAMES).map(cut).collect();
    let more = names.len().saturating_sub(NAMES);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::MissingField { field } => {
                write!(f, "no field \"{field}\"; name the right one with --text-field or --id-field")
            }
            Problem::NullField { field } => write!(f, "field \"{field}\" is null; give it a text"),
            Problem::WrongType { field, wanted, found } => {
                write!(f, "field \"{field}\" is {found}, not {wanted}; name another field")
            }
            Problem::MissingColumn { column, available } => write!(
                f,
                "no column \"{column}\"; there are: {}; name the right one with --text-field or --id-field",
                shortened(available)
            ),
            Problem::RepeatedColumn { columns } => write!(
                f,
                "several columns are called \"{}\", so that it cannot be told which one is meant; give each a name of its own",
                columns.join("\", or \"")
            ),
            Problem::NotJson { column, reason } => write!(
                f,
                "not a JSON object (column {column}: {reason}); mend the line, or name the format with --format"
            ),
            Problem::NotUtf8 { offset } => write!(f, "not UTF-8 (byte {offset}); convert the file to UTF-8"),
            Problem::NulByte { offset } => {
                write!(f, "a NUL byte at byte {offset}: binary data or UTF-16 rather than UTF-8 text; convert the file")
            }
            Problem::TooLong { limit } => write!(f, "longer than {limit} bytes; raise --max-document-bytes"),
            Problem::Truncated { reason } => {
                write!(f, "the compressed data is cut off or damaged ({reason}); fetch the file again")
            }
            Problem::Damaged { reason } => {
                write!(f, "damaged ({reason}); fetch the file again, or name the format with --format")
            }
            Problem::EmptyFile => {
                write!(f, "the file is empty; remove it from the input")
            }
            Problem::Unreadable { reason } => {
                write!(f, "cannot be read ({reason}); check the path and its permissions")
            }
            Problem::Contradiction { pair, first } => {
                write!(f, "the pair of {pair} was labelled otherwise before ({first}); keep one of the two rows")
            }
            Problem::DuplicateId { id, first } => {
                write!(f, "id {id} was used before ({first}); make ids unique, or name another --id-field")
            }
        }
    }
}
