//! A least similarity and the length of a text -> segments of the text. At least one of them is
//! whole in every longer text that is similar.
//!
//! Say that two texts break U pairs of characters
//! ([`ShortText::similarity`](crate::compare::ShortText::similarity)), and that the longer one has
//! d characters more. A place with a differing characters in the shorter text and b in the longer
//! one costs a + b + 2. It touches at most one segment if a < 2, and otherwise at most 2 + (a - 2)
//! / 2 segments of two or more characters. That is at most 0.4 (a + b + 2) - 0.2 (b - a) for every
//! a and b, and in sum 0.4 U - 0.2 d. So if there is one segment more, at least one is whole in the
//! longer text (the pigeonhole principle, as in Pass-Join; Li, Deng, Wang and Feng 2011).

use std::ops::Range;

use crate::compare::most_broken;

/// The fewest characters of a segment.
const FEWEST: usize = 2;

/// The number of segments of a text of this number of characters; `None` if they would be too
/// small.
pub(super) fn segments(length: usize, least: f64) -> Option<usize> {
    let share = 1.0 - least;
    let touched = |more: f64| 0.4 * share * (2.0 * length as f64 + more + 2.0) - 0.2 * more;
    // The number is linear in the difference of the lengths, so its maximum is at the least or the
    // largest one. The largest one is that of a text with one insertion.
    let most = if share < 1.0 {
        ((share * (2.0 * length as f64 + 2.0) - 2.0) / least).max(0.0)
    } else {
        f64::MAX
    };
    let segments = (touched(0.0).max(touched(most)) + 1e-6).min(1e9) as usize + 1;
    (segments * FEWEST <= length).then_some(segments)
}

/// The range of a segment. The lengths of all segments differ by at most one.
pub(super) fn segment(length: usize, segments: usize, number: usize) -> Range<usize> {
    length * number / segments..length * (number + 1) / segments
}

/// The fewest characters of a text that may be similar to a text of this number of characters.
pub(super) fn shortest(length: usize, least: f64) -> usize {
    let may_be_similar =
        |shorter: &usize| length - shorter + 2 <= most_broken(length + shorter + 2, least) as usize;
    (0..length).find(may_be_similar).unwrap_or(length)
}

/// The lengths of the segments of texts of `lengths` characters, each once.
pub(super) fn lengths_of_segments(lengths: Range<usize>, least: f64) -> Vec<usize> {
    let of_text = |length: usize| {
        segments(length, least).map(|count| [length / count, length.div_ceil(count)])
    };
    let mut found: Vec<usize> = lengths.filter_map(of_text).flatten().collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compare::ShortText;

    proptest! {
        #[test]
        fn one_segment_is_whole_in_every_similar_longer_text(
            text in "[a-d]{2,40}",
            edits in proptest::collection::vec((0usize..60, 0usize..4, "[a-dx]{0,3}"), 0..8),
            least in prop_oneof![Just(0.75), Just(0.5), 0.4f64..1.0],
        ) {
            let mut other: Vec<char> = text.chars().collect();
            for (place, lost, more) in edits {
                let place = place.min(other.len());
                let past = (place + lost).min(other.len());
                other.splice(place..past, more.chars());
            }
            let mut texts = [text.chars().collect::<Vec<char>>(), other];
            texts.sort_by_key(Vec::len);
            let [shorter, longer] = texts;
            let short = |characters: &Vec<char>| ShortText { characters: characters.clone(), figures: Vec::new() };
            let is_similar = short(&shorter).similarity(&short(&longer), least).is_some();
            if let (true, Some(count)) = (is_similar, segments(shorter.len(), least)) {
                let is_whole = |number| {
                    let segment = &shorter[segment(shorter.len(), count, number)];
                    longer.windows(segment.len()).any(|window| window == segment)
                };
                prop_assert!((0..count).any(is_whole), "{count} segments");
            }
            if is_similar && !shorter.is_empty() {
                prop_assert!(shorter.len() >= shortest(longer.len(), least));
            }
        }
    }

    #[test]
    fn segments_cover_the_text() {
        for (length, count) in [(10, 3), (46, 10), (7, 1)] {
            let parts: Vec<Range<usize>> =
                (0..count).map(|number| segment(length, count, number)).collect();
            assert!(parts[0].start == 0 && parts[count - 1].end == length);
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
        assert_eq!(segments(46, 0.75), Some(10));
        assert_eq!(segments(3, 0.3), None);
    }
}
