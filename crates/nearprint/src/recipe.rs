//! Settings -> the recipe of the core, with the stop words, ignored passages and corpus statistics
//! of the files that they name, and the rules of the judge.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use nearprint_core::features;
use nearprint_core::fingerprint::Fingerprints;
use nearprint_core::judge::Rules;
use nearprint_core::normalize::Normalizer;
use nearprint_core::recipe::{self, Fingerprinter, LeaveOut, Options, Recipe, Words};
use nearprint_core::segment;
use nearprint_core::statistics::{Saved, Statistics};
use nearprint_core::weights;

use crate::config::Config;
use crate::error::Error;
use crate::message;
use crate::message::{Setting, Verb};
use crate::passage::IgnoredPassages;
use crate::spill::hash_of;
use crate::watch::{Progress, Stage, Watch};

impl Config {
    /// Checks the settings, reads the files that they name (stop words, ignored passages,
    /// corpus statistics), and makes the recipe of a document's fingerprint.
    ///
    /// ```
    /// use nearprint::Config;
    /// let recipe = Config::default().bits(64).recipe()?;
    /// assert!(recipe.identity().contains("bits=64"));
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting that is out of its range, contradicts another, or names a
    /// missing file; [`Error::Incompatible`] for corpus statistics that are damaged or were made
    /// under other settings, and for a damaged file of passages.
    pub fn recipe(&self) -> Result<Recipe, Error> {
        self.check()?;
        let words = self.words();
        let terms = features::Options {
            stop_words: stop_words(
                &words.stop_words,
                &Normalizer::new(self.fingerprint.normalize),
            )?,
            min_token_length: words.min_token_length,
            han_only: words.han_only,
            ngram: words.ngram,
        };
        let weights = weights::Options {
            model: words.weights,
            tf: words.tf,
            idf: words.idf,
            cap: words.weight_cap,
            least_idf: words.least_idf,
        };
        let options = Options {
            normalize: self.fingerprint.normalize,
            leave_out: self.leave_out()?,
            features: self.fingerprint.features.kind(),
            words: Words {
                segment: segment::Options { kind: words.segmenter, hmm: words.hmm },
                own_tokens: self.tokens_field().is_some(),
                terms,
                weights,
                position: words.position,
                feature_hash: words.feature_hash,
            },
            bits: self.fingerprint.bits,
        };
        let recipe = Recipe::new(options)?;
        match &words.stats {
            Some(path) if recipe.needs_own_statistics() => {
                let (statistics, hash) = statistics(path, recipe.features_identity())?;
                Ok(recipe.with_statistics(statistics, &format!("file {hash:032x}")))
            }
            _ => Ok(recipe),
        }
    }

    /// Leaves out the ignored passages, if the settings name some.
    fn leave_out(&self) -> Result<Option<LeaveOut>, Error> {
        let Some(path) = &self.fingerprint.ignore_passages else { return Ok(None) };
        let ignored = IgnoredPassages::read(path, "ignore-passages", self.fingerprint.normalize)?;
        let name = ignored.name().to_string();
        Ok(Some(LeaveOut::new(name, move |text| ignored.rest(text))))
    }

    /// The recipe for the fingerprints of single texts. See [`recipe`](Config::recipe).
    ///
    /// ```
    /// use nearprint::Config;
    /// let mut fingerprinter = Config::default().bits(64).fingerprinter()?;
    /// let [left, right] = ["能力比学历重要", "能力比學歷重要"].map(|text| fingerprinter.fingerprint(text));
    /// assert_eq!(left, right);
    /// // The weights of this preset need the statistics of a corpus.
    /// assert!(Config::preset("paper")?.fingerprinter().is_err());
    /// # Ok::<(), nearprint::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`recipe`](Config::recipe), and [`Error::Usage`] if the weights need corpus
    /// statistics and no file of them is named, or if documents are to bring their own tokens.
    pub fn fingerprinter(&self) -> Result<Fingerprinter, Error> {
        Ok(Fingerprinter::new(&self.recipe()?)?)
    }

    /// The rules of these settings about a pair, for a search up to this distance.
    pub fn rules(&self, max_distance: Option<u32>) -> Rules {
        Rules {
            measure: self.decide.verify,
            min_similarity: self.decide.min_similarity,
            distance: self.search.distance,
            max_distance,
            min_features: self.fingerprint.min_features,
            bits: self.fingerprint.bits,
            shingle: self.decide.shingle,
        }
    }
}

/// The fingerprints of `count` texts, by number, made on all threads of rayon's current pool.
///
/// ```
/// use nearprint::{Config, Silent, recipe::fingerprint_all};
/// let texts = ["能力比学历重要", "能力比學歷重要", "The ferry returns on Monday"];
/// let fingerprinter = Config::default().fingerprinter()?;
/// let text = |number: usize| texts[number];
/// let fingerprints = fingerprint_all(&fingerprinter, texts.len(), text, &Silent)?;
/// assert_eq!((fingerprints.len(), fingerprints.distance(0, 1)), (3, 0));
/// # Ok::<(), nearprint::Error>(())
/// ```
///
/// # Errors
/// [`Error::Interrupted`].
pub fn fingerprint_all<'t>(
    fingerprinter: &Fingerprinter,
    count: usize,
    text: impl Fn(usize) -> &'t str + Sync,
    watch: &dyn Watch,
) -> Result<Fingerprints, Error> {
    let stage = Progress::begin(watch, Stage::Fingerprint, count, 0);
    let advance = |texts| {
        stage.advance(texts);
        if stage.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    fingerprinter.fingerprint_all(count, text, advance).ok_or(Error::Interrupted)
}

impl From<recipe::Error> for Error {
    fn from(error: recipe::Error) -> Error {
        match error {
            recipe::Error::Bits(_) => Error::usage("bits", error.to_string()),
            recipe::Error::Ngram => Error::usage("ngram", error.to_string()),
            recipe::Error::NeedsTokens => {
                let name = "tokens-field";
                let problem = message![
                    "a text has no fields; leave \
                    ",
                    Setting::named(name),
                    " out"
                ];
                Error::usage(name, problem)
            }
            recipe::Error::NeedsStatistics => {
                let made_by = Verb::Stats;
                let problem = message![
                    "the weights need the statistics of a corpus; name a file made by ",
                    made_by,
                    ", or set ",
                    Setting::with("weights", "one")
                ];
                Error::usage("stats", problem)
            }
            _ => Error::usage("weights", error.to_string()),
        }
    }
}

/// Returns true for the name of a built-in list of stop words, such as `zh`. Other names of
/// [`stop_words`](crate::config::Words::stop_words) are files.
pub fn is_stop_word_list(name: &str) -> bool {
    stop_word_list(name).is_some()
}

fn stop_word_list(name: &str) -> Option<&'static [&'static str]> {
    if name.len() == 2 { stop_words::lookup(name) } else { None }
}

/// Stop words by list name or from files, each normalized.
fn stop_words(lists: &[String], normalizer: &Normalizer) -> Result<BTreeSet<String>, Error> {
    let mut words = BTreeSet::new();
    for list in lists {
        if let Some(known) = stop_word_list(list) {
            words.extend(known.iter().map(|word| normalizer.normalize(word)));
            continue;
        }
        let text = std::fs::read_to_string(list).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::usage(
                "stop-words",
                format!(
                    "\"{list}\" is neither a language with a built-in list (zh, en, de, …) nor \
                    a file with one word per line"
                ),
            ),
            _ => Error::setting("stop-words", list)(error),
        })?;
        words.extend(
            text.lines()
                .map(|word| normalizer.normalize(word.trim()))
                .filter(|word| !word.is_empty()),
        );
    }
    Ok(words)
}

/// Opens a file of corpus statistics.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, and the errors of [`bad_statistics`].
pub fn open_statistics(path: &Path) -> Result<Saved<BufReader<File>>, Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    Saved::open(BufReader::new(file)).map_err(bad_statistics(path))
}

/// The error of a file of corpus statistics, for `map_err`: [`Error::Incompatible`] if it is
/// damaged or holds no statistics, else [`Error::Io`].
pub fn bad_statistics(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => damaged(&path, &error),
        _ => Error::io("read or write", path)(error),
    }
}

/// Statistics made by a recipe of this identity, and the hash of their file.
fn statistics(path: &Path, features_identity: &str) -> Result<(Statistics, u128), Error> {
    let mut file = File::open(path).map_err(Error::setting("stats", path))?;
    let hash = hash_of(&file)
        .and_then(|hash| file.rewind().map(|()| hash))
        .map_err(Error::setting("stats", path))?;
    let saved = Saved::open(BufReader::new(file)).map_err(|error| damaged(path, &error))?;
    if saved.description != features_identity {
        return Err(Error::Incompatible {
            path: path.to_path_buf(),
            problem: format!(
                "made with other settings ({}) than those of this run ({features_identity}); use \
                 the same settings, or count the statistics again",
                saved.description
            )
            .into(),
        });
    }
    Ok((saved.into_statistics().map_err(|error| damaged(path, &error))?, hash))
}

fn damaged(path: &Path, error: &io::Error) -> Error {
    let problem = message![error.to_string(), "; make it again with ", Verb::Stats];
    Error::Incompatible { path: path.to_path_buf(), problem }
}

#[cfg(test)]
mod tests;
