//! Runs across two sides, compared with an ordinary run over both.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use nearprint_core::compare::Measure;
use proptest::prelude::*;

use super::*;
use crate::config::{Cluster, MaxDistance};
use crate::corpus::{Corpus, Purpose};
use crate::decide::{self, ranks, representatives};
use crate::keep::Policy;
use crate::memory::MemoryBound;
use crate::outcome::{Decisions, Reason};
use crate::run::Deduplicator;
use crate::search::{self, Input};
use crate::watch::Silent;

/// Writes texts with ids from `first` on.
fn file(folder: &Path, name: &str, first: usize, texts: &[String]) -> String {
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        writeln!(lines, "{}", serde_json::json!({"id": first + number, "text": text})).unwrap();
    }
    let path = folder.join(name);
    // A file must not be empty.
    fs::write(&path, lines).unwrap();
    path.display().to_string()
}

/// Reads documents and those that they are compared with.
fn read_against(
    deduplicator: &Deduplicator,
    against: &[String],
    sources: Vec<Source>,
    folder: &Path,
) -> Corpus {
    let found = Found { sources, ..Found::default() };
    let against =
        find_against(&deduplicator.config, &deduplicator.options, against, &found, folder, &Silent)
            .unwrap();
    deduplicator.reading(against, found.sources, None).read(Purpose::Dedup, &Silent).unwrap()
}

/// The document that stands for each.
fn folded(deduplicator: &Deduplicator, corpus: &Corpus) -> Vec<u32> {
    representatives(deduplicator.config(), corpus, &ranks(deduplicator.config(), corpus))
}

/// A corpus of all texts, and one of texts and those that they are compared with.
fn corpora(deduplicators: &[Deduplicator; 2], against: &[String], texts: &[String]) -> [Corpus; 2] {
    let folder = tempfile::tempdir().unwrap();
    let find =
        |inputs: &[String]| deduplicators[0].find_files(inputs, folder.path(), &Silent).unwrap();
    let all = find(&[file(folder.path(), "all.jsonl", 0, &[against, texts].concat())]);
    let ordinary = deduplicators[0].read(all, Purpose::Dedup, &Silent).unwrap();
    let sources = find(&[file(folder.path(), "texts.jsonl", 0, texts)]);
    let against = [file(folder.path(), "against.jsonl", 0, against)];
    let across = read_against(&deduplicators[1], &against, sources, folder.path());
    [ordinary, across]
}

/// The decisions on both.
fn both_ways(
    deduplicators: &[Deduplicator; 2],
    against: &[String],
    texts: &[String],
) -> [(Corpus, Decisions); 2] {
    let [ordinary, across] = corpora(deduplicators, against, texts);
    let decide = |deduplicator: &Deduplicator, corpus: Corpus| {
        let decisions = deduplicator.decide(&corpus, true, &Silent).unwrap();
        (corpus, decisions)
    };
    [decide(&deduplicators[0], ordinary), decide(&deduplicators[1], across)]
}

fn deduplicators(config: Config, keep: Policy) -> [Deduplicator; 2] {
    [config.clone(), config.keep(keep)].map(|config| Deduplicator::new(config).unwrap())
}

/// A text of a family, with a word of its own for each bit of `edits`; short ones and empty ones
/// among them.
fn text(family: usize, edits: usize) -> String {
    let words = [0, 4, 30, 60, 60][family % 5];
    let syllables = ["ka", "mo", "ri", "te", "su", "lan", "dor", "vik", "pel", "gu", "hem"];
    let word =
        |n: usize| -> String { [n, n / 11, n / 121].iter().map(|n| syllables[n % 11]).collect() };
    let words = (0..words).map(|place| match edits >> (place % 16) & 1 {
        1 if place % 3 == 0 => word(place * 31 + edits + 500),
        _ => word(place * place * 3 + family * 71),
    });
    words.collect::<Vec<_>>().join(if edits.is_multiple_of(2) { " " } else { "  " })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let edits =
        prop_oneof![Just(0usize), Just(1), (0u32..16).prop_map(|bit| 1 << bit), 0usize..1 << 16];
    proptest::collection::vec(
        (0usize..7, edits).prop_map(|(family, edits)| text(family, edits)),
        1..25,
    )
}

static DEDUPLICATORS: LazyLock<Vec<[Deduplicator; 2]>> = LazyLock::new(|| {
    // Under the default measure a pair may depend on other documents, which are not the same ones
    // across two sides.
    let verify = Measure::Jaccard;
    // What stands inside of a document is no pair.
    let min_leak_length = None;
    let config = || {
        Config::default()
            .verify(verify)
            .min_similarity(0.6)
            .recall_sample(0)
            .min_leak_length(min_leak_length)
            .threads(1)
    };
    vec![
        deduplicators(config(), Policy::First),
        deduplicators(config(), Policy::Longest),
        deduplicators(
            config().min_similarity(0.4).max_distance(MaxDistance::Bits(40)),
            Policy::Longest,
        ),
        deduplicators(config().max_distance(MaxDistance::Off), Policy::First),
    ]
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn what_has_a_pair_across_goes_and_nothing_else(against in texts(), others in texts(), which in 0usize..4) {
        let [(all, ordinary), (corpus, across)] = both_ways(&DEDUPLICATORS[which], &against, &others);
        prop_assert_eq!((corpus.origins.against(), corpus.len()), (against.len(), against.len() + others.len()));
        let first = against.len() as u32;
        let ordinary_pairs: BTreeSet<(u32, u32)> =
            ordinary.pairs.iter().map(|pair| pair.map(|pair| (pair.left, pair.right)).unwrap()).collect();
        let ranks = ranks(DEDUPLICATORS[which][1].config(), &corpus);
        let folded = folded(&DEDUPLICATORS[which][0], &all);
        let mut expected = Vec::new();
        for document in first..corpus.len() as u32 {
            let own = folded[document as usize];
            let equal = |other: &u32| folded[*other as usize] == own;
            let near = |other: &u32| {
                let other = folded[*other as usize];
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
            let [left, right] = [pair.left, pair.right].map(|end| folded[end as usize]);
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
    let deduplicator = Deduplicator::new(Config::default().keep(Policy::Longest)).unwrap();
    let of_lengths =
        |lengths: &[usize]| lengths.iter().map(|length| "x".repeat(*length)).collect::<Vec<_>>();
    let find = |name: &str, lengths: &[usize]| [file(folder.path(), name, 0, &of_lengths(lengths))];
    let sources =
        deduplicator.find_files(&find("a.jsonl", &[7, 9, 8]), folder.path(), &Silent).unwrap();
    let against = find("b.jsonl", &[2, 4, 3]);
    let corpus = read_against(&deduplicator, &against, sources.clone(), folder.path());
    let ranks = |corpus: &Corpus| ranks(deduplicator.config(), corpus);
    assert_eq!(ranks(&corpus), [2, 0, 1, 5, 3, 4]);
    let origins = &corpus.origins;
    assert_eq!(origins.first_side(&[0, 2, 3, 5]), Some(2));
    let ordinary = deduplicator.read(sources, Purpose::Dedup, &Silent).unwrap();
    assert_eq!((ranks(&ordinary), ordinary.origins.against()), (vec![2, 0, 1], 0));
    assert!(ordinary.origins.may_pair(0, 1) && !origins.may_pair(0, 1));
    assert!(origins.may_pair(0, 3) && !origins.may_pair(3, 4));
}

/// Words of few syllables, whose fingerprints are near one another whatever they say.
#[test]
fn the_distance_is_lowered_by_what_pairs_across_there_are() {
    let syllables = ["ka", "mo", "ri", "te", "su", "lan", "dor", "vik"];
    let text = |seed: u64| -> String {
        let mut random = nearprint_core::random::Random::new(seed);
        (0..150).map(|_| syllables[random.below(8) as usize]).collect()
    };
    let texts: Vec<String> = (0..3_200).map(text).collect();
    let components = Config::default().cluster(Cluster::Components).recall_sample(0);
    let deduplicators = deduplicators(components, Policy::First);
    let search = |first: usize| {
        let corpora = corpora(&deduplicators, &texts[..first], &texts[first..]);
        corpora.map(|corpus| {
            let Deduplicator { config, recipe, .. } = &deduplicators[0];
            let input = Input { config, recipe, corpus: &corpus, memory: MemoryBound::default() };
            let order = decide::order(config, &corpus);
            search::search(&input, &order.ranks, &order.representatives, false, &Silent).unwrap().1
        })
    };
    let [ordinary, across] = search(1_600);
    // More than two million pairs, nearly all of them candidates, are more than can be borne.
    assert!(
        ordinary.lowered_from == Some(80) && across.lowered_from == Some(80),
        "{ordinary:?} {across:?}"
    );
    assert!(across.candidates > 0 && across.candidates <= 2_100_000, "{across:?}");
    let [_, across] = search(100);
    assert!(across.lowered_from.is_none() && across.candidates > 200_000, "{across:?}");
}
