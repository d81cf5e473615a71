//! Kept documents of a sample -> pairs that just missed the least similarity, and the share that a lower one would remove.
//!
//! The sample consists of kept documents with the smallest text hashes ([`SAMPLE`]). Each is compared with the kept documents that are
//! its candidates, the nearest ones first ([`NEAREST`]), down to [`BELOW`] under the run's least similarity. Documents are taken in the
//! order of their hashes, as long as the comparisons and the characters in them are few. So every run has examples of what its bound decides, and an estimate
//! of what another one would remove. Only pairs that were searched by fingerprint are seen: neither short documents nor two of a crowd.
//!
//! Cost: one pass over the candidates, and the comparisons.

use hashbrown::HashMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::company::Company;
use super::{Order, may_go, rules};
use crate::config::JustMissed;
use crate::corpus::{PairJudge, smallest};
use crate::error::Error;
use crate::judge::{Reason, Rules, Verdict};
use crate::outcome::{DuplicatePair, DuplicatePairs, Search};
use crate::search::{Candidates, Input, searched};
use crate::spill::Sorter;
use crate::verify::Measure;
use crate::watch::Progress;

/// Documents in the sample at most, and those that are compared before the work is counted.
const SAMPLE: usize = 4_096;
const TOGETHER: usize = 32;

/// Candidates of one document that are compared at most.
const NEAREST: usize = 64;

/// Comparisons after which no more documents are taken.
const COMPARED: usize = 20_000;

/// The same in characters, those of companies included: a part of those of the corpus, so that the sample takes some 2 % of a run, or in
/// small corpora as many as take a few hundredths of a second.
const CHARACTERS: u64 = 50;
const FEW_CHARACTERS: u64 = 1 << 19;

/// Pairs that are kept at most.
const PAIRS: usize = 1_000;

/// Pairs are looked for down to this much under the least similarity of duplicates, and never below a hundredth.
const BELOW: f64 = 0.15;

/// Pairs that a thread compares at a time.
const PART: usize = 64;

/// What the sampled documents say of lower least similarities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The lowest least similarity that it tells of.
    pub least: f64,
    /// Sampled documents.
    sampled: u64,
    /// The kept documents that they stand for.
    all: u64,
    /// For each sampled document that has a better-ranked one near it the largest least similarity at which it would go for one.
    reached: Vec<f64>,
}

impl Sample {
    /// The kept documents that would go at this least similarity, about.
    pub fn more(&self, bound: f64) -> u64 {
        let reached = self.reached.iter().filter(|reached| **reached >= bound).count() as f64;
        (reached / self.sampled.max(1) as f64 * self.all as f64).round() as u64
    }
}

/// A finished confirmation.
pub(super) struct Below<'c> {
    pub input: &'c Input<'c>,
    pub order: &'c Order,
    pub candidates: &'c Candidates,
    pub search: &'c Search,
    /// The document of each rank.
    pub documents: &'c [u32],
    /// The keeper of each rank.
    pub keepers: &'c [u32],
    pub company: &'c Company<'c>,
}

/// A candidate pair by its ranks, and its distance.
type Pair = (u32, u32, u32);

impl Below<'_> {
    /// Pairs that just missed, and what the sample says; `None` where no sample is wanted, and where there is no candidate.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
    pub fn sample(&self, stage: &Progress<'_>) -> Result<Option<(DuplicatePairs, Sample)>, Error> {
        let Input { config, corpus, .. } = *self.input;
        if config.just_missed != JustMissed::Auto || self.search.max_distance.is_none() {
            return Ok(None);
        }
        // As few decimals as people write.
        let least = (((config.min_similarity - BELOW) * 1e6).round() / 1e6).max(0.01);
        let mut found = Sorter::new(corpus.folder())?;
        if self.candidates.pairs.is_empty() || least >= config.min_similarity {
            let sample = Sample { least: least.min(config.min_similarity), sampled: 0, all: 0, reached: Vec::new() };
            return Ok(Some((found.finish()?, sample)));
        }
        let is_own = |document: &u32| *document as usize >= corpus.origins.against();
        let is_kept = |document: &u32| self.is_kept(self.order.ranks[*document as usize]);
        let searched = searched(config, corpus, &self.order.representatives).into_iter();
        let kept: Vec<u32> = searched.filter(is_own).filter(is_kept).collect();
        let nearest = self.nearest(&smallest(corpus, &kept, SAMPLE))?;
        let (mut listed, mut seen, mut reached) = (Vec::new(), HashMap::new(), Vec::new());
        let (mut sampled, mut left) = (0, self.affordable());
        for part in nearest.chunks(TOGETHER) {
            let mut pairs: Vec<Pair> = part.iter().flat_map(|(_, pairs)| pairs).copied().collect();
            pairs.retain(|pair| !seen.contains_key(pair));
            pairs.sort_unstable();
            pairs.dedup();
            let bounds = self.compare(&pairs, least, stage)?;
            let of_pair = |(pair, bound): (&Pair, &Option<_>)| self.characters(pair, bound.is_some());
            let spent: u64 = pairs.iter().zip(&bounds).map(of_pair).sum();
            let missed = pairs.iter().zip(&bounds).filter_map(|(pair, bound)| Some((*pair, bound.as_ref()?.0)));
            listed.extend(missed.filter(|(_, bound)| *bound < config.min_similarity));
            seen.extend(pairs.into_iter().zip(bounds));
            for (rank, own) in part {
                let best = own.iter().filter(|pair| pair.1 == *rank).filter_map(|pair| seen[pair]);
                let best = best.filter(|(_, may_go)| *may_go).map(|(bound, _)| bound).max_by(f64::total_cmp);
                reached.extend(best);
            }
            sampled += part.len() as u64;
            if spent >= left || seen.len() >= COMPARED {
                break;
            }
            left -= spent;
        }
        listed.truncate(PAIRS);
        for ((better, other, distance), similarity) in listed {
            let [one, other] = [better, other].map(|rank| self.documents[rank as usize]);
            let (left, right, distance) = (one.min(other), one.max(other), Some(distance));
            // The reason of duplicates; these are none.
            let reason = Reason::Near;
            found.push(DuplicatePair { left, right, distance, similarity, reason })?;
        }
        let sample = Sample { least, sampled, all: kept.len() as u64, reached };
        Ok(Some((found.finish()?, sample)))
    }

    fn is_kept(&self, rank: u32) -> bool {
        self.keepers[rank as usize] == rank
    }

    /// The nearest kept candidates of each of these documents, by distance.
    fn nearest(&self, documents: &[u32]) -> Result<Vec<(u32, Vec<Pair>)>, Error> {
        let ranks: Vec<u32> = documents.iter().map(|document| self.order.ranks[*document as usize]).collect();
        let mut places: Vec<(u32, usize)> = ranks.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let mut nearest: Vec<(u32, Vec<Pair>)> = ranks.into_iter().map(|rank| (rank, Vec::new())).collect();
        for candidate in self.candidates.listed() {
            let candidate = candidate?;
            let (better, other) = (candidate.better, candidate.other);
            let Some(distance) = candidate.distance.filter(|_| self.is_kept(better) && self.is_kept(other)) else {
                continue;
            };
            for rank in [better, other] {
                let Ok(place) = places.binary_search_by_key(&rank, |(rank, _)| *rank) else { continue };
                let own = &mut nearest[places[place].1].1;
                let near = |pair: &Pair| (pair.2, pair.0, pair.1);
                let at = own.partition_point(|pair| near(pair) < (distance, better, other));
                if at < NEAREST {
                    own.insert(at, (better, other, distance));
                    own.truncate(NEAREST);
                }
            }
        }
        Ok(nearest)
    }

    /// The characters that may be compared.
    fn affordable(&self) -> u64 {
        let all: u64 = self.input.corpus.lengths().iter().map(|length| u64::from(*length)).sum();
        (all / CHARACTERS).max(FEW_CHARACTERS)
    }

    /// The characters of the texts of a pair, and where the two were found similar, of their companies.
    fn characters(&self, (better, other, _): &Pair, is_similar: bool) -> u64 {
        let lengths = self.input.corpus.lengths();
        let length = |rank: &u32| u64::from(lengths[self.documents[*rank as usize] as usize]);
        let of_company = |rank: &u32| self.company.of(*rank).iter().map(length).sum::<u64>();
        let has_company = is_similar && self.input.config.verify == Measure::Coverage;
        let companies = if has_company { of_company(better) + of_company(other) } else { 0 };
        length(better) + length(other) + companies
    }

    /// Of each pair the largest least similarity at which it would be one of duplicates, if that is `least` or more, and whether its
    /// other document may go for the better one.
    fn compare(&self, pairs: &[Pair], least: f64, stage: &Progress<'_>) -> Result<Vec<Option<(f64, bool)>>, Error> {
        let Input { config, corpus, recipe, .. } = *self.input;
        let rules = Rules { min_similarity: least, ..rules(self.input, self.search) };
        let judge = || PairJudge::new(corpus, recipe, rules);
        let compare = |judge: &mut PairJudge<'_>, pairs: &[Pair]| {
            let bound = |(better, other, distance): &Pair| {
                let pair = [*better, *other];
                let company = || {
                    pair.map(|rank| self.company.of(rank).iter().map(|near| self.documents[*near as usize]).collect())
                };
                let found =
                    judge.candidate(pair.map(|rank| self.documents[rank as usize]), Some(*distance), company)?;
                let with_bound = |(Verdict { lost, .. }, bound): (Verdict, f64)| {
                    (bound, may_go(config.max_lost, lost.map(|[_, lost]| lost)))
                };
                Ok(found.map(with_bound))
            };
            if stage.stopped() { Err(Error::Interrupted) } else { pairs.iter().map(bound).collect() }
        };
        let bounds: Vec<Vec<_>> = pairs.par_chunks(PART).map_init(judge, compare).collect::<Result<_, Error>>()?;
        Ok(bounds.concat())
    }
}
