//! Two texts side by side: their fingerprints, their similarities, the verdict, and the features
//! that differ most.
//!
//! If the weights need a corpus and no statistics are named, the two texts are the corpus. The
//! verdict is that of the judge; the similarities by the other measures are listed beside it.

mod counted;
mod features;
mod in_words;
#[cfg(feature = "index")]
mod indexed;

use std::sync::Arc;

pub use counted::what_counts;
use features::{TextFeatures, by_feature, count, differing, unit, weights_of};
pub(crate) use in_words::{
    by_distance_alone, ignored_in_words, in_a_family, measure_name, verdict_in_words,
    why_different, without_a_family,
};

use nearprint_core::compare;
use nearprint_core::fingerprint::{edit_distance, estimated_cosine, hamming_distance, to_hex};
use nearprint_core::judge::{Judge, Rules, Verdict};
use nearprint_core::recipe::{Prepared, Recipe, Wanted, Weigher, heaviest};
use nearprint_core::statistics::Statistics;
use nearprint_core::view::{Shown, View, only_unseen_differ};

use crate::config::Config;
use crate::error::Error;
use crate::message;
use crate::message::Message;
use crate::search::largest_distance;
pub use nearprint_core::recipe::Weighed;
pub use nearprint_core::view::{Kind, ShownPiece};

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
    pub bit_edit_distance: u32,
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
    /// The verdict with its reason, in a sentence; then details.
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
    /// For each text true if passages of `ignore-passages` were left out of it.
    #[serde(skip)]
    pub ignored: [bool; 2],
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

/// Judges one pair of texts after the other, as [`compare()`] does, without the rest of a comparison.
///
/// ```
/// use nearprint::{Config, compare::Pairs};
/// let pairs = Pairs::new(&Config::default())?;
/// assert_eq!(pairs.verdict("能力比学历重要", "能力比學歷重要").name(), "exact");
/// assert_eq!(pairs.verdict("能力比学历重要", "床前明月光").similarity, 0.0);
/// # Ok::<(), nearprint::Error>(())
/// ```
#[derive(Debug)]
pub struct Pairs {
    recipe: Recipe,
    rules: Rules,
}

impl Pairs {
    /// The judge of these settings.
    ///
    /// # Errors
    /// As [`compare()`].
    pub fn new(config: &Config) -> Result<Pairs, Error> {
        let recipe = config.recipe()?;
        recipe.check_texts_alone()?;
        Ok(Pairs { rules: config.rules(largest_distance(config)), recipe })
    }

    /// The verdict on two texts. If the weights need a corpus and no statistics are named, the two
    /// texts are the corpus.
    pub fn verdict(&self, left: &str, right: &str) -> Verdict {
        let Pairs { recipe, rules } = self;
        let mut documents = prepared(recipe, [left, right]);
        let statistics = match recipe.needs_own_statistics() {
            true => {
                let of = |document: &Prepared| TextFeatures::of(recipe, document, false);
                let [left, right] = documents.each_ref().map(of);
                Arc::new(count([&left.occurrences, &right.occurrences]))
            }
            false => Arc::default(),
        };
        weigh(recipe, rules, &statistics, &mut documents);
        let [left, right] = &documents;
        let mut judge = Judge::new(*rules);
        judge.set_left(left);
        judge.verdict(right, None)
    }
}

fn prepared(recipe: &Recipe, texts: [&str; 2]) -> [Prepared; 2] {
    let all = Wanted { terms: true, places: true, alphanumeric: true };
    texts.map(|text| {
        let mut document = Prepared::default();
        recipe.prepare(text, all, &mut document);
        document
    })
}

/// Adds the fingerprints and the weights of two texts.
fn weigh(
    recipe: &Recipe,
    rules: &Rules,
    statistics: &Arc<Statistics>,
    documents: &mut [Prepared; 2],
) -> Weigher {
    let mut weigher = Weigher::of_corpus(recipe, statistics);
    let mut hasher = recipe.hasher();
    for document in documents {
        document.teach(recipe.ngram(), &mut hasher);
        weigher.add_fingerprint(document, &hasher);
        weigher.add_weights(document);
        document.keep_short(rules.compared_when_short_below());
    }
    weigher
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
    let mut documents = prepared(recipe, texts);
    let features = documents.each_ref().map(|document| TextFeatures::of(recipe, document, top > 0));
    let statistics = match recipe.needs_own_statistics() {
        true => Arc::new(count([&features[0].occurrences, &features[1].occurrences])),
        false => Arc::default(),
    };
    let mut weigher = weigh(recipe, &rules, &statistics, &mut documents);
    let mut hasher = recipe.hasher();
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
    let ignored = [left, right].map(|document| document.has_left_out);
    let in_a_family = in_family.is_none().then(|| in_a_family(&rules, &verdict)).flatten();
    let why = std::iter::once(verdict_in_words(&rules, &verdict, in_family))
        .chain(in_a_family)
        .chain(ignored_in_words(ignored, ["the left text", "the right text"]))
        .chain(told);
    Comparison {
        left: left_side,
        right: right_side,
        distance,
        bit_edit_distance: edit_distance(&left_words, &right_words, recipe.bits()),
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
        ignored,
        judged: verdict,
    }
}

fn fingerprint(document: &Prepared) -> [u64; 4] {
    document.fingerprint.expect("both have fingerprints")
}

fn text_of(document: &Prepared) -> &str {
    document.text.get().map_or("", String::as_str)
}

#[cfg(test)]
mod tests;
