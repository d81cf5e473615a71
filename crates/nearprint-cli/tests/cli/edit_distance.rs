//! `--distance edit`: pairs of fingerprints by the bits to insert, delete and replace.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Articles, FERRY, LIBRARY, Place, rows};
use serde_json::Value;

const FLAGS: [&str; 5] = ["--preset", "simhash", "--min-features", "1", "--quiet"];

/// The bits of each document's fingerprint.
fn fingerprints(place: &Place) -> Vec<(String, Vec<bool>)> {
    let run = place.run(&[&["fingerprint", "a.jsonl"], &FLAGS[..]].concat()).succeeds();
    let bits = |hex: &str| -> Vec<bool> {
        let digits = hex.chars().map(|digit| digit.to_digit(16).unwrap());
        digits.flat_map(|digit| (0..4).map(move |bit| digit >> (3 - bit) & 1 == 1)).collect()
    };
    rows(&run.stdout)
        .iter()
        .map(|row| (row["id"].to_string(), bits(row["fingerprint"].as_str().unwrap())))
        .collect()
}

/// The table of the textbook.
fn edits(left: &[bool], right: &[bool]) -> u64 {
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i][j] = match (i, j) {
                (0, other) | (other, 0) => other as u64,
                _ => {
                    let replaced = table[i - 1][j - 1] + u64::from(left[i - 1] != right[j - 1]);
                    replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                }
            };
        }
    }
    table[left.len()][right.len()]
}

#[test]
fn all_pairs_within_the_edits_are_found_and_no_others() {
    // One of equal texts represents all.
    let mut texts = BTreeSet::new();
    let articles = Articles::json_lines(5, 60, 40);
    let distinct = |line: &&str| texts.insert(rows(line)[0]["text"].to_string());
    let articles: String =
        articles.lines().filter(distinct).map(|line| format!("{line}\n")).collect();
    let place = Place::with("a.jsonl", articles);
    let flags = [
        "dedup",
        "a.jsonl",
        "--output",
        "out",
        "--pairs",
        "--distance",
        "edit",
        "--max-distance",
        "34",
    ];
    place.run(&[&flags[..], &FLAGS[..]].concat()).succeeds();
    let found: BTreeMap<[String; 2], u64> = place
        .rows("out/pairs.jsonl")
        .iter()
        .map(|row| {
            ([row["left"].to_string(), row["right"].to_string()], row["distance"].as_u64().unwrap())
        })
        .collect();
    let all = fingerprints(&place);
    let mut expected = BTreeMap::new();
    for (at, (left, own)) in all.iter().enumerate() {
        for (right, other) in &all[at + 1..] {
            let distance = edits(own, other);
            if distance <= 34 {
                expected.insert([left.clone(), right.clone()], distance);
            }
        }
    }
    assert!(expected.len() > 5 && expected.len() < 60 * 59 / 2, "{}", expected.len());
    assert_eq!(found, expected);
    let summary = place.summary("out");
    assert_eq!(
        (&summary["settings"]["distance"], &summary["max_distance"]),
        (&Value::from("edit"), &Value::from(34))
    );
    assert_eq!(summary["complete_distance"], 34);
}

#[test]
fn the_verdict_of_a_comparison_is_by_edits_too() {
    let compare = ["compare", "--text", FERRY, "--text", LIBRARY, "--json"];
    let place = Place::new();
    let shown = place.run(&[&compare[..], &FLAGS[..4]].concat()).succeeds().json();
    let (hamming, edits) =
        (shown["distance"].as_u64().unwrap(), shown["bit_edit_distance"].as_u64().unwrap());
    assert!(edits < hamming, "{edits} {hamming}");
    for (distance, most, verdict) in [
        ("edit", edits, "near"),
        ("edit", edits - 1, "different"),
        ("hamming", hamming - 1, "different"),
    ] {
        let flags = ["--distance", distance, "--max-distance", &most.to_string()];
        let shown = place.run(&[&compare[..], &FLAGS[..4], &flags].concat()).succeeds().json();
        assert_eq!(shown["verdict"], verdict, "{distance} {most}");
    }
}

#[test]
fn what_edits_cannot_do_is_refused_with_the_remedy() {
    let place = Place::with("a.jsonl", Articles::json_lines(5, 3, 40));
    let dedup = ["dedup", "a.jsonl", "--output", "out", "--distance", "edit"];
    let run = place.run(&dedup).ends_with_code(2);
    run.says(&["--distance: edit has no default limit", "set --max-distance"]);
    let run = place
        .run(&[&dedup[..], &["--max-distance", "9", "--complete-distance", "3"]].concat())
        .ends_with_code(2);
    run.says(&["--complete-distance: the search finds all pairs with --distance edit"]);
    let row = |number: u32| format!("{{\"text\":\"w{number}\"}}\n");
    place.write("a.jsonl", (0..20_001).map(row).collect::<String>());
    let flags = [
        "--features",
        "words",
        "--weights",
        "one",
        "--min-features",
        "1",
        "--max-distance",
        "9",
        "--bits",
        "64",
    ];
    let run = place.run(&[&dedup[..], &flags, &["--quiet"]].concat()).ends_with_code(2);
    run.says(&[
        "--distance: edit compares all pairs of fingerprints, at most 20000 documents, and \
        there are 20001",
    ]);
}
