//! `--max-lost`: the share of a removed document that may be missing from its keeper.

use serde_json::{Value, json};

use crate::common::*;

/// An article, a copy with other punctuation, a copy with one more paragraph, and the beginning of
/// that; each with a date.
fn news(order: &[&str]) -> Place {
    let text = |id: &str| match id {
        "plain" => format!("{FERRY} {LIBRARY}"),
        "copy" => format!("{FERRY} {LIBRARY}").replace('.', " ... "),
        "fuller" => {
            format!(
                "{FERRY} {LIBRARY} The harbor master rings a bell whenever fog hides the red buoy \
                 off the pier."
            )
        }
        "cut" => format!("{FERRY} {}", &LIBRARY[..120]),
        _ => unreachable!(),
    };
    let row = |id: &&str| {
        json!({"id": id, "text": text(id), "date": if *id == "copy" { 2026 } else { 2025 }})
            .to_string()
            + "\n"
    };
    Place::with("news.jsonl", order.iter().map(row).collect::<String>())
}

/// Removed documents with their keepers.
fn removed(place: &Place, arguments: &[&str]) -> Vec<String> {
    place.dedup(&[&["news.jsonl", "--force"], arguments].concat());
    let said = |row: &Value| format!("{} {}", row["id"], row["keeper"]).replace('"', "");
    place.rows("out/removed.jsonl").iter().map(said).collect()
}

#[test]
fn the_fuller_document_stays_in_any_order() {
    for order in [["plain", "fuller"], ["fuller", "plain"]] {
        let place = news(&order);
        assert_eq!(removed(&place, &[]), ["plain fuller"], "{order:?}");
        let row = &place.rows("out/removed.jsonl")[0];
        assert_eq!((&row["reason"], &row["lost"]), (&json!("contained"), &json!(0.0)));
        assert_eq!(removed(&place, &["--max-lost", "0.05"]), ["plain fuller"], "{order:?}");
        assert_eq!(place.summary("out")["settings"]["max-lost"], 0.05);
    }
}

#[test]
fn both_stay_where_keep_prefers_the_one_that_has_less() {
    let place = news(&["plain", "fuller"]);
    let first = ["--keep", "first"];
    assert_eq!(removed(&place, &first), ["fuller plain"]);
    assert!(removed(&place, &[&first[..], &["--max-lost", "0.05"]].concat()).is_empty());
    assert_eq!(removed(&place, &[&first[..], &["--max-lost", "0.4"]].concat()), ["fuller plain"]);
    // If neither loses anything, `keep` decides.
    let place = news(&["plain", "copy"]);
    assert_eq!(removed(&place, &["--max-lost", "0", "--keep", "first"]), ["copy plain"]);
    assert_eq!(removed(&place, &["--max-lost", "0", "--keep", "newest:date"]), ["plain copy"]);
}

#[test]
fn every_removed_document_has_lost_no_more() {
    let place = news(&["cut", "plain", "copy", "fuller"]);
    place.write("articles.jsonl", std::fs::read(repository("examples/articles.jsonl")).unwrap());
    let removed = |most: f64| {
        place.dedup(&["articles.jsonl", "news.jsonl", "--force", "--max-lost", &most.to_string()]);
        let rows = place.rows("out/removed.jsonl");
        assert!(rows.iter().all(|row| row["lost"].as_f64().unwrap() <= most), "{most}: {rows:?}");
        rows.len()
    };
    let removed = [0.0, 0.02, 0.1, 0.2, 1.0].map(removed);
    assert!(removed.is_sorted() && removed[0] > 0 && removed[4] > removed[1], "{removed:?}");
}

#[test]
fn a_document_compared_with_stays_and_the_bound_holds() {
    let place = news(&["fuller", "copy"]);
    place.write("test.jsonl", row("test", &format!("{FERRY} {LIBRARY}")));
    assert_eq!(removed(&place, &["--against", "test.jsonl"]), ["fuller test", "copy test"]);
    assert_eq!(removed(&place, &["--against", "test.jsonl", "--max-lost", "0.05"]), ["copy test"]);
}

#[test]
fn a_bound_that_cannot_be_held_is_refused() {
    let place = news(&["plain", "copy"]);
    for (arguments, says) in [
        (
            ["--verify", "jaccard"],
            "--max-lost: only coverage counts lost letters; set --verify coverage",
        ),
        (
            ["--preset", "exact"],
            "--max-lost: only coverage counts lost letters; set --verify coverage",
        ),
        (
            ["--cluster", "components"],
            "--max-lost: components may link a removed document to its keeper only through others; \
             set --cluster star",
        ),
        (["--max-distance", "auto"], "--max-lost: 1.5 is not between 0 and 1"),
    ] {
        let most = if says.contains("1.5") { "1.5" } else { "0.1" };
        let run = place.run(
            &[&["dedup", "news.jsonl", "--output", "out", "--max-lost", most], &arguments[..]]
                .concat(),
        );
        run.ends_with_code(2).says(&[says]);
    }
}
