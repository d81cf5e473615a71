//! Several open indexes that requests take turns to read.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use axum::http::StatusCode;
use nearprint::Error;
use nearprint::index::Index;
use tokio::sync::Semaphore;

use crate::attempt::{Until, attempt};
use crate::lock::lock;
use crate::problem::Problem;

/// Open indexes of one folder. A request takes one, reads on a thread that may block, and gives it
/// back.
pub(crate) struct Readers {
    free: Mutex<Vec<Index>>,
    permits: Semaphore,
    /// The time for one reading.
    timeout: Duration,
}

impl Readers {
    /// Opens an index this many times, at least once.
    pub fn open(folder: &Path, count: usize, timeout: Duration) -> Result<Readers, Error> {
        let open = |_| Index::open(folder);
        let free: Vec<Index> = (0..count.max(1)).map(open).collect::<Result<_, _>>()?;
        Ok(Readers { permits: Semaphore::new(free.len()), free: Mutex::new(free), timeout })
    }

    /// The result of questions, which stop when their time is over.
    pub async fn ask<T>(
        &self,
        work: impl FnOnce(&mut Index, &Until) -> Result<T, Error>,
    ) -> Result<T, Problem> {
        let asked = self.read(|index| work(index, &Until::after(self.timeout))).await;
        asked.map_err(|error| match error {
            Error::Interrupted => {
                let detail = format!(
                    "the request took more than {} seconds; send fewer rows at a time, or a smaller \
                     top",
                    self.timeout.as_secs()
                );
                Problem::of_request("timeout", detail).with(StatusCode::GATEWAY_TIMEOUT)
            }
            error => error.into(),
        })
    }

    /// The result of some short reading.
    pub async fn read<T>(
        &self,
        work: impl FnOnce(&mut Index) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.permits.acquire().await.expect("it is never closed").forget();
        let index = lock(&self.free).pop();
        let mut index = index.expect("there are as many permits as indexes");
        let result = tokio::task::block_in_place(|| attempt(&mut index, work));
        lock(&self.free).push(index);
        self.permits.add_permits(1);
        result
    }
}
