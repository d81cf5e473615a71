//! What is told of forms: what fills the slots of a removed document and of its keeper.

use crate::common::{FERRY, LIBRARY, Place};
use serde_json::{Value, json};

/// A notice of one form.
fn notice(company: &str, cents: &str, payable: &str, record: &str) -> String {
    format!(
        "{company} said its board declared a regular quarterly dividend of {cents} cts per share, payable on {payable} to the \
         shareholders who are of record by the close of business on {record}, and that it expects no change in the year."
    )
}

/// Notices of one form by the names of the companies, two of them of one company, and two near texts of no form.
fn notices() -> Vec<Value> {
    let mut rows: Vec<Value> = ["Boreal Mills", "Quantum Fields", "Wexford & Sons", "Delta Hotels", "Umbra Foods"]
        .iter()
        .zip(1..)
        .map(|(name, n)| {
            let text = notice(name, &(n * 17 % 23).to_string(), &format!("May {}", n * 5), &format!("April {}", n * 3));
            json!({"id": name, "text": text})
        })
        .collect();
    rows.extend([
        json!({"id": "acme", "text": notice("Acme Tools", "24", "June 3", "January 25"), "date": 1}),
        json!({"id": "copy", "text": notice("ACME Tools", "24", "June three", "January 25") + " (Reuters)", "date": 2}),
        json!({"id": "ferry", "text": FERRY}),
        json!({"id": "boat", "text": FERRY.replace("green", "white")}),
    ]);
    rows
}

#[test]
fn what_fills_the_form_of_a_removed_document_is_told() {
    let place = Place::with("news.jsonl", notices().iter().map(|row| format!("{row}\n")).collect::<String>());
    for flags in [&[][..], &["--pairs"], &["--threads", "1"], &["--cluster", "components"]] {
        place.dedup(&[&["news.jsonl", "--force"], flags].concat());
        let removed = place.rows("out/removed.jsonl");
        let told: Vec<(&Value, &Value)> = removed.iter().map(|row| (&row["id"], &row["form"])).collect();
        let form = json!(
            "5 other documents share this form. They differ in 4 places, where this text and its keeper agree: \"acme tools\", \
             \"24\", \"june three\" and 1 more. Elsewhere the two differ: \"reuters\" here, nothing there."
        );
        assert_eq!(told, [(&json!("copy"), &form), (&json!("boat"), &Value::Null)], "{flags:?}");
    }
    // A measure that knows no forms.
    place.dedup(&["news.jsonl", "--force", "--verify", "jaccard", "--min-similarity", "0.5", "--features", "words"]);
    assert!(place.rows("out/removed.jsonl").iter().all(|row| row["form"].is_null()));
}

#[test]
fn the_keeper_that_stays_is_the_one_that_is_spoken_of() {
    let mut rows = notices();
    // More that the two have in common makes up for the difference.
    let acme = |record: &str| format!("{} {LIBRARY}", notice("Acme Tools", "24", "June 3", record));
    rows[5] = json!({"id": "acme", "text": acme("January 25"), "date": 1});
    rows[6] = json!({"id": "copy", "text": acme("January 24"), "date": 2});
    let place = Place::with("news.jsonl", rows.iter().map(|row| format!("{row}\n")).collect::<String>());
    let form = |flags: &[&str]| {
        place.dedup(&[&["news.jsonl", "--force"], flags].concat());
        let removed = place.rows("out/removed.jsonl");
        let of_acme = |row: &&Value| ["acme", "copy"].map(Value::from).contains(&row["id"]);
        let row = removed.iter().find(of_acme).unwrap();
        (row["id"].as_str().unwrap().to_string(), row["form"].as_str().unwrap().to_string())
    };
    let told = |here: &str, there: &str| {
        format!(
            "5 other documents share this form. They differ in 4 places. In 3 of them this text and its keeper agree: \"acme tools\", \
             \"24\", \"june 3\"; in 1 the two differ: \"january {here}\" here, \"january {there}\" there."
        )
    };
    assert_eq!(form(&[]), ("copy".to_string(), told("24", "25")));
    assert_eq!(form(&["--max-lost", "0.5", "--keep", "newest:date"]), ("acme".to_string(), told("25", "24")));
}
