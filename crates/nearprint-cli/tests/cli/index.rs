//! `nearprint index`: documents that are added and removed, and queries.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{
    self, Articles, BRIDGE, FERRY, LIBRARY, Place, SKIP, column, repository, row, rows, skipped,
};

pub fn created(lines: &str, arguments: &[&str]) -> Place {
    let place = Place::with("news.jsonl", lines);
    place
        .run(&[&["index", "create", "seen", "news.jsonl", "--quiet"], arguments].concat())
        .succeeds();
    place
}

fn answers(place: &Place, arguments: &[&str]) -> Vec<Value> {
    rows(
        &place.run(&[&["index", "query", "seen", "--quiet"], arguments].concat()).succeeds().stdout,
    )
}

fn ids(answer: &Value) -> Vec<Value> {
    column(answer["matches"].as_array().unwrap(), "id")
}

fn exported(place: &Place) -> BTreeMap<String, Value> {
    let exported = rows(&place.run(&["index", "export", "seen"]).succeeds().stdout);
    let count = exported.len();
    let exported: BTreeMap<String, Value> =
        exported.into_iter().map(|row| (row["id"].to_string(), row)).collect();
    assert_eq!(exported.len(), count, "no id is there twice");
    exported
}

fn is_whole(place: &Place) {
    let verified = place.run(&["index", "verify", "seen", "--json"]).succeeds().json();
    assert_eq!(verified["problems"], json!([]));
}

#[test]
fn answers_are_ranked_and_carry_their_evidence() {
    let edited = format!("{FERRY} Dogs travel free.");
    let lines = [("a", LIBRARY), ("b", &edited), ("c", FERRY), ("d", BRIDGE), ("e", FERRY)]
        .map(|(id, text)| row(id, text));
    let place = created(&lines.concat(), &[]);
    place.write(
        "draft.jsonl",
        row("draft", FERRY) + &row("other", "Nobody has seen this text about moss on slate roofs."),
    );
    let [draft, other] = <[Value; 2]>::try_from(answers(&place, &["draft.jsonl"])).unwrap();
    assert_eq!((&draft["id"], &draft["more"]), (&json!("draft"), &json!(0)));
    assert_eq!(ids(&draft), ["c", "e", "b"]);
    assert_eq!(
        draft["matches"][0],
        json!({"id": "c", "similarity": 1.0, "reason": "exact", "distance": 0})
    );
    let near = &draft["matches"][2];
    assert_eq!(near["reason"], "near");
    assert!(
        (0.75..1.0).contains(&near["similarity"].as_f64().unwrap())
            && near["distance"].as_u64().unwrap() <= 80,
        "{near}"
    );
    assert_eq!(other, json!({"id": "other", "matches": [], "more": 0}));
    let first = &answers(&place, &["draft.jsonl", "--top", "1"])[0];
    assert_eq!((ids(first), &first["more"]), (vec![json!("c")], &json!(2)));
    // Traditional characters give the same text.
    assert_eq!(ids(&answers(&place, &["--text", &BRIDGE.replace('桥', "橋")])[0]), ["d"]);
    is_whole(&place);
}

#[test]
fn documents_are_replaced_by_their_ids_and_removed() {
    let place = created(&(row("a", FERRY) + &row("b", LIBRARY)), &[]);
    place.write("more.jsonl", row("a", BRIDGE) + &row("b", LIBRARY) + &row("c", FERRY));
    place
        .run(&["index", "add", "seen", "more.jsonl"])
        .succeeds()
        .says(&["1 new, 1 replaced, 1 unchanged; 3 documents in all"]);
    assert_eq!(ids(&answers(&place, &["--text", FERRY])[0]), ["c"]);
    assert_eq!(ids(&answers(&place, &["--text", BRIDGE])[0]), ["a"]);
    // A document that is added again is unchanged.
    place
        .run(&["index", "add", "seen", "more.jsonl"])
        .succeeds()
        .says(&["0 new, 3 unchanged; 3 documents in all"]);
    place
        .run(&["index", "remove", "seen", "a", "x"])
        .succeeds()
        .says(&["1 removed; no document has the id x; 2 documents in all"]);
    assert_eq!(ids(&answers(&place, &["--text", BRIDGE])[0]), Vec::<Value>::new());
    assert_eq!(exported(&place).into_keys().collect::<Vec<_>>(), ["\"b\"", "\"c\""]);
    place.run(&["index", "compact", "seen"]).succeeds();
    assert_eq!(ids(&answers(&place, &["--text", FERRY])[0]), ["c"]);
    is_whole(&place);
}

#[test]
fn ids_are_strings_or_integers() {
    let texts = [
        ("12", FERRY),
        ("\"12\"", LIBRARY),
        ("18446744073709551615", BRIDGE),
        ("-7", "The mayor resigns"),
    ];
    let lines = texts.map(|(id, text)| format!("{{\"id\":{id},\"text\":{}}}\n", json!(text)));
    let place = created(&lines.concat(), &[]);
    assert_eq!(ids(&answers(&place, &["--text", FERRY])[0]), [json!(12)]);
    assert_eq!(ids(&answers(&place, &["--text", LIBRARY])[0]), [json!("12")]);
    assert_eq!(ids(&answers(&place, &["--text", BRIDGE])[0]), [json!(u64::MAX)]);
    // Digits mean the integer if there is one.
    place
        .run(&["index", "remove", "seen", "12", "18446744073709551615"])
        .succeeds()
        .says(&["2 removed"]);
    assert_eq!(ids(&answers(&place, &["--text", LIBRARY])[0]), [json!("12")]);
    place
        .run(&["index", "remove", "seen", "12"])
        .succeeds()
        .says(&["1 removed; 1 document in all"]);
    let run = place.run_with_input(&["index", "remove", "seen", "--", "-"], b"-7\nz\n");
    run.succeeds().says(&["1 removed; no document has the id z; 0 documents in all"]);
    is_whole(&place);
}

#[test]
fn of_two_copies_one_is_new() {
    let place = created(&row("old", LIBRARY), &[]);
    let copy = format!("{FERRY} Dogs travel free.");
    let lines = [("a", FERRY), ("b", &copy), ("c", BRIDGE), ("d", LIBRARY), ("a", FERRY)]
        .map(|(id, text)| row(id, text));
    place.write("today.jsonl", lines.concat());
    let told = rows(
        &place
            .run(&["index", "add", "seen", "today.jsonl", "--if-new", "--quiet"])
            .succeeds()
            .stdout,
    );
    assert_eq!(column(&told, "id"), ["a", "b", "c", "d", "a"]);
    assert_eq!(column(&told, "new"), [true, false, true, false, false]);
    assert_eq!(column(&told, "outcome"), ["new", "duplicate", "new", "duplicate", "unchanged"]);
    assert_eq!(told[0]["duplicate"], Value::Null);
    assert_eq!(
        (&told[1]["duplicate"]["id"], &told[1]["duplicate"]["reason"]),
        (&json!("a"), &json!("near"))
    );
    assert_eq!(
        (&told[3]["duplicate"]["id"], &told[3]["duplicate"]["similarity"]),
        (&json!("old"), &json!(1.0))
    );
    assert_eq!(exported(&place).into_keys().collect::<Vec<_>>(), ["\"a\"", "\"c\"", "\"old\""]);
}

#[test]
fn fields_and_texts_are_kept_where_that_is_asked_for() {
    let line = json!({"id": "a", "text": format!("  {FERRY}"), "title": "Ferry", "views": 12, "score": 0.5, "new": true, "more": null});
    let arguments =
        ["title", "views", "score", "new", "more"].map(|field| ["--store-field", field]).concat();
    let place = created(&format!("{line}\n"), &[&arguments[..], &["--store-text"]].concat());
    let found = answers(&place, &["--text", FERRY])[0]["matches"][0].clone();
    assert_eq!(found["fields"], json!({"title": "Ferry", "views": 12, "score": 0.5, "new": true}));
    assert_eq!(found["text"], format!("  {FERRY}"));
    let kept = exported(&place)["\"a\""].clone();
    assert_eq!(
        kept,
        json!({"id": "a", "text": format!("  {FERRY}"), "title": "Ferry", "views": 12, "score": 0.5, "new": true})
    );
    // Without --store-text, the text is normalized and not shown.
    let plain = created(&row("a", &FERRY.to_uppercase()), &[]);
    assert_eq!(answers(&plain, &["--text", FERRY])[0]["matches"][0].as_object().unwrap().len(), 4);
    assert_eq!(exported(&plain)["\"a\""]["text"], FERRY.to_lowercase());
}

#[test]
fn documents_expire_from_their_dates() {
    let line = |id: &str, text: &str, date: Value| {
        format!("{}\n", json!({"id": id, "text": text, "published": date}))
    };
    let year_3000 = 32_503_680_000i64;
    let lines = [
        line("a", FERRY, json!("2999-12-31T23:00:00Z")),
        line("b", LIBRARY, json!("Tue, 31 Dec 2024 12:00:00 GMT")),
        line("c", BRIDGE, json!(year_3000)),
    ];
    let place = created(&lines.concat(), &["--ttl", "30d", "--date-field", "published"]);
    assert_eq!(exported(&place).into_keys().collect::<Vec<_>>(), ["\"a\"", "\"c\""]);
    place.write(
        "more.jsonl",
        line("b", LIBRARY, json!("2024-12-31")) + &line("d", LIBRARY, json!("2999-12-31")),
    );
    place
        .run(&["index", "add", "seen", "more.jsonl"])
        .succeeds()
        .says(&["1 new, 1 expired; 3 documents in all"]);
    place.write("bad.jsonl", line("e", LIBRARY, json!("soon")));
    place.run(&["index", "add", "seen", "bad.jsonl"]).ends_with_code(1).says(&[
        "bad.jsonl, row 1",
        "published",
        "\"soon\"",
        "2026-11-24T12:00:00Z",
    ]);
    place.write("bad.jsonl", row("e", LIBRARY) + &line("f", BRIDGE, json!("2999-12-30")));
    place
        .run(&["index", "add", "seen", "bad.jsonl"])
        .ends_with_code(1)
        .says(&["published", "nothing"]);
    let skipping = place.run(&[&["index", "add", "seen", "bad.jsonl"], &SKIP[..]].concat());
    skipping.ends_with_code(3).says(&["left out: bad.jsonl, row 1", "1 new; 4 documents in all"]);

    // Without a date, the lifetime begins when documents are added.
    let place = created(&row("a", FERRY), &["--ttl", "4s"]);
    assert_eq!(ids(&answers(&place, &["--text", FERRY])[0]), ["a"]);
    std::thread::sleep(std::time::Duration::from_millis(4100));
    assert_eq!(ids(&answers(&place, &["--text", FERRY])[0]), Vec::<Value>::new());
    assert_eq!(place.run(&["index", "info", "seen", "--json"]).succeeds().json()["documents"], 0);
    place.write("more.jsonl", row("b", LIBRARY));
    place
        .run(&["index", "add", "seen", "more.jsonl"])
        .succeeds()
        .says(&["1 new; 1 document in all"]);
    is_whole(&place);
}

#[test]
fn the_settings_that_decide_stay_with_an_index() {
    let place = created(&row("a", FERRY), &["--min-similarity", "0.9", "--text-field", "text"]);
    place.write("body.jsonl", format!("{}\n", json!({"key": "b", "body": LIBRARY})));
    place
        .run(&["index", "add", "seen", "body.jsonl", "--text-field", "body", "--id-field", "key"])
        .succeeds()
        .says(&["1 new"]);
    for other in [
        ["--min-similarity", "0.8"],
        ["--bits", "64"],
        ["--max-distance", "10"],
        ["--verify", "jaccard"],
    ] {
        let run = place.run(&[&["index", "query", "seen", "news.jsonl"], &other[..]].concat());
        run.ends_with_code(2).says(&[
            "seen was made with",
            other[0].trim_start_matches("--"),
            "create a new index",
        ]);
    }
    place
        .run(&["index", "query", "seen", "news.jsonl", "--min-similarity", "0.9", "--quiet"])
        .succeeds();
    let refused = |arguments: &[&str]| {
        place
            .run(&[&["index", "create", "new", "news.jsonl"], arguments].concat())
            .ends_with_code(2)
    };
    refused(&["--same", "source"]).says(&["--same: an index takes it when documents are added"]);
    refused(&["--distance", "edit"]).says(&["--distance"]);
    refused(&["--preset", "paper"]).says(&["--stats"]);
    refused(&["--ttl", "soon"]).says(&["90s, 30m, 12h, 365d or 2w"]);
    refused(&["--ttl", "50000d"]).says(&["50000d is too long; the longest is 49710d"]);
    refused(&["--ttl", "-5d"]).says(&["-5d is not a duration; write 90s"]);
    assert!(!place.path("new").exists());
}

#[test]
fn a_question_is_about_documents_of_some_sources_and_dates() {
    let item = |id: &str, source: &str, day: &str| {
        format!("{}\n", json!({"id": id, "text": FERRY, "source": source, "day": day}))
    };
    let rows = item("a", "wire", "2026-11-01") + &item("b", "post", "2026-11-08");
    let place = created(&rows, &["--store-field", "source", "--date-field", "day"]);
    place.write("asked.jsonl", item("q", "wire", "2026-11-02"));
    let asked = |arguments: &[&str]| {
        let query = ["index", "query", "seen", "asked.jsonl", "--quiet"];
        let answer = place.run(&[&query, arguments].concat()).succeeds().json();
        let matches = answer["matches"].as_array().unwrap();
        matches.iter().map(|found| found["id"].as_str().unwrap()).collect::<String>()
    };
    assert_eq!(asked(&[]), "ab");
    assert_eq!(asked(&["--within", "6d"]), "ab");
    assert_eq!(asked(&["--within", "143h"]), "a");
    assert_eq!(asked(&["--where", "source:post"]), "b");
    assert_eq!(asked(&["--where", "source:post", "--where", "source:wire"]), "ab");
    assert_eq!(asked(&["--same", "source"]), "a");
    assert_eq!(asked(&["--differ", "source"]), "b");
    let query = ["index", "query", "seen", "asked.jsonl"];
    for (arguments, says) in [
        (["--where", "author:me"], "--where: the index stores no field \"author\""),
        (["--same", "author"], "--same: the index stores no field \"author\""),
        (["--where", "source"], "write FIELD:VALUE"),
        (["--within", "soon"], "90s, 30m, 12h, 365d or 2w"),
    ] {
        place.run(&[&query[..], &arguments].concat()).ends_with_code(2).says(&[says]);
    }
    let add =
        ["index", "add", "seen", "asked.jsonl", "--if-new", "--quiet", "--where", "source:none"];
    let answer = place.run(&add).succeeds().json();
    assert_eq!(answer["outcome"], "new", "no document of another source counts");
}

#[test]
fn files_without_ids_have_a_remedy() {
    let place = Place::with("notes.txt", FERRY);
    place.write("bare.jsonl", format!("{{\"text\":\"{LIBRARY}\"}}\n"));
    for name in ["notes.txt", "bare.jsonl"] {
        place.run(&["index", "create", "seen", name]).ends_with_code(1).says(&[
            "no field \"id\"; name the right one with --id-field, or call documents FILE:ROW with \
             --id-field off",
        ]);
    }
    place.run(&["index", "create", "by-row", "notes.txt", "--id-field", "off"]).succeeds();
}

#[test]
fn what_is_no_index_is_refused() {
    let place = created(&row("a", FERRY), &[]);
    place
        .run(&["index", "create", "seen", "news.jsonl"])
        .ends_with_code(2)
        .says(&["seen is not empty"]);
    place
        .run(&["index", "query", "gone", "news.jsonl"])
        .ends_with_code(1)
        .says(&["gone: is not an index", "nearprint index create"]);
    place.run(&["index", "add", "seen", "gone.jsonl"]).ends_with_code(1).says(&["gone.jsonl"]);
    place.write("plain.jsonl", format!("{}\n", json!({"text": FERRY})));
    place.run(&["index", "add", "seen", "plain.jsonl"]).ends_with_code(1).says(&[
        "plain.jsonl, row 1",
        "id",
        "--id-field",
    ]);
    place.run(&["index", "add", "seen", "plain.jsonl", "--id-field", "off", "--quiet"]).succeeds();
    assert_eq!(exported(&place).into_keys().collect::<Vec<_>>(), ["\"a\"", "\"plain.jsonl:1\""]);
    // Rows before a bad row stay in the index. An empty input is not an error.
    place.write("bad.jsonl", row("x", LIBRARY) + "{\"id\":\"y\",\"text\":null}\n");
    place.run(&["index", "add", "seen", "bad.jsonl"]).ends_with_code(1).says(&["bad.jsonl, row 2"]);
    assert!(exported(&place).contains_key("\"x\""));
    place.write("empty.jsonl", "");
    place.run(&["index", "add", "seen", "empty.jsonl"]).succeeds().says(&["0 new"]);
    place
        .run(&["index", "export", "seen", "-o", "seen/documents.sqlite"])
        .ends_with_code(2)
        .says(&["--output"]);
    // Queries need no ids.
    assert_eq!(answers(&place, &["plain.jsonl"])[0]["id"], "plain.jsonl:1");
    place.run(&["index"]).ends_with_code(2).says(&["create", "query"]);
}

#[test]
fn an_index_that_cannot_be_created_leaves_nothing() {
    let place = Place::with("bad.jsonl", row("a", FERRY) + "{\"id\":\"b\"}\n");
    std::fs::create_dir(place.path("empty")).unwrap();
    for folder in ["new", "far/away/new", "empty"] {
        let create = ["index", "create", folder, "bad.jsonl", "--quiet"];
        place.run(&create).ends_with_code(1).says(&["bad.jsonl, row 2"]);
        assert_eq!(place.names(), ["bad.jsonl", "empty"], "{folder}");
        assert_eq!(common::names(&place.path("empty")), [""; 0]);
    }
    let create = ["index", "create", "empty", "-", "--quiet"];
    place.run_with_input(&create, b"no JSON\n").ends_with_code(1);
    assert_eq!(common::names(&place.path("empty")), [""; 0]);
    // It can be used then, and what is there is left alone.
    let create = ["index", "create", "empty", "bad.jsonl"];
    let refused = place.run(&[&create[..], &["--on-error", "skip"]].concat()).ends_with_code(1);
    assert!(!refused.stderr.contains("are in the index"), "{}", refused.stderr);
    assert_eq!(common::names(&place.path("empty")), [""; 0]);
    place.run(&[&create[..], &common::SKIP].concat()).ends_with_code(3);
    place.run(&["index", "create", "empty", "bad.jsonl"]).ends_with_code(2);
    assert_eq!(place.run(&["index", "info", "empty", "--json"]).succeeds().json()["documents"], 1);
    // Files that are not of an index stay.
    std::fs::create_dir(place.path("full")).unwrap();
    place.write("full/notes", "mine");
    place.run(&["index", "create", "full", "bad.jsonl"]).ends_with_code(2);
    assert_eq!(common::names(&place.path("full")), ["notes"]);
}

#[test]
fn fields_of_a_new_index_have_all_kinds_of_names() {
    let rows = [
        json!({"id": 1, "text": FERRY, "tags": ["a", "b"], "when": {"day": "2024-02-01"}}),
        json!({"id": 2, "text": LIBRARY, "label": "c", "when": {"day": "2024-02-02"}}),
    ];
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let place = Place::with("rows.jsonl", lines);
    let fields =
        "--ttl 9999d --date-field when.day|day --store-field tags[]|tag --store-field label|name";
    let create: Vec<&str> =
        "index create seen rows.jsonl --quiet".split(' ').chain(fields.split(' ')).collect();
    place.run(&create).succeeds();
    let exported = common::rows(&place.run(&["index", "export", "seen"]).succeeds().stdout);
    assert_eq!(exported[1]["label|name"], "c");
}

#[test]
fn files_with_a_misspelled_text_field_add_nothing_to_an_empty_index() {
    let row = |id| json!({"id": id, "title": format!("News {id}"), "text": FERRY}).to_string();
    let place = Place::with("rows.jsonl", (0..1_500).map(|id| row(id) + "\n").collect::<String>());
    place.run(&["index", "create", "seen"]).succeeds();
    let add = ["index", "add", "seen", "rows.jsonl", "--text-field", "titel"];
    for _ in 0..2 {
        let add = place.run(&[&add[..], &["--text-field", "text"]].concat()).ends_with_code(2);
        add.says(&["no row of the input has a field \"titel\"; did you mean \"title\"?"]);
        let info = place.run(&["index", "info", "seen", "--json"]).succeeds().json();
        assert_eq!(info["documents"], 0);
    }
}

#[test]
fn a_quote_that_may_have_joined_rows_is_warned_of_by_an_index() {
    let place = Place::with("a.tsv", "id\ttext\n1\t\"one\n2\ttwo\n3\tthree\"\n4\tfour\n");
    let warning = "warning: a.tsv, row 1: a field in quotes spans up to 3 lines";
    let quoted = ["a.tsv", "--quote", "\""];
    place.run(&[&["index", "create", "seen"], &quoted[..]].concat()).succeeds().says(&[warning]);
    place.run(&[&["index", "query", "seen"], &quoted[..]].concat()).succeeds().says(&[warning]);
    let letters = place.run(&["index", "create", "other", "a.tsv"]).succeeds();
    letters.says(&["warning: a.tsv: quotes are read as letters"]);
}

/// Rows go in, and the answers to all of them come out while the pipe is open. `expected` is the
/// number of answers to `rows`.
fn answered_at_once(place: &Place, arguments: &[&str], rows: &[u8], expected: usize) -> String {
    answered_at_once_and(place, arguments, rows, b"", expected)
}

/// As [`answered_at_once`]; `rest` goes in at the end.
fn answered_at_once_and(
    place: &Place,
    arguments: &[&str],
    rows: &[u8],
    rest: &[u8],
    expected: usize,
) -> String {
    let mut child = place.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(rows).unwrap();
    input.flush().unwrap();
    let mut answers = String::new();
    // This ends only if the answers come.
    for _ in 0..expected {
        output.read_line(&mut answers).unwrap();
    }
    input.write_all(rest).unwrap();
    drop(input);
    output.read_to_string(&mut answers).unwrap();
    assert!(child.wait().unwrap().success());
    answers
}

#[test]
fn a_pipe_that_stays_open_is_answered() {
    let lines = Articles::json_lines(9, 1_205, 30);
    let place = created(&Articles::json_lines(9, 40, 30), &[]);
    let query = |input: &'static str| ["index", "query", "seen", input, "--quiet"];
    let add = |index: &'static str| ["index", "add", index, "-", "--if-new", "--quiet"];
    place.write("all.jsonl", &lines);
    let of_file = place.run(&query("all.jsonl")).succeeds().stdout;
    assert_eq!(answered_at_once(&place, &query("-"), lines.as_bytes(), 1_205), of_file);
    for input in [common::gzip(lines.as_bytes()), common::zstd(lines.as_bytes())] {
        assert_eq!(answered_at_once(&place, &query("-"), &input, 0), of_file);
    }
    // Compressed rows that the writer has passed on are answered, too.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(lines.as_bytes()).unwrap();
    gzip.flush().unwrap();
    let (passed_on, end) = (gzip.get_ref().clone(), gzip.finish().unwrap());
    let rest = &end[passed_on.len()..];
    assert_eq!(answered_at_once_and(&place, &query("-"), &passed_on, rest, 1_205), of_file);
    let csv = format!("id,text\n1,{FERRY:?}\n2,{LIBRARY:?}\n");
    let csv_query = ["index", "query", "seen", "-", "--quiet", "--format", "csv"];
    assert_eq!(answered_at_once(&place, &csv_query, csv.as_bytes(), 2).lines().count(), 2);
    place.run(&["index", "create", "other", "news.jsonl", "--quiet"]).succeeds();
    let of_file = place.run(&["index", "add", "other", "all.jsonl", "--if-new", "--quiet"]);
    let of_file = of_file.succeeds().stdout;
    assert_eq!(answered_at_once(&place, &add("seen"), lines.as_bytes(), 1_205), of_file);
    // A bad row ends it after the answers to the rows before.
    let run = place.run_with_input(&add("seen"), (row("x", FERRY) + "{}\n").as_bytes());
    let run = run.ends_with_code(1).says(&["nearprint: standard input, row 2"]);
    let run = run.says(&["nearprint: 1 row before the error is done: 1 new; "]);
    assert_eq!(rows(&run.stdout)[0]["id"], "x");
    assert_eq!(place.leftovers(), [""; 0]);
}

#[test]
fn standard_input_is_named_once() {
    let place = created(&row("a", FERRY), &[]);
    let run = place.run_with_input(&["index", "query", "seen", "-", "-"], b"");
    run.ends_with_code(2).says(&["- is given twice; name it once"]);
}

/// The pairs of a run with `--pairs`, both ways; each pair of two texts represents those of all
/// equal texts.
fn pairs_of_a_run(place: &Place, rows: &[Value]) -> BTreeSet<[String; 2]> {
    let mut equal: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let text = |row: &'_ Value| row["text"].as_str().unwrap_or("").to_string();
    let texts: BTreeMap<String, String> =
        rows.iter().map(|row| (row["id"].to_string(), text(row))).collect();
    texts.iter().for_each(|(id, text)| equal.entry(text).or_default().push(id.clone()));
    let mut pairs = BTreeSet::new();
    for pair in place.rows("out/pairs.jsonl") {
        let [left, right] =
            ["left", "right"].map(|side| &equal[texts[&pair[side].to_string()].as_str()]);
        for one in left {
            for other in right.iter().filter(|other| *other != one) {
                pairs.extend([[one.clone(), other.clone()], [other.clone(), one.clone()]]);
            }
        }
    }
    pairs
}

/// The pairs that an index finds in queries with each of its documents.
fn pairs_of_the_index(place: &Place, input: &str) -> BTreeSet<[String; 2]> {
    let mut pairs = BTreeSet::new();
    for answer in answers(place, &[input, "--top", "1000000"]) {
        let id = answer["id"].to_string();
        pairs.extend(
            ids(&answer)
                .into_iter()
                .filter(|other| *other != answer["id"])
                .map(|other| [id.clone(), other.to_string()]),
        );
    }
    pairs
}

#[test]
fn an_index_names_the_pairs_of_a_deduplication() {
    for settings in [
        &[][..],
        &["--features", "words", "--weights", "tf", "--verify", "jaccard"],
        &["--bits", "64"],
        &["--preset", "strict"],
    ] {
        let place =
            created(&Articles::json_lines(5, 250, 60), &[settings, &["--store-text"]].concat());
        place.dedup(&[&["news.jsonl", "--pairs"], settings].concat());
        let expected = pairs_of_a_run(&place, &place.rows("news.jsonl"));
        assert!(expected.len() > 100, "{settings:?}");
        assert_eq!(pairs_of_the_index(&place, "news.jsonl"), expected, "{settings:?}");
    }
}

#[test]
fn an_index_names_the_pairs_of_a_deduplication_of_real_corpora() {
    index_names_the_pairs_of(&["en_minhash_articles", "zh_news"]);
}

#[test]
#[ignore = "nightly: larger corpora"]
fn an_index_names_the_pairs_of_a_deduplication_of_larger_corpora() {
    index_names_the_pairs_of(&["en_reuters21578", "zh_laws", "zh_xwlb"]);
}

fn index_names_the_pairs_of(corpora: &[&str]) {
    let data = repository("../shared/data");
    if !data.is_dir() {
        return skipped(&format!("../shared is absent: no {}", data.display()));
    }
    for name in corpora {
        let compressed = std::fs::read(data.join(format!("{name}.jsonl.zst"))).unwrap();
        let lines = String::from_utf8(zstd::decode_all(&compressed[..]).unwrap()).unwrap();
        let place = created(&lines, &[]);
        place.dedup(&["news.jsonl", "--pairs"]);
        let rows = place.rows("news.jsonl");
        let (found, expected) =
            (pairs_of_the_index(&place, "news.jsonl"), pairs_of_a_run(&place, &rows));
        let differing: Vec<_> = found.symmetric_difference(&expected).take(3).collect();
        assert!(!expected.is_empty() && differing.is_empty(), "{name}: {differing:?}");
        // In another order and in portions the answers are the same.
        let mut lines: Vec<&str> = lines.lines().collect();
        lines.reverse();
        std::fs::remove_dir_all(place.path("seen")).unwrap();
        place.run(&["index", "create", "seen"]).succeeds();
        for (number, portion) in lines.chunks(lines.len() / 3 + 1).enumerate() {
            let file = format!("portion{number}.jsonl");
            place.write(&file, portion.join("\n"));
            place.run(&["index", "add", "seen", &file, "--quiet"]).succeeds();
        }
        assert_eq!(pairs_of_the_index(&place, "news.jsonl"), expected, "{name}");
        is_whole(&place);
    }
}

#[test]
fn a_batch_is_compared_with_an_index_as_with_its_files() {
    let lines = Articles::json_lines(7, 600, 50);
    let lines: Vec<&str> = lines.lines().collect();
    let (archive, today) = lines.split_at(400);
    let short = [("s", "Half price on all shoes"), ("t", "The mayor resigned")]
        .map(|(id, text)| row(id, text))
        .concat();
    let place = created(&(archive.join("\n") + "\n" + &short), &[]);
    place.write(
        "today.jsonl",
        today.join("\n") + "\n" + &row("u", "The mayor resigns") + &row("v", BRIDGE),
    );
    // All documents of the index are counted, not only those near the input.
    let run = place.run(&["dedup", "today.jsonl", "--against", "seen", "-o", "out"]).succeeds();
    let told = run.stderr.lines().find(|line| line.contains("against")).unwrap_or_default();
    let count = archive.len() + 2;
    assert!(told.contains(&format!(" {count} ")) && told.contains("documents from seen"), "{told}");
    assert_eq!(place.summary("out")["counts"]["against"], count);
    let by_index = common::files(&place.path("out"));
    // An input far from all of them is compared with them, too.
    place.write("far.jsonl", row("w", LIBRARY));
    let far = ["dedup", "far.jsonl", "--against", "seen", "-o", "out", "--force"];
    let run = place.run(&far).succeeds();
    assert!(!run.stderr.contains("has no documents"), "{}", run.stderr);
    assert_eq!(place.summary("out")["counts"]["against"], count);
    std::fs::remove_dir_all(place.path("out")).unwrap();
    place.dedup(&["today.jsonl", "--against", "news.jsonl", "--min-leak-length", "off"]);
    let removed = |files: &BTreeMap<String, Vec<u8>>| {
        let all = rows(std::str::from_utf8(&files["removed.jsonl"]).unwrap());
        all.iter()
            .map(|row| {
                ["id", "keeper", "similarity", "reason", "distance"].map(|field| row[field].clone())
            })
            .collect::<Vec<_>>()
    };
    let by_files = common::files(&place.path("out"));
    assert!(removed(&by_index).len() > 20);
    assert_eq!(removed(&by_index), removed(&by_files));
    assert_eq!(by_index["kept/today.jsonl"], by_files["kept/today.jsonl"]);
    let arguments = |more: &[&str]| {
        [&["dedup", "today.jsonl", "-o", "new", "--against", "seen"], more].concat().join(" ")
    };
    for (more, says) in [
        (&["--against", "news.jsonl"][..], "an index, and an index cannot be combined"),
        (&["--min-leak-length", "50"], "--min-leak-length"),
        (&["--min-similarity", "0.8"], "0.75 for --min-similarity, not 0.8"),
        (&["--same", "source"], "the index stores no field \"source\""),
    ] {
        let arguments = arguments(more);
        place.run(&arguments.split(' ').collect::<Vec<_>>()).ends_with_code(2).says(&[says]);
    }
}

#[test]
fn an_index_tells_what_it_is() {
    let place = created(&Articles::json_lines(5, 300, 60), &["--store-field", "score"]);
    let info = place.run(&["index", "info", "seen", "--json"]).succeeds().json();
    assert_eq!(
        (&info["documents"], &info["tail"], &info["files"]),
        (&json!(300), &json!(300), &json!(0))
    );
    assert_eq!((&info["complete_distance"], &info["max_distance"]), (&json!(80), &json!(80)));
    assert!(info["recipe"].as_str().unwrap().contains("bits=256"));
    assert_eq!(info["settings"], json!({"preset": "default"}));
    assert_eq!(info["options"], json!({"store-fields": ["score"], "store-text": false}));
    let shown = place.run(&["index", "info", "seen"]).succeeds().stdout;
    assert!(
        shown.starts_with("seen: 300 documents, generation 2\n")
            && shown.contains("finds all duplicates up to 80 bits apart")
            && shown.contains("  keeps     store-fields = [\"score\"], store-text = false\n"),
        "{shown}"
    );
    let shown = place.run(&["index", "verify", "seen"]).succeeds().stdout;
    assert_eq!(shown, "300 documents and 0 files of tables: no problems\n");
}

#[test]
fn a_correction_is_no_duplicate_of_what_it_corrects() {
    let place = created(&row("a", FERRY), &[]);
    place.write("today.jsonl", row("a", &format!("{FERRY} Dogs travel free.")) + &row("b", FERRY));
    let told = rows(
        &place
            .run(&["index", "add", "seen", "today.jsonl", "--if-new", "--quiet"])
            .succeeds()
            .stdout,
    );
    assert_eq!(column(&told, "outcome"), ["replaced", "duplicate"]);
    assert_eq!((&told[0]["new"], &told[1]["duplicate"]["id"]), (&json!(true), &json!("a")));
}

#[test]
fn an_export_makes_the_same_index_again() {
    let line = json!({"id": 7, "text": FERRY, "title": "Ferry", "published": "2999-01-01"});
    let options =
        ["--store-field", "title", "--store-text", "--ttl", "30d", "--date-field", "published"];
    let place = created(&format!("{line}\n"), &options);
    place.run(&["index", "export", "seen", "-o", "all.jsonl"]).succeeds();
    assert_eq!(place.rows("all.jsonl"), [line]);
    place
        .run(&[&["index", "create", "again", "all.jsonl", "--quiet"], &options[..]].concat())
        .succeeds();
    let exported = |name: &str| place.run(&["index", "export", name]).succeeds().stdout;
    assert_eq!(exported("again"), exported("seen"));
    place
        .run(&["index", "create", "other", "--store-field", "text"])
        .ends_with_code(2)
        .says(&["--store-text"]);
}

#[test]
fn an_index_is_found_from_another_folder() {
    let place = Place::with("news.jsonl", row("a", FERRY));
    place.write("stop.txt", "the\n");
    let words = ["--features", "words", "--weights", "tf", "--stop-words", "stop.txt"];
    place
        .run(&[&["index", "create", "seen", "news.jsonl", "--quiet"], &words[..]].concat())
        .succeeds();
    let mut elsewhere = place.command(&["index", "query", "../seen", "--text", FERRY, "--quiet"]);
    std::fs::create_dir(place.path("inner")).unwrap();
    let output = elsewhere.current_dir(place.path("inner")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains("\"exact\""));
    // Its documents can be exported even if its recipe does not fit.
    std::fs::remove_file(place.path("stop.txt")).unwrap();
    place.run(&["index", "query", "seen", "--text", FERRY]).ends_with_code(2).says(&["stop"]);
    assert_eq!(exported(&place).len(), 1);
}

#[test]
fn a_query_shows_the_named_stored_fields() {
    let row = json!({"id": 1, "text": FERRY, "title": "Ferry", "day": 7});
    let place = created(&format!("{row}\n"), &["--store-field", "title", "--store-field", "day"]);
    let fields = |flags: &[&str]| {
        let answer = &answers(&place, &[&["--text", FERRY], flags].concat())[0];
        answer["matches"][0]["fields"].clone()
    };
    assert_eq!(fields(&[]), json!({"day": 7, "title": "Ferry"}));
    assert_eq!(fields(&["--show-field", "day"]), json!({"day": 7}));
    assert_eq!(fields(&["--show-field", "none"]), Value::Null);
    place
        .run(&["index", "query", "seen", "--text", FERRY, "--show-field", "dya"])
        .ends_with_code(2)
        .says(&["--show-field", "dya", "day"]);
}
