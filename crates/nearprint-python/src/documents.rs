//! Tables, columns and lists of Python -> rows in memory for the library.
//!
//! Whatever exports Arrow (`__arrow_c_stream__`, `__arrow_c_array__`) is taken without copying its
//! texts. Lists of strings, or of dicts, are turned into columns value by value.
//!
//! Both ways are in one file because documents and texts come by either, and a dict of columns may
//! mix the two.

use std::sync::Arc;

use arrow_array::builder::{LargeBinaryBuilder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave;
use nearprint::error::{Problem, Rejection};
use nearprint::read::{Source, without_dictionary};
use nearprint::{Config, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use pyo3_arrow::input::AnyArray;

use crate::errors::{rejected, usage};

/// Documents in memory, and their ids as they came.
#[derive(Debug)]
pub(crate) struct Documents {
    /// The documents as the library reads them.
    pub source: Source,
    /// Their columns, in as many parts as they came in; columns share their values with the
    /// source's.
    parts: Vec<RecordBatch>,
    /// The ids, in as many parts.
    ids: Vec<ArrayRef>,
    /// The number of the first row of each part.
    starts: Vec<usize>,
    /// How many rows there are.
    pub rows: usize,
}

impl Documents {
    /// `name` stands for the file in messages: `documents` or `against`. `with_ids` says whether
    /// the user named the column of ids. Without one the id of a document is its row, counted from
    /// 0.
    pub fn new(
        name: &str,
        documents: &Bound<'_, PyAny>,
        settings: &Config,
        with_ids: bool,
    ) -> PyResult<Documents> {
        Documents::with_columns(name, documents, settings, &settings.columns(), with_ids)
    }

    /// The same with the columns that are read: those of the settings, and others.
    pub fn with_columns(
        name: &str,
        documents: &Bound<'_, PyAny>,
        settings: &Config,
        columns: &[String],
        with_ids: bool,
    ) -> PyResult<Documents> {
        let py = documents.py();
        let id_field = settings.id_name();
        let text = settings.text_fields.iter().map(|field| ("text-field", field.as_str()));
        let needed: Vec<_> =
            text.chain(id_field.filter(|_| with_ids).map(|field| ("id-field", field))).collect();
        let mut batches = batches(name, documents, columns, &needed)?;
        let mut ids = Vec::new();
        let (mut starts, mut rows) = (Vec::new(), 0);
        let has = |batch: &RecordBatch, field: &str| batch.column_by_name(field).is_some();
        let has_ids =
            batches.first().is_some_and(|batch| id_field.is_some_and(|field| has(batch, field)));
        // Without a column of the text there is nothing to number, and the library says so.
        let has_texts = batches
            .first()
            .is_some_and(|batch| settings.text_fields.iter().all(|field| has(batch, field)));
        if let (Some(column), true, false, [first, ..]) =
            (id_field, with_ids, has_ids, &batches[..])
        {
            let available =
                first.schema().fields().iter().map(|field| field.name().clone()).collect();
            return Err(rejected(py, &missing(name, "id-field", column, available)));
        }
        for batch in &mut batches {
            let own = id_field.and_then(|field| batch.column_by_name(field)).cloned();
            if let Some(ids) = own.as_ref().and_then(|ids| ids.logical_nulls())
                && let Some(place) = (0..ids.len()).find(|place| ids.is_null(*place))
            {
                let problem =
                    Problem::NullField { field: id_field.unwrap_or_default().to_string() };
                let row = Some((rows + place) as u64 + 1);
                return Err(rejected(py, &Rejection { file: name.to_string(), row, problem }));
            }
            let failed = |error: ArrowError| usage(py, "id", error.to_string());
            if let Some(own) = own {
                ids.push(without_dictionary(&own).map_err(failed)?);
            } else if has_texts {
                let positions = rows as i64..(rows + batch.num_rows()) as i64;
                let positions: ArrayRef = Arc::new(Int64Array::from_iter_values(positions));
                if let Some(field) = id_field {
                    *batch = with_column(batch, field, positions.clone()).map_err(failed)?;
                }
                ids.push(positions);
            }
            starts.push(rows);
            rows += batch.num_rows();
        }
        Ok(Documents {
            source: Source::in_memory(name, batches.clone()),
            parts: batches,
            ids,
            starts,
            rows,
        })
    }

    /// The part of a row, which is counted from 0, and its place there.
    fn place_of(&self, row: usize) -> (usize, usize) {
        let part = self.starts.partition_point(|start| *start <= row) - 1;
        (part, row - self.starts[part])
    }

    /// The texts in this column of these rows, which are counted from 0 and were read already.
    pub fn texts_of(&self, field: &str, rows: &[usize]) -> Result<LargeStringArray, Error> {
        let failed = |error: ArrowError| Error::usage("input", error.to_string());
        let columns: Vec<&dyn Array> = self
            .parts
            .iter()
            .filter_map(|part| Some(part.column_by_name(field)?.as_ref()))
            .collect();
        if rows.is_empty() || columns.len() < self.parts.len() {
            return Ok(LargeStringArray::new_null(rows.len()));
        }
        let places: Vec<(usize, usize)> = rows.iter().map(|row| self.place_of(*row)).collect();
        let texts = interleave(&columns, &places).map_err(failed)?;
        Ok(arrow_cast::cast(&texts, &DataType::LargeUtf8).map_err(failed)?.as_string().clone())
    }

    /// The same documents with a column more, which is taken from the rows that they came from.
    pub fn with_field(
        &self,
        name: &str,
        rows: &Bound<'_, PyAny>,
        setting: &'static str,
        field: &str,
    ) -> PyResult<Source> {
        if self.parts.iter().all(|part| part.column_by_name(field).is_some()) {
            return Ok(self.source.clone());
        }
        let py = rows.py();
        let column = column_of(name, rows, setting, field)?;
        if column.len() != self.rows {
            let problem = format!(
                "{name} had {} rows in the run, and has {} now; give it the same ones",
                self.rows,
                column.len()
            );
            return Err(usage(py, setting, problem));
        }
        let parts = self.parts.iter().zip(&self.starts);
        let with = parts
            .map(|(part, start)| with_column(part, field, column.slice(*start, part.num_rows())));
        let with = with
            .collect::<Result<Vec<_>, ArrowError>>()
            .map_err(|error| usage(py, setting, error.to_string()))?;
        Ok(Source::in_memory(name, with))
    }

    /// The ids of these rows, which are counted from 0.
    pub fn ids_of(&self, rows: impl Iterator<Item = usize>) -> Result<ArrayRef, Error> {
        let places: Vec<(usize, usize)> = rows.map(|row| self.place_of(row)).collect();
        let ids: Vec<&dyn Array> = self.ids.iter().map(|ids| ids.as_ref()).collect();
        if ids.is_empty() {
            return Ok(Arc::new(Int64Array::from(Vec::<i64>::new())));
        }
        interleave(&ids, &places).map_err(|error| Error::usage("id", error.to_string()))
    }
}

fn with_column(
    batch: &RecordBatch,
    name: &str,
    column: ArrayRef,
) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let columns = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .zip(batch.columns().iter().cloned());
    let columns = columns.chain([(name, column)]).map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns.collect::<Vec<_>>())
}

/// One column of a table, which must be there.
fn column_of(
    name: &str,
    rows: &Bound<'_, PyAny>,
    setting: &'static str,
    field: &str,
) -> PyResult<ArrayRef> {
    let py = rows.py();
    let failed = |error: ArrowError| usage(py, setting, error.to_string());
    let alone = || {
        usage(py, setting, format!("{name} are texts alone, without other columns; leave it out"))
    };
    if let Some(items) = items(rows) {
        if !items.iter().any(|item| item.is_instance_of::<PyDict>()) {
            return Err(alone());
        }
        check_fields(name, &items, &[(setting, field)])?;
        return Ok(of_items(name, &items, &[field.to_string()])?.column(0).clone());
    }
    let not_there = |available| rejected(py, &missing(name, setting, field, available));
    if let Ok(columns) = rows.cast::<PyDict>() {
        let batch = of_columns(name, columns)?;
        let available =
            || batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        return batch.column_by_name(field).cloned().ok_or_else(|| not_there(available()));
    }
    let (chunks, table) = chunks_of(rows)?;
    let DataType::Struct(fields) = table.data_type() else { return Err(alone()) };
    let columns: Vec<&dyn Array> = chunks
        .iter()
        .filter_map(|chunk| Some(chunk.as_struct().column_by_name(field)?.as_ref()))
        .collect();
    match columns.is_empty() {
        true => Err(not_there(fields.iter().map(|field| field.name().clone()).collect())),
        false => concat(&columns).map_err(failed),
    }
}

/// The wanted columns, as far as they are there: in parts as they came, one at least; without a
/// needed one all columns and no row. A column by itself is the first one wanted.
fn batches(
    name: &str,
    rows: &Bound<'_, PyAny>,
    wanted: &[String],
    needed: &[(&'static str, &str)],
) -> PyResult<Vec<RecordBatch>> {
    if let Some(items) = items(rows) {
        check_fields(name, &items, needed)?;
        return Ok(vec![of_items(name, &items, wanted)?]);
    }
    if let Ok(columns) = rows.cast::<PyDict>() {
        return Ok(vec![of_columns(name, columns)?]);
    }
    let py = rows.py();
    let failed = |error: ArrowError| usage(py, "input", error.to_string());
    let (chunks, field) = chunks_of(rows)?;
    let DataType::Struct(fields) = field.data_type() else {
        let column =
            |chunk: ArrayRef| RecordBatch::try_from_iter_with_nullable([(&wanted[0], chunk, true)]);
        let chunks = if chunks.is_empty() {
            vec![arrow_array::new_empty_array(field.data_type())]
        } else {
            chunks
        };
        return chunks.into_iter().map(|chunk| column(chunk).map_err(failed)).collect();
    };
    let of_chunk = |chunk: ArrayRef| {
        if chunk.null_count() > 0 {
            return Err(usage(
                py,
                "input",
                format!("{name} has rows that are null as a whole; leave them out"),
            ));
        }
        let columns = chunk.as_struct();
        let named = wanted.iter().filter_map(|name| {
            columns.column_by_name(name).map(|column| (name, column.clone(), true))
        });
        let mut named: Vec<_> = named.collect();
        named.dedup_by(|one, other| one.0 == other.0);
        if named.is_empty() {
            // The message about a missing column lists the columns that are there.
            return Ok(RecordBatch::from(columns));
        }
        RecordBatch::try_from_iter_with_nullable(named).map_err(failed)
    };
    let count = |name: &str| fields.iter().filter(|field| field.name() == name).count();
    let mut repeated: Vec<String> = wanted.iter().filter(|name| count(name) > 1).cloned().collect();
    if !repeated.is_empty() {
        repeated.dedup();
        let problem = Problem::RepeatedColumn { columns: repeated };
        return Err(rejected(py, &Rejection { file: name.to_string(), row: None, problem }));
    }
    let missing = needed.iter().any(|(_, name)| count(name) == 0);
    if chunks.is_empty() || missing {
        return Ok(vec![RecordBatch::new_empty(Arc::new(Schema::new(fields.clone())))]);
    }
    chunks.into_iter().map(of_chunk).collect()
}

/// A list of Python, or what is one.
pub(crate) fn items<'py>(rows: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = rows.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    rows.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
}

/// Whatever exports Arrow.
fn arrow_of<'py>(rows: &Bound<'py, PyAny>) -> PyResult<AnyArray> {
    let py = rows.py();
    let exports = |name: &str| rows.hasattr(name).unwrap_or(false);
    if !exports("__arrow_c_stream__") && !exports("__arrow_c_array__") {
        let kind = rows
            .get_type()
            .qualname()
            .map_or_else(|_| "object".to_string(), |name| name.to_string());
        let problem = format!(
            "{kind} is none of what can be taken: a table or column that exports Arrow (pandas, Polars, pyarrow, DuckDB, \
             datasets), or a list of strings or dicts"
        );
        return Err(usage(py, "input", problem));
    }
    rows.extract::<AnyArray>()
}

/// A column of texts: strings or bytes of any kind that Arrow has, or a list of strings; or a table
/// of this one column.
pub(crate) fn texts(name: &str, column: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let py = column.py();
    let column = py.import("nearprint.frames")?.call_method1("column_of", (column,))?;
    if let Some(items) = items(&column) {
        if items.iter().any(|item| item.is_instance_of::<PyDict>()) {
            return Err(usage(
                py,
                "input",
                format!("{name} is a list of dicts; give a list of their texts"),
            ));
        }
        return Ok(vec![of_items(name, &items, &["text".to_string()])?]);
    }
    let (chunks, field) = chunks_of(&column)?;
    let only = match field.data_type() {
        DataType::Struct(fields) if fields.len() != 1 => {
            return Err(usage(
                py,
                "input",
                format!("{name} is a table of {} columns; give one of them", fields.len()),
            ));
        }
        DataType::Struct(fields) => Some(fields[0].data_type().clone()),
        _ => None,
    };
    let data_type = only.clone().unwrap_or_else(|| field.data_type().clone());
    let mut parts: Vec<ArrayRef> = match only {
        Some(_) => chunks.iter().map(|chunk| chunk.as_struct().column(0).clone()).collect(),
        None => chunks,
    };
    if parts.is_empty() {
        parts.push(arrow_array::new_empty_array(&data_type));
    }
    let batch = |part: ArrayRef| RecordBatch::try_from_iter_with_nullable([("text", part, true)]);
    parts
        .into_iter()
        .map(|part| batch(part).map_err(|error| usage(py, "input", error.to_string())))
        .collect()
}

/// The data of an object that exports Arrow, in as many parts as it comes in.
pub(crate) fn chunks_of(rows: &Bound<'_, PyAny>) -> PyResult<(Vec<ArrayRef>, FieldRef)> {
    let py = rows.py();
    let read = || arrow_of(rows)?.into_chunked_array().map_err(PyErr::from);
    match read() {
        Ok(chunked) => Ok(chunked.into_inner()),
        Err(error)
            if error
                .get_type(py)
                .getattr("__module__")
                .is_ok_and(|module| module.eq("nearprint.errors").unwrap_or(false)) =>
        {
            Err(error)
        }
        Err(error) => {
            let failed =
                usage(py, "input", format!("cannot be read as Arrow: {}", error.value(py)));
            failed.set_cause(py, Some(error));
            Err(failed)
        }
    }
}

/// The rejection of documents without the column that a setting names; of `against` it names the
/// setting of that side.
fn missing(name: &str, setting: &'static str, column: &str, available: Vec<String>) -> Rejection {
    let problem = Problem::MissingColumn {
        column: column.to_string(),
        setting: setting.into(),
        available: available.into(),
        hint: None,
    };
    let problem = if name == "against" { problem.of_against() } else { problem };
    Rejection { file: name.to_string(), row: None, problem }
}

/// Refuses a list of dicts of which none has a needed field.
fn check_fields(
    name: &str,
    items: &[Bound<'_, PyAny>],
    needed: &[(&'static str, &str)],
) -> PyResult<()> {
    let dicts: Vec<&Bound<'_, PyDict>> =
        items.iter().filter_map(|item| item.cast::<PyDict>().ok()).collect();
    for (setting, field) in needed {
        let has = |dict: &&Bound<'_, PyDict>| dict.contains(field).unwrap_or(false);
        if let Some(first) = dicts.first()
            && !dicts.iter().any(has)
        {
            let available = first.keys().iter().map(|key| key.to_string()).collect();
            return Err(rejected(first.py(), &missing(name, setting, field, available)));
        }
    }
    Ok(())
}

/// The columns of a list: of strings, which are the first wanted column, or of dicts.
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

/// Columns by name, each a list, or whatever exports Arrow.
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
/// not Unicode (with a lone surrogate) is kept as the bytes that it would be, which the library
/// then refuses by row.
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
            let wrong = |value| wrong(name, row, field, "true or false, as those before", value);
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
                let wrong = |value| wrong(name, row, field, "a number, as those before", value);
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
                format!("the integers of {name}, {low} to {high}, do not fit 64 bits together");
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
        // Dates and times compare as they are written.
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
        for token in
            items(value).ok_or_else(|| wrong(name, row, field, "a list, as those before", value))?
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

/// `None`, and the NaN or NA that pandas writes for it.
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
