//! Two texts -> the characters that show nothing, if the texts differ in them alone.
//!
//! Such texts look equal wherever they are shown, so a person sees no difference. Cost: the length
//! of both texts.

use std::collections::BTreeMap;

use crate::signs::shows_nothing;

/// The most codes in a sentence.
const NAMED: usize = 8;

/// The sentence that two texts differ only in characters that show nothing, with their codes;
/// `None` if they differ in other characters as well, or are equal.
///
/// ```
/// use nearprint_core::view::only_unseen_differ;
/// assert_eq!(
///     only_unseen_differ("pay\u{200b}ment", "pay\u{ad}ment").unwrap(),
///     "the two texts differ only in invisible characters: U+00AD, U+200B"
/// );
/// assert_eq!(only_unseen_differ("pay\u{200b}ment", "payments"), None);
/// assert_eq!(only_unseen_differ("pay\u{200b}ment", "pay\u{200b}ment"), None);
/// ```
pub fn only_unseen_differ(left: &str, right: &str) -> Option<String> {
    let [left_shown, right_shown] =
        [left, right].map(|text| text.chars().filter(|c| !shows_nothing(*c)));
    if left == right || !left_shown.eq(right_shown) {
        return None;
    }
    let mut counts: BTreeMap<char, [usize; 2]> = BTreeMap::new();
    for (side, text) in [left, right].into_iter().enumerate() {
        text.chars()
            .filter(|c| shows_nothing(*c))
            .for_each(|c| counts.entry(c).or_default()[side] += 1);
    }
    let differ = counts.values().any(|[left, right]| left != right);
    // If both texts have equally many of each, they stand in other places.
    let codes = counts.into_iter().filter(|(_, [left, right])| !differ || left != right);
    let codes: Vec<String> = codes.map(|(c, _)| format!("U+{:04X}", u32::from(c))).collect();
    let more = codes.len().saturating_sub(NAMED);
    let named = codes[..codes.len() - more].join(", ");
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Some(format!("the two texts differ only in invisible characters: {named}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_in_which_the_texts_differ() {
        let codes = |left: &str, right: &str| {
            only_unseen_differ(left, right).map(|told| told.split(": ").nth(1).unwrap().to_string())
        };
        assert_eq!(codes("\u{feff}a\u{200d}b", "a\u{200d}b").as_deref(), Some("U+FEFF"));
        assert_eq!(codes("a\u{200e}b", "ab\u{200e}").as_deref(), Some("U+200E"));
        assert_eq!(codes("", "\u{e0041}").as_deref(), Some("U+E0041"));
        assert_eq!(codes("a b", "a\u{200b}  b"), None);
        let many: String = ('\u{2060}'..='\u{2069}').collect();
        assert!(codes("", &many).unwrap().ends_with("U+2067 and 2 more"));
    }
}
