//! The folder of an index, opened when it is needed: one call at a time works on it, and none while
//! the process splits in two.
//!
//! SQLite notes in memory which files a process has locked. A child of `fork` has those notes
//! without the locks, so what it opens of the same files is locked by nobody, and its changes may
//! get lost. So before a fork one waits until no call is at work and closes all folders; each
//! process opens its own again. Where that could not be done, the child opens none.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use nearprint::index::Index;
use nearprint::{Config, Deduplicator, Error, Watch};
use pyo3::prelude::*;

/// How long a fork waits for the calls that are at work, and between two looks.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(1);

/// How long a call that waits for its turn does not listen.
const LISTEN: Duration = Duration::from_millis(50);

/// Who is at work. A thread that has Python's lock never waits for this one: who has this one may
/// wait for Python's.
static GATE: Mutex<Gate> =
    Mutex::new(Gate { splitting: false, working: 0, process: 0, folders: Vec::new() });
static CHANGED: Condvar = Condvar::new();

/// Whether SQLite's notes are those of a process that this one has split off from.
static INHERITED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What keeps all others out during a fork.
    static SPLITTING: RefCell<Option<MutexGuard<'static, Gate>>> = const { RefCell::new(None) };
    /// Whether this thread waits for a call of its own.
    static WAITING: Cell<bool> = const { Cell::new(false) };
}

struct Gate {
    /// Whether the process is about to split.
    splitting: bool,
    /// Calls that are at work.
    working: usize,
    /// The process that is about to split.
    process: u32,
    folders: Vec<Weak<Folder>>,
}

/// The folder of an index.
pub(crate) struct Folder {
    path: PathBuf,
    /// Only who has the turn, or splits the process, looks at it.
    opened: Mutex<Option<Opened>>,
    /// The process that has it open; 0 for none.
    process: AtomicU32,
    /// Whether a call is at work on it.
    is_busy: AtomicBool,
    /// Whether the user has closed it.
    is_closed: AtomicBool,
}

/// An index, and what reads documents for it by its own settings.
pub(crate) struct Opened {
    pub index: Index,
    pub config: Config,
    reader: Option<Deduplicator>,
}

impl Opened {
    /// Calls `work` with the index and what reads documents for it: by these settings, or else by
    /// the index's own.
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
        // It refuses settings of another index.
        self.index.read_by(settings.clone())?;
        let done = work(&mut self.index, &reader);
        self.index.read_by(self.config.clone())?;
        done
    }
}

/// The turn of a call, as long as the value is there.
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
    /// A folder, which is not opened yet.
    pub fn new(path: PathBuf) -> Arc<Folder> {
        let (process, [is_busy, is_closed]) =
            (AtomicU32::new(0), [false, false].map(AtomicBool::new));
        Arc::new(Folder { path, opened: Mutex::new(None), process, is_busy, is_closed })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the user has closed it.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Works on the index, which is opened where it is not yet.
    ///
    /// # Errors
    /// As [`Index::open`]; [`Error::Usage`] where it is closed, or cannot be opened after a fork;
    /// [`Error::Interrupted`]; those of `work`.
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

    /// Makes the index with `make`, and opens it.
    ///
    /// # Errors
    /// Those of `make`; as [`with`](Self::with).
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

    /// Closes it for good.
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

    /// Waits for the turn to work on it.
    fn turn(self: &Arc<Folder>, watch: &dyn Watch) -> Result<Turn<'_>, Error> {
        let mut gate = lock(&GATE);
        loop {
            if self.is_closed() {
                return Err(Error::usage(
                    "index",
                    format!("{} was closed; open it again", self.path.display()),
                ));
            }
            if INHERITED.load(Ordering::Relaxed) || gate.folders.iter().any(is_foreign) {
                INHERITED.store(true, Ordering::Relaxed);
                let problem = "an index was in use when this process split off, and none can be opened safely here; split off before, or \
                               start processes anew, as multiprocessing does with \"spawn\"";
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

    /// Whether it was opened by a process that this one has split off from.
    fn is_foreign(&self) -> bool {
        let process = self.process.load(Ordering::Relaxed);
        process != 0 && process != std::process::id()
    }

    /// Closes it until the next call.
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
            // Closing it would remove what the other process goes on to write to.
            INHERITED.store(true, Ordering::Relaxed);
            if let Ok(mut opened) = self.opened.try_lock() {
                std::mem::forget(opened.take());
            }
        }
    }
}

/// Does `work`, which takes a turn on another thread: a fork that the user's code makes meanwhile
/// on this thread does not wait for it.
pub(crate) fn waiting<T>(work: impl FnOnce() -> T) -> T {
    let before = WAITING.replace(true);
    let done = work();
    WAITING.set(before);
    done
}

/// Python calls this before it splits its process: no call is at work after it, and all folders are
/// closed.
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

/// Python calls this after it has split its process, in both.
#[pyfunction]
pub(crate) fn after_fork() {
    if let Some(mut gate) = SPLITTING.take() {
        if gate.process != std::process::id() {
            // Threads that were at work are not here.
            gate.working = 0;
        }
        gate.splitting = false;
        CHANGED.notify_all();
    }
}
