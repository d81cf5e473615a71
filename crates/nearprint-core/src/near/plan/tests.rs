//! Plans against their definition, and expected shares against counted ones.

use super::*;
use crate::random::Random;

const WIDTHS: [u32; 4] = [32, 64, 128, 256];

fn check(plan: &Plan) {
    let radii: u64 = plan.tables().iter().map(|table| u64::from(table.radius) + 1).sum();
    assert!(
        plan.is_brute_force() || radii == u64::from(plan.complete_distance()) + 1,
        "not complete: {plan}"
    );
    let mut free = 0;
    for table in plan.tables() {
        assert!(table.first_bit >= free && (1..=MAX_KEY_BITS).contains(&table.bits), "{plan}");
        free = table.first_bit + table.bits;
    }
    assert!(free <= plan.bits(), "{plan}");
}

#[test]
fn plans_are_complete_and_their_blocks_disjoint() {
    for bits in WIDTHS {
        for complete_distance in (0..=40).chain([bits - 1, bits, 2 * bits, u32::MAX]) {
            for items in [0, 1, 2, 100, 10_000, 1_000_000, 100_000_000, u32::MAX as usize] {
                check(&plan(items, bits, complete_distance));
            }
            for blocks in 1..=complete_distance.min(bits - 1) + 1 {
                check(&Plan::with_blocks(bits, complete_distance, blocks, 16));
            }
        }
    }
}

#[test]
fn brute_force_where_tables_do_not_pay() {
    for bits in WIDTHS {
        assert!(plan(1_000, bits, 10).is_brute_force());
        assert!(plan(1_000_000, bits, bits).is_brute_force());
        assert!(plan(0, bits, 0).is_brute_force());
        assert!(!plan(1_000_000, bits, 3).is_brute_force());
    }
}

#[test]
fn every_pair_within_the_complete_distance_is_expected() {
    for bits in WIDTHS {
        assert_eq!(Plan::brute_force(bits, 3).share_seen(bits), 1.0);
        for complete_distance in [0, 3, 10, 31] {
            for blocks in 1..=complete_distance + 1 {
                let plan = Plan::with_blocks(bits, complete_distance, blocks, 16);
                (0..=complete_distance)
                    .for_each(|distance| assert_eq!(plan.share_seen(distance), 1.0, "{plan}"));
                assert_eq!(plan.share_seen(bits), plan.share_seen(u32::MAX));
            }
        }
    }
}

#[test]
fn the_expected_share_counted_by_hand() {
    for (plan, distance, expected) in [
        // Seen if the one bit is outside of the key.
        (Plan::with_blocks(32, 0, 1, 8), 1, 24.0 / 32.0),
        // Unseen if one bit is in each half.
        (Plan::with_blocks(32, 1, 2, 16), 2, 1.0 - 16.0 * 16.0 / (32.0 * 31.0 / 2.0)),
        (Plan::with_blocks(256, 10, 3, 24), 256, 0.0),
    ] {
        let share = plan.share_seen(distance);
        assert!((share - expected).abs() < 1e-12, "{plan}, {distance}: {share}");
    }
}

#[test]
fn as_many_random_pairs_are_seen_as_expected() {
    const PAIRS: u32 = 4_000;
    let mut random = Random::new(1);
    for (bits, complete_distance, blocks, key_bits) in [
        (32, 3, 2, 9),
        (64, 3, 4, 16),
        (64, 6, 3, 20),
        (128, 16, 7, 18),
        (128, 10, 1, 24),
        (256, 32, 14, 17),
    ] {
        let plan = Plan::with_blocks(bits, complete_distance, blocks, key_bits);
        for distance in (0..=bits).step_by(3) {
            let mut seen = 0;
            for _ in 0..PAIRS {
                let mut words = [0u64; 4];
                while words.iter().map(|word| word.count_ones()).sum::<u32>() < distance {
                    let bit = random.below(u64::from(bits));
                    words[(bit / 64) as usize] |= 1 << (63 - bit % 64);
                }
                seen += u32::from(plan.sees(&words, &[0; 4]));
            }
            let (share, expected) = (f64::from(seen) / f64::from(PAIRS), plan.share_seen(distance));
            // None of some 200 shares should be five standard deviations off. Another thousandth
            // allows for shares near 0 and 1.
            let deviation = (expected * (1.0 - expected) / f64::from(PAIRS)).sqrt();
            assert!(
                (share - expected).abs() <= 5.0 * deviation + 1e-3,
                "{plan}, {distance}: {share}, {expected}"
            );
        }
    }
}

#[test]
fn a_plan_describes_itself() {
    assert_eq!(plan(10, 64, 3).to_string(), "complete to 3: brute force");
    assert_eq!(
        Plan::with_blocks(32, 2, 2, 12).to_string(),
        "complete to 2: 12 bits from 0 within 1, 12 bits from 16 within 0"
    );
}

#[test]
fn key_and_mask_are_the_same_bits() {
    let item = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0, u64::MAX];
    for first_bit in 0..256 {
        for bits in 0..=MAX_KEY_BITS.min(256 - first_bit) {
            let table = Table { first_bit, bits, radius: 0 };
            let bit = |at: u32| (item[(at / 64) as usize] >> (63 - at % 64)) as usize & 1;
            let expected = (first_bit..first_bit + bits).fold(0, |key, at| key << 1 | bit(at));
            assert_eq!(table.key(&item), expected, "{table:?}");
            let mask: [u64; 4] = table.mask();
            assert_eq!(mask.iter().map(|word| word.count_ones()).sum::<u32>(), bits);
            let masked = std::array::from_fn(|word| item[word] & mask[word]);
            assert_eq!(table.key::<4>(&masked), expected, "{table:?}");
        }
    }
}
