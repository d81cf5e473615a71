//! Two texts and the passages that they share -> which part of one text is which part of the other.
//!
//! A window that each text has once in its passages says which place of one is which place of the other, and the run of equal letters
//! around it is taken, the longest run first: also letters beside a passage, which the coverage counts where they stand in that text a
//! first time. What was repeated may then be single among the rest, so this is done again. At last the repeated windows are taken in
//! their order, the first one of one text with the first one of the other. Each letter is taken once, so the cost is that of sorting
//! the windows.

use std::cmp::Reverse;

use xxhash_rust::xxh3::xxh3_64;

use super::Run;
use super::letters::{Letters, width};
use crate::verify::Passages;

/// How often single windows are looked for, and how often repeated ones, at most.
const ROUNDS: usize = 3;

/// The runs of letters that two texts share, in the order of the left one.
pub(super) fn runs(texts: [&Letters<'_>; 2], passages: &Passages) -> Vec<Run> {
    let sides = [0, 1].map(|side| Side::new(texts[side], &passages.ranges[side]));
    let mut matching = Matching { sides, length: passages.length, runs: Vec::new() };
    for single in [true, false] {
        for _ in 0..ROUNDS {
            if !matching.round(single) {
                break;
            }
        }
    }
    joined(matching.runs)
}

/// A text of the two, and what is left of its passages.
struct Side<'t> {
    forms: &'t [char],
    text: String,
    /// Whether each letter lies in a passage.
    in_passage: Vec<bool>,
    /// Whether each letter belongs to no run yet.
    is_free: Vec<bool>,
}

impl<'t> Side<'t> {
    fn new(letters: &'t Letters<'_>, passages: &[std::ops::Range<usize>]) -> Side<'t> {
        let (mut byte, mut passages) = (0, passages.iter().peekable());
        let in_passage = |c: &char| -> bool {
            let start = byte;
            byte += c.len_utf8();
            while passages.next_if(|passage| passage.end <= start).is_some() {}
            passages.peek().is_some_and(|passage| passage.start <= start)
        };
        let in_passage = letters.forms().iter().map(in_passage).collect();
        Side { forms: letters.forms(), text: letters.joined(), in_passage, is_free: vec![true; letters.len()] }
    }

    /// The hash of each free window of `length` letters in the passages, with its first letter, sorted.
    fn windows(&self, length: u32) -> Vec<(u64, u32)> {
        let mut windows = Vec::new();
        // The end of the window: in letters, in bytes, and its length.
        let (mut end, mut end_byte, mut letters) = (0, 0, 0);
        let mut start_byte = 0;
        for (start, c) in self.forms.iter().enumerate() {
            if end < start {
                (end, end_byte, letters) = (start, start_byte, 0);
            }
            while letters < length && end < self.forms.len() && self.in_passage[end] && self.is_free[end] {
                letters += width(self.forms[end]);
                end_byte += self.forms[end].len_utf8();
                end += 1;
            }
            if letters >= length {
                windows.push((xxh3_64(&self.text.as_bytes()[start_byte..end_byte]), start as u32));
            }
            start_byte += c.len_utf8();
            letters = letters.saturating_sub(width(*c));
        }
        windows.sort_unstable();
        windows
    }
}

struct Matching<'t> {
    sides: [Side<'t>; 2],
    length: u32,
    runs: Vec<Run>,
}

impl Matching<'_> {
    /// Takes the runs around windows that each text has once, or around all that both have. Whether there were any.
    fn round(&mut self, single: bool) -> bool {
        let [left, right] = self.sides.each_ref().map(|side| side.windows(self.length));
        let (mut left, mut right) = (left.chunk_by(same_hash).peekable(), right.chunk_by(same_hash).peekable());
        let mut anchors = Vec::new();
        while let (Some(own), Some(other)) = (left.peek(), right.peek()) {
            let order = own[0].0.cmp(&other[0].0);
            if order.is_eq() && (!single || own.len() == 1 && other.len() == 1) {
                anchors.extend(own.iter().zip(*other).map(|(own, other)| (own.1 as usize, other.1 as usize)));
            }
            if order.is_le() {
                left.next();
            }
            if order.is_ge() {
                right.next();
            }
        }
        anchors.sort_unstable();
        if single {
            anchors = self.longest_first(anchors);
        }
        let before = self.runs.len();
        anchors.into_iter().for_each(|(left, right)| self.take([left, right]));
        self.runs.len() > before
    }

    /// Of the runs around these places, which no two share, one place each, those of the longest run first: a window of few letters may
    /// be single by chance.
    fn longest_first(&self, mut anchors: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        // Places of one run lie equally far apart in both texts.
        let apart = |(left, right): (usize, usize)| left.wrapping_sub(right);
        anchors.sort_unstable_by_key(|anchor| (apart(*anchor), *anchor));
        let mut runs: Vec<(Run, (usize, usize))> = Vec::new();
        for anchor in anchors {
            let last = runs.last().is_some_and(|(run, last)| apart(*last) == apart(anchor) && anchor.0 < run.of(0).end);
            if !last {
                runs.extend(self.run_at(anchor.into()).map(|run| (run, anchor)));
            }
        }
        runs.sort_unstable_by_key(|(run, anchor)| (Reverse(run.length), *anchor));
        runs.into_iter().map(|(_, anchor)| anchor).collect()
    }

    /// Takes the run around two places, if that is long enough and still free.
    fn take(&mut self, places: [usize; 2]) {
        let Some(run) = self.run_at(places) else { return };
        for side in [0, 1] {
            self.sides[side].is_free[run.of(side)].fill(false);
        }
        self.runs.push(run);
    }

    /// The run of free letters around two places, if it goes on for long enough.
    fn run_at(&self, [left, right]: [usize; 2]) -> Option<Run> {
        let [own, other] = &self.sides;
        let same = |left: usize, right: usize| {
            own.is_free[left] && other.is_free[right] && own.forms[left] == other.forms[right]
        };
        let most = (own.forms.len() - left).min(other.forms.len() - right);
        let behind = (0..most).take_while(|by| same(left + by, right + by)).count();
        let letters: u32 = own.forms[left..left + behind].iter().map(|c| width(*c)).sum();
        if letters < self.length {
            return None;
        }
        let ahead = (1..=left.min(right)).take_while(|by| same(left - by, right - by)).count();
        Some(Run { starts: [left - ahead, right - ahead], length: ahead + behind })
    }
}

fn same_hash(one: &(u64, u32), other: &(u64, u32)) -> bool {
    one.0 == other.0
}

/// Runs in the order of the left text; those that go on where another one ends in both texts are one.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable_by_key(|run| run.starts);
    let mut joined: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last_mut() {
            Some(last) if [0, 1].map(|side| last.of(side).end) == run.starts => last.length += run.length,
            _ => joined.push(run),
        }
    }
    joined
}
