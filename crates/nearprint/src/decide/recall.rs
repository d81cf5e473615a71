//! A finished search -> the share of the similar pairs that it found, measured on a sample of the
//! documents.
//!
//! The sample consists of the documents with the smallest text hashes. It depends on the texts
//! alone, neither on their order nor on threads. All pairs of its documents are looked at. Sketches
//! of the texts ([`Sketches`]), or an index of word n-grams ([`WordNgramIndex`]), give those that
//! may be similar enough, and these are compared exactly. Where the comparisons would cost more
//! than a part of the run, the sample ends before the document with which they do. Fingerprints
//! take no part in that, so the result is the truth for the sample under the run's measure, but for
//! one of a thousand pairs that sketches may miss. The recall is the share of these pairs that are
//! candidates of the run.
//!
//! Only pairs of documents count that were searched by fingerprint: of different texts, not empty,
//! not short, and allowed by the guards. Short documents are compared completely. Of hubs only some
//! documents count, those of the smallest text hashes. All other pairs have the same chance to be
//! sampled. The pairs of one family of texts are found or missed together, so the interval is too
//! narrow where few families make up the pairs.
//!
//! Where documents are compared across two sides, some of each are drawn, and the pairs across are
//! looked at. Of a side of no more documents than `recall-sample` all are drawn.
//!
//! Cost: n documents with a `recall-sample` of s have a sample of about the square root of 2 n s,
//! so that it has as many pairs as s documents have with all others. Two sketches are looked at for
//! each pair, and each possible pair is compared. The sampled texts are read once for their
//! sketches; for their word n-grams again for each later block.

use std::ops::Range;

use nearprint_core::compare::{self, Measure, Scratch, SketchBound, Sketches, WordNgramIndex};
use nearprint_core::judge::{Compared, Parts, Rules};
use nearprint_core::recipe::Prepared;
use rayon::prelude::*;

use super::Order;
use crate::cluster;
use crate::config::MaxDistance;
use crate::corpus::{Corpus, DocumentStore, PairJudge, Reader, smallest};
use crate::error::Error;
use crate::outcome::Recall;
use crate::search::{Candidates, HubDocuments, Input, may_be_near, searched};
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The hubs that stand for all.
const HUBS: usize = 512;

/// Documents whose pairs are looked for together: as many as there were before them, between the
/// first number and the last one, and of no more characters than these unless it is one document.
const FIRST_BLOCK: usize = 64;
const BLOCK: usize = 2048;
const BLOCK_CHARACTERS: u64 = 8_000_000;

/// Documents that a thread takes at a time.
const CHUNK: usize = 64;

/// The characters of the texts that are compared: one in so many of the corpus's, so that they take
/// a few hundredths of a run, or in small corpora so many, which take about a hundredth of a
/// second. Of a `recall-sample` above the usual one in proportion.
const COMPARED: f64 = 30.0;
const FEW_COMPARED: f64 = 8e5;
const USUAL: f64 = 128.0;

/// Measures the recall of a search; `keepers` is the keeper of each document. `None` where none is
/// wanted, where nothing was searched, and under the measures `cosine` and `none`: two texts may be
/// alike to these without a word in common.
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
    let measured = !matches!(config.decide.verify, Measure::Cosine | Measure::None);
    if !measured
        || config.search.recall_sample == 0
        || config.search.max_distance == MaxDistance::Off
    {
        return Ok(None);
    }
    let searched = searched(config, corpus, &order.representatives);
    let of_hubs = |document: &u32| candidates.hubs.has(order.ranks[*document as usize]);
    let (hubs, mut searched): (Vec<u32>, Vec<u32>) = searched.into_iter().partition(of_hubs);
    searched.extend(smallest(corpus, &hubs, HUBS));
    searched.sort_unstable();
    let Drawn { sample, columns } = draw(corpus, &searched, config.search.recall_sample as usize);
    let share = sample.len() as f64 / corpus.len().max(1) as f64;
    let stage = Progress::begin(
        watch,
        Stage::Recall,
        sample.len(),
        (share * corpus.text_bytes as f64) as u64,
    );
    // The fingerprints take no part, so any distance will do.
    let mut measuring = Measuring {
        input,
        rules: config.rules(None),
        sample: &sample,
        columns,
        sketches: Vec::new(),
        ngrams: None,
        stage: &stage,
    };
    let candidates = Found {
        listed: candidates_of(candidates, &order.ranks, &sample)?,
        hubs: &candidates.hubs,
        ranks: &order.ranks,
        keepers,
    };
    let characters: f64 = corpus.lengths().iter().map(|length| f64::from(*length)).sum();
    let times = (f64::from(config.search.recall_sample) / USUAL).max(1.0);
    let mut left = times * (characters / COMPARED).max(FEW_COMPARED);
    let (mut all, mut measured) = (Counts::default(), columns);
    stage.advance(columns);
    while measured < sample.len() && left >= 0.0 {
        let most = measured.clamp(FIRST_BLOCK, BLOCK).min(sample.len() - measured);
        let past = measured + in_block(corpus, &sample[measured..measured + most]);
        let mut possible = measuring.possible(measured..past)?;
        let within = measuring.affordable(&possible, past, &mut left);
        possible.truncate(possible.partition_point(|pair| pair[0] < within));
        all = all.and(measuring.count(&candidates, &possible)?);
        stage.advance(within as usize - measured);
        measured = within as usize;
        stop_if_asked(watch)?;
    }
    Ok(Some(Recall::new(measured as u64, all.similar, all.found, all.kept_apart)))
}

/// The documents of a sample, each side in the order of their hashes.
struct Drawn {
    sample: Vec<u32>,
    /// How many of them, at the beginning, are of the side of fewer documents, where there are two:
    /// the others are compared with all of these. Where there is one side, 0: each document is
    /// compared with those before it.
    columns: usize,
}

/// How many of some documents, from the first one on, are a block by their characters.
fn in_block(corpus: &Corpus, documents: &[u32]) -> usize {
    let mut characters = 0;
    let fits = documents.iter().take_while(|document| {
        characters += u64::from(corpus.lengths()[**document as usize]);
        characters <= BLOCK_CHARACTERS
    });
    fits.count().max(1)
}

/// Draws the sample that has as many pairs as this number of documents has with all others.
fn draw(corpus: &Corpus, searched: &[u32], documents: usize) -> Drawn {
    let root = |pairs: usize| (pairs as f64).sqrt().ceil() as usize;
    let Some((one, other)) =
        corpus.origins.first_side(searched).map(|first| searched.split_at(first))
    else {
        return Drawn {
            sample: smallest(corpus, searched, root(2 * documents * searched.len())),
            columns: 0,
        };
    };
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if few.is_empty() {
        return Drawn { sample: Vec::new(), columns: 0 };
    }
    let pairs = documents * many.len();
    let mut sample = smallest(corpus, few, root(pairs).min(BLOCK));
    let columns = in_block(corpus, &sample);
    sample.truncate(columns);
    sample.extend(smallest(corpus, many, pairs.div_ceil(columns)));
    Drawn { sample, columns }
}

/// Pairs that are similar enough, of those the ones that are candidates, and of those the ones of
/// which both documents stay.
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
    /// As of [`Drawn`].
    columns: usize,
    /// Those of the columns; where there are none, of all documents up to the end of the last
    /// block.
    sketches: Vec<Sketches>,
    /// The index of the columns; where there are none, of the last block. With its places.
    ngrams: Option<(Range<usize>, WordNgramIndex)>,
    stage: &'a Progress<'a>,
}

impl Measuring<'_> {
    /// What is made of each of these places, on all threads.
    fn of_all<T: Send>(
        &self,
        places: Range<usize>,
        make: impl Fn(&mut PartReader<'_>, usize) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let of_one = |reader: &mut PartReader<'_>, place| {
            if self.stage.stopped() { Err(Error::Interrupted) } else { make(reader, place) }
        };
        let reader = || PartReader::new(self.input, self.rules);
        places.into_par_iter().with_min_len(CHUNK).map_init(reader, of_one).collect()
    }

    /// The possible pairs of a block, sorted: of each document with the columns, or with those
    /// before it.
    fn possible(&mut self, block: Range<usize>) -> Result<Vec<[u32; 2]>, Error> {
        let pairs = match self.rules.compared() {
            Compared::Text => self.by_sketches(block)?,
            _ => self.by_ngrams(block)?,
        };
        let documents = |pair: &[u32; 2]| pair.map(|place| self.sample[place as usize]);
        let mut pairs = pairs.concat();
        pairs.retain(|pair| may_be_near(self.input.corpus, documents(pair)[0], documents(pair)[1]));
        pairs.sort_unstable();
        Ok(pairs)
    }

    fn by_sketches(&mut self, block: Range<usize>) -> Result<Vec<Vec<[u32; 2]>>, Error> {
        let held = if self.columns == 0 { block.end } else { self.columns };
        let sketches = |reader: &mut PartReader<'_>, place: usize| {
            reader.alphanumeric(self.sample[place]).map(Sketches::new)
        };
        let new = self.of_all(self.sketches.len()..held, sketches)?;
        self.sketches.extend(new);
        let bound = SketchBound::of_recall(self.rules.min_similarity);
        self.of_all(block, |reader, place| {
            let own = match self.sketches.get(place) {
                Some(own) => own,
                None => &Sketches::new(reader.alphanumeric(self.sample[place])?),
            };
            let others = self.sketches.iter().take(place).enumerate();
            let near = others.filter(|(_, other)| own.may_reach(other, &bound));
            Ok(near.map(|(other, _)| [place as u32, other as u32]).collect())
        })
    }

    fn by_ngrams(&mut self, block: Range<usize>) -> Result<Vec<Vec<[u32; 2]>>, Error> {
        // Without columns the documents before look for those of the block.
        let (held, looking) = if self.columns == 0 {
            (block.clone(), 0..block.end)
        } else {
            (0..self.columns, block)
        };
        if self.ngrams.as_ref().is_none_or(|(places, _)| *places != held) {
            self.ngrams = None;
            let own = |reader: &mut PartReader<'_>, place: usize| {
                reader.ngrams(self.sample[place]).map(<[u64]>::to_vec)
            };
            let own = self.of_all(held.clone(), own)?;
            self.ngrams = Some((
                held,
                WordNgramIndex::new(self.rules.measure, &own, self.rules.min_similarity),
            ));
        }
        let (held, index) = self.ngrams.as_ref().expect("just made");
        self.of_all(looking, |reader, place| {
            let found = reader
                .possible(self.sample[place], index)?
                .iter()
                .map(|number| held.start + *number as usize);
            let others = found.filter(|other| *other > place || self.columns > 0);
            Ok(others.map(|other| [place.max(other) as u32, place.min(other) as u32]).collect())
        })
    }

    /// The place past the last document of a block, which ends at `past`, whose pairs can be
    /// compared with the characters that are `left`; the first pair always can. Takes what these
    /// have.
    fn affordable(&self, possible: &[[u32; 2]], past: usize, left: &mut f64) -> u32 {
        let lengths = self.input.corpus.lengths();
        for pairs in possible.chunk_by(|one, other| one[0] == other[0]) {
            let length = |place: &u32| f64::from(lengths[self.sample[*place as usize] as usize]);
            *left -= pairs.iter().flatten().map(length).sum::<f64>();
            if *left < 0.0 {
                return pairs[0][0].max(self.columns.max(1) as u32 + 1);
            }
        }
        past as u32
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
    hubs: &'c HubDocuments,
    ranks: &'c [u32],
    keepers: &'c [u32],
}

impl Found<'_> {
    /// Whether both documents stay.
    fn stay(&self, pair: [u32; 2]) -> bool {
        pair.iter().all(|document| self.keepers[*document as usize] == *document)
    }

    fn has(&self, one: u32, other: u32) -> bool {
        let place = |document: u32| self.hubs.place(self.ranks[document as usize]);
        match (place(one), place(other)) {
            (Some(one), Some(other)) => self.hubs.near(one, other).is_some(),
            _ => self.listed.binary_search(&(one.min(other), one.max(other))).is_ok(),
        }
    }
}

/// The candidate pairs of the sample, by their documents, sorted.
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

/// Prepares the part of each document that the measure compares.
struct PartReader<'c> {
    reader: Reader<'c>,
    rules: Rules,
    document: Prepared,
    ngrams: Vec<u64>,
    scratch: Scratch,
    possible: Vec<u32>,
}

impl<'c> PartReader<'c> {
    fn new(input: &Input<'c>, rules: Rules) -> PartReader<'c> {
        let reader = Reader::new(input.corpus, input.recipe);
        let (document, scratch) = (Prepared::default(), Scratch::default());
        PartReader { reader, rules, document, ngrams: Vec::new(), scratch, possible: Vec::new() }
    }

    fn alphanumeric(&mut self, document: u32) -> Result<&[u8], Error> {
        self.reader.load(document, Parts { text: true, ..Parts::default() }, &mut self.document)?;
        Ok(self.document.alphanumeric.get().expect("just loaded"))
    }

    fn ngrams(&mut self, document: u32) -> Result<&[u64], Error> {
        self.reader.load(
            document,
            Parts { terms: true, ..Parts::default() },
            &mut self.document,
        )?;
        compare::word_ngrams(
            self.document.terms.get().expect("just loaded"),
            self.rules.shingle,
            &mut self.ngrams,
        );
        Ok(&self.ngrams)
    }

    /// The numbers of the texts of an index that may be similar.
    fn possible(&mut self, document: u32, index: &WordNgramIndex) -> Result<&[u32], Error> {
        self.ngrams(document)?;
        index.possible(&self.ngrams, &mut self.scratch, &mut self.possible);
        Ok(&self.possible)
    }
}

#[cfg(test)]
mod tests;
