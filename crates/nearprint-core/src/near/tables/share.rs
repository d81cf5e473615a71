//! A plan and a distance -> the share of pairs at this distance that its tables see.
//!
//! The checks of entries hide some pairs beyond the complete distance, so [`Plan::share_seen`] is
//! an upper bound.

use super::super::entries::{Entries, check};
use super::super::plan::{Plan, Table};
use crate::random::Random;

/// The pairs that are counted.
const PAIRS: u32 = 20_000;

/// The share of pairs that the tables of `count` fingerprints see among pairs that differ in
/// `distance` bits at random places, from 0 to 1. It is counted on a fixed random sample.
pub fn share_seen(plan: &Plan, count: usize, distance: u32) -> f64 {
    if plan.is_brute_force() {
        return 1.0;
    }
    if plan.bits() <= 64 || distance <= plan.complete_distance() {
        return plan.share_seen(distance);
    }
    let (layout, mut random, mut seen) =
        (Entries::new(plan, count), Random::new(distance.into()), 0);
    for _ in 0..PAIRS {
        let mut item = [0u64; 4];
        let mut left = distance.min(plan.bits());
        while left > 0 {
            let bit = random.below(plan.bits().into());
            let (word, mask) = (bit as usize / 64, 1 << (63 - bit % 64));
            left -= u32::from(item[word] & mask == 0);
            item[word] |= mask;
        }
        let sees = |table: &Table| {
            let check = if plan.bits() == 128 {
                check(table, &[item[0], item[1]])
            } else {
                check(table, &item)
            };
            (table.key(&item) as u32).count_ones() <= table.radius && layout.pass(check, 0)
        };
        seen += u32::from(plan.tables().iter().any(sees));
    }
    f64::from(seen) / f64::from(PAIRS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::near::plan;

    #[test]
    fn the_share_is_that_of_the_plan_but_for_checks() {
        for (bits, complete) in [(256, 32), (128, 16), (64, 8)] {
            let plan = plan(1_000_000, bits, complete);
            for distance in [0, complete, complete + 8, complete * 2] {
                let (seen, by_plan) =
                    (share_seen(&plan, 1_000_000, distance), plan.share_seen(distance));
                assert!(
                    seen <= by_plan + 0.02 && seen >= by_plan - 0.05,
                    "{bits} {distance}: {seen} {by_plan}"
                );
            }
        }
        assert_eq!(share_seen(&Plan::brute_force(256, 80), 1_000, 100), 1.0);
    }
}
