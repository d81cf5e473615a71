//! The difference of two texts -> a sentence with the numbers that decide beside the similarity.

use nearprint_core::compare::{Difference, Fact};

/// The number of places that differ, the number of these in which words are replaced by other
/// words, and the number of figures that contradict; `None` if the texts have the same letters in
/// the same order.
///
/// ```
/// use nearprint::compare::what_counts;
/// use nearprint_core::compare::passages;
/// let difference = passages("qtly div 10 cts a share", "qtly div 12 cts a share").difference;
/// assert_eq!(
///     what_counts(&difference).unwrap(),
///     "the texts differ in 1 place; words are exchanged in 1; 1 figure of 1 contradicts"
/// );
/// assert_eq!(what_counts(&passages("same words", "same words").difference), None);
/// ```
pub fn what_counts(difference: &Difference) -> Option<String> {
    let Difference { places, exchanged, contradicting, figures, framed, .. } = *difference;
    if places == 0 {
        return None;
    }
    let mut told =
        format!("the texts differ in {places} place{}", if places == 1 { "" } else { "s" });
    if exchanged > 0 {
        told += &format!("; words are exchanged in {exchanged}");
    }
    if contradicting > 0 {
        told += &format!("; {}", figures_in_words(contradicting, figures));
    }
    if framed.iter().any(|letters| *letters > 0) {
        told += "; a beginning or end that only one text has counts a third";
    }
    Some(told)
}

/// The number of figures that contradict: `1 figure of 2 contradicts`.
fn figures_in_words(contradicting: u32, figures: u32) -> String {
    match contradicting {
        1 => format!("1 figure of {figures} contradicts"),
        _ => format!("{contradicting} figures of {figures} contradict"),
    }
}

/// The reason why two texts are no duplicates despite their similarity.
pub fn in_words(fact: Fact, difference: &Difference) -> String {
    let Difference { places, exchanged, repeated, contradicting, figures, .. } = *difference;
    match fact {
        Fact::Figures => {
            format!(
                "{}, so the texts say different things",
                figures_in_words(contradicting, figures)
            )
        }
        Fact::Repeated => format!(
            "one word is exchanged for the same other word in {repeated} places of {places}: the \
             texts are about different things"
        ),
        Fact::Exchanged => format!(
            "one of them has three or more near neighbors, and words are exchanged in {exchanged} \
             of {places} place{}: the texts fill in the same form",
            if places == 1 { "" } else { "s" }
        ),
    }
}
