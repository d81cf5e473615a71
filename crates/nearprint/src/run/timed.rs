//! The time that each stage of a run takes.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use crate::message::Message;
use crate::watch::{Stage, Watch};

/// Passes all calls on to another watch, and takes the time of stages.
pub struct Timed<'w> {
    watch: &'w dyn Watch,
    begun: Instant,
    laps: Mutex<Laps>,
}

#[derive(Debug, Default)]
struct Laps {
    current: Option<(Stage, Instant)>,
    seconds: BTreeMap<&'static str, f64>,
}

impl Laps {
    /// Adds the time of the current stage, and starts the next one.
    fn next(&mut self, stage: Option<Stage>) {
        if let Some((last, begun)) = self.current.take() {
            *self.seconds.entry(last.name()).or_default() += begun.elapsed().as_secs_f64();
        }
        self.current = stage.map(|stage| (stage, Instant::now()));
    }
}

impl<'w> Timed<'w> {
    pub fn new(watch: &'w dyn Watch) -> Timed<'w> {
        Timed { watch, begun: Instant::now(), laps: Mutex::default() }
    }

    /// The seconds of each stage so far, and of `all`, rounded to milliseconds.
    pub fn seconds(&self) -> BTreeMap<&'static str, f64> {
        let mut laps = self.laps.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        laps.next(None);
        let mut seconds = std::mem::take(&mut laps.seconds);
        seconds.insert("all", self.begun.elapsed().as_secs_f64());
        seconds.values_mut().for_each(|seconds| *seconds = (*seconds * 1000.0).round() / 1000.0);
        seconds
    }
}

impl Watch for Timed<'_> {
    fn begin(&self, stage: Stage, documents: Option<u64>, bytes: Option<u64>) {
        self.laps.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next(Some(stage));
        self.watch.begin(stage, documents, bytes);
    }

    fn advance(&self, documents: u64, bytes: u64) {
        self.watch.advance(documents, bytes);
    }

    fn begin_anew(&self, discarded: &Message) {
        self.watch.begin_anew(discarded);
    }

    fn warn(&self, warning: &Message) {
        self.watch.warn(warning);
    }

    fn stopped(&self) -> bool {
        self.watch.stopped()
    }
}
