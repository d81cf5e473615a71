//! The preset `jaccard` against a comparison of all pairs by their words, in real texts.
//!
//! The texts are those of a folder of corpora, `NEARPRINT_CORPORA`, or of the folder beside the
//! checkout. Without them the test is skipped.

mod corpora;

use std::collections::{HashMap, HashSet};
use std::io::Write;

use nearprint::config::{Config, MaxDistance};
use nearprint::{Deduplicator, Documents, Silent};

use corpora::texts;

/// The set of runs of so many words of a text; of a shorter text, the whole of it.
fn ngrams(tokens: &[String], shingle: usize) -> HashSet<&[String]> {
    if tokens.is_empty() {
        HashSet::new()
    } else {
        tokens.windows(shingle.min(tokens.len())).collect()
    }
}

/// The pairs of texts of a similarity, by counting the runs that they share.
fn all_pairs(
    tokens: &[Vec<String>],
    shingle: usize,
    similar: impl Fn(usize, usize, usize) -> bool,
) -> Vec<(u32, u32)> {
    let sets: Vec<HashSet<&[String]>> = tokens.iter().map(|own| ngrams(own, shingle)).collect();
    let mut with: HashMap<&[String], Vec<u32>> = HashMap::new();
    for (set, number) in sets.iter().zip(0..) {
        set.iter().for_each(|ngram| with.entry(ngram).or_default().push(number));
    }
    let mut pairs = Vec::new();
    for (set, number) in sets.iter().zip(0..) {
        let mut shared: HashMap<u32, usize> = HashMap::new();
        for other in set.iter().flat_map(|ngram| &with[ngram]).filter(|other| **other < number) {
            *shared.entry(*other).or_default() += 1;
        }
        let is_near = |(other, shared): &(u32, usize)| {
            similar(*shared, set.len(), sets[*other as usize].len())
        };
        pairs.extend(shared.into_iter().filter(is_near).map(|(other, _)| (other, number)));
    }
    pairs.sort_unstable();
    pairs
}

#[test]
fn all_pairs_of_a_jaccard_similarity_are_found_and_no_others() {
    let corpora = [("en_reuters21578", 1_000), ("zh_reviews", 1_500), ("zh_news", 100)];
    for (corpus, most) in corpora {
        let Some(texts) = texts(corpus, most) else {
            let line = "SKIPPED: ../shared is absent: no corpora for the preset jaccard\n";
            return std::io::stderr().write_all(line.as_bytes()).unwrap();
        };
        // Equal texts have one document that stands for all.
        let exact = Deduplicator::new(Config::preset("exact").unwrap()).unwrap();
        let run = exact.run(Documents::texts(texts.clone()), &Silent).unwrap();
        let is_kept = |number: &u32| run.decisions.removal(*number).is_none();
        let texts: Vec<String> = (0..texts.len() as u32)
            .filter(is_kept)
            .map(|number| texts[number as usize].clone())
            .collect();
        for (shingle, least, segmenter) in
            [(3, 0.7, "auto"), (1, 0.5, "words"), (5, 0.8, "characters")]
        {
            let settings = format!(
                "preset = 'jaccard'\njust-missed = 'off'\nshingle = {shingle}\n\
                 min-similarity = {least}\nsegmenter = '{segmenter}'"
            );
            let config = Config::from_toml(&settings).unwrap();
            assert_eq!(config.search.max_distance, MaxDistance::Any);
            let finder = Deduplicator::new(config).unwrap();
            let tokens: Vec<Vec<String>> =
                texts.iter().map(|text| finder.recipe().tokens(text)).collect();
            let documents = Documents::texts(texts.clone()).with_pairs(true);
            let run = finder.run(documents, &Silent).unwrap();
            let mut found: Vec<(u32, u32)> = run
                .decisions
                .all_pairs()
                .map(Result::unwrap)
                .map(|pair| (pair.left, pair.right))
                .collect();
            found.sort_unstable();
            let expected = all_pairs(&tokens, shingle, |shared, one, other| {
                shared as f64 / (one + other - shared) as f64 >= least
            });
            assert_eq!(found, expected, "{corpus}, {shingle} words, {least}");
            assert!(!expected.is_empty() || shingle == 5, "{corpus}");
        }
    }
}
