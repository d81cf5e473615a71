//! Two texts as read -> the pieces of each: shared with the other one, or its own.
//!
//! | kind | the piece |
//! | --- | --- |
//! | `shared` | stands in the other text as well, in the same order |
//! | `moved` | stands in the other text at another place in the order |
//! | `own` | only this text has it |
//! | `figure` | a number, date or code that only this text has there, and that is in no own part of the other one |
//! | `stripped` | an address, a counter or a relative time that is not compared, and that the other text lacks there |
//!
//! The pieces of a text follow each other without a gap and together are the whole text. A shared
//! or moved piece has a partner, the piece of the other text with the same letters and digits.
//!
//! 1. The shared parts are those that the judge counts: the [runs of
//!    letters](crate::compare::passages) of the coverage, or, if [characters](Basis::Characters)
//!    were compared, the [alignment](crate::compare::aligned) of characters with the largest
//!    similarity. In a short text that repeats one thing the judge counts its first occurrence
//!    alone; the others are shown as its own.
//! 2. The parts in the same order are the increasing chain with the most letters
//!    (`compare/chain.rs`); all others are moved.
//! 3. Parts end between words and between figures: a word in which a letter differs is the text's
//!    own. Signs and blanks beside a part belong to it if the other text has the same ones
//!    (`pieces.rs`). What is stripped belongs to it if the other text has the same there.
//!
//! The view of swapped texts is the swapped view. Cost: normalization and comparison of both texts,
//! which for short texts takes the product of their lengths.

mod first;
mod letters;
mod pieces;
mod unseen;

pub use first::{beginning, first_difference, first_differing};
pub use unseen::only_unseen_differ;

use crate::compare::{self, Difference, Measure, aligned};
use crate::judge::Basis;
use crate::normalize::Normalizer;
use letters::Letters;

/// The letters of the shortest part that is shown as moved.
const MOVED: u32 = 6;

/// The relation of a piece of a text to the other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It stands in the other text as well, in the same order.
    Shared,
    /// It stands in the other text at another place in the order.
    Moved,
    /// Only this text has it.
    Own,
    /// A number, date or code that only this text has there.
    Figure,
    /// An address, a counter or a relative time that only this text has there. It is not compared.
    Stripped,
}

impl Kind {
    /// Returns true if it stands in the other text in the same order.
    pub fn is_in_order(self) -> bool {
        self == Kind::Shared
    }
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Piece {
    /// Its first byte in the text as read.
    pub start: usize,
    /// The byte past its last one.
    pub end: usize,
    /// Its relation to the other text.
    pub kind: Kind,
    /// The number of its partner among the pieces of the other text, from 0; `None` if only this
    /// text has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<usize>,
}

/// Two texts, piece by piece.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct View {
    /// The pieces of the left text, in order.
    pub left: Vec<Piece>,
    /// The pieces of the right text, in order.
    pub right: Vec<Piece>,
    /// The difference of the texts, if the coverage was compared.
    pub difference: Option<Difference>,
}

/// Two texts, piece by piece, with the text of each piece.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Shown {
    /// The pieces of the left text, in order.
    pub left: Vec<ShownPiece>,
    /// The pieces of the right text, in order.
    pub right: Vec<ShownPiece>,
    /// The difference of the texts, if the coverage was compared.
    pub difference: Option<Difference>,
}

/// A piece of a text, with its text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ShownPiece {
    /// Its relation to the other text.
    pub kind: Kind,
    /// The piece as read.
    pub text: String,
    /// The number of its partner among the pieces of the other text, from 0; `None` if only this
    /// text has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<usize>,
}

impl View {
    /// The view of two texts as read. `normalizer` normalizes them, and they were compared on this
    /// basis ([`Verdict::basis`](crate::judge::Verdict::basis)).
    ///
    /// ```
    /// use nearprint_core::judge::Basis;
    /// use nearprint_core::normalize::{Normalizer, Options};
    /// use nearprint_core::compare::Measure;
    /// use nearprint_core::view::{Kind, View};
    /// let (left, right) = ("北京今天上午十点举行了新闻发布会。", "北京昨天上午十点舉行了新聞發佈會！");
    /// let normalizer = Normalizer::new(Options::default());
    /// let view = View::new([left, right], &normalizer, Basis::Characters);
    /// let piece = |number: usize| {
    ///     let piece = &view.right[number];
    ///     (piece.kind, &right[piece.start..piece.end])
    /// };
    /// assert_eq!([0, 1].map(piece), [(Kind::Shared, "北京"), (Kind::Own, "昨")]);
    /// assert_eq!(view.right[2].partner, Some(2));
    /// ```
    pub fn new(texts: [&str; 2], normalizer: &Normalizer, basis: Basis) -> View {
        let [left, right] = texts;
        if right < left {
            return View::new([right, left], normalizer, basis).swapped();
        }
        let by_characters = basis == Basis::Characters;
        let letters = texts.map(|text| Letters::new(text, normalizer, by_characters));
        let aligned =
            by_characters.then(|| aligned(letters[0].forms(), letters[1].forms())).flatten();
        if let Some(runs) = aligned {
            return pieces::view(&letters, runs.into_iter().map(Run::from).collect(), 0);
        }
        let passages = compare::passages(letters[0].normalized(), letters[1].normalized());
        let is_coverage = basis == Basis::Measure(Measure::Coverage);
        let ends = letters.each_ref().map(Letters::ends);
        let run = |pair: &[std::ops::Range<usize>; 2]| {
            let letter = |side: usize, byte: usize| ends[side].partition_point(|end| *end <= byte);
            let starts = [0, 1].map(|side| letter(side, pair[side].start));
            Run { starts, length: letter(0, pair[0].end) - starts[0] }
        };
        let runs = passages.shared.iter().map(run).filter(|run| run.length > 0).collect();
        let view = pieces::view(&letters, runs, MOVED);
        let has_letters = passages.difference.letters.iter().all(|letters| *letters > 0);
        View { difference: (is_coverage && has_letters).then_some(passages.difference), ..view }
    }

    /// The pieces with their texts, for callers that do not count in bytes.
    pub fn with_texts(&self, [left, right]: [&str; 2]) -> Shown {
        let side = |text: &str, pieces: &[Piece]| {
            let shown = |piece: &Piece| ShownPiece {
                kind: piece.kind,
                text: text[piece.start..piece.end].to_string(),
                partner: piece.partner,
            };
            pieces.iter().map(shown).collect()
        };
        Shown {
            left: side(left, &self.left),
            right: side(right, &self.right),
            difference: self.difference,
        }
    }

    /// The view of the two texts in the other order.
    pub fn swapped(self) -> View {
        let difference = self.difference.map(Difference::swapped);
        View { left: self.right, right: self.left, difference }
    }
}

/// A run of letters that two texts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Its first letter in each text.
    starts: [usize; 2],
    /// The number of its letters, one or more.
    length: usize,
}

impl Run {
    /// Its letters in one of the texts.
    fn of(&self, side: usize) -> std::ops::Range<usize> {
        self.starts[side]..self.starts[side] + self.length
    }
}

impl From<(usize, usize, usize)> for Run {
    fn from((left, right, length): (usize, usize, usize)) -> Run {
        Run { starts: [left, right], length }
    }
}

#[cfg(test)]
mod tests;
