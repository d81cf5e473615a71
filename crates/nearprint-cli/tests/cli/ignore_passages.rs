//! `--ignore-passages`: passages that are left out of texts before these are compared.

use serde_json::{Value, json};

use crate::common::{BRIDGE, FERRY, LIBRARY, Place, column, row, rows};

/// The footer of an agency, five times as long as an article, and that of another one.
const FOOTER: &str = "This report was written by the staff of the Harbor News Agency in Lindholm, \
    which delivers local news to ninety papers. All rights in its texts and pictures are reserved, \
    and no part of them may be printed, stored or sold without the written consent of the \
    publisher. Complaints about errors reach the editor in charge by post or on weekdays by phone. \
    Readers who wish to support local journalists may subscribe to one of the member papers. \
    A list of these papers hangs in every town hall of the county and is renewed each spring. \
    Photographs come from amateurs, who keep their rights and are paid a small fee for every print. \
    Corrections appear below the article they concern, together with the reason for the mistake. \
    The agency takes no money from parties, churches or shipping companies, and it lists all gifts \
    above the price of a bicycle in its annual report. Its statutes were written by retired judges \
    and can be changed only by a meeting of all readers, which takes place in the old rope factory.";
const OTHER: &str = "You have read a free sample of the Meadow Courier, a paper made by farmers. \
    Its authors are paid by donations, so please consider a small gift whenever a story was useful \
    to you. Whoever copies an article must name the author, link to the page on which it first \
    appeared and leave the wording as it is. The editors meet in public every other Tuesday \
    evening, behind the old grain store at the end of Mill Lane, and guests are welcome there.";

const IGNORE: [&str; 2] = ["--ignore-passages", "footers.jsonl"];

/// A row of a list of passages.
fn verdict(text: &str, verdict: &str) -> String {
    format!("{}\n", json!({"text": text, "verdict": verdict}))
}

/// Two articles with one footer, two copies of an article with different footers, and a list of
/// both footers.
fn place() -> Place {
    let rows = [
        row("ferry", &format!("{FERRY}\n\n{FOOTER}\n")),
        row("library", &format!("{LIBRARY}\n\n{FOOTER}")),
        row("bridge", &format!("{BRIDGE}\n{FOOTER}")),
        row("bridge again", &format!("{}\n{}", OTHER.replace("donations", "donation"), BRIDGE)),
        row("footer", FOOTER),
        row("footer again", &format!("***\n{FOOTER}")),
    ];
    let place = Place::with("news.jsonl", rows.concat());
    place.write("footers.jsonl", verdict(FOOTER, "right") + &verdict(OTHER, "right"));
    place
}

fn removed(place: &Place) -> Vec<Value> {
    column(&place.rows("out/removed.jsonl"), "id")
}

#[test]
fn a_footer_makes_two_articles_neither_alike_nor_different() {
    let place = place();
    place.dedup(&["news.jsonl"]);
    // The footer alone makes its texts alike, and two footers keep the bridges apart.
    assert_eq!(removed(&place), ["ferry", "library", "footer", "footer again"]);

    // Two texts of nothing but passages are both kept.
    place.dedup(&[&["news.jsonl", "--force"], &IGNORE[..]].concat());
    assert_eq!(removed(&place), ["bridge again"]);
    assert_eq!(place.rows("out/removed.jsonl")[0]["reason"], "exact");
    let (read, kept) = (place.text("news.jsonl"), place.text("out/kept/news.jsonl"));
    let staying: Vec<&str> = read.lines().filter(|row| !row.contains("bridge again")).collect();
    assert_eq!(kept.lines().collect::<Vec<_>>(), staying);
    let summary = place.summary("out");
    assert_eq!(summary["settings"]["ignore-passages"], "footers.jsonl");
    assert!(summary["fingerprint"].as_str().unwrap().contains("; left-out=2 passages ("));

    // Words and other measures agree.
    for more in [&["--features", "words", "--weights", "tf"][..], &["--verify", "jaccard"]] {
        place.dedup(&[&["news.jsonl", "--force"], &IGNORE[..], more].concat());
        assert_eq!(removed(&place), ["bridge again"], "{more:?}");
    }
}

#[test]
fn why_two_documents_are_merged_names_the_passages() {
    let place = place();
    place.dedup(&[&["news.jsonl"], &IGNORE[..]].concat());
    let pair = ["bridge", "bridge again"];
    let explained = place.run(&[&["explain", "out"], &pair[..]].concat()).succeeds().stdout;
    let note = "passages of --ignore-passages do not count in";
    assert!(explained.contains(&format!("{note} bridge and bridge again")), "{explained}");
    let texts = [format!("{FERRY}\n{FOOTER}"), FERRY.to_string()];
    let compare = ["compare", "--text", &texts[0], "--text", &texts[1]];
    let compared = place.run(&[&compare[..], &IGNORE].concat());
    let compared = compared.succeeds().stdout;
    assert!(compared.contains(&format!("{note} the left text")), "{compared}");
    // The list is read again.
    place.write("footers.jsonl", verdict(FOOTER, "right"));
    place
        .run(&[&["explain", "out"], &pair[..]].concat())
        .succeeds()
        .says(&["footers.jsonl has changed since the run"]);
}

#[test]
fn an_index_ignores_the_passages_it_was_made_with() {
    let place = place();
    place.run(&[&["index", "create", "seen", "--quiet"], &IGNORE[..]].concat()).succeeds();
    let add = ["index", "add", "seen", "news.jsonl", "--if-new", "--quiet"];
    let added = rows(&place.run(&add).succeeds().stdout);
    let news: Vec<bool> = added.iter().map(|row| row["new"] == true).collect();
    assert_eq!(news, [true, true, true, false, true, true], "{added:?}");
    let matches = |text: &str| {
        let query = ["index", "query", "seen", "--text", text, "--quiet"];
        let answer = rows(&place.run(&query).succeeds().stdout).remove(0);
        column(answer["matches"].as_array().unwrap(), "id")
    };
    assert_eq!(matches(FERRY), ["ferry"]);
    assert_eq!(matches(&format!("{OTHER}\n{LIBRARY}")), ["library"]);
    assert!(matches(FOOTER).is_empty());
    // Order, rows that are not approved, and the place of the file do not count.
    let list = verdict(OTHER, "right") + &verdict("wrong", "wrong") + &verdict(FOOTER, "right");
    place.write("footers.jsonl", list);
    assert_eq!(matches(FERRY), ["ferry"]);
    place.write("footers.jsonl", verdict(FOOTER, "right"));
    place.run(&["index", "query", "seen", "--text", FERRY]).ends_with_code(1).says(&[
        "footers.jsonl: approves other passages than when the index",
        "nearprint index export",
    ]);
    place.run(&["index", "export", "seen", "--output", "all.jsonl"]).succeeds();
}

/// A test item of two sentences.
const ITEM: &str = "A baker sells sixteen loaves in the morning and half as many in the afternoon. \
    How many loaves does she sell on a whole day?";

#[test]
fn leaks_are_found_without_the_passages_at_their_places_in_the_whole_text() {
    let place = Place::with("test.jsonl", row("item", &format!("{ITEM}\n{FOOTER}")));
    let leak = format!("{FOOTER}\n\n{FERRY} {ITEM}\n{LIBRARY}\n{OTHER}\n");
    let rows = [row("leak", &leak), row("clean", &format!("{LIBRARY}\n{FOOTER}"))];
    place.write("train.jsonl", rows.concat());
    place.write("footers.jsonl", verdict(FOOTER, "right") + &verdict(OTHER, "right"));
    let dedup = ["train.jsonl", "--against", "test.jsonl", "--leak-action", "mask"];
    place.dedup(&dedup);
    let ids = |rows: &[Value]| column(rows, "id");
    assert!(ids(&place.rows("out/leaks.jsonl")).contains(&"clean".into()));

    place.dedup(&[&dedup[..], &IGNORE, &["--force"]].concat());
    let leaks = place.rows("out/leaks.jsonl");
    assert_eq!(ids(&leaks), ["leak"]);
    let [first, last] = ["first", "last"].map(|field| leaks[0][field].as_u64().unwrap() as usize);
    let found: String = leak.chars().skip(first).take(last + 1 - first).collect();
    assert_eq!(found, ITEM);
    let kept = place.rows("out/kept/train.jsonl");
    assert_eq!(kept[0]["text"], leak.replace(ITEM, "[masked]"));
}

#[test]
fn a_list_that_cannot_be_used_is_refused() {
    let place = place();
    let says = |code: i32, parts: &[&str]| {
        let dedup = ["dedup", "news.jsonl", "--output", "out"];
        place.run(&[&dedup[..], &IGNORE].concat()).ends_with_code(code).says(parts);
    };
    place.write("footers.jsonl", verdict(FOOTER, "wrong") + &verdict(OTHER, "later"));
    says(2, &["--ignore-passages: footers.jsonl approves no passage; give the rows"]);
    place.write("footers.jsonl", verdict("Read more", "right"));
    says(
        2,
        &[
            "1 of 1 approved passages cannot be looked for, such as \"Read more\": a passage has 16 letters",
        ],
    );
    place.write("footers.jsonl", "{\"passage\":\"a\"}\n");
    says(1, &["footers.jsonl", "which need the columns text and verdict"]);
    std::fs::remove_file(place.path("footers.jsonl")).unwrap();
    says(2, &["--ignore-passages", "footers.jsonl"]);
    // The list is not replaced by the output.
    place.write("out/list.jsonl", verdict(FOOTER, "right"));
    let dedup = ["dedup", "news.jsonl", "--output", "out", "--force"];
    let run = place.run(&[&dedup[..], &["--ignore-passages", "out/list.jsonl"]].concat());
    run.ends_with_code(2).says(&["out/list.jsonl, which the run reads"]);
}
