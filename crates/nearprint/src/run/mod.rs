//! The order of stages, resuming, memory, and progress. This room depends on all rooms above it,
//! and holds no algorithm.
//!
//! ```text
//! settings -> everything that all documents share                   this file
//! input files -> output folder, or decisions in memory              dedup.rs
//!   the stages of a run, in order                                   stages.rs
//!   the reference files                                             against.rs
//!   the output folder, documents in memory                          output.rs, documents.rs
//!   finished stages on disk, for a run that goes on                 checkpoint.rs, identity.rs
//!   the time of each stage, the summary                             timed.rs, summary.rs
//!   fingerprints in the output folder                               fingerprints.rs
//! an output folder, another least similarity -> an output folder    rethreshold.rs
//! a finished run in memory -> its output folder                     save.rs
//! input files -> one stream of kept rows                            stream.rs
//! input files -> their problems                                     check.rs
//! input files -> the removals at other least similarities           bounds.rs
//! input files, texts -> the duplicates of each text                 find.rs
//! input files -> the passages that many share, and files without   passages.rs
//!   the passages that its page shows                                passages_page.rs
//! a finished run -> its report                                      report.rs
//! input files -> an index, or its answers                           index.rs
//!   the documents in batches, from a pipe while they come           batches.rs
//! texts and candidate pairs from elsewhere -> the decisions         imported.rs
//! the other jobs: fingerprints, statistics, tuning, evaluation      jobs.rs
//! ```
//!
//! Each job runs on the threads of its [`Deduplicator`]. The other rooms use the threads on which
//! they are called.

mod against;
#[cfg(feature = "index")]
mod batches;
mod bounds;
mod check;
mod checkpoint;
mod dedup;
mod documents;
mod find;
mod fingerprints;
mod identity;
mod imported;
#[cfg(feature = "index")]
mod index;
mod jobs;
mod output;
mod passages;
mod passages_page;
mod report;
mod rethreshold;
mod save;
mod stages;
mod stream;
mod summary;
mod timed;

use std::path::{Path, PathBuf};

pub use bounds::{AtBound, BoundsTable, Example};
pub use documents::{Documents, dedup};
pub use find::{Asked, find, in_family};
pub use output::Output;
pub use passages::SharedPassages;
pub use report::{ReportOptions, Reported, report};
pub use rethreshold::Changes;

use nearprint_core::recipe::Recipe;

use crate::config::{Config, Size};
use crate::corpus::{Corpus, MarkFile, Reading, Storage};
use crate::error::Error;
use crate::memory::MemoryBound;
use crate::outcome::{Decisions, Summary};
use crate::read::{self, Source};
use crate::temporary::{self, Temporary};

/// Deduplicates documents. It holds checked settings, and everything built from them that all
/// documents share.
///
/// ```
/// use nearprint::{Config, Deduplicator};
/// let deduplicator = Deduplicator::new(Config::default())?;
/// assert_eq!(deduplicator.config().fingerprint.bits, 256);
/// let error = Deduplicator::new(Config::default().bits(100)).unwrap_err();
/// assert!(error.to_string().contains("bits"));
/// # Ok::<(), nearprint::Error>(())
/// ```
#[derive(Debug)]
pub struct Deduplicator {
    config: Config,
    recipe: Recipe,
    options: read::Options,
    /// The marks of a person, if the settings name some.
    marks: Option<MarkFile>,
    memory: MemoryBound,
    threads: rayon::ThreadPool,
    tmp_dir: PathBuf,
}

/// Does some work on a number of new threads, 0 for as many as the machine has. It is meant for
/// callers whose own threads may be gone, as after a fork.
///
/// # Errors
/// [`Error::Usage`] if the system cannot start the threads.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    pool(threads).map(|pool| pool.install(work))
}

/// The threads of [`on_threads`], for work whose parts are handed over one by one.
///
/// # Errors
/// [`Error::Usage`] if the system cannot start the threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| {
        Error::usage("threads", format!("cannot start threads ({error}); use fewer"))
    })
}

/// A finished run in memory.
#[derive(Debug)]
pub struct Run {
    /// Its documents, the reference documents first.
    pub corpus: Corpus,
    /// The decision on each document.
    pub decisions: Decisions,
    /// The run in numbers.
    pub summary: Summary,
}

impl Deduplicator {
    /// Checks the settings and builds all that they ask for.
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting that is out of its range, is at odds with another, or names a
    /// missing file or folder; [`Error::Incompatible`] for corpus statistics that are damaged or
    /// made under other settings, and for damaged marks; [`Error::Io`].
    pub fn new(config: Config) -> Result<Deduplicator, Error> {
        let recipe = config.recipe()?;
        let threads = pool(config.run.threads)?;
        let options = config.reading();
        let marks = config.decide.marks.as_deref().map(MarkFile::read).transpose()?;
        let tmp_dir = config.run.tmp_dir.clone().unwrap_or_else(std::env::temp_dir);
        if !tmp_dir.is_dir() {
            let problem = format!("{} is not a directory; name an existing one", tmp_dir.display());
            return Err(Error::usage("tmp-dir", problem));
        }
        let memory = MemoryBound::new(config.run.memory);
        Ok(Deduplicator { config, recipe, options, marks, memory, threads, tmp_dir })
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The bound on the memory of its runs, and the container's memory limit from which it comes.
    /// `None` if the settings name a bound, or if there is no container with a limit.
    pub fn memory_of_container(&self) -> Option<(Size, Size)> {
        self.memory.container_bound()
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The files and the folder that the settings name. A run reads them and must not replace them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let words = self.config.words();
        let stop_words = words.stop_words.iter().map(Path::new).filter(|path| path.is_file());
        let named =
            words.stats.iter().chain(&self.config.run.tmp_dir).chain(&self.config.decide.marks);
        let named = named.chain(&self.config.fingerprint.ignore_passages).map(PathBuf::as_path);
        named.chain(stop_words)
    }

    /// The reading of documents, the reference documents of `against` first. Lists on disk are
    /// named files in `named_in`, if it is given.
    fn reading<'a>(
        &'a self,
        against: Vec<Source>,
        sources: Vec<Source>,
        named_in: Option<&'a Path>,
    ) -> Reading<'a> {
        Reading {
            config: &self.config,
            recipe: &self.recipe,
            options: &self.options,
            against,
            sources,
            known: None,
            marks: self.marks.as_ref(),
            storage: Storage { tmp_dir: &self.tmp_dir, named_in, memory: self.memory },
            for_queries: false,
        }
    }

    /// A folder for standard input, which a run reads twice. It is removed with the value. Folders
    /// of killed processes are removed here.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn spool(&self) -> Result<Temporary, Error> {
        temporary::remove_abandoned(&self.tmp_dir, SPOOL);
        Temporary::create(&self.tmp_dir, SPOOL, true)
            .map_err(Error::io("create a folder in", &self.tmp_dir))
    }
}

/// The beginning of the names of folders for standard input.
const SPOOL: &str = ".";
