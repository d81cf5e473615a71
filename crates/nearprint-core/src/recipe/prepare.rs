//! A text -> a prepared document: normalized, cut into terms, stripped to letters and digits, as
//! far as wanted.
//!
//! [`Recipe::prepare`] alone prepares documents of any purpose. The buffers of [`Prepared`] are
//! used again for the next document, but for the normalized text.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::{Prepared, Recipe};
use crate::features::{Kind, term};

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

/// Makes terms of a document's own tokens.
fn terms_of_tokens(wanted: Wanted, out: &mut Prepared) {
    let Prepared { own_tokens, terms, places, .. } = out;
    let (terms, places) =
        (terms.fill(), if wanted.places { places.fill() } else { places.buffer() });
    terms.clear();
    places.clear();
    let mut start = 0;
    for token in own_tokens.buffer().split_terminator('\n') {
        terms.push(term(token));
        places.push((start as u32, (start + token.len()) as u32));
        start += token.len() + 1;
    }
}

impl Recipe {
    /// Normalizes a text, without the parts that the recipe leaves out, and makes the wanted parts
    /// of it, in place of the document that `out` held.
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
        let rest = self.rest(text);
        out.has_left_out = rest.is_some();
        *out.text.fill() = self.0.normalizer.normalize(rest.as_deref().unwrap_or(text));
        self.make_parts(wanted, out);
    }

    /// Prepares a text with the parts that [`prepare`](Self::prepare) leaves out.
    ///
    /// ```
    /// use nearprint_core::recipe::{LeaveOut, Options, Prepared, Recipe, Wanted};
    /// let leave_out = Some(LeaveOut::new("nothing stays", |_| Some(String::new())));
    /// let recipe = Recipe::new(Options { leave_out, ..Options::default() })?;
    /// let mut document = Prepared::default();
    /// recipe.prepare("The ferry", Wanted::default(), &mut document);
    /// assert!(document.is_empty);
    /// recipe.prepare_whole("The ferry", Wanted::default(), &mut document);
    /// assert_eq!(document.text.get().unwrap(), "the ferry");
    /// # Ok::<(), nearprint_core::recipe::Error>(())
    /// ```
    pub fn prepare_whole(&self, text: &str, wanted: Wanted, out: &mut Prepared) {
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
        self.take_tokens(tokens, wanted, out);
    }

    /// Gives a prepared text terms of its document's own tokens, if terms are wanted. Texts with
    /// other tokens are not equal.
    pub(crate) fn take_tokens(&self, tokens: &[String], wanted: Wanted, out: &mut Prepared) {
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
        out.text_hash = out.text_hash.rotate_left(1) ^ xxh3_128(own.as_bytes());
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
        let text = text.buffer();
        out.text_hash = xxh3_128(text.as_bytes());
        out.is_empty = text.trim().is_empty();
        if wanted.terms {
            let (terms, places) =
                (terms.fill(), if wanted.places { places.fill() } else { places.buffer() });
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
