//! What goes across two sides, against what an ordinary run over both finds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::config::{Config, MaxDistance};
use crate::keep::Policy;
use crate::pipeline::{Decisions, Reason};
use crate::watch::Silent;

/// Writes texts with ids from `first` on.
fn file(folder: &Path, name: &str, first: usize, texts: &[String]) -> String {
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        writeln!(lines, "{}", serde_json::json!({"id": first + number, "text": text})).unwrap();
    }
    let path = folder.join(name);
    // A file must not be empty.
    fs::write(&path, lines + "\n").unwrap();
    path.display().to_string()
}

/// A corpus of all texts, and one of texts and those that they are compared with.
fn corpora(pipelines: &[Pipeline; 2], against: &[String], texts: &[String]) -> [Corpus; 2] {
    let folder = tempfile::tempdir().unwrap();
    let find = |inputs: &[String]| pipelines[0].find(inputs, folder.path(), &Silent).unwrap();
    let all = find(&[file(folder.path(), "all.jsonl", 0, &[against, texts].concat())]);
    let ordinary = pipelines[0].read(all, Purpose::Dedup, &Silent).unwrap();
    let sources = find(&[file(folder.path(), "texts.jsonl", 0, texts)]);
    let against = [file(folder.path(), "against.jsonl", 0, against)];
    let against = pipelines[1].find_against(&against, &sources, folder.path(), &Silent).unwrap();
    let across = pipelines[1].read_against(against, sources, &Silent).unwrap();
    [ordinary, across]
}

/// What is decided of both.
fn both_ways(pipelines: &[Pipeline; 2], against: &[String], texts: &[String]) -> [(Corpus, Decisions); 2] {
    let [ordinary, across] = corpora(pipelines, against, texts);
    let decide = |pipeline: &Pipeline, corpus: Corpus| {
        let decisions = pipeline.decide(&corpus, true, &Silent).unwrap();
        (corpus, decisions)
    };
    [decide(&pipelines[0], ordinary), decide(&pipelines[1], across)]
}

fn pipelines(config: Config, keep: Policy) -> [Pipeline; 2] {
    [config.clone(), Config { keep, ..config }].map(|config| Pipeline::new(config).unwrap())
}

/// A text of a family, with a word of its own for each bit of `edits`; short ones and empty ones among them.
fn text(family: usize, edits: usize) -> String {
    let words = [0, 4, 30, 60, 60][family % 5];
    let syllables = ["ka", "mo", "ri", "te", "su", "lan", "dor", "vik", "pel", "gu", "hem"];
    let word = |n: usize| -> String { [n, n / 11, n / 121].iter().map(|n| syllables[n % 11]).collect() };
    let words = (0..words).map(|place| match edits >> (place % 16) & 1 {
        1 if place % 3 == 0 => word(place * 31 + edits + 500),
        _ => word(place * place * 3 + family * 71),
    });
    words.collect::<Vec<_>>().join(if edits.is_multiple_of(2) { " " } else { "  " })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let edits = prop_oneof![Just(0usize), Just(1), (0u32..16).prop_map(|bit| 1 << bit), 0usize..1 << 16];
    proptest::collection::vec((0usize..7, edits).prop_map(|(family, edits)| text(family, edits)), 0..25)
}

static PIPELINES: LazyLock<Vec<[Pipeline; 2]>> = LazyLock::new(|| {
    let config = || Config { recall_sample: 0, threads: 1, ..Config::default() };
    vec![
        pipelines(config(), Policy::First),
        pipelines(config(), Policy::Longest),
        pipelines(Config { min_similarity: 0.5, max_distance: MaxDistance::Bits(40), ..config() }, Policy::Longest),
        pipelines(Config { max_distance: MaxDistance::Off, ..config() }, Policy::First),
    ]
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_has_a_pair_across_goes_and_nothing_else(against in texts(), others in texts(), which in 0usize..4) {
        let [(_, ordinary), (corpus, across)] = both_ways(&PIPELINES[which], &against, &others);
        prop_assert_eq!((corpus.against(), corpus.len()), (against.len(), against.len() + others.len()));
        let first = against.len() as u32;
        let ordinary_pairs: BTreeSet<(u32, u32)> =
            ordinary.pairs.iter().map(|pair| pair.map(|pair| (pair.left, pair.right)).unwrap()).collect();
        let ranks = PIPELINES[which][1].ranks(&corpus);
        let mut expected = Vec::new();
        for document in first..corpus.len() as u32 {
            let own = ordinary.representatives[document as usize];
            let equal = |other: &u32| ordinary.representatives[*other as usize] == own;
            let near = |other: &u32| {
                let other = ordinary.representatives[*other as usize];
                ordinary_pairs.contains(&(other.min(own), other.max(own)))
            };
            let best = |of: &dyn Fn(&u32) -> bool| (0..first).filter(of).min_by_key(|other| ranks[*other as usize]);
            expected.extend(match (best(&equal), best(&near)) {
                (Some(keeper), _) => Some((document, keeper, true)),
                (None, near) => near.map(|keeper| (document, keeper, false)),
            });
        }
        let removed: Vec<(u32, u32, bool)> =
            across.removals.iter().map(|r| (r.document, r.keeper, r.reason == Reason::Exact)).collect();
        prop_assert_eq!(&removed, &expected);
        for pair in across.pairs.iter() {
            let pair = pair.unwrap();
            prop_assert!(pair.left < first && pair.right >= first);
            let [left, right] = [pair.left, pair.right].map(|end| ordinary.representatives[end as usize]);
            prop_assert!(ordinary_pairs.contains(&(left.min(right), left.max(right))));
        }
        for (keeper, members) in &across.clusters {
            prop_assert!(members[0] == *keeper && *keeper < first);
            prop_assert!(members.len() > 1 && members[1..].iter().all(|member| *member >= first));
        }
        let counts = &across.counts;
        prop_assert_eq!(counts.against, Some(against.len() as u64));
        prop_assert_eq!((counts.read, counts.removed), (others.len() as u64, removed.len() as u64));
        prop_assert_eq!(counts.confirmed_pairs as usize, across.pairs.len() + counts.exact as usize);
    }
}

#[test]
fn documents_compared_with_rank_first() {
    let folder = tempfile::tempdir().unwrap();
    let pipeline = Pipeline::new(Config { keep: Policy::Longest, ..Config::default() }).unwrap();
    let of_lengths = |lengths: &[usize]| lengths.iter().map(|length| "x".repeat(*length)).collect::<Vec<_>>();
    let find = |name: &str, lengths: &[usize]| [file(folder.path(), name, 0, &of_lengths(lengths))];
    let sources = pipeline.find(&find("a.jsonl", &[7, 9, 8]), folder.path(), &Silent).unwrap();
    let against = find("b.jsonl", &[2, 4, 3]);
    let against = pipeline.find_against(&against, &sources, folder.path(), &Silent).unwrap();
    let corpus = pipeline.read_against(against, sources.clone(), &Silent).unwrap();
    assert_eq!(pipeline.ranks(&corpus), [2, 0, 1, 5, 3, 4]);
    assert_eq!(corpus.first_side(&[0, 2, 3, 5]), Some(2));
    let error = pipeline.read_against(vec![], sources.clone(), &Silent).unwrap_err().to_string();
    assert!(error.starts_with("against: "), "{error}");
    let ordinary = pipeline.read(sources, Purpose::Dedup, &Silent).unwrap();
    assert_eq!((pipeline.ranks(&ordinary), ordinary.against()), (vec![2, 0, 1], 0));
    assert!(ordinary.may_pair(0, 1) && !corpus.may_pair(0, 1) && corpus.may_pair(0, 3) && !corpus.may_pair(3, 4));
}

#[test]
fn as_many_documents_have_as_many_pairs() {
    assert_eq!(with_as_many_pairs(1000, None), 1000);
    for (documents, first) in [(1000, 500), (1000, 1), (100_000, 10), (2, 1), (u32::MAX as usize, 1 << 31)] {
        let pairs = first as f64 * (documents - first) as f64;
        let as_many = with_as_many_pairs(documents, Some(first)) as f64;
        assert!((as_many * (as_many - 1.0) / 2.0 / pairs - 1.0).abs() <= 1.0 / as_many, "{documents} {first}");
    }
    assert_eq!(with_as_many_pairs(1000, Some(0)), 0);
    assert_eq!(with_as_many_pairs(1000, Some(1000)), 0);
}

/// Words of few syllables, whose fingerprints are near one another whatever they say.
#[test]
fn the_distance_is_lowered_by_what_pairs_across_there_are() {
    let syllables = ["ka", "mo", "ri", "te", "su", "lan", "dor", "vik"];
    let text = |seed: u64| -> String {
        let mut random = crate::random::Random::new(seed);
        (0..150).map(|_| syllables[random.below(8) as usize]).collect()
    };
    let texts: Vec<String> = (0..3_200).map(text).collect();
    let pipelines = pipelines(Config { recall_sample: 0, ..Config::default() }, Policy::First);
    let search = |first: usize| {
        let corpora = corpora(&pipelines, &texts[..first], &texts[first..]);
        corpora.map(|corpus| {
            let ranks = pipelines[0].ranks(&corpus);
            let representatives: Vec<u32> = (0..corpus.len() as u32).collect();
            pipelines[0].search(&corpus, &ranks, &representatives, &Silent).unwrap().1
        })
    };
    let [ordinary, across] = search(1_600);
    // More than two million pairs, nearly all of them candidates, are more than can be borne.
    assert!(ordinary.lowered_from == Some(80) && across.lowered_from == Some(80), "{ordinary:?} {across:?}");
    assert!(across.candidates > 0 && across.candidates <= 2_100_000, "{across:?}");
    let [_, across] = search(100);
    assert!(across.lowered_from.is_none() && across.candidates > 200_000, "{across:?}");
}
