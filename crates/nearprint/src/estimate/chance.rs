//! Distances between unrelated documents of a sample -> the number of pairs within a distance by
//! chance in the whole corpus.
//!
//! The share of the sample's pairs within a distance estimates the share of the corpus' pairs. So
//! the number of pairs grows with the square of the documents, and a sample of m documents measures
//! shares down to about 1 / m². Below that a geometric tail is drawn through the distance with the
//! first 10 pairs and the distance with the first 100: each bit less keeps the same fraction.
//! Densities with a concave logarithm, such as the normal and the binomial one, have distribution
//! functions with a concave logarithm too (Bagnoli and Bergstrom 2005, theorem 1). They fall faster
//! than the tail, so the tail overestimates them.

use super::angle::expected_within;

/// The least number of pairs that measures a share; its standard error is then a third of the
/// share.
const FEW: u64 = 10;

/// The number of pairs at the second support of the tail, ten times as many.
const MANY: u64 = 100;

/// The distribution of distances between unrelated documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Chance {
    /// For each distance the share of pairs within it.
    within: Vec<f64>,
    /// The least distance whose share is measured; smaller ones are extrapolated.
    measured_from: usize,
}

impl Chance {
    /// Makes the distribution from the number of the sample's pairs at each distance from 0 to the
    /// width of the fingerprints. With fewer than 10 pairs in all, fingerprints are assumed to be
    /// random.
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
            // All pairs are at one distance. The nearest of random fingerprints have this fraction.
            0 => 0.5,
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

    /// Returns true if that share was counted, false if it is extrapolated.
    pub fn is_measured(&self, distance: u32) -> bool {
        distance as usize >= self.measured_from
    }

    /// Returns true if the shares are those of random fingerprints, without a count.
    pub fn is_assumed(&self) -> bool {
        self.measured_from == self.within.len()
    }

    /// The expected number of pairs within a distance among this number of documents.
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
