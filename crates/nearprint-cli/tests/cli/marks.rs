//! `evaluate` with pairs marked as right or wrong.

use serde_json::{Value, json};

use crate::common::{Articles, FERRY, LIBRARY, Place, row};

#[test]
fn all_pairs_of_a_small_run_propose_a_bound_and_a_warning() {
    let (near, half) =
        (FERRY.replace("cardamom", "cinnamon"), format!("{} {LIBRARY}", &FERRY[..120]));
    let place = Place::with(
        "news.jsonl",
        [row("a", FERRY), row("b", LIBRARY), row("c", &near), row("d", &half)].concat(),
    );
    place.dedup(&["news.jsonl", "--just-missed", "0.2"]);
    let keys = |row: &Value, [left, right]: [&str; 2], right_mark: bool| {
        let verdict = if right_mark { "right" } else { "wrong" };
        let mark = json!({"left": row[left], "right": row[right], "similarity": row["similarity"], "verdict": verdict});
        format!("{mark}\n")
    };
    let removed: Vec<Value> = place
        .rows("out/removed.jsonl")
        .into_iter()
        .filter(|row| row["reason"] != "exact")
        .collect();
    let missed = place.rows("out/just_missed.jsonl");
    let all = removed.len() + missed.len();
    assert!(
        !removed.is_empty() && !missed.is_empty() && all < 50,
        "{} {}",
        removed.len(),
        missed.len()
    );
    let mut marks: Vec<String> =
        removed.iter().map(|row| keys(row, ["id", "keeper"], true)).collect();
    marks.extend(missed.iter().map(|row| keys(row, ["right", "left"], false)));
    place.write("marks.jsonl", marks.concat());
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(shown.starts_with("Proposed: --min-similarity 0."), "{shown}");
    assert!(
        shown.contains(&format!(
            "Warning: the proposal rests on only {all} pairs, all that this run has"
        )),
        "{shown}"
    );
    // One unmarked pair prevents the proposal.
    place.write("marks.jsonl", marks[1..].concat());
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(
        shown.starts_with(&format!(
            "No bound is proposed yet: it needs marks on all {all} pairs of the run, right and \
             wrong ones; 1 is missing"
        )),
        "{shown}"
    );
    place.write("marks.jsonl", marks.concat().replace("wrong", "right"));
    let shown = place.run(&["evaluate", "out", "marks.jsonl"]).succeeds().stdout;
    assert!(
        shown.starts_with(&format!(
            "No bound is proposed: it needs right and wrong pairs, and all {all} pairs of the run \
             are marked right."
        )),
        "{shown}"
    );
}

#[test]
fn a_mark_whose_similarity_is_none_is_refused() {
    let place = Place::with("news.jsonl", Articles::json_lines(3, 40, 60));
    place.dedup(&["news.jsonl"]);
    place.write(
        "marks.jsonl",
        "{\"left\":1,\"right\":2,\"similarity\":70.5,\"verdict\":\"right\"}\n",
    );
    place
        .run(&["evaluate", "out", "marks.jsonl"])
        .ends_with_code(1)
        .says(&["marks.jsonl, row 1", "\"similarity\" is 70.5, not a number from 0 to 1"]);
}

#[test]
fn misses_without_a_similarity_in_the_run_have_that_of_their_mark() {
    let place = Place::with("news.jsonl", Articles::json_lines(3, 40, 60));
    place.dedup(&["news.jsonl"]);
    let [one, other] = [0, 1].map(|row| place.rows("out/removed.jsonl")[row]["id"].clone());
    place.write(
        "marks.jsonl",
        format!(
            "{}\n",
            json!({"left": one, "right": other, "similarity": 0.625, "verdict": "right"})
        ),
    );
    let report = place.run(&["evaluate", "out", "marks.jsonl", "--json"]).succeeds().json();
    let misses = &report["misses"]["pairs"];
    assert_eq!(
        (&misses[0]["similarity"], &misses[0]["distance"]),
        (&json!(0.625), &Value::Null),
        "{report}"
    );
}
