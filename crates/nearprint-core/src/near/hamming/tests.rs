//! All kernels against single comparisons.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use super::*;
#[cfg(target_arch = "x86_64")]
use crate::testing::processor_has;

/// The pairs that [`Kernel::near_pairs`] should find, by single comparisons.
fn naive<const W: usize>(
    items: &[[u64; W]],
    rows: Range<usize>,
    columns: Range<usize>,
    near: &Near<W>,
) -> Vec<(u32, u32, u32)> {
    let mut found = Vec::new();
    for row in rows {
        for column in columns.clone() {
            let distance = differing(&items[row], &items[column], &[u64::MAX; W]);
            let earlier = near
                .earlier
                .iter()
                .any(|f| differing(&items[row], &items[column], &f.mask) <= f.radius);
            if row < column && distance <= near.max_distance && !earlier {
                found.push((row as u32, column as u32, distance));
            }
        }
    }
    found
}

fn check<const W: usize>(
    words: &[u64],
    cuts: [usize; 4],
    max_distance: u32,
    mask: u64,
) -> Result<(), TestCaseError> {
    let items = words.as_chunks::<W>().0;
    let cut = cuts.map(|cut| cut % (items.len() + 1));
    let (rows, columns) =
        (cut[0].min(cut[1])..cut[0].max(cut[1]), cut[2].min(cut[3])..cut[2].max(cut[3]));
    for earlier in [Vec::new(), vec![Field { mask: [mask; W], radius: 1 }]] {
        let first_word = mask as usize % W;
        let first_half =
            [None, Some(Half::High), Some(Half::Low)][if W == 1 { mask as usize % 3 } else { 0 }];
        let near = Near { max_distance: max_distance * W as u32, first_word, first_half, earlier };
        let expected = naive(items, rows.clone(), columns.clone(), &near);
        let scanned = |kernel: Kernel| {
            let mut found = Vec::new();
            let item = items.first().unwrap_or(&[0; W]);
            kernel.scan(items, item, near.max_distance, |place, distance| {
                found.push((place, distance))
            });
            found
        };
        let near_first = |place: usize| {
            let distance = items[place]
                .iter()
                .zip(&items[0])
                .map(|(one, other)| (one ^ other).count_ones())
                .sum();
            (distance <= near.max_distance).then_some((place, distance))
        };
        let all_near: Vec<(usize, u32)> = (0..items.len()).filter_map(near_first).collect();
        let mut in_order = Vec::new();
        Kernel(Instructions::Portable).near_pairs(
            items,
            rows.clone(),
            columns.clone(),
            &near,
            &mut in_order,
        );
        for kernel in Kernel::available() {
            prop_assert_eq!(&scanned(kernel), &all_near, "{:?}", kernel);
            let mut hits = Vec::new();
            kernel.near_pairs(items, rows.clone(), columns.clone(), &near, &mut hits);
            prop_assert_eq!(&hits, &in_order, "{:?}", kernel);
            let mut found: Vec<_> =
                hits.iter().map(|hit| (hit.row, hit.column, hit.distance)).collect();
            found.sort_unstable();
            prop_assert_eq!(&found, &expected, "{:?}", kernel);
        }
    }
    Ok(())
}

#[test]
fn half_a_word_is_looked_at_where_it_rules_out_enough() {
    let high_key = [0xffff << 48];
    assert_eq!(Half::first_look(&high_key, 64, 6), Some(Half::Low));
    assert_eq!(Half::first_look(&[0xff], 64, 3), Some(Half::High));
    assert_eq!(Half::first_look(&high_key, 64, 7), None);
    assert_eq!(Half::first_look(&[high_key[0], 0], 128, 3), None);
    assert_eq!(Half::first_look(&[u64::MAX], 64, 0), None);
    assert_eq!(Half::first_look(&[0xff << 56], 32, 5), None);
    assert_eq!(Half::first_look(&[0xff << 56], 32, 3), Some(Half::High));
}

proptest! {
    #![proptest_config(Config {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        cases: 200,
        ..Config::default()
    })]

    #[test]
    fn every_kernel_finds_what_single_comparisons_find(
        words in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()], 0..120),
        cuts in any::<[usize; 4]>(),
        max_distance in 0u32..=64,
        mask in any::<u64>(),
    ) {
        #[cfg(target_arch = "x86_64")]
        {
            processor_has!("near/hamming.rs with POPCNT", "popcnt");
            processor_has!("near/hamming.rs with AVX2", "popcnt", "avx2");
            processor_has!("near/hamming.rs with AVX-512", "avx512f", "avx512vl", "avx512vpopcntdq");
        }
        check::<1>(&words, cuts, max_distance, mask)?;
        check::<2>(&words, cuts, max_distance, mask)?;
        check::<4>(&words, cuts, max_distance, mask)?;
    }
}
