//! A corpus, and queries -> the duplicates of each query, the most similar first.
//!
//! The documents of the corpus were read as the reference documents of the queries. Each query is
//! compared with all fingerprints, so no document within `max-distance` is missed. The judge
//! decides as in a deduplication, given the neighbors of both texts. A query of few features is
//! compared with the short documents by its characters. Guards do not matter: a query has no
//! fields.
//!
//! Cost: for each query a comparison with every fingerprint, about 2 ns each, and a comparison of
//! texts with each similar text. Copies of a text cost nothing more. Neighbors are counted for the
//! query, and for its similar texts if they are fewer than a family.

use std::cmp::Ordering;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use nearprint_core::compare::ShortText;
use nearprint_core::judge::{Reason, Rules, Verdict};
use nearprint_core::near::short::Signature;
use nearprint_core::near::{Among, Collection, Kind, Met, Record, Records};
use serde::Serialize;

use crate::corpus::{Corpus, DocumentStore, PairJudge, StoreJudge};
use crate::document::Id;
use crate::error::Error;
use crate::search::{Input, fingerprints, largest_distance};
use crate::shares::serialize_rounded;
use crate::shown_fields::ShownFields;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The number of documents, those with the nearest fingerprints, that are compared with a text that
/// has no duplicate.
const NEAREST: usize = 3;

/// A document, and the result of its comparison with a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// The id of the document.
    pub id: Id,
    /// The file of the document, as the user named it, or as it was found.
    pub file: String,
    /// The row in that file, from 1.
    pub row: u64,
    /// The similarity of the two texts, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// The reason why they are duplicates; `None` if they are not.
    pub reason: Option<Reason>,
    /// The distance of their fingerprints in bits; `None` if one of them is short.
    pub distance: Option<u32>,
    /// The fields to show beside it.
    #[serde(skip_serializing_if = "ShownFields::is_empty")]
    pub fields: ShownFields,
}

/// The matches of a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matches {
    /// The first duplicates: by similarity, then by distance, then in the order of the input.
    pub duplicates: Vec<Match>,
    /// The number of other duplicates.
    pub more: u64,
    /// The most similar of the documents with the nearest fingerprints, if there are no duplicates;
    /// `None` for a short text.
    pub nearest: Option<Match>,
}

/// Finds the duplicates of the last documents of a corpus among its reference documents, at most
/// `top` for each.
///
/// # Errors
/// [`Error::Io`] if temporary files cannot be read, [`Error::Unfit`] if the corpus lacks a needed
/// part, [`Error::Interrupted`].
pub fn find(input: &Input<'_>, top: usize, watch: &dyn Watch) -> Result<Vec<Matches>, Error> {
    let finder = Finder::new(input, watch)?;
    let stage = Progress::begin(watch, Stage::Verify, finder.queries.len(), 0);
    let mut judge = PairJudge::new(input.corpus, input.recipe, finder.rules);
    let mut among = None;
    let mut found = Vec::with_capacity(finder.queries.len());
    for (text, record) in finder.queries() {
        stop_if_asked(watch)?;
        let among = among.get_or_insert_with(|| Among::new(&finder.records, &finder.rules, record));
        among.query(record, None);
        found.push(finder.matches(text, top, among, &mut judge, watch)?);
        stage.advance(1);
    }
    Ok(found)
}

/// Returns true if one of the last documents of a corpus is in a family of its reference documents:
/// three other texts or more are near it.
///
/// # Errors
/// As [`find`].
pub fn in_family(input: &Input<'_>, watch: &dyn Watch) -> Result<bool, Error> {
    let finder = Finder::new(input, watch)?;
    Ok(finder.queries().any(|(_, record)| {
        let mut among = Among::new(&finder.records, &finder.rules, record);
        among.is_in_family()
    }))
}

/// The duplicates of a text: the most similar first, then equal texts, then the nearest, then in
/// the order of the input. `text` is the number of the text for the judge.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`], [`Error::Incompatible`], [`Error::Interrupted`].
pub fn duplicates<S: DocumentStore>(
    text: u32,
    among: &mut Among<'_, impl Collection>,
    judge: &mut StoreJudge<S>,
    watch: &dyn Watch,
) -> Result<Vec<(u32, Verdict)>, Error> {
    let (equal, near) = (among.equal(), among.near());
    let is_new = equal.is_empty();
    let mut found: Vec<(u32, Verdict)> = Vec::new();
    found.extend(equal.into_iter().map(|document| (document, Verdict::of_equal_texts())));
    // Copies of a text are judged once.
    let mut judged: HashMap<u128, Option<Verdict>> = HashMap::new();
    let near = near.into_iter().map(|met| (met, Some(met.distance)));
    let short = among.short().into_iter().map(|met| (met, None));
    for (Met { number, text_hash, .. }, distance) in near.chain(short) {
        stop_if_asked(watch)?;
        let verdict = match judged.entry(text_hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(unknown) => {
                let in_family = || Ok(among.are_in_family(number, is_new));
                *unknown.insert(judge.candidate_asking([text, number], distance, in_family)?)
            }
        };
        found.extend(verdict.map(|verdict| (number, verdict)));
    }
    found.sort_unstable_by(by_similarity);
    Ok(found)
}

/// The records of a corpus: of its reference documents, and of the queries.
struct Finder<'c> {
    corpus: &'c Corpus,
    rules: Rules,
    /// The records of the documents that are searched.
    records: Records,
    /// The record of each query, in order.
    queries: Vec<Record>,
}

impl<'c> Finder<'c> {
    fn new(input: &Input<'c>, watch: &dyn Watch) -> Result<Finder<'c>, Error> {
        let Input { config, corpus, recipe, .. } = *input;
        let rules = config.rules(largest_distance(config));
        let kind = |document| {
            let is_short = rules.is_short(corpus.features(document));
            let is_empty = corpus.is_empty_text(document);
            Kind::new(!is_short && !is_empty, is_short, is_empty)
        };
        let all = 0..corpus.len() as u32;
        let searched: Vec<u32> =
            all.clone().filter(|document| kind(*document).is_searched()).collect();
        let fingerprints = fingerprints(corpus, recipe, &searched, watch)?;
        let (pool, mut text) = (corpus.short(), ShortText::default());
        let mut record = |document| {
            let fingerprint = searched.binary_search(&document).ok().map(|place| {
                let mut words = [0; 4];
                words[..fingerprints.words_each()].copy_from_slice(fingerprints.get(place));
                words
            });
            let short = pool.place(document).and_then(|place| {
                pool.read(place, &mut text);
                let characters = &text.characters;
                let length = characters.len() as u32;
                (length > 0).then(|| (length, Signature::new(characters)))
            });
            Record::of(
                corpus.text_hash(document),
                kind(document),
                short,
                fingerprint,
                config.fingerprint.bits,
            )
        };
        let mut records = Records::new(fingerprints.words_each());
        let against = corpus.origins.against() as u32;
        (0..against).for_each(|document| records.push(document, &record(document)));
        let queries = (against..all.end).map(record).collect();
        Ok(Finder { corpus, rules, records, queries })
    }

    /// The number of each query in the corpus, and its record.
    fn queries(&self) -> impl Iterator<Item = (u32, Record)> {
        (self.corpus.origins.against() as u32..).zip(self.queries.iter().copied())
    }

    /// The matches of a query.
    fn matches(
        &self,
        text: u32,
        top: usize,
        among: &mut Among<'_, Records>,
        judge: &mut PairJudge<'_>,
        watch: &dyn Watch,
    ) -> Result<Matches, Error> {
        let found = duplicates(text, among, judge, watch)?;
        let more = found.len().saturating_sub(top) as u64;
        let named = |(document, verdict): &(u32, Verdict)| self.named(*document, verdict);
        let first = found.iter().take(top).map(named).collect();
        let nearest = if found.is_empty() { self.nearest(text, among, judge)? } else { None };
        Ok(Matches { duplicates: first, more, nearest })
    }

    /// The most similar of the documents with the nearest fingerprints.
    fn nearest(
        &self,
        text: u32,
        among: &mut Among<'_, Records>,
        judge: &mut PairJudge<'_>,
    ) -> Result<Option<Match>, Error> {
        let is_new = among.equal().is_empty();
        let mut compared: Vec<(u32, Verdict)> = Vec::new();
        for Met { number, .. } in among.nearest(NEAREST) {
            let in_family = among.are_in_family(number, is_new);
            compared.push((number, judge.verdict_among([text, number], in_family)?));
        }
        let best = compared.into_iter().min_by(by_similarity);
        Ok(best.map(|(document, verdict)| self.named(document, &verdict)))
    }

    fn named(&self, document: u32, verdict: &Verdict) -> Match {
        let origins = &self.corpus.origins;
        Match {
            id: origins.id(document),
            file: origins.file(document).to_string(),
            row: origins.row(document),
            similarity: verdict.similarity,
            reason: verdict.duplicates.then_some(verdict.reason),
            distance: verdict.distance,
            fields: ShownFields::default(),
        }
    }
}

/// Orders by similarity, the highest first, then equal texts, then the nearest, then in the order
/// of the input.
pub(crate) fn by_similarity(
    (one, own): &(u32, Verdict),
    (other, others): &(u32, Verdict),
) -> Ordering {
    let nearness = |verdict: &Verdict| {
        (verdict.reason != Reason::Exact, verdict.distance.is_none(), verdict.distance)
    };
    others
        .similarity
        .total_cmp(&own.similarity)
        .then(nearness(own).cmp(&nearness(others)))
        .then(one.cmp(other))
}

#[cfg(test)]
mod tests;
