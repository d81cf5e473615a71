//! A problem with a file or row -> a message with its remedy, which each face spells.

use super::hint::{Hint, missing, there_are};
use super::names::shortened;
use super::rejection::Problem;
use crate::field::alternatives;
use crate::message;
use crate::message::{Message, Setting};

impl Problem {
    /// The problem and its remedy, in a form that each face spells.
    pub fn message(&self) -> Message {
        let format = Setting::named("format");
        match self {
            Problem::MissingField { field, setting, available, hint } => {
                let longest = match hint.as_deref() {
                    Some(Hint::Longest(longest)) => Some(longest.as_str()),
                    _ => None,
                };
                let missing = missing("field", field, setting.clone(), available, longest);
                match &**setting {
                    // Only an index needs ids.
                    "id-field" => message![
                        missing,
                        ", or call documents FILE:ROW with ",
                        Setting::with("id-field", "off")
                    ],
                    _ => missing,
                }
            }
            Problem::NullField { field } => {
                message!["field \"", field, "\" is null; give it a text"]
            }
            Problem::NullId { field } => message![
                "field \"",
                field,
                "\" is null; give every row an id, or number the rows with ",
                Setting::with("id-field", "off")
            ],
            Problem::EmptyList { field } => {
                message![
                    "the list of field \"",
                    field,
                    "\" has no elements; give it one with a text"
                ]
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
            Problem::NoDate { field, found } => message![
                "field \"",
                field,
                "\" is ",
                found,
                ", not a date such as 2026-11-24T12:00:00Z; give the row a date, or create a new \
                 index with another ",
                Setting::named("date-field")
            ],
            Problem::Undated { field, value } => message![
                format!(
                    "the field \"{field}\", which ranks documents, has \"{value}\", which is no \
                     date and ranks below all dates; write dates like 2026-01-31T09:00:00Z, or rank \
                     numbers and text with "
                ),
                Setting::with("keep", format!("highest:{field}"))
            ],
            Problem::HasParts { field, setting, parts } => message![
                "field \"",
                field,
                "\" is not one text; name a text inside, with ",
                Setting::named(setting.clone()),
                ": ",
                shortened(parts)
            ],
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
                        match alternatives(column).iter().any(|own| available.contains(own)) {
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
                message![
                    "not UTF-8 (byte ",
                    *offset,
                    "): the bytes are damaged, or in another encoding; repair the row, or \
                     convert the file to UTF-8"
                ]
            }
            Problem::OtherEncoding { likely } => message![
                "the text is not UTF-8; it looks like ",
                likely,
                ": try ",
                Setting::with("encoding", likely.clone()),
                ", or, if files have several encodings, ",
                Setting::with("encoding", "auto")
            ],
            Problem::NotEncoded { encoding } => message![
                "the text is not valid ",
                encoding,
                "; repair it, name another encoding with ",
                Setting::named("encoding"),
                ", or, if files have several encodings, try ",
                Setting::with("encoding", "auto")
            ],
            Problem::NotEncodable { encoding } => message![
                "the row as it is to be written has a character that ",
                encoding,
                " lacks; convert the file to UTF-8"
            ],
            Problem::NotText { found, remedy } => {
                message!["this is ", &**found, ": ", &**remedy]
            }
            Problem::ParquetAsText => {
                message![
                    "this is a Parquet file; read it with ",
                    Setting::with("format", "parquet")
                ]
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
            Problem::BadQuote { is_open, lines } => {
                let wrong = match is_open {
                    true => "a quote at the beginning of a field is never closed",
                    false => "a quoted field continues after its closing quote",
                };
                let lines = format!("{lines} {}", if *lines == 1 { "line" } else { "lines" });
                message![
                    format!(
                        "damaged ({wrong}; the row spans {lines}); if quotes are letters in this \
                         file, read it with "
                    ),
                    Setting::with("quote", "none"),
                    "; or quote fields that contain quotes, and double the quotes in them"
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
                        // The remedy changes one side alone where a setting can.
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

/// A delimiter of a setting, in words.
fn in_words(delimiter: &str) -> String {
    if delimiter == "tab" { "tabs".to_string() } else { format!("\"{delimiter}\"") }
}
