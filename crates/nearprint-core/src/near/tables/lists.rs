//! A column of fingerprints and a plan -> the lists of its tables, by a counting sort for each
//! table.

use rayon::prelude::*;

use super::super::entries::{Entries, check};
use super::super::plan::{Plan, Table};

/// The lists of all tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// For each table the first entry of each key, and the end of the last one. With 64 bits or
    /// fewer the places of the fingerprints of its entries follow.
    pub places: Vec<u32>,
    /// For each table its entries; with 64 bits or fewer these are the fingerprints.
    pub values: Vec<u64>,
}

impl Lists {
    /// The lists of a column of fingerprints of the plan's width, given by their words.
    pub fn new(plan: &Plan, words: &[u64]) -> Lists {
        match plan.bits().div_ceil(64) {
            1 => Lists::of(plan, words.as_chunks::<1>().0),
            2 => Lists::of(plan, words.as_chunks::<2>().0),
            _ => Lists::of(plan, words.as_chunks::<4>().0),
        }
    }

    fn of<const W: usize>(plan: &Plan, items: &[[u64; W]]) -> Lists {
        let mut lists = Lists {
            places: vec![0; numbers(plan, items.len())],
            values: vec![0; plan.tables().len() * items.len()],
        };
        let layout = Entries::new(plan, items.len());
        let mut rest = lists.places.as_mut_slice();
        let mut parts = Vec::new();
        for (table, values) in
            plan.tables().iter().zip(lists.values.chunks_exact_mut(items.len().max(1)))
        {
            let (starts, behind) = rest.split_at_mut(starts(table));
            let (places, behind) = behind.split_at_mut(if W == 1 { items.len() } else { 0 });
            rest = behind;
            parts.push((table, starts, places, values));
        }
        parts.into_par_iter().for_each(|(table, starts, places, values)| {
            items.iter().for_each(|item| starts[table.key(item) + 1] += 1);
            for key in 1..starts.len() {
                starts[key] += starts[key - 1];
            }
            // Each start moves on to the start of the next key.
            for (place, item) in (0u32..).zip(items) {
                let next = &mut starts[table.key(item)];
                match W {
                    1 => (places[*next as usize], values[*next as usize]) = (place, item[0]),
                    _ => values[*next as usize] = layout.entry(check(table, item), place),
                }
                *next += 1;
            }
            starts.copy_within(..starts.len() - 1, 1);
            starts[0] = 0;
        });
        lists
    }
}

/// The number of starts of a table: one for each key, and the end.
pub(super) fn starts(table: &Table) -> usize {
    (1 << table.bits) + 1
}

/// The length of [`Lists::places`] for this number of fingerprints.
pub fn numbers(plan: &Plan, fingerprints: usize) -> usize {
    let places = if plan.bits() <= 64 { fingerprints } else { 0 };
    plan.tables().iter().map(|table| starts(table) + places).sum()
}
