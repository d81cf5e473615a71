//! The letters of a document -> its chosen windows.
//!
//! A window begins at each letter and is the shortest run from there that has the least length of a
//! passage. A gram is such a run of half the length. Every window chooses the gram in it whose hash
//! is least; of equal hashes the last. The windows that choose the same gram follow each other, so
//! they are stored once: by their gram, and by the hash of all letters in them. All of it depends on
//! the letters of the window alone.
//!
//! Cost: two multiplications for each letter, and a queue of the grams that may still be chosen.

use std::collections::VecDeque;

use nearprint_core::normalize::Cursor;
use xxhash_rust::xxh3::xxh3_64;

/// A gram with the windows that choose it. Places are in bytes of the letters of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// The hash of the gram.
    pub gram: u64,
    /// The hash of all letters in the windows, and of the place of the gram among them.
    pub around: u64,
    /// The first byte of the gram.
    pub at: u32,
    /// The first byte of the first window.
    pub first: u32,
    /// The first byte of the last window.
    pub last: u32,
}

/// Chooses the grams of one document after the other, in buffers of its own.
#[derive(Debug, Clone)]
pub struct Chooser {
    length: u32,
    /// Grams with ascending hashes: the first is chosen, the others may be later.
    grams: VecDeque<(u64, u32)>,
    hashes: GramHashes,
}

/// Hashes of parts of a document, none of which begins or ends before the last one: polynomials of
/// their bytes (Karp, Rabin: "Efficient randomized pattern-matching algorithms", 1987).
#[derive(Debug, Clone, Default)]
struct GramHashes {
    /// The polynomials of the bytes up to the beginning and up to the end of the last part.
    start: Prefix,
    end: Prefix,
    /// The powers of [`BASE`], up to that of the longest gram.
    powers: Vec<u64>,
    group: u64,
}

/// The polynomial of the first bytes of a document.
#[derive(Debug, Clone, Default)]
struct Prefix {
    bytes: usize,
    sum: u64,
}

/// The base of the polynomials.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Prefix {
    fn reach(&mut self, end: usize, letters: &[u8]) {
        for byte in &letters[self.bytes..end] {
            self.sum = self.sum.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1);
        }
        self.bytes = end;
    }
}

impl GramHashes {
    /// Begins a document. Parts of documents of two groups have no hash in common.
    fn begin(&mut self, group: u64) {
        (self.start, self.end, self.group) = (Prefix::default(), Prefix::default(), group);
    }

    /// The hash of a part of the document.
    fn of(&mut self, start: usize, end: usize, letters: &[u8]) -> u64 {
        self.start.reach(start, letters);
        self.end.reach(end, letters);
        while self.powers.len() <= end - start {
            let next = self.powers.last().map_or(1, |power| power.wrapping_mul(BASE));
            self.powers.push(next);
        }
        let before = self.start.sum.wrapping_mul(self.powers[end - start]);
        let own = self.end.sum.wrapping_sub(before) ^ self.group;
        let mixed = (own ^ own >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ mixed >> 32
    }
}

impl Chooser {
    /// A chooser of windows that have at least this length in letters.
    pub fn new(length: u32) -> Chooser {
        Chooser { length, grams: VecDeque::new(), hashes: GramHashes::default() }
    }

    /// Appends the grams that the windows of a document choose, in order. Documents of different
    /// groups have no gram in common.
    pub fn choose(&mut self, letters: &[u8], group: u64, out: &mut Vec<Chosen>) {
        match letters.is_ascii() {
            true => self.choose_by(step, letters, group, out),
            false => self.choose_by(|cursor| cursor.advance(letters), letters, group, out),
        }
    }

    /// Chooses grams. `advance` moves past a letter.
    #[inline]
    fn choose_by(
        &mut self,
        advance: impl Fn(&mut Cursor) + std::marker::Copy,
        letters: &[u8],
        group: u64,
        out: &mut Vec<Chosen>,
    ) {
        self.grams.clear();
        self.hashes.begin(group);
        let gram_length = self.length.div_ceil(2);
        let [mut start, mut end, mut gram, mut gram_end] = [Cursor::default(); 4];
        // The chosen gram, and the windows that have chosen it so far.
        let mut chosen: Option<(u64, u32, [Cursor; 2], usize)> = None;
        while reach(&mut end, &start, self.length, letters, advance) {
            while reach(&mut gram_end, &gram, gram_length, letters, advance)
                && gram_end.byte <= end.byte
            {
                let hash = self.hashes.of(gram.byte, gram_end.byte, letters);
                while self.grams.pop_back_if(|(other, _)| *other >= hash).is_some() {}
                self.grams.push_back((hash, gram.byte as u32));
                advance(&mut gram);
            }
            while self.grams.pop_front_if(|(_, at)| (*at as usize) < start.byte).is_some() {}
            let (hash, at) = self.grams[0];
            match &mut chosen {
                Some((_, of, [_, last], last_end)) if *of == at => {
                    (*last, *last_end) = (start, end.byte)
                }
                _ => {
                    out.extend(chosen.take().map(|chosen| stored(chosen, letters)));
                    chosen = Some((hash, at, [start; 2], end.byte));
                }
            }
            advance(&mut start);
        }
        out.extend(chosen.map(|chosen| stored(chosen, letters)));
    }
}

/// Moves past an ASCII letter.
fn step(cursor: &mut Cursor) {
    cursor.byte += 1;
    cursor.letters += 1;
}

/// Moves `end` until there are `length` letters from `start`. False if the text has fewer.
#[inline]
fn reach(
    end: &mut Cursor,
    start: &Cursor,
    length: u32,
    letters: &[u8],
    advance: impl Fn(&mut Cursor),
) -> bool {
    while end.letters < start.letters + length {
        if end.byte == letters.len() {
            return false;
        }
        advance(end);
    }
    true
}

/// The end in bytes of the window of this length that begins at `start`.
pub(super) fn window_end(letters: &[u8], start: usize, length: u32) -> usize {
    let from = Cursor { byte: start, letters: 0 };
    let mut end = from;
    reach(&mut end, &from, length, letters, |cursor| cursor.advance(letters));
    end.byte
}

fn stored(
    (gram, at, [first, last], end): (u64, u32, [Cursor; 2], usize),
    letters: &[u8],
) -> Chosen {
    let (first, last) = (first.byte as u32, last.byte as u32);
    let place = u64::from(at - first) << 32 | u64::from(at - last);
    let around = xxh3_64(&letters[first as usize..end]) ^ xxh3_64(&place.to_le_bytes());
    Chosen { gram, around, at, first, last }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All windows of this length: their places in bytes.
    pub fn windows(letters: &str, length: u32) -> Vec<std::ops::Range<usize>> {
        let size = |text: &str| text.chars().map(|c| 1 + u32::from(c >= '\u{2e80}')).sum::<u32>();
        let starts: Vec<usize> = letters.char_indices().map(|(at, _)| at).collect();
        let window = |start: &usize| {
            let mut ends =
                letters[*start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
            ends.find(|end| size(&letters[*start..*end]) >= length).map(|end| *start..end)
        };
        starts.iter().filter_map(window).collect()
    }

    /// The hash of a part of the letters, by its bytes alone.
    fn plain_hash(letters: &[u8], group: u64) -> u64 {
        let mut hashes = GramHashes::default();
        hashes.begin(group);
        hashes.of(0, letters.len(), letters)
    }

    /// The gram of least hash in a window, of equal ones the last.
    fn gram_of(letters: &str, window: &std::ops::Range<usize>, length: u32) -> (u64, u32) {
        let grams = windows(&letters[window.clone()], length.div_ceil(2)).into_iter();
        let hashed = grams.map(|gram| {
            let (start, end) = (window.start + gram.start, window.start + gram.end);
            (plain_hash(&letters.as_bytes()[start..end], 7), std::cmp::Reverse(start as u32))
        });
        let (hash, std::cmp::Reverse(at)) = hashed.min().unwrap();
        (hash, at)
    }

    proptest! {
        #[test]
        fn every_window_chooses_its_gram(letters in "[ab]{0,40}|[a-d天地é]{0,60}", length in 1u32..14) {
            let mut chosen = Vec::new();
            Chooser::new(length).choose(letters.as_bytes(), 7, &mut chosen);
            let windows = windows(&letters, length);
            let expected: Vec<(u64, u32)> = windows.iter().map(|window| gram_of(&letters, window, length)).collect();
            let mut found = Vec::new();
            for Chosen { gram, at, first, last, .. } in &chosen {
                let starts = windows.iter().filter(|window| (*first as usize..=*last as usize).contains(&window.start));
                found.extend(starts.map(|_| (*gram, *at)));
            }
            prop_assert_eq!(found, expected);
            for window in &windows {
                prop_assert_eq!(window_end(letters.as_bytes(), window.start, length), window.end);
            }
        }
    }

    #[test]
    fn windows_with_equal_letters_at_other_places_of_their_gram_are_told_apart() {
        let mut chosen = Vec::new();
        let mut chooser = Chooser::new(4);
        chooser.choose(b"abcdefabcdef", 0, &mut chosen);
        for one in &chosen {
            for other in chosen.iter().filter(|other| other.gram == one.gram) {
                let [own, place] = [one, other].map(|c| (c.at - c.first, c.at - c.last));
                assert_eq!(one.around == other.around, own == place, "{one:?} {other:?}");
            }
        }
    }
}
