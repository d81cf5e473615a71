//! Candidate pairs -> clusters, and the evidence of the links between documents and their keepers.
//!
//! Candidates are sorted by the rank of their better document, as star clusters need them, and most need not be compared. In a star, a
//! document that was claimed by a keeper can neither become a keeper nor be claimed again; in a component, a pair that is connected
//! already adds nothing. So n documents that are all duplicates of each other need about n comparisons instead of n² / 2. Where all
//! duplicate pairs are wanted, every candidate is compared.
//!
//! Candidates are compared in batches, in parallel, and applied in their order. A result that no longer matters by then is discarded,
//! so nothing depends on the size of the batches.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::company::Company;
use super::rules;
use super::settling::Settling;
use crate::cluster::{self, Clusters, Method};
use crate::corpus::PairJudge;
use crate::error::Error;
use crate::judge::{Reason, Verdict};
use crate::outcome::{DuplicatePair, DuplicatePairs, Search};
use crate::search::{Candidate, Candidates, Input};
use crate::spill::Sorter;
use crate::verify::Measure;
use crate::watch::{Progress, Stage, Watch};

/// Candidates that are compared together at least, unless they are the last ones.
const TOGETHER: usize = 1 << 10;

/// Candidates of one document that are compared together at most.
const MOST_TOGETHER: usize = 1 << 16;

/// Candidates that one thread compares at a time.
const PART: usize = 64;

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
}

/// The candidates after their comparison.
#[derive(Debug, Serialize, Deserialize)]
pub struct Confirmed {
    /// The keeper of each document among those of different texts; itself where it is kept.
    pub keepers: Vec<u32>,
    /// The link of each document to its keeper, by document in order; none of components, whose links say nothing of
    /// keepers.
    pub links: Vec<Link>,
    /// Candidates that were compared.
    pub compared: u64,
    /// Duplicates among those, and pairs of short documents.
    pub confirmed: u64,
    /// All duplicate pairs, where they were wanted.
    pub pairs: DuplicatePairs,
}

/// Compares the candidates that may change a cluster, or `all` of them. `ranks` is the rank of each document.
///
/// # Errors
/// [`Error::Io`], [`Error::Unfit`] where a part was not gathered, [`Error::Interrupted`].
pub fn confirm(
    input: &Input<'_>,
    ranks: &[u32],
    candidates: &Candidates,
    search: &Search,
    all: bool,
    watch: &dyn Watch,
) -> Result<Confirmed, Error> {
    let (config, corpus, rules) = (input.config, input.corpus, rules(input, search));
    let stage = Progress::begin(watch, Stage::Verify, corpus.len(), corpus.text_bytes);
    let documents = cluster::by_rank(ranks);
    let mut clustering = Clustering {
        method: config.cluster,
        max_lost: config.max_lost,
        clusters: Clusters::new(config.cluster, ranks.len()),
        documents: &documents,
        links: Vec::new(),
        compared: 0,
        confirmed: 0,
        pairs: if all { Some(Sorter::new(corpus.folder())?) } else { None },
    };
    let company = match rules.measure {
        Measure::Coverage => Company::of_corpus(corpus, &documents, candidates)?,
        _ => Company::default(),
    };
    let mut waiting: Vec<Candidate> = Vec::new();
    let compare_all = |waiting: &mut Vec<Candidate>, clustering: &mut Clustering<'_>| {
        let judge = || PairJudge::new(corpus, input.recipe, rules);
        compare_all(waiting, judge, &company, clustering, &stage)
    };
    let mut settling = Settling::new(input, candidates, &company, &documents, &stage)?;
    let mut listed = InOrder::new(candidates.with_equal_texts(corpus, ranks));
    let mut settles_next = Some(0);
    while settles_next.is_some() {
        let settled;
        (settled, settles_next) = settling.settle(|rank| clustering.clusters.gain_from(rank, rank));
        if stage.stopped() {
            return Err(Error::Interrupted);
        }
        let mut settled = InOrder::new(settled.into_iter().map(Ok));
        // Up to the next document that settles, candidates of both kinds come in the order of ranks.
        let end = settles_next.unwrap_or(u32::MAX);
        loop {
            let from_listed = match (listed.before(end)?, settled.before(end)?) {
                (None, None) => break,
                (listed, settled) => settled.is_none_or(|settled| listed.is_some_and(|listed| listed < settled)),
            };
            let candidate = if from_listed { listed.take() } else { settled.take() };
            if from_listed && listed.taken.is_multiple_of(1 << 16) {
                stage.reach(listed.taken as f64 / candidates.pairs.len() as f64);
                if stage.stopped() {
                    return Err(Error::Interrupted);
                }
            }
            let full = waiting.len() >= TOGETHER && waiting.last().is_some_and(|last| last.better != candidate.better);
            if full || waiting.len() == MOST_TOGETHER {
                compare_all(&mut waiting, &mut clustering)?;
            }
            if clustering.matters(&candidate) {
                waiting.push(candidate);
            }
        }
        compare_all(&mut waiting, &mut clustering)?;
    }
    stage.reach(1.0);
    if stage.stopped() {
        return Err(Error::Interrupted);
    }
    let Clustering { clusters, mut links, compared, confirmed, pairs, .. } = clustering;
    links.sort_unstable_by_key(|link| link.document);
    let pairs = pairs.map_or_else(|| Sorter::new(corpus.folder()), Ok)?.finish()?;
    let keepers = cluster::of_documents(ranks, &clusters.keepers());
    Ok(Confirmed { keepers, links, compared, confirmed, pairs })
}

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

/// Compares the candidates that wait, and takes the duplicates in.
fn compare_all<'c>(
    waiting: &mut Vec<Candidate>,
    judge: impl Fn() -> PairJudge<'c> + Sync + Send,
    company: &Company<'_>,
    clustering: &mut Clustering<'_>,
    stage: &Progress<'_>,
) -> Result<(), Error> {
    let documents = clustering.documents;
    let compare = |judge: &mut PairJudge<'c>, candidates: &[Candidate]| {
        if stage.stopped() {
            return Err(Error::Interrupted);
        }
        let verdict = |candidate: &Candidate| {
            let Candidate { better, other, distance } = *candidate;
            let company =
                || [better, other].map(|rank| company.of(rank).iter().map(|near| documents[*near as usize]).collect());
            judge.candidate([better, other].map(|rank| documents[rank as usize]), distance, company)
        };
        candidates.iter().map(verdict).collect()
    };
    let verdicts: Vec<Vec<Option<Verdict>>> =
        waiting.par_chunks(PART).map_init(judge, compare).collect::<Result<_, Error>>()?;
    let mut compared = waiting.drain(..).zip(verdicts.into_iter().flatten());
    compared.try_for_each(|(candidate, verdict)| clustering.take(&candidate, verdict))
}

/// Takes compared candidates in, in their order.
struct Clustering<'d> {
    method: Method,
    /// The largest share of a document that may be lost with it.
    max_lost: Option<f64>,
    clusters: Clusters,
    /// The document of each rank.
    documents: &'d [u32],
    links: Vec<Link>,
    compared: u64,
    confirmed: u64,
    pairs: Option<Sorter<DuplicatePair>>,
}

impl Clustering<'_> {
    fn matters(&self, candidate: &Candidate) -> bool {
        self.pairs.is_some() || self.clusters.gain_from(candidate.better, candidate.other)
    }

    fn take(&mut self, candidate: &Candidate, verdict: Option<Verdict>) -> Result<(), Error> {
        if !self.matters(candidate) {
            return Ok(());
        }
        self.compared += u64::from(candidate.distance.is_some());
        let Some(Verdict { reason, distance, similarity, lost, .. }) = verdict else { return Ok(()) };
        self.confirmed += 1;
        let [one, other] = [candidate.better, candidate.other].map(|rank| self.documents[rank as usize]);
        let lost = lost.map(|[_, lost]| lost);
        // Duplicates are a pair, whether or not one may go for the other.
        if self.max_lost.is_none_or(|most| lost.is_some_and(|lost| lost <= most)) {
            if self.method == Method::Star && self.clusters.gain_from(candidate.better, candidate.other) {
                self.links.push(Link { document: other, reason, distance, similarity, lost });
            }
            self.clusters.link(candidate.better, candidate.other);
        }
        match &mut self.pairs {
            Some(pairs) => {
                let (left, right) = (one.min(other), one.max(other));
                pairs.push(DuplicatePair { left, right, distance, similarity, reason })
            }
            None => Ok(()),
        }
    }
}
