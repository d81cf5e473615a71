//! A file of any format, chosen by the first byte, whose content is the rest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nearprint::{Silent, read};

const NAMES: [&str; 9] = [
    "a.jsonl", "a.csv", "a.tsv", "a.txt", "a.parquet", "a.jsonl.gz", "a.jsonl.zst", "a.csv.gz", "a.txt.zst",
];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, content)) = bytes.split_first() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAMES[*choice as usize % NAMES.len()]);
    std::fs::write(&path, content).unwrap();
    let options = read::Options { max_document_bytes: 1 << 16, ..read::Options::default() };
    let sources = read::find(&[path.display().to_string()], &options, folder.path(), &Silent).unwrap();
    if let Ok(documents) = read::read(&sources[0], &options) {
        documents.for_each(drop);
    }
});
