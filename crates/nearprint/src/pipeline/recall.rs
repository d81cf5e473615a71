//! A finished search -> the share of the duplicate pairs that it found, measured on a sample of the documents.
//!
//! The sample are the documents of the smallest text hashes: it depends on the texts alone, neither on their order nor on
//! threads or chance. Every document of the run is held against all of the sample at once
//! ([`Passages`], [`Shingles`]; the former says which pairs it may lose), and what is possible is compared exactly.
//! Fingerprints take no part in that, so the pairs of the sample are all there are under the run's measure, and those that
//! are candidates of the run are the found ones.
//!
//! Counted are pairs of documents that were searched by fingerprint: of different texts, not empty, not short. Short ones
//! are compared completely. Every pair has the same chance to be in the sample, but for two things. A sample has room for so
//! many characters, and a text that finds too little left is passed over, so that of a corpus of very long texts the shorter
//! ones are sampled more often. And the pairs of one family of texts are found or lost together, so the interval is too
//! narrow where few families make up the pairs.
//!
//! Where documents are compared across two sides, the sample is one of the side with fewer searched documents, and every
//! document of the other side is held against it. So each pair across has one end that may be sampled, the same chance to
//! be in the sample, and the largest one; a side of no more documents than the sample has is measured whole.
//!
//! Cost: one pass over the contents (or terms) on disk, the tables of the sample, and a comparison for each possible pair.
//!
//! Source of the interval: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).

use rayon::prelude::*;

use super::Pipeline;
use super::corpus::{Corpus, stop_if_asked};
use super::evidence::Comparer;
use super::pairs::SortedCandidates;
use super::sampled::smallest;
use super::search::CHUNK;
use crate::cluster;
use crate::config::MaxDistance;
use crate::error::Error;
use crate::verify::{self, Measure, PassageIndex, Scratch, WordNgramIndex};
use crate::watch::{Progress, Stage, Watch};

/// The most characters in a sample: their tables take up to 250 bytes each.
const CHARACTERS: u64 = 1 << 19;

/// Of the bytes that a run may take, one in so many is a character of the sample: a quarter goes into its tables.
const SHARE: u64 = 1000;

/// The most characters of one document, where it is the only one in the sample.
const LONGEST: u64 = 4 * CHARACTERS;

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// How much of what there is to find a run found, measured on a sample.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Recall {
    /// Documents in the sample.
    pub sampled: u64,
    /// Pairs of a document in the sample and any other one whose similarity is at least `min-similarity`.
    pub pairs: u64,
    /// Of these, the candidate pairs of the run.
    pub found: u64,
    /// Found of all pairs; `None` where there is no pair.
    pub recall: Option<f64>,
    /// The lower end of the 95 % interval.
    pub low: Option<f64>,
    /// The upper end of the 95 % interval.
    pub high: Option<f64>,
}

impl Recall {
    fn new(sampled: u64, pairs: u64, found: u64) -> Recall {
        let interval = (pairs > 0).then(|| wilson(found as f64, pairs as f64));
        Recall {
            sampled,
            pairs,
            found,
            recall: (pairs > 0).then(|| found as f64 / pairs as f64),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        }
    }
}

/// The interval for a share, which does not leave 0..=1 and has a width where none or all were found.
fn wilson(found: f64, all: f64) -> (f64, f64) {
    let (share, square) = (found / all, NORMAL * NORMAL);
    let middle = share + square / (2.0 * all);
    let half = NORMAL * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    let end = |end: f64| (end / (1.0 + square / all)).clamp(0.0, 1.0);
    // Rounding errors must not say that none, or all, is impossible.
    let low = if found == 0.0 { 0.0 } else { end(middle - half) };
    let high = if found == all { 1.0 } else { end(middle + half) };
    (low, high)
}

/// The documents of the sample, by what similar ones must have.
enum Sample {
    Passages(PassageIndex),
    Shingles(WordNgramIndex),
}

impl Pipeline {
    /// Measures the recall of a search. `None` where none is wanted, where nothing was searched, and under the measures
    /// `cosine` and `none`: two texts may be alike to these without a word in common.
    pub(super) fn recall(
        &self,
        corpus: &Corpus,
        ranks: &[u32],
        representatives: &[u32],
        candidates: &SortedCandidates,
        watch: &dyn Watch,
    ) -> Result<Option<Recall>, Error> {
        let measured = !matches!(self.config.verify, Measure::Cosine | Measure::None);
        if !measured || self.config.recall_sample == 0 || self.config.max_distance == MaxDistance::Off {
            return Ok(None);
        }
        let searched = self.searched(corpus, representatives);
        let (to_sample, others) = match corpus.first_side(&searched).map(|first| searched.split_at(first)) {
            None => (&searched[..], &searched[..]),
            Some((one, other)) if one.len() <= other.len() => (one, other),
            Some((one, other)) => (other, one),
        };
        let stage = Progress::begin(watch, Stage::Recall, others.len(), corpus.text_bytes);
        let characters = self.config.memory.map_or(CHARACTERS, |most| CHARACTERS.min(most.0 / SHARE));
        let sampled = sample(corpus, to_sample, self.config.recall_sample as usize, characters);
        let tables = self.tables(corpus, &sampled)?;
        let candidates = candidates_of(candidates, ranks, &sampled)?;
        let (mut pairs, mut found) = (0, 0);
        // Only the possible pairs of one part are in memory at once.
        for part in others.chunks(CHUNK * 64) {
            let mut possible = self.possible(corpus, &sampled, &tables, part, &stage)?;
            possible.sort_unstable();
            let counts = self.count_found(corpus, &candidates, &possible, &stage)?;
            pairs += counts.0;
            found += counts.1;
            stop_if_asked(watch)?;
        }
        Ok(Some(Recall::new(sampled.len() as u64, pairs, found)))
    }

    fn tables(&self, corpus: &Corpus, sampled: &[u32]) -> Result<Sample, Error> {
        let least = self.config.min_similarity;
        let mut reader = Reader::default();
        if self.config.verify == Measure::Coverage {
            let content = |document| reader.content(corpus, document).map(<[u8]>::to_vec);
            let contents: Vec<Vec<u8>> = sampled.iter().copied().map(content).collect::<Result<_, Error>>()?;
            return Ok(Sample::Passages(PassageIndex::new(&contents, least)));
        }
        let shingles = |document| reader.shingles(corpus, document, self.config.shingle).map(<[u64]>::to_vec);
        let shingles: Vec<Vec<u64>> = sampled.iter().copied().map(shingles).collect::<Result<_, Error>>()?;
        Ok(Sample::Shingles(WordNgramIndex::new(self.config.verify, &shingles, least)))
    }

    /// The possible pairs of a document in the sample and one of these, each once.
    fn possible(
        &self,
        corpus: &Corpus,
        sampled: &[u32],
        tables: &Sample,
        documents: &[u32],
        stage: &Progress<'_>,
    ) -> Result<Vec<(u32, u32)>, Error> {
        let pairs: Vec<Vec<(u32, u32)>> = self.threads.install(|| {
            documents
                .par_chunks(CHUNK)
                .map_init(
                    || (Reader::default(), Scratch::default(), Vec::new()),
                    |(reader, scratch, possible), documents| {
                        let mut pairs = Vec::new();
                        for document in documents {
                            match tables {
                                Sample::Passages(passages) => {
                                    passages.possible(reader.content(corpus, *document)?, scratch, possible);
                                }
                                Sample::Shingles(shingles) => {
                                    let own = reader.shingles(corpus, *document, self.config.shingle)?;
                                    shingles.possible(own, scratch, possible);
                                }
                            }
                            let others = possible.iter().map(|number| sampled[*number as usize]);
                            // A pair within the sample comes up twice, a document meets itself.
                            let once = |other: &u32| *other < *document || sampled.binary_search(document).is_err();
                            pairs.extend(others.filter(once).map(|other| (other, *document)));
                        }
                        stage.advance(documents.len());
                        if stage.stopped() { Err(Error::Interrupted) } else { Ok(pairs) }
                    },
                )
                .collect::<Result<_, Error>>()
        })?;
        Ok(pairs.concat())
    }

    /// How many of the sorted pairs are similar enough, and how many of these are candidates.
    fn count_found(
        &self,
        corpus: &Corpus,
        candidates: &[(u32, u32)],
        pairs: &[(u32, u32)],
        stage: &Progress<'_>,
    ) -> Result<(u64, u64), Error> {
        let count = |comparer: &mut Comparer<'_>, pairs: &[(u32, u32)]| {
            let (mut similar, mut found) = (0, 0);
            for (one, other) in pairs {
                if comparer.at_least(*one, *other, 0, self.config.min_similarity)?.is_some() {
                    similar += 1;
                    found += u64::from(candidates.binary_search(&(*one.min(other), *one.max(other))).is_ok());
                }
            }
            if stage.stopped() { Err(Error::Interrupted) } else { Ok((similar, found)) }
        };
        self.threads.install(|| {
            let counts = pairs.par_chunks(CHUNK).map_init(|| Comparer::new(self, corpus), count);
            counts.try_reduce(|| (0, 0), |one, other| Ok((one.0 + other.0, one.1 + other.1)))
        })
    }
}

/// The candidate pairs of a document in the sorted sample, by their documents, sorted.
fn candidates_of(candidates: &SortedCandidates, ranks: &[u32], sampled: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
    let documents = cluster::by_rank(ranks);
    let is_sampled = |document: u32| sampled.binary_search(&document).is_ok();
    let mut pairs = Vec::new();
    for candidate in candidates.iter() {
        let candidate = candidate?;
        let [one, other] = [candidate.better, candidate.other].map(|rank| documents[rank as usize]);
        if is_sampled(one) || is_sampled(other) {
            pairs.push((one.min(other), one.max(other)));
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// Of so many documents of the smallest text hashes those that have room in so many characters together, one after the other
/// by hash, or where none has the shortest one, if it is not too long by itself; sorted.
fn sample(corpus: &Corpus, documents: &[u32], most: usize, characters: u64) -> Vec<u32> {
    let smallest = smallest(corpus, documents, most.min(characters as usize));
    let length = |document: &u32| u64::from(corpus.lengths[*document as usize]);
    let mut room = characters;
    let fits = |document: &u32| room.checked_sub(length(document)).map(|left| room = left).is_some();
    let mut sample: Vec<u32> = smallest.iter().copied().filter(fits).collect();
    if sample.is_empty() {
        sample.extend(
            smallest
                .iter()
                .min_by_key(|document| length(document))
                .filter(|d| length(d) <= LONGEST / CHARACTERS * characters),
        );
    }
    sample.sort_unstable();
    sample
}

/// Reads what is compared of one document after the other.
#[derive(Default)]
struct Reader {
    content: Vec<u8>,
    numbers: Vec<u32>,
    terms: Vec<u64>,
    shingles: Vec<u64>,
}

impl Reader {
    fn content(&mut self, corpus: &Corpus, document: u32) -> Result<&[u8], Error> {
        corpus.read_content(document, &mut self.content)?;
        Ok(&self.content)
    }

    fn shingles(&mut self, corpus: &Corpus, document: u32, shingle: u32) -> Result<&[u64], Error> {
        corpus.read_terms(document, &mut self.numbers, &mut self.terms)?;
        verify::word_ngrams(&self.terms, shingle, &mut self.shingles);
        Ok(&self.shingles)
    }
}

#[cfg(test)]
mod tests;
