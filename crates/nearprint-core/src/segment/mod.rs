//! Text -> tokens: one segmenter per script, mixed text cut where the scripts meet.
//!
//! | segmenter | cuts | for |
//! | --- | --- | --- |
//! | `auto` | Han characters as `chinese`, the rest as `words` | everything (default) |
//! | `chinese` | the whole text as jieba would | the published MD5 variant; comparison with jieba |
//! | `words` | Unicode words (UAX 29); each Han character is a word of its own | text without Chinese |
//! | `characters` | each letter, digit or Han character is a token | character n-grams with `ngram` |
//!
//! Tokens without a letter or digit (punctuation, symbols, white space) are dropped here.

mod chinese;
mod words;

use xxhash_rust::xxh3::xxh3_64;

use crate::normalize::{ascii_run, is_han};
pub use chinese::{BadWord, prepare as prepare_dictionary};
use chinese::{Chinese, Scratch};

/// The segmenter that cuts the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Han characters by dictionary, the rest by Unicode word boundaries.
    #[default]
    Auto,
    /// The whole text through the Chinese segmenter.
    Chinese,
    /// Unicode word boundaries only.
    Words,
    /// Single characters.
    Characters,
}

/// The settings of a segmenter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The segmenter.
    pub kind: Kind,
    /// True if the hidden Markov model guesses Chinese words that the dictionary lacks.
    pub hmm: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { kind: Kind::Auto, hmm: true }
    }
}

/// Cuts text into tokens. It is built once and used from many threads. The Chinese dictionary is
/// loaded once a process, with the first text that needs it.
///
/// ```
/// use nearprint_core::segment::{Options, Segmenter};
/// let segmenter = Segmenter::new(Options::default());
/// let mut tokens = Vec::new();
/// segmenter.tokens("能力比学历重要, don't you think?", &mut |token| tokens.push(token));
/// assert_eq!(tokens, ["能力", "比", "学历", "重要", "don't", "you", "think"]);
/// ```
#[derive(Debug)]
pub struct Segmenter {
    options: Options,
    /// The dictionary with the user's own words, if there are any.
    own: Option<Chinese>,
    /// The part of the name that stands for the user's own words.
    own_words: String,
}

impl Segmenter {
    /// A segmenter as `options` say.
    pub fn new(options: Options) -> Segmenter {
        Segmenter { options, own: None, own_words: String::new() }
    }

    /// A segmenter whose dictionary has further words: lines of a word, its frequency and a tag, as
    /// in jieba's user dictionaries. The tag is ignored. A word without a frequency gets the least
    /// one that lets it win against the words that it would be cut into.
    ///
    /// ```
    /// use nearprint_core::segment::{Options, Segmenter};
    /// let segmenter = Segmenter::with_words(Options::default(), "葫芦娃娃 100 n\n一根藤上\n")?;
    /// let mut tokens = Vec::new();
    /// segmenter.tokens("一根藤上葫芦娃娃", &mut |token| tokens.push(token));
    /// assert_eq!(tokens, ["一根藤上", "葫芦娃娃"]);
    /// # Ok::<(), nearprint_core::segment::BadWord>(())
    /// ```
    ///
    /// # Errors
    /// [`BadWord`] with the first line that cannot be used.
    pub fn with_words(options: Options, list: &str) -> Result<Segmenter, BadWord> {
        let own = Some(Chinese::with_words(list)?);
        Ok(Segmenter {
            options,
            own,
            own_words: format!(" and own words {:016x}", xxh3_64(list.as_bytes())),
        })
    }

    /// The name and version of the segmenter. They are part of every saved fingerprint's
    /// description, because another dictionary makes other fingerprints.
    pub fn name(&self) -> String {
        let hmm = if self.options.hmm { "" } else { ", no hmm" };
        let hmm = format!("{}{hmm}", self.own_words);
        match self.options.kind {
            Kind::Auto => format!("auto ({}{hmm}; {})", chinese::NAME, words::NAME),
            Kind::Chinese => format!("chinese ({}{hmm})", chinese::NAME_OF_ALL),
            Kind::Words => format!("words ({})", words::NAME),
            Kind::Characters => "characters".to_string(),
        }
    }

    /// Calls `each` with every token of `text`, in order.
    pub fn tokens<'t>(&self, text: &'t str, each: &mut impl FnMut(&'t str)) {
        match self.options.kind {
            Kind::Auto => chinese::with_scratch(|scratch| {
                for_each_chunk(text, |chunk| {
                    match !chunk.is_ascii() && chunk.chars().any(is_han) {
                        true => self.mixed(chunk, scratch, each),
                        false => words::words(chunk, each),
                    }
                });
            }),
            Kind::Chinese => chinese::with_scratch(|scratch| {
                self.chinese().tokens(text, self.options.hmm, scratch, each)
            }),
            Kind::Words => words::words(text, each),
            Kind::Characters => {
                for (at, c) in text.char_indices().filter(|(_, c)| is_letter_or_digit(*c)) {
                    each(&text[at..at + c.len_utf8()]);
                }
            }
        }
    }

    fn chinese(&self) -> &Chinese {
        self.own.as_ref().unwrap_or_else(|| Chinese::usual())
    }

    /// Cuts a stretch with Han and other characters: Han by dictionary, the rest by Unicode words.
    /// So a blank between the two changes nothing; editors set it or leave it out as they like.
    fn mixed<'t>(&self, chunk: &'t str, scratch: &mut Scratch, each: &mut impl FnMut(&'t str)) {
        self.chinese()
            .han(chunk, self.options.hmm, scratch, each, &|piece, each| words::words(piece, each));
    }
}

/// Returns true if a character is alphanumeric. The most frequent characters need no table.
#[inline]
fn is_letter_or_digit(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c.is_ascii_alphanumeric(),
        '\u{4e00}'..='\u{9fa5}' => true,
        '\u{2010}'..='\u{2026}' | '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' => false,
        _ => c.is_alphanumeric(),
    }
}

/// Cuts a text at white space into stretches of ASCII and stretches with other characters.
fn for_each_chunk<'t>(mut text: &'t str, mut each: impl FnMut(&'t str)) {
    let white = |c: char| c.is_ascii_whitespace();
    while !text.is_empty() {
        let ascii = ascii_run(text.as_bytes());
        if ascii == text.len() {
            return each(text);
        }
        let start = text[..ascii].rfind(white).map_or(0, |at| at + 1);
        let end = text[ascii..].find(white).map_or(text.len(), |at| ascii + at);
        each(&text[..start]);
        each(&text[start..end]);
        text = &text[end..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(kind: Kind, text: &str) -> Vec<&str> {
        static SEGMENTERS: [std::sync::LazyLock<Segmenter>; 4] = [
            std::sync::LazyLock::new(|| Segmenter::new(Options { kind: Kind::Auto, hmm: true })),
            std::sync::LazyLock::new(|| Segmenter::new(Options { kind: Kind::Chinese, hmm: true })),
            std::sync::LazyLock::new(|| Segmenter::new(Options { kind: Kind::Words, hmm: true })),
            std::sync::LazyLock::new(|| {
                Segmenter::new(Options { kind: Kind::Characters, hmm: true })
            }),
        ];
        let segmenter = &SEGMENTERS[kind as usize];
        let mut tokens = Vec::new();
        segmenter.tokens(text, &mut |token| tokens.push(token));
        tokens
    }

    #[test]
    fn the_dictionary_is_loaded_once_for_all_segmenters_without_own_words() {
        let of = |kind, hmm| Segmenter::new(Options { kind, hmm });
        let (one, other) = (of(Kind::Auto, true), of(Kind::Chinese, false));
        assert!(std::ptr::eq(one.chinese(), other.chinese()));
        let own = Segmenter::with_words(Options::default(), "藤上七朵\n").unwrap();
        assert!(!std::ptr::eq(one.chinese(), own.chinese()));
        let tokens = |segmenter: &Segmenter| {
            let mut tokens = Vec::new();
            segmenter.tokens("藤上七朵", &mut |token| tokens.push(token.to_string()));
            tokens
        };
        assert_eq!(
            (tokens(&own), tokens(&one)),
            (vec!["藤上七朵".into()], vec!["藤上".into(), "七朵".into()])
        );
    }

    #[test]
    fn every_segmenter_drops_what_has_no_letter_or_digit() {
        for kind in [Kind::Auto, Kind::Chinese, Kind::Words, Kind::Characters] {
            assert_eq!(cut(kind, " ，。!? — …\n\t《》"), [""; 0], "{kind:?}");
        }
    }

    #[test]
    fn every_segmenter_cuts_in_order_without_overlap() {
        let text = "Rust 1.95 发布了，café 与 naïve 的用户说：OK！T恤3件。テスト한국어";
        for kind in [Kind::Auto, Kind::Chinese, Kind::Words, Kind::Characters] {
            let mut from = 0;
            for token in cut(kind, text) {
                let at = token.as_ptr() as usize - text.as_ptr() as usize;
                assert!(at >= from && text[at..].starts_with(token), "{kind:?}: {token}");
                from = at + token.len();
            }
        }
    }

    #[test]
    fn mixed_text_is_cut_where_the_scripts_meet() {
        assert_eq!(cut(Kind::Auto, "使用Python3编程"), ["使用", "Python3", "编程"]);
        assert_eq!(cut(Kind::Auto, "café中文"), ["café", "中文"]);
        assert_eq!(cut(Kind::Auto, "他说:\"don't\"好"), ["他", "说", "don't", "好"]);
        assert_eq!(cut(Kind::Auto, "價格naïve一样"), ["價格", "naïve", "一样"]);
        assert_eq!(cut(Kind::Auto, "3.14和1,000"), ["3.14", "和", "1,000"]);
    }

    proptest::proptest! {
        #[test]
        fn a_blank_between_han_and_others_changes_nothing(
            pieces in proptest::collection::vec(("[能力比学历重要葫芦娃一根藤上]{1,6}", "[a-c1-3.'%+-]{1,6}|[é-ü]{1,3}"), 1..5)
        ) {
            let close: String = pieces.iter().map(|(han, other)| format!("{han}{other}")).collect();
            let wide: String = pieces.iter().map(|(han, other)| format!("{han} {other} ")).collect();
            proptest::prop_assert_eq!(cut(Kind::Auto, &close), cut(Kind::Auto, &wide));
        }
    }

    #[test]
    fn letters_and_digits_are_the_alphanumeric_characters() {
        assert!(('\0'..=char::MAX).all(|c| is_letter_or_digit(c) == c.is_alphanumeric()));
    }

    #[test]
    fn characters_are_single_letters_and_digits() {
        assert_eq!(cut(Kind::Characters, "a1 中，文"), ["a", "1", "中", "文"]);
    }

    #[test]
    fn jieba_cuts_the_words_of_the_specification() {
        assert_eq!(
            cut(Kind::Auto, "葫芦娃葫芦娃，一根藤上七朵花"),
            ["葫芦娃", "葫芦娃", "一根", "藤上", "七朵", "花"]
        );
    }
}
