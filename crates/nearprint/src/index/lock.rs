//! A folder -> the right to write to its index, which one process has at a time.
//!
//! It is the system's own lock on a file, which goes with the process however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;

/// The file that is locked.
pub const LOCK: &str = "lock";

/// How long one waits for another process, and between two attempts.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// The right to write, as long as the value is there.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock goes with the file")] File);

impl Lock {
    /// Waits a while for the right to write.
    ///
    /// # Errors
    /// [`Error::IndexTaken`] where another process has it all that time; [`Error::Io`].
    pub fn take(folder: &Path) -> Result<Lock, Error> {
        Lock::take_within(folder, PATIENCE)
    }

    fn take_within(folder: &Path, patience: Duration) -> Result<Lock, Error> {
        let path = folder.join(LOCK);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(Error::io("write", &path))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(Error::IndexTaken { folder: folder.to_path_buf() }),
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
            }
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
}
