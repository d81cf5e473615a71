//! Inputs of many files: empty ones are no fault, and files of one name are told apart.

use std::sync::Arc;

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, column, gzip, row, zstd};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::json;

fn parquet_without_rows() -> Vec<u8> {
    let texts: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    common::parquet(&RecordBatch::try_from_iter([("text", texts)]).unwrap())
}

/// A text with another ending.
fn edited(text: &str) -> String {
    format!("{text} So it is said.")
}

/// Files without a row.
fn empty_files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("empty.jsonl", vec![]),
        ("empty.jsonl", b"\n  \r\n\n".to_vec()),
        ("empty.csv", vec![]),
        ("empty.csv", b"id,text\n".to_vec()),
        ("empty.tsv", b"id\ttext\n\n".to_vec()),
        ("empty.jsonl.gz", vec![]),
        ("empty.jsonl.gz", gzip(b"")),
        ("empty.csv.zst", vec![]),
        ("empty.csv.zst", zstd(b"id,text")),
        ("empty.parquet", vec![]),
        ("empty.parquet", parquet_without_rows()),
    ]
}

#[test]
fn an_empty_shard_of_any_format_is_kept_empty() {
    for (file, bytes) in empty_files() {
        let place = Place::with("good.jsonl", row("a", FERRY) + &row("b", LIBRARY));
        place.write(file, &bytes);
        // An input without any row is refused.
        let says = format!("nearprint: {file}: the file has no rows; remove it from the input");
        for against in [&[][..], &["--against", "good.jsonl"]] {
            let run = [&["dedup", file, "--output", "out"], against].concat();
            place.run(&run).ends_with_code(1).says(&[&says]);
        }
        for more in [&[][..], &["--on-error", "skip"]] {
            let run = place.dedup(&[&["good.jsonl", file, "--force"], more].concat());
            assert_eq!(run.stderr, "");
            assert_eq!(place.read("out/kept/good.jsonl"), place.read("good.jsonl"));
            // The copy has no row either.
            let copy = ["dedup", "--check", "good.jsonl", &format!("out/kept/{file}")];
            let run = place.run(&copy).succeeds();
            assert_eq!(run.stdout, "2 documents read from 2 files: 0 problems\n", "{file}");
        }
        if file != "empty.parquet" && !file.contains(".zst") && !file.contains(".gz") {
            assert_eq!(place.read(&format!("out/kept/{file}")), bytes, "{file}");
        }
        place.dedup(&["good.jsonl", file, "--annotate", "--force"]);
        assert_eq!(place.rows("out/annotated/good.jsonl").len(), 2);
        // Its bytes are known, too.
        place.dedup(&["good.jsonl", file, "--force"]);
        place
            .run(&["rethreshold", "out", "--min-similarity", "0.9", "--output", "other"])
            .succeeds();
    }
}

#[test]
fn an_empty_shard_is_no_fault_of_any_verb() {
    let place = Place::with("in/0.jsonl", row("a", FERRY) + &row("b", LIBRARY));
    place.write("in/1.jsonl", "");
    place.write("in/2.csv", "id,text\n");
    place.write("new.jsonl", row("c", &edited(FERRY)));
    place.write("found.csv", "left,right\na,b\n");
    for arguments in [
        &["find", "in", "--text", FERRY][..],
        &["fingerprint", "in"],
        &["stats", "in", "--output", "s"],
        &["tune", "in"],
        &["evaluate", "found.csv", "found.csv", "--documents", "in"],
        &["index", "create", "seen", "in"],
        &["index", "add", "seen", "in"],
        &["index", "query", "seen", "in"],
        &["dedup", "in", "--check"],
        &["dedup", "in/0.jsonl", "in/1.jsonl", "--output", "-"],
        &["dedup", "in", "--output", "dry", "--dry-run"],
        &["dedup", "new.jsonl", "--against", "in", "--output", "out"],
        &["dedup", "new.jsonl", "--against", "seen", "--output", "out2"],
    ] {
        place.run(arguments).succeeds();
    }
    assert_eq!(place.summary("out")["counts"]["removed"], 1);
    assert_eq!(place.summary("out")["against"], json!(["in/0.jsonl", "in/1.jsonl", "in/2.csv"]));
}

#[test]
fn files_of_one_name_are_kept_in_their_folders() {
    let place = Place::with("x/a/part-0.jsonl", row("1", FERRY));
    place.write("x/a/part-1.jsonl", row("2", &edited(FERRY)));
    place.write("x/b/part-0.jsonl", row("3", LIBRARY));
    place.write("other.jsonl", "{\"text\":\"no id\"}\n");
    let kept = ["a/part-0.jsonl", "a/part-1.jsonl", "b/part-0.jsonl", "other.jsonl"];
    for inputs in [
        &["x/a", "x/b", "other.jsonl"][..],
        &["x/a/part-0.jsonl", "x/a/part-1.jsonl", "x/b/part-0.jsonl", "other.jsonl"],
        &["x/*/*.jsonl", "other.jsonl"],
    ] {
        place.dedup(&[inputs, &["--force"]].concat());
        for name in kept {
            assert!(place.path(&format!("out/kept/{name}")).exists(), "{name} of {inputs:?}");
        }
        let read = if inputs.len() == 2 { vec![] } else { kept.to_vec() };
        let names = &place.summary("out")["names"];
        assert!(read.is_empty() || *names == json!(read), "{names}");
        place.dedup(&[inputs, &["--force", "--annotate"]].concat());
        assert!(place.path("out/annotated/b/part-0.jsonl").exists());
    }
    // Names that do not clash stay as they are.
    place.dedup(&["x/a", "other.jsonl", "--force"]);
    assert_eq!(
        common::names(&place.path("out/kept")),
        ["other.jsonl", "part-0.jsonl", "part-1.jsonl"]
    );
}

#[test]
fn no_verb_refuses_files_of_one_name_and_ids_of_rows_differ() {
    let line = |text: &str| json!({ "text": text }).to_string() + "\n";
    let place = Place::with("a/part-0.jsonl", line(FERRY));
    place.write("b/part-0.jsonl", line(&edited(FERRY)) + &line(LIBRARY));
    place.write("found.csv", "left,right\na/part-0.jsonl:1,b/part-0.jsonl:1\n");
    for arguments in [
        &["find", "a", "b", "--text", FERRY][..],
        &["fingerprint", "a", "b"],
        &["stats", "a", "b", "--output", "s"],
        &["tune", "a", "b"],
        &["evaluate", "found.csv", "found.csv", "--documents", "a", "b"],
        &["index", "create", "seen", "a", "b", "--id-field", "off"],
        &["dedup", "a", "b", "--check"],
        &["dedup", "a", "b", "--output", "-"],
        &["dedup", "a", "b", "--output", "dry", "--dry-run"],
        &["dedup", "a", "b", "--output", "out"],
        &["rethreshold", "out", "--min-similarity", "0.8", "--output", "again"],
        &["explain", "out", "a/part-0.jsonl:1", "b/part-0.jsonl:1"],
    ] {
        place.run(arguments).succeeds();
    }
    let run = place.run(&["fingerprint", "a", "b"]).succeeds();
    assert_eq!(
        column(&common::rows(&run.stdout), "id"),
        ["a/part-0.jsonl:1", "b/part-0.jsonl:1", "b/part-0.jsonl:2"]
    );
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(removed.len(), 1, "{removed:?}");
    assert!(place.path("again/kept/b/part-0.jsonl").exists());
}

#[test]
fn rows_of_files_of_one_name_are_found_again() {
    let text = |text: &str| format!("{}\n", json!({ "text": text }));
    let place = Place::with("part.jsonl", text(FERRY) + &text(LIBRARY));
    place.write("b/part.jsonl", text(&format!("{FERRY}!")) + &text(BRIDGE));
    place.dedup(&["part.jsonl", "b/part.jsonl", "--keep", "first"]);
    let removed = &place.rows("out/removed.jsonl")[0];
    let [id, keeper] = ["id", "keeper"].map(|name| removed[name].as_str().unwrap());
    assert!(id.ends_with("/b/part.jsonl:1") || id == "b/part.jsonl:1", "{id}");
    for name in [id, keeper] {
        let explained = place.run(&["explain", "out", name]).succeeds();
        assert!(explained.stdout.contains("part.jsonl, row 1)"), "{}", explained.stdout);
    }
}
