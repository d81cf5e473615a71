//! How a caller follows a run, and stops it.

/// A part of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Files to terms.
    Read,
    /// Corpus statistics.
    Statistics,
    /// Terms to fingerprints.
    Fingerprint,
    /// Fingerprints to candidate pairs, and those to duplicate pairs.
    Join,
    /// Duplicate pairs to clusters.
    Cluster,
    /// The output files.
    Write,
}

impl Stage {
    /// The stage as one word.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Read => "read",
            Stage::Statistics => "statistics",
            Stage::Fingerprint => "fingerprint",
            Stage::Join => "join",
            Stage::Cluster => "cluster",
            Stage::Write => "write",
        }
    }
}

/// Follows a run: the command line shows bars, tests and servers look on silently. Methods are called from several
/// threads and return at once.
pub trait Watch: Sync {
    /// A stage begins. `documents` and `bytes` say how much there is to do, where that is known.
    fn begin(&self, stage: Stage, documents: Option<u64>, bytes: Option<u64>) {
        let _ = (stage, documents, bytes);
    }

    /// More of the present stage is done.
    fn advance(&self, documents: u64, bytes: u64) {
        let _ = (documents, bytes);
    }

    /// Whether the run should stop: it then ends with [`Error::Interrupted`](crate::Error::Interrupted) and leaves no
    /// output.
    fn stopped(&self) -> bool {
        false
    }
}

/// Looks on silently and never stops a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {}
