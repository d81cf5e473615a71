//! Parquet copies: rows left out or two columns added; schema, metadata and compression stay.
//!
//! The source is read in small batches and written in row groups of about [`ROW_GROUP_BYTES`], so that memory does not
//! grow with the file. Columns keep their Parquet types where the writer can produce them; it cannot produce the old
//! 96-bit timestamps, which become 64-bit microseconds.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
use ::parquet::arrow::{
    ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ArrowWriter, ProjectionMask, parquet_to_arrow_schema,
};
use ::parquet::basic::Type as PhysicalType;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::schema::types::{SchemaDescriptor, Type};
use arrow::array::{
    ArrayRef, BooleanArray, Int64Builder, RecordBatch, RecordBatchOptions, StringBuilder, UInt64Array, UInt64Builder,
};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use super::annotation::plain;
use super::rows::rejected;
use super::{Annotation, CLUSTER, DUPLICATE_OF, RowFate, Written, field_taken, output};
use crate::document::Id;
use crate::error::{Error, Problem};
use crate::read::batches::{Batches, guarded};
use crate::read::parquet::is_integer;
use crate::read::{Options, Source};

/// Buffered bytes at which a row group is closed: large enough to compress well, small enough for any machine.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// Copies the rows that are to be kept.
pub(super) fn kept(source: &Source, target: &Path, fate: &mut dyn FnMut(u64) -> RowFate) -> Result<Written, Error> {
    let Some(input) = Input::open(source)? else { return Ok(Written::default()) };
    let schema = input.metadata.schema().clone();
    let add = &mut |_: &[Annotation], _: u64| Ok(Vec::new());
    copy(input, target, schema, &mut |row| (fate(row) == RowFate::Keep).then(Annotation::default), add)
}

/// Copies all rows but the rejected ones and adds the two columns.
pub(super) fn annotated(
    source: &Source,
    target: &Path,
    options: &Options,
    annotate: &mut dyn FnMut(u64) -> Option<Annotation>,
) -> Result<Written, Error> {
    let Some(input) = Input::open(source)? else { return Ok(Written::default()) };
    let schema = input.metadata.schema().clone();
    for name in [DUPLICATE_OF, CLUSTER] {
        if schema.fields().iter().any(|field| field.name() == name) {
            return Err(field_taken(&source.label, name));
        }
    }
    let id_type = id_type(&schema, &options.id_field);
    let mut fields = schema.fields().to_vec();
    fields.push(Arc::new(Field::new(DUPLICATE_OF, id_type.clone(), true)));
    fields.push(Arc::new(Field::new(CLUSTER, DataType::UInt64, true)));
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let add = &mut |annotations: &[Annotation], row: u64| {
        let duplicates = duplicates(annotations, &id_type).map_err(|id| {
            let problem = format!(
                "{}, near row {row}: a duplicate of {id:?}, which is no integer, while the column of ids holds integers; give every row an id of one type, or write kept copies instead",
                source.label
            );
            Error::usage("annotate", problem)
        })?;
        let clusters = annotations.iter().map(|annotation| annotation.cluster).collect::<UInt64Array>();
        Ok(vec![duplicates, Arc::new(clusters) as ArrayRef])
    };
    copy(input, target, schema, annotate, add)
}

/// The type of `duplicate_of`: that of the ids it repeats.
fn id_type(schema: &Schema, id_field: &str) -> DataType {
    let ids = schema.fields().iter().find(|field| field.name() == id_field).map(|field| match field.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        data_type => data_type,
    });
    match ids {
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
    metadata: ArrowReaderMetadata,
}

impl Input<'_> {
    /// `None` where nothing of the file can be read.
    fn open(source: &Source) -> Result<Option<Input<'_>>, Error> {
        let file = File::open(&source.path).map_err(Error::io("read", &source.path))?;
        let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))
            .or_else(|_| guarded(|| ArrowReaderMetadata::load(&file, plain)))
            .and_then(|metadata| guarded(|| with_microseconds(metadata)));
        Ok(metadata.ok().map(|metadata| Input { source, file, metadata }))
    }

    fn had_arrow_schema(&self) -> bool {
        let pairs = self.metadata.metadata().file_metadata().key_value_metadata();
        pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == ARROW_SCHEMA_META_KEY))
    }
}

/// Reads 96-bit timestamps as microseconds. As nanoseconds, the default, every date after 2262 would silently become
/// another one, and Spark, which writes them, reads no nanoseconds. They count from 1970 in UTC.
fn with_microseconds(metadata: ArrowReaderMetadata) -> Result<ArrowReaderMetadata, ParquetError> {
    let types = metadata.parquet_schema().root_schema().get_fields();
    let is_old = |field: &Type| field.is_primitive() && field.get_physical_type() == PhysicalType::INT96;
    if !types.iter().any(|field| is_old(field)) {
        return Ok(metadata);
    }
    let schema = metadata.schema();
    let fields = schema.fields().iter().zip(types).map(|(field, kind)| match field.data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, _) if is_old(kind) => {
            let microseconds = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
            Arc::new(field.as_ref().clone().with_data_type(microseconds))
        }
        _ => field.clone(),
    });
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options)
}

/// Makes the columns that follow the source's own, from the rows' annotations and the last row's number.
type NewColumns<'a> = dyn FnMut(&[Annotation], u64) -> Result<Vec<ArrayRef>, Error> + 'a;

/// Copies the rows that `decide` answers for, with the columns that `add` makes.
fn copy(
    input: Input<'_>,
    target: &Path,
    schema: SchemaRef,
    decide: &mut dyn FnMut(u64) -> Option<Annotation>,
    add: &mut NewColumns<'_>,
) -> Result<Written, Error> {
    let cannot_write = |error: ParquetError| Error::io("write", target)(into_io(error));
    let schema = embedded_schema(&input, &schema);
    let options = writer_options(&input, &schema).map_err(cannot_write)?;
    let file = output::create(target)?;
    let mut writer = ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(cannot_write)?;
    let mut batches = Batches::open(input.file, input.metadata.clone(), ProjectionMask::all())
        .map_err(|problem| rejected(input.source, 1, problem))?;
    let row_count = input.metadata.metadata().file_metadata().num_rows().try_into().unwrap_or(0);
    let (mut row, mut rows) = (0, 0);
    let mut annotations = Vec::new();
    while let Some(batch) = batches.next() {
        let batch = match batch {
            Ok(batch) => batch,
            Err(problem) => {
                drop_rest(input.source, row + 1..=row_count, problem, decide)?;
                break;
            }
        };
        annotations.clear();
        let mut chosen = Vec::with_capacity(batch.num_rows());
        for _ in 0..batch.num_rows() {
            row += 1;
            let annotation = decide(row);
            chosen.push(annotation.is_some());
            annotations.extend(annotation);
        }
        if annotations.is_empty() {
            continue;
        }
        rows += annotations.len() as u64;
        let cannot_write = |error: arrow::error::ArrowError| cannot_write(error.into());
        let batch = filter_record_batch(&batch, &BooleanArray::from(chosen)).map_err(cannot_write)?;
        let mut columns = batch.columns().to_vec();
        columns.extend(add(&annotations, row)?);
        let count = RecordBatchOptions::new().with_row_count(Some(annotations.len()));
        let batch = RecordBatch::try_new_with_options(schema.clone(), columns, &count).map_err(cannot_write)?;
        writer.write(&batch).map_err(|error| Error::io("write", target)(into_io(error)))?;
        if writer.memory_size() >= ROW_GROUP_BYTES {
            writer.flush().map_err(|error| Error::io("write", target)(into_io(error)))?;
        }
    }
    // `into_inner` alone would tell a full disk in words only.
    writer.finish().map_err(cannot_write)?;
    let bytes = std::fs::metadata(target).map_err(Error::io("write", target))?.len();
    Ok(Written { rows, bytes })
}

/// Makes sure that no row is wanted that cannot be read: damage may lie in a column that the first pass did not look at.
fn drop_rest(
    source: &Source,
    rows: RangeInclusive<u64>,
    problem: Problem,
    decide: &mut dyn FnMut(u64) -> Option<Annotation>,
) -> Result<(), Error> {
    match rows.into_iter().find(|&row| decide(row).is_some()) {
        Some(row) => Err(rejected(source, row, problem)),
        None => Ok(()),
    }
}

/// The schema to leave in the copy, with the metadata that the source's own embedded schema has. Reading mixes the file's
/// key-value metadata into it; those the copy has in their place already.
fn embedded_schema(input: &Input<'_>, schema: &Schema) -> SchemaRef {
    let file = input.metadata.metadata().file_metadata();
    let pairs = file.key_value_metadata().into_iter().flatten();
    let embedded: Vec<_> = pairs.filter(|pair| pair.key == ARROW_SCHEMA_META_KEY).cloned().collect();
    // One that cannot be read has nothing to leave.
    let metadata = guarded(|| parquet_to_arrow_schema(file.schema_descr(), Some(&embedded)));
    let metadata = metadata.map(|embedded| embedded.metadata().clone()).unwrap_or_default();
    Arc::new(Schema::new_with_metadata(schema.fields().clone(), metadata))
}

fn writer_options(input: &Input<'_>, schema: &Schema) -> Result<ArrowWriterOptions, ParquetError> {
    let metadata = input.metadata.metadata();
    let pairs = metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let pairs: Vec<_> = pairs.into_iter().filter(|pair| pair.key != ARROW_SCHEMA_META_KEY).collect();
    let mut properties = WriterProperties::builder();
    if !pairs.is_empty() {
        properties = properties.set_key_value_metadata(Some(pairs));
    }
    if let Some(group) = metadata.row_groups().first() {
        if let Some(column) = group.columns().first() {
            properties = properties.set_compression(column.compression());
        }
        for column in group.columns() {
            properties = properties.set_column_compression(column.column_path().clone(), column.compression());
        }
    }
    Ok(ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(!input.had_arrow_schema())
        .with_parquet_schema(parquet_schema(input.metadata.parquet_schema(), schema)?))
}

/// The source's own Parquet types, column by column, wherever the writer stores the Arrow type in the same way; they say
/// more than Arrow does (JSON, enumerations, names inside lists). Else, and for new columns, the writer's choice.
fn parquet_schema(original: &SchemaDescriptor, schema: &Schema) -> Result<SchemaDescriptor, ParquetError> {
    let converted = ArrowSchemaConverter::new().convert(schema)?;
    let root = original.root_schema();
    let fields = converted.root_schema().get_fields().iter().enumerate().map(|(place, field)| {
        match root.get_fields().get(place) {
            Some(own) if storage(original, place) == storage(&converted, place) => own.clone(),
            _ => field.clone(),
        }
    });
    let root = Type::group_type_builder(root.name()).with_fields(fields.collect()).build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

/// How the leaves of a column are stored: type, width, and the levels that say what is null or repeated.
fn storage(schema: &SchemaDescriptor, root: usize) -> Vec<(PhysicalType, i32, i16, i16)> {
    let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root);
    leaves
        .map(|leaf| schema.column(leaf))
        .map(|leaf| (leaf.physical_type(), leaf.type_length(), leaf.max_def_level(), leaf.max_rep_level()))
        .collect()
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
    use ::parquet::basic::{Compression, GzipLevel, LogicalType, ZstdLevel};
    use ::parquet::column::writer::ColumnWriter;
    use ::parquet::data_type::Int96;
    use ::parquet::file::metadata::KeyValue;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use arrow::array::*;
    use arrow::datatypes::{Int32Type, Int64Type};

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
        let batch = arrow::compute::concat_batches(metadata.schema(), &batches).unwrap();
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
        let times = batch.column(1).as_primitive::<arrow::datatypes::TimestampMicrosecondType>();
        assert_eq!(times.iter().collect::<Vec<_>>(), [Some(253_402_214_400_000_000), None]);
        let pairs = metadata.metadata().file_metadata().key_value_metadata();
        assert!(pairs.is_none_or(|pairs| pairs.iter().all(|pair| pair.key != ARROW_SCHEMA_META_KEY)));
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
