//! Files -> documents.
//!
//! Equal documents are read from JSON Lines (plain, with every character beyond ASCII escaped, and
//! compressed), CSV and Parquet.

#[path = "../../nearprint-core/benches/common/mod.rs"]
mod common;

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use common::Language;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nearprint::Silent;
use nearprint::read::{Options, find, read};
use parquet::arrow::ArrowWriter;

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    for language in Language::BOTH {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let texts = language.documents(1_000);
        for (name, bytes) in files(&texts) {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("there is room for temporary files");
            let all = |each: &mut dyn FnMut(String)| each_text(&path, each);
            let mut found = Vec::new();
            all(&mut |text| found.push(text));
            assert!(found == texts, "{name}: other texts than were written");
            group.throughput(Throughput::Bytes(common::bytes(&texts)));
            group.bench_function(format!("{}/{name}", language.name()), |bencher| {
                bencher.iter(|| {
                    let mut bytes = 0;
                    all(&mut |text| bytes += text.len());
                    bytes
                });
            });
        }
    }
}

fn each_text(path: &Path, each: &mut dyn FnMut(String)) {
    let options = Options::default();
    let sources = find(&[path.display().to_string()], &options, Path::new("."), &Silent)
        .expect("it is there");
    let documents = read(&sources[0], &options).expect("it can be opened");
    documents.for_each(|document| each(document.expect("every row has a text").text));
}

fn files(texts: &[String]) -> [(&'static str, Vec<u8>); 5] {
    let json = |text: &String| serde_json::json!({ "text": text }).to_string() + "\n";
    let lines: String = texts.iter().map(json).collect();
    let escaped =
        |c: char| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    let ascii: String = lines.chars().map(escaped).collect();
    let compressed = zstd::encode_all(lines.as_bytes(), 3).expect("memory does not fail");
    let mut csv = csv::Writer::from_writer(Vec::new());
    for record in std::iter::once("text").chain(texts.iter().map(String::as_str)) {
        csv.write_record([record]).expect("memory does not fail");
    }
    let csv = csv.into_inner().expect("memory does not fail");
    let column: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let batch = RecordBatch::try_from_iter([("text", column)]).expect("one column is a table");
    let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), None)
        .expect("the schema is one of Parquet");
    parquet.write(&batch).expect("memory does not fail");
    let parquet = parquet.into_inner().expect("memory does not fail");
    [
        ("plain.jsonl", lines.into_bytes()),
        ("escaped.jsonl", ascii.into_bytes()),
        ("compressed.jsonl.zst", compressed),
        ("records.csv", csv),
        ("column.parquet", parquet),
    ]
}

criterion_group! { name = benches; config = common::criterion(); targets = reading }
criterion_main!(benches);
