//! The folder of an index, opened on first use. One call at a time works on it, and none during a
//! fork.
//!
//! SQLite keeps a list of the files that a process has locked. A child of `fork` has the list
//! without the locks, so its changes of the same files may get lost. So a fork waits until no call
//! is at work and all folders are closed; each process opens them again. If that fails, the child
//! opens none.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use nearprint::index::Index;
use nearprint::{Config, Deduplicator, Error, Watch};
use pyo3::prelude::*;

/// Maximum time that a fork waits for running calls, and the time between two checks.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(1);

/// Time between two checks of a waiting call for Ctrl-C.
const LISTEN: Duration = Duration::from_millis(50);

/// The running calls. A thread with Python's lock never waits for this lock, since its holder may
/// wait for Python's.
static GATE: Mutex<Gate> =
    Mutex::new(Gate { splitting: false, working: 0, process: 0, folders: Vec::new() });
static CHANGED: Condvar = Condvar::new();

/// True if SQLite's list of locks comes from the parent process.
static INHERITED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The guard that keeps all other calls out during a fork.
    static SPLITTING: RefCell<Option<MutexGuard<'static, Gate>>> = const { RefCell::new(None) };
    /// True if this thread waits for its own call.
    static WAITING: Cell<bool> = const { Cell::new(false) };
}

struct Gate {
    /// True if the process is about to fork.
    splitting: bool,
    /// Number of running calls.
    working: usize,
    /// The process that is about to fork.
    process: u32,
    folders: Vec<Weak<Folder>>,
}

/// The folder of an index.
pub(crate) struct Folder {
    path: PathBuf,
    /// Only the call whose turn it is, or a fork, uses it.
    opened: Mutex<Option<Opened>>,
    /// The process that has the folder open; 0 for none.
    process: AtomicU32,
    /// True if a call is at work on it.
    is_busy: AtomicBool,
    /// True if the user has closed it.
    is_closed: AtomicBool,
}

/// An index, and a reader of documents with its settings.
pub(crate) struct Opened {
    pub index: Index,
    pub config: Config,
    reader: Option<Deduplicator>,
}

impl Opened {
    /// Calls `work` with the index and a reader of documents with these settings, or else with
    /// those of the index.
    pub fn read_by<T>(
        &mut self,
        settings: Option<&Config>,
        work: impl FnOnce(&mut Index, &Deduplicator) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(settings) = settings else {
            let reader = match self.reader.take() {
                Some(reader) => reader,
                None => Deduplicator::new(self.config.clone())?,
            };
            let done = work(&mut self.index, &reader);
            self.reader = Some(reader);
            return done;
        };
        let reader = Deduplicator::new(settings.clone())?;
        // The index refuses settings that differ from its own.
        self.index.read_by(settings.clone())?;
        let done = work(&mut self.index, &reader);
        self.index.read_by(self.config.clone())?;
        done
    }
}

/// The turn of a call; it ends with the drop of the value.
struct Turn<'f>(&'f Folder);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut gate = lock(&GATE);
        self.0.is_busy.store(false, Ordering::Relaxed);
        gate.working -= 1;
        CHANGED.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Folder {
    /// A folder that is not open yet.
    pub fn new(path: PathBuf) -> Arc<Folder> {
        let (process, [is_busy, is_closed]) =
            (AtomicU32::new(0), [false, false].map(AtomicBool::new));
        Arc::new(Folder { path, opened: Mutex::new(None), process, is_busy, is_closed })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the user has closed it.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Calls `work` with the index, and opens it first if needed.
    ///
    /// # Errors As [`Index::open`]; [`Error::Usage`] if it is closed, or cannot be opened after a
    /// fork; [`Error::Interrupted`]; those of `work`.
    pub fn with<T>(
        self: &Arc<Folder>,
        watch: &dyn Watch,
        work: impl FnOnce(&mut Opened) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _turn = self.turn(watch)?;
        let mut opened = lock(&self.opened);
        if opened.is_none() {
            self.process.store(std::process::id(), Ordering::Relaxed);
            let index = Index::open(&self.path)
                .inspect_err(|_| self.process.store(0, Ordering::Relaxed))?;
            *opened = Some(Opened { config: index.config().clone(), index, reader: None });
        }
        work(opened.as_mut().expect("it was opened above"))
    }

    /// Creates the index with `make`, and opens it.
    ///
    /// # Errors The errors of `make`; as [`with`](Self::with).
    pub fn create(
        self: &Arc<Folder>,
        watch: &dyn Watch,
        make: impl FnOnce(&Path) -> Result<Index, Error>,
    ) -> Result<(), Error> {
        let turn = self.turn(watch)?;
        self.process.store(std::process::id(), Ordering::Relaxed);
        let made = make(&self.path).map(drop);
        self.process.store(0, Ordering::Relaxed);
        drop(turn);
        made.and_then(|()| self.with(watch, |_| Ok(())))
    }

    /// Closes the folder for good.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn close(self: &Arc<Folder>, watch: &dyn Watch) -> Result<(), Error> {
        if !self.is_foreign() && !self.is_closed() {
            let _turn = self.turn(watch)?;
            self.shut();
        }
        self.is_closed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Waits for the turn of a call.
    fn turn(self: &Arc<Folder>, watch: &dyn Watch) -> Result<Turn<'_>, Error> {
        let mut gate = lock(&GATE);
        loop {
            if self.is_closed() {
                return Err(Error::usage(
                    "index",
                    format!("{} is closed; open it again", self.path.display()),
                ));
            }
            if INHERITED.load(Ordering::Relaxed) || gate.folders.iter().any(is_foreign) {
                INHERITED.store(true, Ordering::Relaxed);
                let problem = "an index was in use when this process was forked, so no index can \
                    be opened safely here; fork before using an index, or start new processes, as \
                    multiprocessing does with \"spawn\"";
                return Err(Error::usage("index", problem));
            }
            if !gate.splitting && !self.is_busy.load(Ordering::Relaxed) {
                break;
            }
            if watch.stopped() {
                return Err(Error::Interrupted);
            }
            gate = CHANGED
                .wait_timeout(gate, LISTEN)
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .0;
        }
        let own = Arc::downgrade(self);
        if !gate.folders.iter().any(|folder| folder.ptr_eq(&own)) {
            gate.folders.retain(|folder| folder.strong_count() > 0);
            gate.folders.push(own);
        }
        self.is_busy.store(true, Ordering::Relaxed);
        gate.working += 1;
        Ok(Turn(self))
    }

    /// True if the parent process opened it.
    fn is_foreign(&self) -> bool {
        let process = self.process.load(Ordering::Relaxed);
        process != 0 && process != std::process::id()
    }

    /// Closes the folder until the next call.
    fn shut(&self) {
        *lock(&self.opened) = None;
        self.process.store(0, Ordering::Relaxed);
    }
}

fn is_foreign(folder: &Weak<Folder>) -> bool {
    folder.upgrade().is_some_and(|folder| folder.is_foreign())
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_foreign() {
            // Closing would remove files that the parent process still writes.
            INHERITED.store(true, Ordering::Relaxed);
            if let Ok(mut opened) = self.opened.try_lock() {
                std::mem::forget(opened.take());
            }
        }
    }
}

/// Does `work`, which takes a turn on another thread. A fork by user code on this thread does not
/// wait for it.
pub(crate) fn waiting<T>(work: impl FnOnce() -> T) -> T {
    let before = WAITING.replace(true);
    let done = work();
    WAITING.set(before);
    done
}

/// Python calls this before a fork. Afterwards no call is at work, and all folders are closed.
#[pyfunction]
pub(crate) fn before_fork(py: Python<'_>) {
    let begun = Instant::now();
    loop {
        let gate = match GATE.try_lock() {
            Ok(gate) => Some(gate),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(mut gate) = gate {
            gate.splitting = true;
            if gate.working == 0 {
                gate.folders.iter().filter_map(Weak::upgrade).for_each(|folder| folder.shut());
            }
            if gate.working == 0 || WAITING.get() || begun.elapsed() > PATIENCE {
                gate.process = std::process::id();
                SPLITTING.set(Some(gate));
                return;
            }
        }
        py.detach(|| thread::sleep(PAUSE));
    }
}

/// Python calls this after a fork, in both processes.
#[pyfunction]
pub(crate) fn after_fork() {
    if let Some(mut gate) = SPLITTING.take() {
        if gate.process != std::process::id() {
            // The child has none of the running threads.
            gate.working = 0;
        }
        gate.splitting = false;
        CHANGED.notify_all();
    }
}
