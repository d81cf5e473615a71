//! The lookup against a plain list, which is compared bit by bit.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use super::*;
use crate::random::Random;

const WIDTHS: [u32; 4] = [32, 64, 128, 256];

/// A plain list that gives the answers of a lookup.
struct List {
    max_distance: u32,
    slots: Vec<Option<Vec<u64>>>,
    free: Vec<u32>,
}

impl List {
    fn insert(&mut self, fingerprint: &[u64]) -> u32 {
        let slot = self.free.pop().unwrap_or(self.slots.len() as u32);
        self.slots.resize(self.slots.len().max(slot as usize + 1), None);
        self.slots[slot as usize] = Some(fingerprint.to_vec());
        slot
    }

    fn remove(&mut self, slot: u32) -> bool {
        let removed = self.slots.get_mut(slot as usize).and_then(Option::take).is_some();
        self.free.extend(removed.then_some(slot));
        removed
    }

    fn near(&self, fingerprint: &[u64]) -> Vec<Neighbor> {
        let bit = |words: &[u64], at: usize| words[at / 64] >> (63 - at % 64) & 1;
        let distance = |words: &[u64]| {
            (0..64 * words.len()).filter(|&at| bit(words, at) != bit(fingerprint, at)).count()
                as u32
        };
        let all = (0..)
            .zip(&self.slots)
            .filter_map(|(slot, words)| Some((slot, distance(words.as_ref()?))));
        let near = all.filter(|&(_, distance)| distance <= self.max_distance);
        near.map(|(slot, distance)| Neighbor { slot, distance }).collect()
    }
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Random bits.
    Uniform,
    /// Copies of earlier fingerprints, with up to about twice `max_distance` bits flipped.
    Families,
    /// One fingerprint again and again.
    AllEqual,
    /// Only a few bits vary, so most blocks are equal.
    FewBits,
}

const SHAPES: [Shape; 4] = [Shape::Uniform, Shape::Families, Shape::AllEqual, Shape::FewBits];

fn random_fingerprint(random: &mut Random, bits: u32) -> Vec<u64> {
    let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.next()).collect();
    if bits == 32 { vec![words[0] << 32] } else { words }
}

/// The fingerprint with this number of different bits flipped.
fn turned(mut words: Vec<u64>, bits: u32, count: u32, random: &mut Random) -> Vec<u64> {
    let mut places: Vec<u32> = (0..bits).collect();
    for _ in 0..count {
        let at = places.swap_remove(random.below(places.len() as u64) as usize);
        words[(at / 64) as usize] ^= 1 << (63 - at % 64);
    }
    words
}

fn sample(
    shape: Shape,
    bits: u32,
    max_distance: u32,
    earlier: &[Vec<u64>],
    random: &mut Random,
) -> Vec<u64> {
    match (shape, earlier) {
        (Shape::Uniform, _) | (_, []) => random_fingerprint(random, bits),
        (Shape::Families, earlier) => {
            let one = earlier[random.below(earlier.len() as u64) as usize].clone();
            let count = random.below(u64::from(2 * max_distance + 2).min(u64::from(bits) + 1));
            turned(one, bits, count as u32, random)
        }
        (Shape::AllEqual, earlier) => earlier[0].clone(),
        (Shape::FewBits, earlier) => {
            let mut words = earlier[0].clone();
            words[0] ^= (random.next() & 0b1_0110_1001) << 40;
            words
        }
    }
}

/// Checks both kinds of search, the chosen one, and the nearest ones of every second slot against
/// the list.
fn check(lookup: &Lookup, list: &List, fingerprint: &[u64]) {
    let expected = list.near(fingerprint);
    let mut near = vec![Neighbor { slot: 9, distance: 9 }];
    lookup.near(fingerprint, &mut near);
    assert_eq!(near, expected);
    let item = lookup.item(fingerprint);
    near.clear();
    lookup.near_by_scan(0..lookup.taken.len(), &item, lookup.max_distance, |neighbor| {
        near.push(neighbor)
    });
    assert_eq!(near, expected);
    if !lookup.tables.is_empty() {
        near.clear();
        lookup.near_by_tables(&item, &mut near);
        assert_eq!(near, expected, "{} tables", lookup.tables.len());
    }
    let mut nearest: Vec<Neighbor> =
        expected.into_iter().filter(|neighbor| neighbor.slot % 2 == 0).collect();
    nearest.sort_by_key(|neighbor| neighbor.distance);
    nearest.truncate(5);
    lookup.nearest(fingerprint, 5, |slot| slot % 2 == 0, &mut near);
    assert_eq!(near, nearest);
}

/// Checks random insertions, removals and queries. Sometimes tables of `blocks` blocks are made.
fn run(
    bits: u32,
    max_distance: u32,
    blocks: u32,
    key_bits: u32,
    shape: Shape,
    steps: u32,
    seed: u64,
) {
    let mut random = Random::new(seed);
    let mut lookup = Lookup::new(bits, max_distance);
    let mut list = List { max_distance, slots: Vec::new(), free: Vec::new() };
    let mut inserted = Vec::new();
    for step in 0..steps {
        let fingerprint = sample(shape, bits, max_distance, &inserted, &mut random);
        match random.below(10) {
            0..5 => {
                assert_eq!(lookup.insert(&fingerprint), list.insert(&fingerprint));
                inserted.push(fingerprint);
            }
            5..7 => {
                let slot = random.below(list.slots.len() as u64 + 2) as u32;
                assert_eq!(lookup.remove(slot), list.remove(slot));
            }
            _ => check(&lookup, &list, &fingerprint),
        }
        if step % 60 == 20 {
            lookup.make_tables_by(&Plan::with_blocks(bits, max_distance, blocks, key_bits));
        }
        assert_eq!(lookup.len(), list.slots.iter().flatten().count());
        assert_eq!(lookup.is_empty(), list.slots.iter().all(Option::is_none));
    }
    for slot in 0..list.slots.len() as u32 + 1 {
        assert_eq!(lookup.get(slot), list.slots.get(slot as usize).and_then(Option::as_deref));
    }
}

proptest! {
    #![proptest_config(Config {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        cases: 200,
        ..Config::default()
    })]

    #[test]
    fn any_tables_answer_as_the_list_does(
        bits in prop::sample::select(WIDTHS.to_vec()),
        shape in prop::sample::select(SHAPES.to_vec()),
        max_distance in 0u32..=20,
        blocks in 0u32..=20,
        key_bits in 1u32..=8,
        steps in 0u32..400,
        seed in any::<u64>(),
    ) {
        run(bits, max_distance, 1 + blocks % (max_distance + 1), key_bits, shape, steps, seed);
    }
}

#[test]
fn every_width_and_extreme_distances_on_every_shape() {
    for bits in WIDTHS {
        for max_distance in [0, 1, 2, 3, 10, bits / 2, bits - 1] {
            for shape in SHAPES {
                for blocks in [1, max_distance.div_ceil(2).max(1), max_distance + 1] {
                    run(bits, max_distance, blocks, 6, shape, 150, u64::from(bits + max_distance));
                }
            }
        }
    }
}

#[test]
fn chosen_tables_answer_as_the_list_does_while_the_lookup_grows_and_shrinks() {
    for (bits, max_distance) in [(32, 1), (64, 3), (128, 10), (256, 8)] {
        let mut random = Random::new(4);
        let mut lookup = Lookup::new(bits, max_distance);
        let mut list = List { max_distance, slots: Vec::new(), free: Vec::new() };
        let mut inserted = Vec::new();
        for number in 0..5_000 {
            let shape = if number % 3 == 0 { Shape::Families } else { Shape::Uniform };
            let fingerprint = sample(shape, bits, max_distance, &inserted, &mut random);
            assert_eq!(lookup.insert(&fingerprint), list.insert(&fingerprint));
            if number % 250 == 0 {
                check(&lookup, &list, &fingerprint);
            }
            inserted.push(fingerprint);
        }
        assert!(!lookup.tables.is_empty());
        let full = lookup.bytes();
        for slot in 0..4_900 {
            assert!(lookup.remove(slot) && list.remove(slot));
            if slot % 350 == 0 {
                check(&lookup, &list, &inserted[slot as usize]);
                check(&lookup, &list, &inserted[4_999]);
            }
        }
        assert!(lookup.bytes() < full / 3 * 2, "{} of {full} bytes", lookup.bytes());
        for fingerprint in &inserted[..1_000] {
            assert_eq!(lookup.insert(fingerprint), list.insert(fingerprint));
        }
        check(&lookup, &list, &inserted[3]);
        check(&lookup, &list, &inserted[4_950]);
    }
}

#[test]
fn the_distance_is_inclusive() {
    for bits in WIDTHS {
        for max_distance in [0, 1, 3, 7, bits - 2] {
            let mut random = Random::new(u64::from(bits));
            let mut lookup = Lookup::new(bits, max_distance);
            let asked = random_fingerprint(&mut random, bits);
            for distance in [max_distance, max_distance + 1] {
                for _ in 0..50 {
                    lookup.insert(&turned(asked.clone(), bits, distance, &mut random));
                }
            }
            let expected: Vec<_> =
                (0..50).map(|slot| Neighbor { slot, distance: max_distance }).collect();
            for blocks in [1, max_distance + 1] {
                lookup.make_tables_by(&Plan::with_blocks(bits, max_distance, blocks, 7));
                let mut near = Vec::new();
                lookup.near_by_tables(&lookup.item(&asked), &mut near);
                assert_eq!(near, expected);
                lookup.near(&asked, &mut near);
                assert_eq!(near, expected);
            }
        }
    }
}

#[test]
fn fingerprints_that_are_all_alike_are_scanned() {
    let mut lookup = Lookup::new(64, 3);
    (0..20_000).for_each(|number| assert_eq!(lookup.insert(&[0xabcd_ef01]), number));
    assert!(!lookup.tables.is_empty());
    let mut near = Vec::new();
    for (word, distance) in [(0xabcd_ef01, 0), (0xabcd_ef06, 3)] {
        assert!(!lookup.tables_pay(&[word, 0, 0, 0]));
        lookup.near(&[word], &mut near);
        assert!((0..20_000).map(|slot| Neighbor { slot, distance }).eq(near.iter().copied()));
    }
    lookup.near(&[0xabcd_ef0e], &mut near);
    assert_eq!(near, []);
    assert!(lookup.tables_pay(&[!0xabcd_ef01, 0, 0, 0]));
}

#[test]
fn a_slot_given_again_answers_for_its_new_fingerprint_alone() {
    let mut lookup = Lookup::new(64, 3);
    (0..100u64).for_each(|number| _ = lookup.insert(&[number << 20]));
    lookup.make_tables_by(&Plan::with_blocks(64, 3, 4, 8));
    // The slot keeps its old entries. Its new fingerprint is near twice, and then far.
    let mut near = Vec::new();
    for (word, found) in [(7 << 20, true), (7 << 20 | 1, true), (u64::MAX, false)] {
        assert!(lookup.remove(7));
        assert_eq!(lookup.insert(&[word]), 7);
        lookup.near_by_tables(&[7 << 20, 0, 0, 0], &mut near);
        let slots: Vec<u32> = near.drain(..).map(|neighbor| neighbor.slot).collect();
        assert_eq!(
            slots.iter().filter(|slot| **slot == 7).count(),
            usize::from(found),
            "{slots:?}"
        );
    }
}

#[test]
fn a_window_that_moves_on_takes_no_more_memory() {
    let mut random = Random::new(2);
    let mut lookup = Lookup::new(64, 3);
    let (mut oldest, mut slots, mut most) = (0, Vec::new(), 0);
    for number in 0..30_000 {
        slots.push(lookup.insert(&[random.next()]));
        if number >= 2_000 {
            assert!(lookup.remove(slots[oldest]));
            oldest += 1;
        }
        if number < 10_000 {
            most = most.max(lookup.bytes());
        }
        assert!(number < 10_000 || lookup.bytes() <= most + most / 10);
    }
    assert_eq!(lookup.len(), 2_000);
}

#[test]
#[should_panic(expected = "upper half")]
fn thirty_two_bits_in_the_lower_half_are_refused() {
    Lookup::new(32, 2).insert(&[1]);
}

#[test]
#[should_panic(expected = "not the words")]
fn fingerprints_of_another_width_are_refused() {
    Lookup::new(64, 2).near(&[1, 2], &mut Vec::new());
}

#[test]
#[should_panic(expected = "within 64")]
fn a_distance_of_all_bits_is_refused() {
    Lookup::new(64, 64);
}
