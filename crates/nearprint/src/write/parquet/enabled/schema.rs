//! The types of a Parquet file -> the types to read its rows with, and the types of the copy.
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

use ::parquet::arrow::ArrowSchemaConverter;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::basic::{LogicalType, TimeUnit as ParquetTimeUnit, Type as PhysicalType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{FileMetaData, ParquetMetaData};
use ::parquet::schema::types::{SchemaDescriptor, Type};
use arrow_schema::{DataType, FieldRef, Schema, TimeUnit};

use super::types::{bare, id, map_leaves, with_required_keys};

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

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::arrow::ARROW_SCHEMA_META_KEY;
    use ::parquet::column::writer::ColumnWriter;
    use ::parquet::data_type::Int96;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use arrow_array::cast::AsArray;
    use arrow_array::types::TimestampMicrosecondType;

    use super::super::testing::load;
    use crate::read::testing::{options, source};
    use crate::write::{self, RowFate};

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
}
