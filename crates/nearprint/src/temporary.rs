//! Temporary folders, each of which shows whether a process still uses it.
//!
//! A process that is killed leaves its folders behind. Each folder is locked while its process
//! lives, by the system's own lock on the folder. The lock ends with the process, however the
//! process ends, and does not depend on process ids, which are used again. A folder with a name of
//! this form that can be locked is abandoned, and [`remove_abandoned`] removes it. Where the system
//! has no such locks (Windows, some network disks), nothing is removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The part of each name that follows the user's prefix.
const NAME: &str = "nearprint-";

/// The number of random letters in a name.
const RANDOM: usize = 6;

/// The end of the name of an unfinished folder.
pub const PART: &str = ".part";

/// A temporary folder, which is removed when the value is dropped.
#[derive(Debug)]
pub struct Temporary {
    folder: TempDir,
    /// The lock, held as long as the value exists.
    _lock: Option<File>,
}

impl Temporary {
    /// Makes a folder in `parent` whose name begins with `prefix`. With `private` only its user may
    /// see it, else everybody whom the permissions of the process admit.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn create(parent: &Path, prefix: &str, private: bool) -> io::Result<Temporary> {
        let prefix = format!("{prefix}{NAME}");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).rand_bytes(RANDOM).suffix(PART);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(if private {
            0o700
        } else {
            0o777
        }));
        #[cfg(not(unix))]
        let _ = private;
        loop {
            let folder = builder.tempdir_in(parent)?;
            let lock = lock(folder.path());
            // Until the folder is locked, another process may consider it abandoned.
            if folder.path().is_dir() && !matches!(lock, Lock::Other) {
                return Ok(Temporary { folder, _lock: lock.held() });
            }
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Forgets a folder that has been renamed.
    pub fn forget(self) {
        let _ = self.folder.keep();
    }
}

/// The owner of a folder.
#[derive(Debug)]
pub enum Lock {
    /// This process, as long as the file exists.
    Own(File),
    /// Another process that is alive.
    Other,
    /// The system cannot tell.
    Unknown,
}

impl Lock {
    /// The locked file of this process.
    pub fn held(self) -> Option<File> {
        match self {
            Lock::Own(file) => Some(file),
            Lock::Other | Lock::Unknown => None,
        }
    }
}

/// Locks a folder unless another process holds it.
pub fn lock(folder: &Path) -> Lock {
    let Ok(file) = File::open(folder) else { return Lock::Unknown };
    match file.try_lock() {
        Ok(()) => Lock::Own(file),
        Err(fs::TryLockError::WouldBlock) => Lock::Other,
        Err(fs::TryLockError::Error(_)) => Lock::Unknown,
    }
}

/// Removes the folders that [`Temporary::create`] made in `parent` with this prefix and whose
/// processes have ended. A folder that cannot be removed stays for the next time.
pub fn remove_abandoned(parent: &Path, prefix: &str) {
    for (folder, _lock) in abandoned(parent, prefix, PART) {
        let _ = fs::remove_dir_all(&folder);
    }
}

/// The folders of this user in `parent` whose names have our form with this prefix and end, and
/// which no process uses. They are locked.
pub fn abandoned(parent: &Path, prefix: &str, end: &str) -> Vec<(PathBuf, File)> {
    let is_named = |name: &str| {
        let middle =
            name.strip_prefix(prefix).and_then(|name| name.strip_prefix(NAME)?.strip_suffix(end));
        middle.is_some_and(|middle| {
            middle.len() == RANDOM && middle.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_named))
        .map(|entry| entry.path());
    named
        .filter(|folder| is_own(folder))
        .filter_map(|folder| lock(&folder).held().map(|lock| (folder, lock)))
        .collect()
}

/// Returns true if this is a folder of this user, and no link to a folder.
#[cfg(unix)]
fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A newly made file shows the current user.
    let own = tempfile::tempfile().and_then(|file| file.metadata());
    let there = fs::symlink_metadata(folder);
    matches!((there, own), (Ok(there), Ok(own)) if there.is_dir() && there.uid() == own.uid())
}

#[cfg(not(unix))]
fn is_own(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|there| there.is_dir())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing::names;

    #[test]
    fn what_nobody_uses_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let living = Temporary::create(place.path(), ".out.", false).unwrap();
        let own = living.path().file_name().unwrap().to_str().unwrap().to_string();
        assert!(own.starts_with(".out.nearprint-") && own.ends_with(".part"), "{own}");
        // The first name is that of a folder of a killed process; the others resemble our names.
        for name in [
            ".out.nearprint-aB3dE6.part",
            ".out.backup.part",
            ".out.nearprint-aB3dE67.part",
            ".in.nearprint-aB3dE6.part",
        ] {
            fs::create_dir(path(name)).unwrap();
            fs::write(path(name).join("kept"), "x").unwrap();
        }
        fs::write(path(".out.nearprint-000000.part"), "a file").unwrap();
        std::os::unix::fs::symlink(
            path(".in.nearprint-aB3dE6.part"),
            path(".out.nearprint-111111.part"),
        )
        .unwrap();
        let before = names(place.path());
        remove_abandoned(place.path(), ".out.");
        let gone: Vec<String> =
            before.into_iter().filter(|name| !names(place.path()).contains(name)).collect();
        assert_eq!(gone, [".out.nearprint-aB3dE6.part"]);
        assert!(path(".in.nearprint-aB3dE6.part").join("kept").exists());
        drop(living);
        assert!(!path(&own).exists());
    }

    #[test]
    fn folders_that_come_and_go_at_the_same_time_are_never_lost() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let cleaner =
                scope.spawn(|| (0..2_000).for_each(|_| remove_abandoned(place.path(), ".")));
            while !cleaner.is_finished() {
                let folder = Temporary::create(place.path(), ".", true).unwrap();
                fs::write(folder.path().join("a"), "x").unwrap();
                assert!(folder.path().join("a").exists());
            }
        });
        assert_eq!(names(place.path()), [""; 0]);
    }
}
