//! Batches of columns -> the documents of a Parquet file or of columns in memory.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Float64Array, Int64Array, RecordBatch,
    StringViewArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Schema};

use super::batches::{Batches, as_views};
use super::casts::{integers, microseconds, numbers};
use crate::document::{Document, FieldValue, Id};
use crate::error::Problem;
use crate::read::delimited::check_not_repeated;
use crate::read::{Fault, Options, Source, join_texts, no_tokens, row_id, tokens_of};

/// Reads documents from batches whose strings are views.
pub(crate) struct ColumnsReader {
    batches: Batches,
    batch: Option<Batch>,
    place: usize,
    row: u64,
    rows: u64,
    bytes: u64,
    text_names: Vec<String>,
    id_name: Option<String>,
    kept_names: Vec<String>,
    tokens_name: Option<String>,
    name: String,
    limit: u64,
}

impl ColumnsReader {
    /// Reads batches that have the wanted columns and `rows` rows in all.
    pub fn new(batches: Batches, rows: u64, source: &Source, options: &Options) -> ColumnsReader {
        ColumnsReader {
            batches,
            batch: None,
            place: 0,
            row: 0,
            rows,
            bytes: source.bytes,
            text_names: options.text_fields.clone(),
            id_name: options.id_field.clone(),
            kept_names: options.kept_fields.clone(),
            tokens_name: options.tokens_field.clone(),
            name: source.name.clone(),
            limit: options.max_document_bytes,
        }
    }

    pub fn bytes_read(&self) -> u64 {
        let share = u128::from(self.bytes) * u128::from(self.row) / u128::from(self.rows.max(1));
        share.min(u128::from(self.bytes)) as u64
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        loop {
            if let Some(batch) = &self.batch
                && self.place < batch.rows
            {
                let place = self.place;
                self.place += 1;
                self.row += 1;
                return Some(
                    self.document(batch, place).map_err(|problem| Fault::row(self.row, problem)),
                );
            }
            self.place = 0;
            self.batch = match self.batches.next()? {
                Ok(batch) => Some(self.take_apart(&batch)),
                Err(problem) => return Some(Err(Fault::file(problem))),
            };
        }
    }

    fn take_apart(&self, batch: &RecordBatch) -> Batch {
        let column = |name: &str| batch.column_by_name(name);
        Batch {
            rows: batch.num_rows(),
            texts: self
                .text_names
                .iter()
                .map(|name| column(name).map_or(Strings::Null, strings))
                .collect(),
            id: self.id_name.as_deref().and_then(column).map_or(Ids::None, ids),
            kept: self
                .kept_names
                .iter()
                .map(|name| column(name).map_or(Kept::None, kept))
                .collect(),
            tokens: self.tokens_name.as_ref().and_then(|name| column(name)).cloned(),
        }
    }

    fn document(&self, batch: &Batch, place: usize) -> Result<Document, Problem> {
        let mut texts = Vec::with_capacity(batch.texts.len());
        for column in &batch.texts {
            let text = column.get(place)?;
            if text.is_some_and(|text| text.len() as u64 > self.limit) {
                return Err(Problem::TooLong { limit: self.limit });
            }
            texts.push(text.map(Cow::Borrowed));
        }
        let text = join_texts(texts.into_iter());
        let text = text.ok_or_else(|| Problem::NullField { field: self.text_names[0].clone() })?;
        let id = match &batch.id {
            Ids::Strings(column) => column.get(place)?.map(|id| Id::Text(id.to_string())),
            Ids::Integers(column) => {
                column.is_valid(place).then(|| Id::Integer(column.value(place)))
            }
            Ids::Unsigned(column) => column.is_valid(place).then(|| {
                let id = column.value(place);
                i64::try_from(id).map_or(Id::Unsigned(id), Id::Integer)
            }),
            Ids::None => None,
        };
        let mut fields = batch
            .kept
            .iter()
            .map(|column| column.get(place))
            .collect::<Result<Vec<_>, Problem>>()?;
        if let (Some(column), Some(last), Some(name)) =
            (&batch.tokens, fields.last_mut(), &self.tokens_name)
        {
            *last = Some(tokens(column, place, name)?);
        }
        Ok(Document {
            row: self.row,
            id: id.unwrap_or_else(|| row_id(&self.name, self.row)),
            text,
            fields,
        })
    }
}

/// Returns true if a column of this type can hold ids that are integers.
pub(crate) fn is_integer(data_type: &DataType) -> bool {
    data_type.is_integer()
}

/// Returns true if a column of this type can hold texts: strings or bytes of every kind that Arrow
/// has, and dictionaries of them.
pub fn holds_texts(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => holds_texts(values),
        _ => data_type.is_null() || data_type.is_string() || is_bytes(data_type),
    }
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Checks the types of the wanted columns and returns their places, each once.
pub(crate) fn wanted_columns(schema: &Schema, options: &Options) -> Result<Vec<usize>, Problem> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let asked_for: Vec<String> = options
        .text_fields
        .iter()
        .chain(&options.id_field)
        .chain(&options.kept_fields)
        .cloned()
        .collect();
    check_not_repeated(&names, &asked_for)?;
    if let Some(field) = options.tokens_field.as_ref().filter(|field| !names.contains(field)) {
        return Err(no_tokens(field, "absent"));
    }
    let find = |name: &str| names.iter().position(|own| own == name);
    let wrong = |name: &String, wanted, place: usize| Problem::WrongType {
        field: name.clone(),
        wanted,
        found: format!("a column of type {}", schema.field(place).data_type()),
    };
    if let Some((name, outer)) = asked_for.iter().find_map(|name| {
        let outer = name.split_once('.')?.0;
        (find(name).is_none() && find(outer).is_some()).then_some((name, outer))
    }) {
        let found = format!("inside the column \"{outer}\"");
        return Err(Problem::WrongType {
            field: name.clone(),
            wanted: "a separate column".into(),
            found,
        });
    }
    let mut wanted = Vec::new();
    for name in &options.text_fields {
        let place = find(name).ok_or_else(|| Problem::MissingColumn {
            column: name.clone(),
            setting: "text-field".into(),
            available: names.clone().into(),
            hint: None,
        })?;
        if !holds_texts(schema.field(place).data_type()) {
            return Err(wrong(name, "a column of strings".into(), place));
        }
        wanted.push(place);
    }
    if let Some(name) = &options.id_field
        && let Some(place) = find(name)
    {
        let data_type = schema.field(place).data_type();
        if !holds_texts(data_type) && !is_integer(data_type) {
            return Err(wrong(name, "a column of strings or integers".into(), place));
        }
        wanted.push(place);
    }
    wanted.extend(options.kept_fields.iter().filter_map(|name| find(name)));
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

/// The wanted columns of a few rows.
struct Batch {
    rows: usize,
    texts: Vec<Strings>,
    id: Ids,
    kept: Vec<Kept>,
    /// The column with the tokens of the documents, which is the last kept one as well.
    tokens: Option<ArrayRef>,
}

enum Strings {
    Text(StringViewArray),
    Bytes(BinaryViewArray),
    Null,
}

impl Strings {
    fn get(&self, place: usize) -> Result<Option<&str>, Problem> {
        match self {
            Strings::Text(column) => Ok(column.is_valid(place).then(|| column.value(place))),
            Strings::Bytes(column) if column.is_valid(place) => {
                std::str::from_utf8(column.value(place))
                    .map(Some)
                    .map_err(|error| Problem::NotUtf8 { offset: error.valid_up_to() })
            }
            Strings::Bytes(_) | Strings::Null => Ok(None),
        }
    }
}

enum Ids {
    Strings(Strings),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    None,
}

/// A kept field.
enum Kept {
    Strings(Strings),
    Integers(Int64Array),
    Times(Int64Array),
    Unsigned(UInt64Array),
    Numbers(Float64Array),
    Booleans(BooleanArray),
    None,
}

impl Kept {
    fn get(&self, place: usize) -> Result<Option<FieldValue>, Problem> {
        Ok(match self {
            Kept::Strings(column) => {
                column.get(place)?.map(|text| FieldValue::Text(text.to_string()))
            }
            Kept::Integers(column) => {
                column.is_valid(place).then(|| FieldValue::Integer(column.value(place).into()))
            }
            Kept::Times(column) => {
                column.is_valid(place).then(|| FieldValue::Time(column.value(place).into()))
            }
            Kept::Unsigned(column) => {
                column.is_valid(place).then(|| FieldValue::Integer(column.value(place).into()))
            }
            Kept::Numbers(column) => (column.is_valid(place) && !column.value(place).is_nan())
                .then(|| FieldValue::Number(column.value(place))),
            Kept::Booleans(column) => {
                column.is_valid(place).then(|| FieldValue::Boolean(column.value(place)))
            }
            Kept::None => None,
        })
    }
}

/// The values of a column, as a kept field has them; `None` for null, NaN, bytes that are not UTF-8,
/// and types that a field cannot have.
///
/// # Errors
/// The errors of Arrow, for data that does not match its type.
pub fn values(column: &ArrayRef) -> Result<Vec<Option<FieldValue>>, ArrowError> {
    let kept = kept(&as_views(column)?);
    Ok((0..column.len()).map(|place| kept.get(place).unwrap_or_default()).collect())
}

fn strings(column: &ArrayRef) -> Strings {
    match column.data_type() {
        DataType::Utf8View => Strings::Text(column.as_string_view().clone()),
        DataType::BinaryView => Strings::Bytes(column.as_binary_view().clone()),
        _ => Strings::Null,
    }
}

/// The tokens of a row: a list of strings, or a string whose tokens are separated by blanks.
fn tokens(column: &ArrayRef, place: usize, field: &str) -> Result<FieldValue, Problem> {
    if column.is_null(place) {
        return Err(no_tokens(field, "null"));
    }
    let list = match column.data_type() {
        DataType::List(_) => column.as_list::<i32>().value(place),
        DataType::LargeList(_) => column.as_list::<i64>().value(place),
        DataType::FixedSizeList(..) => column.as_fixed_size_list().value(place),
        other => {
            let texts = strings(column);
            let text = texts.get(place)?;
            return text
                .map(tokens_of)
                .ok_or_else(|| no_tokens(field, format!("a column of type {other}")));
        }
    };
    let elements =
        as_views(&list).map_err(|error| Problem::Damaged { reason: error.to_string() })?;
    let column = strings(&elements);
    let token = |at: usize| match column.get(at)? {
        Some(token) => Ok(token.to_string()),
        None if elements.data_type().is_null()
            || matches!(column, Strings::Text(_) | Strings::Bytes(_)) =>
        {
            Err(no_tokens(field, "a list with null in it"))
        }
        None => Err(no_tokens(field, format!("a list of type {}", elements.data_type()))),
    };
    (0..elements.len()).map(token).collect::<Result<_, _>>().map(FieldValue::Tokens)
}

fn ids(column: &ArrayRef) -> Ids {
    match column.data_type() {
        DataType::UInt64 => Ids::Unsigned(column.as_primitive::<UInt64Type>().clone()),
        data_type if is_integer(data_type) => integers(column).map_or(Ids::None, Ids::Integers),
        _ => Ids::Strings(strings(column)),
    }
}

/// A kept column: numbers as they are, dates and times as microseconds since 1970 or midnight.
/// Files with different units of time agree in this way.
fn kept(column: &ArrayRef) -> Kept {
    match column.data_type() {
        DataType::Utf8View | DataType::BinaryView => Kept::Strings(strings(column)),
        DataType::Boolean => Kept::Booleans(column.as_boolean().clone()),
        DataType::UInt64 => Kept::Unsigned(column.as_primitive::<UInt64Type>().clone()),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            microseconds(column).map_or(Kept::None, Kept::Times)
        }
        _ => match integers(column).or_else(|| microseconds(column)) {
            Some(integers) => Kept::Integers(integers),
            None => numbers(column).map_or(Kept::None, Kept::Numbers),
        },
    }
}
