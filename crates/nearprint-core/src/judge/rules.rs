//! The settings that decide about a pair of documents.

use crate::compare::Measure;
use crate::fingerprint::{Distance, estimated_cosine};

/// The settings that decide about a pair of documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The measure that confirms a candidate pair.
    pub measure: Measure,
    /// The least similarity of duplicates, above 0 to 1, inclusive.
    pub min_similarity: f64,
    /// The kind of distance of two fingerprints.
    pub distance: Distance,
    /// The largest distance of duplicates in bits, inclusive; `None` if only equal texts are
    /// duplicates.
    pub max_distance: Option<u32>,
    /// Documents of fewer distinct features are short.
    pub min_features: u32,
    /// The width of the fingerprints in bits.
    pub bits: u32,
    /// Terms in an n-gram of the measures that compare terms.
    pub shingle: u32,
}

/// The part of a document that a measure compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// Nothing but the distance of the fingerprints.
    Nothing,
    /// The normalized text.
    Text,
    /// Terms.
    Terms,
    /// Weighted features.
    Weights,
}

/// The parts of a document that are prepared again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// The normalized text, and its letters and digits.
    pub text: bool,
    /// Terms.
    pub terms: bool,
    /// Weighted features.
    pub weights: bool,
    /// The fingerprint.
    pub fingerprint: bool,
    /// The characters and figures, of those documents that have them.
    pub short: bool,
}

impl Parts {
    /// The part that the measure of these rules compares.
    pub fn compared(rules: &Rules) -> Parts {
        let compared = rules.compared();
        Parts {
            text: compared == Compared::Text,
            terms: compared == Compared::Terms,
            weights: compared == Compared::Weights,
            ..Parts::default()
        }
    }
}

impl Default for Rules {
    /// Coverage of at least 0.75 in texts whose fingerprints of 256 bits of letters are within 80
    /// bits.
    fn default() -> Rules {
        Rules {
            measure: Measure::Coverage,
            min_similarity: 0.75,
            distance: Distance::Hamming,
            max_distance: Some(80),
            min_features: 32,
            bits: 256,
            shingle: 3,
        }
    }
}

impl Rules {
    /// The similarity that a distance of fingerprints stands for if no texts are compared.
    pub fn similarity_at(&self, distance: u32) -> f64 {
        match self.distance {
            Distance::Hamming => estimated_cosine(distance, self.bits),
            Distance::Edit => 1.0 - f64::from(distance) / f64::from(self.bits),
        }
    }

    /// Returns true if a document of this number of distinct features is short.
    pub fn is_short(&self, features: u32) -> bool {
        features < self.min_features
    }

    /// The number of features below which documents are compared with short ones. The longer of two
    /// texts of similarity t has at most (2 - t) / t times as many pairs of adjacent characters,
    /// and features grow with length.
    pub fn compared_when_short_below(&self) -> u32 {
        self.compared_below(self.min_similarity)
    }

    fn compared_below(&self, similarity: f64) -> u32 {
        (f64::from(self.min_features) * (2.0 - similarity) / similarity).ceil() as u32
    }

    /// The highest `min-similarity`, at most 1, at which a document of this number of features is
    /// compared with short ones.
    pub(super) fn largest_when_short(&self, features: u32) -> f64 {
        let fewest = f64::from(self.min_features);
        largest(2.0 * fewest / (fewest + f64::from(features)), |least| {
            features < self.compared_below(least)
        })
    }

    /// The part of a document that the measure compares.
    pub fn compared(&self) -> Compared {
        match self.measure {
            Measure::None => Compared::Nothing,
            Measure::Coverage => Compared::Text,
            Measure::Jaccard | Measure::Containment | Measure::Minhash => Compared::Terms,
            Measure::Cosine => Compared::Weights,
        }
    }

    /// The similarity that these rules measure, in words.
    pub fn in_words(&self) -> String {
        let shingle = self.shingle;
        let measure = match self.measure {
            Measure::Coverage => {
                "coverage: the share of letters that both texts have in common; a beginning or end \
                 that only one text has counts a third"
                    .to_string()
            }
            Measure::Jaccard => format!("Jaccard similarity of sets of {shingle} terms in a row"),
            Measure::Containment => {
                format!("containment of sets of {shingle} terms in a row in the larger text")
            }
            Measure::Cosine => "cosine of the weighted features".to_string(),
            Measure::Minhash => {
                format!(
                    "MinHash estimate of the Jaccard similarity of sets of {shingle} terms in a row"
                )
            }
            Measure::None if self.distance == Distance::Edit => {
                "1 minus the edit distance of the fingerprints divided by their bits; the texts \
                 were not compared"
                    .to_string()
            }
            Measure::None => {
                "cosine estimated from the distance; the texts were not compared".to_string()
            }
        };
        format!(
            "{measure}; for reason short: the share of pairs of adjacent characters that both \
             texts have in the same order; for reason exact: 1"
        )
    }

    /// The rules with a measure that compares texts, so that it can judge the distance of
    /// fingerprints.
    pub fn with_a_comparison(self) -> Rules {
        match self.measure {
            // The measure `none` is an estimate by the distance, and cannot judge it.
            Measure::None => Rules { measure: Measure::Cosine, ..self },
            _ => self,
        }
    }

    /// The rules without estimates: each similarity is that of the texts.
    pub fn exact(self) -> Rules {
        match self.measure {
            Measure::Minhash => Rules { measure: Measure::Jaccard, ..self },
            _ => self.with_a_comparison(),
        }
    }
}

/// The largest number up to 1 for which `holds` is true. It is true for all smaller numbers, and
/// the largest one is within a few roundings of `about`.
pub(super) fn largest(about: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let mut number = about.min(1.0);
    while !holds(number) {
        number = number.next_down();
    }
    while number < 1.0 && holds(number.next_up()) {
        number = number.next_up();
    }
    number
}
