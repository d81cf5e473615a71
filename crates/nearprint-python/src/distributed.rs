//! The parts of a run on many machines: Arrow columns in, Arrow columns out. `nearprint.spark` puts them together.
//!
//! A document is known by the hash of its normalized text, 16 bytes with the highest first: those of equal text are one.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int32Array, LargeStringArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field};
use arrow_select::concat::concat_batches;
use nearprint::Fingerprints;
use nearprint::cluster::{Clusters, Method};
use nearprint::distributed::{self, Compared, Print, Side};
use nearprint::verify::ShortText;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use crate::errors::{OrException, usage};
use crate::settings::Config;
use crate::tables::table;

/// Columns of a table, of the types that are read here.
struct Columns {
    batch: RecordBatch,
}

impl Columns {
    fn new(py: Python<'_>, rows: PyTable) -> PyResult<Columns> {
        let (batches, schema) = rows.into_inner();
        let batch = concat_batches(&schema, &batches).map_err(|error| usage(py, "input", error.to_string()))?;
        Ok(Columns { batch })
    }

    fn column(&self, name: &str, kind: &DataType) -> Result<ArrayRef, ArrowError> {
        let column = self.batch.column_by_name(name);
        cast(column.ok_or_else(|| ArrowError::SchemaError(format!("no column {name}")))?, kind)
    }

    fn bytes(&self, name: &str) -> Result<ArrayRef, ArrowError> {
        self.column(name, &DataType::LargeBinary)
    }

    /// A column of texts; null where one is no UTF-8, which Spark does not look at.
    fn texts(&self, name: &str) -> Result<ArrayRef, ArrowError> {
        cast(&self.bytes(name)?, &DataType::LargeUtf8)
    }
}

/// Refuses settings that a run in parts does not know.
#[pyfunction]
pub(crate) fn check_distributed(py: Python<'_>, config: &Config) -> PyResult<()> {
    distributed::check(config.settings()).or_exception(py)
}

/// The print of each text of the column `text`: hash, characters, empty, short, fingerprint, letters, figures; all null where there is no text,
/// or one that is no UTF-8.
#[pyfunction]
pub(crate) fn prints_of<'py>(py: Python<'py>, config: &Config, rows: PyTable) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: ArrowError| usage(py, "text-field", error.to_string());
    let texts = Columns::new(py, rows)?.texts("text").map_err(failed)?;
    let texts = texts.as_string::<i64>();
    let settings = config.settings();
    let there: Vec<&str> = texts.iter().flatten().collect();
    let mut made = py.detach(|| distributed::prints(settings, &there)).or_exception(py)?.into_iter();
    let prints: Vec<Option<Print>> = texts.iter().map(|text| text.and_then(|_| made.next())).collect();
    let mut hashes = BinaryBuilder::new();
    let (mut fingerprints, mut letters, mut figures) =
        (BinaryBuilder::new(), StringBuilder::new(), BinaryBuilder::new());
    let words = settings.bits.div_ceil(64) as usize;
    for print in &prints {
        let short = print.as_ref().and_then(|print| print.short.as_ref());
        hashes.append_option(print.as_ref().map(|print| print.text_hash.to_be_bytes()));
        fingerprints.append_option(print.as_ref().and_then(|print| Some(of_words(&print.fingerprint?[..words]))));
        letters.append_option(short.map(|short| short.characters.iter().collect::<String>()));
        figures.append_option(short.map(|short| of_words(&short.figures)));
    }
    let characters = prints.iter().map(|print| print.as_ref().map(|print| print.characters as i32));
    let flag = |of: fn(&Print) -> bool| prints.iter().map(|print| print.as_ref().map(of)).collect::<BooleanArray>();
    let columns: [(&str, ArrayRef); 7] = [
        ("hash", Arc::new(hashes.finish())),
        ("characters", Arc::new(characters.collect::<Int32Array>())),
        ("empty", Arc::new(flag(|print| print.is_empty))),
        ("short", Arc::new(flag(|print| print.is_short))),
        ("fingerprint", Arc::new(fingerprints.finish())),
        ("letters", Arc::new(letters.finish())),
        ("figures", Arc::new(figures.finish())),
    ];
    table(
        py,
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).map_err(failed)?,
    )
}

/// The pairs that are near within a group of prints (hash, fingerprint), or across two: left, right, distance. `documents` is the number of
/// all that have a fingerprint.
#[pyfunction]
#[pyo3(signature = (config, documents, group, other=None))]
pub(crate) fn near_pairs<'py>(
    py: Python<'py>,
    config: &Config,
    documents: usize,
    group: PyTable,
    other: Option<PyTable>,
) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let read = |rows: PyTable| {
        let columns = Columns::new(py, rows)?;
        let [hashes, fingerprints] = ["hash", "fingerprint"].map(|name| columns.bytes(name).map_err(failed));
        let mut group = Fingerprints::new(config.settings().bits);
        fingerprints?.as_binary::<i64>().iter().for_each(|own| group.push(&words_of(own.unwrap_or_default())));
        Ok::<_, PyErr>((hashes?, group))
    };
    let (hashes, group) = read(group)?;
    let other = other.map(read).transpose()?;
    let side = other.as_ref().map_or(Side::Same, |(_, other)| Side::Other(other));
    let pairs = py.detach(|| distributed::candidates(config.settings(), documents, &group, side)).or_exception(py)?;
    let others = other.as_ref().map(|(hashes, _)| hashes.as_binary::<i64>());
    let hash = |place: u32| match (place as usize).checked_sub(group.len()) {
        Some(place) => others.expect("it is of the other group").value(place),
        None => hashes.as_binary::<i64>().value(place as usize),
    };
    let distances = pairs.iter().map(|pair| Some(pair.distance as i32)).collect();
    pairs_of(py, pairs.iter().map(|pair| [hash(pair.left), hash(pair.right)]), distances)
}

/// The pairs of prints (hash, short, letters, figures) of which one is short that are to be compared by their characters: left, right,
/// distance, which is null.
#[pyfunction]
pub(crate) fn short_pairs<'py>(py: Python<'py>, config: &Config, rows: PyTable) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let columns = Columns::new(py, rows)?;
    let hashes = columns.bytes("hash").map_err(failed)?;
    let (letters, figures) = (columns.texts("letters").map_err(failed)?, columns.bytes("figures").map_err(failed)?);
    let short = columns.column("short", &DataType::Boolean).map_err(failed)?;
    let (letters, figures, short) = (letters.as_string::<i64>(), figures.as_binary::<i64>(), short.as_boolean());
    let text = |row: usize| {
        let text =
            ShortText { characters: letters.value(row).chars().collect(), figures: words_of(figures.value(row)) };
        (text, short.value(row))
    };
    let texts: Vec<(ShortText, bool)> = (0..columns.batch.num_rows()).map(text).collect();
    let pairs = py.detach(|| distributed::short_candidates(config.settings(), &texts)).or_exception(py)?;
    let hash = |place: u32| hashes.as_binary::<i64>().value(place as usize);
    let distances = pairs.iter().map(|_| None).collect();
    pairs_of(py, pairs.iter().map(|(left, right)| [hash(*left), hash(*right)]), distances)
}

fn pairs_of<'py, 'h>(
    py: Python<'py>,
    pairs: impl Iterator<Item = [&'h [u8]; 2]>,
    distances: Int32Array,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut left, mut right) = (BinaryBuilder::new(), BinaryBuilder::new());
    // The order of the rows in their group must not show: another attempt of a task may get them in another one.
    for [one, other] in pairs {
        left.append_value(one.min(other));
        right.append_value(one.max(other));
    }
    let columns: [(&str, ArrayRef); 3] =
        [("left", Arc::new(left.finish())), ("right", Arc::new(right.finish())), ("distance", Arc::new(distances))];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
    table(py, batch.map_err(|error| usage(py, "input", error.to_string()))?)
}

/// The verdict on each row (left_text, right_text, distance, left_company, right_company: lists of texts, or null): similarity, reason,
/// and lost, the share of the right one that stands nowhere in the left one; null where the two are no duplicates.
#[pyfunction]
pub(crate) fn verdicts_of<'py>(py: Python<'py>, config: &Config, rows: PyTable) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let columns = Columns::new(py, rows)?;
    let [left, right] = ["left_text", "right_text"].map(|name| columns.texts(name).map_err(failed));
    let (left, right) = (left?, right?);
    let list = DataType::LargeList(Arc::new(Field::new("item", DataType::LargeUtf8, true)));
    let [one, other] = ["left_company", "right_company"].map(|name| columns.column(name, &list).map_err(failed));
    let (one, other) = (one?, other?);
    let distances = columns.column("distance", &DataType::Int32).map_err(failed)?;
    let distances = distances.as_primitive::<Int32Type>();
    let lists = [&one, &other].map(|lists| lists.as_list::<i64>());
    let texts = lists.map(|lists| lists.values().as_string::<i64>());
    let company = |side: usize, row: usize| {
        let (lists, texts): (_, &LargeStringArray) = (lists[side], texts[side]);
        let range = lists.value_offsets()[row] as usize..lists.value_offsets()[row + 1] as usize;
        if lists.is_null(row) { Vec::new() } else { range.map(|place| texts.value(place)).collect() }
    };
    let pair = |row: usize| Compared {
        texts: [left.as_string::<i64>().value(row), right.as_string::<i64>().value(row)],
        distance: distances.is_valid(row).then(|| distances.value(row) as u32),
        company: [company(0, row), company(1, row)],
    };
    let pairs: Vec<Compared<'_>> = (0..columns.batch.num_rows()).map(pair).collect();
    let verdicts = py.detach(|| distributed::verdicts(config.settings(), &pairs)).or_exception(py)?;
    let mut reasons = StringBuilder::new();
    verdicts.iter().for_each(|verdict| reasons.append_option(verdict.map(|verdict| verdict.reason.name())));
    let similarities: Float64Array = verdicts.iter().map(|verdict| verdict.map(|own| own.similarity)).collect();
    let lost: Float64Array = verdicts.iter().map(|verdict| Some(verdict.as_ref()?.lost?[1])).collect();
    let columns: [(&str, ArrayRef); 3] =
        [("similarity", Arc::new(similarities)), ("reason", Arc::new(reasons.finish())), ("lost", Arc::new(lost))];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
    table(py, batch.map_err(failed)?)
}

/// The keeper of each of some documents by rank, itself where it is kept, by the pairs of duplicates among them: stars.
#[pyfunction]
pub(crate) fn star_keepers(documents: usize, mut pairs: Vec<(u32, u32)>) -> Vec<u32> {
    pairs.sort_unstable();
    let mut clusters = Clusters::new(Method::Star, documents);
    for (better, other) in pairs {
        clusters.link(better, other);
    }
    clusters.keepers()
}

/// Words as bytes, the highest first.
fn of_words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word)).collect()
}
