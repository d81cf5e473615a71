//! Text -> features, of which fingerprints are made: character n-grams, or word n-grams.
//!
//! | features | of | weigh |
//! | --- | --- | --- |
//! | `letters` | the text's letters and digits: character n-grams, four in a row ([`character_ngrams`]) | twice as much if chosen (default) |
//! | `words` | its tokens: terms, or `ngram` terms in a row | by [`crate::weights`] |
//!
//! A term is a kept token, known by the 64-bit XXH3 of its UTF-8 bytes. The strings end in this
//! room; a caller that shows them keeps a vocabulary.

pub mod character_ngrams;
mod counter;
mod xxh3;

use std::collections::BTreeSet;
use std::ops::Range;

pub use counter::{Counter, Feature};
pub use xxh3::xxh3_128_of_number;
use xxh3::{xxh3_64, xxh3_64_of_numbers};

/// A kept token, as the 64-bit XXH3 of its UTF-8 bytes.
pub type Term = u64;

/// The kind of features that a text is made into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Character n-grams: four letters or digits in a row.
    #[default]
    Letters,
    /// Word n-grams: terms, or several in a row.
    Words,
}

/// The tokens that become terms, and the number of terms in a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Tokens that are dropped, spelled as after normalization.
    pub stop_words: BTreeSet<String>,
    /// Tokens of fewer characters are dropped. 1 keeps all.
    pub min_token_length: u32,
    /// True if only tokens are kept that begin with a character of U+4E00..=U+9FA5.
    pub han_only: bool,
    /// Terms in a feature, at least 1.
    pub ngram: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { stop_words: BTreeSet::new(), min_token_length: 1, han_only: false, ngram: 1 }
    }
}

impl Options {
    /// Returns true if a token becomes a term.
    ///
    /// ```
    /// use nearprint_core::features::Options;
    /// let options = Options { min_token_length: 2, ..Options::default() };
    /// assert!(options.keeps("重要") && !options.keeps("a"));
    /// ```
    #[inline]
    pub fn keeps(&self, token: &str) -> bool {
        (self.min_token_length <= 1 || token.chars().count() >= self.min_token_length as usize)
            && (!self.han_only || matches!(token.chars().next(), Some('\u{4e00}'..='\u{9fa5}')))
            && (self.stop_words.is_empty() || !self.stop_words.contains(token))
    }
}

/// The term of a token.
///
/// ```
/// assert_eq!(nearprint_core::features::term("重要"), nearprint_core::features::term("重要"));
/// assert_ne!(nearprint_core::features::term("重要"), nearprint_core::features::term("能力"));
/// ```
#[inline]
pub fn term(token: &str) -> Term {
    xxh3_64(token.as_bytes())
}

/// Appends the features of a document to `out`: its terms themselves for `ngram` 1, else one for
/// each run of `ngram` terms, in order. A document with fewer terms than `ngram` has one feature of
/// all its terms. A document without terms has none.
///
/// ```
/// use nearprint_core::features::append_features;
/// let mut features = Vec::new();
/// append_features(&[1, 2, 3, 4], 3, &mut features);
/// assert_eq!(features.len(), 2);
/// ```
pub fn append_features(terms: &[Term], ngram: u32, out: &mut Vec<u64>) {
    each_feature(terms, ngram, |feature, _| out.push(feature));
}

/// The features of a document: its terms themselves, or the n-grams that [`append_features`] puts
/// into this buffer.
pub fn features_of<'t>(terms: &'t [Term], ngram: u32, buffer: &'t mut Vec<u64>) -> &'t [u64] {
    if ngram <= 1 {
        return terms;
    }
    buffer.clear();
    append_features(terms, ngram, buffer);
    buffer
}

/// Calls `each` with the features of a document and with the places of their terms.
pub fn each_feature(terms: &[Term], ngram: u32, mut each: impl FnMut(u64, Range<usize>)) {
    match ngram as usize {
        _ if terms.is_empty() => {}
        0 | 1 => terms.iter().enumerate().for_each(|(place, term)| each(*term, place..place + 1)),
        n => {
            let n = n.min(terms.len());
            terms
                .windows(n)
                .enumerate()
                .for_each(|(place, run)| each(run_hash(run), place..place + n));
        }
    }
}

/// The hash of several terms in a row: XXH3 of their little-endian bytes.
#[inline]
pub fn run_hash(terms: &[Term]) -> u64 {
    xxh3_64_of_numbers(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_kept_as_the_options_say() {
        let stop =
            Options { stop_words: BTreeSet::from(["的".to_string()]), ..Options::default() };
        assert!(!stop.keeps("的") && stop.keeps("目的"));
        let han = Options { han_only: true, ..Options::default() };
        assert!(han.keeps("年") && han.keeps("卡拉OK") && !han.keeps("1993") && !han.keeps("T恤"));
    }

    #[test]
    fn a_document_shorter_than_an_ngram_is_one_feature() {
        let mut features = Vec::new();
        append_features(&[1, 2], 3, &mut features);
        append_features(&[], 3, &mut features);
        assert_eq!(features, [run_hash(&[1, 2])]);
    }
}
