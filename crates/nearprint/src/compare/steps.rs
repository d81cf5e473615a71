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
///     "of the letters of both 0.889 stand in the other one; 0.889 less for what stands near figures that contradict each other"
/// );
/// assert_eq!(what_counts(&passages("same words", "same words").steps, 1.0), None);
/// ```
pub fn what_counts(steps: &Steps, similarity: f64) -> Option<String> {
    let Steps { shared, uncontradicted, coverage } = *steps;
    let mut parts = Vec::new();
    let mut add = |by: f64, why: &str| {
        if by.abs() >= TOLD {
            parts.push(format!("{:.3} {} for {why}", by.abs(), if by > 0.0 { "more" } else { "less" }));
        }
    };
    match uncontradicted > shared {
        true => add(uncontradicted - shared, "a beginning and an end that each has of its own, which count a third"),
        false => add(uncontradicted - shared, "what one has more than the other one"),
    }
    add(coverage - uncontradicted, "what stands near figures that contradict each other");
    add(similarity - coverage, "what stands near the slots of a form that the two fill in otherwise");
    match parts.is_empty() {
        true => None,
        false => Some(format!("of the letters of both {shared:.3} stand in the other one; {}", parts.join(", "))),
    }
}
