//! Settings -> the way a text becomes features, weights and a fingerprint.
//!
//! ```text
//! text -> normalize -> cut into terms, or letters and digits       prepare.rs   Prepared
//! Prepared + corpus statistics -> weights, fingerprint             weigh.rs     Weigher
//! weighed features -> those that weigh most                        heaviest.rs
//! text -> fingerprint, where that needs no corpus                  fingerprinter.rs
//! names and versions of all these parts                            identity.rs
//! stop words and statistics that the settings name                 load.rs
//! ```
//!
//! A [`Recipe`] is made once from the settings. It is immutable, cheap to clone and has no threads, so it may be kept in a
//! service, sent to other threads, and used after a fork. Buffers that change are in [`Prepared`], [`Weigher`] and
//! [`Fingerprinter`]: each thread has its own.

mod fingerprinter;
mod heaviest;
mod identity;
mod load;
mod prepare;
mod weigh;

use std::sync::Arc;

pub use fingerprinter::Fingerprinter;
pub use heaviest::{Weighed, heaviest, keep_first};
pub use load::{bad_statistics, open_statistics};
pub use prepare::{Part, Prepared, Wanted};
pub use weigh::Weigher;

use crate::config::Config;
use crate::error::Error;
use crate::features;
use crate::fingerprint::{FeatureHash, Hasher, Position};
use crate::message;
use crate::message::Verb;
use crate::normalize::Normalizer;
use crate::segment::{self, Segmenter};
use crate::statistics::Statistics;
use crate::weights;

/// How a text becomes features, weights and a fingerprint.
///
/// ```
/// use nearprint::Config;
/// use nearprint::recipe::Recipe;
/// let recipe = Recipe::new(&Config { bits: 64, ..Config::default() })?;
/// assert!(recipe.identity().contains("bits=64"));
/// assert_eq!(recipe.tokens("能力比學歷重要"), ["能力", "比", "学历", "重要"]);
/// # Ok::<(), nearprint::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Recipe(Arc<Settings>);

/// The parts of a recipe.
#[derive(Debug)]
struct Settings {
    normalizer: Normalizer,
    segmenter: Segmenter,
    takes_tokens: bool,
    kind: features::Kind,
    words: features::Options,
    weights: weights::Options,
    position: Position,
    feature_hash: FeatureHash,
    bits: u32,
    /// Statistics from a file; `None` where they are counted from the input or not needed.
    saved: Option<Arc<Statistics>>,
    /// The names and versions of the parts that make features, and of those that make fingerprints.
    features_identity: String,
    identity: String,
}

impl Recipe {
    /// Checks the settings, reads the files that they name (stop words, corpus statistics), and puts the parts together.
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting out of its range, at odds with another, or that names a file which is not there;
    /// [`Error::Incompatible`] for corpus statistics that are damaged or were made under other settings.
    pub fn new(config: &Config) -> Result<Recipe, Error> {
        config.check()?;
        let normalizer = Normalizer::new(config.normalize);
        let about_words = config.words();
        let words = features::Options {
            stop_words: load::stop_words(&about_words.stop_words, &normalizer)?,
            min_token_length: about_words.min_token_length,
            han_only: about_words.han_only,
            ngram: about_words.ngram,
        };
        let segmenter = Segmenter::new(segment::Options { kind: about_words.segmenter, hmm: about_words.hmm });
        let weights = weights::Options {
            model: about_words.weights,
            tf: about_words.tf,
            idf: about_words.idf,
            cap: about_words.weight_cap,
            least_idf: about_words.least_idf,
        };
        let features_identity = identity::of_features(config, &segmenter, &words);
        let own = config.needs_statistics();
        let (mut saved, mut statistics) = (None, if own { "the input's own" } else { "none" }.to_string());
        let weighs_by_statistics =
            config.features.kind() == features::Kind::Words && about_words.weights.needs_statistics();
        if let (true, Some(path)) = (weighs_by_statistics, &about_words.stats) {
            let (loaded, hash) = load::statistics(path, &features_identity)?;
            (saved, statistics) = (Some(Arc::new(loaded)), format!("file {hash:032x}"));
        }
        let identity = identity::of_fingerprints(config, &features_identity, &statistics);
        Ok(Recipe(Arc::new(Settings {
            normalizer,
            segmenter,
            takes_tokens: config.tokens_field().is_some(),
            kind: config.features.kind(),
            words,
            weights,
            position: about_words.position,
            feature_hash: about_words.feature_hash,
            bits: config.bits,
            saved,
            features_identity,
            identity,
        })))
    }

    /// The names and versions of all parts that make a fingerprint. Two fingerprints may be compared only where this is
    /// equal. Statistics from a file are named by the XXH3-128 of its bytes; `the input's own` statistics fit the fingerprints
    /// of one run only.
    pub fn identity(&self) -> &str {
        &self.0.identity
    }

    /// The names and versions of all parts that make features. Corpus statistics fit a recipe only where this is equal.
    pub fn features_identity(&self) -> &str {
        &self.0.features_identity
    }

    /// How texts are normalized.
    pub fn normalizer(&self) -> &Normalizer {
        &self.0.normalizer
    }

    /// Whether terms are made of the tokens that a document brings, and not of its text.
    pub fn takes_tokens(&self) -> bool {
        self.0.takes_tokens
    }

    /// Refuses texts alone where documents are to bring their own tokens.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check_texts_alone(&self) -> Result<(), Error> {
        match self.takes_tokens() {
            true => Err(Error::usage("tokens-field", "names a field of rows, and a text alone has none; leave it out")),
            false => Ok(()),
        }
    }

    /// Refuses weights that need the statistics of the input where texts come one by one.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check_statistics(&self) -> Result<(), Error> {
        match self.needs_own_statistics() {
            true => {
                let made_by = Verb::Stats;
                let problem =
                    message!["the weights need the statistics of a corpus; name a file that ", made_by, " made"];
                Err(Error::usage("stats", problem))
            }
            false => Ok(()),
        }
    }

    /// The kind of features.
    pub fn kind(&self) -> features::Kind {
        self.0.kind
    }

    /// The width of fingerprints in bits.
    pub fn bits(&self) -> u32 {
        self.0.bits
    }

    /// Terms in a feature of words.
    pub fn ngram(&self) -> u32 {
        self.0.words.ngram
    }

    /// A hash of features that has learned no feature's text yet.
    pub fn hasher(&self) -> Hasher {
        Hasher::new(self.0.feature_hash, self.0.bits)
    }

    /// Whether the weights need statistics of the corpus that is read, because no file of them is named.
    pub fn needs_own_statistics(&self) -> bool {
        self.0.kind == features::Kind::Words && self.0.weights.model.needs_statistics() && self.0.saved.is_none()
    }

    /// Whether those must hold neighbor entropies.
    pub fn needs_own_entropies(&self) -> bool {
        self.needs_own_statistics() && self.0.weights.model.needs_entropies()
    }

    /// The stop words as they look after normalization, one a line.
    pub fn stop_words(&self) -> String {
        let words: Vec<&str> = self.0.words.stop_words.iter().map(String::as_str).collect();
        words.join("\n")
    }

    /// The tokens of a text: normalized, cut, and without those that the settings drop.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let text = self.0.normalizer.normalize(text);
        let mut tokens = Vec::new();
        self.0.segmenter.tokens(&text, &mut |token| {
            if self.0.words.keeps(token) {
                tokens.push(token.to_string());
            }
        });
        tokens
    }
}
