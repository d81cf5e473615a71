//! A prepared text -> its features with their weights and texts; the weights of two texts -> the
//! features that differ most.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use nearprint_core::features::character_ngrams::{FULL_WEIGHT, each_ngram};
use nearprint_core::features::{Counter, Feature, Kind};
use nearprint_core::recipe::{Prepared, Recipe, keep_first};
use nearprint_core::statistics::{Entropies, FeatureCounts, Statistics, count_pairs};
use nearprint_core::weights::UNIT;

use super::Difference;

/// The features of a text, including those of letters that do not vote.
pub(super) struct TextFeatures {
    /// All features in the order of the text, with repetition.
    pub occurrences: Vec<u64>,
    /// The distinct features.
    counted: Vec<Feature>,
    /// The text of each feature, if features are listed.
    pub names: HashMap<u64, String>,
}

impl TextFeatures {
    pub fn of(recipe: &Recipe, document: &Prepared, listed: bool) -> TextFeatures {
        let (mut occurrences, mut names) = (Vec::new(), HashMap::new());
        match recipe.kind() {
            Kind::Letters => {
                let text = document.alphanumeric.get().map_or(&[][..], Vec::as_slice);
                let text = std::str::from_utf8(text).expect("letters and digits are UTF-8");
                each_ngram(text, |ngram, start, end| {
                    occurrences.push(ngram);
                    if listed {
                        names.entry(ngram).or_insert_with(|| text[start..end].to_string());
                    }
                });
            }
            Kind::Words => document.each_feature_in_words(recipe.ngram(), |feature, words| {
                occurrences.push(feature);
                if listed {
                    names.entry(feature).or_insert_with(|| words.to_string());
                }
            }),
        }
        let counted = Counter::default().count(&occurrences).to_vec();
        TextFeatures { occurrences, counted, names }
    }

    /// The features that vote, with their weights.
    pub fn weighed(&self, weights: &BTreeMap<u64, f64>) -> impl Iterator<Item = (&Feature, f64)> {
        self.counted.iter().filter_map(|feature| Some((feature, *weights.get(&feature.hash)?)))
    }
}

/// Corpus statistics of two documents in memory.
pub(super) fn count(documents: [&Vec<u64>; 2]) -> Statistics {
    let (mut counter, mut counts) = (Counter::default(), FeatureCounts::default());
    let mut pairs = Vec::new();
    for document in documents {
        counter.count(document);
        counts.add(counter.last(), counter.places(), |_, pair| pairs.push(pair), |_| {});
    }
    let mut entropies = Entropies::new(counts.hashes().len());
    count_pairs(&mut pairs, |pair, count| entropies.add(pair, count));
    counts.finish(&entropies)
}

/// The integer weights of the features of a document.
pub(super) fn weights_of(document: &Prepared) -> &[(u64, u64)] {
    document.weights.get().map_or(&[], Vec::as_slice)
}

/// The integer weight that is shown as 1.
pub(super) fn unit(recipe: &Recipe) -> f64 {
    match recipe.kind() {
        Kind::Letters => f64::from(FULL_WEIGHT),
        Kind::Words => UNIT as f64,
    }
}

/// The weight of each feature of a document, in shown units.
pub(super) fn by_feature(unit: f64, document: &Prepared) -> BTreeMap<u64, f64> {
    weights_of(document).iter().map(|(feature, weight)| (*feature, *weight as f64 / unit)).collect()
}

/// The features whose weights differ most, the most first; at most `top`.
pub(super) fn differing<'n>(
    weights: &[BTreeMap<u64, f64>; 2],
    name: impl Fn(u64) -> &'n String,
    top: usize,
) -> Vec<Difference> {
    let mut both: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    weights[0].iter().for_each(|(feature, weight)| both.entry(*feature).or_default().0 = *weight);
    weights[1].iter().for_each(|(feature, weight)| both.entry(*feature).or_default().1 = *weight);
    let mut list: Vec<(u64, (f64, f64))> =
        both.into_iter().filter(|(_, (left, right))| left != right).collect();
    let apart = |(left, right): (f64, f64)| (left - right).abs();
    keep_first(&mut list, top, |left, right| {
        apart(right.1).total_cmp(&apart(left.1)).then_with(|| name(left.0).cmp(name(right.0)))
    });
    let shown = |(feature, (left, right)): (u64, (f64, f64))| Difference {
        feature: name(feature).clone(),
        left,
        right,
    };
    list.into_iter().map(shown).collect()
}
