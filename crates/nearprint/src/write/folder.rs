//! The output folder: filled beside its place under another name, and put there in one rename when all is done.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::Error;
use crate::read::Source;

/// An output folder in the making. Dropped without [`commit`](Folder::commit) it leaves nothing behind.
#[derive(Debug)]
pub struct Folder {
    temporary: TempDir,
    target: PathBuf,
}

impl Folder {
    /// Begins a folder that will be `target`.
    ///
    /// # Errors
    /// [`Error::Usage`] where `target` is a file, holds something and `force` is off, or holds one of the `sources`
    /// (they would be deleted); [`Error::Io`] where a folder beside it cannot be made.
    pub fn create(target: &Path, force: bool, sources: &[Source]) -> Result<Folder, Error> {
        let problem = |problem: &str| Err(Error::usage("output", format!("{} {problem}", target.display())));
        if target.is_file() {
            return problem("is a file; name a folder");
        }
        if occupied(target)? && !force {
            return problem("exists and is not empty; name another folder, or replace it with --force");
        }
        if let Ok(place) = target.canonicalize() {
            let inside = |source: &&Source| source.path.canonicalize().is_ok_and(|path| path.starts_with(&place));
            if let Some(source) = sources.iter().find(inside) {
                return problem(&format!(
                    "holds the input {}, which it would replace; name another folder",
                    source.label
                ));
            }
        }
        // A link leads to where the folder is to be; the link stays.
        let resolved = target.is_symlink().then(|| target.canonicalize().ok()).flatten();
        let target = resolved.as_deref().unwrap_or(target);
        let Some(name) = target.file_name() else {
            return problem("is no name for a new folder");
        };
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        let prefix = format!(".{}.", name.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let temporary = builder.tempdir_in(parent).map_err(Error::io("create a folder in", parent))?;
        Ok(Folder { temporary, target: target.to_path_buf() })
    }

    /// Where the folder's files are written for now.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the folder in its place, and what was there before away.
    ///
    /// # Errors
    /// [`Error::Io`]; what was there before is then still there, unless only its removal failed: the message names what
    /// is left of it, and the new folder is in place.
    pub fn commit(self) -> Result<(), Error> {
        let Folder { temporary, target } = self;
        let before = temporary.path().with_extension("before");
        let replaces = target.exists();
        if replaces {
            fs::rename(&target, &before).map_err(Error::io("replace", &target))?;
        }
        if let Err(error) = fs::rename(temporary.path(), &target) {
            if replaces {
                fs::rename(&before, &target).map_err(Error::io("restore", &target))?;
            }
            return Err(Error::io("create", target)(error));
        }
        // Nothing is left of the temporary folder under its old name.
        let _ = temporary.keep();
        if replaces {
            fs::remove_dir_all(&before).map_err(Error::io("remove what was replaced,", &before))?;
        }
        Ok(())
    }
}

fn occupied(folder: &Path) -> Result<bool, Error> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("read", folder)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_dropped_folder_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("out"), false, &[]).unwrap();
        fs::write(folder.path().join("a"), "half").unwrap();
        drop(folder);
        assert_eq!(names(parent.path()), [""; 0]);
    }

    #[test]
    fn a_committed_folder_is_there_whole_and_alone() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("deep/out");
        let folder = Folder::create(&target, false, &[]).unwrap();
        fs::write(folder.path().join("a"), "whole").unwrap();
        folder.commit().unwrap();
        assert_eq!(fs::read_to_string(target.join("a")).unwrap(), "whole");
        assert_eq!(names(&parent.path().join("deep")), ["out"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_stays_and_leads_to_the_new_one() {
        let parent = tempfile::tempdir().unwrap();
        let (real, link) = (parent.path().join("real"), parent.path().join("link"));
        fs::create_dir(&real).unwrap();
        fs::write(real.join("old"), "").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let folder = Folder::create(&link, true, &[]).unwrap();
        fs::write(folder.path().join("new"), "").unwrap();
        folder.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(names(&real), ["new"]);
        assert_eq!(names(parent.path()), ["link", "real"]);
    }

    #[test]
    fn what_is_there_is_replaced_only_by_force() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        fs::create_dir(&target).unwrap();
        Folder::create(&target, false, &[]).unwrap().commit().unwrap();
        fs::write(target.join("old"), "").unwrap();
        let error = Folder::create(&target, false, &[]).unwrap_err().to_string();
        assert!(error.contains("not empty") && error.contains("--force"), "{error}");
        let folder = Folder::create(&target, true, &[]).unwrap();
        assert_eq!(names(&target), ["old"]);
        fs::write(folder.path().join("new"), "").unwrap();
        folder.commit().unwrap();
        assert_eq!(names(&target), ["new"]);
        assert_eq!(names(parent.path()), ["out"]);
    }
}
