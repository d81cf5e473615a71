//! A job as it is kept: a file for each in the folder of jobs, complete or as it was before.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::order::Order;

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It waits for its turn.
    Queued,
    /// It runs.
    Running,
    /// Its output is complete.
    Done,
    /// It ended with a problem.
    Failed,
    /// A request has stopped it.
    Cancelled,
    /// The server ended while it ran.
    Interrupted,
}

impl State {
    /// Returns true if the job waits or runs.
    pub fn is_open(self) -> bool {
        matches!(self, State::Queued | State::Running)
    }

    /// Returns true if the job can be taken up again.
    pub fn can_resume(self) -> bool {
        matches!(self, State::Failed | State::Cancelled | State::Interrupted)
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Its number, from 1.
    pub id: u64,
    /// What was asked for.
    pub order: Order,
    /// Its state.
    pub state: State,
    /// The times of the request, of the last start and of the last end.
    pub created: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<DateTime<Utc>>,
    /// What the run warned of.
    pub warnings: Vec<String>,
    /// The result of a job that is done: what `summary.json` has; of `find` the numbers of texts
    /// and documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The problem of a job that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Value>,
}

impl Record {
    /// A new job.
    pub fn new(id: u64, order: Order) -> Record {
        Record {
            id,
            order,
            state: State::Queued,
            created: now(),
            started: None,
            ended: None,
            warnings: Vec::new(),
            result: None,
            problem: None,
        }
    }

    /// Writes the job.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.as_file().sync_all()?;
        file.persist(folder.join(format!("{}.json", self.id)))?;
        Ok(())
    }

    /// Forgets the job.
    pub fn remove(&self, folder: &Path) -> io::Result<()> {
        fs::remove_file(folder.join(format!("{}.json", self.id)))
    }
}

/// The jobs of a folder. Files that hold none are left alone.
pub(super) fn load(folder: &Path) -> io::Result<BTreeMap<u64, Record>> {
    let mut records = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json")
            && let Ok(record) = serde_json::from_slice::<Record>(&fs::read(&path)?)
        {
            records.insert(record.id, record);
        }
    }
    Ok(records)
}

/// The current time, in whole seconds.
pub(super) fn now() -> DateTime<Utc> {
    let now = DateTime::<Utc>::from(SystemTime::now());
    DateTime::from_timestamp(now.timestamp(), 0).unwrap_or(now)
}
