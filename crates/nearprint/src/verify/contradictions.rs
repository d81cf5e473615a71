//! Two texts with their figures -> those figures that contradict each other.
//!
//! Other figures are other facts: two dividend notices, two price lists or two daily bulletins say different things in the
//! same words. So a figure of one text contradicts a figure of the other where
//!
//! 1. each text has its own more often than the other one does: a figure that was moved contradicts nothing;
//! 2. the same passage stands within [`NEAR`] letters before both, or within that after both: they fill the same place.
//!
//! Single figures do not make another text, nor do those of a scan:
//!
//! 3. more than one figure in so many must contradict: in [`TOLERATED`] for two documents;
//! 4. fewer than [`ERRORS`] lone letters must differ for each that does. Where a letter alone differs between two passages, it
//!    was misread or mistyped, and so may digits have been.
//!
//! Cost: the figures of both texts, and a hash of each window near those that only one text has.

use std::ops::{ControlFlow, Range};

use hashbrown::HashSet;

use super::figures::{Figure, Shortened, Value};
use super::side::Side;
use super::windows::hash;
use crate::normalize::Cursor;

/// Letters between a figure and the passage that says which place it fills, at most.
const NEAR: u32 = 30;

/// Of two documents one figure in this many may contradict.
pub(super) const TOLERATED: usize = 7;

/// So many lone letters that differ for each contradicting figure are those of a scan.
const ERRORS: usize = 2;

/// The most letters between two passages that are one character.
const LONE: u32 = 2;

/// The figures of each text that contradict one of the other, in bytes of its letters and digits, where passages have `length`
/// letters or more; none where at most one figure in `tolerated` does.
pub(super) fn contradictions(left: Side<'_>, right: Side<'_>, length: u32, tolerated: usize) -> [Vec<Range<usize>>; 2] {
    let own = own_figures(left.figures, right.figures);
    if own.iter().any(Vec::is_empty) {
        return Default::default();
    }
    let contradicting = contradicting([left, right], &own, length);
    let count = contradicting.iter().map(Vec::len).sum::<usize>();
    let figures = left.figures.len() + right.figures.len();
    if tolerated * count <= figures || may_be_misread(left, right, count) {
        return Default::default();
    }
    contradicting.map(|figures| figures.iter().map(|figure| figure.start as usize..figure.end as usize).collect())
}

/// Of the figures that each text has of its own, those that fill the same place.
fn contradicting(texts: [Side<'_>; 2], own: &[Vec<Figure>; 2], length: u32) -> [Vec<Figure>; 2] {
    let places = [0, 1].map(|side| {
        let mut places = HashSet::new();
        for figure in &own[side] {
            let _ = surroundings(texts[side], *figure, length, |place| {
                places.insert(place);
                ControlFlow::Continue(())
            });
        }
        places
    });
    [0, 1].map(|side| {
        let contradicts = |figure: &&Figure| {
            let is_same = |place| match places[1 - side].contains(&place) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            surroundings(texts[side], **figure, length, is_same).is_break()
        };
        own[side].iter().filter(contradicts).copied().collect()
    })
}

/// The figures of each text whose value it has more often than the other text, in order, at all places where they stand. Of
/// these, values that are the same but for rounding are left out.
fn own_figures(left: &[Figure], right: &[Figure]) -> [Vec<Figure>; 2] {
    // Equal values at the beginning and the end of both take nothing away and add nothing.
    let equal = |one: &(&Figure, &Figure)| one.0.value.key() == one.1.value.key();
    let first = left.iter().zip(right).take_while(equal).count();
    let last = left[first..].iter().rev().zip(right[first..].iter().rev()).take_while(equal).count();
    let signed = |figures: &[Figure], sign: i64| -> Vec<(Value, i64)> {
        figures[first..figures.len() - last].iter().map(|figure| (figure.value, sign)).collect()
    };
    let mut values = [signed(left, 1), signed(right, -1)].concat();
    values.sort_unstable_by_key(|(value, _)| value.key());
    let mut more: [Vec<Value>; 2] = Default::default();
    for same in values.chunk_by(|one, other| one.0.key() == other.0.key()) {
        let difference = same.iter().map(|(_, count)| count).sum::<i64>();
        if difference != 0 {
            let value = same.iter().map(|(value, _)| *value).reduce(Value::shorter);
            more[usize::from(difference < 0)].extend(value);
        }
    }
    let mut rounded = [0, 1].map(|side| vec![false; more[side].len()]);
    for (long, short) in [(0, 1), (1, 0)] {
        for (one, other) in shortened_pairs(&more[long], &more[short]) {
            (rounded[long][one], rounded[short][other]) = (true, true);
        }
    }
    let only_own = |side: usize, figures: &[Figure]| -> Vec<Figure> {
        let place = |figure: &Figure| more[side].binary_search_by_key(&figure.value.key(), |value| value.key()).ok();
        figures.iter().filter(|figure| place(figure).is_some_and(|place| !rounded[side][place])).copied().collect()
    };
    [only_own(0, left), only_own(1, right)]
}

/// The places of the pairs of which the first value shortens to the second one.
fn shortened_pairs(long: &[Value], short: &[Value]) -> Vec<(usize, usize)> {
    let numbers = |values: &[Value]| -> Vec<_> {
        let number = |(place, value): (usize, &Value)| match value {
            Value::Number(number) => Some((place, *number)),
            Value::Label(_) => None,
        };
        values.iter().enumerate().filter_map(number).collect()
    };
    let mut shorts: Vec<(Shortened, usize)> = (numbers(short).into_iter())
        .flat_map(|(place, number)| number.as_shortened().map(move |shortened| (shortened, place)))
        .collect();
    shorts.sort_unstable();
    let mut pairs = Vec::new();
    for (one, number) in numbers(long) {
        for shortened in number.shortened() {
            let first = shorts.partition_point(|(short, _)| *short < shortened);
            let same = shorts[first..].iter().take_while(|(short, _)| *short == shortened);
            pairs.extend(same.map(|(_, other)| (one, *other)));
        }
    }
    pairs
}

/// Whether so many lone letters differ between two texts that so many figures may have been misread as well.
pub(super) fn may_be_misread(left: Side<'_>, right: Side<'_>, figures: usize) -> bool {
    lone_letters(left) + lone_letters(right) >= ERRORS * figures
}

/// How often a single character that is no figure stands between two passages.
fn lone_letters(side: Side<'_>) -> usize {
    let mut figures = side.figures.iter().peekable();
    let is_lone = |gap: &Range<usize>| {
        while figures.next_if(|figure| figure.end as usize <= gap.start).is_some() {}
        let in_figure = figures.peek().is_some_and(|figure| (figure.start as usize) < gap.end);
        let between = gap.start > 0 && gap.end < side.text.len();
        between && !in_figure && side.letters(gap.clone()) <= LONE
    };
    side.gaps().filter(is_lone).count()
}

/// Calls `each` with every window that ends at most [`NEAR`] letters before the figure, or begins at most that after it, until it
/// breaks off: with a hash of the window, and whether it follows the figure.
fn surroundings(
    side: Side<'_>,
    figure: Figure,
    length: u32,
    mut each: impl FnMut((u64, bool)) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let text = side.text;
    let (start, end) = (figure.start as usize, figure.end as usize);
    for (part, follows) in
        [(end..side.after(end, NEAR + length), true), (side.before(start, NEAR + length)..start, false)]
    {
        let begin = Cursor { byte: part.start, letters: 0 };
        let (mut first, mut last) = (begin, begin);
        loop {
            while last.letters - first.letters < length && last.byte < part.end {
                last.advance(text);
            }
            if last.letters - first.letters < length {
                break;
            }
            each((hash(&text[first.byte..last.byte]), follows))?;
            first.advance(text);
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::append_alphanumeric;
    use crate::normalize::size_of;
    use crate::verify::figures;

    /// The contradicting figures of both texts, if the left one lay in passages but for these bytes.
    fn of_texts(left: &str, right: &str, apart: &[usize]) -> [Vec<String>; 2] {
        let parts = [left, right].map(|text| {
            let (mut kept, mut found) = (String::new(), Vec::new());
            append_alphanumeric(text, &mut kept);
            figures(text, &mut found);
            (kept, found)
        });
        let mut passages = vec![(0, 0)];
        for byte in apart {
            passages.last_mut().unwrap().1 = *byte;
            passages.push((byte + 1, 0));
        }
        passages.last_mut().unwrap().1 = parts[0].0.len();
        let all = [(0, parts[1].0.len())];
        let side = |side: usize, passages| {
            let (kept, figures) = &parts[side];
            let text = kept.as_bytes();
            Side { text, size: size_of(text, text.is_ascii()), passages, figures }
        };
        let (left, right) = (side(0, &passages), side(1, &all));
        let found = contradictions(left, right, 4, TOLERATED);
        let swapped = contradictions(right, left, 4, TOLERATED);
        assert_eq!((&found[0], &found[1]), (&swapped[1], &swapped[0]));
        [0, 1].map(|side| found[side].iter().map(|range| parts[side].0[range.clone()].to_string()).collect())
    }

    fn of(left: &str, right: &str) -> [Vec<String>; 2] {
        of_texts(left, right, &[])
    }

    const NONE: [[&str; 0]; 2] = [[], []];

    #[test]
    fn other_figures_in_the_same_place_contradict() {
        assert_eq!(
            of("qtly div 10 cts vs 10 cts pay april 30", "qtly div 12 cts vs 10 cts pay april 30"),
            [["10", "10"].as_slice(), &["12"]]
        );
    }

    #[test]
    fn figures_that_were_moved_or_rounded_contradict_nothing() {
        assert_eq!(of("first 10 cats then 20 dogs came", "first 20 dogs then 10 cats came"), NONE);
        assert_eq!(of("sales were 9.7 mln dlrs then", "sales were 9,729,000 dlrs then"), NONE);
        assert_eq!(of("sales were 9.7 mln dlrs then", "sales were 9.8 mln dlrs then"), [["97mln"], ["98mln"]]);
    }

    #[test]
    fn a_figure_more_contradicts_nothing() {
        assert_eq!(of("the rate was 10 pct", "the rate was 10 pct and 5 cents were paid"), NONE);
    }

    #[test]
    fn figures_of_different_places_do_not_contradict() {
        assert_eq!(of("zebras ate 17 bananas", "the moon is 42 cheeses away"), NONE);
    }

    #[test]
    fn one_figure_in_seven_may_contradict() {
        let table = |first: u32, rows: u32| -> String {
            (1..rows).fold(format!("row of {first}"), |table, row| format!("{table} and {row}"))
        };
        assert_ne!(of(&table(80, 6), &table(90, 6)), NONE);
        assert_eq!(of(&table(80, 7), &table(90, 7)), NONE);
    }

    #[test]
    fn figures_of_a_scan_contradict_nothing() {
        let (scan, text) = ("tne cat ate 18 fat mice in tbe qarden", "the cat ate 19 fat mice in the garden");
        assert_eq!(of_texts(scan, text, &[1, 21, 25]), [["18"], ["19"]]);
        assert_eq!(of_texts(scan, text, &[1, 21, 23, 25]), NONE);
        // A digit is no lone letter.
        assert_eq!(of_texts(scan, text, &[1, 9, 21, 25]), [["18"], ["19"]]);
    }
}
