//! A deduplication in parts, for an engine that spreads them over machines: the same decisions as
//! of a run on one.
//!
//! ```text
//! a text -> its record: what the search knows it by                  records.rs
//! documents that stand inside of others -> where                    items.rs
//! values of fields -> which documents may be a pair                 guards.rs
//! a sample of the documents -> a smaller distance, where too many are near by chance    radius.rs
//! the number of documents -> the plan; two groups of records -> candidate pairs    candidates.rs
//!   documents with very many of them -> some pairs that stand for all             hubs.rs
//!   short texts -> those that are compared by their characters                    short.rs
//! pairs that may be similar -> families, each of which is decided by itself       families.rs
//! the texts of some families and their candidate pairs -> the decisions           decisions.rs
//! ```
//!
//! A [`Worker`] does each part, as a function of what it is given, so that it may be done again,
//! anywhere and in any order. Between the parts the engine joins and sorts: it folds records of
//! equal text, brings each two groups of them together, and gives the texts of families to a
//! worker.

mod candidates;
mod decisions;
mod families;
mod guards;
mod hubs;
mod items;
mod radius;
mod records;
mod short;

pub use candidates::{Found, Group, Near};
pub use decisions::{Decided, Families, Link};
pub use families::{Place, families};
pub use guards::Keys;
pub use radius::Distances;
pub use records::Record;
pub use short::{SHORT_HUB, ShortGroup, ShortPairs};

use std::sync::OnceLock;

use nearprint_core::compare::{Measure, SketchBound};
use nearprint_core::fingerprint::Distance;
use nearprint_core::judge::Rules;

use crate::cluster::Method;
use crate::config::{Config, IdField, JustMissed, LeakAction};
use crate::error::Error;
use crate::keep::Policy;
use crate::leak::Index;
use crate::run::Deduplicator;
use crate::search::largest_distance;

/// Does the parts of a run under some settings. It is made once for many parts.
#[derive(Debug)]
pub struct Worker {
    run: Deduplicator,
    rules: Rules,
    /// `None` where the sketches of texts rule no pair out.
    bound: Option<SketchBound>,
    /// The documents that are looked for inside of others, once they are given.
    items: OnceLock<Index>,
    min_leak_length: Option<u32>,
    /// Whether all candidates are listed, also those of documents with very many.
    lists_all: bool,
}

impl Worker {
    /// One under these settings.
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// assert!(Worker::new(&Config::default()).is_ok());
    /// let error = Worker::new(&Config::default().recall(0.9)).unwrap_err();
    /// assert!(error.to_string().contains("recall"));
    /// ```
    ///
    /// # Errors
    /// As [`check`](Self::check) and [`Deduplicator::new`].
    pub fn new(config: &Config) -> Result<Worker, Error> {
        Worker::check(config)?;
        let numbered = |setting: &str, fields: &[String]| -> Vec<String> {
            (0..fields.len()).map(|number| format!("{setting} {number}")).collect()
        };
        let own = config
            .clone()
            // The order of documents is given.
            .keep(Policy::First)
            .same(numbered("same", &config.decide.same))
            .differ(numbered("differ", &config.decide.differ))
            // Leaks and other lists are those of one machine alone.
            .leak_action(LeakAction::Remove)
            .just_missed(JustMissed::Off)
            .min_leak_length(None)
            // Texts come without the fields that they were in.
            .text_fields(["text".to_string()])
            .id_field(IdField::Off)
            .against_text_fields([])
            .against_id_field(None)
            // A machine runs as many workers as it has cores for them.
            .threads(config.run.threads.max(1));
        let run = Deduplicator::new(own)?;
        run.recipe().check_statistics()?;
        let sketches =
            config.decide.verify == Measure::Coverage && largest_distance(config).is_some();
        let bound = sketches.then(|| SketchBound::new(config.decide.min_similarity));
        let rules = config.rules(largest_distance(config));
        Ok(Worker {
            run,
            rules,
            bound,
            items: OnceLock::new(),
            min_leak_length: config.keep.min_leak_length,
            lists_all: false,
        })
    }

    /// Refuses settings that contradict each other, or that a run in parts does not carry out,
    /// before their statistics are counted.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check(config: &Config) -> Result<(), Error> {
        let refuse_with = |setting, with: &str| {
            let problem = format!(
                "is not supported in a distributed run{with}; leave it out, or deduplicate on one \
                 machine"
            );
            Err(Error::usage(setting, problem))
        };
        let refuse = |setting| refuse_with(setting, "");
        config.check()?;
        let usual = Config::default();
        match () {
            // Keys of equal text and equal values are one document here. Under `differ` they
            // are no pair, and are decided alike, but not where other documents connect them to one
            // component.
            () if !config.decide.differ.is_empty() && config.keep.cluster == Method::Components => {
                refuse_with("differ", " with components")
            }
            () if matches!(config.decide.just_missed, JustMissed::Down(_)) => refuse("just-missed"),
            () if config.words().tokens_field.is_some() => refuse("tokens-field"),
            () if config.read.on_error != usual.read.on_error => refuse("on-error"),
            () if config.search.recall.is_some() => refuse("recall"),
            () if config.search.distance != Distance::Hamming => refuse("distance"),
            () => Ok(()),
        }
    }

    /// The width of fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.config().fingerprint.bits
    }

    /// The largest distance of candidates in bits, inclusive; `None` where only equal texts are
    /// looked for.
    pub fn max_distance(&self) -> Option<u32> {
        largest_distance(self.config())
    }

    /// The most bytes that a text may have.
    pub fn max_document_bytes(&self) -> u64 {
        self.config().read.max_document_bytes
    }

    /// The fields with the values of guards of the documents that come to be decided: those of
    /// `same`, then those of `differ`.
    pub fn guard_fields(&self) -> Vec<String> {
        self.config().guards().map(|(_, field)| field.to_string()).collect()
    }

    fn config(&self) -> &Config {
        self.run.config()
    }
}

#[cfg(test)]
mod tests;
