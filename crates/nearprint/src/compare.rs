//! Two texts side by side: their fingerprints, their similarities, the verdict, and the features
//! that differ most.
//!
//! If the weights need a corpus and no statistics are named, the two texts are the corpus. The
//! verdict is that of the judge; the similarities by the other measures are listed beside it.

mod counted;
mod in_words;

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

pub use counted::what_counts;
pub(crate) use in_words::{in_a_family, measure_name, verdict_in_words, why_different};

use nearprint_core::compare;
use nearprint_core::features::character_ngrams::{FULL_WEIGHT, each_ngram};
use nearprint_core::features::{Counter, Feature, Kind};
use nearprint_core::fingerprint::{edit_distance, estimated_cosine, hamming_distance, to_hex};
use nearprint_core::judge::{Judge, Rules, Verdict};
use nearprint_core::recipe::{Prepared, Recipe, Wanted, Weigher, heaviest, keep_first};
use nearprint_core::statistics::{Counts, Entropies, Statistics, count_pairs};
use nearprint_core::view::{Shown, View, only_unseen_differ};
use nearprint_core::weights::UNIT;

use crate::config::Config;
use crate::error::Error;
use crate::message;
use crate::message::Message;
use crate::search::largest_distance;
pub use nearprint_core::recipe::Weighed;

/// The comparison of two texts under some settings.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// The first text.
    pub left: Side,
    /// The second text.
    pub right: Side,
    /// The Hamming distance of the fingerprints in bits.
    pub distance: u32,
    /// The edit distance of the fingerprints as bit strings.
    pub edit_distance: u32,
    /// The number of bits of a fingerprint.
    pub bits: u32,
    /// The cosine that the Hamming distance estimates.
    pub estimated_cosine: f64,
    /// The exact cosine of the weighted features.
    pub cosine: f64,
    /// Coverage: the share of the letters of both texts that stands in the other one.
    pub coverage: f64,
    /// The exact Jaccard similarity of the sets of n-grams of words.
    pub jaccard: f64,
    /// The exact containment of the smaller set of n-grams of words in the other.
    pub containment: f64,
    /// The similarity that the verdict compares with `min_similarity`: 1 for equal texts, that of
    /// characters for short texts, else that of the run's measure.
    pub similarity: f64,
    /// The verdict of `dedup`: `exact`, `near`, `contained`, `short` (duplicates, by reason), or
    /// `different`.
    pub verdict: &'static str,
    /// The reasons of the verdict, in sentences.
    pub why: Vec<Message>,
    /// The share of the first text that stands nowhere in the second one, and of the second one
    /// that stands nowhere in the first one, 0 to 1; by letters, characters or word n-grams; `None`
    /// if none of these were compared.
    pub lost: Option<[f64; 2]>,
    /// True if one of the two is in a family of the corpus: at least three other texts are near it.
    /// `None` without a corpus.
    pub in_family: Option<bool>,
    /// The shared, moved and own pieces of the two texts.
    pub view: Shown,
    /// The features that differ most in weight, the most first.
    pub differing: Vec<Difference>,
    /// The judge's decision.
    #[serde(skip)]
    pub judged: Verdict,
}

/// One of two texts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Side {
    /// Its fingerprint in hex.
    pub fingerprint: String,
    /// The number of its terms, with repetition.
    pub terms: u32,
    /// The number of its distinct features.
    pub features: u32,
    /// The features that weigh most, the heaviest first.
    pub heaviest: Vec<Weighed>,
    /// The votes on each bit of the fingerprint, bit 0 first: the weight of the features that vote
    /// for 1 less the weight of those that vote for 0. A bit is 1 if this is above 0.
    pub votes: Vec<f64>,
}

/// A feature whose weights in the two texts differ.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Difference {
    /// The text of the feature.
    pub feature: String,
    /// The weight in the first text; 0 if it is absent.
    pub left: f64,
    /// The weight in the second text; 0 if it is absent.
    pub right: f64,
}

/// Compares two texts. Without saved statistics the two texts are the corpus. Lists show `top`
/// features each.
///
/// ```
/// use nearprint::{Config, compare};
/// let same = compare(&Config::preset("simhash")?, "能力比学历重要性高", "学历比能力重要性高", 5)?;
/// assert_eq!(same.distance, 0);
/// let same = compare(&Config::preset("paper")?, "能力比学历重要性高", "学历比能力重要性高", 5)?;
/// assert_ne!(same.distance, 0);
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for a setting out of its range, and if documents are to bring their own tokens;
/// [`Error::Incompatible`] for corpus statistics made under other settings.
pub fn compare(config: &Config, left: &str, right: &str, top: usize) -> Result<Comparison, Error> {
    let recipe = config.recipe()?;
    recipe.check_texts_alone()?;
    let rules = config.rules(largest_distance(config));
    Ok(compare_by(&recipe, rules, [left, right], None, top))
}

/// Compares two texts by a recipe and rules. `in_family` is true if one of them is in a family, and
/// `None` without a corpus.
pub(crate) fn compare_by(
    recipe: &Recipe,
    rules: Rules,
    texts: [&str; 2],
    in_family: Option<bool>,
    top: usize,
) -> Comparison {
    let all = Wanted { terms: true, places: true, alphanumeric: true };
    let mut documents = texts.map(|text| {
        let mut document = Prepared::default();
        recipe.prepare(text, all, &mut document);
        document
    });
    let features = documents.each_ref().map(|document| TextFeatures::of(recipe, document, top > 0));
    let statistics = match recipe.needs_own_statistics() {
        true => Arc::new(count([&features[0].occurrences, &features[1].occurrences])),
        false => Arc::default(),
    };
    let mut weigher = Weigher::of_corpus(recipe, &statistics);
    let mut hasher = recipe.hasher();
    for document in &mut documents {
        document.teach(recipe.ngram(), &mut hasher);
        weigher.add_fingerprint(document, &hasher);
        weigher.add_weights(document);
        document.keep_short(rules.compared_when_short_below());
    }
    let [left, right] = &documents;
    let mut judge = Judge::new(rules);
    judge.set_left(left);
    let alone = judge.verdict(right, None);
    let verdict = if in_family == Some(true) { alone.of_family(&rules) } else { alone };

    let unit = unit(recipe);
    let [left_votes, right_votes] = [left, right].map(|document| {
        document.teach(recipe.ngram(), &mut hasher);
        weigher.votes(document, &hasher).into_iter().map(|vote| vote as f64 / unit).collect()
    });
    let weights = [left, right].map(|document| by_feature(unit, document));
    let name = |feature: u64| {
        features
            .iter()
            .find_map(|features| features.names.get(&feature))
            .expect("every one has a name")
    };
    let sides = [
        (left, &features[0], &weights[0], left_votes),
        (right, &features[1], &weights[1], right_votes),
    ];
    let [left_side, right_side] = sides.map(|(document, features, weights, votes)| Side {
        fingerprint: to_hex(&fingerprint(document), recipe.bits()),
        votes,
        terms: document.terms.get().map_or(0, Vec::len) as u32,
        features: document.features,
        heaviest: heaviest(features.weighed(weights), top, |feature| {
            features.names[&feature.hash].clone()
        }),
    });
    let ngrams = |document: &Prepared| {
        let mut ngrams = Vec::new();
        compare::word_ngrams(
            document.terms.get().map_or(&[], Vec::as_slice),
            rules.shingle,
            &mut ngrams,
        );
        ngrams
    };
    let (left_ngrams, right_ngrams) = (ngrams(left), ngrams(right));
    let (left_words, right_words) = (fingerprint(left), fingerprint(right));
    let distance = hamming_distance(&left_words, &right_words);
    let view = View::new(texts, recipe.normalizer(), verdict.basis).with_texts(texts);
    let counts = view.difference.and_then(|difference| what_counts(&difference));
    let unseen = only_unseen_differ(texts[0], texts[1]);
    let told = counts.into_iter().chain(unseen).map(|sentence| message![sentence]);
    let in_a_family = in_family.is_none().then(|| in_a_family(&rules, &verdict)).flatten();
    let why = std::iter::once(verdict_in_words(&rules, &verdict, in_family))
        .chain(in_a_family)
        .chain(told);
    Comparison {
        left: left_side,
        right: right_side,
        distance,
        edit_distance: edit_distance(&left_words, &right_words, recipe.bits()),
        bits: recipe.bits(),
        estimated_cosine: estimated_cosine(distance, recipe.bits()),
        cosine: compare::cosine(weights_of(left), weights_of(right)),
        coverage: verdict
            .share()
            .unwrap_or_else(|| compare::coverage(text_of(left), text_of(right))),
        jaccard: compare::jaccard(&left_ngrams, &right_ngrams),
        containment: compare::containment(&left_ngrams, &right_ngrams),
        similarity: verdict.similarity,
        verdict: verdict.name(),
        why: why.collect(),
        lost: verdict.lost,
        in_family,
        view,
        differing: differing(&weights, name, top),
        judged: verdict,
    }
}

/// The features of a text, including those of letters that do not vote, and the text of each if
/// features are listed.
struct TextFeatures {
    occurrences: Vec<u64>,
    counted: Vec<Feature>,
    names: HashMap<u64, String>,
}

impl TextFeatures {
    fn of(recipe: &Recipe, document: &Prepared, listed: bool) -> TextFeatures {
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
    fn weighed(&self, weights: &BTreeMap<u64, f64>) -> impl Iterator<Item = (&Feature, f64)> {
        self.counted.iter().filter_map(|feature| Some((feature, *weights.get(&feature.hash)?)))
    }
}

/// Corpus statistics of two documents in memory.
fn count(documents: [&Vec<u64>; 2]) -> Statistics {
    let (mut counter, mut counts) = (Counter::default(), Counts::default());
    let mut pairs = Vec::new();
    for document in documents {
        counter.count(document);
        counts.add(counter.last(), counter.places(), |_, pair| pairs.push(pair), |_| {});
    }
    let mut entropies = Entropies::new(counts.hashes().len());
    count_pairs(&mut pairs, |pair, count| entropies.add(pair, count));
    counts.finish(&entropies)
}

fn fingerprint(document: &Prepared) -> [u64; 4] {
    document.fingerprint.expect("both have fingerprints")
}

fn text_of(document: &Prepared) -> &str {
    document.text.get().map_or("", String::as_str)
}

fn weights_of(document: &Prepared) -> &[(u64, u64)] {
    document.weights.get().map_or(&[], Vec::as_slice)
}

/// The integer weight that is shown as 1.
fn unit(recipe: &Recipe) -> f64 {
    match recipe.kind() {
        Kind::Letters => f64::from(FULL_WEIGHT),
        Kind::Words => UNIT as f64,
    }
}

/// The weight of each feature of a document, in shown units.
fn by_feature(unit: f64, document: &Prepared) -> BTreeMap<u64, f64> {
    weights_of(document).iter().map(|(feature, weight)| (*feature, *weight as f64 / unit)).collect()
}

fn differing<'n>(
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

#[cfg(test)]
mod tests {
    use nearprint_core::compare::Measure;

    use super::*;
    use crate::config::{Config, FeatureHash, Features, MaxDistance, Position, Tf, Weights, Words};

    #[test]
    fn exchanged_words_change_the_fingerprint_only_with_positions() {
        // The example is from Zhang Hang et al. 2020, figure 2.
        let (left, right) = ("能力比学历重要性高", "学历比能力重要性高");
        for bits in [32, 64, 128, 256] {
            for preset in ["paper", "simhash"] {
                let config =
                    Config::preset(preset).unwrap().bits(bits).max_distance(MaxDistance::Bits(3));
                let distance = |position| {
                    let words = Words { position, ..config.words().clone() };
                    let config = config.clone().features(Features::Words(words));
                    compare(&config, left, right, 0).unwrap().distance
                };
                assert_eq!(distance(Position::Off), 0, "{bits} bits, {preset}");
                assert_ne!(distance(Position::Rank), 0, "{bits} bits, {preset}");
            }
        }
        // According to docs/algorithms.md, the bits of MD5 that the ranks use happen to be equal,
        // except at 64 bits.
        for (bits, apart) in [(32, false), (64, true), (128, false)] {
            for stop_words in [vec![], vec!["zh".to_string()]] {
                let config =
                    Config::preset("paper").unwrap().bits(bits).max_distance(MaxDistance::Bits(3));
                let words =
                    Words { feature_hash: FeatureHash::Md5, stop_words, ..config.words().clone() };
                let config = config.features(Features::Words(words));
                assert_eq!(
                    compare(&config, left, right, 0).unwrap().distance > 0,
                    apart,
                    "MD5, {bits} bits"
                );
            }
        }
    }

    #[test]
    fn the_similarity_is_what_decides_and_says_so_of_short_texts() {
        let config = Config::default();
        let compared = |left: &str, right: &str| compare(&config, left, right, 0).unwrap();
        assert_eq!(compared("今天天气很好", "今天天氣很好").similarity, 1.0);
        let short = compared("今天天气很好", "昨天来了三个客人");
        assert!(short.verdict == "different" && short.similarity < config.decide.min_similarity);
        let text =
            "The ferry to the island left the harbor two hours late on Monday because of the fog. "
                .repeat(3);
        let near = compared(&text, &text.replacen("Monday", "account", 1));
        assert_eq!((near.verdict, near.similarity), ("near", near.coverage));
        let jaccard = config.clone().verify(Measure::Jaccard);
        let near = compare(&jaccard, &text, &text.replace("Monday", "account"), 0).unwrap();
        assert!(near.similarity == near.jaccard && near.similarity != near.coverage);
    }

    #[test]
    fn the_votes_are_those_of_the_fingerprint() {
        let text = |seed: u32| {
            (0..900).map(|i| format!("w{} ", (i * i * seed + i) % 211)).collect::<String>()
        };
        let md5 =
            Words { feature_hash: FeatureHash::Md5, position: Position::Rank, ..Words::default() };
        let md5 = Config::default().features(Features::Words(md5)).bits(64);
        for config in
            [Config::default(), Config::default().bits(32), Config::preset("paper").unwrap(), md5]
        {
            let compared = compare(&config, &text(3), "能力比学历重要性高", usize::MAX).unwrap();
            for side in [&compared.left, &compared.right] {
                assert_eq!(side.votes.len(), config.fingerprint.bits as usize);
                let bits = side.fingerprint.chars().flat_map(|digit| {
                    let digit = digit.to_digit(16).unwrap();
                    (0..4).map(move |bit| digit >> (3 - bit) & 1 == 1)
                });
                assert!(side.votes.iter().map(|vote| *vote > 0.0).eq(bits), "{side:?}");
                // All features vote on every bit: V_i is the total, less twice the weight of the
                // votes for 0.
                let total: f64 = side.heaviest.iter().map(|feature| feature.weight).sum();
                assert!(side.votes.iter().all(|vote| vote.abs() <= total + 1e-9));
            }
        }
        // Two words that weigh 1: every bit has 2, 0 or -2.
        let words = Words { weights: Weights::One, ..Words::default() };
        let two =
            compare(&Config::default().features(Features::Words(words)), "one two", "", 0).unwrap();
        assert!(
            two.left.votes.iter().all(|vote| [2.0, 0.0, -2.0].contains(vote))
                && two.right.votes == [0.0; 256]
        );
    }

    #[test]
    fn the_features_shown_are_the_first_of_all() {
        let text = |seed: u32| {
            (0..400).map(|i| format!("w{} ", (i * i * seed + i) % 211)).collect::<String>()
        };
        for config in [Config::default(), Config::preset("paper").unwrap()] {
            let of = |top| compare(&config, &text(3), &text(7), top).unwrap();
            let all = of(usize::MAX);
            for top in [0, 1, 7, 60] {
                let some = of(top);
                assert_eq!(some.differing, all.differing[..top]);
                assert_eq!(some.left.heaviest, all.left.heaviest[..top]);
            }
        }
    }

    #[test]
    fn one_dominant_feature_makes_the_fingerprint_its_hash() {
        // Eq. 11-15 on a whole text: one word outweighs all others together.
        let words = Words { weights: Weights::Tf, tf: Tf::Raw, ..Words::default() };
        let config = Config::default().features(Features::Words(words));
        let dominant = "nearprint ".repeat(50);
        let comparison = compare(
            &config,
            &format!("{dominant} one two three"),
            &format!("{dominant} four five"),
            1,
        )
        .unwrap();
        assert_eq!(
            (comparison.distance, comparison.left.heaviest[0].feature.as_str()),
            (0, "nearprint")
        );
    }
}
