//! Joins that leave out pairs of hubs, or of connected fingerprints.

use super::*;

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
