//! Fingerprints -> candidate pairs: all pairs that are near in bits, streamed in batches.
//!
//! ```text
//! plan    (items, bits, complete_distance) -> which tables, or brute force           plan.rs
//! join    fingerprints, plan -> batches of pairs:
//!   sort    one table at a time, the fingerprints sorted by one block of their bits  buckets.rs
//!   meet    buckets whose keys are near are compared with each other, in parallel    blocks.rs
//!   compare one fingerprint with eight or sixteen, by exclusive or and bit count     hamming.rs
//! ```
//!
//! Fingerprints that stay, in lists that may lie in a file, are asked for by tables.rs. A
//! [`Lookup`] is for fingerprints that come one by one, each of which asks for the earlier ones
//! near it: lookup.rs.
//!
//! Two bounds of a join, both inclusive: every pair within the plan's `complete_distance` is found,
//! in any data; farther pairs up to `max_distance` come out if a table happens to see them. No
//! bucket is ever dropped or capped; only [`join_without_hubs`] and [`join_apart`] leave pairs out.
//! The pairs and their order depend on the fingerprints and the plan alone, never on the number of
//! threads. Where only pairs across two lists are wanted ([`join_across`]), nothing else is
//! compared.
//!
//! Sources: Manku, Jain, Das Sarma, "Detecting Near-Duplicates for Web Crawling" (WWW 2007),
//! section 3, for tables of blocks; Qin et al., "GPH: Similarity Search in Hamming Space" (ICDE
//! 2018) and Norouzi, Punjani, Fleet, "Fast Search in Hamming Space with Multi-Index Hashing" (CVPR
//! 2012) for blocks searched within a radius.

mod blocks;
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
pub mod short;
mod tables;

use std::ops::ControlFlow;

use blocks::LeavesOut;

use crate::fingerprint::Fingerprints;

pub use brute_force::brute_force;
pub use connected::Connected;
pub use edits::join_by_edits;
pub use entries::Entries;
pub use hubs::{HUB_PAIRS, Hubs};
pub use lookup::{Lookup, Neighbor};
pub use plan::{Plan, Table, plan};
pub(crate) use record::words_of;
pub use record::{Kind, Record};
pub use tables::{Asking, Lists, Tables};
pub use tables::{numbers, scan_column, share_seen};

/// The most pairs in a [`Batch`].
pub const BATCH_PAIRS: usize = 1 << 18;

/// Two fingerprints near in bits: their positions in the column and their Hamming distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CandidatePair {
    /// Position of the earlier fingerprint.
    pub left: u32,
    /// Position of the later fingerprint; `left < right`.
    pub right: u32,
    /// Bits in which the two differ; of [`join_by_edits`] their edit distance.
    pub distance: u32,
}

/// A batch of pairs that a join hands on.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'p> {
    /// At most [`BATCH_PAIRS`]; none where there is nothing new but a chance to stop.
    pub pairs: &'p [CandidatePair],
    /// The share of all comparisons that is done, from 0 to 1, if the tables to come compare as
    /// much as those before.
    pub done: f64,
}

/// The receiver of the batches of a join, which may break it off.
pub type Emit<'e> = dyn FnMut(Batch<'_>) -> ControlFlow<()> + 'e;

/// Streams the candidate pairs within `max_distance` to `emit`, each pair once.
///
/// Every pair within the smaller of `max_distance` and the plan's complete distance is among them.
/// A plan by brute force finds all pairs within `max_distance`; a plan by tables those that one of
/// its tables sees. Empty batches come in between, so that `emit` can stop a search that finds
/// nothing. The work is spread over rayon's current pool, a bounded number of pairs is held at any
/// time, and when `emit` breaks the join stops. Memory: as much as the column takes, 4 bytes a
/// fingerprint, a sixteenth of both for each thread at most, and up to 64 MiB.
///
/// # Panics
///
/// If the plan is for another width, or if there are more than 2^32 - 1 fingerprints.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use nearprint_core::fingerprint::Fingerprints;
/// use nearprint_core::near::{CandidatePair, join, plan};
///
/// let mut fingerprints = Fingerprints::new(64);
/// for word in [0x0f0f, 0xffff_0000_ffff, 0x0f0e] {
///     fingerprints.push(&[word]);
/// }
/// let plan = plan(fingerprints.len(), fingerprints.bits(), 3);
/// let mut pairs = Vec::new();
/// let flow = join(&fingerprints, &plan, 3, &mut |batch| {
///     pairs.extend_from_slice(batch.pairs);
///     ControlFlow::Continue(())
/// });
/// assert!(flow.is_continue());
/// assert_eq!(pairs, [CandidatePair { left: 0, right: 2, distance: 1 }]);
/// ```
pub fn join(
    fingerprints: &Fingerprints,
    plan: &Plan,
    max_distance: u32,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    join_within(fingerprints, plan, max_distance, u64::MAX, emit)
}

/// The same in about `bytes` bytes of memory beside the column: a table that is too large is
/// searched in parts. The pairs are the same, in another order.
///
/// # Panics
///
/// As [`join`].
pub fn join_within(
    fingerprints: &Fingerprints,
    plan: &Plan,
    max_distance: u32,
    bytes: u64,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    join_pairs(fingerprints, None, LeavesOut::Nothing, plan, max_distance, bytes, emit)
}

/// The pairs of [`join_within`], or with `first` those of [`join_across`], but for those of two
/// fingerprints that are in too many: [`Hubs`] know them then.
///
/// # Panics
///
/// As [`join`]; if the hubs are of fewer fingerprints.
pub fn join_without_hubs(
    fingerprints: &Fingerprints,
    first: Option<usize>,
    hubs: &Hubs,
    plan: &Plan,
    max_distance: u32,
    bytes: u64,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    join_pairs(fingerprints, first, LeavesOut::Hubs(hubs), plan, max_distance, bytes, emit)
}

/// Pairs that connect whom those of [`join_within`] connect, or with `first` those of
/// [`join_across`]: fewer than the fingerprints. Of n texts that are all connected some hundred are
/// compared with all others. Of the others, which stand side by side in their buckets, only the
/// sets are looked at. Texts that nothing connects are all compared.
///
/// # Panics
///
/// As [`join`]; if `connected` is of fewer fingerprints.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use nearprint_core::fingerprint::Fingerprints;
/// use nearprint_core::near::{Connected, join_apart, plan};
///
/// let mut fingerprints = Fingerprints::new(64);
/// for word in [0b0000, 0b0001, 0b0011, 0b0010] {
///     fingerprints.push(&[word]);
/// }
/// let (plan, all) = (plan(4, 64, 1), |_, _| true);
/// let mut connected = 0;
/// let _ = join_apart(&fingerprints, None, &Connected::new(4, &all), &plan, 1, u64::MAX, &mut |batch| {
///     connected += batch.pairs.len();
///     ControlFlow::Continue(())
/// });
/// assert_eq!(connected, 3);
/// ```
pub fn join_apart(
    fingerprints: &Fingerprints,
    first: Option<usize>,
    connected: &Connected<'_>,
    plan: &Plan,
    max_distance: u32,
    bytes: u64,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    join_pairs(
        fingerprints,
        first,
        LeavesOut::Connected(connected),
        plan,
        max_distance,
        bytes,
        emit,
    )
}

/// The pairs of [`join_within`] of which one fingerprint is among the `first` ones of the column
/// and the other is not: those, and no others, are compared.
///
/// # Panics
///
/// As [`join`].
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use nearprint_core::fingerprint::Fingerprints;
/// use nearprint_core::near::{join_across, plan};
///
/// let mut fingerprints = Fingerprints::new(64);
/// for word in [0b0000, 0b0001, 0b0011, 0b0111] {
///     fingerprints.push(&[word]);
/// }
/// let plan = plan(fingerprints.len(), fingerprints.bits(), 1);
/// let mut pairs = Vec::new();
/// let flow = join_across(&fingerprints, 2, &plan, 1, u64::MAX, &mut |batch| {
///     pairs.extend(batch.pairs.iter().map(|pair| (pair.left, pair.right)));
///     ControlFlow::Continue(())
/// });
/// assert!(flow.is_continue());
/// assert_eq!(pairs, [(1, 2)]);
/// ```
pub fn join_across(
    fingerprints: &Fingerprints,
    first: usize,
    plan: &Plan,
    max_distance: u32,
    bytes: u64,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    join_pairs(fingerprints, Some(first), LeavesOut::Nothing, plan, max_distance, bytes, emit)
}

/// All pairs, or those across the `first` fingerprints and the others.
fn join_pairs(
    fingerprints: &Fingerprints,
    first: Option<usize>,
    leaves_out: LeavesOut<'_>,
    plan: &Plan,
    max_distance: u32,
    bytes: u64,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    assert_eq!(fingerprints.bits(), plan.bits(), "the plan is for fingerprints of another width");
    assert!(
        u32::try_from(fingerprints.len()).is_ok(),
        "a join takes at most 2^32 - 1 fingerprints"
    );
    let words = fingerprints.words();
    // Brute force is one table without key bits: a single bucket, in which everything meets
    // everything.
    let everything = [Table { first_bit: 0, bits: 0, radius: 0 }];
    let tables = if plan.is_brute_force() { &everything[..] } else { plan.tables() };
    let each = fingerprints.words_each();
    let most_items = bytes / (each * size_of::<u64>() + size_of::<u32>()) as u64;
    let most_items = usize::try_from(most_items).unwrap_or(usize::MAX);
    // Positions are numbers of 32 bits, so a longer beginning is the whole column.
    let first = first.map(|first| u32::try_from(first).unwrap_or(u32::MAX));
    let wanted = blocks::Wanted { bits: plan.bits(), max_distance, first, leaves_out };
    match each {
        1 => blocks::join(words.as_chunks::<1>().0, tables, wanted, most_items, emit),
        2 => blocks::join(words.as_chunks::<2>().0, tables, wanted, most_items, emit),
        4 => blocks::join(words.as_chunks::<4>().0, tables, wanted, most_items, emit),
        words => unreachable!("fingerprints of {words} words"),
    }
}

#[cfg(test)]
mod tests;
