//! Parquet. A damaged file is read up to the damage or refused, in two readings alike.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use crate::bytes::{Bytes, damaged};
use crate::formats::read;
use crate::target;

pub fn file() -> Vec<u8> {
    let texts = ["春眠不觉晓", "处处闻啼鸟", "", "one more row, longer than the others before it"];
    let text: ArrayRef = Arc::new(StringArray::from(texts.repeat(20)));
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..80));
    let batch = RecordBatch::try_from_iter([("id", id), ("text", text)]).unwrap();
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(30))
        .build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn parquet_files() {
    target(
        damaged(file(), &[b"PAR1", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\x15"]),
        |Bytes(bytes)| {
            let found = read("a.parquet", &bytes, None);
            prop_assert!(found.len() <= 100 + bytes.len());
            let numbers: Vec<u64> = found.iter().flatten().map(|(row, _, _)| *row).collect();
            prop_assert!(numbers.is_sorted_by(|one, next| one < next), "{:?}", numbers);
            Ok(())
        },
    );
}

#[test]
fn a_whole_file_is_read() {
    assert_eq!(read("a.parquet", &file(), None).iter().filter(|item| item.is_ok()).count(), 80);
}
