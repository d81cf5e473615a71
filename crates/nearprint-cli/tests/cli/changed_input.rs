//! Input that is edited in place during a run, with unchanged size and time: the rows to write are
//! not the judged ones.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};

use crate::common::{self, Articles, Place, gzip, rows};

/// Replaces some bytes, and keeps size and time.
fn edit(path: &Path, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let (before, modified) =
        (std::fs::read(path).unwrap(), std::fs::metadata(path).unwrap().modified().unwrap());
    let after = change(before.clone());
    assert!(after.len() == before.len() && after != before);
    std::fs::write(path, after).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

/// A run that is killed after reading its input.
fn start_and_kill(place: &Place, arguments: &[&str]) {
    let mut child: Child = place.command(arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("read ")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.path(".out.unfinished").is_dir() && !place.path("out").exists());
}

/// The row of one document, with a letter changed in a field that no run reads.
fn other_note(bytes: Vec<u8>) -> Vec<u8> {
    String::from_utf8(bytes).unwrap().replacen("\"score\":7", "\"score\":8", 1).into_bytes()
}

fn parquet(json_lines: &str, note: &str) -> Vec<u8> {
    let documents = rows(json_lines);
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        documents.iter().map(|row| row["text"].as_str().unwrap()),
    ));
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..documents.len() as i64));
    let notes: ArrayRef = Arc::new(StringArray::from(vec![note; documents.len()]));
    let batch = RecordBatch::try_from_iter([("id", id), ("text", text), ("note", notes)]).unwrap();
    common::parquet(&batch)
}

#[test]
fn rows_that_were_edited_meanwhile_are_not_written() {
    let lines = Articles::quick(7, 2_500, 80);
    let files: [(&str, Vec<u8>, Vec<u8>); 4] = [
        ("news.jsonl", lines.clone().into(), other_note(lines.clone().into())),
        ("news.parquet", parquet(&lines, "seen"), parquet(&lines, "lost")),
        // Bytes of a header that do not affect the content.
        ("news.jsonl.gz", gzip(lines.as_bytes()), {
            let mut other = gzip(lines.as_bytes());
            other[4] ^= 1;
            other
        }),
        ("news.txt", lines.clone().into(), other_note(lines.clone().into())),
    ];
    for (name, before, after) in files {
        let place = Place::with(name, &before);
        let mut dedup = vec!["dedup", name, "--output", "out", "--threads", "1"];
        if name.ends_with(".txt") {
            dedup.push("--lines");
        }
        let resume = [&dedup[..], &["--resume"]].concat();
        start_and_kill(&place, &dedup);
        edit(&place.path(name), |_| after.clone());
        let run = place.run(&resume).ends_with_code(1);
        let run =
            run.says(&[&format!("nearprint: {name} changed after it was first read; run again")]);
        assert!(!run.stderr.contains("to continue"), "{}", run.stderr);
        // No unfinished run is left that could continue with the old content.
        assert_eq!(place.names(), [name]);
        // The reverse edit; and without an edit, a run continues.
        start_and_kill(&place, &dedup);
        edit(&place.path(name), |_| before.clone());
        place.run(&resume).ends_with_code(1);
        start_and_kill(&place, &dedup);
        place.run(&resume).succeeds();
    }
}
