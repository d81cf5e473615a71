//! A finished run in Python: tables, report, figures. `columns` makes the columns of the tables.

mod columns;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray};
use nearprint::corpus::Corpus;
use nearprint::outcome::{Decisions, Summary};
use nearprint::{Deduplicator, Error, ReportOptions, ShowFields};
use pyo3::prelude::*;
use pyo3_arrow::PyArray;

pub(crate) use columns::{batch, reasons, similarities};

use crate::documents::Documents;
use crate::errors::{OrException, loss_from_0, spelled, usage};
use crate::settings::Config;
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
    documents: Documents,
    against: Option<Documents>,
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
        let documents = Documents::new("documents", documents, settings, with_ids[0], own_names)?;
        let against = match against {
            Some(against) => Some(Documents::new(
                "against",
                against,
                &settings.of_against(),
                with_ids[1],
                other_names,
            )?),
            None => None,
        };
        let run = watched(py, progress, |watch| {
            let sources = vec![documents.source.clone()];
            let others = against.iter().map(|against| against.source.clone()).collect();
            let of_run = nearprint::Documents::new(sources)
                .against(nearprint::Documents::new(others))
                .with_pairs(pairs);
            let nearprint::Run { corpus, decisions, summary } = deduplicator.run(of_run, watch)?;
            Ok::<Run, Error>(Run {
                deduplicator,
                corpus,
                decisions,
                summary,
                pairs,
                process: std::process::id(),
                documents,
                against,
            })
        })?;
        Ok(Deduplication { run: Arc::new(run.or_exception(py)?) })
    }

    /// A column of booleans: true for each kept row of the documents.
    fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept: BooleanArray = py.detach(|| self.run.kept().into());
        PyArray::from_array_ref(Arc::new(kept)).into_arro3(py)
    }

    /// The kept documents that lost leaks from their texts: the place of each among the kept ones,
    /// and a table of the new texts with a column for each field of the text.
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyAny>)> {
        let (places, batch) = py.detach(|| self.run.changes()).or_exception(py)?;
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
        let Run { deduplicator, corpus, decisions, summary, documents, against, .. } = &*self.run;
        let options = ReportOptions { source_field, show_fields: ShowFields::new(show_fields) };
        let needed = options.source_field.iter().map(|field| (SOURCE_FIELD, field));
        let shown = options.show_fields.named().iter().map(|field| (SHOW_FIELD, field));
        let needed: Vec<(&'static str, &String)> = needed.chain(shown).collect();
        let fields = options.fields();
        let own = documents.with_fields("documents", &rows.0, &needed, &fields)?;
        let [mut others, _] = corpus.origins.sides().map(<[_]>::to_vec);
        if let (Some(against), Some(rows)) = (against, &rows.1) {
            // Reference documents may lack the columns.
            others = vec![against.with_fields("against", rows, &[], &fields)?];
        }
        let report = watched(py, None, |watch| {
            deduplicator.report_of(
                (corpus, decisions, summary),
                [&others, &[own]],
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

    /// Warnings about the run, the last of them about the rows that were left out.
    fn warnings(&self) -> Vec<String> {
        let summary = &self.run.summary;
        let loss = summary.loss.as_ref().map(|loss| loss_from_0(loss).message());
        let loss = loss.map(|loss| format!("{}: see Result.rejected", spelled(&loss)));
        summary.warnings().iter().map(spelled).chain(loss).collect()
    }
}

impl Run {
    fn kept(&self) -> Vec<bool> {
        let mut kept = vec![false; self.documents.rows];
        for document in self.corpus.origins.against() as u32..self.corpus.len() as u32 {
            kept[self.row(document)] = self.decisions.removal(document).is_none();
        }
        kept
    }

    /// The text of a document, if it is still available.
    fn text(&self, document: u32) -> Option<String> {
        let config = self.deduplicator.config();
        let is_own = document as usize >= self.corpus.origins.against();
        let (side, fields) = match &self.against {
            Some(against) if !is_own => (against, config.of_against().read.text_fields),
            _ => (&self.documents, config.read.text_fields.clone()),
        };
        let texts = fields.iter().map(|field| side.texts_of(field, &[self.row(document)]).ok());
        let texts = texts.flatten().filter(|texts| texts.is_valid(0));
        let texts: Vec<String> = texts.map(|texts| texts.value(0).to_string()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// The row of a document, counted from 0.
    fn row(&self, document: u32) -> usize {
        self.corpus.origins.row(document) as usize - 1
    }

    /// The ids of documents, without reference documents.
    fn ids(&self, documents: impl Iterator<Item = u32>) -> Result<ArrayRef, Error> {
        self.documents.ids_of(documents.map(|document| self.row(document)))
    }

    /// The ids of keepers. With `against`, all keepers are reference documents.
    fn keeper_ids(&self, documents: impl Iterator<Item = u32>) -> Result<ArrayRef, Error> {
        let side = self.against.as_ref().unwrap_or(&self.documents);
        side.ids_of(documents.map(|document| self.row(document)))
    }
}
