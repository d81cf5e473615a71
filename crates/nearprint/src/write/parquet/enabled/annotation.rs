//! A Parquet file -> all its rows but the rejected ones, with two more columns: `duplicate_of` and
//! `cluster`.
//!
//! `duplicate_of` has the type of the ids that it repeats, so that the two columns can be joined.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, UInt64Array};
use arrow_schema::{DataType, Field, Schema};

use super::copy::{Changes, Input, copy};
use super::embedded;
use crate::document::Id;
use crate::error::Error;
use crate::read::columns::is_integer;
use crate::read::{Options, Source};
use crate::write::annotation::plain;
use crate::write::{Annotation, CLUSTER, DUPLICATE_OF, Written, field_taken};

/// Copies all rows but the rejected ones and adds the two columns.
pub(in crate::write) fn annotated(
    source: &Source,
    target: &Path,
    options: &Options,
    annotate: &mut dyn FnMut(u64) -> Option<Annotation>,
) -> Result<Written, Error> {
    let Some(input) = Input::open(source)? else { return Ok(Written::default()) };
    let schema = input.metadata.schema();
    for name in [DUPLICATE_OF, CLUSTER] {
        if schema.fields().iter().any(|field| field.name() == name) {
            return Err(field_taken(&source.label, name));
        }
    }
    let id_type = id_type(schema, options.id_field.as_deref());
    let fields = [(DUPLICATE_OF, &id_type), (CLUSTER, &DataType::UInt64)];
    let fields = fields
        .map(|(name, data_type)| Arc::new(Field::new(name, data_type.clone(), true)))
        .to_vec();
    let pairs = embedded::key_values_with(input.metadata.metadata(), &fields);
    let columns = &mut |columns: &mut Vec<ArrayRef>, annotations: &[Annotation], row: u64| {
        let duplicates = duplicates(annotations, &id_type).map_err(|id| {
            let problem = format!(
                "{}, near row {row}: a duplicate of {id:?}, which is not an integer, but the \
                 column of ids has integers; give every row an id of one type, or write kept \
                 copies instead",
                source.label
            );
            Error::usage("annotate", problem)
        })?;
        let clusters =
            annotations.iter().map(|annotation| annotation.cluster).collect::<UInt64Array>();
        columns.extend([duplicates, Arc::new(clusters)]);
        Ok(())
    };
    copy(input, target, pairs, annotate, Changes { fields, columns })
}

/// The type of `duplicate_of`, which is the type of the ids.
fn id_type(schema: &Schema, id_field: Option<&str>) -> DataType {
    match schema
        .fields()
        .iter()
        .find(|field| Some(field.name().as_str()) == id_field)
        .map(|field| field.data_type())
    {
        Some(DataType::UInt64) => DataType::UInt64,
        Some(data_type) if is_integer(data_type) => DataType::Int64,
        _ => DataType::Utf8,
    }
}

/// The column `duplicate_of`, or the first id that does not fit it.
fn duplicates(annotations: &[Annotation], id_type: &DataType) -> Result<ArrayRef, Id> {
    let ids = annotations.iter().map(|annotation| annotation.duplicate_of.as_ref());
    match id_type {
        DataType::Int64 => {
            let mut column = Int64Builder::new();
            for id in ids {
                column.append_option(
                    id.map(|id| integer::<i64>(id).ok_or_else(|| id.clone())).transpose()?,
                );
            }
            Ok(Arc::new(column.finish()))
        }
        DataType::UInt64 => {
            let mut column = UInt64Builder::new();
            for id in ids {
                column.append_option(
                    id.map(|id| integer::<u64>(id).ok_or_else(|| id.clone())).transpose()?,
                );
            }
            Ok(Arc::new(column.finish()))
        }
        _ => {
            let mut column = StringBuilder::new();
            for id in ids {
                column.append_option(id.map(plain));
            }
            Ok(Arc::new(column.finish()))
        }
    }
}

fn integer<T: TryFrom<i64> + TryFrom<u64>>(id: &Id) -> Option<T> {
    match id {
        Id::Integer(id) => T::try_from(*id).ok(),
        Id::Unsigned(id) => T::try_from(*id).ok(),
        Id::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::properties::WriterProperties;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    use super::super::testing::{every_type, file, load};
    use crate::read::testing::{options, source};
    use crate::write;

    #[test]
    fn two_columns_are_added() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(
            folder.path(),
            "a.parquet",
            &file(&every_type(), WriterProperties::default()),
            &options(),
        );
        let target = folder.path().join("out/a.parquet");
        let mut annotate = |row| match row {
            1 => Some(Annotation { duplicate_of: None, cluster: Some(u64::MAX) }),
            2 => None,
            3 => Some(Annotation { duplicate_of: Some(Id::Integer(1)), cluster: Some(5) }),
            _ => Some(Annotation::default()),
        };
        assert_eq!(write::annotated(&source, &target, &options(), &mut annotate).unwrap().rows, 3);
        let (_, batch) = load(&target);
        let duplicates = batch.column_by_name(DUPLICATE_OF).unwrap().as_primitive::<Int64Type>();
        assert_eq!(duplicates.iter().collect::<Vec<_>>(), [None, Some(1), None]);
        let clusters = batch.column_by_name(CLUSTER).unwrap();
        assert_eq!(
            clusters.as_ref(),
            &UInt64Array::from(vec![Some(u64::MAX), Some(5), None]) as &dyn Array
        );
        assert_eq!(batch.num_columns(), 15);

        let by_text = Options { id_field: Some("dictionary".into()), ..options() };
        let mut annotate =
            |_| Some(Annotation { duplicate_of: Some(Id::Text("一".into())), cluster: None });
        write::annotated(&source, &target, &by_text, &mut annotate).unwrap();
        assert_eq!(
            load(&target).1.column_by_name(DUPLICATE_OF).unwrap().as_string::<i32>().value(3),
            "一"
        );
        let error =
            write::annotated(&source, &target, &options(), &mut annotate).unwrap_err().to_string();
        assert!(
            error.starts_with("annotate: ")
                && error.contains("\"一\"")
                && error.contains("not an integer"),
            "{error}"
        );
        write::annotated(&source, &target, &by_text, &mut annotate).unwrap();
        let again = crate::read::find(
            &[target.to_string_lossy().into_owned()],
            &options(),
            folder.path(),
            &crate::watch::Silent,
        )
        .unwrap();
        let unsigned = Options { id_field: Some(CLUSTER.into()), ..options() };
        let error =
            write::annotated(&again[0], &target, &unsigned, &mut annotate).unwrap_err().to_string();
        assert!(error.contains("already has a field \"duplicate_of\"; rename it"), "{error}");
    }
}
