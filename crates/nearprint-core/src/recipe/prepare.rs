//! A text -> a prepared document: normalized, cut into terms, stripped to letters and digits, as
//! far as wanted.
//!
//! [`Recipe::prepare`] alone prepares documents of any purpose. The buffers of [`Prepared`] are
//! used again for the next document, but for the normalized text.

use std::mem;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::Recipe;
use crate::compare::ShortText;
use crate::features::{Kind, Term, each_feature, term};
use crate::fingerprint::Hasher;
use crate::normalize::append_alphanumeric;

/// The most bytes of a text that is compared by its characters: about 340 Han characters or 160
/// English words, far more than 8 features usually take.
const MOST_SHORT_BYTES: usize = 1024;

/// The parts of a document that are to be made of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Wanted {
    /// Its terms.
    pub terms: bool,
    /// The place of each term in the text.
    pub places: bool,
    /// Its letters and digits.
    pub alphanumeric: bool,
}

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
    /// Its fingerprint, in the first bits of the words.
    pub fingerprint: Option<[u64; 4]>,
}

impl Prepared {
    /// Forgets the document and keeps the buffers.
    pub fn clear(&mut self) {
        (self.text_hash, self.is_empty, self.features, self.fingerprint) = (0, false, 0, None);
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
    /// and is not long. A long text whose tokens were filtered away is not short.
    pub fn keep_short(&mut self, short_below: u32) {
        let Some(text) = self.text.get() else { return };
        if self.features < short_below && text.len() <= MOST_SHORT_BYTES {
            self.short.fill().fill(text);
        }
    }
}

/// Makes terms of a document's own tokens.
fn terms_of_tokens(wanted: Wanted, out: &mut Prepared) {
    let Prepared { own_tokens, terms, places, .. } = out;
    let (terms, places) =
        (terms.fill(), if wanted.places { places.fill() } else { &mut places.value });
    terms.clear();
    places.clear();
    let mut start = 0;
    for token in own_tokens.value.split_terminator('\n') {
        terms.push(term(token));
        places.push((start as u32, (start + token.len()) as u32));
        start += token.len() + 1;
    }
}

fn words(text: &str, places: &[(u32, u32)]) -> String {
    let words: Vec<&str> =
        places.iter().map(|(start, end)| &text[*start as usize..*end as usize]).collect();
    words.join(" ")
}

impl Recipe {
    /// Normalizes a text and makes the wanted parts of it, in place of the document that `out`
    /// held.
    ///
    /// ```
    /// use nearprint_core::recipe::{Options, Prepared, Recipe, Wanted};
    /// let recipe = Recipe::new(Options::default())?;
    /// let mut document = Prepared::default();
    /// recipe.prepare("ＡＢＣ, 能力", Wanted { terms: true, ..Wanted::default() }, &mut document);
    /// assert_eq!(document.text.get().unwrap(), "abc, 能力");
    /// assert_eq!(document.terms.get().unwrap().len(), 2);
    /// assert!(document.alphanumeric.get().is_none());
    /// # Ok::<(), nearprint_core::recipe::Error>(())
    /// ```
    pub fn prepare(&self, text: &str, wanted: Wanted, out: &mut Prepared) {
        out.clear();
        *out.text.fill() = self.0.normalizer.normalize(text);
        self.make_parts(wanted, out);
    }

    /// Makes the wanted parts of a text that is normalized already.
    pub fn prepare_normalized(&self, text: &str, wanted: Wanted, out: &mut Prepared) {
        out.clear();
        let own = out.text.fill();
        own.clear();
        own.push_str(text);
        self.make_parts(wanted, out);
    }

    /// Normalizes a text and makes the wanted parts of it, with terms of the document's own tokens.
    /// Each token is normalized like a text, and dropped where a segmenter's token would be.
    ///
    /// ```
    /// use nearprint_core::features;
    /// use nearprint_core::recipe::{Options, Prepared, Recipe, Wanted, Words};
    /// let terms = features::Options { han_only: true, ..features::Options::default() };
    /// let words = Words { own_tokens: true, terms, ..Words::default() };
    /// let features = features::Kind::Words;
    /// let recipe = Recipe::new(Options { features, words, ..Options::default() })?;
    /// let mut document = Prepared::default();
    /// let tokens = ["葫芦娃", "，", "藤上", "abc"].map(String::from);
    /// let wanted = Wanted { terms: true, ..Wanted::default() };
    /// recipe.prepare_with_tokens("葫芦娃，藤上abc", &tokens, wanted, &mut document);
    /// assert_eq!(document.own_tokens.get().unwrap(), "葫芦娃\n藤上\n"); // Chinese words only.
    /// # Ok::<(), nearprint_core::recipe::Error>(())
    /// ```
    pub fn prepare_with_tokens(
        &self,
        text: &str,
        tokens: &[String],
        wanted: Wanted,
        out: &mut Prepared,
    ) {
        self.prepare(text, Wanted { terms: false, places: false, ..wanted }, out);
        let own = out.own_tokens.fill();
        own.clear();
        for token in tokens {
            let token = self.0.normalizer.normalize(token);
            if token.chars().any(char::is_alphanumeric) && self.0.options.words.terms.keeps(&token)
            {
                // A line feed ends a token.
                own.extend(token.chars().map(|c| if c == '\n' { ' ' } else { c }));
                own.push('\n');
            }
        }
        if wanted.terms {
            terms_of_tokens(wanted, out);
        }
    }

    /// Makes a document of words of its own tokens, as
    /// [`prepare_with_tokens`](Self::prepare_with_tokens) left them. Its text is absent.
    pub fn prepare_own_tokens(&self, own: &str, wanted: Wanted, out: &mut Prepared) {
        out.clear();
        let tokens = out.own_tokens.fill();
        tokens.clear();
        tokens.push_str(own);
        terms_of_tokens(wanted, out);
    }

    fn make_parts(&self, wanted: Wanted, out: &mut Prepared) {
        let Prepared { text, terms, places, .. } = out;
        let text = &text.value;
        out.text_hash = xxh3_128(text.as_bytes());
        out.is_empty = text.trim().is_empty();
        if wanted.terms {
            let (terms, places) =
                (terms.fill(), if wanted.places { places.fill() } else { &mut places.value });
            terms.clear();
            places.clear();
            terms.reserve(text.len() / 5);
            self.0.segmenter.tokens(text, &mut |token| {
                if self.0.options.words.terms.keeps(token) {
                    terms.push(term(token));
                    if wanted.places {
                        let start = token.as_ptr() as usize - text.as_ptr() as usize;
                        places.push((start as u32, (start + token.len()) as u32));
                    }
                }
            });
        }
        if wanted.alphanumeric {
            out.strip();
        }
    }

    /// The parts of which fingerprints are made.
    pub fn parts_of_fingerprints(&self) -> Wanted {
        match self.0.options.features {
            Kind::Letters => Wanted { alphanumeric: true, ..Wanted::default() },
            Kind::Words => {
                Wanted { terms: true, places: self.hasher().needs_text(), ..Wanted::default() }
            }
        }
    }
}
