//! Every format in and out: kept rows keep their bytes, schema, name and compression.

use std::sync::Arc;

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, column, gunzip, gzip, names, row, zstd};
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Schema};
use serde_json::json;

/// `FERRY` with one word changed.
fn ferry_copy() -> String {
    FERRY.replace("cardamom", "cinnamon")
}

/// Rows with odd spacing and order, escapes, both line ends, a blank line, and no line end at the
/// end. The third is a near copy of the first.
fn untidy_rows() -> [String; 5] {
    [
        format!("{{ \"text\" : \"{FERRY}\",\"id\":10,  \"tags\":[1, 2.50,null] }}\n"),
        "\n".to_string(),
        format!("{{\"id\":11,\"text\":\"{}\"}}\r\n", ferry_copy()),
        format!("{{\"text\":\"{BRIDGE}\",\"id\":12,\"\\u540d\":\"\\u6865\\/\",\"n\":1e3}}\r\n"),
        format!("\t{{\"id\":13,\"text\":\"{LIBRARY}\",\"more\":{{\"deep\":[{{}}]}}}}"),
    ]
}

#[test]
fn kept_json_lines_are_the_inputs_own_bytes() {
    let rows = untidy_rows();
    let place = Place::with("untidy.jsonl", rows.concat());
    place.dedup(&["untidy.jsonl"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(
        (column(&removed, "id"), column(&removed, "keeper")),
        (vec![json!(11)], vec![json!(10)])
    );
    assert_eq!(place.text("out/kept/untidy.jsonl"), [&rows[0], "\n", &rows[3], &rows[4]].concat());
}

#[test]
fn compressed_json_lines_stay_compressed() {
    let rows = untidy_rows();
    let kept = [&rows[0], "\n", &rows[3], &rows[4]].concat();
    let place = Place::with("a.jsonl.gz", gzip(rows.concat().as_bytes()));
    place.write("b.ndjson.zst", zstd(rows.concat().replace("\"id\":1", "\"id\":2").as_bytes()));
    place.dedup(&["a.jsonl.gz", "b.ndjson.zst", "--text-field", "text", "--max-distance", "off"]);
    // Equal texts in the second file are removed too; near copies are kept without a distance.
    assert_eq!(gunzip(&place.read("out/kept/a.jsonl.gz")), rows.concat().as_bytes());
    assert_eq!(zstd::decode_all(&place.read("out/kept/b.ndjson.zst")[..]).unwrap(), b"\n");

    let place = Place::with("a.jsonl.gz", gzip(rows.concat().as_bytes()));
    place.dedup(&["a.jsonl.gz"]);
    assert_eq!(gunzip(&place.read("out/kept/a.jsonl.gz")), kept.as_bytes());
    assert_eq!(names(&place.path("out/kept")), ["a.jsonl.gz"]);
}

/// A Parquet file of four rows with an integer id, the text, two more columns and metadata.
fn parquet_bytes() -> (RecordBatch, Vec<u8>) {
    let lists = [Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(4)])];
    let columns: [(&str, ArrayRef); 4] = [
        ("标签", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
        ("id", Arc::new(Int64Array::from(vec![7, 8, 9, 10]))),
        ("text", Arc::new(StringArray::from(vec![FERRY, LIBRARY, &ferry_copy(), BRIDGE]))),
        ("note", Arc::new(StringArray::from(vec![Some("first"), None, Some("third"), None]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let metadata = [("made-by".to_string(), "a test".to_string())].into();
    let schema = Schema::new_with_metadata(batch.schema().fields().clone(), metadata);
    let batch = batch.with_schema(Arc::new(schema)).unwrap();
    let bytes = common::parquet(&batch);
    (batch, bytes)
}

#[test]
fn kept_parquet_has_the_schema_and_all_columns_of_the_input() {
    let (batch, bytes) = parquet_bytes();
    let place = Place::with("news.parquet", bytes);
    place.dedup(&["news.parquet"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(
        (column(&removed, "id"), column(&removed, "keeper")),
        (vec![json!(9)], vec![json!(7)])
    );
    let kept = common::read_parquet(&place, "out/kept/news.parquet");
    assert_eq!(kept.schema(), batch.schema());
    let rows = arrow_array::UInt32Array::from(vec![0, 1, 3]);
    assert_eq!(kept, arrow_select::take::take_record_batch(&batch, &rows).unwrap());
}

#[test]
fn annotated_parquet_has_two_more_columns() {
    let (batch, bytes) = parquet_bytes();
    let place = Place::with("news.parquet", bytes);
    place.dedup(&["news.parquet", "--annotate"]);
    let annotated = common::read_parquet(&place, "out/annotated/news.parquet");
    assert_eq!(annotated.project(&[0, 1, 2, 3]).unwrap().columns(), batch.columns());
    let schema = annotated.schema();
    assert_eq!(schema.field(4).name(), "duplicate_of");
    assert_eq!(
        (schema.field(4).data_type(), schema.field(5).name().as_str()),
        (&DataType::Int64, "cluster")
    );
    let duplicate_of = annotated.column(4).as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(duplicate_of.iter().collect::<Vec<_>>(), [None, None, Some(7), None]);
    let cluster = annotated.column(5);
    assert_eq!(
        (0..4).map(|row| cluster.is_null(row)).collect::<Vec<_>>(),
        [false, true, false, true]
    );
    assert!(!place.path("out/kept").exists());
}

/// A CSV file with quotes, line ends and delimiters inside of values; the third record is a near
/// copy of the first.
fn csv_records() -> [String; 5] {
    [
        "\"id\",extra,text\n".to_string(),
        format!("a,\"say \"\"hello\"\", twice\",\"{FERRY}\nSecond line, with a comma.\"\n"),
        format!("b,,\"{LIBRARY}\"\r\n"),
        format!("\"c\",2,\"{}\nSecond line, with a comma.\"\n", ferry_copy()),
        format!("d,\"\",{BRIDGE}"),
    ]
}

#[test]
fn kept_csv_records_are_the_inputs_own_bytes() {
    let records = csv_records();
    let place = Place::with("news.csv", records.concat());
    place.dedup(&["news.csv"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["c"]);
    assert_eq!(place.text("out/kept/news.csv"), [&records[..3], &records[4..]].concat().concat());
}

#[test]
fn annotated_csv_has_two_more_columns() {
    let records = csv_records();
    let place = Place::with("news.csv.gz", gzip(records.concat().as_bytes()));
    place.dedup(&["news.csv.gz", "--annotate"]);
    let expected = [
        records[0].replace('\n', ",duplicate_of,cluster\n"),
        records[1].trim_end().to_string() + ",,1\n",
        records[2].trim_end().to_string() + ",,\r\n",
        records[3].trim_end().to_string() + ",a,1\n",
        records[4].clone() + ",,",
    ];
    assert_eq!(
        String::from_utf8(gunzip(&place.read("out/annotated/news.csv.gz"))).unwrap(),
        expected.concat()
    );
}

#[test]
fn tsv_is_read_and_kept() {
    let records = [
        "text\tid\n",
        &format!("{FERRY}\t1\n"),
        &format!("{}\t2\n", ferry_copy()),
        &format!("{BRIDGE}\t3\n"),
    ];
    let place = Place::with("news.tsv", records.concat());
    place.dedup(&["news.tsv"]);
    assert_eq!(place.text("out/kept/news.tsv"), [records[0], records[1], records[3]].concat());
}

#[test]
fn annotated_json_lines_have_two_more_fields_and_are_otherwise_untouched() {
    let rows = untidy_rows();
    let place = Place::with("untidy.jsonl", rows.concat());
    place.dedup(&["untidy.jsonl", "--annotate"]);
    let annotated = place.text("out/annotated/untidy.jsonl");
    let lines: Vec<&str> = annotated.split_inclusive('\n').collect();
    let expected = [
        rows[0].replace("] }", "] ,\"duplicate_of\":null,\"cluster\":1}"),
        rows[1].clone(),
        rows[2].replace("\"}", "\",\"duplicate_of\":10,\"cluster\":1}"),
        rows[3].replace("1e3}", "1e3,\"duplicate_of\":null,\"cluster\":null}"),
        rows[4].replace("]}}", "]},\"duplicate_of\":null,\"cluster\":null}"),
    ];
    assert_eq!(lines, expected);
    assert!(place.path("out/removed.jsonl").exists() && !place.path("out/kept").exists());
}

#[test]
fn text_files_of_a_folder_are_documents() {
    let place = Place::with("shelf/ferry.txt", FERRY);
    place.write("shelf/deep/ferry copy.txt", ferry_copy());
    place.write("shelf/deep/bridge.txt.zst", zstd(BRIDGE.as_bytes()));
    place.write("shelf/library.text", LIBRARY);
    place.write("shelf/picture.png", "not a text");
    place.write("shelf/.hidden.txt", FERRY);
    place.dedup(&["shelf"]);
    let removed = place.rows("out/removed.jsonl");
    // Files come sorted by name: deep/bridge, deep/ferry copy, ferry, library.
    assert_eq!(column(&removed, "id"), ["ferry.txt:1"]);
    assert_eq!(column(&removed, "keeper"), ["deep/ferry copy.txt:1"]);
    assert_eq!(names(&place.path("out/kept")), ["deep", "library.text"]);
    assert_eq!(place.text("out/kept/deep/ferry copy.txt"), ferry_copy());
    assert_eq!(place.read("out/kept/deep/bridge.txt.zst"), place.read("shelf/deep/bridge.txt.zst"));
}

#[test]
fn lines_of_a_text_file_are_documents() {
    let lines = [FERRY, "\n", BRIDGE, "\n\n", &ferry_copy(), "\n", LIBRARY];
    let place = Place::with("lines.txt", lines.concat());
    place.dedup(&["lines.txt", "--lines"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["lines.txt:4"]);
    assert_eq!(place.text("out/kept/lines.txt"), [FERRY, "\n", BRIDGE, "\n\n", LIBRARY].concat());
}

#[test]
fn standard_input_is_read_in_every_format_and_compression() {
    let plain = row("a", FERRY) + &row("b", &ferry_copy()) + &row("c", BRIDGE);
    let kept = row("a", FERRY) + &row("c", BRIDGE);
    let place = Place::new();
    let dedup = ["dedup", "-", "--output", "out", "--force"];
    place.run_with_input(&dedup, plain.as_bytes()).succeeds();
    assert_eq!(place.text("out/kept/stdin.jsonl"), kept);
    place.run_with_input(&dedup, &gzip(plain.as_bytes())).succeeds();
    assert_eq!(gunzip(&place.read("out/kept/stdin.jsonl.gz")), kept.as_bytes());
    let lines = [FERRY, "\n", &ferry_copy(), "\n"].concat();
    place
        .run_with_input(&[&dedup[..], &["--format", "lines"]].concat(), lines.as_bytes())
        .succeeds();
    assert_eq!(place.text("out/kept/stdin.txt"), [FERRY, "\n"].concat());
    place
        .run_with_input(&[&dedup[..], &["--format", "parquet"]].concat(), &parquet_bytes().1)
        .succeeds();
    assert_eq!(common::read_parquet(&place, "out/kept/stdin.parquet").num_rows(), 3);
    let run = place.run_with_input(&dedup, b"{\"text\":1}\n").ends_with_code(1);
    run.says(&["nearprint: standard input, row 1: field \"text\" is "]);
    assert_eq!(place.leftovers(), [""; 0]);
}

#[test]
fn fields_of_any_name_hold_text_and_id() {
    let long =
        "One more sentence that both share, about the weather on the quay and the price of rope.";
    let rows = [
        json!({"标题": FERRY, "url": "x", "body": long, "id": {"not": "used"}}),
        json!({"标题": LIBRARY, "url": "y", "body": long}),
        json!({"标题": ferry_copy(), "url": "z", "body": null}),
    ];
    let place = Place::with("pages.jsonl", rows.map(|row| format!("{row}\n")).concat());
    let both = ["pages.jsonl", "--text-field", "标题", "--text-field", "body", "--id-field", "url"];
    place.dedup(&[&both[..], &["--min-similarity", "0.6"]].concat());
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(
        (column(&removed, "id"), column(&removed, "keeper")),
        (vec![json!("z")], vec![json!("x")])
    );
    // With one of the fields alone, other rows are duplicates.
    place.dedup_the_rest(&["pages.jsonl", "--text-field", "body", "--id-field", "url", "--force"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["y"]);
    assert_eq!(place.rows("out/rejected.jsonl")[0]["problem"], "null_field");
}

#[test]
fn ids_stay_what_they_are_and_absent_ones_are_file_and_row() {
    let ids = ["18446744073709551615", "-3", "\"7\"", "7", "\"\\u6865 \\\"x\\\"\"", "null"];
    let line = |id: &str| format!("{{\"id\":{id},\"text\":\"{FERRY}\"}}\n");
    let lines = ids.map(line).concat() + &format!("{{\"text\":\"{FERRY}\"}}\n");
    let place = Place::with("folder/ids.jsonl", lines);
    place.dedup(&["folder", "--pairs"]);
    let removed = place.rows("out/removed.jsonl");
    let expected = [
        json!(-3),
        json!("7"),
        json!(7),
        json!("桥 \"x\""),
        json!("ids.jsonl:6"),
        json!("ids.jsonl:7"),
    ];
    assert_eq!(column(&removed, "id"), expected);
    assert!(removed.iter().all(|row| row["keeper"] == json!(u64::MAX) && row["reason"] == "exact"));
    let members = [&[json!(u64::MAX)], &expected[..]].concat();
    let cluster = json!({"cluster": 1, "keeper": u64::MAX, "size": 7, "members": members});
    assert_eq!(place.rows("out/clusters.jsonl"), [cluster]);
    assert!(place.rows("out/pairs.jsonl").contains(&json!(
        {"left": u64::MAX, "right": "ids.jsonl:7", "distance": 0, "similarity": 1.0, "reason": "exact"}
    )));
}

#[test]
fn a_dry_run_writes_the_reports_only() {
    let place = Place::with("news.jsonl", row("a", FERRY) + &row("b", &ferry_copy()));
    place.dedup(&["news.jsonl", "--dry-run", "--pairs"]);
    assert_eq!(
        names(&place.path("out")),
        [
            "clusters.jsonl",
            "fingerprints.bin",
            "just_missed.jsonl",
            "pairs.jsonl",
            "removed.jsonl",
            "summary.json"
        ]
    );
    assert_eq!(place.summary("out")["counts"]["removed"], 1);
}

#[test]
fn the_format_can_be_named_where_the_ending_does_not_tell() {
    let place = Place::with("dump.log", row("a", FERRY) + &row("b", &ferry_copy()));
    place.dedup(&["dump.log", "--format", "jsonl"]);
    assert_eq!(place.text("out/kept/dump.log"), row("a", FERRY));
    // `--format` also overrides the ending.
    place.write("lines.csv", [FERRY, "\n", &ferry_copy(), "\n"].concat());
    place.dedup(&["lines.csv", "--format", "lines", "--force"]);
    assert_eq!(place.text("out/kept/lines.csv"), [FERRY, "\n"].concat());
}

#[test]
fn a_parquet_file_is_known_by_its_first_bytes() {
    let (_, bytes) = parquet_bytes();
    let place = Place::with("data/x.parquet", &bytes);
    place.write("data/part-00000", row("other", BRIDGE));
    for inputs in [&["data/part-00000", "data/x.parquet"][..], &["data/*"]] {
        place.dedup(&[inputs, &["--format", "jsonl", "--force"]].concat());
        let removed = place.rows("out/removed.jsonl");
        assert_eq!(column(&removed, "id"), [json!(9), json!(10)], "{inputs:?}");
        assert_eq!(common::read_parquet(&place, "out/kept/x.parquet").num_rows(), 2, "{inputs:?}");
    }
    // The name says nothing, or something else.
    place.write("renamed.jsonl.gz", &bytes);
    place.dedup(&["renamed.jsonl.gz", "--force"]);
    assert_eq!(common::read_parquet(&place, "out/kept/renamed.jsonl.gz").num_rows(), 3);
    place.write("renamed.txt", &bytes);
    let run = place.run(&["compare", "renamed.txt", "data/part-00000"]).ends_with_code(2);
    run.says(&["renamed.txt has rows, and is not one text"]);
    let run = place.run_with_input(&["dedup", "-", "--output", "out2"], &bytes).ends_with_code(1);
    run.says(&["standard input: this is a Parquet file; read it with --format parquet"]);
}

#[test]
fn folders_globs_and_files_come_in_the_order_given_and_keep_their_names() {
    let place = Place::with("z.jsonl", row("z", FERRY));
    place.write("years/2025/news.jsonl", row("2025", &ferry_copy()));
    place.write("years/2026/news.jsonl", row("2026", BRIDGE));
    place.write("more-1.csv", format!("id,text\nm,\"{LIBRARY}\"\n"));
    place.write("more-2.txt", LIBRARY.to_uppercase());
    place.write("more-3.bin", "no ending known");
    place.dedup(&["z.jsonl", "years", "more-*"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), ["2025", "more-2.txt:1"]);
    assert_eq!(column(&removed, "keeper"), ["z", "m"]);
    assert_eq!(names(&place.path("out/kept")), ["2025", "2026", "more-1.csv", "z.jsonl"]);
    // A file without kept rows is written empty; a removed text file is not written.
    assert_eq!(place.text("out/kept/2025/news.jsonl"), "");
    assert_eq!(place.text("out/kept/2026/news.jsonl"), row("2026", BRIDGE));
}
