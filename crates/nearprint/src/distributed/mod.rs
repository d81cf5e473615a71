//! A deduplication in parts, for an engine that spreads them over machines: the same decisions as of a run on one.
//!
//! ```text
//! a text -> its print: what the search knows it by                 prints.rs
//! the number of documents -> the plan; two groups of prints -> candidate pairs    candidates.rs
//! two texts and the texts in their companies -> the verdict         verdicts.rs
//! ```
//!
//! Each part is a function of what it is given, so that it may be done again, anywhere and in any order. Between them the engine joins
//! and sorts: it folds prints of equal text, brings each two groups of them together, and gives the texts of candidates to the judge. Which
//! documents stay is decided by [`keepers`](crate::cluster::keepers).

mod candidates;
mod prints;
mod verdicts;

pub use candidates::{Side, candidates, short_candidates};
pub use prints::{Print, prints};
pub use verdicts::{Compared, verdicts};

use crate::cluster::Method;
use crate::config::Config;
use crate::error::Error;
use crate::fingerprint::Distance;
use crate::recipe::Recipe;

/// Refuses settings that a run in parts does not know.
///
/// ```
/// use nearprint::{Config, distributed};
/// assert!(distributed::check(&Config::default()).is_ok());
/// let error = distributed::check(&Config { max_lost: Some(0.1), ..Config::default() }).unwrap_err();
/// assert!(error.to_string().contains("max-lost"));
/// ```
///
/// # Errors
/// [`Error::Usage`], with the setting.
pub fn check(config: &Config) -> Result<(), Error> {
    let recipe = Recipe::new(config)?;
    let refuse = |setting| {
        Err(Error::usage(setting, "is not known to a run in parts; leave it out, or deduplicate on one machine"))
    };
    if let Some((setting, _)) = config.guards().next() {
        return refuse(setting);
    }
    let usual = Config::default();
    match () {
        () if recipe.takes_tokens() => refuse("tokens-field"),
        () if config.on_error != usual.on_error => refuse("on-error"),
        () if config.cluster != Method::Star => refuse("cluster"),
        () if config.max_lost.is_some() => refuse("max-lost"),
        () if config.recall.is_some() => refuse("recall"),
        () if config.distance != Distance::Hamming => refuse("distance"),
        () => recipe.check_statistics(),
    }
}
