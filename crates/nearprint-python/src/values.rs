//! Lists and dicts of Python -> columns, value by value.

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat;
use nearprint::error::{Problem, Rejection};
use nearprint::field::{alternatives, behind, is_nested};
use nearprint::read::field_of;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::documents::chunks_of;
use crate::errors::{rejected, usage};
use crate::inside::{elements, nested, value_behind, value_of};
use crate::numpy::plain;

/// The types of a value after others in a field of dicts, which is one column.
const NUMBER: &str = "a number, as in the rows before (give all its values one type, such as str)";
const STRING: &str = "a string, as in the rows before (give all its values one type, such as str)";

/// The items of a list or tuple.
pub(crate) fn items<'py>(rows: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = rows.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    rows.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
}

/// What some of the wanted fields are for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Roles<'r> {
    /// The fields that make up the text.
    pub texts: &'r [String],
    /// The fields of ids. A tuple in one of them is a string, its elements as a JSON array.
    pub ids: &'r [String],
}

/// The columns of a list of dicts, one for each wanted field that a dict has; a list of strings is
/// the first wanted column.
pub(crate) fn of_items(
    name: &str,
    items: &[Bound<'_, PyAny>],
    wanted: &[String],
    roles: Roles<'_>,
) -> PyResult<RecordBatch> {
    let dicts = items.iter().any(|item| item.is_instance_of::<PyDict>());
    let Some(py) = items.first().map(|item| item.py()) else {
        let none: ArrayRef = Arc::new(StringBuilder::new().finish());
        return Ok(RecordBatch::try_from_iter_with_nullable([(&wanted[0], none, true)])
            .expect("one column"));
    };
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    if !dicts {
        let first = items.iter().find(|item| !is_missing(item));
        if let Some(list) = first.filter(|first| elements(first).is_some()) {
            let kind = kind_of(list);
            let problem =
                format!("its items are of type {kind}; give a list of strings or of dicts");
            return Err(usage(py, name, problem));
        }
        let texts = items.iter().map(|item| Ok(Some(item.clone())));
        let texts = column(name, &wanted[0], texts, py)?;
        return RecordBatch::try_from_iter_with_nullable([(&wanted[0], texts, true)])
            .map_err(failed);
    }
    let mut columns: Vec<(String, ArrayRef, bool)> = Vec::new();
    let (mut whole, others): (Vec<String>, Vec<String>) =
        wanted.iter().cloned().partition(|field| is_nested(field));
    whole.sort_unstable();
    whole.dedup();
    for path in whole.iter().cloned().chain(paths(&others)) {
        let (is_text, is_id) = (is_of(&path, roles.texts), is_of(&path, roles.ids));
        let value = |(row, item): (usize, &Bound<'_, PyAny>)| {
            let dict =
                item.cast::<PyDict>().map_err(|_| wrong(name, row, &path, "a dict", item))?;
            let found = match whole.contains(&path) {
                true => nested(dict, &path)?,
                false => value_of(dict, &path)?.map(|(_, found)| found),
            };
            found.map(|found| found.into_value(py, is_text).map(Bound::unbind)).transpose()
        };
        let values = items.iter().enumerate().map(value).collect::<PyResult<Vec<_>>>()?;
        if values.iter().any(Option::is_some) {
            let values =
                values.into_iter().map(|value| Ok(value.map(|value| value.into_bound(py))));
            let values = column(name, &path, of_role(values, is_id), py)?;
            columns.push((path, values, true));
        }
    }
    of_wanted(columns, wanted).map_err(failed)
}

/// True if a path is an alternative of one of these fields, or the field itself.
fn is_of(path: &String, fields: &[String]) -> bool {
    fields.iter().any(|field| alternatives(field).contains(path))
}

/// The values of a field. If they are ids, a tuple becomes a string.
fn of_role<'py>(
    values: impl Iterator<Item = PyResult<Option<Bound<'py, PyAny>>>>,
    is_id: bool,
) -> impl Iterator<Item = PyResult<Option<Bound<'py, PyAny>>>> {
    values.map(move |value| match value? {
        Some(value) if is_id => key(value).map(Some),
        value => Ok(value),
    })
}

/// A tuple as a string, its elements as a JSON array: strings, integers, finite numbers, booleans,
/// None, dates and UUIDs by their texts, and tuples of these. Another value as it is.
#[pyfunction]
pub(crate) fn key(id: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if !id.is_instance_of::<PyTuple>() {
        return Ok(id);
    }
    let dumps = id.py().import("json")?.getattr("dumps")?;
    let settings = PyDict::new(id.py());
    settings.set_item("ensure_ascii", false)?;
    dumps.call((part_of_key(id)?,), Some(&settings))
}

/// A value inside a tuple that is an id, as a value of JSON.
fn part_of_key(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let value = plain(value)?;
    if let Ok(tuple) = value.cast::<PyTuple>() {
        let parts = tuple.iter().map(part_of_key).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyTuple::new(value.py(), parts)?.into_any());
    }
    let is_number = value.is_instance_of::<PyInt>()
        || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_finite());
    if value.is_none() || value.is_instance_of::<PyString>() || is_number {
        return Ok(value);
    }
    match value.getattr("isoformat") {
        Ok(written) if !is_missing(&value) => written.call0(),
        _ if is_uuid(&value) => Ok(value.str()?.into_any()),
        _ => {
            let problem = format!(
                "a tuple with {} in it; give strings, numbers, dates or UUIDs",
                kind_of(&value)
            );
            Err(usage(value.py(), "id", problem))
        }
    }
}

/// The paths of all alternatives of some fields, each once.
fn paths(wanted: &[String]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for path in wanted.iter().flat_map(|field| alternatives(field)) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The columns of the wanted fields, each once, from those of their alternatives.
fn of_wanted(
    columns: Vec<(String, ArrayRef, bool)>,
    wanted: &[String],
) -> Result<RecordBatch, ArrowError> {
    if columns.is_empty() {
        return Ok(RecordBatch::new_empty(Arc::new(Schema::empty())));
    }
    fields_of(&RecordBatch::try_from_iter_with_nullable(columns)?, wanted)
}

/// The columns of the wanted fields that a batch has, each once.
pub(crate) fn fields_of(batch: &RecordBatch, wanted: &[String]) -> Result<RecordBatch, ArrowError> {
    let mut columns: Vec<(&String, ArrayRef, bool)> = Vec::new();
    for field in wanted {
        if columns.iter().all(|(own, ..)| *own != field)
            && let Some(column) = field_of(batch, field)?
        {
            columns.push((field, column, true));
        }
    }
    match columns.is_empty() {
        true => Ok(RecordBatch::new_empty(Arc::new(Schema::empty()))),
        false => RecordBatch::try_from_iter_with_nullable(columns),
    }
}

/// The wanted ones of columns by name, each a list or an object that exports Arrow.
pub(crate) fn of_columns(
    name: &str,
    columns: &Bound<'_, PyDict>,
    wanted: &[String],
    roles: Roles<'_>,
) -> PyResult<RecordBatch> {
    let py = columns.py();
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let names = names_of(columns)?;
    let mut made: Vec<(String, ArrayRef, bool)> = Vec::new();
    for path in paths(wanted) {
        let is_around = |own: &&String| **own == path || behind(&path, own).is_some();
        // The longest name leaves the fewest objects around the field.
        let around = names.iter().filter(is_around).rev().max_by_key(|own| own.len());
        let Some(outer) = around else { continue };
        let Some(values) = columns.get_item(outer)? else { continue };
        let rest = behind(&path, outer).unwrap_or_default();
        let (is_text, is_id) = (is_of(&path, roles.texts), is_of(&path, roles.ids));
        let found = match items(&values) {
            Some(values) if rest.is_empty() => {
                let values = values.into_iter().map(|value| Ok(Some(value)));
                Some(column(name, &path, of_role(values, is_id), py)?)
            }
            Some(values) => {
                let value = |value| {
                    let found = value_behind(value, rest)?;
                    found.map(|(_, found)| found.into_value(py, is_text)).transpose()
                };
                let values = values.iter().map(value).collect::<PyResult<Vec<_>>>()?;
                match values.is_empty() || values.iter().any(Option::is_some) {
                    true => {
                        let values = of_role(values.into_iter().map(Ok), is_id);
                        Some(column(name, &path, values, py)?)
                    }
                    false => None,
                }
            }
            None => {
                let (chunks, field) = chunks_of(&values)?;
                let whole = match chunks.is_empty() {
                    true => arrow_array::new_empty_array(field.data_type()),
                    false => concat(&chunks.iter().map(|chunk| chunk.as_ref()).collect::<Vec<_>>())
                        .map_err(failed)?,
                };
                let batch = RecordBatch::try_from_iter_with_nullable([(outer, whole, true)]);
                field_of(&batch.map_err(failed)?, &path).map_err(failed)?
            }
        };
        made.extend(found.map(|found| (path, found, true)));
    }
    of_wanted(made, wanted).map_err(failed)
}

/// The names of columns.
pub(crate) fn names_of(columns: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    columns.keys().iter().map(|name| name.extract()).collect()
}

/// The names of the fields of dicts, each once.
pub(crate) fn names_in(items: &[Bound<'_, PyAny>]) -> Vec<String> {
    /// Some rows tell the fields well enough for a message.
    const ROWS: usize = 1000;
    let mut names: Vec<String> = Vec::new();
    let dicts = items.iter().take(ROWS).filter_map(|item| item.cast::<PyDict>().ok());
    for name in dicts.flat_map(|dict| dict.keys()).map(|key| key.to_string()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Values of one field: booleans, integers, numbers, strings, or lists of strings. A string that is
/// not Unicode (with a lone surrogate) becomes its bytes, which the library then refuses by row.
pub(crate) fn column<'py>(
    name: &str,
    field: &str,
    values: impl Iterator<Item = PyResult<Option<Bound<'py, PyAny>>>>,
    py: Python<'py>,
) -> PyResult<ArrayRef> {
    let plain = |value: PyResult<Option<Bound<'py, PyAny>>>| value?.map(plain).transpose();
    let values = values.map(plain).collect::<PyResult<Vec<_>>>()?;
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
    if elements(first).is_some() {
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
                let wrong = |value| wrong(name, row, field, NUMBER, value);
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
            Err(_) if is_uuid(value) => &value.str()?.into_any(),
            Err(_) => value,
        };
        let string = value.cast::<PyString>().map_err(|_| {
            let wanted = if value.extract::<f64>().is_ok() { STRING } else { "a string" };
            has_parts(name, row, field, "", value)
                .unwrap_or_else(|| wrong(name, row, field, wanted, value))
        })?;
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
        for token in elements(value)
            .ok_or_else(|| wrong(name, row, field, "a list, as in the rows before", value))?
        {
            if let Some(error) = has_parts(name, row, field, "[]", &token) {
                return Err(error);
            }
            let string = token.cast::<PyString>().ok().and_then(|string| string.to_str().ok());
            lists.values().append_value(string.ok_or_else(|| {
                let found = format!("a {} with {} in it", kind_of(value), kind_of(&token));
                refused(
                    name,
                    row,
                    field,
                    "a string, a number or a list of strings",
                    found,
                    token.py(),
                )
            })?);
        }
        lists.append(true);
    }
    Ok(Arc::new(lists.finish()))
}

/// True for `None`, and for the NaN or NA of pandas.
pub(crate) fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    if value.is_instance_of::<PyString>() {
        return false;
    }
    let is_nan = || value.extract::<f64>().is_ok_and(f64::is_nan);
    let is_na = || value.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType");
    value.is_none() || is_na() || is_nan()
}

/// The exception for a dict with strings in place of a text, which names these. `of_list` stands
/// between the names if it is the item of a list.
fn has_parts(
    name: &str,
    row: usize,
    field: &str,
    of_list: &str,
    found: &Bound<'_, PyAny>,
) -> Option<PyErr> {
    let strings = found.cast::<PyDict>().ok()?.iter();
    let strings = strings.filter(|(_, value)| value.is_instance_of::<PyString>());
    let parts: Vec<String> = strings.map(|(part, _)| format!("{field}{of_list}.{part}")).collect();
    if parts.is_empty() {
        return None;
    }
    let (field, setting) = (field.to_string(), "text-field".into());
    let problem = Problem::HasParts { field, setting, parts: parts.into() };
    let problem = if name == "against" { problem.of_against() } else { problem };
    let row = Some(row as u64 + 1);
    Some(rejected(found.py(), &Rejection { file: name.to_string(), row, problem }))
}

fn is_uuid(value: &Bound<'_, PyAny>) -> bool {
    value.get_type().fully_qualified_name().is_ok_and(|name| name == "uuid.UUID")
}

fn wrong(
    name: &str,
    row: usize,
    field: &str,
    wanted: &'static str,
    found: &Bound<'_, PyAny>,
) -> PyErr {
    refused(name, row, field, wanted, format!("of type {}", kind_of(found)), found.py())
}

fn refused(
    name: &str,
    row: usize,
    field: &str,
    wanted: &'static str,
    found: String,
    py: Python<'_>,
) -> PyErr {
    let problem = Problem::WrongType { field: field.to_string(), wanted: wanted.into(), found };
    rejected(py, &Rejection { file: name.to_string(), row: Some(row as u64 + 1), problem })
}

/// The name of the type of a value.
fn kind_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().qualname().map_or_else(|_| "object".to_string(), |name| name.to_string())
}
