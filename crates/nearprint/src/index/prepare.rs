//! A text -> all that an index keeps of it.

use super::record::{Kind, Print, Text};
use crate::corpus::Parts;
use crate::document::Document;
use crate::error::Error;
use crate::fingerprint::Hasher;
use crate::judge::{Compared, Rules};
use crate::recipe::{Prepared, Recipe, Wanted, Weigher};
use crate::short::Signature;

/// Prepares documents, in buffers of its own. One a thread.
#[derive(Debug)]
pub struct Preparer {
    recipe: Recipe,
    rules: Rules,
    weigher: Weigher,
    hasher: Hasher,
    wanted: Wanted,
}

/// The number of the text that is asked about.
pub const ASKED: u32 = u32::MAX;

/// A text that is asked about or added, prepared.
#[derive(Debug, Default)]
pub struct Asked {
    /// Its parts.
    pub prepared: Prepared,
    /// Its characters as read.
    pub characters: u32,
}

/// Refuses a recipe whose fingerprints depend on the other documents of the input.
///
/// # Errors
/// [`Error::Usage`].
pub fn check(recipe: &Recipe) -> Result<(), Error> {
    if recipe.takes_tokens() {
        return Err(Error::usage("tokens-field", "an index cuts texts itself; leave it out"));
    }
    recipe.check_statistics()
}

impl Preparer {
    /// One by a recipe and rules.
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

    /// Prepares a text, in place of the one before.
    pub fn prepare(&mut self, text: &str, out: &mut Asked) {
        self.recipe.prepare(text, self.wanted, &mut out.prepared);
        let prepared = &mut out.prepared;
        prepared.teach(self.recipe.ngram(), &mut self.hasher);
        self.weigher.add_fingerprint(prepared, &self.hasher);
        if self.rules.compared() == Compared::Weights {
            self.weigher.add_weights(prepared);
        }
        self.keep_short(prepared);
        out.characters = text.chars().count() as u32;
    }

    fn keep_short(&self, prepared: &mut Prepared) {
        if self.rules.max_distance.is_some() {
            prepared.keep_short(self.rules.compared_when_short_below());
        }
    }

    /// Prepares these parts of a text that was kept.
    pub fn load(&mut self, kept: &Text, is_as_read: bool, parts: Parts, out: &mut Prepared) {
        let of_features = if parts.weights { self.recipe.parts_of_fingerprints() } else { Wanted::default() };
        let wanted = Wanted {
            terms: parts.terms || of_features.terms,
            alphanumeric: parts.text || of_features.alphanumeric,
            places: false,
        };
        match is_as_read {
            true => self.recipe.prepare(&kept.text, wanted, out),
            false => self.recipe.prepare_normalized(&kept.text, wanted, out),
        }
        out.features = kept.features;
        if parts.weights {
            self.weigher.add_weights(out);
        }
        if parts.short {
            self.keep_short(out);
        }
    }

    /// The print of a text that was prepared.
    pub fn print(&self, asked: &Asked) -> Print {
        let prepared = &asked.prepared;
        let is_short = self.rules.is_short(prepared.features);
        let is_searched = !is_short && !prepared.is_empty;
        let short = prepared.short.get().filter(|short| !short.characters.is_empty());
        let short = short.map(|short| (short.characters.len() as u32, Signature::new(&short.characters)));
        let words = match prepared.fingerprint {
            Some(words) if is_searched => words,
            // It is found where its text is the same.
            _ => words_of(prepared.text_hash, self.recipe.bits()),
        };
        Print { text_hash: prepared.text_hash, kind: Kind::new(is_searched, is_short, prepared.is_empty), short, words }
    }

    /// The text as it is kept: normalized, or this one as it was read.
    pub fn text(asked: &Asked, as_read: Option<&Document>) -> Text {
        let normalized = || asked.prepared.text.get().cloned().unwrap_or_default();
        Text {
            characters: asked.characters,
            features: asked.prepared.features,
            text: as_read.map_or_else(normalized, |document| document.text.clone()),
        }
    }
}

/// Bits of the hash of a text in place of a fingerprint.
fn words_of(text_hash: u128, bits: u32) -> [u64; 4] {
    let [low, high] = [text_hash as u64, (text_hash >> 64) as u64];
    match bits {
        32 => [high & u64::MAX << 32, 0, 0, 0],
        64 => [high, 0, 0, 0],
        128 => [high, low, 0, 0],
        _ => [high, low, !high, !low],
    }
}
