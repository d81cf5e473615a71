//! CSV and TSV with other quotes and escapes.

use serde_json::json;

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, rows};

#[test]
fn quotes_can_be_letters() {
    let table = format!("id\ttext\n1\t\"{FERRY}\n2\t{LIBRARY}\n3\t{BRIDGE}\"\n4\t\"{FERRY}\n");
    let place = Place::with("a.tsv", &table);
    // The quotes of the first row and the third enclose three rows.
    let run = place.run(&["dedup", "a.tsv", "--check", "--on-error", "skip"]);
    run.says(&[
        "nearprint: warning: a.tsv, row 1: a field in quotes spans up to 3 lines",
        "--quote none",
    ]);
    let run = place.dedup(&["a.tsv", "--quote", "none"]);
    assert_eq!(run.stderr, "");
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("4")]);
    assert_eq!(place.text("out/kept/a.tsv"), table[..table.find("4\t").unwrap()]);
    place.dedup(&["a.tsv", "--quote", "none", "--annotate", "--force"]);
    assert!(place.text("out/annotated/a.tsv").ends_with("\t1\t1\n"));
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
fn a_quote_may_be_another_character_and_be_escaped() {
    let table = format!("id,text\n1,'say \\'{FERRY}\\', \nplease'\n2,'{BRIDGE}'\n3,'{BRIDGE}'\n");
    let place = Place::with("a.csv", &table);
    let flags = ["--quote", "'", "--escape", "\\"];
    place.dedup(&[&["a.csv"], &flags[..]].concat());
    assert_eq!(column(&place.rows("out/removed.jsonl"), "id"), [json!("3")]);
    assert_eq!(place.text("out/kept/a.csv"), table[..table.find("3,").unwrap()]);
    let refused = |flags: &[&str], says: &str| {
        let run = place.run(&[&["dedup", "a.csv", "--output", "no"], flags].concat());
        run.ends_with_code(2).says(&[says]);
    };
    refused(&["--quote", ","], "--quote: it is the delimiter");
    refused(&["--quote", "none", "--escape", "\\"], "--escape: it is read in quoted fields only");
    refused(&["--escape", "\""], "--escape: it is the quote or the delimiter");
    refused(&["--quote", "''"], "\"''\" is neither one ASCII character");
}
