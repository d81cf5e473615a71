//! Parquet -> batches of columns.
//!
//! Only the wanted columns are read, a small batch of rows at a time. Strings and bytes come as
//! views into the decoded pages: a value that a dictionary page holds once is not copied for every
//! row that repeats it. The Arrow schema that a writer may have left in the file is used for times
//! only, since dictionary, large and view columns of Arrow are all the same strings in Parquet.

use std::fs::File;
use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::batches::{Batches, guarded};
use super::documents::ColumnsReader;
use super::wanted::WantedColumns;
use crate::error::Problem;
use crate::read::{Options, Source};

/// Reads a file.
pub(crate) fn open(source: &Source, options: &Options) -> Result<ColumnsReader, Problem> {
    if source.bytes == 0 {
        return Err(Problem::EmptyFile);
    }
    let file = File::open(&source.path)
        .map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = guarded(|| ArrowReaderMetadata::load(&file, plain))?;
    let again =
        |options| guarded(|| ArrowReaderMetadata::try_new(metadata.metadata().clone(), options));
    let left = again(ArrowReaderOptions::new()).ok();
    let schema = metadata.schema().clone();
    let wanted = WantedColumns::of(&schema, options)?;
    let hints = hints(&schema, left.as_ref().map(ArrowReaderMetadata::schema), &wanted.whole());
    let hinted = ArrowReaderOptions::new().with_schema(hints);
    let metadata = again(hinted)?;
    let rows = metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0);
    let mask = match options.whole_rows {
        true => ProjectionMask::all(),
        false => ProjectionMask::roots(metadata.parquet_schema(), wanted.roots()),
    };
    let batches = Batches::in_file(file, metadata, mask)?;
    Ok(ColumnsReader::new(batches, wanted, rows, source, options))
}

/// The schema to read with. The wanted strings are views. Parquet itself takes some times for plain
/// integers (seconds, Arrow's 64-bit dates); these have the type of the writer's own schema, if it
/// left one.
fn hints(schema: &Schema, left: Option<&SchemaRef>, wanted: &[usize]) -> SchemaRef {
    let field = |(place, field): (usize, &Arc<Field>)| {
        let left = left.and_then(|left| left.fields().get(place)).map(|left| left.data_type());
        let hint = match (field.data_type(), left) {
            (DataType::Utf8, _) => DataType::Utf8View,
            (DataType::Binary, _) => DataType::BinaryView,
            (_, Some(time @ (DataType::Timestamp(_, _) | DataType::Date64))) => time.clone(),
            _ => return field.clone(),
        };
        if wanted.contains(&place) {
            Arc::new(field.as_ref().clone().with_data_type(hint))
        } else {
            field.clone()
        }
    };
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(field).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::ArrowWriter;
    use ::parquet::file::properties::WriterProperties;
    use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type};
    use arrow_array::*;

    use crate::document::{Document, FieldValue, Id};
    use crate::read::testing::{documents, messages, options, rejection};

    fn file(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(n, c)| (n, c, true)),
        )
        .unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
        let mut writer =
            ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn read(columns: Vec<(&str, ArrayRef)>, options: &Options) -> Vec<Document> {
        documents("a.parquet", &file(columns), options).into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn every_kind_of_string_column_is_text() {
        let values = [Some("月"), Some("a\0b"), Some("")];
        let bytes: Vec<_> = values.iter().map(|value| value.map(str::as_bytes)).collect();
        let columns: [ArrayRef; 8] = [
            Arc::new(StringArray::from_iter(values)),
            Arc::new(LargeStringArray::from_iter(values)),
            Arc::new(StringViewArray::from_iter(values)),
            Arc::new(values.into_iter().collect::<DictionaryArray<Int32Type>>()),
            Arc::new(values.into_iter().collect::<DictionaryArray<Int8Type>>()),
            Arc::new(BinaryArray::from_iter(bytes.clone())),
            Arc::new(LargeBinaryArray::from_iter(bytes.clone())),
            Arc::new(BinaryViewArray::from_iter(bytes.clone())),
        ];
        for column in columns {
            let data_type = column.data_type().clone();
            let found = read(
                vec![("other", column.clone()), ("text", column.clone()), ("id", column)],
                &options(),
            );
            for (place, (document, value)) in found.iter().zip(values).enumerate() {
                assert_eq!(document.text, value.unwrap(), "{data_type}");
                assert_eq!(
                    (document.row, &document.id),
                    (place as u64 + 1, &Id::Text(["月", "a\0b", "a.parquet:3"][place].into()))
                );
            }
            assert_eq!(found.len(), 3);
        }
    }

    #[test]
    fn every_kind_of_integer_is_an_id() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let columns: [ArrayRef; 8] = [
            Arc::new(Int8Array::from(vec![Some(7), None])),
            Arc::new(Int16Array::from(vec![Some(7), None])),
            Arc::new(Int32Array::from(vec![Some(7), None])),
            Arc::new(Int64Array::from(vec![Some(7), None])),
            Arc::new(UInt8Array::from(vec![Some(7), None])),
            Arc::new(UInt16Array::from(vec![Some(7), None])),
            Arc::new(UInt32Array::from(vec![Some(7), None])),
            Arc::new(UInt64Array::from(vec![Some(7), None])),
        ];
        for column in columns {
            let found = read(vec![("text", text.clone()), ("id", column)], &options());
            assert_eq!(found[0].id, Id::Integer(7));
            assert_eq!(found[1].id, Id::Text("a.parquet:2".into()));
        }
        let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 1]));
        assert_eq!(
            read(vec![("text", text), ("id", large)], &options())[0].id,
            Id::Unsigned(u64::MAX)
        );
    }

    #[test]
    fn dates_of_every_unit_compare() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let options = Options { kept_fields: vec!["when".into()], ..options() };
        let days = |count: i128| Some(FieldValue::Time(count * 86_400_000_000));
        let integer = |number| Some(FieldValue::Integer(number));
        let number = |number| Some(FieldValue::Number(number));
        let columns: [(ArrayRef, Option<FieldValue>); 11] = [
            (Arc::new(Date32Array::from(vec![Some(2), None])), days(2)),
            (Arc::new(Date64Array::from(vec![Some(2 * 86_400_000), None])), days(2)),
            (Arc::new(TimestampSecondArray::from(vec![Some(2 * 86_400), None])), days(2)),
            (
                Arc::new(
                    TimestampNanosecondArray::from(vec![Some(1000), None]).with_timezone("UTC"),
                ),
                Some(FieldValue::Time(1)),
            ),
            (Arc::new(Time32MillisecondArray::from(vec![Some(3), None])), integer(3000)),
            (Arc::new(Time64NanosecondArray::from(vec![Some(3000), None])), integer(3)),
            (Arc::new(Float32Array::from(vec![Some(1.5), Some(f32::NAN)])), number(1.5)),
            (
                Arc::new(
                    Decimal128Array::from(vec![Some(150), None])
                        .with_precision_and_scale(9, 2)
                        .unwrap(),
                ),
                number(1.5),
            ),
            (Arc::new(UInt16Array::from(vec![Some(3), None])), integer(3)),
            (Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])), integer(u64::MAX.into())),
            (Arc::new(BooleanArray::from(vec![Some(true), None])), Some(FieldValue::Boolean(true))),
        ];
        for (column, number) in columns {
            let data_type = column.data_type().clone();
            let found = read(vec![("text", text.clone()), ("when", column)], &options);
            assert_eq!(found[0].fields, [number], "{data_type}");
            assert_eq!(found[1].fields, [None], "{data_type}");
        }
        let names: ArrayRef = Arc::new(StringArray::from(vec![Some("2024"), None]));
        let found = read(vec![("text", text), ("when", names)], &options);
        assert_eq!(
            (&found[0].fields[..], &found[1].fields[..]),
            (&[Some(FieldValue::Text("2024".into()))][..], &[None][..])
        );
    }

    #[test]
    fn each_bad_row_is_named_and_the_next_is_read() {
        let text: ArrayRef = Arc::new(BinaryArray::from_iter([
            Some(&b"12345"[..]),
            None,
            Some(b"123456"),
            Some(b"a\xff"),
            Some(b"b"),
        ]));
        let options = Options { max_document_bytes: 5, ..options() };
        let found = documents("a.parquet", &file(vec![("text", text)]), &options);
        assert_eq!(found[0].as_ref().unwrap().text, "12345");
        assert_eq!(
            found[1],
            rejection("a.parquet", Some(2), Problem::NullField { field: "text".into() })
        );
        assert_eq!(found[2], rejection("a.parquet", Some(3), Problem::TooLong { limit: 5 }));
        assert_eq!(found[3], rejection("a.parquet", Some(4), Problem::NotUtf8 { offset: 1 }));
        assert_eq!(found[4].as_ref().unwrap().id, Id::Text("a.parquet:5".into()));
    }

    #[test]
    fn lists_have_one_value_in_every_format() {
        let lines = r#"
            {"text":"","day":[null,7],"rank":[1.5],"tags":["x",null,"y"],"flag":[true]}
            {"text":"","day":[1,2],"rank":[1.5,2.5],"tags":["x"],"flag":[true,false]}
            {"text":"","day":[],"rank":[null],"tags":[null],"flag":null}"#;
        let numbers = [
            Some(vec![None, Some(7)]),
            Some(vec![Some(1), Some(2)]),
            Some(Vec::<Option<i64>>::new()),
        ];
        let ranks = [vec![Some(1.5), Some(f64::NAN)], vec![Some(1.5), Some(2.5)], vec![None]];
        let mut tags = builder::ListBuilder::new(builder::StringBuilder::new());
        tags.append_value([Some("x"), None, Some("y")]);
        tags.append_value([Some("x")]);
        tags.append_value([None::<&str>]);
        let mut flags = builder::ListBuilder::new(builder::BooleanBuilder::new());
        flags.append_value([Some(true)]);
        flags.append_value([Some(true), Some(false)]);
        flags.append_null();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(StringArray::from(vec![""; 3]))),
            ("day", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(numbers))),
            (
                "rank",
                Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(ranks.map(Some))),
            ),
            ("tags", Arc::new(tags.finish())),
            ("flag", Arc::new(flags.finish())),
        ];
        let fields = ["day[]", "rank[]", "tags|tags[]", "flag[]"].map(String::from);
        let options = Options { kept_fields: fields.to_vec(), ..options() };
        let text = |text: &str| Some(FieldValue::Text(text.into()));
        let expected = [
            [
                Some(FieldValue::Integer(7)),
                Some(FieldValue::Number(1.5)),
                text("x\ny"),
                Some(FieldValue::Boolean(true)),
            ],
            [None, None, text("x"), None],
            [None, None, None, None],
        ];
        let of_lines = documents("a.jsonl", lines.as_bytes(), &options);
        let of_table = documents("a.parquet", &file(columns.clone()), &options);
        for found in [of_lines, of_table] {
            let found: Vec<_> = found.into_iter().map(|found| found.unwrap().fields).collect();
            assert_eq!(found, expected);
        }
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        for (field, name) in fields.iter().enumerate() {
            let column = crate::read::field_of(&batch, name).unwrap().unwrap();
            let found = crate::read::values(&column).unwrap();
            assert_eq!(found, expected.clone().map(|row| row[field].clone()), "{name}");
        }
    }

    #[test]
    fn an_empty_list_is_told_and_a_list_stands_for_the_texts_inside() {
        let mut lists = builder::ListBuilder::new(builder::StringBuilder::new());
        lists.append_value([Some("a"), Some("b")]);
        lists.append_value([None::<&str>; 0]);
        lists.append_value([None::<&str>]);
        let columns: Vec<(&str, ArrayRef)> = vec![("parts", Arc::new(lists.finish()))];
        for field in ["parts|parts[]", "parts[]"] {
            let options = Options { text_fields: vec![field.into()], ..options() };
            let found = documents("a.parquet", &file(columns.clone()), &options);
            assert_eq!(found[0].as_ref().unwrap().text, "a\nb");
            let empty = Problem::EmptyList { field: field.into() };
            assert_eq!(found[1], rejection("a.parquet", Some(2), empty));
            let null = Problem::NullField { field: field.into() };
            assert_eq!(found[2], rejection("a.parquet", Some(3), null));
        }
    }

    #[test]
    fn a_null_among_several_texts_is_left_out() {
        let title: ArrayRef = Arc::new(StringArray::from(vec![Some("t"), None, None]));
        let body: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), Some("b"), None]));
        let options = Options { text_fields: vec!["title".into(), "body".into()], ..options() };
        let found = documents("a.parquet", &file(vec![("body", body), ("title", title)]), &options);
        assert_eq!(found[0].as_ref().unwrap().text, "t\nb");
        assert_eq!(found[1].as_ref().unwrap().text, "b");
        assert_eq!(
            found[2],
            rejection("a.parquet", Some(3), Problem::NullField { field: "title".into() })
        );
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said_once() {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let found = documents("a.parquet", &file(vec![("body", text.clone())]), &options());
        let available = vec!["body".to_string()];
        assert_eq!(
            found,
            [rejection(
                "a.parquet",
                None,
                Problem::MissingColumn {
                    column: "text".into(),
                    setting: "text-field".into(),
                    available: available.into(),
                    hint: None
                }
            )]
        );
        let found = documents("a.parquet", &file(vec![("text", numbers.clone())]), &options());
        assert_eq!(
            messages(&found),
            [
                "a.parquet: field \"text\" is a column of type Float64, not a column of strings; name another field"
            ]
        );
        let spans: ArrayRef = Arc::new(FixedSizeBinaryArray::new_null(8, 1));
        let found = documents("a.parquet", &file(vec![("text", text), ("id", spans)]), &options());
        assert!(
            messages(&found)[0].contains(
                "\"id\" is a column of type FixedSizeBinary(8), not a column of strings, numbers, \
                 booleans, dates or UUIDs"
            ),
            "{found:?}"
        );
        assert!(
            messages(&documents("a.parquet", b"{\"text\":1}\n", &options()))[0]
                .starts_with("a.parquet: damaged (")
        );
    }

    #[test]
    fn a_file_without_rows_has_no_documents() {
        let none: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
        let none = file(vec![("text", none)]);
        for bytes in [&b""[..], &none] {
            assert_eq!(documents("a.parquet", bytes, &options()), []);
        }
    }

    #[test]
    fn damage_in_the_middle_ends_the_file_after_the_rows_before_it() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["aaaa"; 20]));
        let mut bytes = file(vec![("text", text)]);
        let folder = tempfile::tempdir().unwrap();
        let path =
            crate::read::testing::source(folder.path(), "a.parquet", &bytes, &options()).path;
        let whole =
            ArrowReaderMetadata::load(&File::open(path).unwrap(), ArrowReaderOptions::new())
                .unwrap();
        let start = whole.metadata().row_group(4).column(0).byte_range().0 as usize;
        bytes[start..start + 20].fill(0xff);
        let found = documents("a.parquet", &bytes, &options());
        let (last, before) = found.split_last().unwrap();
        assert!(before.len() == 8 && before.iter().all(Result::is_ok));
        let rejection = last.as_ref().unwrap_err();
        assert_eq!((rejection.row, rejection.problem.name()), (None, "damaged"));
    }
}
