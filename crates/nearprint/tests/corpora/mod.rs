//! The texts of real corpora for tests: of the folder `NEARPRINT_CORPORA`, or of that beside the
//! checkout.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

/// The first texts of a corpus; `None` if there is no such file.
pub fn texts(corpus: &str, most: usize) -> Option<Vec<String>> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("NEARPRINT_CORPORA").map_or_else(beside, PathBuf::from);
    let file = std::fs::File::open(folder.join(format!("{corpus}.jsonl.zst"))).ok()?;
    let lines = BufReader::new(zstd::Decoder::new(file).unwrap()).lines();
    let text = |line: std::io::Result<String>| {
        let row: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        row["text"].as_str().map(str::to_string)
    };
    Some(lines.filter_map(text).take(most).collect())
}
