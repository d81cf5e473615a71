//! A deduplication in parts, for an engine that spreads them over machines. The decisions are those
//! of a run on one machine.
//!
//! ```text
//! a text -> its record                                              records.rs
//! reference documents -> items that are looked for inside others    items.rs
//! values of fields -> pairs that guards allow                       guards.rs
//! a sample of the documents -> the distances of the search          radius.rs
//! two groups of records -> candidate pairs                          candidates.rs
//!   hubs -> some pairs that connect them                            hubs.rs
//!   short texts -> pairs to be compared by their characters         short.rs
//! pairs that may be similar -> families, decided one by one         families.rs
//! texts of some families and their candidate pairs -> decisions     decisions.rs
//! ```
//!
//! A [`Worker`] does each part. The result of a part depends on its arguments alone, so it may be
//! done again, anywhere and in any order. Between the parts, the engine joins and sorts: it folds
//! records of equal text, brings each two groups of records together, and gives the texts of
//! families to a worker.

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
use crate::config::{Config, IdField, JustMissed, LeakAction, MaxDistance};
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
    /// The bound by which sketches of texts rule out pairs; `None` if they rule out none.
    bound: Option<SketchBound>,
    /// The items that are looked for inside documents, once they are given.
    items: OnceLock<Index>,
    /// The least length of an item in letters; `None` to look for no items.
    min_leak_length: Option<u32>,
    /// True if all candidates are listed, so that no document is a hub.
    lists_all: bool,
}

impl Worker {
    /// A worker under some settings.
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
            // The engine orders the documents.
            .keep(Policy::First)
            .same(numbered("same", &config.decide.same))
            .differ(numbered("differ", &config.decide.differ))
            // Only a run on one machine makes these lists.
            .leak_action(LeakAction::Remove)
            .just_missed(JustMissed::Off)
            .min_leak_length(None)
            // The engine passes texts without their fields.
            .text_fields(["text".to_string()])
            .id_field(IdField::Off)
            .against_text_fields([])
            .against_id_field(None)
            // A machine runs as many workers as it has free cores.
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

    /// Refuses settings that contradict each other or that a run in parts does not support. It can
    /// be called before the corpus statistics are counted.
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
            // Documents of equal text and values are one key here. Under `differ` they are no pair
            // and get one decision. Other documents could connect them to one component.
            () if !config.decide.differ.is_empty() && config.keep.cluster == Method::Components => {
                refuse_with("differ", " with components")
            }
            () if matches!(config.decide.just_missed, JustMissed::Down(_)) => refuse("just-missed"),
            () if config.words().tokens_field.is_some() => refuse("tokens-field"),
            () if config.read.on_error != usual.read.on_error => refuse("on-error"),
            () if config.read.max_rejected != usual.read.max_rejected => refuse("max-rejected"),
            () if !config.read.exclude.is_empty() => refuse("exclude"),
            () if config.search.recall.is_some() => refuse("recall"),
            () if config.decide.marks.is_some() => refuse("marks"),
            () if config.search.distance != Distance::Hamming => refuse("distance"),
            () if config.search.max_distance == MaxDistance::Any => refuse("max-distance"),
            () => Ok(()),
        }
    }

    /// The width of fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.config().fingerprint.bits
    }

    /// The largest distance of candidates in bits, inclusive; `None` if only equal texts match.
    pub fn max_distance(&self) -> Option<u32> {
        largest_distance(self.config())
    }

    /// The largest number of bytes of a text.
    pub fn max_document_bytes(&self) -> u64 {
        self.config().read.max_document_bytes
    }

    /// The fields that hold the values of guards in the documents of [`Families`]: those of `same`,
    /// then those of `differ`.
    pub fn guard_fields(&self) -> Vec<String> {
        self.config().guards().map(|(_, field)| field.to_string()).collect()
    }

    fn config(&self) -> &Config {
        self.run.config()
    }
}

#[cfg(test)]
mod tests;
