//! A Parquet file -> its kept rows, some of them without passages of their texts.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray};
use arrow_schema::ArrowError;
use arrow_select::interleave::interleave;

use super::copy::{Changes, Input, copy, into_io};
use super::embedded;
use crate::error::Error;
use crate::field::alternatives;
use crate::read::columns::inside::{Leaf, Places};
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
    let schema = input.metadata.schema();
    let leaves = |field: &String| {
        let paths = alternatives(field).into_iter();
        paths.filter_map(|path| Leaf::of(schema, &path)).collect()
    };
    let texts: Vec<Vec<Leaf>> = options.text_fields.iter().map(leaves).collect();
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

/// The texts of a column, or inside of one.
struct Texts<'t> {
    leaf: &'t Leaf,
    values: BinaryViewArray,
    /// The places of the texts of each row.
    rows: Places,
    /// The new texts, by their places.
    changed: BTreeMap<usize, String>,
}

impl Texts<'_> {
    /// The texts of a row with their places.
    fn of(&self, row: usize) -> impl Iterator<Item = (usize, &str)> {
        // A text is stored as bytes.
        self.rows.of(row).iter().filter(|place| self.values.is_valid(**place)).filter_map(|place| {
            Some((*place, std::str::from_utf8(self.values.value(*place)).ok()?))
        })
    }
}

/// Leaves passages out of the texts in these columns. A text field has the columns of its
/// alternatives. Texts of other rows are not copied: the new columns are views into the old ones.
fn leave_out(
    columns: &mut [ArrayRef],
    fields: &[Vec<Leaf>],
    rows: &[Option<(Passages, Treatment)>],
) -> Result<(), ArrowError> {
    if rows.iter().all(Option::is_none) {
        return Ok(());
    }
    let texts = |leaf| {
        let (values, rows) = Leaf::values(leaf, &columns[leaf.root]);
        let values = values.as_binary_view_opt()?.clone();
        Some(Texts { leaf, values, rows, changed: BTreeMap::new() })
    };
    let mut fields: Vec<Vec<Texts<'_>>> =
        fields.iter().map(|leaves| leaves.iter().filter_map(texts).collect()).collect();
    for (row, change) in rows.iter().enumerate() {
        let Some((passages, treatment)) = change else { continue };
        // Each text of the row with its field, the alternative, and its place.
        let mut own = Vec::new();
        for (field, alternatives) in fields.iter().enumerate() {
            let has_text = |texts: &Texts<'_>| texts.of(row).any(|(_, text)| !text.is_empty());
            if let Some(chosen) = alternatives.iter().position(has_text) {
                own.extend(alternatives[chosen].of(row).map(|text| (field, chosen, text)));
            }
        }
        let values: Vec<_> = own.iter().map(|(.., (_, text))| Some(*text)).collect();
        let left = without_in_values(&values, passages, *treatment);
        let places: Vec<_> =
            own.iter().map(|(field, chosen, (place, _))| (*field, *chosen, *place)).collect();
        for ((field, chosen, place), text) in places.into_iter().zip(left.into_iter().flatten()) {
            fields[field][chosen].changed.entry(place).or_insert(text);
        }
    }
    for Texts { leaf, values, changed, .. } in fields.into_iter().flatten() {
        if changed.is_empty() {
            continue;
        }
        // The origin of each new value: the old values, or the changed ones.
        let mut origins: Vec<(usize, usize)> = (0..values.len()).map(|place| (0, place)).collect();
        changed.keys().enumerate().for_each(|(count, place)| origins[*place] = (1, count));
        let new: BinaryViewArray = changed.values().map(Some).collect();
        let column = &mut columns[leaf.root];
        // Another field may have changed other texts of this column before.
        let (values, _) = leaf.values(column);
        *column = leaf.with_values(column, interleave(&[&values, &new], &origins)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use ::parquet::file::properties::WriterProperties;
    use arrow_array::builder::{ListBuilder, StringBuilder};
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

    #[test]
    fn passages_are_left_out_of_the_texts_of_lists() {
        let folder = tempfile::tempdir().unwrap();
        let batch = |lists: [Option<&[Option<&str>]>; 3], bodies: [Option<&str>; 3]| {
            let mut parts = ListBuilder::new(StringBuilder::new());
            for list in lists {
                list.unwrap_or_default()
                    .iter()
                    .for_each(|text| parts.values().append_option(*text));
                parts.append(list.is_some());
            }
            RecordBatch::try_from_iter_with_nullable([
                ("parts", Arc::new(parts.finish()) as ArrayRef, true),
                ("body", Arc::new(StringArray::from(bodies.to_vec())), true),
            ])
            .unwrap()
        };
        let long = "a text that is too long for a view alone, in a row that stays";
        let before = batch(
            [Some(&[Some("0123"), None, Some("567")]), None, Some(&[Some(long)])],
            [Some("unread"), Some("0123"), None],
        );
        let bytes = file(&before, WriterProperties::default());
        let options = Options { text_fields: vec!["parts[]|body".into()], ..options() };
        let source = source(folder.path(), "a.parquet", &bytes, &options);
        let target = folder.path().join("kept.parquet");
        let mut fate = |row| match row {
            3 => RowFate::Keep,
            _ => RowFate::KeepWithout(std::iter::once(2..6).collect(), Treatment::Cut),
        };
        assert_eq!(write::kept(&source, &target, &options, &mut fate).unwrap().rows, 3);
        let after = batch(
            [Some(&[Some("01"), None, Some("67")]), None, Some(&[Some(long)])],
            [Some("unread"), Some("01"), None],
        );
        assert_eq!(load(&target).1, after);
    }
}
