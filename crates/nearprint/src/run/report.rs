//! A finished run -> its report, an HTML file.

use std::path::{Path, PathBuf};

use nearprint_core::normalize::Normalizer;
use serde_json::Value;

use super::Deduplicator;
use crate::config::{Config, LeakAction};
use crate::corpus::{Corpus, MarkFile};
use crate::error::{Error, FieldUse};
use crate::evaluate::LEAST_MARKS;
use crate::finished::Finished;
use crate::keep::Policy;
use crate::message;
use crate::message::{Message, Verb};
use crate::outcome::{Decisions, Removal, Summary};
use crate::read::{self, STANDARD_INPUT, Source};
use crate::report::{self, Material, Overview, Pair, Reading};
use crate::shown_fields::ShowFields;
use crate::watch::Watch;
use crate::write::reports;

/// The name of the report in an output folder.
pub(super) const REPORT: &str = "report.html";

/// The number of removed documents that an overview shows.
const SHOWN: usize = 5;

/// The largest number of characters of a text that an overview shows.
const LONGEST: u32 = 100_000;

/// Settings of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// The field of the input that tells sources apart, such as `host`. `None` tells them apart by
    /// file.
    pub source_field: Option<String>,
    /// The fields of documents that are shown beside pairs.
    pub show_fields: ShowFields,
}

impl ReportOptions {
    /// The fields of documents that a report needs beside their texts, each once.
    pub fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = Vec::new();
        for field in self.source_field.iter().cloned().chain(self.show_fields.names()) {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        fields
    }

    /// The same settings for a run with this policy. A field of dates that decides is shown as the
    /// date.
    fn dated_by(&self, policy: &Policy) -> ReportOptions {
        let show_fields = match policy.date_field() {
            Some(field) => self.show_fields.clone().dated_by(field),
            None => self.show_fields.clone(),
        };
        ReportOptions { show_fields, source_field: self.source_field.clone() }
    }
}

/// A written report.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reported {
    /// Its path.
    pub path: PathBuf,
    /// Warnings for its readers.
    pub warnings: Vec<Message>,
}

/// Writes the report of a finished run into its output folder: `report.html`, and a folder
/// `report-data` if the texts are many. The input files are read again.
///
/// ```
/// use nearprint::{Config, Deduplicator, Output, ReportOptions, Silent, report};
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("poems.csv");
/// std::fs::write(&input, "id,text\n1,春眠不觉晓\n2,床前明月光\n3,春眠不覺曉\n")?;
/// let output = Output::new(folder.path().join("clean"));
/// Deduplicator::new(Config::default())?.dedup(&[input.display().to_string()], &output, &Silent)?;
/// let reported = report(&output.folder, &ReportOptions::default(), &Silent)?;
/// assert!(reported.warnings.is_empty() && std::fs::read_to_string(reported.path)?.contains("春眠不覺曉"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Incompatible`] if `folder` is no output folder or one of its reports is damaged,
/// [`Error::NoSuchField`] for a named field that no document has, [`Error::Io`],
/// [`Error::Interrupted`]. A missing input file is a warning, and the page says so in place of its
/// texts. If all input files are missing, an existing report is not replaced by one without texts:
/// [`Error::Incompatible`].
pub fn report(
    folder: &Path,
    options: &ReportOptions,
    watch: &dyn Watch,
) -> Result<Reported, Error> {
    let finished = Finished::open(folder)?;
    let mut warnings = check_inputs(&finished)?;
    let sources = finished.sources()?;
    let summary = finished.summary()?;
    let normalizer = Normalizer::new(finished.config.fingerprint.normalize);
    let sides = sources.each_ref().map(Vec::as_slice);
    let marks = finished.marks(&summary);
    let making = Making::new(&finished.config, &normalizer, options, marks.as_ref());
    let written = super::on_threads(finished.config.run.threads, || {
        making.check_fields(sides, watch)?;
        let changed = finished.changed(watch)?;
        if let Some(first) = changed.first() {
            let all = finished.against.len() + finished.inputs.len();
            let count = format!(
                "{} of {all} input files have changed since the run ({first}), so their texts",
                changed.len()
            );
            warnings.push(message![
                count,
                " may differ from the compared ones; run ",
                Verb::Dedup,
                " again"
            ]);
        }
        making.write(folder, folder, summary, sides, changed, watch)
    })?;
    Ok(Reported { path: written?, warnings })
}

/// Warns of missing input files. Refuses to replace a report by one without any text.
fn check_inputs(finished: &Finished) -> Result<Vec<Message>, Error> {
    let (missing, all) = (finished.missing(), finished.against.len() + finished.inputs.len());
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let remedy = match missing.iter().all(|file| *file == STANDARD_INPUT) {
        true => message![
            "standard input cannot be read again; save it to a file, and run ",
            Verb::Dedup,
            " on that"
        ],
        false => message![
            "run this in the folder in which ",
            Verb::Dedup,
            " ran, or restore the files (",
            missing[0],
            ")"
        ],
    };
    let path = finished.folder.join(REPORT);
    match missing.len() == all && path.exists() {
        true => {
            let problem = message![
                "would lose its texts, since no input file of the run exists; ",
                remedy,
                "; for a page without texts, delete this page first"
            ];
            Err(Error::Incompatible { path, problem })
        }
        false => {
            let count = format!(
                "{} of {all} input files are missing, so the page lacks their texts; ",
                missing.len()
            );
            Ok(vec![message![count, remedy]])
        }
    }
}

/// The settings with which a report is made.
struct Making<'a> {
    config: &'a Config,
    normalizer: &'a Normalizer,
    options: ReportOptions,
    /// The marks that the run was given, if they are known.
    marks: Option<&'a MarkFile>,
}

impl<'a> Making<'a> {
    fn new(
        config: &'a Config,
        normalizer: &'a Normalizer,
        options: &ReportOptions,
        marks: Option<&'a MarkFile>,
    ) -> Making<'a> {
        Making { config, normalizer, options: options.dated_by(&config.keep.policy), marks }
    }

    /// Writes the report into the folder that holds the other reports. `named` is the user's path
    /// of that folder.
    fn write(
        &self,
        folder: &Path,
        named: &Path,
        summary: Value,
        sides: [&[Source]; 2],
        changed: Vec<String>,
        watch: &dyn Watch,
    ) -> Result<PathBuf, Error> {
        let title = title(named);
        let material =
            self.material(folder, &title, Some(named.display().to_string()), summary, sides);
        let material = Material { changed, ..material };
        let path = folder.join(REPORT);
        report::write(&material, &path, watch)?;
        Ok(path)
    }

    /// Refuses a field that the user has named and no document has.
    fn check_fields(&self, sides: [&[Source]; 2], watch: &dyn Watch) -> Result<(), Error> {
        let readings = self.readings(sides);
        let check = |field: &String, used_as| report::check_field(&readings, field, used_as, watch);
        let ReportOptions { source_field, show_fields } = &self.options;
        source_field.iter().try_for_each(|field| check(field, FieldUse::Source))?;
        show_fields.named().iter().try_for_each(|field| check(field, FieldUse::Shown))
    }

    /// The material of a report.
    fn material<'m>(
        &'m self,
        folder: &'m Path,
        title: &str,
        named: Option<String>,
        summary: Value,
        sides: [&[Source]; 2],
    ) -> Material<'m> {
        Material {
            folder,
            title: title.to_string(),
            named,
            summary,
            readings: self.readings(sides),
            changed: Vec::new(),
            source_field: self.options.source_field.clone(),
            show_fields: self.options.show_fields.clone(),
            normalizer: self.normalizer,
            measure: self.config.decide.verify,
            least_marks: LEAST_MARKS,
            marks: self.marks,
        }
    }

    /// The files, each with its options for reading.
    fn readings(&self, [against, sources]: [&[Source]; 2]) -> Vec<Reading> {
        let fields = read::Options {
            kept_fields: self.options.fields(),
            numeric_fields: 0,
            tokens_field: None,
            ..self.config.reading()
        };
        let of_against = self.config.of_against().reading();
        let others = read::Options {
            text_fields: of_against.text_fields,
            id_field: of_against.id_field,
            names_first: true,
            ..fields.clone()
        };
        let reading = |sources: &[Source], options: &read::Options, is_against| -> Vec<Reading> {
            let reading = |source: &Source| Reading {
                source: source.clone(),
                options: options.clone(),
                is_against,
            };
            sources.iter().map(reading).collect()
        };
        [reading(against, &others, true), reading(sources, &fields, false)].concat()
    }
}

impl Deduplicator {
    /// The settings with which reports of its runs are made.
    fn making(&self, options: &ReportOptions) -> Making<'_> {
        Making::new(&self.config, self.recipe.normalizer(), options, self.marks.as_ref())
    }

    /// Writes the report of a run in memory into an HTML file with a title, and into a folder beside
    /// it if the texts are many: `news-data` for `news.html`. The reference documents and the
    /// documents are read again from `sides`: the sources of the corpus, or sources of the same
    /// rows with further fields.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, ReportOptions, Silent};
    /// let texts = ["春眠不觉晓", "床前明月光", "春眠不覺曉"];
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let run = deduplicator.run(Documents::texts(texts), &Silent)?;
    /// let (sides, options) = (run.corpus.origins.sides(), ReportOptions::default());
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("poems.html");
    /// let run = (&run.corpus, &run.decisions, &run.summary);
    /// deduplicator.report_of(run, sides, &path, "poems", &options, &Silent)?;
    /// assert!(std::fs::read_to_string(path)?.contains("春眠不覺曉"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] if a file cannot be written, [`Error::Interrupted`].
    pub fn report_of(
        &self,
        (corpus, decisions, summary): (&Corpus, &Decisions, &Summary),
        sides: [&[Source]; 2],
        path: &Path,
        title: &str,
        options: &ReportOptions,
        watch: &dyn Watch,
    ) -> Result<(), Error> {
        // Fields of documents in memory were checked with their columns.
        let [against, own] =
            sides.map(|side| side.iter().filter(|own| own.memory.is_none()).cloned().collect());
        let files: [Vec<Source>; 2] = [against, own];
        if !files[1].is_empty() {
            self.check_fields_of_report([&files[0], &files[1]], options, watch)?;
        }
        let spool = self.spool()?;
        reports::removed(corpus, decisions, None, spool.path())?;
        if corpus.origins.has_sides() {
            reports::leaks(corpus, decisions, self.config.keep.leak_action, spool.path())?;
        }
        if let Some(pairs) = &decisions.just_missed {
            reports::just_missed(corpus, pairs, spool.path())?;
        }
        let making = self.making(options);
        let material = making.material(spool.path(), title, None, as_written(summary), sides);
        self.threads.install(|| report::write(&material, path, watch))
    }

    /// The overview of a run in memory for a notebook: a piece of HTML of less than 200 kB without
    /// a script. `text` returns the text of a document, if it is available. It is called for a few
    /// documents.
    ///
    /// ```
    /// use nearprint::{Config, Deduplicator, Documents, Silent};
    /// let texts = ["春眠不觉晓", "床前明月光", "春眠不覺曉"];
    /// let deduplicator = Deduplicator::new(Config::default())?;
    /// let run = deduplicator.run(Documents::texts(texts), &Silent)?;
    /// let text = |document: u32| Some(texts[document as usize].to_string());
    /// let html = deduplicator.overview_of((&run.corpus, &run.decisions, &run.summary), text);
    /// assert!(html.contains("2 of 3 documents kept") && html.contains("春眠不覺曉"));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    pub fn overview_of(
        &self,
        (corpus, decisions, summary): (&Corpus, &Decisions, &Summary),
        text: impl Fn(u32) -> Option<String>,
    ) -> String {
        let Decisions { removals, clusters, .. } = decisions;
        let mut least: Vec<&Removal> = removals.iter().collect();
        let by_similarity = |one: &&Removal, other: &&Removal| {
            one.similarity.total_cmp(&other.similarity).then(one.document.cmp(&other.document))
        };
        if least.len() > SHOWN {
            least.select_nth_unstable_by(SHOWN, by_similarity);
            least.truncate(SHOWN);
        }
        least.sort_by(by_similarity);
        // A text of another length has changed since the run.
        let length = |document: u32| corpus.lengths()[document as usize];
        let text = |document: u32| {
            text(document).filter(|text| text.chars().count() == length(document) as usize)
        };
        let pair = |removal: &Removal| {
            let ends = [removal.document, removal.keeper];
            let are_short = ends.iter().all(|end| length(*end) <= LONGEST);
            let texts = if are_short { text(ends[0]).zip(text(ends[1])) } else { None };
            Pair {
                ids: ends.map(|end| corpus.origins.id_json(end).to_string()),
                reason: removal.reason,
                similarity: removal.similarity,
                distance: removal.distance,
                lost: removal.lost,
                texts: texts.map(Into::into),
            }
        };
        let overview = Overview {
            headline: headline(summary),
            removed: removals.iter().map(|removal| (removal.similarity, removal.reason)).collect(),
            sizes: clusters.iter().map(|(_, members)| members.len() as u32).collect(),
            pairs: least.into_iter().map(pair).collect(),
            normalizer: self.recipe.normalizer(),
            measure: self.config.decide.verify,
        };
        overview.html()
    }

    /// Refuses a named field that no document has, before a run does its work.
    pub(super) fn check_fields_of_report(
        &self,
        sides: [&[Source]; 2],
        options: &ReportOptions,
        watch: &dyn Watch,
    ) -> Result<(), Error> {
        self.making(options).check_fields(sides, watch)
    }

    /// Writes the report of a run into the folder that holds its other reports.
    pub(super) fn write_report(
        &self,
        folder: &Path,
        named: &Path,
        summary: &Summary,
        corpus: &Corpus,
        options: &ReportOptions,
        watch: &dyn Watch,
    ) -> Result<PathBuf, Error> {
        self.making(options).write(
            folder,
            named,
            as_written(summary),
            corpus.origins.sides(),
            Vec::new(),
            watch,
        )
    }
}

/// The title of the page in an output folder.
pub(super) fn title(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

/// The run in a line.
fn headline(summary: &Summary) -> String {
    let counts = &summary.counts;
    let recall = summary.recall.and_then(|recall| recall.recall);
    let recall = recall.map_or(String::new(), |recall| format!(", recall {recall:.3} on a sample"));
    let found = counts.found_in_words().map_or(String::new(), |found| format!("{found}; "));
    if let Some(leaks) = counts.leaks {
        let removed = match summary.settings.keep.leak_action {
            LeakAction::List => "none removed, as they are only listed".to_string(),
            LeakAction::Mask | LeakAction::Cut if counts.removed == 0 => {
                "none removed, as passages alone are taken out".to_string()
            }
            _ => format!("{} removed", counts.removed),
        };
        return format!(
            "{found}{} of {} documents have them, {removed}{recall}",
            leaks.documents, counts.read
        );
    }
    format!(
        "{found}{} of {} documents kept, {} removed in {} cluster{}{recall}",
        counts.kept,
        counts.read,
        counts.removed,
        counts.clusters,
        if counts.clusters == 1 { "" } else { "s" }
    )
}

/// A summary as it is read from `summary.json`, so that both ways to make a report give the same
/// bytes.
fn as_written(summary: &Summary) -> Value {
    let json = serde_json::to_string(summary).expect("a summary is JSON");
    serde_json::from_str(&json).expect("it was just written")
}
