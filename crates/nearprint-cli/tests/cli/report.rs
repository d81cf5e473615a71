//! `nearprint report` and `dedup --report`.

use serde_json::Value;

use crate::common::Place;

const STORY: &str = "The ferry to the island returns on Monday after eleven weeks of repairs to \
    its cracked propeller shaft, and the captain calls the new engine the quietest that she ever \
    heard";

/// Twelve documents of two hosts; most documents of one host are copies.
fn place() -> Place {
    let place = Place::new();
    let row = |id: usize, text: &str, host: &str| {
        format!("{}\n", serde_json::json!({"id": id, "text": text, "host": host}))
    };
    let copies: String = (0..12)
        .map(|id| row(id, &format!("{STORY}{}", ".".repeat(id)), "copies.example"))
        .collect();
    place.write(
        "a.jsonl",
        copies + &row(12, "<script>alert(1)</script> in the hills", "other.example"),
    );
    place.write(
        "b.jsonl",
        row(20, STORY, "other.example")
            + &row(21, "Half of the bakeries close before noon", "other.example"),
    );
    place
}

/// The data of the page of a folder.
fn data(place: &Place, folder: &str) -> Value {
    let html = std::fs::read_to_string(place.path(&format!("{folder}/report.html"))).unwrap();
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_report_counts_sources_and_holds_both_texts_of_pairs() {
    let place = place();
    place.dedup(&["a.jsonl", "b.jsonl"]);
    place.run(&["report", "out", "--quiet"]).succeeds();
    let by_file = data(&place, "out");
    assert_eq!(
        by_file["sources"]["rows"],
        serde_json::json!([["a.jsonl", 13, 11], ["b.jsonl", 2, 1]])
    );
    assert_eq!(
        by_file["alarms"],
        serde_json::json!([{"kind": "source", "name": "a.jsonl", "read": 13, "removed": 11}])
    );
    assert_eq!(
        (&by_file["folder"], &by_file["files"]),
        (&"out".into(), &serde_json::json!(["a.jsonl", "b.jsonl"]))
    );
    let pairs = by_file["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 12);
    for pair in pairs {
        for side in ["l", "r"] {
            let pieces = pair["v"][side].as_array().unwrap();
            assert!(
                pieces
                    .iter()
                    .any(|piece| piece[1].as_str().is_some_and(|text| text.contains("ferry"))),
                "{pair}"
            );
        }
    }
    place
        .run(&["report", "out", "--source-field", "host"])
        .succeeds()
        .says(&["out/report.html; open it in a browser"]);
    let by_host = data(&place, "out");
    let rows = serde_json::json!([["copies.example", 12, 11], ["other.example", 3, 1]]);
    assert_eq!((&by_host["sources"]["by"], &by_host["sources"]["rows"]), (&"host".into(), &rows));
    assert_eq!(by_host["across"]["counts"], serde_json::json!([[11, 0], [1, 0]]));
}

#[test]
fn dedup_writes_the_same_report() {
    let place = place();
    let by_host = ["--report", "--source-field", "host"];
    place.dedup(&[&["a.jsonl", "b.jsonl"], &by_host[..]].concat());
    let at_once = std::fs::read(place.path("out/report.html")).unwrap();
    place.run(&["report", "out", "--source-field", "host", "--quiet"]).succeeds();
    assert!(at_once == std::fs::read(place.path("out/report.html")).unwrap());
    let dry = [&["dedup", "a.jsonl", "-o", "dry", "--dry-run", "--report", "-q"][..]].concat();
    place.run(&dry).succeeds();
    assert_eq!(data(&place, "dry")["summary"]["counts"]["removed"], 11);
    place.run(&["dedup", "a.jsonl", "-o", "-", "--report"]).ends_with_code(2).says(&["--report"]);
    place
        .run(&["dedup", "a.jsonl", "-o", "x", "--source-field", "host"])
        .ends_with_code(2)
        .says(&["--report"]);
}

#[test]
fn documents_are_text_and_test_sets_are_told_apart() {
    let place = place();
    place.write(
        "test.jsonl",
        "{\"id\":\"</script>\",\"question\":\"<script>alert(1)</script> in the hills\"}\n",
    );
    place.dedup(&[
        "a.jsonl",
        "--against",
        "test.jsonl",
        "--against-text-field",
        "question",
        "--report",
    ]);
    let html = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(!html.contains("alert(1)</script>") && html.contains("default-src 'none'"));
    let data = data(&place, "out");
    assert_eq!(data["sources"]["rows"], serde_json::json!([["a.jsonl", 13, 1]]));
    assert_eq!(data["pairs"][0]["v"]["r"][0][1], "<script>alert(1)</script> in the hills");
}

#[test]
fn what_is_no_output_or_is_gone_is_said() {
    let place = place();
    place
        .run(&["report", "."])
        .ends_with_code(1)
        .says(&["is not an output folder of nearprint dedup"]);
    place.dedup(&["a.jsonl", "b.jsonl"]);
    std::fs::remove_file(place.path("a.jsonl")).unwrap();
    place.write("b.jsonl", "{\"id\":20,\"text\":\"changed\"}\n");
    place.run(&["report", "out", "--quiet"]).succeeds().says(&[
        "nearprint: warning: 1 of 2 input files are missing, so the page lacks their texts; run \
         this in the folder in which nearprint dedup ran, or restore the files (a.jsonl)",
    ]);
    let data = data(&place, "out");
    assert!(data["pairs"].as_array().unwrap().iter().all(|pair| pair["v"].is_null()));
    assert_eq!(data["summary"]["counts"]["removed"], 12);
    let removed = place.path("out/removed.jsonl");
    std::fs::write(&removed, "{\"id\":1}\n").unwrap();
    place.run(&["report", "out"]).ends_with_code(1).says(&["removed.jsonl: a row cannot be read"]);
}

#[test]
fn a_report_with_texts_is_not_replaced_by_one_without() {
    let place = place();
    place.dedup(&["a.jsonl", "b.jsonl", "--report"]);
    let page = place.path("out/report.html");
    let with_texts = std::fs::read(&page).unwrap();
    for file in ["a.jsonl", "b.jsonl"] {
        std::fs::rename(place.path(file), place.path(&format!("{file}.gone"))).unwrap();
    }
    place.run(&["report", "out"]).ends_with_code(1).says(&[
        "report.html: would lose its texts, since no input file of the run exists; run this in the \
         folder in which nearprint dedup ran",
        "(a.jsonl); for a page without texts, delete this page first",
    ]);
    assert!(with_texts == std::fs::read(&page).unwrap());
    std::fs::remove_file(&page).unwrap();
    place.run(&["report", "out"]).succeeds().says(&["warning: 2 of 2 input files are missing"]);
    assert!(data(&place, "out")["pairs"][0]["v"].is_null());
}

#[test]
fn inputs_that_have_changed_at_the_same_length_are_told() {
    let place = place();
    place.dedup(&["b.jsonl", "--against", "a.jsonl"]);
    let hashes = place.summary("out")["hashes"].clone();
    assert_eq!(hashes.as_array().unwrap().len(), 2);
    assert_eq!(place.run(&["report", "out", "--quiet"]).succeeds().stderr, "");
    assert_eq!(data(&place, "out")["changed"], serde_json::json!([]));
    let text = std::fs::read_to_string(place.path("a.jsonl")).unwrap();
    place.write("a.jsonl", text.replace("ferry", "yacht"));
    place
        .run(&["report", "out"])
        .succeeds()
        .says(&["warning: 1 of 2 input files have changed since the run (a.jsonl)"]);
    assert_eq!(data(&place, "out")["changed"], serde_json::json!(["a.jsonl"]));
}

#[test]
fn a_source_field_that_no_document_has_is_refused_before_the_work() {
    let place = place();
    let refused = [
        "--source-field: no row of the input has a value in a field \"hosts\"",
        "host",
        "name another field",
    ];
    place
        .run(&["dedup", "a.jsonl", "-o", "out", "--report", "--source-field", "hosts"])
        .ends_with_code(2)
        .says(&refused);
    assert!(!place.path("out").exists());
    place.dedup(&["a.jsonl", "b.jsonl", "--report"]);
    let before = std::fs::read(place.path("out/report.html")).unwrap();
    place.run(&["report", "out", "--source-field", "hosts"]).ends_with_code(2).says(&refused);
    assert!(before == std::fs::read(place.path("out/report.html")).unwrap());
    // A field of only some rows is accepted.
    place.write("c.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\",\"host\":\"there.example\"}\n");
    place
        .run(&["dedup", "c.jsonl", "-o", "some", "--report", "--source-field", "host", "-q"])
        .succeeds();
    assert_eq!(data(&place, "some")["sources"]["rows"].as_array().unwrap().len(), 2);
}
