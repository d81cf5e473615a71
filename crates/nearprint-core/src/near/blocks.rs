//! Tables of blocks -> candidate pairs: buckets whose keys are near meet, in parallel, in bounded
//! memory.
//!
//! ```text
//! table, memory -> parts of its keys                                    parts.rs
//! two buckets -> tiles of some rows and some columns                    tiles.rs
//! a part -> pairs of buckets that meet, and their near pairs            search.rs
//! groups of buckets -> units of work, their pairs in batches            units.rs
//! ```
//!
//! The tables are searched one after the other. Bucket x meets bucket x ^ e for every e of at most
//! r ones, once for both orders. A pair is dropped where it is found if an earlier table sees it,
//! which the bits of the earlier keys tell. So no set of pairs is needed, and each pair comes out
//! once.
//!
//! A table is a sequence of tiles, some rows against some columns of the sorted fingerprints. A
//! huge bucket is many tiles, so it takes part in parallel work and bounded output like all others.
//! A unit of work is a group of neighboring buckets, or some tiles of a large group. A few units a
//! thread run at a time, and their pairs are handed on in the order of the units.
//!
//! Cost of a table over n fingerprints, 2^p keys, B = |{e}|: n to sort + 2^p B/2 meetings + n^2 B/2
//! / 2^p comparisons if the fingerprints are uniform, and n^2/2 comparisons at worst.
//!
//! For pairs across the first fingerprints and the others, each bucket is cut in two: its
//! fingerprints are in input order, so the first ones come first. If two buckets meet, the first
//! ones of each are compared with the others of the other bucket.
//!
//! If memory is short, a table is searched in parts, each with one or two stretches of its keys.
//! The fingerprints are scanned for each part.

mod parts;
mod search;
mod tiles;
mod units;

use std::ops::ControlFlow;

use super::buckets::Buckets;
use super::connected::Connected;
use super::hamming::{Field, Half, Kernel, Near};
use super::hubs::Hubs;
use super::plan::Table;
use super::{Batch, CandidatePair, Emit};
use parts::parts;
use search::Search;
use units::{Share, Units, group_bits};

/// The pairs that are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'w> {
    /// The width of the fingerprints.
    pub(super) bits: u32,
    /// The most bits that differ, inclusive.
    pub(super) max_distance: u32,
    /// The number of first fingerprints: a pair has one of them and one of the others. With `None`
    /// a pair has any two fingerprints.
    pub(super) first: Option<u32>,
    /// The pairs among them that are left out.
    pub(super) leaves_out: LeavesOut<'w>,
}

/// The pairs that are left out as soon as they are known.
#[derive(Debug, Clone, Copy)]
pub(super) enum LeavesOut<'w> {
    /// No pairs.
    Nothing,
    /// Pairs of two hubs.
    Hubs(&'w Hubs),
    /// Pairs of two connected fingerprints.
    Connected(&'w Connected<'w>),
}

impl LeavesOut<'_> {
    /// Takes in the pairs that were found, and keeps only those that are handed on.
    fn take(self, found: &mut [Vec<CandidatePair>]) {
        let mut retain = |take: &dyn Fn(&CandidatePair) -> bool| {
            found.iter_mut().for_each(|pairs| pairs.retain(take))
        };
        match self {
            LeavesOut::Nothing => (),
            LeavesOut::Hubs(hubs) => retain(&|pair| hubs.take(pair)),
            LeavesOut::Connected(connected) => retain(&|pair| connected.take(pair)),
        }
    }
}

/// Streams all wanted pairs that one of `tables` sees. At most about `most_items` fingerprints are
/// sorted at once, unless more of them are equal in the first bits of a key ([`parts`]).
pub(super) fn join<const W: usize>(
    items: &[[u64; W]],
    tables: &[Table],
    wanted: Wanted<'_>,
    most_items: usize,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    let Wanted { bits, max_distance, first, leaves_out } = wanted;
    let kernel = Kernel::fastest();
    let mut buckets = Buckets::new();
    let mut batch = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let field = |table: &Table| Field { mask: table.mask(), radius: table.radius };
        let first_word = ((table.first_bit + table.bits).div_ceil(64)) as usize % W;
        let first_half = Half::first_look::<W>(&table.mask(), bits, max_distance);
        let earlier = tables[..index].iter().map(field).collect();
        let mut near = Near { max_distance, first_word, first_half, earlier };
        // All numbers with at most `radius` ones; zero comes first.
        let all_flips: Vec<u32> =
            (0..1 << table.bits).filter(|flip: &u32| flip.count_ones() <= table.radius).collect();
        let parts = parts(items, table, most_items);
        for (part, stretches) in parts.iter().enumerate() {
            buckets.fill(items, table, *stretches);
            let key_bits = stretches.key_bits;
            let flips = all_flips.iter().copied();
            let flips: Vec<u32> = flips
                .filter(|flip| flip >> key_bits == stretches.first ^ stretches.second)
                .collect();
            let group_bits = group_bits(buckets.items.len() as u64, key_bits, flips.len() as u64);
            let first_key = stretches.first << key_bits;
            let search = Search {
                buckets: &buckets,
                first,
                leaves_out,
                flips,
                first_key,
                group_bits,
                near,
                kernel,
            };
            let share = |part: usize| {
                (index as f64 + part as f64 / parts.len() as f64) / tables.len() as f64
            };
            let share = Share { before: share(part), after: share(part + 1) };
            let units = Units::new(&search, batch, share, emit);
            batch = units.run_all(key_bits - group_bits)?;
            near = search.near;
        }
    }
    emit(Batch { pairs: &batch, done: 1.0 })
}
