//! A finished search -> the share of the similar pairs that it found, measured on a sample of the documents.
//!
//! The sample consists of the documents with the smallest text hashes. It depends on the texts alone, neither on their order nor on
//! threads; where its documents have so many possible pairs that these cost more than a part of the run, it is those of the smallest
//! hashes whose pairs do not. Sketches of the texts ([`Sketches`]), or an index of the sample's word n-grams ([`WordNgramIndex`]), give for each document of
//! the run the sampled documents that may be similar enough, and these are compared exactly. Fingerprints take no part in that, so the result
//! is the truth for the sample under the run's measure, but for one of a thousand pairs that sketches may miss. The recall is the share of these pairs
//! that are candidates of the run.
//!
//! Only pairs of documents count that were searched by fingerprint: of different texts, not empty, not short, and allowed by the
//! guards. Short documents are compared completely. Of a crowd only some documents count, those of the smallest text hashes. All other
//! pairs have the same chance to be sampled. The pairs of one family of texts are found or missed together, so the interval is too narrow
//! where few families make up the pairs.
//!
//! Where documents are compared across two sides, the sample is drawn from the side with fewer searched documents and compared with
//! the whole other side. Every pair across then has the same chance to be sampled, and the largest possible one. A side of no more
//! documents than the sample has is measured whole.
//!
//! Cost: one pass over the letters and digits (or terms) on disk, a look at the sketch of each sampled document for each other one, and a
//! comparison for each possible pair.

use hashbrown::HashMap;
use rayon::prelude::*;

use super::Order;
use crate::cluster;
use crate::config::MaxDistance;
use crate::corpus::{Corpus, DocumentStore, PairJudge, Parts, Reader, smallest};
use crate::error::Error;
use crate::judge::{Compared, Rules};
use crate::outcome::Recall;
use crate::recipe::Prepared;
use crate::search::{Candidates, Crowd, Input, may_be_near, searched};
use crate::verify::{self, Measure, Scratch, SketchBound, Sketches, WordNgramIndex};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The documents of a crowd that stand for all.
const CROWD: usize = 512;

/// Documents that a thread takes at a time.
const CHUNK: usize = 256;

/// The characters of texts that are compared: a part of those of the corpus, so that they take a few hundredths of a run beside the sketches, or in small
/// corpora as many as take about a hundredth of a second.
const COMPARED: f64 = 20.0;
const FEW_COMPARED: f64 = 1e6;

/// The documents of the sample, by what similar ones must have.
enum Sample {
    Sketches(Vec<Sketches>, SketchBound),
    WordNgrams(WordNgramIndex),
}

/// Measures the recall of a search; `keepers` is the keeper of each document. `None` where none is wanted, where nothing was searched, and under the measures
/// `cosine` and `none`: two texts may be alike to these without a word in common.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
pub fn recall(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    keepers: &[u32],
    watch: &dyn Watch,
) -> Result<Option<Recall>, Error> {
    let (config, corpus) = (input.config, input.corpus);
    let measured = !matches!(config.verify, Measure::Cosine | Measure::None);
    if !measured || config.recall_sample == 0 || config.max_distance == MaxDistance::Off {
        return Ok(None);
    }
    let searched = searched(config, corpus, &order.representatives);
    let of_crowd = |document: &u32| candidates.crowd.has(order.ranks[*document as usize]);
    let (crowd, mut searched): (Vec<u32>, Vec<u32>) = searched.into_iter().partition(of_crowd);
    searched.extend(smallest(corpus, &crowd, CROWD));
    searched.sort_unstable();
    let (to_sample, others) = match corpus.origins.first_side(&searched).map(|first| searched.split_at(first)) {
        None => (&searched[..], &searched[..]),
        Some((one, other)) if one.len() <= other.len() => (one, other),
        Some((one, other)) => (other, one),
    };
    let stage = Progress::begin(watch, Stage::Recall, others.len(), corpus.text_bytes);
    let by_hash = smallest(corpus, to_sample, config.recall_sample as usize);
    // The fingerprints take no part, so any distance will do.
    let mut measuring = Measuring { input, rules: Rules::new(config, None), sampled: sorted(&by_hash), stage: &stage };
    let mut tables = measuring.tables()?;
    let candidates = Found {
        listed: candidates_of(candidates, &order.ranks, &measuring.sampled)?,
        crowd: &candidates.crowd,
        ranks: &order.ranks,
        keepers,
    };
    let mut all = Counts::default();
    // Only the possible pairs of one part are in memory at once.
    for (number, part) in others.chunks(CHUNK * 64).enumerate() {
        let mut possible = measuring.possible(&tables, part)?;
        if number == 0 {
            let affordable = affordable(corpus, &by_hash, &possible, others.len() as f64 / part.len() as f64);
            if affordable < by_hash.len() {
                measuring.sampled = sorted(&by_hash[..affordable]);
                tables = measuring.tables()?;
                possible.retain(|pair| [pair.0, pair.1].iter().any(|end| measuring.sampled.binary_search(end).is_ok()));
            }
        }
        possible.sort_unstable();
        all = all.and(measuring.count(&candidates, &possible)?);
        stop_if_asked(watch)?;
    }
    Ok(Some(Recall::new(measuring.sampled.len() as u64, all.similar, all.found, all.kept_apart)))
}

fn sorted(documents: &[u32]) -> Vec<u32> {
    let mut sorted = documents.to_vec();
    sorted.sort_unstable();
    sorted
}

/// How many documents of a sample, by hash, can be compared within the budget, at least one. These are their possible pairs with a part of
/// the documents, of which all have `times` as many.
fn affordable(corpus: &Corpus, by_hash: &[u32], possible: &[(u32, u32)], times: f64) -> usize {
    let length = |document: u32| f64::from(corpus.lengths()[document as usize]);
    let places: HashMap<u32, usize> = by_hash.iter().copied().zip(0..).collect();
    let mut characters = vec![0.0; by_hash.len()];
    for (one, other) in possible {
        let first = [one, other].into_iter().filter_map(|end| places.get(end)).min();
        characters[*first.expect("one of a pair is in the sample")] += times * (length(*one) + length(*other));
    }
    let all: f64 = corpus.lengths().iter().map(|length| f64::from(*length)).sum();
    let mut left = (all / COMPARED).max(FEW_COMPARED);
    let fits = characters.iter().take_while(|own| {
        left -= **own;
        left >= 0.0
    });
    fits.count().max(1)
}

/// Pairs that are similar enough, of those the ones that are candidates, and of those the ones of which both documents stay.
#[derive(Default)]
struct Counts {
    similar: u64,
    found: u64,
    kept_apart: u64,
}

impl Counts {
    fn and(self, other: Counts) -> Counts {
        Counts {
            similar: self.similar + other.similar,
            found: self.found + other.found,
            kept_apart: self.kept_apart + other.kept_apart,
        }
    }
}

/// A sample against all documents.
struct Measuring<'a> {
    input: &'a Input<'a>,
    rules: Rules,
    /// In order.
    sampled: Vec<u32>,
    stage: &'a Progress<'a>,
}

impl Measuring<'_> {
    fn compared(&self) -> PartReader<'_> {
        PartReader::new(self.input, self.rules)
    }

    /// The tables of the sample.
    fn tables(&self) -> Result<Sample, Error> {
        let least = self.rules.min_similarity;
        let mut compared = self.compared();
        if self.rules.compared() == Compared::Text {
            let own = |document: &u32| compared.alphanumeric(*document).map(Sketches::new);
            let own: Vec<Sketches> = self.sampled.iter().map(own).collect::<Result<_, Error>>()?;
            return Ok(Sample::Sketches(own, SketchBound::of_recall(least)));
        }
        let own = |document: &u32| compared.ngrams(*document).map(<[u64]>::to_vec);
        let own: Vec<Vec<u64>> = self.sampled.iter().map(own).collect::<Result<_, Error>>()?;
        Ok(Sample::WordNgrams(WordNgramIndex::new(self.rules.measure, &own, least)))
    }

    /// The possible pairs of a document in the sample and one of these, each once.
    fn possible(&self, tables: &Sample, documents: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
        let of_part = |(compared, scratch, possible): &mut (PartReader<'_>, Scratch, Vec<u32>), documents: &[u32]| {
            let mut pairs = Vec::new();
            for document in documents {
                match tables {
                    Sample::Sketches(few, bound) => {
                        let own = Sketches::new(compared.alphanumeric(*document)?);
                        let may_reach = |number: &u32| own.may_reach(&few[*number as usize], bound);
                        possible.clear();
                        possible.extend((0..few.len() as u32).filter(may_reach));
                    }
                    Sample::WordNgrams(ngrams) => ngrams.possible(compared.ngrams(*document)?, scratch, possible),
                }
                let others = possible.iter().map(|number| self.sampled[*number as usize]);
                // A pair within the sample comes up twice, a document meets itself.
                let once = |other: &u32| *other < *document || self.sampled.binary_search(document).is_err();
                let may_be_near = |other: &u32| may_be_near(self.input.corpus, *other, *document);
                pairs.extend(others.filter(once).filter(may_be_near).map(|other| (other, *document)));
            }
            self.stage.advance(documents.len());
            if self.stage.stopped() { Err(Error::Interrupted) } else { Ok(pairs) }
        };
        let pairs: Vec<Vec<(u32, u32)>> = documents
            .par_chunks(CHUNK)
            .map_init(|| (self.compared(), Scratch::default(), Vec::new()), of_part)
            .collect::<Result<_, Error>>()?;
        Ok(pairs.concat())
    }

    /// Counts these sorted pairs.
    fn count(&self, candidates: &Found<'_>, pairs: &[(u32, u32)]) -> Result<Counts, Error> {
        let count = |judge: &mut PairJudge<'_>, pairs: &[(u32, u32)]| {
            let mut counts = Counts::default();
            for (one, other) in pairs {
                if judge.at_least(*one, *other, 0, self.rules.min_similarity)?.is_some() {
                    let found = candidates.has(*one, *other);
                    counts.similar += 1;
                    counts.found += u64::from(found);
                    counts.kept_apart += u64::from(found && candidates.stay([*one, *other]));
                }
            }
            if self.stage.stopped() { Err(Error::Interrupted) } else { Ok(counts) }
        };
        let judge = || PairJudge::new(self.input.corpus, self.input.recipe, self.rules);
        let counts = pairs.par_chunks(CHUNK).map_init(judge, count);
        counts.try_reduce(Counts::default, |one, other| Ok(one.and(other)))
    }
}

/// The candidate pairs of the run.
struct Found<'c> {
    /// Those that are listed, sorted.
    listed: Vec<(u32, u32)>,
    crowd: &'c Crowd,
    ranks: &'c [u32],
    keepers: &'c [u32],
}

impl Found<'_> {
    /// Whether both documents stay.
    fn stay(&self, pair: [u32; 2]) -> bool {
        pair.iter().all(|document| self.keepers[*document as usize] == *document)
    }

    fn has(&self, one: u32, other: u32) -> bool {
        let place = |document: u32| self.crowd.place(self.ranks[document as usize]);
        match (place(one), place(other)) {
            (Some(one), Some(other)) => self.crowd.near(one, other).is_some(),
            _ => self.listed.binary_search(&(one.min(other), one.max(other))).is_ok(),
        }
    }
}

/// The candidate pairs of a document in the sorted sample, by their documents, sorted.
fn candidates_of(candidates: &Candidates, ranks: &[u32], sampled: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
    let documents = cluster::by_rank(ranks);
    let is_sampled = |document: u32| sampled.binary_search(&document).is_ok();
    let mut pairs = Vec::new();
    for candidate in candidates.listed() {
        let candidate = candidate?;
        let [one, other] = [candidate.better, candidate.other].map(|rank| documents[rank as usize]);
        if is_sampled(one) || is_sampled(other) {
            pairs.push((one.min(other), one.max(other)));
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// Prepares the part of each document that the measure compares.
struct PartReader<'c> {
    reader: Reader<'c>,
    rules: Rules,
    document: Prepared,
    ngrams: Vec<u64>,
}

impl<'c> PartReader<'c> {
    fn new(input: &Input<'c>, rules: Rules) -> PartReader<'c> {
        let reader = Reader::new(input.corpus, input.recipe);
        PartReader { reader, rules, document: Prepared::default(), ngrams: Vec::new() }
    }

    fn alphanumeric(&mut self, document: u32) -> Result<&[u8], Error> {
        self.reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
        Ok(self.document.alphanumeric.get().expect("just loaded"))
    }

    fn ngrams(&mut self, document: u32) -> Result<&[u64], Error> {
        self.reader.load(document, Parts { terms: true, ..Parts::default() }, &mut self.document)?;
        verify::word_ngrams(self.document.terms.get().expect("just loaded"), self.rules.shingle, &mut self.ngrams);
        Ok(&self.ngrams)
    }
}

#[cfg(test)]
mod tests;
