//! A Parquet file -> all its rows but the rejected ones, with more columns, such as `duplicate_of` and
//! `cluster`.
//!
//! `duplicate_of` has the type of the ids that it repeats, so that the two columns can be joined.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
    UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, ListArray, UInt64Array};
use arrow_schema::{DataType, Field, Fields, Schema};
use serde_json::Value;

use super::copy::{Changes, Input, copy};
use super::embedded;
use crate::error::Error;
use crate::read::columns::is_integer;
use crate::read::{Options, Source};
use crate::write::added::FieldType;
use crate::write::annotation::plain;
use crate::write::{AddedFields, Written, field_taken};

/// Copies all rows but the rejected ones and adds the columns.
pub(in crate::write) fn annotated<A: AddedFields>(
    source: &Source,
    target: &Path,
    options: &Options,
    annotate: &mut dyn FnMut(u64) -> Option<A>,
) -> Result<Written, Error> {
    let Some(input) = Input::open(source)? else { return Ok(Written::default()) };
    let schema = input.metadata.schema();
    for (name, _) in A::FIELDS {
        if schema.fields().iter().any(|field| field.name() == name) {
            return Err(field_taken::<A>(&source.label, name));
        }
    }
    let id_type = id_type(schema, options.id_field.as_deref());
    let added = A::FIELDS.iter().map(|(name, of)| {
        let data_type = match of {
            FieldType::Id => id_type.clone(),
            FieldType::Number => DataType::UInt64,
            FieldType::Places => list_of_places(),
        };
        Arc::new(Field::new(*name, data_type, true))
    });
    let fields: Vec<_> = added.collect();
    let pairs = embedded::key_values_with(input.metadata.metadata(), &fields);
    let columns = &mut |columns: &mut Vec<ArrayRef>, added: &[A], row: u64| {
        let rows: Vec<Vec<Value>> = added.iter().map(A::values).collect();
        for (number, (_, of)) in A::FIELDS.iter().enumerate() {
            let values: Vec<&Value> = rows.iter().map(|row| &row[number]).collect();
            columns.push(match of {
                FieldType::Id => ids(&values, &id_type).map_err(|id| {
                    let problem = format!(
                        "{}, near row {row}: a duplicate of {id}, which is not an integer, but the \
                         column of ids has integers; give every row an id of one type, or {}",
                        source.label,
                        A::INSTEAD
                    );
                    Error::usage(A::SETTING, problem)
                })?,
                FieldType::Number => {
                    Arc::new(values.iter().map(|value| value.as_u64()).collect::<UInt64Array>())
                }
                FieldType::Places => Arc::new(places(&values)),
            });
        }
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

/// A column of ids, or the first id that does not fit it.
fn ids(values: &[&Value], id_type: &DataType) -> Result<ArrayRef, Value> {
    let some = |value: &Value| (!value.is_null()).then(|| value.clone());
    match id_type {
        DataType::Int64 => {
            let mut column = Int64Builder::new();
            for id in values.iter().map(|value| some(value)) {
                column.append_option(id.map(|id| id.as_i64().ok_or(id)).transpose()?);
            }
            Ok(Arc::new(column.finish()))
        }
        DataType::UInt64 => {
            let mut column = UInt64Builder::new();
            for id in values.iter().map(|value| some(value)) {
                column.append_option(id.map(|id| id.as_u64().ok_or(id)).transpose()?);
            }
            Ok(Arc::new(column.finish()))
        }
        _ => {
            let mut column = StringBuilder::new();
            for id in values.iter().map(|value| some(value)) {
                column.append_option(id.map(|id| plain(&id)));
            }
            Ok(Arc::new(column.finish()))
        }
    }
}

/// The numbers of a place.
const NUMBERS: [&str; 7] =
    ["passage", "start", "end", "start_byte", "end_byte", "documents", "edits"];

/// The fields of a place.
fn fields_of_places() -> Fields {
    let numbers = NUMBERS.map(|name| Field::new(name, DataType::UInt32, false));
    let others =
        [Field::new("stays", DataType::Boolean, false), Field::new("why", DataType::Utf8, true)];
    numbers.into_iter().chain(others).collect()
}

fn list_of_places() -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Struct(fields_of_places()), true)))
}

/// A column of lists of places.
fn places(values: &[&Value]) -> ListArray {
    let mut lists = ListBuilder::new(StructBuilder::from_fields(fields_of_places(), 0));
    for value in values {
        for place in value.as_array().into_iter().flatten() {
            let out = lists.values();
            for (at, name) in NUMBERS.iter().enumerate() {
                let number = place[name].as_u64().unwrap_or_default() as u32;
                of_field::<UInt32Builder>(out, at).append_value(number);
            }
            let stays = place["stays"].as_bool().unwrap_or_default();
            of_field::<BooleanBuilder>(out, NUMBERS.len()).append_value(stays);
            of_field::<StringBuilder>(out, NUMBERS.len() + 1).append_option(place["why"].as_str());
            out.append(true);
        }
        lists.append(true);
    }
    lists.finish()
}

fn of_field<B: ArrayBuilder>(builder: &mut StructBuilder, at: usize) -> &mut B {
    builder.field_builder(at).expect("the builder has the types of the fields")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::properties::WriterProperties;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;

    use super::super::testing::{every_type, file, load};
    use crate::document::Id;
    use crate::read::testing::{options, source};
    use crate::write::{self, Annotation};

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
        let duplicates = batch.column_by_name("duplicate_of").unwrap().as_primitive::<Int64Type>();
        assert_eq!(duplicates.iter().collect::<Vec<_>>(), [None, Some(1), None]);
        let clusters = batch.column_by_name("cluster").unwrap();
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
            load(&target).1.column_by_name("duplicate_of").unwrap().as_string::<i32>().value(3),
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
        let unsigned = Options { id_field: Some("cluster".into()), ..options() };
        let error =
            write::annotated(&again[0], &target, &unsigned, &mut annotate).unwrap_err().to_string();
        assert!(error.contains("already has a field \"duplicate_of\"; rename it"), "{error}");
    }
}
