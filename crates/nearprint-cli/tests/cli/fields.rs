//! The names of fields: alternatives, fields inside of others, lists, and fields that some rows
//! lack.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, Date32Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value, json};

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, SKIP, column, parquet};

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The ids of removed documents and of their keepers.
fn removed(place: &Place, arguments: &[&str]) -> Vec<[Value; 2]> {
    place.dedup(&[&["--force"], arguments].concat());
    let rows = place.rows("out/removed.jsonl");
    rows.iter().map(|row| [row["id"].clone(), row["keeper"].clone()]).collect()
}

/// A column of lists of messages, each with these texts.
fn messages(lists: &[&[&str]]) -> ArrayRef {
    let fields = ["role", "content"].map(|name| Field::new(name, DataType::Utf8, true));
    let texts = || Box::new(StringBuilder::new());
    let message = StructBuilder::new(Fields::from(fields.to_vec()), vec![texts(), texts()]);
    let mut column = ListBuilder::new(message);
    for list in lists {
        for text in *list {
            let message = column.values();
            message.field_builder::<StringBuilder>(0).unwrap().append_value("user");
            message.field_builder::<StringBuilder>(1).unwrap().append_value(text);
            message.append(true);
        }
        column.append(true);
    }
    Arc::new(column.finish())
}

#[test]
fn each_row_takes_the_first_alternative_that_it_has() {
    let rows = [
        json!({"key": "a", "content": FERRY}),
        json!({"number": 7, "content": null, "doc": {"text": FERRY}}),
        json!({"key": "c", "body": LIBRARY, "content": FERRY}),
    ];
    let place = Place::with("a.jsonl", lines(&rows));
    place.write("b.csv", format!("key,body\nd,\"{LIBRARY}\"\n,\"{FERRY}\"\n"));
    let text: ArrayRef = Arc::new(StringArray::from(vec![LIBRARY, FERRY]));
    let doc = RecordBatch::try_from_iter([("text", text)]).unwrap();
    let days: ArrayRef = Arc::new(Date32Array::from(vec![0, 1]));
    let doc: ArrayRef = Arc::new(StructArray::from(doc));
    let table = RecordBatch::try_from_iter([("number", days), ("doc", doc)]).unwrap();
    place.write("c.parquet", parquet(&table));
    let fields =
        ["--keep", "first", "--text-field", "content|body|doc.text", "--id-field", "key|number"];
    let found = removed(&place, &[&["a.jsonl", "b.csv", "c.parquet"], &fields[..]].concat());
    let pairs = [
        [json!(7), json!("a")],
        [json!("c"), json!("a")],
        [json!("b.csv:2"), json!("a")],
        [json!("1970-01-01"), json!("d")],
        [json!("1970-01-02"), json!("a")],
    ];
    assert_eq!(found, pairs);
    // An empty value of CSV leaves the text to the next alternative, also where it is masked.
    let long = format!("{BRIDGE} {FERRY} {BRIDGE}");
    place.write("e.csv", format!("key,content,body\ne,,\"{long}\"\nf,\"{long}\",\ng,,\n"));
    let found = removed(&place, &[&["e.csv"], &fields[..]].concat());
    assert_eq!(found, [[json!("f"), json!("e")]]);
    place.write("item.jsonl", lines(&[json!({"id": "t", "text": FERRY})]));
    let mask = ["--against", "item.jsonl", "--against-text-field", "text", "--leak-action", "mask"];
    place.dedup(&[&["e.csv", "--force"], &fields[..], &mask].concat());
    let masked = long.replace(FERRY, "[masked]");
    let left = format!("key,content,body\ne,,\"{masked}\"\nf,\"{masked}\",\ng,,\n");
    assert_eq!(place.text("out/kept/e.csv"), left);
    // So does an empty text of JSON Lines and Parquet.
    let rows =
        [json!({"key": "h", "content": "", "body": long}), json!({"key": "", "content": long})];
    place.write("h.jsonl", lines(&rows));
    let columns = [("key", ["i", ""]), ("content", ["", ""]), ("body", [long.as_str(), ""])];
    let columns = columns.map(|(name, texts)| -> (&str, ArrayRef) {
        (name, Arc::new(StringArray::from(texts.to_vec())))
    });
    place.write("i.parquet", parquet(&RecordBatch::try_from_iter(columns).unwrap()));
    let found = removed(&place, &[&["h.jsonl", "i.parquet"], &fields[..]].concat());
    assert_eq!(found, [[json!("h.jsonl:2"), json!("h")], [json!("i"), json!("h")]]);
    assert_eq!(place.summary("out")["counts"]["empty"], 1);
    place.dedup(&[&["h.jsonl", "--force"], &fields[..], &mask].concat());
    assert_eq!(place.text("out/kept/h.jsonl"), lines(&rows).replace(FERRY, "[masked]"));
    // A field that has the whole name comes first.
    place.write(
        "d.jsonl",
        lines(&[json!({"id": 1, "x|y": FERRY, "x": LIBRARY}), json!({"id": 2, "y": FERRY})]),
    );
    let found = removed(&place, &["d.jsonl", "--text-field", "x|y", "--keep", "first"]);
    assert_eq!(found, [[json!(2), json!(1)]]);
}

#[test]
fn the_texts_of_a_list_are_one_text() {
    let message = |text: &str| json!({"role": "user", "content": text});
    let chat = |id: u32, texts: [&str; 2]| json!({"id": id, "messages": texts.map(message)});
    let place =
        Place::with("chat.jsonl", lines(&[chat(1, [FERRY, LIBRARY]), chat(2, [FERRY, BRIDGE])]));
    place.write("text.jsonl", lines(&[json!({"id": 3, "content": format!("{FERRY}\n{BRIDGE}")})]));
    let table = [("messages", messages(&[&[FERRY, LIBRARY], &[BRIDGE, FERRY]]))];
    place.write("chat.parquet", parquet(&RecordBatch::try_from_iter(table).unwrap()));
    let inputs = ["chat.jsonl", "text.jsonl", "chat.parquet", "--preset", "exact"];
    for field in ["messages[].content|content", "messages.content|content"] {
        let found = removed(&place, &[&inputs[..], &["--text-field", field]].concat());
        let pairs = [[json!(3), json!(2)], [json!("chat.parquet:1"), json!(1)]];
        assert_eq!(found, pairs, "{field}");
    }
    let refused = |file: &str, says: &str| {
        let run = place.run(&["dedup", file, "-o", "no", "--text-field", "messages"]);
        run.ends_with_code(1).says(&[says]);
    };
    let says = "field \"messages\" is not one text; name a text inside, with --text-field: \
        messages[].content, messages[].role";
    refused("chat.jsonl", says);
    let says = "name a text inside, with --text-field: messages[].role, messages[].content";
    refused("chat.parquet", says);
    place.write("pages.jsonl", lines(&[json!({"id": 1, "pages": ["a", null, "b"]})]));
    place.dedup(&["pages.jsonl", "--force", "--text-field", "pages[]"]);
    assert_eq!(place.summary("out")["bytes"]["text"], 3);
}

#[test]
fn contents_may_be_texts_and_lists_of_parts_in_one_chat() {
    let part = |text: &str| json!({"type": "text", "text": text});
    let parts =
        json!([part(FERRY), {"type": "image_url", "image_url": {"url": "x"}}, part(BRIDGE)]);
    let rows = [
        json!({"id": 1, "messages": [{"content": LIBRARY}, {"content": parts}]}),
        json!({"id": 2, "messages": [{"content": LIBRARY}, {"content": FERRY}, {"content": BRIDGE}]}),
    ];
    let place = Place::with("chats.jsonl", lines(&rows));
    let name = "messages[].content|messages[].content[].text";
    let run =
        place.run(&["dedup", "chats.jsonl", "-o", "no", "--text-field", "messages[].content"]);
    run.ends_with_code(1).says(&["row 1: field \"messages[].content\" is not one text", name]);
    for name in [name, "messages[].content[].text|messages[].content"] {
        let exact = ["--text-field", name, "--preset", "exact", "--keep", "first"];
        let found = removed(&place, &[&["chats.jsonl"], &exact[..]].concat());
        assert_eq!(found, [[json!(2), json!(1)]], "{name}");
    }
    place.write("test.jsonl", lines(&[json!({"id": "t", "text": FERRY})]));
    let against = ["--against", "test.jsonl", "--against-text-field", "text"];
    let mask = ["--text-field", name, "--leak-action", "mask", "--keep", "first", "--force"];
    place.dedup(&[&["chats.jsonl"], &against[..], &mask].concat());
    let masked = place.rows("out/kept/chats.jsonl");
    assert_eq!(masked[0]["messages"][1]["content"][0]["text"], "[masked]");
    assert_eq!(masked[0]["messages"][1]["content"][2]["text"], BRIDGE);
}

#[test]
fn leaks_are_cut_out_of_the_texts_of_lists() {
    let long = format!("{BRIDGE} {FERRY} {BRIDGE}");
    let rows = [json!({"id": 1, "messages": [{"content": LIBRARY}, {"content": long}]})];
    let place = Place::with("train.jsonl", lines(&rows));
    place.write("test.jsonl", lines(&[json!({"id": "t", "text": FERRY})]));
    let texts = [LIBRARY, long.as_str()];
    let table = [("messages", messages(&[&texts]))];
    place.write("train.parquet", parquet(&RecordBatch::try_from_iter(table).unwrap()));
    let against = ["--against", "test.jsonl", "--against-text-field", "text"];
    let fields = ["--text-field", "messages[].content", "--leak-action", "mask", "--force"];
    place.dedup(&[&["train.jsonl", "train.parquet"], &against[..], &fields].concat());
    let masked = place.rows("out/kept/train.jsonl");
    let parts = column(masked[0]["messages"].as_array().unwrap(), "content");
    assert_eq!(parts, [json!(LIBRARY), json!(format!("{BRIDGE} [masked] {BRIDGE}"))]);
    // The masked copy of the table has the texts of the masked copy of the lines.
    let copies = ["out/kept/train.jsonl", "out/kept/train.parquet"];
    place
        .run(
            &[
                &["dedup", copies[0], copies[1], "--output", "again", "--preset", "exact"],
                &["--text-field", "messages[].content"][..],
            ]
            .concat(),
        )
        .succeeds();
    assert_eq!(place.summary("again")["counts"]["exact"], 1);
}

#[test]
fn an_absent_field_is_as_a_null_one_unless_no_row_has_it() {
    let place = Place::with(
        "a.jsonl",
        lines(&[
            json!({"id": 1, "text": FERRY}),
            json!({"id": 2, "title": "Books", "text": LIBRARY}),
            json!({"id": 3, "text": null}),
        ]),
    );
    let fields = ["--text-field", "title", "--text-field", "text"];
    let run = |fields: &[&str], more: &[&str]| {
        place.run(&[&["dedup", "-o", "out", "--force"], fields, more].concat())
    };
    run(&fields, &["a.jsonl"]).ends_with_code(1).says(&["a.jsonl, row 3: field \"text\" is null"]);
    run(&fields, &[&["a.jsonl"], &SKIP[..]].concat()).ends_with_code(3);
    assert_eq!(place.summary("out")["counts"]["kept"], 2);
    // Another file has the field, or another row.
    place.write("b.csv", format!("id,text\n4,\"{BRIDGE}\"\n"));
    run(&fields, &[&["a.jsonl", "b.csv"], &SKIP[..]].concat()).ends_with_code(3);
    assert_eq!(place.summary("out")["counts"]["kept"], 3);
    let misspelled = ["--text-field", "titel", "--text-field", "text"];
    let there = "has a field \"titel\"; did you mean \"title\"? there are: ";
    place.write("c.jsonl", lines(&[json!({"id": 5, "title": "Ferry", "text": FERRY})]));
    let says = format!("--text-field: no row of the input {there}id, text, title; name an");
    run(&misspelled, &["c.jsonl", "b.csv"]).ends_with_code(2).says(&[&says]);
    let checked = place.run(&[&["dedup", "c.jsonl", "--check"], &misspelled[..]].concat());
    checked.ends_with_code(1);
    let against = ["--against", "c.jsonl", "--against-text-field", "titel"];
    let against = [&against[..], &["--against-text-field", "text"]].concat();
    let says = format!("--against-text-field: no row of --against {there}");
    run(&against, &["b.csv"]).ends_with_code(2).says(&[&says]);
}

#[test]
fn an_index_takes_later_documents_without_a_field_that_it_knows() {
    let place = Place::with("a.jsonl", lines(&[json!({"id": 1, "text": FERRY})]));
    place.write("b.jsonl", lines(&[json!({"id": 2, "title": "Books", "text": LIBRARY})]));
    let fields = ["--text-field", "title", "--text-field", "text"];
    place.run(&[&["index", "create", "idx"], &fields[..]].concat()).succeeds();
    let says = "--text-field: no row of the input has a field \"title\"; there are: id, text";
    place.run(&["index", "add", "idx", "a.jsonl"]).ends_with_code(2).says(&[says]);
    place.run(&["index", "add", "idx", "a.jsonl"]).ends_with_code(2);
    place.run(&["index", "add", "idx", "b.jsonl"]).succeeds();
    place.run(&["index", "add", "idx", "a.jsonl"]).succeeds();
    place.run(&["index", "query", "idx", "a.jsonl"]).succeeds();
    let other = ["--text-field", "titel", "--text-field", "text"];
    place.run(&[&["index", "query", "idx", "b.jsonl"], &other[..]].concat()).ends_with_code(2);
}

#[test]
fn an_index_and_find_read_lists_and_rows_that_lack_a_field() {
    let message = |text: &str| json!({"content": text});
    let chat = |id: u32, texts: [&str; 2]| json!({"id": id, "messages": texts.map(message)});
    let chats = [chat(1, [FERRY, BRIDGE]), chat(2, [LIBRARY, BRIDGE]), chat(3, [FERRY, BRIDGE])];
    let place = Place::with("chat.jsonl", lines(&chats));
    let field = ["--text-field", "messages.content"];
    place.run(&[&["index", "create", "chats"], &field[..]].concat()).succeeds();
    let added = place.run(&["index", "add", "chats", "chat.jsonl", "--if-new"]).succeeds();
    let added = common::rows(&added.stdout);
    assert_eq!(column(&added, "new"), [true, true, false]);
    assert_eq!(added[2]["duplicate"]["id"], 1);
    let text = format!("{LIBRARY}\n{BRIDGE}");
    let find = ["find", "chat.jsonl", "--json", "--text", &text];
    let found = place.run(&[&find[..], &field].concat()).succeeds().json();
    assert_eq!(column(found["texts"][0]["duplicates"].as_array().unwrap(), "id"), [2]);

    place.write("a.csv", format!("id,title,text\n1,,\"{FERRY}\"\n2,Books,\"{LIBRARY}\"\n"));
    place.write("b.jsonl", lines(&[json!({"id": 3, "text": FERRY})]));
    let fields = ["--text-field", "title", "--text-field", "text"];
    place.run(&[&["index", "create", "news", "a.csv"], &fields[..]].concat()).succeeds();
    let queried = place.run(&["index", "query", "news", "b.jsonl"]).succeeds();
    let queried = common::rows(&queried.stdout);
    assert_eq!(column(queried[0]["matches"].as_array().unwrap(), "id"), ["1"]);
}

#[test]
fn an_id_is_any_single_value() {
    let ids = [json!(true), json!(1.5), json!("1970-01-01"), json!([1])];
    let texts = [FERRY, LIBRARY, BRIDGE, "four"];
    let rows: Vec<Value> =
        ids.iter().zip(texts).map(|(id, text)| json!({"id": id, "text": text})).collect();
    let place = Place::with("a.jsonl", lines(&rows[..3]));
    let digits = "123456789012345678901234567890";
    place.write("b.jsonl", format!("{{\"id\":{digits},\"text\":\"{FERRY}\"}}\n"));
    let found = removed(&place, &["a.jsonl", "b.jsonl", "--keep", "first"]);
    assert_eq!(found, [[json!(digits), json!("true")]]);
    place.write("c.jsonl", lines(&rows[3..]));
    let says = "field \"id\" is an array, not a string, a number or a boolean";
    place.run(&["dedup", "c.jsonl", "-o", "no"]).ends_with_code(1).says(&[says]);
}

#[test]
fn codes_of_csv_compare_as_they_are_written_and_rank_as_numbers() {
    let rows = format!(
        "id,code,text\n1,1E2,\"{FERRY}\"\n2,100,\"{FERRY}\"\n3,00123,\"{LIBRARY}\"\n4,123,\"{LIBRARY}\"\n5,99,\"{FERRY}\"\n"
    );
    let place = Place::with("codes.csv", rows);
    assert_eq!(removed(&place, &["codes.csv", "--same", "code"]), Vec::<[Value; 2]>::new());
    let ranked = removed(&place, &["codes.csv", "--keep", "highest:code"]);
    let pairs = [["2", "1"], ["4", "3"], ["5", "1"]].map(|pair| pair.map(|id| json!(id)));
    assert_eq!(ranked, pairs);
    let both = removed(&place, &["codes.csv", "--keep", "highest:code", "--differ", "code"]);
    assert_eq!(both, pairs);
    place.write("old.csv", format!("id,code,text\na,1e2,\"{FERRY}\"\nb,123,\"{LIBRARY}\"\n"));
    let found = removed(&place, &["codes.csv", "--against", "old.csv", "--same", "code"]);
    assert_eq!(found, [[json!("4"), json!("b")]]);
}

#[test]
fn true_ranks_above_false() {
    let row = |id: u32, flag: Value| json!({"id": id, "text": FERRY, "flag": flag});
    let rows =
        [row(1, json!(null)), row(2, json!(false)), row(3, json!(true)), row(4, json!(true))];
    let place = Place::with("a.jsonl", lines(&rows));
    let found = removed(&place, &["a.jsonl", "--keep", "highest:flag"]);
    assert_eq!(found, [1, 2, 4].map(|id| [json!(id), json!(3)]));
}
