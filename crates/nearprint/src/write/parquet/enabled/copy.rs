//! Parquet copies: rows and passages left out, or two columns added; schema, metadata and compression stay.
//!
//! The source is read in small batches and written in row groups of about [`ROW_GROUP_BYTES`], so that memory does not
//! grow with the file. [`schema`] keeps the types: values are copied as they are stored. The writer cannot produce the old
//! 96-bit timestamps, which become 64-bit microseconds, without a time zone as before.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
use ::parquet::arrow::{ArrowWriter, ProjectionMask};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use arrow_array::builder::{Int64Builder, StringBuilder, UInt64Builder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, BooleanArray, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use arrow_select::filter::filter_record_batch;

use super::schema;
use crate::document::Id;
use crate::error::{Error, Problem};
use crate::read::columns::batches::{Batches, guarded};
use crate::read::columns::is_integer;
use crate::read::{Options, Source};
use crate::write::annotation::plain;
use crate::write::passages::without_in_values;
use crate::write::rows::rejected;
use crate::write::{Annotation, CLUSTER, DUPLICATE_OF, Passages, RowFate, Treatment, Written, field_taken, output};

/// Buffered bytes at which a row group is closed: large enough to compress well, small enough for any machine.
const ROW_GROUP_BYTES: usize = 32 << 20;

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
    let id_type = id_type(schema, &options.id_field);
    let fields = [(DUPLICATE_OF, &id_type), (CLUSTER, &DataType::UInt64)];
    let fields = fields.map(|(name, data_type)| Arc::new(Field::new(name, data_type.clone(), true))).to_vec();
    let pairs = schema::key_values_with(input.metadata.metadata(), &fields);
    let columns = &mut |columns: &mut Vec<ArrayRef>, annotations: &[Annotation], row: u64| {
        let duplicates = duplicates(annotations, &id_type).map_err(|id| {
            let problem = format!(
                "{}, near row {row}: a duplicate of {id:?}, which is no integer, while the column of ids holds integers; give every row an id of one type, or write kept copies instead",
                source.label
            );
            Error::usage("annotate", problem)
        })?;
        let clusters = annotations.iter().map(|annotation| annotation.cluster).collect::<UInt64Array>();
        columns.extend([duplicates, Arc::new(clusters)]);
        Ok(())
    };
    copy(input, target, pairs, annotate, Changes { fields, columns })
}

/// The type of `duplicate_of`: that of the ids it repeats.
fn id_type(schema: &Schema, id_field: &str) -> DataType {
    match schema.fields().iter().find(|field| field.name() == id_field).map(|field| field.data_type()) {
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
                column.append_option(id.map(|id| integer::<i64>(id).ok_or_else(|| id.clone())).transpose()?);
            }
            Ok(Arc::new(column.finish()))
        }
        DataType::UInt64 => {
            let mut column = UInt64Builder::new();
            for id in ids {
                column.append_option(id.map(|id| integer::<u64>(id).ok_or_else(|| id.clone())).transpose()?);
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

/// An opened source.
struct Input<'a> {
    source: &'a Source,
    file: File,
    /// With the types that Parquet's own schema names.
    metadata: ArrowReaderMetadata,
}

impl Input<'_> {
    /// `None` where nothing of the file can be read.
    fn open(source: &Source) -> Result<Option<Input<'_>>, Error> {
        let file = File::open(&source.path).map_err(Error::io("read", &source.path))?;
        let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, plain));
        Ok(metadata.ok().map(|metadata| Input { source, file, metadata }))
    }
}

/// What changes in the columns.
struct Changes<'a, T> {
    /// The columns that follow the source's own.
    fields: Vec<FieldRef>,
    columns: &'a mut ChangeColumns<'a, T>,
}

/// Changes the columns of some rows, and adds the new ones: by what was decided of the rows, and the last row's number.
type ChangeColumns<'a, T> = dyn FnMut(&mut Vec<ArrayRef>, &[T], u64) -> Result<(), Error> + 'a;

/// Copies the rows that `decide` answers for, with their changes and these key-value pairs as metadata.
fn copy<T>(
    input: Input<'_>,
    target: &Path,
    pairs: Vec<KeyValue>,
    decide: &mut dyn FnMut(u64) -> Option<T>,
    changes: Changes<'_, T>,
) -> Result<Written, Error> {
    let cannot_write = |error: ParquetError| Error::io("write", target)(into_io(error));
    let Ok(physical) = guarded(|| schema::physical(input.metadata.metadata())) else { return Ok(Written::default()) };
    let fields: Vec<_> = physical.schema().fields().iter().chain(&changes.fields).cloned().collect();
    let schema = Arc::new(Schema::new(fields));
    let options = writer_options(&input, &schema, pairs).map_err(cannot_write)?;
    let file = output::create(target)?;
    let mut writer = ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(cannot_write)?;
    let mut batches = Batches::in_file(input.file, physical, ProjectionMask::all())
        .map_err(|problem| rejected(input.source, 1, problem))?;
    let row_count = input.metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0);
    let (mut row, mut rows) = (0, 0);
    let mut decided = Vec::new();
    while let Some(batch) = batches.next() {
        let batch = match batch {
            Ok(batch) => batch,
            Err(problem) => {
                drop_rest(input.source, row + 1..=row_count, problem, decide)?;
                break;
            }
        };
        decided.clear();
        let mut chosen = Vec::with_capacity(batch.num_rows());
        for _ in 0..batch.num_rows() {
            row += 1;
            let wanted = decide(row);
            chosen.push(wanted.is_some());
            decided.extend(wanted);
        }
        if decided.is_empty() {
            continue;
        }
        rows += decided.len() as u64;
        let cannot_write = |error: arrow_schema::ArrowError| cannot_write(error.into());
        let batch = filter_record_batch(&batch, &BooleanArray::from(chosen)).map_err(cannot_write)?;
        let mut columns = batch.columns().to_vec();
        (changes.columns)(&mut columns, &decided, row)?;
        let count = RecordBatchOptions::new().with_row_count(Some(decided.len()));
        let batch = RecordBatch::try_new_with_options(schema.clone(), columns, &count).map_err(cannot_write)?;
        writer.write(&batch).map_err(|error| Error::io("write", target)(into_io(error)))?;
        if writer.memory_size() >= ROW_GROUP_BYTES {
            writer.flush().map_err(|error| Error::io("write", target)(into_io(error)))?;
        }
    }
    // `into_inner` alone would tell a full disk in words only.
    writer.finish().map_err(cannot_write)?;
    let bytes = std::fs::metadata(target).map_err(Error::io("write", target))?.len();
    Ok(Written { rows, bytes, source: None })
}

/// Makes sure that no row is wanted that cannot be read: damage may lie in a column that the first pass did not look at.
fn drop_rest<T>(
    source: &Source,
    rows: RangeInclusive<u64>,
    problem: Problem,
    decide: &mut dyn FnMut(u64) -> Option<T>,
) -> Result<(), Error> {
    match rows.into_iter().find(|&row| decide(row).is_some()) {
        Some(row) => Err(rejected(source, row, problem)),
        None => Ok(()),
    }
}

fn writer_options(
    input: &Input<'_>,
    schema: &Schema,
    pairs: Vec<KeyValue>,
) -> Result<ArrowWriterOptions, ParquetError> {
    let mut properties = WriterProperties::builder();
    if !pairs.is_empty() {
        properties = properties.set_key_value_metadata(Some(pairs));
    }
    if let Some(group) = input.metadata.metadata().row_groups().first() {
        if let Some(column) = group.columns().first() {
            properties = properties.set_compression(column.compression());
        }
        for column in group.columns() {
            properties = properties.set_column_compression(column.column_path().clone(), column.compression());
        }
    }
    Ok(ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(schema::of_copy(input.metadata.parquet_schema(), schema)?))
}

/// The system's own error where it is one, so that a full disk is told as such.
fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use ::parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
    use ::parquet::basic::{Compression, GzipLevel, LogicalType, ZstdLevel};
    use ::parquet::column::writer::ColumnWriter;
    use ::parquet::data_type::Int96;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, Int64Type};
    use arrow_array::*;
    use arrow_schema::TimeUnit;

    use crate::read::testing::{options, source};
    use crate::write;

    fn file(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn load(path: &Path) -> (ArrowReaderMetadata, RecordBatch) {
        let file = File::open(path).unwrap();
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
        let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
        let batch = arrow_select::concat::concat_batches(metadata.schema(), &batches).unwrap();
        (metadata, batch)
    }

    fn every_type() -> RecordBatch {
        let texts = ["一", "b", "c", "d"];
        let list =
            ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![]), None]);
        let a: ArrayRef = Arc::new(Int8Array::from(vec![Some(1), None, Some(3), Some(4)]));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(StringArray::from(texts.to_vec()))),
            ("large", Arc::new(LargeStringArray::from(texts.to_vec()))),
            ("view", Arc::new(StringViewArray::from(texts.to_vec()))),
            ("dictionary", Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>())),
            ("binary", Arc::new(BinaryViewArray::from_iter(texts.map(|text| Some(text.as_bytes()))))),
            ("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))),
            ("list", Arc::new(list)),
            ("struct", Arc::new(StructArray::from(vec![(Arc::new(Field::new("a", DataType::Int8, true)), a)]))),
            ("time", Arc::new(TimestampMillisecondArray::from(vec![1, 2, 3, 4]).with_timezone("Asia/Shanghai"))),
            ("decimal", Arc::new(Decimal128Array::from(vec![1, 2, 3, 4]).with_precision_and_scale(30, 3).unwrap())),
            ("date", Arc::new(Date64Array::from(vec![0, 86_400_000, 0, 0]))),
            ("nothing", Arc::new(NullArray::new(4))),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, None, Some(false)]))),
        ];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, n != "id"))).unwrap();
        let metadata = [("origin".to_string(), "test".to_string())].into();
        let schema = Schema::new_with_metadata(batch.schema().fields().clone(), metadata);
        batch.with_schema(Arc::new(schema)).unwrap()
    }

    #[test]
    fn schema_metadata_codec_and_values_stay() {
        let folder = tempfile::tempdir().unwrap();
        let batch = every_type();
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::ZSTD(ZstdLevel::default()),
            Compression::GZIP(GzipLevel::default()),
            Compression::LZ4_RAW,
        ] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_max_row_group_row_count(Some(3))
                // Some writers put the schema's metadata (here `origin`) beside the embedded schema, too.
                .set_key_value_metadata(Some(vec![
                    KeyValue::new("pandas".to_string(), "{}".to_string()),
                    KeyValue::new("origin".to_string(), "test".to_string()),
                ]))
                .build();
            let source = source(folder.path(), "a.parquet", &file(&batch, properties), &options());
            let target = folder.path().join("kept/a.parquet");
            let mut fate = |row| if row == 2 { RowFate::Drop } else { RowFate::Keep };
            let written = write::kept(&source, &target, &options(), &mut fate).unwrap();
            assert_eq!((written.rows, written.bytes), (3, std::fs::metadata(&target).unwrap().len()));
            let ((before, old), (after, new)) = (load(&source.path), load(&target));
            assert_eq!(before.schema(), after.schema());
            assert_eq!(before.parquet_schema(), after.parquet_schema());
            assert_eq!(after.metadata().row_group(0).column(0).compression(), compression);
            let pairs = |metadata: &ArrowReaderMetadata| {
                let mut pairs = metadata.metadata().file_metadata().key_value_metadata().unwrap().clone();
                pairs.sort_by(|a, b| a.key.cmp(&b.key));
                pairs
            };
            assert_eq!(pairs(&before), pairs(&after));
            let expected = filter_record_batch(&old, &BooleanArray::from(vec![true, false, true, true])).unwrap();
            assert_eq!(new, expected);
        }
    }

    #[test]
    fn no_rows_left_is_a_file_with_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), "a.parquet", &file(&every_type(), WriterProperties::default()), &options());
        let target = folder.path().join("kept.parquet");
        assert_eq!(write::kept(&source, &target, &options(), &mut |_| RowFate::Drop).unwrap().rows, 0);
        assert_eq!(load(&target).0.schema(), load(&source.path).0.schema());
    }

    #[test]
    fn many_row_groups_are_written_for_much_data() {
        let folder = tempfile::tempdir().unwrap();
        // Nothing repeats, so that neither dictionary nor compression makes it small.
        let text = |row: u64| {
            (0..2_000).map(move |n| format!("{:016x}", (row * 2_000 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        };
        let texts: ArrayRef =
            Arc::new(StringArray::from_iter_values((0..2_500).map(|row| text(row).collect::<String>())));
        let batch = RecordBatch::try_from_iter([("text", texts)]).unwrap();
        let source = source(folder.path(), "a.parquet", &file(&batch, WriterProperties::default()), &options());
        let target = folder.path().join("kept.parquet");
        write::kept(&source, &target, &options(), &mut |_| RowFate::Keep).unwrap();
        let (metadata, copy) = load(&target);
        assert_eq!(copy.columns(), batch.columns());
        assert!(metadata.metadata().num_row_groups() >= 2);
    }

    #[test]
    fn two_columns_are_added() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), "a.parquet", &file(&every_type(), WriterProperties::default()), &options());
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
        assert_eq!(clusters.as_ref(), &UInt64Array::from(vec![Some(u64::MAX), Some(5), None]) as &dyn Array);
        assert_eq!(batch.num_columns(), 15);

        let by_text = Options { id_field: "dictionary".into(), ..options() };
        let mut annotate = |_| Some(Annotation { duplicate_of: Some(Id::Text("一".into())), cluster: None });
        write::annotated(&source, &target, &by_text, &mut annotate).unwrap();
        assert_eq!(load(&target).1.column_by_name(DUPLICATE_OF).unwrap().as_string::<i32>().value(3), "一");
        let error = write::annotated(&source, &target, &options(), &mut annotate).unwrap_err().to_string();
        assert!(error.starts_with("annotate: ") && error.contains("\"一\"") && error.contains("no integer"), "{error}");
        write::annotated(&source, &target, &by_text, &mut annotate).unwrap();
        let again = crate::read::find(
            &[target.to_string_lossy().into_owned()],
            &options(),
            folder.path(),
            &crate::watch::Silent,
        )
        .unwrap();
        let unsigned = Options { id_field: CLUSTER.into(), ..options() };
        let error = write::annotated(&again[0], &target, &unsigned, &mut annotate).unwrap_err().to_string();
        assert!(error.contains("already has a field \"duplicate_of\"; rename it"), "{error}");
    }

    #[test]
    fn old_timestamps_and_parquet_only_types_survive() {
        let folder = tempfile::tempdir().unwrap();
        let schema = "message spark_schema { required binary text (JSON); optional int96 time; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        if let ColumnWriter::ByteArrayColumnWriter(typed) = column.untyped() {
            typed.write_batch(&["{}".into(), "[]".into()], None, None).unwrap();
        }
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        if let ColumnWriter::Int96ColumnWriter(typed) = column.untyped() {
            let mut end_of_time = Int96::new();
            // 9999-12-31 as a Julian day.
            end_of_time.set_data(0, 0, 5_373_484);
            typed.write_batch(&[end_of_time], Some(&[1, 0]), None).unwrap();
        }
        column.close().unwrap();
        group.close().unwrap();
        let bytes = writer.into_inner().unwrap();
        let source = source(folder.path(), "a.parquet", &bytes, &options());
        let target = folder.path().join("kept.parquet");
        assert_eq!(write::kept(&source, &target, &options(), &mut |_| RowFate::Keep).unwrap().rows, 2);
        let (metadata, batch) = load(&target);
        assert_eq!(metadata.parquet_schema().root_schema().name(), "spark_schema");
        assert_eq!(metadata.parquet_schema().column(0).logical_type_ref(), Some(&LogicalType::Json));
        // No column of the old type has a time zone.
        assert_eq!(batch.column(1).data_type(), &DataType::Timestamp(TimeUnit::Microsecond, None));
        let times = batch.column(1).as_primitive::<arrow_array::types::TimestampMicrosecondType>();
        assert_eq!(times.iter().collect::<Vec<_>>(), [Some(253_402_214_400_000_000), None]);
        let pairs = metadata.metadata().file_metadata().key_value_metadata();
        assert!(pairs.is_none_or(|pairs| pairs.iter().all(|pair| pair.key != ARROW_SCHEMA_META_KEY)));
    }

    fn left_schema(metadata: &ArrowReaderMetadata) -> Option<&str> {
        let pairs = metadata.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY)?.value.as_deref()
    }

    /// pyarrow writes such files: Arrow's types say more than Parquet's, or another unit.
    #[test]
    fn types_that_differ_between_arrow_and_parquet_stay() {
        let folder = tempfile::tempdir().unwrap();
        let zone = |unit| DataType::Timestamp(unit, Some("Europe/Berlin".into()));
        let times = Arc::new(TimestampMillisecondArray::from(vec![1_000, 2_000]).with_timezone("Europe/Berlin"));
        let dates: ArrayRef = Arc::new(Date64Array::from(vec![0, 86_400_000]));
        let columns: [(&str, ArrayRef, DataType); 4] = [
            ("date", dates.clone(), DataType::Date64),
            ("seconds", times.clone(), zone(TimeUnit::Second)),
            ("nanoseconds", times, zone(TimeUnit::Nanosecond)),
            ("time", Arc::new(Time32MillisecondArray::from(vec![1_000, 2_000])), DataType::Time32(TimeUnit::Second)),
        ];
        let fields = columns.iter().map(|(name, _, data_type)| Field::new(*name, data_type.clone(), false));
        let mut fields: Vec<_> = fields.collect();
        let left = encode_arrow_schema(&Schema::new(fields.clone()));
        let batch = RecordBatch::try_from_iter(columns.map(|(name, column, _)| (name, column))).unwrap();
        let properties = WriterProperties::builder()
            .set_coerce_types(true)
            .set_key_value_metadata(Some(vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), left.clone())]));
        let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
        let mut writer = ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        let options = crate::read::testing::options();
        let source = source(folder.path(), "a.parquet", &writer.into_inner().unwrap(), &options);
        let target = folder.path().join("copy.parquet");
        let (before, old) = load(&source.path);
        assert_eq!(before.parquet_schema().column(0).logical_type_ref(), Some(&LogicalType::Date));

        write::kept(&source, &target, &options, &mut |_| RowFate::Keep).unwrap();
        let (after, new) = load(&target);
        assert_eq!(after.parquet_schema(), before.parquet_schema());
        assert_eq!(left_schema(&after), Some(left.as_str()));
        assert_eq!(new, old);

        write::annotated(&source, &target, &options, &mut |_| Some(Annotation::default())).unwrap();
        let (after, new) = load(&target);
        let own = |metadata: &ArrowReaderMetadata| metadata.parquet_schema().root_schema().get_fields()[..4].to_vec();
        assert_eq!(own(&after), own(&before));
        fields.push(Field::new(DUPLICATE_OF, DataType::Utf8, true));
        fields.push(Field::new(CLUSTER, DataType::UInt64, true));
        assert_eq!(left_schema(&after), Some(encode_arrow_schema(&Schema::new(fields)).as_str()));
        assert_eq!(new.project(&[0, 1, 2, 3]).unwrap().columns(), old.columns());
    }

    #[test]
    fn types_that_only_parquet_has_stay() {
        let folder = tempfile::tempdir().unwrap();
        let schema = "message m {
            required binary text (STRING); required binary price (DECIMAL(9,2));
            required fixed_len_byte_array(16) total (DECIMAL(20,2));
            required fixed_len_byte_array(12) span (INTERVAL);
            optional group times (LIST) { repeated group list { optional int96 element; } }
            repeated binary tag (STRING);
            optional group map (MAP) { repeated group key_value { optional binary key (STRING); required int64 value; } }
        }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let levels: [Option<(&[i16], &[i16])>; 8] = [
            None,
            None,
            None,
            None,
            Some((&[3, 3], &[0, 0])),
            Some((&[1, 1, 0], &[0, 1, 0])),
            Some((&[3, 0], &[0, 0])),
            Some((&[2, 0], &[0, 0])),
        ];
        for levels in levels {
            let mut column = group.next_column().unwrap().unwrap();
            let (definition, repetition) = levels.unzip();
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(typed) => {
                    let values = vec!["ab".into(), "cd".into()];
                    typed.write_batch(&values, definition, repetition).unwrap();
                }
                ColumnWriter::FixedLenByteArrayColumnWriter(typed) => {
                    let width = typed.get_descriptor().type_length() as usize;
                    let values = [1, 2].map(|byte| ::parquet::data_type::ByteArray::from(vec![byte; width]).into());
                    typed.write_batch(&values, definition, repetition).unwrap();
                }
                ColumnWriter::Int96ColumnWriter(typed) => {
                    let mut end_of_time = Int96::new();
                    end_of_time.set_data(0, 0, 5_373_484);
                    typed.write_batch(&[end_of_time; 2], definition, repetition).unwrap();
                }
                ColumnWriter::Int64ColumnWriter(typed) => {
                    typed.write_batch(&[7], definition, repetition).unwrap();
                }
                _ => unreachable!(),
            }
            column.close().unwrap();
        }
        group.close().unwrap();
        let source = source(folder.path(), "a.parquet", &writer.into_inner().unwrap(), &options());
        let target = folder.path().join("kept.parquet");
        write::kept(&source, &target, &options(), &mut |_| RowFate::Keep).unwrap();
        let ((_, old), (after, new)) = (load(&source.path), load(&target));
        let expected = "message m {
            required binary text (STRING); required binary price (DECIMAL(9,2));
            required fixed_len_byte_array(16) total (DECIMAL(20,2));
            required fixed_len_byte_array(12) span (INTERVAL);
            optional group times (LIST) { repeated group list { optional int64 element (TIMESTAMP(MICROS,false)); } }
            repeated binary tag (STRING);
            optional group map (MAP) { repeated group key_value { required binary key (STRING); required int64 value; } }
        }";
        assert_eq!(after.parquet_schema().root_schema(), &parse_message_type(expected).unwrap());
        let same = [0, 1, 2, 3, 5, 6];
        assert_eq!(new.project(&same).unwrap().columns(), old.project(&same).unwrap().columns());
        let times =
            new.column(4).as_list::<i32>().values().as_primitive::<arrow_array::types::TimestampMicrosecondType>();
        assert_eq!(times.values(), &[253_402_214_400_000_000; 2]);
    }

    #[test]
    fn a_damaged_arrow_schema_is_no_hindrance() {
        let folder = tempfile::tempdir().unwrap();
        let batch = every_type();
        let pairs = vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), "/////damaged".to_string())];
        let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let mut writer = ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        let options = crate::read::testing::options();
        let source = source(folder.path(), "a.parquet", &writer.into_inner().unwrap(), &options);
        let target = folder.path().join("copy.parquet");
        let plain = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let read = || ArrowReaderMetadata::load(&File::open(&target).unwrap(), plain()).unwrap();
        assert_eq!(write::kept(&source, &target, &options, &mut |_| RowFate::Keep).unwrap().rows, 4);
        assert_eq!(left_schema(&read()), Some("/////damaged"));
        let written = write::annotated(&source, &target, &options, &mut |_| Some(Annotation::default()));
        assert_eq!(written.unwrap().rows, 4);
        assert_eq!(left_schema(&read()), None);
        assert_eq!(load(&target).1.num_columns(), 15);
    }

    #[test]
    fn damage_loses_no_row_that_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let column = |letter: &str| Arc::new(StringArray::from(vec![letter.repeat(9); 20])) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("text", column("a")), ("other", column("b"))]).unwrap();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(::parquet::file::properties::EnabledStatistics::None)
            .set_max_row_group_row_count(Some(5))
            .build();
        let good = file(&batch, properties);
        let offset = |leaf| {
            let source = source(folder.path(), "good.parquet", &good, &options());
            load(&source.path).0.metadata().row_group(2).column(leaf).byte_range().0 as usize
        };
        for (leaf, readable) in [(0, 10), (1, 20)] {
            let mut bytes = good.clone();
            let start = offset(leaf);
            bytes[start..start + 20].fill(0xff);
            let source = source(folder.path(), "bad.parquet", &bytes, &options());
            let found = crate::read::read(&source, &options()).unwrap().filter(Result::is_ok).count() as u64;
            assert_eq!(found, readable);
            let target = folder.path().join("kept.parquet");
            let mut fate = |row| if row <= found { RowFate::Keep } else { RowFate::Drop };
            let written = write::kept(&source, &target, &options(), &mut fate);
            if leaf == 0 {
                assert_eq!(written.unwrap().rows, 10);
                assert_eq!(load(&target).1.num_rows(), 10);
            } else {
                let message = written.unwrap_err().to_string();
                assert!(message.starts_with("bad.parquet, row 11: damaged ("), "{message}");
            }
        }
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), "a.parquet", &file(&every_type(), WriterProperties::default()), &options());
        let full = Path::new("/dev/full");
        let message = write::kept(&source, full, &options(), &mut |_| RowFate::Keep).unwrap_err().to_string();
        assert!(message.starts_with("cannot write /dev/full: No space left"), "{message}");
    }
}
