//! A batch -> the columns of a field, with the places of the values of each row.

use arrow_array::{ArrayRef, RecordBatch};

use super::as_views;
use super::inside::{Leaf, Places};
use crate::error::Problem;

/// A column, and the places of its values in each row; `None` if each row has one value.
pub(super) struct Placed<T> {
    pub column: T,
    rows: Option<Places>,
    /// True if a row may have several values.
    pub has_lists: bool,
}

impl<T> Placed<T> {
    /// The places of the values of a row.
    pub fn places(&self, row: usize) -> impl Iterator<Item = usize> {
        let (places, own) = match &self.rows {
            Some(rows) => (rows.of(row), None),
            None => (&[][..], Some(row)),
        };
        places.iter().copied().chain(own)
    }
}

/// The columns of a field's alternatives in a batch.
pub(super) fn placed<T>(
    batch: &RecordBatch,
    leaves: &[Leaf],
    column: impl Fn(&ArrayRef) -> T,
) -> Result<Vec<Placed<T>>, Problem> {
    let mut found = Vec::new();
    for leaf in leaves {
        let Some(root) = batch.column_by_name(&leaf.root_name) else { continue };
        found.push(match leaf.is_inside() {
            false => Placed { column: column(root), rows: None, has_lists: false },
            true => {
                let (values, rows) = leaf.values(root);
                let values = as_views(&values)
                    .map_err(|error| Problem::Damaged { reason: error.to_string() })?;
                let has_lists = leaf.has_lists();
                Placed { column: column(&values), rows: Some(rows), has_lists }
            }
        });
    }
    Ok(found)
}

/// The first value of a row in some columns.
pub(super) fn first<T, V>(
    columns: &[Placed<T>],
    row: usize,
    get: impl Fn(&T, usize) -> Result<Option<V>, Problem>,
) -> Result<Option<V>, Problem> {
    for column in columns {
        for place in column.places(row) {
            if let Some(value) = get(&column.column, place)? {
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}
