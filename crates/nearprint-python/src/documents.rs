//! Tables, columns and lists of Python -> rows in memory for the library.
//!
//! An object that exports Arrow (`__arrow_c_stream__`, `__arrow_c_array__`) is taken without a copy
//! of its texts. `values` turns lists and dicts into columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, LargeStringArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema};
use arrow_select::concat::concat;
use arrow_select::interleave::interleave;
use nearprint::error::{Problem, Rejection};
use nearprint::field::{alternatives, outermost};
use nearprint::read::{Source, field_of, without_dictionary};
use nearprint::{Config, Error};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::input::AnyArray;

use crate::errors::{rejected, usage};
use crate::inside::value_of;
use crate::values::{Roles, fields_of, items, names_in, names_of, of_columns, of_items};

/// Documents in memory, with their original ids.
#[derive(Debug)]
pub(crate) struct Documents {
    /// The documents as the library reads them.
    pub source: Source,
    /// Their columns, in the parts of the input; the values are shared with the source.
    parts: Vec<RecordBatch>,
    /// The ids, in as many parts.
    ids: Vec<ArrayRef>,
    /// The number of the first row of each part.
    starts: Vec<usize>,
    /// Number of rows.
    pub rows: usize,
}

impl Documents {
    /// `name` takes the place of the file in messages: `documents` or `against`. `with_ids` is true
    /// if the user named the column of ids. Without a column the id of a document is its row,
    /// counted from 0. `columns` are the columns to read: those of the settings, perhaps with others.
    /// `names` are the names of all columns, for messages; empty if they are those of the object.
    pub fn new(
        name: &str,
        documents: &Bound<'_, PyAny>,
        settings: &Config,
        columns: &[String],
        with_ids: bool,
        names: Vec<String>,
    ) -> PyResult<Documents> {
        let py = documents.py();
        let id_field = settings.id_name();
        // The library refuses documents of which none has one of several fields of the text.
        let text = match &settings.read.text_fields[..] {
            [field] => Some(("text-field", field.as_str())),
            _ => None,
        };
        let id = id_field.filter(|_| with_ids).map(|field| ("id-field", field));
        let needed: Vec<_> = text.into_iter().chain(id).collect();
        let mut own_names = Vec::new();
        let ids: Vec<String> = id_field.map(str::to_string).into_iter().collect();
        let roles = Roles { texts: &settings.read.text_fields, ids: &ids };
        let mut batches = batches(name, documents, columns, roles, &needed, &mut own_names)?;
        let names = if names.is_empty() { own_names } else { names };
        let mut ids = Vec::new();
        let (mut starts, mut rows) = (Vec::new(), 0);
        let has = |batch: &RecordBatch, field: &str| batch.column_by_name(field).is_some();
        let has_ids =
            batches.first().is_some_and(|batch| id_field.is_some_and(|field| has(batch, field)));
        // Rows are numbered only if there is a column of the text; otherwise the library reports
        // the missing column.
        let has_texts = batches
            .first()
            .is_some_and(|batch| settings.read.text_fields.iter().any(|field| has(batch, field)));
        if let (Some(column), true, false) = (id_field, with_ids, has_ids) {
            return Err(rejected(py, &missing(name, "id-field", column, names)));
        }
        for batch in &mut batches {
            let own = id_field.and_then(|field| batch.column_by_name(field)).cloned();
            if let Some(ids) = own.as_ref().and_then(|ids| ids.logical_nulls())
                && let Some(place) = (0..ids.len()).find(|place| ids.is_null(*place))
            {
                let problem = Problem::NullId { field: id_field.unwrap_or_default().to_string() };
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
            source: Source::in_memory_of(name, batches.clone(), names),
            parts: batches,
            ids,
            starts,
            rows,
        })
    }

    /// The part of a row, counted from 0, and its place in the part.
    fn place_of(&self, row: usize) -> (usize, usize) {
        let part = self.starts.partition_point(|start| *start <= row) - 1;
        (part, row - self.starts[part])
    }

    /// The texts in this column of these rows, counted from 0; all rows were read before.
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

    /// The documents with further columns, from `rows`, their original table: the needed ones, each
    /// with the setting that names it, and those of `fields` that it has.
    pub fn with_fields(
        &self,
        name: &str,
        rows: &Bound<'_, PyAny>,
        needed: &[(&'static str, &String)],
        fields: &[String],
    ) -> PyResult<Source> {
        let mut parts = self.parts.clone();
        for field in fields {
            if parts.iter().all(|part| part.column_by_name(field).is_some()) {
                continue;
            }
            let py = rows.py();
            let setting = needed.iter().find(|(_, own)| *own == field).map(|(setting, _)| *setting);
            let column = match setting {
                Some(setting) => column_of(name, rows, setting, field)?,
                // Another column is left out if it is missing, or of values that are no column.
                None => match column_of(name, rows, "show-field", field) {
                    Ok(column) => column,
                    Err(_) => continue,
                },
            };
            let Some(setting) = setting.or((column.len() == self.rows).then_some("show-field"))
            else {
                continue;
            };
            if column.len() != self.rows {
                let problem = format!(
                    "{name} had {} rows in the run, and has {} now; give the rows of the run",
                    self.rows,
                    column.len()
                );
                return Err(usage(py, setting, problem));
            }
            let with = parts.iter().zip(&self.starts).map(|(part, start)| {
                with_column(part, field, column.slice(*start, part.num_rows()))
            });
            parts = with
                .collect::<Result<Vec<_>, ArrowError>>()
                .map_err(|error| usage(py, setting, error.to_string()))?;
        }
        Ok(Source::in_memory(name, parts))
    }

    /// The ids of these rows, counted from 0.
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

/// A required column of a table.
fn column_of(
    name: &str,
    rows: &Bound<'_, PyAny>,
    setting: &'static str,
    field: &str,
) -> PyResult<ArrayRef> {
    let py = rows.py();
    let failed = |error: ArrowError| usage(py, setting, error.to_string());
    let alone =
        || usage(py, setting, format!("{name} has only texts and no other columns; leave it out"));
    if let Some(items) = items(rows) {
        if !items.iter().any(|item| item.is_instance_of::<PyDict>()) {
            return Err(alone());
        }
        check_fields(name, &items, &[(setting, field)], &names_in(&items))?;
        return Ok(of_items(name, &items, &[field.to_string()], Roles::default())?
            .column(0)
            .clone());
    }
    let not_there = |available| rejected(py, &missing(name, setting, field, available));
    if let Ok(columns) = rows.cast::<PyDict>() {
        let batch = of_columns(name, columns, &[field.to_string()], Roles::default())?;
        let names = names_of(columns)?;
        return batch.column_by_name(field).cloned().ok_or_else(|| not_there(names));
    }
    let (chunks, table) = chunks_of(rows)?;
    let DataType::Struct(fields) = table.data_type() else { return Err(alone()) };
    let columns = chunks.iter().map(|chunk| field_of(&RecordBatch::from(chunk.as_struct()), field));
    let columns = columns.collect::<Result<Vec<_>, ArrowError>>().map_err(failed)?;
    let columns: Vec<&dyn Array> = columns.iter().flatten().map(|own| own.as_ref()).collect();
    match columns.is_empty() {
        true => Err(not_there(fields.iter().map(|field| field.name().clone()).collect())),
        false => concat(&columns).map_err(failed),
    }
}

/// The existing ones of the wanted columns, in the parts of the input, at least one. If a needed
/// column is missing, no columns. A single column is the first wanted one. Puts the names
/// of all columns into `names`.
fn batches(
    name: &str,
    rows: &Bound<'_, PyAny>,
    wanted: &[String],
    roles: Roles<'_>,
    needed: &[(&'static str, &str)],
    names: &mut Vec<String>,
) -> PyResult<Vec<RecordBatch>> {
    if let Some(items) = items(rows) {
        *names = names_in(&items);
        check_fields(name, &items, needed, names)?;
        return Ok(vec![of_items(name, &items, wanted, roles)?]);
    }
    if let Ok(columns) = rows.cast::<PyDict>() {
        *names = names_of(columns)?;
        return Ok(vec![of_columns(name, columns, wanted, roles)?]);
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
    *names = fields.iter().map(|field| field.name().clone()).collect();
    let names: &[String] = names;
    let of_chunk = |chunk: ArrayRef| {
        if chunk.null_count() > 0 {
            return Err(usage(py, name, "some rows are null; leave them out"));
        }
        fields_of(&RecordBatch::from(chunk.as_struct()), wanted).map_err(failed)
    };
    let count = |name: &str| names.iter().filter(|own| *own == name).count();
    let mut repeated: Vec<String> = Vec::new();
    for column in wanted.iter().flat_map(|name| outermost(name, names)) {
        if count(column) > 1 && !repeated.iter().any(|own| own == column) {
            repeated.push(column.to_string());
        }
    }
    if !repeated.is_empty() {
        let problem = Problem::RepeatedColumn { columns: repeated };
        return Err(rejected(py, &Rejection { file: name.to_string(), row: None, problem }));
    }
    let none = || RecordBatch::new_empty(Arc::new(Schema::new(fields.clone())));
    let empty = || fields_of(&none(), wanted).map_err(failed);
    let is_missing =
        |(_, name): &(&str, &str)| field_of(&none(), name).is_ok_and(|column| column.is_none());
    if chunks.is_empty() || needed.iter().any(is_missing) {
        return Ok(vec![empty()?]);
    }
    chunks.into_iter().map(of_chunk).collect()
}

/// The data of an object that exports Arrow.
fn arrow_of<'py>(rows: &Bound<'py, PyAny>) -> PyResult<AnyArray> {
    let py = rows.py();
    let exports = |name: &str| rows.hasattr(name).unwrap_or(false);
    if !exports("__arrow_c_stream__") && !exports("__arrow_c_array__") {
        let kind = rows
            .get_type()
            .qualname()
            .map_or_else(|_| "object".to_string(), |name| name.to_string());
        let problem = format!(
            "{kind} is not supported; give a table or column that exports Arrow (pandas, Polars, \
             pyarrow, DuckDB, datasets), or a list of strings or dicts"
        );
        return Err(usage(py, "input", problem));
    }
    rows.extract::<AnyArray>()
}

/// A column of texts: strings or bytes of any Arrow type, or a list of strings; or a table of one
/// column.
pub(crate) fn texts(name: &str, column: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let py = column.py();
    let column = py.import("nearprint.frames")?.call_method1("column_of", (column, name))?;
    if let Some(items) = items(&column) {
        if items.iter().any(|item| item.is_instance_of::<PyDict>()) {
            return Err(usage(py, name, "a list of dicts; give a list of their texts"));
        }
        return Ok(vec![of_items(name, &items, &["text".to_string()], Roles::default())?]);
    }
    let (chunks, field) = chunks_of(&column)?;
    let only = match field.data_type() {
        DataType::Struct(fields) if fields.len() != 1 => {
            return Err(usage(
                py,
                name,
                format!("a table of {} columns; give one column", fields.len()),
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

/// The parts of an object that exports Arrow.
pub(crate) fn chunks_of(rows: &Bound<'_, PyAny>) -> PyResult<(Vec<ArrayRef>, FieldRef)> {
    let py = rows.py();
    let read = || arrow_of(rows)?.into_chunked_array().map_err(PyErr::from);
    match read() {
        Ok(chunked) => Ok(chunked.into_inner()),
        Err(error)
            if py
                .import("nearprint.errors")
                .and_then(|errors| errors.getattr("Error"))
                .is_ok_and(|ours| error.get_type(py).is_subclass(&ours).unwrap_or(false)) =>
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

/// The rejection of documents without the column that a setting names; for `against`, with the
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

/// Refuses a list of dicts if none has a needed field. `names` are the names of their fields.
fn check_fields(
    name: &str,
    items: &[Bound<'_, PyAny>],
    needed: &[(&'static str, &str)],
    names: &[String],
) -> PyResult<()> {
    let dicts: Vec<&Bound<'_, PyDict>> =
        items.iter().filter_map(|item| item.cast::<PyDict>().ok()).collect();
    let Some(first) = dicts.first() else { return Ok(()) };
    for (setting, field) in needed {
        let paths = alternatives(field);
        let has = |dict: &&Bound<'_, PyDict>| {
            paths.iter().any(|path| value_of(dict, path).is_ok_and(|value| value.is_some()))
        };
        if !dicts.iter().any(has) {
            return Err(rejected(first.py(), &missing(name, setting, field, names.to_vec())));
        }
    }
    Ok(())
}
