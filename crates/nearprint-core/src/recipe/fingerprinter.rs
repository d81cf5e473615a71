//! A text -> its fingerprint, if the recipe needs no corpus: one text after the other, on any
//! thread.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Error, Prepared, Recipe, Weigher};
use crate::fingerprint::{Fingerprints, Hasher};

/// Texts that a thread takes at a time.
const TOGETHER: usize = 64;

/// Makes the fingerprints of texts that a deduplication makes, in buffers of its own. It needs no
/// threads, no folder and no corpus: keep one in a service, or one a thread. A clone shares the
/// recipe and has its own buffers.
///
/// ```
/// use nearprint_core::features::Kind;
/// use nearprint_core::recipe::{Error, Fingerprinter, Options, Recipe};
/// let letters = Recipe::new(Options { bits: 64, ..Options::default() })?;
/// let mut fingerprinter = Fingerprinter::new(&letters)?;
/// let [left, right] = ["能力比学历重要", "能力比學歷重要"].map(|text| fingerprinter.fingerprint(text));
/// assert_eq!(left, right);
/// let words = Recipe::new(Options { features: Kind::Words, ..Options::default() })?;
/// assert_eq!(Fingerprinter::new(&words).unwrap_err(), Error::NeedsStatistics);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Fingerprinter {
    recipe: Recipe,
    weigher: Weigher,
    hasher: Hasher,
    document: Prepared,
}

impl Clone for Fingerprinter {
    fn clone(&self) -> Fingerprinter {
        Fingerprinter::with(&self.recipe)
    }
}

impl Fingerprinter {
    /// Makes fingerprints by a recipe.
    ///
    /// # Errors
    /// [`Error::NeedsStatistics`] if the weights need the statistics of the corpus that is read,
    /// and [`Error::NeedsTokens`] if documents bring their own tokens.
    pub fn new(recipe: &Recipe) -> Result<Fingerprinter, Error> {
        recipe.check_texts_alone()?;
        recipe.check_statistics()?;
        Ok(Fingerprinter::with(recipe))
    }

    fn with(recipe: &Recipe) -> Fingerprinter {
        Fingerprinter {
            weigher: Weigher::without_corpus(recipe),
            hasher: recipe.hasher(),
            document: Prepared::default(),
            recipe: recipe.clone(),
        }
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The fingerprint of a text in the first bits of the words, bit 0 the highest of the first
    /// one. A text without features has 0.
    ///
    /// ```
    /// use nearprint_core::recipe::{Fingerprinter, Options, Recipe};
    /// let recipe = Recipe::new(Options { bits: 64, ..Options::default() })?;
    /// let mut fingerprinter = Fingerprinter::new(&recipe)?;
    /// let left = fingerprinter.fingerprint("The ferry returns on Monday");
    /// let right = fingerprinter.fingerprint("the ferry returns on Monday!");
    /// assert_eq!((left[0] ^ right[0]).count_ones(), 0);
    /// # Ok::<(), nearprint_core::recipe::Error>(())
    /// ```
    pub fn fingerprint(&mut self, text: &str) -> [u64; 4] {
        let Fingerprinter { recipe, weigher, hasher, document } = self;
        recipe.prepare(text, recipe.parts_of_fingerprints(), document);
        document.teach(recipe.ngram(), hasher);
        weigher.fingerprint(document, hasher)
    }

    /// The fingerprints of `count` texts, by number, made on all threads of rayon's current pool.
    /// `advance` gets each further number of finished texts, on the thread that made them. Returns
    /// `None` as soon as it breaks.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use nearprint_core::recipe::{Fingerprinter, Options, Recipe};
    /// let texts = ["能力比学历重要", "能力比學歷重要", "The ferry returns on Monday"];
    /// let fingerprinter = Fingerprinter::new(&Recipe::new(Options::default())?)?;
    /// let (text, advance) = (|number: usize| texts[number], |_| ControlFlow::Continue(()));
    /// let fingerprints = fingerprinter.fingerprint_all(texts.len(), text, advance).unwrap();
    /// assert_eq!((fingerprints.len(), fingerprints.distance(0, 1)), (3, 0));
    /// # Ok::<(), nearprint_core::recipe::Error>(())
    /// ```
    pub fn fingerprint_all<'t>(
        &self,
        count: usize,
        text: impl Fn(usize) -> &'t str + Sync,
        advance: impl Fn(usize) -> ControlFlow<()> + Sync,
    ) -> Option<Fingerprints> {
        let bits = self.recipe.bits();
        let each = Fingerprints::new(bits).words_each();
        let mut words = vec![0; count * each];
        let part = |fingerprinter: &mut Fingerprinter, (number, words): (usize, &mut [u64])| {
            for (place, words) in words.chunks_exact_mut(each).enumerate() {
                words.copy_from_slice(
                    &fingerprinter.fingerprint(text(number * TOGETHER + place))[..each],
                );
            }
            advance(words.len() / each).is_continue().then_some(())
        };
        let parts = words.par_chunks_mut(TOGETHER * each).enumerate();
        parts.map_init(|| Fingerprinter::with(&self.recipe), part).collect::<Option<()>>()?;
        Some(Fingerprints::of_words(bits, words))
    }
}
