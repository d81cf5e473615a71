//! The corpus and the settings -> how far to search: the largest distance of candidates, and the
//! distance up to which every pair is found.
//!
//! | case | `max_distance` | `complete_distance` |
//! | --- | --- | --- |
//! | a number of bits is set | that number | as set, else the rule below |
//! | a recall is set | the cheapest two distances that reach it on a sample ([`super::tune`]) | |
//! | `auto` | 80 of 256 bits, or a larger complete distance that is set | as set, else the rule below |
//! | `auto`, and a sample has too many candidates by chance | lowered until they are few enough ([`super::lowering`]) | at most that |
//!
//! The rule: every pair is found up to `max_distance` if there are at most 20,000 documents, whose
//! pairs are cheap to compare, else up to 32 of 256 bits ([`super::by_number`]).
//!
//! The budget for candidates by chance depends on the setting. Without a recall, a run must stay
//! fast: 2 million candidates, and 8 more for each document ([`super::lowering`]). With a recall,
//! the search may cost as much as confirming a thousand candidates for each document
//! ([`crate::estimate`]). If that does not reach the recall, the result says so.

use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::{self, Plan};

use super::Input;
use super::by_number::{distances, plan_among, usual_complete_distance, with_as_many_pairs};
use super::lowering::{Sides, lowered};
use super::sample::estimate;
use crate::config::{Config, MaxDistance};
use crate::error::Error;
use crate::estimate::{Choice, SAMPLE};
use crate::watch::Watch;

/// How far a search goes.
#[derive(Debug, Clone)]
pub struct Radius {
    /// The largest distance of candidates in bits, inclusive.
    pub max_distance: u32,
    /// The distance in bits up to which every pair is found, inclusive.
    pub complete_distance: u32,
    /// The plan of the join.
    pub plan: Plan,
    /// The largest distance before it was lowered, if it was.
    pub lowered_from: Option<u32>,
    /// The estimate that chose the distances, if a recall is set.
    pub estimate: Option<Choice>,
}

impl Radius {
    /// The plan of another search with the same distances, among this number of documents: all with
    /// each other, or the `first` ones with the others.
    pub fn plan_among(&self, config: &Config, documents: usize, first: Option<usize>) -> Plan {
        match self.lowered_from.is_some() || self.estimate.is_some() {
            true => near::plan(
                with_as_many_pairs(documents, first),
                config.fingerprint.bits,
                self.complete_distance,
            ),
            false => plan_among(config, documents, first),
        }
    }

    /// How far to search among these documents if a recall is set; `None` without one.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk cannot be read, [`Error::Unfit`] if the corpus has no sample,
    /// [`Error::Interrupted`].
    pub fn for_recall(
        input: &Input<'_>,
        documents: &[u32],
        watch: &dyn Watch,
    ) -> Result<Option<Radius>, Error> {
        if input.config.search.recall.is_none() {
            return Ok(None);
        }
        let choice = estimate(input, documents, SAMPLE, &[], watch)?.choice;
        let as_many =
            with_as_many_pairs(documents.len(), input.corpus.origins.first_side(documents));
        let plan = near::plan(as_many, input.config.fingerprint.bits, choice.complete_distance);
        let (max_distance, complete_distance) = (choice.max_distance, choice.complete_distance);
        Ok(Some(Radius {
            max_distance,
            complete_distance,
            plan,
            lowered_from: None,
            estimate: Some(choice),
        }))
    }

    /// How far to search if distances are set or `auto`. `all` counts the documents of the search.
    /// `documents` are all of them, or the sample by which the distance is lowered; `fingerprints`
    /// are theirs.
    ///
    /// # Errors
    /// [`Error::Io`] if the disk cannot be read, [`Error::Unfit`] if the corpus lacks a needed
    /// part.
    pub fn for_distance(
        input: &Input<'_>,
        documents: &[u32],
        fingerprints: &Fingerprints,
        all: Sides,
    ) -> Result<Radius, Error> {
        let bits = input.config.fingerprint.bits;
        let as_many = with_as_many_pairs(all.0, all.1);
        let (max_distance, complete_distance) = distances(input.config, as_many);
        let plan = near::plan(as_many, bits, complete_distance);
        let radius =
            Radius { max_distance, complete_distance, plan, lowered_from: None, estimate: None };
        if input.config.search.max_distance != MaxDistance::Auto {
            return Ok(radius);
        }
        let promised = input.config.search.complete_distance.unwrap_or(0);
        let (searched, lowest) = ((max_distance, &radius.plan), usual_complete_distance(bits));
        let lowered = lowered(input, documents, fingerprints, searched, lowest, all)?.max(promised);
        if lowered >= radius.max_distance {
            return Ok(radius);
        }
        let complete_distance = radius.complete_distance.min(lowered);
        Ok(Radius {
            max_distance: lowered,
            complete_distance,
            plan: near::plan(as_many, bits, complete_distance),
            lowered_from: Some(radius.max_distance),
            estimate: None,
        })
    }
}
