//! Fingerprints -> candidate pairs; a query -> the documents near it.
//!
//! ```text
//! plan        items, bits, distance -> the tables, or brute force      plan.rs
//! join        fingerprints, plan -> batches of pairs:
//!   sort      the fingerprints, by the keys of one table               buckets.rs
//!   meet      each two buckets whose keys are near, in parallel        blocks.rs
//!   compare   their fingerprints, eight or sixteen at a time           hamming.rs
//!   leave out pairs of hubs, or of connected fingerprints              hubs.rs, connected.rs
//!   by edits  each two fingerprints of the column                      edits.rs
//! tables      a fixed column in lists, a query -> those near it        tables.rs, entries.rs
//! lookup      fingerprints that come and go, a query -> those near it  lookup.rs
//! records     documents, a query -> the documents to compare           among.rs, records.rs
//! bands       rows of MinHash values -> those with a band in common     bands.rs
//! short       texts too short for a fingerprint -> duplicate pairs     short
//! ```
//!
//! A join has two bounds, both inclusive. It finds every pair within the plan's
//! `complete_distance`, in any data. It also finds the pairs up to `max_distance` that a table
//! sees. No bucket is dropped or capped; only [`Join::without_hubs`] and [`Join::connecting`] leave
//! pairs out. The pairs and their order depend on the fingerprints and the plan alone, never on the
//! number of threads. If only pairs across two lists are wanted ([`Join::across`]), no others are
//! compared. `brute_force.rs` is the plain way to find all pairs, for tests.
//!
//! Sources: Manku, Jain, Das Sarma, "Detecting Near-Duplicates for Web Crawling" (WWW 2007),
//! section 3, for tables of blocks; Qin et al., "GPH: Similarity Search in Hamming Space" (ICDE
//! 2018) and Norouzi, Punjani, Fleet, "Fast Search in Hamming Space with Multi-Index Hashing" (CVPR
//! 2012) for blocks searched within a radius.

mod among;
mod bands;
mod blocks;
#[cfg(test)]
mod brute_force;
mod buckets;
mod connected;
mod edits;
mod entries;
mod hamming;
mod hubs;
mod lookup;
mod plan;
mod record;
mod records;
pub mod short;
mod tables;

use std::ops::ControlFlow;

use blocks::LeavesOut;

use crate::fingerprint::{Distance, Fingerprints};

pub use among::{Among, Collection, Met, QUERY, query_of};
pub use bands::Bands;
#[cfg(test)]
pub(crate) use brute_force::brute_force;
pub use connected::Connected;
use edits::join_by_edits;
pub use entries::Entries;
pub use hubs::{HUB_PAIRS, Hubs};
pub use lookup::{Lookup, Neighbor};
pub use plan::{Plan, Table, plan};
pub use record::{Kind, Record};
pub use records::{Records, RecordsIn};
pub use tables::{Asking, Lists, Query, Tables, numbers, scan_column, share_seen};

/// The most pairs in a [`Batch`].
pub const BATCH_PAIRS: usize = 1 << 18;

/// Two fingerprints that are near: their positions in the column and their distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CandidatePair {
    /// The position of the earlier fingerprint.
    pub left: u32,
    /// The position of the later fingerprint; `left < right`.
    pub right: u32,
    /// The number of bits in which the two differ, or by [`Distance::Edit`] the number of edits.
    pub distance: u32,
}

/// A batch of pairs that a join hands on.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'p> {
    /// The pairs, at most [`BATCH_PAIRS`]. An empty batch lets the receiver stop the join.
    pub pairs: &'p [CandidatePair],
    /// The share of all comparisons that is done, from 0 to 1, if each table compares equally many
    /// pairs.
    pub done: f64,
}

/// The receiver of the batches of a join, which may stop it.
pub type Emit<'e> = dyn FnMut(Batch<'_>) -> ControlFlow<()> + 'e;

/// A search for the near pairs of a column of fingerprints, each pair once.
///
/// Every pair within the smaller of `max_distance` and the plan's complete distance is found. Brute
/// force finds all pairs within `max_distance`; tables find those that one of them sees. The work
/// is spread over rayon's current pool. Memory: the size of the column, 4 bytes a fingerprint, at
/// most a sixteenth of both for each thread, and up to 64 MiB.
///
/// ```
/// use std::ops::ControlFlow;
/// use nearprint_core::fingerprint::Fingerprints;
/// use nearprint_core::near::{CandidatePair, Join, plan};
///
/// let mut fingerprints = Fingerprints::new(64);
/// for word in [0x0f0f, 0xffff_0000_ffff, 0x0f0e] {
///     fingerprints.push(&[word]);
/// }
/// let plan = plan(fingerprints.len(), fingerprints.bits(), 3);
/// let mut pairs = Vec::new();
/// let flow = Join::new(&plan, 3).run(&fingerprints, &mut |batch| {
///     pairs.extend_from_slice(batch.pairs);
///     ControlFlow::Continue(())
/// });
/// assert!(flow.is_continue());
/// assert_eq!(pairs, [CandidatePair { left: 0, right: 2, distance: 1 }]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Join<'j> {
    plan: &'j Plan,
    max_distance: u32,
    distance: Distance,
    first: Option<usize>,
    bytes: u64,
    leaves_out: LeavesOut<'j>,
}

impl<'j> Join<'j> {
    /// All pairs within `max_distance` that the plan sees.
    pub fn new(plan: &'j Plan, max_distance: u32) -> Join<'j> {
        let (distance, bytes) = (Distance::Hamming, u64::MAX);
        Join { plan, max_distance, distance, first: None, bytes, leaves_out: LeavesOut::Nothing }
    }

    /// Only pairs of one of the `first` fingerprints of the column and one of the others. No other
    /// pairs are compared. With `None` all pairs are wanted.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use nearprint_core::fingerprint::Fingerprints;
    /// use nearprint_core::near::{Join, plan};
    ///
    /// let mut fingerprints = Fingerprints::new(64);
    /// for word in [0b0000, 0b0001, 0b0011, 0b0111] {
    ///     fingerprints.push(&[word]);
    /// }
    /// let plan = plan(fingerprints.len(), fingerprints.bits(), 1);
    /// let mut pairs = Vec::new();
    /// let _ = Join::new(&plan, 1).across(Some(2)).run(&fingerprints, &mut |batch| {
    ///     pairs.extend(batch.pairs.iter().map(|pair| (pair.left, pair.right)));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(pairs, [(1, 2)]);
    /// ```
    pub fn across(self, first: Option<usize>) -> Join<'j> {
        Join { first, ..self }
    }

    /// The kind of distance. By [`Distance::Edit`] all pairs are compared, whatever the plan says,
    /// and none is left out.
    pub fn by(self, distance: Distance) -> Join<'j> {
        Join { distance, ..self }
    }

    /// A bound of about `bytes` bytes on the memory beside the column. A table that is too large is
    /// searched in parts, which changes the order of the pairs alone.
    pub fn within(self, bytes: u64) -> Join<'j> {
        Join { bytes, ..self }
    }

    /// Pairs of two hubs, which are in very many pairs, may be left out. Afterwards [`Hubs`] has
    /// the hubs. With `None` no pair is left out.
    pub fn without_hubs(self, hubs: Option<&'j Hubs>) -> Join<'j> {
        Join { leaves_out: hubs.map_or(LeavesOut::Nothing, LeavesOut::Hubs), ..self }
    }

    /// Only pairs that connect two sets of fingerprints, which are fewer than the fingerprints.
    /// They connect the same fingerprints as all pairs. If n texts are all connected, about a
    /// hundred of them are compared with all others. Fingerprints that no pair connects are all
    /// compared.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use nearprint_core::fingerprint::Fingerprints;
    /// use nearprint_core::near::{Connected, Join, plan};
    ///
    /// let mut fingerprints = Fingerprints::new(64);
    /// for word in [0b0000, 0b0001, 0b0011, 0b0010] {
    ///     fingerprints.push(&[word]);
    /// }
    /// let (plan, all) = (plan(4, 64, 1), |_, _| true);
    /// let (sets, mut connected) = (Connected::new(4, &all), 0);
    /// let _ = Join::new(&plan, 1).connecting(&sets).run(&fingerprints, &mut |batch| {
    ///     connected += batch.pairs.len();
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(connected, 3);
    /// ```
    pub fn connecting(self, connected: &'j Connected<'j>) -> Join<'j> {
        Join { leaves_out: LeavesOut::Connected(connected), ..self }
    }

    /// Streams the pairs to `emit` in batches, and stops when it breaks. Empty batches come between
    /// others, so that `emit` can stop a search that finds nothing. The number of pairs in memory
    /// is bounded.
    ///
    /// # Panics
    ///
    /// If the plan is for another width, if there are more than 2^32 - 1 fingerprints, or if the
    /// hubs or sets have fewer fingerprints.
    pub fn run(self, fingerprints: &Fingerprints, emit: &mut Emit<'_>) -> ControlFlow<()> {
        match self.distance {
            Distance::Edit => join_by_edits(fingerprints, self.first, self.max_distance, emit),
            Distance::Hamming => self.by_plan(fingerprints, emit),
        }
    }

    fn by_plan(self, fingerprints: &Fingerprints, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let Join { plan, max_distance, first, bytes, leaves_out, .. } = self;
        assert_eq!(
            fingerprints.bits(),
            plan.bits(),
            "the plan is for fingerprints of another width"
        );
        assert!(
            u32::try_from(fingerprints.len()).is_ok(),
            "a join takes at most 2^32 - 1 fingerprints"
        );
        let words = fingerprints.words();
        // Brute force is one table without key bits: all fingerprints are in a single bucket.
        let everything = [Table { first_bit: 0, bits: 0, radius: 0 }];
        let tables = if plan.is_brute_force() { &everything[..] } else { plan.tables() };
        let each = fingerprints.words_each();
        let most_items = bytes / (each * size_of::<u64>() + size_of::<u32>()) as u64;
        let most_items = usize::try_from(most_items).unwrap_or(usize::MAX);
        // Positions have 32 bits, so a larger number of first fingerprints is the whole column.
        let first = first.map(|first| u32::try_from(first).unwrap_or(u32::MAX));
        let wanted = blocks::Wanted { bits: plan.bits(), max_distance, first, leaves_out };
        match each {
            1 => blocks::join(words.as_chunks::<1>().0, tables, wanted, most_items, emit),
            2 => blocks::join(words.as_chunks::<2>().0, tables, wanted, most_items, emit),
            4 => blocks::join(words.as_chunks::<4>().0, tables, wanted, most_items, emit),
            words => unreachable!("fingerprints of {words} words"),
        }
    }
}

#[cfg(test)]
mod tests;
