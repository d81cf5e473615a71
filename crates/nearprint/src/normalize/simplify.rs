//! Traditional -> Simplified Chinese: what OpenCC gives, at the speed of a table.
//!
//! OpenCC takes the longest phrase of its dictionary at each place, else the character's own entry. Each of its phrases
//! that changes anything holds one of [`PHRASE_CHARACTERS`], so only the neighborhoods of those go through OpenCC; all
//! other characters are looked up in a table made from OpenCC itself, page by page as texts need it.

use std::ops::Range;
use std::sync::OnceLock;

use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;

/// At least one character of every phrase that OpenCC's dictionary for this direction converts, found by walking it, and
/// how many characters to either side of it its phrases reach. Tests hold the outcome against OpenCC on whole texts.
const PHRASE_CHARACTERS: [(u8, &str); 3] = [
    (1, "傢吒噁帳幬彿條沈濛無牴畢發盤稟積萬蕩薹衹觸計詞讀資躪醞醬鈞鍛電頗顧麽"),
    (3, "傷塊尋徵憑據於機沒甌瞭簡籌維藉覆買載辭過遺醜鉅錦鍊門雖額魚麼齎"),
    (7, "乾見話鍾"),
];

/// The characters that can change, by pages of 256: U+3400 to U+323AF.
const PAGES: Range<u32> = 0x34..0x324;

/// Converts texts. Built once, used from many threads.
#[derive(Debug)]
pub(super) struct Simplifier {
    converter: OnceLock<Converter>,
    pages: Box<[OnceLock<Box<Page>>]>,
}

/// 256 characters.
#[derive(Debug)]
struct Page {
    /// One bit for each character: whether it changes alone or may change in a phrase.
    changes: [u64; 4],
    /// What each becomes alone.
    simple: [char; 256],
    /// How far the phrases reach that it stands for.
    reach: [u8; 256],
}

/// [`OpenCC`] has no `Debug`.
struct Converter(OpenCC);

impl std::fmt::Debug for Converter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

impl Default for Simplifier {
    fn default() -> Simplifier {
        Simplifier { converter: OnceLock::new(), pages: PAGES.map(|_| OnceLock::new()).collect() }
    }
}

impl Simplifier {
    /// The simplified text, or `None` where nothing in it could change.
    pub(super) fn convert(&self, text: &str) -> Option<String> {
        if !text.chars().any(|c| self.may_change(c)) {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for window in self.windows(text) {
            out.extend(text[done..window.start].chars().map(|c| self.simple(c)));
            done = window.end;
            out.push_str(&self.opencc(&text[window]));
        }
        out.extend(text[done..].chars().map(|c| self.simple(c)));
        Some(out)
    }

    /// The stretches in which phrases may stand, in order and apart.
    fn windows(&self, text: &str) -> Vec<Range<usize>> {
        let mut windows: Vec<Range<usize>> = Vec::new();
        for (at, c) in text.char_indices() {
            let reach = self.reach(c);
            if reach == 0 {
                continue;
            }
            let mut start = text[..at].char_indices().rev().nth(reach - 1).map_or(0, |(place, _)| place);
            let mut end = text[at..].char_indices().nth(reach + 1).map_or(text.len(), |(place, _)| at + place);
            while let Some(last) = windows.pop_if(|last| last.end > start) {
                (start, end) = (start.min(last.start), end.max(last.end));
            }
            windows.push(start..end);
        }
        windows
    }

    fn opencc(&self, text: &str) -> String {
        let load =
            || Converter(OpenCC::from_config(BuiltinConfig::T2s).expect("the dictionary is part of the program"));
        self.converter.get_or_init(load).0.convert(text)
    }

    /// The page of a character that can change, and its place there.
    #[inline]
    fn page(&self, c: char) -> Option<(&Page, usize)> {
        let (page, place) = (u32::from(c) >> 8, u32::from(c) as usize & 255);
        let slot = self.pages.get(page.checked_sub(PAGES.start)? as usize)?;
        Some((slot.get_or_init(|| self.load(page)), place))
    }

    #[inline]
    fn may_change(&self, c: char) -> bool {
        self.page(c).is_some_and(|(page, place)| page.changes[place / 64] >> (place % 64) & 1 == 1)
    }

    fn simple(&self, c: char) -> char {
        self.page(c).map_or(c, |(page, place)| page.simple[place])
    }

    fn reach(&self, c: char) -> usize {
        self.page(c).map_or(0, |(page, place)| usize::from(page.reach[place]))
    }

    /// Asks OpenCC for 256 characters, each on a line of its own.
    fn load(&self, number: u32) -> Box<Page> {
        let characters = (number << 8..(number + 1) << 8).map(|c| char::from_u32(c).unwrap_or('?'));
        let lines: String = characters.clone().flat_map(|c| [c, '\n']).collect();
        let simple: Vec<char> = self.opencc(&lines).chars().step_by(2).collect();
        let simple: [char; 256] = simple.try_into().expect("a character alone becomes one character");
        let mut page = Box::new(Page { changes: [0; 4], simple, reach: [0; 256] });
        for (place, c) in characters.enumerate() {
            let phrases = PHRASE_CHARACTERS.iter().find(|(_, list)| list.contains(c));
            page.reach[place] = phrases.map_or(0, |(reach, _)| *reach);
            page.changes[place / 64] |= u64::from(phrases.is_some() || page.simple[place] != c) << (place % 64);
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn traditional_text() -> impl Strategy<Value = String> {
        let of_phrases: Vec<char> = PHRASE_CHARACTERS.iter().flat_map(|(_, characters)| characters.chars()).collect();
        let piece = prop_oneof![
            "[瞭解藉口反覆沈默乾坤資訊的了一明白。a-c]{0,20}",
            "[乾-龥]{0,20}",
            proptest::collection::vec(proptest::sample::select(of_phrases), 0..4).prop_map(String::from_iter),
        ];
        proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn the_table_gives_what_opencc_gives(text in traditional_text()) {
            static SIMPLIFIER: std::sync::LazyLock<Simplifier> = std::sync::LazyLock::new(Simplifier::default);
            let always = SIMPLIFIER.opencc(&text);
            prop_assert_eq!(SIMPLIFIER.convert(&text).unwrap_or(text), always);
        }
    }

    #[test]
    fn every_character_alone_becomes_what_opencc_makes_of_it() {
        let simplifier = Simplifier::default();
        let all: Vec<char> = (0x2e80..0x32400).filter_map(char::from_u32).collect();
        let lines: String = all.iter().flat_map(|c| [*c, '\n']).collect();
        let always = simplifier.opencc(&lines);
        assert!(all.iter().zip(always.chars().step_by(2)).all(|(c, simple)| simplifier.simple(*c) == simple));
    }
}
