//! A place among the letters and digits of a normalized text -> the same place in the normalized text, and in the text as read.

use std::ops::Range;

use crate::normalize::Normalizer;

/// Bytes of a text as read that are normalized by themselves, or a little more: a place is looked for in one such block.
const BLOCK: usize = 4096;

/// The ranges of a normalized text that hold these ranges of its letters and digits, in bytes.
pub(super) fn in_text(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = ranges.collect();
    let counts = counting(text);
    let mut bounds: Vec<(usize, bool, &mut usize)> =
        (ranges.iter_mut()).flat_map(|Range { start, end }| [(*start, false, start), (*end, true, end)]).collect();
    bounds.sort_unstable_by_key(|(bound, is_end, _)| (*bound, !*is_end));
    // A beginning is right before a letter, an end right behind one.
    let (mut before, mut end, mut rest) = (0, 0, text.char_indices().filter(|(_, c)| counts(*c)).peekable());
    for (bound, is_end, place) in bounds {
        while before < bound {
            let Some((start, c)) = rest.next() else { break };
            (before, end) = (before + c.len_utf8(), start + c.len_utf8());
        }
        *place = match rest.peek() {
            Some((start, _)) if !is_end => *start,
            _ => end,
        };
    }
    ranges
}

/// Whether a character counts among the letters and digits of a normalized text: where it has none, its signs do.
fn counting(text: &str) -> fn(char) -> bool {
    match text.chars().any(char::is_alphanumeric) {
        true => char::is_alphanumeric,
        false => |c| !c.is_whitespace(),
    }
}

/// Finds characters of a text as read.
///
/// ```
/// use nearprint::leak::Characters;
/// use nearprint::normalize::{Normalizer, Options};
/// let normalizer = Normalizer::new(Options::default());
/// // The letters and digits of it are "he说ａｂｃ" in half-width forms: "he说abc".
/// let characters = Characters::new("He: “说 ＡＢＣ”", &normalizer);
/// assert_eq!(characters.of(2..8), (5, 9));
/// ```
pub struct Characters<'t> {
    text: &'t str,
    normalizer: &'t Normalizer,
    counts: fn(char) -> bool,
    /// Where blocks begin: in bytes, in characters, in bytes of letters and digits.
    blocks: Vec<(usize, usize, usize)>,
}

impl<'t> Characters<'t> {
    /// Of this text, which the normalizer normalizes.
    pub fn new(text: &'t str, normalizer: &'t Normalizer) -> Characters<'t> {
        let counts = counting(&normalizer.normalize(text));
        let mut blocks = vec![(0, 0, 0)];
        let (mut start, mut characters, mut letters) = (0, 0, 0);
        // What stands before white space is normalized without what follows.
        while let Some(length) = text[start..].char_indices().find(|(at, c)| *at >= BLOCK && c.is_whitespace()) {
            let block = &text[start..start + length.0];
            start += block.len();
            characters += block.chars().count();
            letters += bytes_of(block, normalizer, counts);
            blocks.push((start, characters, letters));
        }
        Characters { text, normalizer, counts, blocks }
    }

    /// The first and the last character, counted from 0, of a range of the letters and digits, which is not empty, in bytes.
    pub fn of(&self, place: Range<usize>) -> (usize, usize) {
        (self.with(place.start + 1), self.with(place.end))
    }

    /// The first character with which there are at least this many bytes of letters and digits.
    fn with(&self, bytes: usize) -> usize {
        let block = self.blocks.partition_point(|(.., letters)| *letters < bytes).max(1) - 1;
        let (start, characters, letters) = self.blocks[block];
        let end = self.blocks.get(block + 1).map_or(self.text.len(), |next| next.0);
        let text = &self.text[start..end];
        let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
        let is_less = |end: &usize| letters + bytes_of(&text[..*end], self.normalizer, self.counts) < bytes;
        characters + ends.partition_point(is_less).min(ends.len().saturating_sub(1))
    }
}

/// The bytes of those characters of a text that count, once it is normalized.
fn bytes_of(text: &str, normalizer: &Normalizer, counts: fn(char) -> bool) -> usize {
    normalizer.normalize(text).chars().filter(|c| counts(*c)).map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::Options;

    fn letters_of(text: &str, normalizer: &Normalizer) -> usize {
        bytes_of(text, normalizer, char::is_alphanumeric)
    }

    proptest! {
        #[test]
        fn ranges_of_letters_are_found_in_the_text(parts in prop::collection::vec(("[ ,。]{0,3}", "[a-z天地0-9]{1,6}"), 1..12), picked in prop::collection::vec(any::<bool>(), 12)) {
            let text: String = parts.iter().flat_map(|(between, word)| [between.as_str(), word]).collect();
            let (mut ranges, mut expected, mut letters, mut at) = (Vec::new(), Vec::new(), 0, 0);
            for ((between, word), picked) in parts.iter().zip(picked) {
                at += between.len();
                if picked {
                    ranges.push(letters..letters + word.len());
                    expected.push(word.as_str());
                }
                (letters, at) = (letters + word.len(), at + word.len());
            }
            // In any order, and overlapping.
            ranges.push(0..letters);
            expected.push(text[parts[0].0.len()..].trim_end_matches(|c: char| !c.is_alphanumeric()));
            ranges.rotate_right(1);
            expected.rotate_right(1);
            let found = in_text(&text, ranges.into_iter());
            prop_assert_eq!(found.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), expected);
            prop_assert_eq!(at, text.len());
        }

        #[test]
        fn characters_as_read_are_those_of_the_place(before in "[a-zＡ-Ｚ 資訊，\n]{0,40}", own in "[a-zＡ資]([a-zＡ-Ｚ 資訊，\n]{0,20}[a-z訊])?", after in "[a-zＡ-Ｚ 資訊，\n]{0,40}") {
            let normalizer = Normalizer::new(Options::default());
            let text = format!("{before}{own}{after}");
            let start = letters_of(&before, &normalizer);
            let (first, last) = Characters::new(&text, &normalizer).of(start..start + letters_of(&own, &normalizer));
            let characters: Vec<char> = text.chars().collect();
            prop_assert_eq!(characters[first..=last].iter().collect::<String>(), own);
        }
    }

    #[test]
    fn places_in_long_texts_are_found_too() {
        let normalizer = Normalizer::new(Options::default());
        let before = "這是一段很長的文字，Ａ sentence of many ﬁne words… ".repeat(300);
        for after in [String::new(), "尾".repeat(9000)] {
            let text = format!("{before}THE PASSAGE{after}");
            let start = letters_of(&before, &normalizer);
            let first = before.chars().count();
            assert_eq!(Characters::new(&text, &normalizer).of(start..start + 10), (first, first + 10));
        }
    }

    #[test]
    fn where_there_are_no_letters_signs_are_counted() {
        assert_eq!(in_text("- * + /", std::iter::once(1..3)).first(), Some(&(2..5)));
    }
}
