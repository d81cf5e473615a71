//! Parquet -> documents.
//!
//! Only the wanted columns are read, a small batch of rows at a time. Strings and bytes come as views into the decoded
//! pages, so that a value that a dictionary page holds once is not copied for every row that repeats it. The Arrow schema
//! that a writer may have left in the file is asked for times only: dictionary, large and view columns of Arrow are all the
//! same strings in Parquet.

use std::borrow::Cow;
use std::fs::File;
use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, Float64Array, Int64Array, RecordBatch, StringViewArray, UInt64Array,
};
use arrow::compute::{can_cast_types, cast};
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema, SchemaRef, TimeUnit, UInt64Type};

use super::batches::{Batches, guarded};
use super::{Fault, Options, Source, join_texts, row_id};
use crate::document::{Document, FieldValue, Id};
use crate::error::Problem;

/// Reads Parquet.
pub(crate) struct Reader {
    batches: Batches,
    batch: Option<Batch>,
    place: usize,
    row: u64,
    rows: u64,
    bytes: u64,
    text_names: Vec<String>,
    id_name: String,
    keep_name: Option<String>,
    name: String,
    limit: u64,
}

impl Reader {
    pub fn open(source: &Source, options: &Options) -> Result<Reader, Problem> {
        if source.bytes == 0 {
            return Err(Problem::EmptyFile);
        }
        let file = File::open(&source.path).map_err(|error| Problem::Unreadable { reason: error.to_string() })?;
        let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, plain))?;
        let again = |options| guarded(|| ArrowReaderMetadata::try_new(metadata.metadata().clone(), options));
        let left = again(ArrowReaderOptions::new()).ok();
        let schema = metadata.schema().clone();
        let wanted = wanted_columns(&schema, options)?;
        let hints = hints(&schema, left.as_ref().map(ArrowReaderMetadata::schema), &wanted);
        let hinted = ArrowReaderOptions::new().with_schema(hints);
        let metadata = again(hinted)?;
        let rows = metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0);
        let mask = match options.whole_rows {
            true => ProjectionMask::all(),
            false => ProjectionMask::roots(metadata.parquet_schema(), wanted),
        };
        Ok(Reader {
            batches: Batches::open(file, metadata, mask)?,
            batch: None,
            place: 0,
            row: 0,
            rows,
            bytes: source.bytes,
            text_names: options.text_fields.clone(),
            id_name: options.id_field.clone(),
            keep_name: options.keep_field.clone(),
            name: source.name.clone(),
            limit: options.max_document_bytes,
        })
    }

    pub fn bytes_read(&self) -> u64 {
        let share = u128::from(self.bytes) * u128::from(self.row) / u128::from(self.rows.max(1));
        share.min(u128::from(self.bytes)) as u64
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        loop {
            if let Some(batch) = &self.batch
                && self.place < batch.rows
            {
                let place = self.place;
                self.place += 1;
                self.row += 1;
                return Some(self.document(batch, place).map_err(|problem| Fault::row(self.row, problem)));
            }
            self.place = 0;
            self.batch = match self.batches.next()? {
                Ok(batch) => Some(self.take_apart(&batch)),
                Err(problem) => return Some(Err(Fault::file(problem))),
            };
        }
    }

    fn take_apart(&self, batch: &RecordBatch) -> Batch {
        let column = |name: &str| batch.column_by_name(name);
        Batch {
            rows: batch.num_rows(),
            texts: self.text_names.iter().map(|name| column(name).map_or(Strings::Null, strings)).collect(),
            id: column(&self.id_name).map_or(Ids::None, ids),
            keep: self.keep_name.as_deref().and_then(column).map_or(Keeps::None, keeps),
        }
    }

    fn document(&self, batch: &Batch, place: usize) -> Result<Document, Problem> {
        let mut texts = Vec::with_capacity(batch.texts.len());
        for column in &batch.texts {
            let text = column.get(place)?;
            if text.is_some_and(|text| text.len() as u64 > self.limit) {
                return Err(Problem::TooLong { limit: self.limit });
            }
            texts.push(text.map(Cow::Borrowed));
        }
        let text = join_texts(texts.into_iter());
        let text = text.ok_or_else(|| Problem::NullField { field: self.text_names[0].clone() })?;
        let id = match &batch.id {
            Ids::Strings(column) => column.get(place)?.map(|id| Id::Text(id.to_string())),
            Ids::Integers(column) => column.is_valid(place).then(|| Id::Integer(column.value(place))),
            Ids::Unsigned(column) => column.is_valid(place).then(|| {
                let id = column.value(place);
                i64::try_from(id).map_or(Id::Unsigned(id), Id::Integer)
            }),
            Ids::None => None,
        };
        let field = match &batch.keep {
            Keeps::Strings(column) => column.get(place)?.map(|text| FieldValue::Text(text.to_string())),
            Keeps::Integers(column) => column.is_valid(place).then(|| FieldValue::Integer(column.value(place).into())),
            Keeps::Unsigned(column) => column.is_valid(place).then(|| FieldValue::Integer(column.value(place).into())),
            Keeps::Numbers(column) => (column.is_valid(place) && !column.value(place).is_nan())
                .then(|| FieldValue::Number(column.value(place))),
            Keeps::None => None,
        };
        Ok(Document { row: self.row, id: id.unwrap_or_else(|| row_id(&self.name, self.row)), text, field })
    }
}

/// Whether a column of this type can hold ids that are integers.
pub(crate) fn is_integer(data_type: &DataType) -> bool {
    data_type.is_integer()
}

fn is_string(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::Binary | DataType::Null)
}

/// The places of the wanted columns, each once, after a look at their types.
fn wanted_columns(schema: &Schema, options: &Options) -> Result<Vec<usize>, Problem> {
    let find = |name: &str| schema.fields().iter().position(|field| field.name() == name);
    let wrong = |name: &String, wanted, place: usize| Problem::WrongType {
        field: name.clone(),
        wanted,
        found: format!("a column of type {}", schema.field(place).data_type()),
    };
    let mut wanted = Vec::new();
    for name in &options.text_fields {
        let place = find(name).ok_or_else(|| Problem::MissingColumn {
            column: name.clone(),
            available: schema.fields().iter().map(|field| field.name().clone()).collect(),
        })?;
        if !is_string(schema.field(place).data_type()) {
            return Err(wrong(name, "a column of strings".into(), place));
        }
        wanted.push(place);
    }
    if let Some(place) = find(&options.id_field) {
        let data_type = schema.field(place).data_type();
        if !is_string(data_type) && !is_integer(data_type) {
            return Err(wrong(&options.id_field, "a column of strings or integers".into(), place));
        }
        wanted.push(place);
    }
    wanted.extend(options.keep_field.as_deref().and_then(find));
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

/// The schema to read with: the wanted strings as views, and times that Parquet itself takes for plain integers (seconds,
/// Arrow's 64-bit dates) as the times that the writer's own schema, if it left one, says they are.
fn hints(schema: &Schema, left: Option<&SchemaRef>, wanted: &[usize]) -> SchemaRef {
    let field = |(place, field): (usize, &Arc<Field>)| {
        let left = left.and_then(|left| left.fields().get(place)).map(|left| left.data_type());
        let hint = match (field.data_type(), left) {
            (DataType::Utf8, _) => DataType::Utf8View,
            (DataType::Binary, _) => DataType::BinaryView,
            (_, Some(time @ (DataType::Timestamp(_, _) | DataType::Date64))) => time.clone(),
            _ => return field.clone(),
        };
        if wanted.contains(&place) { Arc::new(field.as_ref().clone().with_data_type(hint)) } else { field.clone() }
    };
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(field).collect::<Vec<_>>()))
}

/// The wanted columns of a few rows.
struct Batch {
    rows: usize,
    texts: Vec<Strings>,
    id: Ids,
    keep: Keeps,
}

enum Strings {
    Text(StringViewArray),
    Bytes(BinaryViewArray),
    Null,
}

impl Strings {
    fn get(&self, place: usize) -> Result<Option<&str>, Problem> {
        match self {
            Strings::Text(column) => Ok(column.is_valid(place).then(|| column.value(place))),
            Strings::Bytes(column) if column.is_valid(place) => std::str::from_utf8(column.value(place))
                .map(Some)
                .map_err(|error| Problem::NotUtf8 { offset: error.valid_up_to() }),
            Strings::Bytes(_) | Strings::Null => Ok(None),
        }
    }
}

enum Ids {
    Strings(Strings),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    None,
}

enum Keeps {
    Strings(Strings),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    Numbers(Float64Array),
    None,
}

fn strings(column: &ArrayRef) -> Strings {
    match column.data_type() {
        DataType::Utf8View => Strings::Text(column.as_string_view().clone()),
        DataType::BinaryView => Strings::Bytes(column.as_binary_view().clone()),
        _ => Strings::Null,
    }
}

fn ids(column: &ArrayRef) -> Ids {
    match column.data_type() {
        DataType::UInt64 => Ids::Unsigned(column.as_primitive::<UInt64Type>().clone()),
        data_type if is_integer(data_type) => match cast(column, &DataType::Int64) {
            Ok(integers) => Ids::Integers(integers.as_primitive::<Int64Type>().clone()),
            Err(_) => Ids::None,
        },
        _ => Ids::Strings(strings(column)),
    }
}

/// Numbers as they are; dates and times as microseconds, since 1970 or midnight, whatever their unit, so that files agree.
fn keeps(column: &ArrayRef) -> Keeps {
    let cast_to = |types: &[DataType]| types.iter().try_fold(column.clone(), |column, to| cast(&column, to));
    let microseconds = DataType::Timestamp(TimeUnit::Microsecond, None);
    let integers = match column.data_type() {
        DataType::Utf8View | DataType::BinaryView => return Keeps::Strings(strings(column)),
        DataType::Boolean => return Keeps::None,
        DataType::UInt64 => return Keeps::Unsigned(column.as_primitive::<UInt64Type>().clone()),
        DataType::Timestamp(_, _) | DataType::Date32 | DataType::Date64 => cast_to(&[microseconds, DataType::Int64]),
        DataType::Time32(_) => {
            cast_to(&[DataType::Time64(TimeUnit::Nanosecond), DataType::Time64(TimeUnit::Microsecond), DataType::Int64])
        }
        DataType::Time64(_) => cast_to(&[DataType::Time64(TimeUnit::Microsecond), DataType::Int64]),
        data_type if is_integer(data_type) => cast_to(&[DataType::Int64]),
        data_type if can_cast_types(data_type, &DataType::Float64) => {
            return match cast(column, &DataType::Float64) {
                Ok(numbers) => Keeps::Numbers(numbers.as_primitive::<Float64Type>().clone()),
                Err(_) => Keeps::None,
            };
        }
        _ => return Keeps::None,
    };
    integers.map_or(Keeps::None, |integers| Keeps::Integers(integers.as_primitive::<Int64Type>().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::ArrowWriter;
    use ::parquet::file::properties::WriterProperties;
    use arrow::array::*;
    use arrow::datatypes::{Int8Type, Int32Type};

    use crate::read::testing::{documents, messages, options, rejection};

    fn file(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true))).unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2)).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
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
            let found = read(vec![("other", column.clone()), ("text", column.clone()), ("id", column)], &options());
            for (place, (document, value)) in found.iter().zip(values).enumerate() {
                assert_eq!(document.text, value.unwrap(), "{data_type}");
                assert_eq!((document.row, &document.id), (place as u64 + 1, &Id::Text(value.unwrap().into())));
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
        assert_eq!(read(vec![("text", text), ("id", large)], &options())[0].id, Id::Unsigned(u64::MAX));
    }

    #[test]
    fn dates_of_every_unit_compare() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let options = Options { keep_field: Some("when".into()), ..options() };
        let days = |count: i128| Some(FieldValue::Integer(count * 86_400_000_000));
        let integer = |number| Some(FieldValue::Integer(number));
        let number = |number| Some(FieldValue::Number(number));
        let columns: [(ArrayRef, Option<FieldValue>); 11] = [
            (Arc::new(Date32Array::from(vec![Some(2), None])), days(2)),
            (Arc::new(Date64Array::from(vec![Some(2 * 86_400_000), None])), days(2)),
            (Arc::new(TimestampSecondArray::from(vec![Some(2 * 86_400), None])), days(2)),
            (Arc::new(TimestampNanosecondArray::from(vec![Some(1000), None]).with_timezone("UTC")), integer(1)),
            (Arc::new(Time32MillisecondArray::from(vec![Some(3), None])), integer(3000)),
            (Arc::new(Time64NanosecondArray::from(vec![Some(3000), None])), integer(3)),
            (Arc::new(Float32Array::from(vec![Some(1.5), Some(f32::NAN)])), number(1.5)),
            (
                Arc::new(Decimal128Array::from(vec![Some(150), None]).with_precision_and_scale(9, 2).unwrap()),
                number(1.5),
            ),
            (Arc::new(UInt16Array::from(vec![Some(3), None])), integer(3)),
            (Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])), integer(u64::MAX.into())),
            (Arc::new(BooleanArray::from(vec![Some(true), None])), None),
        ];
        for (column, number) in columns {
            let data_type = column.data_type().clone();
            let found = read(vec![("text", text.clone()), ("when", column)], &options);
            assert_eq!(found[0].field, number, "{data_type}");
            assert_eq!(found[1].field, None, "{data_type}");
        }
        let names: ArrayRef = Arc::new(StringArray::from(vec![Some("2024"), None]));
        let found = read(vec![("text", text), ("when", names)], &options);
        assert_eq!((&found[0].field, &found[1].field), (&Some(FieldValue::Text("2024".into())), &None));
    }

    #[test]
    fn each_bad_row_is_named_and_the_next_is_read() {
        let text: ArrayRef =
            Arc::new(BinaryArray::from_iter([Some(&b"12345"[..]), None, Some(b"123456"), Some(b"a\xff"), Some(b"b")]));
        let options = Options { max_document_bytes: 5, ..options() };
        let found = documents("a.parquet", &file(vec![("text", text)]), &options);
        assert_eq!(found[0].as_ref().unwrap().text, "12345");
        assert_eq!(found[1], rejection("a.parquet", Some(2), Problem::NullField { field: "text".into() }));
        assert_eq!(found[2], rejection("a.parquet", Some(3), Problem::TooLong { limit: 5 }));
        assert_eq!(found[3], rejection("a.parquet", Some(4), Problem::NotUtf8 { offset: 1 }));
        assert_eq!(found[4].as_ref().unwrap().id, Id::Text("a.parquet:5".into()));
    }

    #[test]
    fn a_null_among_several_texts_is_left_out() {
        let title: ArrayRef = Arc::new(StringArray::from(vec![Some("t"), None, None]));
        let body: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), Some("b"), None]));
        let options = Options { text_fields: vec!["title".into(), "body".into()], ..options() };
        let found = documents("a.parquet", &file(vec![("body", body), ("title", title)]), &options);
        assert_eq!(found[0].as_ref().unwrap().text, "t\nb");
        assert_eq!(found[1].as_ref().unwrap().text, "b");
        assert_eq!(found[2], rejection("a.parquet", Some(3), Problem::NullField { field: "title".into() }));
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said_once() {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let found = documents("a.parquet", &file(vec![("body", text.clone())]), &options());
        let available = vec!["body".to_string()];
        assert_eq!(found, [rejection("a.parquet", None, Problem::MissingColumn { column: "text".into(), available })]);
        let found = documents("a.parquet", &file(vec![("text", numbers.clone())]), &options());
        assert_eq!(
            messages(&found),
            ["a.parquet: field \"text\" is a column of type Float64, not a column of strings; name another field"]
        );
        let found = documents("a.parquet", &file(vec![("text", text), ("id", numbers)]), &options());
        assert!(
            messages(&found)[0].contains("\"id\" is a column of type Float64, not a column of strings or integers")
        );
        assert_eq!(documents("a.parquet", b"", &options()), [rejection("a.parquet", None, Problem::EmptyFile)]);
        assert!(
            messages(&documents("a.parquet", b"{\"text\":1}\n", &options()))[0].starts_with("a.parquet: damaged (")
        );
        let none: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
        assert!(documents("a.parquet", &file(vec![("text", none)]), &options()).is_empty());
    }

    #[test]
    fn damage_in_the_middle_ends_the_file_after_the_rows_before_it() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["aaaa"; 20]));
        let mut bytes = file(vec![("text", text)]);
        let folder = tempfile::tempdir().unwrap();
        let path = crate::read::testing::source(folder.path(), "a.parquet", &bytes, &options()).path;
        let whole = ArrowReaderMetadata::load(&File::open(path).unwrap(), ArrowReaderOptions::new()).unwrap();
        let start = whole.metadata().row_group(4).column(0).byte_range().0 as usize;
        bytes[start..start + 20].fill(0xff);
        let found = documents("a.parquet", &bytes, &options());
        let (last, before) = found.split_last().unwrap();
        assert!(before.len() == 8 && before.iter().all(Result::is_ok));
        let rejection = last.as_ref().unwrap_err();
        assert_eq!((rejection.row, rejection.problem.name()), (None, "damaged"));
    }
}
