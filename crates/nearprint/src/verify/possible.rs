//! A few texts, and another one -> those of the few to which the other one may be similar, without a comparison with each.
//!
//! An inverted index holds the windows, or the word n-grams, of all the few texts, and for each of them the texts that have
//! it. Another text is looked up in it once. A text is ruled out only if it shares too little with the other one:
//!
//! | measure | a text is possible as long as | because |
//! | --- | --- | --- |
//! | `coverage` | the windows it has cover c letters of the other text, c >= 7/9 S (n + m) / 2.25 for texts of n and m letters | a pair of coverage S has 7/9 S (n + m) letters in its passages, and of these one text has 1.25 times as many as the other at most |
//! | `jaccard` | they share S / (1 + S) of the sum of their word n-grams | \|A ∩ B\| = J (\|A\| + \|B\|) / (1 + J) |
//! | `containment` | they share S of the word n-grams of the smaller one | that is its definition |
//! | `minhash` | as `jaccard`, with S less five standard errors | an estimate is farther off in one of 250,000 pairs at most (Hoeffding 1963) |
//!
//! Passages of the same windows are equally long in both texts, but where windows overlap in one text and lie scattered in
//! the other. A pair where that makes a quarter more letters in one text than in the other can be lost.
//!
//! Under `coverage` only some windows of the other text are looked up: one for each half of a shortest passage. More than
//! half of the letters of a passage of one and a half times the shortest are met in any case, so the letters met count
//! twice. No pair is lost under `jaccard` and `containment`, nor if every window is looked up. Otherwise only pairs can be
//! lost whose passages are mostly shorter than that: in long texts, pairs that differ in about every 12 letters, with a
//! similarity near the bound.
//!
//! The length of a passage depends on the shorter text of a pair, so there are tables for each length. One holds the texts
//! of that length or a longer one, for other texts of that length. One holds the texts of just that length, for longer
//! ones.
//!
//! Cost: the windows of the few texts, 30 to 60 bytes each in up to four tables. Most other texts have too few windows of
//! all the few together, and a prefilter finds that out. Each window of the rest that is looked up costs a step for each
//! text that has it.

use std::sync::OnceLock;

use super::prefilter::{Prefilter, Uncovered};
use super::windows::{Windows, hash, is_ascii, passage_length};
use super::{Measure, PERMUTATIONS};
use crate::normalize::{Cursor, size};

/// Of the letters that a pair shares this many stand in runs of a window and more, where a frame counts a third.
const IN_RUNS: f64 = 7.0 / 9.0;

/// How many letters the passages of one text have for each letter of those of the other, at most.
const UNEVEN: f64 = 1.25;

/// The texts that may be similar to another one under `coverage`.
///
/// ```
/// use nearprint::verify::{Scratch, PassageIndex};
/// let few = ["北京今天上午十点举行了新闻发布会", "会上没有提到明天的安排和后天的天气"];
/// let passages = PassageIndex::new(&few, 0.5);
/// let mut possible = Vec::new();
/// passages.possible("今天上午十点，北京举行了新闻发布会", &mut Scratch::default(), &mut possible);
/// assert_eq!(possible, [0]);
/// ```
#[derive(Debug)]
pub struct PassageIndex {
    texts: Vec<Vec<u8>>,
    sizes: Vec<Cursor>,
    /// The least share of the letters of both texts in passages.
    least_covered: f64,
    tables: Vec<Table>,
}

/// The windows of one length.
#[derive(Debug)]
struct Table {
    length: u32,
    /// The letters from one window of another text that is looked up to the next one.
    stride: u32,
    /// Whether texts of longer passages are in it, for those who have just this length; else it is for the longer ones.
    all: bool,
    /// The texts in it.
    texts: Vec<u32>,
    /// The letters of the shortest and of the longest of them.
    shortest: u32,
    longest: u32,
    /// Made for the first text that asks: of most corpora no text asks some of the tables.
    held: OnceLock<Held>,
}

/// The windows of a table.
#[derive(Debug)]
struct Held {
    /// All of them: most texts have too few of these.
    prefilter: Prefilter,
    index: InvertedIndex,
}

/// Buffers for one text after the other. One a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// How much of the text the windows of each of the few cover, or how many word n-grams they share.
    shared: Vec<u32>,
    /// The letters up to the end of the last such window.
    end: Vec<u32>,
    /// Those of the few that share anything with the text.
    met: Vec<u32>,
    uncovered: Uncovered,
}

impl PassageIndex {
    /// The tables of the few texts, as [`append_alphanumeric`](crate::normalize::append_alphanumeric) gives them, for
    /// similarities of `least` or more. Each is made when it is first asked.
    pub fn new(texts: &[impl AsRef<[u8]>], least: f64) -> PassageIndex {
        PassageIndex::with_strides(texts, least, |length| length / 2)
    }

    /// With a stride for each length; where all are 1, no text of enough coverage is ruled out.
    fn with_strides(texts: &[impl AsRef<[u8]>], least: f64, stride: fn(u32) -> u32) -> PassageIndex {
        let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_ref().to_vec()).collect();
        let sizes: Vec<Cursor> = texts.iter().map(size).collect();
        let mut lengths: Vec<u32> = (0..16).map(|power| passage_length(25 << power)).collect();
        lengths.dedup();
        let longest = *lengths.last().expect("there is a longest passage");
        let kinds = lengths.iter().flat_map(|length| [(*length, true), (*length, false)]);
        let table = |(length, all): (u32, bool)| {
            let among = |size: &Cursor| match passage_length(size.letters) {
                own if all => own >= length,
                own => own == length && length < longest,
            };
            let chosen: Vec<u32> = (0..texts.len() as u32).filter(|number| among(&sizes[*number as usize])).collect();
            let letters = || chosen.iter().map(|number| sizes[*number as usize].letters);
            let (shortest, longest) = (letters().min()?, letters().max()?);
            Some(Table { length, stride: stride(length), all, texts: chosen, shortest, longest, held: OnceLock::new() })
        };
        let tables = kinds.filter_map(table).collect();
        PassageIndex { texts, sizes, least_covered: IN_RUNS * least, tables }
    }

    fn hold(&self, table: &Table) -> Held {
        let sizes = table.texts.iter().map(|number| self.sizes[*number as usize]);
        let windows = sizes.map(|size| size.letters as usize).sum();
        let mut held = Held { prefilter: Prefilter::default(), index: InvertedIndex::new(windows) };
        held.prefilter.clear(windows, table.length);
        for number in &table.texts {
            let (text, size) = (&self.texts[*number as usize], self.sizes[*number as usize]);
            held.prefilter.add_text(text, size);
            let mut windows = Windows::new(text, size, table.length);
            while let Some((start, end)) = windows.next() {
                held.index.add(hash(&text[start..end]), *number);
            }
        }
        held
    }

    /// Fills `out` with the numbers of the texts that may be similar to this one.
    pub fn possible(&self, text: impl AsRef<[u8]>, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let text = text.as_ref();
        out.clear();
        let size = size(text);
        let own = passage_length(size.letters);
        for table in &self.tables {
            // A character lies in as many windows as they have letters, so a shorter text covers no more than that.
            let reach = u64::from(table.length) * u64::from(table.longest);
            let meets = if table.all { table.length == own } else { table.length < own };
            let meets = meets
                && f64::from(table.longest) + 1.0 >= self.room(size)
                && u64::from(self.fewest(size, table)) <= reach;
            if meets {
                self.meet(table, text, size, scratch, out);
            }
        }
    }

    /// The letters of a text of this size in its passages with one of this many letters, at least.
    fn fewest_with(&self, size: Cursor, letters: u32) -> f64 {
        self.least_covered * (f64::from(size.letters) + f64::from(letters)) / (1.0 + UNEVEN)
    }

    /// A text of fewer letters has no room for as many.
    fn room(&self, size: Cursor) -> f64 {
        f64::from(size.letters) * self.least_covered / (1.0 + UNEVEN - self.least_covered)
    }

    /// The fewest letters with any text of a table.
    fn fewest(&self, size: Cursor, table: &Table) -> u32 {
        self.fewest_with(size, table.shortest.max(self.room(size) as u32)) as u32
    }

    fn meet(&self, table: &Table, text: &[u8], size: Cursor, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let most_uncovered = size.letters.saturating_sub(self.fewest(size, table));
        // At least half of each passage is seen, if it is longer than the shortest one by a stride.
        let unseen = if table.stride == 1 { 1 } else { 2 };
        let Scratch { shared, end: ends, met, uncovered } = scratch;
        let Held { prefilter, index } = table.held.get_or_init(|| self.hold(table));
        prefilter.uncovered(text, size, most_uncovered, uncovered);
        if uncovered.total > most_uncovered {
            return;
        }
        met.clear();
        shared.resize(self.texts.len(), 0);
        ends.resize(self.texts.len(), 0);
        // Past the share that may lie outside, one of the sampled texts must cover the rest.
        let mut check = most_uncovered;
        every(table.stride, text, size, table.length, |hash, start, end| {
            if start.letters > check {
                let most = unseen * met.iter().map(|number| shared[*number as usize]).max().unwrap_or(0);
                if start.letters - most.min(start.letters) > most_uncovered {
                    return false;
                }
                check = (most + most_uncovered).max(start.letters + size.letters / 64);
            }
            index.each(hash, |number| {
                let (shared, last) = (&mut shared[number as usize], &mut ends[number as usize]);
                if *last == 0 {
                    met.push(number);
                }
                *shared += end.letters - start.letters.max(*last);
                *last = end.letters;
            });
            true
        });
        for number in met.iter() {
            let covered = unseen * shared[*number as usize];
            (shared[*number as usize], ends[*number as usize]) = (0, 0);
            if f64::from(covered) + 1e-6 >= self.fewest_with(size, self.sizes[*number as usize].letters) {
                out.push(*number);
            }
        }
    }
}

/// As [`Windows`], but only those that begin `stride` letters or more after the one before.
#[inline]
fn every(stride: u32, text: &[u8], size: Cursor, length: u32, mut each: impl FnMut(u64, Cursor, Cursor) -> bool) {
    let length = length.min(size.letters);
    let (mut start, mut end) = (Cursor::default(), Cursor::default());
    if is_ascii(text, size) && length > 0 {
        // ASCII: a byte is a letter.
        let cursor = |byte: usize| Cursor { byte, letters: byte as u32 };
        for at in (0..=text.len() - length as usize).step_by(stride as usize) {
            let end = at + length as usize;
            if !each(hash(&text[at..end]), cursor(at), cursor(end)) {
                return;
            }
        }
        return;
    }
    while size.letters - start.letters >= length && start.byte < text.len() {
        while end.letters - start.letters < length {
            end.advance(text);
        }
        if !each(hash(&text[start.byte..end.byte]), start, end) {
            return;
        }
        let next = start.letters + stride;
        while start.letters < next && start.byte < text.len() {
            start.advance(text);
        }
    }
}

/// The texts that may be similar to another one under a measure of word n-grams.
///
/// ```
/// use nearprint::verify::{Measure, Scratch, WordNgramIndex};
/// let ngrams = WordNgramIndex::new(Measure::Jaccard, &[vec![1, 2, 3], vec![7, 8, 9]], 0.5);
/// let mut possible = Vec::new();
/// ngrams.possible(&[2, 3, 4], &mut Scratch::default(), &mut possible);
/// assert_eq!(possible, [0]);
/// ```
#[derive(Debug)]
pub struct WordNgramIndex {
    measure: Measure,
    least: f64,
    sizes: Vec<usize>,
    index: InvertedIndex,
}

impl WordNgramIndex {
    /// The table of the few texts, each as [`word_ngrams`](super::word_ngrams()) gives it, for similarities of `least` or
    /// more under `jaccard`, `containment` or `minhash`.
    pub fn new(measure: Measure, texts: &[Vec<u64>], least: f64) -> WordNgramIndex {
        let mut index = InvertedIndex::new(texts.iter().map(Vec::len).sum());
        for (number, ngrams) in texts.iter().enumerate() {
            ngrams.iter().for_each(|ngram| index.add(*ngram, number as u32));
        }
        WordNgramIndex { measure, least, sizes: texts.iter().map(Vec::len).collect(), index }
    }

    /// Fills `out` with the numbers of the texts that may be similar to the one of these word n-grams.
    pub fn possible(&self, ngrams: &[u64], scratch: &mut Scratch, out: &mut Vec<u32>) {
        let Scratch { shared, met, .. } = scratch;
        out.clear();
        met.clear();
        shared.resize(self.sizes.len(), 0);
        for ngram in ngrams {
            self.index.each(*ngram, |number| {
                if shared[number as usize] == 0 {
                    met.push(number);
                }
                shared[number as usize] += 1;
            });
        }
        for number in met.iter() {
            let shared = std::mem::take(&mut shared[*number as usize]);
            if f64::from(shared) + 1e-6 >= self.fewest(self.sizes[*number as usize], ngrams.len()) {
                out.push(*number);
            }
        }
    }

    /// How many word n-grams two sets of these sizes share at least.
    fn fewest(&self, left: usize, right: usize) -> f64 {
        let jaccard = |least: f64| least / (1.0 + least) * (left + right) as f64;
        match self.measure {
            Measure::Containment => self.least * left.min(right) as f64,
            // The standard error is 1/2 at most over the root of the number of minima.
            Measure::Minhash => jaccard((self.least - 2.5 / (PERMUTATIONS as f64).sqrt()).max(0.0)),
            _ => jaccard(self.least),
        }
    }
}

/// Hash -> the numbers of the texts that have it.
#[derive(Debug)]
struct InvertedIndex {
    /// A bit for some bits of every hash: it answers for most hashes that no text has.
    seen: Vec<u64>,
    /// Open addressing; a power of two long, and never full.
    slots: Vec<Slot>,
    /// The texts that have a hash, before the one in its slot: each with the place, from 1, of the one before; 0 for none.
    before: Vec<(u32, u32)>,
}

/// A hash and the last text that has it.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// 0 in an empty slot.
    hash: u64,
    text: u32,
    before: u32,
}

impl InvertedIndex {
    /// An index with room for this number of hashes.
    fn new(hashes: usize) -> InvertedIndex {
        let slots = (hashes * 3 / 2).next_power_of_two().max(64);
        InvertedIndex { seen: vec![0; slots / 4], slots: vec![Slot::default(); slots], before: Vec::new() }
    }

    /// Notes that a text has a hash. Texts come in order.
    fn add(&mut self, hash: u64, text: u32) {
        let hash = hash | 1 << 63;
        let word = self.word(hash);
        self.seen[word] |= 1 << (hash & 63);
        let place = self.place(hash);
        let slot = &mut self.slots[place];
        if slot.hash == 0 {
            *slot = Slot { hash, text, before: 0 };
        } else if slot.text != text {
            self.before.push((slot.text, slot.before));
            (slot.text, slot.before) = (text, self.before.len() as u32);
        }
    }

    /// Calls `each` with every text that has the hash.
    #[inline]
    fn each(&self, hash: u64, mut each: impl FnMut(u32)) {
        let hash = hash | 1 << 63;
        if self.seen[self.word(hash)] >> (hash & 63) & 1 == 0 {
            return;
        }
        let slot = self.slots[self.place(hash)];
        if slot.hash == 0 {
            return;
        }
        each(slot.text);
        let mut next = slot.before;
        while next != 0 {
            let (text, before) = self.before[next as usize - 1];
            each(text);
            next = before;
        }
    }

    #[inline]
    fn word(&self, hash: u64) -> usize {
        (hash >> 6) as usize & (self.seen.len() - 1)
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (hash >> 24) as usize & mask;
        while self.slots[place].hash != 0 && self.slots[place].hash != hash {
            place = (place + 1) & mask;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::{append_alphanumeric, size};
    use crate::verify;
    use crate::verify::windows::Windows;

    /// The letters of each text that stand in windows of the other one.
    fn letters_in_windows(left: &str, right: &str) -> [u32; 2] {
        let texts = [left, right].map(|text| {
            let mut letters = String::new();
            append_alphanumeric(text, &mut letters);
            letters
        });
        let sizes = texts.each_ref().map(size);
        let length = passage_length(sizes[0].letters.min(sizes[1].letters));
        [0, 1].map(|own| {
            let mut windows = Windows::new(texts[own].as_bytes(), sizes[own], length);
            let mut covered = vec![false; texts[own].len()];
            while let Some((start, end)) = windows.next() {
                if texts[1 - own].contains(&texts[own][start..end]) {
                    covered[start..end].fill(true);
                }
            }
            let is_covered = |(place, c): (usize, char)| if covered[place] { size(c.to_string()).letters } else { 0 };
            texts[own].char_indices().map(is_covered).sum()
        })
    }

    /// Texts of all passage lengths that share some of a few pieces.
    fn texts() -> impl Strategy<Value = Vec<String>> {
        let piece =
            prop_oneof!["[a-c]{0,9}", "[a-z]{1,60}", "[a-z]{100,300}", "[天地人]{0,5}", "[一-十]{1,90}", "[0-9]{1,9}"];
        proptest::collection::vec(piece, 2..8).prop_flat_map(|pieces| {
            let text = proptest::collection::vec((proptest::sample::select(pieces), 1..6usize), 0..8);
            let text = text.prop_map(|chosen| chosen.iter().map(|(piece, times)| piece.repeat(*times)).collect());
            proptest::collection::vec(text, 1..12)
        })
    }

    proptest! {
        #[test]
        fn no_text_of_enough_coverage_is_ruled_out(texts in texts(), few in 1..8usize, least in prop_oneof![Just(0.5), Just(0.8), Just(1.0), 0.01..1.0]) {
            let (mut scratch, mut possible) = (Scratch::default(), Vec::new());
            let few = &texts[..few.min(texts.len())];
            let passages = PassageIndex::with_strides(few, least, |_| 1);
            for text in &texts {
                passages.possible(text, &mut scratch, &mut possible);
                for (number, other) in few.iter().enumerate() {
                    let count = possible.iter().filter(|possible| **possible == number as u32).count();
                    let missed = count == 0 && verify::coverage(text, other) >= least && {
                        let all: u32 = [text, other].iter().map(|text| size(text).letters).sum();
                        let [one, other] = letters_in_windows(text, other).map(f64::from);
                        // Short words alone are in no window.
                        one + other >= IN_RUNS * least * f64::from(all) && one.max(other) <= UNEVEN * one.min(other)
                    };
                    prop_assert!(count <= 1 && !missed, "{number} of {few:?} for {text}");
                }
            }
        }

        #[test]
        fn no_text_of_enough_ngrams_is_ruled_out(
            sets in proptest::collection::vec(proptest::collection::btree_set(0u64..40, 0..30), 1..9),
            least in prop_oneof![Just(0.5), Just(1.0), 0.01..1.0],
        ) {
            let lists: Vec<Vec<u64>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let (mut scratch, mut possible) = (Scratch::default(), Vec::new());
            let measures = [
                (Measure::Jaccard, verify::jaccard as fn(&[u64], &[u64]) -> f64),
                (Measure::Containment, verify::containment),
                (Measure::Minhash, |a, b| verify::minhash_similarity(&verify::signature(a), &verify::signature(b))),
            ];
            for (measure, similarity) in measures {
                let ngrams = WordNgramIndex::new(measure, &lists, least);
                for list in &lists {
                    ngrams.possible(list, &mut scratch, &mut possible);
                    for (number, other) in lists.iter().enumerate() {
                        let alike = !list.is_empty() && !other.is_empty() && similarity(list, other) >= least;
                        let count = possible.iter().filter(|possible| **possible == number as u32).count();
                        prop_assert!(count <= 1 && count >= usize::from(alike), "{measure:?}: {list:?} {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn half_the_windows_suffice_where_every_sixteenth_letter_differs() {
        for letters in [150, 300, 600, 5000] {
            let text = |copy: u32| -> String {
                let other = |place: u32| if place % 16 == 15 { copy } else { 0 };
                let letter = |place: u32| (place + other(place)).wrapping_mul(0x9e37_79b1) >> 16;
                (0..letters).map(|place| char::from(b'a' + (letter(place) % 26) as u8)).collect()
            };
            let original = text(0);
            let passages = PassageIndex::new(&[&original], 0.8);
            let (mut scratch, mut possible) = (Scratch::default(), Vec::new());
            for copy in 1..20 {
                passages.possible(text(copy * 1_000_003), &mut scratch, &mut possible);
                assert_eq!(possible, [0], "{letters} letters, copy {copy}");
            }
        }
    }

    #[test]
    fn texts_that_share_little_are_ruled_out() {
        let text = |from: u32| -> String {
            (from..from + 300).map(|number| char::from_u32(0x4e00 + number * 7919 % 20000).unwrap()).collect()
        };
        let passages = PassageIndex::new(&[text(0), text(100), text(1000)], 0.8);
        let (mut scratch, mut possible) = (Scratch::default(), Vec::new());
        passages.possible(text(10), &mut scratch, &mut possible);
        possible.sort_unstable();
        assert_eq!(possible, [0, 1]);
        passages.possible(text(5000), &mut scratch, &mut possible);
        assert_eq!(possible, [0; 0]);
    }
}
