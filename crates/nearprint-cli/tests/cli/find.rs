//! `nearprint find`: the documents of a corpus that are duplicates of a text.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{self, Articles, BRIDGE, FERRY, LIBRARY, Place};

fn found(place: &Place, arguments: &[&str]) -> Value {
    place.run(&[&["find", "news.jsonl", "--json"], arguments].concat()).succeeds().json()
}

#[test]
fn duplicates_come_first_and_the_most_similar_of_them_before_all() {
    let edited = format!("{FERRY} Dogs travel free.");
    let rows = [("a", LIBRARY), ("b", &edited), ("c", FERRY), ("d", BRIDGE), ("e", FERRY)];
    let place = Place::with("news.jsonl", rows.map(|(id, text)| common::row(id, text)).concat());
    let answer = &found(&place, &["--text", FERRY])["texts"][0];
    let ids: Vec<&Value> =
        answer["duplicates"].as_array().unwrap().iter().map(|found| &found["id"]).collect();
    assert_eq!(ids, [&json!("c"), &json!("e"), &json!("b")]);
    let of = |place: usize, name: &str| answer["duplicates"][place][name].clone();
    assert_eq!(
        [of(0, "reason"), of(0, "similarity"), of(0, "row")],
        [json!("exact"), json!(1.0), json!(3)]
    );
    assert_eq!((of(2, "reason"), of(2, "row")), (json!("near"), json!(2)));
    assert!((0.75..1.0).contains(&of(2, "similarity").as_f64().unwrap()), "{answer}");
    assert_eq!((&answer["more"], &answer["nearest"]), (&json!(0), &Value::Null));

    let cut = &found(&place, &["--text", FERRY, "--top", "1"])["texts"][0];
    assert_eq!((cut["duplicates"].as_array().unwrap().len(), &cut["more"]), (1, &json!(2)));
    place.run(&["find", "news.jsonl", "--text", FERRY, "--top", "1"]).succeeds();
    let shown = place.run(&["find", "news.jsonl", "--text", FERRY, "--top", "1"]).succeeds().stdout;
    assert_eq!(
        shown,
        "3 of 5 documents are duplicates of the text, the most similar first:\n  1.000 c \
         (news.jsonl, row 3), exact, 0 bits apart\n  and 2 more\n"
    );
    // Traditional characters and another character width give the same text.
    let other = found(&place, &["--text", &BRIDGE.replace("桥", "橋")]);
    assert_eq!(other["texts"][0]["duplicates"][0]["reason"], "exact");
    // Nothing is written.
    assert_eq!(place.names(), ["news.jsonl"]);
}

#[test]
fn each_document_finds_what_a_deduplication_calls_its_duplicates() {
    let place = Place::with("news.jsonl", Articles::json_lines(5, 120, 60));
    place.dedup(&["news.jsonl", "--pairs"]);
    let rows = place.rows("news.jsonl");
    // One pair represents the pairs of all equal texts.
    let equal = |id: &Value| {
        let text = &rows.iter().find(|row| row["id"] == *id).unwrap()["text"];
        rows.iter()
            .filter(move |row| row["text"] == *text)
            .map(|row| row["id"].to_string())
            .collect::<Vec<_>>()
    };
    let mut expected = BTreeSet::new();
    for pair in place.rows("out/pairs.jsonl") {
        for one in equal(&pair["left"]) {
            for other in equal(&pair["right"]).into_iter().filter(|other| *other != one) {
                expected.extend([[one.clone(), other.clone()], [other, one.clone()]]);
            }
        }
    }
    assert!(expected.len() > 100);
    let mut arguments = vec!["--top", "1000"];
    for row in &rows {
        arguments.extend(["--text", row["text"].as_str().unwrap()]);
    }
    let answers = found(&place, &arguments)["texts"].clone();
    let mut matches = BTreeSet::new();
    for (row, answer) in rows.iter().zip(answers.as_array().unwrap()) {
        let others = answer["duplicates"].as_array().unwrap().iter().map(|found| &found["id"]);
        matches.extend(
            others.filter(|id| **id != row["id"]).map(|id| [row["id"].to_string(), id.to_string()]),
        );
    }
    assert_eq!(matches, expected);
}

#[test]
fn a_text_without_a_duplicate_gets_the_nearest_document() {
    let place = Place::with("news.jsonl", common::row("a", LIBRARY) + &common::row("b", FERRY));
    place.write("draft.txt", BRIDGE);
    let answer = &found(&place, &["--file", "draft.txt"])["texts"][0];
    assert_eq!((&answer["text"], &answer["duplicates"]), (&json!("draft.txt"), &json!([])));
    assert!(
        answer["nearest"]["similarity"].as_f64().unwrap() < 0.2
            && answer["nearest"]["reason"].is_null(),
        "{answer}"
    );
    let shown = place.run(&["find", "news.jsonl", "--file", "draft.txt"]).succeeds().stdout;
    assert!(
        shown.starts_with(
            "None of 2 documents is a duplicate of draft.txt.\n  The nearest one by \
            fingerprint is not"
        ),
        "{shown}"
    );
}

#[test]
fn short_texts_are_found_by_their_characters() {
    let titles = ["Half price on all shoes", "Half price on all coats", "The mayor resigns"];
    let rows: String = (0..)
        .zip(titles)
        .map(|(id, title): (u32, _)| common::row(&id.to_string(), title))
        .collect();
    let place = Place::with("news.jsonl", rows);
    let answer = &found(&place, &["--text", "The mayor resigned"])["texts"][0];
    assert_eq!(
        (&answer["duplicates"][0]["id"], &answer["duplicates"][0]["reason"]),
        (&json!("2"), &json!("short"))
    );
    assert_eq!(answer["duplicates"].as_array().unwrap().len(), 1);
}

#[test]
fn an_equal_text_comes_before_others_that_are_as_similar() {
    let rows =
        [("a", "good".to_string()), ("b", "good good".to_string()), ("c", "good!".to_string())];
    let long = [("d", format!("{FERRY}!")), ("e", FERRY.to_string())];
    let rows = rows.iter().chain(&long).map(|(id, text)| common::row(id, text));
    let place = Place::with("news.jsonl", rows.collect::<String>());
    for (text, id) in [("good!", "c"), ("good", "a"), (FERRY, "e")] {
        let first = &found(&place, &["--text", text, "--top", "1"])["texts"][0]["duplicates"][0];
        assert_eq!((&first["id"], &first["reason"]), (&json!(id), &json!("exact")), "{text}");
    }
    let signs = place.run(&["compare", "--text", "!!!", "--text", "???"]).succeeds().stdout;
    assert!(signs.contains("one of them has no text to compare"), "{signs}");
}

#[test]
fn what_cannot_be_looked_for_is_refused() {
    let place = Place::with("news.jsonl", common::row("a", LIBRARY));
    place.run(&["find", "news.jsonl"]).ends_with_code(2).says(&["--text"]);
    place
        .run(&["find", "news.jsonl", "--text", " "])
        .ends_with_code(2)
        .says(&["--text: an empty text has no duplicates"]);
    place.run(&["find", "gone.jsonl", "--text", "a"]).ends_with_code(1).says(&["gone.jsonl"]);
    place
        .run(&["find", "news.jsonl", "--file", "news.jsonl"])
        .ends_with_code(2)
        .says(&["has rows, and is not one text"]);
    // The options are those of find, though its corpus is read as the reference documents.
    let asked = ["find", "news.jsonl", "--text", "a"];
    place
        .run(&[&asked[..], &["--text-field", "body"]].concat())
        .says(&["no field \"body\"; ", "name the right one with --text-field; or leave"]);
    place.run(&[&asked[..], &["--id-field", "ID"]].concat()).ends_with_code(2).says(&[
        "--id-field: no row of the input has a field \"ID\"; did you mean \"id\"? there are: id, text",
    ]);
    place.write("more.jsonl", "{\"id\":1}\n");
    let skips = ["find", "news.jsonl", "more.jsonl", "--text", FERRY];
    place
        .run(&[&skips[..], &common::SKIP].concat())
        .ends_with_code(3)
        .says(&["more.jsonl, row 1: no field \"text\"; name the right one with --text-field"]);
}

#[test]
fn fields_of_the_found_documents_are_shown() {
    let row = json!({"id": 1, "text": FERRY, "title": "The ferry\nreturns", "day": 7});
    let place = Place::with("news.jsonl", format!("{row}\n"));
    let ask = |flags: &[&str]| {
        let ask = [&["find", "news.jsonl", "--quiet", "--text", FERRY], flags].concat();
        place.run(&ask).succeeds().stdout
    };
    let line = "  1.000 1 (news.jsonl, row 1), exact, 0 bits apart";
    assert!(ask(&[]).ends_with(&format!("{line}; title: The ferry returns\n")));
    assert!(ask(&["--show-field", "none"]).ends_with(&format!("{line}\n")));
    let named = ["--show-field", "day", "--show-field", "title"];
    assert!(ask(&named).ends_with(&format!("{line}; day: 7, title: The ferry returns\n")));
    let found = found(&place, &["--text", FERRY, "--show-field", "day"]);
    assert_eq!(found["texts"][0]["duplicates"][0]["fields"], json!({"day": "7"}));
}
