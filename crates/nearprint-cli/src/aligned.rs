//! The view of two texts -> one text for a person: shared passages once, and the passages of each
//! text in their places.
//!
//! Colors tell the two texts apart on a terminal; elsewhere, and if `NO_COLOR` is set, brackets do:
//!
//! | piece | plain | colored |
//! | --- | --- | --- |
//! | only the left text has it | `[-…-]` | red |
//! | only the right text has it | `{+…+}` | green |
//! | it stands at another place in the other text | `<<…>>` inside of these | underlined |
//! | a figure | `!…!` inside of these | bold |
//! | it is not compared | `~…~` inside of these | dimmed |
//!
//! Long pieces are folded to their first and last words. Control characters of the texts are
//! escaped.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use nearprint_core::view::{Kind, Shown, ShownPiece};

use crate::visible::{visible, visible_lines};

/// Characters shown of a long piece at its beginning and at its end, about: for shared and for
/// other pieces.
const SHARED: usize = 60;
const OTHER: usize = 400;

/// Maximum number of pieces shown of each text.
const MOST: usize = 400;

/// Both texts in one, after a line with the legend.
pub fn aligned(view: &Shown, [left, right]: [&str; 2]) -> String {
    let colored = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    let legend = |side: Side, kind: Kind, text: String| {
        marked(
            side,
            &[&ShownPiece { kind, text: visible(&text).into_owned(), partner: None }],
            colored,
        )
    };
    let [left, right] = [(Side::Left, left), (Side::Right, right)]
        .map(|(side, name)| legend(side, Kind::Own, format!("only {name}")));
    let moved = legend(Side::Left, Kind::Moved, "moved".to_string());
    let figure = legend(Side::Left, Kind::Figure, "figure".to_string());
    let is_stripped = |piece: &ShownPiece| piece.kind == Kind::Stripped;
    let stripped = match view.left.iter().chain(&view.right).any(is_stripped) {
        true => format!("  {}", legend(Side::Left, Kind::Stripped, "not compared".to_string())),
        false => String::new(),
    };
    format!("{left}  {right}  {moved}  {figure}{stripped}\n\n{}\n", both(view, colored).trim_end())
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// The pieces of both texts in one order. Between shared pieces, those of the left text come before
/// those of the right one.
fn both(view: &Shown, colored: bool) -> String {
    let (mut out, mut shown) = (String::new(), 0);
    let (mut left, mut right) = (view.left.iter().peekable(), view.right.iter().peekable());
    let is_own = |piece: &&ShownPiece| !piece.kind.is_in_order();
    loop {
        for (side, pieces) in [(Side::Left, &mut left), (Side::Right, &mut right)] {
            let own: Vec<&ShownPiece> = std::iter::from_fn(|| pieces.next_if(is_own)).collect();
            shown += own.len();
            if shown <= 2 * MOST {
                // Pieces of one text only and its figures share brackets.
                let together = |one: &&ShownPiece, other: &&ShownPiece| {
                    one.kind != Kind::Moved && other.kind != Kind::Moved
                };
                own.chunk_by(together).for_each(|pieces| out += &marked(side, pieces, colored));
            }
        }
        // Shared pieces come in the same order in both texts.
        let (Some(piece), Some(_)) = (left.next(), right.next()) else { break };
        shown += 1;
        if shown <= 2 * MOST {
            let text = folded(&piece.text, SHARED);
            out += &visible_lines(&text);
        }
    }
    match shown.saturating_sub(2 * MOST) {
        0 => out,
        more => format!("{out}\n… and {more} more pieces; --json shows all"),
    }
}

/// Pieces of one text, with their brackets or colors.
fn marked(side: Side, pieces: &[&ShownPiece], colored: bool) -> String {
    let color = if side == Side::Left { AnsiColor::Red } else { AnsiColor::Green };
    let mut out = String::new();
    for piece in pieces {
        let text = folded(&piece.text, OTHER);
        let text = visible_lines(&text);
        let style = Style::new().fg_color(Some(color.into()));
        out += &match (colored, piece.kind) {
            (false, Kind::Moved) => format!("<<{text}>>"),
            (false, Kind::Figure) => format!("!{text}!"),
            (false, Kind::Stripped) => format!("~{text}~"),
            (false, Kind::Own | Kind::Shared) => text.into_owned(),
            (true, Kind::Moved) => format!("{0}{text}{0:#}", style.underline()),
            (true, Kind::Figure) => format!("{0}{text}{0:#}", style.bold()),
            (true, Kind::Stripped) => format!("{0}{text}{0:#}", style.dimmed()),
            (true, Kind::Own | Kind::Shared) => format!("{style}{text}{style:#}"),
        };
    }
    match (colored, side) {
        (true, _) => out,
        (false, Side::Left) => format!("[-{out}-]"),
        (false, Side::Right) => format!("{{+{out}+}}"),
    }
}

/// A long piece, reduced to its first and last words.
fn folded(text: &str, most: usize) -> String {
    let count = text.chars().count();
    // The omitted part must be longer than its replacement.
    if count <= 2 * most + most / 2 {
        return text.to_string();
    }
    let byte =
        |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    let (first, last) = (&text[..byte(most)], &text[byte(count - most)..]);
    let first = first.rsplit_once(char::is_whitespace).map_or(first, |(words, _)| words);
    let last = last.split_once(char::is_whitespace).map_or(last, |(_, words)| words);
    let left_out = count - first.chars().count() - last.chars().count();
    format!("{first} …({left_out} characters)… {last}")
}

#[cfg(test)]
mod tests {
    use nearprint_core::compare::Measure;
    use nearprint_core::judge::Basis;
    use nearprint_core::normalize::{Normalizer, Options};
    use nearprint_core::view::View;

    use super::*;

    fn shown(texts: [&str; 2], colored: bool) -> String {
        let normalizer = Normalizer::new(Options::default());
        // A measure that counts everything shared.
        let view =
            View::new(texts, &normalizer, Basis::Measure(Measure::Jaccard)).with_texts(texts);
        both(&view, colored)
    }

    #[test]
    fn both_texts_are_read_in_one() {
        let left = "The crew has painted the railings green and hired 12 cooks who bake buns.";
        let right = "The crew has painted the cabins green and hired 13 cooks who bake buns.";
        assert_eq!(
            shown([left, right], false),
            "The crew has painted the [-railings-]{+cabins+} green and hired [-!12!-]{+!13!+} \
             cooks who bake buns."
        );
        let colored = shown([left, right], true);
        assert!(
            colored.contains("\u{1b}[31mrailings\u{1b}[0m\u{1b}[32mcabins\u{1b}[0m green"),
            "{colored:?}"
        );
    }

    #[test]
    fn figures_are_marked_and_the_first_line_says_how() {
        let texts = ["They pay 12 dollars.", "They pay 13 dollars."];
        let normalizer = Normalizer::new(Options::default());
        let view =
            View::new(texts, &normalizer, Basis::Measure(Measure::Coverage)).with_texts(texts);
        assert_eq!(both(&view, false), "They pay [-!12!-]{+!13!+} dollars.");
        let bold = both(&view, true);
        assert!(
            bold.starts_with("They pay \u{1b}[1m") && bold.matches("\u{1b}[1m").count() == 2,
            "{bold:?}"
        );
        assert!(
            aligned(&view, ["a", "b"])
                .starts_with("[-only a-]  {+only b+}  [-<<moved>>-]  [-!figure!-]\n\n")
        );
    }

    #[test]
    fn what_was_moved_is_marked_in_both_places() {
        let (one, other) = (
            "The harbour opens at six in the morning. ",
            "Nobody may swim there in the winter months, says it. ",
        );
        assert_eq!(
            shown([&format!("{one}{other}"), &format!("{other}{one}")], false),
            format!("[-<<{one}>>-]{other}{{+<<{one}>>+}}")
        );
    }

    #[test]
    fn long_pieces_are_folded_and_nothing_moves_the_cursor() {
        let text = "one two three ".repeat(100);
        let shown = shown([&format!("{text}\u{1b}[2J"), &text], false);
        assert!(shown.len() < 300 && shown.contains(" …(1"), "{shown}");
        assert!(!shown.contains('\u{1b}') && shown.contains("\\u{1b}"), "{shown}");
        assert!(folded(&"天".repeat(1000), 60).contains("天 …(880 characters)… 天"));
    }
}
