//! Two texts -> their coverage, the share of each that stands in the other as well.
//!
//! A passage is a run of characters that both texts have, of at least [`LONGEST`](super::windows::LONGEST) letters; a
//! character of Chinese, Japanese or Korean counts as two letters, and texts that are short themselves are held against
//! each other by shorter runs. The coverage of a text is the share of it that lies in such passages, wherever they stand in
//! the other text; what stands there n times covers n of its occurrences. Digits weigh threefold in that share: two tables,
//! or two reports of one form, say different things where their figures differ. The coverage of a pair is the smaller of
//! the two. Hence:
//!
//! | what happened to a text | coverage |
//! | --- | --- |
//! | its paragraphs stand in another order | 1 |
//! | a share e of it was replaced, in however many places | about 1 - e, less the text between two near places |
//! | it was cut to half, or another text was appended | about 0.5: the longer one is covered by half only |
//! | a form was filled in again, 40 % of it with other names and sentences | about 0.6 |
//!
//! A beginning and an end that are each text's own, such as the header and the footer of a site, count a third, as far as
//! both texts have both and up to a third of the text, provided that at most a quarter of them is covered and at most a
//! twentieth of what lies between is not: with 30 % of each text being those of its site and the article between them being
//! the same, the coverage is 0.7 / 0.8 = 0.875.
//!
//! Only letters and digits are compared. Cost: the characters of
//! both texts and a table of the left one, or of the right one where that is far shorter; texts that have little in
//! common are given up as soon as more of one lies outside passages than the least similarity allows.

use super::prefilter::{Prefilter, Uncovered};
use super::shared::{Prefiltered, Ranges, Table};
use super::windows::{is_ascii, passage_length};
use crate::normalize::{Cursor, size_of};

/// A beginning and an end lie outside the first and the last run of passages of this many times the shortest.
const SOLID: u32 = 4;

/// How much less a beginning and an end of its own count in a text.
const DISCOUNT: f64 = 2.0 / 3.0;

/// The largest share of a text that counts less for that.
const LARGEST_ENDS: f64 = 1.0 / 3.0;

/// The share of what lies between that must be covered for that.
const SAME: f64 = 0.95;

/// The share of beginning and end that must not be covered for that.
const OWN: f64 = 0.75;

/// The coverage of two texts that [`append_alphanumeric`](crate::normalize::append_alphanumeric) gave, 0..=1; of two empty
/// ones 0.
///
/// ```
/// use nearprint::verify::coverage;
/// let (a, b) = ("北京今天上午十点举行了新闻发布会", "会上没有提到明天的安排和后天的天气");
/// assert_eq!(coverage(&format!("{a}{b}"), &format!("{b}{a}")), 1.0);
/// assert_eq!(coverage(a, b), 0.0);
/// ```
pub fn coverage(left: &str, right: &str) -> f64 {
    let mut coverage = Coverage::default();
    coverage.set_left(left);
    coverage.at_least(right, 0.0).expect("every coverage is 0 or more")
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
    /// The length of passages for which the left text is in the prefilter, and that for the table; 0 for none yet.
    prefiltered_length: u32,
    length: u32,
    prefilter: Prefilter,
    right_prefilter: Prefilter,
    left_uncovered: Uncovered,
    right_uncovered: Uncovered,
    table: Table,
    ranges: Ranges,
    large: usize,
}

impl Default for Coverage {
    fn default() -> Coverage {
        Coverage {
            left: Vec::new(),
            left_size: Cursor::default(),
            prefiltered_length: 0,
            length: 0,
            prefilter: Prefilter::default(),
            right_prefilter: Prefilter::default(),
            left_uncovered: Uncovered::default(),
            right_uncovered: Uncovered::default(),
            table: Table::default(),
            ranges: Ranges::default(),
            large: LARGE,
        }
    }
}

impl Coverage {
    /// The text that the next ones are compared with, as [`append_alphanumeric`](crate::normalize::append_alphanumeric)
    /// gives it, or its bytes.
    pub fn set_left(&mut self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        if self.left.capacity() > MOST_KEPT.max(text.len()) {
            self.left = Vec::new();
        }
        self.left.clear();
        self.left.extend_from_slice(text);
        self.left_size = size_of(text, text.is_ascii());
        (self.prefiltered_length, self.length) = (0, 0);
        self.table.forget_large();
    }

    /// The coverage of the left text and this one, if it is `least` or more.
    pub fn at_least(&mut self, right: impl AsRef<[u8]>, least: f64) -> Option<f64> {
        let right = right.as_ref();
        let right_size = size_of(right, right.is_ascii());
        let shorter = self.left_size.letters.min(right_size.letters);
        if shorter == 0 {
            return (least <= 0.0).then_some(0.0);
        }
        let length = passage_length(shorter);
        let most =
            |size: Cursor| (f64::from(size.weight) * largest_uncovered_share(least)).min(f64::from(u32::MAX)) as u32;
        let (left, left_size) = (&self.left, self.left_size);
        if self.prefiltered_length != length {
            self.prefiltered_length = length;
            self.prefilter.build(left, left_size, length);
        }
        self.prefilter.uncovered(right, right_size, most(right_size), &mut self.right_uncovered);
        if !may_reach(&self.right_uncovered, right_size, least) {
            return None;
        }
        let in_table = self.length == length;
        // The coverage of a pair is the same from either side.
        let swaps = !in_table && left.len() > self.large && right.len() < left.len() / 2;
        // More of the left text than of the right one is hardly ever covered.
        let inside = right_size.weight - self.right_uncovered.total;
        if swaps || f64::from(inside) < f64::from(left_size.weight) * least {
            self.right_prefilter.build(right, right_size, length);
            self.right_prefilter.uncovered(left, left_size, most(left_size), &mut self.left_uncovered);
            if !may_reach(&self.left_uncovered, left_size, least) {
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
        let Coverage { table, ranges, .. } = self;
        let prefiltered = Prefiltered { text: other, size: other_size, windows: prefiltered };
        if !table.meet(text, prefiltered, length, most(other_size), ranges) {
            return None;
        }
        let other = covered(other, other_size, length, most(other_size), &ranges.list)?;
        table.meet_back(text, text_size, ranges);
        let own = covered(text, text_size, length, most(text_size), &ranges.list)?;
        let similarity = similarity(&own, &other);
        (similarity >= least).then_some(similarity)
    }
}

/// The largest share of a text that may lie outside passages in a pair of coverage `least`: of a share u the coverage is at
/// most (1 - u) / (1 - DISCOUNT LARGEST_ENDS).
pub(super) fn largest_uncovered_share(least: f64) -> f64 {
    1.0 - least * (1.0 - DISCOUNT * LARGEST_ENDS) + 1e-9
}

/// Whether a pair may have a coverage of `least`, given a lower bound on the part of one text outside passages.
fn may_reach(uncovered: &Uncovered, size: Cursor, least: f64) -> bool {
    let share = |part: u32| f64::from(part) / f64::from(size.weight);
    if share(uncovered.total) <= 1.0 - least + 1e-9 {
        return true;
    }
    if share(uncovered.total) > largest_uncovered_share(least) {
        return false;
    }
    // Only beginnings and ends that count less can help. They weigh no more than what may lie outside, and the part of it
    // that is covered; and little lies outside between them.
    let ends = f64::from(size.weight) * largest_uncovered_share(least) / OWN;
    share(uncovered.between(ends.min(f64::from(u32::MAX)) as u32)) <= 1.0 - SAME + 1e-9
}

/// The coverage of a pair from that of its texts.
fn similarity(left: &Covered, right: &Covered) -> f64 {
    let covered = left.covered.min(right.covered);
    let own_ends = left.own_ends.min(right.own_ends).min(LARGEST_ENDS);
    let framed = |text: &Covered| {
        let between = text.covered - (text.ends - text.own_ends) >= SAME * (1.0 - text.ends);
        text.has_both_ends && text.own_ends >= OWN * text.ends && between
    };
    let discount = if framed(left) && framed(right) { DISCOUNT * own_ends } else { 0.0 };
    (covered / (1.0 - discount)).min(1.0)
}

/// The part of a text that the other one has.
struct Covered {
    /// The share in passages.
    covered: f64,
    /// The share before the first solid run of passages and after the last one.
    ends: f64,
    /// The share there that is in no passage.
    own_ends: f64,
    /// Whether there is something before that first run, and something after that last one.
    has_both_ends: bool,
}

/// How much of a text lies in these ranges; `None` where more than `most_uncovered` does not.
fn covered(text: &[u8], size: Cursor, length: u32, most_uncovered: u32, ranges: &[(usize, usize)]) -> Option<Covered> {
    let total = size.weight;
    let ascii = is_ascii(text, size);
    let part = |start: usize, end: usize| size_of(&text[start..end], ascii);
    let (mut covered, mut before_solid, mut since_solid) = (0, 0, 0);
    let mut solid: Option<(usize, usize)> = None;
    for (start, end) in ranges {
        let range = part(*start, *end);
        if range.letters >= SOLID * length {
            if solid.is_none() {
                before_solid = covered;
            }
            solid = Some((solid.map_or(*start, |solid| solid.0), *end));
            since_solid = 0;
        } else {
            since_solid += range.weight;
        }
        covered += range.weight;
    }
    if total - covered > most_uncovered {
        return None;
    }
    let (start, end) = match solid {
        None => (0, 0),
        Some((start, end)) => (part(0, start).weight, part(end, text.len()).weight),
    };
    let (ends, own_ends) = (start + end, (start + end).saturating_sub(before_solid + since_solid));
    let share = |part: u32| f64::from(part) / f64::from(total);
    Some(Covered {
        covered: share(covered),
        ends: share(ends),
        own_ends: share(own_ends),
        has_both_ends: start.min(end) > 0,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn letters(c: char) -> u32 {
        if c >= '\u{2e80}' { 2 } else { 1 }
    }

    fn weight(c: char) -> u32 {
        if c.is_ascii_digit() { 3 } else { letters(c) }
    }

    /// The definition, character by character.
    fn plain(left: &str, right: &str) -> f64 {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        let length_of = |text: &[char]| text.iter().map(|c| letters(*c)).sum::<u32>();
        if left.is_empty() || right.is_empty() {
            return 0.0;
        }
        let length = passage_length(length_of(&left).min(length_of(&right)));
        let windows = |text: &[char]| -> Vec<(usize, Vec<char>)> {
            let long_enough = |window: &[char]| length_of(window) >= length.min(length_of(text));
            (0..text.len())
                .filter_map(|start| {
                    let end = (start..=text.len()).find(|end| long_enough(&text[start..*end]))?;
                    Some((start, text[start..end].to_vec()))
                })
                .collect()
        };
        let shares = |text: &[char], other: &[char]| {
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
            // Two windows that touch make one run, as long as no unmarked character is between them.
            let mut runs: Vec<(usize, usize)> = Vec::new();
            for (place, marked) in marks.iter().enumerate() {
                match runs.last_mut() {
                    Some((_, end)) if *marked && *end == place => *end += 1,
                    _ if *marked => runs.push((place, place + 1)),
                    _ => {}
                }
            }
            let solid: Vec<&(usize, usize)> =
                runs.iter().filter(|(start, end)| length_of(&text[*start..*end]) >= SOLID * length).collect();
            let own = |range: std::ops::Range<usize>| -> u32 {
                range.filter(|place| !marks[*place]).map(|place| weight(text[place])).sum()
            };
            let weight_of = |text: &[char]| text.iter().map(|c| weight(*c)).sum::<u32>();
            let (start, end, own_ends) = match (solid.first(), solid.last()) {
                (Some(first), Some(last)) => {
                    let own_ends = own(0..first.0) + own(last.1..text.len());
                    (weight_of(&text[..first.0]), weight_of(&text[last.1..]), own_ends)
                }
                _ => (0, 0, 0),
            };
            let total = weight_of(text);
            let share = |part: u32| f64::from(part) / f64::from(total);
            Covered {
                covered: share(total - own(0..text.len())),
                ends: share(start + end),
                own_ends: share(own_ends),
                has_both_ends: start.min(end) > 0,
            }
        };
        similarity(&shares(&left, &right), &shares(&right, &left))
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
                coverage.set_left(&left);
                for text in [&left, &right, &right, &left] {
                    let expected = plain(&left, text);
                    prop_assert_eq!(coverage.at_least(text, least), (expected >= least).then_some(expected));
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
            coverage.set_left(&left);
            for least in [expected, expected.next_down(), expected.next_up(), 0.8] {
                let answer = coverage.at_least(&right, least);
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
        coverage.set_left(&huge);
        assert_eq!(coverage.at_least(&small, 0.8), None);
        assert!(coverage.table.capacity() <= 4096);
        assert_eq!(coverage.at_least(&huge, 0.8), Some(1.0));
        assert!(coverage.table.capacity() > LARGE);
        coverage.set_left(&small);
        assert_eq!((coverage.at_least(&small, 0.8), coverage.table.capacity() <= 4096), (Some(1.0), true));
        assert!(coverage.left.capacity() <= MOST_KEPT);
    }

    #[test]
    fn order_costs_nothing_and_half_a_text_half() {
        let (a, b) = (words(1, 1000), words(2, 1000));
        assert_eq!(coverage(&format!("{a}{b}"), &format!("{b}{a}")), 1.0);
        assert_eq!(coverage(&a, &format!("{a}{b}")), 0.5);
        assert_eq!(coverage(&a, &b), 0.0);
    }

    #[test]
    fn what_stands_once_covers_one_occurrence() {
        let a = words(1, 1000);
        assert_eq!(coverage(&a, &format!("{a}{a}")), 0.5);
    }

    #[test]
    fn figures_weigh_more_than_letters() {
        let table = |seed: u64| -> String {
            let rows = (0..20).map(|row| {
                format!(
                    "{}{:05}",
                    words(row, 10),
                    words(seed + row, 3).bytes().fold(seed, |n, b| (n * 31 + u64::from(b)) % 99999)
                )
            });
            rows.collect()
        };
        assert!(coverage(&table(100), &table(200)) < 0.6);
    }

    #[test]
    fn beginnings_and_ends_count_a_third_where_both_texts_have_their_own() {
        let site = |seed: u64, text: &str| format!("{}{text}{}", words(seed, 200), words(seed + 1, 100));
        let (body, form) = (words(9, 700), words(10, 300));
        assert!((coverage(&site(1, &body), &site(3, &body)) - 0.875).abs() < 1e-12);
        // Where one of them has none, or none at one end, that is not the frame of a site, but more or other text.
        assert_eq!(coverage(&body, &site(3, &body)), 0.7);
        assert_eq!(coverage(&format!("{}{body}", words(1, 300)), &format!("{}{body}", words(2, 300))), 0.7);
        // A form filled in anew differs in the middle.
        let filled = |seed: u64| format!("{form}{}{form}{}{form}", words(seed, 150), words(seed + 1, 150));
        assert_eq!(coverage(&filled(20), &filled(30)), 0.75);
    }
}
