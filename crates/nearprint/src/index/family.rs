//! Two texts -> whether one of them is in a family of an index.

use std::collections::HashSet;

use nearprint_core::judge::{FAMILY, PreparedText, Preparer, Rules};
use nearprint_core::near::{Among, Record};
use nearprint_core::recipe::Recipe;

use super::Index;
use crate::error::Error;

impl Index {
    /// Returns true if one of two texts is in a family once both of them are in the index.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Incompatible`].
    pub(crate) fn in_family(&mut self, texts: [&str; 2]) -> Result<bool, Error> {
        self.read(|index| Ok(index.are_in_family(texts)))
    }

    /// The way from text to fingerprint, and the rules about two texts.
    pub(crate) fn recipe_and_rules(&self) -> (&Recipe, Rules) {
        (&self.recipe, self.rules)
    }

    /// Returns true if one of two texts is in a family once both of them are in the index.
    fn are_in_family(&self, texts: [&str; 2]) -> bool {
        let mut preparer = Preparer::new(&self.recipe, self.rules);
        let mut text = PreparedText::default();
        let [left, right] = texts.map(|own| {
            preparer.prepare(own, &mut text);
            Record::new(&text, &self.rules)
        });
        let are_searched = left.kind.is_searched() && right.kind.is_searched();
        let distance = self.rules.distance.of(&left.words, &right.words, self.rules.bits);
        let are_near = are_searched
            && left.text_hash != right.text_hash
            && self.rules.max_distance.is_some_and(|most| distance <= most);
        [(left, right), (right, left)].into_iter().any(|(own, other)| {
            let met = Among::new(&self.view, &self.rules, own).near();
            let mut near: HashSet<u128> = met.iter().map(|met| met.text_hash).collect();
            near.extend(are_near.then_some(other.text_hash));
            near.len() >= usize::from(FAMILY)
        })
    }
}
