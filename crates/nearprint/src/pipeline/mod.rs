//! The corridor: the only place that knows all rooms. [`Config`] -> [`Pipeline`] -> results.
//!
//! | file | from | to |
//! | --- | --- | --- |
//! | `reading` | input files | a corpus: terms on disk, statistics, what must be known of each document |
//! | `shard` | neighbor pairs | the same, on disk |
//! | `corpus` | - | that corpus |
//! | `weigher` | the terms or the content of a text | weighted features, a fingerprint |
//! | `fingerprinter` | a text | its fingerprint, where that needs no corpus |
//! | `evidence` | terms on disk | fingerprints, weighted features, similarities |
//! | `memory` | - | how much of it a run may take |
//! | `pairs` | pairs of documents | the same sorted, in memory or on disk |
//! | `sampled` | normalized texts | a few of them on disk |
//! | `against` | what to compare with | sources, ranks; which documents may be a pair |
//! | `bearable` | a sample of a corpus | the distance to which candidates are not too many |
//! | `tune` | a sample of a corpus | distances between unrelated texts and to edited copies, and the distances to search with |
//! | `search` | a corpus | fingerprints, candidate pairs |
//! | `near` | fingerprints from outside | the pairs that are near |
//! | `confirm` | candidate pairs | duplicate pairs, clusters |
//! | `duplicates` | clusters | a decision for every document |
//! | `recall` | a finished search | the share of the duplicate pairs that it found, on a sample |
//! | `checkpoint` | what a stage made | the same on disk, for a run that was killed |
//! | `dedup` | decisions | the output folder |
//! | `compare` | two texts | both fingerprints, similarities, the features that make the difference |
//! | `summary` | - | what a run did, in numbers |
//! | `evaluate` | found and labelled pairs or clusters | how well they agree, with the worst misses and false alarms |
//! | `answers` | a file of pairs or clusters | an answer about documents by number |
//! | `names` | ids | numbers |
//! | `worst` | pairs that only one answer has | distances, similarities, beginnings of texts |

mod against;
mod answers;
mod bearable;
mod checkpoint;
mod compare;
mod confirm;
mod corpus;
mod dedup;
mod duplicates;
mod evaluate;
mod evidence;
mod feed;
mod fingerprinter;
mod memory;
mod names;
mod near;
mod pairs;
mod reading;
mod recall;
mod sampled;
mod search;
mod shard;
mod summary;
mod tune;
mod weigher;
mod worst;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::{Path, PathBuf};

pub use answers::Columns;
pub use compare::{Comparison, Difference, Side, Weighed};
pub use corpus::{Corpus, Origins};
pub use dedup::{Output, dedup, dedup_against};
pub use duplicates::{Decisions, DuplicatePair, Reason, Removal, Run};
pub use evaluate::{Bootstrap, DocumentCounts, EvaluatedFile, EvaluationReport, Question};
pub use fingerprinter::Fingerprinter;
pub use pairs::DuplicatePairs;
pub use reading::Purpose;
pub use recall::Recall;
pub use search::{FingerprintTable, Search};
pub use summary::{Counts, Summary};
pub use tune::Tuning;
pub use worst::{Case, Worst};

use crate::config::{Config, OnError};
use crate::error::Error;
use crate::features;
use crate::fingerprint;
use crate::message;
use crate::message::{Message, Verb};
use crate::normalize::Normalizer;
use crate::read;
use crate::segment::{self, Segmenter};
use crate::spill::hash_of;
use crate::statistics::{Saved, Statistics};
use crate::weights;

/// Settings that were checked, and everything built from them that all documents share.
///
/// ```
/// use nearprint::{Config, Pipeline};
/// let pipeline = Pipeline::new(Config::default())?;
/// assert_eq!(pipeline.config().bits, 256);
/// let error = Pipeline::new(Config { bits: 100, ..Config::default() }).unwrap_err();
/// assert!(error.to_string().contains("bits"));
/// # Ok::<(), nearprint::Error>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    config: Config,
    read: read::Options,
    normalizer: Normalizer,
    segmenter: Segmenter,
    features: features::Options,
    weights: weights::Options,
    /// Statistics loaded from a file; `None` where they are counted from the input or not needed.
    saved: Option<Statistics>,
    /// Which statistics weigh, in words.
    statistics: String,
    threads: rayon::ThreadPool,
    tmp_dir: PathBuf,
}

impl Pipeline {
    /// Checks the settings and builds what they ask for.
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting out of its range, at odds with another, or that names a file or folder which is not
    /// there; [`Error::Incompatible`] for corpus statistics that are damaged or made under other settings.
    pub fn new(config: Config) -> Result<Pipeline, Error> {
        config.check()?;
        let words = config.words();
        let normalizer = Normalizer::new(config.normalize);
        let features = features::Options {
            stop_words: stop_words(&words.stop_words, &normalizer)?,
            min_token_length: words.min_token_length,
            han_only: words.han_only,
            ngram: words.ngram,
        };
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(config.threads)
            .build()
            .map_err(|error| Error::usage("threads", error.to_string()))?;
        let mut pipeline = Pipeline {
            read: read::Options {
                format: config.format,
                text_fields: config.text_fields.clone(),
                id_field: config.id_field.clone(),
                keep_field: config.keep.field().map(str::to_string),
                whole_rows: config.on_error == OnError::Skip,
                max_document_bytes: config.max_document_bytes,
            },
            normalizer,
            segmenter: Segmenter::new(segment::Options { kind: words.segmenter, hmm: words.hmm }),
            features,
            weights: weights::Options {
                model: words.weights,
                tf: words.tf,
                idf: words.idf,
                cap: words.weight_cap,
                least_idf: words.least_idf,
            },
            saved: None,
            statistics: "none".to_string(),
            threads,
            tmp_dir: config.tmp_dir.clone().unwrap_or_else(std::env::temp_dir),
            config,
        };
        if !pipeline.tmp_dir.is_dir() {
            let problem = format!("{} is no folder; name one that is there", pipeline.tmp_dir.display());
            return Err(Error::usage("tmp-dir", problem));
        }
        if pipeline.config.features.kind() == features::Kind::Words && pipeline.weights.model.needs_statistics() {
            pipeline.statistics = "the input's own".to_string();
            if let Some(path) = &pipeline.config.words().stats {
                let (saved, hash) = load_statistics(path, &pipeline.features_description())?;
                pipeline.statistics = format!("file {hash:032x}");
                pipeline.saved = Some(saved);
            }
        }
        Ok(pipeline)
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The files and the folder that the settings name.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let words = self.config.words();
        let stop_words = words.stop_words.iter().map(Path::new).filter(|path| path.is_file());
        let named = words.stats.iter().chain(&self.config.tmp_dir).map(PathBuf::as_path);
        named.chain(stop_words)
    }

    /// How features are made, in words: statistics and fingerprints fit together only where this is equal.
    pub fn features_description(&self) -> String {
        if self.config.features.kind() == features::Kind::Letters {
            return format!("normalize={} (1); features={}", self.config.normalize, features::letters::NAME);
        }
        let features = &self.features;
        let stop_words: Vec<&str> = features.stop_words.iter().map(String::as_str).collect();
        let stop_words = match stop_words.len() {
            0 => "none".to_string(),
            count => format!("{count} ({:016x})", features::term(&stop_words.join("\n"))),
        };
        format!(
            "normalize={} (1); segmenter={}; stop-words={stop_words}; min-token-length={}; han-only={}; ngram={}; terms=xxh3-64",
            self.config.normalize,
            self.segmenter.name(),
            features.min_token_length,
            features.han_only,
            features.ngram,
        )
    }

    /// How fingerprints are made, in words: two fingerprints may be compared only where this is equal. Statistics from a
    /// file are named by the XXH3-128 of its bytes; those of `the input's own` fit fingerprints of one run only.
    pub fn fingerprint_description(&self) -> String {
        let (config, words) = (&self.config, self.config.words());
        if config.features.kind() == features::Kind::Letters {
            let hash = fingerprint::LETTERS_HASH;
            return format!("{}; bits={}; feature-hash={hash}", self.features_description(), config.bits);
        }
        let word = |value: Result<toml::Value, toml::ser::Error>| value.map(|v| v.to_string()).unwrap_or_default();
        format!(
            "{}; weights={}; statistics={}; tf={}; idf={}; least-idf={}; weight-cap={}; position={}; bits={}; feature-hash={}",
            self.features_description(),
            word(toml::Value::try_from(words.weights)),
            self.statistics,
            word(toml::Value::try_from(words.tf)),
            word(toml::Value::try_from(words.idf)),
            words.least_idf,
            words.weight_cap.map_or("none".to_string(), |cap| cap.to_string()),
            words.position,
            config.bits,
            words.feature_hash.name(),
        )
    }
}

/// Stop words by list name or from files, each as it looks after normalization.
fn stop_words(lists: &[String], normalizer: &Normalizer) -> Result<BTreeSet<String>, Error> {
    let mut words = BTreeSet::new();
    for list in lists {
        let known = if list.len() == 2 { stop_words::lookup(list) } else { None };
        if let Some(known) = known {
            words.extend(known.iter().map(|word| normalizer.normalize(word)));
            continue;
        }
        let text = std::fs::read_to_string(list).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::usage(
                "stop-words",
                format!("\"{list}\" is neither a language with a list (zh, en, de, …) nor a file with one word a line"),
            ),
            _ => Error::setting("stop-words", list)(error),
        })?;
        words.extend(text.lines().map(|word| normalizer.normalize(word.trim())).filter(|word| !word.is_empty()));
    }
    Ok(words)
}

/// Opens a file of corpus statistics.
///
/// # Errors
/// [`Error::Io`] where it cannot be read, and as [`bad_statistics`] says.
pub fn open_statistics(path: &Path) -> Result<Saved<BufReader<File>>, Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    Saved::open(BufReader::new(file)).map_err(bad_statistics(path))
}

/// What went wrong with a file of corpus statistics, for `map_err`: [`Error::Incompatible`] where it is damaged or none of
/// statistics, else [`Error::Io`].
pub fn bad_statistics(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |error| match error.kind() {
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof => {
            Error::Incompatible { path, problem: made_anew(error) }
        }
        _ => Error::io("read or write", path)(error),
    }
}

/// What to do about damaged statistics.
fn made_anew(error: std::io::Error) -> Message {
    message![error, "; make it anew with ", Verb::Stats]
}

/// Statistics made under settings of this description, and the hash of their file.
fn load_statistics(path: &Path, description: &str) -> Result<(Statistics, u128), Error> {
    let damaged = |error: std::io::Error| Error::Incompatible { path: path.to_path_buf(), problem: made_anew(error) };
    let mut file = File::open(path).map_err(Error::setting("stats", path))?;
    let hash = hash_of(&file).and_then(|hash| file.rewind().map(|()| hash)).map_err(Error::setting("stats", path))?;
    let saved = Saved::open(BufReader::new(file)).map_err(damaged)?;
    if saved.description != description {
        return Err(Error::Incompatible {
            path: path.to_path_buf(),
            problem: format!(
                "made under other settings ({}) than this run's ({description}); use the same settings or make the statistics anew",
                saved.description
            )
            .into(),
        });
    }
    Ok((saved.into_statistics().map_err(damaged)?, hash))
}
