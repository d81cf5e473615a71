//! Text as read -> text to compare: spellings of one and the same character become one.
//!
//! Five steps in a fixed order, each of which can be switched off: NFKC (full-width to half-width, ligatures, …; Unicode
//! Standard Annex 15), Traditional to Simplified Chinese (OpenCC's dictionaries), case (each character's lower-case
//! mapping), digits (each ASCII digit becomes `0`), white space (each run becomes one blank, none at the ends).
//! The steps are one pass over the text in the common case: ASCII, Han and full-width characters never need the Unicode
//! tables, and a text without a single Traditional character never sees the converter.

use std::borrow::Cow;
use std::sync::OnceLock;

use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;
use unicode_normalization::UnicodeNormalization;

/// Which steps are taken.
///
/// As text it is a list of steps, or `none`:
/// ```
/// use nearprint::normalize::Options;
/// let options: Options = "nfkc,case".parse()?;
/// assert!(options.nfkc && options.case && !options.simplified);
/// assert_eq!(options.to_string(), "nfkc,case");
/// assert_eq!(Options::default().to_string(), "nfkc,simplified,case,space");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Options {
    /// `nfkc`: compatibility normalization, full-width to half-width among it.
    pub nfkc: bool,
    /// `simplified`: Traditional Chinese characters to Simplified ones.
    pub simplified: bool,
    /// `case`: to lower case.
    pub case: bool,
    /// `digits`: every ASCII digit to `0`, so that numbers of one length are equal.
    pub digits: bool,
    /// `space`: runs of white space to one blank, none at the ends.
    pub space: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { nfkc: true, simplified: true, case: true, digits: false, space: true }
    }
}

impl Options {
    /// No step at all.
    pub const NONE: Options = Options { nfkc: false, simplified: false, case: false, digits: false, space: false };
}

impl std::str::FromStr for Options {
    type Err = String;

    fn from_str(list: &str) -> Result<Options, String> {
        let mut options = Options::NONE;
        if list.trim() == "none" {
            return Ok(options);
        }
        for step in list.split(',') {
            match step.trim() {
                "nfkc" => options.nfkc = true,
                "simplified" => options.simplified = true,
                "case" => options.case = true,
                "digits" => options.digits = true,
                "space" => options.space = true,
                other => {
                    return Err(format!(
                        "\"{other}\" is no normalization step; write none or a list of nfkc, simplified, case, digits, space"
                    ));
                }
            }
        }
        Ok(options)
    }
}

impl std::fmt::Display for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps = [
            (self.nfkc, "nfkc"),
            (self.simplified, "simplified"),
            (self.case, "case"),
            (self.digits, "digits"),
            (self.space, "space"),
        ];
        let taken: Vec<&str> = steps.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        f.write_str(if taken.is_empty() { "none".to_string() } else { taken.join(",") }.as_str())
    }
}

impl From<Options> for String {
    fn from(options: Options) -> String {
        options.to_string()
    }
}

impl TryFrom<String> for Options {
    type Error = String;

    fn try_from(list: String) -> Result<Options, String> {
        list.parse()
    }
}

/// Takes the chosen steps. Built once, used from many threads; the Chinese converter is loaded with the first text that
/// needs it.
///
/// ```
/// use nearprint::normalize::{Normalizer, Options};
/// let normalizer = Normalizer::new(Options::default());
/// assert_eq!(normalizer.normalize("Ｈｅｌｌｏ，\n  WORLD "), "hello, world");
/// assert_eq!(normalizer.normalize("資訊檢索"), normalizer.normalize("资讯检索"));
/// ```
#[derive(Debug)]
pub struct Normalizer {
    options: Options,
    simplifier: OnceLock<Simplifier>,
}

impl Normalizer {
    /// A normalizer that takes the steps of `options`.
    pub fn new(options: Options) -> Normalizer {
        Normalizer { options, simplifier: OnceLock::new() }
    }

    /// The normalized text.
    pub fn normalize(&self, text: &str) -> String {
        let mut composed = Cow::Borrowed(text);
        if !text.is_ascii() {
            if self.options.nfkc {
                composed = Cow::Owned(nfkc(text));
            }
            if self.options.simplified && composed.chars().any(is_han) {
                let simplifier = self.simplifier.get_or_init(Simplifier::load);
                if let Some(simple) = simplifier.convert(&composed) {
                    composed = Cow::Owned(simple);
                }
            }
        }
        self.fold(&composed)
    }

    /// Case, digits and white space, character by character; ASCII goes by table.
    fn fold(&self, text: &str) -> String {
        let Options { case, digits, space, .. } = self.options;
        if !(case || digits || space) {
            return text.to_string();
        }
        let mut out = String::with_capacity(text.len());
        // With `space`, a blank is owed once a character other than white space follows, and none at the start.
        let mut blank_owed = false;
        let mut at = 0;
        while at < text.len() {
            let run = regular_ascii(&text.as_bytes()[at..]);
            let c = text[at..].chars().next().unwrap_or_default();
            if run == 0 && space && c.is_whitespace() {
                blank_owed = !out.is_empty();
                at += c.len_utf8();
                continue;
            }
            if blank_owed {
                out.push(' ');
                blank_owed = false;
            }
            let start = out.len();
            match run {
                0 if case && !is_han(c) => out.extend(c.to_lowercase()),
                0 => out.push(c),
                _ => out.push_str(&text[at..at + run]),
            }
            at += if run == 0 { c.len_utf8() } else { run };
            if run > 0 && case {
                out[start..].make_ascii_lowercase();
            }
            if run > 0 && digits && out[start..].bytes().any(|byte| byte.is_ascii_digit()) {
                let zeroed: String = out[start..].chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
                out.replace_range(start.., &zeroed);
            }
        }
        out
    }
}

/// Length of the leading ASCII words with one blank between each two, which no folding of white space changes.
fn regular_ascii(bytes: &[u8]) -> usize {
    let mut blank = true;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'!'..=b'~' => blank = false,
            b' ' if !blank => blank = true,
            _ => return at - usize::from(blank && at > 0),
        }
    }
    bytes.len() - usize::from(blank && !bytes.is_empty())
}

/// NFKC of the whole text. Characters that need no tables are copied or mapped one by one; each run of others goes
/// through the tables, together with the one character before it, which it may compose with.
fn nfkc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Where the last copied character stands in `text` and in `out`: a run of others starts there.
    let (mut last_in, mut last_out) = (0, 0);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(plain) = without_tables(c) {
            (last_in, last_out) = (at, out.len());
            out.push(plain);
            at += c.len_utf8();
        } else {
            let length = text[at..].find(|c| without_tables(c).is_some()).unwrap_or(text.len() - at);
            out.truncate(last_out);
            out.extend(text[last_in..at + length].nfkc());
            at += length;
            (last_in, last_out) = (at, out.len());
        }
    }
    out
}

/// The NFKC form of a character that has one of its own whatever stands before it, and is a starter.
fn without_tables(c: char) -> Option<char> {
    match c {
        '\0'..='\u{7f}' => Some(c),
        '\u{4e00}'..='\u{9fff}' => Some(c),
        // Full-width ! to ~.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21),
        // Ideographic space, comma, full stop, brackets and Chinese quotation marks.
        '\u{3000}' => Some(' '),
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => {
            Some(c)
        }
        _ => None,
    }
}

/// Whether a character is a Chinese character (Han script, the unified blocks, their extensions and U+3007).
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '\u{3007}')
}

/// Traditional to Simplified Chinese: what OpenCC gives, at the speed of a table.
///
/// OpenCC takes the longest phrase of its dictionary at each place, else the character's own entry. Each of its phrases
/// that changes anything holds one of [`PHRASE_CHARACTERS`], so only the neighborhoods of those go through OpenCC; all
/// other characters are looked up in a table made from OpenCC itself.
#[derive(Debug)]
struct Simplifier {
    converter: Converter,
    /// For each character from U+3400 on what it becomes alone, and how far the phrases reach that it stands for.
    table: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    simple: char,
    reach: u8,
}

/// [`OpenCC`] has no `Debug`.
struct Converter(OpenCC);

impl std::fmt::Debug for Converter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

/// At least one character of every phrase that OpenCC's dictionary for this direction converts, found by walking it, and
/// how many characters to either side of it its phrases reach. Tests hold the outcome against OpenCC on whole texts.
const PHRASE_CHARACTERS: [(u8, &str); 3] = [
    (1, "傢吒噁帳幬彿條沈濛無牴畢發盤稟積萬蕩薹衹觸計詞讀資躪醞醬鈞鍛電頗顧麽"),
    (3, "傷塊尋徵憑據於機沒甌瞭簡籌維藉覆買載辭過遺醜鉅錦鍊門雖額魚麼齎"),
    (7, "乾見話鍾"),
];

const TABLE: std::ops::Range<u32> = 0x3400..0x323b0;

impl Simplifier {
    fn load() -> Simplifier {
        let converter =
            OpenCC::from_config(BuiltinConfig::T2s).expect("the built-in dictionary is part of the program");
        let lines: String = TABLE.flat_map(|c| [char::from_u32(c).unwrap_or('?'), '\n']).collect();
        let mut table: Vec<Entry> =
            converter.convert(&lines).chars().step_by(2).map(|simple| Entry { simple, reach: 0 }).collect();
        assert_eq!(table.len(), TABLE.len(), "a character alone becomes one character");
        for (reach, characters) in PHRASE_CHARACTERS {
            for c in characters.chars() {
                table[(u32::from(c) - TABLE.start) as usize].reach = reach;
            }
        }
        Simplifier { converter: Converter(converter), table }
    }

    #[inline]
    fn entry(&self, c: char) -> Entry {
        let place = u32::from(c).checked_sub(TABLE.start);
        place.and_then(|place| self.table.get(place as usize)).copied().unwrap_or(Entry { simple: c, reach: 0 })
    }

    /// The simplified text, or `None` where nothing in it could change.
    fn convert(&self, text: &str) -> Option<String> {
        let mut changes = false;
        let mut windows: Vec<std::ops::Range<usize>> = Vec::new();
        for (at, c) in text.char_indices() {
            let Entry { simple, reach } = self.entry(c);
            changes |= simple != c || reach > 0;
            if reach == 0 {
                continue;
            }
            let reach = usize::from(reach);
            let mut start = text[..at].char_indices().rev().nth(reach - 1).map_or(0, |(place, _)| place);
            let mut end = text[at..].char_indices().nth(reach + 1).map_or(text.len(), |(place, _)| at + place);
            while let Some(last) = windows.pop_if(|last| last.end > start) {
                (start, end) = (start.min(last.start), end.max(last.end));
            }
            windows.push(start..end);
        }
        if !changes {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for window in windows {
            out.extend(text[done..window.start].chars().map(|c| self.entry(c).simple));
            done = window.end;
            out.push_str(&self.converter.0.convert(&text[window]));
        }
        out.extend(text[done..].chars().map(|c| self.entry(c).simple));
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_step_can_be_switched_off() {
        let text = "Ａ１ 資訊\n\nB2 ";
        let with = |list: &str| Normalizer::new(list.parse().unwrap()).normalize(text);
        assert_eq!(with("none"), text);
        assert_eq!(with("nfkc"), "A1 資訊\n\nB2 ");
        assert_eq!(with("simplified"), "Ａ１ 资讯\n\nB2 ");
        assert_eq!(with("case"), "ａ１ 資訊\n\nb2 ");
        assert_eq!(with("digits"), "Ａ１ 資訊\n\nB0 ");
        assert_eq!(with("space"), "Ａ１ 資訊 B2");
        assert_eq!(with("nfkc,simplified,case,digits,space"), "a0 资讯 b0");
    }

    #[test]
    fn an_unknown_step_is_named() {
        let error = "nfkc,upper".parse::<Options>().unwrap_err();
        assert!(error.contains("upper") && error.contains("simplified"), "{error}");
    }

    #[test]
    fn phrases_without_a_character_that_changes_alone_are_converted() {
        let normalizer = Normalizer::new(Options::default());
        assert_eq!(normalizer.normalize("不瞭解"), "不了解");
        assert_eq!(normalizer.normalize("反覆"), "反复");
        assert_eq!(normalizer.normalize("藉口"), "借口");
        assert_eq!(normalizer.normalize("瞭望"), "瞭望");
    }

    fn mixed_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ -~]{0,6}",
            "[一-龥]{0,6}",
            "[\u{ff01}-\u{ff5e}\u{3000}-\u{3020}]{0,4}",
            "[\u{300}-\u{310}]{0,3}",
            "[가-힣ᄀ-ᇂ\u{1161}-\u{1175}]{0,3}",
            "[か-ぽ\u{3099}\u{309a}ｱ-ﾟ]{0,4}",
            "\\PC{0,4}",
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

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
        fn nfkc_equals_the_plain_tables(text in mixed_text()) {
            prop_assert_eq!(nfkc(&text), text.nfkc().collect::<String>());
        }

        #[test]
        fn folding_by_runs_equals_folding_by_characters(text in mixed_text(), steps in "(case)?(,digits)?(,space)?") {
            let options: Options = steps.trim_matches(',').parse().unwrap_or(Options::NONE);
            let mut plain = String::new();
            for c in text.chars() {
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

        #[test]
        fn the_table_gives_what_opencc_gives(text in traditional_text()) {
            static SIMPLIFIER: std::sync::LazyLock<Simplifier> = std::sync::LazyLock::new(Simplifier::load);
            let always = SIMPLIFIER.converter.0.convert(&text);
            prop_assert_eq!(SIMPLIFIER.convert(&text).unwrap_or(text), always);
        }
    }
}
