//! Help for the tests of Parquet copies.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use ::parquet::file::properties::WriterProperties;
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};

/// A Parquet file of this batch.
pub(super) fn file(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// The metadata of a Parquet file, and all its rows.
pub(super) fn load(path: &Path) -> (ArrowReaderMetadata, RecordBatch) {
    let file = File::open(path).unwrap();
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    let batch = arrow_select::concat::concat_batches(metadata.schema(), &batches).unwrap();
    (metadata, batch)
}

/// Four rows of thirteen columns, one for each kind of type.
pub(super) fn every_type() -> RecordBatch {
    let texts = ["一", "b", "c", "d"];
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
        None,
    ]);
    let a: ArrayRef = Arc::new(Int8Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(StringArray::from(texts.to_vec()))),
        ("large", Arc::new(LargeStringArray::from(texts.to_vec()))),
        ("view", Arc::new(StringViewArray::from(texts.to_vec()))),
        ("dictionary", Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>())),
        ("binary", Arc::new(BinaryViewArray::from_iter(texts.map(|text| Some(text.as_bytes()))))),
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))),
        ("list", Arc::new(list)),
        (
            "struct",
            Arc::new(StructArray::from(vec![(Arc::new(Field::new("a", DataType::Int8, true)), a)])),
        ),
        (
            "time",
            Arc::new(
                TimestampMillisecondArray::from(vec![1, 2, 3, 4]).with_timezone("Asia/Shanghai"),
            ),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![1, 2, 3, 4]).with_precision_and_scale(30, 3).unwrap(),
            ),
        ),
        ("date", Arc::new(Date64Array::from(vec![0, 86_400_000, 0, 0]))),
        ("nothing", Arc::new(NullArray::new(4))),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, None, Some(false)]))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(n, c)| (n, c, n != "id")),
    )
    .unwrap();
    let metadata = [("origin".to_string(), "test".to_string())].into();
    let schema = Schema::new_with_metadata(batch.schema().fields().clone(), metadata);
    batch.with_schema(Arc::new(schema)).unwrap()
}
