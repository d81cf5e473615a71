//! A part of a table -> the pairs of buckets that meet; a unit of work -> its near pairs.

use std::ops::{ControlFlow, Range};

use super::super::CandidatePair;
use super::super::buckets::Buckets;
use super::super::connected::Connected;
use super::super::hamming::{Hit, Kernel, Near};
use super::super::hubs::{HUB_PAIRS, Hubs, more};
use super::LeavesOut;
use super::tiles::Tile;

/// Work for one thread.
pub(super) enum Unit {
    /// All pairs of buckets of a group.
    Group(u32),
    /// Some tiles of a group that is too large for one unit.
    Tiles(Vec<Tile>),
}

/// A table, or a part of it, ready to be searched.
pub(super) struct Search<'a, const W: usize> {
    pub(super) buckets: &'a Buckets<W>,
    /// The number of first fingerprints, if only pairs across them and the others are wanted.
    pub(super) first: Option<u32>,
    pub(super) leaves_out: LeavesOut<'a>,
    /// The differences of two keys that meet.
    pub(super) flips: Vec<u32>,
    /// The first key of the first stretch.
    pub(super) first_key: u32,
    /// The number of last bits in which the keys of a group differ.
    pub(super) group_bits: u32,
    pub(super) near: Near<W>,
    pub(super) kernel: Kernel,
}

impl<const W: usize> Search<'_, W> {
    /// Visits each two nonempty ranges of fingerprints that meet because of a bucket of this group:
    /// one of the bucket with the lower key, and one of the bucket with the higher key.
    ///
    /// The flip changes slowest, so that both sides walk through neighboring buckets, which lie
    /// side by side in memory.
    pub(super) fn each_bucket_pair(
        &self,
        group: u32,
        mut visit: impl FnMut(Range<usize>, Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for &flip in &self.flips {
            let highest = flip.checked_ilog2().map_or(0, |bit| 1 << bit);
            let first = self.first_key + (group << self.group_bits);
            for key in first..first + (1 << self.group_bits) {
                // The lower one of key and key ^ flip lacks the highest flipped bit. It visits for
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

    /// Visits the parts of two buckets that meet across: the `first` fingerprints of one bucket and
    /// the others of the other bucket.
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
        // If a bucket meets itself, these are the pairs above.
        if rows != columns && row < rows.end && column > columns.start {
            visit(row..rows.end, columns.start..column)?;
        }
        ControlFlow::Continue(())
    }

    /// The number of pairs that a group compares.
    pub(super) fn group_pairs(&self, group: u32) -> u64 {
        let mut pairs = 0;
        let _ = self.each_bucket_pair(group, |rows, columns| {
            pairs += Tile { rows, columns }.pairs();
            ControlFlow::Continue(())
        });
        pairs
    }

    /// The candidate pairs of a unit that no earlier table sees.
    pub(super) fn run(&self, unit: &Unit) -> Vec<CandidatePair> {
        let mut hits = Vec::new();
        let mut found = Vec::new();
        let mut compare = |tile: Tile| {
            match self.leaves_out {
                LeavesOut::Hubs(hubs) => self.compare_hubs(hubs, tile, &mut hits, &mut found),
                LeavesOut::Connected(connected) => {
                    self.compare_apart(connected, tile, &mut hits, &mut found)
                }
                LeavesOut::Nothing => {
                    self.near_pairs(tile, &mut hits);
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

    /// Compares a tile, except for parts in which all fingerprints are hubs.
    fn compare_hubs(
        &self,
        hubs: &Hubs,
        tile: Tile,
        hits: &mut Vec<Hit>,
        found: &mut Vec<CandidatePair>,
    ) {
        let pairs = |range: &Range<usize>| -> Vec<u8> {
            self.buckets.positions[range.clone()]
                .iter()
                .map(|position| hubs.pairs(*position))
                .collect()
        };
        // Pairs that are found here are counted as well.
        let (mut row_pairs, mut column_pairs) = (pairs(&tile.rows), pairs(&tile.columns));
        let (first_row, first_column) = (tile.rows.start, tile.columns.start);
        let are_hubs = |pairs: &[u8]| pairs.iter().all(|pairs| *pairs > HUB_PAIRS);
        for part in tile.parts() {
            let Tile { rows, columns } = &part;
            if are_hubs(&column_pairs[columns.start - first_column..columns.end - first_column])
                && are_hubs(&row_pairs[rows.start - first_row..rows.end - first_row])
            {
                continue;
            }
            self.near_pairs(part, hits);
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

    /// Compares a tile, except for parts in which all fingerprints are connected.
    fn compare_apart(
        &self,
        connected: &Connected<'_>,
        tile: Tile,
        hits: &mut Vec<Hit>,
        found: &mut Vec<CandidatePair>,
    ) {
        for part in tile.parts() {
            let positions =
                [&part.columns, &part.rows].map(|range| &self.buckets.positions[range.clone()]);
            if connected.are_one(&mut positions.into_iter().flatten()) {
                continue;
            }
            self.near_pairs(part, hits);
            let pairs = hits.drain(..).map(|hit| self.candidate(hit));
            found.extend(
                pairs.filter(|pair| !connected.are_one(&mut [pair.left, pair.right].iter())),
            );
        }
    }

    /// Adds the near pairs of a tile that no earlier table sees.
    fn near_pairs(&self, Tile { rows, columns }: Tile, hits: &mut Vec<Hit>) {
        self.kernel.near_pairs(&self.buckets.items, rows, columns, &self.near, hits);
    }

    /// The pair of a hit, by positions in the column.
    fn candidate(&self, hit: Hit) -> CandidatePair {
        let [row, column] =
            [hit.row, hit.column].map(|index| self.buckets.positions[index as usize]);
        CandidatePair { left: row.min(column), right: row.max(column), distance: hit.distance }
    }
}
