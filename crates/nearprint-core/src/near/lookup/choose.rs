//! The number and the width of fingerprints, and a distance -> the blocks with which a query and an
//! insertion cost least.
//!
//! It chooses as [`plan`](super::super::plan()) does for a join, by the general pigeonhole
//! principle. But a query reads lines scattered in memory, and every table makes insertions slower.
//! A bucket holds at least 4 entries on average when the tables are made, and 8 when they are made
//! again: shorter keys read more, longer ones take more memory.

use super::super::plan::{Plan, Table, binomials};
use super::buckets::tag;

// The costs are nanoseconds of one thread, measured with this code on a virtual Zen 4. Only the
// proportions matter, and no answer depends on them.

/// Reading the first line of a bucket.
const LOOK: f64 = 12.0;
/// Comparing the tag of an entry.
const ENTRY: f64 = 2.0;
/// Comparing the fingerprint of an entry.
const COMPARE: f64 = 12.0;
/// Adding an entry. An insertion counts as much as a query.
const ADD: f64 = 40.0;
/// Comparing one word of a fingerprint in a scan.
const SCAN: f64 = 0.55;
/// The least cost of a slot in a scan.
const SCAN_SLOT: f64 = 1.2;

/// The fewest entries of a bucket on average when a table is full.
const BUCKET: f64 = 8.0;

/// The tables for `items` fingerprints in `slots` slots, until there are twice as many entries. A
/// plan without tables is a scan.
pub(super) fn choose(items: usize, slots: usize, bits: u32, max_distance: u32) -> Plan {
    let entries = 2.0 * items.max(1) as f64;
    let mut best = Plan::brute_force(bits, max_distance);
    let mut best_cost = (slots + items) as f64 * scanning(bits);
    for blocks in 1..=max_distance + 1 {
        if f64::from(blocks) * (LOOK + ADD) >= best_cost {
            break;
        }
        let cost = |table: &Table| cost(table, entries, bits, max_distance);
        let plan = Plan::with_keys(bits, max_distance, blocks, |longest| {
            let keys = (1..=longest.bits).map(|bits| Table { bits, ..longest });
            let keys = keys
                .filter(|table| table.bits == 1 || (1u64 << table.bits) as f64 * BUCKET <= entries);
            keys.min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(longest)
        });
        let plan_cost = plan.tables().iter().map(cost).sum();
        if plan_cost < best_cost {
            (best, best_cost) = (plan, plan_cost);
        }
    }
    best
}

/// The number of bucket entries that cost as much as a scan of `slots` slots.
pub(super) fn entries_of_a_scan(slots: usize, bits: u32) -> u64 {
    (slots as f64 * scanning(bits) / ENTRY) as u64
}

/// The cost of a slot in a scan.
fn scanning(bits: u32) -> f64 {
    (SCAN * f64::from(bits.div_ceil(64))).max(SCAN_SLOT)
}

/// The cost that a table with `entries` entries adds to a query and an insertion, if fingerprints
/// are uniform.
fn cost(table: &Table, entries: f64, bits: u32, max_distance: u32) -> f64 {
    let (_, free) = tag(table, bits);
    let near: f64 = binomials(free).zip(0..=max_distance).map(|(ways, _)| ways).sum();
    let compared = near / (1u64 << free) as f64;
    let looks = table.ball();
    let read = looks * entries / (1u64 << table.bits) as f64;
    ADD + looks * LOOK + read * (ENTRY + compared * COMPARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_where_they_pay_and_a_scan_elsewhere() {
        for (items, bits, max_distance, blocks) in [
            (10, 64, 3, 0),
            (100_000, 64, 3, 4),
            (1_000_000, 64, 2, 3),
            (1_000_000, 256, 0, 1),
            (1_000_000, 64, 30, 0),
            (1_000_000, 256, 255, 0),
        ] {
            let plan = choose(items, items, bits, max_distance);
            assert_eq!(plan.tables().len(), blocks, "{items} of {bits}: {plan}");
        }
    }

    #[test]
    fn every_choice_is_complete() {
        for bits in [32, 64, 128, 256] {
            for max_distance in (0..12).chain((12..bits).step_by(23)).chain([bits - 1]) {
                for items in [0, 100, 10_000, 1_000_000] {
                    let plan = choose(items, items, bits, max_distance);
                    let radii: u32 = plan.tables().iter().map(|table| table.radius + 1).sum();
                    assert!(plan.is_brute_force() || radii == max_distance + 1, "{plan}");
                }
            }
        }
    }

    #[test]
    fn few_fingerprints_in_many_slots_are_not_scanned() {
        assert!(choose(50, 50, 64, 3).is_brute_force());
        assert!(!choose(50, 1_000_000, 64, 3).is_brute_force());
    }
}
