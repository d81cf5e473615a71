//! Fingerprints -> all pairs within an edit distance, by comparing each two.
//!
//! No table of equal blocks finds them, since two fingerprints that are two edits apart may differ
//! in all bits. Cost: n² / 2 comparisons of about k² / 2 steps each, on all threads of rayon's
//! current pool.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{BATCH_PAIRS, Batch, CandidatePair, Emit};
use crate::fingerprint::{Fingerprints, edit_distance_within};

/// The number of fingerprints that are compared with all others before their pairs are handed on.
const TOGETHER: usize = 64;

/// Streams all pairs within an edit distance of `max_distance` to `emit`, ordered by `left`, then
/// `right`. With `first`, a pair has one of the `first` fingerprints and one of the others.
pub(super) fn join_by_edits(
    fingerprints: &Fingerprints,
    first: Option<usize>,
    max_distance: u32,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    let (count, bits) = (fingerprints.len(), fingerprints.bits());
    let last = first.unwrap_or(count);
    for start in (0..last).step_by(TOGETHER) {
        let of_left = |left: usize| {
            let near = move |right: usize| {
                let (one, other) = (fingerprints.get(left), fingerprints.get(right));
                let distance = edit_distance_within(one, other, bits, max_distance)?;
                Some(CandidatePair { left: left as u32, right: right as u32, distance })
            };
            (first.unwrap_or(left + 1)..count).filter_map(near).collect::<Vec<_>>()
        };
        let end = last.min(start + TOGETHER);
        let pairs: Vec<Vec<CandidatePair>> = (start..end).into_par_iter().map(of_left).collect();
        let pairs = pairs.concat();
        let left = (count - end) as f64 / count as f64;
        let done = if first.is_some() { end as f64 / last as f64 } else { 1.0 - left * left };
        for batch in pairs.chunks(BATCH_PAIRS) {
            emit(Batch { pairs: batch, done })?;
        }
        emit(Batch { pairs: &[], done })?;
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::edit_distance;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        #[test]
        fn every_pair_within_the_distance_is_found(
            words in prop::collection::vec(any::<[u64; 2]>(), 1..24),
            shifts in prop::collection::vec((any::<prop::sample::Index>(), 1..4_u32), 0..60),
            max_distance in 0..45_u32,
            first in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let mut all: Vec<u128> = words.iter().map(|[high, low]| u128::from(*high) << 64 | u128::from(*low)).collect();
            for (place, shift) in shifts {
                all.push(all[place.index(all.len())].rotate_left(shift));
            }
            let mut fingerprints = Fingerprints::new(128);
            all.iter().for_each(|words| fingerprints.push(&[(words >> 64) as u64, *words as u64]));
            let first = first.map(|first| first.index(all.len()));
            let mut found = Vec::new();
            let _ = join_by_edits(&fingerprints, first, max_distance, &mut |batch| {
                found.extend_from_slice(batch.pairs);
                ControlFlow::Continue(())
            });
            let mut expected = Vec::new();
            for left in 0..first.unwrap_or(all.len()) {
                for right in first.unwrap_or(left + 1)..all.len() {
                    let distance = edit_distance(fingerprints.get(left), fingerprints.get(right), 128);
                    if distance <= max_distance {
                        expected.push(CandidatePair { left: left as u32, right: right as u32, distance });
                    }
                }
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn it_stops_when_told_to() {
        let mut fingerprints = Fingerprints::new(32);
        (0..300).for_each(|_| fingerprints.push(&[0]));
        let mut batches = 0;
        let stopped = join_by_edits(&fingerprints, None, 3, &mut |_| {
            batches += 1;
            ControlFlow::Break(())
        });
        assert_eq!((stopped, batches), (ControlFlow::Break(()), 1));
    }
}
