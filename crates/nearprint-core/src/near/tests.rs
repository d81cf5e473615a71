//! The join against its definition, pair by pair and bit by bit, and against brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::*;

/// A small generator of our own, so that a failure is repeated by its seed alone (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    fn fingerprint(&mut self, bits: u32) -> Vec<u64> {
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| self.next()).collect();
        if bits == 32 { vec![words[0] << 32] } else { words }
    }
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Every bit random: pairs lie around half the width.
    Uniform,
    /// Families of near copies at all distances up to 40 from their first member.
    Families,
    AllEqual,
    /// Each differs from the one before in one bit.
    Chain,
    /// Only a few bits vary.
    FewBits,
    /// A handful of fingerprints, again and again.
    FewValues,
}

const SHAPES: [Shape; 6] = [
    Shape::Uniform,
    Shape::Families,
    Shape::AllEqual,
    Shape::Chain,
    Shape::FewBits,
    Shape::FewValues,
];

fn flip(words: &mut [u64], bit: u32) {
    words[(bit / 64) as usize] ^= 1 << (63 - bit % 64);
}

fn sample(shape: Shape, len: usize, bits: u32, seed: u64) -> Fingerprints {
    let mut random = Random(seed);
    let mut fingerprints = Fingerprints::new(bits);
    let first = random.fingerprint(bits);
    let few: Vec<Vec<u64>> = (0..5).map(|_| random.fingerprint(bits)).collect();
    let varying: Vec<u32> = (0..6).map(|_| random.below(bits)).collect();
    let mut last = first.clone();
    for index in 0..len {
        let mut words = match shape {
            Shape::Uniform => random.fingerprint(bits),
            Shape::Families if index % 12 == 0 => random.fingerprint(bits),
            Shape::Families => fingerprints.get(index - index % 12).to_vec(),
            Shape::Chain => last,
            Shape::AllEqual | Shape::FewBits => first.clone(),
            Shape::FewValues => few[random.below(5) as usize].clone(),
        };
        match shape {
            Shape::Families if index % 12 > 0 => {
                (0..random.below(41)).for_each(|_| flip(&mut words, random.below(bits)))
            }
            Shape::Chain => flip(&mut words, random.below(bits)),
            Shape::FewBits => {
                (0..3).for_each(|_| flip(&mut words, varying[random.below(6) as usize]))
            }
            _ => {}
        }
        fingerprints.push(&words);
        last = words;
    }
    fingerprints
}

/// The bits of a key in which two fingerprints differ, one bit after the other.
fn key_distance(table: &Table, left: &[u64], right: &[u64]) -> u32 {
    let bit = |words: &[u64], bit: u32| words[(bit / 64) as usize] >> (63 - bit % 64) & 1;
    (table.first_bit..table.first_bit + table.bits)
        .map(|at| u32::from(bit(left, at) != bit(right, at)))
        .sum()
}

/// The pairs that the join promises to emit: within `max_distance`, and seen by a table.
fn defined(fingerprints: &Fingerprints, plan: &Plan, max_distance: u32) -> Vec<CandidatePair> {
    let mut pairs = collected(|emit| brute_force(fingerprints, max_distance, emit));
    let words = |index: u32| fingerprints.get(index as usize);
    let sees = |pair: &CandidatePair, table: &Table| {
        key_distance(table, words(pair.left), words(pair.right)) <= table.radius
    };
    pairs.retain(|pair| {
        plan.is_brute_force() || plan.tables().iter().any(|table| sees(pair, table))
    });
    pairs
}

fn collected(run: impl FnOnce(&mut Emit<'_>) -> ControlFlow<()>) -> Vec<CandidatePair> {
    let mut pairs = Vec::new();
    let mut done = 0.0;
    let flow = run(&mut |batch| {
        assert!(batch.pairs.len() <= BATCH_PAIRS);
        assert!((done..=1.0).contains(&batch.done), "{} after {done}", batch.done);
        done = batch.done;
        pairs.extend_from_slice(batch.pairs);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    assert_eq!(done, 1.0);
    pairs
}

fn pools() -> [ThreadPool; 2] {
    [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"))
}

fn check(pools: &[ThreadPool], fingerprints: &Fingerprints, plan: &Plan, max_distance: u32) {
    let joined = || collected(|emit| Join::new(plan, max_distance).run(fingerprints, emit));
    let [one, two] = [&pools[0], &pools[1]].map(|pool| pool.install(joined));
    assert_eq!(one, two, "the number of threads shows");
    let mut pairs = one;
    pairs.sort_unstable();
    let expected = defined(fingerprints, plan, max_distance);
    assert_eq!(pairs, expected, "a pair is missing, false or double");
    let found: BTreeSet<_> = pairs.into_iter().collect();
    for pair in collected(|emit| {
        brute_force(fingerprints, max_distance.min(plan.complete_distance()), emit)
    }) {
        assert!(found.contains(&pair), "{pair:?} is within the complete distance");
    }
    for pair in collected(|emit| brute_force(fingerprints, max_distance, emit)) {
        let [left, right] = [pair.left, pair.right].map(|index| fingerprints.get(index as usize));
        assert_eq!(plan.sees(left, right), found.contains(&pair), "{pair:?}");
    }
}

#[test]
fn little_memory_changes_nothing_but_the_order() {
    let pools = pools();
    for shape in SHAPES {
        for (bits, complete_distance, blocks, key_bits) in
            [(64, 3, 2, 12), (128, 6, 3, 9), (256, 0, 1, 14), (64, 9, 4, 3)]
        {
            let fingerprints = sample(shape, 700, bits, 5);
            let plan = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
            let expected = defined(&fingerprints, &plan, bits / 4);
            for parts in [2, 3, 50] {
                let bytes = (fingerprints.words().len() * 8 / parts) as u64;
                let run = |emit: &mut Emit<'_>| {
                    Join::new(&plan, bits / 4).within(bytes).run(&fingerprints, emit)
                };
                let [mut one, two] =
                    [&pools[0], &pools[1]].map(|pool| pool.install(|| collected(run)));
                assert_eq!(one, two, "the number of threads shows");
                one.sort_unstable();
                assert_eq!(one, expected, "{shape:?}, {plan}, {parts} parts");
            }
        }
    }
}

#[test]
fn of_hubs_all_pairs_come_that_have_an_end_outside() {
    let pools = pools();
    let mut any = [false; 2];
    for shape in SHAPES {
        for (bits, complete_distance, blocks, key_bits) in
            [(64, 3, 2, 12), (128, 6, 3, 9), (256, 0, 1, 14), (64, 9, 4, 3)]
        {
            let fingerprints = sample(shape, 1500, bits, 7);
            let tables = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
            for plan in [tables, Plan::brute_force(bits, complete_distance)] {
                let all = defined(&fingerprints, &plan, bits / 4);
                let mut counts = vec![0; fingerprints.len()];
                all.iter()
                    .flat_map(|pair| [pair.left, pair.right])
                    .for_each(|end| counts[end as usize] += 1);
                let is_hub = |position: u32| counts[position as usize] > u32::from(HUB_PAIRS);
                let expected: Vec<_> = all
                    .iter()
                    .filter(|pair| !is_hub(pair.left) || !is_hub(pair.right))
                    .copied()
                    .collect();
                for bytes in [u64::MAX, (fingerprints.words().len() * 8 / 3) as u64] {
                    let run = || {
                        let hubs = Hubs::new(fingerprints.len());
                        let pairs = collected(|emit| {
                            Join::new(&plan, bits / 4)
                                .without_hubs(Some(&hubs))
                                .within(bytes)
                                .run(&fingerprints, emit)
                        });
                        ((0..1500).map(|position| hubs.has(position)).collect::<Vec<_>>(), pairs)
                    };
                    let [(known, mut pairs), two] =
                        [&pools[0], &pools[1]].map(|pool| pool.install(run));
                    assert_eq!((&known, &pairs), (&two.0, &two.1), "the number of threads shows");
                    assert!(
                        known.iter().zip(0..).all(|(known, position)| *known == is_hub(position)),
                        "{shape:?}, {plan}"
                    );
                    assert!(pairs.len() <= fingerprints.len() * (usize::from(HUB_PAIRS) + 1));
                    pairs.retain(|pair| !is_hub(pair.left) || !is_hub(pair.right));
                    pairs.sort_unstable();
                    assert_eq!(pairs, expected, "{shape:?}, {plan}");
                    any[usize::from(known.contains(&true))] = true;
                }
            }
        }
    }
    assert_eq!(any, [true; 2]);
}

#[test]
fn pairs_apart_connect_whom_all_pairs_connect_and_are_no_more_than_needed() {
    let pools = pools();
    let mut large = 0;
    for shape in SHAPES {
        for (bits, complete_distance, blocks, key_bits) in
            [(64, 3, 2, 12), (256, 0, 1, 14), (64, 9, 4, 3)]
        {
            let fingerprints = sample(shape, 1500, bits, 7);
            let of_some = |one: u32, other: u32| !(one ^ other).is_multiple_of(3);
            let tables = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
            for plan in [tables, Plan::brute_force(bits, complete_distance)] {
                for first in [None, Some(700)] {
                    let all = match first {
                        None => {
                            collected(|emit| Join::new(&plan, bits / 4).run(&fingerprints, emit))
                        }
                        Some(first) => collected(|emit| {
                            Join::new(&plan, bits / 4)
                                .across(Some(first))
                                .within(u64::MAX)
                                .run(&fingerprints, emit)
                        }),
                    };
                    let connects = |pair: &&CandidatePair| of_some(pair.left, pair.right);
                    let expected: BTreeSet<CandidatePair> =
                        all.iter().filter(connects).copied().collect();
                    let sets = |pairs: &mut dyn Iterator<Item = &CandidatePair>| {
                        let mut sets: Vec<u32> = (0..fingerprints.len() as u32).collect();
                        let mut joined = 0;
                        for pair in pairs {
                            let [left, right] =
                                [pair.left, pair.right].map(|end| sets[end as usize]);
                            if left != right {
                                joined += 1;
                                let [least, other] = [left.min(right), left.max(right)];
                                sets.iter_mut()
                                    .filter(|set| **set == other)
                                    .for_each(|set| *set = least);
                            }
                        }
                        (joined, sets)
                    };
                    let run = || {
                        let connected = Connected::new(fingerprints.len(), &of_some);
                        collected(|emit| {
                            Join::new(&plan, bits / 4)
                                .across(first)
                                .connecting(&connected)
                                .run(&fingerprints, emit)
                        })
                    };
                    let [one, two] = [&pools[0], &pools[1]].map(|pool| pool.install(run));
                    assert_eq!(one, two, "the number of threads shows");
                    assert!(
                        one.iter().all(|pair| expected.contains(pair)),
                        "{shape:?}, {plan}, {first:?}"
                    );
                    let found = sets(&mut one.iter());
                    assert_eq!((one.len(), &found), (found.0, &sets(&mut expected.iter())));
                    large += usize::from(one.len() > 1_000);
                }
            }
        }
    }
    assert!(large > 5, "{large}");
}

#[test]
fn across_two_lists_come_all_pairs_across_and_no_others() {
    let pools = pools();
    for shape in SHAPES {
        for (bits, complete_distance, blocks, key_bits) in
            [(32, 2, 1, 7), (64, 3, 2, 12), (128, 6, 3, 9), (256, 9, 4, 3)]
        {
            let fingerprints = sample(shape, 700, bits, 6);
            let tables = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
            for plan in [tables, Plan::brute_force(bits, complete_distance)] {
                for first in [0, 1, 13, 350, 699, 700, usize::MAX] {
                    let mut expected = defined(&fingerprints, &plan, bits / 4);
                    expected.retain(|pair| {
                        (pair.left as usize) < first && pair.right as usize >= first
                    });
                    for bytes in [u64::MAX, (fingerprints.words().len() * 8 / 3) as u64] {
                        let run = |emit: &mut Emit<'_>| {
                            Join::new(&plan, bits / 4)
                                .across(Some(first))
                                .within(bytes)
                                .run(&fingerprints, emit)
                        };
                        let [mut one, two] =
                            [&pools[0], &pools[1]].map(|pool| pool.install(|| collected(run)));
                        assert_eq!(one, two, "the number of threads shows");
                        one.sort_unstable();
                        assert_eq!(one, expected, "{shape:?}, {plan}, first {first}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_width_and_complete_distance_on_every_shape() {
    let pools = pools();
    for bits in [32, 64, 128, 256] {
        for complete_distance in 0..=32 {
            let most_blocks = (complete_distance + 1).min(bits);
            let mut random = Random(u64::from(bits * 100 + complete_distance));
            for shape in SHAPES {
                let fingerprints = sample(shape, 40, bits, random.next());
                let mut plans = vec![plan(40, bits, complete_distance)];
                plans.extend([1, most_blocks.div_ceil(2), most_blocks].map(|blocks| {
                    Plan::with_blocks(bits, complete_distance, blocks, 1 + random.below(7))
                }));
                for plan in plans {
                    let max_distance = complete_distance + random.below(12);
                    check(&pools, &fingerprints, &plan, max_distance);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(Config {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        cases: 150,
        ..Config::default()
    })]

    #[test]
    fn any_plan_finds_what_it_is_defined_to_find(
        bits in prop::sample::select(vec![32, 64, 128, 256]),
        shape in prop::sample::select(SHAPES.to_vec()),
        len in 0usize..250,
        complete_distance in 0u32..=40,
        blocks in 0u32..=40,
        key_bits in 1u32..=10,
        max_distance in 0u32..=60,
        seed in any::<u64>(),
    ) {
        let blocks = 1 + blocks % (complete_distance + 1).min(bits);
        let plan = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
        check(&pools(), &sample(shape, len, bits, seed), &plan, max_distance);
    }
}

#[test]
fn few_items_and_extreme_distances() {
    let pools = pools();
    for bits in [32, 64, 128, 256] {
        for len in [0, 1, 2, 3] {
            for complete_distance in [0, bits - 1, bits, bits + 1, u32::MAX] {
                for shape in [Shape::Uniform, Shape::AllEqual] {
                    let fingerprints = sample(shape, len, bits, 5);
                    check(
                        &pools,
                        &fingerprints,
                        &plan(len, bits, complete_distance),
                        complete_distance,
                    );
                    if complete_distance <= bits {
                        let forced = Plan::with_blocks(
                            bits,
                            complete_distance,
                            1 + complete_distance / 2,
                            5,
                        );
                        check(&pools, &fingerprints, &forced, bits);
                    }
                }
            }
        }
    }
}

#[test]
fn long_keys_and_a_group_for_every_few_buckets() {
    let pools = pools();
    for (bits, blocks, key_bits) in [(64, 4, 16), (256, 7, 14)] {
        let plan = Plan::with_blocks(bits, blocks, blocks, key_bits);
        check(&pools, &sample(Shape::Families, 100, bits, 8), &plan, 30);
    }
}

#[test]
fn huge_buckets_are_streamed_in_bounded_batches() {
    // Two values whose keys are neighbors: buckets of thousands meet themselves and each other.
    let plans = [(5_000, Plan::with_blocks(64, 3, 2, 12)), (1_500, Plan::brute_force(64, 3))];
    for ((len, plan), pool) in plans.into_iter().zip(pools()) {
        let mut fingerprints = Fingerprints::new(64);
        (0..len as u64)
            .for_each(|index| fingerprints.push(&[0xabcd_ef01 << 32 ^ (index % 2) << 60]));
        let (mut batches, mut seen) = (Vec::new(), vec![false; len * len]);
        let flow = pool.install(|| {
            Join::new(&plan, 3).run(&fingerprints, &mut |batch| {
                batches.push(batch.pairs.len());
                for pair in batch.pairs {
                    assert!(
                        pair.left < pair.right && pair.distance == (pair.right - pair.left) % 2
                    );
                    let cell = &mut seen[pair.left as usize * len + pair.right as usize];
                    assert!(!std::mem::replace(cell, true), "{pair:?} came twice");
                }
                ControlFlow::Continue(())
            })
        });
        assert!(flow.is_continue());
        assert_eq!(batches.iter().sum::<usize>(), len * (len - 1) / 2);
        assert!(batches.iter().all(|&pairs| pairs <= BATCH_PAIRS));
    }
}

#[test]
fn a_break_stops_the_join() {
    let fingerprints = sample(Shape::AllEqual, 2_000, 128, 1);
    for plan in [Plan::brute_force(128, 3), Plan::with_blocks(128, 3, 2, 8)] {
        let mut calls = 0;
        let flow = Join::new(&plan, 3).run(&fingerprints, &mut |_| {
            calls += 1;
            ControlFlow::Break(())
        });
        assert!(flow.is_break());
        assert_eq!(calls, 1);
    }
}

#[test]
fn a_search_that_finds_nothing_can_be_stopped() {
    let mut fingerprints = Fingerprints::new(64);
    fingerprints.push(&[0]);
    fingerprints.push(&[u64::MAX]);
    for plan in [Plan::brute_force(64, 3), Plan::with_blocks(64, 3, 4, 4)] {
        let flow = Join::new(&plan, 3).run(&fingerprints, &mut |batch| {
            assert!(batch.pairs.is_empty());
            ControlFlow::Break(())
        });
        assert!(flow.is_break(), "{plan}");
    }
}
