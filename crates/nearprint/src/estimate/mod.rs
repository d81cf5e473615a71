//! A sample of a corpus, and copies of its texts edited to a similarity -> the distances that a
//! search needs for a recall.
//!
//! ```text
//! edit    a text, another one -> copies of the first of a given similarity         edit.rs
//! chance  distances between unrelated documents -> candidates by chance            chance.rs
//! angle   cosines -> distances by the angle formula                                angle.rs
//! choice  shares, similarity and recall -> max_distance, complete_distance         choice.rs
//! ```
//!
//! Pairs of a given similarity are rare in a sample, so they are made: a text, and a copy of it in
//! which words are replaced until the two have that similarity. The distances between their
//! fingerprints give the share of such pairs that a search to a distance finds; pairs of a higher
//! similarity are nearer. The distances between unrelated documents of the sample give the number
//! of candidates of the search.

mod angle;
mod chance;
mod choice;
mod edit;

pub use angle::expected_within;
pub use chance::Chance;
pub use choice::{AtSimilarity, Choice, Obstacle, choose};
pub use edit::{Editor, Words, replaced_words};

use nearprint_core::near;

/// The default recall.
pub const RECALL: f64 = 0.95;

/// The default number of documents in the sample, which have two million pairs.
pub const SAMPLE: usize = 2000;

/// The most copies that are made. The standard error of a recall of 0.95 is then a hundredth.
pub const COPIES: usize = 500;

/// The measurements on a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredSample {
    /// The width of the fingerprints.
    pub bits: u32,
    /// The number of documents of the corpus that are searched by fingerprint.
    pub documents: usize,
    /// The number of documents of the sample.
    pub sampled: usize,
    /// For each distance from 0 to `bits` the number of pairs of the sample that are not similar.
    pub unrelated: Vec<u64>,
    /// For each distance the number of pairs of the sample that are similar.
    pub related: Vec<u64>,
    /// Texts and their edited copies.
    pub copies: Vec<Copied>,
}

/// A text and its edited copy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Copied {
    /// The bits in which their fingerprints differ.
    pub difference: [u64; 4],
    /// The cosine of their weighted features.
    pub cosine: f64,
}

impl Copied {
    /// The number of bits that differ.
    pub fn distance(&self) -> u32 {
        self.difference.iter().map(|word| word.count_ones()).sum()
    }
}

impl MeasuredSample {
    /// For each distance the share of pairs within it by the angle formula. The pairs are the
    /// copies, or without copies pairs with this cosine.
    fn within_by_formula(&self, cosine: f64) -> Vec<f64> {
        match self.copies.is_empty() {
            true => expected_within(&[cosine], self.bits),
            false => {
                let cosines: Vec<f64> = self.copies.iter().map(|copy| copy.cosine).collect();
                expected_within(&cosines, self.bits)
            }
        }
    }

    /// The expectation by the sample for each distance from 0 to half the bits, beside the
    /// resulting choice.
    pub fn rows(&self, choice: &Choice) -> Vec<Row> {
        let chance = Chance::new(&self.unrelated);
        let at = self.at(choice, choice.similarity, &self.copies);
        let formula = self.within_by_formula(choice.similarity);
        (0..=self.bits / 2)
            .map(|distance| {
                let place = distance as usize;
                Row {
                    distance,
                    unrelated_pairs: self.unrelated[place],
                    related_pairs: self.related[place],
                    unrelated_within: chance.share(distance),
                    expected_candidates: chance.pairs(distance, self.documents),
                    extrapolated: !chance.is_measured(distance),
                    compared_fingerprints: near::plan(self.documents, self.bits, distance)
                        .comparisons(self.documents),
                    copies_within: at.copies_within.get(place).copied(),
                    copies_found: at.copies_found.get(place).copied(),
                    formula_within: formula[place],
                }
            })
            .collect()
    }
}

/// The expectation for a distance.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Row {
    /// The distance in bits.
    pub distance: u32,
    /// The number of pairs of the sample at exactly this distance that are not similar.
    pub unrelated_pairs: u64,
    /// The number of pairs of the sample at exactly this distance that are similar.
    pub related_pairs: u64,
    /// The share of unrelated pairs within the distance.
    pub unrelated_within: f64,
    /// The expected number of pairs by chance within the distance in the whole corpus.
    pub expected_candidates: f64,
    /// True if these two are extrapolated beyond the measurements of the sample.
    pub extrapolated: bool,
    /// The expected number of pairs of fingerprints that a search compares to find every pair
    /// within the distance.
    pub compared_fingerprints: f64,
    /// The share of edited copies within the distance; `null` if none could be made.
    pub copies_within: Option<f64>,
    /// The share of edited copies that the plan of the chosen complete distance also sees.
    pub copies_found: Option<f64>,
    /// The share of pairs within the distance by the angle formula.
    pub formula_within: f64,
}

#[cfg(test)]
mod tests;
