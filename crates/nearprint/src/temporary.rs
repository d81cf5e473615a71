//! Temporary folders of which the next process can tell whether anybody still uses them.
//!
//! A process that is killed leaves its folders behind. Each is locked as long as its process lives,
//! by the system's own lock on the folder, which goes with the process however it ends and knows
//! nothing of numbers of processes that come again. A folder by one of our names that can be locked
//! is nobody's, and [`remove_abandoned`] removes it. Where the system has no such locks (Windows,
//! some network disks), nothing is removed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// What is in the name of each, behind the user's part of it.
const NAME: &str = "nearprint-";

/// Random letters in a name.
const RANDOM: usize = 6;

/// The end of a folder's name that is in the making.
pub const PART: &str = ".part";

/// A temporary folder, which goes with the value.
#[derive(Debug)]
pub struct Temporary {
    folder: TempDir,
    /// Held as long as this is there.
    _lock: Option<File>,
}

impl Temporary {
    /// Makes a folder in `parent` whose name begins with `prefix`. Everybody may see it whom the
    /// process lets see its folders, or with `private` its user alone.
    ///
    /// # Errors
    /// Those of the system.
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
            // Until it is locked, another process may take it for one that nobody uses.
            if folder.path().is_dir() && !matches!(lock, Lock::Other) {
                return Ok(Temporary { folder, _lock: lock.held() });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Forgets a folder that has another name by now.
    pub fn forget(self) {
        let _ = self.folder.keep();
    }
}

/// Whose a folder is.
#[derive(Debug)]
pub enum Lock {
    /// Ours, as long as this is there.
    Own(File),
    /// That of another process, which lives.
    Other,
    /// The system does not say.
    Unknown,
}

impl Lock {
    /// What holds it.
    pub fn held(self) -> Option<File> {
        match self {
            Lock::Own(file) => Some(file),
            Lock::Other | Lock::Unknown => None,
        }
    }
}

/// Locks a folder, if nobody has.
pub fn lock(folder: &Path) -> Lock {
    let Ok(file) = File::open(folder) else { return Lock::Unknown };
    match file.try_lock() {
        Ok(()) => Lock::Own(file),
        Err(fs::TryLockError::WouldBlock) => Lock::Other,
        Err(fs::TryLockError::Error(_)) => Lock::Unknown,
    }
}

/// Removes the folders that [`Temporary::create`] made in `parent` with this prefix and whose
/// processes are gone. What cannot be removed stays for the next time.
pub fn remove_abandoned(parent: &Path, prefix: &str) {
    for (folder, _lock) in abandoned(parent, prefix, PART) {
        let _ = fs::remove_dir_all(&folder);
    }
}

/// The folders of this user in `parent` by our names with this beginning and end which no process
/// uses, locked.
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

/// Whether this is a folder, and no link to one, of this user.
#[cfg(unix)]
fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A file that was made just now says who we are.
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
        // As a killed process leaves it; others by names that are nearly ours.
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
