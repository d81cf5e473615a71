//! The choice on invented samples: invariants that hold for any corpus.

use proptest::prelude::*;

use super::*;

/// A sample whose unrelated pairs differ in about 60 of 128 bits, and copies of these distances,
/// spread over the bits.
fn sample(documents: usize, distances: &[u32]) -> MeasuredSample {
    let before = |distance: usize| {
        if distance == 0 { 0.0 } else { expected_within(&[0.1], 128)[distance - 1] }
    };
    let pairs = |distance: usize| {
        ((expected_within(&[0.1], 128)[distance] - before(distance)) * 2e6).round() as u64
    };
    let copy = |(number, distance): (usize, &u32)| {
        let mut difference = [0u64; 4];
        for bit in 0..*distance as usize {
            let bit = (bit * 37 + number * 11) % 128; // 37 and 128 share no factor: all different.
            difference[bit / 64] |= 1 << (bit % 64);
        }
        Copied { difference, cosine: 0.8 }
    };
    MeasuredSample {
        bits: 128,
        documents,
        sampled: documents.min(SAMPLE),
        unrelated: (0..=128).map(pairs).collect(),
        related: vec![0; 129],
        copies: distances.iter().enumerate().map(copy).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn more_recall_never_means_a_smaller_distance_where_all_pairs_are_found(
        distances in proptest::collection::vec(0u32..44, 1..60),
        documents in 0usize..20_000,
    ) {
        let sample = sample(documents, &distances);
        let mut before: Option<Choice> = None;
        for recall in [0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999] {
            let choice = choose(&sample, 0.8, recall, true);
            prop_assert_eq!(choice.max_distance, choice.complete_distance);
            prop_assert!(!choice.reached || choice.expected_recall >= recall);
            if let Some(before) = before {
                prop_assert!(choice.max_distance >= before.max_distance);
                prop_assert!(choice.expected_recall >= before.expected_recall);
            }
            before = Some(choice);
        }
    }

    #[test]
    fn the_smallest_distance_with_enough_copies_is_chosen(distances in proptest::collection::vec(0u32..30, 1..60)) {
        let sample = sample(1000, &distances);
        let choice = choose(&sample, 0.8, 0.9, true);
        let within = |distance| distances.iter().filter(|d| **d <= distance).count() as f64 / distances.len() as f64;
        let smallest = (0..).find(|distance| within(*distance) >= 0.9);
        prop_assert_eq!(Some(choice.max_distance), smallest);
        prop_assert_eq!(choice.expected_recall, within(choice.max_distance));
    }

    #[test]
    fn the_tables_of_the_choice_see_the_share_it_expects(
        distances in proptest::collection::vec(0u32..40, 10..60),
        recall in 0.5f64..0.99,
    ) {
        let sample = sample(3_000_000, &distances);
        let choice = choose(&sample, 0.8, recall, false);
        prop_assert!(choice.complete_distance <= choice.max_distance);
        let plan = near::plan(sample.documents, 128, choice.complete_distance);
        let found = |copy: &&Copied| copy.distance() <= choice.max_distance && plan.sees(&copy.difference, &[0; 4]);
        let share = sample.copies.iter().filter(found).count() as f64 / sample.copies.len() as f64;
        prop_assert_eq!(choice.expected_recall, share);
        prop_assert!(choice.expected_recall >= recall || !choice.reached);
    }
}

#[test]
fn rows_agree_with_the_choice() {
    let sample = sample(1_000_000, &(0..200).map(|n| 10 + n % 20).collect::<Vec<u32>>());
    let choice = choose(&sample, 0.8, 0.9, false);
    let rows = sample.rows(&choice);
    let row = &rows[choice.max_distance as usize];
    assert_eq!(row.copies_found, Some(choice.expected_recall));
    assert_eq!(
        (row.expected_candidates, row.extrapolated),
        (choice.expected_candidates, choice.extrapolated)
    );
    let compared = rows[choice.complete_distance as usize].compared_fingerprints;
    assert!(compared == choice.compared_fingerprints && compared > 0.0);
    assert!(rows.iter().all(|row| row.compared_fingerprints <= 1e6 * 999_999.0 / 2.0));
    let nearer: Vec<Copied> =
        sample.copies.iter().copied().filter(|copy| copy.distance() < 15).collect();
    let at = sample.at(&choice, 0.9, &nearer);
    assert_eq!(
        (at.similarity, at.copies, at.copies_within[14], at.copies_within.len()),
        (0.9, 50, 1.0, rows.len())
    );
    assert!(at.copies_found.iter().zip(&at.copies_within).all(|(found, within)| found <= within));
    for pair in rows.windows(2) {
        assert!(
            pair[0].copies_within <= pair[1].copies_within
                && pair[0].formula_within <= pair[1].formula_within
        );
        assert!(pair[0].expected_candidates <= pair[1].expected_candidates);
        assert!(pair[0].copies_found <= pair[0].copies_within);
    }
}

#[test]
fn what_would_drown_in_candidates_is_not_chosen() {
    // All copies are as far apart as unrelated documents, so no recall is worth its candidates.
    let choice = choose(&sample(1_000_000, &[60; 100]), 0.1, 0.95, false);
    assert!(!choice.reached && choice.expected_recall < 0.95, "{choice:?}");
    assert_eq!(choice.obstacle, Some(Obstacle::Cost));
}

#[test]
fn what_stands_in_the_way_of_a_recall_is_told_apart() {
    let obstacle =
        |sample: &MeasuredSample, recall: f64| choose(sample, 0.3, recall, false).obstacle;
    let near = sample(1_000_000, &[60; 100]);
    assert_eq!((obstacle(&near, 0.0), obstacle(&near, 0.9)), (None, Some(Obstacle::Cost)));
    let few = MeasuredSample { unrelated: vec![0; 129], ..near };
    assert_eq!(obstacle(&few, 0.9), Some(Obstacle::Sample));
    let far = sample(10, &[70; 100]);
    assert_eq!(obstacle(&far, 0.9), Some(Obstacle::Distance));
}

#[test]
fn without_copies_the_formula_decides() {
    for documents in [0, 1, 2] {
        let sample = MeasuredSample { unrelated: vec![0; 129], ..sample(documents, &[]) };
        let choice = choose(&sample, 0.8, 0.95, true);
        // The expected distance is arccos 0.8 / pi = 0.205 of the bits: 26.2 of 128 on average,
        // with a standard deviation of 4.6.
        assert!(choice.reached && (33..=35).contains(&choice.max_distance), "{choice:?}");
        assert_eq!(choice.copies, 0);
        assert_eq!(choose(&sample, 1.0, 0.95, true).max_distance, 0);
    }
}
