//! `dedup --output -`: the kept rows on standard output, and no other output.

use std::io::Read;
use std::process::Stdio;

use crate::common::{self, FERRY, LIBRARY, Place, SKIP, gzip, row, sample, zstd};

#[test]
fn kept_rows_of_all_inputs_come_in_order_uncompressed() {
    let place = Place::with("b.jsonl", row("1", FERRY).trim_end());
    place.write("a.jsonl.gz", gzip((row("2", LIBRARY) + &row("3", FERRY)).as_bytes()));
    place.write("c.jsonl.zst", zstd(format!("\u{feff}{}", row("4", "Half price")).as_bytes()));
    place.write("d.jsonl", row("5", FERRY));
    let inputs = ["b.jsonl", "a.jsonl.gz", "c.jsonl.zst", "d.jsonl"];
    let before = place.names();
    let run = place.run(&[&["dedup", "--output", "-"], &inputs[..]].concat()).succeeds();
    assert_eq!(run.stdout, row("1", FERRY) + &row("2", LIBRARY) + &row("4", "Half price"));
    assert!(
        run.stderr.contains("removed") && run.stderr.contains("Written to standard output"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains(".jsonl"), "{}", run.stderr);
    assert_eq!((place.names(), place.leftovers()), (before, vec![]));
    let quiet = place.run(&[&["dedup", "-o", "-", "-q"], &inputs[..]].concat()).succeeds();
    assert_eq!((quiet.stdout, quiet.stderr), (run.stdout, String::new()));
}

#[test]
fn the_stream_of_one_file_is_the_kept_file() {
    let place = sample();
    place.dedup(&["articles.jsonl"]);
    let run = place
        .run_with_input(&["dedup", "-", "--output", "-", "--quiet"], &place.read("articles.jsonl"));
    assert_eq!(run.succeeds().stdout, place.text("out/kept/articles.jsonl"));
}

#[test]
fn a_header_comes_once() {
    const SHIP: &str =
        "The night ferry to Cobble Island sails again from Friday with two new engines";
    const SPADES: &str =
        "Our village library lends spades and shears and a cider press for two weeks";
    let place = Place::with("a.csv", format!("\u{feff}id,text\r\n1,{SHIP}\r\n2,{SPADES}"));
    place.write("b.csv", format!("\"id\",text\n3,{SHIP}\n4,\"Half\nprice\"\n"));
    place.write("c.csv", format!("text,id\n{SHIP},5\n"));
    place.write("a.tsv", format!("id\ttext\n3\t{SHIP}\n"));
    let run = place.run(&["dedup", "a.csv", "b.csv", "--output", "-", "--quiet"]).succeeds();
    assert_eq!(run.stdout, format!("id,text\r\n1,{SHIP}\r\n2,{SPADES}\n4,\"Half\nprice\"\n"));
    let differ = place.run(&["dedup", "a.csv", "c.csv", "--output", "-"]).ends_with_code(2);
    differ.says(&[
        "--output: a stream has one header, but a.csv and c.csv have different ones; name a folder",
    ]);
    let differ = place.run(&["dedup", "a.csv", "a.tsv", "--output", "-"]).ends_with_code(2);
    differ.says(&[
        "--output: a stream has one format, but a.csv is csv, and a.tsv is tsv; name a folder",
    ]);
}

#[test]
fn masked_rows_and_rows_left_out_are_told_as_in_a_folder() {
    let place =
        Place::with("train.jsonl", row("1", &format!("{LIBRARY} {FERRY}")) + "{\"id\":2}\n");
    place.write("test.jsonl", row("1", FERRY));
    let dedup = ["dedup", "train.jsonl", "--against", "test.jsonl", "--leak-action", "mask"];
    let dedup = [&dedup[..], &SKIP].concat();
    place.run(&[&dedup[..], &["--output", "out", "--quiet"]].concat()).ends_with_code(3);
    let run = place.run(&[&dedup[..], &["--output", "-"]].concat()).ends_with_code(3);
    let run = run.says(&["nearprint: 1 row left out; the first: train.jsonl, row 2: no field"]);
    assert!(run.stdout.contains("[masked]"), "{}", run.stdout);
    assert_eq!(run.stdout, place.text("out/kept/train.jsonl"));
    assert!(
        !run.stderr.contains("leaks.jsonl") && !run.stderr.contains("rejected.jsonl"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_makes_no_stream_is_refused_by_name() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    place.write("a.txt", FERRY);
    place.write("a.parquet", "PAR1");
    let before = place.names();
    for flag in ["--pairs", "--annotate", "--dry-run", "--resume", "--force"] {
        let run = place.run(&["dedup", "news.jsonl", "--output", "-", flag]).ends_with_code(2);
        assert_eq!(run.stdout, "");
        run.says(&[&format!("{flag}: needs an output folder"), "leave it out, or name a folder"]);
    }
    let parquet = place.run(&["dedup", "a.parquet", "--output", "-"]).ends_with_code(2);
    parquet.says(&[
        "--output: a.parquet is Parquet, which cannot be written as a stream; name a folder",
    ]);
    let text = place.run(&["dedup", "a.txt", "--output", "-"]).ends_with_code(2);
    text.says(&["--output: a.txt is one document, and a stream", "--format lines"]);
    let lines =
        place.run(&["dedup", "a.txt", "--output", "-", "--format", "lines", "-q"]).succeeds();
    assert_eq!(lines.stdout, FERRY);
    assert_eq!((place.names(), place.leftovers()), (before, vec![]));
}

#[test]
fn nothing_is_written_before_all_is_read() {
    let place = Place::with("news.jsonl", row("a", FERRY) + "no\n");
    let run = place.run(&["dedup", "news.jsonl", "--output", "-"]).ends_with_code(1);
    assert_eq!((run.stdout.as_str(), place.leftovers()), ("", vec![]));
    assert_eq!(place.names(), ["news.jsonl"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let rows: String = (0..40_000).map(|n| row(&n.to_string(), &n.to_string())).collect();
    let place = Place::with("news.jsonl", &rows);
    let mut child = place
        .command(&["dedup", "news.jsonl", "-o", "-", "-q"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    let output = child.wait_with_output().unwrap();
    common::Run::new(&["dedup"], output).succeeds();
    assert_eq!((&start[..], place.leftovers()), (&rows.as_bytes()[..10], vec![]));
}
