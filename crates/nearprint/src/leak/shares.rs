//! The windows of a part of a document -> the bytes that each run of the part shares with an item.
//!
//! A run slides over the part, byte by byte. Counters say how often the run has each window of the
//! item, and how many windows cover each byte of both texts. So a step costs as much as the windows
//! that enter and leave the run.

use super::item_windows::{ItemWindows, NONE};
use super::windows::{WINDOW, Window};

/// Measures the runs of one part after the other, in buffers of its own.
#[derive(Debug, Default)]
pub(super) struct Shares {
    sides: Sides,
    /// The shared bytes of each run, by its beginning.
    pub by_start: Vec<u32>,
}

impl Shares {
    /// Measures all runs of this length in a part of this many bytes. The windows of the part are
    /// given by their first places in the item.
    pub fn measure(&mut self, item: &ItemWindows, part: &[u32], bytes: usize, length: usize) {
        let Shares { sides, by_start } = self;
        let inside = Window::count(length);
        sides.reset(item.letters().len(), bytes);
        (0..inside).for_each(|start| sides.enter(start, part[start], item));
        by_start.clear();
        for start in 0..=bytes - length {
            if start > 0 {
                sides.leave(start - 1, part[start - 1], item);
                let entering = start + inside - 1;
                sides.enter(entering, part[entering], item);
            }
            by_start.push(sides.item_covered.min(sides.part_covered) as u32);
        }
    }
}

/// A bound on the shared bytes of all runs of this length: true if some run has `least` bytes or
/// more in windows of the item, even windows that extend beyond the run.
pub(super) fn may_share(part: &[u32], length: usize, least: usize) -> bool {
    let mut covered = 0;
    let (mut entering, mut leaving) = (Covered::default(), Covered::default());
    for at in 0..part.len() + WINDOW - 1 {
        covered += usize::from(entering.next(part, at));
        if at >= length {
            covered -= usize::from(leaving.next(part, at - length));
        }
        if covered >= least {
            return true;
        }
    }
    false
}

/// Tells for one byte after the other if a window covers it.
#[derive(Debug, Default)]
struct Covered {
    until: usize,
}

impl Covered {
    fn next(&mut self, part: &[u32], at: usize) -> bool {
        if part.get(at).is_some_and(|window| *window != NONE) {
            self.until = at + WINDOW;
        }
        at < self.until
    }
}

/// The bytes of the item and of the part in windows that the item and the run share.
#[derive(Debug, Default)]
struct Sides {
    /// The number of times that the run has each window of the item, by the window's first place.
    present: Vec<u32>,
    /// The number of shared windows that cover each byte of the item.
    item: Vec<u8>,
    /// The number of shared windows that cover each byte of the part.
    part: Vec<u8>,
    /// The covered bytes of the item.
    item_covered: usize,
    /// The covered bytes of the part.
    part_covered: usize,
}

impl Sides {
    /// Starts with an item and a part of these lengths, and an empty run.
    fn reset(&mut self, item: usize, part: usize) {
        self.present.clear();
        self.present.resize(item, 0);
        self.item.clear();
        self.item.resize(item, 0);
        self.part.clear();
        self.part.resize(part, 0);
        (self.item_covered, self.part_covered) = (0, 0);
    }

    /// Adds a window of the part to the run.
    fn enter(&mut self, start: usize, window: u32, item: &ItemWindows) {
        if window == NONE {
            return;
        }
        self.part_covered += cover(&mut self.part, start);
        self.present[window as usize] += 1;
        if self.present[window as usize] == 1 {
            for place in item.places(window) {
                self.item_covered += cover(&mut self.item, place);
            }
        }
    }

    /// Removes a window of the part from the run.
    fn leave(&mut self, start: usize, window: u32, item: &ItemWindows) {
        if window == NONE {
            return;
        }
        self.part_covered -= uncover(&mut self.part, start);
        self.present[window as usize] -= 1;
        if self.present[window as usize] == 0 {
            for place in item.places(window) {
                self.item_covered -= uncover(&mut self.item, place);
            }
        }
    }
}

/// Counts a window that begins here. The number of bytes that no window covered before.
fn cover(counts: &mut [u8], start: usize) -> usize {
    let mut new = 0;
    for windows in &mut counts[start..start + WINDOW] {
        new += usize::from(*windows == 0);
        *windows += 1;
    }
    new
}

/// Discounts a window that begins here. The number of bytes that no window covers any more.
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
        for start in 0..Window::count(text.len()) {
            let window = &text[start..start + WINDOW];
            if other.windows(WINDOW).any(|own| own == window) {
                covered[start..start + WINDOW].fill(true);
            }
        }
        covered.into_iter().filter(|covered| *covered).count()
    }

    /// The bytes that each run of a document shares with an item, run by run.
    pub fn shares(item: &[u8], document: &[u8]) -> Vec<usize> {
        let length = item.len().min(document.len()).max(1);
        document.windows(length).map(|run| covered(item, run).min(covered(run, item))).collect()
    }

    proptest! {
        #[test]
        fn sliding_counts_like_run_by_run(
            words in prop::collection::vec("[ab]{8,20}|[a-z]{5,12}|天地玄黄|宇宙洪荒", 3..9),
            order in prop::collection::vec(0usize..14, 3..30),
        ) {
            let item = words.concat().into_bytes();
            let word = |number: &usize| words.get(*number).map_or("foreignwordhere", String::as_str);
            let document: Vec<u8> = order.iter().map(word).collect::<String>().into_bytes();
            let length = item.len().min(document.len());
            prop_assume!(length >= WINDOW);
            let (mut windows, mut sliding) = (ItemWindows::default(), Shares::default());
            windows.set(&item);
            let part: Vec<u32> = windows.first_places(&document).collect();
            sliding.measure(&windows, &part, document.len(), length);
            let shares = shares(&item, &document);
            prop_assert_eq!(sliding.by_start.iter().map(|share| *share as usize).collect::<Vec<_>>(), shares.clone());
            let most = shares.into_iter().max().unwrap_or(0);
            prop_assert!(most == 0 || may_share(&part, length, most));
        }
    }
}
