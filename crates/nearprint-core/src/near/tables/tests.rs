//! The tables against a comparison with every fingerprint.

use proptest::prelude::*;

use super::super::plan::Table;
use super::*;
use crate::near::plan;
use crate::random::Random;

/// Fingerprints around a few centers, and others.
fn column(bits: u32, count: usize, random: &mut Random) -> Vec<u64> {
    let each = bits.div_ceil(64) as usize;
    let cut = |word: u64| if bits == 32 { word & u64::MAX << 32 } else { word };
    let centers: Vec<Vec<u64>> =
        (0..4).map(|_| (0..each).map(|_| cut(random.next())).collect()).collect();
    let mut words = Vec::new();
    for number in 0..count {
        let mut own: Vec<u64> = match number % 3 {
            0 => (0..each).map(|_| cut(random.next())).collect(),
            center => centers[center].clone(),
        };
        for _ in 0..random.below(u64::from(bits) / 3) {
            let bit = random.below(u64::from(bits));
            own[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
        }
        words.extend(own);
    }
    words
}

proptest! {
    #[test]
    fn the_tables_find_what_their_plan_sees(
        seed in any::<u64>(),
        bits in prop::sample::select(vec![32u32, 64, 128, 256]),
        count in 0usize..400,
        blocks in 1u32..6,
        key_bits in 1u32..9,
        beyond in 0u32..40,
    ) {
        let mut random = Random::new(seed);
        let words = column(bits, count, &mut random);
        let complete = 5;
        let plan = Plan::with_blocks(bits, complete, blocks, key_bits);
        let lists = Lists::new(&plan, &words);
        let tables = Tables::new(&plan, &words, &lists.places, &lists.values);
        let each = bits.div_ceil(64) as usize;
        let (max_distance, layout) = ((complete + beyond).min(bits - 1), Entries::new(&plan, count));
        let query = |own: &[u64]| {
            let mut item = [0; 4];
            item[..each].copy_from_slice(own);
            Query::all(item, max_distance)
        };
        let queries: Vec<Query> = words.chunks(each).take(40).map(query).collect();
        let mut asking = Asking::default();
        let mut together = vec![vec![Neighbor { slot: 7, distance: 7 }]; queries.len()];
        tables.near(&queries, &mut asking, &mut together);
        let few: Vec<Query> = queries.iter().map(|query| Query { limit: 3, ..*query }).collect();
        let mut limited = vec![Vec::new(); queries.len()];
        tables.near(&few, &mut asking, &mut limited);
        for (limited, together) in limited.iter().zip(&together) {
            prop_assert_eq!(limited.len() > 3, together.len() > 3);
            prop_assert!(limited == together || limited.len() > 3);
        }
        for ((own, query), together) in words.chunks(each).zip(&queries).zip(&together) {
            let mut found = Vec::new();
            tables.near(&[*query], &mut asking, std::slice::from_mut(&mut found));
            prop_assert_eq!(&found, together);
            let (mut by_tables, mut by_scan) = (Vec::new(), Vec::new());
            for (slot, other) in (0..).zip(words.chunks(each)) {
                let distance = own.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
                let mut differing = [0; 4];
                differing.iter_mut().zip(own.iter().zip(other)).for_each(|(bits, (a, b))| *bits = a ^ b);
                let passes = |table: &Table| match each {
                    1 => true,
                    2 => layout.pass(check(table, &[differing[0], differing[1]]), 0),
                    _ => layout.pass(check(table, &differing), 0),
                };
                let sees = |table: &Table| (table.key(&differing) as u32).count_ones() <= table.radius && passes(table);
                if distance <= max_distance {
                    by_scan.push(Neighbor { slot, distance });
                    if plan.tables().iter().any(sees) {
                        by_tables.push(Neighbor { slot, distance });
                    }
                }
                prop_assert!(distance > complete || plan.tables().iter().any(sees));
            }
            prop_assert!(found == by_tables || found == by_scan, "{:?} {:?}", found, by_tables);
        }
    }
}

#[test]
fn tables_of_many_are_looked_into_and_not_scanned() {
    let mut random = Random::new(9);
    for (bits, complete) in [(64, 3), (128, 10), (256, 32)] {
        let words: Vec<u64> = (0..30_000 * bits as usize / 64).map(|_| random.next()).collect();
        let plan = plan(30_000, bits, complete);
        let lists = Lists::new(&plan, &words);
        let tables = Tables::new(&plan, &words, &lists.places, &lists.values);
        let each = bits as usize / 64;
        let mut item = [0; 4];
        item[..each].copy_from_slice(&words[77 * each..78 * each]);
        (0..complete).for_each(|bit| item[bit as usize % each] ^= 1 << (bit * 3 % 64));
        let distance =
            item[..each].iter().zip(&words[77 * each..]).map(|(a, b)| (a ^ b).count_ones()).sum();
        let (mut found, query) = (Vec::new(), Query::all(item, complete));
        tables.near(&[query], &mut Asking::default(), std::slice::from_mut(&mut found));
        assert_eq!(found, [Neighbor { slot: 77, distance }]);
        assert!(!plan.is_brute_force() && lists.values.len() == plan.tables().len() * 30_000);
    }
}

/// Tries pairs within the complete distance whose differing bits hide them from most tables.
#[test]
fn a_check_hides_nothing_within_the_complete_distance() {
    let mut random = Random::new(4);
    for (bits, complete, count) in [
        (256, 32, 30_000),
        (256, 32, 1_000_000),
        (256, 32, 8_000_000),
        (128, 16, 1_000_000),
        (128, 10, 50_000),
    ] {
        let plan = plan(count, bits, complete);
        assert!(!plan.is_brute_force());
        let layout = Entries::new(&plan, count);
        for _ in 0..20_000 {
            // The differing bits just exceed the radius of most tables. The others lie behind a
            // key.
            let mut item = [0u64; 4];
            let mut left = complete;
            let mut turn = |bit: u32, left: &mut u32| {
                let (word, mask) = ((bit % bits) as usize / 64, 1 << (63 - bit % 64));
                if *left > 0 && item[word] & mask == 0 {
                    item[word] |= mask;
                    *left -= 1;
                }
            };
            let spared = random.below(plan.tables().len() as u64);
            for (number, table) in plan.tables().iter().enumerate() {
                let is_spared = number as u64 == spared || random.below(4) == 0;
                for _ in 0..if is_spared { table.radius } else { table.radius + 1 } {
                    turn(table.first_bit + random.below(table.bits.into()) as u32, &mut left);
                }
            }
            let table = plan.tables()[spared as usize];
            while left > 0 {
                turn(table.first_bit + table.bits + random.below(96) as u32, &mut left);
            }
            let check = |table: &Table| match bits {
                128 => check(table, &[item[0], item[1]]),
                _ => check(table, &item),
            };
            let sees = |table: &Table| {
                (table.key(&item) as u32).count_ones() <= table.radius
                    && layout.pass(check(table), 0)
            };
            assert!(plan.tables().iter().any(sees), "{plan}: {item:x?}");
        }
    }
}

#[test]
fn all_keys_within_a_radius() {
    let mut keys = Vec::new();
    keys_within(0b101, 0, 5, 2, &mut keys);
    keys.sort_unstable();
    let expected: Vec<u32> = (0..32).filter(|key: &u32| (key ^ 0b101).count_ones() <= 2).collect();
    assert_eq!(keys, expected);
}
