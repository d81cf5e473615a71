//! Input files -> batches of documents, one file after the other. Each id is checked: it must be
//! unique, or unique on its side if documents are compared across two sides.

use std::ops::Range;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use super::checked::Checked;
use super::origins::Origins;
use crate::config::{Config, IdField, OnError};
use crate::date::is_no_date;
use crate::document::{Document, FieldValue};
use crate::error::{Error, FieldUse, Problem, Rejection};
use crate::message;
use crate::read::{self, Documents, Format, Source};
use crate::watch::{Watch, stop_if_asked};

/// The number of documents that are prepared together: enough to keep all threads busy, few enough
/// that their texts take little memory.
const BATCH_DOCUMENTS: usize = 1024;
const BATCH_BYTES: usize = 2 << 20;

/// The most characters of a value that is no date.
const SHOWN: usize = 40;

/// The field of ids that documents may lack.
const USUAL_ID: &str = "id";

/// Documents that are prepared together, all of one side.
#[derive(Default)]
pub(super) struct Batch {
    pub documents: Vec<Document>,
    /// True if they are reference documents.
    pub of_against: bool,
}

/// Reads the input from beginning to end.
pub(super) struct Feed<'o> {
    options: &'o read::Options,
    /// The options for the files of reference documents.
    against_options: read::Options,
    config: &'o Config,
    /// The current file, its place among the sources, and the number of its bytes that the watch
    /// knows of.
    open: Option<(usize, Documents, u64)>,
    /// Documents by id, to find ids used twice on one side.
    by_id: HashTable<u32>,
    /// For each text field true if a row of the current side had it; empty if no file of the side
    /// has fields.
    found_texts: Vec<bool>,
    /// True if the current side had a row, or a file that cannot be read.
    found_row: bool,
    /// True if a row of the current side had an id.
    found_id: bool,
    /// True if a row of either side had a value for `keep`.
    found_rank: bool,
    /// For each kept field true if a row of the current side had a value.
    found: Vec<bool>,
    /// True if the files are read again to be written.
    is_written: bool,
    /// True if users name the reference documents as the input, and the other sources are texts.
    pub for_queries: bool,
    /// The results of a check so far; problems do not stop a check.
    check: Option<Checked>,
    origins: Origins,
}

impl<'o> Feed<'o> {
    /// Files of reference documents come first: `against` is their number. If the others are
    /// written later, the bytes of all files are hashed.
    pub(super) fn new(
        sources: Vec<Source>,
        against: usize,
        is_written: bool,
        options: &'o read::Options,
        config: &'o Config,
    ) -> Feed<'o> {
        let hashes = vec![0; sources.len()];
        let of_against = config.of_against();
        let id_field = of_against.id_name().map(str::to_string);
        let text_fields = of_against.read.text_fields;
        let against_options = read::Options { text_fields, id_field, ..options.clone() };
        Feed {
            options,
            against_options,
            config,
            open: None,
            by_id: HashTable::new(),
            found_texts: Vec::new(),
            found_row: false,
            found_id: false,
            found_rank: false,
            found: vec![false; options.kept_fields.len()],
            is_written,
            for_queries: false,
            check: None,
            origins: Origins { sources, against, hashes, ..Origins::default() },
        }
    }

    /// Turns the feed into a check, which keeps the first `most` kinds of problems.
    pub(super) fn for_check(self, most: usize) -> Feed<'o> {
        Feed { check: Some(Checked { most, ..Checked::default() }), ..self }
    }

    /// The next documents; an empty batch at the end.
    pub(super) fn next_batch(&mut self, watch: &dyn Watch) -> Result<Batch, Error> {
        let mut batch = Vec::new();
        let mut of_against = false;
        let (mut text_bytes, mut bytes_read) = (0, 0);
        while batch.len() < BATCH_DOCUMENTS && text_bytes < BATCH_BYTES {
            let Some((number, documents, known)) = &mut self.open else {
                let opened = self.origins.starts.len();
                if opened == self.origins.sources.len()
                    || opened == self.origins.against && !batch.is_empty()
                {
                    break;
                }
                self.open_next()?;
                continue;
            };
            let number = *number;
            match documents.next() {
                None => {
                    bytes_read += self.origins.sources[number].bytes.saturating_sub(*known);
                    match (documents.warning(), &mut self.check) {
                        (Some(warning), Some(check)) => check.warnings.push(warning),
                        (Some(warning), None) => watch.warn(&warning),
                        (None, _) => {}
                    }
                    if let Some(hash) = documents.content_hash() {
                        self.origins.hashes[number] = hash;
                    }
                    read::add_found(&mut self.found_texts, documents.texts_found());
                    self.open = None;
                }
                Some(document) => {
                    match document.and_then(|document| self.check_id(number, document)) {
                        Ok(document) => {
                            self.found_row = true;
                            self.origins.rejections.use_row(number);
                            self.found_id |= document.id
                                != read::row_id(&self.origins.sources[number].name, document.row);
                            self.find_fields(&document.fields);
                            self.check_date(number, &document);
                            text_bytes += document.text.len();
                            of_against = number < self.origins.against;
                            batch.push(document);
                        }
                        Err(rejection) => self.reject(number, rejection, None)?,
                    }
                }
            }
            if self.origins.rows.len() >= u32::MAX as usize {
                return Err(Error::TooManyDocuments { most: u64::from(u32::MAX) - 1 });
            }
        }
        if let Some((_, documents, known)) = &mut self.open {
            let bytes = documents.bytes_read();
            bytes_read += bytes.saturating_sub(*known);
            *known = bytes;
        }
        stop_if_asked(watch)?;
        watch.advance(batch.len() as u64, bytes_read);
        Ok(Batch { documents: batch, of_against })
    }

    fn open_next(&mut self) -> Result<(), Error> {
        let number = self.origins.starts.len();
        self.origins.starts.push(self.origins.rows.len());
        if number == self.origins.against && number > 0 {
            self.check_rows(0..number)?;
            self.check_against()?;
            self.check_texts(true)?;
            self.check_ids(true)?;
            self.check_guards(true)?;
            // Ids may repeat on the other side.
            self.by_id.clear();
        }
        let source = &self.origins.sources[number];
        self.origins.rejections.begin(&source.label, source.has_rows());
        if self.is_written && source.format == Format::Parquet && source.rows_in_memory().is_none()
        {
            // A file that cannot be read is reported when it is read.
            self.origins.hashes[number] = read::content::hash_of(&source.path).unwrap_or_default();
        }
        let options =
            if number < self.origins.against { &self.against_options } else { self.options };
        match read::read(source, options) {
            Ok(documents) => self.open = Some((number, documents.read_in_blocks(), 0)),
            Err(rejection) => {
                let rows = self.skips().then(|| read::count_rows(source)).flatten();
                self.reject(number, rejection, rows)?;
            }
        }
        Ok(())
    }

    /// Returns true if a file or row that cannot be used is left out.
    fn skips(&self) -> bool {
        self.check.is_none() && self.config.read.on_error == OnError::Skip
    }

    /// Leaves out a file or row, or refuses it. `unread` is the number of rows of a file that
    /// cannot be read, if it is known.
    fn reject(
        &mut self,
        source: usize,
        mut rejection: Rejection,
        unread: Option<u64>,
    ) -> Result<(), Error> {
        self.found_row = true;
        if source < self.origins.against && !self.for_queries {
            rejection.problem = rejection.problem.of_against();
        }
        // Rows in memory all have the same columns, so without a column none could be used.
        let is_column =
            rejection.row.is_none() && self.origins.sources[source].rows_in_memory().is_some();
        if let Some(check) = &mut self.check {
            check.take(rejection);
            return Ok(());
        }
        if is_column || !self.skips() {
            return Err(rejection.into());
        }
        // There may be millions of rejections, with many fields each.
        if let Problem::MissingField { available, .. } = &mut rejection.problem {
            *available = Box::default();
        }
        self.origins.rejections.reject(source, rejection, unread);
        Ok(())
    }

    /// Refuses a side without any row, and one of which more was left out than the settings allow.
    /// `files` are the files of the side, which were all read. Rows in memory may be none.
    fn check_rows(&mut self, files: Range<usize>) -> Result<(), Error> {
        let first = files.start;
        let in_memory = |source: &Source| source.rows_in_memory().is_some();
        if !std::mem::replace(&mut self.found_row, false)
            && !self.origins.sources[files.clone()].iter().any(in_memory)
        {
            for number in files {
                let file = self.origins.sources[number].label.clone();
                let rejection = Rejection { file, row: None, problem: Problem::EmptyFile };
                self.reject(number, rejection, Some(0))?;
            }
        }
        self.origins.rejections.check(first, self.config.read.max_rejected)
    }

    /// Refuses reference documents of which none can be used, whatever loss the settings allow: the
    /// run would find nothing, as if nothing were to be found.
    fn check_against(&self) -> Result<(), Error> {
        // Files without rows hold nothing that could be lost.
        let is_lost = |rejection: &&Rejection| rejection.problem != Problem::EmptyFile;
        match self.origins.rejections.iter().find(is_lost) {
            Some(first) if self.origins.is_empty() => {
                let none = "none of its documents can be used; the first problem: ";
                Err(Error::usage("against", message![none, first.message()]))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a document with a repeated id; remembers other ids.
    fn check_id(&mut self, source: usize, document: Document) -> Result<Document, Rejection> {
        let json = serde_json::to_string(&document.id).expect("an id is JSON");
        let hash = |json: &str| xxh3_64(json.as_bytes());
        let origins = &mut self.origins;
        if let Some(first) =
            self.by_id.find(hash(&json), |number| origins.ids.get(*number as usize) == json)
        {
            let setting = Some("id-field".into());
            let problem = Problem::DuplicateId { id: json, first: origins.place(*first), setting };
            return Err(Rejection {
                file: origins.sources[source].label.clone(),
                row: Some(document.row),
                problem,
            });
        }
        let number = origins.rows.len() as u32;
        origins.ids.push(&json);
        origins.rows.push(document.row);
        self.by_id
            .insert_unique(hash(&json), number, |number| hash(origins.ids.get(*number as usize)));
        Ok(document)
    }

    /// Records the kept fields that have a value in a row.
    fn find_fields(&mut self, fields: &[Option<FieldValue>]) {
        self.found.iter_mut().zip(fields).for_each(|(found, value)| *found |= value.is_some());
        // The field of `keep` is the first one.
        self.found_rank |= self.config.keep.policy.field().is_some()
            && fields.first().is_some_and(Option::is_some);
    }

    /// Records in a check that a document of the input has a value for `keep` which is no date.
    fn check_date(&mut self, source: usize, document: &Document) {
        let Some(check) = self.check.as_mut().filter(|_| source >= self.origins.against) else {
            return;
        };
        let value = document.fields.first().and_then(Option::as_ref);
        let Some((field, value)) = self.config.keep.policy.date_field().zip(value) else { return };
        if is_no_date(value) {
            let value = value.to_string().chars().take(SHOWN).collect();
            check.take(Rejection {
                file: self.origins.sources[source].label.clone(),
                row: Some(document.row),
                problem: Problem::Undated { field: field.to_string(), value },
            });
        }
    }

    /// Refuses a side of which rows have some fields of the text, and no row has another one: its
    /// name may be misspelled.
    fn check_texts(&mut self, of_against: bool) -> Result<(), Error> {
        let first = if of_against { 0 } else { self.origins.against() };
        let found = std::mem::take(&mut self.found_texts);
        let options = if of_against { &self.against_options } else { self.options };
        match read::not_found(&found) {
            Some(place) if self.origins.rows.len() > first => {
                let field = options.text_fields[place].clone();
                self.miss_field(FieldUse::Text { of_against }, field)
            }
            _ => Ok(()),
        }
    }

    /// Refuses a side of which no row has the field that is named for its ids, since a misspelled
    /// name would otherwise have no effect. Reference documents may lack the field of the others,
    /// and all may lack the default one.
    fn check_ids(&mut self, of_against: bool) -> Result<(), Error> {
        let named = match of_against {
            true if !self.for_queries => {
                let named = self.config.read.against_id_field.as_ref().and_then(IdField::name);
                named.filter(|_| self.against_options.id_field.is_some())
            }
            false if self.for_queries => None,
            _ => {
                let options = if of_against { &self.against_options } else { self.options };
                options.id_field.as_deref().filter(|name| *name != USUAL_ID)
            }
        };
        let first = if of_against { 0 } else { self.origins.against() };
        let found = std::mem::replace(&mut self.found_id, false);
        match named {
            Some(field) if !found && self.origins.rows.len() > first => {
                let field = field.to_string();
                self.miss_field(FieldUse::Id { of_against }, field)
            }
            _ => Ok(()),
        }
    }

    /// Refuses a side of which no row has the field of a guard: all of its documents would agree.
    fn check_guards(&mut self, of_against: bool) -> Result<(), Error> {
        let first = if of_against { 0 } else { self.origins.against() };
        let found = std::mem::replace(&mut self.found, vec![false; self.options.kept_fields.len()]);
        if self.origins.rows.len() == first {
            return Ok(());
        }
        let has = |field: &str| {
            self.options.kept_fields.iter().zip(&found).any(|(own, found)| own == field && *found)
        };
        match self.config.guards().find(|(_, field)| !has(field)) {
            Some((setting, field)) => {
                let field = field.to_string();
                self.miss_field(FieldUse::Guard { setting, of_against }, field)
            }
            None => Ok(()),
        }
    }

    /// Refuses input without a field, or records that in a check.
    fn miss_field(&mut self, used_as: FieldUse, field: String) -> Result<(), Error> {
        let available = self.available(used_as);
        let used_as = if self.for_queries { used_as.of_input() } else { used_as };
        let error = Error::NoSuchField { used_as, field, available };
        match &mut self.check {
            Some(check) => {
                check.missing_fields.push(error);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// The fields of the first file that has some, of the side that lacks a field.
    fn available(&self, used_as: FieldUse) -> Vec<String> {
        let (against, inputs) = self.origins.sources.split_at(self.origins.against);
        let sources = match used_as {
            FieldUse::Id { of_against }
            | FieldUse::Text { of_against }
            | FieldUse::Guard { of_against, .. } => match of_against {
                true => against,
                false => inputs,
            },
            _ => &self.origins.sources,
        };
        sources.iter().find_map(read::table::fields).unwrap_or_default()
    }

    /// Refuses input that at its end had no row with a field that it needs.
    fn check_all_fields(&mut self, some: bool) -> Result<(), Error> {
        self.check_texts(false)?;
        self.check_ids(false)?;
        if let (Some(field), true, false) = (self.config.keep.policy.field(), some, self.found_rank)
        {
            let field = field.to_string();
            self.miss_field(FieldUse::Rank, field)?;
        }
        self.check_guards(false)
    }

    /// The result of a check, at its end.
    pub(super) fn checked(mut self) -> Result<Checked, Error> {
        let documents = self.origins.rows.len();
        self.check_rows(self.origins.against..self.origins.sources.len())?;
        self.check_all_fields(documents > 0)?;
        Ok(Checked { documents: documents as u64, ..self.check.unwrap_or_default() })
    }

    /// The origins of all documents; `starts` has one number more than there are sources.
    pub(super) fn finish(mut self) -> Result<Origins, Error> {
        let some = !self.origins.rows.is_empty();
        self.check_rows(self.origins.against..self.origins.sources.len())?;
        self.check_all_fields(some)?;
        self.origins.starts.push(self.origins.rows.len());
        Ok(self.origins)
    }
}
