//! `dedup --against`: items that stand inside longer documents.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::{Value, json};

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, column, gunzip, gzip, row};

/// A question, the same with some words edited, and one with other figures.
const QUESTION: &str =
    "A baker sells 16 loaves in the morning and half as many in the afternoon; how many does she sell on a whole day?";
const EDITED: &str =
    "A baker sold 16 loaves in the morning and half as many in the evening; how many does she sell on a whole day?";
const OTHER: &str =
    "A baker sells 41 loaves in the morning and half as many in the afternoon; how many does she sell on 9 whole days?";
const CHINESE: &str = "小明早上卖出十六个面包，下午卖出的是早上的一半，请问他这一天一共卖出了多少个面包？";

/// A document in which a passage stands in the middle.
fn around(passage: &str) -> String {
    format!("{FERRY} {passage} {BRIDGE}")
}

/// The items in `test.jsonl`, and documents with and without them in `train.jsonl`.
fn place() -> Place {
    let place =
        Place::with("test.jsonl", [row("en", QUESTION), row("zh", CHINESE), row("short", "How many?")].concat());
    let rows = [
        row("whole", &around(QUESTION)),
        row("edited", &around(EDITED)),
        row("other", &around(OTHER)),
        row("both", &format!("{}{CHINESE}", around(QUESTION))),
        row("copy", QUESTION),
        row("clean", &around("")),
        row("traditional", &around(&CHINESE.replace("个", "個").replace("卖", "賣"))),
    ];
    place.write("train.jsonl", rows.concat());
    place
}

/// The characters from the first to the last one.
fn between(text: &str, row: &Value) -> String {
    let [first, last] = ["first", "last"].map(|field| row[field].as_u64().unwrap() as usize);
    text.chars().skip(first).take(last + 1 - first).collect()
}

#[test]
fn documents_that_contain_an_item_go_and_the_place_is_told() {
    let place = place();
    place.dedup(&["train.jsonl", "--against", "test.jsonl"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), ["whole", "edited", "both", "copy", "traditional"].map(Value::from));
    assert_eq!(column(&removed, "keeper"), ["en", "en", "en", "en", "zh"].map(Value::from));
    let reasons = ["contains", "contains", "contains", "exact", "contains"];
    assert_eq!(column(&removed, "reason"), reasons.map(Value::from));
    let [whole, edited, copy] = [&removed[0], &removed[1], &removed[3]];
    assert_eq!(between(&around(QUESTION), whole), QUESTION.trim_end_matches('?'));
    assert_eq!((&whole["similarity"], &whole["distance"]), (&json!(1.0), &Value::Null));
    assert!(whole["lost"].as_f64().unwrap() > 0.5, "{whole}");
    assert!(edited["similarity"].as_f64().unwrap() > 0.75 && edited["similarity"].as_f64().unwrap() < 1.0);
    assert_eq!((&copy["first"], &copy["last"]), (&Value::Null, &Value::Null));

    let leaks = place.rows("out/leaks.jsonl");
    assert_eq!(
        column(&leaks, "id"),
        ["whole", "edited", "both", "both", "copy", "copy", "traditional"].map(Value::from)
    );
    assert_eq!(column(&leaks, "item"), ["en", "en", "en", "zh", "en", "en", "zh"].map(Value::from));
    assert!(leaks.iter().all(|row| row["action"] == "removed"));
    let counts = &place.summary("out")["counts"];
    assert_eq!(counts["leaks"], json!({"documents": 5, "passages": 6, "too_short": 1}));
    assert_eq!((&counts["contains"], &counts["exact"], &counts["removed"]), (&json!(4), &json!(1), &json!(5)));
    assert_eq!(column(&place.rows("out/kept/train.jsonl"), "id"), ["other", "clean"].map(Value::from));
    let clusters = place.rows("out/clusters.jsonl");
    assert_eq!(clusters[0]["members"], json!(["en", "whole", "edited", "both", "copy"]));
}

#[test]
fn leaks_are_only_listed_where_that_is_asked_for() {
    let place = place();
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--leak-action", "list"]);
    assert_eq!(place.read("out/kept/train.jsonl"), place.read("train.jsonl"));
    assert_eq!(place.text("out/removed.jsonl"), "");
    let leaks = place.rows("out/leaks.jsonl");
    assert_eq!(leaks.len(), 7);
    assert!(leaks.iter().all(|row| row["action"] == "listed"));
}

#[test]
fn nothing_is_looked_for_inside_of_documents_where_that_is_off() {
    let place = place();
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--min-leak-length", "off"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["copy"].map(Value::from));
    assert_eq!(place.summary("out")["counts"]["leaks"], Value::Null);
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--min-leak-length", "95", "--force"]);
    assert_eq!(place.summary("out")["counts"]["leaks"]["too_short"], json!(3));
}

#[test]
fn passages_are_masked_or_cut_and_all_else_stays_byte_for_byte() {
    let place = Place::with("test.jsonl", [row("en", QUESTION), row("zh", CHINESE)].concat());
    let document = around(QUESTION).replace(" and ", " \u{e9}\u{1f600} and ");
    let [escaped, quoted] = [document.replace('\u{1f600}', "\\ud83d\\uDE00").replace(' ', "\\u0020"), document.clone()];
    let line = format!("{{ \"n\": 1e3, \"te\\u0078t\" : \"{escaped}\" ,\"id\":\"a\", \"z\":[1, 2]}}\r\n");
    let beside = format!("\n{{\"id\":\"b\",\"text\":\"{LIBRARY}\"}}");
    let without = |mask: &str| document.replace(&between_of(&document), mask);
    for (action, mask) in [("mask", "[masked]"), ("cut", "")] {
        let arguments = |file| [file, "--against", "test.jsonl", "--leak-action", action, "--force"];
        place.write("train.jsonl.gz", gzip(format!("{line}{beside}").as_bytes()));
        place.dedup(&arguments("train.jsonl.gz"));
        let kept = String::from_utf8(gunzip(&place.read("out/kept/train.jsonl.gz"))).unwrap();
        let escape = |text: &str| text.replace('\u{1f600}', "\\ud83d\\uDE00").replace(' ', "\\u0020");
        let expected = line.replace(&escaped, &escape(&without(mask)));
        assert_eq!(kept, format!("{expected}{beside}"));
        assert_eq!(place.text("out/removed.jsonl"), "");
        let past = if action == "mask" { "masked" } else { "cut" };
        assert_eq!(place.rows("out/leaks.jsonl")[0]["action"], past);

        let csv = |text: &str| format!("id,text,note\n1,\"{text}\",\"say \"\"so\"\"\"\r\n2,{LIBRARY:?},x\n");
        place.write("train.csv", csv(&quoted));
        place.dedup(&arguments("train.csv"));
        assert_eq!(place.text("out/kept/train.csv"), csv(&without(mask)));

        place.write("train.txt", format!("{document}\r\n"));
        place.dedup(&arguments("train.txt"));
        assert_eq!(place.text("out/kept/train.txt"), format!("{}\r\n", without(mask)));

        place.write("train.parquet", parquet(&[&document, LIBRARY]));
        place.dedup(&arguments("train.parquet"));
        assert_eq!(texts(&place.read("out/kept/train.parquet")), [without(mask), LIBRARY.to_string()]);
    }
}

/// The question as it stands in a document, without its question mark.
fn between_of(document: &str) -> String {
    let start = document.find("A baker").unwrap();
    let end = document.find("whole day?").unwrap() + "whole day".len();
    document[start..end].to_string()
}

fn parquet(texts: &[&str]) -> Vec<u8> {
    let column: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
    common::parquet(&RecordBatch::try_from_iter([("text", column)]).unwrap())
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let file = std::fs::File::open(file.path()).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    let texts = batches.iter().flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten());
    texts.map(String::from).collect()
}

#[test]
fn items_may_have_their_text_in_another_field() {
    let place = place();
    let items = format!(
        "{}\n",
        json!({"id": "q", "question": QUESTION, "answer": "In the afternoon she sells half of 16, which is 8 loaves, so on a whole day she sells 16 and 8, that is 24 loaves"})
    );
    place.write("items.jsonl", items);
    let both = ["--against-text-field", "question", "--against-text-field", "answer"];
    place.dedup(&["train.jsonl", "--against", "items.jsonl", "--against-text-field", "question"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["whole", "edited", "both", "copy"].map(Value::from));
    // A document with the question alone lacks a third of question and answer.
    place.dedup(&[&["train.jsonl", "--against", "items.jsonl", "--force"], &both[..]].concat());
    assert_eq!(place.text("out/removed.jsonl"), "");
}

#[test]
fn actions_that_have_no_meaning_are_refused() {
    let place = place();
    let run = |arguments: &[&str]| place.run(&[&["dedup", "train.jsonl", "--output", "out"], arguments].concat());
    run(&["--leak-action", "cut"]).ends_with_code(2).says(&["--leak-action", "name it with --against"]);
    let annotated = ["--against", "test.jsonl", "--leak-action", "mask", "--annotate"];
    run(&annotated).ends_with_code(2).says(&["--leak-action", "--annotate", "leave one of them out"]);
    run(&["--against", "test.jsonl", "--leak-action", "hide"]).ends_with_code(2).says(&["--leak-action"]);
}

#[test]
fn guards_and_bounds_hold_for_what_stands_inside_too() {
    let place = place();
    let item = format!("{}\n", json!({"id": "en", "text": QUESTION, "lang": "en"}));
    place.write("guarded.jsonl", item);
    let rows = ["en", "de"].map(|lang| format!("{}\n", json!({"id": lang, "text": around(QUESTION), "lang": lang})));
    place.write("both.jsonl", rows.concat());
    place.dedup(&["both.jsonl", "--against", "guarded.jsonl", "--same", "lang"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["en"].map(Value::from));
    // Most of the document would be lost, so it stays and is listed.
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--max-lost", "0.2", "--force"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["copy"].map(Value::from));
    assert_eq!(place.rows("out/leaks.jsonl")[0]["action"], "listed");
}

#[test]
fn leaks_do_not_depend_on_threads() {
    let place = place();
    let runs = ["1", "3"].map(|threads| {
        place.dedup(&[
            "train.jsonl",
            "--against",
            "test.jsonl",
            "--leak-action",
            "mask",
            "--force",
            "--threads",
            threads,
        ]);
        [place.read("out/leaks.jsonl"), place.read("out/kept/train.jsonl")]
    });
    assert_eq!(runs[0], runs[1]);
    assert_eq!(place.rows("out/leaks.jsonl").len(), 7);
}
