//! The origins of documents: their files, rows and ids, and the rows that were left out.

use serde::{Deserialize, Serialize};

use crate::document::Id;
use crate::error::{Rejections, file_in_words};
use crate::read::Source;

/// The origins of documents, in the order of the input.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Origins {
    /// The files of reference documents, then the input files.
    #[serde(skip)]
    pub sources: Vec<Source>,
    /// The number of sources of reference documents.
    pub(crate) against: usize,
    /// For each source that was begun, and one beyond the last, the number of its first document.
    pub(crate) starts: Vec<usize>,
    /// XXH3-128 of the bytes of each file that was read to its end; 0 for others.
    pub(crate) hashes: Vec<u128>,
    /// The row of each document in its file.
    pub(crate) rows: Vec<u64>,
    pub(crate) ids: Ids,
    /// The files and rows that were left out.
    pub rejections: Rejections,
}

impl Origins {
    /// The number of documents.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there is no document.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The place of a document's file among the sources.
    pub(crate) fn source_of(&self, document: u32) -> usize {
        self.starts.partition_point(|start| *start <= document as usize) - 1
    }

    /// The file and row of a document for the user.
    pub(crate) fn place(&self, document: u32) -> String {
        format!("{}, row {}", file_in_words(self.file(document)), self.row_in_words(document))
    }

    /// The row of a document for the user. Rows in memory are counted from 0, as lists and tables
    /// are.
    pub(crate) fn row_in_words(&self, document: u32) -> u64 {
        let is_in_memory = self.sources[self.source_of(document)].rows_in_memory().is_some();
        self.row(document) - u64::from(is_in_memory)
    }

    /// The file of a document, as the user named or found it.
    pub fn file(&self, document: u32) -> &str {
        &self.sources[self.source_of(document)].label
    }

    /// The row of a document in its file, or in its source in memory, counted from 1.
    pub fn row(&self, document: u32) -> u64 {
        self.rows[document as usize]
    }

    /// The id of a document as JSON: a number or a quoted string.
    pub fn id_json(&self, document: u32) -> &str {
        self.ids.get(document as usize)
    }

    /// Returns true if some ids are integers and others strings.
    pub fn has_mixed_ids(&self) -> bool {
        let is_text = |document: usize| self.ids.get(document).starts_with('"');
        (1..self.len()).any(|document| is_text(document) != is_text(0))
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

    /// The number of reference documents, which are the first ones. 0 in an ordinary run.
    pub fn against(&self) -> usize {
        self.starts.get(self.against).map_or(0, |start| *start)
    }

    /// The files of reference documents, and the input files.
    pub fn sides(&self) -> [&[Source]; 2] {
        self.sources.split_at(self.against).into()
    }

    /// Returns true if documents are compared across two sides only.
    pub fn has_sides(&self) -> bool {
        self.against > 0
    }

    /// Returns true if two documents may be a pair.
    pub fn may_pair(&self, one: u32, other: u32) -> bool {
        let is_against = |document: u32| (document as usize) < self.against();
        !self.has_sides() || is_against(one) != is_against(other)
    }

    /// The number of reference documents among these sorted documents; `None` if all are compared
    /// with each other.
    pub(crate) fn first_side(&self, documents: &[u32]) -> Option<usize> {
        let is_against = |document: &u32| (*document as usize) < self.against();
        self.has_sides().then(|| documents.partition_point(is_against))
    }
}

/// All ids as JSON, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ids {
    json: String,
    ends: Vec<usize>,
}

impl Ids {
    pub(crate) fn push(&mut self, json: &str) {
        self.json.push_str(json);
        self.ends.push(self.json.len());
    }

    pub(crate) fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.json[start..self.ends[index]]
    }
}
