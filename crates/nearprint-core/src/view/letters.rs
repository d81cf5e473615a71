//! A text as read -> its letters as they are compared, their places in the text, and its figures.

use std::ops::Range;

use crate::compare::{Word, counts, words};
use crate::normalize::{AsRead, Normalizer, counting, is_of_spaced_word, tag};

/// The first wide character, which counts as two letters of length.
const WIDE: char = '\u{2e80}';

/// The letters of a text.
pub(super) struct Letters<'t> {
    text: &'t str,
    normalized: String,
    forms: Vec<char>,
    /// The place of each letter in the text as read.
    places: Vec<Range<usize>>,
    /// The figures as ranges of letters, in order, each with its hash.
    figures: Vec<(Range<usize>, u64)>,
}

impl<'t> Letters<'t> {
    /// The letters of a text: its letters and digits, or all characters that count in a short text.
    pub fn new(text: &'t str, normalizer: &Normalizer, all_characters: bool) -> Letters<'t> {
        let normalized = normalizer.normalize(text);
        let counts: fn(char) -> bool = if all_characters { counts } else { counting(&normalized) };
        let forms: Vec<char> = normalized.chars().filter(|c| counts(*c)).collect();
        let mut places = AsRead::new(text, normalizer, counts).places();
        // There are as many places as letters, unless a block ends within a phrase.
        places.resize(forms.len(), text.len()..text.len());
        let mut found = Vec::new();
        words(&normalized, &mut found);
        let figure = |word: &Word| (word.start as usize..word.end as usize, word.hash);
        let mut figures: Vec<_> = found.iter().filter(|word| word.is_figure).map(figure).collect();
        // Words count some letters that show nothing, which a short text does not.
        let (mut bytes, mut before, mut next) = (0, 0, 0);
        let mut rest = normalized.chars();
        let mut letter_at = |byte: usize| {
            while bytes < byte {
                let Some(c) = rest.next() else { break };
                before += usize::from(counts(c));
                if c.is_alphanumeric() {
                    (bytes, next) = (bytes + c.len_utf8(), before);
                }
            }
            next
        };
        for (figure, _) in &mut figures {
            let (start, end) = (letter_at(figure.start), letter_at(figure.end));
            let signs = forms[start..end].iter().take_while(|c| !c.is_alphanumeric()).count();
            *figure = start + signs..end;
            // A figure has whole characters as read.
            while figure.start > 0 && places[figure.start - 1] == places[figure.start] {
                figure.start -= 1;
            }
            while places.get(figure.end).is_some_and(|next| *next == places[figure.end - 1]) {
                figure.end += 1;
            }
        }
        let mut end = 0;
        figures.retain(|(figure, _)| {
            let is_apart = figure.start >= end;
            end = end.max(figure.end);
            is_apart
        });
        Letters { text, normalized, forms, places, figures }
    }

    /// The number of letters.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// The normalized characters.
    pub fn forms(&self) -> &[char] {
        &self.forms
    }

    /// The bytes of the text as read.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The normalized text.
    pub fn normalized(&self) -> &str {
        &self.normalized
    }

    /// The byte past each letter, in a text of the letters alone.
    pub fn ends(&self) -> Vec<usize> {
        let ends = self.forms.iter().scan(0, |end, c| {
            *end += c.len_utf8();
            Some(*end)
        });
        ends.collect()
    }

    /// The signs and blanks before a letter, or after the last one.
    pub fn signs(&self, letter: usize) -> &str {
        let start = if letter == 0 { 0 } else { self.places[letter - 1].end };
        let end = self.places.get(letter).map_or(self.text.len(), |place| place.start);
        self.text.get(start..end).unwrap_or("")
    }

    /// The letters and digits among the signs before a letter, or after the last one: those that are
    /// stripped before texts are compared, without tags.
    pub fn stripped(&self, letter: usize) -> impl Iterator<Item = char> {
        stripped(self.signs(letter))
    }

    /// Returns true if letters or digits are stripped from these bytes, other than tags.
    pub fn strips(&self, bytes: Range<usize>) -> bool {
        stripped(&self.text[bytes]).next().is_some()
    }

    /// The place of one or more letters in the text as read.
    pub fn place(&self, letters: Range<usize>) -> Range<usize> {
        self.places[letters.start].start..self.places[letters.end - 1].end
    }

    /// The length of a part in letters. A wide character counts as two.
    pub fn length(&self, part: Range<usize>) -> u32 {
        self.forms[part].iter().map(|c| width(*c)).sum()
    }

    /// The figures among some letters, with their hashes.
    pub fn figures_in(&self, part: Range<usize>) -> impl Iterator<Item = &(Range<usize>, u64)> {
        let first = self.figures.partition_point(|(figure, _)| figure.start < part.start);
        self.figures[first..].iter().take_while(move |(figure, _)| figure.end <= part.end)
    }

    /// Returns true if a text may be cut before a letter: not within a character as read, a word,
    /// or a figure.
    pub fn may_cut(&self, letter: usize) -> bool {
        if letter == 0 || letter == self.len() {
            return true;
        }
        let (before, after) = (&self.places[letter - 1], &self.places[letter]);
        let in_word = || {
            before.end == after.start
                && is_of_spaced_word(self.forms[letter - 1])
                && is_of_spaced_word(self.forms[letter])
        };
        let in_figure = || {
            let next = self.figures.partition_point(|(figure, _)| figure.end <= letter);
            self.figures.get(next).is_some_and(|(figure, _)| figure.start < letter)
        };
        before != after && !in_word() && !in_figure()
    }
}

/// The letters and digits of a text outside of tags.
fn stripped(text: &str) -> impl Iterator<Item = char> {
    let mut past = 0;
    text.char_indices().filter_map(move |(at, c)| {
        if c == '<' && at >= past {
            past = tag(text.as_bytes(), at).map_or(past, |tag| tag.end);
        }
        (at >= past && c.is_alphanumeric()).then_some(c)
    })
}

/// The number of letters that a character counts as.
pub(super) fn width(c: char) -> u32 {
    if c < WIDE { 1 } else { 2 }
}
