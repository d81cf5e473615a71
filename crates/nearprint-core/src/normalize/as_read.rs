//! A text as read and its normalizer -> the places of the letters and digits of the normalized text
//! in the text as read.
//!
//! Stripped parts have no letters. In the rest one character may become several letters, and
//! several characters may become one letter. So the rest is cut into blocks that are normalized
//! separately, and a block into characters with their marks, whose letters are counted.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Normalizer, is_han};

/// The fewest bytes of a block that ends before ASCII, white space or punctuation.
const BLOCK: usize = 256;

/// The fewest bytes of a block that ends before a Chinese character.
const LONG_BLOCK: usize = 4096;

/// The characters that count as letters and digits of a normalized text. If the text has neither,
/// its signs count.
pub fn counting(text: &str) -> fn(char) -> bool {
    match text.chars().any(char::is_alphanumeric) {
        // Most letters of Chinese texts, which a table is slow to tell.
        true => |c| matches!(c, '一'..='\u{9fff}') || c.is_alphanumeric(),
        false => |c| !c.is_whitespace(),
    }
}

/// Returns true if a character is of a script that puts blanks between words: Latin, Greek,
/// Cyrillic, Hebrew, Arabic and those of India.
pub fn is_of_spaced_word(c: char) -> bool {
    matches!(c, ..'\u{e00}' | '\u{1e00}'..'\u{2000}') && (c.is_alphanumeric() || is_mark(c))
}

fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Finds letters of a normalized text in the text as read.
///
/// ```
/// use nearprint_core::normalize::{AsRead, Normalizer, Options};
/// let normalizer = Normalizer::new(Options::default());
/// let text = "Ａ ﬁt 資訊";
/// // The letters of "a fit 资讯".
/// let places = AsRead::new(text, &normalizer, char::is_alphanumeric).places();
/// let letters: Vec<&str> = places.into_iter().map(|place| &text[place]).collect();
/// assert_eq!(letters, ["Ａ", "ﬁ", "ﬁ", "t", "資", "訊"]);
/// ```
pub struct AsRead<'t> {
    text: &'t str,
    normalizer: &'t Normalizer,
    counts: fn(char) -> bool,
    /// The blocks of all parts that are not stripped.
    blocks: Vec<Block>,
}

/// A part of a text that is normalized separately.
struct Block {
    bytes: Range<usize>,
    /// Characters of the text before it, stripped ones included.
    characters: usize,
    /// Bytes of letters before it.
    letters: usize,
}

impl<'t> AsRead<'t> {
    /// Finds letters in `text`, which `normalizer` normalizes. Characters for which `counts` holds
    /// are letters.
    pub fn new(text: &'t str, normalizer: &'t Normalizer, counts: fn(char) -> bool) -> AsRead<'t> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut counted, mut characters, mut letters) = (0, 0, 0);
        for kept in normalizer.kept(text) {
            let mut start = kept.start;
            while start < kept.end {
                let end = block(&text[start..kept.end]).map_or(kept.end, |length| start + length);
                characters += text[counted..start].chars().count();
                blocks.push(Block { bytes: start..end, characters, letters });
                letters += bytes_of_kept(&text[start..end], normalizer, counts);
                (counted, start) = (start, end);
            }
        }
        AsRead { text, normalizer, counts, blocks }
    }

    /// The first character up to which the text has at least this many bytes of letters: its number
    /// and its first byte.
    pub fn with(&self, bytes: usize) -> (usize, usize) {
        let block = self.blocks.partition_point(|block| block.letters < bytes).max(1) - 1;
        let Some(Block { bytes: block, characters, letters }) = self.blocks.get(block) else {
            return (0, 0);
        };
        let text = &self.text[block.clone()];
        let places: Vec<(usize, char)> = text.char_indices().collect();
        let is_less = |(at, c): &(usize, char)| {
            letters + bytes_of_kept(&text[..at + c.len_utf8()], self.normalizer, self.counts)
                < bytes
        };
        let place = places.partition_point(is_less).min(places.len().saturating_sub(1));
        (characters + place, block.start + places.get(place).map_or(0, |(at, _)| *at))
    }

    /// The place of each letter, in order: the bytes of the character, with its marks, that it was
    /// made of. Letters of one character have equal places.
    pub fn places(&self) -> Vec<Range<usize>> {
        let mut places = Vec::with_capacity(self.text.len());
        for block in &self.blocks {
            self.place(block.bytes.clone(), &mut places);
        }
        places
    }

    /// Appends the places of the letters of a part. If its characters make another number of
    /// letters one by one than together, the places of each half are appended. A part that cannot
    /// be halved is one place.
    fn place(&self, part: Range<usize>, places: &mut Vec<Range<usize>>) {
        let text = &self.text[part.clone()];
        let before = places.len();
        let mut push = |at: usize, character: &str| {
            let start = part.start + at;
            let letters = self.letters(character);
            places.extend(std::iter::repeat_n(start..start + character.len(), letters));
        };
        match text.chars().all(is_alone) {
            true => text.char_indices().for_each(|(at, c)| push(at, &text[at..at + c.len_utf8()])),
            false => text.grapheme_indices(true).for_each(|(at, character)| push(at, character)),
        }
        let letters = match text.is_ascii() {
            true => return,
            false => self.count(text),
        };
        if places.len() - before == letters {
            return;
        }
        places.truncate(before);
        let middle = text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .find(|at| *at > 0 && *at >= text.len() / 2);
        match middle.map(|middle| text.split_at(middle)) {
            Some((left, right)) if self.count(left) + self.count(right) == letters => {
                let middle = part.start + left.len();
                self.place(part.start..middle, places);
                self.place(middle..part.end, places);
            }
            _ => places.extend(std::iter::repeat_n(part, letters)),
        }
    }

    /// The number of letters of a character with its marks.
    fn letters(&self, character: &str) -> usize {
        let mut characters = character.chars();
        match (characters.next(), characters.next()) {
            (Some(c), None) if c.is_ascii() || is_han(c) => usize::from((self.counts)(c)),
            _ => self.count(character),
        }
    }

    fn count(&self, text: &str) -> usize {
        self.normalizer.respell(text).chars().filter(|c| (self.counts)(*c)).count()
    }
}

/// Returns true for characters of which none is a mark of another: ASCII, Chinese characters, and
/// the signs of Chinese text.
fn is_alone(c: char) -> bool {
    c.is_ascii()
        || is_han(c)
        || matches!(c, '‐'..='‧' | '\u{3000}'..='\u{3020}' | '\u{ff00}'..='\u{ff60}')
}

/// The bytes of the next block of a text; `None` for the last block. White space, ASCII and Chinese
/// punctuation do not change the normalized form of the text before them. A Chinese character
/// hardly ever does: it may belong to a phrase that is simplified as one.
fn block(text: &str) -> Option<usize> {
    let begins = |(at, c): &(usize, char)| match c {
        _ if c.is_ascii() || c.is_whitespace() => *at >= BLOCK,
        '、' | '。' | '，' | '：' | '；' | '！' | '？' => *at >= BLOCK,
        _ => *at >= LONG_BLOCK && is_han(*c),
    };
    text.char_indices().find(begins).map(|(at, _)| at)
}

/// The bytes of the characters that count in a part of a text, normalized without stripping.
fn bytes_of_kept(text: &str, normalizer: &Normalizer, counts: fn(char) -> bool) -> usize {
    normalizer.respell(text).chars().filter(|c| counts(*c)).map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::addresses::tests::marked_text;
    use super::super::compose::tests::mixed_text;
    use super::super::{Options, append_alphanumeric};
    use super::*;

    proptest! {
        #[test]
        fn every_letter_has_a_place(text in prop_oneof![mixed_text(), marked_text(), "[a-zＡ資訊ﬁ½e\u{301} ,。\n]{0,400}", any::<String>()]) {
            let normalizer = Normalizer::new(Options::default());
            let normalized = normalizer.normalize(&text);
            let mut letters = String::new();
            append_alphanumeric(&normalized, &mut letters);
            let places = AsRead::new(&text, &normalizer, counting(&normalized)).places();
            prop_assert_eq!(places.len(), letters.chars().count());
            prop_assert!(places.windows(2).all(|pair| pair[0] == pair[1] || pair[0].end <= pair[1].start));
            prop_assert!(places.iter().all(|place| text.get(place.clone()).is_some_and(|part| !part.is_empty())));
        }

        #[test]
        fn places_are_those_that_are_looked_up(with in marked_text(), text in "[a-zＡ-Ｚ資訊ﬁ ,。\n]{0,700}") {
            let normalizer = Normalizer::new(Options::default());
            // A mark belongs to the letter before it.
            let with: String = with.chars().filter(|c| c.is_ascii() || is_han(*c)).collect();
            let text = with + &text;
            let read = AsRead::new(&text, &normalizer, char::is_alphanumeric);
            let mut bytes = 0;
            for (place, c) in read.places().into_iter().zip(normalizer.normalize(&text).chars().filter(|c| c.is_alphanumeric())) {
                bytes += c.len_utf8();
                prop_assert_eq!(read.with(bytes).1, place.start);
            }
        }
    }

    #[test]
    fn what_is_stripped_has_no_place() {
        let normalizer = Normalizer::new(Options::default());
        let text = "見 <b class=\"x\">ＡＢ</b> http://x.org/訊 3 days ago，訊";
        let read = AsRead::new(text, &normalizer, char::is_alphanumeric);
        let letters: Vec<&str> = read.places().into_iter().map(|place| &text[place]).collect();
        assert_eq!(letters, ["見", "Ａ", "Ｂ", "訊", "訊"]);
        let last = text.chars().count() - 1;
        assert_eq!(read.with("見ab讯讯".len()), (last, text.len() - "訊".len()));
        assert_eq!(
            read.with(4),
            (text.chars().position(|c| c == 'Ａ').unwrap(), text.find('Ａ').unwrap())
        );
    }
}
