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
//! A beginning and an end that are each text's own, such as the header and the footer of a site, count a third, as far as
//! both texts have both and up to a third of the text, provided that at most a quarter of them is covered and at most a
//! twentieth of the letters between them is not: with 30 % of each text being those of its site and the article between
//! them being the same, the coverage is 0.7 / 0.8 = 0.875.
//!
//! Passages consist of letters and digits alone. Cost: the characters of both texts and a table of the left one, or of the
//! right one where that is far shorter; texts that have little in common are given up as soon as more letters lie outside
//! passages than the least similarity allows. Figures are looked for only in texts that pass without them.

use std::ops::Range;

use super::contradictions::{TOLERATED, contradictions, may_be_misread};
use super::figures::{Figure, figures};
use super::fillings::{Differing, Fillings, differing};
use super::form::Member;
use super::prefilter::{Prefilter, Uncovered};
use super::shared::{Prefiltered, Ranges, Table};
use super::side::Side;
use super::windows::{is_ascii, passage_length};
use crate::normalize::{Cursor, append_alphanumeric, size_of};

/// Letters on either side of what contradicts or fills a slot that are not shared.
pub(super) const AROUND: u32 = 60;

/// A beginning and an end lie outside the first and the last run of passages of this many times the shortest.
pub(super) const SOLID: u32 = 4;

/// How much less a beginning and an end of its own count in a text.
const DISCOUNT: f64 = 2.0 / 3.0;

/// The largest share of a text that counts less for that.
const LARGEST_ENDS: f64 = 1.0 / 3.0;

/// The share of the letters between that must be covered for that.
const SAME: f64 = 0.95;

/// Of a text that is contained in another one this share may stand nowhere in that.
const CONTAINED: f64 = 0.05;

/// The share of beginning and end that must not be covered for that.
const OWN: f64 = 0.75;

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
        if similarity < least || similarity == 0.0 {
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
            let slots = side.shared_around(parts.clone(), AROUND);
            let all = [&parts[..], &self.last.contradictions[text]].concat();
            side.shared_around(all, AROUND) + least.saturating_sub(slots)
        };
        self.last.without(lost(0) + lost(1))
    }
}

/// The letters of two texts that are in passages and do not count as shared, with these parts that say something else.
fn lost(left: Side<'_>, right: Side<'_>, parts: &[Vec<Range<usize>>; 2]) -> u32 {
    left.shared_around(parts[0].clone(), AROUND) + right.shared_around(parts[1].clone(), AROUND)
}

/// The letters of two texts that may lie outside their passages where the coverage is to be large enough.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// Where no beginning and end count less.
    most: u32,
    /// Where they count less, as many as can: the coverage is the covered share by 1 - DISCOUNT LARGEST_ENDS at most.
    most_framed: u32,
}

impl Bound {
    fn new(least: f64, left: u32, right: u32) -> Bound {
        let letters = f64::from(left) + f64::from(right);
        let most = |share: f64| (letters * share + 1e-6).min(f64::from(u32::MAX)) as u32;
        Bound { most: most(1.0 - least), most_framed: most(largest_uncovered_share(least)) }
    }

    /// Whether a pair may be similar enough, given a lower bound on the letters of one text outside passages, and one on
    /// those of the other.
    fn may_reach(&self, uncovered: &Uncovered, others: u32) -> bool {
        let outside = uncovered.total + others;
        outside <= self.most || outside <= self.most_framed && self.may_be_framed(uncovered)
    }

    /// Whether the beginning and the end of a text may count less: they have no more letters than may lie outside, and those
    /// of them that are covered; and few lie outside between them.
    fn may_be_framed(&self, uncovered: &Uncovered) -> bool {
        let ends = f64::from(self.most_framed) / OWN + 1.0;
        let between = uncovered.between(ends.min(f64::from(u32::MAX)) as u32);
        f64::from(between) <= (1.0 - SAME) * f64::from(uncovered.letters()) + 1e-6
    }
}

/// The largest share of the letters of two texts that may lie outside passages in a pair of coverage `least`.
pub(super) fn largest_uncovered_share(least: f64) -> f64 {
    1.0 - least * (1.0 - DISCOUNT * LARGEST_ENDS) + 1e-9
}

/// The coverage of a pair, of whose shared letters this many do not count.
fn similarity(left: &Covered, right: &Covered, contradicted: u32) -> f64 {
    let covered = left.covered + right.covered - contradicted;
    let own_ends = |text: &Covered| f64::from(text.own_ends) / f64::from(text.letters);
    let framed = |text: &Covered| {
        let between = f64::from(text.covered) - f64::from(text.ends - text.own_ends);
        text.has_both_ends
            && f64::from(text.own_ends) >= OWN * f64::from(text.ends)
            && between >= SAME * f64::from(text.letters - text.ends)
    };
    let discount = match framed(left) && framed(right) {
        true => DISCOUNT * own_ends(left).min(own_ends(right)).min(LARGEST_ENDS),
        false => 0.0,
    };
    let letters = f64::from(left.letters + right.letters);
    if is_containment([left.lost(), right.lost()]) {
        // Where one has x times the letters of the other one, (3 - x) / 2 in place of 2 / (1 + x).
        let contained = 2.0 - letters / f64::from(left.covered + right.covered);
        return (contained - f64::from(contradicted) / letters).max(0.0);
    }
    (f64::from(covered) / (letters * (1.0 - discount))).min(1.0)
}

/// Whether one text is contained in another one, which has more: of one at most a twentieth stands nowhere in the other one, and
/// of the other one twice that share.
pub fn is_containment([one, other]: [f64; 2]) -> bool {
    one.min(other) <= CONTAINED && one.max(other) >= 2.0 * CONTAINED
}

/// The part of a text that the other one has, in letters.
#[derive(Debug)]
struct Covered {
    /// All of the text.
    letters: u32,
    /// In passages.
    covered: u32,
    /// Before the first solid run of passages and after the last one.
    ends: u32,
    /// There, and in no passage.
    own_ends: u32,
    /// Whether there is something before that first run, and something after that last one.
    has_both_ends: bool,
}

impl Covered {
    /// The share of the text that is in no passage.
    fn lost(&self) -> f64 {
        1.0 - f64::from(self.covered) / f64::from(self.letters)
    }

    /// How much of a text lies in these ranges.
    fn new(text: &[u8], size: Cursor, length: u32, ranges: &[(usize, usize)]) -> Covered {
        let ascii = is_ascii(text, size);
        let letters = |start: usize, end: usize| size_of(&text[start..end], ascii).letters;
        let (mut covered, mut before_solid, mut since_solid) = (0, 0, 0);
        let mut solid: Option<(usize, usize)> = None;
        for (start, end) in ranges {
            let range = letters(*start, *end);
            if range >= SOLID * length {
                if solid.is_none() {
                    before_solid = covered;
                }
                solid = Some((solid.map_or(*start, |solid| solid.0), *end));
                since_solid = 0;
            } else {
                since_solid += range;
            }
            covered += range;
        }
        let (start, end) = match solid {
            None => (0, 0),
            Some((start, end)) => (letters(0, start), letters(end, text.len())),
        };
        Covered {
            letters: size.letters,
            covered,
            ends: start + end,
            own_ends: (start + end).saturating_sub(before_solid + since_solid),
            has_both_ends: start.min(end) > 0,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn letters(c: char) -> u32 {
        if c >= '\u{2e80}' { 2 } else { 1 }
    }

    fn letters_of(text: &[char]) -> u32 {
        text.iter().map(|c| letters(*c)).sum()
    }

    /// The letters and digits of a text, and its figures.
    fn parts(text: &str) -> (String, Vec<Figure>) {
        let (mut kept, mut found) = (String::new(), Vec::new());
        append_alphanumeric(text, &mut kept);
        figures(text, &mut found);
        (kept, found)
    }

    /// The characters of a text that lie in windows that the other one has as well.
    fn marks(text: &[char], other: &[char], length: u32) -> Vec<bool> {
        let windows = |text: &[char]| -> Vec<(usize, Vec<char>)> {
            let long_enough = |window: &[char]| letters_of(window) >= length.min(letters_of(text));
            (0..text.len())
                .filter_map(|start| {
                    let end = (start..=text.len()).find(|end| long_enough(&text[start..*end]))?;
                    Some((start, text[start..end].to_vec()))
                })
                .collect()
        };
        let mut others: BTreeMap<Vec<char>, u32> = BTreeMap::new();
        for (_, window) in windows(other) {
            *others.entry(window).or_default() += 1;
        }
        let mut marks = vec![false; text.len()];
        for (start, window) in windows(text) {
            if let Some(left @ 1..) = others.get_mut(&window) {
                *left -= 1;
                marks[start..start + window.len()].fill(true);
            }
        }
        marks
    }

    fn covered(text: &[char], marks: &[bool], length: u32) -> Covered {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (place, marked) in marks.iter().enumerate() {
            match runs.last_mut() {
                Some((_, end)) if *marked && *end == place => *end += 1,
                _ if *marked => runs.push((place, place + 1)),
                _ => {}
            }
        }
        let solid: Vec<&(usize, usize)> =
            runs.iter().filter(|(start, end)| letters_of(&text[*start..*end]) >= SOLID * length).collect();
        let own = |range: std::ops::Range<usize>| -> u32 {
            range.filter(|place| !marks[*place]).map(|place| letters(text[place])).sum()
        };
        let (start, end, own_ends) = match (solid.first(), solid.last()) {
            (Some(first), Some(last)) => {
                let own_ends = own(0..first.0) + own(last.1..text.len());
                (letters_of(&text[..first.0]), letters_of(&text[last.1..]), own_ends)
            }
            _ => (0, 0, 0),
        };
        Covered {
            letters: letters_of(text),
            covered: letters_of(text) - own(0..text.len()),
            ends: start + end,
            own_ends,
            has_both_ends: start.min(end) > 0,
        }
    }

    /// The bytes of the characters that are marked.
    fn passages(text: &str, marks: &[bool]) -> Vec<(usize, usize)> {
        let mut passages: Vec<(usize, usize)> = Vec::new();
        for ((start, c), _) in text.char_indices().zip(marks).filter(|(_, marked)| **marked) {
            match passages.last_mut() {
                Some((_, end)) if *end == start => *end += c.len_utf8(),
                _ => passages.push((start, start + c.len_utf8())),
            }
        }
        passages
    }

    /// The letters of each text that lie in windows that the other one has as well.
    pub(in crate::verify) fn letters_in_passages(left: &str, right: &str) -> [u32; 2] {
        let texts = [left, right].map(|text| parts(text).0.chars().collect::<Vec<char>>());
        let length = passage_length(letters_of(&texts[0]).min(letters_of(&texts[1])));
        [0, 1].map(|side| {
            let (text, other) = (&texts[side], &texts[1 - side]);
            let marks = marks(text, other, length);
            text.iter().zip(marks).filter(|(_, marked)| *marked).map(|(c, _)| letters(*c)).sum()
        })
    }

    /// The definition, character by character.
    fn plain(left: &str, right: &str) -> f64 {
        let parts = [parts(left), parts(right)];
        let texts = [0, 1].map(|side| parts[side].0.chars().collect::<Vec<char>>());
        if texts.iter().any(Vec::is_empty) {
            return 0.0;
        }
        let length = passage_length(letters_of(&texts[0]).min(letters_of(&texts[1])));
        let marks = [marks(&texts[0], &texts[1], length), marks(&texts[1], &texts[0], length)];
        let passages = [0, 1].map(|side| passages(&parts[side].0, &marks[side]));
        let with = |side: usize| {
            let (kept, figures) = &parts[side];
            let text = kept.as_bytes();
            Side { text, size: size_of(text, false), passages: &passages[side], figures }
        };
        let contradictions = contradictions(with(0), with(1), length, TOLERATED);
        let contradicted = lost(with(0), with(1), &contradictions);
        let covered = [0, 1].map(|side| covered(&texts[side], &marks[side], length));
        similarity(&covered[0], &covered[1], contradicted)
    }

    /// Two texts that share some pieces.
    fn pair() -> impl Strategy<Value = (String, String)> {
        let piece = prop_oneof![
            "[a-c]{0,9}",
            "[a-z]{1,60}",
            "[天地人]{0,5}",
            "[éЖⰀ⺀𠀀]{0,8}",
            "[一-十]{1,30}",
            "[0-9]{1,9}",
            "[aé0天]{5,20}"
        ];
        let pieces = proptest::collection::vec((piece, any::<bool>(), any::<bool>()), 0..8);
        pieces.prop_map(|pieces| {
            let left = pieces.iter().filter(|piece| piece.1).map(|piece| piece.0.as_str()).collect();
            let right = pieces.iter().rev().filter(|piece| piece.2).map(|piece| piece.0.as_str()).collect();
            (left, right)
        })
    }

    proptest! {
        #[test]
        fn the_tables_follow_the_definition((left, right) in pair(), least in prop_oneof![Just(0.5), Just(0.8), Just(1.0), 0.0..1.0]) {
            let expected = plain(&left, &right);
            prop_assert_eq!(coverage(&left, &right), expected);
            prop_assert_eq!(coverage(&right, &left), expected);
            // With the left text in the table, and with the shorter one.
            for large in [LARGE, 0] {
                let mut coverage = Coverage { large, ..Coverage::default() };
                coverage.set_left(&left, parts(&left).0);
                for text in [&left, &right, &right, &left] {
                    let expected = plain(&left, text);
                    let found = coverage.at_least(text, parts(text).0, least);
                    prop_assert_eq!(found, (expected >= least).then_some(expected));
                }
            }
        }
    }

    /// Two texts with beginnings and ends of their own around nearly the same.
    fn framed() -> impl Strategy<Value = (String, String)> {
        let end = || prop_oneof!["[a-z]{0,90}", "[a-z0-9]{0,40}", "[天地人和你我他]{0,40}", "[éЖ0-9天a-z]{0,60}"];
        let body = prop_oneof!["[a-z ]{120,400}", "[一-十0-9]{60,200}"];
        (body, [end(), end(), end(), end()], 0usize..60).prop_map(|(body, ends, lost)| {
            let other: String = body.chars().enumerate().filter(|(at, _)| *at != lost).map(|(_, c)| c).collect();
            (format!("{}{body}{}", ends[0], ends[1]), format!("{}{other}{}", ends[2], ends[3]))
        })
    }

    proptest! {
        #[test]
        fn no_least_similarity_is_missed_by_a_hair((left, right) in framed()) {
            let expected = plain(&left, &right);
            let mut coverage = Coverage::default();
            coverage.set_left(&left, parts(&left).0);
            for least in [expected, expected.next_down(), expected.next_up(), 0.8] {
                let answer = coverage.at_least(&right, parts(&right).0, least);
                prop_assert_eq!(answer, (expected >= least).then_some(expected));
            }
        }
    }

    /// A text of this number of letters that has no passage in common with one of another seed.
    fn words(seed: u64, letters: usize) -> String {
        let mut state = seed;
        let mut letter = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            char::from(b'a' + ((state >> 33) % 26) as u8)
        };
        (0..letters).map(|_| letter()).collect()
    }

    #[test]
    fn the_table_of_a_huge_text_is_not_kept_nor_made_for_a_small_one() {
        let (huge, small) = (words(1, LARGE + 1), words(2, 1000));
        let mut coverage = Coverage::default();
        coverage.set_left(&huge, &huge);
        assert_eq!(coverage.at_least(&small, &small, 0.8), None);
        assert!(coverage.table.capacity() <= 4096);
        assert_eq!(coverage.at_least(&huge, &huge, 0.8), Some(1.0));
        assert!(coverage.table.capacity() > LARGE);
        coverage.set_left(&small, &small);
        assert_eq!((coverage.at_least(&small, &small, 0.8), coverage.table.capacity() <= 4096), (Some(1.0), true));
        assert!(coverage.left.capacity() <= MOST_KEPT);
    }

    #[test]
    fn order_costs_nothing_and_half_a_text_a_half() {
        let (a, b) = (words(1, 1000), words(2, 1000));
        assert_eq!(coverage(&format!("{a}{b}"), &format!("{b}{a}")), 1.0);
        assert_eq!(coverage(&a, &format!("{a}{b}")), 0.5);
        assert_eq!(coverage(&a, &format!("{a}{}", words(3, 500))), 0.75);
        assert_eq!(coverage(&a, &b), 0.0);
    }

    #[test]
    fn what_stands_once_covers_one_occurrence() {
        let a = words(1, 1000);
        assert_eq!(coverage(&a, &format!("{a}{a}")), 0.5);
    }

    #[test]
    fn a_table_with_other_figures_is_another_table() {
        let table = |seed: u64| -> String {
            let rows = (0..20u64).map(|row| format!("{} {:05}\n", words(row, 10), (seed + row) * 7919 % 99_999));
            rows.collect()
        };
        assert!(coverage(&table(100), &table(200)) < 0.1);
        assert_eq!(coverage(&table(100), &table(100)), 1.0);
    }

    #[test]
    fn beginnings_and_ends_count_a_third_where_both_texts_have_their_own() {
        let site = |seed: u64, text: &str| format!("{}{text}{}", words(seed, 200), words(seed + 1, 100));
        let (body, form) = (words(9, 700), words(10, 300));
        assert!((coverage(&site(1, &body), &site(3, &body)) - 0.875).abs() < 1e-12);
        // Where one of them has none, or none at one end, that is not the frame of a site, but more or other text.
        assert_eq!(coverage(&body, &site(3, &body)), 2.0 - 1700.0 / 1400.0);
        assert_eq!(coverage(&format!("{}{body}", words(1, 300)), &format!("{}{body}", words(2, 300))), 0.7);
        // A form filled in anew differs in the middle.
        let filled = |seed: u64| format!("{form}{}{form}{}{form}", words(seed, 150), words(seed + 1, 150));
        assert_eq!(coverage(&filled(20), &filled(30)), 0.75);
    }
}
