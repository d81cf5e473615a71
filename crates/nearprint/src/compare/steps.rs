//! How a coverage comes about -> a sentence: what two texts share, and what does not count of it.

use crate::verify::Steps;

/// Smaller parts of a similarity are not told.
const TOLD: f64 = 0.0005;

/// What makes the similarity of two texts another one than the share of their letters that stands in the other one; `None` where nothing
/// does. The similarity is that of the run, where other documents may show a form that the two fill in.
///
/// ```
/// use nearprint::compare::what_counts;
/// use nearprint::verify::passages;
/// let steps = passages("qtly div 10 cts a share", "qtly div 12 cts a share").steps;
/// assert_eq!(
///     what_counts(&steps, steps.coverage).unwrap(),
///     "0.944 of the letters of the two texts also stand in the other text; \
///      0.944 less for the letters near figures that contradict each other"
/// );
/// assert_eq!(what_counts(&passages("same words", "same words").steps, 1.0), None);
/// ```
pub fn what_counts(steps: &Steps, similarity: f64) -> Option<String> {
    let Steps { shared, uncontradicted, coverage } = *steps;
    let mut parts = Vec::new();
    let mut add = |by: f64, why: &str| {
        if by.abs() >= TOLD {
            parts.push(format!("{:.3} {}{why}", by.abs(), if by > 0.0 { "more" } else { "less" }));
        }
    };
    match uncontradicted > shared {
        true => add(
            uncontradicted - shared,
            ", since the beginning and the end that each text has of its own count a third",
        ),
        false => add(uncontradicted - shared, ", since one text has more than the other"),
    }
    add(coverage - uncontradicted, " for the letters near figures that contradict each other");
    // A form takes away only; where the run says more than the texts do, these have changed since.
    add(
        (similarity - coverage).min(0.0),
        " for the letters near the slots of a form, which the two texts fill in differently",
    );
    match parts.is_empty() {
        true => None,
        false => Some(format!(
            "{shared:.3} of the letters of the two texts also stand in the other text; {}",
            parts.join("; ")
        )),
    }
}
