//! A text -> all that an index keeps of it.

use super::record::{Kind, Print, Text};
use crate::corpus::Parts;
use crate::document::Document;
use crate::error::Error;
use crate::judge::{PreparedText, Preparer};
use crate::recipe::{Prepared, Recipe, Wanted};
use crate::short::Signature;

/// The number of the text that is asked about.
pub const ASKED: u32 = u32::MAX;

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
    pub(crate) fn print(&self, asked: &PreparedText) -> Print {
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
    pub fn text(asked: &PreparedText, as_read: Option<&Document>) -> Text {
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
