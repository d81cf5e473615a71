//! Two texts, their runs and the places where they differ -> the numbers of their difference.

use std::ops::Range;

use super::difference::{Difference, FEWEST_FRAMED, FRAMED, LINE, most_shared};
use super::places::{Place, Places, most_in_gaps};
use super::runs::{Run, Runs};
use super::words::Word;
use crate::normalize::size_of;

/// The fewest letters of a run that ends a frame.
const SOLID: u32 = 40;

/// The fewest letters of texts whose frames may have other figures.
const FIGURES_FRAMED: u32 = 600;

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
    /// The number of letters in a part of a text.
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
        let is_solid = |run: &&Run| self.letters(0, run.range(0)) >= SOLID;
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
}
