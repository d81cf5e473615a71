//! Two texts -> their pieces as the page shows them. Long pieces are folded; the page unfolds them
//! where there is room for their texts.

use nearprint_core::compare::Measure;
use nearprint_core::judge::{Basis, Reason};
use nearprint_core::normalize::Normalizer;
use nearprint_core::view::{Kind, Piece, View};
use serde::Serialize;

/// The most bytes of the texts of all pairs together.
const ROOM: usize = 1 << 30;

/// The number of bytes of a part beside its text: brackets, kind, partner.
const OF_PART: usize = 16;

/// The most bytes of a text that are shown.
const OF_TEXT: usize = 64 << 10;

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
        // `leaks.jsonl` has no distances.
        Some(Reason::Exact | Reason::Near | Reason::Contained) => Basis::Measure(measure),
        // A comparison of characters has no distance of fingerprints.
        _ if distance.is_none() => Basis::Characters,
        _ => Basis::Measure(measure),
    }
}

/// The room for the texts of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The most bytes of a text.
    of_text: usize,
    /// True if folded passages can be unfolded.
    unfolds: bool,
}

/// Both texts of a pair.
#[derive(Debug, Default, Serialize)]
pub(super) struct Shown {
    pub l: Vec<Part>,
    pub r: Vec<Part>,
    /// The numbers of characters at the end of each text that are not shown.
    pub lm: usize,
    pub rm: usize,
    /// True if the right text equals the left one, so that its parts are those of the left one.
    #[serde(skip_serializing_if = "is_false")]
    e: bool,
    /// The parts of the coverage: shared, without contradictions, at last.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<[u32; 5]>,
    /// True if the texts are too long to be marked.
    #[serde(skip_serializing_if = "is_false")]
    u: bool,
}

/// Returns true for false, for serde.
fn is_false(value: &bool) -> bool {
    !value
}

/// A part of a text: its kind, its text, and the number that a part of both texts has in common
/// with its partner.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Text(u8, String, #[serde(skip_serializing_if = "Option::is_none")] Option<usize>),
    /// A number of folded characters, and their text if there is room for it.
    Folded(u8, usize, #[serde(skip_serializing_if = "Option::is_none")] Option<String>),
}

/// The kind of folded parts; the other kinds are those of [`Kind`] in order.
const FOLDED: u8 = 5;

impl Room {
    /// Room for one of so many pairs, each of which gets an equal part of it.
    pub fn of(pairs: usize) -> Room {
        Room { of_text: OF_TEXT.min(ROOM / (2 * pairs.max(1))), unfolds: true }
    }

    /// Room for one of a few pairs, without a script to unfold passages.
    pub fn of_few() -> Room {
        Room { of_text: OF_FEW, unfolds: false }
    }

    /// The pieces of two texts, with as many bytes as there is room for.
    pub fn take(&self, texts: [&str; 2], normalizer: &Normalizer, basis: Basis) -> Shown {
        let u = texts.iter().any(|text| text.len() > LONGEST);
        let view = if u { unmarked(texts) } else { View::new(texts, normalizer, basis) };
        let c = view.difference.map(|d| {
            [d.places, d.exchanged, d.contradicting, d.figures, d.framed[0] + d.framed[1]]
        });
        // The pieces of the right text use the numbers of their partners in the left text.
        let (l, lm) = self.parts(texts[0], &view.left, |number, _| number);
        let e = self.unfolds && texts[0] == texts[1];
        let (r, rm) = match e {
            true => (Vec::new(), lm),
            false => self.parts(texts[1], &view.right, |_, partner| partner),
        };
        Shown { l, r, lm, rm, e, c, u }
    }

    /// The parts of a text, and the number of characters at its end that are not shown.
    fn parts(
        &self,
        text: &str,
        pieces: &[Piece],
        name: impl Fn(usize, usize) -> usize,
    ) -> (Vec<Part>, usize) {
        let (mut left, mut cut) = (self.of_text, 0);
        let (mut parts, mut folds) = (Vec::new(), Vec::new());
        for (number, piece) in pieces.iter().enumerate() {
            let shown = &text[piece.start..piece.end];
            let partner = piece.partner.map(|partner| name(number, partner));
            let (beginning, folded, end) =
                fold(shown, if partner.is_some() { SHARED } else { OWN });
            let part = |text: &str| Part::Text(piece.kind as u8, text.to_string(), partner);
            let Some(rest) = left.checked_sub(written(beginning) + written(end)) else {
                let fitting = fitting(shown, left);
                if !fitting.is_empty() {
                    parts.push(part(fitting));
                }
                left = 0;
                cut = text[piece.start + fitting.len()..].chars().count();
                break;
            };
            left = rest;
            parts.push(part(beginning));
            if !folded.is_empty() {
                folds.push((parts.len(), folded));
                parts.push(Part::Folded(FOLDED, folded.chars().count(), None));
                parts.push(part(end));
            }
        }
        // The rest of the room is for the folded passages, the first ones first.
        for (at, folded) in folds.into_iter().filter(|_| self.unfolds) {
            if let (Some(rest), Part::Folded(_, _, text)) =
                (left.checked_sub(written(folded)), &mut parts[at])
            {
                (left, *text) = (rest, Some(folded.to_string()));
            }
        }
        (parts, cut)
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

/// A text as its beginning, the folded passage, and its end. A text that is not much longer is all
/// beginning.
fn fold(text: &str, [first, last]: [usize; 2]) -> (&str, &str, &str) {
    let count = text.chars().count();
    if count <= first + last + last / 2 {
        return (text, "", "");
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
    (beginning, &text[beginning.len()..text.len() - end.len()], end)
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

    fn shown(room: Room, texts: [&str; 2]) -> Shown {
        room.take(texts, &Normalizer::new(Options::default()), Basis::Measure(Measure::Coverage))
    }

    /// The text of some parts, and that of the folded passages alone.
    fn text(parts: &[Part]) -> (String, String) {
        let (mut all, mut folded) = (String::new(), String::new());
        for part in parts {
            match part {
                Part::Text(_, text, _) => all += text,
                Part::Folded(_, count, text) => {
                    let text = text.as_deref().unwrap_or_default();
                    assert_eq!(*count, text.chars().count());
                    all += text;
                    folded += text;
                }
            }
        }
        (all, folded)
    }

    #[test]
    fn long_pieces_are_folded_and_their_texts_are_there() {
        let own = "The ferry returns on Monday after eleven weeks of repairs. ".repeat(20);
        let other = format!("{own}Tickets are sold out.");
        let of_room = shown(Room::of(1), [&own, &other]);
        let ((left, folded), (right, _)) = (text(&of_room.l), text(&of_room.r));
        assert!(left == own && right == other && folded.len() > 500);
        assert!(
            matches!(of_room.r.last(), Some(Part::Text(2, own, None)) if own.contains("sold out"))
        );
        let of_few = shown(Room::of_few(), [&own, &other]);
        let is_bare = |part: &Part| matches!(part, Part::Folded(_, count, None) if *count > 500);
        assert!(of_few.l.iter().any(is_bare) && of_few.r.iter().any(is_bare));
    }

    #[test]
    fn equal_texts_are_there_once() {
        let of_room = shown(Room::of(1), ["The ferry returns", "The ferry returns"]);
        assert!(of_room.e && of_room.r.is_empty() && text(&of_room.l).0 == "The ferry returns");
        let of_few = shown(Room::of_few(), ["The ferry returns", "The ferry returns"]);
        assert!(!of_few.e && text(&of_few.r).0 == "The ferry returns");
    }

    #[test]
    fn no_more_is_shown_than_there_is_room_for() {
        for sign in ["<", "词", "a\u{1}\\"] {
            let texts = [0, 1].map(|side| {
                (0..400).map(|n| format!("{sign}{} ", n * 7919 + side)).collect::<String>()
            });
            let room = Room { of_text: 1000, unfolds: true };
            let shown = shown(room, texts.each_ref().map(String::as_str));
            let size = serde_json::to_string(&shown).unwrap().replace('<', "\\u003c").len();
            assert!((500..=2200).contains(&size), "{size}");
            assert!(shown.lm > 0 && shown.rm > 0);
        }
        assert_eq!(Room::of(1).of_text, OF_TEXT);
        assert_eq!(Room::of(10_000_000).of_text, ROOM / 20_000_000);
    }
}
