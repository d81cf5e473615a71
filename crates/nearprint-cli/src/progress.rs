//! Shows the progress of a run: a bar for each stage on a terminal; elsewhere a line for each
//! stage, and more lines for a long one.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use nearprint::{Message, Stage, Watch};

use crate::spelling::spelled;
use crate::visible::visible;

use crate::verbs::counted;

/// A bar is drawn at most once in this number of milliseconds.
const REDRAW: u64 = 100;

/// Without a terminal, a long stage reports its progress once in this number of milliseconds.
const AGAIN: u64 = 30_000;

/// Minimum time to report a speed, in seconds.
pub const MEASURABLE: f64 = 0.1;

/// Shows stages on standard error.
pub struct Progress {
    quiet: bool,
    terminal: bool,
    documents: AtomicU64,
    bytes: AtomicU64,
    begun: Instant,
    /// Time of the last report, in milliseconds since the beginning.
    told: AtomicU64,
    current: Mutex<Option<Current>>,
    warned: Mutex<BTreeSet<String>>,
}

struct Current {
    stage: Stage,
    begun: Instant,
    total_bytes: Option<u64>,
    total_documents: Option<u64>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Shows nothing if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        Progress {
            quiet,
            terminal: std::io::stderr().is_terminal(),
            documents: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            begun: Instant::now(),
            told: AtomicU64::new(0),
            current: Mutex::new(None),
            warned: Mutex::default(),
        }
    }

    /// Ends the last stage.
    pub fn finish(&self) {
        let mut current = self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(current) = current.take() {
            self.end(current);
        }
    }

    fn end(&self, current: Current) {
        if let Some(bar) = &current.bar {
            bar.finish_and_clear();
        }
        if !self.quiet {
            let seconds = current.begun.elapsed().as_secs_f64();
            let documents = match self.documents.load(Ordering::Relaxed) {
                0 => None,
                count => Some(counted(count, "document", "documents")),
            };
            let done: Vec<String> =
                documents.into_iter().chain(self.speed(current.stage, seconds)).collect();
            let line =
                format!("{:<12} {:>7.2} s  {}", current.stage.name(), seconds, done.join(", "));
            crate::tell(line.trim_end());
        }
    }

    /// Time since the beginning.
    fn milliseconds(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// The speed so far, of a stage that reads the input; other stages skip most of it.
    fn speed(&self, stage: Stage, seconds: f64) -> Option<String> {
        let (reads, bytes) =
            (matches!(stage, Stage::Read | Stage::Write), self.bytes.load(Ordering::Relaxed));
        (reads && bytes > 0 && seconds >= MEASURABLE)
            .then(|| format!("{:.1} MB/s", bytes as f64 / 1e6 / seconds))
    }
}

impl Watch for Progress {
    fn begin(&self, stage: Stage, documents: Option<u64>, bytes: Option<u64>) {
        let mut current = self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(last) = current.take() {
            self.end(last);
        }
        self.documents.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        self.told.store(self.milliseconds(), Ordering::Relaxed);
        let bar = (self.terminal && !self.quiet).then(|| {
            let bar = match bytes.or(documents) {
                Some(total) => ProgressBar::new(total),
                None => ProgressBar::new_spinner(),
            };
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let template = match bytes.or(documents) {
                Some(_) => "{prefix:<12} [{bar:10}] {percent:>3} %  {wide_msg}",
                None => "{prefix:<12} {spinner} {elapsed}  {wide_msg}",
            };
            bar.set_style(
                ProgressStyle::with_template(template)
                    .expect("a valid template")
                    .progress_chars("=> "),
            );
            bar.set_prefix(stage.name());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        *current = Some(Current {
            stage,
            begun: Instant::now(),
            total_bytes: bytes,
            total_documents: documents,
            bar,
        });
    }

    fn advance(&self, documents: u64, bytes: u64) {
        self.documents.fetch_add(documents, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let now = self.milliseconds();
        if self.quiet
            || now < self.told.load(Ordering::Relaxed) + if self.terminal { REDRAW } else { AGAIN }
        {
            return;
        }
        // If another thread is reporting, this one has nothing to add.
        let Ok(current) = self.current.try_lock() else { return };
        let Some(Current { stage, bar, begun, total_bytes, total_documents }) = &*current else {
            return;
        };
        self.told.store(now, Ordering::Relaxed);
        let done = match (total_bytes, total_documents) {
            (Some(_), _) => self.bytes.load(Ordering::Relaxed),
            (None, _) => self.documents.load(Ordering::Relaxed),
        };
        let elapsed = begun.elapsed();
        let total = total_bytes.or(*total_documents).filter(|total| *total >= done && done > 0);
        let left = total.map(|total| {
            let seconds = elapsed.as_secs_f64() * (total - done) as f64 / done as f64;
            format!("{} left", HumanDuration(Duration::from_secs_f64(seconds)))
        });
        let said: Vec<String> =
            self.speed(*stage, elapsed.as_secs_f64()).into_iter().chain(left).collect();
        match bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(said.join(", "));
            }
            None => {
                let share =
                    total.map(|total| format!("{:>7} %", 100 * done / total)).unwrap_or_default();
                crate::tell(&format!("{:<12} {share}  {}", stage.name(), said.join(", ")));
            }
        }
    }

    fn begin_anew(&self, discarded: &Message) {
        crate::tell(&format!("nearprint: warning: {}", spelled(discarded)));
    }

    fn warn(&self, warning: &Message) {
        let warning = visible(&format!("nearprint: warning: {}", spelled(warning))).into_owned();
        // A verb may look for the same files twice.
        let mut warned = self.warned.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !warned.insert(warning.clone()) {
            return;
        }
        let current = self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match current.as_ref().and_then(|current| current.bar.as_ref()) {
            Some(bar) => bar.suspend(|| crate::tell(&warning)),
            None => crate::tell(&warning),
        }
    }

    fn stopped(&self) -> bool {
        crate::stopped()
    }
}
