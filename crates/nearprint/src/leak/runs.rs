//! An item and a part of a document -> the runs of the document that share enough with the item.

use std::ops::Range;

use nearprint_core::compare::is_boundary;

use super::choice::Choice;
use super::item_windows::{ItemWindows, NONE};
use super::shares::{Shares, may_share};
use super::windows::{WINDOW, Window};

/// The most foreign bytes between two passages of an item of which one lies beside the run: those
/// of an edited word or two.
const FOREIGN: usize = 24;

/// A run that shares enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// The place of the run in the document. It is as long as the item, or as all of a shorter
    /// document.
    pub whole: Range<usize>,
    /// The place from the first to the last shared byte, including passages beside the run.
    pub shared: Range<usize>,
    /// The shared part in the item, from its first to its last byte.
    pub of_item: Range<usize>,
    /// The number of bytes that the item and the run share.
    pub share: u32,
}

/// Finds the runs of one item after the other, in buffers of its own.
#[derive(Debug, Default)]
pub(super) struct Runs {
    item: ItemWindows,
    /// For each window of the part, its first place in the item.
    windows: Vec<u32>,
    shares: Shares,
    choice: Choice,
    /// True for each window of the item, by its first place, that a run has.
    is_in_run: Vec<bool>,
}

impl Runs {
    /// Sets the item to find.
    pub fn set_item(&mut self, letters: &[u8]) {
        self.item.set(letters);
    }

    /// Appends the runs of a part of a document that are [chosen](Choice::choose), in order. The
    /// item and each run share `least` bytes or more.
    pub fn find(
        &mut self,
        document: &[u8],
        part: Range<usize>,
        [least, enough]: [usize; 2],
        out: &mut Vec<Run>,
    ) {
        self.choose(&document[part.clone()], [least, enough]);
        let length = self.item.letters().len().min(part.len());
        let mut free = 0;
        for number in 0..self.choice.starts.len() {
            let start = self.choice.starts[number] as usize;
            let next = self.choice.starts.get(number + 1).map_or(part.len(), |next| *next as usize);
            let run = self.run(document, &part, start, free..next - length + 1, least);
            free = start + length;
            out.push(run);
        }
    }

    /// Chooses the runs of a part.
    fn choose(&mut self, part: &[u8], [least, enough]: [usize; 2]) {
        let Runs { item, windows, shares, choice, .. } = self;
        choice.clear();
        let length = item.letters().len().min(part.len());
        if length < WINDOW {
            return;
        }
        windows.clear();
        windows.extend(item.first_places(part));
        if may_share(windows, length, least) {
            shares.measure(item, windows, part.len(), length);
            choice.choose(item, windows, &shares.by_start, length, [least, enough]);
        }
    }

    /// The run that begins here in the part. It may be moved to any of these beginnings.
    fn run(
        &mut self,
        document: &[u8],
        part: &Range<usize>,
        start: usize,
        beginnings: Range<usize>,
        least: usize,
    ) -> Run {
        let length = self.item.letters().len().min(part.len());
        let (inside, share) = (Window::count(length), self.shares.by_start[start]);
        let is_there = |at: &usize| self.windows[*at] != NONE;
        let first =
            (start..start + inside).find(is_there).expect("a run that shares enough has a window");
        let last = (start..start + inside)
            .rev()
            .find(is_there)
            .expect("a run that shares enough has a window");
        let (first_whole, last_whole) = self.with_beside(start, first, last, least);
        // Of all runs with equal windows, this one begins as many bytes before its first window as
        // the item does.
        let aligned = first.saturating_sub(self.windows[first] as usize);
        let farthest = first.min(beginnings.end - 1);
        let nearest = (last + WINDOW).saturating_sub(length).max(beginnings.start);
        let start = aligned.clamp(nearest.min(farthest), farthest);
        let (first, last) = (first_whole, last_whole);
        let of_item = self.windows[first] as usize..self.item.last_end(self.windows[last]);
        let whole = whole_characters(document, part.start + start..part.start + start + length);
        let shared = whole_characters(document, part.start + first..part.start + last + WINDOW);
        let of_item = whole_characters(
            self.item.letters(),
            of_item.start.min(of_item.end - WINDOW)..of_item.end,
        );
        Run { whole, shared, of_item, share }
    }

    /// The first and the last window of the run that begins here, including passages beside it that
    /// the run lacks: an insertion makes a passage longer than the item. Passages follow in the
    /// order of the item, over a few foreign bytes at most, so that they do not extend into another
    /// copy.
    fn with_beside(
        &mut self,
        start: usize,
        mut first: usize,
        mut last: usize,
        least: usize,
    ) -> (usize, usize) {
        let item = self.item.letters().len();
        let end = start + Window::count(item.min(self.part_bytes()));
        let beside = item - least;
        let has = &mut self.is_in_run;
        has.clear();
        has.resize(item, false);
        for window in self.windows[start..end].iter().filter(|window| **window != NONE) {
            has[*window as usize] = true;
        }
        let lacked = |at: usize| self.windows[at] != NONE && !has[self.windows[at] as usize];
        for at in end..(end + beside).min(self.windows.len()) {
            if at > last + WINDOW + FOREIGN {
                break;
            }
            if lacked(at) && self.windows[at] > self.windows[last] {
                last = at;
            }
        }
        for at in (start.saturating_sub(beside)..start).rev() {
            if at + WINDOW + FOREIGN < first {
                break;
            }
            if lacked(at) && self.windows[at] < self.windows[first] {
                first = at;
            }
        }
        (first, last)
    }

    /// The bytes of the part at hand.
    fn part_bytes(&self) -> usize {
        self.windows.len() + WINDOW - 1
    }
}

/// The characters of a text that lie entirely in a range of its bytes.
fn whole_characters(text: &[u8], Range { mut start, mut end }: Range<usize>) -> Range<usize> {
    while start < end && !is_boundary(text, start) {
        start += 1;
    }
    while end > start && !is_boundary(text, end) {
        end -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::shares::tests::shares;
    use super::*;

    proptest! {
        #[test]
        fn runs_are_those_that_share_enough(
            words in prop::collection::vec("[ab]{8,20}|[a-z]{5,12}|天地玄黄|宇宙洪荒", 3..9),
            order in prop::collection::vec(0usize..14, 0..30),
            tenths in 3usize..10,
        ) {
            let item = words.concat().into_bytes();
            let word = |number: &usize| words.get(*number).map_or("foreignwordhere", String::as_str);
            let document: Vec<u8> = order.iter().map(word).collect::<String>().into_bytes();
            let least = (item.len() * tenths).div_ceil(10);
            let (mut runs, mut out) = (Runs::default(), Vec::new());
            runs.set_item(b"anotheritemthatcamebeforethisone");
            runs.set_item(&item);
            runs.find(&document, 0..document.len(), [least, usize::MAX], &mut out);
            let shares = shares(&item, &document);
            let starts: Vec<usize> = runs.choice.starts.iter().map(|start| *start as usize).collect();
            prop_assert_eq!(out.len(), starts.len());
            let (text, item_text) = (String::from_utf8(document.clone()).unwrap(), words.concat());
            for (Run { whole, shared, of_item, share }, start) in out.iter().zip(starts) {
                prop_assert!(text.get(whole.clone()).is_some() && text.get(shared.clone()).is_some());
                prop_assert!(item_text.get(of_item.clone()).is_some_and(|part| !part.is_empty()));
                prop_assert_eq!(*share as usize, shares[start]);
                // A run that was moved to the beginning of the item still has all windows of the
                // chosen one. The chosen one may begin inside of a character.
                let around = whole.start.saturating_sub(2)..whole.start + 1;
                prop_assert!(around.clone().any(|at| shares.get(at).is_some_and(|share| *share >= shares[start])));
                prop_assert!(whole.start < start + item.len() && start < whole.end + 3);
            }
        }
    }

    #[test]
    fn the_time_is_that_of_the_part_whatever_repeats() {
        let item = b"thequickbrownfoxjumpsoverthelazydog";
        let document = item.repeat(50_000);
        let (mut runs, mut out) = (Runs::default(), Vec::new());
        runs.set_item(item);
        runs.find(&document, 0..document.len(), [30, 30], &mut out);
        assert_eq!(out.len(), 50_000);
        assert!(
            out.iter().zip((0..).step_by(35)).all(|(run, start)| run.whole == (start..start + 35))
        );
    }

    #[test]
    fn several_copies_are_several_runs() {
        let item = b"thequickbrownfoxjumpsoverthelazydog";
        let document = [b"before", &item[..], &item[..], b"betweenthem", &item[..]].concat();
        let (mut runs, mut out) = (Runs::default(), Vec::new());
        runs.set_item(item);
        runs.find(&document, 0..document.len(), [30, 30], &mut out);
        let places: Vec<_> = out.iter().map(|run| run.shared.clone()).collect();
        assert_eq!(places, [6..41, 41..76, 87..122]);
    }

    #[test]
    fn an_insertion_makes_the_shared_part_longer_than_the_run() {
        let (left, right) = ("thequickbrownfoxjumpsover", "thelazydoginthegardenbehindthehouse");
        let item = format!("{left}{right}");
        let document = format!("something{left}anditsbrother{right}else");
        let (mut runs, mut out) = (Runs::default(), Vec::new());
        runs.set_item(item.as_bytes());
        runs.find(document.as_bytes(), 0..document.len(), [40, 50], &mut out);
        assert_eq!(out.len(), 1);
        assert_eq!(&document[out[0].shared.clone()], format!("{left}anditsbrother{right}"));
        assert_eq!(out[0].whole.len(), item.len());
    }
}
