//! Spilled terms of documents -> their fingerprints, weighted features and similarities.

use super::Pipeline;
use super::corpus::{Corpus, Terms};
use super::weigher::Weigher;
use crate::error::Error;
use crate::features::Kind;
use crate::fingerprint::estimated_cosine;
use crate::verify::{self, Coverage, Measure};

/// Weighs documents of a corpus by what lies on disk of them. One a thread.
pub(super) struct DocumentWeigher<'c> {
    weigher: Weigher<'c>,
    corpus: &'c Corpus,
    terms: Vec<u64>,
    numbers: Vec<u32>,
    content: Vec<u8>,
}

impl<'c> DocumentWeigher<'c> {
    pub(super) fn new(pipeline: &'c Pipeline, corpus: &'c Corpus) -> DocumentWeigher<'c> {
        let weigher = Weigher::of_corpus(pipeline, corpus);
        DocumentWeigher { weigher, corpus, terms: Vec::new(), numbers: Vec::new(), content: Vec::new() }
    }

    /// The fingerprint of a document of words.
    pub(super) fn fingerprint(&mut self, document: u32) -> Result<[u64; 4], Error> {
        self.count(document)?;
        Ok(self.weigher.vote(&self.corpus.hasher))
    }

    /// The features of a document with their weights, sorted by feature.
    fn weights(&mut self, document: u32, out: &mut Vec<(u64, u64)>) -> Result<(), Error> {
        match self.weigher.features() {
            Kind::Letters => {
                self.corpus.read_content(document, &mut self.content)?;
                self.weigher.weights_of(&[], text(&self.content), out);
            }
            Kind::Words => {
                self.count(document)?;
                self.weigher.weigh(out);
            }
        }
        Ok(())
    }

    /// Counts the features of a document.
    fn count(&mut self, document: u32) -> Result<(), Error> {
        if let Some(Terms::Numbers(spill)) = &self.corpus.terms {
            spill.read(document as usize, &mut self.numbers)?;
            self.weigher.count_numbers(&self.numbers);
        } else {
            self.corpus.read_terms(document, &mut self.numbers, &mut self.terms)?;
            self.weigher.count_terms(&self.terms);
        }
        Ok(())
    }
}

/// Compares two documents by what lies on disk of them. One a thread; remembers the left one, since pairs come sorted.
pub(super) struct Comparer<'c> {
    weigher: DocumentWeigher<'c>,
    pipeline: &'c Pipeline,
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
            weigher: DocumentWeigher::new(pipeline, corpus),
            pipeline,
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
        let config = &self.pipeline.config;
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
                    verify::word_ngrams(&self.terms, config.shingle, &mut self.left_shingles);
                    if self.measure == Measure::Minhash {
                        self.left_signature = verify::signature(&self.left_shingles);
                    }
                }
                self.weigher.corpus.read_terms(right, &mut self.numbers, &mut self.terms)?;
                verify::word_ngrams(&self.terms, config.shingle, &mut self.right_shingles);
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
        let shingle = self.pipeline.config.shingle;
        self.left = None;
        self.weigher.corpus.read_terms(left, &mut self.numbers, &mut self.terms)?;
        verify::word_ngrams(&self.terms, shingle, &mut self.left_shingles);
        self.weigher.corpus.read_terms(right, &mut self.numbers, &mut self.terms)?;
        verify::word_ngrams(&self.terms, shingle, &mut self.right_shingles);
        Ok(verify::jaccard(&self.left_shingles, &self.right_shingles))
    }
}

/// What was written as text.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("contents are UTF-8 when they are written")
}
