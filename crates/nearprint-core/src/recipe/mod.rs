//! Options -> the way a text becomes features, weights and a fingerprint.
//!
//! ```text
//! options, checked                                                 options.rs
//! text -> the rest of it, if parts of texts are left out           leave_out.rs
//! text -> normalize -> cut into terms, or letters and digits       prepare.rs, prepared.rs
//! Prepared + corpus statistics -> weights, fingerprint             weigh.rs     Weigher
//! weighed features -> the heaviest ones                            heaviest.rs
//! text -> fingerprint, if that needs no corpus                     fingerprinter.rs
//! names and versions of all these parts                            identity.rs
//! ```
//!
//! A [`Recipe`] is made once from the options. It is immutable, cheap to clone and has no threads,
//! so it may be kept in a service, sent to other threads, and used after a fork. The buffers that
//! change are in [`Prepared`], [`Weigher`] and [`Fingerprinter`], of which each thread has its own.

mod fingerprinter;
mod heaviest;
mod identity;
mod leave_out;
mod options;
mod prepare;
mod prepared;
mod weigh;

use std::sync::Arc;

pub use fingerprinter::Fingerprinter;
pub use heaviest::{Weighed, heaviest, keep_first};
pub use leave_out::LeaveOut;
pub use options::{Error, Options, Words};
pub use prepare::Wanted;
pub use prepared::{Part, Prepared};
pub use weigh::Weigher;

use crate::features;
use crate::fingerprint::Hasher;
use crate::normalize::Normalizer;
use crate::segment::Segmenter;
use crate::statistics::Statistics;

/// The way from a text to features, weights and a fingerprint.
///
/// ```
/// use nearprint_core::recipe::{Options, Recipe};
/// let recipe = Recipe::new(Options { bits: 64, ..Options::default() })?;
/// assert!(recipe.identity().contains("bits=64"));
/// assert_eq!(recipe.tokens("能力比學歷重要"), ["能力", "比", "学历", "重要"]);
/// # Ok::<(), nearprint_core::recipe::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Recipe(Arc<Parts>);

/// The parts of a recipe.
#[derive(Debug, Clone)]
struct Parts {
    options: Options,
    normalizer: Normalizer,
    segmenter: Arc<Segmenter>,
    /// Statistics that weigh; `None` if those of the corpus that is read weigh, or none are needed.
    statistics: Option<Arc<Statistics>>,
    /// The names and versions of the parts that make features, and of those that make fingerprints.
    features_identity: String,
    identity: String,
}

impl Recipe {
    /// Checks the options and puts the parts together.
    ///
    /// # Errors
    /// [`Error`] for an option out of its range.
    pub fn new(options: Options) -> Result<Recipe, Error> {
        options.check()?;
        let segmenter = Segmenter::new(options.words.segment);
        let features_identity = identity::of_features(&options, &segmenter);
        let own = options.features == features::Kind::Words
            && options.words.weights.model.needs_statistics();
        let identity = identity::of_fingerprints(
            &options,
            &features_identity,
            if own { "the input's own" } else { "none" },
        );
        Ok(Recipe(Arc::new(Parts {
            normalizer: Normalizer::new(options.normalize),
            segmenter: Arc::new(segmenter),
            statistics: None,
            features_identity,
            identity,
            options,
        })))
    }

    /// This recipe with statistics that weigh in place of those of the corpus that is read. The
    /// features of their corpus must have been made by a recipe of this
    /// [`features_identity`](Self::features_identity). `name` stands for them in the identity of
    /// the new recipe. A recipe whose weights need no statistics stays as it is.
    #[must_use]
    pub fn with_statistics(&self, statistics: Statistics, name: &str) -> Recipe {
        let Parts { options, features_identity, .. } = &*self.0;
        if options.features != features::Kind::Words
            || !options.words.weights.model.needs_statistics()
        {
            return self.clone();
        }
        Recipe(Arc::new(Parts {
            identity: identity::of_fingerprints(options, features_identity, name),
            statistics: Some(Arc::new(statistics)),
            ..(*self.0).clone()
        }))
    }

    /// The names and versions of all parts that make a fingerprint. Two fingerprints may be
    /// compared only if their identities are equal. Statistics have the name that the caller gave
    /// them; `the input's own` statistics fit the fingerprints of one corpus only.
    pub fn identity(&self) -> &str {
        &self.0.identity
    }

    /// The names and versions of all parts that make features. Corpus statistics fit a recipe only
    /// if both have this identity.
    pub fn features_identity(&self) -> &str {
        &self.0.features_identity
    }

    /// The normalizer of texts.
    pub fn normalizer(&self) -> &Normalizer {
        &self.0.normalizer
    }

    /// Returns true if terms are made of the tokens that a document brings, and not of its text.
    pub fn takes_tokens(&self) -> bool {
        self.0.options.words.own_tokens
    }

    /// Refuses texts alone if documents bring their own tokens.
    ///
    /// # Errors
    /// [`Error::NeedsTokens`].
    pub fn check_texts_alone(&self) -> Result<(), Error> {
        if self.takes_tokens() { Err(Error::NeedsTokens) } else { Ok(()) }
    }

    /// Refuses weights that need the statistics of the input, for texts that come one by one.
    ///
    /// # Errors
    /// [`Error::NeedsStatistics`].
    pub fn check_statistics(&self) -> Result<(), Error> {
        if self.needs_own_statistics() { Err(Error::NeedsStatistics) } else { Ok(()) }
    }

    /// The kind of features.
    pub fn kind(&self) -> features::Kind {
        self.0.options.features
    }

    /// The width of fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.0.options.bits
    }

    /// The number of terms in a feature of words.
    pub fn ngram(&self) -> u32 {
        self.0.options.words.terms.ngram
    }

    /// A hash of features that has learned no feature's text yet.
    pub fn hasher(&self) -> Hasher {
        Hasher::new(self.0.options.words.feature_hash, self.0.options.bits)
    }

    /// Returns true if the weights need statistics of the corpus that is read, because no file of
    /// them is named.
    pub fn needs_own_statistics(&self) -> bool {
        self.0.options.features == features::Kind::Words
            && self.0.options.words.weights.model.needs_statistics()
            && self.0.statistics.is_none()
    }

    /// Returns true if the weights need neighbor entropies of the corpus that is read.
    pub fn needs_own_entropies(&self) -> bool {
        self.needs_own_statistics() && self.0.options.words.weights.model.needs_entropies()
    }

    /// The stop words as they look after normalization, one a line.
    pub fn stop_words(&self) -> String {
        let words: Vec<&str> =
            self.0.options.words.terms.stop_words.iter().map(String::as_str).collect();
        words.join("\n")
    }

    /// The rest of a text; `None` if nothing of it is left out.
    fn rest(&self, text: &str) -> Option<String> {
        self.0.options.leave_out.as_ref().and_then(|leave_out| leave_out.rest(text))
    }

    /// The tokens of a text: normalized, cut, and without those that the settings drop.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let rest = self.rest(text);
        let text = self.0.normalizer.normalize(rest.as_deref().unwrap_or(text));
        let mut tokens = Vec::new();
        self.0.segmenter.tokens(&text, &mut |token| {
            if self.0.options.words.terms.keeps(token) {
                tokens.push(token.to_string());
            }
        });
        tokens
    }
}
