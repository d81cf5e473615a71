//! Nearly correct input: the message names a remedy, and the remedy works.

use crate::common::{self, FERRY, LIBRARY, Place, row};
use serde_json::json;

/// Runs `dedup` with these arguments, which must fail and say this.
fn fails(place: &Place, arguments: &[&str], says: &[&str]) {
    let run = place.run(&[&["dedup", "--output", "out", "--quiet"], arguments].concat());
    assert!(run.code != Some(0) && !place.path("out").exists(), "{arguments:?}");
    run.says(says);
}

/// Both texts are kept, and nothing else is written.
fn works(place: &Place, arguments: &[&str]) {
    place.dedup(arguments);
    assert_eq!(place.summary("out")["counts"]["kept"], 2, "{arguments:?}");
    std::fs::remove_dir_all(place.path("out")).unwrap();
}

#[test]
fn a_wrong_text_field_is_told_with_the_one_that_may_be_meant() {
    let rows = [FERRY, LIBRARY]
        .map(|text| json!({"id": text.len(), "content": text, "lang": "en"}).to_string() + "\n");
    let place = Place::with("news.jsonl", rows.concat());
    let says = "news.jsonl, row 1: no field \"text\"; did you mean \"content\"? its text is by far \
        the longest; there are: content, id, lang; name the right one with --text-field";
    fails(&place, &["news.jsonl"], &[says]);
    let says = "no field \"contnet\"; did you mean \"content\"? there are: content, id, lang; name";
    fails(&place, &["news.jsonl", "--text-field", "contnet"], &[says]);
    let says = "no row of the input has a field \"idd\"; did you mean \"id\"? there are: content, \
        id, lang; name the one";
    fails(
        &place,
        &["news.jsonl", "--text-field", "content", "--id-field", "idd"],
        &["--id-field: ", says],
    );
    works(&place, &["news.jsonl", "--text-field", "content"]);
}

#[test]
fn fields_inside_of_objects_are_named_with_dots() {
    let nested = |id: u32, lang: &str, text: &str| json!({"doc": {"id": id, "text": text, "meta": {"lang": lang, "day": 2020 + id}}});
    let rows = [
        nested(1, "en", FERRY),
        nested(2, "en", LIBRARY),
        nested(3, "en", FERRY),
        nested(4, "de", FERRY),
    ];
    let place = Place::with("news.jsonl", rows.map(|row| row.to_string() + "\n").concat());
    fails(
        &place,
        &["news.jsonl"],
        &[
            "did you mean \"doc.text\"?",
            "there are: doc.id, doc.meta.day, doc.meta.lang, doc.text;",
        ],
    );
    let fields = ["--text-field", "doc.text", "--id-field", "doc.id", "--same", "doc.meta.lang"];
    place.dedup(&[&["news.jsonl", "--keep", "newest:doc.meta.day"], &fields[..]].concat());
    let removed = &place.rows("out/removed.jsonl")[0];
    assert_eq!((&removed["id"], &removed["keeper"]), (&json!(1), &json!(3)));
    assert_eq!(place.summary("out")["counts"]["removed"], 1);
    // The passage is masked in place.
    place.write("test.jsonl", row("t", LIBRARY));
    place.write("train.jsonl", nested(1, "en", &format!("{FERRY} {LIBRARY} {FERRY}")).to_string());
    let against = [
        "--against",
        "test.jsonl",
        "--against-text-field",
        "text",
        "--leak-action",
        "mask",
        "--force",
    ];
    place.dedup(&[&["train.jsonl", "--text-field", "doc.text"], &against[..]].concat());
    let kept = &place.rows("out/kept/train.jsonl")[0];
    assert_eq!(*kept, nested(1, "en", &format!("{FERRY} [masked] {FERRY}")));
    // A field with exactly this name comes first.
    place.write("both.jsonl", json!({"doc.text": FERRY, "doc": {"text": LIBRARY}}).to_string());
    place
        .run(&["dedup", "both.jsonl", "--text-field", "doc.text", "-o", "literal", "-q"])
        .succeeds();
    assert_eq!(place.summary("literal")["bytes"]["text"], FERRY.len());
}

#[test]
fn a_file_that_is_one_array_is_told_with_a_remedy() {
    let rows = vec![json!({"id": 1, "text": FERRY}), json!({"id": 2, "text": LIBRARY})];
    for bytes in [json!(rows).to_string(), serde_json::to_string_pretty(&rows).unwrap()] {
        let place = Place::with("news.json", &bytes);
        let says = "news.json: the file is one JSON array, not one object per line; convert it \
            with jq -c '.[]', or with python3 -c '";
        fails(&place, &["news.json"], &[says]);
        // The conversion of jq.
        let array: Vec<serde_json::Value> =
            serde_json::from_slice(&place.read("news.json")).unwrap();
        place.write(
            "lines.jsonl",
            array.iter().map(|row| row.to_string() + "\n").collect::<String>(),
        );
        let shown = place.run(&["dedup", "news.json", "--output", "out"]).stderr;
        let (_, script) = shown.split_once("python3 -c '").unwrap();
        let (script, _) = script.split_once('\'').unwrap();
        let python = std::process::Command::new("python3")
            .args(["-c", script])
            .stdin(std::fs::File::open(place.path("news.json")).unwrap())
            .output();
        match python {
            Ok(output) => {
                let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
                    .unwrap()
                    .lines()
                    .map(|line| serde_json::from_str(line).unwrap())
                    .collect();
                assert_eq!(lines, array, "{script}");
            }
            Err(_) => common::skipped("no python3"),
        }
        works(&place, &["lines.jsonl"]);
    }
}

#[test]
fn another_delimiter_is_told_with_its_flag() {
    for (delimiter, value) in [(';', "';'"), ('|', "'|'"), ('\t', "tab")] {
        let quoted = |text: &str| format!("\"{text}\"");
        let place = Place::with(
            "news.csv",
            format!(
                "id{delimiter}text\n1{delimiter}{}\n2{delimiter}{}\n",
                quoted(FERRY),
                quoted(LIBRARY)
            ),
        );
        fails(
            &place,
            &["news.csv"],
            &[
                "the fields of the header are separated by",
                &format!("; read the file with --delimiter {value}"),
            ],
        );
        works(&place, &["news.csv", "--delimiter", value.trim_matches('\'')]);
        place.dedup(&["news.csv", "--annotate", "--delimiter", value.trim_matches('\'')]);
        let header = format!("id{delimiter}text{delimiter}duplicate_of{delimiter}cluster\n");
        assert!(place.text("out/annotated/news.csv").starts_with(&header));
    }
    let place = Place::with("news.csv", format!("id;body\n1;\"{FERRY}\"\n2;\"{LIBRARY}\"\n"));
    fails(
        &place,
        &["news.csv"],
        &["with --delimiter ';', and name one of id, body with --text-field"],
    );
    works(&place, &["news.csv", "--delimiter", ";", "--text-field", "body"]);
    let run = place.run(&["dedup", "news.csv", "-o", "out", "--delimiter", "::"]).ends_with_code(2);
    run.says(&["--delimiter", "\"::\" is neither one ASCII character, such as ; or |, nor tab"]);
}

#[test]
fn a_file_without_a_header_is_told_what_to_put_before_it() {
    let rows = format!("1,\"{FERRY}\",2024-01-02\n2,\"{LIBRARY}\",2024-01-03\n");
    let place = Place::with("news.csv", &rows);
    let says = [
        "news.csv: no column \"text\"; there are: 1, ",
        "add a header, such as column1,text,column3, or name",
    ];
    fails(&place, &["news.csv"], &says);
    place.write("news.csv", format!("column1,text,column3\n{rows}"));
    works(&place, &["news.csv"]);
}

#[test]
fn shards_that_use_an_id_again_are_told_apart_by_file_and_row() {
    let place = Place::with("part-1.jsonl", row("0", FERRY) + &row("1", LIBRARY));
    place.write("part-2.jsonl", row("0", FERRY));
    let says = "part-2.jsonl, row 1: id \"0\" was used before (part-1.jsonl, row 1); make ids \
        unique, name another --id-field, or number the documents with --ids file-row";
    fails(&place, &["part-1.jsonl", "part-2.jsonl"], &[says]);
    works(&place, &["part-1.jsonl", "part-2.jsonl", "--ids", "file-row"]);
    place.dedup(&["part-1.jsonl", "part-2.jsonl", "--ids", "file-row"]);
    let removed = &place.rows("out/removed.jsonl")[0];
    assert_eq!(
        (&removed["id"], &removed["keeper"]),
        (&json!("part-2.jsonl:1"), &json!("part-1.jsonl:1"))
    );
    // The setting holds for both sides, even with a field of ids.
    let against = [
        "part-1.jsonl",
        "--against",
        "part-2.jsonl",
        "--ids",
        "file-row",
        "--id-field",
        "url",
        "--force",
    ];
    place.dedup(&against);
    assert_eq!(place.rows("out/removed.jsonl")[0]["keeper"], "part-2.jsonl:1");
    let run = place.run(&["dedup", "part-1.jsonl", "-o", "x", "--ids", "row"]).ends_with_code(2);
    run.says(&["--ids", "file-row"]);
}
