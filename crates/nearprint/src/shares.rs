//! Similarities and shares, 0 to 1, as people read them.

/// A similarity in thousandths, rounded down: only 1 is shown as 1.000, and a similarity below a
/// bound is shown below it.
///
/// ```
/// use nearprint::shares::Similarity;
/// let shown = [1.0, 0.9997, 0.75, 0.7499996].map(|similarity| Similarity(similarity).to_string());
/// assert_eq!(shown, ["1.000", "0.999", "0.750", "0.749"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity(pub f64);

impl Similarity {
    /// The whole thousandths. A value with six decimals, as in reports, is not rounded below
    /// itself.
    pub fn thousandths(self) -> f64 {
        (self.0 * 1e3 + 1e-7).floor() / 1e3
    }
}

impl std::fmt::Display for Similarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.3}", self.thousandths())
    }
}

/// A share as in reports and answers: with six decimals. One above 0 is not rounded to 0.
///
/// ```
/// use nearprint::shares::rounded;
/// assert_eq!([0.0, 1e-9, 0.1234567, 1.0].map(rounded), [0.0, 0.000001, 0.123457, 1.0]);
/// ```
pub fn rounded(share: f64) -> f64 {
    let rounded = (share * 1e6).round() / 1e6;
    if share > 0.0 { rounded.max(1e-6) } else { rounded }
}

/// A similarity as in reports and answers: with six decimals, rounded down, so that the pair is
/// found again if this is the least similarity. One above 0 is not rounded to 0.
///
/// ```
/// use nearprint::shares::rounded_down;
/// assert_eq!([0.0, 1e-9, 2.0 / 3.0, 0.29, 1.0].map(rounded_down), [0.0, 0.000001, 0.666666, 0.29, 1.0]);
/// ```
pub fn rounded_down(similarity: f64) -> f64 {
    let millionths = (similarity * 1e6).round();
    let is_above = millionths / 1e6 > similarity;
    let down = if is_above { (millionths - 1.0) / 1e6 } else { millionths / 1e6 };
    if similarity > 0.0 { down.max(1e-6) } else { down }
}

/// Writes a similarity with six decimals, [rounded down](rounded_down).
///
/// # Errors
/// The errors of the serializer.
pub fn serialize_rounded<S: serde::Serializer>(
    similarity: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded_down(*similarity))
}

/// A share in percent. A share above 0 is not shown as 0.
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
