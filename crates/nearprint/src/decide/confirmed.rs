//! The candidates after their comparison: keepers, the evidence of each link, and lists of pairs.
//! The lists can be moved into named files, so that a run that goes on finds them again.

use std::path::PathBuf;

use nearprint_core::judge::Reason;
use serde::{Deserialize, Serialize};

use super::bounds::Bounded;
use super::just_missed::Sample;
use crate::error::Error;
use crate::outcome::DuplicatePairs;
use crate::spill::Sorted;

/// The evidence of a document and its keeper.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Link {
    /// The document.
    pub document: u32,
    /// The rule that applied.
    pub reason: Reason,
    /// The Hamming distance of the two fingerprints in bits.
    pub distance: Option<u32>,
    /// The similarity of the two texts, 0 to 1.
    pub similarity: f64,
    /// The share of the document that stands nowhere in its keeper, if it is known.
    pub lost: Option<f64>,
    /// The share of both texts that stands in the other one, if coverage decided.
    pub share: Option<f64>,
}

/// The candidates after their comparison.
#[derive(Debug, Serialize, Deserialize)]
pub struct Confirmed {
    /// The keeper of each document among documents of different texts; a kept document is its own.
    pub keepers: Vec<u32>,
    /// The link of each document to its keeper, in the order of the documents. Components have no
    /// links, since theirs say nothing about keepers.
    pub links: Vec<Link>,
    /// The number of compared candidates.
    pub compared: u64,
    /// The number of duplicates among the compared candidates and the pairs of short documents.
    pub confirmed: u64,
    /// All duplicate pairs, if they were wanted.
    pub pairs: DuplicatePairs,
    /// Pairs that just missed the least similarity, if they were wanted: all, or those of a sample.
    pub just_missed: Option<DuplicatePairs>,
    /// The links at other least similarities.
    pub bounds: Linked,
}

/// The links at other least similarities, as far as they are known.
#[derive(Debug, Serialize, Deserialize)]
pub struct Linked {
    /// All pairs that may link two documents, if all candidates were compared.
    pub(super) all: Option<Sorted<Bounded>>,
    /// The lowest least similarity with an answer. Without a sample, `all` reaches down to it.
    pub(super) least: f64,
    /// Each document that is no keeper, in order, with the highest `min-similarity` at which the
    /// pair that removed it would still be a duplicate.
    pub(super) joined: Vec<(u32, f64)>,
    /// The sample of kept documents, if one was drawn.
    pub(super) sample: Option<Sample>,
    /// True if there are hubs. `all` then holds only the pairs of hubs that the tables of the
    /// search see.
    pub(super) crowded: bool,
}

/// The file names of the lists.
const PAIRS: &str = "pairs";
const JUST_MISSED: &str = "just missed";
const LINKED: &str = "linked";

impl Confirmed {
    /// Moves the lists into named files, so that the value can be saved. `name` turns the name of a
    /// list into a path.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn in_files(self, name: impl Fn(&str) -> PathBuf) -> Result<Confirmed, Error> {
        let just_missed =
            self.just_missed.map(|pairs| pairs.in_file(&name(JUST_MISSED))).transpose()?;
        let all = self.bounds.all.map(|pairs| pairs.in_file(&name(LINKED))).transpose()?;
        let pairs = self.pairs.in_file(&name(PAIRS))?;
        Ok(Confirmed { pairs, just_missed, bounds: Linked { all, ..self.bounds }, ..self })
    }

    /// Opens the files of a loaded value. Returns true if each file is as it was saved.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn reopen(&mut self, name: impl Fn(&str) -> PathBuf) -> Result<bool, Error> {
        let missed =
            self.just_missed.as_mut().map_or(Ok(true), |pairs| pairs.reopen(&name(JUST_MISSED)))?;
        let linked =
            self.bounds.all.as_mut().map_or(Ok(true), |pairs| pairs.reopen(&name(LINKED)))?;
        Ok(missed && linked && self.pairs.reopen(&name(PAIRS))?)
    }
}
