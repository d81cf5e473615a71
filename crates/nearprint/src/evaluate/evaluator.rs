//! Files of found and of labeled pairs or clusters -> their agreement.
//!
//! Ids are numbered in the order of appearance: first those of TRUTH, then of FOUND, then of the
//! documents. So the judged documents have the numbers from 0 up to a bound. The other files of
//! this room do the counting. Texts are read only to show the worst misses and false alarms.

use std::path::Path;

use super::answer::only;
use super::answers::{self, AnswerFile, Columns};
use super::names::{DOCUMENTS, FOUND, Names, TRUTH};
use super::notes::notes;
use super::question::{Evaluator, Question};
use super::report::{Bootstrap, DocumentCounts, EvaluatedFile, EvaluationReport};
use super::worst::{Order, Pairs};
use super::{Answer, MOST_REPLICATES, Pair, evaluate, lacking};
use crate::error::{Error, FieldUse};
use crate::message;
use crate::message::Verb;
use crate::read::{self, Input, Source};
use crate::watch::Watch;
use crate::write::reports::{CLUSTERS, PAIRS, REMOVED};

/// The most misses, or false alarms, that are compared; of more a random sample is compared.
const COMPARED: usize = 100_000;

/// The reports of a run that are answers, the most informative first.
pub(super) const REPORTS: [&str; 3] = [PAIRS, CLUSTERS, REMOVED];

impl Evaluator<'_> {
    /// Compares found pairs or clusters with labeled ones.
    ///
    /// # Errors
    /// [`Error::Usage`], [`Error::Io`] for missing inputs, [`Error::Incompatible`] for a file that
    /// holds neither pairs nor clusters, [`Error::Rejected`] for rows that cannot be used,
    /// [`Error::TooManyRejected`], [`Error::Interrupted`].
    pub fn report(
        &self,
        question: &Question,
        watch: &dyn Watch,
    ) -> Result<EvaluationReport, Error> {
        let inputs = [&question.found, &question.truth].into_iter().chain(&question.documents);
        if inputs.filter(|input| input.is_named(read::STANDARD_INPUT)).count() > 1 {
            return Err(Error::usage(
                "input",
                "standard input can be only one of the files; name the others",
            ));
        }
        let replicates = question.options.replicates;
        if replicates > MOST_REPLICATES {
            let problem = format!(
                "{replicates} is more than {MOST_REPLICATES}; more replicates do not change the \
                 intervals"
            );
            return Err(Error::usage("bootstrap", problem));
        }
        let mut names = Names::default();
        let mut read = |input: &Input, source, evidence| -> Result<(Source, AnswerFile), Error> {
            names.begin(source);
            let file = match input {
                Input::Named(name) => {
                    let file = in_folder(name)?;
                    // The reports of a run are UTF-8, whatever its input is.
                    let encoding = self.config.read.encoding.filter(|_| file == *name);
                    let format = self.config.read.format;
                    read::find_table(&file, format, encoding, self.spool, watch)?
                }
                Input::Found(source) => source.clone(),
            };
            let answer = answers::read(
                &file,
                &question.columns,
                &mut names,
                self.config.read.on_error,
                evidence,
            )?;
            answer.rejections.check(0, self.config.read.max_rejected)?;
            Ok((file, answer))
        };
        let (truth_file, mut truth) = read(&question.truth, TRUTH, false)?;
        let documents = match (&question.run, &truth.marked) {
            // Marks name the pairs that count, so no other document is needed.
            (Some(run), None) if question.documents.is_empty() => self.documents_of(run, watch)?,
            _ => question.documents.clone(),
        };
        // If the documents can be read, pairs are compared anew.
        let evidence = question.worst > 0 && documents.is_empty();
        let (found_file, mut found) = read(&question.found, FOUND, evidence)?;
        check_columns(&question.columns, &[&found, &truth])?;
        let mut rejections = std::mem::take(&mut found.rejections);
        rejections.append(std::mem::take(&mut truth.rejections));
        let texts = match documents.is_empty() {
            true => None,
            false => Some(self.read_texts(&documents, &mut names, &mut rejections, watch)?),
        };
        let is_known = match truth.marked.is_some() {
            true => Some(self.known(question, &names, watch)?),
            false => None,
        };
        let proposal = match &is_known {
            Some(is_known) => self.proposal(question, &names, &truth, is_known, watch)?,
            None => None,
        };
        let judged_only = question.judged_only || truth.marked.is_some();
        let mut documents = match judged_only {
            true => names.met_in(&[TRUTH]) as u32,
            false => names.len() as u32,
        };

        let mut truth_answer = truth.answer();
        let mut found_answer = found.answer();
        if judged_only {
            found_answer = found_answer.below(documents);
            if !truth.clusters {
                found_answer =
                    found_answer.among(truth.duplicates.iter().chain(&truth.different).copied());
            }
        }
        let mut left_out = std::mem::take(&mut truth.left_out);
        // Of a run only documents count that it has read. They get numbers without gaps.
        let of_run = question.run.is_some() && question.documents.is_empty();
        let numbers = 0..documents;
        let read: Option<Vec<u32>> = match &is_known {
            _ if !of_run => None,
            _ if texts.is_some() => {
                Some(numbers.filter(|number| names.is_met(*number, DOCUMENTS)).collect())
            }
            Some(is_known) => Some(numbers.filter(|number| is_known(*number)).collect()),
            None => None,
        };
        if let Some(read) = &read {
            documents = read.len() as u32;
            (found_answer, truth_answer) = (found_answer.only(read), truth_answer.only(read));
            left_out = left_out.into_iter().filter_map(|pair| only(read, pair)).collect();
        }
        let left_out = &left_out;
        let evaluation =
            evaluate(documents, &found_answer, &truth_answer, left_out, question.options);
        let only_in = |one: &Answer, other: &Answer| -> Vec<Pair> {
            let limit = if question.worst == 0 { 0 } else { COMPARED };
            let pairs = lacking(one, other, left_out, limit, question.options.seed);
            let number = |at: u32| read.as_ref().map_or(at, |read| read[at as usize]);
            pairs.into_iter().map(|(left, right)| (number(left), number(right))).collect()
        };
        let (misses, false_alarms) =
            (only_in(&truth_answer, &found_answer), only_in(&found_answer, &truth_answer));
        let counts = evaluation.counts;
        let pairs = Pairs {
            config: self.config,
            recipe: self.recipe,
            names: &names,
            texts: texts.as_ref(),
            known: &found.evidence,
            marked: truth.marked.as_ref(),
            shown: question.worst,
            watch,
        };
        Ok(EvaluationReport {
            nearprint: env!("CARGO_PKG_VERSION"),
            notes: notes(question, texts.is_some(), &names, &found, &truth),
            found: EvaluatedFile::new(&found_file, &found),
            truth: EvaluatedFile::new(&truth_file, &truth),
            proposal,
            documents: DocumentCounts {
                counted: documents.into(),
                in_found: names.met_in(&[FOUND]),
                in_truth: names.met_in(&[TRUTH]),
                in_documents: texts.as_ref().map(|_| names.met_in(&[DOCUMENTS])),
            },
            counts,
            measures: evaluation.measures,
            bootstrap: Bootstrap {
                replicates: question.options.replicates,
                seed: question.options.seed,
                level: 0.95,
            },
            misses: pairs.worst(misses, counts.misses, Order::MostSimilarFirst)?,
            false_alarms: pairs.worst(
                false_alarms,
                counts.false_alarms,
                Order::LeastSimilarFirst,
            )?,
            settings: texts.as_ref().map(|_| self.config.clone()),
            rejections,
        })
    }
}

/// The file to read in an output folder of `dedup`: the pairs if they exist, else the clusters.
fn in_folder(input: &str) -> Result<String, Error> {
    let folder = Path::new(input);
    if !folder.is_dir() {
        return Ok(input.to_string());
    }
    let mut files = REPORTS.map(|name| folder.join(name)).into_iter();
    match files.find(|file| file.is_file()) {
        Some(file) => Ok(file.display().to_string()),
        None => {
            let problem = message![
                input,
                " holds no pairs.jsonl, clusters.jsonl or removed.jsonl; name a file, or an output folder of ",
                Verb::Dedup
            ];
            Err(Error::usage("input", problem))
        }
    }
}

/// Refuses a name that is in no file, since a misspelled name would otherwise have no effect.
fn check_columns(columns: &Columns, files: &[&AnswerFile]) -> Result<(), Error> {
    let named = [
        ("left-field", &columns.left),
        ("right-field", &columns.right),
        ("cluster-field", &columns.cluster),
        ("label-field", &columns.label),
    ];
    for (setting, name) in named {
        if let Some(name) = name
            && !files.iter().any(|file| file.has.contains(name))
        {
            let mut available: Vec<String> = Vec::new();
            for column in files.iter().flat_map(|said| &said.columns) {
                if !available.contains(column) {
                    available.push(column.clone());
                }
            }
            return Err(Error::NoSuchField {
                used_as: FieldUse::Answer(setting),
                field: name.clone(),
                available,
            });
        }
    }
    Ok(())
}
