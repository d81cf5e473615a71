//! Traditional -> Simplified Chinese, by OpenCC's dictionaries: at each place the longest phrase,
//! else the character.
//!
//! The tests compare it with OpenCC itself.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use hashbrown::HashMap;

/// OpenCC's phrases and characters for this direction, see `data/README.md`: Traditional, a tab,
/// Simplified.
const LIST: &str = include_str!("../../data/opencc-t2s.tsv");

/// Converts texts. It is built once and used from many threads.
#[derive(Debug)]
pub(super) struct Simplifier {
    /// The characters that are lost in some change. Every change loses one, and Simplified texts
    /// have few.
    lost: Set,
    /// The most characters of a change before its last one.
    longest_before: usize,
    /// The form that each character of U+4E00 to U+9FFF takes alone, three bytes each. Characters
    /// of `changes` stand for themselves.
    alone: String,
    /// Changes by their first character, if one of them is a phrase or does not fit in `alone`:
    /// Traditional, Simplified, the longest first.
    changes: HashMap<char, Vec<(&'static str, &'static str)>>,
    /// The first characters of `changes`.
    begin: Set,
}

/// A set of characters of three bytes or more: one bit for each character of Unicode.
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

    /// Length in bytes of the leading characters that are not in the set, up to the first one of
    /// four bytes.
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

/// After this number of steps in a row at characters outside `lost`, the next character of `lost`
/// is searched for.
const PLAIN: usize = 32;

/// The characters of `alone`.
const HAN: RangeInclusive<char> = '\u{4e00}'..='\u{9fff}';

impl Simplifier {
    /// The converter. It is made once a process, with the first text that needs it.
    pub(super) fn usual() -> &'static Simplifier {
        static USUAL: LazyLock<Simplifier> = LazyLock::new(Simplifier::load);
        &USUAL
    }

    fn load() -> Simplifier {
        let (mut lost, mut begin) = (Set::new(), Set::new());
        let list = || LIST.lines().filter_map(|line| line.split_once('\t'));
        for (traditional, simple) in list() {
            traditional.chars().filter(|c| !simple.contains(*c)).for_each(|c| lost.insert(c));
        }
        let mut changes: HashMap<char, Vec<_>> = HashMap::new();
        let mut longest_before = 0;
        // A few entries change nothing, and none of the others begins with a character of theirs.
        for (traditional, simple) in
            list().filter(|change| change.0.chars().any(|c| lost.has(c as usize)))
        {
            let Some(first) = traditional.chars().next() else { continue };
            longest_before = longest_before.max(traditional.chars().count() - 1);
            changes.entry(first).or_default().push((traditional, simple));
        }
        let mut alone = String::with_capacity(3 * HAN.count());
        for c in HAN {
            match changes.get(&c).map(Vec::as_slice) {
                Some(&[(traditional, simple)]) if traditional.len() == 3 && simple.len() == 3 => {
                    alone.push_str(simple);
                    changes.remove(&c);
                }
                _ => alone.push(c),
            }
        }
        for (first, changes) in &mut changes {
            begin.insert(*first);
            changes.sort_by_key(|(traditional, _)| std::cmp::Reverse(traditional.len()));
        }
        Simplifier { lost, longest_before, alone, changes, begin }
    }

    /// The simplified text; `None` if nothing changes.
    pub(super) fn convert(&self, text: &str) -> Option<String> {
        let mut lost = self.lost.absent(text.as_bytes());
        if lost == text.len() {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            // No change begins farther before the next character that may be lost.
            let start = text[at..lost]
                .char_indices()
                .rev()
                .take(self.longest_before)
                .last()
                .map_or(lost, |c| at + c.0);
            out.push_str(&text[at..start]);
            at = self.convert_run(text, start, &mut out);
            lost = at + self.lost.absent(&text.as_bytes()[at..]);
        }
        Some(out)
    }

    /// Appends the simplified text from a place on, up to the end of [`PLAIN`] steps in a row at
    /// characters that are not in `lost`; returns that end.
    fn convert_run(&self, text: &str, mut at: usize, out: &mut String) -> usize {
        let mut plain = 0;
        while plain < PLAIN
            && let Some(c) = text[at..].chars().next()
        {
            plain = if self.lost.has(c as usize) { 0 } else { plain + 1 };
            if HAN.contains(&c) && !self.begin.has(c as usize) {
                let place = 3 * (c as usize - *HAN.start() as usize);
                out.push_str(&self.alone[place..place + 3]);
                at += 3;
                continue;
            }
            let changes = if c.is_ascii() { None } else { self.changes.get(&c) };
            match changes
                .and_then(|changes| changes.iter().find(|change| text[at..].starts_with(change.0)))
            {
                Some((traditional, simple)) => {
                    out.push_str(simple);
                    at += traditional.len();
                }
                None => {
                    out.push(c);
                    at += c.len_utf8();
                }
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use ferrous_opencc::OpenCC;
    use ferrous_opencc::config::BuiltinConfig;
    use proptest::prelude::*;

    use super::super::Normalizer;
    use super::*;

    static OPENCC: LazyLock<OpenCC> =
        LazyLock::new(|| OpenCC::from_config(BuiltinConfig::T2s).unwrap());

    fn simplified(text: &str) -> String {
        Simplifier::usual().convert(text).unwrap_or_else(|| text.to_string())
    }

    /// Phrases, parts of them, and characters that change or not.
    fn traditional_text() -> impl Strategy<Value = String> {
        let listed: Vec<&str> = LIST.lines().filter_map(|line| line.split('\t').next()).collect();
        let phrases: Vec<&str> =
            listed.iter().copied().filter(|traditional| traditional.chars().count() > 1).collect();
        let phrase = proptest::sample::select(phrases);
        let piece = prop_oneof![
            "[瞭解藉口反覆沈默乾坤資訊的了一明白。a-c]{0,20}",
            "[的了一明白。a-c𠀀]{0,90}",
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
    fn an_entry_that_changes_nothing_hides_no_other_one() {
        let lost = &Simplifier::usual().lost;
        let (kept, left_out): (Vec<&str>, Vec<&str>) = LIST
            .lines()
            .filter_map(|line| line.split('\t').next())
            .partition(|traditional| traditional.chars().any(|c| lost.has(c as usize)));
        assert_eq!(left_out.len(), 4);
        let of_these: String = left_out.concat();
        assert!(kept.iter().all(|entry| !of_these.contains(entry.chars().next().unwrap())));
    }

    #[test]
    fn an_entry_is_found_behind_many_characters_that_stay() {
        let plain = "一".repeat(2 * PLAIN);
        for entry in LIST.lines().filter_map(|line| line.split('\t').next()) {
            let text = format!("瞭{plain}{entry}{plain}瞭");
            assert_eq!(simplified(&text), OPENCC.convert(&text), "{entry}");
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
            assert!(
                traditional == simple
                    || Simplifier::usual().lost.absent(traditional.as_bytes()) < traditional.len()
            );
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
        assert_eq!(Simplifier::usual().convert("一不做，二不休。上海 abc"), None);
        assert_eq!(Simplifier::usual().convert("不瞭解").as_deref(), Some("不了解"));
    }
}
