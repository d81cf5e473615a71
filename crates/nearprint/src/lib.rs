//! Near-duplicate text engine: documents in, groups of near-duplicates and a clean corpus out.
//!
//! ```
//! let run = nearprint::dedup([
//!     "The ferry returns on Monday after eleven weeks of repairs to its cracked propeller shaft.",
//!     "Half of the bakeries in the old town now close before noon, says the guild of bakers.",
//!     "The ferry returns on Monday, after eleven weeks of repairs to its cracked propeller shaft!",
//! ])?;
//! assert_eq!(run.kept().collect::<Vec<_>>(), [0, 1]);
//! assert_eq!((run.removed()[0].document, run.removed()[0].keeper), (2, 0));
//! # Ok::<(), nearprint::Error>(())
//! ```
//!
//! # Jobs
//!
//! | for | take |
//! | --- | --- |
//! | a clean corpus of texts in memory, by default | [`dedup()`] |
//! | a clean corpus of files or of texts, by settings | [`Deduplicator`]: [`dedup`](Deduplicator::dedup), [`run`](Deduplicator::run) |
//! | the duplicates of a query in files | [`find()`] |
//! | "seen before?", documents on disk | [`index::Index`] |
//! | two texts side by side | [`compare()`] |
//! | why a document was removed | [`explain`] |
//! | the removals of a finished run, from its folder | [`finished::Finished`] |
//! | a page to look at the removals | [`report()`] |
//! | pairs found beside pairs labeled | [`evaluate`], [`Deduplicator::evaluate`] |
//! | fingerprints of texts | [`Config::fingerprinter`] |
//! | the near pairs of many fingerprints | [`join()`], over [`Fingerprints`] |
//! | "seen before?", one fingerprint after the other | [`Lookup`] |
//! | a part of a deduplication on many machines | [`distributed`] |
//!
//! Settings are a [`Config`], errors an [`Error`]; a [`Watch`] follows a run and stops it. Fingerprints and
//! verdicts come from the crate `nearprint-core`, which can be used alone. `docs/rust.md` in the repository is a
//! guide with further examples, and `docs/algorithms.md` defines what is computed.
//!
//! # Modules
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`config`], [`recipe`] | settings, and the recipe and rules of the core that they make |
//! | [`error`], [`message`](mod@message), [`watch`] | errors and rejected rows, sentences for people, progress |
//! | [`document`], [`field`], [`date`], [`shown_fields`], [`read`] | documents, the names of their fields, the dates in them, the fields that people see, and the files, texts and tables that documents come from |
//! | [`corpus`], [`estimate`], [`search`], [`decide`], [`cluster`], [`keep`], [`leak`] | the stages of a run, from documents to decisions |
//! | [`outcome`], [`write`](mod@write), [`finished`] | decisions and numbers as data; output folders, written and read again |
//! | [`find`](mod@find), [`compare`](mod@compare), [`explain`], [`evaluate`], [`index`], [`run`], [`distributed`] | the jobs |
//! | [`shares`], [`temporary`] | similarities as people read them; folders that go with their process |
//!
//! # Features
//!
//! `parquet`, on by default, reads and writes Parquet files and takes Arrow's columns in memory; without it such
//! files are refused. `index`, on by default, has documents on disk that are asked "seen before?".

#![deny(missing_docs)]

/// Makes a type that is written and read as text (`Display`, `FromStr`) a value of serde: with
/// `#[serde(try_from = "String", into = "String")]`.
macro_rules! as_text {
    ($of:ty) => {
        impl TryFrom<String> for $of {
            type Error = String;

            fn try_from(text: String) -> Result<$of, String> {
                text.parse()
            }
        }

        impl From<$of> for String {
            fn from(value: $of) -> String {
                value.to_string()
            }
        }
    };
}

pub mod document;

pub mod date;

pub mod shown_fields;

pub mod message;

mod size;

pub mod shares;

pub mod field;

pub mod error;

pub mod watch;

pub mod read;

pub mod leak;

pub mod cluster;

pub mod keep;

mod spill;

mod sealed;

pub mod temporary;

pub mod passage;

pub mod estimate;

pub mod config;

mod memory;

pub mod recipe;

pub mod corpus;

pub mod outcome;

pub mod search;

pub mod decide;

pub mod find;

#[cfg(feature = "index")]
pub mod index;

pub mod write;

pub mod finished;

mod report;

pub mod compare;

pub mod explain;

pub mod evaluate;

pub mod run;

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
pub use nearprint_core::fingerprint::Fingerprints;
pub use nearprint_core::judge::Reason;
pub use nearprint_core::near::{CandidatePair, Lookup};
pub use nearprint_core::recipe::{Fingerprinter, Recipe};
pub use outcome::{Counts, Decisions, Removal, Summary};
pub use report::{PAGE_STYLE, page_elements};
pub use run::{
    Asked, Changes, Deduplicator, Documents, Output, ReportOptions, Reported, Run, dedup, find,
    in_family, report,
};
pub use search::join;
pub use shown_fields::ShowFields;
pub use watch::{Silent, Stage, Watch};
