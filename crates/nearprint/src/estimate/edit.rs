//! A text and another one -> the first with some of its words replaced by words of the second.
//!
//! The words are cut into runs of one length, a power of two from 1 to 32 by the seed: some copies
//! are changed in many places, others have passages of their own. Runs are replaced in random
//! order, each from its beginning. So words can be replaced one by one until the copy has the
//! wanted similarity. Of all edits to one similarity, replacing moves a fingerprint farthest: a
//! text to which a fifth is added keeps all its features, but a text of which a fifth is replaced
//! loses as many features as it gains. Cost: the bytes of the copy.

use nearprint_core::random::Random;

/// A text and the starts of its words.
#[derive(Debug, Clone, Copy)]
pub struct Words<'t> {
    /// The text.
    pub text: &'t str,
    /// The first byte of each word, in order.
    pub starts: &'t [usize],
}

impl<'t> Words<'t> {
    /// A word and the text behind it up to the next one.
    fn get(&self, word: usize) -> &'t str {
        let end = self.starts.get(word + 1).copied().unwrap_or(self.text.len());
        &self.text[self.starts[word]..end]
    }
}

/// Makes copies of one text, in which more and more of its words are replaced by those of another
/// one.
#[derive(Debug)]
pub struct Editor<'t> {
    text: Words<'t>,
    other: Words<'t>,
    /// The number of words by which the replacement stands later in the other text.
    shift: usize,
    /// For each word the number of words that are replaced before it.
    turn: Vec<usize>,
}

impl<'t> Editor<'t> {
    /// An editor of `text`; equal seeds give equal copies. `None` if one of the two has fewer than
    /// two words.
    pub fn new(text: Words<'t>, other: Words<'t>, seed: u64) -> Option<Editor<'t>> {
        let (words, others) = (text.starts.len(), other.starts.len());
        if words < 2 || others < 2 {
            return None;
        }
        let mut random = Random::new(seed);
        let mut below = |bound: usize| random.below(bound as u64) as usize;
        let run = 1 << below(6);
        let shift = below(others);
        let mut runs: Vec<usize> = (0..words.div_ceil(run)).collect();
        for place in (1..runs.len()).rev() {
            runs.swap(place, below(place + 1));
        }
        let mut turn = vec![0; words];
        let order = runs.iter().flat_map(|number| number * run..((number + 1) * run).min(words));
        for (replaced, word) in order.enumerate() {
            turn[word] = replaced;
        }
        Some(Editor { text, other, shift, turn })
    }

    /// The number of words that can be replaced.
    pub fn words(&self) -> usize {
        self.turn.len()
    }

    /// Fills `out` with the text after this number of words is replaced.
    pub fn copy(&self, replaced: usize, out: &mut String) {
        out.clear();
        out.push_str(&self.text.text[..self.text.starts[0]]);
        // The last word of the other text is not used, since no space may separate it from the next
        // word.
        let others = self.other.starts.len() - 1;
        for (word, turn) in self.turn.iter().enumerate() {
            let piece = match *turn < replaced {
                true => self.other.get((word + self.shift) % others),
                false => self.text.get(word),
            };
            let is_word = |c: char| c.is_ascii_alphanumeric();
            if out.ends_with(is_word) && piece.starts_with(is_word) {
                out.push(' ');
            }
            out.push_str(piece);
        }
    }
}

/// The largest of this number of words that can be replaced with a similarity of at least `least`,
/// and that similarity; `None` if it exceeds `least` by more than 0.05. `similarity` must fall with
/// the number of replaced words.
///
/// ```
/// use nearprint::estimate::replaced_words;
/// assert_eq!(replaced_words(200, 0.8, |replaced| 1.0 - replaced as f64 / 200.0), Some((40, 0.8)));
/// assert_eq!(replaced_words(2, 0.8, |replaced| 1.0 - replaced as f64 / 2.0), None);
/// ```
pub fn replaced_words(
    words: usize,
    least: f64,
    mut similarity: impl FnMut(usize) -> f64,
) -> Option<(usize, f64)> {
    let (mut enough, mut too_many) = (0, words + 1);
    let mut reached = similarity(0);
    while too_many - enough > 1 {
        let middle = enough + (too_many - enough) / 2;
        let there = similarity(middle);
        if there >= least {
            (enough, reached) = (middle, there);
        } else {
            too_many = middle;
        }
    }
    (reached >= least && reached - least <= TOLERANCE).then_some((enough, reached))
}

/// The most by which a copy may exceed the wanted similarity. One word is that much of a text of
/// 20.
const TOLERANCE: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str) -> Vec<usize> {
        text.split(' ').map(|word| word.as_ptr() as usize - text.as_ptr() as usize).collect()
    }

    #[test]
    fn as_many_words_are_replaced_as_asked_for() {
        let text: String = (0..100).map(|n| format!("own{n} ")).collect();
        let other: String = (0..37).map(|n| format!("their{n} ")).collect();
        let (text, other) = (text.trim_end(), other.trim_end());
        let (starts, other_starts) = (starts(text), starts(other));
        let mut out = String::new();
        for seed in 0..50 {
            let words = Words { text, starts: &starts };
            let editor =
                Editor::new(words, Words { text: other, starts: &other_starts }, seed).unwrap();
            for replaced in [0, 1, 33, 100] {
                editor.copy(replaced, &mut out);
                let theirs =
                    out.split_whitespace().filter(|word| word.starts_with("their")).count();
                assert_eq!((theirs, out.split_whitespace().count()), (replaced, 100), "{out}");
            }
            editor.copy(0, &mut out);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn han_words_are_replaced_without_blanks() {
        let (text, other) = ("能力比学历重要", "葫芦娃一根藤上");
        let words = Words { text, starts: &[0, 6, 9, 15] };
        let editor = Editor::new(words, Words { text: other, starts: &[0, 9, 15] }, 1).unwrap();
        let mut out = String::new();
        editor.copy(4, &mut out);
        assert!(out.chars().all(|c| "葫芦娃一根".contains(c)), "{out}");
        assert!(Editor::new(words, Words { text: "一", starts: &[0] }, 1).is_none());
    }
}
