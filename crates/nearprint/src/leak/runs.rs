//! An item and a part of a document -> the runs of the document that share enough with the item.
//!
//! The run slides over the part, byte by byte. How often each window of the item is in the run, and how many windows cover each byte of
//! the two, is kept up to date, so that a step costs as much as the windows that come and go: the time is that of the part and the
//! item, whatever they repeat.

use std::ops::Range;

use super::windows::{WINDOW, Window, count};

/// Stands for no window.
const NONE: u32 = u32::MAX;

/// A run that shares enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// The run: as long as the item.
    pub whole: Range<usize>,
    /// From the first to the last byte that it shares, with what the item has beyond the run's ends.
    pub shared: Range<usize>,
}

/// Finds the runs of one item after the other, in buffers of its own.
#[derive(Debug, Default)]
pub(super) struct Runs {
    item: Vec<u8>,
    /// A table of the distinct windows of the item: where each is first.
    slots: Vec<u32>,
    /// The next place of the same window.
    next: Vec<u32>,
    /// For each window of the part its first place in the item.
    windows: Vec<u32>,
    side: Sides,
    /// What each run of the part shares, by its beginning.
    shares: Vec<u32>,
}

/// What the run and the item share.
#[derive(Debug, Default)]
struct Sides {
    /// How often the window that is first here is in the run.
    present: Vec<u32>,
    /// Windows that cover each byte of the item, and of the part.
    item: Vec<u8>,
    part: Vec<u8>,
    /// Bytes that are covered.
    item_covered: usize,
    part_covered: usize,
}

impl Runs {
    /// The item to look for.
    pub fn set_item(&mut self, letters: &[u8]) {
        let Runs { item, slots, next, .. } = self;
        item.clear();
        item.extend_from_slice(letters);
        let windows = count(letters.len());
        next.clear();
        next.resize(windows, NONE);
        slots.clear();
        slots.resize((2 * windows).next_power_of_two().max(2), NONE);
        // From the last to the first, so that the places of a window are in order.
        for start in (0..windows).rev() {
            let slot = slot(item, slots, Window::at(item, start));
            next[start] = slots[slot];
            slots[slot] = start as u32;
        }
    }

    /// Appends runs in a part of a document of which both the item and the run share `least` bytes or more: the one that
    /// shares most, of several the first, then in the same way those before it and behind it that do not overlap it.
    pub fn find(&mut self, document: &[u8], part: Range<usize>, least: usize, out: &mut Vec<Run>) {
        let length = self.item.len();
        if part.len() < length || length < WINDOW {
            return;
        }
        self.look_up(&document[part.clone()]);
        if !self.may_share(length, least) {
            return;
        }
        self.measure(part.len());
        let from = out.len();
        let mut open = vec![(0, self.shares.len())];
        while let Some((first, end)) = open.pop() {
            let shares = (first..end).map(|start| (self.shares[start], std::cmp::Reverse(start)));
            let Some((share, std::cmp::Reverse(start))) = shares.max() else { continue };
            if share as usize >= least {
                out.push(self.run(document, &part, start, least));
                open.push((first, (start + 1).saturating_sub(length)));
                open.push((start + length, end));
            }
        }
        out[from..].sort_unstable_by_key(|run| run.whole.start);
    }

    /// Slides the run over the part, which has this many bytes, and notes what each shares with the item.
    fn measure(&mut self, bytes: usize) {
        let Runs { item, next, windows, side, shares, .. } = self;
        let inside = count(item.len());
        side.reset(item.len(), bytes);
        (0..inside).for_each(|start| side.enter(start, windows[start], next));
        shares.clear();
        for start in 0..=bytes - item.len() {
            if start > 0 {
                side.leave(start - 1, windows[start - 1], next);
                let entering = start + inside - 1;
                side.enter(entering, windows[entering], next);
            }
            shares.push(side.item_covered.min(side.part_covered) as u32);
        }
    }

    /// Looks up the windows of a part.
    fn look_up(&mut self, bytes: &[u8]) {
        let Runs { item, slots, windows, .. } = self;
        windows.clear();
        windows.extend((0..count(bytes.len())).map(|start| slots[slot(item, slots, Window::at(bytes, start))]));
    }

    /// Whether so many bytes of some run are covered, by windows that may reach beyond it.
    fn may_share(&self, length: usize, least: usize) -> bool {
        let mut covered = 0;
        let (mut entering, mut leaving) = (Covered::default(), Covered::default());
        for at in 0..self.windows.len() + WINDOW - 1 {
            covered += usize::from(entering.next(&self.windows, at));
            if at >= length {
                covered -= usize::from(leaving.next(&self.windows, at - length));
            }
            if covered >= least {
                return true;
            }
        }
        false
    }

    /// The run that begins here in the part, in bytes of the document.
    fn run(&self, document: &[u8], part: &Range<usize>, start: usize, least: usize) -> Run {
        let (length, inside) = (self.item.len(), count(self.item.len()));
        let is_there = |at: &usize| self.windows[*at] != NONE;
        let first = (start..start + inside).find(is_there).expect("a run that shares enough has a window");
        let last = (start..start + inside).rev().find(is_there).expect("a run that shares enough has a window");
        // What the run lacks of the item may stand beside it: an insertion makes a passage longer than the item.
        let beside = length - least;
        let own: std::collections::BTreeSet<u32> = self.windows[start..start + inside].iter().copied().collect();
        let lacked = |at: &usize| is_there(at) && !own.contains(&self.windows[*at]);
        let before = (start.saturating_sub(beside)..start).find(lacked);
        let behind = (start + inside..(start + inside + beside).min(self.windows.len())).rev().find(lacked);
        // Of all runs with the same windows, the one that begins as many bytes before the first as the item does.
        let aligned = first.saturating_sub(self.windows[first] as usize);
        let farthest = first.min(self.windows.len() + WINDOW - 1 - length);
        let start = aligned.clamp((last + WINDOW).saturating_sub(length).min(farthest), farthest);
        let (first, last) = (before.unwrap_or(first), behind.unwrap_or(last));
        let in_document = |range: Range<usize>| {
            let is_inside = |byte: usize| document.get(byte).is_some_and(|byte| *byte as i8 >= -64);
            let (mut start, mut end) = (part.start + range.start, part.start + range.end);
            while start < end && !is_inside(start) {
                start += 1;
            }
            while end < document.len() && end > start && !is_inside(end) {
                end -= 1;
            }
            start..end
        };
        Run { whole: in_document(start..start + length), shared: in_document(first..last + WINDOW) }
    }
}

/// Where a window is in the table, or would be.
fn slot(item: &[u8], slots: &[u32], window: Window) -> usize {
    let mut slot = (window.hash() >> (64 - slots.len().ilog2())) as usize;
    while slots[slot] != NONE && Window::at(item, slots[slot] as usize) != window {
        slot = (slot + 1) & (slots.len() - 1);
    }
    slot
}

/// Says of one byte after the other whether some window covers it.
#[derive(Debug, Default)]
struct Covered {
    until: usize,
}

impl Covered {
    fn next(&mut self, windows: &[u32], at: usize) -> bool {
        if windows.get(at).is_some_and(|window| *window != NONE) {
            self.until = at + WINDOW;
        }
        at < self.until
    }
}

impl Sides {
    /// An item and a part of these lengths that share nothing yet.
    fn reset(&mut self, item: usize, part: usize) {
        self.present.clear();
        self.present.resize(item, 0);
        self.item.clear();
        self.item.resize(item, 0);
        self.part.clear();
        self.part.resize(part, 0);
        (self.item_covered, self.part_covered) = (0, 0);
    }

    /// A window comes into the run.
    fn enter(&mut self, start: usize, window: u32, next: &[u32]) {
        if window == NONE {
            return;
        }
        self.part_covered += cover(&mut self.part, start);
        self.present[window as usize] += 1;
        if self.present[window as usize] == 1 {
            let mut place = window;
            while place != NONE {
                self.item_covered += cover(&mut self.item, place as usize);
                place = next[place as usize];
            }
        }
    }

    /// A window goes out of it.
    fn leave(&mut self, start: usize, window: u32, next: &[u32]) {
        if window == NONE {
            return;
        }
        self.part_covered -= uncover(&mut self.part, start);
        self.present[window as usize] -= 1;
        if self.present[window as usize] == 0 {
            let mut place = window;
            while place != NONE {
                self.item_covered -= uncover(&mut self.item, place as usize);
                place = next[place as usize];
            }
        }
    }
}

/// Counts a window that covers the bytes from here on; the bytes that nothing covered before.
fn cover(counts: &mut [u8], start: usize) -> usize {
    let mut new = 0;
    for windows in &mut counts[start..start + WINDOW] {
        new += usize::from(*windows == 0);
        *windows += 1;
    }
    new
}

/// Takes it back; the bytes that nothing covers then.
fn uncover(counts: &mut [u8], start: usize) -> usize {
    let mut gone = 0;
    for windows in &mut counts[start..start + WINDOW] {
        *windows -= 1;
        gone += usize::from(*windows == 0);
    }
    gone
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bytes of a text that lie in windows of the other one.
    fn covered(text: &[u8], other: &[u8]) -> usize {
        let mut covered = vec![false; text.len()];
        for start in 0..count(text.len()) {
            let window = &text[start..start + WINDOW];
            if other.windows(WINDOW).any(|own| own == window) {
                covered[start..start + WINDOW].fill(true);
            }
        }
        covered.into_iter().filter(|covered| *covered).count()
    }

    /// What each run of a document shares with an item, run by run.
    pub fn shares(item: &[u8], document: &[u8]) -> Vec<usize> {
        document.windows(item.len()).map(|run| covered(item, run).min(covered(run, item))).collect()
    }

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
            runs.find(&document, 0..document.len(), least, &mut out);
            let shares = if item.len() > document.len() { Vec::new() } else { shares(&item, &document) };
            prop_assert_eq!(out.is_empty(), shares.iter().all(|share| *share < least));
            let text = String::from_utf8(document.clone()).unwrap();
            for Run { whole, shared } in &out {
                prop_assert!(text.get(whole.clone()).is_some() && text.get(shared.clone()).is_some());
                // The run may have begun inside of a character.
                let around = whole.start.saturating_sub(2)..whole.start + 1;
                prop_assert!(around.clone().any(|start| shares.get(start).is_some_and(|share| *share >= least)));
            }
            // The run that shares most is among them.
            let most = shares.iter().enumerate().max_by_key(|(start, share)| (**share, std::cmp::Reverse(*start)));
            if let Some((most, share)) = most {
                let meets = |run: &Run| run.whole.start < most + item.len() && most < run.whole.end + 3;
                prop_assert!(*share < least || out.iter().any(meets));
            }
            for (start, share) in shares.iter().enumerate() {
                // A run may have been moved by as much as it shares no more with that.
                let meets = |run: &Run| run.whole.start < start + 2 * item.len() && start < run.whole.end + item.len();
                prop_assert!(*share < least || out.iter().any(meets), "{start}");
            }
        }
    }

    #[test]
    fn several_copies_are_several_runs() {
        let item = b"thequickbrownfoxjumpsoverthelazydog";
        let document = [b"before", &item[..], &item[..], b"betweenthem", &item[..]].concat();
        let (mut runs, mut out) = (Runs::default(), Vec::new());
        runs.set_item(item);
        runs.find(&document, 0..document.len(), 30, &mut out);
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
        runs.find(document.as_bytes(), 0..document.len(), 40, &mut out);
        assert_eq!(out.len(), 1);
        assert_eq!(&document[out[0].shared.clone()], format!("{left}anditsbrother{right}"));
        assert_eq!(out[0].whole.len(), item.len());
    }
}
