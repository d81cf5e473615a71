//! Columns -> the values of some of them, row by row.

use std::borrow::Cow;
use std::fs::File;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{
    Array, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Schema, SchemaRef};

use super::batches::{Batches, guarded};
use super::casts::{integers, numbers, strings};
use super::{holds_texts, inside, is_integer};
use crate::error::Problem;
use crate::read::json::Value;
use crate::read::memory::InMemory;
use crate::read::table::places;
use crate::read::{Fault, Source};

/// The names of the columns of a source.
pub(crate) fn names(source: &Source) -> Result<Vec<String>, Problem> {
    schema(source).map(|schema| names_of(&schema))
}

/// The names of all fields of a source, those inside of others as well.
pub(crate) fn fields(source: &Source) -> Result<Vec<String>, Problem> {
    match &source.memory {
        Some(InMemory::Columns(columns)) => Ok(columns.fields()),
        _ => schema(source).map(|schema| inside::names_of(&schema)),
    }
}

/// The number of rows of a file, as its metadata say.
pub(crate) fn count_rows(source: &Source) -> Option<u64> {
    let (_, metadata) = open_parquet(source).ok()?;
    metadata.metadata().file_metadata().num_rows().try_into().ok()
}

/// The rows of a source, restricted to these columns.
pub(crate) fn rows(source: &Source, names: &[String]) -> Result<ColumnsRows, Problem> {
    let schema = schema(source)?;
    let places = places(&names_of(&schema), names)?;
    for (name, place) in names.iter().zip(&places) {
        let data_type = schema.field(*place).data_type();
        if !is_plain(data_type) {
            return Err(Problem::WrongType {
                field: name.clone(),
                wanted: "a column of strings, numbers or booleans".into(),
                found: format!("a column of type {data_type}"),
            });
        }
    }
    let batches = match &source.memory {
        Some(InMemory::Columns(columns)) => Batches::in_memory(columns.batches(), places),
        _ => {
            let (file, metadata) = open_parquet(source)?;
            let mask = ProjectionMask::roots(metadata.parquet_schema(), places);
            Batches::in_file(file, metadata, mask)?
        }
    };
    Ok(ColumnsRows { batches, columns: Vec::new(), place: 0, row: 0 })
}

/// The rows of columns in a file or in memory, restricted to some columns.
pub(crate) struct ColumnsRows {
    batches: Batches,
    /// The columns of the current batch, and the next row of it.
    columns: Vec<Column>,
    place: usize,
    row: u64,
}

impl ColumnsRows {
    /// The result of `parse` for the next row.
    pub fn next<T>(
        &mut self,
        names: &[String],
        mut parse: impl FnMut(u64, &[Option<Value<'_>>]) -> Result<T, Problem>,
    ) -> Option<Result<T, Fault>> {
        while self.columns.first().is_none_or(|column| self.place == column.len()) {
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(problem) => return Some(Err(Fault::file(problem))),
            };
            self.place = 0;
            match names.iter().map(|name| Column::new(&batch, name)).collect() {
                Ok(taken) => self.columns = taken,
                Err(problem) => return Some(Err(Fault::file(problem))),
            }
        }
        let values: Vec<Option<Value<'_>>> =
            self.columns.iter().map(|column| Some(column.get(self.place))).collect();
        self.place += 1;
        self.row += 1;
        Some(parse(self.row, &values).map_err(|problem| Fault::row(self.row, problem)))
    }
}

fn open_parquet(source: &Source) -> Result<(File, ArrowReaderMetadata), Problem> {
    if source.bytes == 0 {
        return Err(Problem::EmptyFile);
    }
    let file = File::open(&source.path)
        .map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = guarded(|| ArrowReaderMetadata::load(&file, plain))?;
    Ok((file, metadata))
}

fn schema(source: &Source) -> Result<SchemaRef, Problem> {
    match &source.memory {
        Some(InMemory::Columns(columns)) => Ok(columns.schema()),
        _ => open_parquet(source).map(|(_, metadata)| metadata.schema().clone()),
    }
}

fn names_of(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn is_plain(data_type: &DataType) -> bool {
    holds_texts(data_type) || data_type.is_numeric() || *data_type == DataType::Boolean
}

/// A column of a few rows.
enum Column {
    Strings(StringArray),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    Numbers(Float64Array),
    Booleans(BooleanArray),
    Nulls(usize),
}

impl Column {
    fn new(batch: &RecordBatch, name: &str) -> Result<Column, Problem> {
        let damaged = |reason: String| Problem::Damaged { reason };
        let column =
            batch.column_by_name(name).ok_or_else(|| damaged(format!("no column \"{name}\"")))?;
        let other = || damaged(format!("column \"{name}\" is of type {}", column.data_type()));
        Ok(match column.data_type() {
            DataType::Boolean => Column::Booleans(column.as_boolean().clone()),
            DataType::UInt64 => Column::Unsigned(column.as_primitive::<UInt64Type>().clone()),
            data_type if is_integer(data_type) => {
                Column::Integers(integers(column).ok_or_else(other)?)
            }
            data_type if data_type.is_numeric() => {
                Column::Numbers(numbers(column).ok_or_else(other)?)
            }
            DataType::Null => Column::Nulls(column.len()),
            _ => {
                // Bytes that are not UTF-8 are damage.
                let strings = strings(column).ok_or_else(other)?;
                Column::Strings(strings.map_err(|error| damaged(error.to_string()))?)
            }
        })
    }

    fn len(&self) -> usize {
        match self {
            Column::Strings(column) => column.len(),
            Column::Integers(column) => column.len(),
            Column::Unsigned(column) => column.len(),
            Column::Numbers(column) => column.len(),
            Column::Booleans(column) => column.len(),
            Column::Nulls(length) => *length,
        }
    }

    fn get(&self, place: usize) -> Value<'_> {
        let valid = match self {
            Column::Strings(column) => column.is_valid(place),
            Column::Integers(column) => column.is_valid(place),
            Column::Unsigned(column) => column.is_valid(place),
            // NaN often stands for a gap where a table was made of numbers with gaps.
            Column::Numbers(column) => column.is_valid(place) && !column.value(place).is_nan(),
            Column::Booleans(column) => column.is_valid(place),
            Column::Nulls(_) => false,
        };
        match self {
            _ if !valid => Value::Null,
            Column::Strings(column) => Value::Text(Cow::Borrowed(column.value(place))),
            Column::Integers(column) => Value::Integer(column.value(place)),
            Column::Unsigned(column) => {
                let number = column.value(place);
                i64::try_from(number).map_or(Value::Unsigned(number), Value::Integer)
            }
            Column::Numbers(column) => Value::Fraction(column.value(place)),
            Column::Booleans(column) => Value::Boolean(column.value(place)),
            Column::Nulls(_) => Value::Null,
        }
    }
}
