//! The outcome of a run: plain data that the files, Python and others render.
//!
//! ```text
//! removed documents with their evidence, clusters, pairs            decisions.rs
//! numbers of removals at other least similarities                   bounds.rs
//! the search, the measured recall                                   search.rs
//! the fingerprint of a document                                     fingerprints.rs
//! a search for passages in numbers                                  passages.rs
//! documents without a date                                          undated.rs
//! the summary of the run in numbers                                 summary.rs
//! ```

mod bounds;
mod decisions;
mod fingerprints;
mod passages;
mod search;
mod summary;
mod undated;

pub use bounds::Bounds;
pub use decisions::{Decisions, DuplicatePair, DuplicatePairs, Removal};
pub use fingerprints::FingerprintRow;
pub use nearprint_core::judge::Reason;
pub use passages::{PassageCounts, PassageSummary};
pub use search::{Recall, Search, wilson};
pub(crate) use summary::SHOWN;
pub use summary::{Counts, LeakCounts, Misranked, Summary};
pub use undated::{NoDate, Undated};
