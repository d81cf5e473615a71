//! A set with weights -> samples of its members: consistent weighted sampling.
//!
//! The share of equal samples of two sets estimates their weighted Jaccard similarity. All numbers
//! are 32-bit floating-point numbers and computed in the order of the package, so that they are
//! rounded as there. The caller gives the logarithms of the weights.
//!
//! Source: Ioffe, "Improved Consistent Sampling, Weighted Minhash and L1 Sketching" (ICDM 2010), in
//! the form of `datasketch` 2.0.0, `WeightedMinHashGenerator`.

use rayon::prelude::*;

/// The random numbers of the samples, one row of `dimensions` numbers for each sample.
#[derive(Debug)]
pub struct Samples {
    /// The number of members that a set can have.
    pub dimensions: usize,
    /// Draws of Gamma(2, 1).
    pub rs: Vec<f32>,
    /// Logarithms of draws of Gamma(2, 1).
    pub ln_cs: Vec<f32>,
    /// Draws from 0 to 1.
    pub betas: Vec<f32>,
}

/// The members of a set.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    /// Their numbers, each below the number of dimensions.
    pub members: &'r [u32],
    /// The logarithms of their weights.
    pub logarithms: &'r [f32],
}

impl Samples {
    /// The number of samples of a set.
    pub fn count(&self) -> usize {
        self.rs.len() / self.dimensions
    }

    /// The samples of a set: for each the member, and its number t of Ioffe's algorithm. `None` for
    /// a set without members.
    ///
    /// The package rounds otherwise where it samples many sets in one call: with `many`.
    ///
    /// ```
    /// use nearprint_core::fingerprint::minhash::{Row, Samples};
    /// let samples = Samples { dimensions: 2, rs: vec![1.0, 2.0], ln_cs: vec![0.5, 3.0], betas: vec![0.5, 0.5] };
    /// let row = Row { members: &[0, 1], logarithms: &[0.0, 1.0] };
    /// assert_eq!(samples.sample(row, false), Some(vec![[0, 0]]));
    /// ```
    pub fn sample(&self, row: Row<'_>, many: bool) -> Option<Vec<[i64; 2]>> {
        if row.members.is_empty() {
            return None;
        }
        let rows = (0..self.count()).map(|sample| sample * self.dimensions);
        Some(rows.map(|start| self.least(row, start, many)).collect())
    }

    /// The samples of each of several sets.
    pub fn sample_all(&self, rows: &[Row<'_>], many: bool) -> Vec<Option<Vec<[i64; 2]>>> {
        rows.par_iter().map(|row| self.sample(*row, many)).collect()
    }

    /// The member with the least value in the row of random numbers from `start` on, the first one
    /// of equal ones. A value that is no number counts for nothing.
    fn least(&self, row: Row<'_>, start: usize, many: bool) -> [i64; 2] {
        let (mut least, mut found) = (f32::INFINITY, None);
        for (member, logarithm) in row.members.iter().zip(row.logarithms) {
            let place = start + *member as usize;
            let (r, ln_c, beta) = (self.rs[place], self.ln_cs[place], self.betas[place]);
            let t = (logarithm / r + beta).floor();
            let value = match many {
                false => ln_c - (t - beta) * r - r,
                true => ln_c - (t - beta + 1.0) * r,
            };
            if value < least || found.is_none() {
                (least, found) = (value, Some([i64::from(*member), t as i64]));
            }
        }
        found.expect("there are members")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_members_is_sampled() {
        let samples =
            Samples { dimensions: 3, rs: vec![1.0; 6], ln_cs: vec![0.5; 6], betas: vec![0.25; 6] };
        let row = Row { members: &[1, 2], logarithms: &[1.0, 1.0] };
        assert_eq!(samples.sample(row, true), Some(vec![[1, 1]; 2]));
        let none = Row { members: &[], logarithms: &[] };
        assert_eq!(samples.sample_all(&[row, none], false), [Some(vec![[1, 1]; 2]), None]);
    }
}
