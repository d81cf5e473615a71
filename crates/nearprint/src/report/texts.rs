//! Two texts -> their pieces as the page shows them. Long pieces are folded, so that all pairs
//! together take some megabytes.

use nearprint_core::compare::Measure;
use nearprint_core::judge::{Basis, Reason};
use nearprint_core::normalize::Normalizer;
use nearprint_core::view::{Kind, Piece, View};
use serde::Serialize;

/// The number of bytes on the page for the texts of all pairs together.
const ROOM: usize = 12 << 20;

/// The number of bytes of a part beside its text: brackets, kind, partner.
const OF_PART: usize = 16;

/// The most bytes of a text that are shown.
const OF_TEXT: usize = 12 << 10;

/// The most bytes of a text that are shown where only a few pairs are.
const OF_FEW: usize = 3 << 10;

/// The most bytes of a text that is marked.
const LONGEST: usize = 1 << 20;

/// The numbers of characters at the beginning and at the end of a longer piece that are not folded:
/// of a piece in both texts, and of a piece in one.
const SHARED: [usize; 2] = [240, 160];
const OWN: [usize; 2] = [1200, 300];

/// A text is folded between words, if a word ends within so many characters.
const NEARBY: usize = 24;

/// The basis of the comparison of a pair in a run with this measure.
pub(super) fn basis(reason: Option<Reason>, distance: Option<u32>, measure: Measure) -> Basis {
    match reason {
        // For an item inside of a document all shared text counts.
        Some(Reason::Contains) => Basis::Measure(Measure::None),
        // A comparison of characters has no distance of fingerprints.
        _ if distance.is_none() => Basis::Characters,
        _ => Basis::Measure(measure),
    }
}

/// The remaining room.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
    of_text: usize,
    /// The number of pairs to come.
    pairs: usize,
}

/// Both texts of a pair.
#[derive(Debug, Default, Serialize)]
pub(super) struct Shown {
    pub l: Vec<Part>,
    pub r: Vec<Part>,
    /// The numbers of characters at the end of each text that are not shown.
    pub lm: usize,
    pub rm: usize,
    /// The parts of the coverage: shared, without contradictions, at last.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<[u32; 5]>,
    /// True if the texts are too long to be marked.
    #[serde(skip_serializing_if = "is_false")]
    u: bool,
}

/// Returns true for false, for serde.
pub(super) fn is_false(value: &bool) -> bool {
    !value
}

/// A part of a text: its kind, its text, and the number that a part of both texts has in common
/// with its partner.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Text(u8, String, #[serde(skip_serializing_if = "Option::is_none")] Option<usize>),
    /// A number of folded characters.
    Folded(u8, usize),
}

/// The kind of folded parts; the other kinds are those of [`Kind`] in order.
const FOLDED: u8 = 5;

impl Room {
    /// Room for so many pairs, each of which gets an equal part of the rest.
    pub fn of(pairs: usize) -> Room {
        Room { left: ROOM, of_text: OF_TEXT, pairs }
    }

    /// Room for one of a few pairs.
    pub fn of_few() -> Room {
        Room { left: 2 * OF_FEW, of_text: OF_FEW, pairs: 1 }
    }

    /// The pieces of two texts, with as many bytes as there is room for.
    pub fn take(&mut self, texts: [&str; 2], normalizer: &Normalizer, basis: Basis) -> Shown {
        let of_text = self.of_text.min(self.left / (2 * self.pairs.max(1)));
        self.pairs = self.pairs.saturating_sub(1);
        if of_text == 0 {
            let [lm, rm] = texts.map(|text| text.chars().count());
            return Shown { lm, rm, ..Shown::default() };
        }
        let u = texts.iter().any(|text| text.len() > LONGEST);
        let view = if u { unmarked(texts) } else { View::new(texts, normalizer, basis) };
        let c = view.difference.map(|d| {
            [d.places, d.exchanged, d.contradicting, d.figures, d.framed[0] + d.framed[1]]
        });
        // The pieces of the right text use the numbers of their partners in the left text.
        let (l, lm) = self.parts(of_text, texts[0], &view.left, |number, _| number);
        let (r, rm) = self.parts(of_text, texts[1], &view.right, |_, partner| partner);
        Shown { l, r, lm, rm, c, u }
    }

    /// The parts of a text, and the number of characters at its end that are not shown.
    fn parts(
        &mut self,
        of_text: usize,
        text: &str,
        pieces: &[Piece],
        name: impl Fn(usize, usize) -> usize,
    ) -> (Vec<Part>, usize) {
        let mut of_text = of_text;
        let mut parts = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let shown = &text[piece.start..piece.end];
            let partner = piece.partner.map(|partner| name(number, partner));
            let (beginning, folded, end) =
                fold(shown, if partner.is_some() { SHARED } else { OWN });
            let part = |text: &str| Part::Text(piece.kind as u8, text.to_string(), partner);
            let Some(left) = of_text.checked_sub(written(beginning) + written(end)) else {
                let fitting = fitting(shown, of_text);
                if !fitting.is_empty() {
                    self.left -= written(fitting);
                    parts.push(part(fitting));
                }
                return (parts, text[piece.start + fitting.len()..].chars().count());
            };
            self.left -= of_text - left;
            of_text = left;
            parts.push(part(beginning));
            if folded > 0 {
                parts.extend([Part::Folded(FOLDED, folded), part(end)]);
            }
        }
        (parts, 0)
    }
}

/// The number of bytes of a part on the page. JSON in a script has six for a sign such as `<`, and
/// two for a quote.
fn written(text: &str) -> usize {
    let more = |byte: u8| match byte {
        b'<' | 0..b' ' => 5,
        b'"' | b'\\' => 1,
        _ => 0,
    };
    OF_PART + text.len() + text.bytes().map(more).sum::<usize>()
}

/// The longest beginning of a text that fits into so many bytes of the page.
fn fitting(text: &str, bytes: usize) -> &str {
    let mut left = bytes.saturating_sub(OF_PART);
    let fits = |(_, c): &(usize, char)| {
        let needed = written(c.encode_utf8(&mut [0; 4])) - OF_PART;
        left.checked_sub(needed).map(|rest| left = rest).is_some()
    };
    let end = text.char_indices().take_while(fits).last().map_or(0, |(at, c)| at + c.len_utf8());
    &text[..end]
}

/// A text as its beginning, the number of folded characters, and its end. A text that is not much
/// longer is all beginning.
fn fold(text: &str, [first, last]: [usize; 2]) -> (&str, usize, &str) {
    let count = text.chars().count();
    if count <= first + last + last / 2 {
        return (text, 0, "");
    }
    let place =
        |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    // A fold inside of a word moves to a nearby end of a word.
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

/// Two texts without marks.
fn unmarked(texts: [&str; 2]) -> View {
    let [left, right] = texts.map(|text| {
        vec![Piece { start: 0, end: text.len(), kind: Kind::Shared, partner: Some(0) }]
    });
    View { left, right, difference: None }
}

#[cfg(test)]
mod tests {
    use nearprint_core::normalize::Options;

    use super::*;

    fn shown(room: &mut Room, texts: [&str; 2]) -> Shown {
        room.take(texts, &Normalizer::new(Options::default()), Basis::Measure(Measure::Coverage))
    }

    #[test]
    fn long_pieces_are_folded_and_nothing_is_lost_of_short_ones() {
        let text = "The ferry returns on Monday after eleven weeks of repairs. ".repeat(20);
        let other = format!("{text}Tickets are sold out.");
        let shown = shown(&mut Room::of(1), [&text, &other]);
        let count = |parts: &[Part]| -> usize {
            parts
                .iter()
                .map(|part| match part {
                    Part::Text(_, text, _) => text.chars().count(),
                    Part::Folded(_, folded) => *folded,
                })
                .sum()
        };
        assert_eq!(
            (count(&shown.l), count(&shown.r)),
            (text.chars().count(), other.chars().count())
        );
        assert!(shown.l.iter().any(|part| matches!(part, Part::Folded(..))));
        assert!(
            matches!(shown.r.last(), Some(Part::Text(2, own, None)) if own.contains("sold out"))
        );
    }

    #[test]
    fn no_more_is_shown_than_there_is_room_for_and_each_pair_has_a_part_of_it() {
        for sign in ["<", "词", "a\u{1}\\"] {
            let texts = [0, 1].map(|side| {
                (0..400).map(|n| format!("{sign}{} ", n * 7919 + side)).collect::<String>()
            });
            let mut room = Room { left: 10_000, ..Room::of(5) };
            let written =
                |shown: &Shown| serde_json::to_string(shown).unwrap().replace('<', "\\u003c").len();
            let shown: Vec<Shown> =
                (0..5).map(|_| shown(&mut room, texts.each_ref().map(String::as_str))).collect();
            let sizes: Vec<usize> = shown.iter().map(written).collect();
            assert!(
                sizes.iter().sum::<usize>() <= 11_000 && sizes.iter().all(|size| *size > 500),
                "{sizes:?}"
            );
            assert!(shown.iter().all(|shown| shown.lm > 0 && shown.rm > 0));
        }
    }
}
