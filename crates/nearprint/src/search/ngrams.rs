//! Documents and their word n-grams -> the pairs that are similar enough by these, all of them.
//!
//! The documents of a block are indexed by their word n-grams, and every document looks up those
//! that have more n-grams than it. A block is as large as memory allows; mostly there is one.

use std::borrow::Cow;

use nearprint_core::compare::{self, NgramSets};
use nearprint_core::fingerprint::hamming_distance;
use nearprint_core::judge::Parts;
use nearprint_core::recipe::Prepared;
use rayon::prelude::*;

use super::{Input, fingerprints, may_be_near};
use crate::config::{Config, JustMissed};
use crate::corpus::{DocumentStore, Reader};
use crate::error::Error;
use crate::outcome::Search;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The number of documents whose n-grams are read together.
const TOGETHER: usize = 4096;

/// The fewest bytes of a block.
const LEAST_BLOCK: u64 = 64 << 20;

/// Pairs that just missed are looked for down to this much under the least similarity of duplicates.
const BELOW: f64 = 0.15;

/// The least similarity of the pairs that just missed, if settings do not say it: rounded to six
/// decimals, so that 0.7 - 0.15 is 0.55, and never below 0.01.
pub fn just_below(min_similarity: f64) -> f64 {
    (((min_similarity - BELOW) * 1e6).round() / 1e6).max(0.01).min(min_similarity)
}

/// Reads the word n-grams of documents.
pub struct NgramReader<'c> {
    reader: Reader<'c>,
    shingle: u32,
    document: Prepared,
    ngrams: Vec<u64>,
}

impl<'c> NgramReader<'c> {
    /// Starts before the first document. An n-gram has `shingle` terms.
    pub fn new(input: &Input<'c>, shingle: u32) -> NgramReader<'c> {
        let reader = Reader::new(input.corpus, input.recipe);
        NgramReader { reader, shingle, document: Prepared::default(), ngrams: Vec::new() }
    }

    /// The word n-grams of a document.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unfit`] if the corpus has no terms.
    pub fn ngrams(&mut self, document: u32) -> Result<&[u64], Error> {
        let parts = Parts { terms: true, ..Parts::default() };
        self.reader.load(document, parts, &mut self.document)?;
        let terms = self.document.terms.get().expect("just loaded");
        compare::word_ngrams(terms, self.shingle, &mut self.ngrams);
        Ok(&self.ngrams)
    }
}

/// The least similarity of the pairs that a run lists.
fn least(config: &Config) -> f64 {
    match config.decide.just_missed {
        JustMissed::Auto => just_below(config.decide.min_similarity),
        JustMissed::Down(_) | JustMissed::Off => config.least_similarity(),
    }
}

/// Calls `push` with all pairs of these documents that are similar enough by their word n-grams, and
/// with the distances of their fingerprints.
pub(super) fn search_ngrams(
    input: &Input<'_>,
    documents: &[u32],
    push: &mut impl FnMut(u32, u32, Option<u32>) -> Result<(), Error>,
    watch: &dyn Watch,
) -> Result<Search, Error> {
    let Input { config, corpus, recipe, memory } = *input;
    let fingerprints = match corpus.fingerprints() {
        Some(all) if documents.len() == corpus.len() => Cow::Borrowed(all),
        _ => Cow::Owned(fingerprints(corpus, recipe, documents, watch)?),
    };
    let stage = Progress::begin(watch, Stage::Join, documents.len(), corpus.text_bytes);
    let (measure, least, shingle) = (config.decide.verify, least(config), config.decide.shingle);
    let reader = || NgramReader::new(input, shingle);
    let most = (memory.left() / 2).max(LEAST_BLOCK);
    let (mut start, mut candidates) = (0, 0);
    while start < documents.len() {
        let (mut sets, mut count) = (Vec::new(), 0);
        let fits = |count| NgramSets::bytes(count) < most && count < NgramSets::MOST;
        while start + sets.len() < documents.len() && fits(count) {
            let batch = &documents[start + sets.len()..];
            let own = batch[..batch.len().min(TOGETHER)]
                .par_iter()
                .map_init(reader, |reader, own| reader.ngrams(*own).map(<[u64]>::to_vec));
            let own: Vec<Vec<u64>> = own.collect::<Result<_, Error>>()?;
            count += own.iter().map(Vec::len).sum::<usize>();
            sets.extend(own);
            stop_if_asked(watch)?;
        }
        let block = start..start + sets.len();
        let sets = NgramSets::new(measure, sets, least);
        let similar = |reader: &mut NgramReader<'_>, place: usize| {
            // Of sets of one size, the later one is found.
            let above = (place + 1).saturating_sub(block.start).min(sets.len()) as u32;
            let mut found = Vec::new();
            match block.contains(&place) {
                true => sets.similar(sets.get(place - block.start), Some(above), &mut found),
                false => sets.similar(reader.ngrams(documents[place])?, Some(above), &mut found),
            }
            Ok((place, found))
        };
        for first in (0..documents.len()).step_by(TOGETHER) {
            let places = first..(first + TOGETHER).min(documents.len());
            let found: Vec<(usize, Vec<u32>)> =
                places.into_par_iter().map_init(reader, similar).collect::<Result<_, Error>>()?;
            for (place, others) in found {
                for other in others.into_iter().map(|other| block.start + other as usize) {
                    let (one, two) = (documents[place], documents[other]);
                    if may_be_near(corpus, one, two) {
                        let [left, right] = [place, other].map(|own| fingerprints.get(own));
                        candidates += 1;
                        push(one, two, Some(hamming_distance(left, right)))?;
                    }
                }
            }
            let done = (start as f64 + sets.len() as f64 * first as f64 / documents.len() as f64)
                / documents.len() as f64;
            stage.reach(done);
            stop_if_asked(watch)?;
        }
        start = block.end;
    }
    let bits = config.fingerprint.bits;
    Ok(Search {
        candidates,
        max_distance: Some(bits),
        complete_distance: Some(bits),
        plan: "an index of word n-grams, complete".to_string(),
        seen_at_max_distance: Some(1.0),
        ..Search::default()
    })
}
