//! Distinct pairs of neighbors with their counts -> the entropies of the left and of the right
//! neighbors of each feature.

use super::Pair;

/// The neighbor entropies of each feature, by number, summed up pair by pair.
#[derive(Debug)]
pub struct Entropies {
    left: Vec<Sums>,
    right: Vec<Sums>,
    /// c log2 c of small counts, in units of 2⁻¹⁶.
    logs: Vec<u64>,
}

/// Sums over the neighbors of one feature on one side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Σ c.
    count: u64,
    /// Σ c log2 c, in units of 2⁻¹⁶.
    log: u64,
}

impl Entropies {
    /// The entropies of `features` distinct features without any pair.
    pub fn new(features: usize) -> Entropies {
        let logs = (0..256).map(count_log).collect();
        Entropies {
            left: vec![Sums::default(); features],
            right: vec![Sums::default(); features],
            logs,
        }
    }

    /// Takes in a distinct pair of neighbors that occurs `count` times.
    ///
    /// ```
    /// use nearprint_core::statistics::Entropies;
    /// let mut entropies = Entropies::new(3);
    /// entropies.add(0 << 32 | 2, 5); // feature 2 has left neighbors 0 and 1, five times each
    /// entropies.add(1 << 32 | 2, 5);
    /// assert!((entropies.left(2) - 1.0).abs() < 1e-4);
    /// assert_eq!(entropies.right(2), 0.0);
    /// ```
    pub fn add(&mut self, pair: Pair, count: u64) {
        let log = self.logs.get(count as usize).copied().unwrap_or_else(|| count_log(count));
        for sums in [&mut self.left[pair as u32 as usize], &mut self.right[(pair >> 32) as usize]] {
            // Only a damaged file has so large counts.
            sums.count = sums.count.saturating_add(count);
            sums.log = sums.log.saturating_add(log);
        }
    }

    /// The entropy of the left neighbors of a feature (E_L), in bits.
    pub fn left(&self, number: usize) -> f64 {
        self.left[number].entropy()
    }

    /// The entropy of the right neighbors of a feature (E_R), in bits.
    pub fn right(&self, number: usize) -> f64 {
        self.right[number].entropy()
    }

    /// H of a feature: the mean of both.
    pub(super) fn mean(&self, number: usize) -> f64 {
        (self.left(number) + self.right(number)) / 2.0
    }
}

/// c log2 c in units of 2⁻¹⁶.
fn count_log(count: u64) -> u64 {
    if count <= 1 { 0 } else { (count as f64 * libm::log2(count as f64) * 65536.0).round() as u64 }
}

impl Sums {
    fn entropy(self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let mean_log = self.log as f64 / 65536.0 / self.count as f64;
        // One neighbor alone gives 0 up to rounding.
        (libm::log2(self.count as f64) - mean_log).max(0.0)
    }
}
