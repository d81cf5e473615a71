//! The most common passages, with some of their places -> a page on which a person says which of
//! them may go.
//!
//! The page saves what a person says as rows that [`Verdicts`] takes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use nearprint_core::signs::HIDDEN;
use serde::Serialize;

use super::list::in_script;
use super::page::PASSAGES;
use crate::error::{Error, Loss};
use crate::outcome::PassageSummary;
use crate::passage::{PassageOptions, Stay};

/// The most characters of a place that are shown without a fold, and those at either end of a fold.
const LONGEST_PLACE: usize = 240;
const END_OF_FOLD: usize = 80;

/// The number of characters that are shown before and behind a place.
const BESIDE: usize = 120;

/// The data of the page beside the passages.
#[derive(Debug)]
pub struct PassagesPage<'a> {
    /// The title of the page.
    pub title: String,
    /// The input as the user named it.
    pub inputs: &'a [String],
    /// The fields whose values must be the same in documents that share a passage.
    pub within: &'a [String],
    /// The run in numbers.
    pub summary: &'a PassageSummary,
    /// The most passages whose texts the folder has.
    pub texts: usize,
    /// The texts that a person has approved (true) or refused before, and that no passage of the
    /// page has.
    pub earlier: Vec<(&'a str, bool)>,
}

/// A passage as the page shows it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ShownPassage {
    /// Its number, from 1.
    pub passage: usize,
    /// The number of documents that share it; 0 for one that a person has approved, and that stands
    /// in too few documents.
    pub documents: u32,
    /// The number of its places.
    pub places: u32,
    /// The number of places that are edited copies.
    pub edited: u32,
    /// The number of places that go.
    pub going: u32,
    /// The number of characters in the places that go.
    pub characters: u64,
    /// The number of its letters.
    pub letters: u32,
    /// Its text, or the beginning.
    pub text: String,
    /// True if its text is longer.
    pub is_cut: bool,
    /// What a person has said of it before: true if it may go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<bool>,
    /// Some of its places.
    pub examples: Vec<Context>,
}

/// A place in its document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The id of the document in words.
    pub id: String,
    /// The file of the document.
    pub file: String,
    /// The row of the document in its file.
    pub row: u64,
    /// The characters before the place.
    pub before: String,
    /// The place, or its beginning.
    pub place: String,
    /// The number of characters that are folded, and the end of the place behind them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<(usize, String)>,
    /// The characters behind the place.
    pub behind: String,
    /// Whether the document has more characters before and behind.
    pub more: [bool; 2],
    /// Whether the place stays, and why.
    pub stay: Stay,
}

impl Context {
    /// The place at these bytes of a text, with the characters beside it. The document is without a
    /// name yet.
    pub fn of(text: &str, [start, end]: [u32; 2]) -> Context {
        let (before, rest) = text.split_at(start as usize);
        let (place, behind) = rest.split_at(end as usize - start as usize);
        let (first, last) = (from_last(before, BESIDE), until(behind, BESIDE));
        let characters = place.chars().count();
        let folds = characters > LONGEST_PLACE;
        let shown = if folds { until(place, END_OF_FOLD) } else { place.len() };
        Context {
            id: String::new(),
            file: String::new(),
            row: 0,
            before: before[first..].to_string(),
            place: place[..shown].to_string(),
            folded: folds.then(|| {
                (characters - 2 * END_OF_FOLD, place[from_last(place, END_OF_FOLD)..].to_string())
            }),
            behind: behind[..last].to_string(),
            more: [first > 0, last < behind.len()],
            stay: Stay::Goes,
        }
    }
}

/// The byte behind the first characters of a text.
fn until(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}

/// The first byte of the last characters of a text.
fn from_last(text: &str, characters: usize) -> usize {
    text.char_indices().rev().nth(characters - 1).map_or(0, |(at, _)| at)
}

/// The data of the page, as JSON.
#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    /// The output folder, which has the reports beside the page.
    folder: &'a str,
    inputs: &'a [String],
    within: &'a [String],
    summary: &'a PassageSummary,
    /// The most passages whose texts the folder has.
    texts: usize,
    /// The options that a command need not name.
    usual: PassageOptions,
    loss: Option<&'a Loss>,
    earlier: &'a [(&'a str, bool)],
    hidden: &'static [[char; 2]],
}

/// Writes the page into a file.
///
/// # Errors
/// [`Error::Io`].
pub fn write_passages(
    page: &PassagesPage<'_>,
    passages: &[ShownPassage],
    path: &Path,
) -> Result<(), Error> {
    let data = Data {
        name: &page.title,
        folder: &page.title,
        inputs: page.inputs,
        within: page.within,
        summary: page.summary,
        texts: page.texts,
        usual: PassageOptions::default(),
        loss: page.summary.loss.as_ref(),
        earlier: &page.earlier,
        hidden: HIDDEN,
    };
    let list = |out: &mut BufWriter<File>| {
        let mut write = |part: &str| out.write_all(part.as_bytes());
        let mut all = || -> io::Result<()> {
            write("[")?;
            for (number, passage) in passages.iter().enumerate() {
                write(if number == 0 { "\n" } else { ",\n" })?;
                write(&in_script(&serde_json::to_string(passage).expect("it is JSON")))?;
            }
            write("\n]")
        };
        all().map_err(Error::io("write", path))
    };
    PASSAGES.write(path, &data, list, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_stands_between_the_characters_beside_it() {
        let text = format!("{}[{}]{}", "前".repeat(130), "好".repeat(10), "b".repeat(20));
        let start = 3 * 130;
        let context = Context::of(&text, [start, start + 32]);
        assert_eq!(context.before, "前".repeat(BESIDE));
        assert_eq!(context.place, format!("[{}]", "好".repeat(10)));
        assert_eq!((context.behind, context.more), ("b".repeat(20), [true, false]));
        assert_eq!(context.folded, None);
    }

    #[test]
    fn a_long_place_is_folded() {
        let text = format!("{}{}{}", "a".repeat(200), "好".repeat(300), "z".repeat(200));
        let context = Context::of(&text, [0, text.len() as u32]);
        assert_eq!(context.place, "a".repeat(END_OF_FOLD));
        let folded = 700 - 2 * END_OF_FOLD;
        assert_eq!(context.folded, Some((folded, "z".repeat(END_OF_FOLD))));
        assert_eq!((context.before.len(), context.more), (0, [false, false]));
    }
}
