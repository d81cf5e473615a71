//! The interface by which a caller follows a run and stops it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;
use crate::message::Message;

/// A part of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Files to terms.
    Read,
    /// Corpus statistics.
    Statistics,
    /// A sample to the distances of the search.
    Estimate,
    /// Terms to fingerprints.
    Fingerprint,
    /// Fingerprints to candidate pairs.
    Join,
    /// Candidate pairs to duplicate pairs and clusters.
    Verify,
    /// A sample compared with everything, to measure the recall.
    Recall,
    /// Clusters to decisions.
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
            Stage::Estimate => "estimate",
            Stage::Fingerprint => "fingerprint",
            Stage::Join => "join",
            Stage::Verify => "verify",
            Stage::Recall => "recall",
            Stage::Cluster => "cluster",
            Stage::Write => "write",
        }
    }
}

/// Follows a run: the command line shows bars, tests and servers show nothing. Methods are called
/// from several threads and must return at once.
pub trait Watch: Sync {
    /// A stage begins. `documents` and `bytes` are the amount of work, if it is known.
    fn begin(&self, stage: Stage, documents: Option<u64>, bytes: Option<u64>) {
        let _ = (stage, documents, bytes);
    }

    /// `documents` and `bytes` of the current stage were done since the last call.
    fn advance(&self, documents: u64, bytes: u64) {
        let _ = (documents, bytes);
    }

    /// The run begins anew in the folder of an unfinished run of other settings or files. The
    /// message names the folder and the difference.
    fn begin_anew(&self, discarded: &Message) {
        let _ = discarded;
    }

    /// The input may have been read otherwise than the user means.
    fn warn(&self, warning: &Message) {
        let _ = warning;
    }

    /// Returns true if the run should stop. It then ends with [`Error::Interrupted`] and leaves no
    /// output.
    fn stopped(&self) -> bool {
        false
    }
}

/// Ends a run that was stopped.
pub(crate) fn stop_if_asked(watch: &dyn Watch) -> Result<(), Error> {
    if watch.stopped() { Err(Error::Interrupted) } else { Ok(()) }
}

/// Reports the progress of a stage whose documents take about the same time each. Bytes are
/// reported in proportion to documents.
pub(crate) struct Progress<'w> {
    watch: &'w dyn Watch,
    documents: u64,
    bytes: u64,
    done: AtomicU64,
}

impl<'w> Progress<'w> {
    /// Begins a stage over this number of documents with this number of bytes of text in all.
    pub fn begin(watch: &'w dyn Watch, stage: Stage, documents: usize, bytes: u64) -> Progress<'w> {
        watch.begin(stage, Some(documents as u64), Some(bytes));
        Progress { watch, documents: documents as u64, bytes, done: AtomicU64::new(0) }
    }

    /// This number of further documents is done.
    pub fn advance(&self, documents: usize) {
        let before = self.done.fetch_add(documents as u64, Ordering::Relaxed);
        self.tell(before, before + documents as u64);
    }

    /// This share of all documents is done, from 0 to 1. The reported share never decreases.
    pub fn reach(&self, share: f64) {
        let now = (share.min(1.0) * self.documents as f64) as u64;
        let before = self.done.fetch_max(now, Ordering::Relaxed);
        self.tell(before, now.max(before));
    }

    /// Returns true if the run should stop.
    pub fn stopped(&self) -> bool {
        self.watch.stopped()
    }

    fn tell(&self, before: u64, now: u64) {
        let bytes = |documents: u64| {
            let share =
                u128::from(self.bytes) * u128::from(documents) / u128::from(self.documents.max(1));
            u64::try_from(share).unwrap_or(u64::MAX)
        };
        self.watch.advance(now - before, bytes(now) - bytes(before));
    }
}

/// Shows nothing and never stops a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Sum(AtomicU64, AtomicU64);

    impl Watch for Sum {
        fn advance(&self, documents: u64, bytes: u64) {
            self.0.fetch_add(documents, Ordering::Relaxed);
            self.1.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    #[test]
    fn all_bytes_are_told_of_with_the_last_document() {
        let sum = Sum::default();
        let stage = Progress::begin(&sum, Stage::Join, 7, 100);
        stage.advance(3);
        assert_eq!((sum.0.load(Ordering::Relaxed), sum.1.load(Ordering::Relaxed)), (3, 42));
        stage.reach(0.1);
        assert_eq!(sum.0.load(Ordering::Relaxed), 3);
        stage.reach(1.0);
        assert_eq!((sum.0.load(Ordering::Relaxed), sum.1.load(Ordering::Relaxed)), (7, 100));
    }
}
