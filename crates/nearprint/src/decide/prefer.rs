//! Clusters around their longest documents -> the documents that stay.
//!
//! Where it is bounded what may be lost (`max-lost`), documents settle from the longest to the shortest, and one is claimed only by a
//! keeper in which it loses no more than that. So of a pair of which one is contained in the other, the containing one stays, whatever
//! `keep` says. But copies are in a cluster with their longest one, by a comma or a header, and there `keep` is to decide: the
//! document that it ranks best stays if every other one of the cluster is a pair of it, loses no more than that in it, and does not
//! contain it. Else the longest one stays.
//!
//! Cost: a comparison for each document of a cluster whose best-ranked document is not its longest one, until one says no.

use rayon::prelude::*;

use super::{Order, ranks_by, rules};
use crate::corpus::PairJudge;
use crate::error::Error;
use crate::judge::Reason;
use crate::outcome::{Removal, Search};
use crate::search::{Candidates, Input};
use crate::watch::Progress;

/// Lets `keep` decide who stays in each cluster, where `max-lost` is set.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
pub(super) fn prefer(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    search: &Search,
    clusters: &mut [(u32, Vec<u32>)],
    removals: &mut Vec<Removal>,
    stage: &Progress<'_>,
) -> Result<(), Error> {
    let (corpus, Some(most)) = (input.corpus, input.config.max_lost) else { return Ok(()) };
    let ranks = ranks_by(&input.config.keep, corpus);
    let judge = || PairJudge::new(corpus, input.recipe, rules(input, search));
    let turned = |judge: &mut PairJudge<'_>, (number, (keeper, members)): (usize, &mut (u32, Vec<u32>))| {
        let best = *members.iter().min_by_key(|member| ranks[**member as usize]).expect("a cluster has members");
        let mut removed = Vec::new();
        if best == *keeper {
            return Ok(removed);
        }
        for document in members.iter().copied().filter(|member| *member != best) {
            if stage.stopped() {
                return Err(Error::Interrupted);
            }
            let pair = [document, best];
            let rank = |document: u32| order.ranks[order.representatives[document as usize] as usize];
            let verdict = judge.verdict_among(pair, candidates.in_family(pair.map(rank)))?;
            let lost = verdict.lost.map(|[lost, _]| lost).filter(|lost| *lost <= most);
            let contains =
                verdict.reason == Reason::Contained && verdict.lost.is_some_and(|[own, others]| own > others);
            if !corpus.may_pair(document, best) || !verdict.duplicates || lost.is_none() || contains {
                return Ok(Vec::new());
            }
            let (distance, similarity, reason) = (verdict.distance, verdict.similarity, verdict.reason);
            let share = verdict.share();
            let cluster = number as u32 + 1;
            removed.push(Removal {
                document,
                keeper: best,
                cluster,
                distance,
                similarity,
                reason,
                lost,
                share,
                place: None,
            });
        }
        *keeper = best;
        Ok(removed)
    };
    let turned: Vec<Vec<Removal>> =
        clusters.par_iter_mut().enumerate().map_init(judge, turned).collect::<Result<_, Error>>()?;
    // Of a cluster without a removal here nothing has changed.
    removals.retain(|removal| turned[removal.cluster as usize - 1].is_empty());
    removals.extend(turned.into_iter().flatten());
    removals.sort_unstable_by_key(|removal| removal.document);
    Ok(())
}

#[cfg(test)]
mod tests;
