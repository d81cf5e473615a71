//! A stretch of text with the lengths of its words -> tokens.

use super::characters::{
    FIRST_HAN, OUTSIDE_HAN, OUTSIDE_LETTER, PERCENT, POINT, is_alphanumeric, is_digit, is_in_model,
};
use super::dictionary::Dictionary;
use super::trie::NO_WORD;

/// A stretch of text, ready to be cut.
pub(super) struct Cutter<'t, 's> {
    pub chinese: &'s Dictionary,
    pub text: &'t str,
    pub codes: &'s [u16],
    pub places: &'s [usize],
    pub lengths: &'s [u32],
}

impl<'t> Cutter<'t, '_> {
    /// Hands on the tokens of the stretch. `HMM` is true if the model cuts single characters.
    pub fn cut<const HMM: bool, E: FnMut(&'t str)>(
        &self,
        ends: &mut Vec<u8>,
        each: &mut E,
        between: &impl Fn(&'t str, &mut E),
    ) {
        let mut at = 0;
        while let Some(length) = self.lengths.get(at) {
            let from = at;
            at += *length as usize;
            match length {
                0 if self.codes[at] == OUTSIDE_HAN => {
                    at += 1;
                    each(self.part(from, at));
                }
                0 => {
                    at += self.codes[at..].iter().take_while(|code| **code < OUTSIDE_HAN).count();
                    if self.codes[from..at].contains(&OUTSIDE_LETTER) {
                        between(self.part(from, at), each);
                    }
                }
                1 if HMM || is_alphanumeric(self.codes[from]) => {
                    let joins = |at: usize| {
                        self.lengths[at] == 1 && (HMM || is_alphanumeric(self.codes[at]))
                    };
                    while at < self.lengths.len() && joins(at) {
                        at += 1;
                    }
                    match HMM && at - from > 1 {
                        true => self.singles(from, at, ends, each),
                        false => self.token(from, at, each),
                    }
                }
                _ => self.token(from, at, each),
            }
        }
    }

    /// Cuts neighboring single characters. They stay single if they are a word of the dictionary
    /// together. Otherwise the model cuts the characters that it covers.
    fn singles(&self, from: usize, to: usize, ends: &mut Vec<u8>, each: &mut impl FnMut(&'t str)) {
        let codes = &self.codes[from..to];
        if self.chinese.trie.word(codes) != NO_WORD {
            (from..to).for_each(|at| self.token(at, at + 1, each));
            return;
        }
        let mut at = from;
        for run in codes.chunk_by(|one, other| is_in_model(*one) == is_in_model(*other)) {
            if !is_in_model(run[0]) {
                self.letters(at, run, each);
                at += run.len();
                continue;
            }
            self.chinese.model.cut(run, ends);
            let mut begin = at;
            for end in ends.iter() {
                at += 1;
                if *end == 1 {
                    self.token(begin, at, each);
                    begin = at;
                }
            }
        }
    }

    /// Cuts characters outside the model. Letters and digits are tokens, with a point and more
    /// digits and a percent sign after them; other characters between them are tokens as well.
    fn letters(&self, from: usize, run: &[u16], each: &mut impl FnMut(&'t str)) {
        let mut at = 0;
        while at < run.len() {
            let rest = &run[at..];
            let length = match is_alphanumeric(rest[0]) {
                true => held_together(rest),
                false => rest.iter().take_while(|code| !is_alphanumeric(**code)).count(),
            };
            self.token(from + at, from + at + length, each);
            at += length;
        }
    }

    /// Hands on a token of a block, unless it has signs alone.
    #[inline]
    fn token(&self, from: usize, to: usize, each: &mut impl FnMut(&'t str)) {
        let counts = |code: &u16| *code >= FIRST_HAN || is_alphanumeric(*code);
        if self.codes[from..to].iter().any(counts) {
            each(self.part(from, to));
        }
    }

    #[inline]
    fn part(&self, from: usize, to: usize) -> &'t str {
        &self.text[self.places[from]..self.places[to]]
    }
}

/// The length of the letters and digits at the beginning of a run, with the signs that they hold:
/// `[a-zA-Z0-9]+(\.[0-9]+)?%?`.
fn held_together(run: &[u16]) -> usize {
    let mut length = run.iter().take_while(|code| is_alphanumeric(**code)).count();
    if run.get(length) == Some(&POINT) {
        let digits = run[length + 1..].iter().take_while(|code| is_digit(**code)).count();
        length += if digits > 0 { 1 + digits } else { 0 };
    }
    length + usize::from(run.get(length) == Some(&PERCENT))
}
