//! Unusable input: by default the run stops with code 1, a message and no output; with `--on-error
//! skip` it does the rest, `rejected.jsonl` lists the rejected rows, and the exit code is 3.

use std::sync::Arc;

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, SKIP, gzip, row, zstd};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::{Value, json};

/// A bad file beside a good one, and the expected messages and output.
struct Case<'c> {
    /// The bad file, and its bytes.
    file: &'c str,
    bytes: Vec<u8>,
    /// The bad row; `None` for the whole file.
    row: Option<u64>,
    problem: &'c str,
    /// Parts of the message, with its remedy.
    says: &'c [&'c str],
    /// Number of documents of both files without the skipped ones.
    read: u64,
}

/// Runs with `--on-error fail` and `--on-error skip`, and returns the place after the second run.
fn refused_then_skipped(case: &Case<'_>) -> Place {
    let place = Place::with("good.jsonl", row("good-1", FERRY) + &row("good-2", LIBRARY));
    place.write(case.file, &case.bytes);
    let before = place.names();
    let dedup = ["dedup", case.file, "good.jsonl", "--output", "out"];
    let where_ =
        case.row.map_or(format!("{}: ", case.file), |row| format!("{}, row {row}: ", case.file));
    for fail in [&[][..], &["--on-error", "fail"]] {
        let run = place.run(&[&dedup[..], fail].concat()).ends_with_code(1);
        run.says(&[&format!("nearprint: {where_}"), "--on-error skip"]).says(case.says);
        assert_eq!(place.names(), before, "something was left beside the output folder");
        assert_eq!(place.leftovers(), [""; 0]);
    }

    let run = place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    assert!(run.stderr.ends_with(": see rejected.jsonl\n"), "{}", run.stderr);
    let rejected = place.rows("out/rejected.jsonl");
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert_eq!(rejected[0]["file"], case.file);
    assert_eq!(rejected[0]["row"], json!(case.row));
    assert_eq!(rejected[0]["problem"], case.problem);
    // A report spells settings as the command line does.
    let message = rejected[0]["message"].as_str().unwrap();
    assert!(!message.contains("on-error"), "{rejected:?}");
    for part in case.says {
        assert!(message.contains(part), "{part}: {rejected:?}");
    }
    let counts = &place.summary("out")["counts"];
    assert_eq!((&counts["rejected"], &counts["read"]), (&json!(1), &json!(case.read)));
    assert_eq!(
        place.read("out/kept/good.jsonl"),
        place.read("good.jsonl"),
        "the good file should be kept whole"
    );
    place
}

/// A JSON Lines file whose second of three rows is bad.
fn bad_second_row(line: &[u8], problem: &str, says: &[&str]) {
    let bytes =
        [row("a", BRIDGE).as_bytes(), line, b"\n", row("c", &BRIDGE.repeat(2)).as_bytes()].concat();
    let case = Case { file: "bad.jsonl", bytes, row: Some(2), problem, says, read: 4 };
    let place = refused_then_skipped(&case);
    let kept: Vec<Value> = common::column(&place.rows("out/kept/bad.jsonl"), "id");
    assert!(kept.contains(&json!("a")) && !kept.contains(&json!("b")), "{kept:?}");
}

#[test]
fn a_missing_text_field_is_named() {
    bad_second_row(
        br#"{"id":"b","body":"somewhere else"}"#,
        "missing_field",
        &["no field \"text\"", "--text-field"],
    );
}

#[test]
fn a_null_text_is_no_text() {
    bad_second_row(
        br#"{"id":"b","text":null}"#,
        "null_field",
        &["field \"text\" is null", "give it a text"],
    );
}

#[test]
fn a_text_of_another_type_is_refused() {
    for (value, name) in [
        ("17", "an integer"),
        ("0.5", "a number with a fraction"),
        ("[1]", "an array"),
        ("{\"a\":1}", "an object"),
        ("true", "a boolean"),
    ] {
        let line = format!("{{\"id\":\"b\",\"text\":{value}}}");
        bad_second_row(
            line.as_bytes(),
            "wrong_type",
            &["field \"text\" is", name, "not a string", "name another field"],
        );
    }
}

#[test]
fn an_id_of_another_type_is_refused() {
    bad_second_row(
        br#"{"id":[1],"text":"b"}"#,
        "wrong_type",
        &["field \"id\" is an array", "not a string, a number or a boolean"],
    );
}

#[test]
fn a_line_that_is_no_json_is_refused() {
    let says = ["not a JSON object (column ", "fix the line", "--format"];
    bad_second_row(br#"{"id":"b","text":"the quote never ends}"#, "not_json", &says);
    bad_second_row(b"just a line of text", "not_json", &says);
    bad_second_row(b"[\"b\",\"an array\"]", "not_json", &says);
    bad_second_row(br#"{"id":"b","text":"b"} and more"#, "not_json", &says);
}

#[test]
fn invalid_utf8_is_refused_in_every_text_format() {
    let says = ["not UTF-8 (byte ", "convert the file to UTF-8"];
    // "café" in Latin-1.
    bad_second_row(b"{\"id\":\"b\",\"text\":\"caf\xe9\"}", "not_utf8", &says);
    let csv = b"id,text\na,It snows\nb,caf\xe9\nc,Who sings\n".to_vec();
    refused_then_skipped_csv(csv, "not_utf8", &says);
    let text = Case {
        file: "bad.txt",
        bytes: b"caf\xe9".to_vec(),
        row: Some(1),
        problem: "not_utf8",
        says: &says,
        read: 2,
    };
    refused_then_skipped(&text);
}

/// The second of three records of a CSV file is bad.
fn refused_then_skipped_csv(bytes: Vec<u8>, problem: &str, says: &[&str]) {
    let place = refused_then_skipped(&Case {
        file: "bad.csv",
        bytes,
        row: Some(2),
        problem,
        says,
        read: 4,
    });
    assert_eq!(place.text("out/kept/bad.csv"), "id,text\na,It snows\nc,Who sings\n");
}

#[test]
fn a_nul_byte_is_told_from_text() {
    let says = ["NUL byte at byte ", "UTF-16", "convert it to UTF-8"];
    bad_second_row(b"{\"id\":\"b\",\"text\":\"bin\0ary\"}", "nul_byte", &says);
    refused_then_skipped_csv(
        b"id,text\na,It snows\nb,bin\0ary\nc,Who sings\n".to_vec(),
        "nul_byte",
        &says,
    );
    let bytes = "UTF-16 文".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let says = ["it looks like UTF-16LE: try --encoding UTF-16LE"];
    let text =
        Case { file: "bad.txt", bytes, row: Some(1), problem: "not_utf8", says: &says, read: 2 };
    refused_then_skipped(&text);
}

#[test]
fn a_compressed_file_that_is_cut_off_is_used_up_to_there() {
    let plain = common::Articles::json_lines(1, 600, 60);
    for (file, whole) in
        [("bad.jsonl.gz", gzip(plain.as_bytes())), ("bad.jsonl.zst", zstd(plain.as_bytes()))]
    {
        let place = Place::with("good.jsonl", row("good-1", FERRY) + &row("good-2", LIBRARY));
        place.write(file, &whole[..whole.len() - 9]);
        let dedup = ["dedup", file, "good.jsonl", "--output", "out"];
        let says = ["incomplete or damaged", "fetch the file again"];
        place.run(&dedup).ends_with_code(1).says(&[&format!("nearprint: {file}: ")]).says(&says);
        assert_eq!(place.names().len(), 2);
        place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
        let rejected = place.rows("out/rejected.jsonl");
        assert_eq!((rejected.len(), &rejected[0]["row"]), (1, &Value::Null), "{rejected:?}");
        assert_eq!(rejected[0]["problem"], "truncated");
        let read = place.summary("out")["counts"]["read"].as_u64().unwrap();
        assert!(read > 2 && read <= 602, "{file}: {read} documents");
        assert_eq!(place.read("out/kept/good.jsonl"), place.read("good.jsonl"));
        assert!(place.path(&format!("out/kept/{file}")).exists());
    }
}

#[test]
fn a_file_that_only_begins_like_a_compressed_one_is_refused() {
    for (file, whole) in [("bad.jsonl.gz", gzip(b"{}")), ("bad.jsonl.zst", zstd(b"{}"))] {
        let bytes = [&whole[..10], row("a", BRIDGE).as_bytes()].concat();
        let says = &["incomplete or damaged"];
        refused_then_skipped(&Case { file, bytes, row: None, problem: "truncated", says, read: 2 });
    }
}

#[test]
fn parquet_without_the_column_tells_which_there_are() {
    let columns = ["id", "body", "标题"]
        .map(|name| (name, Arc::new(StringArray::from(vec!["x"])) as ArrayRef));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let says = &["no column \"text\"; there are: id, body, 标题", "--text-field"];
    let place = Place::with("good.jsonl", row("good-1", FERRY) + &row("good-2", LIBRARY));
    place.write("bad.parquet", common::parquet(&batch));
    let dedup = ["dedup", "bad.parquet", "good.jsonl", "--output", "out"];
    place.run(&dedup).ends_with_code(1).says(&["nearprint: bad.parquet: "]).says(says);
    assert_eq!(place.names(), ["bad.parquet", "good.jsonl"]);
    place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    assert_eq!(place.rows("out/rejected.jsonl")[0]["problem"], "missing_column");
    assert_eq!(common::names(&place.path("out/kept")), ["good.jsonl"]);
}

#[test]
fn damaged_parquet_is_refused() {
    let says = &["damaged (", "fetch the file again"];
    let bytes = b"PAR1 and then nothing a reader of Parquet would know".to_vec();
    let case = Case { file: "bad.parquet", bytes, row: None, problem: "damaged", says, read: 2 };
    refused_then_skipped(&case);
}

#[test]
fn a_field_that_comes_twice_is_refused() {
    let says = &["the row has the field \"text\" twice", "remove one of them"];
    bad_second_row(br#"{"id":"b","text":"one","text":"two"}"#, "repeated_field", says);
    bad_second_row(br#"{"id":"b","text":"one","t\u0065xt":"one"}"#, "repeated_field", says);
    bad_second_row(
        br#"{"id":"b","id":"b","text":"one"}"#,
        "repeated_field",
        &["the row has the field \"id\" twice"],
    );
}

#[test]
fn half_a_surrogate_pair_is_called_that() {
    let says = &["\\ud83d is a lone surrogate, half of a character", "fix the line"];
    bad_second_row(br#"{"id":"b","text":"cut off \ud83d"}"#, "not_json", says);
}

#[test]
fn an_id_used_twice_in_a_file_names_both_rows() {
    let says = &["id \"a\" was used before (bad.jsonl, row 1)", "make ids unique", "--id-field"];
    bad_second_row(
        row("a", "Another text under the same name.").trim_end().as_bytes(),
        "duplicate_id",
        says,
    );
}

#[test]
fn an_id_used_twice_over_two_files_names_both_files() {
    let place = Place::with("first.jsonl", row("a", FERRY) + "{\"id\":7,\"text\":\"seven\"}\n");
    place.write("second.jsonl", row("7", LIBRARY) + "{\"id\":7,\"text\":\"another seven\"}\n");
    let dedup = ["dedup", "first.jsonl", "second.jsonl", "--output", "out"];
    let says = ["nearprint: second.jsonl, row 2: id 7 was used before (first.jsonl, row 2)"];
    place.run(&dedup).ends_with_code(1).says(&says);
    place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    let rejected = place.rows("out/rejected.jsonl");
    assert_eq!((&rejected[0]["problem"], &rejected[0]["row"]), (&json!("duplicate_id"), &json!(2)));
    // The text "7" and the number 7 are two ids.
    assert_eq!(place.text("out/kept/second.jsonl"), row("7", LIBRARY));
}

#[test]
fn a_stray_quote_takes_in_no_row_unseen() {
    let says = &["continues after its closing quote; the row spans 2 lines", "double the quotes"];
    let bytes = format!(
        "id\ttext\na\t{BRIDGE}\nb\t\"Open, he said.\nc\t\"Shut\" she said.\nd\t\"{BRIDGE}\n{FERRY}\"\n"
    );
    let case = Case {
        file: "bad.tsv",
        bytes: bytes.into_bytes(),
        row: Some(2),
        problem: "damaged",
        says,
        read: 4,
    };
    refused_then_skipped(&case);
}

#[test]
fn what_a_folder_holds_and_nobody_may_look_at_is_named() {
    let place = Place::with("data/good.jsonl", row("a", FERRY));
    std::os::unix::fs::symlink("nowhere.jsonl", place.path("data/bad.jsonl")).unwrap();
    let dedup = ["dedup", "data", "--output", "out"];
    let says = [
        "nearprint: data/bad.jsonl: cannot be read (No such file",
        "go on without it with --on-error skip",
    ];
    place.run(&dedup).ends_with_code(1).says(&says);
    assert_eq!(place.names(), ["data"]);
    place.run(&[&dedup[..], &SKIP].concat()).ends_with_code(3);
    assert_eq!(place.rows("out/rejected.jsonl")[0]["file"], "data/bad.jsonl");
    assert_eq!(common::names(&place.path("out/kept")), ["good.jsonl"]);
}

#[test]
fn a_verb_without_a_report_tells_on_standard_error_what_it_left_out() {
    let place = Place::with("bad.jsonl", row("a", FERRY) + "{\"id\":\"b\"}\n" + &row("c", LIBRARY));
    place
        .run(&["fingerprint", "bad.jsonl"])
        .ends_with_code(1)
        .says(&["bad.jsonl, row 2: no field \"text\""]);
    let skip = [&["fingerprint", "bad.jsonl"], &SKIP[..]].concat();
    let run = place.run(&skip).ends_with_code(3);
    let run = run.says(&["left out: bad.jsonl, row 2: no field \"text\""]);
    assert_eq!(common::column(&common::rows(&run.stdout), "id"), ["a", "c"]);
    place.run(&["stats", "bad.jsonl", "--output", "s"]).ends_with_code(1);
    assert_eq!(place.names(), ["bad.jsonl"]);
}
