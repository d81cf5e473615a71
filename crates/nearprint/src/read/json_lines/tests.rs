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
{"body":"b","title":["t"]}"#;
    let found = documents("a.jsonl", bytes, &options);
    assert_eq!(found[0].as_ref().unwrap().text, "t\nb");
    assert_eq!(found[1].as_ref().unwrap().text, "t");
    assert_eq!(found[2].as_ref().unwrap().text, "b");
    assert_eq!(
        found[3],
        rejection("a.jsonl", Some(4), Problem::NullField { field: "title".into() })
    );
    assert_eq!(
        found[4],
        rejection(
            "a.jsonl",
            Some(5),
            Problem::MissingField {
                field: "title".into(),
                setting: "text-field".into(),
                available: ["body".into()].into(),
                hint: None
            }
        )
    );
    let wrong = Problem::WrongType {
        field: "title".into(),
        wanted: "a string".into(),
        found: "an array".into(),
    };
    assert_eq!(found[5], rejection("a.jsonl", Some(6), wrong));
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
    let bytes = b"{\"text\":1}\n{\"text\":null}\n{\"a\":\"b\"}\n{\"text\":\"a\",}\n[1]\n{\"text\":\"a\"} x\n{\"text\":\"\xff\"}\n{\"text\":\"a\0\"}\n{\"id\":1.5,\"text\":\"\"}\n{\"id\":true,\"text\":\"\"}\n{\"a\":\"\xff\",\"text\":\"a\"}\n{\"text\":\"a\"\n{\"text\":\"good\"}\n";
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
            "a.jsonl, row 7: not UTF-8 (byte 9); convert the file to UTF-8",
            "a.jsonl, row 8: NUL byte at byte 10: the file is binary or UTF-16; convert it to \
                 UTF-8",
            "a.jsonl, row 9: field \"id\" is a number with a fraction or beyond 64 bits, not a string or an integer; name another field",
            "a.jsonl, row 10: field \"id\" is a boolean, not a string or an integer; name another field",
            "a.jsonl, row 11: not UTF-8 (byte 6); convert the file to UTF-8",
            "a.jsonl, row 12: not a JSON object (column 11: EOF while parsing an object); fix \
                 the line, or name the format with format",
        ]
    );
}

#[test]
fn a_negative_zero_is_no_id() {
    let found =
        documents("a.jsonl", b"{\"id\":-0,\"text\":\"a\"}\n{\"id\":0,\"text\":\"a\"}", &options());
    let says = "a.jsonl, row 1: field \"id\" is a negative zero, not a string or an integer; name another field";
    assert_eq!(messages(&found), [says]);
    assert_eq!(found[1].as_ref().unwrap().id, Id::Integer(0));
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
