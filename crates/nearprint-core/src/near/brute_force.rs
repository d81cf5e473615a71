//! Fingerprints -> candidate pairs, the plain way: two loops over all fingerprints.
//!
//! Cost: n^2/2 distances on one thread. Tests compare [`Join`](super::Join) with it, and nothing
//! else uses it: a plan by brute force runs in the tiles and threads of the tables, about ten times
//! faster.

use std::ops::ControlFlow;

use super::{BATCH_PAIRS, Batch, CandidatePair, Emit};
use crate::fingerprint::Fingerprints;

/// Streams all pairs within `max_distance` to `emit`, ordered by `left`, then `right`.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use nearprint_core::fingerprint::Fingerprints;
/// use nearprint_core::near::brute_force;
///
/// let mut fingerprints = Fingerprints::new(128);
/// for words in [[1, 2], [1, 3], [!1, !3]] {
///     fingerprints.push(&words);
/// }
/// let mut distances = Vec::new();
/// let _ = brute_force(&fingerprints, 127, &mut |batch| {
///     distances.extend(batch.pairs.iter().map(|pair| pair.distance));
///     ControlFlow::Continue(())
/// });
/// assert_eq!(distances, [1, 127]);
/// ```
pub fn brute_force(
    fingerprints: &Fingerprints,
    max_distance: u32,
    emit: &mut Emit<'_>,
) -> ControlFlow<()> {
    let mut pairs = Vec::new();
    for left in 0..fingerprints.len() {
        for right in left + 1..fingerprints.len() {
            let distance = fingerprints.distance(left, right);
            if distance <= max_distance {
                pairs.push(CandidatePair { left: left as u32, right: right as u32, distance });
            }
            if pairs.len() == BATCH_PAIRS {
                emit(Batch { pairs: &pairs, done: left as f64 / fingerprints.len() as f64 })?;
                pairs.clear();
            }
        }
    }
    emit(Batch { pairs: &pairs, done: 1.0 })
}
