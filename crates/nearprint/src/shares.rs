//! Similarities and shares, 0 to 1, as people read them.

/// A similarity in thousandths, never more than it is: 1.000 is 1, and what lies below a bound is
/// shown so.
///
/// ```
/// use nearprint::shares::Similarity;
/// let shown = [1.0, 0.9997, 0.75, 0.7499996].map(|similarity| Similarity(similarity).to_string());
/// assert_eq!(shown, ["1.000", "0.999", "0.750", "0.749"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity(pub f64);

impl Similarity {
    /// Its whole thousandths. Reports have six decimals, and what is six decimals long is not taken
    /// for less.
    pub fn thousandths(self) -> f64 {
        (self.0 * 1e3 + 1e-7).floor() / 1e3
    }
}

impl std::fmt::Display for Similarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3}", self.thousandths())
    }
}

/// A similarity as it stands in reports and answers: six decimals.
pub fn rounded(similarity: f64) -> f64 {
    (similarity * 1e6).round() / 1e6
}

/// Writes it like that.
///
/// # Errors
/// Those of the serializer.
pub fn serialize_rounded<S: serde::Serializer>(
    similarity: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*similarity))
}

/// A share in percent: what is not nothing is not shown as 0.
///
/// ```
/// use nearprint::shares::Percent;
/// let shown = [0.0, 0.0003, 0.016, 1.0].map(|share| Percent(share).to_string());
/// assert_eq!(shown, ["0.0 %", "less than 0.1 %", "1.6 %", "100.0 %"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percent(pub f64);

impl std::fmt::Display for Percent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            share if share > 0.0 && share < 0.001 => write!(f, "less than 0.1 %"),
            share => write!(f, "{:.1} %", share * 100.0),
        }
    }
}
