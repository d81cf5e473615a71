//! A feature's count and corpus statistics -> its weight, a positive integer.
//!
//! With n the count of the feature in the document, N the count of all features of the document, |D| and df documents of
//! the corpus, and H the mean of the left and right neighbor entropies in bits (Zhang Hang et al. 2020, eq. 3-10, 16):
//!
//! | model | weight |
//! | --- | --- |
//! | `one` | 1 |
//! | `tf` | tf |
//! | `tfidf` | tf · idf, idf = ln(\|D\| / (df + 1)) |
//! | `entropy` | sqrt(((tf · idf)² + H²) / 2) |
//!
//! and tf is n (`raw`), n / N (`relative`, eq. 3 to the letter) or 1 + ln n (`log`). Weights are capped, and rounded to
//! multiples of 2⁻¹⁶. Logarithms are computed in software: the same bits on every machine.
//!
//! In a small corpus idf and entropy say little or vanish: with three documents, a word that two of them share has the idf
//! ln(3 / 3) = 0, so a copy would be fingerprinted by what it does not share. So a feature weighs at least as much as one
//! that occurs once, with an idf of [`LEAST_IDF`] and no entropy; and never less than 2⁻¹⁶, so that no vote is empty. Where everything vanishes all features weigh the same,
//! which is the model `one`; in corpora of thousands of documents hardly any feature is that light.

use crate::statistics::FeatureStatistics;

/// Fixed-point units in a weight of 1.
pub const UNIT: u64 = 1 << 16;

/// The idf below which a feature's weight does not fall, unless asked otherwise. With it, an edited copy among 2, 3 or 10 documents keeps its
/// fingerprint near the original's under every model; half or twice as much serves as well.
pub const LEAST_IDF: f64 = 0.25;

/// What a feature weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Every feature the same.
    One,
    /// Term frequency.
    Tf,
    /// Term frequency times inverse document frequency.
    Tfidf,
    /// The quadratic mean of tf-idf and neighbor entropy (E-SimHash).
    #[default]
    Entropy,
}

/// What counts as term frequency.
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

/// What happens to a negative idf (a feature in nearly every document).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Idf {
    /// It counts as 0.
    #[default]
    Clamped,
    /// It stays as equation 5 gives it; equation 10 squares it, and `tfidf` alone takes its absolute value.
    Signed,
}

/// How features are weighted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The model.
    pub model: Model,
    /// The reading of term frequency.
    pub tf: Tf,
    /// The reading of a negative idf.
    pub idf: Idf,
    /// The largest weight (eq. 16: 90), positive; `None` for no cap.
    pub cap: Option<f64>,
    /// A feature weighs at least as much as one that occurs once, with this idf and no entropy; 0 or more.
    pub least_idf: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { model: Model::Entropy, tf: Tf::Raw, idf: Idf::Clamped, cap: Some(90.0), least_idf: LEAST_IDF }
    }
}

impl Model {
    /// Whether the weights need corpus statistics.
    pub fn needs_statistics(self) -> bool {
        matches!(self, Model::Tfidf | Model::Entropy)
    }

    /// Whether those must hold neighbor entropies.
    pub fn needs_entropies(self) -> bool {
        self == Model::Entropy
    }
}

impl Options {
    /// The weight of a feature that occurs `count` times among the `total` features of its document, in units of
    /// 1 / [`UNIT`], at least 1.
    ///
    /// Dividing all counts of a document by its `total` changes no fingerprint unless something is added to them: `tf`
    /// and `tfidf` weigh the same under `relative` as under `raw`, so that ties stay exact.
    ///
    /// ```
    /// use nearprint::statistics::FeatureStatistics;
    /// use nearprint::weights::{Model, Options, UNIT};
    /// let tf = Options { model: Model::Tf, ..Options::default() };
    /// assert_eq!(tf.weight(3, 100, &FeatureStatistics::UNSEEN), 3 * UNIT);
    /// let entropy = Options::default();
    /// let seen = FeatureStatistics { idf: 3.0, entropy: 4.0 };
    /// assert_eq!(entropy.weight(1, 100, &seen), (12.5f64.sqrt() * UNIT as f64).round() as u64);
    /// assert_eq!(entropy.weight(1000, 2000, &seen), 90 * UNIT);
    /// ```
    #[inline]
    pub fn weight(&self, count: u32, total: u32, feature: &FeatureStatistics) -> u64 {
        let idf = match self.idf {
            Idf::Clamped => feature.idf.max(0.0),
            Idf::Signed => feature.idf,
        };
        let tf = match self.tf {
            Tf::Raw => f64::from(count),
            Tf::Relative if self.model != Model::Entropy => f64::from(count),
            Tf::Relative => f64::from(count) / f64::from(total),
            Tf::Log if count == 1 => 1.0,
            Tf::Log => 1.0 + libm::log(f64::from(count)),
        };
        let tf_of_one =
            if self.tf == Tf::Relative && self.model == Model::Entropy { 1.0 / f64::from(total) } else { 1.0 };
        let weight = match self.model {
            Model::One => 1.0,
            Model::Tf => tf,
            Model::Tfidf => (tf * idf).abs().max(self.least_idf),
            Model::Entropy => {
                let (tfidf, least) = (tf * idf, tf_of_one * self.least_idf);
                ((tfidf * tfidf + feature.entropy * feature.entropy).max(least * least) / 2.0).sqrt()
            }
        };
        let capped = self.cap.map_or(weight, |cap| weight.min(cap));
        ((capped * UNIT as f64).round() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: FeatureStatistics = FeatureStatistics { idf: 2.0, entropy: 3.0 };

    fn weight(model: Model, tf: Tf, idf: Idf, cap: Option<f64>, feature: &FeatureStatistics) -> f64 {
        Options { model, tf, idf, cap, least_idf: LEAST_IDF }.weight(4, 8, feature) as f64 / UNIT as f64
    }

    #[test]
    fn weights_follow_the_equations() {
        let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-4, "{got} is not {wanted}");
        near(weight(Model::One, Tf::Raw, Idf::Clamped, None, &SEEN), 1.0);
        near(weight(Model::Tf, Tf::Raw, Idf::Clamped, None, &SEEN), 4.0);
        near(weight(Model::Tf, Tf::Log, Idf::Clamped, None, &SEEN), 1.0 + 4f64.ln());
        near(weight(Model::Tfidf, Tf::Raw, Idf::Clamped, None, &SEEN), 8.0);
        near(weight(Model::Tfidf, Tf::Relative, Idf::Clamped, None, &SEEN), 8.0);
        near(weight(Model::Entropy, Tf::Relative, Idf::Clamped, None, &SEEN), ((1.0 + 9.0) / 2.0f64).sqrt());
        near(weight(Model::Entropy, Tf::Raw, Idf::Clamped, None, &SEEN), ((64.0 + 9.0) / 2.0f64).sqrt());
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
    fn no_weight_vanishes_and_all_vanishing_ones_are_equal() {
        let nothing = FeatureStatistics { idf: 0.0, entropy: 0.0 };
        for model in [Model::One, Model::Tfidf, Model::Entropy] {
            for tf in [Tf::Raw, Tf::Relative, Tf::Log] {
                let options = Options { model, tf, ..Options::default() };
                assert!(options.weight(1, 1000, &nothing) > 1, "{options:?}");
                assert_eq!(options.weight(1, 1000, &nothing), options.weight(7, 1000, &nothing), "{options:?}");
            }
        }
    }
}
