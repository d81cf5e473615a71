//! A text, without a corpus -> the parts that the search and the judge need.

use super::rules::Compared;
use super::{Parts, Rules};
use crate::fingerprint::Hasher;
use crate::recipe::{Prepared, Recipe, Wanted, Weigher};

/// Prepares texts one by one, in buffers of its own, one a thread: the parts that the judge
/// compares, and the fingerprint. For fingerprints alone a
/// [`Fingerprinter`](crate::recipe::Fingerprinter) is faster.
#[derive(Debug)]
pub struct Preparer {
    recipe: Recipe,
    rules: Rules,
    weigher: Weigher,
    hasher: Hasher,
    wanted: Wanted,
}

/// A text with all of its parts.
#[derive(Debug, Default)]
pub struct PreparedText {
    /// The parts.
    pub prepared: Prepared,
    /// The number of characters of the text as read.
    pub characters: u32,
}

impl Preparer {
    /// A preparer by these rules and a recipe, which has its statistics if its weights need some.
    pub fn new(recipe: &Recipe, rules: Rules) -> Preparer {
        let (parts, compared) = (recipe.parts_of_fingerprints(), rules.compared());
        let wanted = Wanted {
            terms: parts.terms || compared == Compared::Terms,
            alphanumeric: parts.alphanumeric || compared == Compared::Text,
            ..parts
        };
        Preparer {
            recipe: recipe.clone(),
            rules,
            weigher: Weigher::without_corpus(recipe),
            hasher: recipe.hasher(),
            wanted,
        }
    }

    /// Keeps the letters and digits of texts as well, even if they are not compared.
    pub fn keep_letters(&mut self) {
        self.wanted.alphanumeric = true;
    }

    /// Prepares a text in place of the one before.
    pub fn prepare(&mut self, text: &str, out: &mut PreparedText) {
        self.prepare_document(text, None, out);
    }

    /// Prepares a text, with terms of its document's own tokens if there are some.
    pub fn prepare_document(
        &mut self,
        text: &str,
        tokens: Option<&[String]>,
        out: &mut PreparedText,
    ) {
        match tokens {
            Some(own) => {
                self.recipe.prepare_with_tokens(text, own, self.wanted, &mut out.prepared);
            }
            None => self.recipe.prepare(text, self.wanted, &mut out.prepared),
        }
        let prepared = &mut out.prepared;
        prepared.teach(self.recipe.ngram(), &mut self.hasher);
        self.weigher.add_fingerprint(prepared, &self.hasher);
        if self.rules.compared() == Compared::Weights {
            self.weigher.add_weights(prepared);
        }
        self.keep_short(prepared);
        out.characters = text.chars().count() as u32;
    }

    /// Keeps the characters of a text that is short enough to be compared by them.
    pub fn keep_short(&self, prepared: &mut Prepared) {
        if self.rules.max_distance.is_some() {
            prepared.keep_short(self.rules.compared_when_short_below());
        }
    }

    /// Prepares these parts of a text that was kept as read or normalized, with the number of its
    /// features, and with terms of its document's own tokens if there are some.
    pub fn load(
        &mut self,
        text: &str,
        tokens: Option<&[String]>,
        is_as_read: bool,
        features: u32,
        parts: Parts,
        out: &mut Prepared,
    ) {
        let of_features =
            if parts.weights { self.recipe.parts_of_fingerprints() } else { Wanted::default() };
        let wanted = Wanted {
            terms: parts.terms || of_features.terms,
            alphanumeric: parts.text || of_features.alphanumeric,
            places: false,
        };
        let of_text = Wanted { terms: wanted.terms && tokens.is_none(), ..wanted };
        match is_as_read {
            true => self.recipe.prepare(text, of_text, out),
            false => self.recipe.prepare_normalized(text, of_text, out),
        }
        if let Some(own) = tokens {
            self.recipe.take_tokens(own, wanted, out);
        }
        out.features = features;
        if parts.weights {
            self.weigher.add_weights(out);
        }
        if parts.short {
            self.keep_short(out);
        }
    }
}
