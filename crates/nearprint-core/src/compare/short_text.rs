//! Two short texts -> their similarity: the share of their pairs of adjacent characters that the
//! other text has in the same order.
//!
//! Two texts of n characters together have n + 2 such pairs, where the beginning and the end of a
//! text count as characters. A place where a characters of one text differ from b of the other one
//! breaks a + b + 2 pairs. So the similarity is
//!
//! ```text
//! 1 - (characters of one text alone + 2 · places of difference) / (characters of both + 2)
//! ```
//!
//! for the alignment with the largest similarity. One character replaced in a text of n costs 2 /
//! (n + 1). Differences in one place cost less than in several places, and words in another order
//! differ: "from Paris to Rome" is not "from Rome to Paris".
//!
//! If each of two short texts has a figure that the other one lacks, they say different things, and
//! their similarity is 0. A figure that only one text has is a difference like others.
//!
//! White space, characters that show nothing and the [`MARKS`] at the end of a text do not count.
//! All other characters do: "C++" is not "C#". A repeated sign counts twice at most, and a text of
//! signs alone has no content: it is a line of dots or dashes. A text that repeats one thing ("good
//! good good") has it once.
//!
//! Cost: the product of the lengths of the parts between the common beginning and the common end.

use super::alignment::{CHARACTER, LONGEST, cheapest};
use super::words::words;
use crate::signs::shows_nothing;

/// Marks that a text may end with or not.
const MARKS: [char; 8] = ['.', ',', '!', ';', ':', '~', '。', '、'];

/// Returns true if a character of a short text counts.
pub fn counts(own: char) -> bool {
    own.is_ascii_alphanumeric() || !(own.is_whitespace() || shows_nothing(own))
}

/// A short text, of at most 4,000 characters, as it is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ShortText {
    /// Its characters that count.
    pub characters: Vec<char>,
    /// A hash of each figure, sorted.
    pub figures: Vec<u64>,
}

/// The similarity of two short texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShortSimilarity {
    /// 0 to 1.
    pub similarity: f64,
    /// The share of the characters of each text, this one first, that the other one lacks, 0 to 1.
    pub lost: [f64; 2],
}

/// The most that rounding adds to a number of broken pairs.
const ROUNDING: f64 = 1e-9;

impl ShortText {
    /// The short text of a normalized text.
    pub fn new(text: &str) -> ShortText {
        let mut short = ShortText::default();
        short.fill(text);
        short
    }

    /// Takes in a normalized text in place of the one before.
    pub fn fill(&mut self, text: &str) {
        self.characters.clear();
        if !text.contains(char::is_alphanumeric) {
            self.figures.clear();
            return;
        }
        for own in text.chars().filter(|own| counts(*own)) {
            let is_again =
                self.characters.iter().rev().take(2).filter(|before| **before == own).count() == 2;
            if own.is_alphanumeric() || !is_again {
                self.characters.push(own);
            }
        }
        without_marks(&mut self.characters);
        self.characters.truncate(period(&self.characters));
        without_marks(&mut self.characters);
        let mut found = Vec::new();
        words(text, &mut found);
        self.figures.clear();
        self.figures.extend(found.iter().filter(|word| word.is_figure).map(|word| word.hash));
        self.figures.sort_unstable();
    }

    /// About the highest `min-similarity` for which [`similarity`](Self::similarity) returns this
    /// similarity of two texts: a little more than it, since the bound allows for rounding.
    pub fn largest_least(&self, other: &ShortText, similarity: f64) -> f64 {
        let pairs = (self.characters.len() + other.characters.len() + 2) as f64;
        1.0 - (((1.0 - similarity) * pairs).round() - ROUNDING) / pairs
    }

    /// Returns true if two texts of this similarity are similar enough for a least similarity.
    pub fn reaches(&self, other: &ShortText, similarity: f64, least: f64) -> bool {
        let pairs = self.characters.len() + other.characters.len() + 2;
        ((1.0 - similarity) * pairs as f64).round() <= f64::from(most_broken(pairs, least))
    }

    /// The similarity of this text and another one, if it is `least` or more. It is 0 if each has a
    /// figure that the other one lacks, and for two empty texts.
    ///
    /// ```
    /// use nearprint_core::compare::ShortText;
    /// let of = |left: &str, right: &str| {
    ///     let [left, right] = [left, right].map(ShortText::new);
    ///     left.similarity(&right, 0.0).unwrap().similarity
    /// };
    /// assert_eq!(of("今天天气很好", "今天天气真好"), 1.0 - 4.0 / 14.0);
    /// assert_eq!(of("the code is 4711", "the code is 4712"), 0.0);
    /// ```
    pub fn similarity(&self, other: &ShortText, least: f64) -> Option<ShortSimilarity> {
        let pairs = self.characters.len() + other.characters.len() + 2;
        debug_assert!(pairs <= 2 * LONGEST + 2, "a text of {pairs} characters is not short");
        let contradict = pairs == 2 || contradict(&self.figures, &other.figures);
        if contradict && least > 0.0 {
            return None;
        }
        let cost = cheapest(&self.characters, &other.characters, most_broken(pairs, least))?;
        let (broken, places) = (cost / CHARACTER, cost % CHARACTER);
        let differing = broken - 2 * places;
        let [left, right] = [self, other].map(|text| text.characters.len() as f64);
        let lost = |own: f64, others: f64| {
            if own == 0.0 { 0.0 } else { (f64::from(differing) + own - others) / 2.0 / own }
        };
        let similarity = if contradict { 0.0 } else { 1.0 - f64::from(broken) / pairs as f64 };
        Some(ShortSimilarity { similarity, lost: [lost(left, right), lost(right, left)] })
    }
}

/// Removes the marks at the end.
fn without_marks(characters: &mut Vec<char>) {
    let past = characters.iter().rposition(|own| !MARKS.contains(own)).map_or(0, |last| last + 1);
    characters.truncate(past);
}

/// The number of characters that a text repeats at least twice, from its beginning to its end; else
/// the number of all characters. It follows from the borders of its beginnings (Knuth, Morris,
/// Pratt 1977).
fn period(characters: &[char]) -> usize {
    let mut borders = vec![0; characters.len()];
    let mut border = 0;
    for place in 1..characters.len() {
        while border > 0 && characters[place] != characters[border] {
            border = borders[border - 1];
        }
        border += usize::from(characters[place] == characters[border]);
        borders[place] = border;
    }
    let period = characters.len() - border;
    if 2 * period <= characters.len() { period } else { characters.len() }
}

/// The most pairs of characters of two similar texts that may be broken, of `pairs` of both.
/// Rounding excludes nothing that the bound includes.
pub fn most_broken(pairs: usize, least: f64) -> u32 {
    ((1.0 - least) * pairs as f64 + ROUNDING) as u32
}

/// Returns true if each of two sorted lists has a value that the other one lacks.
fn contradict(left: &[u64], right: &[u64]) -> bool {
    let (mut l, mut r, mut only) = (0, 0, [false; 2]);
    while l < left.len() && r < right.len() {
        let (a, b) = (left[l], right[r]);
        only = [only[0] || a < b, only[1] || b < a];
        l += usize::from(a <= b);
        r += usize::from(b <= a);
    }
    (only[0] || l < left.len()) && (only[1] || r < right.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The fewest broken pairs of characters of two texts: all alignments are tried.
    fn plain(left: &[char], right: &[char]) -> u32 {
        fn broken(left: &[char], right: &[char], in_place: bool) -> u32 {
            let tail = || u32::from(!in_place) * 2 + (left.len() + right.len()) as u32;
            let (Some((l, lefts)), Some((r, rights))) = (left.split_first(), right.split_first())
            else {
                return if left.is_empty() && right.is_empty() { 0 } else { tail() };
            };
            let opened = if in_place { 1 } else { 3 };
            let skipped =
                (broken(lefts, right, true) + opened).min(broken(left, rights, true) + opened);
            if l == r { skipped.min(broken(lefts, rights, false)) } else { skipped }
        }
        broken(left, right, false)
    }

    fn of(left: &str, right: &str) -> f64 {
        ShortText::new(left).similarity(&ShortText::new(right), 0.0).unwrap().similarity
    }

    #[test]
    fn characters_that_show_nothing_do_not_count() {
        for text in ["Ferry at 10", "今天12度", "フェリー再開", "عاد المركب", "आज नाव", "오늘 배가"]
        {
            for sign in "\u{200b}\u{ad}\u{200e}\u{2060}\u{feff}\u{e0061}\u{fe0f}\u{e0101}".chars() {
                let hidden: String = text.chars().flat_map(|own| [own, sign]).collect();
                assert_eq!(ShortText::new(&hidden), ShortText::new(text), "{hidden:?}");
            }
        }
        assert_eq!(ShortText::new("今\u{115f}天\u{3164}"), ShortText::new("今天"));
    }

    #[test]
    fn the_formula_is_the_one_that_is_told() {
        assert_eq!(of("abcdefg", "abcdefg"), 1.0);
        assert_eq!(of("abcdefg", "abcxefg"), 1.0 - 4.0 / 16.0);
        assert_eq!(of("abcdefg", "abcefg"), 1.0 - 3.0 / 15.0);
        // Two places cost more than one.
        assert!(of("abcdefghij", "abxyefghij") > of("abcdefghij", "axcdefyhij"));
        assert_eq!(of("北京到上海的火车", "上海到北京的火车"), 1.0 - 10.0 / 18.0);
    }

    #[test]
    fn everything_counts_but_white_space_and_marks_at_the_end() {
        assert_eq!(of("ab, ba!", "a b,\n ba...\u{200b}"), 1.0);
        assert!(
            of("c++", "c#") < 0.75
                && of(" ", "") == 0.0
                && of("1.2", "12") < 0.75
                && of("x != y", "x = y") < 0.75
        );
    }

    #[test]
    fn a_text_that_says_one_thing_again_and_again_says_it_once() {
        for (once, again) in
            [("很好", "很好很好很好"), ("good", "good good goo"), ("ab", "ab, ab, ab.")]
        {
            assert_eq!(of(once, again), 1.0, "{again}");
        }
        assert!(of("abcd", "abcdab") < 1.0 && of("no", "no yes no no") < 1.0);
    }

    proptest! {
        #[test]
        fn the_period_is_the_shortest_one(text in "[ab]{0,12}") {
            let text: Vec<char> = text.chars().collect();
            let repeats = |period: &usize| (*period..text.len()).all(|place| text[place] == text[place - period]);
            let expected = (1..=text.len() / 2).find(repeats).unwrap_or(text.len());
            prop_assert_eq!(period(&text), expected);
        }
    }

    #[test]
    fn figures_of_both_contradict_and_of_one_differ() {
        assert_eq!(of("北京 5 度", "北京 7 度"), 0.0);
        assert!(of("pay 30 days", "pay thirty days") > 0.0);
        assert!(of("room 12 on floor 3", "room 12 on floor") > 0.75);
        assert_eq!(of("5 of 12", "5 of 13"), 0.0);
    }

    #[test]
    fn what_is_lost_is_what_the_other_one_lacks() {
        let [one, other] = ["a large red house", "a red house"].map(ShortText::new);
        let found = one.similarity(&other, 0.5).unwrap();
        assert_eq!(found.lost, [5.0 / 14.0, 0.0]);
        assert_eq!(other.similarity(&one, 0.5).unwrap().lost, [0.0, 5.0 / 14.0]);
    }

    proptest! {
        #[test]
        fn the_table_finds_the_cheapest_alignment(
            left in "[ab天]{0,9}",
            right in "[ab天]{0,9}",
            least in prop_oneof![Just(0.5), Just(0.75), Just(1.0), 0.0f64..1.0],
        ) {
            let [one, other] = [&left, &right].map(|text| ShortText::new(text));
            let pairs = one.characters.len() + other.characters.len() + 2;
            let broken = plain(&one.characters, &other.characters);
            let expected = if pairs == 2 { 0.0 } else { 1.0 - f64::from(broken) / pairs as f64 };
            let found = one.similarity(&other, 0.0).unwrap();
            prop_assert_eq!(found.similarity, expected);
            prop_assert_eq!(one.similarity(&other, least).is_some(), expected >= least - 1e-9 || least == 0.0);
            let back = other.similarity(&one, 0.0).unwrap();
            prop_assert_eq!((back.similarity, back.lost[1], back.lost[0]), (found.similarity, found.lost[0], found.lost[1]));
        }
    }
}
