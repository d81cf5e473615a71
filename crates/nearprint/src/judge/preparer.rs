//! A text, without a corpus -> all of its parts that the search and the judge need.

use super::{Compared, Rules};
use crate::fingerprint::Hasher;
use crate::recipe::{Prepared, Recipe, Wanted, Weigher};

/// Prepares texts one by one, in buffers of its own. One a thread.
#[derive(Debug)]
pub struct Preparer {
    pub(crate) recipe: Recipe,
    pub(crate) rules: Rules,
    pub(crate) weigher: Weigher,
    hasher: Hasher,
    wanted: Wanted,
}

/// A text with all of its parts.
#[derive(Debug, Default)]
pub struct PreparedText {
    /// Its parts.
    pub prepared: Prepared,
    /// Its characters as read.
    pub characters: u32,
}

impl Preparer {
    /// One by a recipe that knows its statistics, if its weights need some, and rules.
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

    /// Keeps the letters and digits of texts, too, whatever is compared.
    pub(crate) fn keep_letters(&mut self) {
        self.wanted.alphanumeric = true;
    }

    /// Prepares a text, in place of the one before.
    pub fn prepare(&mut self, text: &str, out: &mut PreparedText) {
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

    /// Keeps the characters of a text that is short enough to be compared by these.
    pub(crate) fn keep_short(&self, prepared: &mut Prepared) {
        if self.rules.max_distance.is_some() {
            prepared.keep_short(self.rules.compared_when_short_below());
        }
    }
}
