//! The terms or the content of a text -> its weighted features and its fingerprint.

use std::sync::LazyLock;

use super::{Corpus, Pipeline};
use crate::features::letters::Letters;
use crate::features::{Counter, Feature, Kind, features_of};
use crate::fingerprint::{Hasher, LetterVote, Vote};
use crate::statistics::{FeatureStatistics, Known, Statistics};
use crate::weights::Weights;

/// Of a corpus without documents.
static NO_STATISTICS: LazyLock<Statistics> = LazyLock::new(Statistics::default);

/// Weighs the features of one text after the other, in buffers of its own. One a thread.
#[derive(Debug)]
pub(super) struct Weigher<'c> {
    pipeline: &'c Pipeline,
    statistics: &'c Statistics,
    occurrences: Vec<u64>,
    /// Counts features, or their numbers.
    counter: Counter,
    /// Each counted feature.
    known: Vec<Known>,
    /// How many were counted, with repetitions.
    total: u32,
    /// And how many different ones.
    distinct: u32,
    weights: Weights,
    vote: Vote,
    letters: Letters,
    letter_vote: LetterVote,
}

impl<'c> Weigher<'c> {
    /// By the statistics of a file, else by those of this corpus.
    pub(super) fn of_corpus(pipeline: &'c Pipeline, corpus: &'c Corpus) -> Weigher<'c> {
        Weigher::new(pipeline, pipeline.saved.as_ref().unwrap_or(&corpus.statistics))
    }

    fn new(pipeline: &'c Pipeline, statistics: &'c Statistics) -> Weigher<'c> {
        Weigher {
            pipeline,
            statistics,
            occurrences: Vec::new(),
            counter: Counter::default(),
            known: Vec::new(),
            total: 0,
            distinct: 0,
            weights: pipeline.weights.of_corpus(statistics.documents()),
            vote: Vote::new(pipeline.config.bits),
            letters: Letters::default(),
            letter_vote: LetterVote::new(pipeline.config.bits),
        }
    }

    /// By the statistics of a file, or by none where the weights need none.
    pub(super) fn without_corpus(pipeline: &'c Pipeline) -> Weigher<'c> {
        Weigher::new(pipeline, pipeline.saved.as_ref().unwrap_or(&NO_STATISTICS))
    }

    /// The distinct features of the last text.
    pub(super) fn distinct(&self) -> u32 {
        self.distinct
    }

    /// What features are.
    pub(super) fn features(&self) -> Kind {
        self.pipeline.config.features.kind()
    }

    /// The fingerprint of a text, from its terms or its content. `hasher` must know its features.
    pub(super) fn fingerprint_of(&mut self, terms: &[u64], content: &str, hasher: &Hasher) -> [u64; 4] {
        match self.features() {
            Kind::Letters => {
                let voters = self.letters.voters(content);
                self.distinct = voters.len() as u32;
                self.letter_vote.fingerprint(&voters)
            }
            Kind::Words => {
                self.count_terms(terms);
                self.vote(hasher)
            }
        }
    }

    /// The features of a text with their weights, sorted by feature.
    pub(super) fn weights_of(&mut self, terms: &[u64], content: &str, out: &mut Vec<(u64, u64)>) {
        match self.features() {
            Kind::Letters => {
                out.clear();
                out.extend(self.letters.voters(content).iter().map(|(gram, weight)| (gram, u64::from(weight))));
                out.sort_unstable();
            }
            Kind::Words => {
                self.count_terms(terms);
                self.weigh(out);
            }
        }
    }

    /// Counts the features of a text.
    pub(super) fn count_terms(&mut self, terms: &[u64]) {
        let occurrences = features_of(terms, self.pipeline.features.ngram, &mut self.occurrences);
        let features = self.counter.count(occurrences);
        (self.total, self.distinct) = (occurrences.len() as u32, features.len() as u32);
        if self.pipeline.weights.model.needs_statistics() {
            self.statistics.of_all(features, &mut self.known);
        } else {
            let unseen = |feature: &Feature| Known { hash: feature.hash, statistics: FeatureStatistics::UNSEEN };
            self.known.clear();
            self.known.extend(features.iter().map(unseen));
        }
    }

    /// Counts features that are given by the numbers that the statistics have for them.
    pub(super) fn count_numbers(&mut self, numbers: &[u32]) {
        self.occurrences.clear();
        self.occurrences.extend(numbers.iter().map(|number| u64::from(*number)));
        let features = self.counter.count(&self.occurrences);
        (self.total, self.distinct) = (self.occurrences.len() as u32, features.len() as u32);
        self.known.clear();
        self.known.extend(features.iter().map(|number| self.statistics.of_number(number.hash as u32)));
    }

    /// The fingerprint of what was counted. `hasher` must know the features.
    pub(super) fn vote(&mut self, hasher: &Hasher) -> [u64; 4] {
        let position = self.pipeline.config.words().position;
        for (rank, (feature, known)) in self.counter.last().iter().zip(&self.known).enumerate() {
            let hash = hasher.hash(known.hash, position.number(rank, feature.first, self.total));
            self.vote.add(&hash, self.weights.weight(feature.count, self.total, &known.statistics));
        }
        self.vote.finish()
    }

    /// What was counted with its weights, sorted by feature.
    pub(super) fn weigh(&self, out: &mut Vec<(u64, u64)>) {
        let features = self.counter.last().iter().zip(&self.known);
        let weight =
            |feature: &Feature, known: &Known| self.weights.weight(feature.count, self.total, &known.statistics);
        out.clear();
        out.extend(features.map(|(feature, known)| (known.hash, weight(feature, known))));
        out.sort_unstable();
    }
}
