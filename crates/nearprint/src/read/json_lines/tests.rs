//! Lines that are read, and rows that are rejected.

use super::*;
use crate::read::testing::{documents, messages, options, rejection};

fn texts(bytes: &[u8]) -> Vec<(u64, Id, String)> {
    documents("a.jsonl", bytes, &options())
        .into_iter()
        .map(|d| d.unwrap())
        .map(|d| (d.row, d.id, d.text))
        .collect()
}

#[test]
fn rows_are_line_numbers_and_ids_keep_their_type() {
    let found = texts(
            "\u{feff}{\"id\":-3,\"text\":\"春眠\",\"more\":{\"text\":[1]}}\r\n\n \t\r\n{\"text\":\"\\u4e0d\\u0000\",\"id\":\"x\"}\n{\"id\":18446744073709551615,\"text\":\"\"}\n{\"id\":null,\"text\":\"c\"}"
                .as_bytes(),
        );
    assert_eq!(
        found,
        [
            (1, Id::Integer(-3), "春眠".to_string()),
            (4, Id::Text("x".into()), "不\0".to_string()),
            (5, Id::Unsigned(u64::MAX), String::new()),
            (6, Id::Text("a.jsonl:6".into()), "c".to_string()),
        ]
    );
}

#[test]
fn a_file_that_is_one_array_is_told_from_a_bad_row() {
    for bytes in [
        "[{\"text\":\"a\"},{\"text\":\"b\"}]",
        "[\n  {\"text\": \"a\"}\n]\n",
        "\u{feff}[ {\"text\":1}]",
        " [\r\n{}]",
        "[\r\n}",
    ] {
        assert_eq!(
            documents("a.json", bytes.as_bytes(), &options()),
            [rejection("a.json", None, Problem::JsonArray)]
        );
    }
    for bytes in [
        "[1]\n{\"text\":\"a\"}",
        "[  1]\n{\"text\":\"a\"}",
        "[[{}]]\n{\"text\":\"a\"}",
        "[\"a\"]\n{\"text\":\"a\"}",
    ] {
        let found = documents("a.json", bytes.as_bytes(), &options());
        assert_eq!((found.len(), found[0].as_ref().unwrap_err().row), (2, Some(1)), "{bytes}");
    }
}

#[test]
fn several_text_fields_are_joined() {
    let options = Options { text_fields: vec!["title".into(), "body".into()], ..options() };
    let bytes = br#"{"body":"b","title":"t"}
{"body":null,"title":"t"}
{"body":"b","title":null}
{"body":null,"title":null}
{"body":"b"}
{"body":"b","title":["t"]}
{"body":null}
{"txt":1}"#;
    let found = documents("a.jsonl", bytes, &options);
    assert_eq!(found[0].as_ref().unwrap().text, "t\nb");
    assert_eq!(found[1].as_ref().unwrap().text, "t");
    assert_eq!(found[2].as_ref().unwrap().text, "b");
    assert_eq!(
        found[3],
        rejection("a.jsonl", Some(4), Problem::NullField { field: "title".into() })
    );
    assert_eq!(found[4].as_ref().unwrap().text, "b");
    let parts = ["title[]".to_string()].into();
    let setting = || "text-field".into();
    let has_parts = Problem::HasParts { field: "title".into(), setting: setting(), parts };
    assert_eq!(found[5], rejection("a.jsonl", Some(6), has_parts));
    let null = Problem::NullField { field: "body".into() };
    assert_eq!(found[6], rejection("a.jsonl", Some(7), null));
    let missing = Problem::MissingField {
        field: "title".into(),
        setting: setting(),
        available: ["txt".into()].into(),
        hint: None,
    };
    assert_eq!(found[7], rejection("a.jsonl", Some(8), missing));
}

#[test]
fn kept_fields_are_numbers_strings_booleans_or_nothing() {
    let options = Options { kept_fields: vec!["day".into(), "off".into()], ..options() };
    let bytes = br#"{"text":"","day":3}
{"text":"","day":-2.5}
{"text":"","day":"2024-01-01"}
{"text":"","day":null,"off":true}
{"text":""}
{"text":"","day":[]}"#;
    let fields: Vec<_> =
        documents("a.jsonl", bytes, &options).into_iter().map(|d| d.unwrap().fields).collect();
    assert_eq!(
        fields,
        [
            [Some(FieldValue::Integer(3)), None],
            [Some(FieldValue::Number(-2.5)), None],
            [Some(FieldValue::Text("2024-01-01".into())), None],
            [None, Some(FieldValue::Boolean(true))],
            [None, None],
            [None, None]
        ]
    );
    let same =
        Options { kept_fields: vec!["text".into()], id_field: Some("text".into()), ..options };
    let document = documents("a.jsonl", b"{\"text\":\"x\"}", &same).remove(0).unwrap();
    assert_eq!(
        (document.id, document.fields),
        (Id::Text("x".into()), vec![Some(FieldValue::Text("x".into()))])
    );
}

#[test]
fn each_bad_row_is_named_and_the_next_is_read() {
    let bytes = b"{\"text\":1}\n{\"text\":null}\n{\"a\":\"b\"}\n{\"text\":\"a\",}\n[1]\n{\"text\":\"a\"} x\n{\"text\":\"\xff\"}\n{\"text\":\"a\0\"}\n{\"id\":[1],\"text\":\"\"}\n{\"id\":{},\"text\":\"\"}\n{\"a\":\"\xff\",\"text\":\"a\"}\n{\"text\":\"a\"\n{\"text\":\"good\"}\n";
    let found = documents("a.jsonl", bytes, &options());
    assert_eq!(found.last().unwrap().as_ref().unwrap().text, "good");
    assert_eq!(
        messages(&found),
        [
            "a.jsonl, row 1: field \"text\" is an integer, not a string; name another field",
            "a.jsonl, row 2: field \"text\" is null; give it a text",
            "a.jsonl, row 3: no field \"text\"; there are: a; name the right one with text-field",
            "a.jsonl, row 4: not a JSON object (column 13: trailing comma); fix the line, or \
                 name the format with format",
            "a.jsonl, row 5: not a JSON object (column 1: invalid type: sequence, expected an \
                 object); fix the line, or name the format with format",
            "a.jsonl, row 6: not a JSON object (column 14: trailing characters); fix the line, \
                 or name the format with format",
            "a.jsonl, row 7: not UTF-8 (byte 9): the bytes are damaged, or in another \
             encoding; repair the row, or convert the file to UTF-8",
            "a.jsonl, row 8: NUL byte at byte 10: the file is binary or UTF-16; convert it to \
                 UTF-8",
            "a.jsonl, row 9: field \"id\" is an array, not a string, a number or a boolean; name another field",
            "a.jsonl, row 10: field \"id\" is an object, not a string, a number or a boolean; name another field",
            "a.jsonl, row 11: not UTF-8 (byte 6): the bytes are damaged, or in another \
             encoding; repair the row, or convert the file to UTF-8",
            "a.jsonl, row 12: not a JSON object (column 11: EOF while parsing an object); fix \
                 the line, or name the format with format",
        ]
    );
}

#[test]
fn other_values_are_ids_as_they_are_written() {
    let written = ["-0", "1.50", "123456789012345678901", "1e3", "true", "\"x\""];
    let rows: String =
        written.iter().map(|id| format!("{{\"text\":\"\",\"doc\":{{\"id\":{id}}}}}\n")).collect();
    for (field, rows) in [
        ("doc.id", rows.clone()),
        ("id", rows.replace("\"doc\":{", "").replace("}}", "}")),
        ("key|id", rows.replace("\"doc\":{", "\"key\":null,").replace("}}", "}")),
    ] {
        let options = Options { id_field: Some(field.into()), ..options() };
        let found = documents("a.jsonl", rows.as_bytes(), &options);
        let ids: Vec<_> = found.into_iter().map(|document| document.unwrap().id).collect();
        let expected = written.map(|id| Id::Text(id.trim_matches('"').into()));
        assert_eq!(ids, expected, "{field}");
    }
}

#[test]
fn a_row_takes_the_first_alternative_and_the_texts_of_lists() {
    let options = Options {
        text_fields: vec!["m[].t|body".into()],
        kept_fields: vec!["day|date".into(), "tags[]".into()],
        ..options()
    };
    let bytes = br#"{"m":[{"t":"a"},{"t":null},{},{"t":"b"}],"body":"x","day":1,"tags":["p","q"]}
{"m":[],"body":"x","day":null,"date":2,"tags":[1]}
{"m":[{"t":null}],"body":"y"}
{"m":[{"t":1}],"body":"y"}
{"m":null,"body":null}
{"m":[{"other":""}]}
{"m":[{"t":"a"},{"t":[{"v":"b"},{"w":1}]}]}"#;
    let found = documents("a.jsonl", bytes, &options);
    let read = |place: usize| {
        let document = found[place].as_ref().unwrap();
        (document.text.as_str(), &document.fields[..])
    };
    let (integer, text) = (|number| Some(FieldValue::Integer(number)), FieldValue::Text);
    assert_eq!(read(0), ("a\nb", &[integer(1), Some(text("p\nq".into()))][..]));
    assert_eq!(read(1), ("x", &[integer(2), integer(1)][..]));
    assert_eq!(read(2), ("y", &[None, None][..]));
    let says = messages(&found);
    assert!(says[0].contains("\"m[].t\" is an integer, not a string"), "{says:?}");
    assert!(says[1].contains("field \"m[].t|body\" is null"), "{says:?}");
    assert!(says[2].contains("no field \"m[].t|body\"; there are: m[].other"), "{says:?}");
    let name = "\"m[].t\" is not one text; name a text inside, with text-field: m[].t|m[].t[].v";
    assert!(says[3].contains(name), "{says:?}");
    let nested = Options { text_fields: vec!["m[].t|m[].t[].v|body".into()], ..options };
    let found = documents("a.jsonl", bytes, &nested);
    let texts: Vec<_> = found.iter().flatten().map(|document| &document.text[..]).collect();
    assert_eq!(texts, ["a\nb", "x", "y", "a\nb"]);
}

#[test]
fn a_long_line_is_passed_over() {
    let options = Options { max_document_bytes: 20, ..options() };
    let bytes = [
        br#"{"text":"a"}"#.as_slice(),
        b"\n{\"text\":\"",
        &[b'x'; 500_000],
        b"\"}\n{\"text\":\"b\"}",
    ]
    .concat();
    let found = documents("a.jsonl", &bytes, &options);
    assert_eq!(found[1], rejection("a.jsonl", Some(2), Problem::TooLong { limit: 20 }));
    assert_eq!(found[2].as_ref().unwrap().text, "b");
}
