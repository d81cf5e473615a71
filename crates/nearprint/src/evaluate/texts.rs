//! The documents that the user names -> their texts, and the document of each id.

use super::names::{DOCUMENTS, FOUND, Names, TRUTH};
use super::notes::{found, truth};
use super::question::Evaluator;
use crate::config::OnError;
use crate::corpus::Corpus;
use crate::document::Id;
use crate::error::{Error, Problem, Rejection, Rejections};
use crate::message;
use crate::message::Setting;
use crate::read::{self, Format, Input};
use crate::watch::Watch;

/// Documents that were read, and the document of each id.
pub(super) struct Texts {
    pub corpus: Corpus,
    /// For each number of an id its document; `None` without one.
    pub document_of: Vec<Option<u32>>,
}

impl Evaluator<'_> {
    /// Reads the documents and finds the number of each id.
    pub(super) fn read_texts(
        &self,
        documents: &[Input],
        names: &mut Names,
        rejections: &mut Rejections,
        watch: &dyn Watch,
    ) -> Result<Texts, Error> {
        // Documents have the configured format if their names stand for no format, like FOUND and
        // TRUTH.
        let (mut files, mut sources) = (Vec::new(), Vec::new());
        for input in documents {
            match input {
                Input::Named(name) => files.push(name.clone()),
                Input::Found(source) => sources.push(source.clone()),
            }
        }
        if !files.is_empty() {
            let lines = self.options.format == Some(Format::Lines);
            let named = |file: &String| {
                read::of_name(file).0.is_some_and(|format| !(lines && format == Format::Text))
            };
            let format = if files.iter().all(named) { None } else { self.options.format };
            let options = read::Options { format, ..self.options.clone() };
            sources.extend(read::find(&files, &options, self.spool, watch)?);
        }
        let corpus = (self.read)(sources, watch)?;
        let mut own = corpus.origins.rejections.clone();
        names.begin(DOCUMENTS);
        let mut document_of = vec![None; names.len()];
        for document in 0..corpus.len() as u32 {
            let number = match corpus.origins.id(document) {
                Id::Integer(id) => names.number(&id.to_string(), true),
                Id::Unsigned(id) => names.number(&id.to_string(), true),
                Id::Text(id) => names.number(&id, false),
            };
            document_of.resize(names.len(), None);
            if let Some(first) = document_of[number as usize].replace(document) {
                document_of[number as usize] = Some(first);
                let rejection = same_id(&corpus, document, first);
                match self.config.read.on_error {
                    OnError::Fail => return Err(rejection.into()),
                    OnError::Skip => own.reject_used(corpus.origins.source_of(document), rejection),
                }
            }
        }
        own.check(0, self.config.read.max_rejected)?;
        rejections.append(own);
        let named = names.met_in(&[FOUND, TRUTH]);
        if named > 0
            && !corpus.is_empty()
            && names.met_in(&[FOUND, TRUTH, DOCUMENTS]) == named + corpus.len() as u64
        {
            let problem = message![
                "they have none of the documents in ",
                found(),
                " and ",
                truth(),
                "; name the right files, or the field that holds the id with ",
                Setting::named("id-field")
            ];
            return Err(Error::usage("documents", problem));
        }
        Ok(Texts { corpus, document_of })
    }
}

/// The rejection of a document whose id equals an earlier one except for its type.
fn same_id(corpus: &Corpus, document: u32, first: u32) -> Rejection {
    let origins = &corpus.origins;
    let (id, first) = (origins.id_json(document).to_string(), origins.place(first));
    let problem = Problem::DuplicateId { id, first, setting: None };
    let file = origins.sources[origins.source_of(document)].label.clone();
    Rejection { file, row: Some(origins.row(document)), problem }
}
