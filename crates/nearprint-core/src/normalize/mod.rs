//! Text as read -> text to compare: spellings of one and the same character become one.
//!
//! There are six steps, each of which can be switched off, in this order: stripping of parts that
//! are no text (addresses, tags, codes, counters; in the text as read, where case still tells a
//! ticker from a tag), NFKC (full-width to half-width, ligatures, …; Unicode Standard Annex 15),
//! Traditional to Simplified Chinese (OpenCC's dictionaries), case (each character's lower-case
//! mapping), digits (each ASCII digit becomes `0`), white space (each run becomes one blank, none
//! at the ends). In the common case they take one pass over the text: ASCII, Han and full-width
//! characters never need the Unicode tables, and a text without a Traditional character never needs
//! the converter.

mod addresses;
mod alphanumeric;
mod as_read;
mod beginning;
mod compose;
mod options;
mod simplify;

use std::ops::Range;

pub(crate) use addresses::tag;
pub use alphanumeric::append_alphanumeric;
pub use alphanumeric::{Cursor, size, size_of};
pub use as_read::{AsRead, counting, is_of_spaced_word};
use compose::{run_with_tables, without_tables};
pub use options::Options;
use simplify::Simplifier;
use unicode_normalization::UnicodeNormalization;

/// Takes the chosen steps. It is built once and used from many threads. The Chinese converter is
/// loaded once a process, with the first text that needs it.
///
/// ```
/// use nearprint_core::normalize::{Normalizer, Options};
/// let normalizer = Normalizer::new(Options::default());
/// assert_eq!(normalizer.normalize("Ｈｅｌｌｏ，\n  WORLD "), "hello, world");
/// assert_eq!(normalizer.normalize("資訊檢索"), normalizer.normalize("资讯检索"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Normalizer {
    options: Options,
}

impl Normalizer {
    /// A normalizer that takes the steps of `options`.
    pub fn new(options: Options) -> Normalizer {
        Normalizer { options }
    }

    /// The normalized text.
    pub fn normalize(&self, text: &str) -> String {
        let stripped = if self.options.addresses { addresses::strip(text) } else { None };
        self.respell(stripped.as_deref().unwrap_or(text))
    }

    /// The parts of a text that are not stripped, one after the other, none of them empty.
    fn kept(&self, text: &str) -> Vec<Range<usize>> {
        let stripped = if self.options.addresses { addresses::parts(text) } else { Vec::new() };
        addresses::between(&stripped, text).filter(|kept| !kept.is_empty()).collect()
    }

    /// Takes all steps but stripping.
    fn respell(&self, text: &str) -> String {
        let folded = self.fold(text);
        if !self.options.simplified || folded.is_ascii() {
            return folded;
        }
        // No folding changes a character that the dictionaries list, so this step may be the last
        // one.
        Simplifier::usual().convert(&folded).unwrap_or(folded)
    }

    /// Takes the steps of single characters: all but stripping and simplification.
    fn fold(&self, text: &str) -> String {
        self.fold_by(beginning::append_folded, text)
    }

    /// Folds a text, its beginning by the given form of `append_folded`.
    fn fold_by(
        &self,
        append_folded: impl Fn(&str, Options, &mut String) -> usize,
        text: &str,
    ) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        loop {
            at += append_folded(&text[at..], self.options, &mut out);
            for (place, c) in text[at..].chars().enumerate() {
                // More ASCII or Han characters are left to the fast way.
                let fast = place > 0 && (c.is_ascii() || is_han(c));
                let form = if self.options.nfkc { without_tables(c) } else { Some(c) };
                let Some(form) = form.filter(|_| !fast) else { break };
                self.push(form, &mut out);
                at += c.len_utf8();
            }
            let Some(c) = text[at..].chars().next() else { break };
            if self.options.nfkc && without_tables(c).is_none() {
                // A run of other characters may compose with the character before it, unless that
                // is white space.
                let mut start = at;
                if let Some(before) =
                    text[..at].chars().next_back().filter(|before| !before.is_whitespace())
                {
                    start -= before.len_utf8();
                    out.pop();
                }
                at += run_with_tables(&text[at..]);
                text[start..at].nfkc().for_each(|c| self.push(c, &mut out));
            }
        }
        if self.options.space && out.ends_with(' ') {
            out.pop();
        }
        out
    }

    /// Appends a character, folded.
    fn push(&self, c: char, out: &mut String) {
        let Options { case, digits, space, .. } = self.options;
        match c {
            _ if space && c.is_whitespace() => {
                if !beginning::takes_no_blank(out) {
                    out.push(' ');
                }
            }
            '0'..='9' if digits => out.push('0'),
            _ if case => out.extend(c.to_lowercase()),
            _ => out.push(c),
        }
    }
}

/// Length of the leading ASCII.
#[inline]
pub fn ascii_run(bytes: &[u8]) -> usize {
    let whole = bytes.as_chunks::<16>().0.iter().take_while(|block| block.is_ascii()).count() * 16;
    whole + bytes[whole..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Length in bytes of the leading characters of U+3001..=U+9FFF: E3 80 81 to E9 BF BF in UTF-8.
/// None of them has another case or is white space.
fn caseless_run(bytes: &[u8]) -> usize {
    let caseless = |c: &&[u8; 3]| matches!(c[0], 0xe3..=0xe9) && **c != [0xe3, 0x80, 0x80];
    bytes.as_chunks().0.iter().take_while(caseless).count() * 3
}

/// Length in bytes of the leading characters of U+4E00..=U+9FFF, nearly all of Chinese: E4 B8 80 to
/// E9 BF BF in UTF-8.
fn han_run(bytes: &[u8]) -> usize {
    let han = |c: &&[u8]| matches!(**c, [0xe5..=0xe9, ..] | [0xe4, 0xb8..=0xbf, ..]);
    bytes.chunks_exact(3).take_while(han).count() * 3
}

/// Returns true if a character is a Chinese character (Han script, the unified blocks, their
/// extensions and U+3007).
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '\u{3007}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::compose::tests::mixed_text;
    use super::*;

    #[test]
    fn each_step_can_be_switched_off() {
        let text = "Ａ１ 資訊\n\nB2 ";
        let with = |list: &str| Normalizer::new(list.parse().unwrap()).normalize(text);
        assert_eq!(with("none"), text);
        assert_eq!(
            Normalizer::new("addresses".parse().unwrap()).normalize("Ａ <b>http://x.org"),
            "Ａ   "
        );
        assert_eq!(with("nfkc"), "A1 資訊\n\nB2 ");
        assert_eq!(with("simplified"), "Ａ１ 资讯\n\nB2 ");
        assert_eq!(with("case"), "ａ１ 資訊\n\nb2 ");
        assert_eq!(with("digits"), "Ａ１ 資訊\n\nB0 ");
        assert_eq!(with("space"), "Ａ１ 資訊 B2");
        assert_eq!(with("nfkc,simplified,case,digits,space"), "a0 资讯 b0");
    }

    #[test]
    fn what_is_called_caseless_has_no_case() {
        for c in '\u{3001}'..='\u{9fff}' {
            assert!(c.to_lowercase().eq([c]) && !c.is_whitespace(), "{c}");
        }
        assert_eq!(caseless_run("〇、の一鿿a".as_bytes()), 15);
        assert_eq!((caseless_run("\u{3000}".as_bytes()), caseless_run("ꀀ".as_bytes())), (0, 0));
    }

    #[test]
    fn a_character_that_becomes_two_in_lower_case_stays_whole_before_others() {
        let normalizer = Normalizer::new(Options::default());
        for text in ["İ»", "aİ…b", "İ\u{301}", "İ\u{a0}x", "Σİ™"] {
            let plain: String = text.nfkc().flat_map(char::to_lowercase).collect();
            assert_eq!(normalizer.normalize(text), plain, "{text}");
        }
    }

    #[test]
    fn phrases_without_a_character_that_changes_alone_are_converted() {
        let normalizer = Normalizer::new(Options::default());
        assert_eq!(normalizer.normalize("不瞭解"), "不了解");
        assert_eq!(normalizer.normalize("反覆"), "反复");
        assert_eq!(normalizer.normalize("藉口"), "借口");
        assert_eq!(normalizer.normalize("瞭望"), "瞭望");
    }

    proptest! {
        #[test]
        fn folding_by_runs_equals_folding_by_characters(text in mixed_text(), steps in "(nfkc)?(,case)?(,digits)?(,space)?") {
            let options: Options = steps.trim_matches(',').parse().unwrap_or(Options::NONE);
            let composed = if options.nfkc { text.nfkc().collect() } else { text.clone() };
            let mut plain = String::new();
            for c in composed.chars() {
                match c {
                    _ if options.space && c.is_whitespace() => {
                        if !plain.is_empty() && !plain.ends_with(' ') {
                            plain.push(' ');
                        }
                    }
                    '0'..='9' if options.digits => plain.push('0'),
                    _ if options.case => plain.extend(c.to_lowercase()),
                    _ => plain.push(c),
                }
            }
            if options.space {
                plain.truncate(plain.trim_end_matches(' ').len());
            }
            prop_assert_eq!(Normalizer::new(options).fold(&text), plain);
        }

        #[test]
        fn normalizing_twice_changes_nothing(text in "[a-zA-Z0-9 \n\u{3000}一-龥Ａ-Ｚ，。]{0,40}") {
            let normalizer = Normalizer::new("nfkc,case,digits,space".parse().unwrap());
            let once = normalizer.normalize(&text);
            prop_assert_eq!(normalizer.normalize(&once), once);
        }
    }
}
