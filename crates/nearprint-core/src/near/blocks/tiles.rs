//! Two buckets -> tiles: some rows against some columns.

use std::ops::{ControlFlow, Range};

/// The most rows and columns of a tile: 256 * 1024 pairs take some 50 microseconds, and 1024
/// fingerprints fit in the first-level cache.
const TILE_ROWS: usize = 256;
const TILE_COLUMNS: usize = 1024;

/// The most rows and columns of a part of a tile: it is compared as a whole, unless all of its
/// pairs are left out.
const PART_ROWS: usize = 64;
const PART_COLUMNS: usize = 128;

/// Two ranges of the sorted fingerprints. Pairs of a row and a later column are compared.
pub(super) struct Tile {
    pub(super) rows: Range<usize>,
    pub(super) columns: Range<usize>,
}

impl Tile {
    /// The number of pairs of a row and a column.
    pub(super) fn pairs(&self) -> u64 {
        self.rows.len() as u64 * self.columns.len() as u64
    }

    /// Visits the tiles of two buckets, or of a bucket and itself.
    pub(super) fn each(
        rows: Range<usize>,
        columns: Range<usize>,
        visit: &mut impl FnMut(Tile) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if rows.len() <= TILE_ROWS && columns.len() <= TILE_COLUMNS {
            return visit(Tile { rows, columns });
        }
        // Row by row: if all pairs are near, the first rows make hubs of all columns.
        for row in rows.clone().step_by(TILE_ROWS) {
            for column in columns.clone().step_by(TILE_COLUMNS) {
                let columns = column..columns.end.min(column + TILE_COLUMNS);
                // If a bucket meets itself, a tile needs a row before a column.
                if row + 1 < columns.end {
                    visit(Tile { rows: row..rows.end.min(row + TILE_ROWS), columns })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The parts of the tile, in the order of their columns, then of their rows.
    pub(super) fn parts(self) -> impl Iterator<Item = Tile> {
        let Tile { rows, columns } = self;
        columns.clone().step_by(PART_COLUMNS).flat_map(move |column| {
            let columns = column..columns.end.min(column + PART_COLUMNS);
            let end = rows.end;
            rows.clone().step_by(PART_ROWS).map(move |row| Tile {
                rows: row..end.min(row + PART_ROWS),
                columns: columns.clone(),
            })
        })
    }
}
