//! A sample of many texts -> the radius of a search among all. Texts, and candidate pairs that were
//! found elsewhere -> the decisions.

use super::Deduplicator;
use crate::corpus::{Corpus, Purpose};
use crate::decide;
use crate::error::Error;
use crate::outcome::Decisions;
use crate::read::Source;
use crate::search::{self, Imported, Radius, Sides};
use crate::watch::Silent;

impl Deduplicator {
    /// The radius of a search among `all` documents, from a sample of their texts, the reference
    /// documents first.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn radius_among(
        &self,
        [against, texts]: [Vec<Source>; 2],
        all: Sides,
    ) -> Result<Radius, Error> {
        self.install(|| {
            let corpus = self.reading(against, texts, None).read(Purpose::Dedup, &Silent)?;
            let sample: Vec<u32> = (0..corpus.len() as u32).collect();
            let fingerprints = search::fingerprints(&corpus, &self.recipe, &sample, &Silent)?;
            Radius::for_distance(&self.input(&corpus), &sample, &fingerprints, all)
        })
    }

    /// Decides on texts, the reference documents first, and lists all duplicate pairs. The
    /// candidate pairs come from a search among more documents, and the decisions are those of a
    /// run among all.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn decide_imported(
        &self,
        [against, texts]: [Vec<Source>; 2],
        found: &Imported<'_>,
    ) -> Result<(Corpus, Decisions), Error> {
        self.install(|| {
            let corpus = self.reading(against, texts, None).read(Purpose::Dedup, &Silent)?;
            let (input, order) = (self.input(&corpus), decide::order(&self.config, &corpus));
            let (candidates, search) =
                search::imported(&input, &order.ranks, &order.representatives, found, &Silent)?;
            let confirmed = decide::confirm(&input, &order, &candidates, &search, true, &Silent)?;
            let decisions =
                decide::explain(&input, &order, &candidates, confirmed, search, None, &Silent)?;
            Ok((corpus, decisions))
        })
    }

    /// Does some work on the threads of the settings.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }
}
