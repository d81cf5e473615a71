//! Fingerprints as a table of Parquet: `id, fingerprint (hex), features`, and on request
//! `heaviest`, a list of words with their counts and weights.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, ListBuilder, StringBuilder, StructBuilder, UInt32Builder,
};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{DataType, Field, Fields, Schema};

use super::table::table_as_parquet;
use crate::document::Id;
use crate::error::Error;
use crate::outcome::FingerprintRow;

/// The number of rows of a batch.
const BATCH: usize = 8192;

/// Writes rows as a Parquet file. Ids are a column of 64-bit integers if `integer_ids`, else of
/// strings. The heaviest words are a column if `words`. `description` names the recipe of the
/// fingerprints and goes into the file's metadata as `nearprint.fingerprint`.
///
/// # Errors
/// The errors of the rows, and [`Error::Io`].
pub fn fingerprints_as_parquet(
    rows: impl Iterator<Item = Result<FingerprintRow, Error>>,
    integer_ids: bool,
    words: bool,
    description: &str,
    path: &Path,
) -> Result<(), Error> {
    let id_type = if integer_ids { DataType::Int64 } else { DataType::Utf8 };
    let mut fields = vec![
        Field::new("id", id_type, false),
        Field::new("fingerprint", DataType::Utf8, false),
        Field::new("features", DataType::UInt32, false),
    ];
    let list =
        words.then(|| Arc::new(Field::new("item", DataType::Struct(weighed_fields()), false)));
    fields.extend(list.clone().map(|item| Field::new("heaviest", DataType::List(item), false)));
    let metadata = [("nearprint.fingerprint".to_string(), description.to_string())].into();
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let mut rows = rows.peekable();
    let batches = std::iter::from_fn(|| {
        rows.peek()?;
        let batch: Result<Vec<FingerprintRow>, Error> = rows.by_ref().take(BATCH).collect();
        Some(batch.map(|batch| batch_of(&batch, schema.clone(), integer_ids, list.clone())))
    });
    table_as_parquet(schema.clone(), batches, path).map(drop)
}

/// Rows as a batch of a schema.
fn batch_of(
    rows: &[FingerprintRow],
    schema: Arc<Schema>,
    integer_ids: bool,
    list: Option<Arc<Field>>,
) -> RecordBatch {
    let ids: ArrayRef = if integer_ids {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| match row.id {
            Id::Integer(id) => id,
            _ => unreachable!("all ids are integers"),
        })))
    } else {
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| match &row.id {
            Id::Integer(id) => id.to_string(),
            Id::Unsigned(id) => id.to_string(),
            Id::Text(id) => id.clone(),
        })))
    };
    let mut columns: Vec<ArrayRef> = vec![
        ids,
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.fingerprint))),
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.features))),
    ];
    columns.extend(list.map(|item| heaviest(rows, item)));
    RecordBatch::try_new(schema, columns).expect("columns of the schema's types")
}

fn weighed_fields() -> Fields {
    Fields::from(vec![
        Field::new("feature", DataType::Utf8, false),
        Field::new("count", DataType::UInt32, false),
        Field::new("weight", DataType::Float64, false),
    ])
}

/// The words of each row, as lists of this item type.
fn heaviest(rows: &[FingerprintRow], item: Arc<Field>) -> ArrayRef {
    let mut lists =
        ListBuilder::new(StructBuilder::from_fields(weighed_fields(), 0)).with_field(item);
    for row in rows {
        for word in row.heaviest.iter().flatten() {
            let words = lists.values();
            column::<StringBuilder>(words, 0).append_value(&word.feature);
            column::<UInt32Builder>(words, 1).append_value(word.count);
            column::<Float64Builder>(words, 2).append_value(word.weight);
            words.append(true);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}

fn column<B: ArrayBuilder>(words: &mut StructBuilder, place: usize) -> &mut B {
    words.field_builder(place).expect("a column of the fields' types")
}
