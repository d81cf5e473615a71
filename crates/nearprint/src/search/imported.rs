//! Candidate pairs of a search among more documents -> the search result of a corpus.

use super::equal::EqualTexts;
use super::fingerprints::fingerprints;
use super::hubs::{HubDocument, HubDocuments};
use super::neighbors::Neighbors;
use super::{Candidate, Candidates, Input, Sides, may_be_near, plan_among};
use crate::error::Error;
use crate::outcome::Search;
use crate::search::largest_distance;
use crate::spill::Sorter;
use crate::watch::Watch;

/// The part of a search result that is about the documents of a corpus.
#[derive(Debug)]
pub struct Imported<'f> {
    /// The number of all documents of that search, and the number of reference documents among
    /// them, if there were any.
    pub documents: Sides,
    /// Pairs of documents and their distances in bits; `None` if one is short. Pairs that guards
    /// forbid, and pairs of two reference documents, count as neighbors only. Pairs of equal texts
    /// may be missing: they are made again.
    pub pairs: &'f [(u32, u32, Option<u32>)],
    /// The hubs, in increasing order.
    pub hubs: &'f [u32],
    /// The short hubs, in increasing order.
    pub short_hubs: &'f [u32],
    /// The family of each document: only documents of one family may be a pair. `None` for a
    /// document whose pairs matter only for the neighbors of others.
    pub families: &'f [Option<u32>],
}

/// The candidates of a corpus, as a search of the corpus would return them. `ranks` and
/// `representatives` are indexed by document.
///
/// # Errors
/// As [`search`](super::search).
pub fn imported(
    input: &Input<'_>,
    ranks: &[u32],
    representatives: &[u32],
    found: &Imported<'_>,
    watch: &dyn Watch,
) -> Result<(Candidates, Search), Error> {
    let Input { config, corpus, recipe, .. } = *input;
    let rank = |document: u32| ranks[document as usize];
    let mut sorter = Sorter::new(corpus.folder())?;
    let mut neighbors = Neighbors::new(corpus, ranks);
    found.hubs.iter().for_each(|own| neighbors.mark_hub(*own));
    for (one, other, distance) in found.pairs {
        if distance.is_some() {
            neighbors.add_pair(*one, *other);
        }
        // Pairs of two hubs are looked for while the hubs resolve, so listed ones are dropped.
        let hubs = if distance.is_some() { found.hubs } else { found.short_hubs };
        let is_hub = [one, other].into_iter().all(|own| hubs.binary_search(own).is_ok());
        if is_hub || !may_be_near(corpus, *one, *other) {
            continue;
        }
        let (one, other) = (rank(*one), rank(*other));
        sorter.push(Candidate {
            better: one.min(other),
            other: one.max(other),
            distance: *distance,
        })?;
    }
    let max_distance = largest_distance(config);
    let (documents, against) = found.documents;
    let plan = plan_among(config, documents, against);
    let column = fingerprints(corpus, recipe, found.hubs, watch)?;
    let hubs = found.hubs.iter().zip(0..).map(|(document, place)| HubDocument {
        rank: rank(*document),
        fingerprint: column.get(place),
    });
    let hubs = HubDocuments::new(hubs.collect(), max_distance.unwrap_or(0));
    let mut short_hubs: Vec<u32> = found.short_hubs.iter().map(|own| rank(*own)).collect();
    short_hubs.sort_unstable();
    let (pairs, equal) = (sorter.finish()?, EqualTexts::new(corpus, ranks, representatives));
    let search = Search { max_distance, plan: plan.to_string(), ..Search::default() };
    let families =
        crate::cluster::by_rank(ranks).iter().map(|own| found.families[*own as usize]).collect();
    Ok((
        Candidates {
            pairs,
            hubs,
            short_hubs,
            equal,
            families: Some(families),
            neighbors: neighbors.counts(),
        },
        search,
    ))
}
