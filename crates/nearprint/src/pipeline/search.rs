//! Corpus -> fingerprints -> candidate pairs.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::Pipeline;
use super::against::with_as_many_pairs;
use super::corpus::{Corpus, stop_if_asked};
use super::evidence::DocumentWeigher;
use super::pairs::{Candidate, Candidates, SortedCandidates};
use crate::config::MaxDistance;
use crate::document::Id;
use crate::error::Error;
use crate::estimate::{self, Choice};
use crate::fingerprint::{Fingerprints, to_hex};
use crate::join::{self, CandidatePair};
use crate::watch::{Evenly, Stage, Watch};
use crate::write::FingerprintRow;

/// Documents whose terms are read and weighed together.
pub(super) const CHUNK: usize = 256;

/// What `max-distance auto` is, in bits of 256. Few true pairs lie beyond it, and every four bits more bring two to three
/// times the candidates (docs/quality.md).
const MAX_DISTANCE: u32 = 80;

/// Below this many documents, comparing all pairs is cheap enough to promise completeness to `max_distance`.
pub(super) const CHEAP: usize = 20_000;

/// The promise of `complete-distance auto` for more documents than that: as far as block tables reach at a bearable cost
/// (32 of 256 bits, and that share of other widths; see docs/algorithms.md on the two bounds).
pub(super) const AFFORDABLE: u32 = 32;

/// However little memory is left, one part in so many of the bytes of all fingerprints is used for tables of the join.
const LEAST_PART: u64 = 4;

/// How duplicate pairs were searched for.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Search {
    /// Pairs of fingerprints that were near.
    pub candidates: u64,
    /// The largest distance of candidates; `None` where nothing was searched.
    pub max_distance: Option<u32>,
    /// What that would have been, had it not brought too many candidates.
    pub lowered_from: Option<u32>,
    /// The bound to which every pair was found; `None` where nothing was searched.
    pub complete_distance: Option<u32>,
    /// How the join went about it.
    pub plan: String,
    /// The share of pairs at the largest distance that its tables see; `None` where nothing was searched.
    pub seen_at_max_distance: Option<f64>,
    /// How the distances were chosen, where a similarity or a recall was asked for.
    pub estimate: Option<Choice>,
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
                        || DocumentWeigher::new(self, corpus),
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

    /// The two distances for so many documents that are all compared with each other, by their number alone.
    pub(super) fn distances(&self, documents: usize) -> (u32, u32) {
        let max_distance = self.max_distance().unwrap_or(0);
        let complete_distance = self.config.complete_distance.unwrap_or(match documents {
            count if count <= CHEAP => max_distance,
            _ => max_distance.min(AFFORDABLE * self.config.bits / 256),
        });
        (max_distance, complete_distance)
    }

    /// The documents that are searched by fingerprint: one of each text that is not short.
    pub(super) fn searched(&self, corpus: &Corpus, representatives: &[u32]) -> Vec<u32> {
        let long = |document: &u32| corpus.features(*document) >= self.config.min_features;
        (0..corpus.len() as u32).filter(|d| representatives[*d as usize] == *d && long(d)).collect()
    }

    /// Finds the pairs of a corpus that may be duplicates, one document standing for all of equal text. `ranks` and
    /// `representatives` are those of documents.
    ///
    /// # Errors
    /// [`Error::Io`] where temporary files cannot be written or read, [`Error::Interrupted`].
    pub(super) fn search(
        &self,
        corpus: &Corpus,
        ranks: &[u32],
        representatives: &[u32],
        watch: &dyn Watch,
    ) -> Result<(SortedCandidates, Search), Error> {
        let mut candidates = Candidates::new(&corpus.folder)?;
        let mut push = |one: u32, other: u32, distance| {
            let (one, other) = (ranks[one as usize], ranks[other as usize]);
            candidates.push(Candidate { better: one.min(other), other: one.max(other), distance })
        };
        if self.config.max_distance == MaxDistance::Off {
            return Ok((candidates.finish()?, Search::default()));
        }
        let documents = self.searched(corpus, representatives);
        let search = self.search_fingerprints(corpus, &documents, &mut push, watch)?;
        let chosen = |document| representatives[document as usize] == document && !corpus.empty[document as usize];
        let wanted = |one, other| corpus.may_pair(one, other);
        let mut pushed = Ok(());
        self.threads.install(|| {
            corpus.short.duplicates(self.config.min_similarity, chosen, wanted, watch, |one, other, _| {
                if pushed.is_ok() {
                    pushed = push(one, other, None);
                }
            });
        });
        pushed?;
        stop_if_asked(watch)?;
        Ok((self.threads.install(|| candidates.finish())?, search))
    }

    /// Gives every candidate pair among these documents to `push`, with its distance.
    fn search_fingerprints(
        &self,
        corpus: &Corpus,
        documents: &[u32],
        push: &mut (impl FnMut(u32, u32, Option<u32>) -> Result<(), Error> + Send),
        watch: &dyn Watch,
    ) -> Result<Search, Error> {
        let estimate = match self.config.recall {
            Some(_) => Some(self.tuned(corpus, documents, estimate::SAMPLE, &[], watch)?.choice),
            None => None,
        };
        // A column of all documents need not be copied.
        let fingerprints = match &corpus.fingerprints {
            Some(all) if documents.len() == corpus.len() => Cow::Borrowed(all),
            _ => Cow::Owned(self.fingerprints(corpus, documents, watch)?),
        };
        let stage = Evenly::begin(watch, Stage::Join, documents.len(), corpus.text_bytes);
        let first = corpus.first_side(documents);
        let as_many = with_as_many_pairs(documents.len(), first);
        let (mut max_distance, mut complete_distance) = match &estimate {
            Some(choice) => (choice.max_distance, choice.complete_distance),
            None => self.distances(as_many),
        };
        let mut plan = join::plan(as_many, self.config.bits, complete_distance);
        let mut lowered_from = None;
        if self.config.max_distance == MaxDistance::Auto && estimate.is_none() {
            let bearable = self.bearable_distance(corpus, documents, &fingerprints, &plan, max_distance)?;
            let promised = self.config.complete_distance.unwrap_or(0);
            if bearable.max(promised) < max_distance {
                lowered_from = Some(max_distance);
                max_distance = bearable.max(promised);
                complete_distance = complete_distance.min(max_distance);
                plan = join::plan(as_many, self.config.bits, complete_distance);
            }
        }
        let mut search = Search { estimate, lowered_from, ..Search::default() };
        (search.max_distance, search.complete_distance) = (Some(max_distance), Some(complete_distance));
        self.check_memory(corpus.len())?;
        let bytes = self.memory_left().max(size_of_val(fingerprints.words()) as u64 / LEAST_PART);
        let mut failure = None;
        self.threads.install(|| {
            let emit: &mut join::Emit<'_> = &mut |batch| {
                search.candidates += batch.pairs.len() as u64;
                stage.reach(batch.done);
                let each = |pair: &CandidatePair| {
                    push(documents[pair.left as usize], documents[pair.right as usize], Some(pair.distance))
                };
                let taken = stop_if_asked(watch).and_then(|()| batch.pairs.iter().try_for_each(each));
                match taken {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failure = Some(error);
                        ControlFlow::Break(())
                    }
                }
            };
            let _ = match first {
                None => join::join_within(&fingerprints, &plan, max_distance, bytes, emit),
                Some(first) => join::join_across(&fingerprints, first, &plan, max_distance, bytes, emit),
            };
        });
        (search.plan, search.seen_at_max_distance) = (plan.to_string(), Some(plan.share_seen(max_distance)));
        failure.map_or(Ok(search), Err)
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
