//! Near-duplicate text engine: documents in, groups of near-duplicates and a clean corpus out.
//!
//! | for | take |
//! | --- | --- |
//! | fingerprints of texts | [`Fingerprinter`] |
//! | all near pairs of many fingerprints | [`join()`], over [`Fingerprints`] |
//! | "seen before?", one fingerprint after the other | [`Lookup`] |
//! | a clean corpus, of files or of texts in memory | [`Deduplicator`] |
//! | two texts side by side | [`compare()`] |
//!
//! Settings are a [`Config`], errors an [`Error`]; a [`Watch`] follows a run and stops it.
//! `docs/rust.md` is a guide.
//!
//! ```
//! use nearprint::Config;
//! let mut fingerprinter = Config::default().fingerprinter()?;
//! let [left, right] = ["葫芦娃，一根藤上七朵花", "葫蘆娃,一根藤上七朵花"].map(|text| fingerprinter.fingerprint(text));
//! assert_eq!(left, right); // Traditional and full-width forms are folded.
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! ```
//! use nearprint::config::{Config, MaxDistance};
//! use nearprint::{Fingerprints, Silent, join};
//! let mut fingerprints = Fingerprints::new(64);
//! [0b0000, 0b0111, 0b1111].iter().for_each(|word| fingerprints.push(&[*word]));
//! let config = Config { bits: 64, max_distance: MaxDistance::Bits(3), ..Config::default() };
//! let pairs = join(&fingerprints, &config, &Silent)?;
//! assert_eq!(pairs.iter().map(|p| (p.left, p.right, p.distance)).collect::<Vec<_>>(), [(0, 1, 3), (1, 2, 1)]);
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! ```
//! use nearprint::Lookup;
//! let mut seen = Lookup::new(64, 3);
//! let slot = seen.insert(&[0b0000]);
//! let mut near = Vec::new();
//! seen.near(&[0b0111], &mut near);
//! assert_eq!((near[0].slot, near[0].distance), (slot, 3));
//! ```
//!
//! ```
//! use nearprint::read::Source;
//! use nearprint::{Config, Deduplicator, Silent};
//! let texts = ["春眠不觉晓", "床前明月光", "春眠不覺曉"].map(String::from);
//! let poems = Source::texts("poems", texts.into());
//! let run = Deduplicator::new(Config::default())?.run(vec![], vec![poems], false, &Silent)?;
//! assert_eq!((run.decisions.removals[0].document, run.decisions.removals[0].keeper), (2, 0));
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! ```
//! use nearprint::{Config, compare};
//! let comparison = compare(&Config::default(), "葫芦娃葫芦娃，一根藤上七朵花", "葫蘆娃葫蘆娃,一根藤上七朵花", 3)?;
//! assert_eq!(comparison.verdict, "exact");
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! ```
//! use nearprint::{Config, Deduplicator, Error};
//! let error = Deduplicator::new(Config { bits: 100, ..Config::default() }).unwrap_err();
//! assert!(matches!(&error, Error::Usage { setting, .. } if setting == "bits"));
//! assert_eq!(error.to_string(), "bits: 100 is not 32, 64, 128 or 256");
//! ```
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use nearprint::{Config, Deduplicator, Watch, read::Source};
//!
//! #[derive(Default)]
//! struct Count(AtomicU64);
//!
//! impl Watch for Count {
//!     fn advance(&self, documents: u64, _bytes: u64) {
//!         self.0.fetch_add(documents, Ordering::Relaxed);
//!     }
//! }
//!
//! let count = Count::default();
//! let poems = Source::texts("poems", vec!["春眠不觉晓".to_string(), "床前明月光".to_string()]);
//! Deduplicator::new(Config::default())?.run(vec![], vec![poems], false, &count)?;
//! assert!(count.0.load(Ordering::Relaxed) >= 2);
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! Texts in memory are a [`read::Source`]: [`read::Source::texts`].
//!
//! The feature `parquet`, on by default, brings in the crates that read and write Parquet files and
//! take Arrow's columns in memory. Without it a build is much shorter, and such files are refused.
//!
//! Inside, one road leads from a text to a verdict. Each stage of it is a module (a "room"), and
//! they are declared in its order. `docs/algorithms.md` defines what is computed; `ARCHITECTURE.md`
//! lists the allowed imports, and says where to add something.

#![deny(missing_docs)]

pub mod document;

pub mod message;

mod size;

#[doc(hidden)]
pub mod shares;

pub mod error;

pub mod watch;

pub mod read;

#[doc(hidden)]
pub mod leak;

#[doc(hidden)]
pub mod cluster;

#[doc(hidden)]
pub mod keep;

mod spill;

mod sealed;

#[doc(hidden)]
pub mod temporary;

#[doc(hidden)]
pub mod estimate;

pub mod config;

mod memory;

#[doc(hidden)]
pub mod recipe;

#[doc(hidden)]
pub mod corpus;

#[doc(hidden)]
pub mod outcome;

#[doc(hidden)]
pub mod search;

#[doc(hidden)]
pub mod decide;

#[doc(hidden)]
pub mod write;

#[doc(hidden)]
pub mod finished;

mod report;

#[doc(hidden)]
pub mod compare;

#[doc(hidden)]
pub mod explain;

#[doc(hidden)]
pub mod find;

#[cfg(feature = "index")]
pub mod index;

#[doc(hidden)]
pub mod evaluate;

#[doc(hidden)]
pub mod run;

#[doc(hidden)]
pub mod distributed;

/// The guide, whose examples run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub struct Guide;

#[cfg(test)]
mod testing;

pub use compare::{Comparison, compare};
pub use config::Config;
pub use corpus::Corpus;
pub use error::{Error, Rejection};
pub use message::Message;
pub use nearprint_core::compare::judge::Reason;
pub use nearprint_core::fingerprint::Fingerprints;
pub use nearprint_core::near::{CandidatePair, Lookup};
pub use nearprint_core::recipe::{Fingerprinter, Recipe};
pub use outcome::{Counts, Decisions, Removal, Summary};
pub use run::{Asked, Deduplicator, Output, ReportOptions, Reported, Run, find, in_family, report};
pub use search::join;
pub use watch::{Silent, Stage, Watch};
