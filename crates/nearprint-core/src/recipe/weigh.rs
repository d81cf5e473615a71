//! A prepared document -> its weighted features and its fingerprint.

use std::sync::Arc;

use super::{Prepared, Recipe};
use crate::features::character_ngrams::CharacterNgrams;
use crate::features::{Counter, Feature, Kind, features_of};
use crate::fingerprint::{
    EqualVote, FeatureHash, Hasher, NgramVote, Position, Vote, bits_of_ngram,
};
use crate::normalize::size_of;
use crate::statistics::{FeatureStatistics, Known, Statistics};
use crate::weights::{Model, Tf, Weights};

/// The letters, or the words, for which a text counts at least one feature. A long text that repeats
/// itself has few distinct features and is not short.
const REPEATS: u32 = 8;

/// Weighs the features of one document after the other, in buffers of its own, one a thread.
#[derive(Debug)]
pub struct Weigher {
    recipe: Recipe,
    statistics: Arc<Statistics>,
    occurrences: Vec<u64>,
    /// Counts features, or their numbers.
    counter: Counter,
    /// Each counted feature with its statistics.
    known: Vec<Known>,
    /// The number of counted features, with repetitions.
    total: u32,
    /// The number of distinct ones.
    distinct: u32,
    weights: Weights,
    vote: Vote,
    equal_vote: EqualVote,
    ngrams: CharacterNgrams,
    ngram_vote: NgramVote,
}

impl Weigher {
    /// Weighs by the statistics of the recipe, or else by those of a corpus.
    pub fn of_corpus(recipe: &Recipe, statistics: &Arc<Statistics>) -> Weigher {
        let statistics = recipe.0.statistics.as_ref().unwrap_or(statistics).clone();
        let bits = recipe.bits();
        Weigher {
            recipe: recipe.clone(),
            occurrences: Vec::new(),
            counter: Counter::default(),
            known: Vec::new(),
            total: 0,
            distinct: 0,
            weights: recipe.0.options.words.weights.of_corpus(statistics.documents()),
            statistics,
            vote: Vote::new(bits),
            equal_vote: EqualVote::new(bits),
            ngrams: CharacterNgrams::default(),
            ngram_vote: NgramVote::new(bits),
        }
    }

    /// Weighs by the statistics of the recipe, or by none if the weights need none.
    pub fn without_corpus(recipe: &Recipe) -> Weigher {
        Weigher::of_corpus(recipe, &Arc::default())
    }

    /// Counts the distinct features of a document, makes its fingerprint, and adds both to it. A
    /// document that repeats itself counts an eighth of its letters or words, if that is more.
    /// `hasher` must know the features.
    pub fn add_fingerprint(&mut self, document: &mut Prepared, hasher: &Hasher) {
        document.fingerprint = Some(match self.recipe.kind() {
            Kind::Letters => {
                let text = document.alphanumeric_text();
                let voters = self.ngrams.voters(text);
                self.distinct = voters.len() as u32;
                // Signs alone are no content, however many there are.
                if (text.len() as u32) > self.distinct * REPEATS
                    && text.contains(char::is_alphanumeric)
                {
                    self.distinct = self
                        .distinct
                        .max(size_of(text.as_bytes(), text.is_ascii()).letters / REPEATS);
                }
                self.ngram_vote.fingerprint(&voters)
            }
            Kind::Words => {
                self.count_terms(document.own_terms());
                self.distinct = self.distinct.max(self.total / REPEATS);
                self.vote(hasher)
            }
        });
        document.features = self.distinct;
    }

    /// Makes the fingerprint alone, which is faster if all features weigh the same.
    pub fn fingerprint(&mut self, document: &mut Prepared, hasher: &Hasher) -> [u64; 4] {
        if self.recipe.kind() == Kind::Words {
            let terms = document.own_terms();
            if self.votes_are_equal(terms.len()) {
                let ngram = self.recipe.ngram();
                return self.equal_vote.fingerprint(features_of(
                    terms,
                    ngram,
                    &mut self.occurrences,
                ));
            }
        }
        self.add_fingerprint(document, hasher);
        document.fingerprint.expect("just added")
    }

    /// Counts the distinct features of a document of words and adds their number to it, as
    /// [`add_fingerprint`](Self::add_fingerprint) does.
    pub fn add_features(&mut self, document: &mut Prepared) {
        let occurrences =
            features_of(document.own_terms(), self.recipe.ngram(), &mut self.occurrences);
        let distinct = self.counter.count(occurrences).len() as u32;
        document.features = distinct.max(occurrences.len() as u32 / REPEATS);
    }

    /// Adds the weighted features of a document to it.
    pub fn add_weights(&mut self, document: &mut Prepared) {
        let mut out = document.weights.take().unwrap_or_default();
        match self.recipe.kind() {
            Kind::Letters => {
                out.clear();
                let voters = self.ngrams.voters(document.alphanumeric_text());
                out.extend(voters.iter().map(|(ngram, weight)| (ngram, u64::from(weight))));
                out.sort_unstable();
            }
            Kind::Words => {
                self.count_terms(document.own_terms());
                self.weigh(&mut out);
            }
        }
        *document.weights.fill() = out;
    }

    /// The distinct features of the last count, in the order of their first occurrence.
    pub fn counted(&self) -> &[Feature] {
        self.counter.last()
    }

    /// The place among the distinct features of each occurrence of the last count.
    pub fn places(&self) -> &[u32] {
        self.counter.places()
    }

    /// Counts the features of a document of words.
    pub fn count_terms(&mut self, terms: &[u64]) {
        let occurrences = features_of(terms, self.recipe.ngram(), &mut self.occurrences);
        let features = self.counter.count(occurrences);
        (self.total, self.distinct) = (occurrences.len() as u32, features.len() as u32);
        if self.recipe.0.options.words.weights.model.needs_statistics() {
            self.statistics.of_all(features, &mut self.known);
        } else {
            let unseen = |feature: &Feature| Known {
                hash: feature.hash,
                statistics: FeatureStatistics::UNSEEN,
            };
            self.known.clear();
            self.known.extend(features.iter().map(unseen));
        }
    }

    /// Counts features given by their numbers in the statistics.
    pub fn count_numbers(&mut self, numbers: &[u32]) {
        self.occurrences.clear();
        self.occurrences.extend(numbers.iter().map(|number| u64::from(*number)));
        let features = self.counter.count(&self.occurrences);
        (self.total, self.distinct) = (self.occurrences.len() as u32, features.len() as u32);
        self.known.clear();
        self.known
            .extend(features.iter().map(|number| self.statistics.of_number(number.hash as u32)));
    }

    /// The fingerprint of the counted features. `hasher` must know them.
    pub fn vote(&mut self, hasher: &Hasher) -> [u64; 4] {
        self.add_votes(hasher);
        self.vote.finish()
    }

    fn add_votes(&mut self, hasher: &Hasher) {
        let position = self.recipe.0.options.words.position;
        for (rank, (feature, known)) in self.counter.last().iter().zip(&self.known).enumerate() {
            let hash = hasher.hash(known.hash, position.number(rank, feature.first, self.total));
            self.vote.add(&hash, self.weights.weight(feature.count, self.total, &known.statistics));
        }
    }

    /// V of a document: for each bit the weight of the features that vote for 1 less the weight of
    /// those that vote for 0. It is summed bit by bit, without the counters that make fingerprints
    /// of character n-grams. `hasher` must know the features.
    pub fn votes(&mut self, document: &Prepared, hasher: &Hasher) -> Vec<i64> {
        match self.recipe.kind() {
            Kind::Letters => {
                let voters = self.ngrams.voters(document.alphanumeric_text());
                voters.iter().for_each(|(ngram, weight)| {
                    self.vote.add(&bits_of_ngram(ngram), weight.into())
                });
            }
            Kind::Words => {
                self.count_terms(document.own_terms());
                self.add_votes(hasher);
            }
        }
        let votes = self.vote.sums();
        self.vote.finish();
        votes
    }

    /// The counted features with their weights, sorted by feature.
    pub fn weigh(&self, out: &mut Vec<(u64, u64)>) {
        out.clear();
        out.extend(
            self.weighed().zip(&self.known).map(|((_, weight), known)| (known.hash, weight)),
        );
        out.sort_unstable();
    }

    /// The counted features with their weights, in the order of their first occurrence.
    pub(super) fn weighed(&self) -> impl Iterator<Item = (&Feature, u64)> {
        let features = self.counter.last().iter().zip(&self.known);
        features.map(|(feature, known)| {
            (feature, self.weights.weight(feature.count, self.total, &known.statistics))
        })
    }

    /// The number of terms in a feature.
    pub(super) fn ngram(&self) -> u32 {
        self.recipe.ngram()
    }

    /// Returns true if every occurrence of a feature adds the same to the votes, in a text of this
    /// number of terms. Then features need no counting.
    fn votes_are_equal(&self, terms: usize) -> bool {
        let words = &self.recipe.0.options.words;
        let weights = &words.weights;
        let linear = weights.model == Model::Tf && weights.tf != Tf::Log;
        let capped = weights.cap.is_some_and(|cap| terms as f64 > cap);
        linear
            && !capped
            && words.position == Position::Off
            && words.feature_hash == FeatureHash::Xxh3
    }
}
