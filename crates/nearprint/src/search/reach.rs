//! The corpus and the settings -> how far to search: the largest distance of candidates, and the distance to which every
//! pair is found.
//!
//! | where | `max_distance` | `complete_distance` |
//! | --- | --- | --- |
//! | the settings say a number of bits | that number | as set, else the rule below |
//! | a recall is asked for | the cheapest two distances that reach it on a sample ([`super::tune`]) | |
//! | `auto` | [`MAX_DISTANCE`] of 256 bits | as set, else the rule below |
//! | `auto`, and a sample says that candidates by chance are too many | lowered until they are not ([`super::lowering`]) | at most that |
//!
//! The rule: every pair is found up to `max_distance` where comparing all pairs is cheap ([`CHEAP`] documents), else up to
//! [`AFFORDABLE`] of 256 bits.
//!
//! There are two budgets for candidates by chance, because there are two promises. Without a recall asked for, a run must
//! stay fast: 2 million candidates and 8 for each document ([`super::lowering`]). With one, the search may cost a thousand
//! confirmed candidates for each document ([`crate::estimate`]), and the answer says so where that is not enough.

use super::Searched;
use super::lowering::lowered;
use super::sample::estimate;
use crate::config::{Config, MaxDistance};
use crate::error::Error;
use crate::estimate::{Choice, SAMPLE};
use crate::fingerprint::Fingerprints;
use crate::join::{self, Plan};
use crate::watch::Watch;

/// The distance that `max-distance auto` stands for, in bits of 256. Few true pairs lie beyond it, and every four bits more
/// bring two to three times the candidates (docs/quality.md).
const MAX_DISTANCE: u32 = 80;

/// Below this many documents, comparing all pairs is cheap enough to promise completeness to `max_distance`.
pub(super) const CHEAP: usize = 20_000;

/// The promise of `complete-distance auto` for more documents than that, in bits of 256: as far as block tables reach at an
/// affordable cost (docs/algorithms.md on the two bounds).
const AFFORDABLE: u32 = 32;

/// How far a search goes.
#[derive(Debug, Clone)]
pub struct Reach {
    /// The largest distance of candidates in bits, inclusive.
    pub max_distance: u32,
    /// The distance in bits to which every pair is found, inclusive.
    pub complete_distance: u32,
    /// The plan of the join.
    pub plan: Plan,
    /// The largest distance before it was lowered, where it was.
    pub lowered_from: Option<u32>,
    /// The estimate that chose the distances, where a recall was asked for.
    pub estimate: Option<Choice>,
}

impl Reach {
    /// How far to search among these documents, whose fingerprints these are.
    ///
    /// # Errors
    /// [`Error::Io`] where texts on disk cannot be read, [`Error::Interrupted`].
    pub fn new(
        of: &Searched<'_>,
        documents: &[u32],
        fingerprints: &Fingerprints,
        watch: &dyn Watch,
    ) -> Result<Reach, Error> {
        let bits = of.config.bits;
        let first = of.corpus.origins.first_side(documents);
        let as_many = with_as_many_pairs(documents.len(), first);
        if of.config.recall.is_some() {
            let choice = estimate(of, documents, SAMPLE, &[], watch)?.choice;
            let plan = join::plan(as_many, bits, choice.complete_distance);
            let (max_distance, complete_distance) = (choice.max_distance, choice.complete_distance);
            return Ok(Reach { max_distance, complete_distance, plan, lowered_from: None, estimate: Some(choice) });
        }
        let reach = Reach::of_number(of.config, as_many);
        if of.config.max_distance != MaxDistance::Auto {
            return Ok(reach);
        }
        let lowest = of.config.complete_distance.unwrap_or(0);
        let lowered = lowered(of, documents, fingerprints, &reach, affordable(bits))?.max(lowest);
        if lowered >= reach.max_distance {
            return Ok(reach);
        }
        let complete_distance = reach.complete_distance.min(lowered);
        Ok(Reach {
            max_distance: lowered,
            complete_distance,
            plan: join::plan(as_many, bits, complete_distance),
            lowered_from: Some(reach.max_distance),
            estimate: None,
        })
    }

    /// How far to search among this number of documents that are all compared with each other, by their number alone.
    pub(super) fn of_number(config: &Config, documents: usize) -> Reach {
        let max_distance = largest_distance(config).unwrap_or(0);
        let complete_distance = config.complete_distance.unwrap_or(match documents {
            count if count <= CHEAP => max_distance,
            _ => max_distance.min(affordable(config.bits)),
        });
        let plan = join::plan(documents, config.bits, complete_distance);
        Reach { max_distance, complete_distance, plan, lowered_from: None, estimate: None }
    }
}

/// The largest distance of candidates in bits by the settings alone; `None` where only equal texts match.
pub fn largest_distance(config: &Config) -> Option<u32> {
    match config.max_distance {
        MaxDistance::Off => None,
        MaxDistance::Bits(bits) => Some(bits),
        MaxDistance::Auto => Some((MAX_DISTANCE * config.bits / 256).max(config.complete_distance.unwrap_or(0))),
    }
}

/// The share of [`AFFORDABLE`] that fingerprints of this width have.
fn affordable(bits: u32) -> u32 {
    AFFORDABLE * bits / 256
}

/// The number of documents that have as many pairs, all compared with each other, as these have, of which the `first` ones
/// are compared with the others. The distances and the plan of a search are those for this number.
pub(super) fn with_as_many_pairs(documents: usize, first: Option<usize>) -> usize {
    match first {
        None => documents,
        Some(first) => {
            let pairs = first as u64 * (documents - first) as u64;
            // n (n - 1) / 2 pairs are some n² / 2.
            (2 * pairs).isqrt() as usize + usize::from(pairs > 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_documents_have_as_many_pairs() {
        assert_eq!(with_as_many_pairs(1000, None), 1000);
        for (documents, first) in [(1000, 500), (1000, 1), (100_000, 10), (2, 1), (u32::MAX as usize, 1 << 31)] {
            let pairs = first as f64 * (documents - first) as f64;
            let as_many = with_as_many_pairs(documents, Some(first)) as f64;
            assert!((as_many * (as_many - 1.0) / 2.0 / pairs - 1.0).abs() <= 1.0 / as_many, "{documents} {first}");
        }
        assert_eq!(with_as_many_pairs(1000, Some(0)), 0);
        assert_eq!(with_as_many_pairs(1000, Some(1000)), 0);
    }

    #[test]
    fn the_number_of_documents_and_the_settings_say_how_far() {
        let reach = |toml: &str, documents| {
            let config = Config::from_layers(&[toml.parse().unwrap()]).unwrap();
            let reach = Reach::of_number(&config, documents);
            (reach.max_distance, reach.complete_distance)
        };
        assert_eq!(reach("", CHEAP), (80, 80));
        assert_eq!(reach("", CHEAP + 1), (80, 32));
        assert_eq!(reach("bits = 64", CHEAP + 1), (20, 8));
        assert_eq!(reach("complete-distance = 100", CHEAP + 1), (100, 100));
        assert_eq!(reach("max-distance = 12", CHEAP + 1), (12, 12));
        assert_eq!(reach("max-distance = 90\ncomplete-distance = 5", 10), (90, 5));
    }
}
