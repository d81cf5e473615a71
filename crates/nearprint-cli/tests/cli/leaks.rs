//! `dedup --against`: items inside longer documents.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::{Value, json};

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, column, gunzip, gzip, row, zstd};

/// A question, an edited copy of it, and a copy with other figures.
const QUESTION: &str = "A baker sells 16 loaves in the morning and half as many in the afternoon; \
    how many does she sell on a whole day?";
const EDITED: &str = "A baker sold 16 loaves in the morning and half as many in the evening; how \
    many does she sell on a whole day?";
const OTHER: &str = "A baker sells 41 loaves in the morning and half as many in the afternoon; how \
    many does she sell on 9 whole days?";
const CHINESE: &str =
    "小明早上卖出十六个面包，下午卖出的是早上的一半，请问他这一天一共卖出了多少个面包？";

/// A document with a passage in the middle.
fn around(passage: &str) -> String {
    format!("{FERRY} {passage} {BRIDGE}")
}

/// The items in `test.jsonl`, and documents with and without them in `train.jsonl`.
fn place() -> Place {
    let place = Place::with(
        "test.jsonl",
        [row("en", QUESTION), row("zh", CHINESE), row("short", "How many?")].concat(),
    );
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
    assert_eq!(
        column(&removed, "id"),
        ["whole", "edited", "both", "copy", "traditional"].map(Value::from)
    );
    assert_eq!(column(&removed, "keeper"), ["en", "en", "en", "en", "zh"].map(Value::from));
    let reasons = ["contains", "contains", "contains", "exact", "contains"];
    assert_eq!(column(&removed, "reason"), reasons.map(Value::from));
    let [whole, edited, copy] = [&removed[0], &removed[1], &removed[3]];
    assert_eq!(between(&around(QUESTION), whole), QUESTION);
    assert_eq!((&whole["similarity"], &whole["distance"]), (&json!(1.0), &Value::Null));
    assert!(whole["lost"].as_f64().unwrap() > 0.5, "{whole}");
    assert!(
        edited["similarity"].as_f64().unwrap() > 0.75
            && edited["similarity"].as_f64().unwrap() < 1.0
    );
    assert_eq!((&copy["first"], &copy["last"]), (&Value::Null, &Value::Null));

    let leaks = place.rows("out/leaks.jsonl");
    assert_eq!(
        column(&leaks, "id"),
        ["whole", "edited", "both", "both", "copy", "traditional"].map(Value::from)
    );
    assert_eq!(column(&leaks, "item"), ["en", "en", "en", "zh", "en", "zh"].map(Value::from));
    assert!(leaks.iter().all(|row| row["action"] == "removed"));
    for (own, [file, row, length], of) in [
        (&leaks[3], ["file", "row", "length"], json!(["train.jsonl", 4, removed[2]["length"]])),
        (&leaks[3], ["item_file", "item_row", "item_length"], json!(["test.jsonl", 2, 41])),
    ] {
        assert_eq!(json!([own[file], own[row], own[length]]), of);
    }
    let counts = &place.summary("out")["counts"];
    assert_eq!(counts["leaks"], json!({"documents": 5, "whole": 1, "passages": 5, "too_short": 1}));
    assert_eq!((&counts["against_found"], &counts["against"]), (&json!(2), &json!(3)));
    assert_eq!(
        (&counts["contains"], &counts["exact"], &counts["removed"]),
        (&json!(4), &json!(1), &json!(5))
    );
    assert_eq!(
        column(&place.rows("out/kept/train.jsonl"), "id"),
        ["other", "clean"].map(Value::from)
    );
    let clusters = place.rows("out/clusters.jsonl");
    assert_eq!(clusters[0]["members"], json!(["en", "whole", "edited", "both", "copy"]));
}

/// The number of items that were found comes first, on the terminal and on the page.
#[test]
fn the_items_that_were_found_are_told_first() {
    let place = place();
    // An item is found if its copy is.
    let items = [row("en", QUESTION), row("again", QUESTION), row("zh", CHINESE), row("no", FERRY)];
    place.write("test.jsonl", items.concat());
    place.write("train.jsonl", row("copy", QUESTION) + &row("library", LIBRARY));
    for action in ["remove", "mask", "list"] {
        let settings = ["--against", "test.jsonl", "--leak-action", action, "--report", "--force"];
        let dedup = [&["dedup", "train.jsonl", "--output", "out"], &settings[..]].concat();
        let run = place.run(&dedup).succeeds();
        run.says(&["2 of 4 reference documents are in the input documents.\n┌"]);
        assert_eq!(place.summary("out")["counts"]["against_found"], json!(2), "{action}");
    }
    assert!(place.text("out/report.html").contains("\"against_found\":2"));
    place.dedup(&["train.jsonl", "--force"]);
    assert_eq!(place.summary("out")["counts"].get("against_found"), None);
}

#[test]
fn leaks_are_only_listed_where_that_is_asked_for() {
    let place = place();
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--leak-action", "list"]);
    assert_eq!(place.read("out/kept/train.jsonl"), place.read("train.jsonl"));
    assert_eq!(place.text("out/removed.jsonl"), "");
    let leaks = place.rows("out/leaks.jsonl");
    assert_eq!(leaks.len(), 6);
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
    place.write("test.txt", format!("{QUESTION}\n{CHINESE}\n"));
    let document = around(QUESTION).replace(" and ", " \u{e9}\u{1f600} and ");
    // A document that begins with an item, one that consists of two items, and one with an item in
    // two fields.
    let [question, chinese] = [QUESTION.trim_end_matches('?'), CHINESE.trim_end_matches('？')];
    let first = format!("{question}\"? said a sign; {}", BRIDGE.replace('，', " \""));
    let both = format!("{chinese}{question}");
    for (action, mask) in [("mask", "[masked]"), ("cut", "")] {
        let [document_left, first_left] =
            [document.replace(&between_of(&document), mask), first.replace(question, mask)];
        // A field of a table without quotes gets them only if it would begin with a quote.
        let first_field = if action == "cut" {
            format!("\"{}\"", first_left.replace('"', "\"\""))
        } else {
            first_left.clone()
        };
        let empty_field = if action == "cut" { "\"\"" } else { mask };

        let escape =
            |text: &str| text.replace('\u{1f600}', "\\ud83d\\uDE00").replace(' ', "\\u0020");
        let json = |text: &str, both: &str| {
            let line = format!(
                "{{ \"n\": 1e3, \"te\\u0078t\" : \"{}\" ,\"id\":\"a\", \"z\":[1, 2]}}",
                escape(text)
            );
            format!(
                "\u{feff}{line}\r\n\n{{\"id\":\"b\",\"text\":\"{LIBRARY}\"}}\n{{\"id\":3,\"text\":\"{both}\"}}"
            )
        };
        let json_fields = |text: &str, title: &str| {
            format!(
                "{{\"text\":\"{text}\",\"id\":1,\"title\":\"{title}\"}}\n{{\"title\":null,\"text\":\"{text}\"}}\n"
            )
        };
        let table = |text: &str, first: &str, both: &str| {
            let record =
                "\n1\t\"TEXT\"\t\"say \"\"so\"\"\"\r\n2\tFIRST\t\n3\tBOTH\t5\"\r4\t\"LIBRARY\"\tx";
            let records =
                record.replace("TEXT", text).replace("FIRST", first).replace("BOTH", both);
            format!("\u{feff}id\ttext\tnote{}", records.replace("LIBRARY", LIBRARY))
        };
        let commas = |table: String| table.replace('\t', ",");
        let column = |first: &str, both: &str| {
            format!("\u{feff}text\n{first}\n\"{LIBRARY}\"\r\n{both}\n\n\"a\"\n{both}")
        };
        let two_columns =
            |text: &str, title: &str| format!("text,title\n\"{text}\",{title}\r\n\"{LIBRARY}\",\n");
        let lines =
            |text: &str, both: &str| format!("\u{feff}{text}\r\n{both}\n\n{LIBRARY}\n{both}");
        let end_of_line = if action == "cut" { "\n" } else { "" };
        let file = |text: &str| format!("\u{feff}{text}\r\n");
        let fields: &[&str] =
            &["--text-field", "title", "--text-field", "text", "--against-text-field", "text"];
        let formats: [(&str, &[&str], [String; 2]); 12] = [
            ("train.jsonl", &[], [json(&document, &both), json(&document_left, mask)]),
            ("train.jsonl.gz", &[], [json(&document, &both), json(&document_left, mask)]),
            ("train.jsonl.zst", &[], [json(&document, &both), json(&document_left, mask)]),
            (
                "fields.jsonl",
                fields,
                [json_fields(&document, chinese), json_fields(&document_left, mask)],
            ),
            (
                "train.csv",
                &[],
                [
                    commas(table(&document, &first, &both)),
                    commas(table(&document_left, &first_field, mask)),
                ],
            ),
            (
                "train.tsv",
                &[],
                [table(&document, &first, &both), table(&document_left, &first_field, mask)],
            ),
            ("column.csv", &[], [column(&first, &both), column(&first_field, empty_field)]),
            ("column.tsv.zst", &[], [column(&first, &both), column(&first_field, empty_field)]),
            (
                "fields.csv",
                fields,
                [two_columns(&document, chinese), two_columns(&document_left, mask)],
            ),
            (
                "lines.txt",
                &["--format", "lines"],
                [lines(&document, &both), format!("{}{end_of_line}", lines(&document_left, mask))],
            ),
            ("train.txt", &[], [file(&document), file(&document_left)]),
            ("train.txt.gz", &[], [file(&document), file(&document_left)]),
        ];
        for (name, options, [before, after]) in formats {
            place.write(name, compress(name, before.as_bytes()));
            let items = if options.contains(&"lines") { "test.txt" } else { "test.jsonl" };
            let arguments = [name, "--against", items, "--leak-action", action, "--force"];
            place.dedup(&[&arguments, options].concat());
            let kept = decompress(name, &place.read(&format!("out/kept/{name}")));
            assert_eq!(String::from_utf8(kept).unwrap(), after, "{name} {action}");
            assert_eq!(place.text("out/removed.jsonl"), "", "{name}");
            let past = if action == "mask" { "masked" } else { "cut" };
            assert!(
                place.rows("out/leaks.jsonl").iter().all(|row| row["action"] == past),
                "{name}"
            );
        }
        place.write("train.parquet", parquet(&[&document, LIBRARY]));
        place.dedup(&[
            "train.parquet",
            "--against",
            "test.jsonl",
            "--leak-action",
            action,
            "--force",
        ]);
        assert_eq!(
            texts(&place.read("out/kept/train.parquet")),
            [document_left, LIBRARY.to_string()]
        );
    }
}

/// The bytes, compressed for a file of this name.
fn compress(name: &str, bytes: &[u8]) -> Vec<u8> {
    match name.rsplit_once('.') {
        Some((_, "gz")) => gzip(bytes),
        Some((_, "zst")) => zstd(bytes),
        _ => bytes.to_vec(),
    }
}

/// The reverse of [`compress`].
fn decompress(name: &str, bytes: &[u8]) -> Vec<u8> {
    match name.rsplit_once('.') {
        Some((_, "gz")) => gunzip(bytes),
        Some((_, "zst")) => ::zstd::decode_all(bytes).unwrap(),
        _ => bytes.to_vec(),
    }
}

/// The question inside a document, without its question mark.
fn between_of(document: &str) -> String {
    let start = document.find("A baker").unwrap();
    let end = document.find("whole day?").unwrap() + "whole day?".len();
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
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    let texts =
        batches.iter().flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten());
    texts.map(String::from).collect()
}

#[test]
fn items_may_have_their_text_in_another_field() {
    let place = place();
    let items = format!(
        "{}\n",
        json!({"id": "q", "question": QUESTION, "answer": "In the afternoon she sells half of 16, \
            which is 8 loaves, so on a whole day she sells 16 and 8, that is 24 loaves"})
    );
    place.write("items.jsonl", items);
    let both = ["--against-text-field", "question", "--against-text-field", "answer"];
    place.dedup(&["train.jsonl", "--against", "items.jsonl", "--against-text-field", "question"]);
    assert_eq!(
        column(&place.rows("out/removed.jsonl"), "id"),
        ["whole", "edited", "both", "copy"].map(Value::from)
    );
    // A document with the question alone lacks a third of question and answer.
    place.dedup(&[&["train.jsonl", "--against", "items.jsonl", "--force"], &both[..]].concat());
    assert_eq!(place.text("out/removed.jsonl"), "");
}

#[test]
fn actions_that_have_no_meaning_are_refused() {
    let place = place();
    let run = |arguments: &[&str]| {
        place.run(&[&["dedup", "train.jsonl", "--output", "out"], arguments].concat())
    };
    for setting in [
        ["--leak-action", "cut"],
        ["--min-leak-length", "20"],
        ["--against-text-field", "question"],
        ["--against-id-field", "off"],
    ] {
        run(&setting).ends_with_code(2).says(&[setting[0], "name them with --against"]);
        let toml = match setting[1].parse::<u32>() {
            Ok(number) => format!("{} = {number}\n", &setting[0][2..]),
            Err(_) => format!("{} = \"{}\"\n", &setting[0][2..], setting[1]),
        };
        place.write("settings.toml", toml);
        run(&["--config", "settings.toml"]).ends_with_code(2).says(&["name them with --against"]);
        // Verbs without reference documents may share the file.
        let fingerprint = [
            "fingerprint",
            "train.jsonl",
            "--config",
            "settings.toml",
            "--output",
            "fingerprints.jsonl",
            "--force",
        ];
        place.run(&fingerprint).succeeds();
    }
    let annotated = ["--against", "test.jsonl", "--leak-action", "mask", "--annotate"];
    run(&annotated).ends_with_code(2).says(&[
        "--leak-action",
        "--annotate",
        "leave one of them out",
    ]);
    run(&["--against", "test.jsonl", "--leak-action", "hide"])
        .ends_with_code(2)
        .says(&["--leak-action"]);
}

#[test]
fn a_test_set_of_short_items_is_warned_of() {
    let place = place();
    place.write(
        "short.jsonl",
        [row("1", "How many eggs a day?"), row("2", "这个城市有多少人口？"), row("en", QUESTION)]
            .concat(),
    );
    let run = |items: &str, settings: &[&str]| {
        let dedup =
            ["dedup", "train.jsonl", "--against", items, "--output", "out", "--force", "--quiet"];
        place.run(&[&dedup, settings].concat()).succeeds()
    };
    let says =
        "warning: 2 of 3 documents of --against are too short to search inside other documents";
    let remedy = "set a smaller --min-leak-length, or --min-leak-length off to accept this";
    run("short.jsonl", &[]).says(&[says, remedy]);
    for (items, settings) in [
        ("test.jsonl", &[][..]),
        ("short.jsonl", &["--min-leak-length", "15"]),
        ("short.jsonl", &["--min-leak-length", "off"]),
    ] {
        assert_eq!(run(items, settings).stderr, "", "{items} {settings:?}");
    }
}

#[test]
fn guards_and_bounds_hold_for_what_stands_inside_too() {
    let place = place();
    let item = format!("{}\n", json!({"id": "en", "text": QUESTION, "lang": "en"}));
    place.write("guarded.jsonl", item);
    let rows = ["en", "de"]
        .map(|lang| format!("{}\n", json!({"id": lang, "text": around(QUESTION), "lang": lang})));
    place.write("both.jsonl", rows.concat());
    place.dedup(&["both.jsonl", "--against", "guarded.jsonl", "--same", "lang"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["en"].map(Value::from));
    // A document with more than `--max-lost` outside of its items is kept and listed.
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--max-lost", "0.2", "--force"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["copy"].map(Value::from));
    assert_eq!(place.rows("out/leaks.jsonl")[0]["action"], "listed");
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--max-lost", "0.9", "--force"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(
        column(&removed, "id"),
        ["whole", "edited", "both", "copy", "traditional"].map(Value::from)
    );
    assert!(removed.iter().all(|row| row["lost"].as_f64().unwrap() <= 0.9));
}

#[test]
fn the_counts_are_those_of_the_rows_and_a_test_set_of_empty_texts_is_warned_of() {
    let place = place();
    place.write("short.jsonl", row("short", "啄木鸟，啄木鸟") + &row("same", "四两拨千斤"));
    place.write("shorter.jsonl", row("a", "四两拨千斤") + &row("b", "") + &row("c", ""));
    place
        .dedup(&["short.jsonl", "--against", "shorter.jsonl"])
        .says(&["3 of 3 documents of --against are too short"]);
    assert_eq!(place.rows("out/leaks.jsonl").len(), 1);
    let counts = place.summary("out")["counts"]["leaks"].clone();
    assert_eq!(counts, json!({"documents": 1, "whole": 1, "passages": 0, "too_short": 3}));
}

#[test]
fn what_stands_between_two_copies_stays() {
    let place = place();
    let (start, end) = (&QUESTION[..QUESTION.len() - 20], &QUESTION[20..]);
    let remark = "Keep this sentence for the teacher, please!";
    let texts = [(QUESTION, QUESTION), (start, QUESTION), (QUESTION, end), (end, QUESTION)];
    let rows = texts
        .iter()
        .map(|(one, other)| row("two", &format!("Exercise: {one} {remark} {other} Then rest.")));
    let rows: String =
        rows.enumerate().map(|(number, row)| row.replace("two", &number.to_string())).collect();
    place.write("two.jsonl", rows);
    place.dedup(&["two.jsonl", "--against", "test.jsonl", "--leak-action", "mask"]);
    for row in place.rows("out/kept/two.jsonl") {
        let text = row["text"].as_str().unwrap();
        assert!(text.contains(remark) && text.matches("[masked]").count() == 2, "{text}");
    }
    // The output has nothing left for another run to find.
    place
        .run(&[
            "dedup",
            "--quiet",
            "out/kept/two.jsonl",
            "--against",
            "test.jsonl",
            "--output",
            "again",
        ])
        .succeeds();
    assert_eq!(place.rows("again/leaks.jsonl"), [Value::Null; 0]);
}

#[test]
fn whole_items_are_found_without_fingerprints_too() {
    let place = place();
    for settings in
        [&["--preset", "exact"][..], &["--max-distance", "off", "--min-similarity", "1"]]
    {
        place.dedup(&[&["train.jsonl", "--against", "test.jsonl", "--force"], settings].concat());
        let removed = place.rows("out/removed.jsonl");
        assert_eq!(
            column(&removed, "id"),
            ["whole", "both", "copy", "traditional"].map(Value::from),
            "{settings:?}"
        );
    }
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
    assert_eq!(place.rows("out/leaks.jsonl").len(), 6);
}
