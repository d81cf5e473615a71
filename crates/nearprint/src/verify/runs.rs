//! Two texts -> the runs of letters that both have, in the order in which both have them; and runs that were moved.
//!
//! A run is as long as it can be, and has at least as many letters as a window ([`run_length`](super::windows::passage_length)). The
//! beginnings and the ends that are equal come first. Between them the shorter text is read from its beginning: each of its windows is
//! looked for in the other text, first where the last run would go on, then where else it stands, of [`TRIED`] places at most. Every
//! letter is in one run at most. Of the runs those that stand in the same order in both texts and have most letters together are the
//! chain (the heaviest increasing subsequence: Fredman 1975); all others were moved.
//!
//! Which text is read and which one is in the table depends on the texts alone, so a pair has the same runs from either side.
//!
//! Cost: the letters between the equal beginnings and ends.

use std::ops::Range;

use super::windows::{Windows, hash};
use crate::normalize::{Cursor, size_of};

/// The places of a window in the other text that are tried, at most.
const TRIED: usize = 16;

/// How many letters longer another place must go on than the one where the last run would go on, or than a later one.
const GOES_ON: usize = 100;
const LATER: usize = 10;

/// A run of fewer windows is short.
const SHORT: usize = 4;

/// Letters from the expected place beyond which all are equally far.
const FAR: usize = 30;

/// Letters that both texts have: the first byte in each, and the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub starts: [u32; 2],
    pub bytes: u32,
}

impl Run {
    /// Its bytes in one of the texts.
    pub fn range(&self, text: usize) -> Range<usize> {
        self.starts[text] as usize..(self.starts[text] + self.bytes) as usize
    }
}

/// Finds the runs of two texts, in buffers of its own.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The first window of each chain in the table, and the window after each one; by the place of its first byte, and one more.
    heads: Vec<u32>,
    next: Vec<u32>,
    /// A bit for each window in the table: most windows of another text are not there.
    bits: Vec<u64>,
    /// 1 for each byte of the text in the table that is in a run.
    taken: Vec<u8>,
    /// The first bytes of the windows in the table, and their chains.
    held: Vec<(u32, u32)>,
    found: Vec<Run>,
    /// The runs in the order of both texts.
    pub chain: Vec<Run>,
    /// The others.
    pub moved: Vec<Run>,
}

impl Runs {
    /// Finds the runs of two texts of letters and digits, of `length` letters or more. The first text is the one that is read.
    pub fn find(&mut self, texts: [&[u8]; 2], length: u32) {
        self.found.clear();
        let [read, other] = texts;
        let ascii = [read.is_ascii(), other.is_ascii()];
        let letters = |text: usize, part: Range<usize>| size_of(&texts[text][part], ascii[text]).letters;
        let mut first = common(read, other);
        while !is_boundary(read, first) {
            first -= 1;
        }
        if letters(0, 0..first) < length {
            first = 0;
        }
        let mut last = common_end(&read[first..], &other[first..]);
        while !is_boundary(read, read.len() - last) {
            last -= 1;
        }
        if letters(0, read.len() - last..read.len()) < length {
            last = 0;
        }
        if first > 0 {
            self.found.push(Run { starts: [0, 0], bytes: first as u32 });
        }
        self.read_between([&read[first..read.len() - last], &other[first..other.len() - last]], first, length);
        if last > 0 {
            let starts = [read.len() - last, other.len() - last].map(|start| start as u32);
            self.found.push(Run { starts, bytes: last as u32 });
        }
        self.order();
    }

    /// Finds those of two texts that begin at this byte.
    fn read_between(&mut self, [read, other]: [&[u8]; 2], from: usize, length: u32) {
        let sizes = [read, other].map(|text| size_of(text, text.is_ascii()));
        if sizes.iter().any(|size| size.letters < length) {
            return;
        }
        self.hold(other, sizes[1], length);
        let mut windows = Windows::new(read, sizes[0], length);
        // Where the last run ends in both texts.
        let mut ends = [0, 0];
        while let Some((start, end)) = windows.next() {
            let Some((mut at, mut bytes)) = self.best(read, other, start..end, ends) else { continue };
            // A short run may take the beginning of a longer one.
            if bytes < SHORT * (end - start) {
                let mut next = windows.clone();
                let mut later = std::iter::from_fn(|| next.next().filter(|(later, _)| *later < start + bytes));
                let is_longer =
                    |(start, end)| self.best(read, other, start..end, ends).is_some_and(|(_, own)| own > 2 * bytes);
                if !self.may_be_longer(read, start..start + bytes, windows.clone()) {
                    debug_assert!(!later.any(is_longer), "a longer run has the window behind");
                } else if later.any(is_longer) {
                    continue;
                }
            }
            // Letters before it that no window of its own has.
            let mut own = start;
            while own > ends[0] && at > 0 && read[own - 1] == other[at - 1] && self.taken[at - 1] == 0 {
                (own, at, bytes) = (own - 1, at - 1, bytes + 1);
            }
            while !is_boundary(read, own) {
                (own, at, bytes) = (own + 1, at + 1, bytes - 1);
            }
            self.taken[at..at + bytes].fill(1);
            self.found.push(Run { starts: [(from + own) as u32, (from + at) as u32], bytes: bytes as u32 });
            ends = [own + bytes, at + bytes];
            if ends[0] == read.len() {
                break;
            }
            windows.skip_to(ends[0]);
        }
    }

    /// Whether a run that begins in a short one may be more than twice as long: it has the first window behind that one, too.
    fn may_be_longer(&self, read: &[u8], short: Range<usize>, mut windows: Windows<'_>) -> bool {
        let behind = std::iter::from_fn(|| windows.next()).find(|(start, _)| *start >= short.end);
        behind.is_none_or(|(start, end)| end > short.end + short.len() || self.has(hash(&read[start..end]) << 1))
    }

    /// Whether a window of this hash may be in the table.
    fn has(&self, hash: u64) -> bool {
        let bit = (hash >> (64 - self.heads.len().ilog2() - 3)) as usize;
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Puts the windows of a text into the table.
    fn hold(&mut self, text: &[u8], size: Cursor, length: u32) {
        let Runs { heads, next, bits, taken, held, .. } = self;
        taken.clear();
        taken.resize(text.len(), 0);
        heads.clear();
        heads.resize(text.len().next_power_of_two().max(64), 0);
        next.clear();
        next.resize(text.len(), 0);
        bits.clear();
        bits.resize(heads.len() / 8, 0);
        let shift = 64 - heads.len().ilog2();
        let mut windows = Windows::new(text, size, length);
        held.clear();
        while let Some((start, end)) = windows.next() {
            let hash = hash(&text[start..end]) << 1;
            let bit = (hash >> (shift - 3)) as usize;
            bits[bit / 64] |= 1 << (bit % 64);
            held.push((start as u32, (hash >> shift) as u32));
        }
        // From the last one to the first, so that chains are in the order of the text.
        for (start, chain) in held.drain(..).rev() {
            next[start as usize] = heads[chain as usize];
            heads[chain as usize] = start + 1;
        }
    }

    /// The place in the other text from which a window of the first one goes on, and how many bytes are equal there.
    fn best(&self, read: &[u8], other: &[u8], window: Range<usize>, ends: [usize; 2]) -> Option<(usize, usize)> {
        let (start, expected) = (window.start, ends[1]);
        let goes_on = expected + start - ends[0];
        let equal = |at: usize| self.equal(read, other, start, at, window.len());
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
        let mut best = equal(goes_on).map(|bytes| (score(goes_on, bytes), goes_on, bytes));
        // A run that goes on for long needs no other place.
        if best.is_some_and(|(_, _, bytes)| bytes >= GOES_ON) {
            return best.map(|(_, at, bytes)| (at, bytes));
        }
        let shift = 64 - self.heads.len().ilog2();
        let hash = hash(&read[window.clone()]) << 1;
        let mut place = if self.has(hash) { self.heads[(hash >> shift) as usize] } else { 0 };
        let mut tried = 0;
        while place != 0 && tried < TRIED {
            let at = place as usize - 1;
            place = self.next[at];
            if at == goes_on {
                continue;
            }
            tried += 1;
            if let Some(bytes) = equal(at) {
                let candidate = (score(at, bytes), at, bytes);
                if best.is_none_or(|best| candidate.0 > best.0) {
                    best = Some(candidate);
                }
            }
        }
        best.map(|(_, at, bytes)| (at, bytes))
    }

    /// How many bytes are equal from these places on, if they are no fewer than those of the window and in no run.
    fn equal(&self, read: &[u8], other: &[u8], start: usize, at: usize, window: usize) -> Option<usize> {
        let (read, other) = (&read[start..], other.get(at..)?);
        if other.len() < window || read[0] != other[0] || read[..window] != other[..window] {
            return None;
        }
        // What is taken is at least as long as a window, so it has the last byte of this one or lies behind it.
        if self.taken[at] == 1 || self.taken[at + window - 1] == 1 {
            return None;
        }
        let mut bytes = window + free(&self.taken[at + window..at + common(read, other)]);
        while !is_boundary(read, bytes) {
            bytes -= 1;
        }
        (bytes >= window).then_some(bytes)
    }

    /// Parts the runs, which are in the order of the first text, into the chain and the others.
    fn order(&mut self) {
        let Runs { found, chain, moved, .. } = self;
        chain.clear();
        moved.clear();
        if found.is_sorted_by_key(|run| run.starts[1]) {
            chain.append(found);
            return;
        }
        let mut in_other: Vec<u32> = (0..found.len() as u32).collect();
        in_other.sort_unstable_by_key(|run| found[*run as usize].starts[1]);
        let mut ranks = vec![0; found.len()];
        in_other.iter().zip(1..).for_each(|(run, rank)| ranks[*run as usize] = rank);
        // A Fenwick tree of the heaviest chain that ends at each rank.
        let none = u32::MAX;
        let mut tree = vec![(0u64, none); found.len() + 1];
        let mut before = vec![none; found.len()];
        let mut weights = vec![0u64; found.len()];
        for (place, run) in found.iter().enumerate() {
            let mut heaviest = (0, none);
            let mut rank: usize = ranks[place] - 1;
            while rank > 0 {
                if tree[rank].0 > heaviest.0 {
                    heaviest = tree[rank];
                }
                rank &= rank - 1;
            }
            before[place] = heaviest.1;
            weights[place] = heaviest.0 + u64::from(run.bytes);
            let mut rank = ranks[place];
            while rank < tree.len() {
                if tree[rank].0 < weights[place] {
                    tree[rank] = (weights[place], place as u32);
                }
                rank += rank & rank.wrapping_neg();
            }
        }
        let mut in_chain = vec![false; found.len()];
        let last = (0..found.len() as u32).rev().max_by_key(|place| weights[*place as usize]);
        let mut place = last.unwrap_or(none);
        while place != none {
            in_chain[place as usize] = true;
            place = before[place as usize];
        }
        for (run, in_chain) in found.drain(..).zip(in_chain) {
            if in_chain { chain.push(run) } else { moved.push(run) }
        }
    }
}

/// Whether a character begins at this byte, or the text ends.
pub(super) fn is_boundary(text: &[u8], byte: usize) -> bool {
    text.get(byte).is_none_or(|byte| *byte as i8 >= -64)
}

/// How many bytes two texts have in common at their beginnings.
#[inline]
fn common(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + left[same..].iter().zip(&right[same..]).take_while(|(left, right)| left == right).count()
}

/// The same at their ends.
fn common_end(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_rchunks::<8>().1.iter().rev().zip(right.as_rchunks::<8>().1.iter().rev());
    let mut same = 0;
    for (left, right) in words {
        let differ = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if differ != 0 {
            return same + differ.leading_zeros() as usize / 8;
        }
        same += 8;
    }
    let rest = [left, right].map(|text| text[..text.len() - same].iter().rev());
    let [left, right] = rest;
    same + left.zip(right).take_while(|(left, right)| left == right).count()
}

/// How many bytes at the beginning are in no run.
#[inline]
fn free(taken: &[u8]) -> usize {
    let eights = taken.as_chunks::<8>().0.iter().take_while(|eight| u64::from_le_bytes(**eight) == 0).count();
    8 * eights + taken[8 * eights..].iter().take_while(|taken| **taken == 0).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_letter_is_in_one_run_at_most(left in "[ab天]{0,60}", right in "[ab天]{0,60}", length in 2u32..6) {
            let mut runs = Runs::default();
            runs.find([left.as_bytes(), right.as_bytes()], length);
            let mut taken = [vec![false; left.len()], vec![false; right.len()]];
            prop_assert!(runs.chain.is_sorted_by_key(|run| run.starts[0]) && runs.chain.is_sorted_by_key(|run| run.starts[1]));
            for run in runs.chain.iter().chain(&runs.moved) {
                prop_assert_eq!(&left[run.range(0)], &right[run.range(1)]);
                for (text, taken) in taken.iter_mut().enumerate() {
                    prop_assert!(!taken[run.range(text)].contains(&true));
                    taken[run.range(text)].fill(true);
                }
            }
        }

        #[test]
        fn a_run_within_other_text_is_found(before in "[a-d]{0,30}", run in "[w-z]{10,40}", after in "[e-h]{0,30}") {
            let (left, right) = (format!("{before}{run}"), format!("{run}{after}"));
            let mut runs = Runs::default();
            runs.find([left.as_bytes(), right.as_bytes()], 10);
            prop_assert_eq!(&runs.chain, &vec![Run { starts: [before.len() as u32, 0], bytes: run.len() as u32 }]);
        }
    }

    #[test]
    fn the_lighter_of_two_runs_in_another_order_was_moved() {
        let mut runs = Runs::default();
        let (long, short) = ("thisisthelongerofthetwo", "ashorterrun");
        runs.find([format!("{long}1{short}2").as_bytes(), format!("3{short}45{long}").as_bytes()], 10);
        assert_eq!(runs.chain, [Run { starts: [0, 14], bytes: 23 }]);
        assert_eq!(runs.moved, [Run { starts: [24, 1], bytes: 11 }]);
    }

    #[test]
    fn one_phrase_again_and_again_is_one_run() {
        let mut runs = Runs::default();
        let phrase = "thesamewordsagain";
        runs.find([phrase.repeat(100).as_bytes(), phrase.repeat(101).as_bytes()], 10);
        assert_eq!(runs.chain.iter().map(|run| run.bytes).sum::<u32>(), 1700);
    }
}
