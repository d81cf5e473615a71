//! Pairs, each with the highest `min-similarity` at which it would be a duplicate -> the number of
//! documents that would be removed at each least similarity.
//!
//! If every candidate pair was compared and there are no hubs, the clusters of each least
//! similarity are made again from the pairs that reach it. The numbers are those of fresh runs that
//! search as far. Pairs of short documents below the run's least similarity are the exception: they
//! are looked for only if all pairs are wanted.
//!
//! Else the numbers are estimates. Above the run's least similarity, a document counts if the pair
//! that claimed it reaches the bound, although another keeper might claim it there. Below, the
//! number comes from the share of sampled kept documents that have a better-ranked document near
//! enough ([`just_missed`](super::just_missed)), with its interval.
//!
//! Cost: for each least similarity a pass over the pairs, or over the removed documents.

use hashbrown::HashMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::equal::keeper_of;
use super::{Confirmed, Order, marked};
use crate::cluster;
use crate::config::{LeakAction, MaxDistance};
use crate::error::Error;
use crate::leak::Leak;
use crate::outcome::{Bounds, Removal};
use crate::search::Input;
use crate::spill::{Record, Sorted};

/// A pair, by its ranks, that may link its documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounded {
    /// The better rank: the smaller number.
    pub better: u32,
    /// The other rank.
    pub other: u32,
    /// The highest `min-similarity`, 0 to 1, at which the two would be duplicates.
    pub bound: f64,
}

/// A row is the better rank, the other rank, and the two halves of the bound's bits.
impl Record for Bounded {
    type Row = [u32; 4];

    fn to_row(self) -> [u32; 4] {
        let bound = self.bound.to_bits();
        [self.better, self.other, (bound >> 32) as u32, bound as u32]
    }

    fn from_row([better, other, high, low]: [u32; 4]) -> Bounded {
        Bounded { better, other, bound: f64::from_bits(u64::from(high) << 32 | u64::from(low)) }
    }
}

/// The number of documents that would be removed at other least similarities. `removals` are those
/// of the run; `holders` are the documents that are removed for an item inside.
pub(super) fn bounds(
    input: &Input<'_>,
    order: &Order,
    confirmed: &Confirmed,
    removals: &[Removal],
    holders: &HashMap<u32, Leak>,
) -> Result<Option<Bounds>, Error> {
    let Input { config, corpus, .. } = *input;
    if config.search.max_distance == MaxDistance::Off || config.keep.leak_action == LeakAction::List
    {
        return Ok(None);
    }
    let (own, now) = (config.decide.min_similarity, removals.len() as u64);
    let (all, least, sample) =
        (&confirmed.bounds.all, confirmed.bounds.least, &confirmed.bounds.sample);
    let known = Known { input, order, confirmed, holders };
    let reached = known.reached(removals);
    let crowded = confirmed.bounds.crowded;
    let estimated = all.is_none() || sample.is_some() || crowded;
    let at = |bound: f64| match (all, sample) {
        _ if bound == own => Ok((bound, now)),
        (_, Some(sample)) if bound < own => {
            Ok((bound, now + sample.more(bound, config.keep.cluster)))
        }
        (Some(pairs), _) if estimated && bound > own => {
            Ok((bound, known.count(pairs, bound)?.min(now)))
        }
        (Some(pairs), _) => Ok((bound, known.count(pairs, bound)?)),
        (None, _) => {
            Ok((bound, reached.iter().filter(|reached| **reached >= bound).count() as u64))
        }
    };
    let mut removed: Vec<(f64, u64)> =
        steps(least, own).into_par_iter().map(at).collect::<Result<_, Error>>()?;
    if estimated {
        // Stars of the known pairs may remove more at a higher bound. The estimates never rise.
        for place in (1..removed.len()).rev() {
            removed[place - 1].1 = removed[place - 1].1.max(removed[place].1);
        }
    }
    let rules = config.rules(None);
    let is_short = |document: u32| {
        rules.is_short(corpus.features(document)) && !corpus.is_empty_text(document)
    };
    let without_short =
        !config.wants_all_pairs() && least < own && (0..corpus.len() as u32).any(is_short);
    let interval = |(bound, removed): &(f64, u64)| {
        let (low, high) = sample.as_ref().filter(|_| *bound < own)?.interval(*bound);
        // The interval contains the estimate.
        Some((*bound, (now + low).min(*removed), (now + high).max(*removed)))
    };
    let intervals = removed.iter().filter_map(interval).collect();
    Ok(Some(Bounds { estimated, crowded, without_short, removed, intervals }))
}

/// The least similarities with a number: `least`, the run's `own`, and every hundredth from `least`
/// to 1.
fn steps(least: f64, own: f64) -> Vec<f64> {
    let hundredths =
        (1..=100).map(|hundredth| f64::from(hundredth) / 100.0).filter(|step| *step >= least);
    let mut steps: Vec<f64> = [least, own].into_iter().chain(hundredths).collect();
    steps.sort_unstable_by(f64::total_cmp);
    steps.dedup();
    steps
}

/// A run with its links.
struct Known<'r> {
    input: &'r Input<'r>,
    order: &'r Order,
    confirmed: &'r Confirmed,
    holders: &'r HashMap<u32, Leak>,
}

impl Known<'_> {
    /// The number of documents that clusters of the pairs that reach a bound would remove.
    fn count(&self, pairs: &Sorted<Bounded>, bound: f64) -> Result<u64, Error> {
        let ranks = &self.order.ranks;
        let corpus = self.input.corpus;
        let (mut clusters, _) = marked(self.input.config.keep.cluster, corpus, ranks);
        for pair in pairs.iter() {
            let pair = pair?;
            if pair.bound >= bound {
                clusters.link(pair.better, pair.other);
            }
        }
        let keepers = cluster::of_documents(ranks, &clusters.keepers());
        let goes = |document: &u32| {
            let keeper = keeper_of(corpus, self.order, &keepers, *document);
            keeper.is_some_and(|keeper| keeper != *document) || self.held(*document) >= bound
        };
        Ok((0..corpus.len() as u32).filter(goes).count() as u64)
    }

    /// For each removed document the largest bound at which the pair that removed it, or the item
    /// inside it, still would.
    fn reached(&self, removals: &[Removal]) -> Vec<f64> {
        let (corpus, joined) = (self.input.corpus, &self.confirmed.bounds.joined);
        let of_document = |removal: &Removal| {
            let document = removal.document;
            let representative = self.order.representatives[document as usize];
            // A copy of an equal text goes at every bound.
            if representative != document && corpus.may_pair(representative, document) {
                return 1.0;
            }
            let place = joined.binary_search_by_key(&representative, |(document, _)| *document);
            place.map_or(0.0, |place| joined[place].1).max(self.held(document))
        };
        removals.iter().map(of_document).collect()
    }

    /// The similarity of the item for which a document goes; 0 if there is none.
    fn held(&self, document: u32) -> f64 {
        self.holders.get(&document).map_or(0.0, |leak| leak.similarity)
    }
}

#[cfg(test)]
mod tests;
