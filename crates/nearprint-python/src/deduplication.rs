//! A finished run in Python: tables, report, figures. `columns` makes the columns of the tables.

mod columns;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray};
use nearprint::corpus::Corpus;
use nearprint::outcome::{Decisions, Summary};
use nearprint::{Changes, Deduplicator, Error, Output, ReportOptions, ShowFields};
use pyo3::prelude::*;
use pyo3_arrow::PyArray;

pub(crate) use columns::{batch, reasons, similarities};

use crate::errors::{OrException, loss_from_0, spelled, usage};
use crate::settings::Config;
use crate::side::Side;
use crate::tables::table;
use crate::watching::watched;

/// The argument that names the column of sources.
const SOURCE_FIELD: &str = "source-field";

/// The argument that names the columns that are shown.
const SHOW_FIELD: &str = "show-field";

/// A finished run. Its documents have numbers, reference documents first.
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct Deduplication {
    run: Arc<Run>,
}

struct Run {
    deduplicator: Deduplicator,
    corpus: Corpus,
    decisions: Decisions,
    summary: Summary,
    /// True if all duplicate pairs were compared.
    pairs: bool,
    /// The process of the threads.
    process: u32,
    sides: Arc<Sides>,
}

/// The documents of a run, and the reference documents.
struct Sides {
    documents: Side,
    against: Option<Side>,
}

#[pymethods]
impl Deduplication {
    /// Deduplicates documents in memory, among themselves or against reference documents.
    /// `with_ids` is true, for each side, if the user named the column of ids. `names` are the names
    /// of all columns of each side, for messages; empty if they are those that the object exports.
    #[staticmethod]
    #[pyo3(signature = (documents, against, pairs, progress, config, with_ids, names))]
    #[expect(clippy::too_many_arguments, reason = "Python's half names each")]
    fn run(
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        against: Option<&Bound<'_, PyAny>>,
        pairs: bool,
        progress: Option<&Bound<'_, PyAny>>,
        config: &Config,
        with_ids: [bool; 2],
        names: [Vec<String>; 2],
    ) -> PyResult<Deduplication> {
        let deduplicator = config.deduplicator(py)?;
        let [own_names, other_names] = names;
        let settings = config.settings();
        let documents = Side::new(
            "documents",
            documents,
            settings,
            &settings.columns(),
            with_ids[0],
            own_names,
        )?;
        let against = match against {
            Some(against) => {
                let other = settings.of_against();
                let (columns, with_ids) = (other.columns(), with_ids[1]);
                Some(Side::new("against", against, &other, &columns, with_ids, other_names)?)
            }
            None => None,
        };
        let sides = Arc::new(Sides { documents, against });
        let run = watched(py, progress, |watch| {
            let of_run = match &sides.against {
                Some(against) => sides.documents.documents().against(against.documents()),
                None => sides.documents.documents(),
            };
            let of_run = of_run.with_pairs(pairs);
            let run = deduplicator.run(of_run, watch)?;
            // A run against an index has other settings.
            let deduplicator = match run.summary.settings == *deduplicator.config() {
                true => deduplicator,
                false => Deduplicator::new(run.summary.settings.clone())?,
            };
            Ok::<Run, Error>(Run::new(deduplicator, run, pairs, sides))
        })?;
        Ok(Deduplication { run: Arc::new(run.or_exception(py)?) })
    }

    /// The run with another least similarity, with the marks of a file, or with both. The
    /// fingerprints are those of this run.
    #[pyo3(signature = (min_similarity, marks, pairs, progress))]
    fn again(
        &self,
        py: Python<'_>,
        min_similarity: Option<f64>,
        marks: Option<PathBuf>,
        pairs: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Deduplication> {
        let Run { deduplicator, corpus, decisions, summary, sides, .. } = &*self.run;
        let changes = Changes { min_similarity, marks };
        let run = watched(py, progress, |watch| {
            deduplicator.run_again((corpus, decisions, summary), &changes, pairs, watch)
        })?;
        let (deduplicator, run) = run.or_exception(py)?;
        let sides = sides.clone();
        Ok(Deduplication { run: Arc::new(Run::new(deduplicator, run, pairs, sides)) })
    }

    /// Writes the output folder. `write_kept(folder)` writes kept documents that are in memory and
    /// returns the number of bytes. Returns the summary as JSON.
    fn save(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        force: bool,
        write_kept: &Bound<'_, PyAny>,
    ) -> PyResult<String> {
        let Run { deduplicator, corpus, decisions, summary, pairs, sides, .. } = &*self.run;
        let (parts, inputs) = ((corpus, decisions, summary), sides.documents.names());
        let output = Output { force, pairs: *pairs, spelled, ..Output::new(folder) };
        let write_kept = write_kept.clone().unbind();
        let mut raised = None;
        let saved = watched(py, None, |watch| {
            let mut write = |place: &Path| {
                let written = Python::attach(|py| write_kept.call1(py, (place,))?.extract(py));
                written.map_err(|error: PyErr| {
                    raised = Some(error);
                    Error::Interrupted
                })
            };
            deduplicator.save(parts, inputs, &output, &mut write, watch)
        })?;
        match raised {
            Some(error) => Err(error),
            None => Ok(serde_json::to_string(&saved.or_exception(py)?).expect("it is JSON")),
        }
    }

    /// A column of booleans: true for each kept row of the documents.
    fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let documents = self.run.sides.documents.in_memory(
            py,
            "save(folder) copies the rows that are kept, and labels says what became of each",
        )?;
        let kept: BooleanArray = py.detach(|| self.run.kept(documents.rows).into());
        PyArray::from_array_ref(Arc::new(kept)).into_arro3(py)
    }

    /// The kept documents that lost leaks from their texts: the place of each among the kept ones,
    /// and a table of the new texts with a column for each field of the text.
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyAny>)> {
        let documents = self.run.sides.documents.in_memory(py, "save(folder) writes them")?;
        let (places, batch) = py.detach(|| self.run.changes(documents)).or_exception(py)?;
        Ok((places, table(py, batch)?))
    }

    /// The documents and passages that are duplicates of reference documents: id, item, reason,
    /// similarity, first, last, action.
    fn leaks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.leaks()).or_exception(py)?;
        table(py, batch)
    }

    /// The removed documents: id, keeper, cluster, distance, similarity, reason, lost, share,
    /// first, last, length, keeper_length, row, keeper_row.
    fn removed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.removed()).or_exception(py)?;
        table(py, batch)
    }

    /// The names of the columns that a report may show, for a user who names `show_fields`.
    #[staticmethod]
    fn columns_of_report(source_field: Option<String>, show_fields: Vec<String>) -> Vec<String> {
        ReportOptions { source_field, show_fields: ShowFields::new(show_fields) }.fields()
    }

    /// Writes the report. `source_field` is the column that names sources, `show_fields` are the
    /// columns that are shown beside pairs; they are read now from `rows`, the documents and the
    /// reference documents.
    fn report(
        &self,
        py: Python<'_>,
        path: PathBuf,
        title: &str,
        source_field: Option<String>,
        show_fields: Vec<String>,
        rows: (Bound<'_, PyAny>, Option<Bound<'_, PyAny>>),
    ) -> PyResult<()> {
        let Run { deduplicator, corpus, decisions, summary, sides, .. } = &*self.run;
        let options = ReportOptions { source_field, show_fields: ShowFields::new(show_fields) };
        let needed = options.source_field.iter().map(|field| (SOURCE_FIELD, field));
        let shown = options.show_fields.named().iter().map(|field| (SHOW_FIELD, field));
        let needed: Vec<(&'static str, &String)> = needed.chain(shown).collect();
        let fields = options.fields();
        let [mut others, mut own] = corpus.origins.sides().map(<[_]>::to_vec);
        if let Side::Memory(documents) = &sides.documents {
            own = vec![documents.with_fields("documents", &rows.0, &needed, &fields)?];
        }
        if let (Some(Side::Memory(against)), Some(rows)) = (&sides.against, &rows.1) {
            // Reference documents may lack the columns.
            others = vec![against.with_fields("against", rows, &[], &fields)?];
        }
        let report = watched(py, None, |watch| {
            deduplicator.report_of(
                (corpus, decisions, summary),
                [&others, &own],
                &path,
                title,
                &options,
                watch,
            )
        })?;
        report.or_exception(py)
    }

    /// The overview of the run for a notebook, as HTML.
    fn overview(&self, py: Python<'_>) -> String {
        let Run { deduplicator, corpus, decisions, summary, .. } = &*self.run;
        py.detach(|| {
            deduplicator
                .overview_of((corpus, decisions, summary), |document| self.run.text(document))
        })
    }

    /// A row for each row of the documents: id, is_kept, keeper, keeper_row, cluster, similarity,
    /// reason.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.labels()).or_exception(py)?;
        table(py, batch)
    }

    /// The clusters: cluster, keeper, keeper_row, size, members, rows.
    fn clusters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.clusters()).or_exception(py)?;
        table(py, batch)
    }

    /// True if the run was asked for pairs.
    #[getter]
    fn with_pairs(&self) -> bool {
        self.run.pairs
    }

    /// The duplicate pairs: left, right, distance, similarity, reason. Pairs that the run did not
    /// compare are compared now.
    #[pyo3(signature = (progress=None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let run = &self.run;
        if !run.pairs && run.process != std::process::id() {
            return Err(usage(
                py,
                "pairs",
                "the run was made before this process was forked; set pairs=True for that run",
            ));
        }
        let batch = watched(py, progress, |watch| match run.pairs {
            true => run.table_of_pairs(&run.decisions),
            false => run.table_of_pairs(&run.deduplicator.decide(&run.corpus, true, watch)?),
        })?;
        table(py, batch.or_exception(py)?)
    }

    /// The pairs just below the minimum similarity: left, right, distance, similarity, and the rows
    /// of both.
    fn just_missed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.run.table_of_just_missed().or_exception(py)?)
    }

    /// The rejected files and rows: file, row, field, problem, message.
    fn rejected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.run.rejected().or_exception(py)?)
    }

    /// True if a document and a reference document have the same id.
    fn shares_ids(&self, py: Python<'_>) -> bool {
        let (corpus, first) = (&self.run.corpus, self.run.corpus.origins.against() as u32);
        py.detach(|| {
            let against: HashSet<&str> =
                (0..first).map(|document| corpus.origins.id_json(document)).collect();
            (first..corpus.len() as u32)
                .any(|document| against.contains(corpus.origins.id_json(document)))
        })
    }

    /// The figures of the run, as JSON.
    fn summary(&self) -> String {
        serde_json::to_string(&self.run.summary).expect("a summary is JSON")
    }

    /// Suggestions for other settings.
    fn suggestions(&self) -> Vec<String> {
        self.run.summary.suggestions().iter().map(spelled).collect()
    }

    /// Warnings about the run, the last of them about the rows that were left out.
    fn warnings(&self) -> Vec<String> {
        let summary = &self.run.summary;
        let loss = summary.loss.as_ref().map(|loss| loss_from_0(loss).message());
        let loss = loss.map(|loss| format!("{}: see Result.rejected", spelled(&loss)));
        summary.warnings().iter().map(spelled).chain(loss).collect()
    }
}

impl Run {
    fn new(deduplicator: Deduplicator, run: nearprint::Run, pairs: bool, sides: Arc<Sides>) -> Run {
        let nearprint::Run { corpus, decisions, summary } = run;
        let process = std::process::id();
        Run { deduplicator, corpus, decisions, summary, pairs, process, sides }
    }

    /// True for each of the rows that is kept; the documents are in memory.
    fn kept(&self, rows: usize) -> Vec<bool> {
        let mut kept = vec![false; rows];
        for document in self.corpus.origins.against() as u32..self.corpus.len() as u32 {
            kept[self.place(document)] = self.decisions.removal(document).is_none();
        }
        kept
    }

    /// The text of a document, if it is in memory.
    fn text(&self, document: u32) -> Option<String> {
        let config = self.deduplicator.config();
        let is_own = document as usize >= self.corpus.origins.against();
        let (side, fields) = match &self.sides.against {
            Some(against) if !is_own => (against, config.of_against().read.text_fields),
            _ => (&self.sides.documents, config.read.text_fields.clone()),
        };
        let Side::Memory(side) = side else { return None };
        let texts = fields.iter().map(|field| side.texts_of(field, &[self.place(document)]).ok());
        let texts = texts.flatten().filter(|texts| texts.is_valid(0));
        let texts: Vec<String> = texts.map(|texts| texts.value(0).to_string()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// The place of a document in memory among the rows, counted from 0.
    fn place(&self, document: u32) -> usize {
        self.corpus.origins.row(document) as usize - 1
    }

    /// The ids of documents, without reference documents.
    fn ids(&self, documents: impl Iterator<Item = u32>) -> Result<ArrayRef, Error> {
        self.sides.documents.ids(&self.corpus.origins, documents)
    }

    /// The side of keepers. With `against`, all keepers are reference documents.
    fn keepers(&self) -> &Side {
        self.sides.against.as_ref().unwrap_or(&self.sides.documents)
    }

    /// The ids of keepers.
    fn keeper_ids(&self, documents: impl Iterator<Item = u32>) -> Result<ArrayRef, Error> {
        self.keepers().ids(&self.corpus.origins, documents)
    }
}
