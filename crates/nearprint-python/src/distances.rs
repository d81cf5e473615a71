//! Fingerprints -> distances, and near pairs.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use nearprint::run::on_threads;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyArray;

use crate::errors::{OrException, usage};
use crate::fingerprint::{Fingerprint, check_alike};
use crate::fingerprints::Fingerprints;
use crate::settings::Config;
use crate::tables::table;
use crate::watching::watched;

/// Hamming distance in bits, 0 to the width. For two fingerprints an int; for two columns row by
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
    if let (Ok(left), Ok(right)) = (left.cast::<Fingerprint>(), right.cast::<Fingerprint>()) {
        return Ok(left.get().distance_to(py, right.get())?.into_pyobject(py)?.into_any());
    }
    // One fingerprint is compared with each of a column.
    let column = |value: &Bound<'py, PyAny>| -> PyResult<(Py<Fingerprints>, bool)> {
        match value.cast::<Fingerprint>() {
            Ok(one) => Ok((Py::new(py, one.get().as_column())?, true)),
            Err(_) => Ok((Fingerprints::of_any(py, value)?, false)),
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
        return Err(usage(py, "input", problem));
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
/// right) and distance, sorted.
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
#[pyo3(signature = (fingerprints, max_distance=None, *, complete_distance=None, threads=None, memory=None, progress=None))]
pub(crate) fn join<'py>(
    py: Python<'py>,
    fingerprints: &Bound<'py, PyAny>,
    max_distance: Option<Bound<'py, PyAny>>,
    complete_distance: Option<Bound<'py, PyAny>>,
    threads: Option<Bound<'py, PyAny>>,
    memory: Option<Bound<'py, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let column = Fingerprints::of_any(py, fingerprints)?;
    let column = column.get().whole(py)?;
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
        on_threads(config.run.threads, || nearprint::join(&column, &config, watch)).flatten()
    })?;
    let pairs = pairs.or_exception(py)?;
    let batch = py.detach(|| {
        let of = |value: fn(&nearprint_core::near::CandidatePair) -> u32| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(pairs.iter().map(value)))
        };
        let columns = [
            ("left", of(|pair| pair.left)),
            ("right", of(|pair| pair.right)),
            ("distance", of(|pair| pair.distance)),
        ];
        RecordBatch::try_from_iter(columns).expect("columns of one length")
    });
    table(py, batch)
}
