//! Candidate pairs, all or those of a sample -> the pairs that just missed the least similarity,
//! and the number of removals at a lower one.
//!
//! If the candidates are few, all are compared once more, down to 0.15 under the run's least
//! similarity, and nothing is estimated. Else a sample is compared: the [`SAMPLE`] kept documents
//! with the smallest text hashes, each with its [`NEAREST`] nearest kept candidates. Documents are
//! taken in the order of their hashes until the comparisons or the characters in them reach a
//! limit. So every run has examples of pairs at its bound, and an estimate of the removals at other
//! bounds. The estimate is never below the number that the examples alone show. Only pairs that
//! were searched by fingerprint are seen, so short documents are left out.
//!
//! Cost: two passes over the candidates, about [`COMPARED`] comparisons at most, and for each
//! sampled hub a look at the fingerprints of all hubs.

use hashbrown::HashMap;
use nearprint_core::judge::{Reason, Rules, Verdict};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bounds::Bounded;
use super::{Order, may_go, rules};
use crate::cluster::{Clusters, Method};
use crate::config::JustMissed;
use crate::corpus::{PairJudge, smallest};
use crate::error::Error;
use crate::outcome::{DuplicatePair, DuplicatePairs, Search, wilson};
use crate::search::{Candidate, Candidates, Input, just_below, may_be_near, searched};
use crate::spill::{Sorted, Sorter};
use crate::watch::Progress;

/// The largest number of documents in the sample.
const SAMPLE: usize = 4_096;

/// The number of sampled documents that are compared before the work is counted.
const TOGETHER: usize = 32;

/// The largest number of candidates of one document that are compared.
const NEAREST: usize = 64;

/// The number of comparisons after which no more documents are taken.
const COMPARED: usize = 20_000;

/// No more documents are taken after 1 / `CHARACTERS` of the characters of the corpus were
/// compared, which takes some 2 % of a run.
const CHARACTERS: u64 = 50;

/// The least number of characters that may be compared. They take about 0.01 s.
const FEW_CHARACTERS: u64 = 1 << 20;

/// The largest number of listed pairs.
const PAIRS: usize = 1_000;

/// The number of pairs that a thread compares at a time.
const PART: usize = 64;

/// The sampled documents, for estimates at lower least similarities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The number of sampled documents.
    sampled: u64,
    /// The number of kept documents that they stand for.
    all: u64,
    /// For each sampled document with a better-ranked document near it, the largest least
    /// similarity at which it would go for one.
    reached: Vec<f64>,
    /// The listed pairs in which one document may go for the other, in the order of their ranks.
    known: Vec<Bounded>,
}

impl Sample {
    /// The estimated number of kept documents that would go at this least similarity. It is never
    /// below the number that clusters of the known pairs would remove.
    pub fn more(&self, bound: f64, method: Method) -> u64 {
        let estimate = self.scaled(self.reached(bound) / self.sampled.max(1) as f64).round() as u64;
        let known: Vec<[u32; 2]> = self
            .known
            .iter()
            .filter(|pair| pair.bound >= bound)
            .map(|pair| [pair.better, pair.other])
            .collect();
        let mut ranks = known.concat();
        ranks.sort_unstable();
        ranks.dedup();
        let place = |rank: u32| ranks.partition_point(|own| *own < rank) as u32;
        let mut clusters = Clusters::new(method, ranks.len());
        let removed = known
            .iter()
            .filter(|[better, other]| clusters.link(place(*better), place(*other)).is_some());
        estimate.max(removed.count() as u64)
    }

    /// The 95 % interval of the estimate from the sampled documents (Wilson 1927).
    pub fn interval(&self, bound: f64) -> (u64, u64) {
        let (low, high) = wilson(self.reached(bound), self.sampled.max(1) as f64);
        (self.scaled(low).floor() as u64, self.scaled(high).ceil() as u64)
    }

    /// The number of sampled documents that would go at this least similarity.
    fn reached(&self, bound: f64) -> f64 {
        self.reached.iter().filter(|reached| **reached >= bound).count() as f64
    }

    /// A share of the sampled documents as a number of kept documents.
    fn scaled(&self, share: f64) -> f64 {
        share * self.all as f64
    }
}

/// The pairs below the least similarity, as far as they are known.
pub(super) struct Seen {
    /// The pairs of kept documents that just missed the least similarity.
    pub just_missed: DuplicatePairs,
    /// The lowest least similarity down to which pairs are known.
    pub least: f64,
    /// All pairs from `least` up that may link two documents, if all candidates were compared.
    pub all: Option<Sorted<Bounded>>,
    /// The sample, if only a sample was compared.
    pub sample: Option<Sample>,
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
}

/// A candidate pair by its ranks, and its distance. Equal texts that guards tell apart have none.
type Pair = (u32, u32, Option<u32>);

impl Below<'_> {
    /// Compares pairs below the least similarity. `None` if they are not wanted, or if nothing was
    /// searched.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unfit`] if a part was not gathered, [`Error::Interrupted`].
    pub fn seen(&self, stage: &Progress<'_>) -> Result<Option<Seen>, Error> {
        let config = self.input.config;
        if config.decide.just_missed != JustMissed::Auto || self.search.max_distance.is_none() {
            return Ok(None);
        }
        let least = just_below(config.decide.min_similarity);
        match self.few()? {
            Some(pairs) => self.all(pairs, least, stage).map(Some),
            None => self.sample(least, stage).map(Some),
        }
    }

    /// All candidates, if they are few enough to compare each.
    fn few(&self) -> Result<Option<Vec<Pair>>, Error> {
        let Candidates { hubs, short_hubs, .. } = self.candidates;
        if !hubs.ranks().is_empty()
            || !short_hubs.is_empty()
            || self.candidates.pairs.len() > COMPARED
        {
            return Ok(None);
        }
        let (mut pairs, mut left) = (Vec::new(), self.affordable());
        for candidate in self.candidates.with_equal_texts(self.input.corpus, &self.order.ranks) {
            let Candidate { better, other, distance } = candidate?;
            let ends = [better, other];
            match left.checked_sub(ends.iter().map(|rank| self.length(*rank)).sum::<u64>()) {
                Some(rest) => left = rest,
                None => return Ok(None),
            }
            pairs.push((better, other, distance));
        }
        Ok(Some(pairs))
    }

    /// Compares all candidates.
    fn all(&self, pairs: Vec<Pair>, least: f64, stage: &Progress<'_>) -> Result<Seen, Error> {
        let mut all = Sorter::new(self.input.corpus.folder())?;
        let mut missed = Vec::new();
        let bounds = self.compare(&pairs, least, stage)?;
        for (pair, (bound, may_go)) in
            pairs.into_iter().zip(bounds).filter_map(|(pair, bound)| Some((pair, bound?)))
        {
            let (better, other, _) = pair;
            if may_go {
                all.push(Bounded { better, other, bound })?;
            }
            if bound < self.input.config.decide.min_similarity
                && self.is_kept(better)
                && self.is_kept(other)
            {
                missed.push((pair, bound));
            }
        }
        Ok(Seen {
            just_missed: self.listed(missed)?,
            least,
            all: Some(all.finish()?),
            sample: None,
        })
    }

    /// Compares the candidates of a sample.
    fn sample(&self, least: f64, stage: &Progress<'_>) -> Result<Seen, Error> {
        let Input { config, corpus, .. } = *self.input;
        let is_own = |document: &u32| *document as usize >= corpus.origins.against();
        let is_kept = |document: &u32| self.is_kept(self.order.ranks[*document as usize]);
        let searched = searched(config, corpus, &self.order.representatives).into_iter();
        let kept: Vec<u32> = searched.filter(is_own).filter(is_kept).collect();
        let mut nearest = self.nearest(&smallest(corpus, &kept, SAMPLE))?;
        let (mut missed, mut seen, mut reached) = (Vec::new(), HashMap::new(), Vec::new());
        let (mut sampled, mut left) = (0, self.affordable());
        for part in nearest.chunks_mut(TOGETHER) {
            part.par_iter_mut()
                .for_each(|(rank, pairs)| self.add_nearest_of_hubs(*rank, pairs, stage));
            let mut pairs: Vec<Pair> = part.iter().flat_map(|(_, pairs)| pairs).copied().collect();
            pairs.retain(|pair| !seen.contains_key(pair));
            pairs.sort_unstable();
            pairs.dedup();
            let bounds = self.compare(&pairs, least, stage)?;
            let spent: u64 = pairs.iter().map(|pair| self.characters(pair)).sum();
            let below = pairs
                .iter()
                .zip(&bounds)
                .filter_map(|(pair, bound)| Some((*pair, bound.as_ref()?.0)));
            missed.extend(below.filter(|(_, bound)| *bound < config.decide.min_similarity));
            seen.extend(pairs.into_iter().zip(bounds));
            for (rank, own) in &*part {
                let best = own.iter().filter(|pair| pair.1 == *rank).filter_map(|pair| seen[pair]);
                let best = best
                    .filter(|(_, may_go)| *may_go)
                    .map(|(bound, _)| bound)
                    .max_by(f64::total_cmp);
                reached.extend(best);
            }
            sampled += part.len() as u64;
            if spent >= left || seen.len() >= COMPARED {
                break;
            }
            left -= spent;
        }
        missed.truncate(PAIRS);
        let known = missed.iter().filter(|(pair, _)| seen[pair].is_some_and(|(_, may_go)| may_go));
        let mut known: Vec<Bounded> = known
            .map(|((better, other, _), bound)| Bounded {
                better: *better,
                other: *other,
                bound: *bound,
            })
            .collect();
        known.sort_unstable_by_key(|pair| (pair.better, pair.other));
        let sample = Sample { sampled, all: kept.len() as u64, reached, known };
        Ok(Seen { just_missed: self.listed(missed)?, least, all: None, sample: Some(sample) })
    }

    /// The list of pairs that just missed, from pairs with their bounds.
    fn listed(&self, missed: Vec<(Pair, f64)>) -> Result<DuplicatePairs, Error> {
        let mut listed = Sorter::new(self.input.corpus.folder())?;
        for ((better, other, distance), similarity) in missed {
            let [one, other] = [better, other].map(|rank| self.documents[rank as usize]);
            let (left, right) = (one.min(other), one.max(other));
            // A pair needs some reason. No rule made this one a duplicate.
            let reason = Reason::Near;
            listed.push(DuplicatePair { left, right, distance, similarity, reason })?;
        }
        listed.finish()
    }

    fn is_kept(&self, rank: u32) -> bool {
        self.keepers[rank as usize] == rank
    }

    /// The nearest kept candidates of each document, by distance.
    fn nearest(&self, documents: &[u32]) -> Result<Vec<(u32, Vec<Pair>)>, Error> {
        let ranks: Vec<u32> =
            documents.iter().map(|document| self.order.ranks[*document as usize]).collect();
        let mut places: Vec<(u32, usize)> = ranks.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let mut nearest: Vec<(u32, Vec<Pair>)> =
            ranks.into_iter().map(|rank| (rank, Vec::new())).collect();
        for candidate in self.candidates.listed() {
            let candidate = candidate?;
            let (better, other) = (candidate.better, candidate.other);
            let distance = candidate.distance;
            if distance.is_none() || !self.is_kept(better) || !self.is_kept(other) {
                continue;
            }
            for rank in [better, other] {
                let Ok(place) = places.binary_search_by_key(&rank, |(rank, _)| *rank) else {
                    continue;
                };
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

    /// Adds the pairs of a hub with its nearest kept hubs, since pairs of hubs are not listed. At
    /// most four times [`NEAREST`] pairs are held at a time.
    fn add_nearest_of_hubs(&self, rank: u32, pairs: &mut Vec<Pair>, stage: &Progress<'_>) {
        let hubs = &self.candidates.hubs;
        let Some(own) = hubs.place(rank).filter(|_| !stage.stopped()) else { return };
        let document = |rank: u32| self.documents[rank as usize];
        let near = |(place, other): (usize, &u32)| {
            let distance = hubs.near(own, place)?;
            let wanted = *other != rank && self.is_kept(*other);
            let may_be = wanted && may_be_near(self.input.corpus, document(rank), document(*other));
            may_be.then_some((rank.min(*other), rank.max(*other), Some(distance)))
        };
        let nearness = |pair: &Pair| (pair.2, pair.0, pair.1);
        let take_nearest = |pairs: &mut Vec<Pair>| {
            if pairs.len() > NEAREST {
                pairs.select_nth_unstable_by_key(NEAREST, nearness);
                pairs.truncate(NEAREST);
            }
        };
        for pair in hubs.ranks().iter().enumerate().filter_map(near) {
            pairs.push(pair);
            if pairs.len() == 4 * NEAREST {
                take_nearest(pairs);
            }
        }
        take_nearest(pairs);
        pairs.sort_unstable_by_key(nearness);
    }

    /// The number of characters that may be compared.
    fn affordable(&self) -> u64 {
        let all: u64 = self.input.corpus.lengths().iter().map(|length| u64::from(*length)).sum();
        (all / CHARACTERS).max(FEW_CHARACTERS)
    }

    /// The characters of the two texts of a pair.
    fn characters(&self, (better, other, _): &Pair) -> u64 {
        self.length(*better) + self.length(*other)
    }

    /// The characters of the document of a rank.
    fn length(&self, rank: u32) -> u64 {
        u64::from(self.input.corpus.lengths()[self.documents[rank as usize] as usize])
    }

    /// For each pair the highest `min-similarity` at which it would be a duplicate, if that is at
    /// least `least`; with true if its other document may go for the better one.
    fn compare(
        &self,
        pairs: &[Pair],
        least: f64,
        stage: &Progress<'_>,
    ) -> Result<Vec<Option<(f64, bool)>>, Error> {
        let Input { config, corpus, recipe, .. } = *self.input;
        let rules = Rules { min_similarity: least, ..rules(self.input, self.search) };
        let judge = || PairJudge::new(corpus, recipe, rules);
        let compare = |judge: &mut PairJudge<'_>, pairs: &[Pair]| {
            let bound = |(better, other, distance): &Pair| {
                let pair = [*better, *other];
                let in_family = self.candidates.in_family(pair);
                let found = judge.candidate(
                    pair.map(|rank| self.documents[rank as usize]),
                    *distance,
                    in_family,
                )?;
                let with_bound = |(Verdict { lost, .. }, bound): (Verdict, f64)| {
                    (bound, may_go(config.decide.max_lost, lost.map(|[_, lost]| lost)))
                };
                Ok(found.map(with_bound))
            };
            if stage.stopped() {
                Err(Error::Interrupted)
            } else {
                pairs.iter().map(bound).collect()
            }
        };
        let bounds: Vec<Vec<_>> =
            pairs.par_chunks(PART).map_init(judge, compare).collect::<Result<_, Error>>()?;
        Ok(bounds.concat())
    }
}
