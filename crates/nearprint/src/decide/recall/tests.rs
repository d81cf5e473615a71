//! The measured recall against all pairs of the sample, compared one by one.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::*;
use crate::cluster::Method;
use crate::config::{Config, MaxDistance};
use crate::corpus::Corpus;
use crate::corpus::Purpose;
use crate::decide::{ranks, representatives};
use crate::document::{Document, Id};
use crate::outcome::Decisions;
use crate::read::Source;
use crate::run::{Deduplicator, Documents};
use crate::watch::Silent;

/// A small random generator (splitmix64), so that a seed alone repeats a failure.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn word(&mut self) -> String {
        let number = self.below(3000);
        match number % 3 {
            0 => char::from_u32(0x4e00 + number as u32).unwrap().to_string(),
            1 => format!("{number}"),
            _ => (0..3)
                .map(|place| char::from(b'a' + (number / [1, 15, 225][place] % 15) as u8))
                .collect(),
        }
    }
}

/// Texts of 5 to 400 words. Half of them are copies of an earlier one, some without an edit.
fn texts(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random(seed);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for _ in 0..count {
        let mut text = match random.below(2) {
            1 if !texts.is_empty() => texts[random.below(texts.len())].clone(),
            _ => (0..[5, 30, 80, 200][random.below(4)] + random.below(200))
                .map(|_| random.word())
                .collect(),
        };
        for _ in 0..random.below(3) * random.below(1 + text.len() / 8) {
            let place = random.below(text.len());
            text[place] = random.word();
        }
        if random.below(8) == 0 {
            let place = random.below(text.len());
            text.rotate_left(place);
        }
        texts.push(text);
    }
    texts.iter().map(|text| text.join(" ")).collect()
}

fn read(deduplicator: &Deduplicator, texts: &[String]) -> Corpus {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    let mut lines = String::new();
    for text in texts {
        writeln!(lines, "{}", serde_json::json!({ "text": text })).unwrap();
    }
    std::fs::write(&path, lines).unwrap();
    let sources =
        deduplicator.find_files(&[path.display().to_string()], folder.path(), &Silent).unwrap();
    deduplicator.read(sources, Purpose::Dedup, &Silent).unwrap()
}

fn decide(config: &Config, texts: &[String]) -> (Deduplicator, Corpus, Decisions) {
    let deduplicator = Deduplicator::new(config.clone()).unwrap();
    let corpus = read(&deduplicator, texts);
    let decisions = deduplicator.decide(&corpus, true, &Silent).unwrap();
    (deduplicator, corpus, decisions)
}

/// The representative of each document.
fn folded(config: &Config, corpus: &Corpus) -> Vec<u32> {
    representatives(config, corpus, &ranks(config, corpus))
}

/// The documents that are searched, in the order of their text hashes.
fn by_hash(config: &Config, corpus: &Corpus) -> Vec<u32> {
    let folded = folded(config, corpus);
    let is_searched = |document: &u32| {
        folded[*document as usize] == *document
            && corpus.features(*document) >= config.fingerprint.min_features
    };
    let mut documents: Vec<u32> = (0..corpus.len() as u32).filter(is_searched).collect();
    documents.sort_by_key(|document| corpus.text_hash(*document));
    documents
}

/// The definition of recall: the number of pairs that are similar enough, and the number of
/// candidates among them. `candidates` are the decisions of a run that compares nothing, so its
/// pairs are all candidates.
fn plain(
    deduplicator: &Deduplicator,
    corpus: &Corpus,
    candidates: &Decisions,
    looked_at: impl Iterator<Item = (u32, u32)>,
) -> (u64, u64) {
    let config = deduplicator.config();
    let mut judge = PairJudge::new(corpus, deduplicator.recipe(), config.rules(None));
    let (mut pairs, mut found) = (0, 0);
    for (one, other) in looked_at {
        if judge.at_least(one, other, 0, config.decide.min_similarity).unwrap().is_some() {
            let ends = (one.min(other), one.max(other));
            pairs += 1;
            found += u64::from(
                candidates
                    .pairs
                    .iter()
                    .any(|pair| pair.is_ok_and(|pair| (pair.left, pair.right) == ends)),
            );
        }
    }
    (pairs, found)
}

fn counts(decisions: &Decisions) -> (u64, u64, u64) {
    let recall = decisions.recall.expect("a recall is measured");
    (recall.sampled, recall.pairs, recall.found)
}

#[test]
fn the_tables_find_what_all_comparisons_find() {
    for measure in [Measure::Coverage, Measure::Jaccard, Measure::Containment, Measure::Minhash] {
        for (seed, max_distance) in
            [(1, MaxDistance::Auto), (2, MaxDistance::Bits(12)), (3, MaxDistance::Bits(3))]
        {
            for (recall_sample, drawn) in [(1, 18), (20, 77), (1000, 150)] {
                let config = Config::default()
                    .verify(measure)
                    .max_distance(max_distance)
                    .recall_sample(recall_sample)
                    .min_similarity(0.7);
                let texts = texts(seed, 150);
                let (deduplicator, corpus, decisions) = decide(&config, &texts);
                let (.., candidates) = decide(&config.verify(Measure::None), &texts);
                let (sampled, pairs, found) = counts(&decisions);
                assert!((drawn * 3 / 4..=drawn).contains(&sampled), "{sampled} of {drawn}");
                let sample = &by_hash(deduplicator.config(), &corpus)[..sampled as usize];
                let looked_at = (1..sample.len())
                    .flat_map(|one| sample[..one].iter().map(move |other| (sample[one], *other)));
                let expected = plain(&deduplicator, &corpus, &candidates, looked_at);
                assert_eq!((pairs, found), expected, "{measure:?}, seed {seed}, {recall_sample}");
            }
        }
    }
}

/// The decisions about documents that are compared with reference documents.
fn across(config: &Config, against: &[String], texts: &[String]) -> (Corpus, Decisions) {
    let document = |(number, text): (usize, &String)| Document {
        row: 0,
        id: Id::Integer(number as i64),
        text: text.clone(),
        fields: vec![],
    };
    let source = |texts: &[String]| {
        vec![Source::documents("texts", texts.iter().enumerate().map(document).collect())]
    };
    let deduplicator = Deduplicator::new(config.clone()).unwrap();
    let run = deduplicator
        .run(
            Documents::new(source(texts)).against(Documents::new(source(against))).with_pairs(true),
            &Silent,
        )
        .unwrap();
    (run.corpus, run.decisions)
}

#[test]
fn across_sides_some_of_each_are_compared() {
    for measure in [Measure::Coverage, Measure::Jaccard] {
        let config = Config::default().verify(measure).recall_sample(24).min_similarity(0.7);
        let mut texts = texts(8, 300);
        let mut seen = HashSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        let (few, many) = texts.split_at(100);
        let (corpus, decisions) = across(&config, few, many);
        let (_, candidates) = across(&config.clone().verify(Measure::None), few, many);
        let (mut few_by_hash, many_by_hash): (Vec<u32>, Vec<u32>) =
            by_hash(&config, &corpus).into_iter().partition(|document| *document < 100);
        let pairs = 24 * many_by_hash.len();
        let columns = (pairs as f64).sqrt().ceil() as usize;
        few_by_hash.truncate(columns);
        let rows = pairs.div_ceil(columns);
        assert!(columns > 40 && rows < many_by_hash.len());
        let (sampled, pairs, found) = counts(&decisions);
        assert_eq!(sampled as usize, columns + rows);
        let looked_at = few_by_hash
            .iter()
            .flat_map(|one| many_by_hash[..rows].iter().map(move |other| (*one, *other)));
        let deduplicator = Deduplicator::new(config.clone()).unwrap();
        assert_eq!(
            (pairs, found),
            plain(&deduplicator, &corpus, &candidates, looked_at),
            "{measure:?}"
        );
        assert!(pairs > 3, "{pairs}");
        // The two sides may be exchanged.
        let other = across(&config, many, few).1;
        assert_eq!((sampled, pairs), (counts(&other).0, counts(&other).1));
    }
}

#[test]
fn nothing_is_sampled_where_a_side_has_nothing_to_search() {
    let (_, decisions) = across(&Config::default(), &["too short".to_string()], &texts(9, 50));
    assert_eq!(counts(&decisions), (0, 0, 0));
}

#[test]
fn a_sample_ends_before_the_document_whose_comparisons_cost_too_much() {
    // All texts are similar to each other.
    let own = texts(4, 1).remove(0).repeat(9);
    let words: Vec<&str> = own.split(' ').take(300).collect();
    let edition = |number: usize| {
        let mut words = words.clone();
        let new = format!("edition{number}");
        words[number % 300] = &new;
        words.join(" ")
    };
    let texts: Vec<String> = (0..250).map(edition).collect();
    // In stars, all documents would be hubs.
    let config = Config::default().cluster(Method::Components);
    let (deduplicator, corpus, decisions) = decide(&config, &texts);
    let sample = by_hash(deduplicator.config(), &corpus);
    let length = |document: u32| f64::from(corpus.lengths()[document as usize]);
    let mut left = FEW_COMPARED;
    let fits = (0..sample.len()).take_while(|place| {
        left -= sample[..*place]
            .iter()
            .map(|other| length(*other) + length(sample[*place]))
            .sum::<f64>();
        left >= 0.0
    });
    let fits = fits.count() as u64;
    assert!((10..100).contains(&fits), "{fits}");
    assert_eq!(counts(&decisions), (fits, fits * (fits - 1) / 2, fits * (fits - 1) / 2));
}

#[test]
fn a_complete_search_has_the_recall_1_and_one_of_few_tables_less() {
    let texts = texts(5, 1000);
    let recall = |max_distance, complete_distance| {
        let max_distance = MaxDistance::Bits(max_distance);
        // In stars, all documents within 255 bits would be hubs, which need no tables.
        let cluster = Method::Components;
        let config = Config::default()
            .max_distance(max_distance)
            .complete_distance(complete_distance)
            .cluster(cluster)
            .recall_sample(400);
        decide(&config, &texts).2.recall.unwrap()
    };
    let complete = recall(255, Some(255));
    assert!(
        complete.pairs > 50 && complete.recall == Some(1.0) && complete.high == Some(1.0),
        "{complete:?}"
    );
    assert!(complete.low.unwrap() < 1.0);
    let few = recall(255, Some(0));
    assert_eq!(few.pairs, complete.pairs);
    let share = few.recall.unwrap();
    assert!(
        share > 0.1 && share < 0.9 && few.low.unwrap() < share && share < few.high.unwrap(),
        "{few:?}"
    );
}

#[test]
fn the_sample_depends_on_texts_alone() {
    let mut texts = texts(6, 200);
    let config = |threads| {
        Config::default().recall_sample(50).threads(threads).max_distance(MaxDistance::Bits(20))
    };
    let (_, corpus, decisions) = decide(&config(1), &texts);
    let sampled = |corpus: &Corpus, decisions: &Decisions| {
        let sample = &by_hash(&config(1), corpus)[..counts(decisions).0 as usize];
        sample.iter().map(|document| corpus.text_hash(*document)).collect::<Vec<u128>>()
    };
    let expected = sampled(&corpus, &decisions);
    assert!(expected.len() > 100);
    for threads in [1, 2, 5] {
        texts.rotate_left(67);
        let (_, corpus, other) = decide(&config(threads), &texts);
        assert_eq!((sampled(&corpus, &other), other.recall), (expected.clone(), decisions.recall));
    }
}

#[test]
fn nothing_is_measured_where_nothing_can_be() {
    let texts = texts(7, 30);
    let recall = |config| decide(&config, &texts).2.recall;
    assert_eq!(recall(Config::default().recall_sample(0)), None);
    assert_eq!(recall(Config::default().max_distance(MaxDistance::Off)), None);
    assert_eq!(recall(Config::default().verify(Measure::None)), None);
    assert_eq!(recall(Config::default().verify(Measure::Cosine)), None);
    let short = decide(&Config::default(), &["too short".to_string()]).2.recall;
    assert_eq!(
        short,
        Some(Recall {
            sampled: 0,
            pairs: 0,
            found: 0,
            kept_apart: 0,
            recall: None,
            low: None,
            high: None
        })
    );
}
