//! Texts of passages and another text -> the places where a passage stands in it, with some letters
//! edited.
//!
//! An edit breaks all windows around it, so a short passage with an edit shares no window. Long
//! passages are cut into pieces of some 1,000 letters, at ends of sentences. A part of a text is a
//! copy of a piece if few letters must be inserted, deleted or replaced to turn one into
//! the other (edit distance).
//!
//! A piece is divided into parts of 16 bytes, its *seeds*: 16 letters, or 6 Chinese characters. One
//! edit changes one of them, so a copy has all seeds of its piece but one for each edit, and all of
//! them at about the same distance from the beginning (q-gram counting; Ukkonen: "Approximate
//! string-matching with q-grams and maximal matches", 1992). Where so many seeds are found, the
//! piece is aligned with the text. So every copy is found, unless its seeds are those of 64 earlier
//! pieces, versions of one sentence that no person approved.
//!
//! Of copies that overlap, one with more letters and fewer edits is better. What is found does not
//! depend on the parts in which passages are looked for.
//!
//! Cost: a hash for each byte of the letters of a text, and an alignment for each copy.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use nearprint_core::normalize::Normalizer;
use xxhash_rust::xxh3::xxh3_64;

use super::gathered::length;
use super::places::Letters;
use super::segments::segments;
use super::verdicts::SHOWN;
use crate::error::Error;

/// The bytes of a seed.
const SEED: usize = 16;

/// A piece of so many letters ends with the sentence.
const LONGEST: u32 = 1_000;

/// The fewest letters of a piece that is a part of a passage, if those of passages are not more.
const SHORTEST: u32 = 100;

/// The fewest letters of a sentence of an approved passage that is looked for alone.
const SENTENCE: u32 = 60;

/// The most bytes of a piece. A longer sentence is not looked for: an alignment takes a tenth of the
/// square of its letters.
const MOST_BYTES: usize = 16_000;

/// The most pieces of a seed.
const PIECES_OF_SEED: u8 = 64;

/// A copy with one edit more is as good as one of so many letters less: an exact copy of a footer is
/// better than one of the footer and the word behind it, with that word edited.
const EDIT: i64 = 2;

/// The seeds for each word of the filter.
const SEEDS_OF_WORD: usize = 8;

/// The places of a text whose words of the filter are read together.
const TOGETHER: usize = 64;

/// The memory for a byte of the letters of pieces, with the seeds: a posting, the entry of a table and
/// a byte of the filter for 16 bytes.
const BYTES: u64 = 6;

/// A piece of a passage.
#[derive(Debug)]
struct Piece {
    passage: u32,
    /// Whether it is of this passage alone.
    is_one: bool,
    /// Its bytes in the letters of all passages.
    bytes: Range<usize>,
    /// The number of its letters.
    length: u32,
    /// The number of its seeds.
    seeds: u32,
    /// The most edits of a copy.
    most: u32,
}

/// The place of a seed in a piece, in letters and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    hash: u64,
    piece: u32,
    at: u32,
    byte: u32,
}

/// A seed of a piece in a text, and where the piece would begin: at which letter and byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seed {
    piece: u32,
    begins: i64,
    byte: i64,
}

/// Texts of passages that are looked for in others. Their letters stay, and the seeds of those that
/// were added since the last [`next_part`](Self::next_part).
#[derive(Debug)]
pub struct KnownPassages {
    max_edits: f64,
    /// Whether a person approved them: then exact copies are told as well.
    is_approved: bool,
    /// The fewest letters of a piece that is a part of a passage.
    shortest: u32,
    pieces: Vec<Piece>,
    /// The letters of the passages.
    letters: String,
    /// The hashes of the pieces, to take each once.
    known: HashSet<u64>,
    /// The number of pieces of each seed, by some bits of its hash.
    pieces_of_seeds: Vec<u8>,
    /// The bytes of the letters of the pieces whose seeds are there.
    bytes: u64,
    /// The seeds, sorted once all passages of the part are added.
    postings: Vec<Posting>,
    /// The first posting of each seed.
    seeds: HashMap<u64, u32>,
    /// Two bits for each seed, in one word (Bloom filter).
    filter: Vec<u64>,
}

/// A piece that may have a copy in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    pub(super) piece: u32,
    /// The first letter at which the copy may begin, and the end of these letters.
    pub(super) begins: [i64; 2],
    /// Whether the piece stands where its first seed says. Then its copy has no edits.
    pub(super) is_exact: bool,
}

impl Candidate {
    /// Whether its copy is known to have no edits.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }
}

/// A part of a text that is a copy of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// The passage.
    pub passage: u32,
    /// False if it is a copy of several neighboring passages; then `passage` is the first of them.
    pub is_one: bool,
    /// The bytes of the letters of the text.
    pub letters: Range<usize>,
    /// The number of edited letters.
    pub edits: u32,
}

impl KnownPassages {
    /// No passages yet, of about so many letters. At most this share of the letters of a piece may
    /// be edited, 0 to [`MOST_EDITS`](Self::MOST_EDITS). `min_length` is the least length of passages
    /// that were found, `None` of those that a person approved: of these, copies of long sentences are
    /// found as well.
    pub fn new(max_edits: f64, min_length: Option<u32>, letters: u64) -> KnownPassages {
        // Some three pieces of a passage have each of its letters.
        let seeds = (3 * letters as usize / SEED).next_power_of_two().max(1 << 10);
        KnownPassages {
            max_edits,
            is_approved: min_length.is_none(),
            // A shorter exact copy is no place of a passage, and an edited one should be none.
            shortest: min_length.map_or(SHORTEST, |least| least.max(SHORTEST)),
            pieces: Vec::new(),
            letters: String::new(),
            known: HashSet::new(),
            pieces_of_seeds: vec![0; seeds],
            bytes: 0,
            postings: Vec::new(),
            seeds: HashMap::new(),
            filter: Vec::new(),
        }
    }

    /// Whether a person approved the passages.
    pub fn is_approved(&self) -> bool {
        self.is_approved
    }

    /// Drops the seeds of the passages so far, so that only later ones are looked for.
    pub fn next_part(&mut self) {
        self.postings.clear();
        self.seeds.clear();
        self.filter.clear();
        self.bytes = 0;
    }

    /// Refuses approved passages, which the setting names, that cannot be looked for.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check(
        texts: &[String],
        setting: &'static str,
        normalizer: &Normalizer,
    ) -> Result<(), Error> {
        let cannot_be_found = |text: &&String| {
            let mut known = KnownPassages::new(0.0, None, 0);
            known.add((0, true), 0, text, normalizer);
            known.pieces.is_empty()
        };
        let lost: Vec<&String> = texts.iter().filter(cannot_be_found).collect();
        let Some(first) = lost.first() else { return Ok(()) };
        let shown: String = first.chars().take(SHOWN).collect();
        let problem = format!(
            "{} of {} approved passages cannot be looked for, such as \"{shown}\": a passage has {SEED} \
             letters or more, or {} Chinese characters, which do not only repeat a few, and no \
             sentence of more than {MOST_BYTES} bytes; join it with the text beside it, or leave it out",
            lost.len(),
            texts.len(),
            SEED.div_ceil(3)
        );
        Err(Error::usage(setting, problem))
    }

    /// The largest share of edited letters with which a seed is sure to be found.
    pub const MOST_EDITS: f64 = 0.06;

    /// Adds the text of a passage, which is looked for in documents of this group: its number, and
    /// whether it is the text of this passage alone.
    pub fn add(&mut self, passage: (u32, bool), group: u64, text: &str, normalizer: &Normalizer) {
        let mut all = Vec::new();
        segments(text, &mut all);
        let of = |segment: Range<usize>| Letters::new(&text[segment], normalizer).letters;
        let (start, before) = (self.letters.len(), self.pieces.len());
        let mut sentences: Vec<Range<usize>> = Vec::new();
        for segment in all {
            let first = self.letters.len();
            self.letters.push_str(&of(segment));
            sentences.push(first..self.letters.len());
        }
        sentences.retain(|sentence| !sentence.is_empty());
        let end = self.letters.len();
        let (mut piece, mut long, mut pieces) = (start, 0, 0);
        let mut left = self.length(&(start..end));
        for sentence in &sentences {
            let own = self.length(sentence);
            (long, left) = (long + own, left - own);
            // The last piece has what would be too short for one of its own.
            if left == 0 || long >= LONGEST && left >= self.shortest {
                self.add_piece(passage, group, piece..sentence.end);
                (piece, long, pieces) = (sentence.end, 0, pieces + 1);
            }
        }
        // What a person approved may be several footers in a row.
        for sentence in &sentences {
            if self.is_approved && self.length(sentence) >= SENTENCE {
                self.add_piece(passage, group, sentence.clone());
            }
        }
        // A sentence at an end may have been equal by chance in the documents with the passage.
        if let (1, [first, .., last]) = (pieces, &sentences[..]) {
            for part in [first.end..end, start..last.start] {
                if self.length(&part) >= self.shortest {
                    self.add_piece(passage, group, part);
                }
            }
        }
        if self.pieces.len() == before {
            self.letters.truncate(start);
        }
    }

    /// The number of letters, where wide characters count as two.
    fn length(&self, bytes: &Range<usize>) -> u32 {
        length(&self.letters.as_bytes()[bytes.clone()])
    }

    fn add_piece(&mut self, (passage, is_one): (u32, bool), group: u64, bytes: Range<usize>) {
        let letters = &self.letters[bytes.clone()];
        let known = xxh3_64(letters.as_bytes()) ^ group;
        if !(SEED..=MOST_BYTES).contains(&letters.len()) || !self.known.insert(known) {
            return;
        }
        let (piece, mut seeds, mut next) = (self.pieces.len() as u32, 0, 0);
        for ((byte, _), at) in letters.char_indices().zip(0..) {
            if byte < next {
                continue;
            }
            let Some(seed) = letters.as_bytes()[byte..].first_chunk() else { break };
            next = byte + SEED;
            let hash = hash(seed, group);
            let place = hash as usize & (self.pieces_of_seeds.len() - 1);
            let pieces = &mut self.pieces_of_seeds[place];
            // What a person approved is found in any case.
            if !repeats(seed) && (self.is_approved || *pieces < PIECES_OF_SEED) {
                *pieces = pieces.saturating_add(1);
                self.postings.push(Posting { hash, piece, at, byte: byte as u32 });
                seeds += 1;
            }
        }
        if seeds == 0 {
            return;
        }
        self.bytes += letters.len() as u64;
        let length = letters.chars().count() as u32;
        let most = ((f64::from(length) * self.max_edits) as u32).min(seeds - 1);
        self.pieces.push(Piece { passage, is_one, bytes, length, seeds, most });
    }

    /// Makes the search ready, once all passages of the part are added.
    pub fn finish(&mut self) {
        self.postings.sort_unstable();
        let mut first = 0;
        for equal in self.postings.chunk_by(|one, other| one.hash == other.hash) {
            self.seeds.insert(equal[0].hash, first);
            first += equal.len() as u32;
        }
        let words = (self.seeds.len() / SEEDS_OF_WORD).next_power_of_two();
        self.filter = vec![0; words];
        for seed in self.seeds.keys() {
            self.filter[*seed as usize & (words - 1)] |= bits(*seed);
        }
    }

    /// Returns true if nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty()
    }

    /// The memory that the seeds take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes * BYTES
    }

    /// The pieces that may have copies in the letters of a text of this group.
    pub fn candidates(&self, letters: &str, group: u64) -> Vec<Candidate> {
        let mut seeds = self.seeds_in(letters, group);
        seeds.sort_unstable();
        let mut candidates = Vec::new();
        for of_piece in seeds.chunk_by(|one, other| one.piece == other.piece) {
            let piece = &self.pieces[of_piece[0].piece as usize];
            let (mut first, mut end) = (0, 0);
            while first < of_piece.len() {
                let Seed { begins, byte, .. } = of_piece[first];
                while end < of_piece.len() && of_piece[end].begins <= begins + i64::from(piece.most)
                {
                    end += 1;
                }
                if end - first < (piece.seeds - piece.most) as usize {
                    first += 1;
                    continue;
                }
                let begins = [begins, of_piece[end - 1].begins + 1];
                let rest = letters.get(usize::try_from(byte).unwrap_or(usize::MAX)..);
                let is_exact =
                    rest.is_some_and(|rest| rest.starts_with(&self.letters[piece.bytes.clone()]));
                candidates.push(Candidate { piece: of_piece[0].piece, begins, is_exact });
                first = end;
            }
        }
        candidates
    }

    /// The copies of passages in the letters of a text, of its candidates of all parts. Copies do not
    /// overlap. The best one comes first, and `takes` says whether it is taken; one that is not makes
    /// room for others.
    pub fn copies(
        &self,
        letters: &str,
        candidates: &[Candidate],
        mut takes: impl FnMut(&Copy) -> bool,
    ) {
        if candidates.is_empty() {
            return;
        }
        let text: Vec<(usize, char)> = letters.char_indices().collect();
        let open = |Candidate { piece, begins, .. }: &Candidate| Open {
            // No copy is better than an exact one.
            value: i64::from(self.pieces[*piece as usize].length),
            start: Reverse(begins[0]),
            piece: Reverse(*piece),
            begins: begins[0]..begins[1],
            copy: None,
        };
        let mut open: BinaryHeap<Open> = candidates.iter().map(open).collect();
        let mut taken = Apart::default();
        while let Some(Open { start, piece, begins, copy: found, .. }) = open.pop() {
            let own = &self.pieces[piece.0 as usize];
            match found {
                None => {
                    let (most, length) = (i64::from(own.most), i64::from(own.length));
                    // The letters that any copy of this candidate has.
                    let inside = begins.end + most..begins.start + length - most;
                    if taken.is_free(&inside)
                        && let Some((range, copy)) = self.copy(own, &begins, &text, letters.len())
                    {
                        let value = range.end - range.start - EDIT * i64::from(copy.edits);
                        open.push(Open { value, start, piece, begins, copy: Some((range, copy)) });
                    }
                }
                Some((range, copy)) => {
                    if taken.is_free(&range) && takes(&copy) {
                        taken.take(range);
                    }
                }
            }
        }
    }

    /// The copy of a piece that begins near these letters of a text, if it has few enough edits, with
    /// its place in letters.
    fn copy(
        &self,
        piece: &Piece,
        begins: &Range<i64>,
        text: &[(usize, char)],
        bytes: usize,
    ) -> Option<(Range<i64>, Copy)> {
        let most = i64::from(piece.most);
        let byte = |letter: usize| text.get(letter).map_or(bytes, |(byte, _)| *byte);
        let found = |range: Range<usize>, edits| {
            let letters = byte(range.start)..byte(range.end);
            let Piece { passage, is_one, .. } = *piece;
            let copy = Copy { passage, is_one, letters, edits };
            (range.start as i64..range.end as i64, copy)
        };
        let own: Vec<char> = self.letters[piece.bytes.clone()].chars().collect();
        // Most copies have no edits and need no alignment, which takes a thousand times as long.
        if let Some(start) = exact(&own, begins, text) {
            return Some(found(start..start + own.len(), 0));
        }
        // No part of an alignment is further from its seeds than by all edits. Some seeds may be
        // others.
        let (low, high) = (begins.start - most, begins.end - 1 + most);
        let [start, end] = [low, high + own.len() as i64].map(|letter| within(letter, text));
        let band = low - start as i64..high - start as i64 + 1;
        let around: Vec<char> = text[start..end].iter().map(|(_, c)| *c).collect();
        if !may_be_near(&own, &around, piece.most as usize) {
            return None;
        }
        let (edits, range) = nearest(&own, &around, &band, piece.most as usize)?;
        Some(found(start + range.start..start + range.end, edits as u32))
    }

    /// The seeds of pieces in a text.
    fn seeds_in(&self, letters: &str, group: u64) -> Vec<Seed> {
        let (mut found, mut at, mut counted) = (Vec::new(), 0, 0);
        let mut take = |byte: usize, hash: u64| {
            let Some(first) = self.seeds.get(&hash) else { return };
            at += letters[counted..byte].chars().count() as i64;
            counted = byte;
            let own = self.postings[*first as usize..].iter();
            let own = own.take_while(|posting| posting.hash == hash);
            found.extend(own.map(|posting| Seed {
                piece: posting.piece,
                begins: at - i64::from(posting.at),
                byte: byte as i64 - i64::from(posting.byte),
            }));
        };
        let mut open = [(0, 0); TOGETHER];
        let mut count = 0;
        for (byte, seed) in letters.as_bytes().windows(SEED).enumerate() {
            let seed = seed.first_chunk().expect("windows have this length");
            open[count] = (byte, hash(seed, group));
            count += usize::from(letters.is_char_boundary(byte));
            if count == TOGETHER {
                self.filtered(&open, &mut take);
                count = 0;
            }
        }
        self.filtered(&open[..count], &mut take);
        found
    }

    /// Calls `take` with the places and hashes that may be of seeds. The words of the filter are read
    /// without a branch in between, since most are far from the processor.
    fn filtered(&self, places: &[(usize, u64)], take: &mut impl FnMut(usize, u64)) {
        let mut may_be = 0u64;
        for (at, (_, hash)) in places.iter().enumerate() {
            let (word, bits) = (*hash as usize & (self.filter.len() - 1), bits(*hash));
            may_be |= u64::from(self.filter[word] & bits == bits) << at;
        }
        while may_be > 0 {
            let (byte, hash) = places[may_be.trailing_zeros() as usize];
            take(byte, hash);
            may_be &= may_be - 1;
        }
    }
}

/// The letter of a text at which a piece stands without edits, of these.
fn exact(own: &[char], begins: &Range<i64>, text: &[(usize, char)]) -> Option<usize> {
    let of_text = |start: &usize| text[*start..].iter().map(|(_, c)| c).take(own.len());
    (within(begins.start, text)..within(begins.end, text)).find(|start| of_text(start).eq(own))
}

/// A place in a text, or its nearest end.
fn within(letter: i64, text: &[(usize, char)]) -> usize {
    letter.clamp(0, text.len() as i64) as usize
}

/// A candidate, or its copy, that may be taken. The best one is the greatest.
#[derive(Debug)]
struct Open {
    /// Its letters less [`EDIT`] for each edit, or more before it is aligned.
    value: i64,
    start: Reverse<i64>,
    piece: Reverse<u32>,
    begins: Range<i64>,
    /// The copy and its place in letters, once it is aligned.
    copy: Option<(Range<i64>, Copy)>,
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        // Of one value, candidates are aligned before a copy is taken.
        let key = |open: &Open| (open.value, open.copy.is_none(), open.start, open.piece);
        key(self).cmp(&key(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Ranges that do not overlap: the start and the end of each.
#[derive(Default)]
struct Apart(BTreeMap<i64, i64>);

impl Apart {
    /// Whether a range overlaps with none of them.
    fn is_free(&self, range: &Range<i64>) -> bool {
        self.0.range(..range.end).next_back().is_none_or(|(_, end)| *end <= range.start)
    }

    /// Adds a range that is free.
    fn take(&mut self, range: Range<i64>) {
        self.0.insert(range.start, range.end);
    }
}

/// The bits of a seed in its word of the filter.
fn bits(hash: u64) -> u64 {
    1 << (hash >> 58) | 1 << (hash >> 52 & 63)
}

/// Whether a seed repeats a part of at most half of it, as `----------------` does: it would be found
/// at each byte of a text that does so, too.
fn repeats(seed: &[u8; SEED]) -> bool {
    (1..=SEED / 2).any(|part| seed[part..] == seed[..SEED - part])
}

/// The hash of a seed in documents of a group.
fn hash(seed: &[u8; SEED], group: u64) -> u64 {
    let [first, last] = [0, SEED - 8].map(|at| {
        u64::from_le_bytes(*seed[at..].first_chunk().expect("a seed has eight bytes from here"))
    });
    let mixed = (first ^ last.rotate_left(29) ^ group).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ last ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ mixed >> 29
}

/// Whether a part of a text may differ from a piece in so few letters: an edit changes at most four of
/// the runs of four letters of the piece, and the others stand in the text, each as often (Ukkonen).
fn may_be_near(piece: &[char], text: &[char], most: usize) -> bool {
    const RUN: usize = 4;
    let Some(runs) = (piece.len() + 1).checked_sub(RUN) else { return true };
    // Runs of one place of the table count as equal, so no copy is missed.
    let place = |run: &[char]| {
        let hash = run.iter().fold(0u32, |hash, c| (hash ^ *c as u32).wrapping_mul(0x9e37_79b1));
        (hash >> 22) as usize
    };
    let mut counts = [0u16; 1 << 10];
    for run in text.windows(RUN) {
        let count = &mut counts[place(run)];
        *count = count.saturating_add(1);
    }
    let mut common = 0;
    for run in piece.windows(RUN) {
        let count = &mut counts[place(run)];
        common += usize::from(*count > 0);
        *count = count.saturating_sub(1);
    }
    common + RUN * most >= runs
}

/// The part of a text that is nearest to a piece: the edits, at most `most`, and its letters. Of
/// several the one that ends first. Each letter of the piece is compared with those letters of the
/// text that are in the band: so many letters further than it.
fn nearest(
    piece: &[char],
    text: &[char],
    band: &Range<i64>,
    most: usize,
) -> Option<(usize, Range<usize>)> {
    // A cell has the edits of the piece up to a row with the text up to a column, and in its lower
    // half the beginning of that part of the text.
    const CHANGED: u64 = 1 << 32;
    const FAR: u64 = u64::MAX / 2;
    let columns = |row: usize| {
        let bound = |further: i64| (row as i64 + further).clamp(0, text.len() as i64 + 1) as usize;
        bound(band.start)..bound(band.end)
    };
    // Before the first letter of the piece, a part may begin anywhere.
    let mut row = vec![FAR; text.len() + 1];
    columns(0).for_each(|start| row[start] = start as u64);
    for (own, number) in piece.iter().zip(1..) {
        let columns = columns(number);
        let mut first = columns.start;
        let (mut diagonal, mut left) = (FAR, FAR);
        match first.checked_sub(1) {
            // The band moves on, and leaves one column behind.
            Some(before) => diagonal = std::mem::replace(&mut row[before], FAR),
            None => {
                first = 1;
                if !columns.is_empty() {
                    diagonal = row[0];
                    row[0] += CHANGED;
                    left = row[0];
                }
            }
        }
        let mut least = left;
        for (cell, c) in row[first..columns.end.max(first)].iter_mut().zip(&text[first - 1..]) {
            let replaced = diagonal + if c == own { 0 } else { CHANGED };
            diagonal = *cell;
            left = replaced.min(*cell + CHANGED).min(left + CHANGED);
            *cell = left;
            least = least.min(left);
        }
        if least >> 32 > most as u64 {
            return None;
        }
    }
    let ends = row.into_iter().enumerate().map(|(end, cell)| (cell >> 32, end, cell as u32));
    let (edits, end, start) = ends.min().filter(|(edits, ..)| *edits <= most as u64)?;
    let start = start as usize;
    (start < end).then_some((edits as usize, start..end))
}

#[cfg(test)]
mod tests {
    use nearprint_core::normalize::Options;
    use proptest::prelude::*;

    use super::*;

    /// The copies in a text, in order.
    fn copies(known: &KnownPassages, letters: &str, group: u64) -> Vec<Copy> {
        let mut found = Vec::new();
        known.copies(letters, &known.candidates(letters, group), |copy| {
            found.push(copy.clone());
            true
        });
        found.sort_by_key(|copy| copy.letters.start);
        found
    }

    fn add(known: &mut KnownPassages, passage: u32, letters: &str) {
        let start = known.letters.len();
        known.letters.push_str(letters);
        known.add_piece((passage, true), 0, start..start + letters.len());
    }

    fn distance(left: &[char], right: &[char]) -> usize {
        match (left, right) {
            ([], rest) | (rest, []) => rest.len(),
            ([a, rest @ ..], [b, other @ ..]) => (distance(rest, other) + usize::from(a != b))
                .min(distance(rest, right) + 1)
                .min(distance(left, other) + 1),
        }
    }

    proptest! {
        #[test]
        fn no_part_is_nearer(piece in "[ab天]{1,5}", text in "[ab天]{1,9}", most in 0usize..4, low in -12i64..12) {
            let [piece, text]: [Vec<char>; 2] = [piece, text].map(|text| text.chars().collect());
            prop_assume!(most < piece.len());
            let parts = (0..text.len()).flat_map(|start| (start + 1..=text.len()).map(move |end| start..end));
            let least = parts.map(|part| distance(&piece, &text[part])).min().filter(|edits| *edits <= most);
            let band = -(piece.len() as i64)..text.len() as i64 + 1;
            let found = nearest(&piece, &text, &band, most);
            // A narrow band finds at most as near a part.
            if let Some((edits, part)) = nearest(&piece, &text, &(low..low + 3), most) {
                prop_assert!(Some(edits) >= least && distance(&piece, &text[part]) <= edits);
            }
            prop_assert!(found.is_none() || may_be_near(&piece, &text, most));
            prop_assert_eq!(found.as_ref().map(|(edits, _)| *edits), least);
            if let Some((edits, part)) = found {
                prop_assert_eq!(distance(&piece, &text[part]), edits);
            }
        }

        #[test]
        fn a_copy_with_a_twentieth_of_its_letters_edited_is_found(
            words in prop::collection::vec("[a-z]{3,9}|[天地玄黄宇宙洪荒]{2,6}", 12..60),
            edits in prop::collection::vec((0usize..1000, 0u8..3, prop::char::range('a', 'z')), 40),
            ahead in "[0-9]{0,30}",
        ) {
            let passage: String = words.concat();
            let mut letters: Vec<char> = passage.chars().collect();
            let most = letters.len() / 20;
            for (at, kind, c) in edits.into_iter().take(most) {
                let at = at % letters.len();
                match kind {
                    0 => letters[at] = c,
                    1 => letters.insert(at, c),
                    _ => _ = letters.remove(at),
                }
            }
            let mut known = KnownPassages::new(0.05, None, 1_000);
            add(&mut known, 3, &passage);
            known.finish();
            let copy: String = letters.into_iter().collect();
            let found = copies(&known, &format!("{ahead}{copy}987654321"), 0);
            prop_assert_eq!(found.len(), 1);
            prop_assert!(found[0].edits as usize <= most && found[0].passage == 3);
            prop_assert!(found[0].letters.start + 4 * most >= ahead.len());
        }
    }

    proptest! {
        #[test]
        fn passages_are_found_in_parts_as_together(
            passages in prop::collection::vec(prop::collection::vec("[a-d]{3,6}", 6..30), 2..6),
            order in prop::collection::vec((0usize..6, 0usize..200, prop::char::range('a', 'd')), 1..8),
            cut in 1usize..5,
        ) {
            let passages: Vec<String> = passages.into_iter().map(|words| words.concat()).collect();
            let text: String = order.into_iter().map(|(passage, at, c)| {
                let mut own = passages[passage % passages.len()].clone();
                own.insert(at % own.len(), c);
                own + "987654321"
            }).collect();
            let search = |cuts: &[usize]| {
                let mut known = KnownPassages::new(0.05, None, 1_000);
                let (mut candidates, mut found) = (Vec::new(), Vec::new());
                for (number, passage) in passages.iter().enumerate() {
                    add(&mut known, number as u32 + 1, passage);
                    if cuts.contains(&number) || number + 1 == passages.len() {
                        known.finish();
                        candidates.extend(known.candidates(&text, 0));
                        known.next_part();
                    }
                }
                known.copies(&text, &candidates, |copy| {
                    found.push(copy.clone());
                    true
                });
                found
            };
            prop_assert_eq!(search(&[cut]), search(&[]));
            prop_assert_eq!(search(&[0, cut, cut + 1]), search(&[]));
        }
    }

    #[test]
    fn each_group_has_its_own_passages() {
        let normalizer = Normalizer::new(Options { addresses: false, ..Options::default() });
        let footer =
            "All rights reserved. No part of this page may be copied or sold without consent.";
        let mut known = KnownPassages::new(0.05, Some(100), 1_000);
        (0..200).for_each(|group| {
            known.add((group + 1, true), u64::from(group) << 40, footer, &normalizer)
        });
        known.finish();
        let copy = Letters::new(&footer.replace("sold", "bold"), &normalizer).letters;
        for group in [0, 199] {
            let found = copies(&known, &copy, group << 40);
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].passage, found[0].edits), (group as u32 + 1, 1));
        }
        assert_eq!(copies(&known, &copy, 1 << 60), []);
    }

    #[test]
    fn a_twentieth_of_the_letters_may_be_edited() {
        let normalizer = Normalizer::new(Options { addresses: false, ..Options::default() });
        let footer =
            "All rights reserved. No part of this page may be copied or sold without consent.";
        let mut known = KnownPassages::new(0.05, None, 1_000);
        known.add((7, true), 0, footer, &normalizer);
        known.finish();
        let find = |text: &str| {
            let letters = Letters::new(text, &normalizer).letters;
            let found = copies(&known, &letters, 0).into_iter();
            let shown = |copy: Copy| (copy.passage, letters[copy.letters].to_string(), copy.edits);
            found.map(shown).collect::<Vec<_>>()
        };
        let text = "Prices rose. All right reserved. No part of this pages may be copied or sold with consent. The end";
        assert_eq!(find(text), []);
        let text = "Prices rose. All right reserved. No part of this pages may be copied, or sold without consent. The end";
        let copy = "allrightreservednopartofthispagesmaybecopiedorsoldwithoutconsent";
        assert_eq!(find(text), [(7, copy.to_string(), 2)]);
    }

    #[test]
    fn approved_texts_that_could_never_be_found_are_refused() {
        let normalizer = Normalizer::new(Options::default());
        let check = |text: &str| KnownPassages::check(&[text.to_string()], "approved", &normalizer);
        assert!(check("All rights reserved by us").is_ok());
        for text in ["Read more", &"-ab".repeat(40), &"=-".repeat(60)] {
            assert!(
                check(text).unwrap_err().to_string().contains("cannot be looked for"),
                "{text}"
            );
        }
    }
}
