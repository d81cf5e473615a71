//! Lists and dicts of Python -> columns, value by value.

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat;
use nearprint::error::{Problem, Rejection};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use crate::documents::chunks_of;
use crate::errors::{rejected, usage};

/// The items of a list or tuple.
pub(crate) fn items<'py>(rows: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = rows.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    rows.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
}

/// The columns of a list of dicts; a list of strings is the first wanted column.
pub(crate) fn of_items(
    name: &str,
    items: &[Bound<'_, PyAny>],
    wanted: &[String],
) -> PyResult<RecordBatch> {
    let dicts = items.iter().any(|item| item.is_instance_of::<PyDict>());
    let mut columns: Vec<(&String, ArrayRef, bool)> = Vec::new();
    let Some(py) = items.first().map(|item| item.py()) else {
        let none: ArrayRef = Arc::new(StringBuilder::new().finish());
        return Ok(RecordBatch::try_from_iter_with_nullable([(&wanted[0], none, true)])
            .expect("one column"));
    };
    if !dicts {
        columns.push((
            &wanted[0],
            column(name, &wanted[0], items.iter().map(|item| Ok(Some(item.clone()))), py)?,
            true,
        ));
    } else {
        for (place, field) in wanted.iter().enumerate() {
            let value = |(row, item): (usize, &Bound<'_, PyAny>)| match item.cast::<PyDict>() {
                Ok(dict) => dict.get_item(field).map(|value| value.map(|value| value.unbind())),
                Err(_) => Err(wrong(name, row, field, "a dict", item)),
            };
            let values = items.iter().enumerate().map(value).collect::<PyResult<Vec<_>>>()?;
            if place > 0 && values.iter().all(Option::is_none)
                || columns.iter().any(|(name, ..)| *name == field)
            {
                continue;
            }
            let values =
                values.into_iter().map(|value| Ok(value.map(|value| value.into_bound(py))));
            columns.push((field, column(name, field, values, py)?, true));
        }
    }
    RecordBatch::try_from_iter_with_nullable(columns)
        .map_err(|error| usage(py, "input", error.to_string()))
}

/// Columns by name, each a list or an object that exports Arrow.
pub(crate) fn of_columns(name: &str, columns: &Bound<'_, PyDict>) -> PyResult<RecordBatch> {
    let py = columns.py();
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let mut made: Vec<(String, ArrayRef, bool)> = Vec::new();
    for (field, values) in columns.iter() {
        let field: String = field.extract()?;
        let values = match items(&values) {
            Some(values) => {
                column(name, &field, values.into_iter().map(|value| Ok(Some(value))), py)?
            }
            None => {
                let (chunks, field) = chunks_of(&values)?;
                match chunks.is_empty() {
                    true => arrow_array::new_empty_array(field.data_type()),
                    false => concat(&chunks.iter().map(|chunk| chunk.as_ref()).collect::<Vec<_>>())
                        .map_err(failed)?,
                }
            }
        };
        made.push((field, values, true));
    }
    match made.is_empty() {
        true => Ok(RecordBatch::new_empty(Arc::new(Schema::empty()))),
        false => RecordBatch::try_from_iter_with_nullable(made).map_err(failed),
    }
}

/// Values of one field: booleans, integers, numbers, strings, or lists of strings. A string that is
/// not Unicode (with a lone surrogate) becomes its bytes, which the library then refuses by row.
fn column<'py>(
    name: &str,
    field: &str,
    values: impl Iterator<Item = PyResult<Option<Bound<'py, PyAny>>>>,
    py: Python<'py>,
) -> PyResult<ArrayRef> {
    let values = values.collect::<PyResult<Vec<_>>>()?;
    let present = || values.iter().flatten().filter(|value| !is_missing(value));
    let is_bool = |value: &Bound<'_, PyAny>| value.is_instance_of::<pyo3::types::PyBool>();
    let Some(first) = present().next() else {
        return Ok(arrow_array::new_null_array(&DataType::Utf8, values.len()));
    };
    if is_bool(first) {
        let boolean = |(row, value): (usize, &Option<Bound<'py, PyAny>>)| {
            let value = value.as_ref().filter(|value| !is_missing(value));
            let wrong =
                |value| wrong(name, row, field, "true or false, as in the rows before", value);
            value.map(|value| value.extract::<bool>().map_err(|_| wrong(value))).transpose()
        };
        let values = values.iter().enumerate().map(boolean).collect::<PyResult<Vec<_>>>()?;
        return Ok(Arc::new(BooleanArray::from(values)));
    }
    if items(first).is_some() {
        return lists(name, field, &values);
    }
    let is_number = |value: &Bound<'_, PyAny>| {
        !value.is_instance_of::<PyString>() && !value.is_instance_of::<PyBytes>() && !is_bool(value)
    };
    if is_number(first) && first.extract::<f64>().is_ok() {
        let given = |row: usize| values[row].as_ref().filter(|value| !is_missing(value));
        let integers: Vec<Option<i128>> = (0..values.len())
            .map(|row| given(row).and_then(|value| value.extract().ok()))
            .collect();
        let all = (0..values.len()).all(|row| given(row).is_none_or(|_| integers[row].is_some()));
        if !all {
            let number = |row: usize| -> PyResult<Option<f64>> {
                let number = |value: &Bound<'py, PyAny>| {
                    value.extract::<f64>().ok().filter(|_| is_number(value))
                };
                let wrong =
                    |value| wrong(name, row, field, "a number, as in the rows before", value);
                given(row).map(|value| number(value).ok_or_else(|| wrong(value))).transpose()
            };
            let numbers = (0..values.len()).map(number).collect::<PyResult<Vec<_>>>()?;
            return Ok(Arc::new(Float64Array::from(numbers)));
        }
        let (low, high) = (integers.iter().flatten().min(), integers.iter().flatten().max());
        if high.is_none_or(|high| i64::try_from(*high).is_ok())
            && low.is_none_or(|low| i64::try_from(*low).is_ok())
        {
            let narrow =
                |integer: Option<i128>| integer.and_then(|integer| i64::try_from(integer).ok());
            return Ok(Arc::new(Int64Array::from_iter(integers.into_iter().map(narrow))));
        }
        if let (Some(low), Some(high)) = (low, high)
            && (*low < 0 || u64::try_from(*high).is_err())
        {
            let problem =
                format!("the integers of {name}, {low} to {high}, do not fit one 64-bit type");
            return Err(usage(py, field, problem));
        }
        let narrow =
            |integer: Option<i128>| integer.and_then(|integer| u64::try_from(integer).ok());
        return Ok(Arc::new(UInt64Array::from_iter(integers.into_iter().map(narrow))));
    }
    let mut strings = LargeBinaryBuilder::with_capacity(values.len(), 0);
    let mut all_unicode = true;
    for (row, value) in values.iter().enumerate() {
        let Some(value) = value.as_ref().filter(|value| !is_missing(value)) else {
            strings.append_null();
            continue;
        };
        if let Ok(bytes) = value.cast::<PyBytes>() {
            all_unicode = false;
            strings.append_value(bytes.as_bytes());
            continue;
        }
        // Dates and times compare by their ISO forms.
        let value = match value.getattr("isoformat") {
            Ok(written) => &written.call0()?,
            Err(_) => value,
        };
        let string =
            value.cast::<PyString>().map_err(|_| wrong(name, row, field, "a string", value))?;
        match string.to_str() {
            Ok(string) => strings.append_value(string),
            Err(_) => {
                all_unicode = false;
                let bytes = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
                strings.append_value(bytes.extract::<&[u8]>()?);
            }
        }
    }
    let bytes: ArrayRef = Arc::new(strings.finish());
    if !all_unicode {
        return Ok(bytes);
    }
    arrow_cast::cast(&bytes, &DataType::LargeUtf8)
        .map_err(|error| usage(py, "input", error.to_string()))
}

/// Lists of strings, the tokens of documents.
fn lists(name: &str, field: &str, values: &[Option<Bound<'_, PyAny>>]) -> PyResult<ArrayRef> {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for (row, value) in values.iter().enumerate() {
        let Some(value) = value.as_ref().filter(|value| !is_missing(value)) else {
            lists.append_null();
            continue;
        };
        for token in items(value)
            .ok_or_else(|| wrong(name, row, field, "a list, as in the rows before", value))?
        {
            let string = token.cast::<PyString>().ok().and_then(|string| string.to_str().ok());
            lists.values().append_value(
                string.ok_or_else(|| wrong(name, row, field, "a list of strings", &token))?,
            );
        }
        lists.append(true);
    }
    Ok(Arc::new(lists.finish()))
}

/// True for `None`, and for the NaN or NA of pandas.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    if value.is_instance_of::<PyString>() {
        return false;
    }
    let is_nan = || value.extract::<f64>().is_ok_and(f64::is_nan);
    let is_na = || value.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType");
    value.is_none() || is_na() || is_nan()
}

fn wrong(
    name: &str,
    row: usize,
    field: &str,
    wanted: &'static str,
    found: &Bound<'_, PyAny>,
) -> PyErr {
    let found_type = found
        .get_type()
        .qualname()
        .map_or_else(|_| "an object".to_string(), |kind| format!("of type {kind}"));
    let problem =
        Problem::WrongType { field: field.to_string(), wanted: wanted.into(), found: found_type };
    rejected(found.py(), &Rejection { file: name.to_string(), row: Some(row as u64 + 1), problem })
}
