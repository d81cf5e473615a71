//! The core of nearprint: a text to its fingerprint, fingerprints to those near each other, two
//! texts to a verdict.
//!
//! ```text
//! text       -> normalize -> segment -> features -> (statistics, weights) -> fingerprint
//! documents  -> near: candidate pairs, neighbors of a document, short texts by their characters
//! two texts  -> compare: similarities -> judge: the verdict with its reason
//! ```
//!
//! Nothing here opens a file, starts a thread pool, or reads a clock, the environment or a settings
//! file. The searches compute on rayon's current pool. The sums of votes are integers (except in
//! [`fingerprint::simhash`]), so fingerprints are equal on every machine and for any number of
//! threads.
//!
//! | for | take |
//! | --- | --- |
//! | all pairs of duplicates among texts in memory | [`duplicates::duplicates`] |
//! | the fingerprint of a text | [`recipe::Recipe`], [`recipe::Fingerprinter`] |
//! | the near pairs of many fingerprints | [`near::plan`], [`near::Join`] over [`fingerprint::Fingerprints`] |
//! | "seen before?", one fingerprint after the other | [`near::Lookup`] |
//! | the documents near a query: equal, near and short ones | [`near::Among`] over [`near::Records`] |
//! | near pairs of short texts, which fingerprints do not find | [`near::short`] |
//! | the verdict on two texts | [`judge::Preparer`], [`judge::Judge`] |
//! | the parts that two texts share | [`compare::passages`], [`view::View`] |
//!
//! A document is short if [`judge::Rules::is_short`] says so: its fingerprint has too few features to
//! be trusted, so leave it out of a join.
//!
//! ```
//! use nearprint_core::judge::{Judge, Preparer, Reason, Rules};
//! use nearprint_core::recipe::{Options, Recipe};
//! let recipe = Recipe::new(Options::default())?;
//! let mut preparer = Preparer::new(&recipe, Rules::default());
//! let mut judge = Judge::new(Rules::default());
//! let [mut left, mut right] = [Default::default(), Default::default()];
//! let text = "The ferry to Hiddensee returns on Monday, after eleven weeks of repairs";
//! preparer.prepare(&format!("{text}."), &mut left);
//! preparer.prepare(&format!("{text}!"), &mut right);
//! judge.set_left(&left.prepared);
//! let verdict = judge.verdict(&right.prepared, None);
//! assert!(verdict.duplicates && verdict.reason == Reason::Near);
//! # Ok::<(), nearprint_core::recipe::Error>(())
//! ```

#![deny(missing_docs)]

#[cfg(target_arch = "x86_64")]
mod packed;

pub mod random;

pub mod signs;

pub mod normalize;

pub mod segment;

pub mod features;

pub mod statistics;

pub mod weights;

pub mod fingerprint;

pub mod compare;

pub mod recipe;

pub mod judge;

pub mod view;

pub mod near;

pub mod duplicates;

#[cfg(test)]
mod testing;

/// The examples of the crate's README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
