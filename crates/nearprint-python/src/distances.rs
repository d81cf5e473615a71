//! Fingerprints -> distances, and near pairs.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use nearprint::run::on_threads;
use nearprint_core::fingerprint;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyArray;
use rayon::prelude::*;

use crate::counts;
use crate::errors::{OrException, usage};
use crate::fingerprint::{Fingerprint, check_alike};
use crate::fingerprints::Fingerprints;
use crate::settings::Config;
use crate::tables::table;
use crate::watching::watched;

/// Hamming distance in bits, 0 to the width. For two fingerprints, as objects, bytes or hexadecimal
/// digits, an int; for two columns row by
/// row, or one fingerprint and a column, Arrow's unsigned integers of 32 bits, null for a null
/// fingerprint.
///
/// A column is a Fingerprints, Arrow's binary of one size, or a NumPy array of shape (n, words) of
/// unsigned 64-bit integers. IncompatibleError for fingerprints made with other settings,
/// UsageError for other widths or lengths.
///
/// >>> nr.hamming(nr.Fingerprint("00000000"), nr.Fingerprint("0000000f"))
/// 4
/// >>> import numpy
/// >>> column = numpy.array([[1], [2], [3]], dtype=numpy.uint64)
/// >>> nr.hamming(column, column[::-1]).to_pylist()
/// [1, 0, 1]
#[pyfunction]
pub(crate) fn hamming<'py>(
    py: Python<'py>,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if let (Some(left), Some(right)) = (Fingerprint::of_one(left)?, Fingerprint::of_one(right)?) {
        return Ok(left.distance_to(py, &right)?.into_pyobject(py)?.into_any());
    }
    // One fingerprint is compared with each of a column.
    let column = |value: &Bound<'py, PyAny>| -> PyResult<(Py<Fingerprints>, bool)> {
        match Fingerprint::of_one(value)? {
            Some(one) => Ok((Py::new(py, one.as_column())?, true)),
            None => Ok((Fingerprints::of_any(py, value)?, false)),
        }
    };
    let ((left, one_left), (right, one_right)) = (column(left)?, column(right)?);
    let (left, right) = (left.get(), right.get());
    check_alike(py, left.kind(), right.kind())?;
    let count = if one_left { right.column().len() } else { left.column().len() };
    if !one_left && !one_right && left.column().len() != right.column().len() {
        let problem = format!(
            "{} and {} fingerprints cannot be compared row by row",
            left.column().len(),
            right.column().len()
        );
        return Err(usage(py, "fingerprints", problem));
    }
    let at = |one: bool, row: usize| if one { 0 } else { row };
    let distances: UInt32Array = py.detach(|| {
        let distance = |row: usize| {
            let (left_row, right_row) = (at(one_left, row), at(one_right, row));
            let both = left.is_valid(left_row) && right.is_valid(right_row);
            both.then(|| {
                let words = left.column().get(left_row).iter().zip(right.column().get(right_row));
                words.map(|(left, right)| (left ^ right).count_ones()).sum::<u32>()
            })
        };
        (0..count).map(distance).collect()
    });
    PyArray::from_array_ref(Arc::new(distances)).into_arro3(py)
}

/// The near pairs of a column of fingerprints: a table of left and right (rows from 0, left <
/// right) and distance, sorted. With a second column, the near pairs of the two: a row of the first
/// column and a row of the second one.
///
/// max_distance is inclusive. The search finds every pair within complete_distance, and a part of
/// the pairs beyond it. By default complete_distance is max_distance for up to 20,000 fingerprints,
/// and at most an eighth of the bits for more (docs/algorithms.md, "The join"; Manku, Jain and Das
/// Sarma 2007). All pairs are held in memory, 12 bytes each. threads, memory and progress are as in
/// dedup. UsageError for null fingerprints and distances out of range.
///
/// >>> import numpy
/// >>> nr.join(numpy.array([[0], [7], [15]], dtype=numpy.uint64), max_distance=3).to_struct_array().to_pylist()
/// [{'left': 0, 'right': 1, 'distance': 3}, {'left': 1, 'right': 2, 'distance': 1}]
#[pyfunction]
#[pyo3(signature = (left, right=None, *, max_distance=None, complete_distance=None, threads=None, memory=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn join<'py>(
    py: Python<'py>,
    left: &Bound<'py, PyAny>,
    right: Option<&Bound<'py, PyAny>>,
    max_distance: Option<Bound<'py, PyAny>>,
    complete_distance: Option<Bound<'py, PyAny>>,
    threads: Option<Bound<'py, PyAny>>,
    memory: Option<Bound<'py, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let left = Fingerprints::of_any(py, left)?;
    let right = right.map(|right| Fingerprints::of_any(py, right)).transpose()?;
    let mut column = left.get().whole(py)?;
    let mut across = None;
    if let Some(right) = &right {
        check_alike(py, left.get().kind(), right.get().kind())?;
        across = Some(column.len());
        let words = [column.words(), right.get().whole(py)?.words()].concat();
        column = Arc::new(fingerprint::Fingerprints::of_words(column.bits(), words));
    }
    let keywords = PyDict::new(py);
    keywords.set_item("bits", column.bits())?;
    let given = [
        ("max_distance", max_distance),
        ("complete_distance", complete_distance),
        ("threads", threads),
        ("memory", memory),
    ];
    for (name, value) in given {
        keywords.set_item(name, value)?;
    }
    let config = Config::of_layers(py, None, Some(&keywords))?.settings().clone();
    let pairs = watched(py, progress, |watch| {
        on_threads(config.run.threads, || nearprint::join(&column, across, &config, watch))
            .flatten()
    })?;
    let pairs = pairs.or_exception(py)?;
    let batch = py.detach(|| {
        let of = |value: fn(&nearprint_core::near::CandidatePair) -> u32| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(pairs.iter().map(value)))
        };
        let first = across.unwrap_or(0) as u32;
        let rights = pairs.iter().map(|pair| pair.right - first);
        let columns = [
            ("left", of(|pair| pair.left)),
            ("right", Arc::new(UInt32Array::from_iter_values(rights)) as ArrayRef),
            ("distance", of(|pair| pair.distance)),
        ];
        RecordBatch::try_from_iter(columns).expect("columns of one length")
    });
    table(py, batch)
}

/// The k nearest fingerprints of a column for each of some fingerprints, by Hamming distance: a
/// table of query and row (from 0), rank (from 1) and distance in bits, of equal distances the first
/// row first.
#[pyfunction]
#[pyo3(signature = (queries, fingerprints, k=10))]
pub(crate) fn nearest<'py>(
    py: Python<'py>,
    queries: &Bound<'py, PyAny>,
    fingerprints: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = counts::k)] k: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if k == 0 {
        return Err(usage(py, "k", "is 0; give 1 or more"));
    }
    let queries = match Fingerprint::of_one(queries)? {
        Some(one) => Py::new(py, one.as_column())?,
        None => Fingerprints::of_any(py, queries)?,
    };
    let column = Fingerprints::of_any(py, fingerprints)?;
    let (queries, column) = (queries.get(), column.get());
    check_alike(py, queries.kind(), column.kind())?;
    let batch = py.detach(|| {
        let nearest = |query: usize| {
            let words = queries.column().get(query);
            let distance = |row: usize| {
                let own = column.column().get(row);
                words.iter().zip(own).map(|(one, other)| (one ^ other).count_ones()).sum::<u32>()
            };
            let rows = (0..column.column().len()).filter(|row| column.is_valid(*row));
            let mut all: Vec<(u32, u32)> = rows.map(|row| (distance(row), row as u32)).collect();
            let count = k.min(all.len());
            if count < all.len() {
                all.select_nth_unstable(count);
                all.truncate(count);
            }
            all.sort_unstable();
            (query as u32, all)
        };
        let valid: Vec<usize> =
            (0..queries.column().len()).filter(|query| queries.is_valid(*query)).collect();
        // The numbers of a row: query, rank, row, distance.
        let numbers = |(query, all): (u32, Vec<(u32, u32)>)| {
            let rows = all.into_iter().zip(1..);
            rows.map(|((distance, row), rank)| [query, rank, row, distance]).collect::<Vec<_>>()
        };
        let found: Vec<[u32; 4]> =
            valid.into_par_iter().map(nearest).flat_map_iter(numbers).collect();
        let column = |number: usize| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(found.iter().map(|row| row[number])))
        };
        let names = ["query", "rank", "row", "distance"];
        RecordBatch::try_from_iter((0..4).map(|number| (names[number], column(number))))
            .expect("columns of one length")
    });
    table(py, batch)
}
