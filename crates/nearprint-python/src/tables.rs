//! Arrow tables and columns -> their kept rows, other texts in them, or a file, for Python.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use arrow_select::concat::concat;
use arrow_select::filter::filter;
use arrow_select::interleave::interleave;
use nearprint::{Error, write};
use pyo3::prelude::*;
use pyo3_arrow::{PyChunkedArray, PyTable};

use crate::documents::chunks_of;
use crate::errors::{OrException, usage};

/// The rows of a table or column for which a column of booleans is true: an `arro3.core` table, or
/// chunked array.
#[pyfunction]
pub(crate) fn keep_rows<'py>(
    rows: &Bound<'py, PyAny>,
    kept: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = rows.py();
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let (chunks, field) = chunks_of(rows)?;
    let (kept, _) = chunks_of(kept)?;
    let kept =
        concat(&kept.iter().map(|part| part.as_ref()).collect::<Vec<_>>()).map_err(failed)?;
    let mut start = 0;
    let mut parts = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let own = kept.slice(start, chunk.len());
        start += chunk.len();
        parts.push(filter(&chunk, own.as_boolean()).map_err(failed)?);
    }
    exported(py, parts, field)
}

/// A table or column with other texts in some places, in its own types: an `arro3.core` table, or
/// chunked array. `texts` has a column for each changed column of the table.
#[pyfunction]
pub(crate) fn with_texts<'py>(
    rows: &Bound<'py, PyAny>,
    places: Vec<usize>,
    texts: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = rows.py();
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let (chunks, field) = chunks_of(rows)?;
    let (texts, _) = chunks_of(texts)?;
    let texts =
        concat(&texts.iter().map(|part| part.as_ref()).collect::<Vec<_>>()).map_err(failed)?;
    let texts = texts.as_struct();
    let (mut start, mut next) = (0, 0);
    let mut parts = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let end = start + chunk.len();
        let mut from: Vec<(usize, usize)> = (0..chunk.len()).map(|place| (0, place)).collect();
        while let Some(place) = places.get(next).filter(|place| **place < end) {
            from[place - start] = (1, next);
            next += 1;
        }
        let changed = |own: &ArrayRef, texts: &ArrayRef| {
            let texts = arrow_cast::cast(texts, own.data_type())?;
            interleave(&[own.as_ref(), texts.as_ref()], &from)
        };
        let part = match field.data_type() {
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(chunk.as_struct().columns()).map(|(field, own)| {
                    texts
                        .column_by_name(field.name())
                        .map_or(Ok(own.clone()), |texts| changed(own, texts))
                });
                let columns = columns.collect::<Result<_, ArrowError>>().map_err(failed)?;
                let options = RecordBatchOptions::new().with_row_count(Some(chunk.len()));
                let schema = Arc::new(Schema::new(fields.clone()));
                let batch =
                    RecordBatch::try_new_with_options(schema, columns, &options).map_err(failed)?;
                Arc::new(StructArray::from(batch)) as ArrayRef
            }
            _ => changed(&chunk, texts.column(0)).map_err(failed)?,
        };
        parts.push(part);
        start = end;
    }
    exported(py, parts, field)
}

/// Writes a table, or a column by the name `text`, as a Parquet file. Returns its size in bytes.
#[pyfunction]
pub(crate) fn write_parquet(rows: &Bound<'_, PyAny>, path: PathBuf) -> PyResult<u64> {
    let py = rows.py();
    let (chunks, field) = chunks_of(rows)?;
    let fields = match field.data_type() {
        DataType::Struct(fields) => fields.clone(),
        data_type => vec![Field::new("text", data_type.clone(), true)].into(),
    };
    let is_table = matches!(field.data_type(), DataType::Struct(_));
    let schema = Arc::new(Schema::new(fields));
    let batches = chunks.into_iter().map(|chunk| {
        let columns =
            if is_table { chunk.as_struct().columns().to_vec() } else { vec![chunk.clone()] };
        let options = RecordBatchOptions::new().with_row_count(Some(chunk.len()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options)
            .map_err(|error| Error::usage("input", error.to_string()))
    });
    py.detach(|| write::table_as_parquet(schema.clone(), batches, &path)).or_exception(py)
}

/// The columns, each once, in which fields of these names may be.
#[pyfunction]
pub(crate) fn outermost(names: Vec<String>, columns: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for column in names.iter().flat_map(|name| nearprint::field::outermost(name, &columns)) {
        if !found.iter().any(|own| own == column) {
            found.push(column.to_string());
        }
    }
    found
}

/// An object that exports Arrow, read once and held: an `arro3.core` table, or chunked array.
#[pyfunction]
pub(crate) fn hold_rows<'py>(rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (chunks, field) = chunks_of(rows)?;
    exported(rows.py(), chunks, field)
}

fn exported(py: Python<'_>, parts: Vec<ArrayRef>, field: FieldRef) -> PyResult<Bound<'_, PyAny>> {
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let DataType::Struct(fields) = field.data_type() else {
        return PyChunkedArray::try_new(parts, field)?.into_arro3(py);
    };
    let schema = Arc::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone()));
    let batch = |part: &ArrayRef| {
        let rows = part.as_struct();
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(schema.clone(), rows.columns().to_vec(), &options)
            .map_err(failed)
    };
    let batches = parts.iter().map(batch).collect::<PyResult<_>>()?;
    PyTable::try_new(batches, schema)?.into_arro3(py)
}

/// An Arrow table for Python.
pub(crate) fn table(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyAny>> {
    table_in_batches(py, vec![batch])
}

/// An Arrow table for Python, of one batch or more with one schema.
pub(crate) fn table_in_batches(
    py: Python<'_>,
    batches: Vec<RecordBatch>,
) -> PyResult<Bound<'_, PyAny>> {
    let schema: Arc<Schema> =
        batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
    PyTable::try_new(batches, schema)?.into_arro3(py)
}
