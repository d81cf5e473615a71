//! Jobs over files and folders: one runs at a time, the others wait.
//!
//! ```text
//! the body of a request -> paths and settings of the library, and a run   order.rs
//!   NAME/below -> a path that does not leave its folder                   places.rs
//! a run -> its progress                                                   follow.rs
//! a job <-> a file, so that a new server knows the jobs of the last one   record.rs
//! ```
//!
//! A job that ran when its server ended is `interrupted`. It goes on after its last finished stage
//! when it is resumed, if it writes a folder. Jobs that waited still wait.

mod follow;
mod order;
mod places;
mod record;

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use axum::http::StatusCode;
use nearprint::Error;
use serde::Serialize;

use crate::lock::lock;
use crate::problem::Problem;
use follow::{Follow, Progress};
pub(crate) use order::Order;
use places::Places;
use record::{Record, State, load, now};

/// The most jobs that wait.
const WAITING: usize = 100;

/// The most jobs that are remembered. The oldest of those that have ended are forgotten.
const REMEMBERED: usize = 1000;

/// A job as answers show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Job {
    #[serde(flatten)]
    record: Record,
    /// How far it has come, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Progress>,
}

impl Job {
    /// Returns true if the job waits or runs.
    pub fn is_open(&self) -> bool {
        self.record.state.is_open()
    }
}

/// The jobs of a server, and the thread that does them.
pub(crate) struct Jobs {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    places: Places,
    /// The folder with the records.
    folder: PathBuf,
    /// The lock on that folder; `None` without places.
    _lock: Option<File>,
    all: Mutex<All>,
    changed: Condvar,
}

#[derive(Default)]
struct All {
    records: BTreeMap<u64, Record>,
    waiting: VecDeque<u64>,
    running: Option<(u64, Arc<Follow>)>,
    stopping: bool,
}

impl Jobs {
    /// Takes up the jobs of a folder of records. Without places there are none, and nothing is
    /// written.
    ///
    /// # Errors
    /// [`Error::Usage`] for places that cannot be used, and if another server does the jobs of this
    /// folder; [`Error::Io`].
    pub fn start(folder: &Path, places: &[(String, PathBuf)]) -> Result<Jobs, Error> {
        let places = Places::new(places)?;
        let (mut all, mut lock) = (All::default(), None);
        let is_used = !places.is_empty();
        if is_used {
            fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
            lock = Some(take(folder)?);
            all.records = load(folder).map_err(Error::io("read", folder))?;
            for record in all.records.values_mut() {
                match record.state {
                    State::Running => {
                        record.state = State::Interrupted;
                        record.save(folder).map_err(Error::io("write", folder))?;
                    }
                    State::Queued => all.waiting.push_back(record.id),
                    _ => {}
                }
            }
        }
        let shared = Arc::new(Shared {
            places,
            folder: folder.to_path_buf(),
            _lock: lock,
            all: Mutex::new(all),
            changed: Condvar::new(),
        });
        let thread = is_used.then(|| {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name("jobs".to_string());
            thread.spawn(move || shared.work())
        });
        let thread = thread.transpose().map_err(Error::io("start a thread for", folder))?;
        Ok(Jobs { shared, thread: Mutex::new(thread) })
    }

    /// Puts a job behind those that wait.
    pub fn add(&self, order: Order) -> Result<Job, Problem> {
        order.check(&self.shared.places)?;
        let mut all = self.shared.all();
        all.check_room()?;
        let id = all.records.last_key_value().map_or(1, |(last, _)| last + 1);
        let record = Record::new(id, order);
        self.shared.save(&record)?;
        let job = all.shown(&record);
        all.records.insert(id, record);
        all.waiting.push_back(id);
        self.shared.forget_oldest(&mut all);
        self.shared.changed.notify_all();
        Ok(job)
    }

    /// The last `count` jobs, the newest first.
    pub fn list(&self, count: usize) -> Vec<Job> {
        let all = self.shared.all();
        all.records.values().rev().take(count).map(|record| all.shown(record)).collect()
    }

    /// A job; `None` if there is none of this number.
    pub fn job(&self, id: u64) -> Option<Job> {
        let all = self.shared.all();
        all.records.get(&id).map(|record| all.shown(record))
    }

    /// Takes a job that waits out of the queue, or asks one that runs to stop.
    pub fn cancel(&self, id: u64) -> Result<Job, Problem> {
        let mut all = self.shared.all();
        if let Some((_, follow)) = all.running.as_ref().filter(|(running, _)| *running == id) {
            follow.cancelled.store(true, Ordering::Relaxed);
            follow.stop.store(true, Ordering::Relaxed);
            return all.records.get(&id).map(|record| all.shown(record)).ok_or_else(|| absent(id));
        }
        let mut record = all.records.get(&id).cloned().ok_or_else(|| absent(id))?;
        if record.state != State::Queued {
            return Err(conflict(format!("job {id} has ended; only open jobs can be cancelled")));
        }
        (record.state, record.ended) = (State::Cancelled, Some(now()));
        self.shared.save(&record)?;
        all.waiting.retain(|waiting| *waiting != id);
        let job = all.shown(&record);
        all.records.insert(id, record);
        Ok(job)
    }

    /// Puts a job that did not come to its end behind those that wait.
    pub fn resume(&self, id: u64) -> Result<Job, Problem> {
        let order = self.shared.all().records.get(&id).map(|record| record.order.clone());
        order.ok_or_else(|| absent(id))?.check(&self.shared.places)?;
        let mut all = self.shared.all();
        all.check_room()?;
        let mut record = all.records.get(&id).cloned().ok_or_else(|| absent(id))?;
        if !record.state.can_resume() {
            let detail = format!(
                "job {id} can not be resumed; jobs that failed, were cancelled or interrupted can"
            );
            return Err(conflict(detail));
        }
        (record.state, record.ended, record.problem) = (State::Queued, None, None);
        self.shared.save(&record)?;
        let job = all.shown(&record);
        all.records.insert(id, record);
        all.waiting.push_back(id);
        self.shared.changed.notify_all();
        Ok(job)
    }

    /// Stops the job that runs. Those that wait are left to the next server.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until the job that was stopped has ended.
    pub fn wait(&self) {
        if let Some(thread) = lock(&self.thread).take() {
            // A panic of the thread was printed when it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

/// The right to do the jobs of a folder.
fn take(folder: &Path) -> Result<File, Error> {
    let path = folder.join("lock");
    let lock = File::create(&path).map_err(Error::io("create", &path))?;
    lock.try_lock().map_err(|_| {
        let problem = "another server does the jobs of this index; end it, or leave this out";
        Error::usage("jobs-folder", problem)
    })?;
    Ok(lock)
}

/// The problem of a number that no job has.
pub(crate) fn absent(id: u64) -> Problem {
    Problem::of_request("no-such-job", format!("there is no job {id}; GET /v1/jobs lists them"))
        .with(StatusCode::NOT_FOUND)
}

fn conflict(detail: String) -> Problem {
    Problem::of_request("state", detail).with(StatusCode::CONFLICT)
}

impl All {
    fn shown(&self, record: &Record) -> Job {
        let mut job = Job { record: record.clone(), progress: None };
        if let Some((_, follow)) = self.running.as_ref().filter(|(id, _)| *id == record.id) {
            (job.record.warnings, job.progress) = (follow.warnings(), follow.progress());
        }
        job
    }

    fn check_room(&self) -> Result<(), Problem> {
        match self.waiting.len() < WAITING {
            true => Ok(()),
            false => {
                let detail = format!("{WAITING} jobs wait already; ask again when one has ended");
                Err(Problem::of_request("busy", detail).with(StatusCode::SERVICE_UNAVAILABLE))
            }
        }
    }
}

impl Shared {
    fn all(&self) -> MutexGuard<'_, All> {
        lock(&self.all)
    }

    fn save(&self, record: &Record) -> Result<(), Error> {
        record.save(&self.folder).map_err(Error::io("write", &self.folder))
    }

    fn forget_oldest(&self, all: &mut All) {
        let ended = all.records.values().filter(|record| !record.state.is_open());
        let ended: Vec<u64> = ended.map(|record| record.id).collect();
        let too_many = all.records.len().saturating_sub(REMEMBERED);
        for id in ended.into_iter().take(too_many) {
            if let Some(record) = all.records.remove(&id) {
                // A file that stays is read by the next server, and then removed again.
                let _ = record.remove(&self.folder);
            }
        }
    }

    fn stop(&self) {
        let mut all = self.all();
        all.stopping = true;
        if let Some((_, follow)) = &all.running {
            follow.stop.store(true, Ordering::Relaxed);
        }
        self.changed.notify_all();
    }

    /// Does the jobs, one after the other, until the server ends.
    fn work(&self) {
        let mut all = self.all();
        loop {
            if all.stopping {
                return;
            }
            let Some(id) = all.waiting.pop_front() else {
                all = self.changed.wait(all).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(record) = all.records.get_mut(&id) else { continue };
            (record.state, record.started) = (State::Running, Some(now()));
            let record = record.clone();
            let follow = Arc::new(Follow::default());
            all.running = Some((id, follow.clone()));
            drop(all);
            let ended = self.run(record, &follow);
            all = self.all();
            all.running = None;
            all.records.insert(id, ended);
        }
    }

    /// Does a job, and keeps what came of it.
    fn run(&self, mut record: Record, follow: &Follow) -> Record {
        let run = || {
            self.save(&record)?;
            record.order.run(&self.places)?.run(follow)
        };
        let ran = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            let cause = std::io::Error::other("it met a fault of the program; please report it");
            Err(Error::io("end", "the job")(cause))
        });
        record.ended = Some(now());
        record.warnings = follow.warnings();
        (record.result, record.problem) = (None, None);
        record.state = match ran {
            Ok(result) => {
                record.result = Some(result);
                State::Done
            }
            Err(Error::Interrupted) if follow.cancelled.load(Ordering::Relaxed) => State::Cancelled,
            Err(Error::Interrupted) => State::Interrupted,
            Err(error) => {
                record.problem = Some(Problem::from(error).to_json());
                State::Failed
            }
        };
        if let Err(error) = self.save(&record) {
            record.warnings.push(error.to_string());
        }
        record
    }
}
