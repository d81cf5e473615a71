//! Distances between unrelated documents of a sample -> pairs within a distance that chance brings
//! in the whole corpus.
//!
//! The share of the sample's pairs within a distance is that of the corpus' pairs, so pairs grow
//! with the square of the documents and a sample of m documents measures shares down to about 1 /
//! m². Farther down a geometric tail is drawn through the distance with the first 10 pairs and the
//! one with the first 100: each bit less leaves the same part. Densities with a concave logarithm,
//! such as the normal and the binomial one, have distribution functions with one too (Bagnoli and
//! Bergstrom 2005, theorem 1), and fall faster than that: the tail overstates them.

use super::angle::expected_within;

/// Fewer pairs than these say little about a share: the standard error is a third of it.
const FEW: u64 = 10;

/// Where the tail has its other support: ten times as many.
const MANY: u64 = 100;

/// How near to each other unrelated documents are.
#[derive(Debug, Clone, PartialEq)]
pub struct Chance {
    /// For each distance the share of pairs within it.
    within: Vec<f64>,
    /// Shares within smaller distances than this are extrapolated.
    measured_from: usize,
}

impl Chance {
    /// From the number of the sample's pairs at each distance from 0 to the width of the
    /// fingerprints. Where there are fewer than 10 pairs in all, fingerprints are taken for random
    /// ones.
    ///
    /// ```
    /// use nearprint::estimate::Chance;
    /// let mut pairs = vec![0; 65];
    /// (pairs[20], pairs[21], pairs[22], pairs[32]) = (10, 30, 60, 9_900);
    /// let chance = Chance::new(&pairs);
    /// assert_eq!((chance.share(22), chance.is_measured(20)), (0.01, true));
    /// assert!((chance.share(18) - 0.0001).abs() < 1e-9 && !chance.is_measured(18));
    /// assert_eq!(chance.pairs(22, 1_001), 5_005.0);
    /// ```
    pub fn new(unrelated: &[u64]) -> Chance {
        let total: u64 = unrelated.iter().sum();
        if total < FEW {
            let bits = unrelated.len().saturating_sub(1);
            return Chance {
                within: expected_within(&[0.0], bits as u32),
                measured_from: bits + 1,
            };
        }
        let mut sum = 0;
        let counts: Vec<u64> = unrelated
            .iter()
            .map(|pairs| {
                sum += pairs;
                sum
            })
            .collect();
        let mut within: Vec<f64> =
            counts.iter().map(|count| *count as f64 / total as f64).collect();
        let first = counts.partition_point(|count| *count < FEW);
        let second = counts.partition_point(|count| *count < MANY.min(total));
        let left = match second - first {
            0 => 0.5, // All at one distance: as with random fingerprints of documents that are nearest to each other.
            bits => libm::pow(within[first] / within[second], 1.0 / bits as f64),
        };
        for distance in (0..first).rev() {
            within[distance] = within[distance + 1] * left;
        }
        Chance { within, measured_from: first }
    }

    /// The share of pairs within a distance.
    pub fn share(&self, distance: u32) -> f64 {
        self.within[(distance as usize).min(self.within.len() - 1)]
    }

    /// Whether that share was counted, rather than extrapolated.
    pub fn is_measured(&self, distance: u32) -> bool {
        distance as usize >= self.measured_from
    }

    /// Whether nothing was counted: the shares are those of random fingerprints.
    pub fn is_assumed(&self) -> bool {
        self.measured_from == self.within.len()
    }

    /// The pairs expected within a distance among this number of documents.
    pub fn pairs(&self, distance: u32, documents: usize) -> f64 {
        let documents = documents as f64;
        self.share(distance) * documents * (documents - 1.0).max(0.0) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_are_taken_for_random_fingerprints() {
        for pairs in [0, 9] {
            let mut unrelated = vec![0; 129];
            unrelated[10] = pairs;
            let chance = Chance::new(&unrelated);
            assert!(
                chance.share(40) < 1e-4 && (chance.share(64) - 0.535).abs() < 0.01,
                "{chance:?}"
            );
            assert!(!chance.is_measured(128) && chance.is_assumed());
        }
    }

    #[test]
    fn shares_grow_with_distance_and_the_tail_overstates_a_binomial() {
        let binomial = expected_within(&[0.0], 128);
        let mut before = 0.0;
        let unrelated: Vec<u64> = binomial
            .iter()
            .map(|share| {
                let pairs = ((share - before) * 2e6f64).round() as u64;
                before = *share;
                pairs
            })
            .collect();
        let chance = Chance::new(&unrelated);
        for distance in 1..=128 {
            assert!(chance.share(distance) >= chance.share(distance - 1));
        }
        for (distance, share) in binomial.iter().enumerate().take(36) {
            assert!(
                !chance.is_measured(distance as u32) && chance.share(distance as u32) >= *share,
                "{distance}"
            );
        }
    }

    #[test]
    fn one_distance_alone_halves_with_each_bit() {
        let mut unrelated = vec![0; 65];
        unrelated[30] = 1000;
        let chance = Chance::new(&unrelated);
        assert_eq!((chance.share(30), chance.share(28)), (1.0, 0.25));
        assert!(!chance.is_assumed());
    }
}
