//! A field of a batch -> one column, with a value for each row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringViewArray, UInt32Array};
use arrow_schema::ArrowError;
use arrow_select::interleave::interleave;
use arrow_select::take::take;

use super::as_views;
use super::casts::numbers;
use super::documents::{holds_texts, strings};
use super::ids::Ids;
use super::inside::Leaf;
use crate::field::alternatives;

/// The column of a field in a batch, with a value for each row: that of the first alternative that
/// the row has, and that is no empty text. Several texts of a list are joined with a line feed, and
/// several other values are none. Alternatives of different types become texts. `None` if the batch
/// has no column for the field.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, RecordBatch, StringArray, StructArray};
/// use nearprint::read::field_of;
/// let text: ArrayRef = Arc::new(StringArray::from(vec!["床前明月光"]));
/// let doc = StructArray::from(RecordBatch::try_from_iter([("text", text.clone())])?);
/// let batch = RecordBatch::try_from_iter([("doc", Arc::new(doc) as ArrayRef)])?;
/// assert_eq!(field_of(&batch, "body|doc.text")?, Some(text));
/// assert_eq!(field_of(&batch, "body")?, None);
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
///
/// # Errors
/// The errors of Arrow, for data that does not match its type.
pub fn field_of(batch: &RecordBatch, name: &str) -> Result<Option<ArrayRef>, ArrowError> {
    let schema = batch.schema();
    let leaves = alternatives(name).into_iter().filter_map(|path| Leaf::of(&schema, &path));
    let columns = leaves.map(|leaf| one_a_row(&leaf, batch.column(leaf.root)));
    let mut columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
    if columns.len() < 2 {
        return Ok(columns.pop());
    }
    for column in &mut columns {
        *column = as_views(column)?;
    }
    if columns.iter().any(|column| column.data_type() != columns[0].data_type()) {
        columns.iter_mut().for_each(|column| *column = texts_of(column));
    }
    let is_empty = |column: &ArrayRef, row: usize| {
        // Empty texts of a list are joined with line feeds.
        let is_empty = |text: &str| text.trim_matches('\n').is_empty();
        column.as_string_view_opt().is_some_and(|texts| is_empty(texts.value(row)))
    };
    let place = |row: usize| {
        let has_value = |column: &ArrayRef| column.is_valid(row) && !is_empty(column, row);
        let is_there = || columns.iter().position(|column| column.is_valid(row));
        (columns.iter().position(has_value).or_else(is_there).unwrap_or(0), row)
    };
    let places: Vec<(usize, usize)> = (0..batch.num_rows()).map(place).collect();
    let columns: Vec<&dyn Array> = columns.iter().map(|column| column.as_ref()).collect();
    interleave(&columns, &places).map(Some)
}

/// The values of a leaf, one for each row. Of a list it is the one value that is not null, or its
/// texts joined with a line feed; several other values are none.
fn one_a_row(leaf: &Leaf, root: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if !leaf.is_inside() {
        return Ok(root.clone());
    }
    let (values, places) = leaf.values(root);
    if leaf.has_lists() && holds_texts(values.data_type()) {
        let texts = strings(&as_views(&values)?);
        let join = |places: &[usize]| -> Option<String> {
            let texts = places.iter().filter_map(|place| texts.get(*place).ok().flatten());
            let texts: Vec<&str> = texts.collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        };
        return Ok(Arc::new(places.rows().map(join).collect::<StringViewArray>()));
    }
    let floats = values.data_type().is_floating().then(|| numbers(&values)).flatten();
    let is_there = |place: &&usize| {
        let is_nan = floats.as_ref().is_some_and(|floats| floats.value(**place).is_nan());
        values.is_valid(**place) && !is_nan
    };
    let only = |places: &[usize]| {
        let mut there = places.iter().filter(is_there);
        let first = there.next()?;
        there.next().is_none().then_some(*first as u32)
    };
    take(&values, &places.rows().map(only).collect::<UInt32Array>(), None)
}

/// Values of any type that an id may have as texts.
fn texts_of(column: &ArrayRef) -> ArrayRef {
    let ids = Ids::new(column);
    let text = |row| ids.get(row).ok().flatten().map(|id| id.to_string());
    Arc::new((0..column.len()).map(text).collect::<StringViewArray>())
}
