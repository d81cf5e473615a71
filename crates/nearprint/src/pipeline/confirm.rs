//! Candidate pairs -> clusters, and the evidence of every removed document.
//!
//! Candidates come in the order of their better rank, as stars need them, and most need not be compared: a document that
//! was claimed claims nobody and is claimed by nobody else, and a component gains nothing from two documents that it has
//! both. So of n documents that are all duplicates of each other some n pairs are compared, not n² / 2. Only where all
//! duplicate pairs are wanted all candidates are compared.
//!
//! Candidates that may matter are compared together, in parallel, and taken in order; one that no longer matters by then is
//! as if it had not been compared. So nothing depends on how many are compared together.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::evidence::Comparer;
use super::pairs::{Candidate, DuplicatePairs, Pairs, SortedCandidates};
use super::{Corpus, DuplicatePair, Pipeline};
use crate::cluster::{self, Clusters, Method};
use crate::error::Error;
use crate::watch::{Progress, Stage, Watch};

/// Candidates that are compared together at least, unless they are the last ones.
const TOGETHER: usize = 1 << 10;

/// Candidates of one document that are compared together at most.
const MOST_TOGETHER: usize = 1 << 16;

/// Candidates that one thread compares at a time.
const PART: usize = 64;

/// What became of the candidates.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Confirmed {
    /// The keeper of each document among those of different texts; itself where it is kept.
    pub keepers: Vec<u32>,
    /// The distance and similarity of a document to its keeper, by document in order; none of components, whose links say
    /// nothing of keepers.
    pub evidence: Vec<(u32, Option<u32>, f64)>,
    /// Candidates that were compared.
    pub compared: u64,
    /// Duplicates among those, and pairs of short documents.
    pub confirmed: u64,
    /// All duplicate pairs, where they were wanted.
    pub pairs: DuplicatePairs,
}

impl Pipeline {
    /// Compares the candidates that matter, or `all` of them. `ranks` is the rank of each document.
    pub(super) fn confirm(
        &self,
        corpus: &Corpus,
        ranks: &[u32],
        candidates: &SortedCandidates,
        all: bool,
        watch: &dyn Watch,
    ) -> Result<Confirmed, Error> {
        let stage = Progress::begin(watch, Stage::Verify, corpus.len(), corpus.text_bytes);
        let documents = cluster::by_rank(ranks);
        let mut taking = Taking {
            method: self.config.cluster,
            clusters: Clusters::new(self.config.cluster, ranks.len()),
            documents: &documents,
            evidence: Vec::new(),
            compared: 0,
            confirmed: 0,
            pairs: if all { Some(Pairs::new(&corpus.folder)?) } else { None },
        };
        let mut waiting: Vec<Candidate> = Vec::new();
        for (number, candidate) in candidates.iter().enumerate() {
            let candidate = candidate?;
            let full = waiting.len() >= TOGETHER && waiting.last().is_some_and(|last| last.better != candidate.better);
            if full || waiting.len() == MOST_TOGETHER {
                self.compare_all(corpus, &mut waiting, &mut taking, &stage)?;
                stage.reach(number as f64 / candidates.len() as f64);
            }
            if taking.matters(&candidate) {
                waiting.push(candidate);
            }
            if number.is_multiple_of(1 << 16) && stage.stopped() {
                return Err(Error::Interrupted);
            }
        }
        self.compare_all(corpus, &mut waiting, &mut taking, &stage)?;
        stage.reach(1.0);
        if stage.stopped() {
            return Err(Error::Interrupted);
        }
        let Taking { clusters, mut evidence, compared, confirmed, pairs, .. } = taking;
        evidence.sort_unstable_by_key(|evidence| evidence.0);
        let pairs = pairs.map_or_else(|| Pairs::new(&corpus.folder), Ok)?;
        let pairs = self.threads.install(|| pairs.finish())?;
        let keepers = cluster::of_documents(ranks, &clusters.keepers());
        Ok(Confirmed { keepers, evidence, compared, confirmed, pairs })
    }

    /// Compares what waits, and takes the duplicates in.
    fn compare_all(
        &self,
        corpus: &Corpus,
        waiting: &mut Vec<Candidate>,
        taking: &mut Taking<'_>,
        stage: &Progress<'_>,
    ) -> Result<(), Error> {
        let least = self.config.min_similarity;
        let documents = taking.documents;
        let similarities: Vec<Vec<Option<f64>>> = self.threads.install(|| {
            waiting
                .par_chunks(PART)
                .map_init(
                    || Comparer::new(self, corpus),
                    |comparer, candidates| {
                        let of = |candidate: &Candidate| {
                            let [one, other] = [candidate.better, candidate.other].map(|rank| documents[rank as usize]);
                            match candidate.distance {
                                Some(distance) => comparer.at_least(one, other, distance, least),
                                None => comparer.short_similarity(one, other).map(Some),
                            }
                        };
                        if stage.stopped() {
                            return Err(Error::Interrupted);
                        }
                        candidates.iter().map(of).collect()
                    },
                )
                .collect::<Result<_, Error>>()
        })?;
        let mut compared = waiting.drain(..).zip(similarities.into_iter().flatten());
        // Sorting pairs takes threads, too.
        self.threads.install(|| compared.try_for_each(|(candidate, similarity)| taking.take(&candidate, similarity)))
    }
}

/// Takes compared candidates in, in their order.
struct Taking<'d> {
    method: Method,
    clusters: Clusters,
    /// The document of each rank.
    documents: &'d [u32],
    evidence: Vec<(u32, Option<u32>, f64)>,
    compared: u64,
    confirmed: u64,
    pairs: Option<Pairs>,
}

impl Taking<'_> {
    fn matters(&self, candidate: &Candidate) -> bool {
        self.pairs.is_some() || self.clusters.gain_from(candidate.better, candidate.other)
    }

    fn take(&mut self, candidate: &Candidate, similarity: Option<f64>) -> Result<(), Error> {
        if !self.matters(candidate) {
            return Ok(());
        }
        self.compared += u64::from(candidate.distance.is_some());
        let Some(similarity) = similarity else { return Ok(()) };
        self.confirmed += 1;
        let [one, other] = [candidate.better, candidate.other].map(|rank| self.documents[rank as usize]);
        let distance = candidate.distance;
        if self.method == Method::Star && self.clusters.gain_from(candidate.better, candidate.other) {
            self.evidence.push((other, distance, similarity));
        }
        self.clusters.link(candidate.better, candidate.other);
        match &mut self.pairs {
            Some(pairs) => {
                pairs.push(DuplicatePair { left: one.min(other), right: one.max(other), distance, similarity })
            }
            None => Ok(()),
        }
    }
}
