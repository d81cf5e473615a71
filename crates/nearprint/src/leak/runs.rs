//! An item and a part of a document -> the runs of the document that share enough with the item.
//!
//! The run slides over the part, byte by byte. How often each window of the item is in the run, and
//! how many windows cover each byte of the two, is kept up to date, so that a step costs as much as
//! the windows that come and go.

use std::ops::Range;

use super::windows::{WINDOW, Window};

/// Foreign bytes between two passages of an item, at most, where the second one lies beside the
/// run: those of an edited word or two.
const FOREIGN: usize = 24;

/// Stands for no window.
const NONE: u32 = u32::MAX;

/// A run that shares enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    /// The run: as long as the item, or all of a shorter document.
    pub whole: Range<usize>,
    /// From the first to the last byte that it shares, with what the item has beyond the run's
    /// ends.
    pub shared: Range<usize>,
    /// The part of the item that this is, from its first to its last byte.
    pub of_item: Range<usize>,
    /// The bytes that the two share.
    pub share: u32,
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
    /// For each window of the item its first place there.
    firsts: Vec<u32>,
    /// How many windows of the part before each one stand in the item before the one that comes
    /// before them in the part.
    turns: Vec<u32>,
    /// The beginnings of the runs that share enough, and then of the chosen ones.
    starts: Vec<u32>,
    chosen: Chosen,
}

/// Beginnings of runs that do not overlap: one at most in each stretch of the part that is as long
/// as the item.
#[derive(Debug, Default)]
struct Chosen {
    length: usize,
    by_stretch: Vec<u32>,
}

impl Chosen {
    /// None yet, of runs of this length that begin before `end`.
    fn reset(&mut self, length: usize, end: usize) {
        self.length = length;
        self.by_stretch.clear();
        self.by_stretch.resize(end.div_ceil(length), NONE);
    }

    /// Takes the run that begins here, unless it overlaps one of them.
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
        let windows = Window::count(letters.len());
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

    /// Appends runs in a part of a document of which both the item and the run share `least` bytes
    /// or more, in order: the one that shares most, of several the first, then in the same way of
    /// those that overlap none of them. But before all others come those that share `enough` in the
    /// order of the item: the end of one copy and the beginning of the next one share as much as a
    /// copy.
    pub fn find(
        &mut self,
        document: &[u8],
        part: Range<usize>,
        [least, enough]: [usize; 2],
        out: &mut Vec<Run>,
    ) {
        self.choose(&document[part.clone()], [least, enough]);
        let length = self.item.len().min(part.len());
        let mut free = 0;
        for number in 0..self.starts.len() {
            let start = self.starts[number] as usize;
            let next = self.starts.get(number + 1).map_or(part.len(), |next| *next as usize);
            let run = self.run(document, &part, start, free..next - length + 1, least);
            free = start + length;
            out.push(run);
        }
    }

    /// Leaves the beginnings of these runs in `starts`.
    fn choose(&mut self, part: &[u8], [least, enough]: [usize; 2]) {
        self.starts.clear();
        if part.len().min(self.item.len()) < WINDOW {
            return;
        }
        let length = self.item.len().min(part.len());
        self.look_up(part);
        if !self.may_share(length, least) {
            return;
        }
        self.measure(part.len(), length);
        self.count_turns();
        let Runs { windows, shares, turns, starts, chosen, .. } = self;
        starts.extend(
            (0..shares.len() as u32).filter(|start| shares[*start as usize] as usize >= least),
        );
        let is_in_order = |start: usize| {
            let end = start + Window::count(length);
            // What comes before the run does not matter.
            let first = (start..end).find(|at| windows[*at] != NONE);
            first.is_some_and(|first| turns[end] == turns[first + 1])
        };
        starts.sort_by_cached_key(|start| {
            let share = shares[*start as usize];
            ((share as usize) < enough || !is_in_order(*start as usize), std::cmp::Reverse(share))
        });
        chosen.reset(length, shares.len());
        starts.retain(|start| chosen.take(*start as usize));
        starts.sort_unstable();
    }

    /// Slides the run of this length over the part, which has this many bytes, and notes what each
    /// shares with the item.
    fn measure(&mut self, bytes: usize, length: usize) {
        let Runs { item, next, windows, side, shares, .. } = self;
        let inside = Window::count(length);
        side.reset(item.len(), bytes);
        (0..inside).for_each(|start| side.enter(start, windows[start], next));
        shares.clear();
        for start in 0..=bytes - length {
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
        windows.extend(
            (0..Window::count(bytes.len()))
                .map(|start| slots[slot(item, slots, Window::at(bytes, start))]),
        );
    }

    /// Notes where the windows of the part turn back in the item.
    fn count_turns(&mut self) {
        let Runs { item, slots, firsts, windows, turns, .. } = self;
        firsts.clear();
        firsts.extend(
            (0..Window::count(item.len()))
                .map(|start| slots[slot(item, slots, Window::at(item, start))]),
        );
        let (mut sum, mut last) = (0, None);
        turns.clear();
        turns.push(0);
        for first in windows.iter() {
            if *first != NONE {
                // Of several places of a window the one behind the last window, where it is there.
                let next = last
                    .map(|last| last + 1)
                    .filter(|next| firsts.get(*next as usize) == Some(first));
                let place = next.unwrap_or(*first);
                sum += u32::from(last.is_some_and(|last| place < last));
                last = Some(place);
            }
            turns.push(sum);
        }
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

    /// The run that begins here in the part, in bytes of the document. It may be moved to any of
    /// these beginnings.
    fn run(
        &mut self,
        document: &[u8],
        part: &Range<usize>,
        start: usize,
        beginnings: Range<usize>,
        least: usize,
    ) -> Run {
        let length = self.item.len().min(part.len());
        let (inside, share) = (Window::count(length), self.shares[start]);
        let is_there = |at: &usize| self.windows[*at] != NONE;
        let first =
            (start..start + inside).find(is_there).expect("a run that shares enough has a window");
        let last = (start..start + inside)
            .rev()
            .find(is_there)
            .expect("a run that shares enough has a window");
        let (first_whole, last_whole) = self.with_beside(start, first, last, least);
        // Of all runs with the same windows, the one that begins as many bytes before the first as
        // the item does.
        let aligned = first.saturating_sub(self.windows[first] as usize);
        let farthest = first.min(beginnings.end - 1);
        let nearest = (last + WINDOW).saturating_sub(length).max(beginnings.start);
        let start = aligned.clamp(nearest.min(farthest), farthest);
        let (first, last) = (first_whole, last_whole);
        let of_item = self.windows[first] as usize..self.last_place(last) + WINDOW;
        let whole = whole_characters(document, part.start + start..part.start + start + length);
        let shared = whole_characters(document, part.start + first..part.start + last + WINDOW);
        let of_item =
            whole_characters(&self.item, of_item.start.min(of_item.end - WINDOW)..of_item.end);
        Run { whole, shared, of_item, share }
    }

    /// The first and the last window of the run that begins here, with what it lacks of the item
    /// and stands beside it: an insertion makes a passage longer than the item. That goes on in the
    /// order of the item, passage after passage, over a few foreign bytes at most. So it does not
    /// reach over another copy.
    fn with_beside(
        &mut self,
        start: usize,
        mut first: usize,
        mut last: usize,
        least: usize,
    ) -> (usize, usize) {
        let end = start + Window::count(self.item.len().min(self.part_bytes()));
        let beside = self.item.len() - least;
        let has = &mut self.side.present;
        has.fill(0);
        for window in self.windows[start..end].iter().filter(|window| **window != NONE) {
            has[*window as usize] = 1;
        }
        let lacked = |at: usize| self.windows[at] != NONE && has[self.windows[at] as usize] == 0;
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

    /// The last place in the item of the window that is here in the part.
    fn last_place(&self, at: usize) -> usize {
        std::iter::successors(Some(self.windows[at]), |place| {
            Some(self.next[*place as usize]).filter(|next| *next != NONE)
        })
        .last()
        .map_or(0, |place| place as usize)
    }
}

/// The characters of a text that lie in a range of its bytes as a whole.
fn whole_characters(text: &[u8], range: Range<usize>) -> Range<usize> {
    let begins = |byte: usize| text.get(byte).is_some_and(|byte| *byte as i8 >= -64);
    let Range { mut start, mut end } = range;
    while start < end && !begins(start) {
        start += 1;
    }
    while end < text.len() && end > start && !begins(end) {
        end -= 1;
    }
    start..end
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
        for start in 0..Window::count(text.len()) {
            let window = &text[start..start + WINDOW];
            if other.windows(WINDOW).any(|own| own == window) {
                covered[start..start + WINDOW].fill(true);
            }
        }
        covered.into_iter().filter(|covered| *covered).count()
    }

    /// What each run of a document shares with an item, run by run.
    pub fn shares(item: &[u8], document: &[u8]) -> Vec<usize> {
        let length = item.len().min(document.len()).max(1);
        document.windows(length).map(|run| covered(item, run).min(covered(run, item))).collect()
    }

    /// The beginnings of the runs to choose, one after the other.
    fn choice(shares: &[usize], length: usize, least: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let is_free =
                |start: &usize| chosen.iter().all(|other| start.abs_diff(*other) >= length);
            let free = (0..shares.len()).filter(|start| shares[*start] >= least && is_free(start));
            match free.max_by_key(|start| (shares[*start], std::cmp::Reverse(*start))) {
                Some(best) => chosen.push(best),
                None => break,
            }
        }
        chosen.sort_unstable();
        chosen
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
            runs.find(&document, 0..document.len(), [least, usize::MAX], &mut out);
            let shares = shares(&item, &document);
            let starts: Vec<usize> = runs.starts.iter().map(|start| *start as usize).collect();
            prop_assert_eq!(&starts, &choice(&shares, item.len().min(document.len()).max(1), least));
            prop_assert_eq!(out.len(), starts.len());
            let (text, item_text) = (String::from_utf8(document.clone()).unwrap(), words.concat());
            for (Run { whole, shared, of_item, share }, start) in out.iter().zip(starts) {
                prop_assert!(text.get(whole.clone()).is_some() && text.get(shared.clone()).is_some());
                prop_assert!(item_text.get(of_item.clone()).is_some_and(|part| !part.is_empty()));
                prop_assert_eq!(*share as usize, shares[start]);
                // A run that was moved so that it begins where the item does still has all windows
                // of the chosen one. It may have begun inside of a character.
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
