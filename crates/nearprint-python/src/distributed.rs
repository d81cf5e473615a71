//! The parts of a run on many machines: Arrow columns in, Arrow columns out. `nearprint.spark` puts them together.
//!
//! A document is named by its hash: 16 bytes, the highest first. It is the hash of the normalized text, so documents of equal text have one name. With
//! guards it is the hash of the text and of the values in the columns of these. The column `guards` holds the values, those of `same` before those of
//! `differ`, as numbers that are equal for equal values.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Fields};
use nearprint::distributed::{
    self, Crowd, Decided, Distances, Documents, Families, Found, Group, Link, Near, PREFERENCE, Place, Print,
    ShortGroup, ShortPairs,
};
use nearprint::read::Source;
use nearprint::verify::{BINS, ShortText};
use nearprint::{Fingerprints, join};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::errors::{OrException, usage};
use crate::settings::Config;
use crate::tables::{table, table_in_batches};

/// Pairs of a batch: those of a task may be too many for one.
const BATCH: usize = 1 << 20;

/// Does the parts of a run under some settings.
#[pyclass(frozen, module = "nearprint._nearprint")]
pub(crate) struct Worker(distributed::Worker);

/// The batches of a table, whose columns are read by name and type.
struct Rows(Vec<RecordBatch>);

impl Rows {
    fn new(rows: PyTable) -> Rows {
        Rows(rows.into_inner().0)
    }

    /// The columns of these names and types of each batch.
    fn columns<const N: usize>(&self, of: [(&str, DataType); N]) -> Result<Vec<[ArrayRef; N]>, ArrowError> {
        let columns = |batch: &RecordBatch| {
            let column = |(name, kind): &(&str, DataType)| {
                let column = batch.column_by_name(name);
                cast(column.ok_or_else(|| ArrowError::SchemaError(format!("no column {name}")))?, kind)
            };
            let columns: Vec<ArrayRef> = of.iter().map(column).collect::<Result<_, _>>()?;
            Ok(columns.try_into().expect("there are as many"))
        };
        self.0.iter().map(columns).collect()
    }

    /// The values of guards of each row of each batch; empty ones where there are none.
    fn values(&self) -> Result<Vec<Vec<Vec<i64>>>, ArrowError> {
        let of_batch = |batch: &RecordBatch| {
            let Some(column) = batch.column_by_name("guards") else { return Ok(vec![Vec::new(); batch.num_rows()]) };
            let lists = cast(column, &DataType::new_list(DataType::Int64, true))?;
            let list = |values: Option<ArrayRef>| {
                values.map_or_else(Vec::new, |values| values.as_primitive::<Int64Type>().values().to_vec())
            };
            Ok(lists.as_list::<i32>().iter().map(list).collect())
        };
        self.0.iter().map(of_batch).collect()
    }
}

/// A document by the bytes of its hash.
fn hash_of(bytes: &[u8]) -> Result<u128, ArrowError> {
    let hash = bytes.try_into().map(u128::from_be_bytes);
    hash.map_err(|_| ArrowError::SchemaError("a hash is not of 16 bytes".to_string()))
}

/// A text as text; null where it is no UTF-8, which Spark does not look at.
fn texts_of(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    cast(&cast(column, &DataType::LargeBinary)?, &DataType::LargeUtf8)
}

fn failed(py: Python<'_>) -> impl Fn(ArrowError) -> PyErr {
    move |error| usage(py, "input", error.to_string())
}

#[pymethods]
impl Worker {
    /// With `lists_all` no document is of a crowd: all candidates are listed, also those of documents with very many.
    #[new]
    #[pyo3(signature = (config, lists_all=false))]
    fn new(py: Python<'_>, config: &Config, lists_all: bool) -> PyResult<Worker> {
        let worker = distributed::Worker::new(config.settings()).or_exception(py)?;
        Ok(Worker(if lists_all { worker.listing_all() } else { worker }))
    }

    /// Refuses settings that a run in parts does not carry out.
    #[staticmethod]
    fn check(py: Python<'_>, config: &Config) -> PyResult<()> {
        distributed::Worker::check(config.settings()).or_exception(py)
    }

    /// The largest distance of candidates in bits; None where only equal texts are looked for.
    #[getter]
    fn max_distance(&self) -> Option<u32> {
        self.0.max_distance()
    }

    /// Takes the texts of the column `text` as items that are looked for inside of others. A text that is null or no UTF-8 is found nowhere.
    fn look_for(&self, py: Python<'_>, rows: PyTable) -> PyResult<()> {
        let columns = Rows::new(rows).columns([("text", DataType::LargeBinary)]).map_err(failed(py))?;
        let columns: Vec<ArrayRef> =
            columns.iter().map(|[texts]| texts_of(texts)).collect::<Result<_, _>>().map_err(failed(py))?;
        let texts: Vec<&str> =
            columns.iter().flat_map(|texts| texts.as_string::<i64>().iter().map(Option::unwrap_or_default)).collect();
        py.detach(|| self.0.look_for(&texts)).or_exception(py)
    }

    /// The print of each document by its columns `text` and, with guards, `against` and `guards`: hash, characters, empty, short, fingerprint, sketch,
    /// letters, figures, leaks (item, first, last, similarity); all null where there is no text, or one that is no UTF-8 or too long.
    fn prints<'py>(&self, py: Python<'py>, rows: PyTable) -> PyResult<Bound<'py, PyAny>> {
        let rows = Rows::new(rows);
        let batches: Result<Vec<RecordBatch>, ArrowError> = (|| {
            let mut batches = Vec::new();
            let columns = rows.columns([("text", DataType::LargeBinary)])?.into_iter().zip(rows.values()?).zip(&rows.0);
            for (([texts], values), batch) in columns {
                let against = batch.column_by_name("against").and_then(|column| column.as_boolean_opt());
                let is_against = |row: usize| against.is_some_and(|against| against.value(row));
                let texts = texts_of(&texts)?;
                let most = self.0.max_document_bytes();
                let texts = texts.as_string::<i64>().iter().map(|text| text.filter(|text| text.len() as u64 <= most));
                let texts: Vec<Option<&str>> = texts.collect();
                let of_side = |side: bool| -> Vec<&str> {
                    let own = texts.iter().enumerate().filter(|(row, _)| is_against(*row) == side);
                    own.filter_map(|(_, text)| *text).collect()
                };
                let sides = [of_side(false), of_side(true)];
                let [own, of_against] =
                    py.detach(|| [self.0.prints(&sides[0], false), self.0.prints(&sides[1], true)].map(Vec::into_iter));
                let mut made = (own, of_against);
                let print = |(row, text): (usize, &Option<&str>)| {
                    text.and_then(|_| if is_against(row) { made.1.next() } else { made.0.next() })
                };
                let prints: Vec<Option<Print>> = texts.iter().enumerate().map(print).collect();
                let key = |(row, print): (usize, &Option<Print>)| {
                    print.as_ref().map(|print| self.0.key(print.text_hash, &values[row], is_against(row)))
                };
                let keys: Vec<Option<u128>> = prints.iter().enumerate().map(key).collect();
                batches.push(of_prints(&keys, &prints, self.0.bits())?);
            }
            Ok(batches)
        })();
        table_in_batches(py, batches.map_err(failed(py))?)
    }

    /// The number of documents of each side, those of the smallest hashes, that are the sample by which the distance is lowered; None where it never is.
    /// `documents` and `against` are as in `candidates`.
    fn sampled(&self, documents: usize, against: Option<usize>) -> Option<usize> {
        self.0.sampled(documents, against)
    }

    /// Whether this sample (hash, fingerprint, sketch, perhaps guards) has too many candidates; of two sides `group` is that of `against`.
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

    /// The largest distance and the complete distance for a sample that has too many candidates; None where these are no chance. The texts (text, perhaps
    /// guards) are those of the sample, each side in the order of the documents.
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
        let texts = [texts_of_against.map(sources).transpose()?.unwrap_or_default(), sources(texts)?];
        let lowered = py.detach(|| self.0.lowered(documents, against, texts)).or_exception(py)?;
        Ok(lowered.map(|Distances { max_distance, complete_distance }| (max_distance, complete_distance)))
    }

    /// The candidate pairs within a group of prints (hash, fingerprint, sketch, perhaps guards), or across two: left, right, distance, kind. The kind
    /// is `connects` or `near` for a candidate pair; `apart` for a pair that guards forbid, which still counts towards a crowd; `crowd` for a document that is in
    /// very many pairs, which is then both `left` and `right`. `documents` is the number of all that have a fingerprint, and `against` how many of
    /// these the others are only compared with, if they are.
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
        let Found { pairs, crowd } = py.detach(|| self.0.candidates(documents, against, &group));
        let pair = |near: &Near| {
            let mut ends = [near.pair.left, near.pair.right].map(|place| group.documents.keys[place as usize]);
            ends.sort_unstable();
            let kind = match (near.connects, near.is_allowed) {
                (true, _) => "connects",
                (false, true) => "near",
                (false, false) => "apart",
            };
            Pair { ends, distance: Some(near.pair.distance), kind }
        };
        let of_crowd =
            |place: &u32| Pair { ends: [group.documents.keys[*place as usize]; 2], distance: Some(0), kind: "crowd" };
        pairs_of(py, pairs.iter().map(pair).chain(crowd.iter().map(of_crowd)))
    }

    /// What stands for the pairs of documents of a crowd (hash, fingerprint, sketch, perhaps guards): left, right, connects. Where `connects` is true, the
    /// two belong to one family; otherwise `right` is of the company of `left`, which tells its form.
    #[pyo3(signature = (documents, group, other=None))]
    fn crowd<'py>(
        &self,
        py: Python<'py>,
        documents: usize,
        group: PyTable,
        other: Option<PyTable>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group = group_of(Groups::new(group, other), self.0.bits()).map_err(failed(py))?;
        let Crowd { connections, company } = py.detach(|| self.0.crowd(documents, &group));
        let (mut left, mut right, mut connects) = (BinaryBuilder::new(), BinaryBuilder::new(), BooleanBuilder::new());
        for (rows, is_connection) in [(&connections, true), (&company, false)] {
            for (one, other) in rows {
                let [one, other] = [one, other].map(|place| group.documents.keys[*place as usize].to_be_bytes());
                left.append_value(one);
                right.append_value(other);
                connects.append_value(is_connection);
            }
        }
        let batch = of_columns([
            ("left", Arc::new(left.finish()) as ArrayRef),
            ("right", Arc::new(right.finish())),
            ("connects", Arc::new(connects.finish())),
        ]);
        table(py, batch.map_err(failed(py))?)
    }

    /// The pairs of prints (hash, short, letters, figures, perhaps guards) of which one is short that are to be compared by their characters: the columns
    /// of `candidates`; the distance is null, and the longer text comes first. `short crowd` is the kind of two documents with very many duplicates.
    #[pyo3(signature = (with_against, group, other=None))]
    fn short_candidates<'py>(
        &self,
        py: Python<'py>,
        with_against: bool,
        group: PyTable,
        other: Option<PyTable>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group = short_group_of(Groups::new(group, other)).map_err(failed(py))?;
        let ShortPairs { pairs, crowd } = py.detach(|| self.0.short_candidates(with_against, &group));
        let row = |one: u32, other: u32, kind| {
            let ends = [one, other].map(|place| group.documents.keys[place as usize]);
            Pair { ends, distance: None, kind }
        };
        let kind = |connects: bool| if connects { "connects" } else { "near" };
        let pairs = pairs.iter().map(|(one, other, connects)| row(*one, *other, kind(*connects)));
        pairs_of(py, pairs.chain(crowd.iter().map(|own| row(crowd[0], *own, "short crowd"))))
    }

    /// Whether documents with very many candidates are decided without a list of all of these.
    fn has_crowds(&self, with_against: bool) -> bool {
        self.0.has_crowds(with_against)
    }

    /// The same of short ones.
    fn has_short_crowds(&self, with_against: bool) -> bool {
        self.0.has_short_crowds(with_against)
    }

    /// The decisions on some families: their candidate pairs (hash, other, distance, crowd), and documents (hash, text, against, family, crowd, perhaps
    /// guards, with `max_lost` also preference) from the best rank to the worst; a row with an `other` is a pair. The removed documents (better, other,
    /// distance, similarity, reason, lost, removed) and all duplicate pairs, whose `removed` is false. With `max_lost` a text may have two documents:
    /// the longest one, and the preferred one, which stays if any does, but where a row says that the text is removed for itself.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        documents: usize,
        against: Option<usize>,
        rows: PyTable,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (numbers, families) = families_of(&Rows::new(rows), &self.0.guard_fields()).map_err(failed(py))?;
        let decided = py.detach(|| self.0.decide(documents, against, families)).or_exception(py)?;
        table(py, of_decisions(&decided, &numbers).map_err(failed(py))?)
    }
}

/// The families of documents, by pairs (left, right) that may be duplicates: hash, family, and the task that decides it.
#[pyfunction]
pub(crate) fn families<'py>(py: Python<'py>, pairs: PyTable) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::new(pairs);
    let read = || {
        let mut pairs = Vec::new();
        for [left, right] in rows.columns([("left", DataType::LargeBinary), ("right", DataType::LargeBinary)])? {
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
    let number = |of: fn(&Place) -> u32| found.iter().map(|place| Some(of(place) as i32)).collect::<Int32Array>();
    let batch = of_columns([
        ("hash", Arc::new(hashes.finish()) as ArrayRef),
        ("family", Arc::new(number(|place| place.family))),
        ("task", Arc::new(number(|place| place.task))),
    ]);
    table(py, batch.map_err(failed(py))?)
}

/// The most pairs of a document that is not of a crowd.
pub(crate) const CROWDED: u8 = join::CROWDED;

/// The most documents in the company of one of a crowd.
pub(crate) const COMPANY: usize = distributed::COMPANY;

/// A short document with more duplicates than this, each as long as it or shorter, is of a crowd.
pub(crate) const SHORT_CROWD: usize = distributed::SHORT_CROWD;

fn of_columns<'n>(columns: impl IntoIterator<Item = (&'n str, ArrayRef)>) -> Result<RecordBatch, ArrowError> {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
}

fn of_prints(keys: &[Option<u128>], prints: &[Option<Print>], bits: u32) -> Result<RecordBatch, ArrowError> {
    let (mut hashes, mut sketches) = (BinaryBuilder::new(), BinaryBuilder::new());
    let (mut fingerprints, mut letters, mut figures) =
        (BinaryBuilder::new(), StringBuilder::new(), BinaryBuilder::new());
    let words = bits.div_ceil(64) as usize;
    for (key, print) in keys.iter().zip(prints) {
        let short = print.as_ref().and_then(|print| print.short.as_ref());
        hashes.append_option(key.map(u128::to_be_bytes));
        let words = print.as_ref().and_then(|print| Some(of_words(&print.fingerprint.as_ref()?[..words])));
        fingerprints.append_option(words);
        sketches.append_option(print.as_ref().and_then(|print| print.sketch));
        letters.append_option(short.map(|short| short.characters.iter().collect::<String>()));
        figures.append_option(short.map(|short| of_words(&short.figures)));
    }
    let mut leaks = ListBuilder::new(StructBuilder::from_fields(leak_fields(), 0));
    for print in prints {
        for leak in print.iter().flat_map(|print| &print.leaks) {
            let row = leaks.values();
            let numbers = [leak.item, leak.first, leak.last];
            for (place, number) in numbers.into_iter().enumerate() {
                row.field_builder::<Int32Builder>(place).expect("it is of numbers").append_value(number as i32);
            }
            row.field_builder::<Float64Builder>(3).expect("it is of shares").append_value(leak.similarity);
            row.append(true);
        }
        leaks.append(print.is_some());
    }
    let characters = prints.iter().map(|print| print.as_ref().map(|print| print.characters as i32));
    let flag = |of: fn(&Print) -> bool| prints.iter().map(|print| print.as_ref().map(of)).collect::<BooleanArray>();
    of_columns([
        ("hash", Arc::new(hashes.finish()) as ArrayRef),
        ("characters", Arc::new(characters.collect::<Int32Array>())),
        ("empty", Arc::new(flag(|print| print.is_empty))),
        ("short", Arc::new(flag(|print| print.is_short))),
        ("fingerprint", Arc::new(fingerprints.finish())),
        ("sketch", Arc::new(sketches.finish())),
        ("letters", Arc::new(letters.finish())),
        ("figures", Arc::new(figures.finish())),
        ("leaks", Arc::new(leaks.finish())),
    ])
}

fn leak_fields() -> Fields {
    let number = |name: &str| Field::new(name, DataType::Int32, true);
    vec![number("item"), number("first"), number("last"), Field::new("similarity", DataType::Float64, true)].into()
}

/// The rows of a group, or of two that meet.
struct Groups(Vec<Rows>);

impl Groups {
    fn new(group: PyTable, other: Option<PyTable>) -> Groups {
        Groups([Some(group), other].into_iter().flatten().map(Rows::new).collect())
    }
}

/// The prints of a group; each of two in the order of the hashes, so that equal rows give equal pairs.
fn group_of(Groups(groups): Groups, bits: u32) -> Result<Group, ArrowError> {
    let fingerprints = Fingerprints::new(bits);
    let mut read = Group { documents: Documents::default(), fingerprints, sketches: Vec::new(), first: None };
    let columns = ["hash", "fingerprint", "sketch"].map(|name| (name, DataType::LargeBinary));
    for (number, rows) in groups.iter().enumerate() {
        if number > 0 {
            read.first = Some(read.documents.keys.len());
        }
        let (batches, mut values) = (rows.columns(columns.clone())?, rows.values()?);
        let mut order: Vec<(u128, usize, usize)> = Vec::new();
        for (batch, [own, ..]) in batches.iter().enumerate() {
            let own = own.as_binary::<i64>();
            for row in 0..own.len() {
                order.push((hash_of(own.value(row))?, batch, row));
            }
        }
        order.sort_unstable();
        for (hash, batch, row) in order {
            let [_, fingerprints, sketches] = batches[batch].each_ref().map(|column| column.as_binary::<i64>());
            read.documents.keys.push(hash);
            read.documents.values.push(std::mem::take(&mut values[batch][row]));
            read.fingerprints.push(&words_of(fingerprints.value(row)));
            read.sketches.push(sketches.value(row).first_chunk::<BINS>().copied());
        }
    }
    Ok(read)
}

/// A text that is compared by its characters.
struct Short {
    hash: u128,
    /// Whether it is of the first group.
    is_first: bool,
    values: Vec<i64>,
    text: ShortText,
    is_short: bool,
}

/// Short texts, in the order of their hashes.
fn short_group_of(Groups(groups): Groups) -> Result<ShortGroup, ArrowError> {
    let mut own: Vec<Short> = Vec::new();
    let columns = ["hash", "letters", "figures"].map(|name| (name, DataType::LargeBinary));
    for (number, rows) in groups.iter().enumerate() {
        let flags = rows.columns([("short", DataType::Boolean)])?;
        let columns = rows.columns(columns.clone())?.into_iter().zip(flags).zip(rows.values()?);
        for (([hash, letters, figures], [short]), mut values) in columns {
            let letters = texts_of(&letters)?;
            for row in 0..hash.len() {
                let characters = letters.as_string::<i64>().value(row).chars().collect();
                let text = ShortText { characters, figures: words_of(figures.as_binary::<i64>().value(row)) };
                let hash = hash_of(hash.as_binary::<i64>().value(row))?;
                let values = std::mem::take(&mut values[row]);
                own.push(Short { hash, is_first: number == 0, values, text, is_short: short.as_boolean().value(row) });
            }
        }
    }
    own.sort_unstable_by_key(|short| short.hash);
    let mut group = ShortGroup { sides: (groups.len() > 1).then(Vec::new), ..ShortGroup::default() };
    for Short { hash, is_first, values, text, is_short } in own {
        group.documents.keys.push(hash);
        group.documents.values.push(values);
        group.texts.push((text, is_short));
        group.sides.iter_mut().for_each(|sides| sides.push(is_first));
    }
    Ok(group)
}

/// A pair for Python.
struct Pair {
    ends: [u128; 2],
    distance: Option<u32>,
    kind: &'static str,
}

fn pairs_of(py: Python<'_>, pairs: impl Iterator<Item = Pair>) -> PyResult<Bound<'_, PyAny>> {
    let batch = |pairs: &mut dyn Iterator<Item = Pair>| {
        let (mut left, mut right) = (BinaryBuilder::new(), BinaryBuilder::new());
        let (mut distances, mut kinds) = (Int32Builder::new(), StringBuilder::new());
        for pair in pairs {
            let [one, other] = pair.ends;
            left.append_value(one.to_be_bytes());
            right.append_value(other.to_be_bytes());
            distances.append_option(pair.distance.map(|distance| distance as i32));
            kinds.append_value(pair.kind);
        }
        of_columns([
            ("left", Arc::new(left.finish()) as ArrayRef),
            ("right", Arc::new(right.finish())),
            ("distance", Arc::new(distances.finish())),
            ("kind", Arc::new(kinds.finish())),
        ])
    };
    let mut pairs = pairs.peekable();
    let mut batches = Vec::new();
    while batches.is_empty() || pairs.peek().is_some() {
        batches.push(batch(&mut pairs.by_ref().take(BATCH)).map_err(failed(py))?);
    }
    table_in_batches(py, batches)
}

/// The documents of a task by their numbers.
struct Numbers {
    /// The hash of each.
    hashes: Vec<u128>,
    /// The number of the first one of each hash.
    first: HashMap<u128, u32>,
}

/// Texts as documents. None is preferred to another one.
fn sources_of(rows: &Rows, guards: &[String]) -> Result<Vec<Source>, ArrowError> {
    let columns = rows.columns([("text", DataType::LargeBinary)])?.into_iter().zip(rows.values()?);
    let of_batch = |([texts], values): ([ArrayRef; 1], Vec<Vec<i64>>)| {
        let preference: ArrayRef = Arc::new(Int64Array::from(vec![0; texts.len()]));
        let own = [("text", texts_of(&texts)?), (PREFERENCE, preference)];
        of_columns(own.into_iter().chain(fields_of(guards, &values)))
    };
    let batches: Vec<RecordBatch> = columns.map(of_batch).collect::<Result<_, _>>()?;
    Ok(if batches.is_empty() { Vec::new() } else { vec![Source::in_memory("texts", batches)] })
}

/// The values of documents as columns that are named by the fields of guards.
fn fields_of<'g>(guards: &'g [String], values: &[Vec<i64>]) -> impl Iterator<Item = (&'g str, ArrayRef)> {
    guards.iter().enumerate().map(|(place, name)| {
        let numbers: Int64Array = values.iter().map(|values| values.get(place).copied()).collect();
        (name.as_str(), Arc::new(numbers) as ArrayRef)
    })
}

/// The documents of a task, and their families. `guards` are the names of fields with the values of these.
fn families_of(rows: &Rows, guards: &[String]) -> Result<(Numbers, Families), ArrowError> {
    let (mut hashes, mut families) = (Vec::new(), Families::default());
    let names = ["hash", "text", "other"].map(|name| (name, DataType::LargeBinary));
    let flags = ["against", "crowd"].map(|name| (name, DataType::Boolean));
    let mut batches: Vec<_> = rows.columns(names)?.into_iter().zip(rows.columns(flags)?).collect();
    for ([_, texts, _], _) in &mut batches {
        *texts = texts_of(texts)?;
    }
    let numbers = rows.columns(["family", "distance"].map(|name| (name, DataType::Int32)))?;
    let preferences = rows.0.iter().map(|batch| batch.column_by_name(PREFERENCE).cloned());
    let others: Vec<_> = rows.values()?.into_iter().zip(preferences).collect();
    let mut firsts: HashMap<u128, u32> = HashMap::new();
    for is_against in [true, false] {
        let mut texts_of_side = Vec::new();
        for ((([own, texts, others], flags), [family, _]), (values, preference)) in
            batches.iter().zip(&numbers).zip(&others)
        {
            let (own, others) = (own.as_binary::<i64>(), others.as_binary::<i64>());
            let family = family.as_primitive::<Int32Type>();
            let [against, crowd] = flags.each_ref().map(|flags| flags.as_boolean());
            let is_wanted = |row: &usize| others.is_null(*row) && against.value(*row) == is_against;
            let mut wanted = (0..own.len()).filter(is_wanted).peekable();
            while let Some(first) = wanted.peek().copied() {
                // Rows that follow one another are taken where they lie.
                let mut past = first;
                while wanted.next_if_eq(&past).is_some() {
                    let (hash, number) = (hash_of(own.value(past))?, hashes.len() as u32);
                    // The first document of a text is in its pairs.
                    let is_first = *firsts.entry(hash).or_insert(number) == number;
                    if crowd.value(past) && is_first {
                        families.crowd.push(number);
                    }
                    hashes.push(hash);
                    families.families.push(family.is_valid(past).then(|| family.value(past) as u32));
                    past += 1;
                }
                let mut columns = vec![("text", texts.slice(first, past - first))];
                columns.extend(fields_of(guards, &values[first..past]));
                if let Some(preference) = preference {
                    columns.push((PREFERENCE, preference.slice(first, past - first)));
                }
                texts_of_side.push(of_columns(columns)?);
            }
        }
        if !texts_of_side.is_empty() {
            families.texts[usize::from(!is_against)].push(Source::in_memory("texts", texts_of_side));
        }
    }
    let number = |hash: &[u8]| {
        let number = firsts.get(&hash_of(hash)?).copied();
        number.ok_or_else(|| ArrowError::SchemaError("a pair is of a document without a text".to_string()))
    };
    for (([own, _, others], [_, crowd]), [_, distances]) in batches.iter().zip(&numbers) {
        let (own, others) = (own.as_binary::<i64>(), others.as_binary::<i64>());
        let (distances, crowd) = (distances.as_primitive::<Int32Type>(), crowd.as_boolean());
        for row in (0..own.len()).filter(|row| others.is_valid(*row)) {
            let (one, other) = (number(own.value(row))?, number(others.value(row))?);
            if crowd.value(row) {
                families.short_crowd.extend([one, other]);
                continue;
            }
            let distance = distances.is_valid(row).then(|| distances.value(row) as u32);
            families.pairs.push((one, other, distance));
        }
    }
    families.short_crowd.sort_unstable();
    families.short_crowd.dedup();
    Ok((Numbers { hashes, first: firsts }, families))
}

/// The removed documents with the ones that stay in their place, then the duplicate pairs.
fn of_decisions(decided: &Decided, numbers: &Numbers) -> Result<RecordBatch, ArrowError> {
    let (mut one, mut other, mut reasons) = (BinaryBuilder::new(), BinaryBuilder::new(), StringBuilder::new());
    let (mut distances, mut similarities) = (Int32Builder::new(), Float64Builder::new());
    let (mut lost, mut removed) = (Float64Builder::new(), BooleanBuilder::new());
    // A text may have two documents: the longest, which comes first, and the preferred one. What becomes of the first one holds for both. A link between
    // the two says which of them stays.
    let Numbers { hashes, first } = numbers;
    let is_first = |own: u32| first[&hashes[own as usize]] == own;
    let says_more = |link: &&Link| {
        let of_one_text = hashes[link.document as usize] == hashes[link.keeper as usize];
        if of_one_text { is_first(link.keeper) } else { is_first(link.document) }
    };
    let links = decided
        .links
        .iter()
        .filter(says_more)
        .map(|link| ([link.keeper, link.document], link.distance, link.similarity, link.reason, link.lost, true));
    let pairs = decided
        .pairs
        .iter()
        .map(|pair| ([pair.left, pair.right], pair.distance, pair.similarity, pair.reason, None, false));
    for (ends, distance, similarity, reason, own_lost, is_removed) in links.chain(pairs) {
        let [first, second] = ends.map(|document| hashes[document as usize].to_be_bytes());
        one.append_value(first);
        other.append_value(second);
        distances.append_option(distance.map(|distance| distance as i32));
        similarities.append_value(similarity);
        reasons.append_value(reason.name());
        lost.append_option(own_lost);
        removed.append_value(is_removed);
    }
    of_columns([
        ("better", Arc::new(one.finish()) as ArrayRef),
        ("other", Arc::new(other.finish())),
        ("distance", Arc::new(distances.finish())),
        ("similarity", Arc::new(similarities.finish())),
        ("reason", Arc::new(reasons.finish())),
        ("lost", Arc::new(lost.finish())),
        ("removed", Arc::new(removed.finish())),
    ])
}

/// Words as bytes, the highest first.
fn of_words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word)).collect()
}
