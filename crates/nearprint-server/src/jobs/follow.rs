//! A run -> its progress, for those who ask; a wish to stop -> the run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use nearprint::{Message, Stage, Watch};
use serde::Serialize;

/// A stage, and the numbers of all its documents and bytes, if they are known.
type Reached = (Stage, Option<u64>, Option<u64>);

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
    stage: Mutex<Option<Reached>>,
    documents: AtomicU64,
    bytes: AtomicU64,
    warnings: Mutex<Vec<String>>,
    /// True if the run is to stop.
    pub stop: AtomicBool,
    /// True if a request has cancelled it.
    pub cancelled: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Follow {
    /// How far the run has come; `None` before its first stage.
    pub fn progress(&self) -> Option<Progress> {
        let (stage, of_documents, of_bytes) = (*lock(&self.stage))?;
        let [documents, bytes] =
            [&self.documents, &self.bytes].map(|done| done.load(Ordering::Relaxed));
        Some(Progress { stage, documents, bytes, of_documents, of_bytes })
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        lock(&self.warnings).clone()
    }
}

impl Watch for Follow {
    fn begin(&self, stage: Stage, documents: Option<u64>, bytes: Option<u64>) {
        let mut now = lock(&self.stage);
        self.documents.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        *now = Some((stage, documents, bytes));
    }

    fn advance(&self, documents: u64, bytes: u64) {
        self.documents.fetch_add(documents, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
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
