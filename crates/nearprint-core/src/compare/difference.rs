//! Two texts and the places where they differ -> the numbers that decide whether one may go for the
//! other.
//!
//! | number | of | asked |
//! | --- | --- | --- |
//! | similarity | the share of the letters of both texts that stands in the other one | the least similarity s |
//! | lost | the share of each text that stands nowhere in the other one | 4/3 (1 - s) at most; 2/5 (1 - s) in a family, if each loses something |
//! | figures | figures of each text that the other one lacks | no more than one in [`FIGURES`], or not [`FEW`] and one in [`FIGURE_PLACES`] of the places |
//! | repeated | places where one word stands for one other word, and no text has both | not two, or fewer than one in [`REPEATED`] of the places or for [`RENAMED`] letters |
//! | exchanged | places in a family where words stand for other words | two in five of the places at most, or one for [`EXCHANGE`] letters |
//!
//! A frame, a beginning and an end that each text has of its own, counts a third, as far as both
//! have one (in what is lost, and a line more) and three fifths of each text lie between; in a
//! family only up to [`LONGEST_FRAME`] letters. In a frame no words are exchanged, but figures are.
//! Words that are nearly spelled the same are slips.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::places::{Place, Places, most_in_gaps};
use super::runs::Runs;
use super::words::{Word, is_wide};
use crate::normalize::size_of;

/// A beginning and an end lie outside the first and the last run of this many letters.
const SOLID: u32 = 40;

/// The share of each text that lies between them, at least, in a frame; and the fewest letters of a
/// text in a frame.
const FRAMED: f64 = 0.6;
const FEWEST_FRAMED: u32 = 200;

/// The most letters of a frame in a family: files around one licence have more, which is theirs.
const LONGEST_FRAME: u32 = 600;

/// How much less a frame counts.
const DISCOUNT: f64 = 2.0 / 3.0;

/// In what a text loses its frame counts less up to so many letters more than the other one has,
/// which is a line.
const LINE: u32 = 50;

/// Of longer texts a frame may have other figures.
const FIGURES_FRAMED: u32 = 600;

/// Of the figures of a text one in this many may contradict.
const FIGURES: u32 = 6;

/// Fewer contradict nothing in texts of [`SHORT`] letters and more, nor do they where they are less
/// than one in [`FIGURE_PLACES`] of the places.
const FEW: u32 = 2;
const FIGURE_PLACES: u32 = 4;
const SHORT: u32 = 200;

/// A word that is exchanged for the same other one again makes another text where that are one in
/// so many of the places.
const REPEATED: u32 = 10;

/// In longer texts it may be exchanged once for so many letters of the shorter one: whoever revises
/// an article or a contract replaces a term throughout.
const RENAMED: u32 = 1_000;

/// In a family words may be exchanged at two in five of the places, or at one for so many letters
/// of the shorter text.
const EXCHANGED: [u32; 2] = [2, 5];
const EXCHANGE: u32 = 250;

/// How much a text may lose, for each share by which the least similarity is below 1; and in a
/// family.
const LOST: f64 = 4.0 / 3.0;
const LOST_IN_FAMILY: f64 = 2.0 / 5.0;

/// The most words of a text at a place that are figures rather than a sentence with figures.
const MOST_WORDS: usize = 6;

/// Words that share this much of their letters, in order, are spelled nearly the same.
const SLIP: f64 = 0.6;

/// What stands at a place in more bytes is no word.
const LONGEST: usize = 120;

/// What differs between two texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Difference {
    /// The letters of each text; a wide character counts as two.
    pub letters: [u32; 2],
    /// Those that stand nowhere in the other text.
    pub own: [u32; 2],
    /// Those of them in a frame, at most a line more than the other text has; 0 where there is
    /// none.
    pub framed: [u32; 2],
    /// The places where the texts differ.
    pub places: u32,
    /// Those where words stand for other words, but for slips and the frame.
    pub exchanged: u32,
    /// Those where one word stands for one other word, of the pair that does so most often.
    pub repeated: u32,
    /// The figures of the text that has fewer, and those of each that the other one lacks,
    /// whichever are fewer.
    pub figures: u32,
    /// How many of them contradict.
    pub contradicting: u32,
}

/// Why two texts that are similar enough are no duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// Their figures contradict each other.
    Figures,
    /// A word stands for the same other word again and again.
    Repeated,
    /// They fill in one form, as others do: words are exchanged for words.
    Exchanged,
}

impl Difference {
    /// The share of the letters of both texts that stands in the other one, 0 to 1; a frame counts
    /// a third.
    pub fn similarity(&self) -> f64 {
        let letters = f64::from(self.letters[0]) + f64::from(self.letters[1]);
        let set_aside = 2.0 * DISCOUNT * f64::from(self.framed[0].min(self.framed[1]));
        let own = f64::from(self.own[0]) + f64::from(self.own[1]) - set_aside;
        if letters == 0.0 { 0.0 } else { 1.0 - own / (letters - set_aside) }
    }

    /// The same of the two texts in the other order.
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

    /// Whether one text stands whole in the other one.
    fn is_whole(&self) -> bool {
        self.own[0].min(self.own[1]) == 0
    }

    /// What tells the texts apart, however similar they are.
    pub fn fact(&self, in_family: bool) -> Option<Fact> {
        let Difference { places, exchanged, repeated, figures, contradicting, .. } = *self;
        let shorter = self.letters[0].min(self.letters[1]);
        // What stands whole in the other text contradicts nothing.
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

    /// The largest least similarity at which the texts are duplicates, at most 1; 0 where they are
    /// at none.
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

    /// The same, whatever the facts, with so many letters of a frame in what is lost.
    fn bound(&self, framed: [u32; 2], in_family: bool) -> f64 {
        let lost = |text: usize| {
            let aside = DISCOUNT * f64::from(framed[text]);
            (f64::from(self.own[text]) - aside) / (f64::from(self.letters[text]) - aside).max(1.0)
        };
        let may_be_lost = if in_family && !self.is_whole() { LOST_IN_FAMILY } else { LOST };
        self.similarity().min(1.0 - lost(0).max(lost(1)) / may_be_lost + TOLERANCE).clamp(0.0, 1.0)
    }

    /// The largest bound that two texts of these letters may have, if they share no more than
    /// these, and have no more than these in a frame.
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

    /// The most letters of two texts in a frame.
    pub(super) fn most_framed(letters: [u32; 2]) -> [u32; 2] {
        let is_framed = letters[0].min(letters[1]) >= FEWEST_FRAMED;
        letters
            .map(|all| if is_framed { (f64::from(all) * (1.0 - FRAMED)).ceil() as u32 } else { 0 })
    }
}

/// The least letters of the shorter one of two duplicates of which the longer one has so many, for
/// similarities of this least one or more. Of a and b letters, with f of a in a frame and up to f
/// and a line l of b: the longer text has b - (a - f) letters of its own or more. So with d the
/// [`DISCOUNT`] b - a + f - d (f + l) <= (1 - kept) (b - d (f + l)), and a is kept (b - d l) at
/// least.
pub(super) fn least_letters(least: f64, longer: u32) -> f64 {
    let kept = 1.0 - LOST * (1.0 - least + TOLERANCE);
    kept * (f64::from(longer) - DISCOUNT * f64::from(LINE))
}

/// The most letters that two texts share, for those in runs: words between runs count up to a third
/// of these. Among duplicates of the judged corpora they are a twentieth in most, and more than a
/// third in none but rewritten translations.
pub(super) fn most_shared(in_runs: u32) -> u32 {
    in_runs.saturating_add(in_runs / WORDS_BETWEEN)
}

/// The part of the letters in runs up to which words between them count.
const WORDS_BETWEEN: u32 = 3;

/// What a text may lose more than a share of it, so that one with half as many letters again has
/// .75.
const TOLERANCE: f64 = 0.003;

/// Two texts as they are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'t> {
    /// Letters and digits.
    pub letters: [&'t [u8]; 2],
    /// How many there are.
    pub sizes: [u32; 2],
    pub words: [&'t [Word]; 2],
}

/// Where two texts are the same, by their runs alone.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The bytes of each text between a beginning and an end of its own; all of it where there is
    /// no frame.
    between: [Range<usize>; 2],
    /// The letters in runs, of which both texts have the same.
    in_runs: u32,
}

impl Texts<'_> {
    fn letters(&self, text: usize, part: Range<usize>) -> u32 {
        let part = &self.letters[text][part];
        size_of(part, part.is_ascii()).letters
    }

    /// Their shape.
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

    /// The numbers of two texts.
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

    /// The bytes of each text between a beginning and an end of its own; all of it where there is
    /// no frame.
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

    /// Whether figures stand for figures at a place.
    fn is_figure(&self, place: &Place) -> bool {
        [0, 1].iter().all(|text| {
            let words = self.words_of(place, *text);
            words.len() <= MOST_WORDS && words.iter().any(|word| word.is_figure)
        })
    }

    /// The letters of the words of both texts at a place; `None` where these are more than words.
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

    /// Whether what stands at a place is spelled nearly the same in both texts, and is no figure.
    fn is_slip(&self, place: &Place) -> bool {
        let Some([one, other]) = self.spelled(place) else { return false };
        if one.bytes().chain(other.bytes()).any(|byte| byte.is_ascii_digit())
            || self.is_figure(place)
        {
            return false;
        }
        let [one, other] = [one, other].map(|word| word.chars().collect::<Vec<char>>());
        match (&one[..], &other[..]) {
            // A single character that was misread.
            ([one], [other]) if is_wide(*one) && is_wide(*other) => true,
            _ => in_order(&one, &other) as f64 >= SLIP * one.len().max(other.len()) as f64,
        }
    }

    /// How often the most frequent exchange of words for words is made that no other part of the
    /// texts has.
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

    /// The figures within these parts of the text that has fewer of them, and those of either text
    /// that the other one lacks, whichever are fewer.
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

/// How many characters two words have in the same order.
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
        // Two, and a tenth of the places at least.
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
