//! Candidate pairs -> clusters, with the evidence of the links between documents and their keepers.
//!
//! Star clusters need the candidates sorted by the rank of their better document. Most candidates
//! need no comparison. In a star, a claimed document can neither become a keeper nor be claimed
//! again. In a component, a pair of connected documents adds nothing. So n documents that are all
//! duplicates of each other need about n comparisons instead of n² / 2. If all duplicate pairs are
//! wanted, every candidate is compared, which changes no decision ([`listed`](super::listed)).
//!
//! Candidates are compared in batches, in parallel, and applied in their order. A result that has
//! become irrelevant by then is discarded, so nothing depends on the size of the batches.

use std::sync::{Mutex, PoisonError};

use nearprint_core::judge::{Rules, Verdict};
use rayon::prelude::*;

use super::clustering::Clustering;
use super::confirmed::{Confirmed, Linked};
use super::just_missed::{Below, Seen};
use super::listed::Listed;
use super::resolve::{self, Resolve};
use super::{Order, rules};
use crate::cluster;
use crate::config::JustMissed;
use crate::corpus::PairJudge;
use crate::error::Error;
use crate::outcome::Search;
use crate::search::{Candidate, Candidates, Input, may_be_near};
use crate::spill::Sorter;
use crate::watch::{Progress, Stage, Watch};

/// The least number of candidates in a batch, for each thread and in all. The last batch may have
/// fewer.
const FOR_EACH: usize = 4 * PART;
const TOGETHER: usize = 1 << 10;

/// The largest number of candidates in a batch.
const MOST_TOGETHER: usize = 1 << 16;

/// The number of candidates that one thread compares at a time.
const PART: usize = 64;

/// The progress, 0 to 1, at which all is decided if the pairs of hubs are still to be listed.
const DECIDED: f64 = 0.1;

/// Compares the candidates that may change a cluster, or every candidate if `all`. `all` is needed
/// for a list of all pairs that just missed.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] if a part was not gathered, [`Error::Interrupted`].
pub fn confirm(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    search: &Search,
    all: bool,
    watch: &dyn Watch,
) -> Result<Confirmed, Error> {
    let (config, corpus, ranks) = (input.config, input.corpus, &order.ranks[..]);
    let rules = Rules { min_similarity: config.least_similarity(), ..rules(input, search) };
    debug_assert!(all || rules.min_similarity == config.decide.min_similarity);
    let stage = Progress::begin(watch, Stage::Verify, corpus.len(), corpus.text_bytes);
    let documents = cluster::by_rank(ranks);
    let mut clustering = Clustering::new(config, corpus, candidates, order, &documents, all)?;
    let mut waiting: Vec<Candidate> = Vec::new();
    let threads = rayon::current_num_threads();
    let together = TOGETHER.max(FOR_EACH * threads);
    let judges: Vec<Mutex<PairJudge<'_>>> =
        (0..threads).map(|_| Mutex::new(PairJudge::new(corpus, input.recipe, rules))).collect();
    let compare = |waiting: &[Candidate]| compare(waiting, &judges, candidates, &documents, &stage);
    let compare_all = |waiting: &mut Vec<Candidate>, clustering: &mut Clustering<'_>| {
        let verdicts = compare(waiting)?;
        let mut compared = waiting.drain(..).zip(verdicts);
        compared.try_for_each(|(candidate, verdict)| clustering.take(&candidate, verdict))
    };
    let list_all = |waiting: &mut Vec<Candidate>, clustering: &mut Clustering<'_>| {
        let verdicts = compare(waiting)?;
        let mut compared = waiting.drain(..).zip(verdicts);
        compared.try_for_each(|(candidate, verdict)| clustering.list(&candidate, verdict))
    };
    let may_pair = |one: u32, other: u32| {
        may_be_near(corpus, documents[one as usize], documents[other as usize])
    };
    let hubs = candidates.hubs.ranks();
    // Listing the pairs of hubs takes most of the time.
    let lists_hubs = all && !hubs.is_empty();
    let decided = if lists_hubs { DECIDED } else { 1.0 };
    let mut resolve = Resolve::new(input, candidates, &documents);
    let mut listed = candidates.with_equal_texts(corpus, ranks).peekable();
    let mut taken = 0_u64;
    let mut judge = PairJudge::new(corpus, input.recipe, rules);
    for (left, right) in corpus.marks().pairs().iter().filter(|_| all) {
        let in_family = candidates.in_family([*left, *right].map(|own| ranks[own as usize]));
        let verdict = judge.verdict_among([*left, *right], in_family)?;
        clustering.list_marked((*left, *right), verdict)?;
    }
    loop {
        let hub = resolve.next();
        // Candidates with a better document than the hub are decided before it.
        let end = hub.unwrap_or(u32::MAX);
        let is_before =
            |next: &Result<Candidate, Error>| next.as_ref().map_or(true, |next| next.better < end);
        while let Some(candidate) = listed.next_if(is_before).transpose()? {
            taken += 1;
            if taken.is_multiple_of(1 << 16) {
                stage.reach(decided * f64::from(candidate.better) / documents.len() as f64);
                if stage.stopped() {
                    return Err(Error::Interrupted);
                }
            }
            let full = waiting.len() >= together
                && waiting.last().is_some_and(|last| last.better != candidate.better);
            if full || waiting.len() == MOST_TOGETHER {
                compare_all(&mut waiting, &mut clustering)?;
            }
            if clustering.matters(&candidate) {
                waiting.push(candidate);
            }
        }
        compare_all(&mut waiting, &mut clustering)?;
        let Some(rank) = hub else { break };
        if stage.stopped() {
            return Err(Error::Interrupted);
        }
        stage.reach(decided * f64::from(rank) / documents.len() as f64);
        if !clustering.is_free(rank) {
            continue;
        }
        for candidate in resolve.with_keepers(rank, |keeper| may_pair(rank, keeper)) {
            let verdict = compared(&mut judge, &candidate, candidates, &documents)?;
            clustering.take(&candidate, verdict)?;
            if !clustering.is_free(rank) {
                break;
            }
        }
        if clustering.is_free(rank) {
            resolve.keep(rank);
            waiting = resolve.by_characters(rank, |rank| clustering.is_free(rank));
            waiting.retain(|candidate| clustering.matters(candidate));
            compare_all(&mut waiting, &mut clustering)?;
        }
    }
    if lists_hubs {
        for (number, rank) in hubs.iter().enumerate() {
            let is_new =
                |pair: &Candidate| !clustering.clusters.is_in_star(pair.better, pair.other);
            let near = resolve::listed(&candidates.hubs, *rank, |other| may_pair(*rank, other));
            waiting.extend(near.into_iter().filter(is_new));
            if waiting.len() >= MOST_TOGETHER {
                list_all(&mut waiting, &mut clustering)?;
                stage.reach(DECIDED + (1.0 - DECIDED) * number as f64 / hubs.len() as f64);
            }
        }
        list_all(&mut waiting, &mut clustering)?;
    }
    stage.reach(1.0);
    if stage.stopped() {
        return Err(Error::Interrupted);
    }
    let Clustering { clusters, mut links, mut joined, compared, confirmed, listed, .. } =
        clustering;
    links.sort_unstable_by_key(|link| link.document);
    joined.sort_unstable_by_key(|(document, _)| *document);
    let keepers = clusters.keepers();
    let below =
        Below { input, order, candidates, search, documents: &documents, keepers: &keepers };
    let seen = below.seen(&stage)?;
    let (pairs, missed, linked) = match listed {
        Some(Listed { pairs, just_missed, linked, .. }) => {
            (pairs, just_missed.finish()?, Some(linked.finish()?))
        }
        None => (Sorter::new(corpus.folder())?, Sorter::new(corpus.folder())?.finish()?, None),
    };
    let (just_missed, least, all, sample) = match (config.decide.just_missed, seen) {
        (JustMissed::Down(least), _) => (Some(missed), least, linked, None),
        (_, Some(Seen { just_missed, least, all, sample })) => {
            (Some(just_missed), least, all.or(linked), sample)
        }
        (_, None) => (None, config.decide.min_similarity, linked, None),
    };
    let keepers = cluster::of_documents(ranks, &keepers);
    let bounds = Linked { all, least, joined, sample, crowded: !hubs.is_empty() };
    let pairs = pairs.finish()?;
    Ok(Confirmed { keepers, links, compared, confirmed, pairs, just_missed, bounds })
}

/// Compares a batch, with a judge for each thread. Each verdict comes with the largest least
/// similarity at which the pair would still be a duplicate.
fn compare(
    waiting: &[Candidate],
    judges: &[Mutex<PairJudge<'_>>],
    candidates: &Candidates,
    documents: &[u32],
    stage: &Progress<'_>,
) -> Result<Vec<Option<(Verdict, f64)>>, Error> {
    let compare = |part: &[Candidate]| {
        if stage.stopped() {
            return Err(Error::Interrupted);
        }
        let own = rayon::current_thread_index().expect("a thread of the pool compares");
        let mut judge = judges[own].lock().unwrap_or_else(PoisonError::into_inner);
        part.iter()
            .map(|candidate| compared(&mut judge, candidate, candidates, documents))
            .collect()
    };
    let verdicts: Vec<Vec<Option<(Verdict, f64)>>> =
        waiting.par_chunks(PART).map(compare).collect::<Result<_, Error>>()?;
    Ok(verdicts.into_iter().flatten().collect())
}

/// The verdict on a candidate, with its highest `min-similarity` as of [`compare`].
fn compared(
    judge: &mut PairJudge<'_>,
    candidate: &Candidate,
    candidates: &Candidates,
    documents: &[u32],
) -> Result<Option<(Verdict, f64)>, Error> {
    let ranks = [candidate.better, candidate.other];
    let pair = ranks.map(|rank| documents[rank as usize]);
    judge.candidate(pair, candidate.distance, candidates.in_family(ranks))
}

#[cfg(test)]
mod tests;
