//! Two texts -> the first passage in which they differ, with some words around it, as each of them has it.
//!
//! Letters and digits are compared, normalized one by one. The passage ends where a few letters in a row are the same again: at
//! the nearest such place, by letters of both texts. It is widened to whole words. For a person to look at; no verdict depends on
//! it.
//!
//! Cost: the letters before the passage, and the square of [`LOOKED_AT`] at most.

use std::ops::Range;

/// Letters of each text in which the end of the passage is looked for.
const LOOKED_AT: usize = 240;

/// Letters in a row that end the passage.
const SAME_AGAIN: usize = 8;

/// Characters that are shown before the passage, and behind it.
const AROUND: usize = 24;

/// Characters of the passage that are shown.
const SHOWN: usize = 40;

/// A letter or digit: where it stands in the text, and its normalized form.
type Letter = (Range<usize>, char);

/// The first passage that differs, in brackets, with some words around it, in one line for each text. `None` where all letters and
/// digits are the same.
pub(super) fn differing(left: &str, right: &str, normalized: impl Fn(&str) -> String) -> Option<[String; 2]> {
    let from = shared_beginning(left, right);
    let [mut one, mut other] = [left, right].map(|text| letters(text, from, &normalized));
    let first = loop {
        match (one.next(), other.next()) {
            (Some(left), Some(right)) if left.1 == right.1 => (),
            (None, None) => return None,
            first => break first,
        }
    };
    let one: Vec<Letter> = first.0.into_iter().chain(one).take(LOOKED_AT + SAME_AGAIN).collect();
    let other: Vec<Letter> = first.1.into_iter().chain(other).take(LOOKED_AT + SAME_AGAIN).collect();
    let ends = same_again(&one, &other).unwrap_or((one.len(), other.len()));
    let differing = [(left, one.first(), &one[..ends.0]), (right, other.first(), &other[..ends.1])];
    let [own, others] = whole_words(
        [left, right],
        differing.map(|(text, first, letters)| {
            let start = first.map_or(text.trim_end().len(), |letter| letter.0.start);
            start..letters.last().map_or(start, |letter| letter.0.end)
        }),
    );
    Some([shown(left, own), shown(right, others)])
}

/// Bytes at the beginning that are the same, up to a border of characters.
fn shared_beginning(left: &str, right: &str) -> usize {
    let same = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    (0..=same).rev().find(|place| left.is_char_boundary(*place)).unwrap_or(0)
}

/// The letters and digits of a text from this place on.
fn letters<'t>(
    text: &'t str,
    from: usize,
    normalized: &'t impl Fn(&str) -> String,
) -> impl Iterator<Item = Letter> + 't {
    text[from..].char_indices().flat_map(move |(place, c)| {
        let (place, mut bytes) = (from + place, [0; 4]);
        let forms: Vec<char> = match c.is_ascii_digit() {
            true => vec![c],
            false => normalized(c.encode_utf8(&mut bytes)).chars().filter(|c| c.is_alphanumeric()).collect(),
        };
        forms.into_iter().map(move |form| (place..place + c.len_utf8(), form))
    })
}

/// How many letters of each text lie before the nearest place where they are the same again. Both may end there.
fn same_again(one: &[Letter], other: &[Letter]) -> Option<(usize, usize)> {
    let all_of = |letters: &[Letter]| letters.len() < LOOKED_AT + SAME_AGAIN;
    let is_same = |left: usize, right: usize| {
        let (rest, of_other) = (&one[left..], &other[right..]);
        let count = rest.len().min(of_other.len()).min(SAME_AGAIN);
        let to_the_end = all_of(one) && all_of(other) && rest.len() == of_other.len();
        let same = rest.iter().zip(of_other).take(count).all(|(left, right)| left.1 == right.1);
        (count == SAME_AGAIN || to_the_end) && same
    };
    let places = (1..=one.len() + other.len())
        .flat_map(|sum| (sum.saturating_sub(other.len())..=sum.min(one.len())).map(move |left| (left, sum - left)));
    places.into_iter().find(|(left, right)| is_same(*left, *right))
}

/// Passages of two texts, widened to whole words: both where one needs it, since the letters beside them are the same.
fn whole_words(texts: [&str; 2], passages: [Range<usize>; 2]) -> [Range<usize>; 2] {
    let is_of_word = |c: &char| c.is_alphanumeric() && *c < '\u{2e80}';
    let before = |text: &str, place: usize| -> usize {
        text[..place].chars().rev().take_while(is_of_word).map(char::len_utf8).sum()
    };
    let behind =
        |text: &str, place: usize| -> usize { text[place..].chars().take_while(is_of_word).map(char::len_utf8).sum() };
    let is_within = |text: &str, place: usize| before(text, place) > 0 && behind(text, place) > 0;
    let sides = || texts.iter().zip(&passages);
    let (starts_within, ends_within) = (
        sides().any(|(text, passage)| is_within(text, passage.start)),
        sides().any(|(text, passage)| is_within(text, passage.end)),
    );
    [0, 1].map(|side| {
        let (text, Range { start, end }) = (texts[side], passages[side].clone());
        let wider = |is_wanted: bool, by: usize| if is_wanted { by } else { 0 };
        start - wider(starts_within, before(text, start))..end + wider(ends_within, behind(text, end))
    })
}

/// A passage in brackets with some words around it, white space folded.
fn shown(text: &str, passage: Range<usize>) -> String {
    let before: String = text[..passage.start].chars().rev().take(AROUND + 1).collect();
    let before: String = before.chars().rev().collect();
    let before = match before.chars().count() > AROUND {
        // Not from the middle of a word, if a word begins here.
        true => {
            let rest = before.split_once(char::is_whitespace).map_or(&*before, |(_, rest)| rest);
            format!("…{}", folded(rest))
        }
        false => folded(&before).trim_start().to_string(),
    };
    let inside = first(&folded(&text[passage.clone()]), SHOWN);
    let behind: String = text[passage.end..].chars().take(AROUND + 1).collect();
    let behind = match behind.chars().count() > AROUND {
        true => {
            let rest = behind.rsplit_once(char::is_whitespace).map_or(&*behind, |(rest, _)| rest);
            format!("{}…", folded(rest))
        }
        false => folded(&behind).trim_end().to_string(),
    };
    format!("{before}[{inside}]{behind}")
}

/// The first characters of a text, white space folded.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    // Words enough for what is shown, whatever the length of the text.
    let folded = text.split_whitespace().take(characters).collect::<Vec<_>>().join(" ");
    first(&folded, characters)
}

/// The first characters of a text.
fn first(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A text with one blank for each run of white space.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_whitespace() {
            false => out.push(c),
            true if out.ends_with(' ') => (),
            true => out.push(' '),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::{Normalizer, Options};
    use proptest::prelude::*;

    fn of(left: &str, right: &str) -> Option<[String; 2]> {
        let normalizer = Normalizer::new(Options::default());
        differing(left, right, |text| normalizer.normalize(text))
    }

    fn both(left: &str, right: &str) -> Option<[String; 2]> {
        Some([left.to_string(), right.to_string()])
    }

    #[test]
    fn the_first_passage_that_differs_is_shown_with_words_around_it() {
        let text = "The crew has replaced both engines, painted the railings green and hired a cook who bakes buns.";
        assert_eq!(
            of(text, &text.replace("railings", "cabins")),
            both(
                "…engines, painted the [railings] green and hired a cook…",
                "…engines, painted the [cabins] green and hired a cook…"
            )
        );
        assert_eq!(
            of(text, &text.replace("both ", "").replace("buns", "rolls")),
            both("The crew has replaced [both] engines, painted the…", "The crew has replaced []engines, painted the…")
        );
        assert_eq!(
            of("清明前的第一锅新茶出炉了，芽头比往年早冒了六天。", "清明前的第一锅新茶出炉了，芽头比往年早冒了九天。"),
            both(
                "清明前的第一锅新茶出炉了，芽头比往年早冒了[六]天。",
                "清明前的第一锅新茶出炉了，芽头比往年早冒了[九]天。"
            )
        );
    }

    #[test]
    fn what_normalization_makes_the_same_does_not_differ() {
        assert_eq!(of("定於４月18日", "定于4月１８日！"), None);
        assert_eq!(of("The  Ferry", "the ferry."), None);
        assert_eq!(of("", ""), None);
        assert_eq!(
            of("Closed on ４ May, 10 am", "closed on 4 May, 11 am"),
            both("Closed on ４ May, [10] am", "closed on 4 May, [11] am")
        );
    }

    #[test]
    fn ends_and_empty_texts_are_shown() {
        assert_eq!(of("one two", "one two three"), both("one two[]", "one two [three]"));
        assert_eq!(of("one two", "one twofold"), both("one [two]", "one [twofold]"));
        assert_eq!(of("", "one"), both("[]", "[one]"));
        assert_eq!(of("three one", "one"), both("[three] one", "[]one"));
        let (left, right) = ("一".repeat(900), "二".repeat(900));
        let shown = of(&left, &right).unwrap();
        assert_eq!(shown[0], format!("[{}…]{}…", "一".repeat(SHOWN), "一".repeat(AROUND + 1)));
    }

    proptest! {
        #[test]
        fn any_texts_are_shown_in_a_line(left in "[a-c 日月\\n]{0,40}", right in "[a-cA-C 日月]{0,40}") {
            let letters = |text: &str| -> String { text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect() };
            match of(&left, &right) {
                None => prop_assert_eq!(letters(&left), letters(&right)),
                Some(shown) => {
                    prop_assert_ne!(letters(&left), letters(&right));
                    // What stands before and behind the brackets is the same on both sides, as far as letters go.
                    let parts = shown.clone().map(|line| line.split(['[', ']']).map(letters).collect::<Vec<_>>());
                    prop_assert!(parts.iter().all(|parts| parts.len() == 3), "{:?}", shown);
                    prop_assert_ne!(&parts[0][1], &parts[1][1], "{:?}", shown);
                    prop_assert!(!shown.iter().any(|line| line.contains('\n')));
                }
            }
        }
    }
}
