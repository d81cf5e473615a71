//! A run on its own thread, while the calling thread handles Ctrl-C and reports progress.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use nearprint::message::Message;
use nearprint::{Stage, Watch};
use pyo3::prelude::*;

use crate::errors::spelled;

/// Time between two checks for Ctrl-C.
const LISTEN: Duration = Duration::from_millis(50);

/// The progress of a run, and its flag to stop.
#[derive(Debug, Default)]
struct Told {
    stage: Mutex<Option<(Stage, Option<u64>)>>,
    documents: AtomicU64,
    stopped: AtomicBool,
    warnings: Mutex<Vec<String>>,
}

impl Watch for Told {
    fn begin(&self, stage: Stage, documents: Option<u64>, _bytes: Option<u64>) {
        let mut current = self.stage.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *current = Some((stage, documents));
        self.documents.store(0, Ordering::Relaxed);
    }

    fn advance(&self, documents: u64, _bytes: u64) {
        self.documents.fetch_add(documents, Ordering::Relaxed);
    }

    fn warn(&self, warning: &Message) {
        let mut warnings = self.warnings.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        warnings.push(spelled(warning));
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Told {
    /// Gives the warnings so far to Python, each as a `NearprintWarning`.
    fn pass_on_warnings(&self, py: Python<'_>) -> PyResult<()> {
        let mut warnings = self.warnings.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let warnings = std::mem::take(&mut *warnings);
        if warnings.is_empty() {
            return Ok(());
        }
        let category = py.import("nearprint.errors")?.getattr("NearprintWarning")?;
        let warn = py.import("warnings")?.getattr("warn")?;
        warnings.into_iter().try_for_each(|text| warn.call1((text, &category, 2)).map(|_| ()))
    }

    /// Calls `progress(stage, documents done, all documents or None)`.
    fn tell(&self, py: Python<'_>, progress: &Py<PyAny>) -> PyResult<()> {
        let current = *self.stage.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((stage, documents)) = current {
            let done = self.documents.load(Ordering::Relaxed);
            progress.call1(
                py,
                (stage.name(), documents.map_or(done, |all| done.min(all)), documents),
            )?;
        }
        Ok(())
    }
}

/// Does `work` without Python's lock. Ctrl-C, or an exception of `progress`, stops the work and is
/// raised at its end. `progress` is a function, or `True` for a bar.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Watch) -> T + Send,
) -> PyResult<T> {
    let Some(progress) = progress else { return listening(py, None, work) };
    let followed = py.import("nearprint.progress")?.call_method1("followed", (progress,))?;
    let function = followed.call_method0("__enter__")?;
    let function = if function.is_none() { None } else { Some(function.unbind()) };
    let result = catch_unwind(AssertUnwindSafe(|| listening(py, function.as_ref(), work)));
    followed.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

fn listening<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Watch) -> T + Send,
) -> PyResult<T> {
    let told = Told::default();
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let told = &told;
        let work = move || {
            // The end of the channel reports a panic to the calling thread.
            let _ = sender.send(work(told));
        };
        let worker = std::thread::Builder::new().spawn_scoped(scope, work)?;
        let receiver = Mutex::new(receiver);
        let mut raised = None;
        let result = loop {
            let heard = py.detach(|| {
                receiver
                    .lock()
                    .unwrap_or_else(|poisoned| poisoned.into_inner())
                    .recv_timeout(LISTEN)
            });
            match heard {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                Err(RecvTimeoutError::Timeout) => {
                    let listened = py.check_signals().and_then(|()| match progress {
                        Some(progress) => told.tell(py, progress),
                        None => Ok(()),
                    });
                    if let Err(error) = listened {
                        told.stopped.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
            }
        };
        let ended = py.detach(|| worker.join());
        if raised.is_none() {
            told.pass_on_warnings(py)?;
        }
        match (raised, result) {
            (Some(error), _) => Err(error),
            (None, Some(result)) => {
                if let Some(progress) = progress {
                    told.tell(py, progress)?;
                }
                Ok(result)
            }
            (None, None) => resume_unwind(
                ended.err().unwrap_or_else(|| Box::new("the run ended without a result")),
            ),
        }
    })
}

/// Texts of fewer bytes in total take less time than the start of a thread.
const LONG: usize = 1 << 14;

/// Does work on texts of this total size without Python's lock: on this thread if they are short,
/// else [`left_alone`].
pub(crate) fn unlocked<T: Send + 'static>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    match bytes < LONG {
        true => Ok(py.detach(work)),
        false => left_alone(py, work),
    }
}

/// Does work that cannot be stopped on its own thread, without Python's lock. After Ctrl-C the
/// thread goes on alone.
pub(crate) fn left_alone<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let work = move || {
        // The receiver may be gone.
        let _ = sender.send(work());
    };
    let worker = std::thread::Builder::new().spawn(work)?;
    let receiver = Mutex::new(receiver);
    loop {
        let heard = py.detach(|| {
            receiver.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv_timeout(LISTEN)
        });
        match heard {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => unreachable!("the worker ends by telling its result"),
            },
        }
    }
}
