//! Chinese text -> words: maximum-probability segmentation over a dictionary, with a hidden Markov model for words the
//! dictionary lacks (jieba's method and its default dictionary).

use jieba_rs::Jieba;

use crate::normalize::is_han;

/// Segmenter and dictionary. Raise it whenever either changes: other words make other fingerprints.
pub(super) const NAME: &str = "jieba 0.11, default dictionary";

#[derive(Debug)]
pub(super) struct Chinese(Jieba);

impl Chinese {
    pub(super) fn load() -> Chinese {
        Chinese(Jieba::new())
    }

    pub(super) fn tokens<'t>(&self, text: &'t str, hmm: bool, each: &mut impl FnMut(&'t str)) {
        for token in self.0.cut(text, hmm) {
            // Han characters are letters; saying so first saves a look into the Unicode tables.
            if token.word.chars().any(|c| is_han(c) || c.is_alphanumeric()) {
                each(token.word);
            }
        }
    }
}
