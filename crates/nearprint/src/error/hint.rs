//! A missing field or column -> its likely cause, and the name that is probably meant.

use std::borrow::Cow;

use super::guess::nearest;
use super::names::shortened;
use crate::message;
use crate::message::{Message, Setting};

/// The likely cause of a missing field or column.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Hint {
    /// This field is meant: its text is by far the longest of the row, or of the first row.
    Longest(String),
    /// Another delimiter separates the fields.
    Delimiter {
        /// The delimiter in the form of the setting `delimiter`.
        delimiter: String,
        /// The columns with that delimiter.
        available: Vec<String>,
    },
    /// There is a first row in place of a header; this column would do.
    Header(String),
}

/// The message about a missing name, with the name that is probably meant: the one with the most
/// similar letters, or the field of the longest text.
pub(super) fn missing(
    kind: &str,
    name: &str,
    setting: Cow<'static, str>,
    available: &[String],
    longest: Option<&str>,
) -> Message {
    let named = format!("no {kind} \"{name}\"{}", guessed(name, available, longest));
    message![named, "; name the right one with ", Setting::named(setting)]
}

/// The name that is probably meant, and all existing names.
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

/// The hint of the message about a missing name: the name that is probably meant, or another cause;
/// empty without one.
pub(super) fn meant(name: &str, available: &[String], hint: Option<&Hint>) -> String {
    match (nearest(name, available), hint) {
        (_, Some(Hint::Delimiter { delimiter, .. })) => delimiter.clone(),
        (_, Some(Hint::Header(header))) => header.clone(),
        (Some(name), _) => name.to_string(),
        (None, Some(Hint::Longest(name))) => name.clone(),
        (None, None) => String::new(),
    }
}

/// The field of the longest text, if it has at least 20 characters and three times as many as any
/// other: a text among ids, dates and links.
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

/// The existing names, as far as they are known.
pub(super) fn there_are(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; there are: {}", shortened(names)) }
}
