//! Spilled terms of documents -> their fingerprints, weighted features and similarities.

use super::Pipeline;
use super::corpus::{Corpus, Terms};
use crate::error::Error;
use crate::features::letters::Letters;
use crate::features::{Counter, Feature, Kind, append_features};
use crate::fingerprint::{Hasher, LetterVote, Vote, estimated_cosine};
use crate::statistics::{FeatureStatistics, Known};
use crate::verify::{self, Coverage, Measure};
use crate::weights::Weights;

/// Turns a document's spilled terms into weighted features and its fingerprint. One a thread.
pub(super) struct Weigher<'c> {
    pipeline: &'c Pipeline,
    corpus: &'c Corpus,
    terms: Vec<u64>,
    numbers: Vec<u32>,
    occurrences: Vec<u64>,
    /// Counts features, or their numbers.
    counter: Counter,
    /// Each counted feature.
    known: Vec<Known>,
    weights: Weights,
    vote: Vote,
    letters: Letters,
    letter_vote: LetterVote,
    content: Vec<u8>,
}

impl<'c> Weigher<'c> {
    pub(super) fn new(pipeline: &'c Pipeline, corpus: &'c Corpus) -> Weigher<'c> {
        let statistics = pipeline.saved.as_ref().unwrap_or(&corpus.statistics);
        Weigher {
            pipeline,
            corpus,
            terms: Vec::new(),
            numbers: Vec::new(),
            occurrences: Vec::new(),
            counter: Counter::default(),
            known: Vec::new(),
            weights: pipeline.weights.of_corpus(statistics.documents()),
            vote: Vote::new(pipeline.config.bits),
            letters: Letters::default(),
            letter_vote: LetterVote::new(pipeline.config.bits),
            content: Vec::new(),
        }
    }

    /// The fingerprint of a document of words.
    pub(super) fn fingerprint(&mut self, document: u32) -> Result<[u64; 4], Error> {
        let total = self.count(document)?;
        Ok(self.vote(total, &self.corpus.hasher))
    }

    /// The fingerprint of a text that is not one of the corpus, from its terms or its content. `hasher` must know its
    /// features.
    pub(super) fn fingerprint_of(&mut self, terms: &[u64], content: &str, hasher: &Hasher) -> [u64; 4] {
        match self.pipeline.config.features {
            Kind::Letters => self.letter_vote.fingerprint(&self.letters.voters(content)),
            Kind::Words => {
                let total = self.count_terms(terms);
                self.vote(total, hasher)
            }
        }
    }

    /// The features of such a text with their weights, sorted by feature.
    pub(super) fn weights_of(&mut self, terms: &[u64], content: &str, out: &mut Vec<(u64, u64)>) {
        match self.pipeline.config.features {
            Kind::Letters => weights_of_letters(&mut self.letters, content, out),
            Kind::Words => {
                let total = self.count_terms(terms);
                self.weigh(total, out);
            }
        }
    }

    /// The fingerprint of what was counted.
    fn vote(&mut self, total: u32, hasher: &Hasher) -> [u64; 4] {
        let position = self.pipeline.config.position;
        for (rank, (feature, known)) in self.counter.last().iter().zip(&self.known).enumerate() {
            let hash = hasher.hash(known.hash, position.number(rank, feature.first, total));
            self.vote.add(&hash, self.weights.weight(feature.count, total, &known.statistics));
        }
        self.vote.finish()
    }

    /// The features of a document with their weights, sorted by feature.
    fn weights(&mut self, document: u32, out: &mut Vec<(u64, u64)>) -> Result<(), Error> {
        if self.pipeline.config.features == Kind::Letters {
            self.corpus.read_content(document, &mut self.content)?;
            weights_of_letters(&mut self.letters, text(&self.content), out);
            return Ok(());
        }
        let total = self.count(document)?;
        self.weigh(total, out);
        Ok(())
    }

    /// What was counted with its weights, sorted by feature.
    fn weigh(&self, total: u32, out: &mut Vec<(u64, u64)>) {
        let features = self.counter.last().iter().zip(&self.known);
        out.clear();
        let weights = self.weights;
        out.extend(features.map(|(f, known)| (known.hash, weights.weight(f.count, total, &known.statistics))));
        out.sort_unstable();
    }

    /// Counts the features of a document, looks up what is known of each, and gives their total.
    fn count(&mut self, document: u32) -> Result<u32, Error> {
        self.occurrences.clear();
        self.known.clear();
        if let Some(Terms::Numbers(spill)) = &self.corpus.terms {
            spill.read(document as usize, &mut self.numbers)?;
            self.occurrences.extend(self.numbers.iter().map(|number| u64::from(*number)));
            let features = self.counter.count(&self.occurrences);
            self.known.extend(features.iter().map(|number| self.corpus.statistics.of_number(number.hash as u32)));
            return Ok(self.occurrences.len() as u32);
        }
        let mut terms = std::mem::take(&mut self.terms);
        self.corpus.read_terms(document, &mut self.numbers, &mut terms)?;
        let total = self.count_terms(&terms);
        self.terms = terms;
        Ok(total)
    }

    /// The same for terms.
    fn count_terms(&mut self, terms: &[u64]) -> u32 {
        self.occurrences.clear();
        append_features(terms, self.pipeline.features.ngram, &mut self.occurrences);
        let features = self.counter.count(&self.occurrences);
        if self.pipeline.weights.model.needs_statistics() {
            let statistics = self.pipeline.saved.as_ref().unwrap_or(&self.corpus.statistics);
            statistics.of_all(features, &mut self.known);
        } else {
            let unseen = |feature: &Feature| Known { hash: feature.hash, statistics: FeatureStatistics::UNSEEN };
            self.known.clear();
            self.known.extend(features.iter().map(unseen));
        }
        self.occurrences.len() as u32
    }
}

/// The grams of a text with their weights, sorted by gram.
fn weights_of_letters(letters: &mut Letters, content: &str, out: &mut Vec<(u64, u64)>) {
    out.clear();
    out.extend(letters.voters(content).iter().map(|(gram, weight)| (gram, u64::from(weight))));
    out.sort_unstable();
}

/// Compares two documents by what lies on disk of them. One a thread; remembers the left one, since pairs come sorted.
pub(super) struct Comparer<'c> {
    weigher: Weigher<'c>,
    measure: Measure,
    left: Option<u32>,
    terms: Vec<u64>,
    numbers: Vec<u32>,
    left_shingles: Vec<u64>,
    right_shingles: Vec<u64>,
    left_weights: Vec<(u64, u64)>,
    right_weights: Vec<(u64, u64)>,
    left_signature: [u64; verify::PERMUTATIONS],
    coverage: Coverage,
    content: Vec<u8>,
}

impl<'c> Comparer<'c> {
    pub(super) fn new(pipeline: &'c Pipeline, corpus: &'c Corpus) -> Comparer<'c> {
        Comparer::with(pipeline.config.verify, pipeline, corpus)
    }

    /// Compares by another measure than the run's. Coverage needs texts, which are there only if the run compares them.
    pub(super) fn with(measure: Measure, pipeline: &'c Pipeline, corpus: &'c Corpus) -> Comparer<'c> {
        Comparer {
            weigher: Weigher::new(pipeline, corpus),
            measure,
            left: None,
            terms: Vec::new(),
            numbers: Vec::new(),
            left_shingles: Vec::new(),
            right_shingles: Vec::new(),
            left_weights: Vec::new(),
            right_weights: Vec::new(),
            left_signature: [0; verify::PERMUTATIONS],
            coverage: Coverage::default(),
            content: Vec::new(),
        }
    }

    /// The similarity under the run's measure.
    pub(super) fn similarity(&mut self, left: u32, right: u32, distance: u32) -> Result<f64, Error> {
        Ok(self.at_least(left, right, distance, 0.0)?.unwrap_or(0.0))
    }

    /// The similarity under the run's measure, if it is `least` or more.
    pub(super) fn at_least(&mut self, left: u32, right: u32, distance: u32, least: f64) -> Result<Option<f64>, Error> {
        let config = &self.weigher.pipeline.config;
        let same_left = self.left == Some(left);
        match self.measure {
            Measure::None => return Ok(Some(estimated_cosine(distance, config.bits))),
            Measure::Coverage => {
                if !same_left {
                    self.left = None;
                    self.weigher.corpus.read_content(left, &mut self.content)?;
                    self.coverage.set_left(&self.content);
                    self.left = Some(left);
                }
                self.weigher.corpus.read_content(right, &mut self.content)?;
                return Ok(self.coverage.at_least(&self.content, least));
            }
            Measure::Cosine => {
                if !same_left {
                    self.weigher.weights(left, &mut self.left_weights)?;
                }
                self.weigher.weights(right, &mut self.right_weights)?;
            }
            Measure::Jaccard | Measure::Containment | Measure::Minhash => {
                if !same_left {
                    self.left = None;
                    self.weigher.corpus.read_terms(left, &mut self.numbers, &mut self.terms)?;
                    verify::shingles(&self.terms, config.shingle, &mut self.left_shingles);
                    if self.measure == Measure::Minhash {
                        self.left_signature = verify::signature(&self.left_shingles);
                    }
                }
                self.weigher.corpus.read_terms(right, &mut self.numbers, &mut self.terms)?;
                verify::shingles(&self.terms, config.shingle, &mut self.right_shingles);
            }
        }
        self.left = Some(left);
        let similarity = match self.measure {
            Measure::Jaccard => verify::jaccard(&self.left_shingles, &self.right_shingles),
            Measure::Containment => verify::containment(&self.left_shingles, &self.right_shingles),
            Measure::Minhash => {
                verify::minhash_similarity(&self.left_signature, &verify::signature(&self.right_shingles))
            }
            Measure::Cosine | Measure::Coverage | Measure::None => {
                verify::cosine(&self.left_weights, &self.right_weights)
            }
        };
        Ok((similarity >= least).then_some(similarity))
    }

    /// The Hamming distance of two documents' fingerprints.
    pub(super) fn distance(&mut self, left: u32, right: u32) -> Result<u32, Error> {
        if let Some(fingerprints) = &self.weigher.corpus.fingerprints {
            return Ok(fingerprints.distance(left as usize, right as usize));
        }
        let (left, right) = (self.weigher.fingerprint(left)?, self.weigher.fingerprint(right)?);
        Ok(left.iter().zip(right).map(|(left, right)| (left ^ right).count_ones()).sum())
    }

    /// How two documents compare of which at least one is short: by edits, and where the other one is too long for that
    /// by what there is of them, contents or terms.
    pub(super) fn short_similarity(&mut self, left: u32, right: u32) -> Result<f64, Error> {
        let short = &self.weigher.corpus.short;
        match (short.characters_of(left), short.characters_of(right)) {
            (Some(left), Some(right)) => Ok(verify::edit_similarity(left, right, 0.0).unwrap_or(0.0)),
            _ if self.weigher.corpus.contents.is_some() => {
                self.left = None;
                self.weigher.corpus.read_content(left, &mut self.content)?;
                self.coverage.set_left(&self.content);
                self.weigher.corpus.read_content(right, &mut self.content)?;
                Ok(self.coverage.at_least(&self.content, 0.0).unwrap_or(0.0))
            }
            _ => self.shingle_jaccard(left, right),
        }
    }

    /// The Jaccard similarity of shingles, whatever the run's measure.
    fn shingle_jaccard(&mut self, left: u32, right: u32) -> Result<f64, Error> {
        let shingle = self.weigher.pipeline.config.shingle;
        self.left = None;
        self.weigher.corpus.read_terms(left, &mut self.numbers, &mut self.terms)?;
        verify::shingles(&self.terms, shingle, &mut self.left_shingles);
        self.weigher.corpus.read_terms(right, &mut self.numbers, &mut self.terms)?;
        verify::shingles(&self.terms, shingle, &mut self.right_shingles);
        Ok(verify::jaccard(&self.left_shingles, &self.right_shingles))
    }
}

/// What was written as text.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("contents are UTF-8 when they are written")
}
