//! The output folder of a finished run of `dedup` -> its settings, its reports, and the texts of
//! its documents, read from the inputs again.
//!
//! ```text
//! summary.json -> settings, files, distances             this file
//! reports -> rows                                        reports.rs
//! input files, wanted documents -> their texts           documents.rs
//! an index of reference documents -> their texts         index.rs
//! ids that a user names -> the documents                 named.rs
//! the marks that the run was given -> those it used      marks.rs
//! ```
//!
//! The files are named as the user named them for the run, so they are read from the folder in
//! which `dedup` ran.

mod documents;
mod index;
mod marks;
mod named;
mod reports;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

pub(crate) use documents::each_document;
pub use documents::{FoundDocument, Place, Wanted};
pub(crate) use marks::unused_marks;
pub use named::Named;
pub(crate) use named::Names;
pub use reports::{Cluster, Leak, Missed, Rejected, Removed, ReportRows};

use crate::config::Config;
use crate::error::Error;
use crate::message;
use crate::message::Verb;

/// The name of the summary, which every output folder has.
const SUMMARY: &str = "summary.json";

/// The output folder of a finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The folder.
    pub folder: PathBuf,
    /// The settings of the run.
    pub config: Config,
    /// The input files, as the user named or found them.
    pub inputs: Vec<String>,
    /// The names of the inputs in the output; empty if these are the last parts of their paths.
    pub names: Vec<String>,
    /// The files of the reference documents; none in an ordinary run.
    pub against: Vec<String>,
    /// XXH3-128 of each file of the reference documents, then of each input, in hex; `None` if it
    /// is unknown.
    pub hashes: Vec<Option<String>>,
    /// True if some ids are integers and others strings.
    pub mixed_ids: bool,
    /// The largest distance of candidates in bits; `None` if there was no search.
    pub max_distance: Option<u32>,
    /// The bound in bits to which every pair was found; `None` if there was no search.
    pub complete_distance: Option<u32>,
    /// The names and versions of all parts that made the fingerprints.
    pub fingerprint: String,
    /// The number of removed documents, which is the number of rows of `removed.jsonl`.
    pub removed: u64,
    /// The fields that are read beside those of the run.
    fields: Vec<String>,
}

/// The part of a summary that is needed here.
#[derive(Deserialize)]
struct Summary {
    fingerprint: String,
    settings: toml::Table,
    counts: RemovedCount,
    inputs: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    against: Vec<String>,
    #[serde(default)]
    hashes: Vec<Option<String>>,
    #[serde(default)]
    mixed_ids: bool,
    max_distance: Option<u32>,
    complete_distance: Option<u32>,
}

#[derive(Deserialize)]
struct RemovedCount {
    removed: u64,
}

impl Finished {
    /// Reads the summary of an output folder.
    ///
    /// ```
    /// use nearprint::finished::Finished;
    /// use nearprint::{Config, Deduplicator, Output, Silent};
    /// let folder = tempfile::tempdir()?;
    /// let input = folder.path().join("poems.csv");
    /// std::fs::write(&input, "id,text\n1,春眠不觉晓\n2,床前明月光\n3,春眠不覺曉\n")?;
    /// let config = Config::default().min_similarity(0.9);
    /// let output = Output::new(folder.path().join("clean"));
    /// Deduplicator::new(config.clone())?.dedup(&[input.display().to_string()], &output, &Silent)?;
    ///
    /// let finished = Finished::open(&output.folder)?;
    /// assert_eq!(finished.config, config);
    /// let removed = finished.removed()?.next().unwrap()?;
    /// assert_eq!([removed.id.to_string(), removed.keeper.to_string()], ["3", "1"]);
    /// let texts = finished.texts(&[removed.wanted(), removed.wanted_keeper()], &Silent)?;
    /// assert_eq!(texts[0].text, "春眠不覺曉");
    ///
    /// let error = Finished::open(folder.path()).unwrap_err();
    /// assert!(error.to_string().contains("is not an output folder of "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Incompatible`] if the folder is no output folder or its summary is damaged,
    /// [`Error::Io`] if the summary cannot be read, [`Error::Usage`] for settings of another
    /// version.
    pub fn open(folder: &Path) -> Result<Finished, Error> {
        let path = folder.join(SUMMARY);
        let json = match fs::read_to_string(&path) {
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                let problem = message![
                    "is not an output folder of ",
                    Verb::Dedup,
                    ", since it has no ",
                    SUMMARY,
                    "; name the output folder of a run"
                ];
                return Err(Error::Incompatible { path: folder.to_path_buf(), problem });
            }
            json => json.map_err(Error::io("read", &path))?,
        };
        let summary: Summary = serde_json::from_str(&json).map_err(|error| {
            let problem = message![
                "is not a summary of ",
                Verb::Dedup,
                format!(" ({error}); "),
                "run it again"
            ];
            Error::Incompatible { path: path.clone(), problem }
        })?;
        Ok(Finished {
            folder: folder.to_path_buf(),
            config: Config::from_layers(&[summary.settings])?,
            inputs: summary.inputs,
            names: summary.names,
            against: summary.against,
            hashes: summary.hashes,
            mixed_ids: summary.mixed_ids,
            max_distance: summary.max_distance,
            complete_distance: summary.complete_distance,
            fingerprint: summary.fingerprint,
            removed: summary.counts.removed,
            fields: Vec::new(),
        })
    }

    /// The same run, whose documents come with further fields where their files have them.
    pub(crate) fn with_fields(self, fields: &[String]) -> Finished {
        Finished { fields: fields.to_vec(), ..self }
    }

    /// The whole summary.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub(crate) fn summary(&self) -> Result<serde_json::Value, Error> {
        let path = self.folder.join(SUMMARY);
        let json = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        serde_json::from_str(&json).map_err(|error| {
            let problem = message![
                "is not a summary of ",
                Verb::Dedup,
                format!(" ({error}); "),
                "run it again"
            ];
            Error::Incompatible { path, problem }
        })
    }
}
