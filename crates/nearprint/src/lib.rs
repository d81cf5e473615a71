//! Near-duplicate text engine: documents in, groups of near-duplicates and a clean corpus out.
//!
//! 1. `read` the input files into documents;
//! 2. `normalize` spellings, `segment` text into tokens, and make `features` of them;
//! 3. count corpus `statistics`, and give every feature its `weights`;
//! 4. let the features vote on a `fingerprint` (SimHash);
//! 5. `join` fingerprints that are near in bits, and `verify` each candidate pair on the texts (documents too `short` for
//!    a fingerprint are compared exactly);
//! 6. `cluster` the duplicate pairs and decide whom to `keep`;
//! 7. `write` the kept documents, and the reason for every removed one.
//!
//! [`dedup`] does all of it, [`dedup_against`] only leaves out what is near something else. The rooms can be used alone:
//!
//! ```
//! use nearprint::{Config, Pipeline};
//!
//! let pipeline = Pipeline::new(Config::default())?;
//! let comparison = pipeline.compare("葫芦娃葫芦娃，一根藤上七朵花", "葫蘆娃葫蘆娃,一根藤上七朵花", 3);
//! assert_eq!(comparison.verdict, "exact"); // Traditional and full-width forms are folded
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! Texts in memory are a [`read::Source`] as well: [`read::Source::texts`].
//!
//! The feature `parquet`, on by default, brings in what reads and writes Parquet files and takes Arrow's columns in memory.
//! Without it a build is much shorter, and such files are refused.
//!
//! What is computed, exactly, is written down in `docs/algorithms.md`; who may import whom in `ARCHITECTURE.md`.

#![deny(missing_docs)]

pub mod config;
pub mod document;
pub mod error;
pub mod watch;

pub mod read;

pub mod normalize;

pub mod segment;

pub mod features;

pub mod statistics;

pub mod weights;

pub mod fingerprint;

pub mod join;

pub mod verify;

pub mod short;

pub mod cluster;

pub mod keep;

mod spill;

mod random;

pub mod write;

pub mod evaluate;

pub mod estimate;

pub mod pipeline;

pub use config::Config;
pub use error::{Error, Rejection};
pub use pipeline::{Corpus, Fingerprinter, Output, Pipeline, Purpose, Summary, dedup, dedup_against};
pub use watch::{Silent, Stage, Watch};
