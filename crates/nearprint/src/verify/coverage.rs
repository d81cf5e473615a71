//! Two texts -> their coverage, the share of both that stands in the other one as well.
//!
//! A passage is a run of characters that both texts have, of at least [`LONGEST`](super::windows::LONGEST) letters; a
//! character of Chinese, Japanese or Korean counts as two letters, and texts that are short themselves are held against
//! each other by shorter runs. The coverage is the share of the letters of both texts together that lies in such passages,
//! wherever they stand in the other text; a passage that stands there n times covers n of its occurrences. Hence:
//!
//! | difference | coverage |
//! | --- | --- |
//! | its paragraphs stand in another order | 1 |
//! | a share e of it was replaced, in however many places | about 1 - e, less the letters between two near places |
//! | x letters were added to a text of n | 1 - x / (2 n): 0.75 where half as many were added |
//! | a form was filled in again, 40 % of it with other names and sentences | about 0.6 |
//!
//! Letters around figures that contradict each other do not count as shared: of two notices in the same words with another
//! sum, one says something else ([`contradictions`](super::contradictions)). Nor do letters around what fills the slots of a
//! form, where other texts show that the two have one in common ([`fillings`](super::fillings)).
//!
//! A beginning and an end that are each text's own, such as the header and the footer of a site, count less ([`share`]).
//!
//! Passages consist of letters and digits alone. Cost: the characters of both texts and a table of the left one, or of the
//! right one where that is far shorter; texts that have little in common are given up as soon as more letters lie outside
//! passages than the least similarity allows. Figures are looked for only in texts that pass without them.

mod share;
#[cfg(test)]
pub(super) mod tests;

use std::ops::Range;

pub use share::is_containment;
use share::{Bound, Covered, similarity};
pub(super) use share::{SOLID, largest_uncovered_share};

use super::contradictions::{TOLERATED, contradictions, may_be_misread};
use super::figures::{Figure, figures};
use super::fillings::{Differing, Fillings, differing};
use super::form::Member;
use super::prefilter::{Prefilter, Uncovered};
use super::shared::{Prefiltered, Ranges, Table};
use super::side::Side;
use super::windows::passage_length;
use crate::normalize::{Cursor, append_alphanumeric, size_of};

/// Letters on either side of what contradicts or fills a slot that are not shared.
pub(super) const AROUND: u32 = 60;

/// The coverage of two normalized texts, 0..=1; of two empty ones 0.
///
/// ```
/// use nearprint::verify::coverage;
/// let (a, b) = ("北京今天上午十点举行了新闻发布会", "会上没有提到明天的安排和后天的天气");
/// assert_eq!(coverage(&format!("{a}{b}"), &format!("{b}{a}")), 1.0);
/// assert_eq!(coverage(a, b), 0.0);
/// assert_eq!(coverage("qtly div 10 cts vs 10 cts", "qtly div 12 cts vs 10 cts"), 0.0);
/// ```
pub fn coverage(left: &str, right: &str) -> f64 {
    let kept = [left, right].map(|text| {
        let mut kept = String::new();
        append_alphanumeric(text, &mut kept);
        kept
    });
    let mut coverage = Coverage::default();
    coverage.set_left(left, &kept[0]);
    coverage.at_least(right, &kept[1], 0.0).expect("every coverage is 0 or more")
}

/// The passages of two texts, as their coverage counts them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Passages {
    /// The letters in the shortest passage; a wide character counts as two.
    pub length: u32,
    /// The bytes of each text that lie in passages, in order and apart.
    pub ranges: [Vec<Range<usize>>; 2],
    /// Those of them that do not count, since a figure that contradicts stands near.
    pub discounted: [Vec<Range<usize>>; 2],
    /// From the letters that both texts share to their coverage.
    pub steps: Steps,
}

/// How the coverage of two texts comes about.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Steps {
    /// The share of the letters of both texts that lies in passages, 0 to 1.
    pub shared: f64,
    /// The coverage, if no figures contradicted: less than `shared` where one text is contained in the other one, more where each has
    /// a header and a footer of its own.
    pub uncontradicted: f64,
    /// The coverage of the two texts alone.
    pub coverage: f64,
}

/// The passages that two normalized texts share, in bytes of their letters and digits ([`append_alphanumeric`]).
///
/// ```
/// use nearprint::verify::passages;
/// let found = passages("the cat sat", "the dog sat");
/// assert_eq!(found.ranges, [[0..3, 6..9], [0..3, 6..9]]);
/// let found = passages("qtly div 10 cts", "qtly div 12 cts");
/// assert_eq!(found.discounted, [[0..8, 9..12], [0..8, 9..12]]);
/// assert!(found.steps.uncontradicted > 0.8 && found.steps.coverage == 0.0);
/// ```
pub fn passages(left: &str, right: &str) -> Passages {
    let texts = [left, right].map(|text| {
        let mut kept = String::new();
        append_alphanumeric(text, &mut kept);
        kept
    });
    let mut coverage = Coverage::default();
    coverage.set_left(left, &texts[0]);
    coverage.passages(right, texts[1].as_bytes())
}

/// Texts of more bytes are not put into a table where the other one is less than half as long: a character takes some 20
/// bytes there. For others it does not pay to make a new table for every pair.
const LARGE: usize = 1 << 20;

/// The memory of longer texts is not kept for the next one.
const MOST_KEPT: usize = 1 << 17;

/// Compares one text with several, in buffers of its own.
#[derive(Debug)]
pub struct Coverage {
    left: Vec<u8>,
    left_size: Cursor,
    left_text: String,
    /// Those of the left text, once they are asked for.
    left_figures: Option<Vec<Figure>>,
    right_figures: Vec<Figure>,
    /// The length of passages for which the left text is in the prefilter, and that for the table; 0 for none yet.
    prefiltered_length: u32,
    length: u32,
    prefilter: Prefilter,
    right_prefilter: Prefilter,
    left_uncovered: Uncovered,
    right_uncovered: Uncovered,
    table: Table,
    last: Option<Last>,
    /// The passages of the text in the table, and of the other one.
    own: Ranges,
    other: Ranges,
    large: usize,
    /// One figure in this many may contradict.
    tolerated: usize,
}

impl Default for Coverage {
    fn default() -> Coverage {
        Coverage {
            left: Vec::new(),
            left_size: Cursor::default(),
            left_text: String::new(),
            left_figures: None,
            right_figures: Vec::new(),
            prefiltered_length: 0,
            length: 0,
            prefilter: Prefilter::default(),
            right_prefilter: Prefilter::default(),
            left_uncovered: Uncovered::default(),
            right_uncovered: Uncovered::default(),
            table: Table::default(),
            last: None,
            own: Ranges::default(),
            other: Ranges::default(),
            large: LARGE,
            tolerated: TOLERATED,
        }
    }
}

impl Coverage {
    /// A coverage that tolerates more contradicting figures than that of documents: one in so many.
    pub(crate) fn tolerating(one_in: usize) -> Coverage {
        Coverage { tolerated: one_in, ..Coverage::default() }
    }

    /// The text that the next ones are compared with: normalized, and its letters and digits, as
    /// [`append_alphanumeric`](crate::normalize::append_alphanumeric) gives them.
    pub fn set_left(&mut self, text: &str, alphanumeric: impl AsRef<[u8]>) {
        let alphanumeric = alphanumeric.as_ref();
        if self.left.capacity() > MOST_KEPT.max(alphanumeric.len()) {
            (self.left, self.left_text) = (Vec::new(), String::new());
        }
        self.left.clear();
        self.left.extend_from_slice(alphanumeric);
        self.left_size = size_of(alphanumeric, alphanumeric.is_ascii());
        self.left_text.clear();
        self.left_text.push_str(text);
        self.left_figures = None;
        (self.prefiltered_length, self.length) = (0, 0);
        self.table.forget_large();
    }

    /// The coverage of the left text and this one, if it is `least` or more. The arguments are as those of
    /// [`set_left`](Self::set_left).
    pub fn at_least(&mut self, text: &str, alphanumeric: impl AsRef<[u8]>, least: f64) -> Option<f64> {
        self.last = None;
        let right = alphanumeric.as_ref();
        let right_size = size_of(right, right.is_ascii());
        let shorter = self.left_size.letters.min(right_size.letters);
        if shorter == 0 {
            return (least <= 0.0).then_some(0.0);
        }
        let length = passage_length(shorter);
        let swapped = self.find_passages(right, right_size, length, least)?;
        let (mut left_ranges, mut right_ranges) = (&self.own.list, &self.other.list);
        if swapped {
            std::mem::swap(&mut left_ranges, &mut right_ranges);
        }
        let left_covered = Covered::new(&self.left, self.left_size, length, left_ranges);
        let right_covered = Covered::new(right, right_size, length, right_ranges);
        let similarity = similarity(&left_covered, &right_covered, 0);
        if similarity < least || left_covered.covered == 0 {
            return (similarity >= least).then_some(similarity);
        }
        let left_figures = self.left_figures.get_or_insert_with(|| {
            let mut out = Vec::new();
            figures(&self.left_text, &mut out);
            out
        });
        figures(text, &mut self.right_figures);
        let (text, size) = (self.left.as_slice(), self.left_size);
        let left = Side { text, size, passages: left_ranges, figures: left_figures };
        let right = Side { text: right, size: right_size, passages: right_ranges, figures: &self.right_figures };
        let contradictions = contradictions(left, right, length, self.tolerated);
        let similarity = self::similarity(&left_covered, &right_covered, lost(left, right, &contradictions));
        let found = similarity >= least;
        self.last = found.then_some(Last { swapped, covered: [left_covered, right_covered], contradictions });
        found.then_some(similarity)
    }

    /// The passages of the left text and this one.
    fn passages(&mut self, text: &str, right: &[u8]) -> Passages {
        let right_size = size_of(right, right.is_ascii());
        let shorter = self.left_size.letters.min(right_size.letters);
        let Some(coverage) = self.at_least(text, right, 0.0).filter(|_| shorter > 0) else {
            return Passages::default();
        };
        let length = passage_length(shorter).min(shorter);
        let Some(last) = &self.last else { return Passages { length, ..Passages::default() } };
        let (left, right) = self.sides(last, right);
        let sides = [(left, &last.contradictions[0]), (right, &last.contradictions[1])];
        let letters = f64::from(last.covered[0].letters + last.covered[1].letters);
        let steps = Steps {
            shared: f64::from(last.covered[0].covered + last.covered[1].covered) / letters,
            uncontradicted: last.without(0),
            coverage,
        };
        Passages {
            length,
            ranges: sides.map(|(side, _)| side.passages.iter().map(|(start, end)| *start..*end).collect()),
            discounted: sides.map(|(side, figures)| side.shared_around(figures.clone(), AROUND).collect()),
            steps,
        }
    }

    /// The shares of the left text and of the right one of the last comparison, 0 to 1, that stand nowhere in the other one, if
    /// their coverage was found large enough.
    pub fn lost(&self) -> Option<[f64; 2]> {
        Some(self.last.as_ref()?.covered.each_ref().map(Covered::lost))
    }

    /// The form that the left text and the right one of the last comparison may have in common, where their coverage was found large
    /// enough.
    pub fn form<'c>(&'c self, alphanumeric: &'c [u8]) -> Option<Form<'c>> {
        let last = self.last.as_ref()?;
        let (left, right) = self.sides(last, alphanumeric);
        Some(Form { left, right, last })
    }

    /// The two texts of the last comparison.
    fn sides<'t>(&'t self, last: &Last, right: &'t [u8]) -> (Side<'t>, Side<'t>) {
        let (mut left_ranges, mut right_ranges) = (&self.own.list, &self.other.list);
        if last.swapped {
            std::mem::swap(&mut left_ranges, &mut right_ranges);
        }
        let left_figures = self.left_figures.as_deref().unwrap_or(&[]);
        let side = |text, size, passages, figures| Side { text, size, passages, figures };
        let right_size = size_of(right, right.is_ascii());
        (
            side(&self.left, self.left_size, left_ranges, left_figures),
            side(right, right_size, right_ranges, &self.right_figures),
        )
    }

    /// Finds the passages of the left text and this one. `None` once the coverage is known to be below `least`; else whether
    /// the right text is the one in the table.
    fn find_passages(&mut self, right: &[u8], right_size: Cursor, length: u32, least: f64) -> Option<bool> {
        let bound = Bound::new(least, self.left_size.letters, right_size.letters);
        let (left, left_size) = (&self.left, self.left_size);
        if self.prefiltered_length != length {
            self.prefiltered_length = length;
            self.prefilter.build(left, left_size, length);
        }
        self.prefilter.uncovered(right, right_size, bound.most_framed, &mut self.right_uncovered);
        let right_outside = self.right_uncovered.total;
        if !bound.may_reach(&self.right_uncovered, 0) {
            return None;
        }
        let in_table = self.length == length;
        // The coverage of a pair is the same from either side.
        let swaps = !in_table && left.len() > self.large && right.len() < left.len() / 2;
        // More of the left text than of the right one is hardly ever covered.
        let left_outside = (left_size.letters + right_outside).saturating_sub(right_size.letters);
        if swaps || left_outside + right_outside > bound.most {
            self.right_prefilter.build(right, right_size, length);
            let rest = bound.most_framed - right_outside;
            self.right_prefilter.uncovered(left, left_size, rest, &mut self.left_uncovered);
            if !bound.may_reach(&self.left_uncovered, right_outside)
                || right_outside + self.left_uncovered.total > bound.most && !bound.may_be_framed(&self.right_uncovered)
            {
                return None;
            }
        }
        let (mut text, mut text_size) = (left.as_slice(), left_size);
        let (mut other, mut other_size) = (right, right_size);
        let mut prefiltered = &self.right_uncovered;
        if swaps {
            ((text, text_size), (other, other_size)) = ((other, other_size), (text, text_size));
            prefiltered = &self.left_uncovered;
        }
        if !in_table {
            self.length = if swaps { 0 } else { length };
            self.table.build(text, text_size, length);
        }
        let prefiltered = Prefiltered { text: other, size: other_size, windows: prefiltered };
        if !self.table.meet(text, prefiltered, length, bound.most_framed, &mut self.other) {
            return None;
        }
        self.table.meet_back(text, text_size, &mut self.own);
        Some(swaps)
    }
}

/// A comparison that found the coverage large enough.
#[derive(Debug)]
struct Last {
    /// Whether the right text was the one in the table.
    swapped: bool,
    covered: [Covered; 2],
    /// The figures of each text that contradict.
    contradictions: [Vec<Range<usize>>; 2],
}

impl Last {
    /// The coverage, or a lower bound, where at most this many of the letters in passages do not count.
    fn without(&self, lost: u32) -> f64 {
        let [left, right] = &self.covered;
        similarity(left, right, lost.min(left.covered + right.covered))
    }
}

/// Two texts of enough coverage, and the slots of their form as far as other texts show them.
#[derive(Debug)]
pub struct Form<'c> {
    left: Side<'c>,
    right: Side<'c>,
    last: &'c Last,
}

impl Form<'_> {
    /// The coverage of the two texts, without the surroundings of slots that they fill in their own ways. A slot costs [`AROUND`]
    /// letters for each side on which there is more of the text, also where another slot is near.
    pub fn similarity(&self, texts: [(&Member, &Fillings); 2]) -> f64 {
        let differing = differing(texts, |figures| may_be_misread(self.left, self.right, figures));
        let lost = |text: usize| {
            let (side, Differing { parts, least }) = ([self.left, self.right][text], &differing[text]);
            let slots = side.letters_around(parts.clone(), AROUND);
            let all = [&parts[..], &self.last.contradictions[text]].concat();
            side.letters_around(all, AROUND) + least.saturating_sub(slots)
        };
        self.last.without(lost(0) + lost(1))
    }
}

/// The letters of two texts that are in passages and do not count as shared, with these parts that say something else.
fn lost(left: Side<'_>, right: Side<'_>, parts: &[Vec<Range<usize>>; 2]) -> u32 {
    left.letters_around(parts[0].clone(), AROUND) + right.letters_around(parts[1].clone(), AROUND)
}
