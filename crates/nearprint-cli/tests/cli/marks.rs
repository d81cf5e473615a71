//! `evaluate` with pairs that a person marked as right or wrong.

use serde_json::{Value, json};

use crate::common::{Articles, Place};

#[test]
fn misses_without_a_similarity_in_the_run_have_that_of_their_mark() {
    let place = Place::with("news.jsonl", Articles::json_lines(3, 40, 60));
    place.dedup(&["news.jsonl"]);
    let [one, other] = [0, 1].map(|row| place.rows("out/removed.jsonl")[row]["id"].clone());
    place.write(
        "marks.jsonl",
        format!("{}\n", json!({"left": one, "right": other, "similarity": 0.625, "verdict": "right"})),
    );
    let report = place.run(&["evaluate", "out", "marks.jsonl", "--json"]).succeeds().json();
    let misses = &report["misses"]["pairs"];
    assert_eq!((&misses[0]["similarity"], &misses[0]["distance"]), (&json!(0.625), &Value::Null), "{report}");
}
