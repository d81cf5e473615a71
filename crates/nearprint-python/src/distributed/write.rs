//! Records, pairs and decisions -> Arrow columns.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Float64Builder, Int32Builder, ListBuilder, StringBuilder,
    StructBuilder,
};
use arrow_array::{ArrayRef, BooleanArray, Int32Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use nearprint::distributed::{Decided, Record};
use pyo3::prelude::*;

use super::{failed, of_columns};
use crate::tables::table_in_batches;

/// Maximum number of pairs per batch; a task may have more.
const BATCH: usize = 1 << 20;

pub(super) fn of_records(
    keys: &[Option<u128>],
    records: &[Option<Record>],
    bits: u32,
) -> Result<RecordBatch, ArrowError> {
    let (mut hashes, mut sketches) = (BinaryBuilder::new(), BinaryBuilder::new());
    let (mut fingerprints, mut letters, mut figures) =
        (BinaryBuilder::new(), StringBuilder::new(), BinaryBuilder::new());
    let words = bits.div_ceil(64) as usize;
    for (key, record) in keys.iter().zip(records) {
        let short = record.as_ref().and_then(|record| record.short.as_ref());
        hashes.append_option(key.map(u128::to_be_bytes));
        let words = record
            .as_ref()
            .and_then(|record| Some(of_words(&record.fingerprint.as_ref()?[..words])));
        fingerprints.append_option(words);
        sketches.append_option(record.as_ref().and_then(|record| record.sketch));
        letters.append_option(short.map(|short| short.characters.iter().collect::<String>()));
        figures.append_option(short.map(|short| of_words(&short.figures)));
    }
    let mut leaks = ListBuilder::new(StructBuilder::from_fields(leak_fields(), 0));
    for record in records {
        for leak in record.iter().flat_map(|record| &record.leaks) {
            let row = leaks.values();
            let numbers = [leak.item, leak.first, leak.last];
            for (place, number) in numbers.into_iter().enumerate() {
                row.field_builder::<Int32Builder>(place)
                    .expect("it is of numbers")
                    .append_value(number as i32);
            }
            row.field_builder::<Float64Builder>(3)
                .expect("it is of shares")
                .append_value(leak.similarity);
            row.append(true);
        }
        leaks.append(record.is_some());
    }
    let number = |of: fn(&Record) -> u32| {
        records
            .iter()
            .map(|record| record.as_ref().map(|record| of(record) as i32))
            .collect::<Int32Array>()
    };
    let flag = |of: fn(&Record) -> bool| {
        records.iter().map(|record| record.as_ref().map(of)).collect::<BooleanArray>()
    };
    of_columns([
        ("hash", Arc::new(hashes.finish()) as ArrayRef),
        ("characters", Arc::new(number(|record| record.characters))),
        ("size", Arc::new(number(|record| record.letter_bytes))),
        ("empty", Arc::new(flag(|record| record.is_empty))),
        ("short", Arc::new(flag(|record| record.is_short))),
        ("fingerprint", Arc::new(fingerprints.finish())),
        ("sketch", Arc::new(sketches.finish())),
        ("letters", Arc::new(letters.finish())),
        ("figures", Arc::new(figures.finish())),
        ("leaks", Arc::new(leaks.finish())),
    ])
}

pub(super) fn leak_fields() -> Fields {
    let number = |name: &str| Field::new(name, DataType::Int32, true);
    vec![
        number("item"),
        number("first"),
        number("last"),
        Field::new("similarity", DataType::Float64, true),
    ]
    .into()
}

/// A pair for Python.
pub(super) struct Pair {
    pub(super) ends: [u128; 2],
    pub(super) distance: Option<u32>,
    pub(super) kind: &'static str,
}

pub(super) fn pairs_of(
    py: Python<'_>,
    pairs: impl Iterator<Item = Pair>,
) -> PyResult<Bound<'_, PyAny>> {
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

/// The removed documents with their keepers, then the duplicate pairs.
pub(super) fn of_decisions(decided: &Decided, hashes: &[u128]) -> Result<RecordBatch, ArrowError> {
    let (mut one, mut other, mut reasons) =
        (BinaryBuilder::new(), BinaryBuilder::new(), StringBuilder::new());
    let (mut distances, mut similarities) = (Int32Builder::new(), Float64Builder::new());
    let (mut lost, mut removed) = (Float64Builder::new(), BooleanBuilder::new());
    let links = decided.links.iter().map(|link| {
        ([link.keeper, link.document], link.distance, link.similarity, link.reason, link.lost, true)
    });
    let pairs = decided.pairs.iter().map(|pair| {
        ([pair.left, pair.right], pair.distance, pair.similarity, pair.reason, None, false)
    });
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
pub(super) fn of_words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}
