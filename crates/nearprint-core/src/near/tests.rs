//! The join against its definition by pairs and bits, and against brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::*;
use crate::random::Random;

mod batches;
mod left_out;

fn random_fingerprint(random: &mut Random, bits: u32) -> Vec<u64> {
    let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.next()).collect();
    if bits == 32 { vec![words[0] << 32] } else { words }
}

/// A random number below `bound`.
fn below(random: &mut Random, bound: u32) -> u32 {
    random.below(bound.into()) as u32
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Random bits: the distances of pairs are around half the width.
    Uniform,
    /// Families of copies at distances up to 40 bits from their first member.
    Families,
    /// One fingerprint again and again.
    AllEqual,
    /// Each fingerprint differs from the one before in one bit.
    Chain,
    /// Only a few bits vary.
    FewBits,
    /// Five fingerprints again and again.
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
    let mut random = Random::new(seed);
    let mut fingerprints = Fingerprints::new(bits);
    let first = random_fingerprint(&mut random, bits);
    let few: Vec<Vec<u64>> = (0..5).map(|_| random_fingerprint(&mut random, bits)).collect();
    let varying: Vec<u32> = (0..6).map(|_| below(&mut random, bits)).collect();
    let mut last = first.clone();
    for index in 0..len {
        let mut words = match shape {
            Shape::Uniform => random_fingerprint(&mut random, bits),
            Shape::Families if index % 12 == 0 => random_fingerprint(&mut random, bits),
            Shape::Families => fingerprints.get(index - index % 12).to_vec(),
            Shape::Chain => last,
            Shape::AllEqual | Shape::FewBits => first.clone(),
            Shape::FewValues => few[below(&mut random, 5) as usize].clone(),
        };
        match shape {
            Shape::Families if index % 12 > 0 => {
                (0..below(&mut random, 41)).for_each(|_| flip(&mut words, below(&mut random, bits)))
            }
            Shape::Chain => flip(&mut words, below(&mut random, bits)),
            Shape::FewBits => {
                (0..3).for_each(|_| flip(&mut words, varying[below(&mut random, 6) as usize]))
            }
            _ => {}
        }
        fingerprints.push(&words);
        last = words;
    }
    fingerprints
}

/// The number of bits of a key in which two fingerprints differ, counted bit by bit.
fn key_distance(table: &Table, left: &[u64], right: &[u64]) -> u32 {
    let bit = |words: &[u64], bit: u32| words[(bit / 64) as usize] >> (63 - bit % 64) & 1;
    (table.first_bit..table.first_bit + table.bits)
        .map(|at| u32::from(bit(left, at) != bit(right, at)))
        .sum()
}

/// The pairs that the join should emit: those within `max_distance` that a table sees.
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
            let mut random = Random::new(u64::from(bits * 100 + complete_distance));
            for shape in SHAPES {
                let fingerprints = sample(shape, 40, bits, random.next());
                let mut plans = vec![plan(40, bits, complete_distance)];
                plans.extend([1, most_blocks.div_ceil(2), most_blocks].map(|blocks| {
                    Plan::with_blocks(bits, complete_distance, blocks, 1 + below(&mut random, 7))
                }));
                for plan in plans {
                    let max_distance = complete_distance + below(&mut random, 12);
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
