//! A corpus, and texts that are asked for -> for each text the documents that are duplicates of it,
//! the most similar first.
//!
//! The corpus was read as the documents that the texts are compared with. Each text is held against
//! all fingerprints, so no document within `max-distance` is missed, whatever tables would see; the
//! judge decides as in a deduplication, with the neighbors of both. A text with few features is
//! compared with the short documents by its characters. Guards do not count: a text has no fields.
//!
//! Cost: for each text a look at every fingerprint, some 2 ns each, and one more for each document
//! that is similar to it.

use std::cmp::Ordering;

use nearprint_core::compare::judge::{FAMILY, Reason, Verdict};
use nearprint_core::fingerprint::{Distance, Fingerprints, edit_distance_within, hamming_distance};
use serde::Serialize;

use crate::corpus::{Corpus, DocumentStore, PairJudge, StoreJudge};
use crate::document::Id;
use crate::error::Error;
use crate::search::{Input, fingerprints, largest_distance};
use crate::shares::serialize_rounded;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// Documents that are compared with a text that has no duplicate: those of the nearest
/// fingerprints.
const NEAREST: usize = 3;

/// A document beside a text that was asked for, and how the two compare.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// Its id.
    pub id: Id,
    /// Its file, as the user named or found it.
    pub file: String,
    /// Its row in that file, from 1.
    pub row: u64,
    /// The similarity of the two, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// Why they are duplicates; `None` where they are none.
    pub reason: Option<Reason>,
    /// The distance of their fingerprints in bits; `None` where one of them is short.
    pub distance: Option<u32>,
}

/// What was found for a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matches {
    /// The most similar of its duplicates: by similarity, then by distance, then in the order of
    /// the input.
    pub duplicates: Vec<Match>,
    /// The number of its other duplicates.
    pub more: u64,
    /// Where it has none, the most similar one of the documents with the nearest fingerprints; none
    /// of a text that is short.
    pub nearest: Option<Match>,
}

/// Finds the duplicates of the last documents of a corpus among those that they are compared with;
/// `top` of each at most.
///
/// # Errors
/// [`Error::Io`] where temporary files cannot be read, [`Error::Unfit`] where a part was not
/// gathered, [`Error::Interrupted`].
pub fn find(input: &Input<'_>, top: usize, watch: &dyn Watch) -> Result<Vec<Matches>, Error> {
    let mut finder = Finder::new(input, watch)?;
    let stage = Progress::begin(watch, Stage::Verify, finder.asked().len(), 0);
    let mut judge =
        PairJudge::new(input.corpus, input.recipe, input.config.rules(finder.max_distance));
    let mut found = Vec::with_capacity(finder.asked().len());
    for text in finder.asked() {
        stop_if_asked(watch)?;
        found.push(finder.matches(text, top, &mut judge, watch)?);
        stage.advance(1);
    }
    Ok(found)
}

/// Whether one of the last documents of a corpus is in a family of those that they are compared
/// with: three other texts or more are near it.
///
/// # Errors
/// As [`find`].
pub fn in_family(input: &Input<'_>, watch: &dyn Watch) -> Result<bool, Error> {
    let mut finder = Finder::new(input, watch)?;
    for text in finder.asked() {
        if finder.neighbors(text)? >= FAMILY {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A document and its distance in bits.
pub type Near = (u32, u32);

/// Documents among which the duplicates of a text are looked for, by their numbers. The text has a
/// number of its own.
pub trait Candidates {
    /// Those of equal normalized text.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    fn equal(&mut self, text: u32) -> Result<Vec<u32>, Error>;

    /// Those of other texts whose fingerprints are near that of a document or of the text; none
    /// where it has none.
    ///
    /// # Errors
    /// As [`equal`](Self::equal).
    fn near(&mut self, of: u32) -> Result<Vec<Near>, Error>;

    /// Those of other texts that a text of few features is to be compared with by its characters.
    ///
    /// # Errors
    /// As [`equal`](Self::equal).
    fn short(&mut self, text: u32) -> Result<Vec<u32>, Error>;

    /// How many other texts are near a document, up to [`FAMILY`].
    ///
    /// # Errors
    /// As [`equal`](Self::equal).
    fn neighbors(&mut self, document: u32) -> Result<u8, Error>
    where
        Self: Sized,
    {
        let near = self.near(document)?;
        Ok(others(self, document, &near).len() as u8)
    }

    /// The XXH3-128 of the normalized text of a document.
    fn text_hash(&self, document: u32) -> u128;
}

/// The duplicates of a text, the most similar first, of these equal texts, of these the nearest, of
/// these the first of the input.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`], [`Error::Incompatible`], [`Error::Interrupted`].
pub fn duplicates<S: DocumentStore>(
    text: u32,
    among: &mut impl Candidates,
    judge: &mut StoreJudge<S>,
    watch: &dyn Watch,
) -> Result<Vec<(u32, Verdict)>, Error> {
    let (equal, near) = (among.equal(text)?, among.near(text)?);
    let is_new = equal.is_empty();
    let mut found: Vec<(u32, Verdict)> = Vec::new();
    found.extend(equal.into_iter().map(|document| (document, Verdict::of_equal_texts())));
    for (document, distance) in &near {
        stop_if_asked(watch)?;
        let in_family = || are_in_family(among, text, &near, (*document, is_new));
        let verdict = judge.candidate_asking([text, *document], Some(*distance), in_family)?;
        found.extend(verdict.map(|verdict| (*document, verdict)));
    }
    for document in among.short(text)? {
        let verdict = judge.candidate([text, document], None, false)?;
        found.extend(verdict.map(|(verdict, _)| (document, verdict)));
    }
    found.sort_unstable_by(by_similarity);
    Ok(found)
}

/// Whether a text, which these are near, or one of these is in a family. A text that none of them
/// has is a neighbor of the document, too.
fn are_in_family(
    among: &mut impl Candidates,
    text: u32,
    near: &[Near],
    (document, is_new): (u32, bool),
) -> Result<bool, Error> {
    Ok(others(among, text, near).len() >= FAMILY as usize
        || among.neighbors(document)? + u8::from(is_new) >= FAMILY)
}

/// Of those that are near a document the first ones of other texts, one of each text, up to
/// [`FAMILY`].
pub fn others(among: &impl Candidates, of: u32, near: &[Near]) -> Vec<u32> {
    let mut met = vec![among.text_hash(of)];
    let is_new = |document: &u32| {
        let hash = among.text_hash(*document);
        let is_new = !met.contains(&hash);
        if is_new {
            met.push(hash);
        }
        is_new
    };
    near.iter().map(|(document, _)| *document).filter(is_new).take(FAMILY as usize).collect()
}

/// Documents by their fingerprints.
struct Finder<'c> {
    corpus: &'c Corpus,
    /// Those that have one, in order.
    documents: Vec<u32>,
    fingerprints: Fingerprints,
    max_distance: Option<u32>,
    metric: Distance,
}

impl<'c> Finder<'c> {
    /// The documents of a corpus, with their fingerprints.
    fn new(input: &Input<'c>, watch: &dyn Watch) -> Result<Finder<'c>, Error> {
        let Input { config, corpus, recipe, .. } = *input;
        let max_distance = largest_distance(config);
        let rules = config.rules(max_distance);
        let is_long = |document: &u32| {
            !rules.is_short(corpus.features(*document)) && !corpus.is_empty_text(*document)
        };
        let documents: Vec<u32> = (0..corpus.len() as u32).filter(is_long).collect();
        let fingerprints = fingerprints(corpus, recipe, &documents, watch)?;
        Ok(Finder { corpus, documents, fingerprints, max_distance, metric: config.distance })
    }

    /// The texts that are asked for.
    fn asked(&self) -> std::ops::Range<u32> {
        self.corpus.origins.against() as u32..self.corpus.len() as u32
    }

    /// What is found for a text, by its number.
    fn matches(
        &mut self,
        text: u32,
        top: usize,
        judge: &mut PairJudge<'_>,
        watch: &dyn Watch,
    ) -> Result<Matches, Error> {
        let found = duplicates(text, self, judge, watch)?;
        let more = found.len().saturating_sub(top) as u64;
        let first = found
            .iter()
            .take(top)
            .map(|(document, verdict)| self.named(*document, verdict))
            .collect();
        let nearest = if found.is_empty() { self.nearest(text, judge)? } else { None };
        Ok(Matches { duplicates: first, more, nearest })
    }

    /// The documents of the corpus.
    fn corpus(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.corpus.origins.against() as u32
    }

    /// The documents of the corpus of another text than this one, up to a distance.
    fn distances(&self, of: u32, most: u32) -> impl Iterator<Item = Near> + '_ {
        let own = self.documents.binary_search(&of).ok().map(|place| self.fingerprints.get(place));
        let (hash, against) = (self.corpus.text_hash(of), self.corpus.origins.against() as u32);
        let others =
            self.documents.iter().enumerate().take_while(move |(_, document)| **document < against);
        let distance = move |(place, document): (usize, &u32)| {
            let distance = self.distance(own?, self.fingerprints.get(place), most)?;
            (self.corpus.text_hash(*document) != hash).then_some((*document, distance))
        };
        others.filter_map(distance)
    }

    /// The distance of two fingerprints, if it is `most` at most.
    fn distance(&self, one: &[u64], other: &[u64], most: u32) -> Option<u32> {
        match self.metric {
            Distance::Hamming => {
                Some(hamming_distance(one, other)).filter(|distance| *distance <= most)
            }
            Distance::Edit => edit_distance_within(one, other, self.fingerprints.bits(), most),
        }
    }

    /// The most similar one of the documents with the nearest fingerprints.
    fn nearest(&mut self, text: u32, judge: &mut PairJudge<'_>) -> Result<Option<Match>, Error> {
        if self.max_distance.is_none() {
            return Ok(None);
        }
        let mut near: Vec<Near> = self.distances(text, self.fingerprints.bits()).collect();
        let nearness = |(document, distance): &Near| (*distance, *document);
        if near.len() > NEAREST {
            near.select_nth_unstable_by_key(NEAREST, nearness);
            near.truncate(NEAREST);
        }
        let (is_new, of_text) = (self.equal(text)?.is_empty(), self.near(text)?);
        let mut compared: Vec<(u32, Verdict)> = Vec::new();
        for (document, _) in near {
            let in_family = are_in_family(self, text, &of_text, (document, is_new))?;
            compared.push((document, judge.verdict_among([text, document], in_family)?));
        }
        Ok(compared
            .into_iter()
            .min_by(by_similarity)
            .map(|(document, verdict)| self.named(document, &verdict)))
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
        }
    }
}

impl Candidates for Finder<'_> {
    fn equal(&mut self, text: u32) -> Result<Vec<u32>, Error> {
        let hash = self.corpus.text_hash(text);
        let is_empty = self.corpus.is_empty_text(text);
        Ok(self
            .corpus()
            .filter(|document| !is_empty && self.corpus.text_hash(*document) == hash)
            .collect())
    }

    fn near(&mut self, of: u32) -> Result<Vec<Near>, Error> {
        Ok(self.max_distance.map_or_else(Vec::new, |most| self.distances(of, most).collect()))
    }

    fn short(&mut self, text: u32) -> Result<Vec<u32>, Error> {
        let pool = self.corpus.short();
        let (Some(own), Some(_)) = (pool.place(text), self.max_distance) else {
            return Ok(Vec::new());
        };
        let hash = self.corpus.text_hash(text);
        let may_pair = |document: &u32| {
            self.corpus.text_hash(*document) != hash
                && pool.place(*document).is_some_and(|place| pool.may_pair(own, place))
        };
        Ok(self.corpus().filter(may_pair).collect())
    }

    fn text_hash(&self, document: u32) -> u128 {
        self.corpus.text_hash(document)
    }
}

/// The most similar ones first, of these the nearest, of these the first of the input.
fn by_similarity((one, own): &(u32, Verdict), (other, others): &(u32, Verdict)) -> Ordering {
    let nearness = |verdict: &Verdict| {
        (verdict.reason != Reason::Exact, verdict.distance.is_none(), verdict.distance)
    };
    others
        .similarity
        .total_cmp(&own.similarity)
        .then(nearness(own).cmp(&nearness(others)))
        .then(one.cmp(other))
}
