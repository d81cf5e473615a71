//! A deduplication in parts, for an engine that spreads them over machines: the same decisions as of a run on one.
//!
//! ```text
//! a text -> its print: what the search knows it by                  prints.rs
//! documents that stand inside of others -> where                    items.rs
//! the number of documents -> the plan; two groups of prints -> candidate pairs    candidates.rs
//!   documents with very many of them -> some pairs that stand for all             crowds.rs
//!   short texts -> those that are compared by their characters                    short.rs
//! pairs that may be similar -> families, each of which is decided by itself       families.rs
//! the texts of some families and their candidate pairs -> the decisions           decisions.rs
//! ```
//!
//! A [`Worker`] does each part, as a function of what it is given, so that it may be done again, anywhere and in any order. Between the parts the
//! engine joins and sorts: it folds prints of equal text, brings each two groups of them together, and gives the texts of families to a worker.

mod candidates;
mod crowds;
mod decisions;
mod families;
mod items;
mod prints;
mod short;

pub use candidates::{Found, Group, Near};
pub use crowds::{COMPANY, Crowd};
pub use decisions::{Decided, Families, Link};
pub use families::{Place, families};
pub use prints::Print;
pub use short::{SHORT_CROWD, ShortGroup, ShortPairs};

use std::sync::OnceLock;

use crate::config::{Config, IdField, JustMissed};
use crate::error::Error;
use crate::fingerprint::Distance;
use crate::judge::Rules;
use crate::keep::Policy;
use crate::leak::Index;
use crate::run::Deduplicator;
use crate::search::largest_distance;
use crate::verify::{Measure, SketchBound};

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
}

impl Worker {
    /// One under these settings.
    ///
    /// ```
    /// use nearprint::{Config, distributed::Worker};
    /// assert!(Worker::new(&Config::default()).is_ok());
    /// let error = Worker::new(&Config { max_lost: Some(0.1), ..Config::default() }).unwrap_err();
    /// assert!(error.to_string().contains("max-lost"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting that a run in parts does not know, and as [`Deduplicator::new`].
    pub fn new(config: &Config) -> Result<Worker, Error> {
        check(config)?;
        let own = Config {
            // The order of documents is given, and other lists are those of one machine alone.
            keep: Policy::First,
            just_missed: JustMissed::Off,
            min_leak_length: None,
            // Texts come without the fields that they were in.
            text_fields: vec!["text".to_string()],
            id_field: IdField::Off,
            against_text_fields: Vec::new(),
            against_id_field: None,
            // As many workers are on a machine as it has cores for them.
            threads: config.threads.max(1),
            ..config.clone()
        };
        let run = Deduplicator::new(own)?;
        run.recipe().check_statistics()?;
        let sketches = config.verify == Measure::Coverage && largest_distance(config).is_some();
        let bound = sketches.then(|| SketchBound::new(config.min_similarity));
        let rules = Rules::new(config, largest_distance(config));
        Ok(Worker { run, rules, bound, items: OnceLock::new(), min_leak_length: config.min_leak_length })
    }

    /// The width of fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.config().bits
    }

    fn config(&self) -> &Config {
        self.run.config()
    }
}

/// Refuses settings that a run in parts does not know.
fn check(config: &Config) -> Result<(), Error> {
    let refuse = |setting| {
        Err(Error::usage(setting, "is not known to a run in parts; leave it out, or deduplicate on one machine"))
    };
    if let Some((setting, _)) = config.guards().next() {
        return refuse(setting);
    }
    let usual = Config::default();
    match () {
        () if config.words().tokens_field.is_some() => refuse("tokens-field"),
        () if config.on_error != usual.on_error => refuse("on-error"),
        () if config.max_lost.is_some() => refuse("max-lost"),
        () if config.recall.is_some() => refuse("recall"),
        () if config.distance != Distance::Hamming => refuse("distance"),
        () if config.leak_action != usual.leak_action => refuse("leak-action"),
        () => Ok(()),
    }
}

#[cfg(test)]
mod tests;
