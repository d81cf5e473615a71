//! `nearprint evaluate`: files of answers, their columns, and refused files.

use std::sync::Arc;

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, SKIP, gzip, row, zstd};
use crate::evaluate::{counts, evaluate, place, refused};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use serde_json::json;

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    common::parquet(&RecordBatch::try_from_iter_with_nullable(columns).unwrap())
}

#[test]
fn pairs_are_the_same_in_every_format() {
    let place = place();
    let lines = "{\"left\":1,\"right\":\"2\"}\n\n{\"right\":3,\"left\":4,\"more\":[{}]}\n";
    place.write("found.jsonl", lines);
    place.write("found.jsonl.gz", gzip(lines.as_bytes()));
    place.write("found.ndjson.zst", zstd(lines.as_bytes()));
    place.write("found.pairs", lines);
    place.write("found.tsv", "note\tright\tleft\n\t2\t1\n\t4\t3\n");
    let strings: ArrayRef = Arc::new(StringArray::from(vec!["1", "3"]));
    let integers: ArrayRef = Arc::new(Int64Array::from(vec![2, 4]));
    place.write("found.parquet", parquet(vec![("right", integers), ("left", strings)]));
    for found in [
        "found.csv",
        "found.jsonl",
        "found.jsonl.gz",
        "found.ndjson.zst",
        "found.pairs",
        "found.tsv",
        "found.parquet",
    ] {
        let report = evaluate(&place, &[found, "truth.csv"]);
        assert_eq!(counts(&report), [4, 2, 3, 1], "{found}");
        assert_eq!(
            (&report["found"]["shape"], &report["found"]["rows"]),
            (&json!("pairs"), &json!(2)),
            "{found}"
        );
    }
    let run = place
        .run_with_input(&["evaluate", "-", "truth.csv", "--json"], lines.as_bytes())
        .succeeds();
    assert_eq!(counts(&run.json()), [4, 2, 3, 1]);
}

#[test]
fn what_a_name_does_not_tell_the_format_does() {
    let place = place();
    let integers = |numbers: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(numbers)) };
    let columns = parquet(vec![("left", integers(vec![1, 3])), ("right", integers(vec![2, 4]))]);
    let (csv, tsv) = (place.read("found.csv"), b"left\tright\n1\t2\n3\t4\n");
    for (format, bytes) in [
        ("csv", &csv[..]),
        ("csv", &gzip(&csv)),
        ("tsv", tsv),
        ("parquet", &columns),
        ("jsonl", b"{\"left\":1,\"right\":2}\n{\"left\":3,\"right\":4}\n"),
    ] {
        // The names of the other files tell their formats.
        let run = place
            .run_with_input(&["evaluate", "-", "truth.csv", "--json", "--format", format], bytes)
            .succeeds();
        assert_eq!(counts(&run.json()), [4, 2, 3, 1], "{format}");
        let run = place
            .run_with_input(&["evaluate", "truth.csv", "-", "--json", "--format", format], bytes)
            .succeeds();
        assert_eq!(counts(&run.json()), [4, 3, 2, 1], "{format}");
    }
    place.write("found.pairs", &csv);
    place.write("found.txt", &csv);
    for name in ["found.pairs", "found.txt"] {
        assert_eq!(
            counts(&evaluate(&place, &[name, "truth.csv", "--format", "csv"])),
            [4, 2, 3, 1],
            "{name}"
        );
    }
    refused(
        &place,
        &["found.pairs", "truth.csv"],
        1,
        &["found.pairs, row 1: not a JSON object", "with --format"],
    );
}

#[test]
fn documents_keep_the_format_of_their_name_whatever_that_of_standard_input_is() {
    let place = Place::with(
        "news.jsonl",
        row("ferry", FERRY) + &row("library", LIBRARY) + &row("bridge", BRIDGE),
    );
    place.write("labels.csv", "left,right\nferry,bridge\n");
    let arguments =
        ["evaluate", "-", "labels.csv", "--documents", "news.jsonl", "--format", "csv", "--json"];
    let report = place.run_with_input(&arguments, b"left,right\nferry,library\n").succeeds().json();
    assert_eq!((counts(&report), &report["documents"]["in_documents"]), ([3, 1, 1, 0], &json!(3)));
    assert!(
        report["misses"]["pairs"][0]["left_text"].as_str().unwrap().starts_with("[The night ferry")
    );
}

#[test]
fn clusters_are_the_same_in_every_shape_and_format() {
    let place = place();
    place.write(
        "labels.jsonl",
        "{\"id\":4}\n{\"id\":1,\"cluster\":7}\n{\"id\":\"2\",\"cluster\":\"7\"}\n{\"id\":3,\"cluster\":7}\n",
    );
    place.write(
        "null.jsonl",
        "{\"id\":4,\"cluster\":null}\n{\"id\":1,\"cluster\":7}\n{\"id\":2,\"cluster\":7}\n{\"id\":3,\"cluster\":7}\n",
    );
    place.write(
        "clusters.jsonl",
        "{\"cluster\":1,\"keeper\":2,\"size\":3,\"members\":[1,2,\"3\"]}\n",
    );
    place.write(
        "removed.jsonl",
        "{\"id\":1,\"keeper\":2,\"cluster\":1}\n{\"id\":3,\"keeper\":2,\"cluster\":1}\n",
    );
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let names: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), Some("x"), Some("x"), None]));
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![0.0, 0.0, 0.0, f64::NAN]));
    place.write("names.parquet", parquet(vec![("id", ids.clone()), ("cluster", names)]));
    place.write("numbers.parquet", parquet(vec![("id", ids), ("cluster", numbers)]));
    for truth in [
        "truth.csv",
        "labels.jsonl",
        "null.jsonl",
        "clusters.jsonl",
        "removed.jsonl",
        "names.parquet",
        "numbers.parquet",
    ] {
        let report = evaluate(&place, &["found.csv", truth]);
        assert_eq!(counts(&report), [4, 2, 3, 1], "{truth}");
        assert_eq!(report["truth"]["shape"], "clusters", "{truth}");
        // Precision and recall swap with the files.
        let exchanged = evaluate(&place, &[truth, "found.csv"]);
        assert_eq!(report["measures"]["precision"], exchanged["measures"]["recall"], "{truth}");
        assert_eq!(
            report["measures"]["adjusted_rand_index"], exchanged["measures"]["adjusted_rand_index"],
            "{truth}"
        );
    }
}

#[test]
fn an_output_folder_stands_for_its_pairs_or_else_its_clusters() {
    let place = place();
    place.write("all/pairs.jsonl", "{\"left\":1,\"right\":2,\"distance\":9,\"similarity\":0.8}\n");
    place.write("all/clusters.jsonl", "{\"cluster\":1,\"members\":[1,2,3,4]}\n");
    place.write("all/removed.jsonl", "");
    place.write("clusters/clusters.jsonl", "{\"cluster\":1,\"members\":[1,2,3,4]}\n");
    place.write("removed/removed.jsonl", "{\"id\":2,\"keeper\":1}\n");
    place.write("other/x.jsonl", "{}\n");
    for (folder, found) in [("all", 1), ("clusters", 6), ("removed", 1)] {
        assert_eq!(
            evaluate(&place, &[folder, "truth.csv"])["counts"]["found_pairs"],
            found,
            "{folder}"
        );
    }
    refused(
        &place,
        &["other", "truth.csv"],
        2,
        &["input: other holds no pairs.jsonl", "name a file"],
    );
}

#[test]
fn columns_may_have_other_names() {
    let place = place();
    place.write("judged.csv", "a,b,verdict,id\n1,2,1,p\n4,3,0,q\n1,3,1.0,r\n2,3,true,s\n");
    let columns = ["--left-field", "a", "--right-field", "b", "--label-field", "verdict"];
    // FOUND still has the default names.
    let report = evaluate(&place, &[&["found.csv", "judged.csv"], &columns[..]].concat());
    assert_eq!(counts(&report), [4, 2, 3, 1]);
    place.write(
        "groups.jsonl",
        "{\"url\":1,\"group\":\"g\",\"left\":0,\"right\":0}\n{\"url\":2,\"group\":\"g\"}\n",
    );
    let groups = ["found.csv", "groups.jsonl", "--id-field", "url", "--cluster-field", "group"];
    assert_eq!(counts(&evaluate(&place, &groups)), [4, 2, 1, 1]);
    for (flag, name) in [("--left-field", "aa"), ("--cluster-field", "g"), ("--label-field", "l")] {
        let says = format!("{flag}: neither FOUND nor TRUTH has a column \"{name}\"");
        refused(&place, &["found.csv", "truth.csv", flag, name], 2, &[&says]);
    }
}

#[test]
fn one_column_in_two_roles_is_refused() {
    let place = place();
    for (arguments, says) in [
        (
            &["found.csv", "truth.csv", "--left-field", "left", "--right-field", "left"][..],
            "--right-field: column \"left\"",
        ),
        (
            &["found.csv", "truth.csv", "--right-field", "left"],
            "--right-field: column \"left\" of found.csv would have",
        ),
        (
            &["found.csv", "truth.csv", "--left-field", "right"],
            "--left-field: column \"right\" of found.csv would have",
        ),
        (
            &["found.csv", "truth.csv", "--label-field", "right"],
            "--label-field: column \"right\" of found.csv",
        ),
        (
            &["found.csv", "truth.csv", "--cluster-field", "id"],
            "--cluster-field: column \"id\" of truth.csv",
        ),
    ] {
        refused(&place, arguments, 2, &[says, "name another column"]);
    }
}

#[test]
fn a_column_that_is_there_twice_is_refused_where_it_is_used() {
    let place = place();
    place.write("twice.csv", "left,right,left,note,note\n1,2,3,,\n");
    let says = "nearprint: twice.csv: several columns have the name \"left\"";
    refused(&place, &["twice.csv", "truth.csv"], 1, &[says, "give each column its own name"]);
    place.write("both.tsv", "id\tcluster\tid\tcluster\n1\t2\t3\t4\n");
    let says = "nearprint: both.tsv: several columns have the name \"id\", or \"cluster\"";
    refused(&place, &["found.csv", "both.tsv"], 1, &[says]);
    place.write("notes.csv", "left,right,note,note\n1,2,,\n3,4,,\n");
    assert_eq!(counts(&evaluate(&place, &["notes.csv", "truth.csv"])), [4, 2, 3, 1]);
    place.write("texts.csv", "text,id,text\na,1,b\n");
    let run = place.run(&["dedup", "texts.csv", "--output", "out"]).ends_with_code(1);
    run.says(&["nearprint: texts.csv: several columns have the name \"text\""]);
}

#[test]
fn a_file_of_neither_pairs_nor_clusters_is_refused_with_its_columns() {
    let place = place();
    place.write("a.csv", "links,rechts\n1,2\n");
    place.write("a.jsonl", "{\"links\":1,\"rechts\":2}\n");
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    place.write("a.parquet", parquet(vec![("links", column.clone()), ("rechts", column.clone())]));
    for name in ["a.csv", "a.jsonl", "a.parquet"] {
        let start = format!(
            "nearprint: {name}: the columns are neither of pairs (left, right) nor of clusters"
        );
        refused(
            &place,
            &[name, "truth.csv"],
            1,
            &[&start, "there are: links, rechts;", "--left-field"],
        );
    }
    let bad: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    place.write("bad.parquet", parquet(vec![("left", column), ("right", bad)]));
    refused(
        &place,
        &["bad.parquet", "truth.csv"],
        1,
        &["bad.parquet, row 1: field \"right\" is a boolean"],
    );
    place.write("notes.txt", "1,2\n");
    refused(
        &place,
        &["notes.txt", "truth.csv"],
        2,
        &["input: notes.txt is plain text", "with --format"],
    );
    refused(&place, &["gone.csv", "truth.csv"], 1, &["cannot read gone.csv"]);
    let many = ["found.csv", "truth.csv", "--bootstrap", "1000001"];
    refused(&place, &many, 2, &["--bootstrap: 1000001 is more than 1000000"]);
    refused(&place, &["-", "-"], 2, &["input: standard input can be only one of the files"]);
}

#[test]
fn each_bad_row_is_named() {
    for (file, rows, says) in [
        (
            "a.csv",
            "left,right\n1,2\n3,\n",
            "a.csv, row 2: field \"right\" is empty, not a string or an integer",
        ),
        (
            "a.jsonl",
            "{\"left\":1,\"right\":2}\n{\"left\":1}\n",
            "a.jsonl, row 2: field \"right\" is missing",
        ),
        (
            "a.jsonl",
            "{\"left\":1.5,\"right\":2}\n",
            "a.jsonl, row 1: field \"left\" is a number with a fraction",
        ),
        ("a.jsonl", "{\"left\":1,\"right\":2}\nno\n", "a.jsonl, row 2: not a JSON object"),
        ("a.jsonl", "no\n", "a.jsonl, row 1: not a JSON object"),
        ("a.jsonl", "\n{}\n", "a.jsonl, row 2: field \"left\" is missing"),
        (
            "a.csv",
            "left,right,label\n1,2,maybe\n",
            "a.csv, row 1: field \"label\" is \"maybe\", not a number, true or false",
        ),
        (
            "a.csv",
            "left,right,label\n1,2,1\n1,3,1\n2,1,0\n",
            "a.csv, row 3: the pair \"1\" and \"2\" has another label (a.csv, row 1)",
        ),
        (
            "a.csv",
            "id,cluster\n1,x\n2,x\n1,y\n",
            "a.csv, row 3: id \"1\" was used before (a.csv, row 1)",
        ),
        (
            "a.jsonl",
            "{\"members\":[1,2]}\n{\"members\":[3,2]}\n",
            "a.jsonl, row 2: id 2 was used before (a.jsonl, row 1)",
        ),
        (
            "a.jsonl",
            "{\"id\":1,\"keeper\":2}\n{\"id\":1,\"keeper\":3}\n",
            "a.jsonl, row 2: id 1 was used before",
        ),
        (
            "a.jsonl",
            "{\"members\":7}\n",
            "a.jsonl, row 1: field \"members\" is an integer, not a list of ids",
        ),
        (
            "a.jsonl",
            "{\"id\":1,\"cluster\":[1]}\n",
            "a.jsonl, row 1: field \"cluster\" is an array",
        ),
    ] {
        let place = place();
        place.write(file, rows);
        let run = place.run(&["evaluate", "found.csv", file]).ends_with_code(1).says(&[says]);
        assert!(run.stdout.is_empty());
        let skip = [&["evaluate", "found.csv", file], &SKIP[..]].concat();
        let run = place.run(&skip).ends_with_code(3);
        assert!(run.stderr.contains(&format!("left out: {says}")), "{}", run.stderr);
    }
}
