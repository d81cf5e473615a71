//! Clusters -> removed documents with their evidence, numbered clusters, and counts.

use hashbrown::HashMap;
use nearprint_core::judge::{Reason, Verdict};
use rayon::prelude::*;

use super::bounds::bounds;
use super::clustering::reason_of_mark;
use super::confirmed::{Confirmed, Link};
use super::equal::{copies, keeper_of};
use super::leaks::{beside, found, holders, leak_counts};
use super::{Order, rules};
use crate::cluster::Method;
use crate::config::{LeakAction, MaxDistance};
use crate::corpus::PairJudge;
use crate::error::Error;
use crate::leak::Leak;
use crate::outcome::{Counts, Decisions, Recall, Removal, Search};
use crate::search::{Candidates, Input};
use crate::watch::{Progress, Stage, Watch};

/// The number of removals that a thread takes at a time.
const CHUNK: usize = 256;

/// Gives every removed document its evidence, and every cluster its number.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] if a part was not gathered, [`Error::Interrupted`].
pub fn explain(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    confirmed: Confirmed,
    search: Search,
    recall: Option<Recall>,
    watch: &dyn Watch,
) -> Result<Decisions, Error> {
    let corpus = input.corpus;
    let stage = Progress::begin(watch, Stage::Cluster, corpus.len(), corpus.text_bytes);
    let Order { ranks, representatives } = order;
    let holders = holders(input, representatives)?;
    let (clusters, mut removals) = clusters(input, order, &confirmed.keepers, &holders);
    let copies: Vec<(u32, u32)> = copies(corpus, representatives).collect();
    add_evidence(input, order, candidates, &confirmed.links, &search, &mut removals, &stage)?;
    let bounds = bounds(input, order, &confirmed, &removals, &holders)?;
    stage.reach(1.0);
    let mut listed = Vec::new();
    if input.config.keep.leak_action == LeakAction::List {
        std::mem::swap(&mut removals, &mut listed);
    }
    let pairs = (confirmed.compared, confirmed.confirmed + copies.len() as u64);
    let counts = counts(input, representatives, &removals, &listed, &clusters, &search, pairs)?;
    let Confirmed { pairs, just_missed, .. } = confirmed;
    let families =
        representatives.iter().map(|own| candidates.in_family([ranks[*own as usize]; 2])).collect();
    Ok(Decisions {
        removals,
        listed,
        clusters,
        pairs,
        just_missed,
        bounds,
        copies,
        families,
        search,
        recall,
        counts,
    })
}

/// The clusters of two or more documents, by number - 1, and the removed documents. A removal has
/// the evidence of equal texts or of an item inside; [`add_evidence`] replaces the former.
fn clusters(
    input: &Input<'_>,
    order: &Order,
    keepers: &[u32],
    holders: &HashMap<u32, Leak>,
) -> (Vec<(u32, Vec<u32>)>, Vec<Removal>) {
    let corpus = input.corpus;
    let keeper_of =
        |document: u32| match (keeper_of(corpus, order, keepers, document), holders.get(&document))
        {
            (Some(keeper), _) => (keeper, None),
            (None, None) => (document, None),
            (None, Some(leak)) => (leak.item, Some(leak)),
        };
    let mut members = vec![0u32; corpus.len()];
    (0..corpus.len() as u32).for_each(|document| members[keeper_of(document).0 as usize] += 1);
    let mut numbers = vec![0u32; corpus.len()];
    let mut clusters: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut removals = Vec::new();
    for document in 0..corpus.len() as u32 {
        let (keeper, leak) = keeper_of(document);
        if members[keeper as usize] < 2 {
            continue;
        }
        let number = &mut numbers[keeper as usize];
        if *number == 0 {
            clusters.push((keeper, Vec::with_capacity(members[keeper as usize] as usize)));
            *number = clusters.len() as u32;
        }
        clusters[*number as usize - 1].1.push(document);
        if document != keeper {
            // Other texts than the keeper's get their evidence in `add_evidence`.
            let Verdict { distance, similarity, reason, .. } = Verdict::of_equal_texts();
            let (lost, share, place) = (Some(0.0), None, None);
            let cluster = *number;
            let equal = Removal {
                document,
                keeper,
                cluster,
                distance,
                similarity,
                reason,
                lost,
                share,
                place,
            };
            removals.push(match leak {
                None => equal,
                Some(leak) => Removal {
                    distance: None,
                    similarity: leak.similarity,
                    reason: Reason::Contains,
                    lost: Some(beside(leak, corpus)),
                    place: Some([leak.first, leak.last]),
                    ..equal
                },
            });
        }
    }
    (clusters, removals)
}

/// Adds the evidence of removed documents whose text differs from their keeper's. It is the
/// confirmed link. Documents of a component may be linked through others, and documents of a star
/// by marks; then it is the judge's verdict on the two.
fn add_evidence(
    input: &Input<'_>,
    order: &Order,
    candidates: &Candidates,
    links: &[Link],
    search: &Search,
    removals: &mut [Removal],
    stage: &Progress<'_>,
) -> Result<(), Error> {
    let rules = rules(input, search);
    let marks = input.corpus.marks();
    let judge = || PairJudge::new(input.corpus, input.recipe, rules);
    let Order { ranks, representatives } = order;
    let part = |judge: &mut PairJudge<'_>, removals: &mut [Removal]| {
        for removal in removals.iter_mut() {
            let document = representatives[removal.document as usize];
            if document == removal.keeper || removal.reason == Reason::Contains {
                continue;
            }
            let known = links.binary_search_by_key(&document, |link| link.document);
            (removal.reason, removal.distance, removal.similarity, removal.lost, removal.share) =
                match known {
                    Ok(place) => {
                        let link = &links[place];
                        (link.reason, link.distance, link.similarity, link.lost, link.share)
                    }
                    Err(_) => {
                        let pair = [document, removal.keeper];
                        let in_family =
                            candidates.in_family(pair.map(|document| ranks[document as usize]));
                        let verdict = judge.verdict_among(pair, in_family)?;
                        let (lost, share) = (verdict.lost.map(|[lost, _]| lost), verdict.share());
                        let is_marked = input.config.keep.cluster == Method::Star
                            || marks.verdict(document, removal.keeper) == Some(true);
                        let reason =
                            if is_marked { reason_of_mark(&verdict) } else { verdict.reason };
                        (reason, verdict.distance, verdict.similarity, lost, share)
                    }
                };
        }
        if stage.stopped() { Err(Error::Interrupted) } else { Ok(()) }
    };
    removals.par_chunks_mut(CHUNK).map_init(judge, part).collect()
}

/// The decisions in numbers. `pairs` are the numbers of compared and of confirmed pairs.
fn counts(
    input: &Input<'_>,
    representatives: &[u32],
    removals: &[Removal],
    listed: &[Removal],
    clusters: &[(u32, Vec<u32>)],
    search: &Search,
    pairs: (u64, u64),
) -> Result<Counts, Error> {
    let (corpus, origins) = (input.corpus, &input.corpus.origins);
    let own = || origins.against() as u32..corpus.len() as u32;
    let rules = input.config.rules(None);
    let searched = input.config.search.max_distance != MaxDistance::Off;
    let is_short = |document: &u32| {
        searched && !corpus.is_empty_text(*document) && rules.is_short(corpus.features(*document))
    };
    let lost = |removal: &Removal| {
        Some(removal.lost? * f64::from(corpus.lengths()[removal.document as usize]))
    };
    let by = |reason| removals.iter().filter(|removal| removal.reason == reason).count() as u64;
    Ok(Counts {
        read: own().len() as u64,
        against: origins.has_sides().then_some(origins.against() as u64),
        against_found: found(corpus, representatives, removals, listed)?,
        empty: own().filter(|document| corpus.is_empty_text(*document)).count() as u64,
        short: own().filter(is_short).count() as u64,
        exact: by(Reason::Exact),
        near: by(Reason::Near),
        near_short: by(Reason::Short),
        contained: by(Reason::Contained),
        contains: by(Reason::Contains),
        marked: corpus.marks().used().map(|_| by(Reason::Marked)),
        leaks: leak_counts(corpus, removals, listed)?,
        lost_characters: removals
            .iter()
            .map(lost)
            .sum::<Option<f64>>()
            .map(|all| all.round() as u64),
        kept: (own().len() - removals.len()) as u64,
        removed: removals.len() as u64,
        rejected: origins.rejections.len() as u64,
        candidate_pairs: search.candidates,
        compared_pairs: pairs.0,
        confirmed_pairs: pairs.1,
        clusters: clusters.len() as u64,
        largest_cluster: clusters.iter().map(|(_, members)| members.len()).max().unwrap_or(0)
            as u64,
    })
}
