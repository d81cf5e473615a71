//! A prepared document: its parts, each there or absent.

use std::mem;

use crate::compare::ShortText;
use crate::features::{Term, each_feature};
use crate::fingerprint::Hasher;
use crate::normalize::append_alphanumeric;

/// The most bytes of the characters that count of a text that is compared by them: about 340 Han
/// characters or 160 English words, far more than 8 features usually take.
const MOST_SHORT_BYTES: usize = 1024;

/// A part of a document, or a buffer for one. An absent part is never an empty one.
#[derive(Debug, Default)]
pub struct Part<T> {
    is_there: bool,
    value: T,
}

impl<T> Part<T> {
    /// The part; `None` if it was not made.
    pub fn get(&self) -> Option<&T> {
        self.is_there.then_some(&self.value)
    }

    /// The buffer, which counts as the part from now on. It keeps its old content.
    pub fn fill(&mut self) -> &mut T {
        self.is_there = true;
        &mut self.value
    }

    /// The buffer, without a change of the part.
    pub(super) fn buffer(&mut self) -> &mut T {
        &mut self.value
    }

    /// Makes the part absent and keeps the buffer.
    pub fn forget(&mut self) {
        self.is_there = false;
    }
}

impl<T: Clone> Part<T> {
    /// Becomes a copy of another part.
    fn copy(&mut self, other: &Part<T>) {
        match other.get() {
            Some(value) => self.fill().clone_from(value),
            None => self.forget(),
        }
    }
}

impl<T: Default> Part<T> {
    /// Takes the part out; `None` if it was not made.
    pub fn take(&mut self) -> Option<T> {
        mem::take(&mut self.is_there).then(|| mem::take(&mut self.value))
    }
}

/// A document prepared for fingerprints and comparisons: each part is there or absent.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The XXH3-128 of the normalized text.
    pub text_hash: u128,
    /// True if the normalized text has nothing but white space.
    pub is_empty: bool,
    /// True if parts of the text as read were left out.
    pub has_left_out: bool,
    /// Distinct features; 0 until they are counted.
    pub features: u32,
    /// The normalized text.
    pub text: Part<String>,
    /// Its own tokens, normalized, one a line, if it brings some.
    pub own_tokens: Part<String>,
    /// Its letters and digits, as UTF-8.
    pub alphanumeric: Part<Vec<u8>>,
    /// Its terms in order.
    pub terms: Part<Vec<Term>>,
    /// The first byte of each term and the byte past it, in its own tokens if it brings some, else
    /// in the normalized text.
    pub places: Part<Vec<(u32, u32)>>,
    /// Its characters and figures, if it is short enough to be compared by them.
    pub short: Part<ShortText>,
    /// Its features with their weights, sorted by feature.
    pub weights: Part<Vec<(u64, u64)>>,
    /// Its fingerprint, in the first bits of the words; `None` before it is made.
    pub fingerprint: Option<[u64; 4]>,
}

impl Prepared {
    /// Forgets the document and keeps the buffers.
    pub fn clear(&mut self) {
        (self.text_hash, self.is_empty, self.features, self.fingerprint) = (0, false, 0, None);
        self.has_left_out = false;
        self.text.forget();
        self.own_tokens.forget();
        self.alphanumeric.forget();
        self.terms.forget();
        self.places.forget();
        self.short.forget();
        self.weights.forget();
    }

    /// Becomes a copy of another document.
    pub fn copy(&mut self, other: &Prepared) {
        let Prepared { text_hash, is_empty, features, fingerprint, .. } = *other;
        (self.text_hash, self.is_empty, self.features, self.fingerprint) =
            (text_hash, is_empty, features, fingerprint);
        self.has_left_out = other.has_left_out;
        self.text.copy(&other.text);
        self.own_tokens.copy(&other.own_tokens);
        self.alphanumeric.copy(&other.alphanumeric);
        self.terms.copy(&other.terms);
        self.places.copy(&other.places);
        self.short.copy(&other.short);
        self.weights.copy(&other.weights);
    }

    /// Makes the letters and digits of its text a part of it.
    pub fn strip(&mut self) {
        let Prepared { text, alphanumeric, .. } = self;
        let bytes = alphanumeric.fill();
        bytes.clear();
        let mut stripped = String::from_utf8(mem::take(bytes)).unwrap_or_default();
        stripped.reserve(text.value.len());
        append_alphanumeric(&text.value, &mut stripped);
        *bytes = stripped.into_bytes();
    }

    /// The letters and digits as text.
    ///
    /// # Panics
    /// Panics if they were not prepared.
    pub(super) fn alphanumeric_text(&self) -> &str {
        let bytes = self.alphanumeric.get().expect("letters and digits are prepared");
        simdutf8::basic::from_utf8(bytes).expect("letters and digits are UTF-8")
    }

    /// The terms.
    ///
    /// # Panics
    /// Panics if they were not prepared.
    pub(super) fn own_terms(&self) -> &[Term] {
        self.terms.get().expect("terms are prepared")
    }

    /// Calls `each` with every feature of words and with its words, joined by blanks. The terms and
    /// their places must be there.
    pub fn each_feature_in_words(&self, ngram: u32, mut each: impl FnMut(u64, &str)) {
        let (Some(text), Some(places)) = (self.text_of_terms(), self.places.get()) else { return };
        each_feature(self.own_terms(), ngram, |feature, terms| {
            each(feature, &words(text, &places[terms]))
        });
    }

    /// The words of the feature whose first term is the one at this place.
    pub fn words_at(&self, first: u32, ngram: u32) -> Option<String> {
        let (text, places) = (self.text_of_terms()?, self.places.get()?);
        let first = first as usize;
        Some(words(text, &places[first..places.len().min(first + ngram as usize)]))
    }

    /// The text to which the places of terms belong.
    fn text_of_terms(&self) -> Option<&String> {
        self.own_tokens.get().or(self.text.get())
    }

    /// Teaches a hasher that needs the text of features those of this document, and no others.
    pub fn teach(&self, ngram: u32, hasher: &mut Hasher) {
        if hasher.needs_text() {
            hasher.forget();
            self.each_feature_in_words(ngram, |feature, words| hasher.learn(feature, words));
        }
    }

    /// Makes its characters and figures a part of it, if it has fewer features than `short_below`
    /// and these characters are not many. A long text whose tokens were filtered away has many.
    pub fn keep_short(&mut self, short_below: u32) {
        let Some(text) = self.text.get() else { return };
        if self.features < short_below {
            let short = self.short.fill();
            short.fill(text);
            if short.characters.iter().map(|own| own.len_utf8()).sum::<usize>() > MOST_SHORT_BYTES {
                self.short.forget();
            }
        }
    }
}

fn words(text: &str, places: &[(u32, u32)]) -> String {
    let words: Vec<&str> =
        places.iter().map(|(start, end)| &text[*start as usize..*end as usize]).collect();
    words.join(" ")
}
