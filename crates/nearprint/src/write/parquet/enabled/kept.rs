//! A Parquet file -> the rows that are kept, some of them without passages of their texts.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray};

use super::copy::{Changes, Input, copy};
use super::schema;
use crate::error::Error;
use crate::read::{Options, Source};
use crate::write::passages::without_in_values;
use crate::write::{Passages, RowFate, Treatment, Written};

/// Copies the rows that are to be kept.
pub(in crate::write) fn kept(
    source: &Source,
    target: &Path,
    options: &Options,
    fate: &mut dyn FnMut(u64) -> RowFate,
) -> Result<Written, Error> {
    let Some(input) = Input::open(source)? else { return Ok(Written::default()) };
    let pairs = schema::key_values(input.metadata.metadata());
    let place = |field: &String| input.metadata.schema().fields().iter().position(|own| own.name() == field);
    let texts: Vec<usize> = options.text_fields.iter().filter_map(place).collect();
    let decide = &mut |row| match fate(row) {
        RowFate::Drop => None,
        RowFate::Keep => Some(None),
        RowFate::KeepWithout(passages, treatment) => Some(Some((passages, treatment))),
    };
    let columns = &mut |columns: &mut Vec<ArrayRef>, rows: &[Option<(Passages, Treatment)>], _| {
        leave_out(columns, &texts, rows);
        Ok(())
    };
    copy(input, target, pairs, decide, Changes { fields: Vec::new(), columns })
}

/// Leaves passages out of the texts in these columns.
fn leave_out(columns: &mut [ArrayRef], texts: &[usize], rows: &[Option<(Passages, Treatment)>]) {
    if rows.iter().all(Option::is_none) {
        return;
    }
    let mut new: Vec<Vec<Option<String>>> = texts.iter().map(|_| Vec::with_capacity(rows.len())).collect();
    for (row, change) in rows.iter().enumerate() {
        let values: Vec<_> = texts.iter().map(|place| text(&columns[*place], row)).collect();
        let left = match change {
            None => values.iter().map(|value| value.map(str::to_string)).collect(),
            Some((passages, treatment)) => without_in_values(&values, passages, *treatment),
        };
        new.iter_mut().zip(left).for_each(|(column, value)| column.push(value));
    }
    for (place, values) in texts.iter().zip(new) {
        columns[*place] = Arc::new(values.iter().map(Option::as_ref).collect::<BinaryViewArray>());
    }
}

/// A text as it is stored: as bytes.
fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    let bytes = column.as_binary_view_opt()?;
    bytes.is_valid(row).then(|| std::str::from_utf8(bytes.value(row)).ok()).flatten()
}
