//! A run -> its progress, for those who ask; a wish to stop -> the run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use nearprint::{Message, Stage, Watch};
use serde::Serialize;

use crate::lock::lock;

/// The most warnings of a run that are kept.
const WARNINGS: usize = 100;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Progress {
    /// The stage that it is in.
    stage: Stage,
    /// The documents and bytes of the stage that are done.
    documents: u64,
    bytes: u64,
    /// All documents and bytes of the stage, if they are known.
    of_documents: Option<u64>,
    of_bytes: Option<u64>,
}

/// Follows a run.
#[derive(Debug, Default)]
pub(super) struct Follow {
    progress: Mutex<Option<Progress>>,
    warnings: Mutex<Vec<String>>,
    /// True if the run is to stop.
    pub stop: AtomicBool,
    /// True if a request has cancelled it.
    pub cancelled: AtomicBool,
}

impl Follow {
    /// How far the run has come; `None` before its first stage.
    pub fn progress(&self) -> Option<Progress> {
        *lock(&self.progress)
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        lock(&self.warnings).clone()
    }
}

impl Watch for Follow {
    fn begin(&self, stage: Stage, of_documents: Option<u64>, of_bytes: Option<u64>) {
        *lock(&self.progress) =
            Some(Progress { stage, documents: 0, bytes: 0, of_documents, of_bytes });
    }

    fn advance(&self, documents: u64, bytes: u64) {
        if let Some(progress) = &mut *lock(&self.progress) {
            progress.documents += documents;
            progress.bytes += bytes;
        }
    }

    fn begin_anew(&self, discarded: &Message) {
        self.warn(discarded);
    }

    fn warn(&self, warning: &Message) {
        let mut warnings = lock(&self.warnings);
        if warnings.len() < WARNINGS {
            warnings.push(warning.to_string());
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
