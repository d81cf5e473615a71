//! The batches of a join: their size, and the end of a join that is stopped.

use super::*;

#[test]
fn huge_buckets_are_streamed_in_bounded_batches() {
    // Two values whose keys differ in one bit: large buckets meet themselves and each other.
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
