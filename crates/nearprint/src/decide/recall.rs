//! A finished search -> the share of the similar pairs that it found, measured on a sample of the
//! documents.
//!
//! The sample consists of the documents with the smallest text hashes ([`sample`]). It depends on
//! the texts alone, neither on their order nor on threads. Sketches of the texts, or an index of
//! word n-grams, give its pairs that may be similar enough ([`possible`]), and these are compared
//! exactly. If the comparisons would cost more than a part of the run, the sample ends before the
//! document that exceeds it. Fingerprints take no part, so the result is the truth for the sample
//! under the run's measure, but for one of a thousand pairs that sketches may miss. The recall is
//! the share of the similar pairs that are candidates of the run.
//!
//! A pair counts only if both documents were searched by fingerprint: of different texts, not
//! empty, not short, and allowed by the guards. Short documents are compared completely. Of the
//! hubs, only those with the smallest text hashes count. All other pairs have the same chance to be
//! sampled. The pairs of one family of texts are found or missed together, so the interval is too
//! narrow if few families make up the pairs.
//!
//! If documents are compared across two sides, some of each side are drawn, and the pairs across
//! are compared. A side of no more documents than `recall-sample` is drawn whole.
//!
//! Cost: n documents with a `recall-sample` of s have a sample of about the square root of 2 n s,
//! so that it has as many pairs as s documents have with all others. Under `narrow` s is 128, and
//! four times as large until the interval is narrow. Each pair costs a look at two
//! sketches, and each possible pair a comparison. The sampled texts are read once for their
//! sketches; for their word n-grams, once more for each later block.

mod possible;
mod sample;

use nearprint_core::compare::Measure;
use nearprint_core::judge::Rules;
use possible::PossiblePairs;
use rayon::prelude::*;
use sample::{Sample, draw, in_block};

use super::Order;
use crate::cluster;
use crate::config::{MaxDistance, RecallSample};
use crate::corpus::{PairJudge, smallest};
use crate::error::Error;
use crate::outcome::Recall;
use crate::search::{Candidates, HubDocuments, Input, searched};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The largest number of hubs that may be drawn, in place of all.
const HUBS: usize = 512;

/// The smallest and the largest number of documents whose pairs are looked for together. Between
/// them, a block is as large as all blocks before it.
const FIRST_BLOCK: usize = 64;
const BLOCK: usize = 2048;

/// The number of documents or pairs that a thread takes at a time.
const CHUNK: usize = 64;

/// Texts are compared until 1 / `COMPARED` of the characters of the corpus are used up, which takes
/// a few hundredths of a run.
const COMPARED: f64 = 30.0;

/// The least number of characters that may be compared. They take about 0.01 s.
const FEW_COMPARED: f64 = 8e5;

/// The size of a sample compared with that before it, if it is enlarged.
const LARGER: u32 = 4;

/// Above this `recall-sample`, the number of characters grows in proportion.
const USUAL: f64 = 128.0;

/// Measures the recall of a search. `keepers` is the keeper of each document. `None` if no recall
/// is wanted, if nothing was searched, or under the measures `cosine` and `none`, to which two
/// texts may be similar without a common word.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] if a part was not gathered, [`Error::Interrupted`].
pub fn recall(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    keepers: &[u32],
    watch: &dyn Watch,
) -> Result<Option<Recall>, Error> {
    let (config, corpus) = (input.config, input.corpus);
    let measured = match config.decide.verify {
        Measure::Coverage | Measure::Jaccard | Measure::Containment | Measure::Minhash => true,
        Measure::Cosine | Measure::None => false,
    };
    let (mut size, narrow) = match config.search.recall_sample {
        RecallSample::Documents(size) => (size, false),
        RecallSample::Narrow => (USUAL as u32, true),
        RecallSample::Off => return Ok(None),
    };
    if !measured || config.search.max_distance == MaxDistance::Off {
        return Ok(None);
    }
    let searched = searched(config, corpus, &order.representatives);
    let is_hub = |document: &u32| candidates.hubs.has(order.ranks[*document as usize]);
    let (hubs, mut searched): (Vec<u32>, Vec<u32>) = searched.into_iter().partition(is_hub);
    searched.extend(smallest(corpus, &hubs, HUBS));
    searched.sort_unstable();
    loop {
        let (recall, is_largest) =
            of_sample(input, order, candidates, keepers, &searched, size, watch)?;
        if !narrow || is_largest || recall.narrow().is_some() {
            return Ok(Some(recall));
        }
        size = size.saturating_mul(LARGER);
    }
}

/// Measures the recall on a sample of this size. The second value is true if no larger sample
/// exists.
fn of_sample(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    keepers: &[u32],
    searched: &[u32],
    size: u32,
    watch: &dyn Watch,
) -> Result<(Recall, bool), Error> {
    let (config, corpus) = (input.config, input.corpus);
    let sample = draw(corpus, searched, size as usize);
    let Sample { documents, columns, .. } = &sample;
    let share = documents.len() as f64 / corpus.len().max(1) as f64;
    let stage = Progress::begin(
        watch,
        Stage::Recall,
        documents.len(),
        (share * corpus.text_bytes as f64) as u64,
    );
    // The fingerprints take no part, so any distance will do.
    let rules = config.rules(None);
    let mut possible = PossiblePairs::new(input, rules, &sample, &stage);
    let candidates = Found {
        listed: candidates_of(candidates, &order.ranks, documents)?,
        hubs: &candidates.hubs,
        ranks: &order.ranks,
        keepers,
    };
    let comparing = Comparing { input, rules, sample: &sample, candidates, stage: &stage };
    let characters: f64 = corpus.lengths().iter().map(|length| f64::from(*length)).sum();
    let times = (f64::from(size) / USUAL).max(1.0);
    let mut left = times * (characters / COMPARED).max(FEW_COMPARED);
    let (mut all, mut measured) = (Counts::default(), *columns);
    stage.advance(*columns);
    while measured < documents.len() && left >= 0.0 {
        let most = measured.clamp(FIRST_BLOCK, BLOCK).min(documents.len() - measured);
        let past = measured + in_block(corpus, &documents[measured..measured + most]);
        let mut pairs = possible.pairs(measured..past)?;
        let within = comparing.affordable(&pairs, past, &mut left);
        pairs.truncate(pairs.partition_point(|pair| pair[0] < within));
        all = all.and(comparing.count(&pairs)?);
        stage.advance(within as usize - measured);
        measured = within as usize;
        stop_if_asked(watch)?;
    }
    let recall = Recall::new(measured as u64, all.similar, all.found, all.kept_apart);
    Ok((recall, measured == documents.len() && sample.is_largest))
}

/// Numbers of pairs.
#[derive(Default)]
struct Counts {
    /// The pairs that are similar enough.
    similar: u64,
    /// The similar pairs that are candidates.
    found: u64,
    /// The found pairs of which both documents stay.
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

/// The comparison of pairs of the sample. A pair is two places in the sample, the later one first.
struct Comparing<'a> {
    input: &'a Input<'a>,
    rules: Rules,
    sample: &'a Sample,
    candidates: Found<'a>,
    stage: &'a Progress<'a>,
}

impl Comparing<'_> {
    /// The place past the last document of a block whose pairs can be compared with the characters
    /// that are `left`. The block ends at `past`. The first pair is always within. The characters
    /// of the pairs are subtracted from `left`.
    fn affordable(&self, possible: &[[u32; 2]], past: usize, left: &mut f64) -> u32 {
        let Sample { documents, columns, .. } = self.sample;
        let lengths = self.input.corpus.lengths();
        for pairs in possible.chunk_by(|one, other| one[0] == other[0]) {
            let length = |place: &u32| f64::from(lengths[documents[*place as usize] as usize]);
            *left -= pairs.iter().flatten().map(length).sum::<f64>();
            if *left < 0.0 {
                return pairs[0][0].max((*columns).max(1) as u32 + 1);
            }
        }
        past as u32
    }

    /// Compares pairs and counts them.
    fn count(&self, pairs: &[[u32; 2]]) -> Result<Counts, Error> {
        let count = |judge: &mut PairJudge<'_>, pairs: &[[u32; 2]]| {
            let mut counts = Counts::default();
            for pair in pairs {
                let [one, other] = pair.map(|place| self.sample.documents[place as usize]);
                if judge.at_least(one, other, 0, self.rules.min_similarity)?.is_some() {
                    let found = self.candidates.has(one, other);
                    counts.similar += 1;
                    counts.found += u64::from(found);
                    counts.kept_apart += u64::from(found && self.candidates.stay([one, other]));
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
    /// The listed pairs of sampled documents, sorted.
    listed: Vec<(u32, u32)>,
    hubs: &'c HubDocuments,
    ranks: &'c [u32],
    keepers: &'c [u32],
}

impl Found<'_> {
    /// Returns true if both documents stay.
    fn stay(&self, pair: [u32; 2]) -> bool {
        pair.iter().all(|document| self.keepers[*document as usize] == *document)
    }

    /// Returns true if two documents are a candidate pair.
    fn has(&self, one: u32, other: u32) -> bool {
        let place = |document: u32| self.hubs.place(self.ranks[document as usize]);
        match (place(one), place(other)) {
            (Some(one), Some(other)) => self.hubs.near(one, other).is_some(),
            _ => self.listed.binary_search(&(one.min(other), one.max(other))).is_ok(),
        }
    }
}

/// The candidate pairs of the sample, as pairs of documents, sorted.
fn candidates_of(
    candidates: &Candidates,
    ranks: &[u32],
    sample: &[u32],
) -> Result<Vec<(u32, u32)>, Error> {
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

#[cfg(test)]
mod tests;
