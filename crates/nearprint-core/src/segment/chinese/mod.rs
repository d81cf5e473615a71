//! Chinese text -> words: jieba's method over its default dictionary, token for token as the Python
//! package 0.42 cuts, in code of our own.
//!
//! 1. The text is cut into blocks of Han characters, ASCII letters, digits and `+#&._%-`, and
//!    single characters between them. The characters of a block become codes (`characters`).
//! 2. A block is cut along the most probable `path` through the words of the `dictionary`, which
//!    lie in a `trie`.
//! 3. Neighboring single characters go to a `hidden_markov` model, unless the dictionary has them
//!    as a word; letters and digits among them hold together. Without the model only letters and
//!    digits do.

mod characters;
mod cut;
mod dictionary;
mod hidden_markov;
mod own_words;
mod path;
mod prepare;
mod space;
mod trie;

use std::cell::Cell;
use std::sync::LazyLock;

use characters::{FIRST, FIRST_HAN, OUTSIDE, OUTSIDE_LETTER, is_alphanumeric};
use cut::Cutter;
use dictionary::Dictionary;
pub use own_words::BadWord;
use path::{BEHIND, Path};
pub use prepare::prepare;

/// The name of segmenter and dictionary for Han characters alone. Raise the version whenever either
/// changes: other words make other fingerprints.
pub(super) const NAME: &str = "jieba 0.11, default dictionary";

/// The name of segmenter and dictionary for any text. Han characters alone are cut as by jieba-rs
/// 0.11 and the Python package jieba 0.42 alike, but letters and digits as by that package only.
pub(super) const NAME_OF_ALL: &str = "jieba 0.42, default dictionary";

/// jieba's dictionary and model, prepared; see `data/README.md`.
const DEFAULT: &[u8] = include_bytes!("../../../data/jieba.dictionary");

/// Cuts Chinese text. It is used from many threads, each with its own [`Scratch`].
#[derive(Debug)]
pub(super) struct Chinese(Dictionary);

/// Memory for one stretch of text, used again for the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    codes: Vec<u16>,
    /// The first byte of each character, and the end of the stretch.
    places: Vec<usize>,
    path: Path,
    ends: Vec<u8>,
}

/// The fewest characters of a stretch of text, unless the text ends. The codes and nodes of a
/// stretch stay in the cache, and the cost of a stretch does not count.
const STRETCH: usize = 400;

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// Lends this thread's memory. A second request meanwhile gets fresh memory.
pub(super) fn with_scratch(work: impl FnOnce(&mut Scratch)) {
    let mut scratch = SCRATCH.take();
    work(&mut scratch);
    // The memory for one giant block is not kept.
    if scratch.codes.capacity() <= 1 << 18 {
        SCRATCH.set(scratch);
    }
}

impl Chinese {
    /// The default dictionary. It is loaded once a process, with the first text that needs it.
    pub(super) fn usual() -> &'static Chinese {
        static USUAL: LazyLock<Chinese> = LazyLock::new(|| {
            Chinese(Dictionary::read(DEFAULT).expect("the dictionary in the program is whole"))
        });
        &USUAL
    }

    /// The default dictionary with the user's own words.
    pub(super) fn with_words(list: &str) -> Result<Chinese, BadWord> {
        let mut dictionary = Chinese::usual().0.clone();
        own_words::add(list, &mut dictionary)?;
        Ok(Chinese(dictionary))
    }

    /// Cuts any text, as jieba would. Tokens without a letter or digit are left out.
    pub(super) fn tokens<'t>(
        &self,
        text: &'t str,
        hmm: bool,
        scratch: &mut Scratch,
        each: &mut impl FnMut(&'t str),
    ) {
        self.cut(text, FIRST, hmm, scratch, each, &|between, each| {
            for (at, c) in between.char_indices() {
                if self.0.characters.code(c) == OUTSIDE_LETTER {
                    each(&between[at..at + c.len_utf8()]);
                }
            }
        });
    }

    /// Cuts only the Han characters of a text and hands the parts between them to `between`, unless
    /// they have neither letter nor digit.
    pub(super) fn han<'t, E: FnMut(&'t str)>(
        &self,
        text: &'t str,
        hmm: bool,
        scratch: &mut Scratch,
        each: &mut E,
        between: &impl Fn(&'t str, &mut E),
    ) {
        self.cut(text, FIRST_HAN, hmm, scratch, each, between);
    }

    /// Cuts a text. Blocks hold the characters with codes from `least` on.
    fn cut<'t, E: FnMut(&'t str)>(
        &self,
        text: &'t str,
        least: u16,
        hmm: bool,
        scratch: &mut Scratch,
        each: &mut E,
        between: &impl Fn(&'t str, &mut E),
    ) {
        let mut rest = text;
        while !rest.is_empty() {
            let (stretch, after) = rest.split_at(self.read(rest, least, scratch));
            let Scratch { codes, places, path, ends } = scratch;
            let lengths = path.find(codes, &self.0);
            let cutter = Cutter {
                chinese: &self.0,
                text: stretch,
                codes: &codes[..lengths.len()],
                places,
                lengths,
            };
            match hmm {
                true => cutter.cut::<true, E>(ends, each, between),
                false => cutter.cut::<false, E>(ends, each, between),
            }
            rest = after;
        }
    }

    /// Reads the codes of the next stretch of text, which ends before a block. Returns its length.
    fn read(&self, text: &str, least: u16, scratch: &mut Scratch) -> usize {
        let Scratch { codes, places, .. } = scratch;
        let code = |c| match self.0.characters.code(c) {
            code if code >= least || code < FIRST => code,
            code if is_alphanumeric(code) => OUTSIDE_LETTER,
            _ => OUTSIDE,
        };
        let most = text.len().min(STRETCH);
        codes.resize(most, OUTSIDE);
        places.resize(most, 0);
        let mut chars = text.char_indices();
        let mut count = 0;
        for ((slot, place), (at, c)) in codes.iter_mut().zip(&mut *places).zip(&mut chars) {
            (*slot, *place) = (code(c), at);
            count += 1;
        }
        codes.truncate(count);
        places.truncate(count);
        // The rest of an unfinished block, and the characters up to the next one.
        let mut end = chars.offset();
        let mut last = codes[count - 1];
        for (at, c) in chars {
            let code = code(c);
            if last < FIRST && code >= FIRST {
                break;
            }
            codes.push(code);
            places.push(at);
            end = at + c.len_utf8();
            last = code;
        }
        codes.extend([OUTSIDE; BEHIND]);
        places.push(end);
        end
    }
}

#[cfg(test)]
mod tests;
