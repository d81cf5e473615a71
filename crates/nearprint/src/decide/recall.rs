//! A finished search -> the share of the similar pairs that it found, measured on a sample of the documents.
//!
//! The sample consists of the documents with the smallest text hashes. It depends on the texts alone, neither on their order nor on
//! threads. All pairs of its documents are looked at: sketches of the texts ([`Sketches`]), or an index of word n-grams ([`WordNgramIndex`]),
//! give those that may be similar enough, and these are compared exactly. Where they would cost more than a part of the run, the sample is
//! those of the smallest hashes whose pairs do not. Fingerprints take no part in that, so the result
//! is the truth for the sample under the run's measure, but for one of a thousand pairs that sketches may miss. The recall is the share of these pairs
//! that are candidates of the run.
//!
//! Only pairs of documents count that were searched by fingerprint: of different texts, not empty, not short, and allowed by the
//! guards. Short documents are compared completely. Of a crowd only some documents count, those of the smallest text hashes. All other
//! pairs have the same chance to be sampled. The pairs of one family of texts are found or missed together, so the interval is too narrow
//! where few families make up the pairs.
//!
//! Where documents are compared across two sides, a part of each is drawn; of a small side all.
//!
//! Cost: n documents with a `recall-sample` of s have a sample of about the square root of 2 n s, so that it has as many pairs as s documents
//! have with all others. These are read (their word n-grams again for each [`BLOCK`]), two sketches are looked at for each pair, and each
//! possible pair is compared.

use std::ops::Range;

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

/// Documents of the sample whose pairs with all before them are looked for together: as many as there were before them, up to the most.
const FIRST_BLOCK: usize = 64;
const BLOCK: usize = 2048;

/// Documents that a thread takes at a time.
const CHUNK: usize = 64;

/// The characters of texts that are compared: a part of those of the corpus, so that they take a few hundredths of a run, or in small
/// corpora as many as take about a hundredth of a second.
const COMPARED: f64 = 30.0;
const FEW_COMPARED: f64 = 8e5;

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
    let sample = draw(corpus, &searched, config.recall_sample as usize);
    let stage = Progress::begin(watch, Stage::Recall, sample.len(), corpus.text_bytes);
    // The fingerprints take no part, so any distance will do.
    let measuring = Measuring { input, rules: Rules::new(config, None), sample: &sample, stage: &stage };
    let candidates = Found {
        listed: candidates_of(candidates, &order.ranks, &sample)?,
        crowd: &candidates.crowd,
        ranks: &order.ranks,
        keepers,
    };
    let characters: f64 = corpus.lengths().iter().map(|length| f64::from(*length)).sum();
    let mut left = (characters / COMPARED).max(FEW_COMPARED);
    let (mut all, mut measured, mut sketches) = (Counts::default(), 0, Vec::new());
    while measured < sample.len() && left >= 0.0 {
        let past = (measured + measured.clamp(FIRST_BLOCK, BLOCK)).min(sample.len());
        let mut possible = measuring.possible(measured..past, &mut sketches)?;
        let within = measuring.affordable(&possible, measured..past, &mut left);
        possible.truncate(possible.partition_point(|pair| pair[0] < within));
        all = all.and(measuring.count(&candidates, &possible)?);
        stage.advance(past - measured);
        measured = within as usize;
        stop_if_asked(watch)?;
    }
    Ok(Some(Recall::new(measured as u64, all.similar, all.found, all.kept_apart)))
}

/// The documents of the sample, so that each first part of them is a sample as well: by hash, and of two sides with as large a part of each.
fn draw(corpus: &Corpus, searched: &[u32], documents: usize) -> Vec<u32> {
    let root = |pairs: usize| (pairs as f64).sqrt().ceil() as usize;
    let Some((one, other)) = corpus.origins.first_side(searched).map(|first| searched.split_at(first)) else {
        return smallest(corpus, searched, root(2 * documents * searched.len()));
    };
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let pairs = documents * many.len();
    let of_few = root(pairs).min(few.len());
    let sides = [smallest(corpus, few, of_few), smallest(corpus, many, pairs.div_ceil(of_few.max(1)))];
    let mut merged: Vec<(f64, u32)> = Vec::new();
    for side in &sides {
        merged.extend(side.iter().enumerate().map(|(place, document)| (place as f64 / side.len() as f64, *document)));
    }
    merged.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    merged.into_iter().map(|(_, document)| document).collect()
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

/// A sample of documents. Its pairs are places in it, the later one first.
struct Measuring<'a> {
    input: &'a Input<'a>,
    rules: Rules,
    sample: &'a [u32],
    stage: &'a Progress<'a>,
}

impl Measuring<'_> {
    fn reader(&self) -> PartReader<'_> {
        PartReader::new(self.input, self.rules)
    }

    /// The possible pairs of a block and all before, sorted. Sketches of all before are in `sketches`, where the block's are added.
    fn possible(&self, block: Range<usize>, sketches: &mut Vec<Sketches>) -> Result<Vec<[u32; 2]>, Error> {
        let least = self.rules.min_similarity;
        let documents = self.sample[block.clone()].par_iter().with_min_len(CHUNK);
        if self.rules.compared() == Compared::Text {
            let own = |reader: &mut PartReader<'_>, document: &u32| reader.alphanumeric(*document).map(Sketches::new);
            let own: Vec<Sketches> = documents.map_init(|| self.reader(), own).collect::<Result<_, Error>>()?;
            sketches.extend(own);
            let (sketches, bound) = (&sketches[..], SketchBound::of_recall(least));
            return self.pairs(block.clone(), |_, earlier, possible| {
                let may_reach = |later: &usize| sketches[earlier].may_reach(&sketches[*later], &bound);
                possible
                    .extend(block.clone().filter(|later| *later > earlier).filter(may_reach).map(|later| later as u32));
                Ok(())
            });
        }
        let own = |reader: &mut PartReader<'_>, document: &u32| reader.ngrams(*document).map(<[u64]>::to_vec);
        let own: Vec<Vec<u64>> = documents.map_init(|| self.reader(), own).collect::<Result<_, Error>>()?;
        let index = WordNgramIndex::new(self.rules.measure, &own, least);
        self.pairs(block.clone(), |(reader, scratch), earlier, possible| {
            index.possible(reader.ngrams(self.sample[earlier])?, scratch, possible);
            possible.iter_mut().for_each(|number| *number += block.start as u32);
            possible.retain(|later| *later as usize > earlier);
            Ok(())
        })
    }

    /// The pairs of a block and all before, sorted: `possible` gives the later places of each earlier one.
    fn pairs(
        &self,
        block: Range<usize>,
        possible: impl Fn(&mut (PartReader<'_>, Scratch), usize, &mut Vec<u32>) -> Result<(), Error> + Sync,
    ) -> Result<Vec<[u32; 2]>, Error> {
        let of_one = |(state, later): &mut ((PartReader<'_>, Scratch), Vec<u32>), earlier: usize| {
            later.clear();
            possible(state, earlier, later)?;
            let may_be_near =
                |later: &u32| may_be_near(self.input.corpus, self.sample[*later as usize], self.sample[earlier]);
            let pairs = later.iter().copied().filter(may_be_near).map(|later| [later, earlier as u32]);
            if self.stage.stopped() { Err(Error::Interrupted) } else { Ok(pairs.collect()) }
        };
        let state = || ((self.reader(), Scratch::default()), Vec::new());
        let pairs: Vec<Vec<[u32; 2]>> =
            (0..block.end).into_par_iter().with_min_len(CHUNK).map_init(state, of_one).collect::<Result<_, Error>>()?;
        let mut pairs = pairs.concat();
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// The place past the last document of a block whose pairs with all before it can be compared with the characters that are `left`: the
    /// first two documents can. Takes what these have.
    fn affordable(&self, possible: &[[u32; 2]], block: Range<usize>, left: &mut f64) -> u32 {
        let lengths = self.input.corpus.lengths();
        for pairs in possible.chunk_by(|one, other| one[0] == other[0]) {
            let length = |place: &u32| f64::from(lengths[self.sample[*place as usize] as usize]);
            *left -= pairs.iter().flatten().map(length).sum::<f64>();
            if *left < 0.0 {
                return pairs[0][0].max(2);
            }
        }
        block.end as u32
    }

    /// Counts these sorted pairs.
    fn count(&self, candidates: &Found<'_>, pairs: &[[u32; 2]]) -> Result<Counts, Error> {
        let count = |judge: &mut PairJudge<'_>, pairs: &[[u32; 2]]| {
            let mut counts = Counts::default();
            for pair in pairs {
                let [one, other] = pair.map(|place| self.sample[place as usize]);
                if judge.at_least(one, other, 0, self.rules.min_similarity)?.is_some() {
                    let found = candidates.has(one, other);
                    counts.similar += 1;
                    counts.found += u64::from(found);
                    counts.kept_apart += u64::from(found && candidates.stay([one, other]));
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

/// The candidate pairs of the sample, by their documents, sorted.
fn candidates_of(candidates: &Candidates, ranks: &[u32], sample: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
    let documents = cluster::by_rank(ranks);
    let mut is_sampled = vec![false; ranks.len()];
    sample.iter().for_each(|document| is_sampled[*document as usize] = true);
    let mut pairs = Vec::new();
    for candidate in candidates.listed() {
        let candidate = candidate?;
        let [one, other] = [candidate.better, candidate.other].map(|rank| documents[rank as usize]);
        if is_sampled[one as usize] && is_sampled[other as usize] {
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
