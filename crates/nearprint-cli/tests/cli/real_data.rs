//! Real corpora, if they lie beside the repository: every file runs through, and labelled
//! duplicates are found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::common::{self, Place, repository, skipped};
use serde_json::Value;

/// The files and the field with their text.
const FILES: [(&str, &str); 13] = [
    ("en_minhash_articles", "text"),
    ("en_plagiarised_answers", "text"),
    ("en_reuters21578", "text"),
    ("en_spdx_licenses", "text"),
    ("en_webdup_gov2_pairs", "text_a"),
    ("zh_juejin", "text"),
    ("zh_laws", "text"),
    ("zh_lctt", "text"),
    ("zh_lctt_revisions", "text_a"),
    ("zh_news", "text"),
    ("zh_short_pairs", "text_a"),
    ("zh_weekly", "text"),
    ("zh_xwlb", "text"),
];

fn data() -> Option<PathBuf> {
    let folder = repository("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    skipped(&format!("../shared is absent: no {}", folder.display()));
    None
}

#[test]
fn every_file_goes_through_and_its_counts_add_up() {
    let Some(data) = data() else { return };
    for (name, field) in FILES {
        let place = Place::new();
        let input = data.join(format!("{name}.jsonl.zst")).display().to_string();
        place.dedup(&[&input, "--text-field", field, "--dry-run"]);
        let counts = &place.summary("out")["counts"];
        let count = |of: &str| counts[of].as_u64().unwrap();
        assert!(count("read") > 0, "{name}");
        assert_eq!(count("read"), count("kept") + count("removed"), "{name}");
        assert_eq!(
            count("removed"),
            count("exact") + count("near") + count("near_short") + count("contained"),
            "{name}"
        );
        for removal in place.rows("out/removed.jsonl") {
            assert!(removal["similarity"].as_f64().unwrap() >= 0.5, "{name}: {removal}");
        }
    }
}

/// `cluster` names the planted duplicates of this file; nothing else in it is similar.
#[test]
fn the_planted_duplicates_of_the_articles_are_found_and_nothing_else() {
    let Some(data) = data() else { return };
    let place = Place::new();
    let input = data.join("en_minhash_articles.jsonl.zst").display().to_string();
    place.dedup(&[&input, "--pairs"]);
    let compressed = std::fs::read(&input).unwrap();
    let rows =
        common::rows(&String::from_utf8(zstd::decode_all(&compressed[..]).unwrap()).unwrap());
    let mut labels: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row["cluster"].is_null()) {
        labels.entry(row["cluster"].to_string()).or_default().push(row["id"].clone());
    }
    let mut planted: Vec<(String, String)> = Vec::new();
    for ids in labels.values().filter(|ids| ids.len() == 2) {
        planted.push((ids[0].to_string(), ids[1].to_string()));
    }
    let mut found: Vec<(String, String)> = place
        .rows("out/pairs.jsonl")
        .iter()
        .map(|pair| (pair["left"].to_string(), pair["right"].to_string()))
        .collect();
    planted.sort();
    found.sort();
    assert_eq!(planted.len(), 14);
    assert_eq!(found, planted);
}
