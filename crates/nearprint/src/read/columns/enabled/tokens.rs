//! A column -> the tokens of a document.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::as_views;
use super::documents::{Strings, strings};
use super::placed::Placed;
use crate::document::FieldValue;
use crate::error::Problem;
use crate::read::{no_tokens, tokens_of};

/// The tokens of a row, from the first column in which it has some.
pub(super) fn tokens_in(
    columns: &[Placed<ArrayRef>],
    row: usize,
    field: &str,
) -> Result<FieldValue, Problem> {
    for own in columns {
        let mut places = own.places(row).filter(|place| own.column.is_valid(*place));
        let Some(first) = places.next() else { continue };
        if !own.has_lists {
            return tokens(&own.column, first, field);
        }
        let texts = strings(&own.column);
        let token = |place| {
            let text = texts.get(place)?.map(str::to_string);
            text.ok_or_else(|| {
                no_tokens(field, format!("a list of type {}", own.column.data_type()))
            })
        };
        let all = std::iter::once(first).chain(places).map(token).collect::<Result<_, _>>();
        return all.map(FieldValue::Tokens);
    }
    Err(no_tokens(field, "null"))
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
