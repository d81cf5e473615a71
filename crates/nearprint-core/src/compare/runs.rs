//! Two texts -> the runs of letters that both have: runs in the same order in both, and moved runs.
//!
//! A run cannot be extended, and has at least as many letters as a window
//! ([`passage_length`](super::windows::passage_length)). Equal beginnings and ends come first.
//! Between them the shorter text is read from its beginning. Each of its windows is searched for in
//! the other text, first where the last run would go on, then at [`TRIED`] other places at most.
//! Every letter is in one run at most. The chain has the runs in the same order in both texts with
//! the most letters together; all other runs are moved.
//!
//! The texts alone decide which of them is read and which one is in the table, so a pair has the
//! same runs from either side.
//!
//! Cost: the letters between the equal beginnings and ends.

use std::ops::Range;

use super::affixes::common_prefix;
use super::between::Between;
use super::chain::{Ties, heaviest_chain};
use super::table::{Present, WindowTable};
use super::windows::{is_ascii, is_boundary, past};
use crate::normalize::Cursor;

/// The most places of a window in the other text that are tried.
const TRIED: usize = 16;

/// The most places of a window that are examined to rule out a longer run.
const LOOKED_AT: usize = 256;

/// The bytes by which a run must be longer than one where the last run would go on.
const GOES_ON: usize = 100;

/// The bytes by which a run must be longer than one that comes after the last run.
const LATER: usize = 10;

/// The fewest windows of a run that is not short.
const SHORT: usize = 4;

/// The bytes from the expected place beyond which all places are equally far.
const FAR: usize = 30;

/// Letters that both texts have: the first byte in each text, and the number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub starts: [u32; 2],
    pub bytes: u32,
}

impl Run {
    /// The range of its bytes in one of the texts.
    pub fn range(&self, text: usize) -> Range<usize> {
        self.starts[text] as usize..(self.starts[text] + self.bytes) as usize
    }
}

/// The table of a text, or of a part of it.
#[derive(Debug)]
pub(super) struct Held<'t> {
    pub table: &'t mut WindowTable,
    /// The text that the table holds, its size, and its first byte in the whole text.
    pub text: &'t [u8],
    pub size: Cursor,
    pub from: usize,
}

/// Finds the runs of two texts, in buffers of its own.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The windows of the first text that the other one may have.
    present: Present,
    /// 1 for each byte of the other text in a run.
    taken: Vec<u8>,
    found: Vec<Run>,
    /// The runs in the order of both texts.
    pub chain: Vec<Run>,
    /// The other runs.
    pub moved: Vec<Run>,
}

/// The parts of two texts that are read, and the table of the other one.
#[derive(Debug, Clone, Copy)]
struct Read<'t> {
    read: &'t [u8],
    other: &'t [u8],
    /// The byte at which the parts begin in both texts, and the bytes before it that the table
    /// holds.
    from: usize,
    before: usize,
    table: &'t WindowTable,
    ascii: bool,
}

impl Read<'_> {
    /// The bytes of the window that begins at this byte, if there is one.
    #[inline]
    fn window(&self, start: usize) -> usize {
        match self.ascii {
            true => self.table.length() as usize,
            false => past(self.read, start, self.table.length()) - start,
        }
    }
}

impl Runs {
    /// Finds the runs of two texts of letters and digits. The first text is the one that is read,
    /// the table is of the other one. Returns false, without runs, if more than `most` letters of
    /// the first text are in no run.
    pub fn find(&mut self, texts: [&[u8]; 2], between: Between, held: Held<'_>, most: u32) -> bool {
        let Held { table, text, size, from: held_from } = held;
        self.found.clear();
        let [read, other] = texts.map(|text| between.part(text));
        if between.size.letters >= table.length() {
            table.present(read, between.size, most, &mut self.present);
        } else {
            self.present.clear(0);
            self.present.uncovered = between.size.letters;
        }
        if self.present.uncovered > most {
            return false;
        }
        table.hold_places(text, size);
        let [first, last] = between.ends;
        if first > 0 {
            self.found.push(Run { starts: [0, 0], bytes: first as u32 });
        }
        let ascii = is_ascii(read, between.size);
        self.read_between(Read {
            read,
            other,
            from: first,
            before: first - held_from,
            table,
            ascii,
        });
        if last > 0 {
            let starts = texts.map(|text| (text.len() - last) as u32);
            self.found.push(Run { starts, bytes: last as u32 });
        }
        self.order();
        true
    }

    /// Finds the runs of the parts between.
    fn read_between(&mut self, texts: Read<'_>) {
        let Read { read, other, from, .. } = texts;
        self.taken.clear();
        self.taken.resize(other.len(), 0);
        // The ends of the last run in both texts.
        let mut ends = [0, 0];
        let mut from_here = 0;
        while let Some(start) = self.present.next(from_here) {
            from_here = start + 1;
            let Some((mut at, mut bytes)) = self.best(texts, start, ends) else { continue };
            // A short run may take the beginning away from a longer one.
            if bytes < SHORT * texts.window(start)
                && self.may_be_longer(texts, start..start + bytes)
            {
                let later = std::iter::successors(self.present.next(from_here), |later| {
                    self.present.next(later + 1)
                });
                let mut later = later.take_while(|later| *later < start + bytes);
                if later.any(|later| {
                    self.best(texts, later, ends).is_some_and(|(_, own)| own > 2 * bytes)
                }) {
                    continue;
                }
            }
            // Equal letters before the window extend the run.
            let mut own = start;
            while own > ends[0]
                && at > 0
                && read[own - 1] == other[at - 1]
                && self.taken[at - 1] == 0
            {
                (own, at, bytes) = (own - 1, at - 1, bytes + 1);
            }
            while !is_boundary(read, own) {
                (own, at, bytes) = (own + 1, at + 1, bytes - 1);
            }
            self.taken[at..at + bytes].fill(1);
            self.found.push(Run {
                starts: [(from + own) as u32, (from + at) as u32],
                bytes: bytes as u32,
            });
            ends = [own + bytes, at + bytes];
            from_here = ends[0];
        }
    }

    /// Returns true if a run of more than twice as many bytes may begin within a short one. It
    /// would have the bytes after the short one, two more than the short one has.
    fn may_be_longer(&self, texts: Read<'_>, short: Range<usize>) -> bool {
        let Read { read, other, before, table, .. } = texts;
        let Some(behind) = read.get(short.end..short.end + short.len() + 2) else { return false };
        let window = texts.window(short.end);
        if window > behind.len() || short.end + window == read.len() {
            return true;
        }
        let is_there = |at: usize| {
            let there =
                at.checked_sub(before).and_then(|at| Some((at, other.get(at..at + behind.len())?)));
            there.is_some_and(|(at, there)| {
                self.taken[at] == 0 && common_prefix(behind, there) == behind.len()
            })
        };
        let mut places = table.places(&behind[..window]);
        self.present.has(short.end)
            && (places.by_ref().take(LOOKED_AT).any(is_there) || places.next().is_some())
    }

    /// The best place in the other text for a window of the first one, and the number of equal
    /// bytes from there on.
    fn best(&self, texts: Read<'_>, start: usize, ends: [usize; 2]) -> Option<(usize, usize)> {
        let Read { read, other, before, table, .. } = texts;
        let window = texts.window(start);
        let expected = ends[1];
        let goes_on = expected + start - ends[0];
        let own = &read[start..start + window];
        let has_window = |at: usize| {
            other.get(at..at + window).is_some_and(|there| common_prefix(own, there) == window)
        };
        let equal = |at: usize| self.equal(read, other, start, at, window);
        let score = |at: usize, bytes: usize| {
            let order = if at == goes_on {
                GOES_ON
            } else if at >= expected {
                LATER
            } else {
                0
            };
            (bytes + order, usize::MAX - at.abs_diff(expected).min(FAR))
        };
        let mut best = None;
        if has_window(goes_on) {
            best = equal(goes_on).map(|bytes| (score(goes_on, bytes), goes_on, bytes));
        }
        // A long run that goes on needs no other place.
        if best.is_some_and(|(_, _, bytes)| bytes >= GOES_ON) {
            return best.map(|(_, at, bytes)| (at, bytes));
        }
        let places = table.places(own).filter_map(|at| at.checked_sub(before));
        let places = places.take_while(|at| at + window <= other.len());
        for at in places.filter(|at| *at != goes_on && has_window(*at)).take(TRIED) {
            if let Some(bytes) = equal(at) {
                let candidate = (score(at, bytes), at, bytes);
                if best.is_none_or(|best| candidate.0 > best.0) {
                    best = Some(candidate);
                }
            }
        }
        best.map(|(_, at, bytes)| (at, bytes))
    }

    /// The number of equal bytes from these places on, at which both texts have the window. `None`
    /// if a part of the window is in a run.
    fn equal(
        &self,
        read: &[u8],
        other: &[u8],
        start: usize,
        at: usize,
        window: usize,
    ) -> Option<usize> {
        // A taken run is at least as long as a window, so it has the first or the last byte of this
        // one, or lies outside of it.
        if self.taken[at] == 1 || self.taken[at + window - 1] == 1 {
            return None;
        }
        let same = window + common_prefix(&read[start + window..], &other[at + window..]);
        let mut bytes = window + free(&self.taken[at + window..at + same]);
        while !is_boundary(&read[start..], bytes) {
            bytes -= 1;
        }
        (bytes >= window).then_some(bytes)
    }

    /// Parts the runs, which are in the order of the first text, into the chain and the moved ones.
    fn order(&mut self) {
        let Runs { found, chain, moved, .. } = self;
        chain.clear();
        moved.clear();
        if found.is_sorted_by_key(|run| run.starts[1]) {
            chain.append(found);
            return;
        }
        let weighed: Vec<(usize, u64)> =
            found.iter().map(|run| (run.starts[1] as usize, u64::from(run.bytes))).collect();
        let in_chain = heaviest_chain(&weighed, Ties::First);
        for (run, in_chain) in found.drain(..).zip(in_chain) {
            if in_chain { chain.push(run) } else { moved.push(run) }
        }
    }
}

/// The number of bytes at the beginning that are in no run.
#[inline]
fn free(taken: &[u8]) -> usize {
    let eights = taken
        .as_chunks::<8>()
        .0
        .iter()
        .take_while(|eight| u64::from_le_bytes(**eight) == 0)
        .count();
    8 * eights + taken[8 * eights..].iter().take_while(|taken| **taken == 0).count()
}

#[cfg(test)]
mod tests;
