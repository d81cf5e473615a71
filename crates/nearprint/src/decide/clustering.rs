//! Compared candidates, in their order -> clusters, the links to keepers, and lists of pairs.

use nearprint_core::judge::{Reason, Verdict};

use super::bounds::Bounded;
use super::confirmed::Link;
use super::listed::Listed;
use super::{Order, marked, may_go};
use crate::cluster::{Clusters, Method};
use crate::config::Config;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::outcome::DuplicatePair;
use crate::search::{Candidate, Candidates};

/// The clusters so far.
pub(super) struct Clustering<'d> {
    method: Method,
    /// The largest share of a document that may be lost with it.
    max_lost: Option<f64>,
    /// The least similarity of duplicates. Where all pairs are wanted, pairs below it are compared
    /// too.
    min_similarity: f64,
    candidates: &'d Candidates,
    /// The document of each rank.
    documents: &'d [u32],
    pub clusters: Clusters,
    /// The links of documents to their keepers; none of components.
    pub links: Vec<Link>,
    /// Each document that is no keeper, with the highest `min-similarity` at which the pair that
    /// linked it would still be a duplicate.
    pub joined: Vec<(u32, f64)>,
    /// The number of compared candidates.
    pub compared: u64,
    /// The number of duplicate pairs.
    pub confirmed: u64,
    /// All pairs, if they are wanted.
    pub listed: Option<Listed>,
}

impl<'d> Clustering<'d> {
    /// Each document is a cluster of its own at first, but for those that marks merge. `lists` asks
    /// for lists of all pairs; `documents` is the document of each rank.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(
        config: &Config,
        corpus: &Corpus,
        candidates: &'d Candidates,
        order: &Order,
        documents: &'d [u32],
        lists: bool,
    ) -> Result<Clustering<'d>, Error> {
        let min_similarity = config.decide.min_similarity;
        let (clusters, gone) = marked(config.keep.cluster, corpus, &order.ranks);
        Ok(Clustering {
            method: config.keep.cluster,
            max_lost: config.decide.max_lost,
            min_similarity,
            candidates,
            documents,
            clusters,
            links: Vec::new(),
            // A mark holds at every least similarity.
            joined: gone.into_iter().map(|document| (document, 1.0)).collect(),
            compared: 0,
            confirmed: corpus.marks().pairs().len() as u64,
            listed: if lists { Some(Listed::new(corpus, min_similarity)?) } else { None },
        })
    }

    /// Returns true if a document can still claim others or be claimed.
    pub fn is_free(&self, rank: u32) -> bool {
        self.clusters.gain_from(rank, rank)
    }

    /// Returns true if a candidate may change a cluster or has to be listed by
    /// [`take`](Self::take).
    pub fn matters(&self, candidate: &Candidate) -> bool {
        self.candidates.is_of_family(candidate)
            && (self.listed.is_some() && !self.candidates.is_hub(candidate)
                || self.clusters.gain_from(candidate.better, candidate.other))
    }

    /// Applies a compared candidate: links its documents, counts it, and lists it. Does nothing if
    /// the candidate matters no longer.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn take(
        &mut self,
        candidate: &Candidate,
        verdict: Option<(Verdict, f64)>,
    ) -> Result<(), Error> {
        if !self.matters(candidate) {
            return Ok(());
        }
        let links =
            verdict.as_ref().is_some_and(|(verdict, bound)| self.link(candidate, verdict, *bound));
        // A pair of hubs is listed here only if it links. Where all pairs are wanted, the other
        // pairs of hubs are listed after the last decision.
        match links || self.listed.is_none() || !self.candidates.is_hub(candidate) {
            true => self.list(candidate, verdict),
            false => Ok(()),
        }
    }

    /// Links two duplicates if one may go for the other. Returns true if a cluster changed.
    fn link(&mut self, candidate: &Candidate, verdict: &Verdict, bound: f64) -> bool {
        let Verdict { reason, distance, similarity, lost, .. } = *verdict;
        let lost = lost.map(|[_, lost]| lost);
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

    /// Lists a pair that marks merge, if all pairs are wanted. `verdict` is the judge's.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn list_marked(
        &mut self,
        (left, right): (u32, u32),
        verdict: Verdict,
    ) -> Result<(), Error> {
        let Some(listed) = &mut self.listed else { return Ok(()) };
        let Verdict { distance, similarity, .. } = verdict;
        let reason = reason_of_mark(&verdict);
        listed.pairs.push(DuplicatePair { left, right, distance, similarity, reason })
    }

    /// Counts a compared candidate, and lists it if all pairs are wanted. Duplicates are listed
    /// even if neither may go for the other.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn list(
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

/// The reason of a pair that marks merge. Equal texts need no mark.
pub(super) fn reason_of_mark(verdict: &Verdict) -> Reason {
    match verdict.reason {
        Reason::Exact => Reason::Exact,
        _ => Reason::Marked,
    }
}
