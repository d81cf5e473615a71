//! Two texts and the places where they differ -> the numbers that decide whether they are
//! duplicates.
//!
//! | number | meaning | condition |
//! | --- | --- | --- |
//! | similarity | the share of the letters of both texts that stand in the other one | the least similarity s or more |
//! | lost | the share of each text that stands nowhere in the other one | 4/3 (1 - s) at most; 2/5 (1 - s) in a family, if each text loses some |
//! | figures | the figures of each text that the other one lacks | at most one in [`FIGURES`]; or, in long texts, fewer than [`FEW`] or than one in [`FIGURE_PLACES`] places |
//! | repeated | the places of the most frequent exchange of one word for another one | fewer than two, fewer than one in [`REPEATED`] places, or at most one for [`RENAMED`] letters |
//! | exchanged | in a family, the places where words stand for other words | at most two in five places, or at most one for [`EXCHANGE`] letters |
//!
//! A frame is the beginning and the end of each text, if they are its own and three fifths of the
//! text lie between. It counts a third, as far as both texts have one; in the lost share up to a
//! line more, and in a family only up to [`LONGEST_FRAME`] letters. Words in a frame are not
//! exchanged, but figures are. Words of nearly equal spelling are slips.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::places::{Place, Places, most_in_gaps};
use super::runs::Runs;
use super::words::{Word, is_wide};
use crate::normalize::size_of;

/// The fewest letters of a run that ends a frame.
const SOLID: u32 = 40;

/// The least share of each text that lies within a frame, and the fewest letters of a text with a
/// frame.
const FRAMED: f64 = 0.6;
const FEWEST_FRAMED: u32 = 200;

/// The most letters of a frame in a family. Files around one license have longer ones, which are
/// their content.
const LONGEST_FRAME: u32 = 600;

/// The share by which a frame counts less.
const DISCOUNT: f64 = 2.0 / 3.0;

/// The letters, a line, by which a frame may be longer than the other text's one and still count
/// less in the lost share.
const LINE: u32 = 50;

/// The fewest letters of texts whose frames may have other figures.
const FIGURES_FRAMED: u32 = 600;

/// One in this many figures of a text may contradict.
const FIGURES: u32 = 6;

/// In texts of [`SHORT`] letters or more, figures contradict only if they are [`FEW`] or more, and
/// one in [`FIGURE_PLACES`] places or more.
const FEW: u32 = 2;
const FIGURE_PLACES: u32 = 4;
const SHORT: u32 = 200;

/// The places for each of which a repeated exchange may be made once.
const REPEATED: u32 = 10;

/// The letters of the shorter text for which a repeated exchange may be made once: the revision of
/// an article or a contract replaces a term throughout.
const RENAMED: u32 = 1_000;

/// In a family, words may be exchanged at two in five places, or at one place for this number of
/// letters of the shorter text.
const EXCHANGED: [u32; 2] = [2, 5];
const EXCHANGE: u32 = 250;

/// The share that a text may lose for each share by which the least similarity is below 1, and that
/// in a family.
const LOST: f64 = 4.0 / 3.0;
const LOST_IN_FAMILY: f64 = 2.0 / 5.0;

/// The most words of a text at a place that count as figures rather than as a sentence with
/// figures.
const MOST_WORDS: usize = 6;

/// The least share of equal letters, in order, of words of nearly equal spelling.
const SLIP: f64 = 0.6;

/// The most bytes of a word at a place.
const LONGEST: usize = 120;

/// The numbers of the difference between two texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Difference {
    /// The letters of each text; a wide character counts as two.
    pub letters: [u32; 2],
    /// The letters that stand nowhere in the other text.
    pub own: [u32; 2],
    /// The own letters in a frame, at most a line more than those of the other text; 0 without a
    /// frame.
    pub framed: [u32; 2],
    /// The places where the texts differ.
    pub places: u32,
    /// The places where words stand for other words, without slips and the frame.
    pub exchanged: u32,
    /// The places of the most frequent exchange of one word for another one.
    pub repeated: u32,
    /// The figures of the text that has fewer.
    pub figures: u32,
    /// The figures that one text has and the other one lacks, of the text with fewer of them.
    pub contradicting: u32,
}

/// The fact by which two texts are no duplicates, however similar they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// Their figures contradict each other.
    Figures,
    /// One word stands for one other word again and again.
    Repeated,
    /// They fill in one form, as others do: words are exchanged for words.
    Exchanged,
}

impl Difference {
    /// The share of the letters of both texts that stand in the other one, 0 to 1. A frame counts a
    /// third.
    pub fn similarity(&self) -> f64 {
        let letters = f64::from(self.letters[0]) + f64::from(self.letters[1]);
        let set_aside = 2.0 * DISCOUNT * f64::from(self.framed[0].min(self.framed[1]));
        let own = f64::from(self.own[0]) + f64::from(self.own[1]) - set_aside;
        if letters == 0.0 { 0.0 } else { 1.0 - own / (letters - set_aside) }
    }

    /// The difference of the two texts in the other order.
    pub fn swapped(self) -> Difference {
        let [left, right] = self.letters;
        let [own, others] = self.own;
        let [framed, framed_other] = self.framed;
        Difference {
            letters: [right, left],
            own: [others, own],
            framed: [framed_other, framed],
            ..self
        }
    }

    /// The share of each text that stands nowhere in the other one, 0 to 1.
    pub fn lost(&self) -> [f64; 2] {
        [0, 1].map(|text| f64::from(self.own[text]) / f64::from(self.letters[text].max(1)))
    }

    /// Returns true if one text stands whole in the other one.
    fn is_whole(&self) -> bool {
        self.own[0].min(self.own[1]) == 0
    }

    /// The fact by which the texts are no duplicates, however similar they are.
    pub fn fact(&self, in_family: bool) -> Option<Fact> {
        let Difference { places, exchanged, repeated, figures, contradicting, .. } = *self;
        let shorter = self.letters[0].min(self.letters[1]);
        // A text that stands whole in the other one contradicts nothing.
        if self.is_whole() {
            return None;
        }
        let few = contradicting < FEW || contradicting * FIGURE_PLACES < places;
        if contradicting * FIGURES > figures && (shorter < SHORT || !few) {
            return Some(Fact::Figures);
        }
        if repeated >= 2 && repeated * REPEATED >= places && repeated > shorter / RENAMED {
            return Some(Fact::Repeated);
        }
        let [most, of] = EXCHANGED;
        let in_form = exchanged * of > places * most && exchanged > shorter / EXCHANGE;
        (in_family && in_form).then_some(Fact::Exchanged)
    }

    /// The largest least similarity at which the texts are duplicates, at most 1; 0 if there is
    /// none.
    pub fn largest_bound(&self, in_family: bool) -> f64 {
        if self.fact(in_family).is_some() {
            return 0.0;
        }
        let framed = match in_family {
            true if self.framed[0].min(self.framed[1]) > LONGEST_FRAME => [0; 2],
            true => self.framed.map(|framed| framed.min(LONGEST_FRAME)),
            false => self.framed,
        };
        self.bound(framed, in_family)
    }

    /// The largest bound without regard to facts, with these letters of a frame in the lost share.
    fn bound(&self, framed: [u32; 2], in_family: bool) -> f64 {
        let lost = |text: usize| {
            let aside = DISCOUNT * f64::from(framed[text]);
            (f64::from(self.own[text]) - aside) / (f64::from(self.letters[text]) - aside).max(1.0)
        };
        let may_be_lost = if in_family && !self.is_whole() { LOST_IN_FAMILY } else { LOST };
        self.similarity().min(1.0 - lost(0).max(lost(1)) / may_be_lost + TOLERANCE).clamp(0.0, 1.0)
    }

    /// The largest bound that two texts with these numbers of letters may have, if they share at
    /// most `shared` letters and have at most `most_framed` in a frame.
    pub(super) fn most(
        letters: [u32; 2],
        shared: u32,
        most_framed: [u32; 2],
        in_family: bool,
    ) -> f64 {
        let shorter = letters[0].min(letters[1]);
        let own = letters.map(|all| all - shared.min(shorter));
        let framed = [0, 1].map(|text| most_framed[text].min(own[text]));
        let counted =
            if in_family { framed.map(|framed| framed.min(LONGEST_FRAME)) } else { framed };
        Difference { letters, own, framed, ..Difference::default() }.bound(counted, in_family)
    }

    /// The most letters in a frame of two texts with these numbers of letters.
    pub(super) fn most_framed(letters: [u32; 2]) -> [u32; 2] {
        let is_framed = letters[0].min(letters[1]) >= FEWEST_FRAMED;
        letters
            .map(|all| if is_framed { (f64::from(all) * (1.0 - FRAMED)).ceil() as u32 } else { 0 })
    }
}

/// The fewest letters of the shorter of two duplicates with similarity `least` or more, if the
/// longer one has `longer` letters. The texts have a and b letters, f of a in a frame, and f and a
/// line l of b at most. The longer text has at least b - (a - f) letters of its own. With d the
/// [`DISCOUNT`], b - a + f - d (f + l) <= (1 - kept) (b - d (f + l)), so a is at least kept (b - d
/// l).
pub(super) fn least_letters(least: f64, longer: u32) -> f64 {
    let kept = 1.0 - LOST * (1.0 - least + TOLERANCE);
    kept * (f64::from(longer) - DISCOUNT * f64::from(LINE))
}

/// The most letters that two texts share, if they have this number in runs. Words between runs
/// count up to a third of them. In most duplicates of the judged corpora these words have a
/// twentieth of them, and only in rewritten translations more than a third.
pub(super) fn most_shared(in_runs: u32) -> u32 {
    in_runs.saturating_add(in_runs / WORDS_BETWEEN)
}

/// The part of the letters in runs up to which words between them count.
const WORDS_BETWEEN: u32 = 3;

/// The share that a text may lose in addition, so that a text with half as many letters added
/// reaches 0.75.
const TOLERANCE: f64 = 0.003;

/// Two texts as they are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'t> {
    /// Letters and digits.
    pub letters: [&'t [u8]; 2],
    /// The numbers of letters and digits.
    pub sizes: [u32; 2],
    pub words: [&'t [Word]; 2],
}

/// The equal parts of two texts, by their runs alone.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The bytes of each text within its frame; all of them if there is no frame.
    between: [Range<usize>; 2],
    /// The letters in runs, equally many in both texts.
    in_runs: u32,
}

impl Texts<'_> {
    fn letters(&self, text: usize, part: Range<usize>) -> u32 {
        let part = &self.letters[text][part];
        size_of(part, part.is_ascii()).letters
    }

    /// The shape of the texts.
    pub fn shape(&self, runs: &Runs) -> Shape {
        let in_runs =
            runs.chain.iter().chain(&runs.moved).map(|run| self.letters(0, run.range(0))).sum();
        Shape { between: self.between(runs), in_runs }
    }

    /// The largest bound that two texts may have, by their runs alone.
    pub fn most(&self, runs: &Runs, shape: &Shape, in_family: bool) -> f64 {
        let Shape { between, in_runs } = shape;
        let framed =
            [0, 1].map(|text| self.sizes[text] - self.letters(text, between[text].clone()));
        let shared = (in_runs + most_in_gaps(runs, self.letters)).min(most_shared(*in_runs));
        Difference::most(self.sizes, shared, framed, in_family)
    }

    /// The numbers of the difference.
    pub fn difference(&self, runs: &Runs, shape: &Shape, places: &Places) -> Difference {
        let (all, Shape { between, in_runs }) = (self.sizes, shape);
        let in_gaps = [0, 1].map(|text| {
            let mut end = 0;
            let in_gaps = places.shared[text].iter().map(|part| {
                let new = part.start.max(end)..part.end.max(end);
                end = new.end;
                self.letters(text, new)
            });
            let moved = runs.moved.iter().map(|run| self.letters(text, run.range(text)));
            in_gaps.sum::<u32>() - moved.sum::<u32>()
        });
        let shared = (in_runs + in_gaps[0].min(in_gaps[1])).min(most_shared(*in_runs));
        let own = all.map(|all| all - shared);
        let outside = |place: &Place| {
            let before = |text: usize| place.bytes[text].end as usize <= between[text].start;
            let after = |text: usize| place.bytes[text].start as usize >= between[text].end;
            before(0) && before(1) || after(0) && after(1)
        };
        let mut difference = Difference {
            letters: all,
            own,
            places: places.all.len() as u32,
            ..Difference::default()
        };
        let mut at_ends = [0, 0];
        for place in &places.all {
            let in_frame = outside(place);
            if in_frame {
                for (text, at_ends) in at_ends.iter_mut().enumerate() {
                    *at_ends += self.letters(
                        text,
                        place.bytes[text].start as usize..place.bytes[text].end as usize,
                    );
                }
            }
            let is_figure = self.is_figure(place);
            let counts = place.is_exchange() && (is_figure || !in_frame) && !self.is_slip(place);
            difference.exchanged += u32::from(counts);
        }
        let framed = [0, 1].map(|text| at_ends[text].min(own[text]));
        if framed[0].min(framed[1]) > 0 {
            difference.framed = [0, 1].map(|text| framed[text].min(framed[1 - text] + LINE));
        }
        difference.repeated = self.repeated(&places.all);
        let whole = [0, 1].map(|text| 0..self.letters[text].len());
        let within = if all[0].min(all[1]) >= FIGURES_FRAMED { between } else { &whole };
        (difference.figures, difference.contradicting) = self.figures(within);
        difference
    }

    /// The bytes of each text within its frame; all of them if there is no frame.
    fn between(&self, runs: &Runs) -> [Range<usize>; 2] {
        let all = self.sizes;
        let whole = [0, 1].map(|text| 0..self.letters[text].len());
        let is_solid = |run: &&super::runs::Run| self.letters(0, run.range(0)) >= SOLID;
        let (Some(first), Some(last)) =
            (runs.chain.iter().find(is_solid), runs.chain.iter().rfind(is_solid))
        else {
            return whole;
        };
        let between = [0, 1].map(|text| first.range(text).start..last.range(text).end);
        let is_framed = |text: usize| {
            f64::from(self.letters(text, between[text].clone())) >= FRAMED * f64::from(all[text])
        };
        let long = all[0].min(all[1]) >= FEWEST_FRAMED;
        if long && is_framed(0) && is_framed(1) { between } else { whole }
    }

    fn words_of(&self, place: &Place, text: usize) -> &[Word] {
        &self.words[text][place.words[text].start as usize..place.words[text].end as usize]
    }

    /// Returns true if figures stand for figures at a place.
    fn is_figure(&self, place: &Place) -> bool {
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
    fn is_slip(&self, place: &Place) -> bool {
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
    fn repeated(&self, places: &[Place]) -> u32 {
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
    fn figures(&self, within: &[Range<usize>; 2]) -> (u32, u32) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_exchanged_again_and_again_counts_by_the_length_of_the_text() {
        let fact = |letters: u32, repeated: u32, places: u32| {
            let own = [20, 20];
            Difference {
                letters: [letters, letters + 1],
                own,
                places,
                repeated,
                ..Difference::default()
            }
            .fact(false)
        };
        assert_eq!(
            [fact(1_999, 2, 2), fact(2_000, 2, 2), fact(2_999, 3, 3)],
            [Some(Fact::Repeated), None, Some(Fact::Repeated)]
        );
        // An exchange counts from two times and a tenth of the places on.
        assert_eq!(
            [fact(900, 1, 1), fact(900, 2, 20), fact(900, 2, 21)],
            [None, Some(Fact::Repeated), None]
        );
    }

    #[test]
    fn nothing_is_asked_more_of_a_text_that_stands_whole_in_the_other_one() {
        let difference = |own| Difference {
            letters: [900, 1_100],
            own,
            figures: 9,
            contradicting: 9,
            ..Difference::default()
        };
        assert_eq!(
            [difference([0, 200]), difference([1, 201])].map(|own| own.fact(true)),
            [None, Some(Fact::Figures)]
        );
        let bounds = |own| {
            [false, true].map(|in_family| {
                Difference { figures: 0, contradicting: 0, ..difference(own) }
                    .largest_bound(in_family)
            })
        };
        let [[whole, whole_in_family], [alone, in_family]] = [bounds([0, 200]), bounds([1, 201])];
        assert!(
            whole == whole_in_family && whole > 0.86 && alone > 0.86 && in_family < 0.6,
            "{whole} {alone} {in_family}"
        );
    }
}
