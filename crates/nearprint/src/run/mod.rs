//! The corridor: the order of stages, resuming, memory, progress. It depends on all rooms above it,
//! and holds no algorithm.
//!
//! ```text
//! settings -> everything that all documents share                   this file
//! input files -> output folder, stage by stage                      dedup.rs, output.rs, against.rs
//! the fingerprints of a run, for that                              fingerprints.rs
//! an output folder, another least similarity -> that of a run      rethreshold.rs
//! input files -> one stream of kept rows                           stream.rs
//! input files -> what is wrong with them                           check.rs
//! finished stages on disk, for a run that was stopped               checkpoint.rs
//! the time of each stage, the summary                               timed.rs, summary.rs
//! a finished run -> its report                                     report.rs
//! input files -> an index, or its answers                           index.rs
//! texts and candidate pairs from elsewhere -> the decisions         imported.rs
//! the other jobs: fingerprints, statistics, tuning, evaluation      jobs.rs
//! ```
//!
//! Each job runs on the threads of its [`Deduplicator`]; the rooms use the threads they are on.

mod against;
mod check;
mod checkpoint;
mod dedup;
mod documents;
mod find;
mod fingerprints;
mod imported;
#[cfg(feature = "index")]
mod index;
mod jobs;
mod output;
mod report;
mod rethreshold;
mod stream;
mod summary;
mod timed;

use std::path::{Path, PathBuf};

pub use documents::{Documents, dedup};
pub use find::{Asked, find, in_family};
pub use output::Output;
pub use report::{ReportOptions, Reported, report};

use nearprint_core::recipe::Recipe;

use crate::config::{Config, Size};
use crate::corpus::{Corpus, Reading, Storage};
use crate::error::Error;
use crate::memory::MemoryBound;
use crate::outcome::{Decisions, Summary};
use crate::read::{self, Source};
use crate::temporary::{self, Temporary};

/// Deduplicates documents: settings that were checked, and everything built from them that all
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
    memory: MemoryBound,
    threads: rayon::ThreadPool,
    tmp_dir: PathBuf,
}

/// Does some work on this number of threads, 0 for as many as the machine has, which are there for
/// this work alone. That is for callers whose threads may be gone, as after a fork.
///
/// # Errors
/// [`Error::Usage`] where the system has no threads to give.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    pool(threads).map(|pool| pool.install(work))
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| {
        Error::usage("threads", format!("cannot start threads ({error}); use fewer"))
    })
}

/// A finished run in memory.
#[derive(Debug)]
pub struct Run {
    /// Its documents, those that the others were only compared with first.
    pub corpus: Corpus,
    /// The decision on each of them.
    pub decisions: Decisions,
    /// The run in numbers.
    pub summary: Summary,
}

impl Deduplicator {
    /// Checks the settings and builds all that they ask for.
    ///
    /// # Errors
    /// [`Error::Usage`] for a setting out of its range, at odds with another, or that names a file
    /// or folder which is not there; [`Error::Incompatible`] for corpus statistics that are damaged
    /// or made under other settings.
    pub fn new(config: Config) -> Result<Deduplicator, Error> {
        let recipe = config.recipe()?;
        let threads = pool(config.run.threads)?;
        let options = config.reading();
        let tmp_dir = config.run.tmp_dir.clone().unwrap_or_else(std::env::temp_dir);
        if !tmp_dir.is_dir() {
            let problem = format!("{} is not a directory; name an existing one", tmp_dir.display());
            return Err(Error::usage("tmp-dir", problem));
        }
        let memory = MemoryBound::new(config.run.memory);
        Ok(Deduplicator { config, recipe, options, memory, threads, tmp_dir })
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The bound on the memory of its runs and the limit of the container that it comes from, where
    /// the settings name none and the process is in a container with a limit.
    pub fn memory_of_container(&self) -> Option<(Size, Size)> {
        self.memory.container_bound()
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The files and the folder that the settings name, which a run reads and must not replace.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let words = self.config.words();
        let stop_words = words.stop_words.iter().map(Path::new).filter(|path| path.is_file());
        let named = words.stats.iter().chain(&self.config.run.tmp_dir).map(PathBuf::as_path);
        named.chain(stop_words)
    }

    /// How documents are read: those of `against` are the ones that the others are only compared
    /// with. Lists on disk have names in `named_in`, if there is one.
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
            storage: Storage { tmp_dir: &self.tmp_dir, named_in, memory: self.memory },
        }
    }

    /// A folder for standard input, which a run reads twice; it goes with the value. Those of
    /// processes that were killed are removed.
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
