//! A place among the letters and digits of a normalized text -> the same place in the normalized
//! text, and in the text as read.

use std::ops::Range;

use nearprint_core::normalize::{AsRead, Normalizer, counting, is_of_spaced_word};
use unicode_segmentation::UnicodeSegmentation;

/// The most characters of a word that a place takes in at each of its ends.
const LONGEST_WORD: usize = 32;

/// The ranges of a normalized text that have these ranges of its letters and digits, in bytes.
pub(super) fn in_text(text: &str, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = ranges.collect();
    let counts = counting(text);
    let mut bounds: Vec<(usize, bool, &mut usize)> = (ranges.iter_mut())
        .flat_map(|Range { start, end }| [(*start, false, start), (*end, true, end)])
        .collect();
    bounds.sort_unstable_by_key(|(bound, is_end, _)| (*bound, !*is_end));
    // A range begins right before a letter, and ends right after one.
    let (mut before, mut end, mut rest) =
        (0, 0, text.char_indices().filter(|(_, c)| counts(*c)).peekable());
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

/// Finds the characters of a text as read that belong to a place among its letters and digits.
///
/// ```
/// use nearprint::leak::Characters;
/// use nearprint_core::normalize::{Normalizer, Options};
/// let normalizer = Normalizer::new(Options::default());
/// // The letters and digits of the text are "he说abc", in half-width forms.
/// let characters = Characters::new("He: “说 ＡＢＣ”", &normalizer);
/// assert_eq!(characters.of(2..8, ["", ""]), (5, 9));
/// assert_eq!(characters.of(2..8, ["\"", ".\""]), (5, 9));
/// ```
pub struct Characters<'t> {
    text: &'t str,
    normalizer: &'t Normalizer,
    read: AsRead<'t>,
}

impl<'t> Characters<'t> {
    /// The characters of a text as read, and its normalizer.
    pub fn new(text: &'t str, normalizer: &'t Normalizer) -> Characters<'t> {
        let read = AsRead::new(text, normalizer, counting(&normalizer.normalize(text)));
        Characters { text, normalizer, read }
    }

    /// The first and the last character, counted from 0, of a range of the letters and digits. The
    /// range is in bytes and not empty. The characters make whole words, with the marks of their
    /// letters. `before` and `after` are the signs of the normalized item before its first letter
    /// and after its last one; they belong to the place if they stand there.
    pub fn of(&self, place: Range<usize>, [before, after]: [&str; 2]) -> (usize, usize) {
        let ((first, start), (last, end)) =
            (self.read.with(place.start + 1), self.read.with(place.end));
        let ahead = self.text[..start].chars().rev();
        let behind = self.text[end..].chars().skip(1);
        let marks =
            self.text[end..].graphemes(true).next().map_or(0, |letter| letter.chars().count() - 1);
        let earlier = rest_of_word(self.text[start..].chars().next(), ahead.clone());
        let later =
            marks + rest_of_word(self.text[end..].chars().nth(marks), behind.clone().skip(marks));
        let ahead =
            earlier + self.signs(ahead.skip(earlier), before, |left, sign| left.strip_suffix(sign));
        let behind =
            later + self.signs(behind.skip(later), after, |left, sign| left.strip_prefix(sign));
        (first - ahead, last + behind)
    }

    /// The number of these characters, from the first one on, that are the signs of an item or
    /// white space between them.
    fn signs(
        &self,
        characters: impl Iterator<Item = char>,
        signs: &str,
        strip: impl for<'s> Fn(&'s str, &str) -> Option<&'s str>,
    ) -> usize {
        let (mut left, mut signs_there) = (signs.trim(), 0);
        for (place, c) in characters.enumerate().take_while(|(place, _)| *place < 2 * signs.len()) {
            if c.is_whitespace() {
                continue;
            }
            let sign = self.normalizer.normalize(c.encode_utf8(&mut [0; 4]));
            match strip(left, &sign) {
                Some(rest) if !sign.is_empty() => (left, signs_there) = (rest.trim(), place + 1),
                _ => break,
            }
        }
        signs_there
    }
}

/// The number of these characters, from the first one on, that continue the word of the character
/// before them.
fn rest_of_word(last: Option<char>, characters: impl Iterator<Item = char>) -> usize {
    match last.filter(|c| is_of_spaced_word(*c)) {
        Some(_) => characters.take(LONGEST_WORD).take_while(|c| is_of_spaced_word(*c)).count(),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use nearprint_core::normalize::Options;
    use proptest::prelude::*;

    use super::*;

    fn letters_of(text: &str, normalizer: &Normalizer) -> usize {
        normalizer.normalize(text).chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum()
    }

    proptest! {
        #[test]
        fn ranges_of_letters_are_found_in_the_text(
            parts in prop::collection::vec(("[ ,。]{0,3}", "[a-z天地0-9]{1,6}"), 1..12),
            picked in prop::collection::vec(any::<bool>(), 12),
        ) {
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
            // The ranges are in any order, and overlap.
            ranges.push(0..letters);
            expected.push(text[parts[0].0.len()..].trim_end_matches(|c: char| !c.is_alphanumeric()));
            ranges.rotate_right(1);
            expected.rotate_right(1);
            let found = in_text(&text, ranges.into_iter());
            prop_assert_eq!(found.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), expected);
            prop_assert_eq!(at, text.len());
        }

        #[test]
        fn characters_as_read_are_those_of_the_place(
            before in "([a-zＡ-Ｚ 資訊，\n]{0,40}[Ａ，訊\n])?",
            own in "[a-zＡ資]([a-zＡ-Ｚ 資訊，\n]{0,20}[a-z訊])?",
            after in "([資，Ｚ ][a-zＡ-Ｚ 資訊，\n]{0,40})?",
        ) {
            let normalizer = Normalizer::new(Options::default());
            let text = format!("{before}{own}{after}");
            let start = letters_of(&before, &normalizer);
            let (first, last) = Characters::new(&text, &normalizer).of(start..start + letters_of(&own, &normalizer), ["", ""]);
            let characters: Vec<char> = text.chars().collect();
            prop_assert_eq!(characters[first..=last].iter().collect::<String>(), own);
        }
    }

    #[test]
    fn places_in_long_texts_are_found_too() {
        let normalizer = Normalizer::new(Options::default());
        let phrases =
            ["這是一段很長的文字，Ａ sentence of many ﬁne words… ", "頭髮乾燥而後發財", "naïve—"];
        for (before, after) in phrases
            .iter()
            .flat_map(|phrase| [(phrase.repeat(300), ""), (phrase.repeat(7), "尾尾尾")])
        {
            let text = format!("{before}THE PASSAGE{}", after.repeat(3000));
            let start = letters_of(&before, &normalizer);
            let first = before.chars().count();
            assert_eq!(
                Characters::new(&text, &normalizer).of(start..start + 10, ["", ""]),
                (first, first + 10)
            );
        }
    }

    #[test]
    fn what_is_stripped_is_passed_over() {
        let normalizer = Normalizer::new(Options::default());
        let text = "見 <p class=\"x\">https://example.com/a THE <b>passage</b>, bob@example.com of it 資訊";
        let own = "THE <b>passage</b>, bob@example.com of it";
        let start = letters_of("見", &normalizer);
        let (first, last) =
            Characters::new(text, &normalizer).of(start..start + "thepassageofit".len(), ["", ""]);
        assert_eq!(text.chars().skip(first).take(last + 1 - first).collect::<String>(), own);
    }

    #[test]
    fn signs_of_the_item_and_marks_of_letters_belong_to_it() {
        let normalizer = Normalizer::new(Options::default());
        for (text, letters, signs, own) in [
            ("so: How many? Go", 2..9, ["", "?"], "How many?"),
            ("so: How many ? Go", 2..9, ["", "?"], "How many ?"),
            ("so: How many. Go", 2..9, ["", "?"], "How many"),
            ("so (“How many”？ Go", 2..9, ["“", "”?"], "“How many”？"),
            ("so (“How many…", 2..9, ["(\"", "...)"], "How many…"),
            ("多少？！好", 0..6, ["", "?"], "多少？"),
            ("a Whichever hormone, or", 4..15, ["", ""], "Whichever hormone"),
            ("it is 1234.5 or", 5..7, ["", "."], "1234."),
            ("is x\u{302} and", 0..3, ["", ""], "is x\u{302}"),
            ("a cafe\u{301} there", 1..4, ["", ""], "cafe\u{301}"),
            ("as E\u{301}tienne goes", 4..10, ["", ""], "E\u{301}tienne"),
            ("an \u{1112}\u{1161}\u{11ab} on", 0..5, ["", ""], "an \u{1112}\u{1161}\u{11ab}"),
        ] {
            let (first, last) = Characters::new(text, &normalizer).of(letters, signs);
            assert_eq!(text.chars().skip(first).take(last + 1 - first).collect::<String>(), own);
        }
    }

    #[test]
    fn where_there_are_no_letters_signs_are_counted() {
        assert_eq!(in_text("- * + /", std::iter::once(1..3)).first(), Some(&(2..5)));
    }
}
