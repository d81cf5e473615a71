//! The shares of the runs of a part -> the runs to compare, which do not overlap.
//!
//! Runs that share enough in the order of the item come first, because the end of one copy and the
//! beginning of the next one share as much as a copy. Then runs come by their shares.

use std::cmp::Reverse;
use std::ops::Range;

use super::item_windows::{ItemWindows, NONE};
use super::windows::Window;

/// Chooses runs of one part after the other, in buffers of its own.
#[derive(Debug, Default)]
pub(super) struct Choice {
    turns: Turns,
    apart: Apart,
    /// The beginnings of the chosen runs, in order.
    pub starts: Vec<u32>,
}

impl Choice {
    /// No runs.
    pub fn clear(&mut self) {
        self.starts.clear();
    }

    /// Chooses runs of this length that share `least` bytes or more. The windows of the part are
    /// given by their first places in the item. Runs that share `enough` in the order of the item
    /// come first, then those that share most, of several the first. A run that overlaps an earlier
    /// one is left out.
    pub fn choose(
        &mut self,
        item: &ItemWindows,
        part: &[u32],
        shares: &[u32],
        length: usize,
        [least, enough]: [usize; 2],
    ) {
        let Choice { turns, apart, starts } = self;
        turns.count(item, part);
        starts.clear();
        starts.extend(
            (0..shares.len() as u32).filter(|start| shares[*start as usize] as usize >= least),
        );
        let inside = Window::count(length);
        starts.sort_by_cached_key(|start| {
            let (start, share) = (*start as usize, shares[*start as usize]);
            let is_in_order = || turns.are_none(part, start..start + inside);
            ((share as usize) < enough || !is_in_order(), Reverse(share))
        });
        apart.reset(length, shares.len());
        starts.retain(|start| apart.take(*start as usize));
        starts.sort_unstable();
    }
}

/// The turns of a part: places where a window stands in the item before its predecessor.
#[derive(Debug, Default)]
struct Turns {
    /// For each window of the item, its first place there.
    firsts: Vec<u32>,
    /// The number of turns up to each window of the part.
    sums: Vec<u32>,
}

impl Turns {
    /// Counts the turns of a part.
    fn count(&mut self, item: &ItemWindows, part: &[u32]) {
        let Turns { firsts, sums } = self;
        firsts.clear();
        firsts.extend(item.first_places(item.letters()));
        let (mut sum, mut last) = (0, None);
        sums.clear();
        sums.push(0);
        for first in part.iter() {
            if *first != NONE {
                // Of several places of a window, the one right after the last window counts.
                let next = last
                    .map(|last| last + 1)
                    .filter(|next| firsts.get(*next as usize) == Some(first));
                let place = next.unwrap_or(*first);
                sum += u32::from(last.is_some_and(|last| place < last));
                last = Some(place);
            }
            sums.push(sum);
        }
    }

    /// True if these windows of the part have a window of the item, and no turn among themselves.
    fn are_none(&self, part: &[u32], windows: Range<usize>) -> bool {
        // A turn at the first window concerns the one before.
        let first = windows.clone().find(|at| part[*at] != NONE);
        first.is_some_and(|first| self.sums[windows.end] == self.sums[first + 1])
    }
}

/// Beginnings of runs that do not overlap: at most one in each stretch of the length of a run.
#[derive(Debug, Default)]
struct Apart {
    length: usize,
    by_stretch: Vec<u32>,
}

impl Apart {
    /// Starts without runs. All runs have this length and begin before `end`.
    fn reset(&mut self, length: usize, end: usize) {
        self.length = length;
        self.by_stretch.clear();
        self.by_stretch.resize(end.div_ceil(length), NONE);
    }

    /// Takes the run that begins here if it overlaps no other run. True if it was taken.
    fn take(&mut self, start: usize) -> bool {
        let stretch = start / self.length;
        let beside =
            &self.by_stretch[stretch.saturating_sub(1)..self.by_stretch.len().min(stretch + 2)];
        let overlaps =
            |other: &u32| *other != NONE && start.abs_diff(*other as usize) < self.length;
        let is_free = !beside.iter().any(overlaps);
        if is_free {
            self.by_stretch[stretch] = start as u32;
        }
        is_free
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::shares::tests::shares;
    use super::super::windows::WINDOW;
    use super::*;

    /// The beginnings of the runs to choose, one after the other.
    fn choice(shares: &[usize], length: usize, least: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let is_free =
                |start: &usize| chosen.iter().all(|other| start.abs_diff(*other) >= length);
            let free = (0..shares.len()).filter(|start| shares[*start] >= least && is_free(start));
            match free.max_by_key(|start| (shares[*start], Reverse(*start))) {
                Some(best) => chosen.push(best),
                None => break,
            }
        }
        chosen.sort_unstable();
        chosen
    }

    proptest! {
        #[test]
        fn runs_are_chosen_like_one_by_one(
            words in prop::collection::vec("[ab]{8,20}|[a-z]{5,12}|天地玄黄|宇宙洪荒", 3..9),
            order in prop::collection::vec(0usize..14, 3..30),
            tenths in 3usize..10,
        ) {
            let item = words.concat().into_bytes();
            let word = |number: &usize| words.get(*number).map_or("foreignwordhere", String::as_str);
            let document: Vec<u8> = order.iter().map(word).collect::<String>().into_bytes();
            let (length, least) = (item.len().min(document.len()), (item.len() * tenths).div_ceil(10));
            prop_assume!(length >= WINDOW);
            let (mut windows, mut chosen) = (ItemWindows::default(), Choice::default());
            windows.set(&item);
            let part: Vec<u32> = windows.first_places(&document).collect();
            let shares = shares(&item, &document);
            let by_start: Vec<u32> = shares.iter().map(|share| *share as u32).collect();
            chosen.choose(&windows, &part, &by_start, length, [least, usize::MAX]);
            let starts: Vec<usize> = chosen.starts.iter().map(|start| *start as usize).collect();
            prop_assert_eq!(starts, choice(&shares, length, least));
        }
    }
}
