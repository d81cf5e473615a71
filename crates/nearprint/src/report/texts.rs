//! Two texts -> their pieces as the page shows them: long ones folded, in some megabytes for all pairs together.

use serde::Serialize;

use crate::judge::{Basis, Reason};
use crate::normalize::Normalizer;
use crate::verify::Measure;
use crate::view::{Kind, Piece, View};

/// Bytes of the texts of all pairs together.
const ROOM: usize = 12 << 20;

/// Bytes of a text that are shown.
const OF_TEXT: usize = 12 << 10;

/// The same of a pair of a few.
const OF_FEW: usize = 3 << 10;

/// Bytes of a longer text are not marked.
const LONGEST: usize = 1 << 20;

/// A longer piece is folded to its beginning and its end, in characters: one that both texts have, and one that only this one has.
const SHARED: [usize; 2] = [240, 160];
const OWN: [usize; 2] = [1200, 300];

/// A text is folded between words, if one of these ends within so many characters.
const NEARBY: usize = 24;

/// What was compared of a pair in a run by this measure.
pub(super) fn basis(reason: Option<Reason>, distance: Option<u32>, measure: Measure) -> Basis {
    match reason {
        // Of an item inside of a document all that both share counts.
        Some(Reason::Contains) => Basis::Measure(Measure::None),
        // Fingerprints have no distance where characters were compared.
        _ if distance.is_none() => Basis::Characters,
        _ => Basis::Measure(measure),
    }
}

/// What is left of the room.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
    of_text: usize,
}

/// Both texts of a pair.
#[derive(Debug, Default, Serialize)]
pub(super) struct Shown {
    pub l: Vec<Part>,
    pub r: Vec<Part>,
    /// The characters at the end of each that are not shown.
    pub lm: usize,
    pub rm: usize,
    /// How the coverage comes about: what is shared, without contradictions, at last.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<[f64; 3]>,
    /// Whether the texts are too long to be marked.
    #[serde(skip_serializing_if = "is_false")]
    u: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A part of a text: its kind, its text, and for one that both have the number that it shares with its partner.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Text(u8, String, #[serde(skip_serializing_if = "Option::is_none")] Option<usize>),
    /// This many characters that are folded.
    Folded(u8, usize),
}

/// The kind of folded parts; the others are those of [`Kind`] in order.
const FOLDED: u8 = 5;

impl Default for Room {
    fn default() -> Room {
        Room { left: ROOM, of_text: OF_TEXT }
    }
}

impl Room {
    /// Room for one pair of a few.
    pub fn of_few() -> Room {
        Room { left: 2 * OF_FEW, of_text: OF_FEW }
    }

    /// The pieces of two texts, with as many bytes of them as there is room for.
    pub fn take(&mut self, texts: [&str; 2], normalizer: &Normalizer, basis: Basis) -> Shown {
        if self.left == 0 {
            let [lm, rm] = texts.map(|text| text.chars().count());
            return Shown { lm, rm, ..Shown::default() };
        }
        let u = texts.iter().any(|text| text.len() > LONGEST);
        let view = if u { unmarked(texts) } else { View::new(texts, normalizer, basis) };
        let millionths = |share: f64| (share * 1e6).round() / 1e6;
        let c = view.steps.map(|steps| [steps.shared, steps.uncontradicted, steps.coverage].map(millionths));
        // The partners of the pieces of the right text are called as those of the left one are.
        let (l, lm) = self.parts(texts[0], &view.left, |number, _| number);
        let (r, rm) = self.parts(texts[1], &view.right, |_, partner| partner);
        Shown { l, r, lm, rm, c, u }
    }

    /// The parts of a text, and the characters at its end that are not shown.
    fn parts(&mut self, text: &str, pieces: &[Piece], name: impl Fn(usize, usize) -> usize) -> (Vec<Part>, usize) {
        let mut of_text = self.of_text.min(self.left);
        let mut parts = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let shown = &text[piece.start..piece.end];
            let partner = piece.partner.map(|partner| name(number, partner));
            let (beginning, folded, end) = fold(shown, if partner.is_some() { SHARED } else { OWN });
            let Some(left) = of_text.checked_sub(beginning.len() + end.len()) else {
                return (parts, text[piece.start..].chars().count());
            };
            self.left -= of_text - left;
            of_text = left;
            let part = |text: &str| Part::Text(piece.kind as u8, text.to_string(), partner);
            parts.push(part(beginning));
            if folded > 0 {
                parts.extend([Part::Folded(FOLDED, folded), part(end)]);
            }
        }
        (parts, 0)
    }
}

/// A text as its beginning, the characters that are folded, and its end; all of it is the beginning where it is not much longer.
fn fold(text: &str, [first, last]: [usize; 2]) -> (&str, usize, &str) {
    let count = text.chars().count();
    if count <= first + last + last / 2 {
        return (text, 0, "");
    }
    let place = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    // Not in a word, where one ends nearby.
    let (beginning, end) = (&text[..place(first)], &text[place(count - last)..]);
    let near = |rest: &str| rest.chars().count() <= NEARBY;
    let beginning = match beginning.rsplit_once(char::is_whitespace) {
        Some((whole, word)) if near(word) => whole,
        _ => beginning,
    };
    let end = match end.split_once(char::is_whitespace) {
        Some((word, whole)) if near(word) => whole,
        _ => end,
    };
    (beginning, count - beginning.chars().count() - end.chars().count(), end)
}

/// Two texts of which nothing is marked.
fn unmarked(texts: [&str; 2]) -> View {
    let [left, right] =
        texts.map(|text| vec![Piece { start: 0, end: text.len(), kind: Kind::Shared, partner: Some(0) }]);
    View { left, right, steps: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::Options;

    fn shown(room: &mut Room, texts: [&str; 2]) -> Shown {
        room.take(texts, &Normalizer::new(Options::default()), Basis::Measure(Measure::Coverage))
    }

    #[test]
    fn long_pieces_are_folded_and_nothing_is_lost_of_short_ones() {
        let text = "The ferry returns on Monday after eleven weeks of repairs. ".repeat(20);
        let other = format!("{text}Tickets are sold out.");
        let shown = shown(&mut Room::default(), [&text, &other]);
        let count = |parts: &[Part]| -> usize {
            parts
                .iter()
                .map(|part| match part {
                    Part::Text(_, text, _) => text.chars().count(),
                    Part::Folded(_, folded) => *folded,
                })
                .sum()
        };
        assert_eq!((count(&shown.l), count(&shown.r)), (text.chars().count(), other.chars().count()));
        assert!(shown.l.iter().any(|part| matches!(part, Part::Folded(..))));
        assert!(matches!(shown.r.last(), Some(Part::Text(2, own, None)) if own.contains("sold out")));
    }

    #[test]
    fn no_more_is_shown_than_there_is_room_for() {
        let mut room = Room { left: 100, ..Room::default() };
        let texts = ["one text of some words", "another text of other words"];
        let bytes = |shown: &Shown| serde_json::to_string(&(&shown.l, &shown.r)).unwrap().len();
        let sizes: Vec<usize> = (0..5).map(|_| bytes(&shown(&mut room, texts))).collect();
        assert!(sizes[0] > sizes[4] && sizes[4] == 7, "{sizes:?}");
        let gone = shown(&mut room, texts);
        assert!(gone.l.is_empty() && gone.rm > 0);
    }
}
