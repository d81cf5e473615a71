//! The types of a Parquet file -> the types to read its rows with, the types of the copy, and its
//! embedded Arrow schema.
//!
//! A copy must have the types of its source, but the library reads and writes by Arrow's types,
//! which differ. Some Parquet types have no Arrow type (decimals as bytes, intervals, JSON). An
//! Arrow schema embedded in the file (`ARROW:schema`) may name types that Parquet stores in another
//! way (64-bit dates as 32 bits, seconds as milliseconds). So the values are read as they are
//! stored, by their physical types only, and are written under the source's own schema.
//!
//! Two things cannot be written. 96-bit timestamps become 64-bit microseconds, without a time zone
//! as before. Map keys that are declared as optional become required, which they are by definition.

use std::sync::Arc;

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::arrow::{
    ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema, parquet_to_arrow_schema,
};
use ::parquet::basic::{
    ConvertedType, LogicalType, Repetition, TimeUnit as ParquetTimeUnit, Type as PhysicalType,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaData};
use ::parquet::schema::types::{
    BasicTypeInfo, GroupTypeBuilder, PrimitiveTypeBuilder, SchemaDescriptor, Type, TypePtr,
};
use arrow_schema::{DataType, FieldRef, Schema, TimeUnit};

use crate::read::columns::batches::guarded;

/// The types to read the stored values with: numbers, and views of bytes. A value that a dictionary
/// page holds once is then not copied. 96-bit timestamps are read as microseconds. Read as
/// nanoseconds, the default, every date after 2262 would silently become another one, and Spark,
/// which writes such timestamps, reads no nanoseconds.
pub(super) fn physical(metadata: &ParquetMetaData) -> Result<ArrowReaderMetadata, ParquetError> {
    let file = metadata.file_metadata();
    let types = map_leaves(file.schema_descr(), &|leaf| Some(bare(leaf).build()))?;
    let file =
        FileMetaData::new(file.version(), file.num_rows(), None, None, Arc::new(types), None);
    let metadata = Arc::new(ParquetMetaData::new(file, metadata.row_groups().to_vec()));
    let plain = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new())?;
    let fields: Vec<_> = plain.schema().fields().iter().map(as_stored).collect();
    ArrowReaderMetadata::try_new(
        metadata,
        ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields))),
    )
}

/// The field with views and microseconds, at any depth.
fn as_stored(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Binary => DataType::BinaryView,
        // Without logical types only a 96-bit column is a timestamp.
        DataType::Timestamp(_, _) => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::List(item) => DataType::List(as_stored(item)),
        DataType::Map(entry, sorted) => DataType::Map(as_stored(entry), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(as_stored).collect()),
        _ => return field.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// The Parquet types of a copy: those of the source, and those of the columns that follow them.
/// `schema` has the Arrow types that are written. If the library has read a column with other
/// levels than the source's type has, then the type that fits the values is used.
pub(super) fn of_copy(
    original: &SchemaDescriptor,
    schema: &Schema,
) -> Result<SchemaDescriptor, ParquetError> {
    let written = ArrowSchemaConverter::new().convert(schema)?;
    let own = map_leaves(original, &|leaf| {
        (leaf.get_physical_type() == PhysicalType::INT96).then(|| {
            let info = leaf.get_basic_info();
            Type::primitive_type_builder(leaf.name(), PhysicalType::INT64)
                .with_repetition(info.repetition())
                .with_id(id(info))
                .with_logical_type(Some(LogicalType::timestamp(false, ParquetTimeUnit::MICROS)))
                .build()
        })
    })?;
    let own = SchemaDescriptor::new(with_required_keys(&own.root_schema_ptr())?);
    let fields = written.root_schema().get_fields().iter().enumerate().map(|(place, field)| {
        match own.root_schema().get_fields().get(place) {
            Some(same) if storage(&own, place) == storage(&written, place) => same.clone(),
            _ => field.clone(),
        }
    });
    let root = Type::group_type_builder(original.root_schema().name())
        .with_fields(fields.collect())
        .build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

/// The storage of the leaves of a column: type, width, and the levels that mark null and repeated
/// values.
fn storage(schema: &SchemaDescriptor, root: usize) -> Vec<(PhysicalType, i32, i16, i16)> {
    let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root);
    leaves
        .map(|leaf| schema.column(leaf))
        .map(|leaf| {
            (leaf.physical_type(), leaf.type_length(), leaf.max_def_level(), leaf.max_rep_level())
        })
        .collect()
}

/// The file's key-value metadata with its embedded Arrow schema unchanged.
pub(super) fn key_values(metadata: &ParquetMetaData) -> Vec<KeyValue> {
    metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default()
}

/// The file's key-value metadata with the new columns in its embedded Arrow schema, if it has one.
/// A schema that cannot be read is left out.
pub(super) fn key_values_with(metadata: &ParquetMetaData, added: &[FieldRef]) -> Vec<KeyValue> {
    let (embedded, mut pairs): (Vec<_>, Vec<_>) =
        key_values(metadata).into_iter().partition(|pair| pair.key == ARROW_SCHEMA_META_KEY);
    if !embedded.is_empty()
        && let Ok(schema) =
            guarded(|| embedded_schema(metadata.file_metadata().schema_descr(), &embedded))
    {
        let fields: Vec<_> = schema.fields().iter().chain(added).cloned().collect();
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        pairs.push(KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), encode_arrow_schema(&schema)));
    }
    pairs
}

/// The Arrow schema embedded in the file. The library returns the parts of it that agree with the
/// Parquet types, and drops the time zone of a time whose unit differs. Times without their logical
/// type agree with any unit and zone.
fn embedded_schema(
    types: &SchemaDescriptor,
    embedded: &Vec<KeyValue>,
) -> Result<Schema, ParquetError> {
    let integer_times = map_leaves(types, &|leaf| {
        let info = leaf.get_basic_info();
        let is_time = matches!(
            info.logical_type_ref(),
            Some(LogicalType::Timestamp(_) | LogicalType::Time(_))
        ) || matches!(
            info.converted_type(),
            ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
        );
        is_time.then(|| bare(leaf).build())
    })?;
    parquet_to_arrow_schema(&integer_times, Some(embedded))
}

/// A leaf without its logical type.
fn bare(leaf: &Type) -> PrimitiveTypeBuilder<'_> {
    let length = if let Type::PrimitiveType { type_length, .. } = leaf { *type_length } else { -1 };
    let info = leaf.get_basic_info();
    Type::primitive_type_builder(leaf.name(), leaf.get_physical_type())
        .with_repetition(info.repetition())
        .with_id(id(info))
        .with_length(length)
}

/// The schema with each leaf as `change` returns it, or unchanged.
fn map_leaves(
    types: &SchemaDescriptor,
    change: &Change<'_>,
) -> Result<SchemaDescriptor, ParquetError> {
    Ok(SchemaDescriptor::new(map_type(&types.root_schema_ptr(), change)?))
}

type Change<'a> = dyn Fn(&Type) -> Option<Result<Type, ParquetError>> + 'a;

fn map_type(node: &TypePtr, change: &Change<'_>) -> Result<TypePtr, ParquetError> {
    if node.is_primitive() {
        return change(node).map_or(Ok(node.clone()), |changed| changed.map(Arc::new));
    }
    let fields =
        node.get_fields().iter().map(|field| map_type(field, change)).collect::<Result<_, _>>()?;
    with_fields(node, fields)
}

/// The schema with all keys of maps required, since the library reads them as required.
fn with_required_keys(node: &TypePtr) -> Result<TypePtr, ParquetError> {
    if node.is_primitive() {
        return Ok(node.clone());
    }
    let mut fields =
        node.get_fields().iter().map(with_required_keys).collect::<Result<Vec<_>, _>>()?;
    let info = node.get_basic_info();
    let is_map = info.logical_type_ref() == Some(&LogicalType::Map)
        || matches!(info.converted_type(), ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE);
    if is_map
        && let [entry] = &mut fields[..]
        && entry.is_group()
        && let [key, value] = entry.get_fields()
        && key.is_optional()
    {
        *entry = with_fields(entry, vec![required(key)?, value.clone()])?;
    }
    with_fields(node, fields)
}

/// A field as a required one.
fn required(node: &Type) -> Result<TypePtr, ParquetError> {
    let info = node.get_basic_info();
    let same = match node {
        Type::GroupType { fields, .. } => {
            group(node, fields.clone()).with_repetition(Repetition::REQUIRED).build()
        }
        Type::PrimitiveType { scale, precision, .. } => bare(node)
            .with_converted_type(info.converted_type())
            .with_logical_type(info.logical_type_ref().cloned())
            .with_scale(*scale)
            .with_precision(*precision)
            .with_repetition(Repetition::REQUIRED)
            .build(),
    };
    same.map(Arc::new)
}

fn with_fields(node: &Type, fields: Vec<TypePtr>) -> Result<TypePtr, ParquetError> {
    group(node, fields).build().map(Arc::new)
}

fn group(node: &Type, fields: Vec<TypePtr>) -> GroupTypeBuilder<'_> {
    let info = node.get_basic_info();
    let group = Type::group_type_builder(node.name())
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_id(id(info))
        .with_fields(fields);
    if info.has_repetition() { group.with_repetition(info.repetition()) } else { group }
}

fn id(info: &BasicTypeInfo) -> Option<i32> {
    info.has_id().then(|| info.id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    use ::parquet::arrow::ArrowWriter;
    use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
    use ::parquet::column::writer::ColumnWriter;
    use ::parquet::data_type::Int96;
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use arrow_array::cast::AsArray;
    use arrow_array::types::TimestampMicrosecondType;
    use arrow_array::{
        ArrayRef, Date64Array, RecordBatch, Time32MillisecondArray, TimestampMillisecondArray,
    };
    use arrow_schema::Field;

    use super::super::testing::{every_type, load};
    use crate::read::testing::{options, source};
    use crate::write::{self, Annotation, CLUSTER, DUPLICATE_OF, RowFate};

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
        assert_eq!(
            write::kept(&source, &target, &options(), &mut |_| RowFate::Keep).unwrap().rows,
            2
        );
        let (metadata, batch) = load(&target);
        assert_eq!(metadata.parquet_schema().root_schema().name(), "spark_schema");
        assert_eq!(
            metadata.parquet_schema().column(0).logical_type_ref(),
            Some(&LogicalType::Json)
        );
        // The old type has no time zone.
        assert_eq!(batch.column(1).data_type(), &DataType::Timestamp(TimeUnit::Microsecond, None));
        let times = batch.column(1).as_primitive::<TimestampMicrosecondType>();
        assert_eq!(times.iter().collect::<Vec<_>>(), [Some(253_402_214_400_000_000), None]);
        let pairs = metadata.metadata().file_metadata().key_value_metadata();
        assert!(
            pairs.is_none_or(|pairs| pairs.iter().all(|pair| pair.key != ARROW_SCHEMA_META_KEY))
        );
    }

    fn left_schema(metadata: &ArrowReaderMetadata) -> Option<&str> {
        let pairs = metadata.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY)?.value.as_deref()
    }

    /// pyarrow writes such files: Arrow's types are richer than Parquet's, or have another unit.
    #[test]
    fn types_that_differ_between_arrow_and_parquet_stay() {
        let folder = tempfile::tempdir().unwrap();
        let zone = |unit| DataType::Timestamp(unit, Some("Europe/Berlin".into()));
        let times = Arc::new(
            TimestampMillisecondArray::from(vec![1_000, 2_000]).with_timezone("Europe/Berlin"),
        );
        let dates: ArrayRef = Arc::new(Date64Array::from(vec![0, 86_400_000]));
        let columns: [(&str, ArrayRef, DataType); 4] = [
            ("date", dates.clone(), DataType::Date64),
            ("seconds", times.clone(), zone(TimeUnit::Second)),
            ("nanoseconds", times, zone(TimeUnit::Nanosecond)),
            (
                "time",
                Arc::new(Time32MillisecondArray::from(vec![1_000, 2_000])),
                DataType::Time32(TimeUnit::Second),
            ),
        ];
        let fields =
            columns.iter().map(|(name, _, data_type)| Field::new(*name, data_type.clone(), false));
        let mut fields: Vec<_> = fields.collect();
        let left = encode_arrow_schema(&Schema::new(fields.clone()));
        let batch =
            RecordBatch::try_from_iter(columns.map(|(name, column, _)| (name, column))).unwrap();
        let properties =
            WriterProperties::builder().set_coerce_types(true).set_key_value_metadata(Some(vec![
                KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), left.clone()),
            ]));
        let options = ArrowWriterOptions::new()
            .with_properties(properties.build())
            .with_skip_arrow_metadata(true);
        let mut writer =
            ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
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
        let own = |metadata: &ArrowReaderMetadata| {
            metadata.parquet_schema().root_schema().get_fields()[..4].to_vec()
        };
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
                    let values = [1, 2].map(|byte| {
                        ::parquet::data_type::ByteArray::from(vec![byte; width]).into()
                    });
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
            new.column(4).as_list::<i32>().values().as_primitive::<TimestampMicrosecondType>();
        assert_eq!(times.values(), &[253_402_214_400_000_000; 2]);
    }

    #[test]
    fn a_damaged_arrow_schema_is_no_hindrance() {
        let folder = tempfile::tempdir().unwrap();
        let batch = every_type();
        let pairs =
            vec![KeyValue::new(ARROW_SCHEMA_META_KEY.to_string(), "/////damaged".to_string())];
        let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
        let options =
            ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let mut writer =
            ArrowWriter::try_new_with_options(Vec::new(), batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        let options = crate::read::testing::options();
        let source = source(folder.path(), "a.parquet", &writer.into_inner().unwrap(), &options);
        let target = folder.path().join("copy.parquet");
        let plain = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let read = || ArrowReaderMetadata::load(&File::open(&target).unwrap(), plain()).unwrap();
        assert_eq!(
            write::kept(&source, &target, &options, &mut |_| RowFate::Keep).unwrap().rows,
            4
        );
        assert_eq!(left_schema(&read()), Some("/////damaged"));
        let written =
            write::annotated(&source, &target, &options, &mut |_| Some(Annotation::default()));
        assert_eq!(written.unwrap().rows, 4);
        assert_eq!(left_schema(&read()), None);
        assert_eq!(load(&target).1.num_columns(), 15);
    }
}
