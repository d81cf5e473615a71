//! One file or row of the input that cannot be used, and why. Where `on-error` is `fail` it stops
//! the run, where it is `skip` it is listed in `rejected.jsonl`.

use std::borrow::Cow;
use std::fmt;

use super::guess::nearest;
use crate::message;
use crate::message::{Message, Setting};

/// One file or row of the input that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rejection {
    /// The input file as the user named it.
    pub file: String,
    /// Row number from 1 (JSON Lines and the format `lines`: the line; CSV: the record below the
    /// header; Parquet: the row); `None` where the whole file is meant.
    pub row: Option<u64>,
    /// The problem.
    pub problem: Problem,
}

impl Rejection {
    /// Where, and what is wrong, for each face to spell.
    pub fn message(&self) -> Message {
        let place = match self.row {
            Some(row) => format!("{}, row {row}", self.file),
            None => self.file.clone(),
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

/// The problem with a file or row. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Problem {
    /// The row has no such field.
    MissingField {
        /// The field asked for.
        field: String,
        /// The setting that names it.
        setting: Cow<'static, str>,
        /// The fields that are there; none where they are not told. A field inside of another is
        /// called `outer.inner`.
        available: Box<[String]>,
        /// What may have gone wrong, as far as the row tells.
        hint: Option<Box<Hint>>,
    },
    /// The field is there and null.
    NullField {
        /// The field asked for.
        field: String,
    },
    /// The field that `tokens-field` names has no tokens.
    NoTokens {
        /// The field asked for.
        field: String,
        /// What is there instead, in words.
        found: Cow<'static, str>,
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
    /// The field is in the row several times (JSON Lines).
    RepeatedField {
        /// The field asked for.
        field: String,
    },
    /// The column is not in the file at all (Parquet, CSV).
    MissingColumn {
        /// The column asked for.
        column: String,
        /// The setting that names it.
        setting: Cow<'static, str>,
        /// The columns that are there.
        available: Box<[String]>,
        /// What may have gone wrong, as far as the file tells.
        hint: Option<Box<Hint>>,
    },
    /// Several columns of the header have a name that is asked for (Parquet, CSV).
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
    /// A NUL byte: most likely a binary file, or UTF-16.
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
    /// The file holds no row: nothing at all, blank lines, or a header alone.
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
        /// The setting that names the field of the ids, where documents may do without one.
        setting: Option<Cow<'static, str>>,
    },
}

/// What may have gone wrong where a field or column is not there.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Hint {
    /// This one is meant: its text is by far the longest of the row, or of the first one.
    Longest(String),
    /// Something else stands between the fields.
    Delimiter {
        /// As the setting `delimiter` has it.
        delimiter: String,
        /// The columns that are there then.
        available: Vec<String>,
    },
    /// There is no header, but a first row; this one would do.
    Header(String),
}

impl Problem {
    /// The same of a document that the others are only compared with: the remedy is a setting of
    /// that side.
    ///
    /// ```
    /// use nearprint::error::Problem;
    /// let missing = Problem::MissingField { field: "text".into(), setting: "text-field".into(), available: ["question".into()].into(), hint: None };
    /// let says = "no field \"text\"; there are: question; name the right one with against-text-field";
    /// assert_eq!(missing.of_against().to_string(), says);
    /// ```
    pub fn of_against(mut self) -> Problem {
        let setting = match &mut self {
            Problem::MissingField { setting, .. } | Problem::MissingColumn { setting, .. } => {
                Some(setting)
            }
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

    /// The same for two problems that are of one kind: the same is wrong, be it with another value
    /// or in another place.
    pub(crate) fn kind(&self) -> String {
        let of: [&str; 2] = match self {
            Problem::MissingField { field, setting, .. } => [field, setting],
            Problem::NullField { field } | Problem::RepeatedField { field } => [field, ""],
            Problem::NoTokens { field, found } => [field, found],
            Problem::WrongType { field, found, .. } => [field, found],
            Problem::MissingColumn { column, setting, .. } => [column, setting],
            Problem::Truncated { reason }
            | Problem::Damaged { reason }
            | Problem::Unreadable { reason } => [reason, ""],
            _ => ["", ""],
        };
        format!("{}\0{}\0{}", self.name(), of[0], of[1])
    }

    /// A word for programs: `missing_field`, `not_json`, …
    pub fn name(&self) -> &'static str {
        match self {
            Problem::MissingField { .. } => "missing_field",
            Problem::NullField { .. } => "null_field",
            Problem::NoTokens { .. } => "no_tokens",
            Problem::WrongType { .. } => "wrong_type",
            Problem::RepeatedField { .. } => "repeated_field",
            Problem::MissingColumn { .. } => "missing_column",
            Problem::RepeatedColumn { .. } => "repeated_column",
            Problem::JsonArray => "json_array",
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

/// The names that are there, as far as they are known.
fn there_are(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; there are: {}", shortened(names)) }
}

/// A delimiter as a setting has it, in words.
fn in_words(delimiter: &str) -> String {
    if delimiter == "tab" { "tabs".to_string() } else { format!("\"{delimiter}\"") }
}

/// A name that is not there, with the one that may be meant: the nearest by its letters, or that of
/// the longest text.
fn missing(
    kind: &str,
    name: &str,
    setting: Cow<'static, str>,
    available: &[String],
    longest: Option<&str>,
) -> Message {
    let named = format!("no {kind} \"{name}\"{}", guessed(name, available, longest));
    message![named, "; name the right one with ", Setting::named(setting)]
}

/// The name that may be meant, and all that are there.
pub(super) fn guessed(name: &str, available: &[String], longest: Option<&str>) -> String {
    let there = there_are(available);
    match (nearest(name, available), longest) {
        (Some(near), _) => format!("; did you mean \"{near}\"? {}", there.trim_start_matches("; ")),
        (None, Some(longest)) => {
            format!("; did you mean \"{longest}\"? its text is by far the longest{there}")
        }
        (None, None) => there,
    }
}

/// The field of the longest text, where it has at least 20 characters and three times as many as
/// any other: a text among ids, dates and links.
pub(crate) fn by_far_the_longest<'n>(
    texts: impl Iterator<Item = (&'n str, usize)>,
) -> Option<String> {
    let mut longest: [(&str, usize); 2] = [("", 0), ("", 0)];
    for text in texts {
        if text.1 > longest[0].1 {
            longest = [text, longest[0]];
        } else if text.1 > longest[1].1 {
            longest[1] = text;
        }
    }
    let [(name, length), (_, second)] = longest;
    (length >= 20 && length >= 3 * second).then(|| name.to_string())
}

/// Names in a list that stays readable, whatever was taken for a header.
fn shortened(names: &[String]) -> String {
    first(30, names)
}

/// A few names, and how many more there are.
pub(super) fn some_of(names: &[String]) -> String {
    first(3, names)
}

fn first(most: usize, names: &[String]) -> String {
    const CHARACTERS: usize = 60;
    let cut = |name: &String| match name.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.clone(),
    };
    let shown: Vec<String> = names.iter().take(most).map(cut).collect();
    let more = names.len().saturating_sub(most);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

impl Problem {
    /// The problem and its remedy, for each face to spell.
    pub fn message(&self) -> Message {
        let format = Setting::named("format");
        match self {
            Problem::MissingField { field, setting, available, hint } => {
                let longest = match hint.as_deref() {
                    Some(Hint::Longest(longest)) => Some(longest.as_str()),
                    _ => None,
                };
                missing("field", field, setting.clone(), available, longest)
            }
            Problem::NullField { field } => {
                message!["field \"", field, "\" is null; give it a text"]
            }
            Problem::NoTokens { field, found } => message![
                "field \"",
                field,
                "\" is ",
                &**found,
                ", not a list of strings; give every row its tokens, or name another field with ",
                Setting::named("tokens-field")
            ],
            Problem::WrongType { field, wanted, found } => {
                message![
                    "field \"",
                    field,
                    "\" is ",
                    found,
                    ", not ",
                    &**wanted,
                    "; name another field"
                ]
            }
            Problem::RepeatedField { field } => {
                message!["the row has the field \"", field, "\" twice; remove one of them"]
            }
            Problem::MissingColumn { column, setting, available, hint } => {
                let right = Setting::named(setting.clone());
                match hint.as_deref() {
                    None => missing("column", column, setting.clone(), available, None),
                    Some(Hint::Longest(longest)) => {
                        missing("column", column, setting.clone(), available, Some(longest))
                    }
                    Some(Hint::Delimiter { delimiter, available }) => {
                        let divided = format!(
                            "no column \"{column}\"; the fields of the header are separated by {}",
                            in_words(delimiter)
                        );
                        let read = Setting::with("delimiter", delimiter.clone());
                        match available.contains(column) {
                            true => message![divided, "; read the file with ", read],
                            false => {
                                let there = shortened(available);
                                message![
                                    divided,
                                    "; read the file with ",
                                    read,
                                    ", and name one of ",
                                    there,
                                    " with ",
                                    right
                                ]
                            }
                        }
                    }
                    Some(Hint::Header(header)) => {
                        let named = format!("no column \"{column}\"{}", there_are(available));
                        let values =
                            "; these look like values, not like names: add a header, such as ";
                        message![named, values, header, ", or name the right one with ", right]
                    }
                }
            }
            Problem::RepeatedColumn { columns } => message![
                "several columns have the name \"",
                columns.join("\", or \""),
                "\"; give each column its own name"
            ],
            Problem::JsonArray => message![
                "the file is one JSON array, not one object per line; convert it with jq -c '.[]', \
                 or with python3 -c 'import json, sys; [print(json.dumps(row)) for row in \
                 json.load(sys.stdin)]'"
            ],
            Problem::NotJson { column, reason } => message![
                format!(
                    "not a JSON object (column {column}: {reason}); fix the line, or name the \
                     format with "
                ),
                format
            ],
            Problem::NotUtf8 { offset } => {
                message!["not UTF-8 (byte ", *offset, "); convert the file to UTF-8"]
            }
            Problem::NulByte { offset } => message![
                "NUL byte at byte ",
                *offset,
                ": the file is binary or UTF-16; convert it to UTF-8"
            ],
            Problem::TooLong { limit } => {
                message![
                    "longer than ",
                    *limit,
                    " bytes; raise ",
                    Setting::named("max-document-bytes")
                ]
            }
            Problem::Truncated { reason } => {
                message![
                    "the compressed data is incomplete or damaged (",
                    reason,
                    "); fetch the file again"
                ]
            }
            Problem::Damaged { reason } => {
                message![
                    "damaged (",
                    reason,
                    "); fetch the file again, or name the format with ",
                    format
                ]
            }
            Problem::EmptyFile => message!["the file has no rows; remove it from the input"],
            Problem::Unreadable { reason } => {
                message!["cannot be read (", reason, "); check the path and its permissions"]
            }
            Problem::Contradiction { pair, first } => {
                message![
                    "the pair ",
                    pair,
                    " has another label (",
                    first,
                    "); keep one of the two rows"
                ]
            }
            Problem::DuplicateId { id, first, setting } => {
                let used = message!["id ", id, " was used before (", first, "); make ids unique, "];
                match setting {
                    None => message![used, "or name another ", Setting::named("id-field")],
                    Some(setting) => message![
                        used,
                        "name another ",
                        Setting::named(setting.clone()),
                        ", or number the documents with ",
                        // Of one side alone where it can be said of one.
                        match &**setting {
                            "id-field" => Setting::with("ids", "file-row"),
                            _ => Setting::with(setting.clone(), "off"),
                        }
                    ],
                }
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}
