//! A normalized text -> its words, and where runs of words stand in it.
//!
//! A character of Chinese or Japanese is a word of its own, and so is a sign such as `$` or `+`. Letters and digits are counted as
//! windows count them, so that a part of a text in letters becomes a run of words.

use std::ops::Range;

use hashbrown::HashMap;

use super::super::figures::{figures, is_wide};
use super::super::windows::hash;

/// The letters, at least, by which a place in a text is known.
const LENGTH: u32 = 8;

/// The most words of such a run: signs have no letters.
const LONGEST: usize = 16;

/// The places of a run in another text that are looked at.
const PLACES: usize = 64;

/// Signs that say something. Punctuation does not, nor does a hyphen; a minus does.
const SIGNS: &str = "$€£¥₩₹¢%‰°±×÷+=<>≤≥≠≈#&@★☆✓✗√∞";

/// The most characters of a run of words that are shown.
const SHOWN: usize = 30;

/// A word: its bytes, and the letters before its beginning and its end.
#[derive(Debug, Clone, Copy)]
struct Word {
    bytes: (usize, usize),
    letters: (u32, u32),
}

/// A text with its words.
#[derive(Debug)]
pub struct Text<'t> {
    text: &'t str,
    words: Vec<Word>,
    /// The words from which a run of [`LENGTH`] letters on is this one, by its hash, in order.
    runs: HashMap<u64, Vec<u32>>,
}

impl<'t> Text<'t> {
    /// The words of a normalized text.
    pub fn new(text: &'t str) -> Text<'t> {
        let mut own = Text { text, words: words(text), runs: HashMap::new() };
        for word in 0..own.words.len() {
            if let Some(run) = own.run(word) {
                own.runs.entry(own.hash(run)).or_default().push(word as u32);
            }
        }
        own
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The words that lie in a part of the text, in letters, and the signs beside them.
    pub fn within(&self, (start, end): (u32, u32)) -> Range<usize> {
        let mut first = self.words.partition_point(|word| word.letters.1 <= start);
        let mut past = self.words.partition_point(|word| word.letters.0 < end).max(first);
        let is_sign = |word: usize| self.words.get(word).is_some_and(|word| word.letters.0 == word.letters.1);
        if first < past {
            while first > 0 && is_sign(first - 1) {
                first -= 1;
            }
            while is_sign(past) {
                past += 1;
            }
        }
        first..past
    }

    /// A word.
    pub fn word(&self, place: usize) -> &'t str {
        let (start, end) = self.words[place].bytes;
        &self.text[start..end]
    }

    /// Whether a word is one of the other text, or a figure of the same value: `three` and `3`.
    pub fn says_the_same(&self, word: usize, other: &Text<'_>, others: usize) -> bool {
        let value = |word: &str| {
            let mut found = Vec::new();
            figures(word, &mut found);
            let letters = word.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
            let whole = found.first().filter(|figure| (figure.start, figure.end as usize) == (0, letters));
            whole.map(|figure| figure.value.key())
        };
        let [one, other] = [self.word(word), other.word(others)];
        one == other || value(one).is_some_and(|value_of_one| Some(value_of_one) == value(other))
    }

    /// The words before this one that have [`LENGTH`] letters, or all.
    pub fn before(&self, word: usize) -> usize {
        let letters = |first: usize| self.words[word - 1].letters.1 - self.words[first].letters.0;
        (0..word).rev().find(|first| letters(*first) >= LENGTH || word - first == LONGEST).unwrap_or(0)
    }

    /// The words from this one on that have [`LENGTH`] letters.
    fn run(&self, first: usize) -> Option<Range<usize>> {
        let start = self.words.get(first)?.letters.0;
        let is_enough = |(number, word): (usize, &Word)| word.letters.1 - start >= LENGTH || number + 1 == LONGEST;
        let last = self.words[first..].iter().enumerate().position(is_enough)?;
        Some(first..first + last + 1)
    }

    fn hash(&self, run: Range<usize>) -> u64 {
        run.fold(0u64, |all, word| {
            (all.rotate_left(5) ^ hash(self.word(word).as_bytes())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    /// Whether this run of words stands in the other text.
    pub fn stands_in(&self, run: Range<usize>, other: &Text<'_>) -> bool {
        let firsts = run.clone().map_while(|word| self.run(word)).take_while(|first| first.end <= run.end).take(32);
        let places =
            firsts.map(|first| (other.runs.get(&self.hash(first.clone())).map_or(&[][..], Vec::as_slice), first.start));
        let Some((places, word)) = places.min_by_key(|(places, _)| places.len()) else { return false };
        places.iter().take(PLACES).any(|place| {
            let Some(start) = (*place as usize).checked_sub(word - run.start) else { return false };
            start + run.len() <= other.len()
                && run.clone().zip(start..).all(|(own, others)| self.word(own) == other.word(others))
        })
    }

    /// The runs among these words that are in no run of [`LENGTH`] letters of the other text.
    pub fn not_in(&self, words: Range<usize>, other: &Text<'_>) -> Vec<Range<usize>> {
        let (mut lone, mut past): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
        for word in self.before(words.start)..words.end {
            if let Some(run) = self.run(word).filter(|run| self.stands_in(run.clone(), other)) {
                past = past.max(run.end);
            }
            if word < past.max(words.start) {
                continue;
            }
            match lone.last_mut() {
                Some(last) if last.end == word => last.end += 1,
                _ => lone.push(word..word + 1),
            }
        }
        lone
    }

    /// The place in the other text of the run of [`LENGTH`] letters that begins with this word, if both have it equally often; and
    /// the words of the run.
    pub fn place_in(&self, word: usize, other: &Text<'_>) -> Option<(usize, usize)> {
        let run = self.run(word)?;
        let hash = self.hash(run.clone());
        let (own, others) = (self.runs.get(&hash)?, other.runs.get(&hash)?);
        let place = own.binary_search(&(word as u32)).ok()?;
        (own.len() == others.len()).then(|| (others[place] as usize, run.len()))
    }

    /// Whether a run of words is shown whole.
    pub fn fits(&self, run: Range<usize>) -> bool {
        self.part(run).chars().count() <= SHOWN
    }

    /// A run of words as it stands in the text, or its beginning.
    pub fn shown(&self, run: Range<usize>) -> String {
        let whole = self.part(run.clone());
        if whole.chars().count() <= SHOWN {
            return whole;
        }
        let parts = (run.start + 1..run.end).map(|past| self.part(run.start..past));
        let longest = parts.take_while(|part| part.chars().count() <= SHOWN).last();
        longest.unwrap_or_else(|| whole.chars().take(SHOWN).collect()) + "…"
    }

    /// A run of words with what stands between them, and one blank for each run of white space.
    fn part(&self, run: Range<usize>) -> String {
        let Some((first, last)) = run.clone().next().zip(run.last()) else { return String::new() };
        let part = &self.text[self.words[first].bytes.0..self.words[last].bytes.1];
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Whether a character is a word of its own: all that count as two letters, but Korean syllables.
fn is_alone(c: char) -> bool {
    is_wide(c) && !('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Whether one character between two others makes one word of them.
fn joins(before: char, between: char, after: char) -> bool {
    match between {
        '.' | ',' | ':' | '/' => before.is_ascii_digit() && after.is_ascii_digit(),
        '-' | '\'' | '’' | '_' => !is_alone(before) && !is_alone(after),
        _ => false,
    }
}

/// Whether this is a minus: before a digit, and not within a word.
fn is_minus(text: &str, place: usize, c: char) -> bool {
    let before = text[..place].chars().next_back();
    let after = text[place + c.len_utf8()..].chars().next();
    matches!(c, '-' | '−') && after.is_some_and(|c| c.is_ascii_digit()) && before.is_none_or(|c| !c.is_alphanumeric())
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut letters, mut last) = (0, ' ');
    for (start, c) in text.char_indices() {
        let end = start + c.len_utf8();
        if !c.is_alphanumeric() {
            if SIGNS.contains(c) || is_minus(text, start, c) {
                words.push(Word { bytes: (start, end), letters: (letters, letters) });
                last = c;
            }
            continue;
        }
        let past = letters + if is_wide(c) { 2 } else { 1 };
        let goes_on = |word: &&mut Word| {
            let mut between = text[word.bytes.1..start].chars();
            match (between.next(), between.next()) {
                (None, _) => last.is_alphanumeric() && !is_alone(last) && !is_alone(c),
                (Some(between), None) => last.is_alphanumeric() && joins(last, between, c),
                _ => false,
            }
        };
        match words.last_mut().filter(goes_on) {
            Some(word) => (word.bytes.1, word.letters.1) = (end, past),
            None => words.push(Word { bytes: (start, end), letters: (letters, past) }),
        }
        (letters, last) = (past, c);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> Vec<&str> {
        words(text).iter().map(|word| &text[word.bytes.0..word.bytes.1]).collect()
    }

    #[test]
    fn figures_and_compounds_are_words_and_so_is_each_chinese_character() {
        assert_eq!(
            words_of("div 1,234.5 cts (vs. 9-3/16), u.s. don't-care 10:30."),
            ["div", "1,234.5", "cts", "vs", "9-3/16", "u", "s", "don't-care", "10:30"]
        );
        assert_eq!(
            words_of("于2023年3月5日, 王-李 한국 abc天"),
            ["于", "2023", "年", "3", "月", "5", "日", "王", "李", "한국", "abc", "天"]
        );
        assert!(words_of("…、 - ").is_empty());
    }

    #[test]
    fn parts_in_letters_become_words() {
        let text = Text::new("于2023年, the co-op.");
        assert_eq!(text.within((0, 2)), 0..1);
        assert_eq!(text.within((3, 7)), 1..3);
        assert_eq!(text.within((11, 12)), 4..5);
        let signs = Text::new("it rose by $12 or 3% + 4");
        assert_eq!([(8, 10), (12, 13)].map(|part| signs.shown(signs.within(part))), ["$12", "3% +"]);
        assert!(signs.within((12, 12)).is_empty());
        assert_eq!((text.before(4), text.run(1), text.run(4)), (1, Some(1..4), None));
    }

    #[test]
    fn many_signs_take_no_longer_than_many_words() {
        let rule = "=".repeat(100_000) + "#" + &"=".repeat(100_000);
        let changed = rule.replace('#', "%");
        let [own, other] = [&rule, &changed].map(|text| Text::new(text));
        assert!(own.stands_in(0..1000, &other) && !own.stands_in(99_990..100_010, &other));
    }

    #[test]
    fn runs_are_found_whatever_stands_between_the_words() {
        let [own, other] = ["the price of milk: 12 cts a pint", "and (the price, of milk) 12 cts"].map(Text::new);
        assert!(own.stands_in(0..6, &other) && !own.stands_in(0..7, &other));
        assert!(!own.stands_in(1..2, &other), "too short to be known");
        assert_eq!(own.place_in(0, &other), Some((1, 2)));
        assert_eq!(Text::new("ha milk ha ha milk ha").place_in(0, &own), None);
    }

    #[test]
    fn a_long_run_is_cut_between_words() {
        let text = Text::new("one two  three four five six seven eight nine ten");
        assert_eq!(text.shown(0..3), "one two three");
        assert_eq!(text.shown(0..10), "one two three four five six…");
        assert_eq!(text.shown(3..3), "");
        assert_eq!(Text::new(&"长".repeat(40)).shown(0..40), "长".repeat(30) + "…");
        assert_eq!(Text::new(&"a".repeat(40)).shown(0..1), "a".repeat(30) + "…");
    }
}
