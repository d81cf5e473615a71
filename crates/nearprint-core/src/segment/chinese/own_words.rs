//! A list of the user's own words -> a dictionary with these words.
//!
//! A line is a word, its frequency and a tag, as in jieba's user dictionaries; the tag is ignored.
//! A word that the dictionary has already gets the new frequency. A word without a frequency gets
//! the least one that lets it win against the words that it would be cut into otherwise, given the
//! lines before it.

use std::collections::HashMap;

use super::characters::{CODES, FIRST, OUTSIDE, is_alphanumeric};
use super::dictionary::Dictionary;
use super::path::{BEHIND, Path};
use super::space::Space;
use super::trie::NO_WORD;

/// A line of a word list that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the word list, \"{text}\": {problem}")]
pub struct BadWord {
    /// The line, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// The fault in it.
    pub problem: &'static str,
}

/// Adds the words of a list.
pub(super) fn add(list: &str, dictionary: &mut Dictionary) -> Result<(), BadWord> {
    let numbers =
        dictionary.frequencies.iter().copied().zip(0..).skip(usize::from(NO_WORD) + 1).collect();
    let space = Space::of(&dictionary.trie);
    let mut words =
        OwnWords { dictionary, space, numbers, outside: HashMap::new(), path: Path::default() };
    for (at, line) in list.lines().enumerate() {
        let bad = |problem| BadWord { line: at + 1, text: line.to_string(), problem };
        let mut fields = line.split_whitespace();
        let Some(word) = fields.next() else { continue };
        let frequency = match fields.next() {
            Some(field) if field.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(field.parse::<u32>().map_err(|_| bad("the frequency is too large"))?.into())
            }
            Some(field) if !field.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                return Err(bad("the frequency is not a whole number"));
            }
            _ => None,
        };
        words.add(word, frequency).map_err(bad)?;
    }
    words.dictionary.weigh();
    Ok(())
}

/// A dictionary that grows.
struct OwnWords<'d> {
    dictionary: &'d mut Dictionary,
    space: Space,
    /// The numbers of frequencies.
    numbers: HashMap<u64, u16>,
    /// Words with characters that no block holds. They are never found, but count in the total.
    outside: HashMap<String, u64>,
    path: Path,
}

impl OwnWords<'_> {
    fn add(&mut self, word: &str, frequency: Option<u64>) -> Result<(), &'static str> {
        let frequency = frequency.unwrap_or_else(|| self.suggest(word));
        let old = self.frequency(word).unwrap_or(0);
        let characters = &mut self.dictionary.characters;
        if word.chars().any(|c| characters.code(c) < FIRST) {
            self.outside.insert(word.to_string(), frequency);
        } else {
            let codes: Option<Vec<u16>> = word.chars().map(|c| characters.learn(c)).collect();
            let codes = codes.ok_or("there are too many different characters")?;
            let number =
                self.number(frequency).ok_or("there are too many different frequencies")?;
            self.dictionary.trie.insert(&codes, number, &mut self.space);
        }
        self.dictionary.total = self.dictionary.total + frequency - old;
        Ok(())
    }

    fn number(&mut self, frequency: u64) -> Option<u16> {
        if let Some(number) = self.numbers.get(&frequency) {
            return Some(*number);
        }
        let number = u16::try_from(self.dictionary.frequencies.len()).ok()?;
        self.dictionary.frequencies.push(frequency);
        self.dictionary.naturals.push(libm::log(frequency as f64));
        self.numbers.insert(frequency, number);
        Some(number)
    }

    /// The frequency of a word, if it is one.
    fn frequency(&self, word: &str) -> Option<u64> {
        let codes: Vec<u16> = word.chars().map(|c| self.dictionary.characters.code(c)).collect();
        match self.dictionary.trie.word(&codes) {
            NO_WORD => self.outside.get(word).copied(),
            number => Some(self.dictionary.frequencies[usize::from(number)]),
        }
    }

    /// The least frequency that lets a word win: the product of the frequencies of the words that
    /// it would be cut into.
    fn suggest(&mut self, word: &str) -> u64 {
        self.dictionary.weigh();
        let characters: Vec<char> = word.chars().collect();
        let mut codes: Vec<u16> =
            characters.iter().map(|c| self.dictionary.characters.code(*c)).collect();
        codes.extend([OUTSIDE; BEHIND]);
        let lengths = self.path.find(&codes, self.dictionary).to_vec();
        let total = libm::log(self.dictionary.total as f64);
        let mut sum = 0.0;
        let mut at = 0;
        while at < lengths.len() {
            let joins = |at: usize| lengths[at] == 1 && is_alphanumeric(codes[at]);
            let joined = (at..lengths.len()).take_while(|at| joins(*at)).count();
            let end = at + joined.max(lengths[at] as usize).max(1);
            let token: String = characters[at..end].iter().collect();
            sum = sum + libm::log(self.frequency(&token).unwrap_or(1) as f64) - total;
            at = end;
        }
        (libm::exp(sum + total) as u64 + 1).max(self.frequency(word).unwrap_or(1))
    }
}

impl super::trie::Trie {
    /// Adds a word, or gives it another number.
    fn insert(&mut self, word: &[u16], number: u16, space: &mut Space) {
        let mut parent = None;
        let mut place = 0;
        for code in word {
            let base = parent.map_or(super::trie::ROOT, |parent| self.base(parent));
            place = match self.child(base, *code) {
                Some(place) => place,
                None => self.grow(parent, *code, space),
            };
            parent = Some(place);
        }
        self.set_word(place, number);
    }

    /// Makes a new child and returns its place. If the place is taken, the family moves.
    fn grow(&mut self, parent: Option<usize>, code: u16, space: &mut Space) -> usize {
        let Some(parent) = parent else {
            return self.put(super::trie::ROOT, code);
        };
        let base = self.base(parent);
        let family: Vec<u16> =
            (1..CODES as u16).filter(|code| self.child(base, *code).is_some()).collect();
        if !family.is_empty() && space.take_free(base, code) {
            return self.put(base, code);
        }
        let mut larger = family.clone();
        larger.insert(larger.partition_point(|other| *other < code), code);
        let new = space.place(&larger);
        self.widen(space.places());
        for member in &family {
            self.move_child(base, new, *member);
        }
        if !family.is_empty() {
            space.release(base, &family);
        }
        self.set_base(parent, new);
        self.put(new, code)
    }
}
