//! Input files -> an index that has their documents, or its answers about them.

use super::Deduplicator;
use crate::config::OnError;
use crate::document::Document;
use crate::error::{Error, Problem, Rejection};
use crate::index::{Added, Answer, Index};
use crate::read::{self, Source};
use crate::watch::{Stage, Watch, stop_if_asked};

/// Documents of a transaction, or of a batch of questions, at most.
const BATCH_DOCUMENTS: usize = 1000;

/// Bytes of their texts.
const BATCH_BYTES: usize = 16 << 20;

impl Deduplicator {
    /// Puts the documents of files into an index, a thousand in a transaction: `each` is called after it with what became of each of
    /// them. Gives what was left out, where `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::add`]; [`Error::Rejected`] for rows that cannot be used, and those without an id. What came before stays.
    pub fn add(
        &self,
        index: &mut Index,
        sources: &[Source],
        if_new: bool,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Added>) -> Result<(), Error> + Send,
    ) -> Result<Vec<Rejection>, Error> {
        let fields = index.options().fields();
        let options = read::Options { kept_fields: fields, ..self.options.clone() };
        self.threads.install(|| {
            self.batches(sources, &options, true, watch, |documents| each(index.add(documents, if_new, watch)?))
        })
    }

    /// Asks an index about the documents of files: `each` is called with every one and its duplicates, `top` of them at most. Gives what
    /// was left out, where `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::query`]; [`Error::Rejected`] for rows that cannot be used.
    pub fn query(
        &self,
        index: &mut Index,
        sources: &[Source],
        top: usize,
        watch: &dyn Watch,
        mut each: impl FnMut(&Document, Answer) -> Result<(), Error> + Send,
    ) -> Result<Vec<Rejection>, Error> {
        let options = read::Options { kept_fields: Vec::new(), ..self.options.clone() };
        self.threads.install(|| {
            self.batches(sources, &options, false, watch, |documents| {
                let texts = documents.iter().map(|document| document.text.as_str());
                index.query_all(texts, top, watch, |number, answer| each(&documents[number], answer))
            })
        })
    }

    /// Reads documents batch by batch.
    fn batches(
        &self,
        sources: &[Source],
        options: &read::Options,
        needs_ids: bool,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Document>) -> Result<(), Error>,
    ) -> Result<Vec<Rejection>, Error> {
        let rows: Option<u64> = sources.iter().map(Source::rows_in_memory).sum();
        let bytes = rows.is_none().then(|| sources.iter().map(|source| source.bytes).sum());
        watch.begin(Stage::Read, rows, bytes);
        let (mut batch, mut rejections) = (Vec::new(), Vec::new());
        let mut bytes_of_batch = 0;
        let mut reject = |rejection: Rejection| match self.config.on_error {
            OnError::Fail => Err(Error::Rejected(rejection)),
            OnError::Skip => {
                rejections.push(rejection);
                Ok(())
            }
        };
        for source in sources {
            let mut documents = match read::read(source, options) {
                Ok(documents) => documents,
                Err(rejection) => {
                    reject(rejection)?;
                    continue;
                }
            };
            let mut known = 0;
            while let Some(document) = documents.next() {
                let with_id = document.and_then(|document| match &options.id_field {
                    Some(field) if needs_ids && document.id == read::row_id(&source.name, document.row) => {
                        Err(Rejection { file: source.label.clone(), row: Some(document.row), problem: no_id(field) })
                    }
                    _ => Ok(document),
                });
                match with_id {
                    Ok(document) => {
                        bytes_of_batch += document.text.len();
                        batch.push(document);
                    }
                    Err(rejection) => reject(rejection)?,
                }
                if batch.len() == BATCH_DOCUMENTS || bytes_of_batch >= BATCH_BYTES {
                    stop_if_asked(watch)?;
                    let (count, read) = (batch.len() as u64, documents.bytes_read());
                    each(std::mem::take(&mut batch))?;
                    watch.advance(count, read.saturating_sub(known));
                    (known, bytes_of_batch) = (read, 0);
                }
            }
        }
        if !batch.is_empty() {
            stop_if_asked(watch)?;
            each(batch)?;
        }
        Ok(rejections)
    }
}

/// The problem of a document without an id: that of its file and row would be another document's the next time.
fn no_id(field: &str) -> Problem {
    Problem::MissingField {
        field: field.to_string(),
        setting: "id-field".into(),
        available: Box::default(),
        hint: None,
    }
}
