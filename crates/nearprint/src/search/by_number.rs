//! The settings and the number of documents -> how far to search, before anything is known of the
//! documents.

use nearprint_core::near::{self, Plan};

use crate::config::{Config, MaxDistance};

/// The distance that `max-distance auto` stands for, in bits of 256. Few true pairs lie beyond it,
/// and every four bits more bring some four times the candidates (docs/results.md).
const MAX_DISTANCE: u32 = 80;

/// Below this many documents, comparing all pairs is cheap enough to promise completeness to
/// `max_distance`.
pub(super) const CHEAP: usize = 20_000;

/// The promise of `complete-distance auto` for more documents than that, in bits of 256: as far as
/// block tables reach at an affordable cost (docs/algorithms.md on the two bounds).
const USUAL_COMPLETE_DISTANCE: u32 = 32;

/// The largest distance of candidates, and the distance to which every pair is found, among this
/// number of documents that are all compared with each other. Both are in bits, inclusive.
pub(super) fn distances(config: &Config, documents: usize) -> (u32, u32) {
    let max_distance = largest_distance(config).unwrap_or(0);
    let complete_distance = config.search.complete_distance.unwrap_or(match documents {
        count if count <= CHEAP => max_distance,
        _ => max_distance.min(usual_complete_distance(config.fingerprint.bits)),
    });
    (max_distance, complete_distance)
}

/// The largest distance of candidates in bits by the settings alone; `None` where only equal texts
/// match.
pub fn largest_distance(config: &Config) -> Option<u32> {
    match config.search.max_distance {
        MaxDistance::Off => None,
        MaxDistance::Bits(bits) => Some(bits),
        MaxDistance::Auto => Some(
            (MAX_DISTANCE * config.fingerprint.bits / 256)
                .max(config.search.complete_distance.unwrap_or(0)),
        ),
    }
}

/// The plan of a search among this number of documents: of all with each other, or of the `first`
/// ones with the others.
pub fn plan_among(config: &Config, documents: usize, first: Option<usize>) -> Plan {
    plan_of(config, with_as_many_pairs(documents, first))
}

/// The plan of a search for the documents of a file of this number that are near one.
pub fn plan_of(config: &Config, documents: usize) -> Plan {
    let (_, complete_distance) = distances(config, documents);
    near::plan(documents, config.fingerprint.bits, complete_distance)
}

/// The share of [`USUAL_COMPLETE_DISTANCE`] that fingerprints of this width have.
pub(super) fn usual_complete_distance(bits: u32) -> u32 {
    USUAL_COMPLETE_DISTANCE * bits / 256
}

/// The number of documents that have as many pairs, all compared with each other, as these have, of
/// which the `first` ones are compared with the others. The distances and the plan of a search are
/// those for this number.
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
        for (documents, first) in
            [(1000, 500), (1000, 1), (100_000, 10), (2, 1), (u32::MAX as usize, 1 << 31)]
        {
            let pairs = first as f64 * (documents - first) as f64;
            let as_many = with_as_many_pairs(documents, Some(first)) as f64;
            assert!(
                (as_many * (as_many - 1.0) / 2.0 / pairs - 1.0).abs() <= 1.0 / as_many,
                "{documents} {first}"
            );
        }
        assert_eq!(with_as_many_pairs(1000, Some(0)), 0);
        assert_eq!(with_as_many_pairs(1000, Some(1000)), 0);
    }

    #[test]
    fn the_number_of_documents_and_the_settings_say_how_far() {
        let reach = |toml: &str, documents| {
            let config = Config::from_toml(toml).unwrap();
            distances(&config, documents)
        };
        assert_eq!(reach("", CHEAP), (80, 80));
        assert_eq!(reach("", CHEAP + 1), (80, 32));
        assert_eq!(reach("bits = 64", CHEAP + 1), (20, 8));
        assert_eq!(reach("complete-distance = 100", CHEAP + 1), (100, 100));
        assert_eq!(reach("max-distance = 12", CHEAP + 1), (12, 12));
        assert_eq!(reach("max-distance = 90\ncomplete-distance = 5", 10), (90, 5));
    }
}
