//! Batches of columns -> the documents of a Parquet file or of columns in memory.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Float64Array, Int64Array, RecordBatch,
    StringViewArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType};

use super::batches::{Batches, as_views};
use super::casts::{integers, microseconds, numbers};
use super::ids::Ids;
use super::placed::{Placed, first, placed};
use super::tokens::tokens_in;
use super::wanted::WantedColumns;
use crate::document::{Document, FieldValue};
use crate::error::Problem;
use crate::read::{Fault, Options, Source, join_texts, row_id};

/// Reads documents from batches whose strings are views.
pub(crate) struct ColumnsReader {
    batches: Batches,
    batch: Option<Batch>,
    place: usize,
    row: u64,
    rows: u64,
    bytes: u64,
    columns: WantedColumns,
    text_names: Vec<String>,
    tokens_name: Option<String>,
    name: String,
    limit: u64,
}

impl ColumnsReader {
    /// Reads batches that have the wanted columns and `rows` rows in all.
    pub fn new(
        batches: Batches,
        columns: WantedColumns,
        rows: u64,
        source: &Source,
        options: &Options,
    ) -> ColumnsReader {
        ColumnsReader {
            batches,
            batch: None,
            place: 0,
            row: 0,
            rows,
            bytes: source.bytes,
            columns,
            text_names: options.text_fields.clone(),
            tokens_name: options.tokens_field.clone(),
            name: source.name.clone(),
            limit: options.max_document_bytes,
        }
    }

    pub fn bytes_read(&self) -> u64 {
        let share = u128::from(self.bytes) * u128::from(self.row) / u128::from(self.rows.max(1));
        share.min(u128::from(self.bytes)) as u64
    }

    /// For each text field true if there is a column for it; `None` without any column.
    pub fn texts_found(&self) -> Option<Vec<bool>> {
        let found = self.columns.text.iter().map(|own| !own.is_empty());
        (!self.columns.text.is_empty()).then(|| found.collect())
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
                Ok(batch) => match self.take_apart(&batch) {
                    Ok(batch) => Some(batch),
                    Err(problem) => return Some(Err(Fault::file(problem))),
                },
                Err(problem) => return Some(Err(Fault::file(problem))),
            };
        }
    }

    fn take_apart(&self, batch: &RecordBatch) -> Result<Batch, Problem> {
        let WantedColumns { text, id, kept: kept_leaves } = &self.columns;
        let tokens = kept_leaves.last().filter(|_| self.tokens_name.is_some());
        let texts = text.iter().map(|leaves| placed(batch, leaves, strings));
        let fields = kept_leaves.iter().map(|leaves| placed(batch, leaves, kept));
        Ok(Batch {
            rows: batch.num_rows(),
            texts: texts.collect::<Result<_, _>>()?,
            ids: placed(batch, id, Ids::new)?,
            kept: fields.collect::<Result<_, _>>()?,
            tokens: tokens.map_or(Ok(Vec::new()), |leaves| placed(batch, leaves, Clone::clone))?,
        })
    }

    fn document(&self, batch: &Batch, row: usize) -> Result<Document, Problem> {
        let mut texts = Vec::with_capacity(batch.texts.len());
        for columns in &batch.texts {
            texts.push(self.text(columns, row)?);
        }
        let text = join_texts(texts.into_iter());
        let text = text.ok_or_else(|| self.no_text(batch, row))?;
        let id = first(&batch.ids, row, |column, place| column.get(place))?;
        let kept = |columns: &Vec<Placed<Kept>>| -> Result<Option<FieldValue>, Problem> {
            let mut empty = None;
            for column in columns {
                match column.kept(row)? {
                    // Empty texts of a list are joined with line feeds.
                    Some(FieldValue::Text(text)) if text.trim_matches('\n').is_empty() => {
                        empty = Some(FieldValue::Text(text));
                    }
                    Some(value) => return Ok(Some(value)),
                    None => {}
                }
            }
            Ok(empty)
        };
        let mut fields = batch.kept.iter().map(kept).collect::<Result<Vec<_>, _>>()?;
        if let (Some(name), Some(last)) = (&self.tokens_name, fields.last_mut()) {
            *last = Some(tokens_in(&batch.tokens, row, name)?);
        }
        Ok(Document {
            row: self.row,
            id: id.unwrap_or_else(|| row_id(&self.name, self.row)),
            text,
            fields,
        })
    }

    /// The problem of a row without a text.
    fn no_text(&self, batch: &Batch, row: usize) -> Problem {
        let there = batch.texts.iter().position(|columns| !columns.is_empty()).unwrap_or(0);
        let field = self.text_names[there].clone();
        let is_empty =
            |column: &Placed<Strings>| column.has_lists && column.places(row).next().is_none();
        match batch.texts.iter().flatten().all(is_empty) {
            true => Problem::EmptyList { field },
            false => Problem::NullField { field },
        }
    }

    /// The text of a row in a text field: of the first alternative that has a text which is not
    /// empty, else of the first one that is not null.
    fn text<'b>(
        &self,
        columns: &'b [Placed<Strings>],
        row: usize,
    ) -> Result<Option<Cow<'b, str>>, Problem> {
        let mut empty = None;
        for column in columns {
            let mut texts = Vec::new();
            for place in column.places(row) {
                texts.extend(column.column.get(place)?);
            }
            let bytes: usize = texts.iter().map(|text| text.len()).sum();
            if (bytes + texts.len().saturating_sub(1)) as u64 > self.limit {
                return Err(Problem::TooLong { limit: self.limit });
            }
            match texts[..] {
                [] => {}
                _ if bytes == 0 => empty = Some(Cow::Borrowed("")),
                [text] => return Ok(Some(Cow::Borrowed(text))),
                _ => {
                    let texts = texts.into_iter().map(|text| Some(Cow::Borrowed(text)));
                    return Ok(join_texts(texts).map(Cow::Owned));
                }
            }
        }
        Ok(empty)
    }
}

impl Placed<Kept> {
    /// The value of a row. Of a list it is the one value that is not null, or its texts joined with a
    /// line feed; several other values are none.
    fn kept(&self, row: usize) -> Result<Option<FieldValue>, Problem> {
        let values = self.places(row).map(|place| self.column.get(place));
        let values: Vec<_> = values.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        if values.len() < 2 {
            return Ok(values.into_iter().next());
        }
        let text = |value| match value {
            FieldValue::Text(text) => Some(Some(Cow::Owned(text))),
            _ => None,
        };
        let texts: Option<Vec<Option<Cow<'_, str>>>> = values.into_iter().map(text).collect();
        Ok(texts.and_then(|texts| join_texts(texts.into_iter())).map(FieldValue::Text))
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

/// The wanted columns of a few rows, those of a field's alternatives together.
struct Batch {
    rows: usize,
    texts: Vec<Vec<Placed<Strings>>>,
    ids: Vec<Placed<Ids>>,
    kept: Vec<Vec<Placed<Kept>>>,
    /// The column with the tokens of the documents, which is the last kept one as well.
    tokens: Vec<Placed<ArrayRef>>,
}

pub(super) enum Strings {
    Text(StringViewArray),
    Bytes(BinaryViewArray),
    Null,
}

impl Strings {
    pub fn get(&self, place: usize) -> Result<Option<&str>, Problem> {
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

pub(super) fn strings(column: &ArrayRef) -> Strings {
    match column.data_type() {
        DataType::Utf8View => Strings::Text(column.as_string_view().clone()),
        DataType::BinaryView => Strings::Bytes(column.as_binary_view().clone()),
        _ => Strings::Null,
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
