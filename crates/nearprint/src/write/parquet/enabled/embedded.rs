//! The key-value metadata of a Parquet file -> that of its copy, with the embedded Arrow schema.

use ::parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
use ::parquet::basic::{ConvertedType, LogicalType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{KeyValue, ParquetMetaData};
use ::parquet::schema::types::SchemaDescriptor;
use arrow_schema::{FieldRef, Schema};

use super::types::{bare, map_leaves};
use crate::read::columns::batches::guarded;

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::sync::Arc;

    use ::parquet::arrow::ArrowWriter;
    use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
    use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
    use ::parquet::file::properties::WriterProperties;
    use arrow_array::{
        ArrayRef, Date64Array, RecordBatch, Time32MillisecondArray, TimestampMillisecondArray,
    };
    use arrow_schema::{DataType, Field, TimeUnit};

    use super::super::testing::{every_type, load};
    use crate::read::testing::source;
    use crate::write::{self, Annotation, RowFate};

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
        fields.push(Field::new("duplicate_of", DataType::Utf8, true));
        fields.push(Field::new("cluster", DataType::UInt64, true));
        assert_eq!(left_schema(&after), Some(encode_arrow_schema(&Schema::new(fields)).as_str()));
        assert_eq!(new.project(&[0, 1, 2, 3]).unwrap().columns(), old.columns());
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
