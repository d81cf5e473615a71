//! A document and the index -> the items that stand in the document.

use std::ops::Range;

use nearprint_core::compare::{Coverage, Difference};

use super::ends;
use super::index::Index;
use super::place::in_text;
use super::runs::{Run, Runs};
use super::suspects::Suspects;

/// 1 / `TOLERATED` of the figures may contradict a figure of the item. An edited item has some
/// other figures. Another item of the same template has hardly any equal figures.
const TOLERATED: u32 = 2;

/// The largest number of items found at one place. A test set may have thousands of items that
/// differ in a word.
const FOUND_AT_A_PLACE: u8 = 16;

/// The largest number of items compared at one place: the items whose runs share most.
const COMPARED_AT_A_PLACE: u8 = 64;

/// The size of a place in bytes. The letters of a document are divided into places, and the middle
/// of a run tells its place.
const PLACE: usize = 32;

/// An item that was found in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The document that is the item.
    pub item: u32,
    /// The place of the item among the letters and digits of the document, in bytes.
    pub place: Range<usize>,
    /// The coverage of the item and the run that is most similar to it, 0 to 1.
    pub similarity: f64,
}

/// Finds items in one document after the other. It has buffers, so each thread needs its own.
///
/// ```
/// use nearprint::leak::{Finder, Items};
/// let mut items = Items::new(0.75, 20);
/// items.add(0, "how many eggs does she sell every day", b"howmanyeggsdoessheselleveryday");
/// let index = items.index();
/// let mut found = Vec::new();
/// let text = "please tell me how many eggs does she sell every day of the week";
/// let letters: String = text.split(' ').collect();
/// Finder::new(&index).find(text, letters.as_bytes(), &mut found);
/// assert_eq!((found[0].item, found[0].similarity), (0, 1.0));
/// assert_eq!(&letters[found[0].place.clone()], "howmanyeggsdoessheselleveryday");
/// ```
#[derive(Debug)]
pub struct Finder<'i> {
    index: &'i Index,
    suspects: Suspects<'i>,
    runs: Runs,
    /// The runs that share enough.
    found: Vec<Run>,
    /// The item of each run.
    items: Vec<u32>,
    /// The runs in descending order of the share of their item.
    order: Vec<u32>,
    /// The numbers of items found and compared at each place.
    at_places: Vec<[u8; 2]>,
    coverage: Coverage,
}

impl<'i> Finder<'i> {
    /// A finder of the items of an index.
    pub fn new(index: &'i Index) -> Finder<'i> {
        Finder {
            index,
            suspects: Suspects::new(index),
            runs: Runs::default(),
            found: Vec::new(),
            items: Vec::new(),
            order: Vec::new(),
            at_places: Vec::new(),
            coverage: Coverage::default(),
        }
    }

    /// Appends every item that stands in a document, once for each place, by item and place. `text`
    /// is the normalized text of the document, and `letters` are its letters and digits.
    pub fn find(&mut self, text: &str, letters: &[u8], out: &mut Vec<Found>) {
        self.suspects.find(letters);
        let Finder { index, suspects, runs, found, items, .. } = self;
        let suspects = &mut suspects.found;
        if suspects.is_empty() {
            return;
        }
        suspects.sort_unstable_by_key(|(item, part)| (*item, part.start));
        found.clear();
        items.clear();
        for (number, part) in suspects.drain(..) {
            let item = &index.items()[number as usize];
            runs.set_item(&index.letters()[item.range.clone()]);
            runs.find(letters, part, [item.least, item.enough], found);
            items.resize(found.len(), number);
        }
        self.confirm(text, letters, out);
    }

    /// Appends the items of the runs that the coverage confirms, by item and place. At each place,
    /// runs are compared in descending order of the share of their item, up to the bounds of a
    /// place. The edited letters of an item beside its run belong to its place.
    fn confirm(&mut self, text: &str, letters: &[u8], out: &mut Vec<Found>) {
        let Finder { index, found, items, order, at_places, coverage, .. } = self;
        let item_of = |run: usize| &index.items()[items[run] as usize];
        let share = |run: &u32| {
            let run = *run as usize;
            u64::from(found[run].share) * u64::from(u32::MAX) / item_of(run).range.len() as u64
        };
        order.clear();
        order.extend(0..found.len() as u32);
        order.sort_by_cached_key(|run| std::cmp::Reverse(share(run)));
        at_places.clear();
        at_places.resize(letters.len() / PLACE + 1, [0, 0]);
        let texts = in_text(text, found.iter().map(|run| run.whole.clone()));
        let (first, mut left) = (out.len(), None);
        // The places that go beyond their runs, with the items.
        let mut extended: Vec<(usize, u32)> = Vec::new();
        for run in order.iter().map(|run| *run as usize) {
            let Run { whole, shared, of_item, share } = &found[run];
            let [found_there, compared_there] =
                &mut at_places[(whole.start + whole.end) / 2 / PLACE];
            if *found_there >= FOUND_AT_A_PLACE || *compared_there >= COMPARED_AT_A_PLACE {
                continue;
            }
            *compared_there += 1;
            let item = item_of(run);
            let item_letters = &index.letters()[item.range.clone()];
            if left.replace(items[run]) != Some(items[run]) {
                coverage.set_left(&item.text, item_letters);
            }
            let (min, own) = (index.min_similarity(), &letters[whole.clone()]);
            let similarity = similarity_of(coverage.difference(&text[texts[run].clone()], own))
                .map(|similarity| {
                    // A document shorter than the item lacks some letters. They count, too.
                    let part = (letters.len() as f64 / item_letters.len() as f64).min(1.0);
                    (similarity * part)
                        .max((f64::from(*share) / item_letters.len() as f64).min(similarity))
                });
            if let Some(similarity) = similarity.filter(|similarity| *similarity >= min) {
                *found_there += 1;
                let before = ends::before(&item_letters[..of_item.start], &letters[..shared.start]);
                let behind = ends::behind(&item_letters[of_item.end..], &letters[shared.end..]);
                let place = shared.start - before..shared.end + behind;
                if place.start < whole.start || place.end > whole.end {
                    extended.push((out.len(), items[run]));
                }
                out.push(Found { item: item.document, place, similarity });
            }
        }
        let places = extended.iter().map(|(at, _)| out[*at].place.clone());
        let texts = in_text(text, places);
        // From the last one on, so that the other numbers stay.
        for ((at, number), text_range) in extended.into_iter().zip(texts).rev() {
            let item = &index.items()[number as usize];
            coverage.set_left(&item.text, &index.letters()[item.range.clone()]);
            let own = &letters[out[at].place.clone()];
            if similarity_of(coverage.difference(&text[text_range], own)).is_none() {
                out.remove(at);
            }
        }
        out[first..].sort_by_key(|found| (found.item, found.place.start));
    }
}

/// The similarity of an item and a passage; `None` if too many of their figures contradict.
fn similarity_of(difference: Difference) -> Option<f64> {
    let Difference { figures, contradicting, .. } = difference;
    (contradicting * TOLERATED <= figures).then(|| difference.similarity())
}

#[cfg(test)]
mod tests;
