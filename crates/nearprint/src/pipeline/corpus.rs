//! What is known of the documents after their texts are gone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::sampled::SampledTexts;
use crate::document::{FieldValue, Id};
use crate::error::{Error, Rejection};
use crate::fingerprint::{Fingerprints, Hasher};
use crate::read::Source;
use crate::short;
use crate::spill::Spill;
use crate::statistics::Statistics;
use crate::watch::Watch;

/// What is known of the documents after their texts are gone. Documents are numbered in input order from 0.
#[derive(Debug, Serialize, Deserialize)]
pub struct Corpus {
    /// Where they come from.
    pub origins: Origins,
    /// Characters of each text as read.
    pub(super) lengths: Vec<u32>,
    /// XXH3-128 of each normalized text.
    pub(super) texts: Vec<u128>,
    /// Distinct features of each document.
    pub(super) features: Vec<u32>,
    /// Whether each document is empty once normalized and trimmed.
    pub(super) empty: Vec<bool>,
    pub(super) fields: Vec<Option<FieldValue>>,
    /// Each document's fingerprint, where its text alone makes it.
    pub(super) fingerprints: Option<Fingerprints>,
    /// Each document's terms; `None` where neither fingerprints nor the confirmation need them.
    pub(super) terms: Option<Terms>,
    /// What of each text the confirmation compares, on disk; `None` where it compares terms.
    pub(super) contents: Option<Spill<u8>>,
    /// A few normalized texts, where distances are chosen by a sample.
    pub(super) sampled: Option<SampledTexts>,
    /// Short documents and those that can be compared with them.
    pub(super) short: short::Pool,
    pub(super) statistics: Statistics,
    pub(super) hasher: Hasher,
    /// Bytes of text, as UTF-8.
    pub text_bytes: u64,
    /// Where temporary files of the run go.
    #[serde(skip)]
    pub(super) folder: PathBuf,
}

/// Where documents come from, in the order of the input.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Origins {
    /// The input files, before them those that they are only compared with.
    #[serde(skip)]
    pub sources: Vec<Source>,
    /// Of these, so many at the beginning that the others are only compared with.
    pub(super) against: usize,
    /// For each source that was begun, and one beyond the last, the number of its first document.
    pub(super) starts: Vec<usize>,
    /// Whether each source was given up, at its start or on the way.
    pub(super) failed: Vec<bool>,
    /// Each document's row in its file.
    pub(super) rows: Vec<u64>,
    pub(super) ids: Ids,
    /// Files and rows left out.
    pub rejections: Vec<Rejection>,
}

impl Origins {
    /// The place of a document's file among the sources.
    pub(super) fn source_of(&self, document: u32) -> usize {
        self.starts.partition_point(|start| *start <= document as usize) - 1
    }

    /// A document as a user finds it.
    pub(super) fn place(&self, document: u32) -> String {
        format!("{}, row {}", self.sources[self.source_of(document)].label, self.rows[document as usize])
    }
}

/// The files of what is on disk, where they have names.
pub(super) const TERMS: &str = "terms";
pub(super) const CONTENTS: &str = "contents";
pub(super) const SAMPLED: &str = "sampled";

impl Corpus {
    /// Opens what is on disk of a corpus that was loaded. `false` where it is not what it was.
    pub(super) fn reopen(&mut self, folder: &Path, sources: Vec<Source>) -> Result<bool, Error> {
        self.folder = folder.to_path_buf();
        self.origins.sources = sources;
        let terms = match &mut self.terms {
            None => true,
            Some(Terms::Hashes(spill)) => spill.reopen(&folder.join(TERMS))?,
            Some(Terms::Numbers(spill)) => spill.reopen(&folder.join(TERMS))?,
        };
        let contents = self.contents.as_mut().map_or(Ok(true), |spill| spill.reopen(&folder.join(CONTENTS)))?;
        let sampled = self.sampled.as_mut().map_or(Ok(true), |sampled| sampled.reopen(&folder.join(SAMPLED)))?;
        Ok(terms && contents && sampled)
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.origins.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.origins.rows.is_empty()
    }

    /// The id of a document as JSON: a number or a quoted string.
    pub fn id_json(&self, document: u32) -> &str {
        self.origins.ids.get(document as usize)
    }

    /// The id of a document.
    pub fn id(&self, document: u32) -> Id {
        serde_json::from_str::<serde_json::Value>(self.id_json(document)).map_or_else(
            |_| Id::Text(String::new()),
            |value| match value {
                serde_json::Value::String(text) => Id::Text(text),
                value => match (value.as_i64(), value.as_u64()) {
                    (Some(integer), _) => Id::Integer(integer),
                    (None, Some(integer)) => Id::Unsigned(integer),
                    (None, None) => Id::Text(value.to_string()),
                },
            },
        )
    }

    /// The row of a document in its file, or in its source in memory, counted from 1.
    pub fn row(&self, document: u32) -> u64 {
        self.origins.rows[document as usize]
    }

    /// Distinct features of a document.
    pub fn features(&self, document: u32) -> u32 {
        self.features[document as usize]
    }
}

/// Each document's terms, on disk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Terms {
    /// The terms themselves.
    Hashes(Spill<u64>),
    /// The numbers that the corpus statistics give to terms, half as long.
    Numbers(Spill<u32>),
}

impl Corpus {
    /// Fills `out` with the terms of a document; `numbers` is a buffer.
    pub(super) fn read_terms(&self, document: u32, numbers: &mut Vec<u32>, out: &mut Vec<u64>) -> Result<(), Error> {
        match &self.terms {
            None => {
                out.clear();
                Ok(())
            }
            Some(Terms::Hashes(spill)) => spill.read(document as usize, out),
            Some(Terms::Numbers(spill)) => {
                spill.read(document as usize, numbers)?;
                out.clear();
                out.extend(numbers.iter().map(|number| self.statistics.of_number(*number).hash));
                Ok(())
            }
        }
    }
}

impl Corpus {
    /// Fills `out` with what of a document's text is compared, as UTF-8.
    pub(super) fn read_content(&self, document: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        match &self.contents {
            Some(spill) => spill.read(document as usize, out),
            None => {
                out.clear();
                Ok(())
            }
        }
    }
}

/// All ids as JSON, one after the other.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Ids {
    json: String,
    ends: Vec<usize>,
}

impl Ids {
    pub(super) fn push(&mut self, json: &str) {
        self.json.push_str(json);
        self.ends.push(self.json.len());
    }

    pub(super) fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.json[start..self.ends[index]]
    }
}

/// Ends a run that was asked to stop.
pub(super) fn stop_if_asked(watch: &dyn Watch) -> Result<(), Error> {
    if watch.stopped() { Err(Error::Interrupted) } else { Ok(()) }
}
