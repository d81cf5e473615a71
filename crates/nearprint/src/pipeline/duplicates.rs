//! Corpus -> duplicate pairs -> a decision for every document.

use std::ops::ControlFlow;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::corpus::{Corpus, stop_if_asked};
use super::evidence::{Comparer, Weigher};
use super::pairs::Pairs;
use super::recall::Recall;
use super::{Pipeline, summary};
use crate::cluster;
use crate::config::MaxDistance;
use crate::document::Id;
use crate::error::Error;
use crate::estimate::{self, Choice};
use crate::fingerprint::{Fingerprints, to_hex};
use crate::join::{self, CandidatePair, Plan};
use crate::keep;
use crate::watch::{Evenly, Stage, Watch};
use crate::write::FingerprintRow;

/// Documents whose terms are read and weighed together.
pub(super) const CHUNK: usize = 256;

/// Candidate pairs confirmed together.
pub(super) const PAIRS: usize = 512;

/// What `max-distance auto` is, in bits of 256. Few true pairs lie beyond it, and every four bits more bring two to three
/// times the candidates (docs/quality.md).
const MAX_DISTANCE: u32 = 80;

/// Below this many documents, comparing all pairs is cheap enough to promise completeness to `max_distance`.
pub(super) const CHEAP: usize = 20_000;

/// The promise of `complete-distance auto` for more documents than that: as far as block tables reach at a bearable cost
/// (32 of 256 bits, and that share of other widths; see docs/algorithms.md on the two bounds).
pub(super) const AFFORDABLE: u32 = 32;

/// Two documents confirmed as duplicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplicatePair {
    /// The earlier document.
    pub left: u32,
    /// The later document.
    pub right: u32,
    /// Hamming distance of the fingerprints in bits; `None` where one is too short to have a meaningful one.
    pub distance: Option<u32>,
    /// Similarity under the run's measure; for short documents their edit similarity.
    pub similarity: f64,
}

/// Why a document was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Its normalized text equals its keeper's.
    Exact,
    /// It was found by fingerprint and confirmed by the run's measure.
    Near,
    /// It, or its keeper, is too short for a fingerprint, and their characters are similar.
    Short,
}

/// A removed document with its evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removal {
    /// The document.
    pub document: u32,
    /// The document that stays in its place.
    pub keeper: u32,
    /// The number of their cluster, from 1.
    pub cluster: u32,
    /// Hamming distance to the keeper.
    pub distance: Option<u32>,
    /// Similarity to the keeper.
    pub similarity: f64,
    /// Why.
    pub reason: Reason,
}

/// What was decided about every document.
#[derive(Debug)]
pub struct Decisions {
    /// Removed documents in input order.
    pub removals: Vec<Removal>,
    /// Clusters of two or more, by number - 1: the keeper, then all members in input order.
    pub clusters: Vec<(u32, Vec<u32>)>,
    /// Duplicate pairs between documents of different texts, sorted; none unless they were asked for.
    pub pairs: Vec<DuplicatePair>,
    /// For each document the first one of equal text by rank; itself for most.
    pub representatives: Vec<u32>,
    /// Numbers for the summary.
    pub counts: summary::Counts,
    /// The largest distance of candidates; `None` where nothing was searched.
    pub max_distance: Option<u32>,
    /// What that would have been, had it not brought too many candidates.
    pub lowered_from: Option<u32>,
    /// The bound to which every pair was found; `None` where nothing was searched.
    pub complete_distance: Option<u32>,
    /// How the join went about it.
    pub plan: String,
    /// The share of the duplicate pairs that was found, measured on a sample; `None` where none is measured.
    pub recall: Option<Recall>,
    /// How the distances were chosen, where a similarity or a recall was asked for.
    pub estimate: Option<Choice>,
}

impl Decisions {
    /// Where a document was removed, why.
    pub fn removal(&self, document: u32) -> Option<&Removal> {
        let place = self.removals.binary_search_by_key(&document, |removal| removal.document);
        place.ok().map(|place| &self.removals[place])
    }
}

impl Pipeline {
    /// The fingerprints of some documents of a corpus, in the order asked for.
    ///
    /// # Errors
    /// [`Error::Io`] where the spilled terms cannot be read, [`Error::Interrupted`].
    pub fn fingerprints(&self, corpus: &Corpus, documents: &[u32], watch: &dyn Watch) -> Result<Fingerprints, Error> {
        let stage = Evenly::begin(watch, Stage::Fingerprint, documents.len(), corpus.text_bytes);
        let mut fingerprints = Fingerprints::new(self.config.bits);
        if let Some(all) = &corpus.fingerprints {
            documents.iter().for_each(|document| fingerprints.push(all.get(*document as usize)));
            stage.advance(documents.len());
            return Ok(fingerprints);
        }
        let each = fingerprints.words_each();
        // Several chunks in flight on each thread, and no more than their words in memory at once.
        for part in documents.chunks(CHUNK * 64) {
            let words: Vec<Vec<u64>> = self.threads.install(|| {
                part.par_chunks(CHUNK)
                    .map_init(
                        || Weigher::new(self, corpus),
                        |weigher, documents| {
                            let mut words = Vec::with_capacity(documents.len() * each);
                            for document in documents {
                                words.extend_from_slice(&weigher.fingerprint(*document)?[..each]);
                            }
                            stage.advance(documents.len());
                            Ok(words)
                        },
                    )
                    .collect::<Result<_, Error>>()
            })?;
            words.iter().flat_map(|words| words.chunks_exact(each)).for_each(|words| fingerprints.push(words));
            stop_if_asked(watch)?;
        }
        Ok(fingerprints)
    }

    /// The fingerprints of all documents of a corpus.
    ///
    /// # Errors
    /// As [`Pipeline::fingerprints`].
    pub fn fingerprint_table<'c>(&self, corpus: &'c Corpus, watch: &dyn Watch) -> Result<FingerprintTable<'c>, Error> {
        let all: Vec<u32> = (0..corpus.len() as u32).collect();
        Ok(FingerprintTable { corpus, fingerprints: self.fingerprints(corpus, &all, watch)? })
    }

    /// The largest distance of candidates in bits; `None` where only equal texts match.
    pub(super) fn max_distance(&self) -> Option<u32> {
        match self.config.max_distance {
            MaxDistance::Off => None,
            MaxDistance::Bits(bits) => Some(bits),
            MaxDistance::Auto => {
                Some((MAX_DISTANCE * self.config.bits / 256).max(self.config.complete_distance.unwrap_or(0)))
            }
        }
    }

    /// The two distances for so many documents, by their number alone.
    fn distances(&self, documents: usize) -> (u32, u32) {
        let max_distance = self.max_distance().unwrap_or(0);
        let complete_distance = self.config.complete_distance.unwrap_or(match documents {
            count if count <= CHEAP => max_distance,
            _ => max_distance.min(AFFORDABLE * self.config.bits / 256),
        });
        (max_distance, complete_distance)
    }

    /// Finds the duplicates of a corpus and decides which documents stay. `pairs` says whether all duplicate pairs are
    /// wanted with their evidence; it takes 24 bytes a pair.
    ///
    /// # Errors
    /// [`Error::Io`] where the spilled terms cannot be read, [`Error::Interrupted`].
    pub fn decide(&self, corpus: &Corpus, pairs: bool, watch: &dyn Watch) -> Result<Decisions, Error> {
        let ranks = keep::ranks(&self.config.keep, &corpus.lengths, &corpus.fields);
        let representatives = fold_equal_texts(corpus, &ranks);
        let unique = |document: u32| representatives[document as usize] == document;
        let mut search = Search { pairs: Pairs::new(pairs), ..Search::default() };
        if self.config.max_distance != MaxDistance::Off {
            let long = self.searched(corpus, &representatives);
            search = self.search(corpus, &long, search.pairs, watch)?;
            let chosen = |document| unique(document) && !corpus.empty[document as usize];
            self.threads.install(|| {
                corpus.short.duplicates(self.config.min_similarity, chosen, watch, |left, right, similarity| {
                    search.pairs.push(DuplicatePair { left, right, distance: None, similarity });
                });
            });
            stop_if_asked(watch)?;
        }
        search.pairs.sort();
        search.recall = self.recall(corpus, &search, watch)?;

        let stage = Evenly::begin(watch, Stage::Cluster, corpus.len(), corpus.text_bytes);
        let pair_count = search.pairs.len();
        let keepers = cluster::keepers(self.config.cluster, &ranks, &search.pairs.take_edges());
        self.explain(corpus, representatives, &keepers, search, pair_count, &stage)
    }

    /// The documents that are searched by fingerprint: one of each text that is not short.
    pub(super) fn searched(&self, corpus: &Corpus, representatives: &[u32]) -> Vec<u32> {
        let long = |document: &u32| corpus.features(*document) >= self.config.min_features;
        (0..corpus.len() as u32).filter(|d| representatives[*d as usize] == *d && long(d)).collect()
    }

    /// Candidate pairs among the given documents, confirmed.
    pub(super) fn search(
        &self,
        corpus: &Corpus,
        documents: &[u32],
        pairs: Pairs,
        watch: &dyn Watch,
    ) -> Result<Search, Error> {
        let estimate = match self.config.chooser() {
            Some(_) => Some(self.tuned(corpus, documents, estimate::SAMPLE, &[], watch)?.choice),
            None => None,
        };
        let fingerprints = self.fingerprints(corpus, documents, watch)?;
        let stage = Evenly::begin(watch, Stage::Join, documents.len(), corpus.text_bytes);
        let (mut max_distance, mut complete_distance) = match &estimate {
            Some(choice) => (choice.max_distance, choice.complete_distance),
            None => self.distances(documents.len()),
        };
        let mut plan = join::plan(documents.len(), self.config.bits, complete_distance);
        let mut lowered_from = None;
        if self.config.max_distance == MaxDistance::Auto && estimate.is_none() {
            let bearable = self.bearable_distance(corpus, documents, &fingerprints, &plan, max_distance)?;
            let promised = self.config.complete_distance.unwrap_or(0);
            if bearable.max(promised) < max_distance {
                lowered_from = Some(max_distance);
                max_distance = bearable.max(promised);
                complete_distance = complete_distance.min(max_distance);
                plan = join::plan(documents.len(), self.config.bits, complete_distance);
            }
        }
        let mut search = Search { pairs, estimate, lowered_from, ..Search::default() };
        (search.max_distance, search.complete_distance) = (Some(max_distance), Some(complete_distance));
        let mut failure = None;
        self.threads.install(|| {
            let _ = join::join(&fingerprints, &plan, max_distance, &mut |batch| {
                search.candidates += batch.pairs.len() as u64;
                let confirmed = self.confirm(corpus, documents, batch.pairs);
                stage.reach(batch.done);
                match confirmed.and_then(|pairs| stop_if_asked(watch).map(|()| pairs)) {
                    Ok(pairs) => {
                        pairs.into_iter().for_each(|pair| search.pairs.push(pair));
                        ControlFlow::Continue(())
                    }
                    Err(error) => {
                        failure = Some(error);
                        ControlFlow::Break(())
                    }
                }
            });
        });
        search.fingerprints = Some((fingerprints, documents.to_vec()));
        search.plan = Some(plan);
        failure.map_or(Ok(search), Err)
    }

    /// The duplicates among a batch of candidate pairs.
    fn confirm(
        &self,
        corpus: &Corpus,
        documents: &[u32],
        batch: &[CandidatePair],
    ) -> Result<Vec<DuplicatePair>, Error> {
        let least = self.config.min_similarity;
        let mut sorted = batch.to_vec();
        sorted.sort_unstable();
        let confirmed: Vec<Vec<DuplicatePair>> = sorted
            .par_chunks(PAIRS)
            .map_init(
                || Comparer::new(self, corpus),
                |comparer, pairs| {
                    let mut confirmed = Vec::new();
                    for pair in pairs {
                        let (left, right) = (documents[pair.left as usize], documents[pair.right as usize]);
                        if let Some(similarity) = comparer.at_least(left, right, pair.distance, least)? {
                            confirmed.push(DuplicatePair { left, right, distance: Some(pair.distance), similarity });
                        }
                    }
                    Ok(confirmed)
                },
            )
            .collect::<Result<_, Error>>()?;
        Ok(confirmed.concat())
    }

    /// Gives every removed document its evidence, and every cluster its number.
    fn explain(
        &self,
        corpus: &Corpus,
        representatives: Vec<u32>,
        keepers: &[u32],
        search: Search,
        pair_count: usize,
        stage: &Evenly<'_>,
    ) -> Result<Decisions, Error> {
        let keeper_of = |document: u32| keepers[representatives[document as usize] as usize];
        let mut members: HashMap<u32, u32> = HashMap::new();
        for document in 0..corpus.len() as u32 {
            *members.entry(keeper_of(document)).or_default() += 1;
        }
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut clusters: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut removals = Vec::new();
        let mut comparer = Comparer::new(self, corpus);
        for document in 0..corpus.len() as u32 {
            let keeper = keeper_of(document);
            stage.advance(1);
            if document % 1024 == 0 && stage.stopped() {
                return Err(Error::Interrupted);
            }
            if members[&keeper] < 2 {
                continue;
            }
            let cluster = *numbers.entry(keeper).or_insert_with(|| {
                clusters.push((keeper, Vec::new()));
                clusters.len() as u32
            });
            clusters[cluster as usize - 1].1.push(document);
            if document == keeper {
                continue;
            }
            let representative = representatives[document as usize];
            let (reason, distance, similarity) = match representative == keeper {
                true => (Reason::Exact, Some(0), 1.0),
                false => search.evidence(self, corpus, representative, keeper, &mut comparer)?,
            };
            removals.push(Removal { document, keeper, cluster, distance, similarity, reason });
        }
        let copies =
            (0..corpus.len()).filter(|document| representatives[*document] as usize != *document).count() as u64;
        let by = |reason| removals.iter().filter(|removal| removal.reason == reason).count() as u64;
        let counts = summary::Counts {
            read: corpus.len() as u64,
            empty: corpus.empty.iter().filter(|empty| **empty).count() as u64,
            short: (0..corpus.len())
                .filter(|d| !corpus.empty[*d] && corpus.features[*d] < self.config.min_features)
                .count() as u64,
            exact: by(Reason::Exact),
            near: by(Reason::Near),
            near_short: by(Reason::Short),
            kept: (corpus.len() - removals.len()) as u64,
            removed: removals.len() as u64,
            rejected: corpus.origins.rejections.len() as u64,
            candidate_pairs: search.candidates,
            confirmed_pairs: pair_count as u64 + copies,
            clusters: clusters.len() as u64,
            largest_cluster: clusters.iter().map(|(_, members)| members.len()).max().unwrap_or(0) as u64,
        };
        Ok(Decisions {
            removals,
            clusters,
            pairs: search.pairs.into_wanted(),
            representatives,
            counts,
            max_distance: search.max_distance,
            lowered_from: search.lowered_from,
            complete_distance: search.complete_distance,
            plan: search.plan.map_or(String::new(), |plan| plan.to_string()),
            recall: search.recall,
            estimate: search.estimate,
        })
    }
}

/// The fingerprints of all documents of a corpus, ready to be written.
#[derive(Debug)]
pub struct FingerprintTable<'c> {
    corpus: &'c Corpus,
    fingerprints: Fingerprints,
}

impl FingerprintTable<'_> {
    /// A row for each document, in input order.
    pub fn rows(&self) -> impl Iterator<Item = FingerprintRow> + '_ {
        (0..self.corpus.len() as u32).map(|document| FingerprintRow {
            id: self.corpus.id(document),
            fingerprint: to_hex(self.fingerprints.get(document as usize), self.fingerprints.bits()),
            features: self.corpus.features(document),
        })
    }

    /// Whether every id is an integer of 64 bits with a sign.
    pub fn integer_ids(&self) -> bool {
        (0..self.corpus.len() as u32).all(|document| matches!(self.corpus.id(document), Id::Integer(_)))
    }
}

/// What searching found.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) pairs: Pairs,
    candidates: u64,
    max_distance: Option<u32>,
    lowered_from: Option<u32>,
    complete_distance: Option<u32>,
    plan: Option<Plan>,
    recall: Option<Recall>,
    estimate: Option<Choice>,
    /// The fingerprints and the documents they are of, in order.
    pub(super) fingerprints: Option<(Fingerprints, Vec<u32>)>,
}

impl Search {
    /// How a document compares with its keeper: from their duplicate pair where it is known, else (evidence that was too
    /// much to keep, a component linked through others) by comparing them now.
    fn evidence(
        &self,
        pipeline: &Pipeline,
        corpus: &Corpus,
        document: u32,
        keeper: u32,
        comparer: &mut Comparer<'_>,
    ) -> Result<(Reason, Option<u32>, f64), Error> {
        let short = |document| corpus.features(document) < pipeline.config.min_features;
        let reason = if short(document) || short(keeper) { Reason::Short } else { Reason::Near };
        if let Some(pair) = self.pairs.find(document, keeper) {
            return Ok((reason, pair.distance, pair.similarity));
        }
        if reason == Reason::Short {
            return Ok((reason, None, comparer.short_similarity(document, keeper)?));
        }
        let (fingerprints, (left, right)) = self.places(document, keeper);
        let distance = fingerprints.distance(left, right);
        Ok((reason, Some(distance), comparer.similarity(document, keeper, distance)?))
    }

    /// Whether two searched documents are a candidate pair.
    pub(super) fn sees(&self, one: u32, other: u32) -> bool {
        let (fingerprints, (left, right)) = self.places(one, other);
        let near = self.max_distance.is_some_and(|most| fingerprints.distance(left, right) <= most);
        let seen = |plan: &Plan| plan.sees(fingerprints.get(left), fingerprints.get(right));
        near && self.plan.as_ref().is_some_and(seen)
    }

    /// The fingerprints, and where those of two searched documents are.
    fn places(&self, one: u32, other: u32) -> (&Fingerprints, (usize, usize)) {
        let (fingerprints, documents) = self.fingerprints.as_ref().expect("a pair of long documents was searched for");
        let place = |document| documents.binary_search(&document).expect("every long document has a fingerprint");
        (fingerprints, (place(one), place(other)))
    }
}

/// For each document the best-ranked one of equal normalized text. Empty documents equal nothing.
pub(super) fn fold_equal_texts(corpus: &Corpus, ranks: &[u32]) -> Vec<u32> {
    let mut best: HashMap<u128, u32> = HashMap::new();
    for document in 0..corpus.len() as u32 {
        if !corpus.empty[document as usize] {
            let best = best.entry(corpus.texts[document as usize]).or_insert(document);
            if ranks[document as usize] < ranks[*best as usize] {
                *best = document;
            }
        }
    }
    let representative = |document: u32| match corpus.empty[document as usize] {
        true => document,
        false => best[&corpus.texts[document as usize]],
    };
    (0..corpus.len() as u32).map(representative).collect()
}
