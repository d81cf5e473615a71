//! Two texts and their view -> the first passage of each in which they differ, with some words
//! around it.
//!
//! People read it; no verdict depends on it.

use std::ops::Range;

use super::{Kind, Piece, View};

/// The characters that are shown before the passage, and after it.
const AROUND: usize = 24;

/// The characters of the passage that are shown.
const SHOWN: usize = 40;

/// The first passage that differs, in brackets, with some words around it, in one line for each
/// text; `None` if nothing differs.
///
/// ```
/// use nearprint_core::normalize::{Normalizer, Options};
/// use nearprint_core::judge::Basis;
/// use nearprint_core::view::{View, first_difference};
/// let texts = ["The ferry returns on Monday.", "The ferry returns on Sunday."];
/// let view = View::new(texts, &Normalizer::new(Options::default()), Basis::Characters);
/// let shown = first_difference(texts, &view).unwrap();
/// assert_eq!(shown[1], "The ferry returns on [Sunday].");
/// ```
pub fn first_difference(texts: [&str; 2], view: &View) -> Option<[String; 2]> {
    let [own, others] = first_passage(texts, view)?;
    Some([shown(texts[0], own), shown(texts[1], others)])
}

/// The first passage of each text that differs, at most this number of characters of it, in one
/// line; `None` if nothing differs.
///
/// ```
/// use nearprint_core::normalize::{Normalizer, Options};
/// use nearprint_core::judge::Basis;
/// use nearprint_core::view::{View, first_differing};
/// let texts = ["The ferry returns on Monday, they say.", "The ferry returns, they say."];
/// let view = View::new(texts, &Normalizer::new(Options::default()), Basis::Characters);
/// assert_eq!(first_differing(texts, &view, 40), Some(["on Monday", ""].map(String::from)));
/// assert_eq!(first_differing(texts, &view, 2), Some(["on", ""].map(String::from)));
/// ```
pub fn first_differing(texts: [&str; 2], view: &View, characters: usize) -> Option<[String; 2]> {
    let parts = first_passage(texts, view)?;
    Some(
        [0, 1].map(|side| {
            folded(&texts[side][parts[side].clone()]).chars().take(characters).collect()
        }),
    )
}

/// The first parts that differ, without the blanks around them. A part is empty if only the other
/// text has one.
fn first_passage(texts: [&str; 2], view: &View) -> Option<[Range<usize>; 2]> {
    let compared = |side: &'_ Vec<Piece>| -> Vec<Piece> {
        side.iter().filter(|piece| piece.kind != Kind::Stripped).cloned().collect()
    };
    let [left, right] = [&view.left, &view.right].map(compared);
    let shared =
        |(left, right): &(&Piece, &Piece)| left.kind.is_in_order() && right.kind.is_in_order();
    let first = left.iter().zip(&right).take_while(shared).count();
    if first == left.len() && first == right.len() {
        return None;
    }
    let end = |side: &[Piece]| {
        side[first..].iter().position(|piece| piece.kind.is_in_order()).map(|by| first + by)
    };
    let parts = [(texts[0], &left), (texts[1], &right)].map(|(text, side)| {
        let start = side.get(first).map_or(text.len(), |piece| piece.start);
        let end = end(side).map_or(text.len(), |next| side[next].start);
        let part = &text[start..end];
        match part.trim() {
            // At the end of the text the blanks stand before the part.
            "" if end == text.len() => text.trim_end().len()..text.trim_end().len(),
            "" => end..end,
            trimmed => {
                let start = start + part.len() - part.trim_start().len();
                start..start + trimmed.len()
            }
        }
    });
    // Blanks alone do not differ.
    let is_blank = |side: usize| texts[side][parts[side].clone()].trim().is_empty();
    (!is_blank(0) || !is_blank(1)).then_some(parts)
}

/// A passage in brackets with some words around it, white space folded.
fn shown(text: &str, passage: Range<usize>) -> String {
    let before: String = text[..passage.start].chars().rev().take(AROUND + 1).collect();
    let before: String = before.chars().rev().collect();
    let before = match before.chars().count() > AROUND {
        // The words do not begin in the middle of one, if a word begins here.
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
pub fn beginning(text: &str, characters: usize) -> String {
    // As many words as characters are enough, whatever the length of the text.
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
    use crate::compare::Measure;
    use crate::judge::Basis;
    use crate::normalize::{Normalizer, Options};
    use proptest::prelude::*;

    fn by(basis: Basis, left: &str, right: &str) -> Option<[String; 2]> {
        let view = View::new([left, right], &Normalizer::new(Options::default()), basis);
        first_difference([left, right], &view)
    }

    fn of(left: &str, right: &str) -> Option<[String; 2]> {
        by(Basis::Measure(Measure::Coverage), left, right)
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
            both(
                "The crew has replaced [both] engines, painted the…",
                "The crew has replaced []engines, painted the…"
            )
        );
        assert_eq!(
            by(
                Basis::Characters,
                "清明前的第一锅新茶出炉了，芽头比往年早冒了六天。",
                "清明前的第一锅新茶出炉了，芽头比往年早冒了九天。"
            ),
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
            by(Basis::Characters, "Closed on ４ May, 10 am", "closed on 4 May, 11 am"),
            both("Closed on ４ May, [10] am", "closed on 4 May, [11] am")
        );
    }

    #[test]
    fn ends_and_empty_texts_are_shown() {
        assert_eq!(of("one two", "one two three"), both("one two[]", "one two [three]"));
        assert_eq!(of("one two", "one twofold"), both("one [two]", "one [twofold]"));
        assert_eq!(of("", "one"), both("[]", "[one]"));
        assert_eq!(of(" ", ""), None);
        assert_eq!(of("three one", "one"), both("[three] one", "[]one"));
        let (left, right) = ("一".repeat(900), "二".repeat(900));
        let shown = of(&left, &right).unwrap();
        assert_eq!(shown[0], format!("[{}…]", "一".repeat(SHOWN)));
    }

    proptest! {
        #[test]
        fn any_texts_are_shown_in_a_line(left in "[a-c 日月\\n]{0,40}", right in "[a-cA-C 日月]{0,40}") {
            let letters = |text: &str| -> String { text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect() };
            match of(&left, &right) {
                None => prop_assert_eq!(letters(&left), letters(&right)),
                Some(shown) => {
                    prop_assert_ne!(letters(&left), letters(&right));
                    // Each side has a part before the brackets, within them and after them.
                    let parts = shown.clone().map(|line| line.split(['[', ']']).map(letters).collect::<Vec<_>>());
                    prop_assert!(parts.iter().all(|parts| parts.len() == 3), "{:?}", shown);
                    prop_assert_ne!(&parts[0][1], &parts[1][1], "{:?}", shown);
                    prop_assert!(!shown.iter().any(|line| line.contains('\n')));
                }
            }
        }
    }
}
