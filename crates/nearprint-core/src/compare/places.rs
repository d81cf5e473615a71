//! The runs of letters that two texts share -> the places where they differ, with each text's own
//! words there.
//!
//! Between two runs of the chain lies a gap in one text or in both. The words of both gaps are
//! aligned (longest common subsequence; Wagner and Fischer 1974), and a place lies between equal
//! words: one text has words there, and the other one has other words, or none. Equal words of
//! fewer than [`APART`] letters do not part two places. Words within a moved run are in both texts
//! and in no place.
//!
//! A gap of more than [`LONGEST_GAP`] letters in either text is one place: texts without a shared
//! run in so many letters are taken to share nothing there.
//!
//! Cost: the product of the words of both gaps.

use std::ops::Range;

use super::runs::{Run, Runs};
use super::words::Word;
use crate::normalize::size_of;

/// Places with fewer shared letters between them are joined.
const APART: u32 = 6;

/// The most letters of a gap whose words are aligned.
const LONGEST_GAP: u32 = 256;

/// A place where two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The bytes of each text there, between shared letters; empty if it has none.
    pub bytes: [Range<u32>; 2],
    /// The words of each text there, by number.
    pub words: [Range<u32>; 2],
}

impl Place {
    /// Returns true if both texts have words there.
    pub fn is_exchange(&self) -> bool {
        self.words.iter().all(|words| !words.is_empty())
    }
}

/// The places where two texts differ, and the bytes of gaps that are equal words or moved.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// In the order of both texts.
    pub all: Vec<Place>,
    /// The bytes of each text in gaps that are in equal words or in moved runs, as ranges in order.
    pub shared: [Vec<Range<usize>>; 2],
    cells: Vec<u16>,
    pairs: Vec<(u32, u32)>,
}

impl Places {
    /// Finds the places of two texts, given by their words and by their letters and digits.
    pub fn find(&mut self, runs: &Runs, words: [&[Word]; 2], letters: [&[u8]; 2]) {
        self.all.clear();
        self.shared.iter_mut().for_each(Vec::clear);
        let moved = [0, 1].map(|text| {
            let mut moved: Vec<Range<usize>> =
                runs.moved.iter().map(|run| run.range(text)).collect();
            moved.sort_unstable_by_key(|run| run.start);
            moved
        });
        for gap in gaps(runs, letters) {
            self.take(&gap, words, letters, &moved);
        }
        self.shared.iter_mut().for_each(|shared| shared.sort_unstable_by_key(|range| range.start));
    }

    /// Adds the places of a gap between two runs of the chain, given by its bytes in both texts.
    fn take(
        &mut self,
        gap: &[Range<usize>; 2],
        words: [&[Word]; 2],
        letters: [&[u8]; 2],
        moved: &[Vec<Range<usize>>; 2],
    ) {
        // The numbers of the words of which a gap has a part.
        let own = [0, 1].map(|text| {
            let (gap, all) = (&gap[text], words[text]);
            let first = all.partition_point(|word| word.end as usize <= gap.start);
            let past = if gap.is_empty() {
                first
            } else {
                all.partition_point(|word| (word.start as usize) < gap.end)
            };
            let moved = within(&moved[text], gap);
            let stays = |number: &u32| {
                let word = all[*number as usize];
                !moved
                    .iter()
                    .any(|run| run.start <= word.start as usize && word.end as usize <= run.end)
            };
            for run in moved {
                self.shared[text].push(run.start.max(gap.start)..run.end.min(gap.end));
            }
            (first as u32..past as u32).filter(stays).collect::<Vec<u32>>()
        });
        self.pairs.clear();
        if is_aligned(gap, letters) {
            self.align(&own, words);
        }
        let (mut left, mut right) = (0, 0);
        let mut open: Option<Place> = None;
        let mut apart = 0;
        let pairs = std::mem::take(&mut self.pairs);
        for (l, r) in pairs.iter().copied().chain([(own[0].len() as u32, own[1].len() as u32)]) {
            let (l, r) = (l as usize, r as usize);
            if l > left || r > right {
                let words_here = [&own[0][left..l], &own[1][right..r]];
                let place = Place {
                    bytes: [0, 1].map(|text| bytes_of(words_here[text], words[text], &gap[text])),
                    words: words_here.map(|words| {
                        words.first().map_or(0..0, |first| *first..words[words.len() - 1] + 1)
                    }),
                };
                match &mut open {
                    Some(open) if apart < APART => join(open, place),
                    _ => self.all.extend(open.replace(place)),
                }
                apart = 0;
            }
            if let Some(number) = own[0].get(l).filter(|_| l < own[0].len() && r < own[1].len()) {
                let word = words[0][*number as usize];
                let word = &letters[0][word.start as usize..word.end as usize];
                apart += letters_in(word);
                let bytes = [(0, *number), (1, own[1][r])].map(|(text, number)| {
                    let word = words[text][number as usize];
                    word.start as usize..word.end as usize
                });
                // If a run has the beginning or the end of a word, the two texts may have other
                // parts of it here.
                if [0, 1].iter().all(|text| {
                    gap[*text].start <= bytes[*text].start && bytes[*text].end <= gap[*text].end
                }) {
                    let [left, right] = bytes;
                    self.shared[0].push(left);
                    self.shared[1].push(right);
                }
            }
            (left, right) = (l + 1, r + 1);
        }
        self.pairs = pairs;
        self.all.extend(open);
    }

    /// The pairs of equal words of two gaps, by their places in these lists.
    fn align(&mut self, own: &[Vec<u32>; 2], words: [&[Word]; 2]) {
        let Places { cells, pairs, .. } = self;
        let [left, right] = [0, 1].map(|text| own[text].len());
        if left == 0 || right == 0 {
            return;
        }
        let hash = |text: usize, place: usize| words[text][own[text][place] as usize].hash;
        cells.clear();
        cells.resize((left + 1) * (right + 1), 0);
        let cell = |l: usize, r: usize| l * (right + 1) + r;
        for l in (0..left).rev() {
            let own = hash(0, l);
            for r in (0..right).rev() {
                cells[cell(l, r)] = match own == hash(1, r) {
                    true => cells[cell(l + 1, r + 1)] + 1,
                    false => cells[cell(l + 1, r)].max(cells[cell(l, r + 1)]),
                };
            }
        }
        let (mut l, mut r) = (0, 0);
        while l < left && r < right {
            if hash(0, l) == hash(1, r) {
                pairs.push((l as u32, r as u32));
                (l, r) = (l + 1, r + 1);
            } else if cells[cell(l + 1, r)] >= cells[cell(l, r + 1)] {
                l += 1;
            } else {
                r += 1;
            }
        }
    }
}

/// The gaps between the runs of the chain, before the first one and after the last one, in bytes of
/// both texts.
fn gaps<'r>(runs: &'r Runs, letters: [&[u8]; 2]) -> impl Iterator<Item = [Range<usize>; 2]> + 'r {
    let end = Run { starts: letters.map(|letters| letters.len() as u32), bytes: 0 };
    let mut before = [0, 0];
    let gaps = runs.chain.iter().copied().chain([end]).map(move |run| {
        let gap = [0, 1].map(|text| before[text]..run.range(text).start);
        before = [0, 1].map(|text| run.range(text).end);
        gap
    });
    gaps.filter(|gap| gap.iter().any(|gap| !gap.is_empty()))
}

/// Returns true if the words of a gap are aligned.
fn is_aligned(gap: &[Range<usize>; 2], letters: [&[u8]; 2]) -> bool {
    [0, 1].iter().all(|text| letters_in(&letters[*text][gap[*text].clone()]) <= LONGEST_GAP)
}

/// The most letters that two texts may share in words between runs.
pub(super) fn most_in_gaps(runs: &Runs, letters: [&[u8]; 2]) -> u32 {
    let aligned = gaps(runs, letters).filter(|gap| is_aligned(gap, letters));
    let shared = aligned.map(|gap| {
        let [left, right] = [0, 1].map(|text| letters_in(&letters[text][gap[text].clone()]));
        left.min(right)
    });
    shared.sum()
}

fn letters_in(part: &[u8]) -> u32 {
    size_of(part, part.is_ascii()).letters
}

/// The ranges among sorted ones that overlap this one.
fn within<'r>(ranges: &'r [Range<usize>], part: &Range<usize>) -> &'r [Range<usize>] {
    let first = ranges.partition_point(|range| range.end <= part.start);
    let past = ranges.partition_point(|range| range.start < part.end);
    &ranges[first.min(past)..past]
}

/// The bytes of words in a gap; without words the empty range at its beginning.
fn bytes_of(own: &[u32], words: &[Word], gap: &Range<usize>) -> Range<u32> {
    match own {
        [] => gap.start as u32..gap.start as u32,
        [first, ..] => {
            let (first, last) = (words[*first as usize], words[own[own.len() - 1] as usize]);
            first.start.max(gap.start as u32)..last.end.min(gap.end as u32)
        }
    }
}

/// Joins two places and the part between them.
fn join(open: &mut Place, place: Place) {
    for text in [0, 1] {
        for (open, place) in [
            (&mut open.words[text], &place.words[text]),
            (&mut open.bytes[text], &place.bytes[text]),
        ] {
            match (open.start == open.end, place.start == place.end) {
                (_, true) => (),
                (true, false) => *open = place.clone(),
                (false, false) => open.end = place.end,
            }
        }
    }
}
