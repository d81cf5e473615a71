//! The numbers of one run for other least similarities, against fresh runs at each of them.

use std::collections::BTreeSet;

use nearprint_core::compare::Measure;
use nearprint_core::random::Random;

use super::*;
use crate::cluster::Method;
use crate::config::{Config, JustMissed};
use crate::document::{Document, FieldValue, Id};
use crate::outcome::{DuplicatePair, Reason};
use crate::read::Source;
use crate::run::{Deduplicator, Documents, Run};
use crate::watch::Silent;

/// Texts with a few words replaced, notices of one template, short messages, and copies.
fn texts(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut below = |bound: usize| (random.next() % bound as u64) as usize;
    let word = |n: usize| {
        [n, n / 7, n / 49].map(|n| ["ka", "mo", "rit", "te", "su", "lan", "dor"][n % 7]).concat()
    };
    let mut texts = Vec::new();
    for _ in 0..100 {
        let text = match below(4) {
            0 => {
                let (family, changes) = (below(5), below(14));
                let mut words: Vec<String> =
                    (0..60).map(|place| word(place * place * 3 + family * 71)).collect();
                for _ in 0..changes {
                    words[below(60)] = word(below(5000) + 400);
                }
                words.join(" ")
            }
            1 => {
                let names =
                    ["Ann Baker", "Bob Carpenter", "Carla Dyer", "Dmitri Eastman", "Eve Fisher"];
                let goods =
                    ["a brass lamp", "two oak chairs", "one garden hose", "three wool blankets"];
                format!(
                    "Dear {}, thank you for your order number {}. We have sent you {} by the morning post, and it should \
                     reach you in {} days. Please keep this notice until then, and write to our office in Harbour Street \
                     if anything is missing or broken when it comes. {}",
                    names[below(5)],
                    1000 + below(9000),
                    goods[below(4)],
                    2 + below(9),
                    word(below(5000)),
                )
            }
            2 => {
                let mut letters: Vec<char> =
                    "the train to the coast is late once more".chars().collect();
                for _ in 0..below(9) {
                    let place = below(letters.len());
                    letters[place] = char::from(b'a' + below(26) as u8);
                }
                letters.extend(["", " again", " and the one after it, too"][below(3)].chars());
                letters.into_iter().collect()
            }
            _ => texts.get(below(texts.len().max(1))).cloned().unwrap_or_default(),
        };
        texts.push(text);
    }
    texts
}

fn run(config: &Config, texts: &[String], against: usize, pairs: bool) -> Run {
    let fields = config.kept_fields();
    let document = |(number, text): (usize, &String)| Document {
        row: 0,
        id: Id::Integer(number as i64),
        text: text.clone(),
        fields: fields.iter().map(|_| Some(FieldValue::Integer((number % 3) as i128))).collect(),
    };
    let source = |texts: &[String]| {
        Source::documents("texts", texts.iter().enumerate().map(document).collect())
    };
    let (one, other) = texts.split_at(against);
    let against = if against > 0 { vec![source(one)] } else { vec![] };
    Deduplicator::new(config.clone())
        .unwrap()
        .run(
            Documents::new(vec![source(other)]).against(Documents::new(against)).with_pairs(pairs),
            &Silent,
        )
        .unwrap()
}

#[test]
fn one_run_knows_the_pairs_and_the_removals_of_all_least_similarities() {
    let open = || {
        Config::default()
            .min_similarity(0.8)
            .just_missed(JustMissed::Down(0.5))
            .recall_sample(0)
            .threads(1)
    };
    let field = || vec!["field".to_string()];
    let cases = [
        (open(), 0),
        (open().cluster(Method::Components), 0),
        (open().verify(Measure::Jaccard), 0),
        (open().verify(Measure::None), 0),
        (open().differ(field()), 0),
        (open().same(field()).cluster(Method::Components), 0),
        (open().max_lost(0.1), 0),
        (open().min_leak_length(None), 40),
    ];
    for (case, (config, against)) in cases.into_iter().enumerate() {
        let texts = texts(case as u64 + 5);
        let known = run(&config, &texts, against, false);
        let missed = known.decisions.just_missed.as_ref().unwrap();
        assert!(
            config.decide.verify == Measure::None || missed.len() > 20,
            "{config:?}: {}",
            missed.len()
        );
        let pair = |left: u32, right: u32| (left, right);
        let all: Vec<_> =
            known.decisions.pairs.iter().chain(missed.iter()).map(Result::unwrap).collect();
        let bounds = known.decisions.bounds.as_ref().unwrap();
        assert!(!bounds.estimated && bounds.removed.len() == 51);
        let mut counts = BTreeSet::new();
        for (bound, removed) in bounds.removed.iter().copied().step_by(10) {
            let fresh = run(
                &config.clone().min_similarity(bound).just_missed(JustMissed::Off),
                &texts,
                against,
                true,
            );
            let pairs: BTreeSet<_> = fresh
                .decisions
                .pairs
                .iter()
                .map(|p| p.map(|p| pair(p.left, p.right)).unwrap())
                .collect();
            // Without a measure every candidate by fingerprint is a pair at any bound.
            let reaches = |p: &DuplicatePair| {
                config.decide.verify == Measure::None && p.reason == Reason::Near
                    || p.similarity >= bound - 1e-9
            };
            let expected =
                all.iter().filter(|p| reaches(p)).map(|p| pair(p.left, p.right)).collect();
            assert!(
                pairs == expected,
                "{bound} {config:?}: {} {}",
                pairs.len(),
                BTreeSet::len(&expected)
            );
            assert_eq!(removed, fresh.summary.counts.removed, "{bound} {config:?}");
            assert!(fresh.decisions.just_missed.is_none());
            counts.insert(removed);
        }
        assert!(
            config.decide.verify == Measure::None || counts.len() > 1,
            "{config:?}: {counts:?}"
        );
    }
}

#[test]
fn steps_are_hundredths_and_the_bounds_themselves() {
    assert_eq!(steps(0.975, 0.985), [0.975, 0.98, 0.985, 0.99, 1.0]);
    assert_eq!(steps(0.98, 1.0), [0.98, 0.99, 1.0]);
}

#[test]
fn few_candidates_are_all_compared_and_short_documents_only_down_to_the_bound() {
    let mut counts = BTreeSet::new();
    // The notices would be hubs.
    let texts: Vec<String> =
        texts(5).into_iter().filter(|text| !text.starts_with("Dear")).collect();
    let long: Vec<String> = texts.iter().filter(|text| text.len() > 100).cloned().collect();
    for cluster in [Method::Star, Method::Components] {
        let config =
            Config::default().min_similarity(0.8).cluster(cluster).recall_sample(0).threads(1);
        let known = run(&config, &long, 0, false);
        let bounds = known.decisions.bounds.unwrap();
        assert!(
            !bounds.estimated && !bounds.without_short && bounds.removed.len() == 36,
            "{bounds:?}"
        );
        for (bound, removed) in bounds.removed.iter().copied().step_by(5) {
            let fresh = run(
                &config.clone().min_similarity(bound).just_missed(JustMissed::Off),
                &long,
                0,
                false,
            );
            assert_eq!(removed, fresh.summary.counts.removed, "{bound} {config:?}");
            counts.insert(removed);
        }
        let bounds = run(&config, &texts, 0, false).decisions.bounds.unwrap();
        assert!(!bounds.estimated && bounds.without_short);
        let all = config.clone().just_missed(JustMissed::Down(0.65));
        let all = run(&all, &texts, 0, false).decisions.bounds.unwrap();
        assert!(
            !all.without_short
                && all.removed.iter().zip(&bounds.removed).all(|(all, known)| all.1 >= known.1)
        );
        assert!(
            all.removed[0].1 > bounds.removed[0].1 && all.removed.last() == bounds.removed.last()
        );
    }
    assert!(counts.len() > 4, "{counts:?}");
}

/// The documents that clusters of these pairs alone would remove.
fn removed_by(pairs: &[DuplicatePair], bound: f64, cluster: Method, documents: usize) -> u64 {
    let ranks: Vec<u32> = (0..documents as u32).collect();
    let pairs: Vec<(u32, u32)> = pairs
        .iter()
        .filter(|pair| pair.similarity >= bound)
        .map(|pair| (pair.left, pair.right))
        .collect();
    let keepers = cluster::keepers(cluster, &ranks, &pairs);
    keepers.iter().zip(&ranks).filter(|(keeper, document)| keeper != document).count() as u64
}

#[test]
fn a_sample_tells_of_lower_bounds_and_the_removals_of_higher_ones() {
    let texts: Vec<String> = (5..9).flat_map(texts).collect();
    for cluster in [Method::Star, Method::Components] {
        let config =
            Config::default().min_similarity(0.8).cluster(cluster).recall_sample(0).threads(1);
        let known = run(&config, &texts, 0, false);
        let bounds = known.decisions.bounds.unwrap();
        let (first, last) = (bounds.removed[0], bounds.removed[bounds.removed.len() - 1]);
        assert!(bounds.estimated && first.0 == 0.65 && last.0 == 1.0);
        assert!(
            bounds.removed.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 >= two[1].1),
            "{bounds:?}"
        );
        assert!(bounds.removed.contains(&(0.8, known.summary.counts.removed)) && first.1 > last.1);
        let pairs = known.decisions.just_missed.unwrap();
        let pairs: Vec<_> = pairs.iter().map(Result::unwrap).collect();
        assert!(
            !pairs.is_empty() && pairs.iter().all(|pair| (0.65..0.8).contains(&pair.similarity))
        );
        let removed = known.summary.counts.removed;
        for (bound, estimate) in bounds.removed.iter().filter(|(bound, _)| *bound < 0.8) {
            assert!(
                *estimate >= removed + removed_by(&pairs, *bound, cluster, texts.len()),
                "{bound}: {estimate}"
            );
        }
        let all = config.clone().just_missed(JustMissed::Down(0.65));
        let all = run(&all, &texts, 0, false).decisions.just_missed.unwrap();
        let all: Vec<_> = all.iter().map(Result::unwrap).collect();
        assert!(pairs.iter().all(|pair| all.contains(pair)));
        let off = run(&config.just_missed(JustMissed::Off), &texts, 0, false).decisions;
        assert!(off.just_missed.is_none() && off.bounds.unwrap().removed[0].0 == 0.8);
    }
}
