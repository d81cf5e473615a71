//! The outcome of a run: plain data that the files, Python and others render.
//!
//! ```text
//! removed documents with their evidence, clusters, pairs            decisions.rs
//! how the search went, the recall that was measured                 search.rs
//! the fingerprint of a document                                     fingerprints.rs
//! all of that in numbers                                            summary.rs
//! ```

mod decisions;
mod fingerprints;
mod search;
mod summary;

pub use crate::judge::Reason;
pub use decisions::{Decisions, DuplicatePair, DuplicatePairs, Removal};
pub use fingerprints::FingerprintRow;
pub use search::{Recall, Search};
pub use summary::{Counts, LeakCounts, Summary};
