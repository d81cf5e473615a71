//! Texts in memory, or the rows of a store -> documents.
//!
//! Texts in memory are held once, however often they are read. A text is copied when it becomes a
//! document, and the copy lives as long as the document. A store gives one row after the other, so
//! that its texts need no memory.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::columns::Columns;
use super::encoding::UTF_8;
use super::{Compression, Fault, Format, Options, Source, no_tokens, row_id};
use crate::document::{Document, FieldValue};
use crate::error::Problem;

/// Documents that a store has, such as an index.
pub(crate) trait StoredRows: fmt::Debug + Send + Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// The number of documents of the store, of which the rows are those near an input.
    fn searched(&self) -> u64;

    /// Returns true if the texts are those that were read, and not as they are compared.
    fn has_texts_as_read(&self) -> bool;

    /// The document of a row below [`len`](Self::len) with the values of these fields, or the
    /// reason why it cannot be read; `None` if this row is left out.
    fn document(&self, row: usize, fields: &[String]) -> Result<Option<Document>, Problem>;
}

/// Documents that are in no file.
#[derive(Debug, Clone)]
pub(crate) enum InMemory {
    Texts(Arc<[String]>),
    Documents(Arc<[Document]>),
    #[allow(dead_code, reason = "a build without the feature `parquet` makes none")]
    Columns(Columns),
    #[allow(dead_code, reason = "a build without the feature `index` makes none")]
    Stored(Arc<dyn StoredRows>),
}

impl PartialEq for InMemory {
    fn eq(&self, other: &InMemory) -> bool {
        match (self, other) {
            (InMemory::Texts(own), InMemory::Texts(other)) => own == other,
            (InMemory::Documents(own), InMemory::Documents(other)) => own == other,
            (InMemory::Columns(own), InMemory::Columns(other)) => own == other,
            (InMemory::Stored(own), InMemory::Stored(other)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }
}

impl Source {
    /// Texts in memory. `name` stands for the file in messages and in the ids: `NAME:1` is the
    /// first.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, Silent, read::Source};
    /// let texts = vec!["春眠不觉晓".to_string(), "床前明月光".to_string(), "春眠不覺曉".to_string()];
    /// let poems = Source::texts("poems", texts);
    /// let run = Deduplicator::new(Config::default())?.run(Documents::new(vec![poems]), &Silent)?;
    /// // The third text is a duplicate of the first.
    /// assert_eq!((run.decisions.removals[0].document, run.decisions.removals[0].keeper), (2, 0));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn texts(name: impl Into<String>, texts: Vec<String>) -> Source {
        Source::of_memory(name.into(), Format::Text, InMemory::Texts(texts.into()))
    }

    /// Documents in memory, with ids of their own and the values of the fields that the settings
    /// ask for, as [`Config::kept_fields`](crate::Config::kept_fields) lists them. Their row
    /// numbers are ignored: the first document is row 1.
    ///
    /// ```
    /// use nearprint::{document::{Document, Id}, read::{Options, Source, read}};
    /// let document = |id, text: &str| Document {
    ///     row: 0,
    ///     id: Id::Integer(id),
    ///     text: text.into(),
    ///     fields: vec![],
    /// };
    /// let poems = vec![document(7, "春眠不觉晓"), document(9, "床前明月光")];
    /// let source = Source::documents("poems", poems);
    /// let documents: Vec<_> = read(&source, &Options::default())?.collect::<Result<_, _>>()?;
    /// assert_eq!((documents[1].row, &documents[1].id), (2, &Id::Integer(9)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn documents(name: impl Into<String>, documents: Vec<Document>) -> Source {
        Source::of_memory(name.into(), Format::Text, InMemory::Documents(documents.into()))
    }

    /// The documents of a store.
    #[allow(dead_code, reason = "a build without the feature `index` needs none")]
    pub(crate) fn stored(name: String, rows: Arc<dyn StoredRows>) -> Source {
        Source::of_memory(name, Format::Text, InMemory::Stored(rows))
    }

    /// The number of documents that were searched for the rows, if these come from a store.
    pub(crate) fn searched(&self) -> Option<u64> {
        match &self.memory {
            Some(InMemory::Stored(rows)) => Some(rows.searched()),
            _ => None,
        }
    }

    /// Returns false if the texts come from a store that has them only as they are compared.
    pub(crate) fn has_texts_as_read(&self) -> bool {
        match &self.memory {
            Some(InMemory::Stored(rows)) => rows.has_texts_as_read(),
            _ => true,
        }
    }

    /// The number of rows, if they are in no file.
    pub fn rows_in_memory(&self) -> Option<u64> {
        self.memory.as_ref().map(|memory| match memory {
            InMemory::Texts(texts) => texts.len() as u64,
            InMemory::Documents(documents) => documents.len() as u64,
            InMemory::Columns(columns) => columns.rows(),
            InMemory::Stored(rows) => rows.len() as u64,
        })
    }

    /// Returns true for texts in memory, which have no fields.
    #[cfg(feature = "index")]
    pub(crate) fn has_texts_alone(&self) -> bool {
        matches!(self.memory, Some(InMemory::Texts(_)))
    }

    pub(super) fn of_memory(name: String, format: Format, memory: InMemory) -> Source {
        Source {
            path: PathBuf::new(),
            label: name.clone(),
            name,
            format,
            delimiter: None,
            quote: None,
            escape: None,
            encoding: UTF_8,
            compression: Compression::None,
            bytes: 0,
            modified: SystemTime::UNIX_EPOCH,
            memory: Some(memory),
            stream: None,
        }
    }
}

/// Reads texts, or documents, in order.
pub(crate) struct MemoryReader {
    rows: MemoryRows,
    row: usize,
    name: String,
    limit: u64,
    kept_fields: Vec<String>,
    /// The last kept field, if it holds the tokens of the document.
    tokens_field: Option<String>,
}

enum MemoryRows {
    Texts(Arc<[String]>),
    Documents(Arc<[Document]>),
    Stored(Arc<dyn StoredRows>),
}

impl MemoryReader {
    pub fn texts(texts: &Arc<[String]>, source: &Source, options: &Options) -> MemoryReader {
        MemoryReader::new(MemoryRows::Texts(texts.clone()), source, options)
    }

    pub fn documents(
        documents: &Arc<[Document]>,
        source: &Source,
        options: &Options,
    ) -> MemoryReader {
        MemoryReader::new(MemoryRows::Documents(documents.clone()), source, options)
    }

    pub fn stored(rows: &Arc<dyn StoredRows>, source: &Source, options: &Options) -> MemoryReader {
        MemoryReader::new(MemoryRows::Stored(rows.clone()), source, options)
    }

    fn new(rows: MemoryRows, source: &Source, options: &Options) -> MemoryReader {
        MemoryReader {
            rows,
            row: 0,
            name: source.name.clone(),
            limit: options.max_document_bytes,
            kept_fields: options.kept_fields.clone(),
            tokens_field: options.tokens_field.clone(),
        }
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        let stored;
        let kept = self.kept_fields.len();
        let (text, own) = match &self.rows {
            MemoryRows::Texts(texts) => (texts.get(self.row)?, None),
            MemoryRows::Documents(documents) => {
                documents.get(self.row).map(|own| (&own.text, Some(own)))?
            }
            MemoryRows::Stored(rows) => {
                stored = loop {
                    if self.row == rows.len() {
                        return None;
                    }
                    match rows.document(self.row, &self.kept_fields) {
                        Ok(Some(document)) => break document,
                        Ok(None) => self.row += 1,
                        Err(problem) => return Some(Err(Fault::file(problem))),
                    }
                };
                (&stored.text, Some(&stored))
            }
        };
        self.row += 1;
        let row = self.row as u64;
        if text.len() as u64 > self.limit {
            return Some(Err(Fault::row(row, Problem::TooLong { limit: self.limit })));
        }
        let id = own.map_or_else(|| row_id(&self.name, row), |own| own.id.clone());
        let is_nan =
            |value: &FieldValue| matches!(value, FieldValue::Number(number) if number.is_nan());
        let value = |value: &Option<FieldValue>| value.clone().filter(|value| !is_nan(value));
        let fields: Vec<_> =
            own.iter().flat_map(|own| own.fields.iter().take(kept).map(value)).collect();
        if let Some(field) = &self.tokens_field
            && !(fields.len() == kept && matches!(fields.last(), Some(Some(FieldValue::Tokens(_)))))
        {
            return Some(Err(Fault::row(row, no_tokens(field, "absent"))));
        }
        Some(Ok(Document { row, id, text: text.clone(), fields }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Id;
    use crate::read::read;
    use crate::read::testing::{options, rejection};

    fn document(id: Id, text: &str, field: Option<FieldValue>) -> Document {
        Document { row: 77, id, text: text.to_string(), fields: vec![field] }
    }

    #[test]
    fn texts_are_numbered_and_can_be_read_again() {
        let texts = vec!["一".to_string(), String::new(), "a\0b".to_string(), "123456".to_string()];
        let source = Source::texts("texts", texts.clone());
        assert_eq!(source.rows_in_memory(), Some(4));
        let options = Options { max_document_bytes: 5, ..options() };
        for _ in 0..2 {
            let found: Vec<_> = read(&source, &options).unwrap().collect();
            for (place, text) in texts[..3].iter().enumerate() {
                let row = place as u64 + 1;
                let expected = Document {
                    row,
                    id: Id::Text(format!("texts:{row}")),
                    text: text.clone(),
                    fields: vec![],
                };
                assert_eq!(found[place], Ok(expected));
            }
            assert_eq!(found[3], rejection("texts", Some(4), Problem::TooLong { limit: 5 }));
            assert_eq!(found.len(), 4);
        }
    }

    #[test]
    fn documents_bring_their_ids_and_the_kept_fields() {
        let number = |number| Some(FieldValue::Number(number));
        let documents = vec![
            document(Id::Unsigned(u64::MAX), "a", number(1.5)),
            document(Id::Text("b".into()), "b", number(f64::NAN)),
        ];
        let source = Source::documents("documents", documents);
        let fields = |options: &Options| -> Vec<_> {
            let documents: Vec<Document> =
                read(&source, options).unwrap().map(Result::unwrap).collect();
            assert_eq!(documents.iter().map(|own| own.row).collect::<Vec<_>>(), [1, 2]);
            assert_eq!(
                (&documents[0].id, &documents[1].id),
                (&Id::Unsigned(u64::MAX), &Id::Text("b".into()))
            );
            documents.into_iter().flat_map(|own| own.fields).collect()
        };
        assert_eq!(fields(&options()), []);
        assert_eq!(
            fields(&Options { kept_fields: vec!["score".into()], ..options() }),
            [number(1.5), None]
        );
    }

    #[test]
    fn none_are_none_and_texts_have_no_columns() {
        assert_eq!(read(&Source::texts("none", vec![]), &options()).unwrap().count(), 0);
        let source = Source::texts("texts", vec!["a".into()]);
        assert_eq!(crate::read::table::columns(&source, |_| true), Ok(vec![]));
    }
}
