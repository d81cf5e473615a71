//! Columns, alternatives, likely causes of a missing column, and rows that are rejected.

use super::*;
use crate::read::Quote;
use crate::read::testing::{documents, messages, options, rejection};

#[test]
fn columns_are_found_by_name_and_quotes_hold_line_ends() {
    let options = Options { kept_fields: vec!["day".into()], ..options() };
    let bytes = "\u{feff}\"text\",id,day\r\n\"一,\n\"\"二\"\"\",7,3.5\r\n\r\nb,,x\nc,z,".as_bytes();
    let found: Vec<_> =
        documents("a.csv", bytes, &options).into_iter().map(Result::unwrap).collect();
    assert_eq!(
        found,
        [
            Document {
                row: 1,
                id: Id::Text("7".into()),
                text: "一,\n\"二\"".into(),
                fields: vec![Some(FieldValue::Number(3.5))]
            },
            Document {
                row: 2,
                id: Id::Text("a.csv:2".into()),
                text: "b".into(),
                fields: vec![Some(FieldValue::Text("x".into()))]
            },
            Document { row: 3, id: Id::Text("z".into()), text: "c".into(), fields: vec![None] },
        ]
    );
    let found = documents("a.tsv", b"n\ttext\n1\ta,b\n", &options);
    assert_eq!(found[0].as_ref().unwrap().text, "a,b");
}

#[test]
fn alternatives_are_taken_in_order_and_absent_texts_are_left_out() {
    let options = Options {
        text_fields: vec!["title".into(), "content|body".into()],
        id_field: Some("key|number".into()),
        kept_fields: vec!["score|rank".into(), "score|rank".into()],
        numeric_fields: 1,
        ..options()
    };
    let bytes = b"body,number,key,rank\nb,1,x,1E2\n,2,,\n";
    let found: Vec<_> =
        documents("a.csv", bytes, &options).into_iter().map(Result::unwrap).collect();
    let fields = vec![Some(FieldValue::Number(100.0)), Some(FieldValue::Text("1E2".into()))];
    let id = |id: &str| Id::Text(id.into());
    assert_eq!(
        found,
        [
            Document { row: 1, id: id("x"), text: "b".into(), fields },
            Document { row: 2, id: id("2"), text: "".into(), fields: vec![None, None] }
        ]
    );
    let found = documents("a.csv", b"body,content|body,title\nb,c,t\n", &options);
    assert_eq!(found[0].as_ref().unwrap().text, "t\nc");
    let says = messages(&documents("a.csv", b"id,contnet\n1,b\n", &options));
    assert!(says[0].starts_with("a.csv: no column \"title\"; there are: id, contnet"), "{says:?}");
}

#[test]
fn a_missing_text_column_is_about_the_file() {
    let found = documents("a.csv", b"id,body\n1,x\n", &options());
    assert_eq!(
        messages(&found),
        ["a.csv: no column \"text\"; there are: id, body; name the right one with text-field"]
    );
}

#[test]
fn a_missing_column_comes_with_what_may_have_gone_wrong() {
    let long = "A long text that is no name of a column but what a row says about something";
    for (name, bytes, says) in [
        (
            "a.csv",
            "id;text\n1;x\n".to_string(),
            "the fields of the header are separated by \";\"; read the file with delimiter = \
             \";\"",
        ),
        (
            "a.tsv",
            "id,text\n1,x\n".to_string(),
            "separated by \",\"; read the file with delimiter = \",\"",
        ),
        (
            "a.csv",
            "id\ttext\n1\tx\n".to_string(),
            "separated by tabs; read the file with delimiter = \"tab\"",
        ),
        (
            "a.csv",
            "id|body\n1|x\n".to_string(),
            "delimiter = \"|\", and name one of id, body with text-field",
        ),
        (
            "a.csv",
            format!("1,{long},x\n2,x,y\n"),
            "add a header, such as column1,text,column3, or name",
        ),
        (
            "a.csv",
            format!("id,url,body\n1,a.b,\"{long}\"\n"),
            "did you mean \"body\"? its text is by far the longest",
        ),
        (
            "a.csv",
            "id,txt\n1,x\n".to_string(),
            "no column \"text\"; did you mean \"txt\"? there are: id, txt; name",
        ),
        ("a.csv", "id,body\n1,x\n".to_string(), "no column \"text\"; there are: id, body; name"),
        ("a.csv", "body\n\n".to_string(), "no column \"text\"; there are: body; name"),
    ] {
        let found = messages(&documents(name, bytes.as_bytes(), &options()));
        assert!(found.len() == 1 && found[0].contains(says), "{found:?}");
    }
}

#[test]
fn another_delimiter_divides_the_fields_if_it_is_asked_for() {
    let options = Options { delimiter: Some(";".parse().unwrap()), ..options() };
    for name in ["a.csv", "a.tsv"] {
        let found = documents(name, b"id;text\n7;\"a;b\"\n8;a,b\tc\n", &options);
        let texts: Vec<_> =
            found.iter().map(|document| document.as_ref().unwrap().text.as_str()).collect();
        assert_eq!(texts, ["a;b", "a,b\tc"], "{name}");
    }
}

#[test]
fn each_bad_row_is_named_and_the_next_is_read() {
    let options = Options { max_document_bytes: 12, ..options() };
    let bytes = b"id,text\n1\n1,2,3\n4,\xff\n5,\0\n6,12345678901\n7,good\n8,\"open\n";
    let found = documents("a.csv", bytes, &options);
    let damaged = |row, reason: &str| {
        rejection("a.csv", Some(row), Problem::Damaged { reason: reason.into() })
    };
    let ragged = |count| {
        format!(
            "{count} {}, but the header has 2; quote fields that contain the delimiter or a \
             line end",
            if count == 1 { "field" } else { "fields" }
        )
    };
    assert_eq!(found[0], damaged(1, &ragged(1)));
    assert_eq!(found[1], damaged(2, &ragged(3)));
    assert_eq!(found[2], rejection("a.csv", Some(3), Problem::NotUtf8 { offset: 2 }));
    assert_eq!(found[3], rejection("a.csv", Some(4), Problem::NulByte { offset: 2 }));
    assert_eq!(found[4], rejection("a.csv", Some(5), Problem::TooLong { limit: 12 }));
    assert_eq!(found[5].as_ref().unwrap().text, "good");
    let open = Problem::BadQuote { is_open: true, lines: 1 };
    assert_eq!(found[6], rejection("a.csv", Some(7), open));
    let says = messages(&found).pop().unwrap();
    assert!(says.contains("never closed; the row spans 1 line); if quotes are letters"), "{says}");
    assert_eq!(found.len(), 7);
}

#[test]
fn a_stray_quote_never_takes_in_rows_unseen() {
    let bytes = b"id\ttext\n1\t\"Well, he said\n2\tand she\n3\t\"No\" was all\n4\tgood\n";
    let quoted = Options { quote: Some(Quote::DOUBLE), ..options() };
    let found = documents("a.tsv", bytes, &quoted);
    let stray = "a quoted field continues after its closing quote; the row spans 3 lines";
    assert!(
        messages(&found)[0].starts_with(&format!("a.tsv, row 1: damaged ({stray}")),
        "{:?}",
        messages(&found)
    );
    assert_eq!(found[1].as_ref().unwrap().text, "good");
}
