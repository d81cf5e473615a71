//! Input files -> documents added to an index, answers of an index, or reference documents from it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Deduplicator;
use super::batches::{check_texts, check_texts_of_files};
use super::dedup::set_about_against;
use crate::config::Ids;
use crate::document::{Document, FieldValue, Id};
use crate::error::{Error, FieldUse, Problem, Rejection, Rejections};
use crate::field::outermost;
use crate::index::{Added, Adding, Answer, Asked, Filter, Index, IndexOptions, Outcome, Question};
use crate::message;
use crate::message::Setting;
use crate::read::table::MOST_NAMES;
use crate::read::{self, STANDARD_INPUT, Source};
use crate::watch::Watch;

impl Deduplicator {
    /// Refuses rows of standard input for an index if no field holds their ids.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check_lasting_ids(&self, inputs: &[String]) -> Result<(), Error> {
        if self.options.id_field.is_some() || !inputs.iter().any(|input| input == STANDARD_INPUT) {
            return Ok(());
        }
        let setting = match self.config.read.ids {
            Ids::Field => "id-field",
            Ids::FileRow => "ids",
        };
        let problem = message![
            "rows of standard input would be called stdin.jsonl:1 and so on, and the next ones \
             would replace them; name the field that holds their ids with ",
            Setting::named("id-field")
        ];
        Err(Error::usage(setting, problem))
    }

    /// The documents of a source with these fields, in order. A row that cannot be used has the reason
    /// in its place. For an index that is to keep the documents, with these options, a row needs an id
    /// and, if they say so, a date; its fields are those of the options. The last field has the own
    /// tokens of each document, if a setting names it.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, index::IndexOptions, read::Source};
    /// let rows = br#"{"id":1,"text":"The ferry returns"}
    /// {"id":2}"#;
    /// let reader = Deduplicator::new(Config::default())?;
    /// let found = reader.documents(Some(&IndexOptions::default()), &[], &Source::rows("rows", rows.to_vec()));
    /// assert_eq!(found[0].as_ref().unwrap().text, "The ferry returns");
    /// assert_eq!(found[1].as_ref().unwrap_err().row, Some(2));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn documents(
        &self,
        kept: Option<&IndexOptions>,
        fields: &[String],
        source: &Source,
    ) -> Vec<Result<Document, Rejection>> {
        let kept_fields =
            self.and_tokens(kept.map_or_else(|| fields.to_vec(), IndexOptions::fields));
        let options = read::Options { kept_fields, numeric_fields: 0, ..self.options.clone() };
        let documents = match read::read(source, &options) {
            Ok(documents) => documents,
            Err(rejection) => return vec![Err(rejection)],
        };
        let check = |document: Document| {
            let problem = kept.and_then(|kept| {
                no_id(source, &document, &options).or_else(|| kept.no_date(&document))
            });
            match problem {
                None => Ok(document),
                Some(problem) => {
                    let file = source.label.clone();
                    Err(Rejection { file, row: Some(document.row), problem })
                }
            }
        };
        documents.map(|document| document.and_then(check)).collect()
    }

    /// Adds the documents of files to an index, up to a thousand in a transaction. After each
    /// transaction `each` gets the outcome of every document. Returns the rows that were left out,
    /// if `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::add`]; [`Error::Rejected`] for rows that cannot be used or have no id;
    /// [`Error::NoSuchField`] if the index is empty and no row has a field that it is to keep.
    /// Documents of earlier transactions stay in the index. [`Error::TooManyRejected`] comes last:
    /// all documents that can be used are in the index then.
    pub fn add(
        &self,
        index: &mut Index,
        sources: &[Source],
        adding: &Adding,
        watch: &dyn Watch,
        mut each: impl FnMut(Vec<Added>) -> Result<(), Error> + Send,
    ) -> Result<Rejections, Error> {
        let adding = Adding { filter: self.filter(&adding.filter), ..adding.clone() };
        index.check_filter(&adding.filter)?;
        let kept = index.options().clone();
        let kept_fields = self.and_tokens(kept.fields());
        let options = read::Options { kept_fields, numeric_fields: 0, ..self.options.clone() };
        let is_empty = index.is_empty()?;
        let knows_texts = !is_empty && self.has_texts_of(index);
        index.obey(self.marks.as_ref());
        if is_empty {
            check_fields_of_files(&kept, sources, &options)?;
        }
        if !knows_texts {
            check_texts_of_files(sources, &options)?;
        }
        let is_stream = sources.iter().any(|source| source.stream.is_some());
        let checks_stream = is_empty && is_stream;
        let mut replaced = 0;
        let added = self.threads.install(|| {
            let has_value = RefCell::new(vec![false; options.kept_fields.len()]);
            let problem = |source: &Source, document: &Document| {
                let mut has_value = has_value.borrow_mut();
                has_value
                    .iter_mut()
                    .zip(&document.fields)
                    .for_each(|(has, own)| *has |= own.is_some());
                no_id(source, document, &options).or_else(|| kept.no_date(document))
            };
            let check = |found_texts: &[bool]| {
                if !knows_texts {
                    check_texts(found_texts, sources, &options)?;
                }
                if checks_stream {
                    check_values(&kept, &options.kept_fields, &has_value.borrow())?;
                }
                Ok(())
            };
            self.batches(sources, &options, problem, check, watch, |documents| {
                let added = index.offer(documents, &adding, watch)?;
                replaced += added.iter().filter(|added| added.outcome == Outcome::Replaced).count();
                each(added)
            })
        });
        if options.id_field.is_none() && replaced > 0 {
            watch.warn(&message![
                replaced,
                if replaced == 1 { " document replaced one" } else { " documents replaced others" },
                " of the same file name and row; if they are different documents, name the field \
                 that holds their ids with ",
                Setting::named("id-field")
            ]);
        }
        index.mark_warnings().iter().for_each(|warning| watch.warn(warning));
        added
    }

    /// Looks up the documents of files in an index. `each` gets every document and its duplicates.
    /// The fields of `same` and `differ` in the settings belong to the question. Returns the rows that were left out, if `on-error` is `skip`.
    ///
    /// # Errors
    /// As [`Index::query`]; [`Error::Rejected`] for rows that cannot be used;
    /// [`Error::TooManyRejected`] after the last answer.
    pub fn query(
        &self,
        index: &mut Index,
        sources: &[Source],
        question: &Question,
        watch: &dyn Watch,
        mut each: impl FnMut(&Document, Answer) -> Result<(), Error> + Send,
    ) -> Result<Rejections, Error> {
        let question = Question { filter: self.filter(&question.filter), ..question.clone() };
        index.check_filter(&question.filter)?;
        if sources.iter().any(Source::has_texts_alone) {
            index.own_tokens(None)?;
        }
        let names = question.filter.fields(index.options());
        let kept_fields = self.and_tokens(names.clone());
        let options = read::Options { kept_fields, numeric_fields: 0, ..self.options.clone() };
        let knows_texts = self.has_texts_of(index);
        index.obey(self.marks.as_ref());
        let queried = self.threads.install(|| {
            let check = |found: &[bool]| match knows_texts {
                true => Ok(()),
                false => check_texts(found, sources, &options),
            };
            self.batches(
                sources,
                &options,
                |_, _| None,
                check,
                watch,
                |documents| {
                    let fields: Vec<Vec<(String, FieldValue)>> =
                        documents.iter().map(|document| document.named(&names)).collect();
                    let asked = documents.iter().zip(&fields);
                    let asked = asked.map(|(document, fields)| Asked::document(document, fields));
                    index.ask(asked, &question, watch, |number, answer| {
                        each(&documents[number], answer)
                    })
                },
            )
        });
        index.mark_warnings().iter().for_each(|warning| watch.warn(warning));
        queried
    }

    /// Names of fields to read, with that of the documents' own tokens as the last.
    fn and_tokens(&self, mut fields: Vec<String>) -> Vec<String> {
        fields.extend(self.config.tokens_field().map(str::to_string));
        fields
    }

    /// A filter with the fields of `same` and `differ` in the settings.
    fn filter(&self, filter: &Filter) -> Filter {
        let (same, differ) = (&self.config.decide.same, &self.config.decide.differ);
        let mut filter = filter.clone();
        filter.same.extend(same.iter().cloned());
        filter.differ.extend(differ.iter().cloned());
        filter
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
        let kept_fields = self.and_tokens(Vec::new());
        let options = read::Options { kept_fields, numeric_fields: 0, ..self.options.clone() };
        let marks = self.marks.iter().flat_map(|marks| &marks.marks);
        let marked: Vec<Id> = marks.flat_map(|mark| mark.ids.clone()).collect();
        let found = index.near_documents(&marked, |ask| {
            let batches = self.batches(
                sources,
                &options,
                |_, _| None,
                |_| Ok(()),
                watch,
                |documents| documents.iter().try_for_each(|own| ask(Asked::document(own, &[]))),
            );
            batches.map(|_| ())
        })?;
        Ok(vec![Source::stored(folder.display().to_string(), Arc::new(found))])
    }
}

/// The fields that an index is to keep of its documents, each with the setting that names it.
fn kept_fields(options: &IndexOptions) -> impl Iterator<Item = (&'static str, &String)> {
    let stored = options.store_fields.iter().map(|field| ("store-field", field));
    options.date_field.iter().map(|field| ("date-field", field)).chain(stored)
}

/// Checks that some row of the files, or of the tables in memory, has each field that an index is
/// to keep. Nothing is checked if a file cannot be read, or if no row has a field. A stream is not
/// read.
///
/// # Errors
/// [`Error::NoSuchField`].
fn check_fields_of_files(
    kept: &IndexOptions,
    sources: &[Source],
    options: &read::Options,
) -> Result<(), Error> {
    for (setting, field) in kept_fields(kept) {
        let has = |names: &[String]| !outermost(field, names).is_empty();
        let (mut first, mut is_there) = (Vec::new(), false);
        for source in sources.iter().filter(|source| source.stream.is_none()) {
            let rows = source.rows_in_memory();
            let names = match rows {
                Some(0) => continue,
                Some(_) => read::table::fields(source).unwrap_or_default(),
                None => match read::table::columns(source, has) {
                    Ok(names) => names,
                    Err(Rejection { problem: Problem::EmptyFile, .. }) => continue,
                    Err(_) => return Ok(()),
                },
            };
            // The names beyond the most, and those of later rows in memory, are unknown.
            is_there |= has(&names)
                || names.len() >= MOST_NAMES
                || rows.is_some() && has_values(source, field, options);
            if is_there {
                break;
            }
            if first.is_empty() {
                first = names;
            }
        }
        if !is_there && !first.is_empty() {
            return Err(lacks(setting, field, first));
        }
    }
    Ok(())
}

/// Returns true if a row of a source has a value in a field.
fn has_values(source: &Source, field: &str, options: &read::Options) -> bool {
    let options = read::Options { kept_fields: vec![field.to_string()], ..options.clone() };
    read::read(source, &options).is_ok_and(|documents| {
        documents.flatten().any(|document| document.fields.first().is_some_and(Option::is_some))
    })
}

/// Checks that some row had a value in each field that an index is to keep. `fields` are these, and
/// `has_value` tells of each if a row had one.
///
/// # Errors
/// [`Error::NoSuchField`].
fn check_values(kept: &IndexOptions, fields: &[String], has_value: &[bool]) -> Result<(), Error> {
    let has = |field: &String| fields.iter().zip(has_value).any(|(own, has)| own == field && *has);
    match kept_fields(kept).find(|(_, field)| !has(field)) {
        Some((setting, field)) => Err(lacks(setting, field, Vec::new())),
        None => Ok(()),
    }
}

/// The error of a field that no row has.
fn lacks(setting: &'static str, field: &str, available: Vec<String>) -> Error {
    let used_as = FieldUse::Stored(setting);
    Error::NoSuchField { used_as, field: field.to_string(), available }
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
