//! The verdicts of `nearprint::compare` with default settings on the pairs of
//! `examples/judged_pairs.jsonl`, which were judged by reading.

use std::collections::BTreeSet;
use std::path::Path;

use nearprint::{Config, Deduplicator, Documents, Silent, compare};
use nearprint_core::duplicates::duplicates;
use nearprint_core::judge::Rules;

/// One in this many pairs may have another verdict by the program than by reading.
const DIFFERING: usize = 6;

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgedPair {
    id: String,
    /// `en` or `zh`.
    language: String,
    /// The kind of text.
    genre: String,
    /// The difference of the two texts.
    change: String,
    left: String,
    right: String,
    /// The verdict by reading.
    duplicate: bool,
    /// The reason of the verdict, in a sentence.
    why: String,
    /// `differs` if the program's verdict is the opposite.
    program: Option<Differs>,
}

#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Differs {
    Differs,
}

fn judged_pairs() -> Vec<JudgedPair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/judged_pairs.jsonl");
    let rows = std::fs::read_to_string(path).unwrap();
    rows.lines().map(|row| serde_json::from_str(row).expect(row)).collect()
}

#[test]
fn the_program_judges_as_a_reader_except_for_the_named_pairs() {
    let config = Config::default();
    let mut changed = Vec::new();
    for pair in judged_pairs() {
        let compared = compare(&config, &pair.left, &pair.right, 0).unwrap();
        let is_duplicate = compared.verdict != "different";
        if (is_duplicate == pair.duplicate) != pair.program.is_none() {
            changed.push(format!(
                "{}: {}, similarity {:.3}, by reading duplicate: {}, program: {:?}",
                pair.id, compared.verdict, compared.similarity, pair.duplicate, pair.program
            ));
        }
    }
    assert!(changed.is_empty(), "other verdicts than noted:\n{}", changed.join("\n"));
}

#[test]
fn the_pairs_are_mixed_and_few_differ() {
    let pairs = judged_pairs();
    let number = |holds: fn(&JudgedPair) -> bool| pairs.iter().filter(|pair| holds(pair)).count();
    assert!(pairs.len() >= 60);
    assert!(number(|pair| pair.program.is_some()) * DIFFERING <= pairs.len());
    for language in ["en", "zh"] {
        for duplicate in [false, true] {
            let is_one =
                |pair: &&JudgedPair| pair.language == language && pair.duplicate == duplicate;
            assert!(pairs.iter().filter(is_one).count() >= 12, "{language}, {duplicate}");
        }
    }
    assert_eq!(number(|pair| pair.language != "en" && pair.language != "zh"), 0);
    let ids: BTreeSet<&str> = pairs.iter().map(|pair| pair.id.as_str()).collect();
    assert_eq!(ids.len(), pairs.len());
    for pair in &pairs {
        assert!(pair.left != pair.right, "{}", pair.id);
        assert!([&pair.genre, &pair.change, &pair.why].iter().all(|text| !text.is_empty()));
    }
}

#[test]
fn the_core_alone_finds_the_pairs_of_a_run() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/articles.jsonl");
    let rows = std::fs::read_to_string(path).unwrap();
    let mut texts: Vec<String> = rows
        .lines()
        .map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap())
        .map(|row| row["text"].as_str().unwrap().to_string())
        .collect();
    // Equal and short texts as well.
    texts.extend(["春眠不觉晓，处处闻啼鸟", "春眠不覺曉，處處聞啼鳥", ""].map(str::to_string));
    texts.extend(["Thank you for the letter!", "Thank you for a letter!"].map(str::to_string));

    let config = Config::default().recall_sample(0);
    let (recipe, rules) = (config.recipe().unwrap(), Rules::default());
    let alone = duplicates(&recipe, rules, &texts);
    let documents = Documents::texts(texts).with_pairs(true);
    let run = Deduplicator::new(config).unwrap().run(documents, &Silent).unwrap();
    let mut pairs: Vec<_> = run
        .decisions
        .all_pairs()
        .map(|pair| pair.unwrap())
        .map(|pair| (pair.left, pair.right, pair.similarity, pair.reason))
        .collect();
    pairs.sort_unstable_by_key(|pair| (pair.0, pair.1));
    let alone: Vec<_> = alone
        .iter()
        .map(|pair| (pair.left, pair.right, pair.verdict.similarity, pair.verdict.reason))
        .collect();
    assert!(alone.len() > 20);
    assert_eq!(alone, pairs);
}
