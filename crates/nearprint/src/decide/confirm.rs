//! Candidate pairs -> clusters, and the evidence of the links between documents and their keepers.
//!
//! Candidates are sorted by the rank of their better document, as star clusters need them, and most
//! need not be compared. In a star, a document that was claimed by a keeper can neither become a
//! keeper nor be claimed again; in a component, a pair that is connected already adds nothing. So n
//! documents that are all duplicates of each other need about n comparisons instead of n² / 2.
//! Where all duplicate pairs are wanted, every candidate is compared, which changes no decision
//! ([`listed`](super::listed)).
//!
//! Candidates are compared in batches, in parallel, and applied in their order. A result that no
//! longer matters by then is discarded, so nothing depends on the size of the batches.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use nearprint_core::judge::{Reason, Rules, Verdict};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bounds::Bounded;
use super::just_missed::{Below, Sample, Seen};
use super::listed::Listed;
use super::resolve::Resolve;
use super::{Order, may_go, rules};
use crate::cluster::{self, Clusters, Method};
use crate::config::JustMissed;
use crate::corpus::PairJudge;
use crate::error::Error;
use crate::outcome::{DuplicatePair, DuplicatePairs, Search};
use crate::search::{Candidate, Candidates, Input, may_be_near};
use crate::spill::{Sorted, Sorter};
use crate::watch::{Progress, Stage, Watch};

/// Candidates for each thread that are compared together at least, unless they are the last ones,
/// and those for all.
const FOR_EACH: usize = 4 * PART;
const TOGETHER: usize = 1 << 10;

/// Candidates of one document that are compared together at most.
const MOST_TOGETHER: usize = 1 << 16;

/// Candidates that one thread compares at a time.
const PART: usize = 64;

/// The share of the work that is told as done where all is decided, and the pairs of hubs are still
/// to be listed.
const DECIDED: f64 = 0.1;

/// The evidence of a document and its keeper.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Link {
    /// The document.
    pub document: u32,
    /// The rule that applied.
    pub reason: Reason,
    /// Hamming distance of the fingerprints in bits.
    pub distance: Option<u32>,
    /// Their similarity.
    pub similarity: f64,
    /// The share of the document that stands nowhere in its keeper, where that is known.
    pub lost: Option<f64>,
    /// The share of both texts that stands in the other one, where coverage decided.
    pub share: Option<f64>,
}

/// The candidates after their comparison.
#[derive(Debug, Serialize, Deserialize)]
pub struct Confirmed {
    /// The keeper of each document among those of different texts; itself where it is kept.
    pub keepers: Vec<u32>,
    /// The link of each document to its keeper, by document in order; none of components, whose
    /// links say nothing of keepers.
    pub links: Vec<Link>,
    /// Candidates that were compared.
    pub compared: u64,
    /// Duplicates among those, and pairs of short documents.
    pub confirmed: u64,
    /// All duplicate pairs, where they were wanted.
    pub pairs: DuplicatePairs,
    /// Pairs that just missed the least similarity, if they were wanted: all of them, or those of a
    /// sample.
    pub just_missed: Option<DuplicatePairs>,
    /// What would be linked at other least similarities.
    pub bounds: Linked,
}

/// What would be linked at other least similarities, as far as it is known.
#[derive(Debug, Serialize, Deserialize)]
pub struct Linked {
    /// All pairs that may link two documents, where all candidates were compared.
    pub(super) all: Option<Sorted<Bounded>>,
    /// The lowest least similarity that is told of; down to that are the pairs of `all`, but where
    /// there is a sample.
    pub(super) least: f64,
    /// Each document that is no keeper, with the largest least similarity at which the pair that
    /// made it so would be one; by document in order.
    pub(super) joined: Vec<(u32, f64)>,
    /// The kept documents that were sampled, where these were.
    pub(super) sample: Option<Sample>,
    /// Whether there is hubs, of which the pairs of `all` are those that the tables of the search
    /// see.
    pub(super) crowded: bool,
}

/// Compares the candidates that may change a cluster, or `all` of them, which it must be where all
/// pairs that just missed are wanted.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
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
    let mut clustering = Clustering {
        method: config.keep.cluster,
        max_lost: config.decide.max_lost,
        clusters: Clusters::new(config.keep.cluster, ranks.len()),
        candidates,
        documents: &documents,
        min_similarity: config.decide.min_similarity,
        links: Vec::new(),
        joined: Vec::new(),
        compared: 0,
        confirmed: 0,
        listed: if all { Some(Listed::new(corpus, config.decide.min_similarity)?) } else { None },
    };
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
        waiting
            .drain(..)
            .zip(verdicts)
            .try_for_each(|(candidate, verdict)| clustering.list(&candidate, verdict))
    };
    let mut resolve = Resolve::new(input, candidates, &documents);
    let mut listed = InOrder::new(candidates.with_equal_texts(corpus, ranks));
    // To list the pairs of hubs takes most of the time.
    let lists_hubs = all && !candidates.hubs.ranks().is_empty();
    let decided = if lists_hubs { DECIDED } else { 1.0 };
    let mut judge = PairJudge::new(corpus, input.recipe, rules);
    loop {
        let resolves = resolve.next();
        // Candidates of better documents come before a hub resolves.
        let end = resolves.unwrap_or(u32::MAX);
        while listed.before(end)?.is_some() {
            let candidate = listed.take();
            if listed.taken.is_multiple_of(1 << 16) {
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
        let Some(rank) = resolves else { break };
        if stage.stopped() {
            return Err(Error::Interrupted);
        }
        stage.reach(decided * f64::from(rank) / documents.len() as f64);
        if !clustering.clusters.gain_from(rank, rank) {
            continue;
        }
        let may_pair = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|rank| documents[rank as usize]);
            may_be_near(corpus, one, other)
        };
        for candidate in resolve.with_keepers(rank, |keeper| may_pair(rank, keeper)) {
            let verdict = compared(&mut judge, &candidate, candidates, &documents)?;
            clustering.take(&candidate, verdict)?;
            if !clustering.clusters.gain_from(rank, rank) {
                break;
            }
        }
        if clustering.clusters.gain_from(rank, rank) {
            resolve.keep(rank);
            waiting = resolve.by_characters(rank, |rank| clustering.clusters.gain_from(rank, rank));
            waiting.retain(|candidate| clustering.matters(candidate));
            compare_all(&mut waiting, &mut clustering)?;
        }
    }
    if lists_hubs {
        for (number, rank) in candidates.hubs.ranks().iter().enumerate() {
            let may_pair = |other: u32| {
                may_be_near(corpus, documents[*rank as usize], documents[other as usize])
            };
            let is_new =
                |pair: &Candidate| !clustering.clusters.is_in_star(pair.better, pair.other);
            let near = super::resolve::listed(&candidates.hubs, *rank, may_pair);
            waiting.extend(near.into_iter().filter(is_new));
            if waiting.len() >= MOST_TOGETHER {
                list_all(&mut waiting, &mut clustering)?;
                stage.reach(
                    DECIDED
                        + (1.0 - DECIDED) * number as f64 / candidates.hubs.ranks().len() as f64,
                );
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
    let crowded = !candidates.hubs.ranks().is_empty();
    let bounds = Linked { all, least, joined, sample, crowded };
    Ok(Confirmed {
        keepers,
        links,
        compared,
        confirmed,
        pairs: pairs.finish()?,
        just_missed,
        bounds,
    })
}

impl Confirmed {
    /// The same with its lists in files that have names, so that it can be saved: `name` gives the
    /// path of each.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn in_files(self, name: impl Fn(&str) -> PathBuf) -> Result<Confirmed, Error> {
        let just_missed =
            self.just_missed.map(|pairs| pairs.in_file(&name(JUST_MISSED))).transpose()?;
        let all = self.bounds.all.map(|pairs| pairs.in_file(&name(LINKED))).transpose()?;
        let pairs = self.pairs.in_file(&name(PAIRS))?;
        Ok(Confirmed { pairs, just_missed, bounds: Linked { all, ..self.bounds }, ..self })
    }

    /// Opens the files of one that was loaded. `false` where one is not what it was.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn reopen(&mut self, name: impl Fn(&str) -> PathBuf) -> Result<bool, Error> {
        let missed =
            self.just_missed.as_mut().map_or(Ok(true), |pairs| pairs.reopen(&name(JUST_MISSED)))?;
        let linked =
            self.bounds.all.as_mut().map_or(Ok(true), |pairs| pairs.reopen(&name(LINKED)))?;
        Ok(missed && linked && self.pairs.reopen(&name(PAIRS))?)
    }
}

/// The files of these lists, where they have names.
const PAIRS: &str = "pairs";
const JUST_MISSED: &str = "just missed";
const LINKED: &str = "linked";

/// Candidates in order, of which the next one can be looked at.
struct InOrder<I> {
    candidates: I,
    next: Option<Candidate>,
    /// The number of those that were taken.
    taken: u64,
}

impl<I: Iterator<Item = Result<Candidate, Error>>> InOrder<I> {
    fn new(candidates: I) -> InOrder<I> {
        InOrder { candidates, next: None, taken: 0 }
    }

    /// The ranks of the next pair, if its better one is before `end`.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn before(&mut self, end: u32) -> Result<Option<(u32, u32)>, Error> {
        if self.next.is_none() {
            self.next = self.candidates.next().transpose()?;
        }
        Ok(self.next.map(|pair| (pair.better, pair.other)).filter(|pair| pair.0 < end))
    }

    /// Takes the pair that was looked at.
    fn take(&mut self) -> Candidate {
        self.taken += 1;
        self.next.take().expect("it was looked at")
    }
}

/// The verdicts on candidates; each with the largest least similarity at which it would be one of
/// duplicates. There is a judge for each thread.
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

/// The verdict on a candidate.
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

/// Takes compared candidates in, in their order.
struct Clustering<'d> {
    method: Method,
    /// The largest share of a document that may be lost with it.
    max_lost: Option<f64>,
    clusters: Clusters,
    candidates: &'d Candidates,
    /// The document of each rank.
    documents: &'d [u32],
    /// That of duplicates; others were compared as well where they are wanted.
    min_similarity: f64,
    links: Vec<Link>,
    joined: Vec<(u32, f64)>,
    compared: u64,
    confirmed: u64,
    /// All pairs, where they are wanted.
    listed: Option<Listed>,
}

impl Clustering<'_> {
    /// Whether a candidate may change a cluster, or is to be listed here.
    fn matters(&self, candidate: &Candidate) -> bool {
        self.candidates.is_of_family(candidate)
            && (self.listed.is_some() && !self.candidates.is_hub(candidate)
                || self.clusters.gain_from(candidate.better, candidate.other))
    }

    fn take(
        &mut self,
        candidate: &Candidate,
        verdict: Option<(Verdict, f64)>,
    ) -> Result<(), Error> {
        if !self.matters(candidate) {
            return Ok(());
        }
        let links =
            verdict.as_ref().is_some_and(|(verdict, bound)| self.link(candidate, verdict, *bound));
        // Of the pairs of hubs those that link are listed here; the others are, where all are
        // wanted, once all is decided.
        match links || self.listed.is_none() || !self.candidates.is_hub(candidate) {
            true => self.list(candidate, verdict),
            false => Ok(()),
        }
    }

    /// Links two documents, if they are duplicates of which one may go for the other, and that
    /// changes something.
    fn link(&mut self, candidate: &Candidate, verdict: &Verdict, bound: f64) -> bool {
        let Verdict { reason, distance, similarity, lost, .. } = *verdict;
        let lost = lost.map(|[_, lost]| lost);
        // Duplicates are a pair, whether or not one may go for the other.
        if bound < self.min_similarity || !may_go(self.max_lost, lost) {
            return false;
        }
        let Some(joined) = self.clusters.link(candidate.better, candidate.other) else {
            return false;
        };
        self.joined.push((self.documents[joined as usize], bound));
        if self.method == Method::Star {
            let document = self.documents[candidate.other as usize];
            let share = verdict.share();
            self.links.push(Link { document, reason, distance, similarity, lost, share });
        }
        true
    }

    /// Counts a pair that was compared, and lists it where all are wanted.
    fn list(
        &mut self,
        candidate: &Candidate,
        verdict: Option<(Verdict, f64)>,
    ) -> Result<(), Error> {
        let Candidate { better, other, distance: of_candidate } = *candidate;
        self.compared += u64::from(of_candidate.is_some());
        let Some((Verdict { reason, distance, similarity, lost, .. }, bound)) = verdict else {
            return Ok(());
        };
        self.confirmed += u64::from(bound >= self.min_similarity);
        let Some(listed) = &mut self.listed else { return Ok(()) };
        let [one, document] = [better, other].map(|rank| self.documents[rank as usize]);
        let pair = DuplicatePair {
            left: one.min(document),
            right: one.max(document),
            distance,
            similarity,
            reason,
        };
        listed.push(
            Bounded { better, other, bound },
            may_go(self.max_lost, lost.map(|[_, lost]| lost)),
            pair,
        )
    }
}
