//! Traditional -> Simplified Chinese, by OpenCC's dictionaries: at each place the longest phrase, else the character.
//!
//! The tests hold it against OpenCC itself.

/// OpenCC's phrases and characters for this direction, see `data/README.md`: Traditional, a tab, Simplified.
const LIST: &str = include_str!("../../data/opencc-t2s.tsv");

/// Converts texts. Built once, used from many threads.
#[derive(Debug)]
pub(super) struct Simplifier {
    /// Which characters change alone or begin a phrase.
    listed: Set,
    /// Which are lost in some change. A text without any stays as it is, and few texts that are Simplified already have one.
    lost: Set,
    /// By the upper bits of a character; most pages have nothing that changes.
    pages: Vec<Option<Box<Page>>>,
    /// The phrases of one first character after those of another, the longest first: Traditional, Simplified.
    phrases: Vec<Vec<(&'static str, &'static str)>>,
}

/// Some characters, none of them of fewer than three bytes: one bit for each character there is.
#[derive(Debug)]
struct Set(Vec<u64>);

impl Set {
    fn new() -> Set {
        Set(vec![0; char::MAX as usize / 64 + 1])
    }

    fn insert(&mut self, c: char) {
        assert!(c.len_utf8() > 2, "{c} is of Chinese");
        self.0[c as usize / 64] |= 1 << (c as usize % 64);
    }

    #[inline]
    fn has(&self, code: usize) -> bool {
        self.0[code / 64] >> (code % 64) & 1 == 1
    }

    /// Length in bytes of the leading characters that are not in the set, up to the first one of four bytes.
    #[inline]
    fn absent(&self, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            match bytes[at..] {
                [..0x80, ..] => at += 1,
                [0xc0..=0xdf, ..] => at += 2,
                [first @ 0xe0..=0xef, second, third, ..] => {
                    let [first, second, third] = [first, second, third].map(usize::from);
                    if self.has((first & 15) << 12 | (second & 63) << 6 | third & 63) {
                        return at;
                    }
                    at += 3;
                }
                _ => return at,
            }
        }
    }
}

/// 256 characters.
#[derive(Debug)]
struct Page {
    /// What each becomes alone.
    simple: [char; 256],
    /// Which of [`Simplifier::phrases`] begin with it; the first has none.
    phrases: [u8; 256],
}

impl Simplifier {
    pub(super) fn load() -> Simplifier {
        let (listed, lost) = (Set::new(), Set::new());
        let mut simplifier = Simplifier { listed, lost, pages: Vec::new(), phrases: vec![Vec::new()] };
        for (traditional, simple) in LIST.lines().filter_map(|line| line.split_once('\t')) {
            let mut characters = traditional.chars();
            let Some(first) = characters.next() else { continue };
            let (number, place) = (u32::from(first) >> 8, u32::from(first) as usize & 255);
            if simplifier.pages.len() <= number as usize {
                simplifier.pages.resize_with(number as usize + 1, || None);
            }
            let page = simplifier.pages[number as usize].get_or_insert_with(|| Page::of_unchanged(number));
            simplifier.listed.insert(first);
            traditional.chars().filter(|c| !simple.contains(*c)).for_each(|c| simplifier.lost.insert(c));
            if characters.next().is_none() {
                page.simple[place] = simple.chars().next().unwrap_or(first);
                continue;
            }
            if page.phrases[place] == 0 {
                page.phrases[place] = u8::try_from(simplifier.phrases.len()).expect("phrases begin in few ways");
                simplifier.phrases.push(Vec::new());
            }
            simplifier.phrases[usize::from(page.phrases[place])].push((traditional, simple));
        }
        for phrases in &mut simplifier.phrases {
            phrases.sort_by_key(|(traditional, _)| std::cmp::Reverse(traditional.len()));
        }
        simplifier
    }

    /// What a character becomes alone, and the phrases that begin with it, where it changes or there are any.
    #[inline]
    fn listed(&self, c: char) -> Option<(char, &[(&'static str, &'static str)])> {
        if !self.listed.has(c as usize) {
            return None;
        }
        let (page, place) = (self.pages[c as usize >> 8].as_ref()?, c as usize & 255);
        Some((page.simple[place], &self.phrases[usize::from(page.phrases[place])]))
    }

    /// The simplified text, or `None` where nothing in it is to be changed.
    pub(super) fn convert(&self, text: &str) -> Option<String> {
        if self.lost.absent(text.as_bytes()) == text.len() {
            return None;
        }
        let mut out: Option<String> = None;
        // What lies between `copied` and `at` stays as it is.
        let (mut copied, mut at) = (0, 0);
        loop {
            at += self.listed.absent(&text.as_bytes()[at..]);
            let Some(c) = text[at..].chars().next() else { break };
            let Some((simple, phrases)) = self.listed(c) else {
                at += c.len_utf8();
                continue;
            };
            let phrase = phrases.iter().find(|(traditional, _)| text[at..].starts_with(traditional));
            let length = phrase.map_or(c.len_utf8(), |(traditional, _)| traditional.len());
            if phrase.is_some() || simple != c {
                let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
                out.push_str(&text[copied..at]);
                match phrase {
                    Some((_, simple)) => out.push_str(simple),
                    None => out.push(simple),
                }
                copied = at + length;
            }
            at += length;
        }
        out.map(|mut out| {
            out.push_str(&text[copied..]);
            out
        })
    }
}

impl Page {
    fn of_unchanged(number: u32) -> Box<Page> {
        let itself = |place| char::from_u32(number << 8 | place as u32).unwrap_or_default();
        Box::new(Page { simple: std::array::from_fn(itself), phrases: [0; 256] })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use ferrous_opencc::OpenCC;
    use ferrous_opencc::config::BuiltinConfig;
    use proptest::prelude::*;

    use super::super::Normalizer;
    use super::*;

    static OPENCC: LazyLock<OpenCC> = LazyLock::new(|| OpenCC::from_config(BuiltinConfig::T2s).unwrap());
    static SIMPLIFIER: LazyLock<Simplifier> = LazyLock::new(Simplifier::load);

    fn simplified(text: &str) -> String {
        SIMPLIFIER.convert(text).unwrap_or_else(|| text.to_string())
    }

    /// Phrases, parts of them, and characters that change or not.
    fn traditional_text() -> impl Strategy<Value = String> {
        let listed: Vec<&str> = LIST.lines().filter_map(|line| line.split('\t').next()).collect();
        let phrases: Vec<&str> = listed.iter().copied().filter(|traditional| traditional.chars().count() > 1).collect();
        let phrase = proptest::sample::select(phrases);
        let piece = prop_oneof![
            "[瞭解藉口反覆沈默乾坤資訊的了一明白。a-c]{0,20}",
            "[乾-龥]{0,20}",
            phrase.clone().prop_map(str::to_string),
            (phrase, 0usize..4).prop_map(|(phrase, from)| phrase.chars().skip(from).collect()),
            proptest::sample::select(listed).prop_map(str::to_string),
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn texts_become_what_opencc_makes_of_them(text in traditional_text()) {
            prop_assert_eq!(simplified(&text), OPENCC.convert(&text));
        }
    }

    #[test]
    fn every_character_alone_becomes_what_opencc_makes_of_it() {
        for c in (0x80..0x32400).filter_map(char::from_u32) {
            assert_eq!(simplified(&c.to_string()), OPENCC.convert(&c.to_string()));
        }
    }

    #[test]
    fn every_change_loses_a_character() {
        for (traditional, simple) in LIST.lines().filter_map(|line| line.split_once('\t')) {
            assert!(traditional == simple || SIMPLIFIER.lost.absent(traditional.as_bytes()) < traditional.len());
        }
    }

    #[test]
    fn what_is_listed_does_not_fold() {
        let normalizer = Normalizer::new("nfkc,case,digits,space".parse().unwrap());
        for listed in LIST.lines().flat_map(|line| line.split('\t')) {
            assert_eq!(normalizer.normalize(listed), listed);
        }
    }

    #[test]
    fn a_text_without_anything_to_change_is_not_copied() {
        assert_eq!(SIMPLIFIER.convert("一不做，二不休。上海 abc"), None);
        assert_eq!(SIMPLIFIER.convert("不瞭解").as_deref(), Some("不了解"));
    }
}
