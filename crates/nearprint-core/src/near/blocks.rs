//! Tables of blocks -> candidate pairs: buckets whose keys are near meet, in parallel, in bounded
//! memory.
//!
//! One table at a time: bucket x meets bucket x ^ e for every e of at most r ones, once for both
//! orders. A pair that an earlier table sees as well is dropped where it is found, by looking at
//! the earlier keys' bits, so that no set of pairs is needed and each pair comes out once.
//!
//! A table is worked off as a sequence of tiles, some rows against some columns of the sorted
//! fingerprints. A huge bucket is many tiles, so it takes part in parallel work and bounded output
//! like everything else. Groups of neighboring buckets, and lists of tiles where a group is too
//! much, form units of similar work; a few units a thread run at a time, and their pairs are handed
//! on in the order of the units.
//!
//! Cost of a table over n fingerprints, 2^p keys, B = |{e}|: n to sort + 2^p B/2 meetings + n^2 B/2
//! / 2^p comparisons if the fingerprints are uniform, and n^2/2 comparisons at worst.
//!
//! Where only pairs across the first fingerprints and the others are wanted, each bucket is cut in
//! two: its fingerprints are in input order, so the first ones come first. If two buckets meet, the
//! first ones of each are compared with the others of the other one, and these are all pairs
//! across.
//!
//! Where memory is short, a table is searched in parts, each with one or two stretches of its keys,
//! and the fingerprints are scanned for each.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::buckets::{Buckets, Stretches};
use super::connected::Connected;
use super::hamming::{Field, Half, Hit, Kernel, Near};
use super::hubs::{HUB_PAIRS, Hubs, more};
use super::plan::Table;
use super::{BATCH_PAIRS, Batch, CandidatePair, Emit};

/// A tile's sides: 256 * 1024 pairs take some 50 microseconds, and 1024 fingerprints fit in the
/// first-level cache.
const TILE_ROWS: usize = 256;
const TILE_COLUMNS: usize = 1024;

/// Pairs a unit should compare.
const UNIT_PAIRS: u64 = 1 << 18;

/// A group of buckets that compares more pairs than this is cut into units of their own.
const MAX_UNIT_PAIRS: u64 = 4 * UNIT_PAIRS;

/// Pairs of buckets in a group at most: walking past empty buckets is work, too.
const GROUP_BUCKET_PAIRS: u64 = 1 << 14;

/// Units a thread gets at a time. If all pairs are near, these hold 8 * 4 * 2^18 pairs, 100 MB a
/// thread.
const UNITS_PER_THREAD: usize = 8;

/// First bits of keys by which stretches are counted.
const COUNTED_BITS: u32 = 12;

/// The rows and columns of a tile that are compared before it is seen again which of them are to be
/// left out.
const ROWS_AT_ONCE: usize = 64;
const COLUMNS_AT_ONCE: usize = 128;

/// Which pairs are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'w> {
    /// The width of the fingerprints.
    pub(super) bits: u32,
    /// Inclusive bound on the bits that differ.
    pub(super) max_distance: u32,
    /// A pair has one of this number of first fingerprints and one of the others; where it is
    /// `None`, any two.
    pub(super) first: Option<u32>,
    /// Which of these are left out.
    pub(super) leaves_out: LeavesOut<'w>,
}

/// Which pairs are not compared, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(super) enum LeavesOut<'w> {
    /// None.
    Nothing,
    /// Pairs of two hubs.
    Hubs(&'w Hubs),
    /// Pairs of two that are connected.
    Connected(&'w Connected<'w>),
}

impl LeavesOut<'_> {
    /// Takes in what was found, and leaves of that what is to be handed on.
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
/// sorted at once, unless more of them are alike in the first [`COUNTED_BITS`] bits of a key.
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
        // The numbers of at most `radius` ones; zero comes first.
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
            let units = Units {
                search: &search,
                waiting: Vec::new(),
                batch,
                share,
                pairs: 0,
                pairs_done: 0,
                emit,
            };
            batch = units.run_all(key_bits - group_bits)?;
            near = search.near;
        }
    }
    emit(Batch { pairs: &batch, done: 1.0 })
}

/// The stretches of a table's keys that are sorted together, one part after the other, so that
/// every two keys that differ in at most `radius` bits are together in one part. One part, if there
/// is room for all fingerprints.
fn parts<const W: usize>(items: &[[u64; W]], table: &Table, most_items: usize) -> Vec<Stretches> {
    if items.len() <= most_items {
        return vec![Stretches::all(table)];
    }
    let counted = table.bits.min(COUNTED_BITS);
    let mut counts = vec![0usize; 1 << counted];
    items.iter().for_each(|item| counts[table.key(item) >> (table.bits - counted)] += 1);
    let parts_of = |number_bits: u32| {
        let near = (0..1u32 << number_bits).filter(|flip| flip.count_ones() <= table.radius);
        let key_bits = table.bits - number_bits;
        near.flat_map(move |flip| {
            let highest = flip.checked_ilog2().map_or(0, |bit| 1 << bit);
            let lower = (0..1u32 << number_bits).filter(move |first| first & highest == 0);
            lower.map(move |first| Stretches { key_bits, first, second: first ^ flip })
        })
    };
    let largest = |number_bits: u32| {
        let longest = 1usize << (counted - number_bits);
        let sizes: Vec<usize> = counts.chunks(longest).map(|counts| counts.iter().sum()).collect();
        let size = |part: Stretches| match part.first == part.second {
            true => sizes[part.first as usize],
            false => sizes[part.first as usize] + sizes[part.second as usize],
        };
        parts_of(number_bits).map(size).max().unwrap_or(0)
    };
    // Buckets that are alike in all of these bits cannot be parted: then more and more parts would
    // gain nothing.
    let enough = most_items.max(largest(counted) / 4 * 5);
    parts_of((1..counted).find(|bits| largest(*bits) <= enough).unwrap_or(counted)).collect()
}

/// How many of a key's last bits make a group, so that a group compares about [`UNIT_PAIRS`] if
/// keys are uniform.
fn group_bits(items: u64, key_bits: u32, flips: u64) -> u32 {
    let bucket_pairs = flips << key_bits;
    let pairs = (u128::from(items) * u128::from(items) * u128::from(flips) / 2) >> key_bits;
    let groups =
        (pairs / u128::from(UNIT_PAIRS)).max(u128::from(bucket_pairs / GROUP_BUCKET_PAIRS)).max(1);
    key_bits.saturating_sub(u128::BITS - (groups - 1).leading_zeros())
}

/// Ranges of the sorted fingerprints: pairs of a row and a later column are compared.
struct Tile {
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Tile {
    fn pairs(&self) -> u64 {
        self.rows.len() as u64 * self.columns.len() as u64
    }

    /// Cuts the pairs of two buckets, or of one bucket, into tiles.
    fn each(
        rows: Range<usize>,
        columns: Range<usize>,
        visit: &mut impl FnMut(Tile) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if rows.len() <= TILE_ROWS && columns.len() <= TILE_COLUMNS {
            return visit(Tile { rows, columns });
        }
        // Row by row: where all are near, the first row makes hubs of all columns.
        for row in rows.clone().step_by(TILE_ROWS) {
            for column in columns.clone().step_by(TILE_COLUMNS) {
                let columns = column..columns.end.min(column + TILE_COLUMNS);
                // A bucket meets itself in the tiles that have a row before a column.
                if row + 1 < columns.end {
                    visit(Tile { rows: row..rows.end.min(row + TILE_ROWS), columns })?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Work for one thread.
enum Unit {
    /// All pairs of buckets of one group.
    Group(u32),
    /// Some tiles of a group that is too much work for one unit.
    Tiles(Vec<Tile>),
}

/// One table, or a part of it, ready to be searched.
struct Search<'a, const W: usize> {
    buckets: &'a Buckets<W>,
    /// Only pairs across these and the others are wanted, if it is there.
    first: Option<u32>,
    leaves_out: LeavesOut<'a>,
    flips: Vec<u32>,
    /// The first key of the first stretch.
    first_key: u32,
    group_bits: u32,
    near: Near<W>,
    kernel: Kernel,
}

impl<const W: usize> Search<'_, W> {
    /// Visits what is compared because of a bucket of this group, nonempty parts of two buckets: of
    /// the lower one, of the higher one.
    ///
    /// The flip changes slowest, so that both sides walk through neighboring buckets, as memory
    /// likes it.
    fn each_bucket_pair(
        &self,
        group: u32,
        mut visit: impl FnMut(Range<usize>, Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for &flip in &self.flips {
            let highest = flip.checked_ilog2().map_or(0, |bit| 1 << bit);
            let first = self.first_key + (group << self.group_bits);
            for key in first..first + (1 << self.group_bits) {
                // Of key and key ^ flip the lower one lacks the highest flipped bit; it visits for
                // both.
                if key & highest == 0 {
                    let (rows, columns) =
                        (self.buckets.bucket(key), self.buckets.bucket(key ^ flip));
                    if !rows.is_empty() && !columns.is_empty() {
                        match self.first {
                            None => visit(rows, columns)?,
                            Some(first) => self.each_across(first, rows, columns, &mut visit)?,
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits those parts of two buckets that meet of which one is among the `first` fingerprints
    /// and the other is not.
    fn each_across(
        &self,
        first: u32,
        rows: Range<usize>,
        columns: Range<usize>,
        visit: &mut impl FnMut(Range<usize>, Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let others = |bucket: &Range<usize>| {
            let positions = &self.buckets.positions[bucket.clone()];
            bucket.start + positions.partition_point(|position| *position < first)
        };
        let (row, column) = (others(&rows), others(&columns));
        if row > rows.start && column < columns.end {
            visit(rows.start..row, column..columns.end)?;
        }
        // A bucket that meets itself would give the same pairs again.
        if rows != columns && row < rows.end && column > columns.start {
            visit(row..rows.end, columns.start..column)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs that a group compares.
    fn group_pairs(&self, group: u32) -> u64 {
        let mut pairs = 0;
        let _ = self.each_bucket_pair(group, |rows, columns| {
            pairs += Tile { rows, columns }.pairs();
            ControlFlow::Continue(())
        });
        pairs
    }

    /// The candidate pairs of a unit, as far as no earlier table sees them.
    fn run(&self, unit: &Unit) -> Vec<CandidatePair> {
        let mut hits = Vec::new();
        let mut found = Vec::new();
        let mut compare = |tile: Tile| {
            match self.leaves_out {
                LeavesOut::Hubs(hubs) => self.compare_hubs(hubs, tile, &mut hits, &mut found),
                LeavesOut::Connected(connected) => {
                    self.compare_apart(connected, tile, &mut hits, &mut found)
                }
                LeavesOut::Nothing => {
                    self.kernel.near_pairs(
                        &self.buckets.items,
                        tile.rows,
                        tile.columns,
                        &self.near,
                        &mut hits,
                    );
                    found.extend(hits.drain(..).map(|hit| self.candidate(hit)));
                }
            }
            ControlFlow::Continue(())
        };
        let _ = match unit {
            Unit::Group(group) => self
                .each_bucket_pair(*group, |rows, columns| Tile::each(rows, columns, &mut compare)),
            Unit::Tiles(tiles) => tiles.iter().try_for_each(|Tile { rows, columns }| {
                compare(Tile { rows: rows.clone(), columns: columns.clone() })
            }),
        };
        found
    }

    /// Compares a tile, but for parts in which all fingerprints are hubs.
    fn compare_hubs(
        &self,
        hubs: &Hubs,
        Tile { rows, columns }: Tile,
        hits: &mut Vec<Hit>,
        found: &mut Vec<CandidatePair>,
    ) {
        let pairs = |range: &Range<usize>| -> Vec<u8> {
            self.buckets.positions[range.clone()]
                .iter()
                .map(|position| hubs.pairs(*position))
                .collect()
        };
        // Those found here count, too.
        let (mut row_pairs, mut column_pairs) = (pairs(&rows), pairs(&columns));
        let (first_row, first_column) = (rows.start, columns.start);
        let are_hubs = |pairs: &[u8]| pairs.iter().all(|pairs| *pairs > HUB_PAIRS);
        for column in columns.clone().step_by(COLUMNS_AT_ONCE) {
            let columns = column..columns.end.min(column + COLUMNS_AT_ONCE);
            for row in rows.clone().step_by(ROWS_AT_ONCE) {
                let rows = row..rows.end.min(row + ROWS_AT_ONCE);
                if are_hubs(&column_pairs[columns.start - first_column..columns.end - first_column])
                    && are_hubs(&row_pairs[rows.start - first_row..rows.end - first_row])
                {
                    continue;
                }
                self.kernel.near_pairs(
                    &self.buckets.items,
                    rows,
                    columns.clone(),
                    &self.near,
                    hits,
                );
                for hit in hits.drain(..) {
                    let row = &mut row_pairs[hit.row as usize - first_row];
                    let column = &mut column_pairs[hit.column as usize - first_column];
                    if (*row).min(*column) <= HUB_PAIRS {
                        (*row, *column) = (more(*row), more(*column));
                        found.push(self.candidate(hit));
                    }
                }
            }
        }
    }

    /// Compares a tile, but for parts in which all fingerprints are connected.
    fn compare_apart(
        &self,
        connected: &Connected<'_>,
        Tile { rows, columns }: Tile,
        hits: &mut Vec<Hit>,
        found: &mut Vec<CandidatePair>,
    ) {
        for column in columns.clone().step_by(COLUMNS_AT_ONCE) {
            let columns = column..columns.end.min(column + COLUMNS_AT_ONCE);
            for row in rows.clone().step_by(ROWS_AT_ONCE) {
                let rows = row..rows.end.min(row + ROWS_AT_ONCE);
                let positions =
                    [&columns, &rows].map(|range| &self.buckets.positions[range.clone()]);
                if connected.are_one(&mut positions.into_iter().flatten()) {
                    continue;
                }
                self.kernel.near_pairs(
                    &self.buckets.items,
                    rows,
                    columns.clone(),
                    &self.near,
                    hits,
                );
                let pairs = hits.drain(..).map(|hit| self.candidate(hit));
                found.extend(
                    pairs.filter(|pair| !connected.are_one(&mut [pair.left, pair.right].iter())),
                );
            }
        }
    }

    fn candidate(&self, hit: Hit) -> CandidatePair {
        let [row, column] =
            [hit.row, hit.column].map(|index| self.buckets.positions[index as usize]);
        CandidatePair { left: row.min(column), right: row.max(column), distance: hit.distance }
    }
}

/// The share of the whole join that is done before a part of a table, and after it.
struct Share {
    before: f64,
    after: f64,
}

/// The units of one table on their way through the threads to `emit`.
struct Units<'a, 'e, const W: usize> {
    search: &'a Search<'a, W>,
    waiting: Vec<Unit>,
    batch: Vec<CandidatePair>,
    share: Share,
    /// Pairs that the table, or this part of it, compares.
    pairs: u64,
    /// Those of them in units that have run or wait.
    pairs_done: u64,
    emit: &'a mut Emit<'e>,
}

impl<const W: usize> Units<'_, '_, W> {
    /// Runs all 2^bits groups in order; gives back the pairs that do not fill a batch.
    fn run_all(mut self, bits: u32) -> ControlFlow<(), Vec<CandidatePair>> {
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

    /// Cuts one group into units of at least [`UNIT_PAIRS`] pairs, except the last, and less than
    /// one tile more.
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

    fn push(&mut self, unit: Unit, pairs: u64) -> ControlFlow<()> {
        self.waiting.push(unit);
        self.pairs_done += pairs;
        let enough = UNITS_PER_THREAD * rayon::current_num_threads();
        if self.waiting.len() < enough { ControlFlow::Continue(()) } else { self.run_waiting() }
    }

    /// Runs the waiting units in parallel and hands on what they find, unit after unit, in batches
    /// of one size.
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
        // Nothing new, but a chance to stop.
        (self.emit)(Batch { pairs: &[], done })
    }
}
