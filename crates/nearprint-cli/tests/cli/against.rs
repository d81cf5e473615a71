//! `dedup --against`: only documents near a test set are removed.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{self, Articles, BRIDGE, FERRY, LIBRARY, Place, SKIP, column, files, row};
use serde_json::{Value, json};

/// A text with one word changed.
fn edited(text: &str) -> String {
    text.replace("cardamom", "cinnamon").replace("garden", "kitchen").replace("红豆", "绿豆")
}

/// Articles in `test.jsonl` and `train.jsonl`, with copies across and within both, some of them
/// short, each with its own id.
fn articles(seed: u64, count: usize, words: usize, test_of: usize) -> Place {
    let lines = Articles::json_lines(seed, count, words);
    let (mut test, mut train) = (String::new(), String::new());
    for (number, line) in lines.split_inclusive('\n').enumerate() {
        let of = if number % test_of == 0 { &mut test } else { &mut train };
        *of += line;
        let copy = |name: &str| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            row["id"] = json!(format!("{name} {}", row["id"]));
            format!("{row}\n")
        };
        if number % 11 == 0 {
            train += &copy("train copy of");
        }
        if number % 13 == 0 {
            train += &copy("second train copy of");
        }
        if number % 17 == 0 {
            test += &copy("test copy of");
        }
    }
    let place = Place::with("test.jsonl", test);
    place.write("train.jsonl", train);
    place
}

fn ids(rows: &[Value], field: &str) -> BTreeSet<String> {
    rows.iter().map(|row| row[field].to_string()).collect()
}

/// The documents of one file with a duplicate in the other, by an ordinary run over both; keyed by
/// the duplicate.
fn oracle(place: &Place, settings: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let both = [
        "dedup",
        "test.jsonl",
        "train.jsonl",
        "--quiet",
        "--pairs",
        "--output",
        "oracle",
        "--force",
    ];
    place.run(&[&both[..], settings].concat()).succeeds();
    let (test, train) =
        (ids(&place.rows("test.jsonl"), "id"), ids(&place.rows("train.jsonl"), "id"));
    assert!(test.is_disjoint(&train));
    // Equal texts are listed with one of them only, whose other pairs represent all.
    let pairs = place.rows("oracle/pairs.jsonl");
    let mut standing: BTreeMap<String, String> = BTreeMap::new();
    let representatives: BTreeSet<String> =
        place.rows("oracle/clusters.jsonl").iter().map(|row| row["keeper"].to_string()).collect();
    let ends = |row: &Value| (row["left"].to_string(), row["right"].to_string());
    for (left, right) in pairs.iter().filter(|row| row["reason"] == "exact").map(ends) {
        // With --keep first, the representative comes first.
        assert!(!standing.contains_key(&left), "{left} stands for others and is stood for");
        standing.insert(right, left);
    }
    assert!(!representatives.is_empty());
    let mut of_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in test.iter().chain(&train) {
        of_text.entry(standing.get(id).unwrap_or(id).clone()).or_default().push(id.clone());
    }
    let mut near: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut link = |one: &str, other: &str| {
        for (a, b) in of_text[one].iter().flat_map(|a| of_text[other].iter().map(move |b| (a, b))) {
            for (a, b) in [(a, b), (b, a)] {
                if train.contains(a) && test.contains(b) {
                    near.entry(a.clone()).or_default().insert(b.clone());
                }
            }
        }
    };
    of_text.keys().for_each(|text| link(text, text));
    for (left, right) in pairs.iter().filter(|row| row["reason"] != "exact").map(ends) {
        link(&left, &right);
    }
    near
}

#[test]
fn exactly_what_an_ordinary_run_finds_across_both_goes() {
    // With coverage, a verdict may depend on others of the same form, which differ across the
    // sides.
    let settings: [&[&str]; 6] = [
        &["--verify", "jaccard"],
        &["--verify", "jaccard", "--cluster", "components"],
        &["--verify", "jaccard", "--max-distance", "20"],
        &["--features", "words", "--weights", "one", "--min-features", "8", "--verify", "jaccard"],
        &["--min-similarity", "0.5", "--verify", "containment"],
        &["--preset", "exact"],
    ];
    for (seed, words, test_of) in [(1, 60, 9), (2, 60, 2), (3, 6, 4)] {
        let place = articles(seed, 300, words, test_of);
        for settings in settings {
            let near = oracle(&place, settings);
            assert!(near.len() > 20, "{} leak with {settings:?}", near.len());
            let across = [
                "train.jsonl",
                "--against",
                "test.jsonl",
                "--min-leak-length",
                "off",
                "--pairs",
                "--force",
            ];
            place.dedup(&[&across[..], settings].concat());
            let removed = place.rows("out/removed.jsonl");
            assert_eq!(
                ids(&removed, "id"),
                near.keys().cloned().collect(),
                "seed {seed}, {settings:?}"
            );
            let components = settings.contains(&"components");
            for row in &removed {
                assert!(
                    components || near[&row["id"].to_string()].contains(&row["keeper"].to_string()),
                    "{row}"
                );
            }
            // The other rows are written unchanged.
            let kept: String = place
                .text("train.jsonl")
                .split_inclusive('\n')
                .filter(|line| {
                    let row: Value = serde_json::from_str(line).unwrap();
                    !near.contains_key(&row["id"].to_string())
                })
                .collect();
            assert!(place.text("out/kept/train.jsonl") == kept);
            assert_eq!(common::names(&place.path("out/kept")), ["train.jsonl"]);

            let pairs = place.rows("out/pairs.jsonl");
            for row in &pairs {
                assert!(
                    near[&row["right"].to_string()].contains(&row["left"].to_string()),
                    "{row}"
                );
            }
            let listed: BTreeSet<String> =
                pairs.iter().map(|row| format!("{} {}", row["left"], row["right"])).collect();
            assert_eq!(listed.len(), pairs.len());
            let counts = &place.summary("out")["counts"];
            assert_eq!(counts["confirmed_pairs"], pairs.len());
            assert_eq!(counts["removed"], removed.len());
            assert_eq!(counts["read"], place.rows("train.jsonl").len());
            assert_eq!(counts["against"], place.rows("test.jsonl").len());
            for cluster in place.rows("out/clusters.jsonl") {
                let members = cluster["members"].as_array().unwrap();
                assert_eq!(members[0], cluster["keeper"]);
                assert_eq!(cluster["size"], members.len());
                let number = &cluster["cluster"];
                let of_cluster: Vec<Value> =
                    removed.iter().filter(|row| row["cluster"] == *number).cloned().collect();
                assert_eq!(column(&of_cluster, "id"), members[1..]);
                assert!(of_cluster.iter().all(|row| row["keeper"] == cluster["keeper"]));
            }
        }
    }
}

#[test]
fn both_sides_may_have_the_same_ids_and_names() {
    let place = Place::with("test/a.jsonl", row("0", FERRY) + &row("1", BRIDGE));
    place.write("train/a.jsonl", row("0", LIBRARY) + &row("1", &edited(FERRY)) + &row("2", BRIDGE));
    place.dedup(&["train/a.jsonl", "--against", "test/a.jsonl"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), ["1", "2"]);
    assert_eq!(column(&removed, "keeper"), ["0", "1"]);
    assert_eq!(column(&removed, "reason"), ["near", "exact"]);
    assert_eq!(
        column(&place.rows("out/clusters.jsonl"), "members"),
        [json!(["0", "1"]), json!(["1", "2"])]
    );
    assert_eq!(place.text("out/kept/a.jsonl"), row("0", LIBRARY));
    let summary = place.summary("out");
    assert_eq!(
        (&summary["inputs"], &summary["against"]),
        (&json!(["train/a.jsonl"]), &json!(["test/a.jsonl"]))
    );
    assert_eq!(
        ["read", "against", "kept", "removed", "clusters"]
            .map(|count| summary["counts"][count].clone()),
        [3, 2, 1, 2, 2].map(Value::from)
    );
    let bytes = place.read("test/a.jsonl").len() + place.read("train/a.jsonl").len();
    assert_eq!(summary["bytes"]["input"], bytes);
    // Ids are unique within one side.
    place.write("test/b.jsonl", row("0", "another text"));
    let again = ["dedup", "train", "--output", "again", "--against", "test"];
    let remedy = "make ids unique, name another --against-id-field, or number the documents with \
        --against-id-field off";
    place.run(&again).ends_with_code(1).says(&[
        "test/b.jsonl, row 1",
        "\"0\"",
        "test/a.jsonl, row 1",
        remedy,
    ]);
    place.write("train/b.jsonl", row("0", "another text"));
    let remedy =
        "make ids unique, name another --id-field, or number the documents with --ids file-row";
    place
        .run(&["dedup", "train", "--output", "again", "--against", "test/a.jsonl"])
        .ends_with_code(1)
        .says(&[remedy]);
}

#[test]
fn ids_of_each_side_are_in_a_field_of_its_own_or_in_none() {
    let place =
        Place::with("train.jsonl", row("0", FERRY) + &row("1", &format!("{LIBRARY} {BRIDGE}")));
    // Two benchmarks with row numbers from 0.
    let item = |number: u32, text: &str| {
        json!({"id": number, "name": format!("q{number}"), "text": text}).to_string() + "\n"
    };
    place.write("one.jsonl", item(0, "An item that stands nowhere") + &item(1, FERRY));
    place.write("two.jsonl", item(0, BRIDGE));
    let both = ["train.jsonl", "--against", "one.jsonl", "--against", "two.jsonl", "--force"];
    place.dedup(&[&both[..], &["--against-id-field", "off"]].concat());
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(
        (column(&removed, "id"), column(&removed, "keeper")),
        (vec![json!("0"), json!("1")], vec![json!("one.jsonl:2"), json!("two.jsonl:1")])
    );
    assert_eq!(column(&place.rows("out/leaks.jsonl"), "item"), ["one.jsonl:2", "two.jsonl:1"]);
    assert_eq!(place.summary("out")["settings"]["against-id-field"], "off");
    let one = ["train.jsonl", "--against", "one.jsonl", "--force"];
    for (settings, id, keeper) in [
        (&["--against-id-field", "name"][..], json!("0"), json!("q1")),
        (&["--id-field", "off"], json!("train.jsonl:1"), json!("one.jsonl:2")),
        (&["--id-field", "off", "--against-id-field", "id"], json!("train.jsonl:1"), json!(1)),
    ] {
        place.dedup(&[&one[..], settings].concat());
        let removed = place.rows("out/removed.jsonl");
        assert_eq!((&removed[0]["id"], &removed[0]["keeper"]), (&id, &keeper), "{settings:?}");
    }
    // The message about a missing field names the side and its fields.
    let refused = |settings: &[&str], says: &str| {
        place
            .run(&[&["dedup", "--output", "out"], &one[..], settings].concat())
            .ends_with_code(2)
            .says(&[says]);
    };
    let there = "there are: id, name, text; name the one that holds the id";
    refused(
        &["--against-id-field", "nope"],
        &format!("--against-id-field: no row of --against has a field \"nope\"; {there}"),
    );
    refused(
        &["--id-field", "nope"],
        "--id-field: no row of the input has a field \"nope\"; there are: id, text; name the one",
    );
}

#[test]
fn a_missing_text_is_told_with_the_setting_of_its_side_and_the_fields_that_are_there() {
    let place = Place::with("train.jsonl", row("0", FERRY));
    place.write(
        "items.jsonl",
        json!({"id": "q", "question": FERRY, "answer": "7"}).to_string() + "\n",
    );
    place.write("items.csv", format!("id,question\nq,{FERRY:?}\n"));
    let run = |settings: &[&str]| {
        place.run(&[&["dedup", "train.jsonl", "--output", "out"], settings].concat())
    };
    let json_lines =
        "there are: answer, id, question; name the right one with --against-text-field; or";
    run(&["--against", "items.jsonl"])
        .ends_with_code(1)
        .says(&["items.jsonl, row 1: no field \"text\"", json_lines]);
    let misspelt = ["--against", "items.jsonl", "--against-text-field", "questoin"];
    run(&misspelt)
        .ends_with_code(1)
        .says(&["items.jsonl, row 1: no field \"questoin\"", json_lines]);
    let csv = "items.csv: no column \"text\"; did you mean \"question\"? its text is by far the \
        longest; there are: id, question; name the right one with --against-text-field; or";
    run(&["--against", "items.csv"]).ends_with_code(1).says(&[csv]);
    let own = "train.jsonl, row 1: no field \"body\"; did you mean \"text\"? its text is by far \
        the longest; there are: id, text; name the right one with --text-field; or";
    run(&["--against", "items.jsonl", "--text-field", "body", "--against-text-field", "question"])
        .ends_with_code(1)
        .says(&[own]);
}

#[test]
fn an_ordinary_run_does_not_speak_of_against() {
    let place = Place::with("train.jsonl", row("0", FERRY));
    place.dedup(&["train.jsonl"]);
    let summary = place.summary("out");
    assert!(summary.get("against").is_none() && summary["counts"].get("against").is_none());
}

#[test]
fn copies_within_one_side_stay_and_short_texts_are_compared_too() {
    let place = Place::new();
    let short = "图书馆周一闭馆，请周二再来。";
    let test = [
        ("t0", short),
        ("t1", FERRY),
        ("t2", FERRY),
        ("t3", &edited(FERRY)),
        ("t4", ""),
        ("t5", "雨"),
    ];
    let train = [
        ("0", LIBRARY),
        ("1", LIBRARY),
        ("2", &edited(LIBRARY)),
        ("3", "图书馆周一闭馆，请周二再来！"),
        ("4", "图书馆周一闭馆，请周二再来！"),
        ("5", &format!("{FERRY} ")),
        ("6", "食堂今天没有面条。"),
        ("7", "食堂今天没有面汤。"),
        ("8", ""),
        ("9", "雨"),
        ("10", "雨"),
    ];
    let rows =
        |texts: &[(&str, &str)]| texts.iter().map(|(id, text)| row(id, text)).collect::<String>();
    place.write("test.jsonl", rows(&test));
    place.write("train.jsonl", rows(&train));
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--pairs"]);
    let said = |row: &Value, fields: [&str; 3]| {
        fields.map(|field| row[field].as_str().unwrap().to_string()).join(" ")
    };
    let removed: Vec<String> = place
        .rows("out/removed.jsonl")
        .iter()
        .map(|row| said(row, ["id", "keeper", "reason"]))
        .collect();
    assert_eq!(removed, ["3 t0 short", "4 t0 short", "5 t1 exact", "9 t5 exact", "10 t5 exact"]);
    let pairs: Vec<String> = place
        .rows("out/pairs.jsonl")
        .iter()
        .map(|row| said(row, ["left", "right", "reason"]))
        .collect();
    assert_eq!(pairs, ["t1 5 exact", "t5 9 exact", "t5 10 exact", "t0 3 short"]);
    let counts = &place.summary("out")["counts"];
    assert_eq!((&counts["empty"], &counts["short"]), (&json!(1), &json!(6)));
    assert_eq!(column(&place.rows("out/clusters.jsonl"), "members")[0], json!(["t0", "3", "4"]));
}

#[test]
fn keep_chooses_among_the_documents_compared_with() {
    let place = Place::new();
    let row = |id: &str, text: &str, date: &str| {
        json!({"id": id, "text": text, "date": date}).to_string() + "\n"
    };
    place.write(
        "test.jsonl",
        row("t0", FERRY, "2020") + &row("t1", FERRY, "2021") + &row("t2", LIBRARY, "2019"),
    );
    place.write(
        "train.jsonl",
        row("0", FERRY, "2026") + &row("1", &edited(FERRY), "2027") + &row("2", BRIDGE, "2028"),
    );
    for (keep, keeper) in [("first", "t0"), ("newest:date", "t1"), ("longest", "t0")] {
        place.dedup(&["train.jsonl", "--against", "test.jsonl", "--keep", keep, "--force"]);
        assert_eq!(column(&place.rows("out/removed.jsonl"), "keeper"), [keeper, keeper], "{keep}");
    }
}

#[test]
fn several_folders_globs_and_standard_input_are_compared_with() {
    let place = Place::with(
        "train.jsonl",
        row("0", FERRY) + &row("1", LIBRARY) + &row("2", BRIDGE) + &row("3", "雨"),
    );
    let line = |text: &str| json!({ "text": text }).to_string() + "\n";
    // Files of the same name, with documents without ids.
    place.write("one/test.jsonl", line("雪") + &line(FERRY));
    place.write("two/test.jsonl", line(LIBRARY));
    place.write("two/more.txt", BRIDGE);
    let arguments =
        ["train.jsonl", "--against", "one", "--against", "two/*.jsonl", "--against=two/more.txt"];
    place.dedup(&arguments);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), ["0", "1", "2"]);
    assert_eq!(
        column(&removed, "keeper"),
        ["one/test.jsonl:2", "two/test.jsonl:1", "two/more.txt:1"]
    );
    // The flag takes one value; the next argument is an input.
    place.dedup(&["--against", "one", "train.jsonl", "--force"]);
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["0"]);
    let quiet = ["dedup", "--quiet", "--output", "out", "--force"];
    let run = [&quiet[..], &["train.jsonl", "--against", "-"]].concat();
    place.run_with_input(&run, line(LIBRARY).as_bytes()).succeeds();
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["1"]);
    assert_eq!(place.summary("out")["against"], json!(["-"]));
    let run = [&quiet[..], &["-", "--against", "one"]].concat();
    place.run_with_input(&run, &place.read("train.jsonl")).succeeds();
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["0"]);
    assert_eq!(column(&place.rows("out/kept/stdin.jsonl"), "id"), ["1", "2", "3"]);
}

#[test]
fn the_format_of_the_input_is_not_forced_on_files_whose_names_tell_another_one() {
    let place = Place::with("lines.txt", format!("{BRIDGE}\n{LIBRARY}\n"));
    place.write(
        "questions.jsonl.gz",
        common::gzip(json!({"id": "q", "question": LIBRARY}).to_string().as_bytes()),
    );
    place.write("questions.csv", format!("id,question\nq,{LIBRARY:?}\n"));
    let field = ["--against-text-field", "question", "--force"];
    for against in ["questions.jsonl.gz", "questions.csv"] {
        place.dedup(&[&["lines.txt", "--lines", "--against", against], &field[..]].concat());
        assert_eq!(column(&place.rows("out/removed.jsonl"), "keeper"), ["q"], "{against}");
    }
    let csv = [
        "dedup",
        "-",
        "--format",
        "csv",
        "--against",
        "questions.jsonl.gz",
        "--output",
        "out",
        "--quiet",
    ];
    let input = format!("id,text\na,{BRIDGE:?}\nb,{LIBRARY:?}\n");
    place.run_with_input(&[&csv[..], &field].concat(), input.as_bytes()).succeeds();
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), ["b"]);
    // The names of these files tell no format, or an ambiguous one.
    for name in ["items.txt", "items"] {
        place.write(name, format!("{FERRY}\n{LIBRARY}\n"));
        place.dedup(&["lines.txt", "--lines", "--against", name, "--force"]);
        assert_eq!(column(&place.rows("out/removed.jsonl"), "keeper"), [format!("{name}:2")]);
        // Lines have no fields, so a named field would be ignored.
        let run = place.run(
            &[&["dedup", "lines.txt", "--lines", "--against", name, "--output", "out"], &field[..]]
                .concat(),
        );
        let says = format!(
            "--against-text-field: {name} is read as plain text, which has no fields; rename it"
        );
        run.ends_with_code(2).says(&[&says]);
    }
}

#[test]
fn nothing_to_compare_with_removes_nothing() {
    let place =
        Place::with("train.jsonl", row("0", FERRY) + &row("1", FERRY) + &row("2", &edited(FERRY)));
    place.write("blank.jsonl", "\n");
    place.dedup_the_rest(&["train.jsonl", "--against", "blank.jsonl", "--pairs"]);
    assert_eq!(place.read("out/kept/train.jsonl"), place.read("train.jsonl"));
    assert_eq!(
        (place.text("out/pairs.jsonl").as_str(), place.text("out/clusters.jsonl").as_str()),
        ("", "")
    );
    let counts = &place.summary("out")["counts"];
    assert_eq!((&counts["against"], &counts["candidate_pairs"]), (&json!(0), &json!(0)));
    place.dedup_the_rest(&["blank.jsonl", "--against", "train.jsonl", "--force"]);
    assert_eq!(place.summary("out")["counts"]["read"], 0);
}

#[test]
fn rejected_rows_of_both_sides_are_listed() {
    let place = Place::with("train.jsonl", row("0", FERRY) + "{\"id\":1}\n" + &row("2", LIBRARY));
    place.write("test.jsonl", "no JSON\n".to_string() + &row("0", &edited(LIBRARY)));
    place.write("empty.jsonl", "");
    let arguments = ["train.jsonl", "--against", "empty.jsonl", "--against", "test.jsonl"];
    place
        .run(&[&["dedup", "--output", "out"], &arguments[..]].concat())
        .ends_with_code(1)
        .says(&["test.jsonl, row 1"]);
    place.dedup_the_rest(&arguments).says(&["nearprint: 2 rows left out: see rejected.jsonl"]);
    // Each side must stay below the bound by itself.
    let run = [&["dedup", "--output", "out", "--force"], &arguments[..]].concat();
    let run = place.run(&[&run[..], &["--on-error", "skip", "--max-rejected", "40%"]].concat());
    run.ends_with_code(1).says(&[
        "nearprint: 1 row left out (of 2 rows that were read); --max-rejected 40% does not allow",
        "--max-rejected 100%; the first problem: test.jsonl, row 1: ",
    ]);
    let rejected = place.rows("out/rejected.jsonl");
    assert_eq!(column(&rejected, "file"), ["test.jsonl", "train.jsonl"]);
    assert_eq!(column(&rejected, "row"), [json!(1), json!(2)]);
    assert_eq!(place.summary("out")["counts"]["rejected"], 2);
    assert_eq!(place.text("out/kept/train.jsonl"), row("0", FERRY));
}

#[test]
fn annotated_rows_name_the_document_of_the_test_set() {
    let place = Place::with("train.jsonl", row("0", FERRY) + &row("1", &edited(BRIDGE)));
    place.write("test.txt", BRIDGE);
    let arguments = ["train.jsonl", "--against", "test.txt"];
    place.dedup(&[&arguments[..], &["--annotate"]].concat());
    let rows = place.rows("out/annotated/train.jsonl");
    assert_eq!(column(&rows, "duplicate_of"), [json!(null), json!("test.txt:1")]);
    assert_eq!(column(&rows, "cluster"), [json!(null), json!(1)]);
    assert_eq!(common::names(&place.path("out/annotated")), ["train.jsonl"]);
    place.dedup(&[&arguments[..], &["--dry-run", "--force"]].concat());
    assert_eq!(
        common::names(&place.path("out")),
        [
            "clusters.jsonl",
            "fingerprints.bin",
            "just_missed.jsonl",
            "leaks.jsonl",
            "removed.jsonl",
            "summary.json"
        ]
    );
}

#[test]
fn what_cannot_be_meant_is_refused_by_name() {
    let place = Place::with("data/train.jsonl", row("0", FERRY));
    place.write("data/test.jsonl", row("0", LIBRARY));
    place.write("notes/readme.md", "no documents");
    let before = place.names();
    let refused = |arguments: &[&str], says: &[&str]| {
        place
            .run(&[&["dedup", "data/train.jsonl", "--output", "out"], arguments].concat())
            .ends_with_code(2)
            .says(says);
        assert_eq!(place.names(), before);
    };
    refused(&["--against", "data/train.jsonl"], &["--against: data/train.jsonl is also an input"]);
    refused(&["--against", "data"], &["--against: data/train.jsonl is also an input"]);
    let other = "--against: ./data/train.jsonl and the input data/train.jsonl are the same file; \
        name it in one of the two places";
    refused(&["--against", "./data/train.jsonl"], &[other]);
    refused(
        &["--against", "data/test.jsonl", "--against", "data/test.jsonl"],
        &["data/test.jsonl is given twice"],
    );
    refused(
        &["--against", "data/test.jsonl", "--against", "./data/test.jsonl"],
        &["--against: data/test.jsonl and ", "are the same file"],
    );
    refused(&["-", "--against", "-"], &["--against: standard input (-) can be read only once"]);
    refused(
        &["--against", "-", "--against", "-"],
        &["--against: standard input (-) can be read only once"],
    );
    refused(&["--against", "notes"], &["--against: notes has no file that ends in .jsonl"]);
    refused(&["--against", "*.parquet"], &["--against: *.parquet matches no file"]);
    refused(
        &["--against", "notes/readme.md"],
        &["--against: the format of notes/readme.md is unknown", "--format"],
    );
    refused(
        &["--against", "-", "--resume"],
        &["--resume: standard input cannot be read a second time"],
    );
    refused(&["--against"], &["--against"]);
    // A missing file is an error of the system, as among the inputs.
    let missing = ["dedup", "data/train.jsonl", "--output", "out", "--against", "missing.jsonl"];
    place.run(&missing).ends_with_code(1).says(&["cannot read missing.jsonl"]);
    // The output must not replace reference documents.
    let over = [
        "dedup",
        "data/train.jsonl",
        "--against",
        "notes/test.jsonl",
        "--output",
        "notes",
        "--force",
    ];
    place.write("notes/test.jsonl", row("0", BRIDGE));
    place
        .run(&over)
        .ends_with_code(2)
        .says(&["--output: notes holds notes/test.jsonl, which the run reads"]);
    assert_eq!(place.text("notes/test.jsonl"), row("0", BRIDGE));
}

#[test]
fn threads_and_tables_change_no_byte() {
    let place = articles(7, 1_200, 60, 5);
    let arguments =
        ["train.jsonl", "--against", "test.jsonl", "--pairs", "--force", "--max-distance", "20"];
    for settings in
        [&[][..], &["--complete-distance", "3"], &["--min-similarity", "0.8", "--recall", "0.9"]]
    {
        let run = |threads: &str| {
            let chosen =
                if settings.contains(&"--recall") { &arguments[..5] } else { &arguments[..] };
            place.dedup(&[chosen, settings, &["--threads", threads]].concat());
            let summary = place.summary("out");
            (files(&place.path("out")), summary["counts"].clone(), summary["recall"].clone())
        };
        let one = run("1");
        assert!(one.1["removed"].as_u64().unwrap() > 50);
        assert!(one == run("2"), "{settings:?}");
    }
}

#[test]
fn the_measured_recall_is_that_of_pairs_across() {
    // 400 documents near each other, and a test set of three documents, two of them near some of
    // these.
    let place = Place::new();
    // Each has one more word, in different places.
    let edition = |number: usize| {
        let more = |(place, word)| {
            if place % 6 == 5 && number >> (place / 6) & 1 == 1 {
                format!("{word} so")
            } else {
                String::from(word)
            }
        };
        format!("{FERRY} {LIBRARY}").split(' ').enumerate().map(more).collect::<Vec<_>>().join(" ")
    };
    let train: String = (0..400).map(|number| row(&number.to_string(), &edition(number))).collect();
    place.write("train.jsonl", train);
    let others = row("2", BRIDGE) + &row("3", "雨");
    place.write("test.jsonl", row("0", &edition(1000)) + &row("1", &edition(1001)) + &others);
    place.dedup(&["train.jsonl", "--against", "test.jsonl"]);
    let recall = place.summary("out")["recall"].clone();
    assert_eq!(
        (&recall["sampled"], &recall["pairs"], &recall["recall"]),
        (&json!(403), &json!(800), &json!(1.0))
    );
    // All documents of the smaller side are sampled.
    place.dedup(&["test.jsonl", "--against", "train.jsonl", "--force"]);
    assert_eq!(place.summary("out")["recall"], recall);
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--recall-sample", "2", "--force"]);
    assert_eq!(place.summary("out")["recall"]["sampled"], 270);
    // The measured recall shows a search that finds little.
    place.dedup(&["train.jsonl", "--against", "test.jsonl", "--max-distance", "0", "--force"]);
    let summary = place.summary("out");
    assert_eq!(summary["recall"]["pairs"], 800);
    assert_eq!(summary["recall"]["found"], summary["counts"]["candidate_pairs"]);
}

#[test]
fn the_table_shows_what_was_compared_with() {
    let place = Place::with("train.jsonl", row("0", FERRY) + &row("1", BRIDGE));
    place.write("test.jsonl", row("0", FERRY));
    let run = place
        .run(&["dedup", "train.jsonl", "--output", "out", "--against", "test.jsonl"])
        .succeeds();
    run.says(&["against", "reference documents from test.jsonl"]);
    let help = place.run(&["dedup", "--help"]).succeeds().stdout;
    assert!(help.contains("--against <INPUT>") && help.contains("--against test.jsonl"), "{help}");
}

/// Each text alone is a duplicate of the item, and so it is in a batch: they do not form a family
/// for the item.
#[test]
fn edits_of_one_item_go_in_a_batch_as_they_do_one_by_one() {
    let changes =
        [("green", "white"), ("cardamom", "cinnamon"), ("at dawn", "at noon"), ("hired", "found")];
    let edits = changes.map(|(word, other)| row(word, &FERRY.replace(word, other)));
    let place = Place::with("item.jsonl", row("item", FERRY));
    place.write("batch.jsonl", edits.concat());
    let removed = |input: &str| {
        place.dedup(&[input, "--against", "item.jsonl", "--min-leak-length", "off", "--force"]);
        place.rows("out/removed.jsonl").len()
    };
    assert_eq!(removed("batch.jsonl"), 4);
    for edit in edits {
        place.write("one.jsonl", edit);
        assert_eq!(removed("one.jsonl"), 1);
    }
    // Among themselves, they fill in one form.
    place.dedup(&["batch.jsonl", "--force"]);
    assert!(place.rows("out/removed.jsonl").is_empty());
}

#[test]
fn reference_documents_of_which_none_can_be_used_are_refused() {
    let place = Place::with("train.jsonl", row("0", FERRY));
    place.write("test.jsonl", "{\"id\":1,\"question\":\"Why?\"}\n");
    place.write("bad.csv", "id,question\n1,Why?\n");
    let before = place.names();
    let dedup = |test: &str, output: &str| {
        let dedup = ["dedup", "train.jsonl", "--against", test, "--output", output];
        place.run(&[&dedup[..], &SKIP].concat())
    };
    for output in ["out", "-"] {
        let none = "nearprint: --against: none of its documents can be used; the first problem: ";
        dedup("test.jsonl", output).ends_with_code(2).says(&[none, "test.jsonl, row 1: "]);
        dedup("bad.csv", output).ends_with_code(2).says(&[none, "bad.csv: no column "]);
        assert_eq!(place.names(), before);
    }
    place.write("test.jsonl", place.text("test.jsonl") + &row("2", LIBRARY));
    dedup("test.jsonl", "out").ends_with_code(3);
    let find = ["find", "bad.csv", "--text", FERRY];
    let find = place.run(&[&find[..], &SKIP].concat()).ends_with_code(2);
    let find = find.says(&["none of its documents can be used"]);
    assert!(!find.stderr.contains("--against: "), "{}", find.stderr);
}
