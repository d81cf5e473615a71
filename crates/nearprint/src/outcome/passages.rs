//! A search for passages in numbers: its `summary.json`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::corpus::Origins;
use crate::error::{Error, Loss};
use crate::passage::{Found, PassageOptions, Stay};
use crate::watch::Stage;

/// The numbers of documents, passages and places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PassageCounts {
    /// The number of documents read.
    pub read: u64,
    /// The number of passages.
    pub passages: u64,
    /// The number of approved passages that stand nowhere, or only inside others.
    pub absent: u64,
    /// The number of their places.
    pub places: u64,
    /// The number of documents with a place.
    pub documents: u64,
    /// The number of places that are edited copies.
    pub edited: u64,
    /// The number of places that go.
    pub going: u64,
    /// The number of documents that lose a place.
    pub changed: u64,
    /// The number of documents that stay as they are, since they would lose too much.
    pub left: u64,
    /// The number of characters in the places that go.
    pub characters: u64,
    /// The number of files and rows left out because they could not be used.
    pub rejected: u64,
}

/// The summary of a search for passages.
#[derive(Debug, Serialize)]
pub struct PassageSummary {
    /// The version of nearprint.
    pub nearprint: &'static str,
    /// The options.
    pub settings: PassageOptions,
    /// The input files.
    pub inputs: Vec<String>,
    /// The numbers.
    pub counts: PassageCounts,
    /// The bytes of input, text and output.
    pub bytes: BTreeMap<&'static str, u64>,
    /// The stages that an earlier run had finished.
    pub resumed: Vec<Stage>,
    /// The seconds of each stage and of all.
    pub seconds: BTreeMap<&'static str, f64>,
    /// The most memory of the process.
    pub peak_memory_bytes: Option<u64>,
    /// The files and rows that were left out, if there are some.
    #[serde(skip)]
    pub loss: Option<Loss>,
}

impl PassageCounts {
    /// The numbers of what was found in these documents.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn of(origins: &Origins, found: &Found) -> Result<PassageCounts, Error> {
        let mut counts = PassageCounts {
            read: origins.len() as u64,
            passages: found.passages.iter().filter(|passage| passage.places > 0).count() as u64,
            // All places of another passage may lie inside edited copies.
            absent: found
                .passages
                .iter()
                .filter(|passage| passage.places == 0 && passage.example.is_none())
                .count() as u64,
            places: found.places.len() as u64,
            rejected: origins
                .rejections
                .loss()
                .map_or(0, |loss| loss.rows + loss.whole.len() as u64),
            ..PassageCounts::default()
        };
        let (mut last, mut last_changed, mut last_left) = (None, None, None);
        for place in found.places.iter() {
            let place = place?;
            let is_new = |last: &mut Option<u32>| {
                u64::from(last.replace(place.document) != Some(place.document))
            };
            counts.documents += is_new(&mut last);
            counts.edited += u64::from(place.edits > 0);
            match place.stay {
                Stay::Goes => {
                    counts.going += 1;
                    counts.changed += is_new(&mut last_changed);
                    counts.characters += u64::from(place.characters[1] - place.characters[0]);
                }
                Stay::MaxLost => counts.left += is_new(&mut last_left),
                _ => {}
            }
        }
        Ok(counts)
    }
}
