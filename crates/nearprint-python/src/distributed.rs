//! The parts of a run on many machines: Arrow columns in, Arrow columns out. `nearprint.spark`
//! combines them.
//!
//! The name of a document is its hash: 16 bytes, the highest first. It is the hash of the
//! normalized text, so documents of equal text have one name. With guards it is the hash of the
//! text and of the values in their columns. The column `guards` holds the values, those of `same`
//! before those of `differ`, as numbers that are equal for equal values.
//!
//! [`Worker`] has a method for each part. `read` makes documents, records and texts of Arrow
//! columns; `write` makes Arrow columns of records, pairs and decisions, `dates` of moments.

mod dates;
mod read;
mod write;

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use nearprint::distributed::{self, Distances, Found, Group, Near, Place, Record, ShortPairs};
use nearprint_core::near::{self, CandidatePair};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

pub(crate) use self::dates::moments;
use self::read::{
    Groups, Rows, families_of, group_of, hash_of, short_group_of, sources_of, texts_of,
};
use self::write::{Pair, of_decisions, of_records, pairs_of};
use crate::errors::{OrException, usage};
use crate::settings::Config;
use crate::tables::{table, table_in_batches};

/// Computes the parts of a run with some settings.
#[pyclass(frozen, module = "nearprint._nearprint")]
pub(crate) struct Worker(distributed::Worker);

fn failed(py: Python<'_>) -> impl Fn(ArrowError) -> PyErr {
    move |error| usage(py, "input", error.to_string())
}

#[pymethods]
impl Worker {
    /// With `lists_all` no document is a hub: all candidates are listed.
    #[new]
    #[pyo3(signature = (config, lists_all=false))]
    fn new(py: Python<'_>, config: &Config, lists_all: bool) -> PyResult<Worker> {
        let worker = distributed::Worker::new(config.settings()).or_exception(py)?;
        Ok(Worker(if lists_all { worker.listing_all() } else { worker }))
    }

    /// Refuses settings that a distributed run does not support.
    #[staticmethod]
    fn check(py: Python<'_>, config: &Config) -> PyResult<()> {
        distributed::Worker::check(config.settings()).or_exception(py)
    }

    /// The largest distance of candidates in bits; None if only equal texts match.
    #[getter]
    fn max_distance(&self) -> Option<u32> {
        self.0.max_distance()
    }

    /// Takes the texts of the column `text` as items to search inside documents. A text that is
    /// null or not UTF-8 is never found.
    fn look_for(&self, py: Python<'_>, rows: PyTable) -> PyResult<()> {
        let columns =
            Rows::new(rows).columns([("text", DataType::LargeBinary)]).map_err(failed(py))?;
        let columns: Vec<ArrayRef> = columns
            .iter()
            .map(|[texts]| texts_of(texts))
            .collect::<Result<_, _>>()
            .map_err(failed(py))?;
        let texts: Vec<&str> = columns
            .iter()
            .flat_map(|texts| texts.as_string::<i64>().iter().map(Option::unwrap_or_default))
            .collect();
        py.detach(|| self.0.look_for(&texts)).or_exception(py)
    }

    /// The record of each document by its columns `text` and, with guards, `against` and `guards`:
    /// hash, characters, size, empty, short, fingerprint, sketch, letters, figures, leaks (item,
    /// first, last, similarity); all null without a text, or for one that is not UTF-8 or too long.
    fn records<'py>(&self, py: Python<'py>, rows: PyTable) -> PyResult<Bound<'py, PyAny>> {
        let rows = Rows::new(rows);
        let batches: Result<Vec<RecordBatch>, ArrowError> = (|| {
            let mut batches = Vec::new();
            let columns = rows
                .columns([("text", DataType::LargeBinary)])?
                .into_iter()
                .zip(rows.values()?)
                .zip(&rows.0);
            for (([texts], values), batch) in columns {
                let against =
                    batch.column_by_name("against").and_then(|column| column.as_boolean_opt());
                let is_against = |row: usize| against.is_some_and(|against| against.value(row));
                let texts = texts_of(&texts)?;
                let most = self.0.max_document_bytes();
                let texts = texts
                    .as_string::<i64>()
                    .iter()
                    .map(|text| text.filter(|text| text.len() as u64 <= most));
                let texts: Vec<Option<&str>> = texts.collect();
                let of_side = |side: bool| -> Vec<&str> {
                    let own = texts.iter().enumerate().filter(|(row, _)| is_against(*row) == side);
                    own.filter_map(|(_, text)| *text).collect()
                };
                let sides = [of_side(false), of_side(true)];
                let [own, of_against] = py.detach(|| {
                    [self.0.records(&sides[0], false), self.0.records(&sides[1], true)]
                        .map(Vec::into_iter)
                });
                let mut made = (own, of_against);
                let record = |(row, text): (usize, &Option<&str>)| {
                    text.and_then(|_| if is_against(row) { made.1.next() } else { made.0.next() })
                };
                let records: Vec<Option<Record>> = texts.iter().enumerate().map(record).collect();
                let key = |(row, record): (usize, &Option<Record>)| {
                    record
                        .as_ref()
                        .map(|record| self.0.key(record.text_hash, &values[row], is_against(row)))
                };
                let keys: Vec<Option<u128>> = records.iter().enumerate().map(key).collect();
                batches.push(of_records(&keys, &records, self.0.bits())?);
            }
            Ok(batches)
        })();
        table_in_batches(py, batches.map_err(failed(py))?)
    }

    /// The number of documents of each side, those of the smallest hashes, in the sample for
    /// lowering the distance; None if it is never lowered. `documents` and `against` are as in
    /// `candidates`.
    fn sampled(&self, documents: usize, against: Option<usize>) -> Option<usize> {
        self.0.sampled(documents, against)
    }

    /// True if this sample (hash, fingerprint, sketch, perhaps guards) has too many candidates.
    /// With two sides, `group` is that of `against`.
    #[pyo3(signature = (documents, against, group, other=None))]
    fn has_too_many(
        &self,
        py: Python<'_>,
        documents: usize,
        against: Option<usize>,
        group: PyTable,
        other: Option<PyTable>,
    ) -> PyResult<bool> {
        let group = group_of(Groups::new(group, other), self.0.bits()).map_err(failed(py))?;
        Ok(py.detach(|| self.0.has_too_many(documents, against, &group)))
    }

    /// The largest distance and the complete distance for a sample with too many candidates; None
    /// if they are not by chance. The texts (text, perhaps guards) are those of the sample, each
    /// side in the order of the documents.
    #[pyo3(signature = (documents, against, texts, texts_of_against=None))]
    fn lowered(
        &self,
        py: Python<'_>,
        documents: usize,
        against: Option<usize>,
        texts: PyTable,
        texts_of_against: Option<PyTable>,
    ) -> PyResult<Option<(u32, u32)>> {
        let guards = self.0.guard_fields();
        let sources = |rows: PyTable| sources_of(&Rows::new(rows), &guards).map_err(failed(py));
        let texts =
            [texts_of_against.map(sources).transpose()?.unwrap_or_default(), sources(texts)?];
        let lowered = py.detach(|| self.0.lowered(documents, against, texts)).or_exception(py)?;
        Ok(lowered
            .map(|Distances { max_distance, complete_distance }| (max_distance, complete_distance)))
    }

    /// The candidate pairs within a group of records (hash, fingerprint, sketch, perhaps guards),
    /// or across two: left, right, distance, kind. The kind is `connects` or `near` for a near
    /// pair, even if guards forbid it; `hub` for a document in very many pairs, which is then both
    /// `left` and `right`. `documents` is the number of documents with a fingerprint, and `against`
    /// the number of reference documents among them, if any.
    #[pyo3(signature = (documents, against, group, other=None))]
    fn candidates<'py>(
        &self,
        py: Python<'py>,
        documents: usize,
        against: Option<usize>,
        group: PyTable,
        other: Option<PyTable>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group = group_of(Groups::new(group, other), self.0.bits()).map_err(failed(py))?;
        let Found { pairs, hubs } = py.detach(|| self.0.candidates(documents, against, &group));
        let pair = |near: &Near| {
            of_near(&group, &near.pair, if near.connects { "connects" } else { "near" })
        };
        let of_hubs = |place: &u32| Pair {
            ends: [group.documents.keys[*place as usize]; 2],
            distance: Some(0),
            kind: "hub",
        };
        pairs_of(py, pairs.iter().map(pair).chain(hubs.iter().map(of_hubs)))
    }

    /// The pairs of documents of `against` (hash, fingerprint, sketch, perhaps guards), as in
    /// `candidates`, that show which of the first group are in a family. The first groups hold the
    /// `asked` documents that are near one of the other side, the other groups all documents of
    /// `against`.
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        asked: usize,
        against: usize,
        group: PyTable,
        other: PyTable,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group = group_of(Groups::new(group, Some(other)), self.0.bits()).map_err(failed(py))?;
        let pairs = py.detach(|| self.0.neighbors(asked, against, &group));
        pairs_of(py, pairs.iter().map(|pair| of_near(&group, pair, "near")))
    }

    /// Pairs that represent those of hubs (hash, fingerprint, sketch, perhaps guards): left and
    /// right, which belong to one family.
    #[pyo3(signature = (documents, group, other=None))]
    fn hubs<'py>(
        &self,
        py: Python<'py>,
        documents: usize,
        group: PyTable,
        other: Option<PyTable>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group = group_of(Groups::new(group, other), self.0.bits()).map_err(failed(py))?;
        let connections = py.detach(|| self.0.hubs(documents, &group));
        let (mut left, mut right) = (BinaryBuilder::new(), BinaryBuilder::new());
        for (one, other) in connections {
            let [one, other] =
                [one, other].map(|place| group.documents.keys[place as usize].to_be_bytes());
            left.append_value(one);
            right.append_value(other);
        }
        let batch = of_columns([
            ("left", Arc::new(left.finish()) as ArrayRef),
            ("right", Arc::new(right.finish())),
        ]);
        table(py, batch.map_err(failed(py))?)
    }

    /// The pairs of records (hash, short, letters, figures, perhaps guards) to compare by
    /// characters, since one is short. The columns are those of `candidates`; the distance is null,
    /// and the longer text comes first. `short hub` is the kind of two documents with very many
    /// duplicates.
    #[pyo3(signature = (with_against, group, other=None))]
    fn short_candidates<'py>(
        &self,
        py: Python<'py>,
        with_against: bool,
        group: PyTable,
        other: Option<PyTable>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group = short_group_of(Groups::new(group, other)).map_err(failed(py))?;
        let ShortPairs { pairs, hubs } =
            py.detach(|| self.0.short_candidates(with_against, &group));
        let row = |one: u32, other: u32, kind| {
            let ends = [one, other].map(|place| group.documents.keys[place as usize]);
            Pair { ends, distance: None, kind }
        };
        let kind = |connects: bool| if connects { "connects" } else { "near" };
        let pairs = pairs.iter().map(|(one, other, connects)| row(*one, *other, kind(*connects)));
        pairs_of(py, pairs.chain(hubs.iter().map(|own| row(hubs[0], *own, "short hub"))))
    }

    /// True if documents with very many candidates are decided without a list of all candidates.
    fn has_hubs(&self, with_against: bool) -> bool {
        self.0.has_hubs(with_against)
    }

    /// True if short documents with very many duplicates are decided without a list of all pairs.
    fn has_short_hubs(&self, with_against: bool) -> bool {
        self.0.has_short_hubs(with_against)
    }

    /// The decisions on some families: their candidate pairs (hash, other, distance, hubs), and
    /// documents (hash, text, against, family, hubs, perhaps guards) from the best rank to the
    /// worst; a row with an `other` is a pair. The result has the removed documents (better, other,
    /// distance, similarity, reason, lost, removed) and all duplicate pairs, whose `removed` is
    /// false.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        documents: usize,
        against: Option<usize>,
        rows: PyTable,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (hashes, families) =
            families_of(&Rows::new(rows), &self.0.guard_fields()).map_err(failed(py))?;
        let decided = py.detach(|| self.0.decide(documents, against, families)).or_exception(py)?;
        table(py, of_decisions(&decided, &hashes).map_err(failed(py))?)
    }
}

/// The families of documents, from pairs (left, right) that may be duplicates: hash, family, and
/// the task that decides it.
#[pyfunction]
pub(crate) fn families<'py>(py: Python<'py>, pairs: PyTable) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::new(pairs);
    let read = || {
        let mut pairs = Vec::new();
        for [left, right] in
            rows.columns([("left", DataType::LargeBinary), ("right", DataType::LargeBinary)])?
        {
            let (left, right) = (left.as_binary::<i64>(), right.as_binary::<i64>());
            for row in 0..left.len() {
                pairs.push((hash_of(left.value(row))?, hash_of(right.value(row))?));
            }
        }
        Ok::<_, ArrowError>(pairs)
    };
    let pairs = read().map_err(failed(py))?;
    let found = py.detach(|| distributed::families(&pairs));
    let mut hashes = BinaryBuilder::new();
    found.iter().for_each(|place| hashes.append_value(place.key.to_be_bytes()));
    let number = |of: fn(&Place) -> u32| {
        found.iter().map(|place| Some(of(place) as i32)).collect::<Int32Array>()
    };
    let batch = of_columns([
        ("hash", Arc::new(hashes.finish()) as ArrayRef),
        ("family", Arc::new(number(|place| place.family))),
        ("task", Arc::new(number(|place| place.task))),
    ]);
    table(py, batch.map_err(failed(py))?)
}

/// Maximum number of pairs of a document that is not a hub.
pub(crate) const HUB_PAIRS: u8 = near::HUB_PAIRS;

/// A short document with more duplicates than this, each as long as it or shorter, is a hub.
pub(crate) const SHORT_HUB: usize = distributed::SHORT_HUB;

/// A near pair of a group, by its keys in order.
fn of_near(group: &Group, pair: &CandidatePair, kind: &'static str) -> Pair {
    let mut ends = [pair.left, pair.right].map(|place| group.documents.keys[place as usize]);
    ends.sort_unstable();
    Pair { ends, distance: Some(pair.distance), kind }
}

fn of_columns<'n>(
    columns: impl IntoIterator<Item = (&'n str, ArrayRef)>,
) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )
}
