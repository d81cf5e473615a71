//! `--same` and `--differ`: conditions on the fields of a pair.

use serde_json::{Value, json};

use crate::common::*;

/// The text with one word replaced.
fn edited(text: &str) -> String {
    text.replacen(" the ", " that ", 1)
}

fn rows_of(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// Four texts in two languages from three sources, some of them equal, one edited.
fn news() -> Place {
    let row = |id: &str, text: &str, lang: Value, source: Value| json!({"id": id, "text": text, "lang": lang, "source": source});
    let edited = edited(FERRY);
    let rows = [
        row("a", FERRY, json!("en"), json!("x")),
        row("b", FERRY, json!("en"), json!("y")),
        row("c", FERRY, json!("fr"), json!("x")),
        row("d", &edited, json!("fr"), json!("z")),
        row("e", &edited, Value::Null, json!("x")),
        json!({"id": "f", "text": edited, "source": "x"}),
    ];
    Place::with("news.jsonl", rows_of(&rows))
}

/// Removed documents with their keepers and reasons.
fn removed(place: &Place, arguments: &[&str]) -> Vec<String> {
    place.dedup(&[&["--force", "--keep", "first"], arguments].concat());
    let said = |row: &Value| {
        format!("{} {} {}", row["id"], row["keeper"], row["reason"].as_str().unwrap())
            .replace('"', "")
    };
    place.rows("out/removed.jsonl").iter().map(said).collect()
}

#[test]
fn documents_merge_only_where_the_guards_allow() {
    let place = news();
    for (guards, expected) in [
        (&[][..], &["b a exact", "c a exact", "d a near", "e a near", "f a near"][..]),
        // Two documents without a language agree.
        (&["--same", "lang"], &["b a exact", "d c near", "f e exact"]),
        (&["--differ", "source"], &["b a exact", "d a near"]),
        (&["--same", "lang", "--differ", "source"], &["b a exact", "d c near"]),
        (&["--same", "lang", "--same", "source"], &["f e exact"]),
        (&["--preset", "exact", "--differ", "source"], &["b a exact", "e d exact", "f d exact"]),
    ] {
        assert_eq!(removed(&place, &[&["news.jsonl"], guards].concat()), expected, "{guards:?}");
    }
    // Every pair meets the condition, but a chain may lead back to the first source.
    let all = removed(
        &place,
        &["news.jsonl", "--differ", "source", "--cluster", "components", "--pairs"],
    );
    assert_eq!(all.len(), 5, "{all:?}");
    let source = |id: &Value| {
        if id == "b" {
            "y"
        } else if id == "d" {
            "z"
        } else {
            "x"
        }
    };
    let pairs = place.rows("out/pairs.jsonl");
    assert!(
        pairs.len() > 5 && pairs.iter().all(|pair| source(&pair["left"]) != source(&pair["right"])),
        "{pairs:?}"
    );
    assert_eq!(place.summary("out")["settings"]["differ"], json!(["source"]));
    assert!(place.summary("out")["settings"].get("same").is_none());
}

#[test]
fn a_file_of_settings_names_them_too() {
    let place = news();
    place.write("guards.toml", "same = 'lang'\ndiffer = ['source']\n");
    assert_eq!(
        removed(&place, &["news.jsonl", "--config", "guards.toml"]),
        ["b a exact", "d c near"]
    );
    // The flag replaces the value of the file.
    let arguments =
        ["news.jsonl", "--config", "guards.toml", "--same", "source", "--differ", "lang"];
    assert_eq!(removed(&place, &arguments), ["c a exact", "e a near", "f a near"]);
}

#[test]
fn values_are_those_of_every_format() {
    let place = Place::with(
        "a.jsonl",
        rows_of(&[
            json!({"id": "a", "text": FERRY, "page": "5"}),
            json!({"id": "b", "text": FERRY}),
        ]),
    );
    place.write(
        "b.csv",
        format!(
            "id,text,page\nc,\"{FERRY}\",5\nd,\"{FERRY}\",\ne,\"{FERRY}\",six\ng,\"{FERRY}\",5.0\n"
        ),
    );
    place.write("c.tsv", format!("id\ttext\tpage\nf\t{FERRY}\tsix\n"));
    let expected = ["c a exact", "d b exact", "f e exact"];
    assert_eq!(removed(&place, &["a.jsonl", "b.csv", "c.tsv", "--same", "page"]), expected);
}

#[test]
fn both_sides_have_the_field() {
    let row =
        |id: &str, text: &str, source: &str| json!({"id": id, "text": text, "source": source});
    let place = Place::with(
        "test.jsonl",
        rows_of(&[row("t0", FERRY, "x"), row("t1", FERRY, "y"), row("t2", LIBRARY, "x")]),
    );
    let train = [
        row("0", FERRY, "y"),
        row("1", FERRY, "y"),
        row("2", &edited(FERRY), "x"),
        row("3", LIBRARY, "x"),
        row("4", LIBRARY, "y"),
    ];
    place.write("train.jsonl", rows_of(&train));
    let against = ["train.jsonl", "--against", "test.jsonl"];
    let same = removed(&place, &[&against[..], &["--same", "source"]].concat());
    assert_eq!(same, ["0 t1 exact", "1 t1 exact", "2 t0 near", "3 t2 exact"]);
    let differ = removed(&place, &[&against[..], &["--differ", "source"]].concat());
    assert_eq!(differ, ["0 t0 exact", "1 t0 exact", "2 t1 near", "4 t2 exact"]);
    place.write("bare.jsonl", rows_of(&[json!({"id": "t0", "text": FERRY, "origin": "x"})]));
    let arguments = ["dedup", "--output", "out", "--force", "--same", "source"];
    let run = place
        .run(&[&arguments[..], &["train.jsonl", "--against", "bare.jsonl"]].concat())
        .ends_with_code(2);
    run.says(&["--same: no row of --against has a value in a field \"source\"; there are: id, \
        origin, text; name another field"]);
    let run = place
        .run(&[&arguments[..], &["bare.jsonl", "--against", "train.jsonl"]].concat())
        .ends_with_code(2);
    run.says(&["--same: no row of the input has a value in a field \"source\"; there are: id, \
        origin, text; name another field"]);
}

#[test]
fn guards_that_allow_nothing_are_refused() {
    let place = news();
    let run = |arguments: &[&str]| {
        place
            .run(&[&["dedup", "news.jsonl", "--output", "out"], arguments].concat())
            .ends_with_code(2)
    };
    run(&["--differ", "sauce"])
        .says(&["--differ: no row of the input has a value in a field \"sauce\"; there are: id, \
            lang, source, text"]);
    run(&["--same", "lang", "--differ", "lang"]).says(&["--differ: \"lang\" is also in --same"]);
}

#[test]
fn the_recall_counts_what_the_guards_allow() {
    let place = Place::new();
    let text = |row: usize| format!("{FERRY} {LIBRARY} {BRIDGE} {}", row / 2);
    let rows: Vec<Value> =
        (0..40).map(|row| json!({"id": row, "text": text(row), "source": row % 2})).collect();
    place.write("rows.jsonl", rows_of(&rows));
    let pairs = |guards: &[&str]| {
        place.dedup(&[&["rows.jsonl", "--force"], guards].concat());
        let recall = &place.summary("out")["recall"];
        assert_eq!(recall["recall"], 1.0, "{guards:?}");
        recall["pairs"].as_u64().unwrap()
    };
    // Of 40 documents: every two of one source with different texts; every two of different sources
    // except equal texts.
    let (same, differ) = (pairs(&["--same", "source"]), pairs(&["--differ", "source"]));
    assert_eq!((same, differ), (2 * 20 * 19 / 2, 20 * 20 - 20));
}
