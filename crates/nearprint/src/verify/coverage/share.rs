//! The letters of two texts that lie in passages -> their coverage, and how many may lie outside for a least coverage.
//!
//! A beginning and an end that are each text's own, such as the header and the footer of a site, count a third, as far as
//! both texts have both and up to a third of the text, provided that at most a quarter of them is covered and at most a
//! twentieth of the letters between them is not: with 30 % of each text being those of its site and the article between
//! them being the same, the coverage is 0.7 / 0.8 = 0.875.
//!
//! Where one text of n letters is contained in another one that has x more, the coverage is 1 - x / (2 n).

use crate::normalize::{Cursor, size_of};
use crate::verify::prefilter::Uncovered;
use crate::verify::windows::is_ascii;

/// A beginning and an end lie outside the first and the last run of passages of this many times the shortest.
pub const SOLID: u32 = 4;

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

/// The coverage of a pair, of whose shared letters this many do not count.
pub fn similarity(left: &Covered, right: &Covered, contradicted: u32) -> f64 {
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
pub struct Covered {
    /// All of the text.
    pub letters: u32,
    /// In passages.
    pub covered: u32,
    /// Before the first solid run of passages and after the last one.
    pub ends: u32,
    /// There, and in no passage.
    pub own_ends: u32,
    /// Whether there is something before that first run, and something after that last one.
    pub has_both_ends: bool,
}

impl Covered {
    /// The share of the text that is in no passage.
    pub fn lost(&self) -> f64 {
        1.0 - f64::from(self.covered) / f64::from(self.letters)
    }

    /// How much of a text lies in these ranges.
    pub fn new(text: &[u8], size: Cursor, length: u32, ranges: &[(usize, usize)]) -> Covered {
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

/// The largest share of the letters of two texts that may lie outside passages in a pair of coverage `least`.
pub fn largest_uncovered_share(least: f64) -> f64 {
    1.0 - least * (1.0 - DISCOUNT * LARGEST_ENDS) + 1e-9
}

/// The letters of two texts that may lie outside their passages where the coverage is to be large enough.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// Where no beginning and end count less.
    pub most: u32,
    /// Where they count less, as many as can: the coverage is the covered share by 1 - DISCOUNT LARGEST_ENDS at most.
    pub most_framed: u32,
}

impl Bound {
    pub fn new(least: f64, left: u32, right: u32) -> Bound {
        let letters = f64::from(left) + f64::from(right);
        let most = |share: f64| (letters * share + 1e-6).min(f64::from(u32::MAX)) as u32;
        Bound { most: most(1.0 - least), most_framed: most(largest_uncovered_share(least)) }
    }

    /// Whether a pair may be similar enough, given a lower bound on the letters of one text outside passages, and one on
    /// those of the other.
    pub fn may_reach(&self, uncovered: &Uncovered, others: u32) -> bool {
        let outside = uncovered.total + others;
        outside <= self.most || outside <= self.most_framed && self.may_be_framed(uncovered)
    }

    /// Whether the beginning and the end of a text may count less: they have no more letters than may lie outside, and those
    /// of them that are covered; and few lie outside between them.
    pub fn may_be_framed(&self, uncovered: &Uncovered) -> bool {
        let ends = f64::from(self.most_framed) / OWN + 1.0;
        let between = uncovered.between(ends.min(f64::from(u32::MAX)) as u32);
        f64::from(between) <= (1.0 - SAME) * f64::from(uncovered.letters()) + 1e-6
    }
}
