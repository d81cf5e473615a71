//! CSV and TSV with other quotes and escapes.

use serde_json::json;

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, rows};

#[test]
fn each_file_of_a_run_has_its_own_quotes() {
    // The quotes of the first row and the third enclose three rows.
    let table = format!("id\ttext\n1\t\"{FERRY}\n2\t{LIBRARY}\n3\t{BRIDGE}\"\n4\t\"{FERRY}\n");
    let quoted = format!("id,text\n5,\"{FERRY}\n\"\n6,\"{LIBRARY},\nand more\"\n");
    let place = Place::with("in/a.tsv", &table);
    place.write("in/b.csv", &quoted);
    let run = place.dedup(&["in"]);
    run.says(&["nearprint: warning: in/a.tsv: quotes are read as letters", "--quote '\"'"]);
    let removed = place.rows("out/removed.jsonl");
    assert_eq!(column(&removed, "id"), [json!("2"), json!("4"), json!("5")]);
    assert_eq!(
        place.text("out/kept/a.tsv"),
        table.replace(&format!("2\t{LIBRARY}\n"), "").split("4\t").next().unwrap()
    );
    // The run is read again as it was read.
    let explained = place.run(&["explain", "out", "4"]).succeeds();
    assert_eq!(explained.stderr, "");
    place.dedup(&["in", "--annotate", "--force"]);
    assert!(place.text("out/annotated/a.tsv").ends_with("\t1\t1\n"));
    let run = place.run(&["dedup", "in", "--output", "-"]).ends_with_code(2);
    run.says(&["a stream has one format"]);
    place
        .write("in/b.tsv", quoted.replace("5,", "5\t").replace("6,", "6\t").replace("id,", "id\t"));
    let run = place.run(&["dedup", "in/a.tsv", "in/b.tsv", "--output", "-"]).ends_with_code(2);
    run.says(&["quotes are letters in in/a.tsv, and may be quotes in in/b.tsv", "--quote none"]);
    let piped = place
        .run_with_input(&["dedup", "-", "--format", "tsv", "--output", "piped"], table.as_bytes())
        .succeeds();
    piped.says(&["-: quotes are read as letters"]);
    assert_eq!(place.summary("piped")["counts"]["read"], 4);
}

#[test]
fn a_setting_says_for_all_files_if_quotes_are_letters() {
    let table = format!("id\ttext\n1\t\"{FERRY}\n2\t{LIBRARY}\n3\t{BRIDGE}\"\n4\t\"{FERRY}\n");
    let place = Place::with("a.tsv", &table);
    let spans = "a.tsv, row 1: a field in quotes spans up to 3 lines";
    let quotes = ["--quote", "\""];
    let skip = ["--on-error", "skip", "--max-rejected", "100%", "--output", "first"];
    let run = place.run(&[&["dedup", "a.tsv"], &quotes[..], &skip].concat());
    run.says(&[&format!("nearprint: warning: {spans}"), "--quote none"]);
    let run = place.run(&[&["dedup", "a.tsv", "--check"], &quotes[..]].concat()).ends_with_code(1);
    assert!(run.stdout.starts_with(spans), "{}", run.stdout);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    let run = place.dedup(&["a.tsv", "--quote", "none"]);
    assert_eq!(run.stderr, "");
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("4")]);
}

#[test]
fn an_index_and_find_take_quotes_for_letters() {
    let table = format!("id\ttext\n1\t\"{FERRY}\n2\t{LIBRARY}\n3\t{BRIDGE}\"\n4\t\"{FERRY}\n");
    let place = Place::with("a.tsv", &table);
    let letters = ["--quote", "none"];
    place.run(&[&["index", "create", "seen", "a.tsv"], &letters[..]].concat()).succeeds();
    let queried = place.run(&["index", "query", "seen", "a.tsv", "--quote", "none"]).succeeds();
    let queried = rows(&queried.stdout);
    assert_eq!(column(&queried, "id"), ["1", "2", "3", "4"]);
    assert_eq!(column(queried[0]["matches"].as_array().unwrap(), "id"), ["1", "4"]);
    let find = ["find", "a.tsv", "--text", LIBRARY, "--json"];
    let found = place.run(&[&find[..], &letters].concat()).succeeds().json();
    assert_eq!(column(found["texts"][0]["duplicates"].as_array().unwrap(), "id"), ["2"]);
}

#[test]
fn rows_between_two_stray_quotes_of_csv_are_a_problem_of_the_check() {
    let rows: Vec<String> = (0..200).map(|n| format!("{n},the text of row {n} is here")).collect();
    let table = |rows: &[String]| format!("id,text\n{}\n", rows.join("\n"));
    let mut stray = rows.clone();
    stray[10] = stray[10].replacen(',', ",\"", 1);
    stray[70] += "\"";
    // This line has other fields once quotes are letters.
    stray.push("201,\"one, and more\"".to_string());
    let place = Place::with("a.csv", table(&stray));
    place.write("b.csv", "id,text\na,\"one\ntwo, too\nthree\nfour, and so on\nfive\"\n");
    let run = place.run(&["dedup", "a.csv", "b.csv", "--check"]).ends_with_code(1);
    assert_eq!(
        run.stdout,
        "a.csv, row 11: a field in quotes spans up to 61 lines, so a missing quote may have joined \
         rows; if quotes are letters in this file, read it with --quote none\n\
         142 documents read from 2 files: 1 problem\n"
    );
    let run = place.run(&["dedup", "a.csv", "--check", "--quote", "none"]).ends_with_code(1);
    assert!(run.stdout.starts_with("a.csv, row 201: damaged (3 fields"), "{}", run.stdout);
}

#[test]
fn a_quote_may_be_another_character_and_be_escaped() {
    let table = format!("id,text\n1,'say \\'{FERRY}\\', \nplease'\n2,'{BRIDGE}'\n3,'{BRIDGE}'\n");
    let place = Place::with("a.csv", &table);
    let flags = ["--quote", "'", "--escape", "\\"];
    place.dedup(&[&["a.csv"], &flags[..]].concat());
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("3")]);
    assert_eq!(place.text("out/kept/a.csv"), table[..table.find("3,").unwrap()]);
    place.write("b.csv", "id\"text\n1\"one\n2\"two\n");
    place.dedup(&["b.csv", "--delimiter", "\"", "--quote", "none", "--force"]);
    assert_eq!(place.summary("out")["counts"]["read"], 2);
    let refused = |flags: &[&str], says: &str| {
        let run = place.run(&[&["dedup", "a.csv", "--output", "no"], flags].concat());
        run.ends_with_code(2).says(&[says]);
    };
    refused(&["--quote", ","], "--quote: it is the delimiter");
    refused(&["--delimiter", "\""], "--delimiter: it is the quote; name another character, or ");
    refused(&["--quote", "none", "--escape", "\\"], "--escape: it is read in quoted fields only");
    refused(&["--escape", "\""], "--escape: it is the quote or the delimiter");
    refused(&["--quote", "''"], "\"''\" is neither one ASCII character");
}
