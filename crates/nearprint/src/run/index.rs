//! Input files -> documents added to an index, answers of an index, or reference documents from it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Deduplicator;
use super::dedup::set_about_against;
use crate::config::OnError;
use crate::document::{Document, Id};
use crate::error::{Error, Problem, Rejection};
use crate::index::{Added, Answer, Index};
use crate::read::{self, Source};
use crate::watch::{Stage, Watch, stop_if_asked};

/// The most documents of a transaction, or of a batch of queries.
const BATCH_DOCUMENTS: usize = 1000;

/// The most bytes of their texts.
const BATCH_BYTES: usize = 16 << 20;

impl Deduplicator {
    /// Adds the documents of files to an index, a thousand in a transaction. After each
    /// transaction `each` gets the outcome of every document. Returns the rows that were left out,
    /// if `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::add`]; [`Error::Rejected`] for rows that cannot be used or have no id. Documents
    /// of earlier transactions stay in the index.
    pub fn add(
        &self,
        index: &mut Index,
        sources: &[Source],
        if_new: bool,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Added>) -> Result<(), Error> + Send,
    ) -> Result<Vec<Rejection>, Error> {
        let kept = index.options().clone();
        let options = read::Options { kept_fields: kept.fields(), ..self.options.clone() };
        let problem = |source: &Source, document: &Document| {
            no_id(source, document, &options).or_else(|| kept.no_date(document))
        };
        index.obey(self.marks.as_ref());
        self.threads.install(|| {
            self.batches(sources, &options, problem, watch, |documents| {
                each(index.add(documents, if_new, watch)?)
            })
        })
    }

    /// Looks up the documents of files in an index. `each` gets every document and its duplicates,
    /// `top` of them at most. Returns the rows that were left out, if `on-error` is `skip`.
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
        index.obey(self.marks.as_ref());
        self.threads.install(|| {
            self.batches(
                sources,
                &options,
                |_, _| None,
                watch,
                |documents| {
                    let texts = documents
                        .iter()
                        .map(|document| (Some(&document.id), document.text.as_str()));
                    index.query_documents(texts, top, watch, |number, answer| {
                        each(&documents[number], answer)
                    })
                },
            )
        })
    }

    /// The folder of the index that `against` names, if it names one.
    ///
    /// # Errors
    /// [`Error::Usage`] if `against` names something else beside it, and for settings about files
    /// of reference documents.
    pub(super) fn index_among(&self, against: &[String]) -> Result<Option<PathBuf>, Error> {
        let Some(folder) = against.iter().map(Path::new).find(|path| Index::is_there(path)) else {
            return Ok(None);
        };
        if against.len() > 1 {
            let problem = format!(
                "{} is an index, and an index cannot be combined with other reference documents; \
                 name only the index",
                folder.display()
            );
            return Err(Error::usage("against", problem));
        }
        match set_about_against(&self.config) {
            None => Ok(Some(folder.to_path_buf())),
            Some(setting) => {
                let problem = "applies to files of reference documents, not to an index; leave it \
                    out, or name files instead of the index";
                Err(Error::usage(setting, problem))
            }
        }
    }

    /// Finds the documents of an index that may be duplicates of those of `sources`.
    ///
    /// # Errors
    /// As [`Index::query`]; [`Error::Usage`] if the index has other settings.
    pub(super) fn find_in_index(
        &self,
        folder: &Path,
        sources: &[Source],
        watch: &dyn Watch,
    ) -> Result<Vec<Source>, Error> {
        let mut index = Index::open(folder)?;
        index.read_by(self.config.clone()).map_err(|error| error.of_setting("against"))?;
        let options = read::Options { kept_fields: Vec::new(), ..self.options.clone() };
        let marks = self.marks.iter().flat_map(|marks| &marks.marks);
        let marked: Vec<Id> = marks.flat_map(|mark| mark.ids.clone()).collect();
        let found = index.near_documents(&marked, |ask| {
            let batches = self.batches(
                sources,
                &options,
                |_, _| None,
                watch,
                |documents| documents.iter().try_for_each(|document| ask(&document.text)),
            );
            batches.map(|_| ())
        })?;
        Ok(vec![Source::stored(folder.display().to_string(), Arc::new(found))])
    }

    /// Reads documents in batches. `problem` returns the reason to reject a document, if any.
    fn batches(
        &self,
        sources: &[Source],
        options: &read::Options,
        problem: impl Fn(&Source, &Document) -> Option<Problem>,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Document>) -> Result<(), Error>,
    ) -> Result<Vec<Rejection>, Error> {
        let rows: Option<u64> = sources.iter().map(Source::rows_in_memory).sum();
        let bytes = rows.is_none().then(|| sources.iter().map(|source| source.bytes).sum());
        watch.begin(Stage::Read, rows, bytes);
        let (mut batch, mut rejections) = (Vec::new(), Vec::new());
        let mut bytes_of_batch = 0;
        // Rows before the row that stops the run are still passed on.
        let mut stopped = None;
        let mut reject =
            |rejection: Rejection, stopped: &mut Option<Error>| match self.config.read.on_error {
                // An empty file is no error: an hour may have no news.
                _ if rejection.problem == Problem::EmptyFile => {}
                OnError::Fail => *stopped = Some(Error::Rejected(rejection)),
                OnError::Skip => rejections.push(rejection),
            };
        'sources: for source in sources {
            let mut documents = match read::read(source, options) {
                Ok(documents) => documents,
                Err(rejection) => {
                    reject(rejection, &mut stopped);
                    if stopped.is_some() {
                        break 'sources;
                    }
                    continue;
                }
            };
            let mut known = 0;
            while let Some(document) = documents.next() {
                let checked = document.and_then(|document| match problem(source, &document) {
                    Some(problem) => Err(Rejection {
                        file: source.label.clone(),
                        row: Some(document.row),
                        problem,
                    }),
                    None => Ok(document),
                });
                match checked {
                    Ok(document) => {
                        bytes_of_batch += document.text.len();
                        batch.push(document);
                    }
                    Err(rejection) => reject(rejection, &mut stopped),
                }
                if stopped.is_some() {
                    break 'sources;
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
        stopped.map_or(Ok(rejections), Err)
    }
}

/// The problem of a document without an id of its own. Its file and row are no id for an index:
/// next time they may belong to another document.
fn no_id(source: &Source, document: &Document, options: &read::Options) -> Option<Problem> {
    let field = options
        .id_field
        .as_ref()
        .filter(|_| document.id == read::row_id(&source.name, document.row))?;
    Some(Problem::MissingField {
        field: field.clone(),
        setting: "id-field".into(),
        available: Box::default(),
        hint: None,
    })
}
