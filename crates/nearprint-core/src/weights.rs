//! A feature's count and corpus statistics -> its weight, a positive integer.
//!
//! With n the count of the feature in the document, N the count of all features of the document,
//! |D| and df documents of the corpus, and H the mean of the left and right neighbor entropies in
//! bits (Zhang Hang et al. 2020, eq. 3-10, 16):
//!
//! | model | weight |
//! | --- | --- |
//! | `one` | 1 |
//! | `tf` | tf |
//! | `tfidf` | tf · idf, idf = ln(\|D\| / (df + 1)) |
//! | `entropy` | sqrt(((tf · idf)² + H²) / 2) |
//!
//! The term frequency tf is n (`raw`), n / N (`relative`, eq. 3 to the letter) or 1 + ln n (`log`).
//! Weights are capped, and rounded to multiples of 2⁻¹⁶. Logarithms are computed in software, so
//! their bits are equal on every machine.
//!
//! If many documents of the corpus are editions of one text, its features have an idf and an
//! entropy near 0. In a corpus of a few documents all features do. By the equations alone the
//! fingerprint of such a text would depend on the features that only one edition has. So a feature
//! weighs at least as much as one that occurs once with a share of the largest idf ([`LEAST_IDF`])
//! and no entropy. No weight is below 2⁻¹⁶, so that no vote is empty. If all features have their
//! least weight, they weigh the same, as in the model `one`. In a corpus without such families the
//! entropy of common words exceeds this bound.

use crate::statistics::FeatureStatistics;

/// Fixed-point units in a weight of 1.
pub const UNIT: u64 = 1 << 16;

/// The default of [`Options::least_idf`]. In a corpus of 1,000 editions of a text of 200 words,
/// each with 6 other words, 996 editions find another one with 0.5, 947 with 0.3, and 64 with 0. In
/// ordinary corpora shares of 0 to 0.6 gave the same pairs within 0.6 %.
pub const LEAST_IDF: f64 = 0.5;

/// The weight of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Every feature weighs the same.
    One,
    /// Term frequency.
    Tf,
    /// Term frequency times inverse document frequency.
    Tfidf,
    /// The quadratic mean of tf-idf and neighbor entropy (E-SimHash).
    #[default]
    Entropy,
}

/// The definition of term frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tf {
    /// The count.
    #[default]
    Raw,
    /// The count divided by that of all features of the document.
    Relative,
    /// 1 + the natural logarithm of the count.
    Log,
}

/// The treatment of a negative idf (of a feature in nearly every document).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Idf {
    /// It counts as 0.
    #[default]
    Clamped,
    /// It stays as equation 4 gives it; equation 10 squares it, and `tfidf` alone takes its
    /// absolute value.
    Signed,
}

/// The weighting of features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The model.
    pub model: Model,
    /// The reading of term frequency.
    pub tf: Tf,
    /// The reading of a negative idf.
    pub idf: Idf,
    /// The largest weight (eq. 16; 90 in experiment 1), positive; `None` for no cap.
    pub cap: Option<f64>,
    /// A feature weighs at least as much as one that occurs once, with this share (0 to 1) of the
    /// largest idf and no entropy.
    pub least_idf: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            model: Model::Entropy,
            tf: Tf::Raw,
            idf: Idf::Clamped,
            cap: Some(90.0),
            least_idf: LEAST_IDF,
        }
    }
}

impl Model {
    /// The model as one word.
    pub fn name(self) -> &'static str {
        match self {
            Model::One => "one",
            Model::Tf => "tf",
            Model::Tfidf => "tfidf",
            Model::Entropy => "entropy",
        }
    }

    /// Returns true if the weights need corpus statistics.
    pub fn needs_statistics(self) -> bool {
        matches!(self, Model::Tfidf | Model::Entropy)
    }

    /// Returns true if the weights need neighbor entropies.
    pub fn needs_entropies(self) -> bool {
        self == Model::Entropy
    }
}

impl Tf {
    /// The definition as one word.
    pub fn name(self) -> &'static str {
        match self {
            Tf::Raw => "raw",
            Tf::Relative => "relative",
            Tf::Log => "log",
        }
    }
}

impl Idf {
    /// The treatment as one word.
    pub fn name(self) -> &'static str {
        match self {
            Idf::Clamped => "clamped",
            Idf::Signed => "signed",
        }
    }
}

impl Options {
    /// The weights in a corpus of this number of documents. The largest idf is ln |D|, at least 1.
    pub fn of_corpus(self, documents: u64) -> Weights {
        let largest_idf = libm::log(documents as f64).max(1.0);
        Weights { options: self, least_idf: self.least_idf * largest_idf }
    }
}

/// Weighs the features of one corpus.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    options: Options,
    /// The least share times the largest idf.
    least_idf: f64,
}

impl Weights {
    /// The weight of a feature that occurs `count` times among the `total` features of its
    /// document, in units of 1 / [`UNIT`], at least 1.
    ///
    /// Dividing all counts of a document by its `total` changes no fingerprint unless something is
    /// added to them: `tf` and `tfidf` weigh the same under `relative` as under `raw`, so that ties
    /// stay exact.
    ///
    /// ```
    /// use nearprint_core::statistics::FeatureStatistics;
    /// use nearprint_core::weights::{Model, Options, UNIT};
    /// let tf = Options { model: Model::Tf, ..Options::default() }.of_corpus(100);
    /// assert_eq!(tf.weight(3, 100, &FeatureStatistics::UNSEEN), 3 * UNIT);
    /// let entropy = Options::default().of_corpus(100);
    /// let seen = FeatureStatistics { idf: 3.0, entropy: 4.0 };
    /// assert_eq!(entropy.weight(1, 100, &seen), (12.5f64.sqrt() * UNIT as f64).round() as u64);
    /// assert_eq!(entropy.weight(1000, 2000, &seen), 90 * UNIT);
    /// ```
    #[inline]
    pub fn weight(&self, count: u32, total: u32, feature: &FeatureStatistics) -> u64 {
        let Weights { options, least_idf } = self;
        let idf = match options.idf {
            Idf::Clamped => feature.idf.max(0.0),
            Idf::Signed => feature.idf,
        };
        // Under the other models a common factor of all weights of a document changes nothing.
        let relative = options.tf == Tf::Relative && options.model == Model::Entropy;
        let tf_of_one = if relative { 1.0 / f64::from(total) } else { 1.0 };
        let tf = match options.tf {
            Tf::Raw | Tf::Relative => f64::from(count) * tf_of_one,
            Tf::Log if count == 1 => 1.0,
            Tf::Log => 1.0 + libm::log(f64::from(count)),
        };
        let weight = match options.model {
            Model::One => 1.0,
            Model::Tf => tf,
            Model::Tfidf => (tf * idf).abs().max(*least_idf),
            Model::Entropy => {
                let (tfidf, least) = (tf * idf, tf_of_one * least_idf);
                ((tfidf * tfidf + feature.entropy * feature.entropy).max(least * least) / 2.0)
                    .sqrt()
            }
        };
        let capped = options.cap.map_or(weight, |cap| weight.min(cap));
        ((capped * UNIT as f64).round() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: FeatureStatistics = FeatureStatistics { idf: 2.0, entropy: 3.0 };

    fn weight(
        model: Model,
        tf: Tf,
        idf: Idf,
        cap: Option<f64>,
        feature: &FeatureStatistics,
    ) -> f64 {
        let options = Options { model, tf, idf, cap, least_idf: LEAST_IDF };
        options.of_corpus(2).weight(4, 8, feature) as f64 / UNIT as f64
    }

    #[test]
    fn weights_follow_the_equations() {
        let near =
            |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-4, "{got} is not {wanted}");
        near(weight(Model::One, Tf::Raw, Idf::Clamped, None, &SEEN), 1.0);
        near(weight(Model::Tf, Tf::Raw, Idf::Clamped, None, &SEEN), 4.0);
        near(weight(Model::Tf, Tf::Log, Idf::Clamped, None, &SEEN), 1.0 + 4f64.ln());
        near(weight(Model::Tfidf, Tf::Raw, Idf::Clamped, None, &SEEN), 8.0);
        near(weight(Model::Tfidf, Tf::Relative, Idf::Clamped, None, &SEEN), 8.0);
        near(
            weight(Model::Entropy, Tf::Relative, Idf::Clamped, None, &SEEN),
            ((1.0 + 9.0) / 2.0f64).sqrt(),
        );
        near(
            weight(Model::Entropy, Tf::Raw, Idf::Clamped, None, &SEEN),
            ((64.0 + 9.0) / 2.0f64).sqrt(),
        );
        near(weight(Model::Entropy, Tf::Raw, Idf::Clamped, Some(5.0), &SEEN), 5.0);
    }

    #[test]
    fn a_negative_idf_is_clamped_or_squared() {
        let common = FeatureStatistics { idf: -1.0, entropy: 0.0 };
        let clamped = weight(Model::Entropy, Tf::Raw, Idf::Clamped, None, &common);
        assert!((clamped - LEAST_IDF / 2f64.sqrt()).abs() < 1e-4, "{clamped}");
        let signed = weight(Model::Entropy, Tf::Raw, Idf::Signed, None, &common);
        assert!((signed - 8f64.sqrt()).abs() < 1e-4, "{signed}");
    }

    #[test]
    fn the_floor_grows_with_the_corpus() {
        let nothing = FeatureStatistics { idf: 0.0, entropy: 0.0 };
        let floor = |documents| {
            Options::default().of_corpus(documents).weight(1, 9, &nothing) as f64 / UNIT as f64
        };
        for (documents, largest) in [(0, 1.0), (1, 1.0), (2, 1.0), (1000, 1000f64.ln())] {
            assert!(
                (floor(documents) - LEAST_IDF * largest / 2f64.sqrt()).abs() < 1e-4,
                "{documents}"
            );
        }
    }

    #[test]
    fn no_weight_vanishes_and_all_vanishing_ones_are_equal() {
        let nothing = FeatureStatistics { idf: 0.0, entropy: 0.0 };
        for model in [Model::One, Model::Tfidf, Model::Entropy] {
            for tf in [Tf::Raw, Tf::Relative, Tf::Log] {
                let options = Options { model, tf, ..Options::default() }.of_corpus(2);
                assert!(options.weight(1, 1000, &nothing) > 1, "{options:?}");
                assert_eq!(
                    options.weight(1, 1000, &nothing),
                    options.weight(7, 1000, &nothing),
                    "{options:?}"
                );
            }
        }
    }
}
