//! Input files -> documents added to an index, answers of an index, or reference documents from it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Deduplicator;
use super::batches::check_texts_of_files;
use super::dedup::set_about_against;
use crate::document::{Document, Id};
use crate::error::{Error, FieldUse, Problem, Rejections};
use crate::field::outermost;
use crate::index::{Added, Answer, Index, IndexOptions};
use crate::read::table::MOST_NAMES;
use crate::read::{self, Source};
use crate::watch::Watch;

impl Deduplicator {
    /// Checks that some row of the files has each field that a new index is to keep of them.
    /// Nothing is checked if a file cannot be read, or if no row has a field.
    ///
    /// # Errors
    /// [`Error::NoSuchField`].
    pub fn check_fields(&self, options: &IndexOptions, sources: &[Source]) -> Result<(), Error> {
        let stored = options.store_fields.iter().map(|field| ("store-field", field));
        let date = options.date_field.iter().map(|field| ("date-field", field));
        for (setting, field) in date.chain(stored) {
            let has = |names: &[String]| !outermost(field, names).is_empty();
            let (mut first, mut is_there) = (Vec::new(), false);
            for source in sources {
                let Ok(names) = read::table::columns(source, has) else { return Ok(()) };
                // The names beyond the most are unknown.
                is_there |= has(&names) || names.len() >= MOST_NAMES;
                if is_there {
                    break;
                }
                if first.is_empty() {
                    first = names;
                }
            }
            if !is_there && !first.is_empty() {
                let (used_as, field) = (FieldUse::Stored(setting), field.clone());
                return Err(Error::NoSuchField { used_as, field, available: first });
            }
        }
        Ok(())
    }

    /// Adds the documents of files to an index, up to a thousand in a transaction. After each
    /// transaction `each` gets the outcome of every document. Returns the rows that were left out,
    /// if `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::add`]; [`Error::Rejected`] for rows that cannot be used or have no id. Documents
    /// of earlier transactions stay in the index. [`Error::TooManyRejected`] comes last: all
    /// documents that can be used are in the index then.
    pub fn add(
        &self,
        index: &mut Index,
        sources: &[Source],
        if_new: bool,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Added>) -> Result<(), Error> + Send,
    ) -> Result<Rejections, Error> {
        let kept = index.options().clone();
        let options =
            read::Options { kept_fields: kept.fields(), numeric_fields: 0, ..self.options.clone() };
        let problem = |source: &Source, document: &Document| {
            no_id(source, document, &options).or_else(|| kept.no_date(document))
        };
        let knows_fields = index.len()? > 0 && self.has_texts_of(index);
        index.obey(self.marks.as_ref());
        if !knows_fields {
            check_texts_of_files(sources, &options)?;
        }
        self.threads.install(|| {
            self.batches(sources, &options, knows_fields, problem, watch, |documents| {
                each(index.add(documents, if_new, watch)?)
            })
        })
    }

    /// Looks up the documents of files in an index. `each` gets every document and its duplicates,
    /// `top` of them at most. Returns the rows that were left out, if `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::query`]; [`Error::Rejected`] for rows that cannot be used;
    /// [`Error::TooManyRejected`] after the last answer.
    pub fn query(
        &self,
        index: &mut Index,
        sources: &[Source],
        top: usize,
        watch: &dyn Watch,
        mut each: impl FnMut(&Document, Answer) -> Result<(), Error> + Send,
    ) -> Result<Rejections, Error> {
        let options = read::Options { kept_fields: Vec::new(), ..self.options.clone() };
        let knows_fields = self.has_texts_of(index);
        index.obey(self.marks.as_ref());
        self.threads.install(|| {
            self.batches(
                sources,
                &options,
                knows_fields,
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

    /// Returns true if the text is read from the fields that the index was created with.
    fn has_texts_of(&self, index: &Index) -> bool {
        self.options.text_fields == index.text_fields()
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
                true,
                |_, _| None,
                watch,
                |documents| documents.iter().try_for_each(|document| ask(&document.text)),
            );
            batches.map(|_| ())
        })?;
        Ok(vec![Source::stored(folder.display().to_string(), Arc::new(found))])
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
