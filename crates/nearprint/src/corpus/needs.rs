//! Settings and a purpose -> the parts of documents that must be gathered during reading.
//!
//! A pure function: the table of its tests shows every case.

use nearprint_core::features::Kind;
use nearprint_core::judge::{Compared, Rules};
use nearprint_core::recipe::{Recipe, Wanted};
use serde::{Deserialize, Serialize};

use crate::config::{Config, MaxDistance};

/// The purpose for which a corpus is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// To find duplicates.
    Dedup,
    /// To choose the distances that find duplicates.
    Tune,
    /// To output fingerprints.
    Fingerprint,
    /// To output fingerprints, and the words that weigh most in each document.
    HeaviestWords,
    /// To compare pairs that were found elsewhere, even those that this run would not look for.
    Evaluate,
    /// To save corpus statistics.
    Statistics,
}

impl Purpose {
    /// The purpose in words.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Purpose::Dedup => "deduplication",
            Purpose::Tune => "the choice of distances",
            Purpose::Fingerprint => "fingerprints",
            Purpose::HeaviestWords => "fingerprints with the heaviest words",
            Purpose::Evaluate => "evaluation",
            Purpose::Statistics => "corpus statistics",
        }
    }
}

/// The form in which terms are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TermsAs {
    /// Their hashes.
    Hashes,
    /// The numbers of the terms in the corpus statistics, half as long.
    Numbers,
}

/// The parts of documents that are gathered, and those that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Needs {
    /// The parts that are made of each text.
    pub wanted: Wanted,
    /// The distinct features of each document are counted, for statistics or for a hash that needs
    /// their text.
    pub counted: bool,
    /// The pairs of neighboring features are gathered, for entropies.
    pub neighbors: bool,
    /// The counts become the statistics of the corpus.
    pub statistics: bool,
    /// The text of every feature is gathered, for a file of statistics.
    pub vocabulary: bool,
    /// Each fingerprint is made of the text alone, at once.
    pub fingerprints: bool,
    /// Terms are kept, in this form.
    pub terms: Option<TermsAs>,
    /// Normalized texts are kept.
    pub texts: bool,
    /// A sample of the texts is kept.
    pub sampled_texts: bool,
    /// The number of features below which the characters of documents are kept, to compare them
    /// with short ones.
    pub short_below: u32,
}

impl Needs {
    /// Returns true if existing fingerprints save work: weights are not compared, and no copies of
    /// texts are made and fingerprinted.
    pub(super) fn may_know(config: &Config) -> bool {
        config.search.recall.is_none() && config.rules(None).compared() != Compared::Weights
    }

    /// The needs of a run that finds duplicates with existing fingerprints.
    pub(super) fn with_fingerprints(self, config: &Config) -> Needs {
        let terms = self.terms.is_some() && config.rules(None).compared() == Compared::Terms;
        Needs {
            wanted: Wanted { terms, places: false, alphanumeric: true },
            counted: false,
            neighbors: false,
            statistics: false,
            fingerprints: true,
            terms: terms.then_some(TermsAs::Hashes),
            ..self
        }
    }

    /// The needs of a purpose.
    pub(super) fn new(config: &Config, recipe: &Recipe, purpose: Purpose) -> Needs {
        let sampled_texts = match purpose {
            Purpose::Tune => true,
            Purpose::Dedup => config.search.recall.is_some(),
            Purpose::Fingerprint
            | Purpose::HeaviestWords
            | Purpose::Evaluate
            | Purpose::Statistics => false,
        };
        // A sample is compared by its texts, even if candidates are not.
        let rules = config.rules(None);
        let rules = if sampled_texts { rules.with_a_comparison() } else { rules };
        let rules = match purpose {
            Purpose::Dedup => Rules { min_similarity: config.least_similarity(), ..rules },
            _ => rules,
        };
        let words = recipe.kind() == Kind::Words;
        let saves = purpose == Purpose::Statistics;
        let prints = matches!(purpose, Purpose::Fingerprint | Purpose::HeaviestWords);
        let needs_text = recipe.hasher().needs_text();
        // Pairs that a person marked are compared for the reports, even without a search.
        let searches =
            config.search.max_distance != MaxDistance::Off || config.decide.marks.is_some();
        let compares = match purpose {
            Purpose::Evaluate => true,
            Purpose::Fingerprint | Purpose::HeaviestWords | Purpose::Statistics => false,
            Purpose::Dedup | Purpose::Tune => searches,
        };
        let statistics = recipe.needs_own_statistics() && !saves;
        let counted = saves || statistics || words && needs_text;
        // If only equal texts are searched for, the hash of each is enough.
        let hashes_alone = purpose == Purpose::Dedup && !searches && !words;
        let makes_fingerprints = !hashes_alone && (!words || compares || prints);
        let fingerprints = makes_fingerprints && !counted && !recipe.needs_own_statistics();
        let keeps_terms = match purpose {
            Purpose::Statistics => false,
            Purpose::Fingerprint | Purpose::HeaviestWords => words && !fingerprints,
            Purpose::Dedup | Purpose::Tune | Purpose::Evaluate => {
                words || compares && rules.compared() == Compared::Terms
            }
        };
        let texts = purpose == Purpose::HeaviestWords
            || compares
                && match rules.compared() {
                    Compared::Text => true,
                    Compared::Weights => !words,
                    Compared::Terms | Compared::Nothing => false,
                };
        Needs {
            wanted: Wanted {
                terms: words || keeps_terms,
                places: saves || words && needs_text,
                // The number of letters and digits tells which of two documents is longer.
                alphanumeric: !words && !hashes_alone || purpose == Purpose::Dedup && searches,
            },
            counted,
            neighbors: saves || recipe.needs_own_entropies(),
            statistics,
            vocabulary: saves,
            fingerprints,
            terms: match statistics && recipe.ngram() == 1 {
                _ if !keeps_terms => None,
                true => Some(TermsAs::Numbers),
                false => Some(TermsAs::Hashes),
            },
            texts,
            sampled_texts,
            short_below: match purpose {
                Purpose::Fingerprint | Purpose::HeaviestWords | Purpose::Statistics => 0,
                Purpose::Dedup | Purpose::Tune if !searches => 0,
                Purpose::Dedup | Purpose::Tune | Purpose::Evaluate => {
                    rules.compared_when_short_below()
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The needs in one line: the parts made of a text, and the parts that are kept.
    fn shown(toml: &str, purpose: Purpose) -> String {
        let config = Config::from_toml(toml).unwrap();
        let needs = Needs::new(&config, &config.recipe().unwrap(), purpose);
        let parts = [
            (needs.wanted.terms, "terms"),
            (needs.wanted.places, "places"),
            (needs.wanted.alphanumeric, "alphanumeric"),
        ];
        let kept = [
            (needs.fingerprints, "fingerprints"),
            (needs.terms == Some(TermsAs::Hashes), "hashes"),
            (needs.terms == Some(TermsAs::Numbers), "numbers"),
            (needs.texts, "texts"),
            (needs.sampled_texts, "sample"),
            (needs.counted, "counts"),
            (needs.neighbors, "neighbors"),
            (needs.statistics, "statistics"),
            (needs.vocabulary, "vocabulary"),
            (needs.short_below > 0, "short"),
        ];
        let names = |list: &[(bool, &str)]| {
            list.iter()
                .filter(|(is_there, _)| *is_there)
                .map(|(_, name)| *name)
                .collect::<Vec<_>>()
                .join(" ")
        };
        format!("{} -> {}", names(&parts), names(&kept))
    }

    #[test]
    fn each_purpose_gathers_what_it_needs_and_no_more() {
        use Purpose::*;
        let words = "features = 'words'\n";
        for (settings, purpose, expected) in [
            ("", Dedup, "alphanumeric -> fingerprints texts short"),
            ("", Tune, "alphanumeric -> fingerprints texts sample short"),
            ("", Fingerprint, "alphanumeric -> fingerprints"),
            ("", Evaluate, "alphanumeric -> fingerprints texts short"),
            ("recall = 0.9", Dedup, "alphanumeric -> fingerprints texts sample short"),
            ("verify = 'none'", Dedup, "alphanumeric -> fingerprints short"),
            ("verify = 'none'", Tune, "alphanumeric -> fingerprints texts sample short"),
            (
                "recall = 0.9\nverify = 'none'",
                Dedup,
                "alphanumeric -> fingerprints texts sample short",
            ),
            ("verify = 'jaccard'", Dedup, "terms alphanumeric -> fingerprints hashes short"),
            ("verify = 'minhash'", Fingerprint, "alphanumeric -> fingerprints"),
            ("verify = 'cosine'", Dedup, "alphanumeric -> fingerprints texts short"),
            ("preset = 'exact'", Dedup, " -> "),
            ("preset = 'exact'", Evaluate, "alphanumeric -> fingerprints short"),
            (words, Dedup, "terms alphanumeric -> numbers texts counts neighbors statistics short"),
            ("preset = 'exact'\nmarks = 'a'", Dedup, "alphanumeric -> fingerprints short"),
            (words, Fingerprint, "terms -> numbers counts neighbors statistics"),
            (words, HeaviestWords, "terms -> numbers texts counts neighbors statistics"),
            (words, Statistics, "terms places -> counts neighbors vocabulary"),
            ("preset = 'simhash'", Dedup, "terms alphanumeric -> fingerprints hashes short"),
            ("preset = 'simhash'", Fingerprint, "terms -> fingerprints"),
            ("preset = 'simhash'", HeaviestWords, "terms -> fingerprints texts"),
            ("preset = 'simhash'", Statistics, "terms places -> counts neighbors vocabulary"),
            ("preset = 'google'", Dedup, "terms alphanumeric -> numbers counts statistics short"),
            (
                "preset = 'google'\nngram = 2",
                Dedup,
                "terms alphanumeric -> hashes counts statistics short",
            ),
            (
                "preset = 'google'\nverify = 'cosine'",
                Evaluate,
                "terms -> numbers counts statistics short",
            ),
            ("preset = 'md5-32'", Dedup, "terms places alphanumeric -> hashes counts short"),
            ("preset = 'md5-32'", Fingerprint, "terms places -> hashes counts"),
        ] {
            assert_eq!(shown(settings, purpose), expected, "{settings:?} {purpose:?}");
        }
    }
}
