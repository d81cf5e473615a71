//! English words -> what they mean as figures.

/// The meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A number.
    Number(u64),
    /// A place in an order.
    Ordinal(u64),
    /// A power of ten by which the number before it is multiplied.
    Multiplier(i32),
    /// A month or a day of the week, by its full name.
    Name(&'static str),
    /// The same of a word that means something else, too: a name only beside another figure.
    NameBesideFigures(&'static str),
}

/// All words, in lower case and ASCII.
const WORDS: [(&str, Word); 78] = [
    ("zero", Word::Number(0)),
    ("one", Word::Number(1)),
    ("two", Word::Number(2)),
    ("three", Word::Number(3)),
    ("four", Word::Number(4)),
    ("five", Word::Number(5)),
    ("six", Word::Number(6)),
    ("seven", Word::Number(7)),
    ("eight", Word::Number(8)),
    ("nine", Word::Number(9)),
    ("ten", Word::Number(10)),
    ("eleven", Word::Number(11)),
    ("twelve", Word::Number(12)),
    ("thirteen", Word::Number(13)),
    ("fourteen", Word::Number(14)),
    ("fifteen", Word::Number(15)),
    ("sixteen", Word::Number(16)),
    ("seventeen", Word::Number(17)),
    ("eighteen", Word::Number(18)),
    ("nineteen", Word::Number(19)),
    ("twenty", Word::Number(20)),
    ("thirty", Word::Number(30)),
    ("forty", Word::Number(40)),
    ("fifty", Word::Number(50)),
    ("sixty", Word::Number(60)),
    ("seventy", Word::Number(70)),
    ("eighty", Word::Number(80)),
    ("ninety", Word::Number(90)),
    ("first", Word::Ordinal(1)),
    ("second", Word::Ordinal(2)),
    ("third", Word::Ordinal(3)),
    ("fourth", Word::Ordinal(4)),
    ("fifth", Word::Ordinal(5)),
    ("sixth", Word::Ordinal(6)),
    ("seventh", Word::Ordinal(7)),
    ("eighth", Word::Ordinal(8)),
    ("ninth", Word::Ordinal(9)),
    ("tenth", Word::Ordinal(10)),
    ("hundred", Word::Multiplier(2)),
    ("thousand", Word::Multiplier(3)),
    ("million", Word::Multiplier(6)),
    ("mln", Word::Multiplier(6)),
    ("mn", Word::Multiplier(6)),
    ("billion", Word::Multiplier(9)),
    ("bln", Word::Multiplier(9)),
    ("bn", Word::Multiplier(9)),
    ("trillion", Word::Multiplier(12)),
    ("january", Word::Name("january")),
    ("jan", Word::Name("january")),
    ("february", Word::Name("february")),
    ("feb", Word::Name("february")),
    ("march", Word::NameBesideFigures("march")),
    ("mar", Word::NameBesideFigures("march")),
    ("april", Word::Name("april")),
    ("apr", Word::Name("april")),
    ("may", Word::NameBesideFigures("may")),
    ("june", Word::Name("june")),
    ("jun", Word::Name("june")),
    ("july", Word::Name("july")),
    ("jul", Word::Name("july")),
    ("august", Word::Name("august")),
    ("aug", Word::Name("august")),
    ("september", Word::Name("september")),
    ("sept", Word::Name("september")),
    ("sep", Word::Name("september")),
    ("october", Word::Name("october")),
    ("oct", Word::Name("october")),
    ("november", Word::Name("november")),
    ("nov", Word::Name("november")),
    ("december", Word::Name("december")),
    ("dec", Word::Name("december")),
    ("monday", Word::Name("monday")),
    ("tuesday", Word::Name("tuesday")),
    ("wednesday", Word::Name("wednesday")),
    ("thursday", Word::Name("thursday")),
    ("friday", Word::Name("friday")),
    ("saturday", Word::Name("saturday")),
    ("sunday", Word::Name("sunday")),
];

/// A bit for the first two letters and the length of each of them, by [`shape`].
static SHAPES: [u64; LETTERS * LONGEST] = shapes();

/// The letters that a word may begin with.
const LETTERS: usize = 26;

/// The letters in the longest word.
const LONGEST: usize = 9;

const fn shapes() -> [u64; LETTERS * LONGEST] {
    let mut shapes = [0; LETTERS * LONGEST];
    let mut number = 0;
    while number < WORDS.len() {
        let (word, bit) = shape(WORDS[number].0.as_bytes());
        shapes[word] |= bit;
        number += 1;
    }
    shapes
}

/// The place of a word's bit in [`SHAPES`].
const fn shape(word: &[u8]) -> (usize, u64) {
    let first = (word[0] - b'a') as usize;
    ((word.len() - 1) * LETTERS + first, 1 << (word[1] & 63))
}

/// The meaning of a word; `None` for most.
#[inline]
pub(super) fn meaning(word: &str) -> Option<Word> {
    let bytes = word.as_bytes();
    if !(2..=LONGEST).contains(&bytes.len()) || !bytes[0].is_ascii_lowercase() {
        return None;
    }
    let (place, bit) = shape(bytes);
    if SHAPES[place] & bit == 0 {
        return None;
    }
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}
