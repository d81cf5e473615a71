//! One thread that changes the index. Additions that wait become one transaction.
//!
//! A transaction waits for the disk once, however many requests it holds. So the writer takes all
//! requests that have come while it wrote, up to [`TOGETHER`] documents, and answers each when the
//! transaction is on disk. Within a transaction a document is compared with those before it, so of
//! two requests with one text one is answered `new`.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use nearprint::Error;
use nearprint::document::Document;
use nearprint::index::{Added, Adding, Index};
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::oneshot;

use crate::attempt::{Until, attempt};
use crate::bodies::Share;
use crate::lock::lock;
use crate::problem::Problem;

/// The most documents that several requests have in one transaction.
const TOGETHER: usize = 1000;

/// The way of an answer to its request.
type Answer<T> = oneshot::Sender<Result<T, Problem>>;

/// A change of the index, with the way of its answer.
enum Change {
    Add {
        documents: Vec<Document>,
        adding: Adding,
        answer: Answer<Vec<Added>>,
        /// The share of the body with the documents, held as long as they are.
        share: Option<Share>,
    },
    /// A change that has a transaction of its own, and answers itself.
    Other(Box<dyn FnOnce(&mut Index) + Send>),
}

/// The thread that changes the index.
pub(crate) struct Writer {
    changes: Mutex<Option<Sender<Change>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The number of requests that wait for an answer.
    waiting: Gauge,
}

impl Writer {
    /// Starts the thread. `waiting` has the number of requests that wait for an answer.
    /// A transaction that takes longer than `timeout` is taken back.
    pub fn start(index: Index, waiting: Gauge, timeout: Duration) -> Result<Writer, Error> {
        let (sender, changes) = channel();
        let thread = std::thread::Builder::new()
            .name("writer".to_string())
            .spawn(move || write(index, &changes, timeout))
            .map_err(Error::io("start a thread for", "the index"))?;
        Ok(Writer { changes: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)), waiting })
    }

    /// Adds documents, as [`Index::offer`]. Nothing is added for a request that was given up before
    /// its turn.
    pub async fn add(
        &self,
        documents: Vec<Document>,
        adding: Adding,
        share: Option<Share>,
    ) -> Result<Vec<Added>, Problem> {
        let _waiting = Waiting::of(&self.waiting);
        let (answer, answered) = oneshot::channel();
        self.send(Change::Add { documents, adding, answer, share });
        answered.await.unwrap_or_else(|_| Err(Problem::stopping()))
    }

    /// The result of another change of the index.
    pub async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut Index) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let _waiting = Waiting::of(&self.waiting);
        let (answer, answered) = oneshot::channel();
        self.send(Change::Other(Box::new(move |index| {
            if !answer.is_closed() {
                let _ = answer.send(attempt(index, change).map_err(Problem::from));
            }
        })));
        answered.await.unwrap_or_else(|_| Err(Problem::stopping()))
    }

    /// Waits until all changes that were asked for are on disk. Later ones are refused.
    pub fn stop(&self) {
        drop(lock(&self.changes).take());
        if let Some(thread) = lock(&self.thread).take() {
            // A panic of the thread was printed when it happened.
            let _ = thread.join();
        }
    }

    /// A change that cannot be sent is dropped, and so is the way of its answer.
    fn send(&self, change: Change) {
        if let Some(changes) = &*lock(&self.changes) {
            let _ = changes.send(change);
        }
    }
}

/// A request that waits until this is dropped.
struct Waiting<'g>(&'g Gauge);

impl Waiting<'_> {
    fn of(gauge: &Gauge) -> Waiting<'_> {
        gauge.inc();
        Waiting(gauge)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Makes the changes until there are no more.
fn write(mut index: Index, changes: &Receiver<Change>, timeout: Duration) {
    let mut next = None;
    while let Some(change) = next.take().or_else(|| changes.recv().ok()) {
        match change {
            Change::Other(change) => change(&mut index),
            Change::Add { answer, .. } if answer.is_closed() => {}
            Change::Add { documents, adding, answer, share } => {
                let (mut all, mut answers) = (Vec::new(), Vec::new());
                let mut shares = vec![share];
                answers.push((documents.len(), answer));
                all.extend(documents);
                while let Ok(change) = changes.try_recv() {
                    match change {
                        Change::Add { answer, .. } if answer.is_closed() => {}
                        Change::Add { documents, adding: own, answer, share }
                            if own == adding && all.len() + documents.len() <= TOGETHER =>
                        {
                            answers.push((documents.len(), answer));
                            all.extend(documents);
                            shares.push(share);
                        }
                        other => {
                            next = Some(other);
                            break;
                        }
                    }
                }
                let added =
                    attempt(&mut index, |index| index.offer(all, &adding, &Until::after(timeout)));
                drop(shares);
                let added = added.map_err(|error| match error {
                    Error::Interrupted => Problem::late(timeout),
                    error => error.into(),
                });
                answer_all(added, answers);
            }
        }
    }
}

/// Gives each request its part of the outcomes, or the problem.
fn answer_all(added: Result<Vec<Added>, Problem>, answers: Vec<(usize, Answer<Vec<Added>>)>) {
    match added {
        Ok(added) => {
            let mut added = added.into_iter();
            for (count, answer) in answers {
                let _ = answer.send(Ok(added.by_ref().take(count).collect()));
            }
        }
        Err(problem) => {
            for (_, answer) in answers {
                let _ = answer.send(Err(problem.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nearprint::Config;
    use nearprint::index::IndexOptions;

    use super::*;

    #[tokio::test]
    async fn a_change_that_comes_too_late_is_told_that_the_server_stops() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen");
        let index = Index::create(&path, &Config::default(), &IndexOptions::default()).unwrap();
        let writer = Writer::start(index, Gauge::default(), Duration::from_secs(60)).unwrap();
        writer.stop();
        let changed = writer.change(|index| index.len()).await;
        let added = writer.add(Vec::new(), Adding::default(), None).await;
        for problem in [changed.unwrap_err(), added.unwrap_err()] {
            assert_eq!((problem.status.as_u16(), problem.kind), (503, "stopping"));
        }
    }
}
