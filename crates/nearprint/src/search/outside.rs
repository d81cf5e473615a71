//! Fingerprints that come from outside -> the pairs that are near in bits.

use std::ops::ControlFlow;

use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::near::{self, CandidatePair, Join};

use super::by_number::{distances, largest_distance};
use crate::config::{Config, MaxDistance};
use crate::error::Error;
use crate::memory::MemoryBound;
use crate::watch::{Progress, Stage, Watch, stop_if_asked};

/// The pairs of fingerprints within `max-distance`, inclusive, sorted. The list is complete within
/// `complete-distance`; beyond it, it has the pairs that the tables see. With `across`, the first so
/// many fingerprints are one side, and only pairs with the other side are found. Of the settings, only
/// `bits`, the two distances and `memory` matter. The search uses the threads of rayon's current
/// pool, and holds all pairs in memory, 12 bytes each.
///
/// ```
/// use nearprint::config::{Config, MaxDistance};
/// use nearprint::{Fingerprints, Silent, join};
/// let mut fingerprints = Fingerprints::new(64);
/// [0b0000, 0b0111, 0b1111].iter().for_each(|word| fingerprints.push(&[*word]));
/// let config = Config::default().bits(64).max_distance(MaxDistance::Bits(3));
/// let pairs = join(&fingerprints, None, &config, &Silent)?;
/// assert_eq!(pairs.iter().map(|p| (p.left, p.right, p.distance)).collect::<Vec<_>>(), [(0, 1, 3), (1, 2, 1)]);
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for settings out of their ranges, if the fingerprints have another width than
/// the settings, if there are more than 2³² − 2 of them, or if `max-distance` is `off`;
/// [`Error::Interrupted`].
pub fn join(
    fingerprints: &Fingerprints,
    across: Option<usize>,
    config: &Config,
    watch: &dyn Watch,
) -> Result<Vec<CandidatePair>, Error> {
    config.check()?;
    let (bits, wanted) = (fingerprints.bits(), config.fingerprint.bits);
    if bits != wanted {
        return Err(Error::usage(
            "bits",
            format!("the fingerprints have {bits} bits, but the setting is {wanted}"),
        ));
    }
    if fingerprints.len() >= u32::MAX as usize {
        return Err(Error::TooManyFingerprints { most: u64::from(u32::MAX) - 1 });
    }
    if largest_distance(config).is_none() {
        return Err(Error::usage("max-distance", "off searches for nothing; set a number of bits"));
    }
    if config.search.max_distance == MaxDistance::Any {
        return Err(Error::usage("max-distance", "any needs texts; set a number of bits"));
    }
    let (max_distance, complete_distance) = distances(config, fingerprints.len());
    let plan = near::plan(fingerprints.len(), bits, complete_distance);
    let stage = Progress::begin(watch, Stage::Join, fingerprints.len(), 0);
    let mut pairs = Vec::new();
    let bytes = MemoryBound::new(config.run.memory).most();
    let join = Join::new(&plan, max_distance).across(across).within(bytes);
    let _ = join.run(fingerprints, &mut |batch| {
        stage.reach(batch.done);
        pairs.extend_from_slice(batch.pairs);
        if stage.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    stop_if_asked(watch)?;
    pairs.sort_unstable_by_key(|pair| (pair.left, pair.right));
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use nearprint_core::random::Random;

    use super::*;
    use crate::watch::Silent;

    #[test]
    fn agrees_with_every_pair_compared() {
        let mut random = Random::new(7);
        for (bits, max_distance) in [(32, 5), (64, 12), (128, 40), (256, 90)] {
            let mut fingerprints = Fingerprints::new(bits);
            let each = fingerprints.words_each();
            let mut words = vec![0u64; each];
            for number in 0..300 {
                if number % 3 == 0 {
                    words.iter_mut().for_each(|word| *word = random.next());
                }
                words[number % each] ^= 1 << (random.next() % 32 + 32);
                if bits == 32 {
                    words[0] &= !0 << 32;
                }
                fingerprints.push(&words);
            }
            let config = Config::default().bits(bits).max_distance(MaxDistance::Bits(max_distance));
            let found = join(&fingerprints, None, &config, &Silent).unwrap();
            let mut expected = Vec::new();
            for left in 0..300u32 {
                for right in left + 1..300 {
                    let distance = fingerprints.distance(left as usize, right as usize);
                    if distance <= max_distance {
                        expected.push(CandidatePair { left, right, distance });
                    }
                }
            }
            assert_eq!(found, expected, "{bits} bits");
            assert!(found.len() >= 200, "{bits} bits: {}", found.len());
        }
    }
}
