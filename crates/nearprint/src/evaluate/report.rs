//! Files of found and of labelled pairs or clusters -> how well they agree.
//!
//! Ids are numbered as they are met: first those of TRUTH, then of FOUND, then of the documents. So
//! the documents that are judged are a range of numbers from 0. The other files of this room count;
//! texts are looked at only to show the worst misses and false alarms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nearprint_core::recipe::Recipe;

use super::answers::{self, AnswerFile, Columns};
use super::names::Names;
use super::proposal::{Mark, Proposal};
use super::worst::{Order, Pairs, Texts, Worst};
use super::{Answer, Counts, Figure, MOST_REPLICATES, Options, Pair, evaluate, lacking, run_pairs};
use crate::config::{Config, OnError};
use crate::corpus::Corpus;
use crate::document::Id;
use crate::error::{Error, FieldUse, Problem, Rejection};
use crate::message;
use crate::message::{Message, Setting, Verb};
use crate::read::{self, Format, Input, Source};
use crate::watch::Watch;

/// More misses, or false alarms, are not compared; of more a random part is.
const COMPARED: usize = 100_000;

/// The reports of a run that are answers, the most informative first.
const REPORTS: [&str; 3] = ["pairs.jsonl", "clusters.jsonl", "removed.jsonl"];

/// Where ids are met.
const TRUTH: u8 = 0;
const FOUND: u8 = 1;
const DOCUMENTS: u8 = 2;

/// The two answers to compare, and how.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Found pairs or clusters: a file, an output folder of `dedup`, or rows in memory.
    pub found: Input,
    /// Labelled pairs or clusters, alike.
    pub truth: Input,
    /// The documents themselves: files, folders, globs, or rows in memory. They tell of documents
    /// that neither file names, and they bring the texts.
    pub documents: Vec<Input>,
    /// Names of columns other than the usual ones.
    pub columns: Columns,
    /// Whether only what TRUTH judges counts: the pairs it lists, or the documents it names. It
    /// does in any case where TRUTH has marks: a person marks some pairs, and the others say
    /// nothing.
    pub judged_only: bool,
    /// How many misses and false alarms to show; 0 for none.
    pub worst: usize,
    /// How intervals are made.
    pub options: Options,
}

/// How well two files agree.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct EvaluationReport {
    /// The version of nearprint.
    pub nearprint: &'static str,
    /// The found answer.
    pub found: EvaluatedFile,
    /// The labelled answer.
    pub truth: EvaluatedFile,
    /// What the marks of the truth say about the least similarity; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// Whose documents were counted.
    pub documents: DocumentCounts,
    /// Pairs.
    pub counts: Counts,
    /// Each measure by name.
    pub measures: BTreeMap<&'static str, Figure>,
    /// How the intervals were made.
    pub bootstrap: Bootstrap,
    /// Labelled pairs that were not found, the most similar first.
    pub misses: Worst,
    /// Found pairs that are not labelled, the least similar first.
    pub false_alarms: Worst,
    /// The settings under which texts were compared; absent where none were.
    pub settings: Option<serde_json::Value>,
    /// Notes for a reader of the figures.
    pub notes: Vec<Message>,
    /// Rows and files that were left out.
    #[serde(skip)]
    pub rejections: Vec<Rejection>,
}

/// One of the two files.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct EvaluatedFile {
    /// The file that was read.
    pub file: String,
    /// `pairs` or `clusters`.
    pub shape: &'static str,
    /// Rows that were used.
    pub rows: u64,
    /// Pairs of a document with itself, which count for nothing.
    pub self_pairs: u64,
    /// Pairs that were there before, perhaps the other way round.
    pub repeated_pairs: u64,
    /// Pairs that the file does not list because a pair of equal texts stands for them.
    pub implied_pairs: u64,
    /// Pairs that are labelled as no duplicates.
    pub different_pairs: u64,
}

/// Whose documents were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct DocumentCounts {
    /// Documents that count.
    pub counted: u64,
    /// Of all documents those that the found answer names.
    pub in_found: u64,
    /// Of all documents those that the labelled answer names.
    pub in_truth: u64,
    /// Of all documents those that were read; absent where none were given.
    pub in_documents: Option<u64>,
}

/// How intervals were made.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Bootstrap {
    /// How often blocks were drawn anew; 0 for no intervals.
    pub replicates: u32,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The part of the replicates that lies within an interval.
    pub level: f64,
}

/// Reads documents to compare pairs of them.
type Read<'e> = dyn Fn(Vec<Source>, &dyn Watch) -> Result<Corpus, Error> + Sync + 'e;

/// Evaluates answers under these settings.
pub struct Evaluator<'e> {
    /// The settings.
    pub config: &'e Config,
    /// The recipe by which documents are compared.
    pub recipe: &'e Recipe,
    /// How documents are read.
    pub options: &'e read::Options,
    /// A folder for standard input.
    pub spool: &'e Path,
    /// Reads the documents, for comparing pairs of them.
    pub read: &'e Read<'e>,
}

impl Evaluator<'_> {
    /// Holds found pairs or clusters against labelled ones.
    ///
    /// # Errors
    /// [`Error::Usage`], [`Error::Io`] for inputs that are not there, [`Error::Incompatible`] for a
    /// file that holds neither pairs nor clusters, [`Error::Rejected`] for rows that cannot be
    /// used, [`Error::Interrupted`].
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
        let mut read = |input: &Input, source| -> Result<(Source, AnswerFile), Error> {
            names.begin(source);
            let file = match input {
                Input::Named(name) => {
                    read::find_table(&in_folder(name)?, self.config.format, self.spool, watch)?
                }
                Input::Found(source) => source.clone(),
            };
            // With the documents at hand, pairs are compared anew.
            let evidence = source == FOUND && question.worst > 0 && question.documents.is_empty();
            let answer = answers::read(
                &file,
                &question.columns,
                &mut names,
                self.config.on_error,
                evidence,
            )?;
            Ok((file, answer))
        };
        let (truth_file, mut truth) = read(&question.truth, TRUTH)?;
        let (found_file, mut found) = read(&question.found, FOUND)?;
        check_columns(&question.columns, &[&found, &truth])?;
        let mut rejections =
            [std::mem::take(&mut found.rejections), std::mem::take(&mut truth.rejections)].concat();
        let texts = match question.documents.is_empty() {
            true => None,
            false => Some(self.read_texts(question, &mut names, &mut rejections, watch)?),
        };
        let proposal = self.proposal(question, &names, &truth, watch)?;
        let judged_only = question.judged_only || truth.marked.is_some();
        let documents = match judged_only {
            true => names.met_in(&[TRUTH]) as u32,
            false => names.len() as u32,
        };

        let truth_answer = truth.answer();
        let mut found_answer = found.answer();
        if judged_only {
            found_answer = found_answer.below(documents);
            if !truth.clusters {
                found_answer =
                    found_answer.among(truth.duplicates.iter().chain(&truth.different).copied());
            }
        }
        let left_out = &truth.left_out;
        let evaluation =
            evaluate(documents, &found_answer, &truth_answer, left_out, question.options);
        let only_in = |one: &Answer, other: &Answer| -> Vec<Pair> {
            let limit = if question.worst == 0 { 0 } else { COMPARED };
            lacking(one, other, left_out, limit, question.options.seed)
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
            notes: notes(question, &names, &found, &truth),
            found: side(&found_file, &found),
            truth: side(&truth_file, &truth),
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
            settings: texts
                .as_ref()
                .map(|_| serde_json::to_value(self.config).expect("settings are JSON values")),
            rejections,
        })
    }

    /// What the marks of the truth say about the least similarity, where it has some.
    fn proposal(
        &self,
        question: &Question,
        names: &Names,
        truth: &AnswerFile,
        watch: &dyn Watch,
    ) -> Result<Option<Proposal>, Error> {
        let Some(similarities) = &truth.marked else { return Ok(None) };
        let known = self.known(question, names, watch)?;
        let (mut marks, mut without, mut unknown) = (Vec::new(), 0, Vec::new());
        let mut judged = BTreeSet::new();
        let right = truth.duplicates.iter().map(|pair| (*pair, true));
        let mut all: Vec<(Pair, bool)> =
            right.chain(truth.different.iter().map(|pair| (*pair, false))).collect();
        all.sort_unstable();
        for (pair, right) in all {
            if [pair.0, pair.1].into_iter().any(|document| !known(document)) {
                unknown.push([pair.0, pair.1].map(|document| names.id(document)));
                continue;
            }
            match similarities.get(&pair) {
                Some(similarity) => {
                    marks.push(Mark { similarity: *similarity, right });
                    judged.insert(pair);
                }
                None => without += 1,
            }
        }
        let few = match &question.found {
            Input::Named(name) if Path::new(name).is_dir() => {
                let is_marked = |pair| judged.contains(&pair);
                run_pairs::run_pairs(Path::new(name), names, is_marked, self.spool, watch)?
            }
            _ => None,
        };
        Ok(Some(Proposal::new(&marks, few, without, unknown)))
    }

    /// Whether the run knows a document: among the documents where they are given, else in the
    /// reports of its output folder. Of pairs found elsewhere nothing tells.
    fn known<'n>(
        &self,
        question: &Question,
        names: &'n Names,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Fn(u32) -> bool + 'n>, Error> {
        if !question.documents.is_empty() {
            return Ok(Box::new(|document| names.is_met(document, DOCUMENTS)));
        }
        let folder = match &question.found {
            Input::Named(name) if Path::new(name).is_dir() => Path::new(name),
            _ => return Ok(Box::new(|_| true)),
        };
        let mut in_reports = Names::default();
        in_reports.begin(FOUND);
        for name in [REPORTS[0], REPORTS[1], REPORTS[2], "just_missed.jsonl"] {
            let path = folder.join(name);
            if path.is_file() {
                let file = path.display().to_string();
                let source = read::find_table(&file, self.config.format, self.spool, watch)?;
                answers::read(&source, &Columns::default(), &mut in_reports, OnError::Skip, false)?;
            }
        }
        Ok(Box::new(move |document| in_reports.find(names.text(document)).is_some()))
    }

    /// Reads the documents and finds the number of each id.
    fn read_texts(
        &self,
        question: &Question,
        names: &mut Names,
        rejections: &mut Vec<Rejection>,
        watch: &dyn Watch,
    ) -> Result<Texts, Error> {
        // As FOUND and TRUTH, the documents have the format that is set where their names tell
        // none.
        let (mut files, mut sources) = (Vec::new(), Vec::new());
        for input in &question.documents {
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
        rejections.extend(corpus.origins.rejections.iter().cloned());
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
                match self.config.on_error {
                    OnError::Fail => return Err(rejection.into()),
                    OnError::Skip => rejections.push(rejection),
                }
            }
        }
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

/// The file to read: of an output folder of `dedup` the pairs where they are, else the clusters.
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

/// A misspelt name would otherwise be as if it had not been given.
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

/// The rejection of a document whose id is that of an earlier one but for its type.
fn same_id(corpus: &Corpus, document: u32, first: u32) -> Rejection {
    let origins = &corpus.origins;
    let (id, first) = (origins.id_json(document).to_string(), origins.place(first));
    let problem = Problem::DuplicateId { id, first, setting: None };
    let file = origins.sources[origins.source_of(document)].label.clone();
    Rejection { file, row: Some(origins.row(document)), problem }
}

fn side(file: &Source, answer: &AnswerFile) -> EvaluatedFile {
    EvaluatedFile {
        file: file.label.clone(),
        shape: if answer.clusters { "clusters" } else { "pairs" },
        rows: answer.rows,
        self_pairs: answer.self_pairs,
        repeated_pairs: answer.repeated_pairs,
        implied_pairs: answer.implied_pairs,
        different_pairs: answer.different.len() as u64,
    }
}

/// The argument that names the answer.
fn found() -> Setting {
    Setting::named("found")
}

/// The argument that names the truth.
fn truth() -> Setting {
    Setting::named("truth")
}

fn notes(
    question: &Question,
    names: &Names,
    found_answer: &AnswerFile,
    truth_answer: &AnswerFile,
) -> Vec<Message> {
    let mut notes = Vec::new();
    if names.met_in(&[FOUND]) > 0
        && names.met_in(&[TRUTH]) > 0
        && names.met_in_both(FOUND, TRUTH) == 0
    {
        notes.push(message![
            found(),
            " and ",
            truth(),
            " have no document in common; check whether their ids agree"
        ]);
    }
    let marked = truth_answer.marked.is_some();
    if marked && !question.judged_only {
        notes.push(message![
            truth(),
            " has marks (verdict), so pairs without a mark are ignored, as with ",
            Setting::named("judged-only")
        ]);
    }
    let judged_only = question.judged_only || marked;
    match question.documents.is_empty() {
        true if !judged_only => notes.push(message![
            "documents in neither ",
            found(),
            " nor ",
            truth(),
            " are not counted; name the corpus with ",
            Setting::named("documents")
        ]),
        true => {}
        false => {
            let absent = names.met_in(&[FOUND, TRUTH, DOCUMENTS]) - names.met_in(&[DOCUMENTS]);
            if absent > 0 {
                notes.push(message![
                    absent,
                    " of the documents in ",
                    found(),
                    " and ",
                    truth(),
                    " are not in the corpus"
                ]);
            }
        }
    }
    if judged_only && !truth_answer.clusters && truth_answer.different.is_empty() {
        notes.push(message![
            truth(),
            " labels no pair as different, so no judged pair can be a false alarm: with ",
            Setting::named("judged-only"),
            " the precision has no meaning"
        ]);
    }
    for (name, answer) in [(found(), found_answer), (truth(), truth_answer)] {
        if answer.implied_pairs > 0 {
            notes.push(message![
                name.clone(),
                " lists pairs of equal texts (reason exact); ",
                answer.implied_pairs,
                " more pairs follow from them"
            ]);
        }
        if answer.self_pairs > 0 {
            notes.push(message![
                name,
                " has ",
                answer.self_pairs,
                " pairs of a document with itself, which are ignored"
            ]);
        }
    }
    notes
}
