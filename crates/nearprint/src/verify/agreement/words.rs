//! A normalized text -> its words, and where runs of words stand in it.
//!
//! A character of Chinese or Japanese is a word of its own. Letters and digits are counted as windows count them, so that a part of
//! a text in letters becomes a run of words.

use std::ops::Range;

use hashbrown::HashMap;

use super::super::windows::hash;

/// The letters, at least, by which a place in a text is known.
const LENGTH: u32 = 8;

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

    /// The words that lie in a part of the text, in letters.
    pub fn within(&self, (start, end): (u32, u32)) -> Range<usize> {
        let first = self.words.partition_point(|word| word.letters.1 <= start);
        first..self.words.partition_point(|word| word.letters.0 < end).max(first)
    }

    /// A word.
    pub fn word(&self, place: usize) -> &'t str {
        let (start, end) = self.words[place].bytes;
        &self.text[start..end]
    }

    /// The words before this one that have [`LENGTH`] letters, or all.
    pub fn before(&self, word: usize) -> usize {
        let letters = |first: usize| self.words[word - 1].letters.1 - self.words[first].letters.0;
        (0..word).rev().find(|first| letters(*first) >= LENGTH).unwrap_or(0)
    }

    /// The same after this one.
    pub fn after(&self, word: usize) -> usize {
        self.run(word).map_or(self.len(), |run| run.end)
    }

    /// The words from this one on that have [`LENGTH`] letters.
    fn run(&self, first: usize) -> Option<Range<usize>> {
        let start = self.words.get(first)?.letters.0;
        let past = first + self.words[first..].iter().position(|word| word.letters.1 - start >= LENGTH)? + 1;
        Some(first..past)
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
        places.iter().any(|place| {
            let Some(start) = (*place as usize).checked_sub(word - run.start) else { return false };
            start + run.len() <= other.len()
                && run.clone().zip(start..).all(|(own, others)| self.word(own) == other.word(others))
        })
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

fn is_wide(c: char) -> bool {
    c >= '\u{2e80}'
}

/// Whether one character between two others makes one word of them.
fn joins(before: char, between: char, after: char) -> bool {
    match between {
        '.' | ',' | ':' | '/' => before.is_ascii_digit() && after.is_ascii_digit(),
        '-' | '\'' | '’' | '_' => !is_alone(before) && !is_alone(after),
        _ => false,
    }
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut letters, mut last) = (0, ' ');
    for (start, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        let end = start + c.len_utf8();
        let past = letters + if is_wide(c) { 2 } else { 1 };
        let goes_on = |word: &&mut Word| {
            let mut between = text[word.bytes.1..start].chars();
            match (between.next(), between.next()) {
                (None, _) => !is_alone(last) && !is_alone(c),
                (Some(between), None) => joins(last, between, c),
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
        assert_eq!((text.before(4), text.after(1), text.after(4)), (1, 4, 5));
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
