//! Two texts and others of the same form -> the parts of both that fill a slot of the form.
//!
//! A notice, a ceremony or an order by mail is a form with slots. Two of them share the form, and are duplicates only if they
//! agree in what fills it. Two texts alone do not show where the slots are; others of the same form do. Each of the two has a
//! *company*, the documents that are nearest to it:
//!
//! 1. A *place* lies beside a passage that both texts have, on the same side of it: there one text has a gap of [`FILLING`]
//!    letters or more, and the other one another gap, or nothing.
//! 2. A place is a *slot* of a text where those in its company that have the passage go on in [`OTHERS`] ways or more that
//!    neither of the two has, and no way is that of more than half of them. A slot is filled anew in most texts, while most
//!    versions of a text agree in most places. Those in the company are asked that have a third of the passages beside places:
//!    they are of the same form.
//! 3. The two fill a form in their own ways if a third of the letters in their gaps, or more, lies in slots of one or the other.
//!    In versions of one text most gaps are edits, and few lie where other versions were edited.
//!
//! Cost: a hash of each window of the two texts and of their company.

use std::collections::BTreeMap;
use std::ops::Range;

use super::side::Side;
use super::windows::{Windows, hash};
use crate::normalize::size;

/// The ways to go on where a slot is, at least, beside those of the two texts.
const OTHERS: usize = 2;

/// The letters of a filling, at least, and those by which two fillings are told apart.
const FILLING: u32 = 4;

/// One part in this many: of the passages that one of the same form has, and of the gaps that lie in slots.
const PART: u32 = 3;

/// The places of two texts, and how their company goes on there.
#[derive(Debug)]
pub(super) struct Places {
    /// In the order of their passages.
    places: BTreeMap<Passage, Place>,
    /// A bit for some bits of the hash of each passage: most windows are in none.
    seen: [u64; 64],
    /// The letters in the gaps of both texts.
    letters: u32,
    /// Those of a window.
    length: u32,
}

/// A hash of the window that touches a place, and whether the place follows it.
type Passage = (u64, bool);

/// A place in both texts.
#[derive(Debug)]
struct Place {
    spots: [Spot; 2],
    company: [Company; 2],
}

/// A place in one of the texts.
#[derive(Debug, Clone)]
struct Spot {
    /// The bytes of the gap; none where the text goes on in a passage.
    gap: Range<usize>,
    letters: u32,
    /// A hash of the letters with which the text goes on there.
    filling: u64,
}

/// How those in the company of a text go on at a place.
#[derive(Debug, Default)]
struct Company {
    /// Those that have the passage.
    asked: u32,
    /// The ways in which they go on: how many do, and whether neither of the two texts does.
    ways: Vec<(u64, u32, bool)>,
}

impl Place {
    fn is_slot(&self) -> bool {
        let shows = |Company { asked, ways }: &Company| {
            ways.iter().filter(|way| way.2).count() >= OTHERS && ways.iter().all(|way| 2 * way.1 <= *asked)
        };
        self.company.iter().any(shows)
    }
}

impl Places {
    /// The places of two texts, where passages have this many letters or more.
    pub fn new(left: Side<'_>, right: Side<'_>, length: u32) -> Places {
        let sides = [left, right];
        let mut spots: BTreeMap<Passage, [Option<Spot>; 2]> = BTreeMap::new();
        let (mut letters, mut seen) = (0, [0; 64]);
        for (number, side) in sides.iter().enumerate() {
            for gap in side.gaps() {
                let own = side.letters(gap.clone());
                letters += own;
                let beside = [(side.window_before(gap.start, length), true), (side.window_at(gap.end, length), false)];
                for (window, follows) in beside {
                    let Some(window) = window else { continue };
                    let filling = filling(side, &window, follows);
                    let hash = hash(&side.text[window]);
                    let spots = spots.entry((hash, follows)).or_default();
                    spots[number].get_or_insert(Spot { gap: gap.clone(), letters: own, filling });
                    seen[word(hash)] |= bit(hash);
                }
            }
        }
        for (number, side) in sides.iter().enumerate() {
            each_window(side, length, &seen, |passage, window| {
                if let Some(spots) = spots.get_mut(&passage) {
                    let at = if passage.1 { window.end } else { window.start };
                    let filling = || filling(side, &window, passage.1);
                    spots[number].get_or_insert_with(|| Spot { gap: at..at, letters: 0, filling: filling() });
                }
            });
        }
        let place = |(passage, [left, right]): (Passage, [Option<Spot>; 2])| {
            let spots = [left?, right?];
            let differ = spots[0].filling != spots[1].filling && spots.iter().any(|spot| spot.letters >= FILLING);
            differ.then_some((passage, Place { spots, company: Default::default() }))
        };
        Places { places: spots.into_iter().filter_map(place).collect(), seen, letters, length }
    }

    /// Takes in the letters and digits of a text in the company of the left text (0) or of the right one (1).
    pub fn see(&mut self, of: usize, other: &[u8]) {
        let side = Side { text: other, size: size(other), passages: &[], figures: &[] };
        let mut found: BTreeMap<Passage, u64> = BTreeMap::new();
        each_window(&side, self.length, &self.seen, |passage, window| {
            if self.places.contains_key(&passage) {
                found.entry(passage).or_insert_with(|| filling(&side, &window, passage.1));
            }
        });
        if found.len() * (PART as usize) < self.places.len() {
            return;
        }
        for (passage, way) in found {
            let Place { spots, company } = self.places.get_mut(&passage).expect("only places were found");
            let Company { asked, ways } = &mut company[of];
            *asked += 1;
            match ways.iter_mut().find(|known| known.0 == way) {
                Some((_, count, _)) => *count += 1,
                None => ways.push((way, 1, spots.iter().all(|spot| spot.filling != way))),
            }
        }
    }

    /// The parts of each text that would fill slots, if all places were slots.
    pub fn all(&self) -> [Vec<Range<usize>>; 2] {
        self.fillings(|_| true)
    }

    /// The parts of each text that fill slots, as far as the company seen so far shows.
    pub fn slots(&self) -> [Vec<Range<usize>>; 2] {
        self.fillings(Place::is_slot)
    }

    /// The parts of each text at those places that are slots; none unless they are a third of all gaps.
    fn fillings(&self, is_slot: impl Fn(&Place) -> bool) -> [Vec<Range<usize>>; 2] {
        let slots = self.places.values().filter(|place| is_slot(place));
        let mut spots: [Vec<&Spot>; 2] = slots.map(|Place { spots: [left, right], .. }| (left, right)).unzip().into();
        for spots in &mut spots {
            spots.sort_unstable_by_key(|spot| (spot.gap.start, spot.gap.end));
            spots.dedup_by(|one, other| one.gap == other.gap);
        }
        let letters: u32 = spots.iter().flatten().map(|spot| spot.letters).sum();
        if u64::from(letters) * u64::from(PART) < u64::from(self.letters) {
            return Default::default();
        }
        spots.map(|spots| spots.into_iter().map(|spot| spot.gap.clone()).collect())
    }
}

fn word(hash: u64) -> usize {
    (hash >> 8) as usize & 63
}

fn bit(hash: u64) -> u64 {
    1 << (hash & 63)
}

/// Calls `each` with every window of a text that may have been seen, once for what follows it and once for what precedes it.
fn each_window(side: &Side<'_>, length: u32, seen: &[u64; 64], mut each: impl FnMut(Passage, Range<usize>)) {
    let mut windows = Windows::new(side.text, side.size, length);
    while let Some((start, end)) = windows.next() {
        let hash = hash(&side.text[start..end]);
        if seen[word(hash)] & bit(hash) != 0 {
            each((hash, true), start..end);
            each((hash, false), start..end);
        }
    }
}

/// A hash of the letters that follow a window, or of those before it.
fn filling(side: &Side<'_>, window: &Range<usize>, follows: bool) -> u64 {
    let letters = match follows {
        true => window.end..side.after(window.end, FILLING),
        false => side.before(window.start, FILLING)..window.start,
    };
    hash(&side.text[letters])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::append_alphanumeric;

    fn kept(text: &str) -> String {
        let mut kept = String::new();
        append_alphanumeric(text, &mut kept);
        kept
    }

    /// The fillings of both texts, with these words of each in no passage.
    fn of(texts: [&str; 2], apart: [&[&str]; 2], others: &[String]) -> [Vec<String>; 2] {
        let texts = texts.map(kept);
        let passages = [0, 1].map(|side| {
            let mut passages = vec![(0, texts[side].len())];
            for word in apart[side] {
                let (last, at) = (passages.pop().unwrap(), texts[side].find(&kept(word)).unwrap());
                passages.extend([(last.0, at), (at + kept(word).len(), last.1)]);
            }
            passages.retain(|passage| passage.0 < passage.1);
            passages
        });
        let side = |side: usize| {
            let text = texts[side].as_bytes();
            Side { text, size: size(text), passages: &passages[side], figures: &[] }
        };
        let others: Vec<String> = others.iter().map(|other| kept(other)).collect();
        let slots = |left: usize, right: usize| {
            let mut places = Places::new(side(left), side(right), 6);
            others.iter().for_each(|other| places.see(left, other.as_bytes()));
            places.slots()
        };
        let (found, swapped) = (slots(0, 1), slots(1, 0));
        assert_eq!((&found[0], &found[1]), (&swapped[1], &swapped[0]));
        [0, 1].map(|side| found[side].iter().map(|gap| texts[side][gap.clone()].to_string()).collect())
    }

    fn ceremony(guest: &str) -> String {
        format!("the premier welcomed {guest} with a guard of honour on the square before the hall")
    }

    const GUESTS: [&[&str]; 2] = [&["jonas of norway"], &["luxon of wellington"]];

    fn pair(others: &[&str]) -> [Vec<String>; 2] {
        let [left, right] = GUESTS.map(|guest| ceremony(guest[0]));
        of([&left, &right], GUESTS, &others.iter().map(|guest| ceremony(guest)).collect::<Vec<_>>())
    }

    const NONE: [[&str; 0]; 2] = [[], []];

    #[test]
    fn what_two_others_fill_in_other_ways_is_a_slot() {
        assert_eq!(pair(&["sanchez of spain", "meloni of italy"]), [["jonasofnorway"], ["luxonofwellington"]]);
        assert_eq!(pair(&["sanchez of spain"]), NONE);
        // A copy of another one adds no way.
        assert_eq!(pair(&["sanchez of spain", "sanchez of spain"]), NONE);
    }

    #[test]
    fn a_place_where_most_agree_is_no_slot() {
        let same = ["jonas of norway"; 3];
        assert_eq!(pair(&[&same[..], &["sanchez of spain", "meloni of italy"]].concat()), NONE);
        assert_ne!(pair(&[&same[..2], &["sanchez of spain", "meloni of italy"]].concat()), NONE);
    }

    #[test]
    fn a_text_without_the_passage_is_not_asked() {
        let others = ["we met anna on the pier", "they drove bert to the zoo"].map(String::from);
        let [left, right] = GUESTS.map(|guest| ceremony(guest[0]));
        assert_eq!(of([&left, &right], GUESTS, &others), NONE);
    }

    #[test]
    fn a_text_may_leave_a_slot_empty() {
        let others = ["sanchez of spain", "meloni of italy"].map(ceremony);
        let [left, right] = ["jonas of norway", ""].map(ceremony);
        assert_eq!(of([&left, &right], [&["jonas of norway"], &[]], &others), [["jonasofnorway"], [""]]);
    }

    #[test]
    fn edits_elsewhere_make_versions_of_the_two() {
        let others = ["sanchez of spain", "meloni of italy"].map(ceremony);
        let [left, right] = ["jonas", "store"].map(ceremony);
        let longer = format!("{right}, where the band played until it rained");
        let more = &["store", "where the band played until it rained"][..];
        assert_eq!(of([&left, &right], [&["jonas"], &["store"]], &others), [["jonas"], ["store"]]);
        assert_eq!(of([&left, &longer], [&["jonas"], more], &others), NONE);
    }

    #[test]
    fn a_letter_or_two_are_no_filling() {
        let others = ["sanchez of spain", "meloni of italy"].map(ceremony);
        let [left, right] = ["max", "tim"].map(ceremony);
        assert_eq!(of([&left, &right], [&["max"], &["tim"]], &others), NONE);
    }
}
