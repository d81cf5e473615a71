//! A folder -> the right to write to its index. One process has it at a time.
//!
//! It is a lock of the operating system on a file, which is released when its process ends. A
//! process that waits for it first locks a second file, and releases that one when it has the
//! first. So processes that write repeatedly take turns.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;

/// The file that the writing process locks, and the file that the next one locks.
const LOCK: &str = "lock";
const NEXT: &str = "next";

/// The names of both.
pub const LOCKS: [&str; 2] = [LOCK, NEXT];

/// The longest wait for another process, and the pause between two attempts.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// The right to write, until the value is dropped.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock goes with the file")] File);

impl Lock {
    /// Waits for the right to write, at most ten seconds.
    ///
    /// # Errors
    /// [`Error::IndexTaken`] if another process keeps it; [`Error::Io`].
    pub fn take(folder: &Path) -> Result<Lock, Error> {
        Lock::take_within(folder, PATIENCE)
    }

    fn take_within(folder: &Path, patience: Duration) -> Result<Lock, Error> {
        let begun = Instant::now();
        let _next = wait(folder, NEXT, begun, patience)?;
        wait(folder, LOCK, begun, patience).map(Lock)
    }
}

/// Waits for the lock on a file of a folder.
fn wait(folder: &Path, name: &str, begun: Instant, patience: Duration) -> Result<File, Error> {
    let path = folder.join(name);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(Error::io("write", &path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(Error::IndexTaken { folder: folder.to_path_buf() });
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writes_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path()).unwrap();
        let refused = Lock::take_within(folder.path(), PAUSE).unwrap_err();
        assert!(matches!(&refused, Error::IndexTaken { folder: taken } if taken == folder.path()));
        drop(lock);
        Lock::take_within(folder.path(), PAUSE).unwrap();
    }

    #[test]
    fn who_waits_comes_before_who_had_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let order = std::sync::Mutex::new(Vec::new());
        let first = Lock::take(path).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _lock = Lock::take(path).unwrap();
                order.lock().unwrap().push("waited");
            });
            // It locks the second file while it waits.
            let next = File::open(path.join(NEXT)).unwrap();
            while next.try_lock().is_ok() {
                next.unlock().unwrap();
                thread::sleep(PAUSE);
            }
            drop(first);
            let _again = Lock::take(path).unwrap();
            order.lock().unwrap().push("again");
        });
        assert_eq!(order.into_inner().unwrap(), ["waited", "again"]);
    }
}
