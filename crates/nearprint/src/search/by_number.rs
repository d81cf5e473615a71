//! The settings and the number of documents -> how far to search. The texts have no part in it.

use nearprint_core::near::{self, Plan};

use crate::config::{Config, MaxDistance};

/// The distance of `max-distance auto`, in bits of 256. Few true pairs are farther apart. Every
/// four bits more bring about four times as many candidates (docs/results.md).
const MAX_DISTANCE: u32 = 80;

/// The most documents whose pairs are all compared, so that the search is complete up to
/// `max_distance`.
pub(super) const CHEAP: usize = 20_000;

/// The distance of `complete-distance auto` for more documents than [`CHEAP`], in bits of 256. A
/// larger one makes the block tables expensive (docs/algorithms.md on the two bounds).
const USUAL_COMPLETE_DISTANCE: u32 = 32;

/// The largest distance of candidates, and the distance up to which every pair is found, if this
/// number of documents are all compared with each other. Both are in bits, inclusive.
pub(super) fn distances(config: &Config, documents: usize) -> (u32, u32) {
    let max_distance = largest_distance(config).unwrap_or(0);
    let complete_distance = config.search.complete_distance.unwrap_or(match documents {
        count if count <= CHEAP => max_distance,
        _ => max_distance.min(usual_complete_distance(config.fingerprint.bits)),
    });
    (max_distance, complete_distance)
}

/// The distance up to which every search finds every pair, whatever the number of documents, in
/// bits, inclusive.
#[cfg(feature = "index")]
pub fn least_complete_distance(config: &Config) -> u32 {
    let (max_distance, complete_distance) = distances(config, usize::MAX);
    complete_distance.min(max_distance)
}

/// The largest distance of candidates in bits, according to the settings; `None` if only equal
/// texts match.
pub fn largest_distance(config: &Config) -> Option<u32> {
    match config.search.max_distance {
        MaxDistance::Off => None,
        MaxDistance::Bits(bits) => Some(bits),
        MaxDistance::Any => Some(config.fingerprint.bits),
        MaxDistance::Auto => Some(
            (MAX_DISTANCE * config.fingerprint.bits / 256)
                .max(config.search.complete_distance.unwrap_or(0)),
        ),
    }
}

/// The plan of a search among this number of documents: all with each other, or the `first` ones
/// with the others.
pub fn plan_among(config: &Config, documents: usize, first: Option<usize>) -> Plan {
    plan_of(config, with_as_many_pairs(documents, first))
}

/// The plan of a search for the neighbors of one document among this number of documents.
pub fn plan_of(config: &Config, documents: usize) -> Plan {
    let (_, complete_distance) = distances(config, documents);
    near::plan(documents, config.fingerprint.bits, complete_distance)
}

/// [`USUAL_COMPLETE_DISTANCE`] for fingerprints of this width, in bits.
pub(super) fn usual_complete_distance(bits: u32) -> u32 {
    USUAL_COMPLETE_DISTANCE * bits / 256
}

/// The number of documents that have as many pairs among each other as the search compares: all
/// pairs of `documents`, or the pairs of the `first` ones with the others. It determines the
/// distances and the plan of a search.
pub(super) fn with_as_many_pairs(documents: usize, first: Option<usize>) -> usize {
    match first {
        None => documents,
        Some(first) => {
            let pairs = first as u64 * (documents - first) as u64;
            // n (n - 1) / 2 pairs are about n² / 2.
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
        let radius = |toml: &str, documents| {
            let config = Config::from_toml(toml).unwrap();
            distances(&config, documents)
        };
        assert_eq!(radius("", CHEAP), (80, 80));
        assert_eq!(radius("", CHEAP + 1), (80, 32));
        assert_eq!(radius("bits = 64", CHEAP + 1), (20, 8));
        assert_eq!(radius("complete-distance = 100", CHEAP + 1), (100, 100));
        assert_eq!(radius("max-distance = 12", CHEAP + 1), (12, 12));
        assert_eq!(radius("max-distance = 90\ncomplete-distance = 5", 10), (90, 5));
    }
}
