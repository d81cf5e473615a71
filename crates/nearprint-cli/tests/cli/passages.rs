//! `passages`: what many documents share is found, and cut without harm.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{self, BRIDGE, FERRY, LIBRARY, Place, SKIP, column, files, row};

const FOOTER: &str = "All rights reserved. No part of this page may be copied or sold without the \
    written consent of the publisher. Questions about it are answered by the office in Hamburg.";
const EDITED: &str = "All rights reserved. No part of this page may be copied or sold without the \
    written consent of our publisher. Questions about this are answered by the office in Hamburg.";
const CHINESE: &str = "版权所有，未经书面授权，任何单位和个人不得转载、摘编或者以其他方式使用上述作品。违反上述声明的，本网站将依法追究其法律责任。";

fn footers() -> Place {
    let rows = [
        row("ferry", &format!("{FERRY}\n\n{FOOTER}\n")),
        row("library", &format!("{LIBRARY} {FOOTER}")),
        row("bridge", &format!("{BRIDGE}{CHINESE}")),
        row("both", &format!("{FOOTER}\n\n{LIBRARY} {}\n{CHINESE}", word_list(7))),
        row("edited", &format!("{}\n{EDITED}", word_list(40))),
        row("own", &word_list(90)),
    ];
    Place::with("pages.jsonl", rows.concat())
}

/// A sentence of words that no other sentence has.
fn word_list(first: usize) -> String {
    let words: Vec<String> = (first..first + 30).map(common::word).collect();
    format!("Also {}.", words.join(" "))
}

fn passages(place: &Place, arguments: &[&str]) -> common::Run {
    let own = ["passages", "pages.jsonl", "--quiet", "--force", "--output", "out"];
    place.run(&[&own, arguments].concat()).succeeds()
}

/// The texts of a file by their ids.
fn texts(place: &Place, name: &str) -> BTreeMap<String, String> {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_string();
    place.rows(name).iter().map(|row| (text(row, "id"), text(row, "text"))).collect()
}

/// The text of each place, by characters and by bytes.
fn of_places(texts: &BTreeMap<String, String>, places: &[Value]) -> Vec<String> {
    let of = |place: &Value| {
        let text = &texts[place["id"].as_str().unwrap()];
        let number = |field: &str| place[field].as_u64().unwrap() as usize;
        let characters = text.chars().skip(number("start")).take(number("end") - number("start"));
        let characters: String = characters.collect();
        assert_eq!(characters, text[number("start_byte")..number("end_byte")]);
        characters
    };
    places.iter().map(of).collect()
}

#[test]
fn every_place_is_listed_with_its_text() {
    let place = footers();
    passages(&place, &[]);
    let places = place.rows("out/passages.jsonl");
    let ids = ["ferry", "library", "library", "bridge", "both", "both", "both", "edited"];
    assert_eq!(column(&places, "id"), ids.map(Value::from));
    let own = of_places(&texts(&place, "pages.jsonl"), &places);
    assert_eq!(own, [FOOTER, LIBRARY, FOOTER, CHINESE, FOOTER, LIBRARY, CHINESE, EDITED]);
    assert!(places.iter().all(|place| place["file"] == "pages.jsonl"));
    let edits = column(&places, "edits");
    assert!(edits[..7].iter().all(|edits| *edits == 0) && edits[7].as_u64() > Some(0), "{edits:?}");
    let [copy, lost] = [json!("copy"), json!("max-lost")];
    let why = [&copy, &copy, &Value::Null, &copy, &lost, &lost, &lost, &Value::Null];
    assert_eq!(column(&places, "why"), why.map(Value::clone));
    // The document where the copy stays.
    let [ferry, library, bridge] = ["ferry", "library", "bridge"].map(Value::from);
    let null = &Value::Null;
    let copies = [null, null, &ferry, null, &ferry, &library, &bridge, &ferry];
    assert_eq!(column(&places, "copy"), copies.map(Value::clone));
    let shared = place.rows("out/passage_texts.jsonl");
    assert_eq!(column(&shared, "documents")[0], 3);
    assert_eq!((&shared[0]["text"], &shared[0]["edited"]), (&json!(FOOTER), &json!(1)));
    assert!(!place.path("out/kept").exists());
    assert_eq!(place.summary("out")["counts"]["read"], 6);
}

#[test]
fn a_cut_closes_the_white_space_and_one_copy_stays() {
    let place = footers();
    let before = texts(&place, "pages.jsonl");
    passages(&place, &["--action", "cut"]);
    let after = texts(&place, "out/kept/pages.jsonl");
    assert_eq!(after["ferry"], before["ferry"]);
    assert_eq!((&after["library"][..], &after["both"]), (LIBRARY, &before["both"]));
    assert_eq!(after["edited"], word_list(40));
    assert_eq!(after["own"], before["own"]);
    passages(&place, &["--action", "cut", "--keep-copy", "none", "--max-lost", "1"]);
    let after = texts(&place, "out/kept/pages.jsonl");
    assert_eq!(
        (after["ferry"].as_str(), after["bridge"].as_str()),
        (&*format!("{FERRY}\n"), BRIDGE)
    );
    assert_eq!(after["both"], word_list(7));
}

#[test]
fn a_piece_shorter_than_a_passage_stays() {
    let words = |first: usize, count: usize| {
        (first..first + count).map(common::word).collect::<Vec<_>>().join(" ")
    };
    // The sentence before the question is whole in three documents, the one behind it in two.
    let question = format!("{}.\n\nQuestions? Write to Hamburg.", words(15, 15));
    let whole = |id: &str, own: usize| {
        row(id, &format!("{}\n\n{} {question}", word_list(own), words(0, 15)))
    };
    let part = |id: &str, own: usize| {
        row(id, &format!("{}\n\n{question}\n\n{}", words(own, 30), word_list(60)))
    };
    let rows = [whole("a", 100), whole("b", 140), whole("c", 180), part("d", 220), part("e", 260)];
    let place = Place::with("pages.jsonl", rows.concat());
    passages(&place, &["--action", "cut", "--max-lost", "1"]);
    // The last sentence stays in "d", so the question would go alone.
    let before = texts(&place, "pages.jsonl");
    let after = texts(&place, "out/kept/pages.jsonl");
    assert_eq!((&after["b"], &after["d"]), (&word_list(140), &before["d"]));
    assert_eq!(after["e"], format!("{}\n\n{}.", words(260, 30), words(15, 15)));
    let places = place.rows("out/passages.jsonl");
    let short: Vec<&Value> = places.iter().filter(|place| place["why"] == "short").collect();
    assert_eq!(short.len(), 1, "{places:#?}");
    assert_eq!((&short[0]["id"], &short[0]["copy"]), (&json!("d"), &json!("a")));
}

#[test]
fn approved_passages_go_wherever_they_stand_and_refused_ones_stay() {
    let place = footers();
    passages(&place, &[]);
    let mut verdicts = String::new();
    for row in place.rows("out/passage_texts.jsonl") {
        let text = row["text"].as_str().unwrap();
        let verdict = if text == FOOTER { "right" } else { "later" };
        verdicts += &format!("{}\n", json!({"text": text, "verdict": verdict}));
    }
    place.write("verdicts.jsonl", verdicts);
    // The next crawl has the footer once.
    place.write(
        "pages.jsonl",
        [row("new", &format!("{FERRY}\n{FOOTER}")), row("zh", BRIDGE)].concat(),
    );
    passages(&place, &["--action", "cut", "--approved", "verdicts.jsonl"]);
    assert_eq!(texts(&place, "out/kept/pages.jsonl")["new"], FERRY);
    let letters = FOOTER.chars().filter(|c| c.is_alphanumeric()).count();
    assert_eq!(place.rows("out/passage_texts.jsonl")[0]["letters"], letters);
    let twice =
        ["right", "wrong"].map(|own| format!("{}\n", json!({"text": FOOTER, "verdict": own})));
    place.write("verdicts.jsonl", twice.concat());
    let run =
        ["passages", "pages.jsonl", "--output", "out", "--force", "--approved", "verdicts.jsonl"];
    place.run(&run).ends_with_code(1).says(&["both verdicts, right and wrong; keep one of them"]);
    let place = footers();
    place.write("verdicts.jsonl", format!("{}\n", json!({"text": FOOTER, "verdict": "wrong"})));
    passages(&place, &["--approved", "verdicts.jsonl", "--max-lost", "1"]);
    let rows = place.rows("out/passages.jsonl");
    let refused = rows.iter().filter(|row| row["why"] == "refused").count();
    assert_eq!(refused, 3, "{rows:?}");
    assert!(rows.iter().any(|row| row["stays"] == false));
    // Without an approved passage, a copy of the others stays.
    assert!(rows.iter().any(|row| row["why"] == "copy"));
}

#[test]
fn nothing_but_approved_passages_goes() {
    let news = "The committee has voted on Monday evening, after a debate of three hours, to keep \
        the old ferry and to pay for its repairs from the reserve of the harbor until 2030.";
    let next_year = FOOTER.replace("All rights", "2024 All rights");
    let rows = [
        row("a", &format!("{FERRY}\n\n{news}\n\n{next_year}")),
        row("b", &format!("{LIBRARY} {news} {next_year}")),
        row("c", &format!("{}. Sold by Inc.\n{next_year}\nread on", word_list(9))),
        row("d", &format!("{BRIDGE}\n{FOOTER}")),
    ];
    let place = Place::with("pages.jsonl", rows.concat());
    let verdict =
        |text: &str, verdict: &str| format!("{}\n", json!({"text": text, "verdict": verdict}));
    let absent = "Nobody has this text, neither today nor in the crawl of the next week.";
    place.write(
        "verdicts.jsonl",
        [
            verdict(&FOOTER.replace("All rights", "2023 All rights"), "right"),
            verdict(news, "wrong"),
            verdict(absent, "right"),
        ]
        .concat(),
    );
    let cut = ["--action", "cut", "--approved", "verdicts.jsonl", "--max-lost", "0.95"];
    passages(&place, &cut);
    let after = texts(&place, "out/kept/pages.jsonl");
    assert_eq!(after["a"], format!("{FERRY}\n\n{news}"));
    assert_eq!(after["b"], format!("{LIBRARY} {news}"));
    assert_eq!(after["c"], format!("{}. Sold by Inc.\nread on", word_list(9)));
    let counts = &place.summary("out")["counts"];
    assert_eq!((&counts["passages"], &counts["absent"]), (&json!(1), &json!(1)));
    assert_eq!(column(&place.rows("out/passage_texts.jsonl"), "documents"), [json!(4), json!(0)]);

    let run = |arguments: &[&str]| {
        let own = ["passages", "pages.jsonl", "--output", "no"];
        place.run(&[&own[..], &cut, arguments].concat())
    };
    run(&["--keep-copy", "best"]).ends_with_code(2).says(&["--keep-copy: approved passages go"]);
    place.write("verdicts.jsonl", verdict(FOOTER, "right") + &verdict("Read more", "right"));
    run(&[])
        .ends_with_code(2)
        .says(&["--approved: 1 of 2 approved passages cannot be looked for", "Read more"]);
    for none in ["", "{\"text\":\"a\",\"verdict\":\"later\"}\n"] {
        place.write("verdicts.jsonl", none);
        run(&[])
            .ends_with_code(1)
            .says(&["verdicts.jsonl: has no row with the verdict right or wrong"]);
    }
}

#[test]
fn refused_sentences_stay_beside_others_that_go() {
    let rows =
        ["a", "b"].map(|id| row(id, &format!("{}\n\n{FOOTER} {EDITED}", word_list(id.len() * 90))));
    let place = Place::with("pages.jsonl", rows.concat().replace("Also", "So"));
    place.write("verdicts.jsonl", format!("{}\n", json!({"text": EDITED, "verdict": "wrong"})));
    let cut = ["--action", "cut", "--approved", "verdicts.jsonl", "--keep-copy", "none"];
    passages(&place, &[&cut[..], &["--max-lost", "1"]].concat());
    for text in texts(&place, "out/kept/pages.jsonl").values() {
        assert!(text.ends_with(EDITED) && !text.contains(FOOTER), "{text}");
    }
}

#[test]
fn the_best_copy_stays_and_a_dry_run_writes_no_files() {
    let own = [("1999", FERRY), ("2030", LIBRARY), ("2001", BRIDGE)];
    let rows = own.map(|(date, own)| {
        let text = format!("{own}\n{FOOTER}");
        format!("{}\n", json!({"id": date, "date": date, "text": text}))
    });
    let place = Place::with("pages.jsonl", rows.concat());
    let best =
        ["--action", "cut", "--keep-copy", "best", "--keep", "newest:date", "--max-lost", "1"];
    passages(&place, &[&best[..], &["--dry-run"]].concat());
    let places = place.rows("out/passages.jsonl");
    assert_eq!(column(&places, "stays"), [json!(false), json!(true), json!(false)]);
    assert!(!place.path("out/kept").exists());
    passages(&place, &best);
    let kept = texts(&place, "out/kept/pages.jsonl");
    assert_eq!(
        kept.values().map(|text| text.matches(FOOTER).count()).collect::<Vec<_>>(),
        [0, 0, 1]
    );
}

#[test]
fn passages_are_found_within_a_field_only() {
    let page = |id: &str, site: &str, own: usize| {
        let text = format!("{} {FOOTER}", word_list(own));
        format!("{}\n", json!({"id": id, "text": text, "site": site}))
    };
    let rows = [page("a", "x", 0), page("b", "y", 40), page("c", "y", 80)].concat();
    let place = Place::with("pages.jsonl", rows);
    passages(&place, &["--within", "site"]);
    assert_eq!(column(&place.rows("out/passages.jsonl"), "id"), ["b", "c"].map(Value::from));
    let missing = ["passages", "pages.jsonl", "--output", "new", "--within", "host"];
    place.run(&missing).ends_with_code(2).says(&["host"]);
}

#[test]
fn loops_in_one_document_are_found_on_request() {
    let round = "I am sorry, but I cannot help you with this question today. Please ask me something else about the weather in Hamburg or in Kiel.";
    let text = format!("Hello. {round} {round} {round} Goodbye now.");
    let place = Place::with("pages.jsonl", row("loop", &text));
    passages(&place, &[]);
    assert_eq!(place.rows("out/passages.jsonl"), [Value::Null; 0]);
    passages(&place, &["--min-documents", "1", "--action", "cut", "--max-lost", "0.9"]);
    assert_eq!(
        texts(&place, "out/kept/pages.jsonl")["loop"],
        format!("Hello. {round} Goodbye now.")
    );
}

#[test]
fn all_formats_and_threads_give_the_same() {
    let place = footers();
    let run = |arguments: &[&str]| {
        passages(&place, &[&["--action", "mask", "--keep-copy", "none"], arguments].concat());
        files(&place.path("out"))
    };
    let expected = run(&["--threads", "1"]);
    assert!(expected["kept/pages.jsonl"].windows(8).any(|part| part == b"[masked]"));
    for arguments in [&["--threads", "2"][..], &["--threads", "7", "--memory", "128M"]] {
        assert!(run(arguments) == expected, "{arguments:?}");
    }
    let rows = place.rows("pages.jsonl");
    let mut csv = String::from("id,text\n");
    for row in &rows {
        let text = row["text"].as_str().unwrap().replace('"', "\"\"");
        csv += &format!("{},\"{text}\"\n", row["id"].as_str().unwrap());
    }
    place.write("pages.csv", csv);
    let of_csv = ["passages", "pages.csv", "--quiet", "--output", "csv", "--action", "mask"];
    place.run(&[&of_csv[..], &["--keep-copy", "none"]].concat()).succeeds();
    let places = |name: &str| {
        let mut rows = place.rows(name);
        rows.iter_mut().for_each(|row| row["file"] = Value::Null);
        rows
    };
    assert_eq!(places("csv/passages.jsonl"), places("out/passages.jsonl"));
}

#[test]
fn annotated_rows_have_the_places_of_their_document() {
    let place = footers();
    passages(&place, &["--action", "annotate"]);
    let mut expected: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for mut row in place.rows("out/passages.jsonl") {
        let own = row.as_object_mut().unwrap();
        let id = own.remove("id").unwrap();
        let left_out = ["file", "row", "copy"].map(|field| own.remove(field));
        assert!(left_out.iter().all(Option::is_some));
        expected.entry(id.as_str().unwrap().to_string()).or_default().push(row);
    }
    let expected = |id: &str| Value::from(expected.get(id).cloned().unwrap_or_default());
    let rows = place.rows("pages.jsonl");
    for (annotated, mut row) in
        place.rows("out/annotated/pages.jsonl").into_iter().zip(rows.clone())
    {
        row["passages"] = expected(row["id"].as_str().unwrap());
        assert_eq!(annotated, row);
    }
    assert_eq!(expected("both").as_array().unwrap().len(), 3);
    assert_eq!(expected("own"), json!([]));
    assert!(!place.path("out/kept").exists());

    let of = |field: &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| row[field].as_str().unwrap())))
    };
    let batch = RecordBatch::try_from_iter([("id", of("id")), ("text", of("text"))]).unwrap();
    place.write("pages.parquet", common::parquet(&batch));
    let own = ["--quiet", "--force", "--output", "out", "--action", "annotate"];
    place.run(&[&["passages", "pages.parquet"], &own[..]].concat()).succeeds();
    let annotated = common::read_parquet(&place, "out/annotated/pages.parquet");
    let lists = annotated.column_by_name("passages").unwrap().as_list::<i32>();
    for (at, row) in rows.iter().enumerate() {
        let own = lists.value(at);
        let own = own.as_struct();
        let expected = expected(row["id"].as_str().unwrap());
        let expected = expected.as_array().unwrap();
        assert_eq!(own.len(), expected.len());
        for field in ["passage", "start", "end", "start_byte", "end_byte", "documents", "edits"] {
            let numbers = own.column_by_name(field).unwrap().as_primitive::<UInt32Type>();
            let numbers: Vec<Value> =
                numbers.values().iter().map(|&number| number.into()).collect();
            assert_eq!(numbers, column(expected, field));
        }
        let why = own.column_by_name("why").unwrap().as_string::<i32>();
        assert_eq!(why.iter().map(Value::from).collect::<Vec<_>>(), column(expected, "why"));
        let stays = own.column_by_name("stays").unwrap().as_boolean();
        assert_eq!(stays.iter().map(Value::from).collect::<Vec<_>>(), column(expected, "stays"));
    }

    let csv = [FOOTER, LIBRARY, FOOTER].map(|text| format!("\"{text}\""));
    place.write("pages.csv", format!("id,text\na,{}\nb,{}\nc,{}\n", csv[0], csv[1], csv[2]));
    place.run(&[&["passages", "pages.csv"], &own[..]].concat()).succeeds();
    let annotated = place.text("out/annotated/pages.csv");
    let begins = format!("id,text,passages\na,{},\"[{{\"\"documents\"\":2,", csv[0]);
    assert!(annotated.starts_with(&begins), "{annotated}");
    assert!(annotated.contains(&format!("\nb,{},[]\n", csv[1])), "{annotated}");

    place.write("taken.jsonl", json!({"text": FOOTER, "passages": 1}).to_string());
    place.write("notes.txt", FOOTER);
    for (file, says) in [
        ("taken.jsonl", "--action: taken.jsonl, row 1 already has a field \"passages\"; rename it"),
        ("notes.txt", "--action: notes.txt is plain text, which has no fields"),
    ] {
        let run = place.run(&[&["passages", file, "--output", "no"], &own[4..]].concat());
        run.ends_with_code(2).says(&[says, "or list the places instead"]);
        assert!(!place.path("no").exists());
    }
}

#[test]
fn bad_input_and_bad_options_are_refused_with_the_remedy() {
    let place = footers();
    for (arguments, says) in [
        (&["--min-length", "5"][..], "20 to 10000"),
        (&["--min-documents", "0"], "use 1 or more"),
        (&["--max-edits", "0.5"], "0.06"),
        (&["--max-lost", "2"], "max-lost"),
        (&["--approved", "gone.jsonl"], "gone.jsonl"),
        (&["--approved", "pages.jsonl"], "verdict"),
        (&["--text-field", "body"], "body"),
    ] {
        let own = ["passages", "pages.jsonl", "--output", "out"];
        let run = place.run(&[&own, arguments].concat());
        assert_ne!(run.code, Some(0), "{arguments:?}");
        run.says(&[says]);
        assert!(!place.path("out").exists(), "{arguments:?}");
    }
    let broken = [row("a", FOOTER), "{\"text\":\n".to_string(), row("b", FOOTER)].concat();
    place.write("broken.jsonl", broken);
    let own = ["passages", "broken.jsonl", "--output", "out"];
    place.run(&own).ends_with_code(1).says(&["broken.jsonl", "2"]);
    place.run(&[&own[..], &SKIP].concat()).ends_with_code(3);
    assert_eq!(place.rows("out/rejected.jsonl").len(), 1);
    assert_eq!(place.rows("out/passages.jsonl").len(), 2);
    assert_eq!(place.leftovers(), [""; 0]);
}

/// Documents of sentences, some of which are shared.
fn documents() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        (0usize..5).prop_map(|shared| {
            let base = 1_000 * (shared + 1);
            format!("{} {}", word_list(base), word_list(base + 500))
        }),
        (10_000usize..90_000).prop_map(word_list),
        Just(BRIDGE.to_string()),
        Just(CHINESE.to_string()),
    ];
    let gap = prop_oneof![Just(" "), Just("\n"), Just("\n\n"), Just("  \r\n")];
    let text = prop::collection::vec((part, gap), 1..7).prop_map(|parts| {
        parts.into_iter().flat_map(|(part, gap)| [part, gap.to_string()]).collect()
    });
    prop::collection::vec(text, 2..7)
}

/// A text without white space.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn cuts_and_masks_change_nothing_but_the_places(documents in documents(), keep in prop::sample::select(vec!["first", "best", "none"])) {
        let rows = |documents: &[String]| -> String {
            documents.iter().enumerate().map(|(number, text)| row(&number.to_string(), text)).collect()
        };
        let place = Place::with("pages.jsonl", rows(&documents));
        let before = texts(&place, "pages.jsonl");
        passages(&place, &["--action", "mask", "--keep-copy", keep, "--max-lost", "1"]);
        let masked = texts(&place, "out/kept/pages.jsonl");
        passages(&place, &["--action", "cut", "--keep-copy", keep, "--max-lost", "1"]);
        let cut = texts(&place, "out/kept/pages.jsonl");
        let places = place.rows("out/passages.jsonl");
        for (id, text) in &before {
            let mut rest = String::new();
            let mut end = 0;
            for place in places.iter().filter(|place| place["id"] == **id && place["stays"] == false) {
                let [from, to] = ["start_byte", "end_byte"].map(|field| place[field].as_u64().unwrap() as usize);
                rest += &text[end..from];
                rest += "[masked]";
                end = to;
            }
            rest += &text[end..];
            // Places that touch have one mark.
            while rest.contains("[masked][masked]") {
                rest = rest.replace("[masked][masked]", "[masked]");
            }
            prop_assert_eq!(&masked[id], &rest);
            prop_assert_eq!(dense(&masked[id].replace("[masked]", "")), dense(&cut[id]));
        }
        // Nothing that is cut is lost, if a copy stays.
        if keep != "none" {
            let left = dense(&cut.values().map(String::as_str).collect::<Vec<_>>().join(""));
            for text in before.values() {
                for sentence in text.split_inclusive('.').map(dense).filter(|sentence| sentence.starts_with("Also")) {
                    prop_assert!(left.contains(&sentence), "{}", sentence);
                }
            }
        }
        // Another run changes nothing more, unless other documents are the longest now.
        if keep != "best" {
            place.write("pages.jsonl", place.read("out/kept/pages.jsonl"));
            passages(&place, &["--action", "cut", "--keep-copy", keep, "--max-lost", "1"]);
            prop_assert_eq!(texts(&place, "out/kept/pages.jsonl"), cut);
        }
        // The order of the input counts only for the copy that stays.
        if keep == "none" {
            let mut turned: Vec<String> = documents.clone();
            turned.reverse();
            place.write("pages.jsonl", rows(&documents));
            passages(&place, &["--keep-copy", keep]);
            let count = place.summary("out")["counts"].clone();
            place.write("pages.jsonl", rows(&turned));
            passages(&place, &["--keep-copy", keep]);
            prop_assert_eq!(&place.summary("out")["counts"], &count);
        }
    }
}
