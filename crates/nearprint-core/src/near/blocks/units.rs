//! The groups of buckets of a table -> units of similar work, run in parallel; their pairs in
//! batches, in the order of the units.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::super::{BATCH_PAIRS, Batch, CandidatePair, Emit};
use super::search::{Search, Unit};
use super::tiles::Tile;

/// The pairs that a unit should compare.
const UNIT_PAIRS: u64 = 1 << 18;

/// The most pairs of a group of buckets that is one unit; a larger group is cut into units.
const MAX_UNIT_PAIRS: u64 = 4 * UNIT_PAIRS;

/// The most pairs of buckets in a group, since walking past empty buckets takes time, too.
const GROUP_BUCKET_PAIRS: u64 = 1 << 14;

/// The units that a thread gets at a time. If all pairs are near, they hold 8 * 4 * 2^18 pairs, 100
/// MB a thread.
const UNITS_PER_THREAD: usize = 8;

/// The number of last bits of a key in which the keys of a group differ. If keys are uniform, a
/// group compares about [`UNIT_PAIRS`] pairs.
pub(super) fn group_bits(items: u64, key_bits: u32, flips: u64) -> u32 {
    let bucket_pairs = flips << key_bits;
    let pairs = (u128::from(items) * u128::from(items) * u128::from(flips) / 2) >> key_bits;
    let groups =
        (pairs / u128::from(UNIT_PAIRS)).max(u128::from(bucket_pairs / GROUP_BUCKET_PAIRS)).max(1);
    key_bits.saturating_sub(u128::BITS - (groups - 1).leading_zeros())
}

/// The share of the whole join that is done before a part of a table, and after it, from 0 to 1.
pub(super) struct Share {
    pub(super) before: f64,
    pub(super) after: f64,
}

/// The units of a table, or of a part of it, on their way through the threads to `emit`.
pub(super) struct Units<'a, 'e, const W: usize> {
    search: &'a Search<'a, W>,
    /// The units that run next.
    waiting: Vec<Unit>,
    /// The pairs that were found and not handed on yet.
    batch: Vec<CandidatePair>,
    share: Share,
    /// The number of pairs that all units compare.
    pairs: u64,
    /// The number of pairs of the units that have run or wait.
    pairs_done: u64,
    emit: &'a mut Emit<'e>,
}

impl<'a, 'e, const W: usize> Units<'a, 'e, W> {
    /// No units yet. `batch` has the pairs of earlier parts that were not handed on.
    pub(super) fn new(
        search: &'a Search<'a, W>,
        batch: Vec<CandidatePair>,
        share: Share,
        emit: &'a mut Emit<'e>,
    ) -> Units<'a, 'e, W> {
        Units { search, waiting: Vec::new(), batch, share, pairs: 0, pairs_done: 0, emit }
    }

    /// Runs all 2^bits groups in order, and returns the pairs that do not fill a batch.
    pub(super) fn run_all(mut self, bits: u32) -> ControlFlow<(), Vec<CandidatePair>> {
        let search = self.search;
        let group_pairs: Vec<u64> =
            (0..1u32 << bits).into_par_iter().map(|group| search.group_pairs(group)).collect();
        self.pairs = group_pairs.iter().sum();
        for (group, pairs) in (0u32..).zip(group_pairs) {
            if pairs > MAX_UNIT_PAIRS {
                self.cut(group)?;
            } else if pairs > 0 {
                self.push(Unit::Group(group), pairs)?;
            }
        }
        self.run_waiting()?;
        ControlFlow::Continue(self.batch)
    }

    /// Cuts a group into units. Each has from [`UNIT_PAIRS`] pairs up to a tile more, except the
    /// last one, which may have fewer.
    fn cut(&mut self, group: u32) -> ControlFlow<()> {
        let (mut tiles, mut pairs) = (Vec::new(), 0);
        self.search.each_bucket_pair(group, |rows, columns| {
            Tile::each(rows, columns, &mut |tile| {
                pairs += tile.pairs();
                tiles.push(tile);
                if pairs < UNIT_PAIRS {
                    return ControlFlow::Continue(());
                }
                self.push(Unit::Tiles(std::mem::take(&mut tiles)), std::mem::take(&mut pairs))
            })
        })?;
        self.push(Unit::Tiles(tiles), pairs)
    }

    /// Adds a unit that compares this number of pairs.
    fn push(&mut self, unit: Unit, pairs: u64) -> ControlFlow<()> {
        self.waiting.push(unit);
        self.pairs_done += pairs;
        let enough = UNITS_PER_THREAD * rayon::current_num_threads();
        if self.waiting.len() < enough { ControlFlow::Continue(()) } else { self.run_waiting() }
    }

    /// Runs the waiting units in parallel, and hands their pairs on in the order of the units, in
    /// batches of one size.
    fn run_waiting(&mut self) -> ControlFlow<()> {
        let search = self.search;
        let mut found: Vec<Vec<CandidatePair>> =
            self.waiting.par_iter().map(|unit| search.run(unit)).collect();
        search.leaves_out.take(&mut found);
        self.waiting.clear();
        let Share { before, after } = self.share;
        let done = (before + (after - before) * self.pairs_done as f64 / self.pairs.max(1) as f64)
            .min(after);
        for mut pairs in found.iter().map(Vec::as_slice) {
            while !pairs.is_empty() {
                let (now, later) = pairs.split_at(pairs.len().min(BATCH_PAIRS - self.batch.len()));
                self.batch.extend_from_slice(now);
                pairs = later;
                if self.batch.len() == BATCH_PAIRS {
                    (self.emit)(Batch { pairs: &self.batch, done })?;
                    self.batch.clear();
                }
            }
        }
        // An empty batch lets `emit` stop the join.
        (self.emit)(Batch { pairs: &[], done })
    }
}
