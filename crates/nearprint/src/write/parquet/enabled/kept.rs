//! A Parquet file -> its kept rows, some of them without passages of their texts.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray};
use arrow_schema::ArrowError;
use arrow_select::interleave::interleave;

use super::copy::{Changes, Input, copy, into_io};
use super::embedded;
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
    let pairs = embedded::key_values(input.metadata.metadata());
    let place = |field: &String| {
        input.metadata.schema().fields().iter().position(|own| own.name() == field)
    };
    let texts: Vec<usize> = options.text_fields.iter().filter_map(place).collect();
    let decide = &mut |row| match fate(row) {
        RowFate::Drop => None,
        RowFate::Keep => Some(None),
        RowFate::KeepWithout(passages, treatment) => Some(Some((passages, treatment))),
    };
    let columns = &mut |columns: &mut Vec<ArrayRef>, rows: &[Option<(Passages, Treatment)>], _| {
        leave_out(columns, &texts, rows)
            .map_err(|error| Error::io("write", target)(into_io(error.into())))
    };
    copy(input, target, pairs, decide, Changes { fields: Vec::new(), columns })
}

/// Leaves passages out of the texts in these columns. Texts of other rows are not copied: the new
/// columns are views into the old ones.
fn leave_out(
    columns: &mut [ArrayRef],
    texts: &[usize],
    rows: &[Option<(Passages, Treatment)>],
) -> Result<(), ArrowError> {
    let mut changed: Vec<Vec<Option<String>>> = vec![Vec::new(); texts.len()];
    // The origin of each row of a new column: the old column, or the changed texts.
    let mut origins: Vec<(usize, usize)> = (0..rows.len()).map(|row| (0, row)).collect();
    let changes = rows.iter().enumerate().filter_map(|(row, change)| Some((row, change.as_ref()?)));
    for (count, (row, (passages, treatment))) in changes.enumerate() {
        let values: Vec<_> = texts.iter().map(|place| text(&columns[*place], row)).collect();
        let left = without_in_values(&values, passages, *treatment);
        changed.iter_mut().zip(left).for_each(|(column, value)| column.push(value));
        origins[row] = (1, count);
    }
    for (place, values) in texts.iter().zip(changed).filter(|(_, values)| !values.is_empty()) {
        let values: BinaryViewArray = values.iter().map(Option::as_ref).collect();
        columns[*place] = interleave(&[&columns[*place], &values], &origins)?;
    }
    Ok(())
}

/// A text as it is stored, which is as bytes.
fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    let bytes = column.as_binary_view_opt()?;
    bytes.is_valid(row).then(|| std::str::from_utf8(bytes.value(row)).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use ::parquet::file::properties::WriterProperties;
    use arrow_array::{RecordBatch, StringArray};

    use super::super::testing::{file, load};
    use crate::read::testing::{options, source};
    use crate::write;

    #[test]
    fn passages_are_left_out_of_some_rows_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let long = "床前明月光疑是地上霜".repeat(9);
        let column =
            |texts: [Option<&str>; 4]| -> ArrayRef { Arc::new(StringArray::from(texts.to_vec())) };
        let batch = |titles, texts| {
            RecordBatch::try_from_iter_with_nullable([
                ("title", column(titles), true),
                ("text", column(texts), true),
            ])
        };
        let (titles, texts) = (
            ["first", "second", "", "last"].map(Some),
            [Some(&*long), Some("0123456789"), None, None],
        );
        let bytes = file(&batch(titles, texts).unwrap(), WriterProperties::default());
        let options = Options { text_fields: vec!["title".into(), "text".into()], ..options() };
        let source = source(folder.path(), "a.parquet", &bytes, &options);
        let target = folder.path().join("kept.parquet");
        // Characters 4 to 9 of the joined text of a row include the line feed between its two
        // fields.
        let mut fate = |row| match row {
            2 => RowFate::KeepWithout(vec![4..9, 12..13], Treatment::Cut),
            4 => RowFate::KeepWithout(vec![0..1, 2..3], Treatment::Mask),
            _ => RowFate::Keep,
        };
        assert_eq!(write::kept(&source, &target, &options, &mut fate).unwrap().rows, 4);
        let titles = ["first", "seco", "", "[masked]a[masked]t"].map(Some);
        assert_eq!(
            load(&target).1,
            batch(titles, [Some(&*long), Some("2346789"), None, None]).unwrap()
        );
    }
}
