//! The words of two texts at the places where they differ -> figures that only one text has, slips,
//! and repeated exchanges.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::places::Place;
use super::texts::Texts;
use super::words::{Word, is_wide};

/// The most words of a text at a place that count as figures rather than as a sentence with
/// figures.
const MOST_WORDS: usize = 6;

/// The least share of equal letters, in order, of words of nearly equal spelling.
const SLIP: f64 = 0.6;

/// The most bytes of a word at a place.
const LONGEST: usize = 120;

impl Texts<'_> {
    fn words_of(&self, place: &Place, text: usize) -> &[Word] {
        &self.words[text][place.words[text].start as usize..place.words[text].end as usize]
    }

    /// Returns true if figures stand for figures at a place.
    pub fn is_figure(&self, place: &Place) -> bool {
        [0, 1].iter().all(|text| {
            let words = self.words_of(place, *text);
            words.len() <= MOST_WORDS && words.iter().any(|word| word.is_figure)
        })
    }

    /// The letters of the words of both texts at a place; `None` if they are more than words.
    fn spelled(&self, place: &Place) -> Option<[&str; 2]> {
        let bytes = [0, 1].map(|text| match self.words_of(place, text) {
            [] => 0..0,
            words @ [first, ..] => first.start as usize..words[words.len() - 1].end as usize,
        });
        let are_words = bytes.iter().all(|bytes| bytes.len() <= LONGEST);
        let letters = |text: usize| {
            let letters = &self.letters[text][bytes[text].clone()];
            std::str::from_utf8(letters).expect("words begin and end with characters")
        };
        are_words.then(|| [letters(0), letters(1)])
    }

    /// Returns true if the words at a place have nearly equal spellings in both texts, and are no
    /// figures.
    pub fn is_slip(&self, place: &Place) -> bool {
        let Some([one, other]) = self.spelled(place) else { return false };
        if one.bytes().chain(other.bytes()).any(|byte| byte.is_ascii_digit())
            || self.is_figure(place)
        {
            return false;
        }
        let [one, other] = [one, other].map(|word| word.chars().collect::<Vec<char>>());
        match (&one[..], &other[..]) {
            // A single misread character.
            ([one], [other]) if is_wide(*one) && is_wide(*other) => true,
            _ => in_order(&one, &other) as f64 >= SLIP * one.len().max(other.len()) as f64,
        }
    }

    /// The number of places of the most frequent exchange of words for words that no other part of
    /// the texts has.
    pub fn repeated(&self, places: &[Place]) -> u32 {
        let mut counts: HashMap<[&str; 2], u32> = HashMap::new();
        for place in places.iter().filter(|place| place.is_exchange()) {
            let Some([one, other]) = self.spelled(place) else { continue };
            let is_letter = |word: &str| word.chars().nth(1).is_none() && word.chars().all(is_wide);
            if is_letter(one) && is_letter(other) {
                continue;
            }
            *counts.entry([one, other]).or_default() += 1;
        }
        counts.retain(|_, count| *count > 1);
        if counts.is_empty() {
            return 0;
        }
        let in_text =
            self.words.map(|words| words.iter().map(|word| word.hash).collect::<HashSet<u64>>());
        let is_own = |place: &Place| {
            [0, 1].iter().all(|text| {
                self.words_of(place, *text)
                    .iter()
                    .any(|word| !in_text[1 - text].contains(&word.hash))
            })
        };
        let repeated = places.iter().filter(|place| place.is_exchange() && is_own(place));
        let counts = repeated.filter_map(|place| counts.get(&self.spelled(place)?));
        counts.max().copied().unwrap_or(0)
    }

    /// The number of figures within these parts of the text that has fewer of them, and the smaller
    /// number of figures of a text that the other one lacks.
    pub fn figures(&self, within: &[Range<usize>; 2]) -> (u32, u32) {
        let figures = [0, 1].map(|text| {
            let mut figures: Vec<(u64, bool)> = self.words[text]
                .iter()
                .filter(|word| word.is_figure)
                .map(|word| {
                    let part = &within[text];
                    (word.hash, part.start <= word.start as usize && word.end as usize <= part.end)
                })
                .collect();
            figures.sort_unstable();
            figures
        });
        let count = |text: usize| figures[text].iter().filter(|figure| figure.1).count() as u32;
        let lacking = |text: usize| {
            let groups = figures[text].chunk_by(|one, other| one.0 == other.0);
            let lacking = groups.map(|group| {
                let others = &figures[1 - text];
                let first = others.partition_point(|other| other.0 < group[0].0);
                let as_often =
                    others[first..].iter().take_while(|other| other.0 == group[0].0).count();
                group.iter().filter(|figure| figure.1).count().saturating_sub(as_often) as u32
            });
            lacking.sum::<u32>()
        };
        (count(0).min(count(1)), lacking(0).min(lacking(1)))
    }
}

/// The number of characters that two words have in the same order.
fn in_order(one: &[char], other: &[char]) -> usize {
    let mut row = vec![0; other.len() + 1];
    for own in one {
        let mut diagonal = 0;
        for (place, others) in other.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if own == others { diagonal + 1 } else { above.max(row[place]) };
            diagonal = above;
        }
    }
    row[other.len()]
}
