//! Text -> its character n-grams, four letters in a row, and the n-grams that vote.
//!
//! Only letters and digits count ([`append_alphanumeric`](crate::normalize::append_alphanumeric)).
//! An n-gram begins at each of them and has [`LENGTH`] letters, of which a character of Chinese,
//! Japanese or Korean (from U+2E80 on) counts as two: "itis" and "tisa" of "it is a", "重要" of
//! "重要性". A shorter text is one n-gram. N-grams need no dictionary, no statistics and no language,
//! they cross the borders of words, and a wrong letter changes four of them.
//!
//! An n-gram is a feature once, however often it occurs. In long texts a quarter of the n-grams
//! gives as good a fingerprint as all of them. So a hash *chooses* a quarter of all possible
//! n-grams, which weigh twice as much as the others. In texts of more than [`ALL_VOTE`] n-grams the
//! weight of the others falls with the length of the text. From [`CHOSEN_VOTE`] on their weight is
//! 0, if at least [`FEWEST`] of the text's n-grams are chosen.
//!
//! The number of an n-gram of up to eight bytes of UTF-8 is these bytes, little-endian; that of a
//! longer one is its XXH3. Numbers and choice are a format: fingerprints made today must be found
//! again by those made in ten years.

mod choose;
mod distinct;

use distinct::Distinct;
use xxhash_rust::xxh3::xxh3_64;

use crate::normalize::Cursor;

/// The name of this definition of n-grams and of the voting ones. Raise its version whenever the
/// definition changes.
pub const NAME: &str = "letters (grams of 4, 1)";

/// The letters in an n-gram.
pub const LENGTH: u32 = 4;

/// The weight of a chosen n-gram.
pub const FULL_WEIGHT: u32 = 16;

/// The largest weight of the other n-grams, in texts of up to [`ALL_VOTE`] n-grams.
pub const HALF_WEIGHT: u32 = 8;

/// The most n-grams of a text in which the others have their largest weight.
pub const ALL_VOTE: usize = 400;

/// The fewest n-grams of a text in which only the chosen ones vote.
pub const CHOSEN_VOTE: usize = 1600;

/// The fewest chosen n-grams that may vote alone. A text with fewer repeats itself, and all its
/// n-grams vote.
pub const FEWEST: usize = 64;

/// The voting n-grams of one text after the other, in buffers of its own.
///
/// ```
/// use nearprint_core::features::character_ngrams::CharacterNgrams;
/// let mut extractor = CharacterNgrams::default();
/// let voters = extractor.voters("itisaitisa");
/// // itis, tisa, isai, saiti and aiti; then the first two again.
/// assert_eq!(voters.chosen.len() + voters.others.len(), 5);
/// assert_eq!(voters.weight_of_others, 8);
/// ```
#[derive(Debug, Default)]
pub struct CharacterNgrams {
    /// The n-grams of a part of the text, with repetitions.
    part: Vec<u64>,
    chosen: Distinct,
    others: Distinct,
}

/// The distinct n-grams of a text that vote, in no particular order.
#[derive(Debug, Clone, Copy)]
pub struct Voters<'l> {
    /// The n-grams that weigh [`FULL_WEIGHT`].
    pub chosen: &'l [u64],
    /// The other n-grams; none if they weigh nothing.
    pub others: &'l [u64],
    /// The weight of each of the others, at most [`HALF_WEIGHT`].
    pub weight_of_others: u32,
}

impl Voters<'_> {
    /// The number of n-grams that vote.
    pub fn len(&self) -> usize {
        self.chosen.len() + self.others.len()
    }

    /// Returns true if no n-gram votes: the text has no character.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All voting n-grams with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let others = self.others.iter().map(|ngram| (*ngram, self.weight_of_others));
        self.chosen.iter().map(|ngram| (*ngram, FULL_WEIGHT)).chain(others)
    }
}

impl CharacterNgrams {
    /// The n-grams of a text that vote. `alphanumeric` has the letters and digits of
    /// [`append_alphanumeric`](crate::normalize::append_alphanumeric).
    pub fn voters(&mut self, alphanumeric: &str) -> Voters<'_> {
        let CharacterNgrams { part, chosen, others } = self;
        let ngrams = gather(alphanumeric, true, part, chosen);
        let weight_of_others = match chosen.values().len() < FEWEST {
            true => HALF_WEIGHT,
            false => weight_of_others(ngrams),
        };
        others.clear();
        if weight_of_others > 0 {
            gather(alphanumeric, false, part, others);
        }
        Voters { chosen: chosen.values(), others: others.values(), weight_of_others }
    }
}

/// The distinct n-grams of a text that are chosen, or the others. Returns the number of its
/// n-grams, with repetitions.
fn gather(alphanumeric: &str, chosen: bool, part: &mut Vec<u64>, distinct: &mut Distinct) -> usize {
    distinct.clear();
    let (mut walk, mut ngrams) = (Walk::of(alphanumeric), 0);
    // The n-grams come in parts, so that a huge text needs no room for all of them.
    loop {
        match choose::next_ngrams(&mut walk, chosen, part) {
            0 => return ngrams,
            more => ngrams += more,
        }
        distinct.insert(part);
    }
}

/// The weight of the n-grams that are not chosen, in a text of `ngrams` n-grams.
fn weight_of_others(ngrams: usize) -> u32 {
    let step = (CHOSEN_VOTE - ALL_VOTE) / HALF_WEIGHT as usize;
    (CHOSEN_VOTE.saturating_sub(ngrams) / step).min(HALF_WEIGHT as usize) as u32
}

/// Returns true if an n-gram is chosen: it votes in texts of any length. The highest bits of a
/// product choose a quarter of all n-grams.
#[inline]
fn is_chosen(ngram: u64) -> bool {
    let folded = ngram as u32 ^ ((ngram >> 32) as u32).wrapping_mul(FOLD);
    folded.wrapping_mul(FACTOR) < LIMIT
}

const FOLD: u32 = 0x85eb_ca6b;
const FACTOR: u32 = 0x9e37_79b1;
const LIMIT: u32 = 1 << 30;

/// Calls `each` with every n-gram of a text in order, and where it begins and ends.
#[inline]
pub fn each_ngram(alphanumeric: &str, mut each: impl FnMut(u64, usize, usize)) {
    Walk::of(alphanumeric).for_each(|(ngram, start, end)| each(ngram, start, end));
}

/// The n-grams of a text one after the other, and where each begins and ends.
struct Walk<'t> {
    text: &'t [u8],
    /// The place where the next n-gram begins.
    start: Cursor,
    /// The place where an n-gram ended that began before it.
    end: Cursor,
}

impl Walk<'_> {
    fn of(alphanumeric: &str) -> Walk<'_> {
        Walk { text: alphanumeric.as_bytes(), start: Cursor::default(), end: Cursor::default() }
    }

    /// The text from the next n-gram on.
    fn rest(&self) -> &[u8] {
        &self.text[self.start.byte..]
    }

    /// Moves past the n-grams that begin in the next `bytes` bytes, which have `letters` letters.
    fn skip(&mut self, bytes: usize, letters: usize) {
        self.start.byte += bytes;
        self.start.letters += letters as u32;
    }
}

impl Iterator for Walk<'_> {
    type Item = (u64, usize, usize);

    #[inline]
    fn next(&mut self) -> Option<(u64, usize, usize)> {
        let Walk { text, start, end } = self;
        if start.byte == text.len() {
            return None;
        }
        let begin = start.byte;
        let ascii =
            text[begin..].first_chunk::<{ LENGTH as usize }>().filter(|bytes| bytes.is_ascii());
        let (ngram, after) = if let Some(ascii) = ascii {
            (u64::from(u32::from_le_bytes(*ascii)), begin + LENGTH as usize)
        } else {
            if end.byte < begin {
                *end = *start;
            }
            while end.letters - start.letters < LENGTH {
                if end.byte == text.len() {
                    let whole = (begin == 0).then(|| (known_as(text), 0, text.len()));
                    start.byte = text.len();
                    return whole;
                }
                end.advance(text);
            }
            (known_at(text, begin, end.byte), end.byte)
        };
        start.advance(text);
        Some((ngram, begin, after))
    }
}

/// The number of an n-gram of a text.
#[inline]
fn known_at(text: &[u8], start: usize, end: usize) -> u64 {
    match text[start..].first_chunk() {
        // The bytes after the n-gram are cut off.
        Some(eight) if end - start <= 8 => {
            u64::from_le_bytes(*eight) & u64::MAX >> (64 - 8 * (end - start))
        }
        _ => known_as(&text[start..end]),
    }
}

/// The number of an n-gram.
#[inline]
fn known_as(ngram: &[u8]) -> u64 {
    match ngram.len() {
        ..=8 => {
            let mut bytes = [0; 8];
            bytes[..ngram.len()].copy_from_slice(ngram);
            u64::from_le_bytes(bytes)
        }
        _ => xxh3_64(ngram),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn ngrams(text: &str) -> Vec<&str> {
        let mut ngrams = Vec::new();
        each_ngram(text, |_, start, end| ngrams.push(&text[start..end]));
        ngrams
    }

    #[test]
    fn an_ngram_is_four_letters_or_two_han_characters() {
        assert_eq!(ngrams("itisa"), ["itis", "tisa"]);
        assert_eq!(ngrams("重要性"), ["重要", "要性"]);
        assert_eq!(ngrams("ab重c要"), ["ab重", "b重c", "重c要"]);
        assert_eq!(ngrams("на дне".replace(' ', "").as_str()), ["надн", "адне"]);
        assert_eq!((ngrams("abc"), ngrams("重"), ngrams("")), (vec!["abc"], vec!["重"], vec![]));
    }

    #[test]
    fn an_ngram_is_known_by_its_bytes() {
        assert_eq!(known_as(b"itis"), 0x7369_7469);
        assert_eq!(known_as("重要".as_bytes()), 0x81a6_e88d_87e9);
        assert_eq!(known_as("ภาษา".as_bytes()), xxh3_64("ภาษา".as_bytes()));
    }

    #[test]
    fn a_quarter_of_all_ngrams_is_chosen() {
        let letters: Vec<char> = ('a'..='z').chain('0'..='9').collect();
        let of = |a: char, b: char| format!("{a}{b}e{a}");
        let all: Vec<u64> = letters
            .iter()
            .flat_map(|a| letters.iter().map(move |b| known_as(of(*a, *b).as_bytes())))
            .collect();
        let chosen =
            all.iter().filter(|ngram| is_chosen(**ngram)).count() as f64 / all.len() as f64;
        assert!((0.2..0.3).contains(&chosen), "{chosen}");
        let han: Vec<u64> = (0x4e00..0x6000u32)
            .map(|c| known_as(format!("{}的", char::from_u32(c).unwrap()).as_bytes()))
            .collect();
        let chosen =
            han.iter().filter(|ngram| is_chosen(**ngram)).count() as f64 / han.len() as f64;
        assert!((0.2..0.3).contains(&chosen), "{chosen}");
    }

    #[test]
    fn the_others_fade_with_the_length_of_the_text() {
        let weights = [0, 400, 401, 550, 1000, 1450, 1451, 9999].map(weight_of_others);
        assert_eq!(weights, [8, 8, 7, 7, 4, 1, 0, 0]);
        let mut extractor = CharacterNgrams::default();
        // The text repeats 26 n-grams.
        let alphabet = "abcdefghijklmnopqrstuvwxyz".repeat(100);
        let voters = extractor.voters(&alphabet);
        assert_eq!((voters.len(), voters.weight_of_others), (26, HALF_WEIGHT));
    }

    proptest! {
        #[test]
        fn the_voters_are_those_of_the_definition(
            text in prop_oneof!["([a-d1]{0,9}|[重要性]{1,3}|[а-в]{1,2}){0,300}", "[a-z]{0,2000}", "[a-z]{8180,8210}"],
        ) {
            let known: Vec<u64> = ngrams(&text).iter().map(|ngram| known_as(ngram.as_bytes())).collect();
            let (chosen, others): (BTreeSet<u64>, BTreeSet<u64>) = known.iter().partition(|ngram| is_chosen(**ngram));
            let weight = if chosen.len() < FEWEST { HALF_WEIGHT } else { weight_of_others(known.len()) };
            let mut extractor = CharacterNgrams::default();
            extractor.voters("an other text before");
            let voters = extractor.voters(&text);
            let set = |list: &[u64]| (list.len(), list.iter().copied().collect::<BTreeSet<_>>());
            prop_assert_eq!(set(voters.chosen), (chosen.len(), chosen));
            prop_assert_eq!(voters.weight_of_others, weight);
            let others = if weight == 0 { BTreeSet::new() } else { others };
            prop_assert_eq!(set(voters.others), (others.len(), others));
        }
    }
}
