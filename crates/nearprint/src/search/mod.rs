//! Fingerprints of a corpus -> candidate pairs.
//!
//! ```text
//! documents -> their fingerprints                                   fingerprints.rs
//! the corpus, the settings -> how far to search                     radius.rs
//!   the number of documents -> the distances                        by_number.rs
//!   too many candidates by chance -> a smaller distance             lowering.rs
//!   a sample and edited copies of its texts -> the distances        sample.rs, copies.rs
//! fingerprints, distances -> candidate pairs, sorted                candidates.rs
//!   documents with very many candidates -> hubs                     hubs.rs
//!   the number of texts near each document                          neighbors.rs
//!   equal texts that are not folded -> candidate pairs               equal.rs
//! documents, their word n-grams -> all pairs similar by these       ngrams.rs
//! fingerprints of a caller -> the pairs that are near               outside.rs
//! pairs of a search among more documents -> candidate pairs         imported.rs
//! ```
//!
//! [`Radius`] alone decides how far a run searches, and explains the decision. Pairs of short
//! documents come from an index of their characters ([`nearprint_core::near::short`]), since
//! fingerprints of so few features say little.

mod by_number;
mod candidates;
mod copies;
mod equal;
mod fingerprints;
mod hubs;
mod imported;
mod lowering;
mod neighbors;
mod ngrams;
mod outside;
mod radius;
mod sample;

use std::borrow::Cow;
use std::ops::ControlFlow;

#[cfg(feature = "index")]
pub use by_number::least_complete_distance;
use by_number::{CHEAP, with_as_many_pairs};
pub use by_number::{largest_distance, plan_among, plan_of};
pub use candidates::{Candidate, SortedCandidates};
pub use equal::EqualTexts;
pub use fingerprints::{FingerprintTable, fingerprints};
pub use hubs::{Candidates, HubDocument, HubDocuments};
pub use imported::{Imported, imported};
pub use lowering::{Sides, each_pair, most_candidates, sampled};
use nearprint_core::compare::Measure;
use nearprint_core::near::{self, CandidatePair, Hubs, Join};
use nearprint_core::recipe::Recipe;
use neighbors::Neighbors;
pub use neighbors::families;
use ngrams::search_ngrams;
pub use ngrams::{NgramReader, just_below};
pub use outside::join;
pub use radius::Radius;
pub use sample::{Tuning, tune};

use crate::cluster::Method;
use crate::config::{Config, Distance, MaxDistance};
use crate::corpus::Corpus;
use crate::error::Error;
use crate::memory::MemoryBound;
use crate::message;
use crate::message::Setting;
use crate::outcome::Search;
use crate::spill::Sorter;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// A short document is a hub if it has more duplicates than this that are no longer than it.
pub const SHORT_HUB: usize = 16;

/// The tables of the join get at least 1 / `LEAST_PART` of the bytes of all fingerprints, even if
/// less memory is left.
const LEAST_PART: u64 = 4;

/// The settings of a search, and the documents in which it looks for duplicates.
#[derive(Clone, Copy)]
pub struct Input<'c> {
    /// The settings.
    pub config: &'c Config,
    /// The recipe of the corpus.
    pub recipe: &'c Recipe,
    /// The documents.
    pub corpus: &'c Corpus,
    /// The bound on the memory of the run.
    pub memory: MemoryBound,
}

/// The documents that are searched by fingerprint: one document of each text that is not short.
pub fn searched(config: &Config, corpus: &Corpus, representatives: &[u32]) -> Vec<u32> {
    let rules = config.rules(None);
    let long = |document: &u32| !rules.is_short(corpus.features(*document));
    (0..corpus.len() as u32).filter(|d| representatives[*d as usize] == *d && long(d)).collect()
}

/// Finds the candidate pairs of a corpus. One document stands for all documents of equal text.
/// `ranks` and `representatives` are indexed by document. With `all`, every pair of short documents
/// is listed, including pairs of two hubs.
///
/// # Errors
/// [`Error::Io`] if temporary files cannot be written or read, [`Error::Unfit`] if the corpus lacks
/// a needed part, [`Error::OverMemory`], [`Error::Interrupted`].
pub fn search(
    input: &Input<'_>,
    ranks: &[u32],
    representatives: &[u32],
    all: bool,
    watch: &dyn Watch,
) -> Result<(Candidates, Search), Error> {
    let Input { config, corpus, .. } = *input;
    let mut candidates = Sorter::new(corpus.folder())?;
    let mut push = |one: u32, other: u32, distance| {
        let (one, other) = (ranks[one as usize], ranks[other as usize]);
        candidates.push(Candidate { better: one.min(other), other: one.max(other), distance })
    };
    let equal = EqualTexts::new(corpus, ranks, representatives);
    if config.search.max_distance == MaxDistance::Off {
        let candidates = Candidates {
            pairs: candidates.finish()?,
            hubs: HubDocuments::default(),
            short_hubs: Vec::new(),
            equal,
            families: None,
            neighbors: vec![0; corpus.len()],
        };
        return Ok((candidates, Search::default()));
    }
    let documents = searched(config, corpus, representatives);
    let mut neighbors = Neighbors::new(corpus, ranks);
    let (mut search, hubs) = match config.search.max_distance {
        MaxDistance::Any => {
            let search = search_ngrams(input, &documents, &mut push, watch)?;
            (search, HubDocuments::default())
        }
        _ => search_fingerprints(input, &documents, ranks, &mut neighbors, &mut push, watch)?,
    };
    let neighbors = neighbors.counts();
    let chosen = |document| {
        representatives[document as usize] == document && !corpus.is_empty_text(document)
    };
    let wanted = |one, other| may_be_near(corpus, one, other);
    let mut pushed = Ok(());
    // The decisions about short documents are the same as if all of their pairs were compared.
    let most = (may_resolve(config, corpus) && !all).then_some(SHORT_HUB);
    let short_hubs = corpus.short().duplicates(
        config.least_similarity(),
        chosen,
        wanted,
        most,
        &|| watch.stopped(),
        |one, other| {
            if pushed.is_ok() {
                pushed = push(one, other, None);
            }
        },
    );
    pushed?;
    stop_if_asked(watch)?;
    let mut short_hubs: Vec<u32> =
        short_hubs.into_iter().map(|document| ranks[document as usize]).collect();
    short_hubs.sort_unstable();
    let candidates = Candidates {
        pairs: candidates.finish()?,
        hubs,
        short_hubs,
        equal,
        families: None,
        neighbors,
    };
    if !candidates.hubs.ranks().is_empty() {
        let of_fingerprints = |candidate: &Result<Candidate, Error>| {
            !candidate.as_ref().is_ok_and(|c| c.distance.is_none())
        };
        search.candidates = candidates.listed().filter(of_fingerprints).count() as u64;
    }
    Ok((candidates, search))
}

/// Calls `push` with the candidate pairs among these documents and their distances, counts the
/// neighbors of each document, and returns the hubs. Not all pairs of two hubs are pushed: the hubs
/// resolve in the order of their ranks ([`crate::decide`]).
fn search_fingerprints(
    input: &Input<'_>,
    documents: &[u32],
    ranks: &[u32],
    neighbors: &mut Neighbors<'_>,
    push: &mut (impl FnMut(u32, u32, Option<u32>) -> Result<(), Error> + Send),
    watch: &dyn Watch,
) -> Result<(Search, HubDocuments), Error> {
    let Input { config, corpus, recipe, memory } = *input;
    let for_recall = Radius::for_recall(input, documents, watch)?;
    // A column with the fingerprints of all documents is not copied.
    let fingerprints = match corpus.fingerprints() {
        Some(all) if documents.len() == corpus.len() => Cow::Borrowed(all),
        _ => Cow::Owned(fingerprints(corpus, recipe, documents, watch)?),
    };
    let stage = Progress::begin(watch, Stage::Join, documents.len(), corpus.text_bytes);
    let first = corpus.origins.first_side(documents);
    let searched = (documents.len(), first);
    let radius = for_recall
        .map_or_else(|| Radius::for_distance(input, documents, &fingerprints, searched), Ok)?;
    let Radius { max_distance, complete_distance, ref plan, lowered_from, .. } = radius;
    let by_edits = config.search.distance == Distance::Edit;
    if by_edits && with_as_many_pairs(documents.len(), first) > CHEAP {
        return Err(too_many_for_edits(documents.len()));
    }
    memory.check(corpus.len())?;
    let bytes = memory.left().max(size_of_val(fingerprints.words()) as u64 / LEAST_PART);
    let resolves = may_resolve(config, corpus)
        && config.decide.verify == Measure::Coverage
        && lowered_from.is_none()
        && !by_edits;
    let hubs = Hubs::new(if resolves { documents.len() } else { 0 });
    let (mut candidates, mut failure) = (0, None);
    // For each reference document, true if a document is near it.
    let mut has_neighbor = vec![false; first.unwrap_or(0)];
    let emit: &mut near::Emit<'_> = &mut |batch| {
        stage.reach(batch.done);
        let each = |pair: &CandidatePair| {
            let [one, other] = [pair.left, pair.right].map(|place| documents[place as usize]);
            neighbors.add_pair(one, other);
            if let Some(has_neighbor) = has_neighbor.get_mut(pair.left as usize) {
                *has_neighbor = true;
            }
            if !may_be_near(corpus, one, other) {
                return Ok(());
            }
            candidates += 1;
            push(one, other, Some(pair.distance))
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
    let join = Join::new(plan, max_distance).by(config.search.distance).within(bytes);
    let _ = join.across(first).without_hubs(resolves.then_some(&hubs)).run(&fingerprints, emit);
    let places: Vec<u32> = (0..)
        .zip(&has_neighbor)
        .filter(|(_, has_neighbor)| **has_neighbor)
        .map(|(place, _)| place)
        .collect();
    if config.decide.verify == Measure::Coverage && failure.is_none() && !places.is_empty() {
        let (near, all) = (places.len(), has_neighbor.len());
        let plan = radius.plan_among(config, near + all, Some(near));
        let join = Join::new(&plan, max_distance).by(config.search.distance).within(bytes);
        neighbors.find(&places, (&documents[..all], &fingerprints), join, watch)?;
    }
    let search = Search {
        candidates,
        max_distance: Some(max_distance),
        lowered_from,
        complete_distance: Some(complete_distance),
        plan: if by_edits { "all pairs, by edits".to_string() } else { plan.to_string() },
        seen_at_max_distance: Some(if by_edits { 1.0 } else { plan.share_seen(max_distance) }),
        estimate: radius.estimate,
    };
    if let Some(failure) = failure {
        return Err(failure);
    }
    let found_hubs = documents.iter().zip(0..).filter(|(_, place)| resolves && hubs.has(*place));
    let found_hubs = found_hubs.map(|(document, place)| {
        neighbors.mark_hub(*document);
        HubDocument {
            rank: ranks[*document as usize],
            fingerprint: fingerprints.get(place as usize),
        }
    });
    let hubs = HubDocuments::new(found_hubs.collect(), max_distance);
    stop_if_asked(watch)?;
    Ok((search, hubs))
}

/// The error of too many documents for a comparison of all pairs by edits.
fn too_many_for_edits(documents: usize) -> Error {
    let problem = message![
        "edit compares all pairs of fingerprints, at most ",
        CHEAP,
        " documents, and there are ",
        documents,
        "; set ",
        Setting::with("distance", "hamming"),
        ", or give fewer documents at a time"
    ];
    Error::usage("distance", problem)
}

/// Returns true if hubs may resolve without a list of their candidates: if clusters are stars, only
/// pairs with keepers matter.
fn may_resolve(config: &Config, corpus: &Corpus) -> bool {
    config.keep.cluster == Method::Star && corpus.origins.against() == 0
}

/// Returns true if two documents may be a pair, and their texts differ. Pairs of equal texts are in
/// [`EqualTexts`].
pub fn may_be_near(corpus: &Corpus, one: u32, other: u32) -> bool {
    let differ = corpus.folds_equal_texts() || corpus.text_hash(one) != corpus.text_hash(other);
    corpus.may_pair(one, other) && differ
}
