//! The passages of a run -> `passages.jsonl`, a row for each place, and `passage_texts.jsonl`, a row
//! for each passage.

use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use super::reports::{id, report};
use crate::corpus::Origins;
use crate::error::Error;
use crate::passage::{Found, PlaceRow, Stay};

/// The file name of the places of passages.
pub const PASSAGES: &str = "passages.jsonl";

/// The file name of the texts of passages.
pub const PASSAGE_TEXTS: &str = "passage_texts.jsonl";

/// A row of `passages.jsonl`.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a RawValue,
    #[serde(flatten)]
    place: PlaceValues,
    copy: Option<&'a RawValue>,
    file: &'a str,
    row: u64,
}

/// The values of a place, without its document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct PlaceValues {
    passage: u32,
    start: u32,
    end: u32,
    start_byte: u32,
    end_byte: u32,
    documents: u32,
    edits: u32,
    stays: bool,
    why: Option<&'static str>,
}

impl PlaceValues {
    /// The values of a place that was found.
    pub fn of(found: &Found, place: &PlaceRow) -> PlaceValues {
        PlaceValues {
            passage: place.passage,
            start: place.characters[0],
            end: place.characters[1],
            start_byte: place.bytes[0],
            end_byte: place.bytes[1],
            documents: found.documents(place),
            edits: place.edits,
            stays: place.stay != Stay::Goes,
            why: place.stay.name(),
        }
    }
}

/// The text of a passage as one of its places has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageText {
    /// The text, or its beginning.
    pub text: String,
    /// True if the text is longer.
    pub is_cut: bool,
}

impl PassageText {
    /// The first characters of a text, at most this many.
    pub fn of(text: &str, most: usize) -> PassageText {
        let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
        PassageText { text: text[..end].to_string(), is_cut: end < text.len() }
    }
}

/// A row of `passage_texts.jsonl`.
#[derive(Serialize)]
struct TextRow<'a> {
    passage: usize,
    documents: u32,
    places: u32,
    edited: u32,
    letters: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_cut: bool,
    text: &'a str,
}

/// Writes `passages.jsonl`, all places in input order, and returns its size in bytes.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn places(origins: &Origins, found: &Found, folder: &Path) -> Result<u64, Error> {
    let rows = found.places.iter().map(|place| {
        let place = place?;
        Ok(Row {
            id: id(origins, place.document),
            place: PlaceValues::of(found, &place),
            copy: place.copy.map(|copy| id(origins, copy)),
            file: origins.file(place.document),
            row: origins.row(place.document),
        })
    });
    report(&folder.join(PASSAGES), rows)
}

/// Writes `passage_texts.jsonl`, the first passages with their texts, and returns its size in bytes.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn passage_texts(
    found: &Found,
    texts: &[PassageText],
    folder: &Path,
) -> Result<u64, Error> {
    let rows = found.passages.iter().zip(texts).enumerate().map(|(number, (passage, text))| {
        Ok(TextRow {
            passage: number + 1,
            documents: passage.documents,
            places: passage.places,
            edited: passage.edited,
            letters: passage.letters,
            is_cut: text.is_cut,
            text: &text.text,
        })
    });
    report(&folder.join(PASSAGE_TEXTS), rows)
}
