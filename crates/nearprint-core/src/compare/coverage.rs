//! Two texts -> their difference, and their coverage: the share of the letters of both that stand
//! in the other one as well.
//!
//! ```text
//! letters and digits -> the runs that both texts have                  runs.rs
//! the gaps between these -> the places where the texts differ          places.rs
//! runs and places -> the numbers of the difference                     texts.rs, facts.rs
//! the numbers -> the similarity, and the least one of duplicates       difference.rs
//! ```
//!
//! | difference | coverage |
//! | --- | --- |
//! | paragraphs in another order | 1 |
//! | a share e replaced, in any number of places | 1 - e |
//! | x letters added to a text of n | 1 - x / (2 n + x): 0.8 if half as many were added |
//! | two texts of n, each with its own frame of x letters, which counts a third | 1 - x / (3 n - 2 x) |
//!
//! White space and signs never count. Cost: the letters of both texts.

use std::ops::Range;

use super::between::Between;
use super::difference::{Difference, most_shared};
use super::places::{Place, Places};
use super::runs::{Held, Runs};
use super::table::{Present, WindowTable};
use super::texts::Texts;
use super::windows::passage_length;
use super::words::{Word, words};
use crate::normalize::{Cursor, append_alphanumeric, size_of};

/// The coverage of two normalized texts, 0..=1; 0 for two empty ones.
///
/// ```
/// use nearprint_core::compare::coverage;
/// let (a, b) = ("北京今天上午十点举行了新闻发布会", "会上没有提到明天的安排和后天的天气");
/// assert_eq!(coverage(&format!("{a}{b}"), &format!("{b}{a}")), 1.0);
/// assert!(coverage(a, b) < 0.1);
/// ```
pub fn coverage(left: &str, right: &str) -> f64 {
    passages(left, right).difference.similarity()
}

/// The passages that two texts share, and the places where they differ.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Passages {
    /// The shared bytes of both texts in pairs, in the order of the first text.
    pub shared: Vec<[Range<usize>; 2]>,
    /// The places where they differ.
    pub places: Vec<Place>,
    /// The numbers that decide.
    pub difference: Difference,
}

/// The passages of two normalized texts, in bytes of their letters and digits
/// ([`append_alphanumeric`]).
///
/// ```
/// use nearprint_core::compare::passages;
/// let found = passages("the cat sat", "the dog sat");
/// assert_eq!(found.shared, [[0..3, 0..3], [6..9, 6..9]]);
/// assert_eq!(found.places[0].bytes, [3..6, 3..6]);
/// assert_eq!((found.difference.letters, found.difference.own), ([9, 9], [3, 3]));
/// ```
pub fn passages(left: &str, right: &str) -> Passages {
    let texts = [left, right].map(|text| {
        let mut kept = String::new();
        append_alphanumeric(text, &mut kept);
        kept
    });
    let mut coverage = Coverage::default();
    coverage.set_left(left, &texts[0]);
    let difference = coverage.difference(right, &texts[1]);
    let Coverage { runs, places, swapped, .. } = coverage;
    let order = if swapped { [1, 0] } else { [0, 1] };
    let mut shared: Vec<[Range<usize>; 2]> =
        runs.chain.iter().chain(&runs.moved).map(|run| order.map(|text| run.range(text))).collect();
    shared.sort_unstable_by_key(|pair| pair[0].start);
    let place = |place: &Place| Place {
        bytes: order.map(|text| place.bytes[text].clone()),
        words: order.map(|text| place.words[text].clone()),
    };
    Passages { shared, places: places.all.iter().map(place).collect(), difference }
}

/// The most bytes of equal beginnings that the table may hold: places in them are passed one by
/// one.
const LONGEST_BEFORE: usize = 4096;

/// The most memory that is kept for the next text.
const MOST_KEPT: usize = 1 << 17;

/// Compares one text with several, in buffers of its own.
#[derive(Debug, Default)]
pub struct Coverage {
    left: Vec<u8>,
    left_size: Cursor,
    left_text: String,
    /// The words of the left text; none until they are needed.
    left_words: Vec<Word>,
    /// The windows of the left text of each length that was needed, and unused tables.
    tables: Vec<WindowTable>,
    /// The windows of a part of the longer text, and the windows of the right text that the left
    /// one may have.
    part_table: WindowTable,
    present: Present,
    right_words: Vec<Word>,
    runs: Runs,
    places: Places,
    /// True if the right text was the first one of the last comparison.
    swapped: bool,
}

impl Coverage {
    /// Sets the text with which the next ones are compared: normalized, and its letters and digits
    /// ([`append_alphanumeric`](crate::normalize::append_alphanumeric)).
    pub fn set_left(&mut self, text: &str, alphanumeric: impl AsRef<[u8]>) {
        let alphanumeric = alphanumeric.as_ref();
        if self.left.capacity().max(self.part_table.capacity()) > MOST_KEPT.max(alphanumeric.len())
        {
            *self = Coverage::default();
        }
        self.left.clear();
        self.left.extend_from_slice(alphanumeric);
        self.left_size = size_of(alphanumeric, alphanumeric.is_ascii());
        self.left_text.clear();
        self.left_text.push_str(text);
        self.left_words.clear();
        self.tables.iter_mut().for_each(WindowTable::forget);
    }

    /// The difference of the left text and this one, given as in [`set_left`](Self::set_left).
    pub fn difference(&mut self, text: &str, alphanumeric: impl AsRef<[u8]>) -> Difference {
        self.at_least(text, alphanumeric.as_ref(), 0.0, false)
            .expect("every pair has a bound of 0 or more")
    }

    /// The difference of the left text and this one, if its
    /// [`largest_bound`](Difference::largest_bound) may be `least` or more. Most other texts are
    /// ruled out by their lengths, windows or runs.
    pub fn at_least(
        &mut self,
        text: &str,
        alphanumeric: impl AsRef<[u8]>,
        least: f64,
        in_family: bool,
    ) -> Option<Difference> {
        let right = alphanumeric.as_ref();
        let (left, left_size) = (self.left.as_slice(), self.left_size);
        let right_size = size_of(right, right.is_ascii());
        let sizes = [left_size.letters, right_size.letters];
        let shorter = sizes[0].min(sizes[1]);
        let length = passage_length(shorter).min(shorter.max(1));
        let framed = Difference::most_framed(sizes);
        let may_reach = |in_runs: u32| {
            Difference::most(sizes, most_shared(in_runs), framed, in_family) >= least
        };
        if least > 0.0 && !may_reach(shorter) {
            return None;
        }
        let most =
            |letters: u32| if least > 0.0 { most_outside(letters, may_reach) } else { u32::MAX };
        // The shorter text is read; of two equally long ones, the one with the smaller bytes.
        self.swapped = (right_size.letters, right) < (left_size.letters, left);
        let (letters, size, sizes) = match self.swapped {
            true => ([right, left], right_size, [sizes[1], sizes[0]]),
            false => ([left, right], left_size, sizes),
        };
        let between = Between::of(letters, size, length);
        let part = between.part(letters[1]);
        let part_size = size_of(part, part.is_ascii());
        // The table of the left text is made once. It rules out most longer texts as well, whose
        // own tables take longer to make.
        let held = if self.swapped && between.first() <= LONGEST_BEFORE {
            let table = table_of(&mut self.tables, left, left_size, length);
            Held { table, text: left, size: left_size, from: 0 }
        } else {
            if !self.swapped && least > 0.0 && part_size.letters >= length {
                let most = most(right_size.letters);
                let table = table_of(&mut self.tables, left, left_size, length);
                table.present(part, part_size, most, &mut self.present);
                if self.present.uncovered > most {
                    return None;
                }
            }
            self.part_table.hold(part, part_size, length);
            Held { table: &mut self.part_table, text: part, size: part_size, from: between.first() }
        };
        if !self.runs.find(letters, between, held, most(sizes[0])) {
            return None;
        }
        let texts = Texts { letters, sizes, words: [&[]; 2] };
        let shape = texts.shape(&self.runs);
        if least > 0.0 && texts.most(&self.runs, &shape, in_family) < least {
            return None;
        }
        if self.left_words.is_empty() {
            words(&self.left_text, &mut self.left_words);
        }
        words(text, &mut self.right_words);
        let words = [&self.left_words[..], &self.right_words];
        let words = if self.swapped { [words[1], words[0]] } else { words };
        self.places.find(&self.runs, words, letters);
        let difference = Texts { words, ..texts }.difference(&self.runs, &shape, &self.places);
        Some(if self.swapped { difference.swapped() } else { difference })
    }
}

/// The table of the windows of a text, of this length.
fn table_of<'t>(
    tables: &'t mut Vec<WindowTable>,
    text: &[u8],
    size: Cursor,
    length: u32,
) -> &'t mut WindowTable {
    let there = tables.iter().position(|table| table.length() == length);
    let place = there
        .or_else(|| tables.iter().position(|table| table.length() == 0))
        .unwrap_or(tables.len());
    if place == tables.len() {
        tables.push(WindowTable::default());
    }
    if there.is_none() {
        tables[place].hold(text, size, length);
    }
    &mut tables[place]
}

/// The most letters of a text that may lie outside of runs, so that the letters in runs are enough.
fn most_outside(letters: u32, is_enough: impl Fn(u32) -> bool) -> u32 {
    // If a number of letters in runs is enough, so is a larger one.
    let (mut too_few, mut enough) = (0, letters);
    while too_few < enough {
        let middle = too_few + (enough - too_few) / 2;
        if is_enough(middle) { enough = middle } else { too_few = middle + 1 }
    }
    letters - enough
}

/// Returns true if one text is contained in the other one, which has more. The arguments are the
/// shares of each text that stand nowhere in the other one. One share is at most a twentieth, the
/// other one at least twice that.
pub fn is_containment([one, other]: [f64; 2]) -> bool {
    one.min(other) <= CONTAINED && one.max(other) >= 2.0 * CONTAINED
}

/// The largest share of a contained text that may stand nowhere in the other one.
const CONTAINED: f64 = 0.05;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::difference::least_letters;
    use super::*;
    use crate::normalize::append_alphanumeric;

    fn letters(text: &str) -> String {
        let mut letters = String::new();
        append_alphanumeric(text, &mut letters);
        letters
    }

    /// A text of words out of few or many, some of them figures or wide characters, with frames and
    /// edits.
    fn texts() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
        let word = prop_oneof![8 => "[a-e]{1,9}", 2 => "[北京天气很好]{1,6}", 1 => "[0-9]{1,4}", 1 => "é[a-c]天b{0,2}"];
        let words = |count| proptest::collection::vec(word.clone(), count);
        (words(0..260), words(0..40), words(0..40), words(0..60), 1usize..30, 0usize..200).prop_map(
            |(text, before, after, new, step, cut)| {
                let mut other = text.clone();
                let places = (0..other.len()).step_by(step);
                places.zip(&new).for_each(|(place, word)| other[place].clone_from(word));
                let cut = cut.min(other.len());
                other.rotate_left(cut / 3);
                (text, [&before[..], &other[..other.len() - cut / 4], &after].concat())
            },
        )
    }

    proptest! {
        #[test]
        fn whoever_is_told_early_could_not_reach_the_bound(
            (left, right) in texts(), others in proptest::collection::vec(texts(), 0..2), least in 0.05f64..1.0,
        ) {
            let left = left.join(" ");
            let rights = others.into_iter().flat_map(|(one, other)| [one, other]).chain([right]);
            let mut quick = Coverage::default();
            quick.set_left(&left, letters(&left));
            for right in rights.map(|words| words.join(" ")) {
                let difference = passages(&left, &right).difference;
                for in_family in [false, true] {
                    let found = quick.at_least(&right, letters(&right), least, in_family);
                    prop_assert!(found.is_none_or(|found| found == difference));
                    let [shorter, longer] = [difference.letters[0].min(difference.letters[1]), difference.letters[0].max(difference.letters[1])];
                    let is_long = f64::from(shorter) >= least_letters(least, longer);
                    let may_not = difference.largest_bound(in_family) < least;
                    prop_assert!(found.is_some() && is_long || may_not, "{:?}", difference);
                }
            }
        }
    }

    /// A text of `count` words that two texts share, with this ending, and words of its own between
    /// them.
    fn interleaved(own: &str, count: usize, end: &str) -> String {
        (0..count).map(|n| format!("{own}{n}{own} k{n:03}{end} ")).collect()
    }

    #[test]
    fn words_between_runs_count_up_to_a_third_of_these() {
        let in_both = |letters: usize| {
            let both: String = (0..letters / 5).map(|n| format!("p{n:04} ")).collect();
            let text = |own: &str| format!("{both}{}", interleaved(own, 15, "x"));
            let found = passages(&text("aaaaa"), &text("bbbbb")).difference;
            found.letters[0] - found.own[0]
        };
        assert_eq!([240, 120].map(in_both), [240 + 75, 120 + 40]);
    }

    #[test]
    fn the_words_of_a_gap_of_many_letters_are_not_aligned() {
        let (beginning, end) =
            ("at the beginning of both ".repeat(18), " and at the end".repeat(9));
        let text =
            |own: &str, count: usize| format!("{beginning}{}{end}", interleaved(own, count, "xyz"));
        // Words of seven letters, in texts whose runs have eight. 21 of them with the words between
        // have fewer than 256 letters.
        let [short, long] = [21, 30].map(|count| passages(&text("a", count), &text("b", count)));
        assert_eq!([short.places.len(), long.places.len()], [21, 1]);
        let shared = |found: &Passages| found.difference.letters[0] - found.difference.own[0];
        // The last word is part of the end.
        assert_eq!(shared(&short) - shared(&long), 20 * 7);
    }
}
