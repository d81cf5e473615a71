//! A finished run -> tables: what was removed and why, clusters, pairs.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, ListArray, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use nearprint::corpus::Corpus;
use nearprint::outcome::{Decisions, DuplicatePair, Reason, Removal, Summary};
use nearprint::write::LeakPassages;
use nearprint::{Deduplicator, Error, ReportOptions, write};
use pyo3::prelude::*;
use pyo3_arrow::PyArray;

use crate::documents::Documents;
use crate::errors::{OrException, field, spelled, usage};
use crate::settings::Config;
use crate::tables::table;
use crate::watching::watched;

/// The argument that names the column of sources.
const SOURCE_FIELD: &str = "source-field";

/// A finished run: its documents are known by their numbers, those that were only compared with
/// first.
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct Deduplication {
    run: Arc<Run>,
}

struct Run {
    deduplicator: Deduplicator,
    corpus: Corpus,
    decisions: Decisions,
    summary: Summary,
    /// Whether all duplicate pairs were compared.
    pairs: bool,
    /// The process that has the threads.
    process: u32,
    documents: Documents,
    against: Option<Documents>,
}

#[pymethods]
impl Deduplication {
    /// Deduplicates documents in memory, or leaves out of them what is near one of `against`.
    /// `with_ids` says whether the user named the column of ids, of either.
    #[staticmethod]
    #[pyo3(signature = (documents, against, pairs, progress, config, with_ids))]
    fn run(
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        against: Option<&Bound<'_, PyAny>>,
        pairs: bool,
        progress: Option<&Bound<'_, PyAny>>,
        config: &Config,
        with_ids: [bool; 2],
    ) -> PyResult<Deduplication> {
        let deduplicator = config.deduplicator(py)?;
        let documents = Documents::new("documents", documents, config.settings(), with_ids[0])?;
        let against = match against {
            Some(against) => Some(Documents::new(
                "against",
                against,
                &config.settings().of_against(),
                with_ids[1],
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

    /// For each row of the documents whether it is kept, as a column of booleans.
    fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept: BooleanArray = py.detach(|| self.run.kept().into());
        PyArray::from_array_ref(Arc::new(kept)).into_arro3(py)
    }

    /// The kept documents whose text is another one without its leaks: the place of each among the
    /// kept ones, and a table of their new texts with a column for each field of the text.
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyAny>)> {
        let (places, batch) = py.detach(|| self.run.changes()).or_exception(py)?;
        Ok((places, table(py, batch)?))
    }

    /// The documents that are duplicates of one that they were compared with, and the passages that
    /// are: id, item, reason, similarity, first, last, action.
    fn leaks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.leaks()).or_exception(py)?;
        table(py, batch)
    }

    /// The removed documents: id, keeper, cluster, distance, similarity, reason, lost, form, first,
    /// last.
    fn removed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.removed()).or_exception(py)?;
        table(py, batch)
    }

    /// The report as HTML. With `sources`, the name of a column, sources are told apart by it: it
    /// is taken from `rows`, the documents and those that they were compared with, as they are now.
    #[pyo3(signature = (title, source_field=None, rows=None))]
    fn report(
        &self,
        py: Python<'_>,
        title: &str,
        source_field: Option<String>,
        rows: Option<(Bound<'_, PyAny>, Option<Bound<'_, PyAny>>)>,
    ) -> PyResult<String> {
        let Run { deduplicator, corpus, decisions, summary, documents, against, .. } = &*self.run;
        let [mut others, mut own] = corpus.origins.sides().map(<[_]>::to_vec);
        if let (Some(field), Some((rows, other_rows))) = (&source_field, rows) {
            own = vec![documents.with_field("documents", &rows, SOURCE_FIELD, field)?];
            // What was only compared with may lack it.
            let other = against.as_ref().zip(other_rows);
            let other = other.and_then(|(against, rows)| {
                against.with_field("against", &rows, SOURCE_FIELD, field).ok()
            });
            others = other.map_or(others, |other| vec![other]);
        }
        let options = ReportOptions { source_field };
        let report = watched(py, None, |watch| {
            deduplicator.report_of(
                (corpus, decisions, summary),
                [&others, &own],
                title,
                &options,
                watch,
            )
        })?;
        report.or_exception(py)
    }

    /// What a notebook shows of the run, as HTML.
    fn overview(&self, py: Python<'_>) -> String {
        let Run { deduplicator, corpus, decisions, summary, .. } = &*self.run;
        py.detach(|| {
            deduplicator
                .overview_of((corpus, decisions, summary), |document| self.run.text(document))
        })
    }

    /// The clusters: cluster, keeper, size, members.
    fn clusters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.run.clusters()).or_exception(py)?;
        table(py, batch)
    }

    /// The duplicate pairs: left, right, distance, similarity, reason. Where the run did not
    /// compare them all, that is done now.
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
                "the run was made before this process split off; ask for pairs=True there",
            ));
        }
        let batch = watched(py, progress, |watch| match run.pairs {
            true => run.table_of_pairs(&run.decisions),
            false => run.table_of_pairs(&run.deduplicator.decide(&run.corpus, true, watch)?),
        })?;
        table(py, batch.or_exception(py)?)
    }

    /// The pairs that just missed the least similarity: left, right, distance, similarity, and the
    /// rows of both.
    fn just_missed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.run.table_of_just_missed().or_exception(py)?)
    }

    /// The files and rows that were left out because they could not be used: file, row, field,
    /// problem, message.
    fn rejected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table(py, self.run.rejected())
    }

    /// Whether a document and one that it was compared with have the same id.
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

    /// Warnings about the run.
    fn warnings(&self) -> Vec<String> {
        self.run.summary.warnings().iter().map(spelled).collect()
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

    /// The text of a document, where it can still be had.
    fn text(&self, document: u32) -> Option<String> {
        let config = self.deduplicator.config();
        let is_own = document as usize >= self.corpus.origins.against();
        let (side, fields) = match &self.against {
            Some(against) if !is_own => (against, config.of_against().text_fields),
            _ => (&self.documents, config.text_fields.clone()),
        };
        let texts = fields.iter().map(|field| side.texts_of(field, &[self.row(document)]).ok());
        let texts = texts.map(|texts| {
            texts.filter(|texts| texts.is_valid(0)).map(|texts| texts.value(0).to_string())
        });
        Some(texts.collect::<Option<Vec<_>>>()?.join("\n"))
    }

    /// The row of a document, counted from 0.
    fn row(&self, document: u32) -> usize {
        self.corpus.origins.row(document) as usize - 1
    }

    /// The ids of documents that are deduplicated.
    fn ids(&self, documents: impl Iterator<Item = u32>) -> Result<ArrayRef, Error> {
        self.documents.ids_of(documents.map(|document| self.row(document)))
    }

    /// The ids of documents that stay in the place of others: with `against` those are all of it.
    fn keeper_ids(&self, documents: impl Iterator<Item = u32>) -> Result<ArrayRef, Error> {
        let side = self.against.as_ref().unwrap_or(&self.documents);
        side.ids_of(documents.map(|document| self.row(document)))
    }

    fn removed(&self) -> Result<RecordBatch, Error> {
        let removals = &self.decisions.removals;
        let [firsts, lasts] = places(removals.iter().map(|removal| removal.place));
        let lengths = |document: fn(&Removal) -> u32| -> ArrayRef {
            let lengths =
                removals.iter().map(|removal| self.corpus.lengths()[document(removal) as usize]);
            Arc::new(UInt32Array::from_iter_values(lengths))
        };
        batch(vec![
            ("id", self.ids(removals.iter().map(|removal| removal.document))?),
            ("keeper", self.keeper_ids(removals.iter().map(|removal| removal.keeper))?),
            (
                "cluster",
                Arc::new(UInt32Array::from_iter_values(
                    removals.iter().map(|removal| removal.cluster),
                )),
            ),
            (
                "distance",
                Arc::new(UInt32Array::from_iter(removals.iter().map(|removal| removal.distance))),
            ),
            ("similarity", similarities(removals.iter().map(|removal| Some(removal.similarity)))),
            ("reason", reasons(removals.iter().map(|removal| Some(removal.reason)))),
            (
                "lost",
                Arc::new(Float64Array::from_iter(
                    removals.iter().map(|removal| removal.lost.map(nearprint::shares::rounded)),
                )),
            ),
            (
                "share",
                Arc::new(Float64Array::from_iter(
                    removals.iter().map(|removal| removal.share.map(nearprint::shares::rounded)),
                )),
            ),
            ("first", firsts),
            ("last", lasts),
            ("length", lengths(|removal| removal.document)),
            ("keeper_length", lengths(|removal| removal.keeper)),
        ])
    }

    /// Places among the kept documents, and the new texts there.
    fn changes(&self) -> Result<(Vec<usize>, RecordBatch), Error> {
        let mut passages = LeakPassages::new(&self.corpus, self.deduplicator.config().leak_action);
        let (mut places, mut rows, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let first = self.corpus.origins.against() as u32;
        let is_kept = |document: &u32| self.decisions.removal(*document).is_none();
        for (place, document) in (first..self.corpus.len() as u32).filter(is_kept).enumerate() {
            let own = passages.of(document)?;
            if !own.is_empty() {
                places.push(place);
                rows.push(self.row(document));
                left_out.push(own);
            }
        }
        let fields = &self.deduplicator.config().text_fields;
        let texts = fields.iter().map(|field| self.documents.texts_of(field, &rows));
        let texts = texts.collect::<Result<Vec<_>, Error>>()?;
        let mut changed: Vec<LargeStringBuilder> =
            fields.iter().map(|_| LargeStringBuilder::new()).collect();
        for (row, own) in left_out.iter().enumerate() {
            let values: Vec<_> =
                texts.iter().map(|texts| texts.is_valid(row).then(|| texts.value(row))).collect();
            let new = write::without_in_values(&values, own, passages.treatment);
            changed.iter_mut().zip(new).for_each(|(column, text)| column.append_option(text));
        }
        let changed = changed.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        Ok((places, batch(fields.iter().map(String::as_str).zip(changed).collect())?))
    }

    fn leaks(&self) -> Result<RecordBatch, Error> {
        let action = self.deduplicator.config().leak_action;
        let leaks = write::listed_leaks(&self.corpus, &self.decisions, action)
            .collect::<Result<Vec<_>, Error>>()?;
        let [firsts, lasts] = places(leaks.iter().map(|leak| leak.place));
        batch(vec![
            ("id", self.ids(leaks.iter().map(|leak| leak.document))?),
            ("item", self.keeper_ids(leaks.iter().map(|leak| leak.item))?),
            ("reason", reasons(leaks.iter().map(|leak| Some(leak.reason)))),
            ("similarity", similarities(leaks.iter().map(|leak| Some(leak.similarity)))),
            ("first", firsts),
            ("last", lasts),
            (
                "action",
                Arc::new(StringArray::from_iter_values(leaks.iter().map(|leak| leak.action))),
            ),
        ])
    }

    fn clusters(&self) -> Result<RecordBatch, Error> {
        let clusters = &self.decisions.clusters;
        // Of two sides only the one that is deduplicated has members of one type: the keeper has a
        // column of its own.
        let own = |document: &u32| *document as usize >= self.corpus.origins.against();
        let members: Vec<Vec<u32>> = clusters
            .iter()
            .map(|(_, members)| members.iter().copied().filter(own).collect())
            .collect();
        let ids = self.ids(members.iter().flatten().copied())?;
        let offsets = OffsetBuffer::from_lengths(members.iter().map(Vec::len));
        let item = Arc::new(Field::new("item", ids.data_type().clone(), true));
        let list = ListArray::try_new(item, offsets, ids, None)
            .map_err(|error| Error::usage("id", error.to_string()))?;
        let sizes = clusters.iter().map(|(_, members)| members.len() as u32);
        batch(vec![
            ("cluster", Arc::new(UInt32Array::from_iter_values(1..=clusters.len() as u32))),
            ("keeper", self.keeper_ids(clusters.iter().map(|(keeper, _)| *keeper))?),
            ("size", Arc::new(UInt32Array::from_iter_values(sizes))),
            ("members", Arc::new(list)),
        ])
    }

    fn table_of_pairs(&self, decisions: &Decisions) -> Result<RecordBatch, Error> {
        let pairs = decisions.all_pairs().collect::<Result<Vec<_>, Error>>()?;
        batch(vec![
            ("left", self.keeper_ids(pairs.iter().map(|pair| pair.left))?),
            ("right", self.ids(pairs.iter().map(|pair| pair.right))?),
            ("distance", Arc::new(UInt32Array::from_iter(pairs.iter().map(|pair| pair.distance)))),
            ("similarity", similarities(pairs.iter().map(|pair| Some(pair.similarity)))),
            ("reason", reasons(pairs.iter().map(|pair| Some(pair.reason)))),
        ])
    }

    fn table_of_just_missed(&self) -> Result<RecordBatch, Error> {
        let pairs = self.decisions.just_missed.iter().flat_map(|pairs| pairs.iter());
        let pairs = pairs.collect::<Result<Vec<_>, Error>>()?;
        let origins = &self.corpus.origins;
        let rows = |document: fn(&DuplicatePair) -> u32| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(
                pairs.iter().map(|pair| origins.row(document(pair))),
            ))
        };
        batch(vec![
            ("left", self.keeper_ids(pairs.iter().map(|pair| pair.left))?),
            ("right", self.ids(pairs.iter().map(|pair| pair.right))?),
            ("distance", Arc::new(UInt32Array::from_iter(pairs.iter().map(|pair| pair.distance)))),
            ("similarity", similarities(pairs.iter().map(|pair| Some(pair.similarity)))),
            ("left_row", rows(|pair| pair.left)),
            ("right_row", rows(|pair| pair.right)),
        ])
    }

    fn rejected(&self) -> RecordBatch {
        let rejections = &self.corpus.origins.rejections;
        let texts = |text: fn(&nearprint::Rejection) -> String| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rejections.iter().map(text)))
        };
        let rows: ArrayRef =
            Arc::new(UInt64Array::from_iter(rejections.iter().map(|rejection| rejection.row)));
        let fields: ArrayRef = Arc::new(StringArray::from_iter(
            rejections.iter().map(|rejection| field(&rejection.problem)),
        ));
        batch(vec![
            ("file", texts(|rejection| rejection.file.clone())),
            ("row", rows),
            ("field", fields),
            ("problem", texts(|rejection| rejection.problem.name().to_string())),
            ("message", texts(|rejection| spelled(&rejection.problem.message()))),
        ])
        .expect("columns of one length")
    }
}

pub(crate) fn batch(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch, Error> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns)
        .map_err(|error| Error::usage("input", error.to_string()))
}

/// The first and the last characters of places.
fn places(places: impl Iterator<Item = Option<[u32; 2]>> + Clone) -> [ArrayRef; 2] {
    [0, 1].map(|end| {
        Arc::new(UInt32Array::from_iter(places.clone().map(|place| place.map(|place| place[end]))))
            as _
    })
}

/// As the command line writes them.
pub(crate) fn similarities(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(Float64Array::from_iter(values.map(|value| value.map(nearprint::shares::rounded))))
}

pub(crate) fn reasons(values: impl Iterator<Item = Option<Reason>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(values.map(|value| value.map(Reason::name))))
}
