//! The parts of a row that the readers of all formats share: its fault, its id, its text, its
//! tokens.

use std::borrow::Cow;

use crate::document::{FieldValue, Id};
use crate::error::Problem;

/// A rejection that does not name its file yet. A fault without a row ends the file.
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

/// The bytes as text. A NUL byte is looked for first, so that UTF-16 is reported as such.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    // `contains` searches a word at a time, and `position` a byte.
    if bytes.contains(&0) {
        let offset = bytes.iter().position(|&byte| byte == 0).unwrap_or_default();
        return Err(Problem::NulByte { offset });
    }
    std::str::from_utf8(bytes).map_err(|error| Problem::NotUtf8 { offset: error.valid_up_to() })
}

/// The tokens of a string that are separated by white space.
pub(super) fn tokens_of(text: &str) -> FieldValue {
    FieldValue::Tokens(text.split_whitespace().map(str::to_string).collect())
}

/// The problem of a row, or of a whole file, without tokens.
pub(super) fn no_tokens(field: &str, found: impl Into<Cow<'static, str>>) -> Problem {
    Problem::NoTokens { field: field.to_string(), found: found.into() }
}

/// The text fields of one row as one text, without null fields; `None` if all are null.
pub(super) fn join_texts<'a>(texts: impl Iterator<Item = Option<Cow<'a, str>>>) -> Option<String> {
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
