//! A column of dates -> the moment of each row, and the values that are no dates.

use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use nearprint::date::moment;
use nearprint::read::values;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;

use super::read::Rows;
use super::{failed, of_columns};
use crate::tables::table_in_batches;

/// The digits of the decimals that Spark takes.
const DIGITS: u8 = 38;

/// The dates of the column `field`: a table with `field`, the moment in nanoseconds since 1970, null
/// without a date, and `undated`, the value if it is neither blank nor a date.
#[pyfunction]
pub(crate) fn moments<'py>(py: Python<'py>, rows: PyTable) -> PyResult<Bound<'py, PyAny>> {
    let batches: Result<_, ArrowError> = Rows::new(rows).0.iter().map(of_batch).collect();
    table_in_batches(py, batches.map_err(failed(py))?)
}

fn of_batch(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let column = batch
        .column_by_name("field")
        .ok_or_else(|| ArrowError::SchemaError("no column field".to_string()))?;
    let values = values(column)?;
    let moments: Vec<Option<i128>> =
        values.iter().map(|value| value.as_ref().and_then(moment)).collect();
    let undated = values.iter().zip(&moments).map(|(value, moment)| match moment {
        Some(_) => None,
        None => value.as_ref().map(ToString::to_string).filter(|text| !text.trim().is_empty()),
    });
    let undated: StringArray = undated.collect();
    let moments = Decimal128Array::from(moments).with_precision_and_scale(DIGITS, 0)?;
    of_columns([("field", Arc::new(moments) as ArrayRef), ("undated", Arc::new(undated))])
}
