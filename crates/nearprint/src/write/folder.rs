//! The output folder. It is filled beside its place under another name and renamed when all is
//! done. Leftovers of killed runs are removed first. An existing folder is replaced only if it is
//! an output of nearprint, which its `summary.json` shows.

mod existing;
mod leftovers;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Taken};
use crate::temporary::{self, Temporary};
use existing::{check_replaceable, existing_place, is_output, unusable};
use leftovers::{BEFORE, prefix, remove_abandoned};

/// An unfinished output folder. It leaves nothing behind if it is dropped without
/// [`commit`](Folder::commit).
#[derive(Debug)]
pub struct Folder {
    temporary: Temporary,
    target: PathBuf,
    /// True if an earlier output may be replaced.
    force: bool,
    /// True if the temporary folder lies in the target itself.
    inside: bool,
}

impl Folder {
    /// Begins a folder that will be `target`. It is filled beside its place. If a rename cannot put
    /// it there (an empty mount point, an empty folder in a folder of another user, the current
    /// folder), it is filled inside the place.
    ///
    /// # Errors
    /// [`Error::OutputTaken`] if `target` holds anything but an output of nearprint, or holds an
    /// output and `force` is false. [`Error::Usage`] if it is a file, or holds one of the files
    /// that the run reads, which would be deleted. [`Error::Io`] if no folder can be made.
    pub fn create<'p>(
        target: &Path,
        force: bool,
        reads: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Folder, Error> {
        let problem = |problem: &str| Err(unusable(target, problem));
        let there = existing_place(target)?;
        remove_abandoned(there.as_deref().unwrap_or(target));
        let holds_something = check_replaceable(target, there.as_deref(), force, reads)?;
        let target = match &there {
            Some(place) => place.clone(),
            None => {
                let Some(name) = target.file_name() else {
                    return problem("cannot be the name of a new folder");
                };
                let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
                let parent = parent.unwrap_or(Path::new("."));
                fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
                parent.canonicalize().map_err(Error::io("create a folder in", parent))?.join(name)
            }
        };
        let prefix = prefix(&target);
        let parent = target.parent().unwrap_or(&target);
        let mounted = there.is_some() && is_mount_point(&target);
        if mounted && holds_something {
            return problem(
                "is a mount point, which cannot be replaced; empty it, or name another folder",
            );
        }
        let is_current = std::env::current_dir().is_ok_and(|current| current.starts_with(&target));
        let create = |parent: &Path| {
            Temporary::create(parent, &prefix, false)
                .map_err(Error::io("create a folder in", parent))
        };
        let beside = create(parent);
        let inside =
            there.is_some() && !holds_something && (mounted || is_current || beside.is_err());
        let temporary = if inside { create(&target)? } else { beside? };
        Ok(Folder { temporary, target, force, inside })
    }

    /// The folder in which the files are written before the commit.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the folder in its place and removes an earlier output.
    ///
    /// # Errors
    /// [`Error::OutputTaken`] if a file has appeared in the place since [`create`](Folder::create),
    /// or an output has and `force` is false; [`Error::Io`]. The earlier output then still exists,
    /// unless only its removal failed: in that case the message names its remains, and the new
    /// folder is in place.
    pub fn commit(self) -> Result<(), Error> {
        let Folder { temporary, target, force, inside } = self;
        if inside {
            for entry in
                fs::read_dir(temporary.path()).map_err(Error::io("read", temporary.path()))?
            {
                let entry = entry.map_err(Error::io("read", temporary.path()))?;
                let place = target.join(entry.file_name());
                fs::rename(entry.path(), &place).map_err(Error::io("create", &place))?;
            }
            return Ok(());
        }
        let mut before = None;
        // Held to the end, so that no other run considers the replaced folder abandoned.
        let mut _lock = None;
        if target.symlink_metadata().is_ok() {
            // An empty folder is replaced silently, an earlier output only with `force`, and
            // anything else never.
            let emptied = fs::remove_dir(&target);
            if emptied.is_err() && (!force || !is_output(&target)) {
                return Err(Error::OutputTaken { folder: target, by: Taken::Appeared });
            }
            if emptied.is_err() {
                let aside = temporary.path().with_extension(&BEFORE[1..]);
                _lock = temporary::lock(&target).held();
                fs::rename(&target, &aside).map_err(Error::io("replace", &target))?;
                before = Some(aside);
            }
        }
        if let Err(error) = fs::rename(temporary.path(), &target) {
            if let Some(before) = &before {
                fs::rename(before, &target).map_err(Error::io("restore", &target))?;
            }
            return Err(Error::io("create", target)(error));
        }
        // The temporary folder no longer exists under its old name.
        temporary.forget();
        match before {
            Some(before) => fs::remove_dir_all(&before)
                .map_err(Error::io("remove the replaced folder", &before)),
            None => Ok(()),
        }
    }
}

/// Returns true if another file system begins in this folder, which then cannot be renamed.
#[cfg(unix)]
fn is_mount_point(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    folder.parent().is_none_or(|parent| device(folder) != device(parent))
}

#[cfg(not(unix))]
fn is_mount_point(folder: &Path) -> bool {
    folder.parent().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::names;

    const MADE: &str = r#"{"nearprint":"0.1.0","settings":{}}"#;

    #[test]
    fn a_dropped_folder_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("out"), false, []).unwrap();
        fs::write(folder.path().join("a"), "half").unwrap();
        drop(folder);
        assert_eq!(names(parent.path()), [""; 0]);
    }

    #[test]
    fn a_committed_folder_is_there_whole_and_alone() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("deep/out");
        let folder = Folder::create(&target, false, []).unwrap();
        fs::write(folder.path().join("a"), "whole").unwrap();
        folder.commit().unwrap();
        assert_eq!(fs::read_to_string(target.join("a")).unwrap(), "whole");
        assert_eq!(names(&parent.path().join("deep")), ["out"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_killed_runs_left_is_removed_and_what_they_were_about_to_replace_put_back() {
        let parent = tempfile::tempdir().unwrap();
        let path = |name: &str| parent.path().join(name);
        for name in [
            ".out.nearprint-aaaaaa.part",
            ".out.nearprint-bbbbbb.part",
            "out",
            "out/.out.nearprint-cccccc.part",
        ] {
            fs::create_dir(path(name)).unwrap();
        }
        // The folder counts as empty, since it holds only our files.
        let folder = Folder::create(&path("out"), false, []).unwrap();
        assert_eq!(
            names(parent.path()),
            [folder.path().file_name().unwrap().to_str().unwrap(), "out"]
        );
        assert_eq!(names(&path("out")), [""; 0]);
        // Another run leaves a running one alone.
        drop(Folder::create(&path("out"), false, []).unwrap());
        fs::write(folder.path().join("clusters.jsonl"), "").unwrap();
        folder.commit().unwrap();
        assert_eq!(names(&path("out")), ["clusters.jsonl"]);

        fs::rename(path("out"), path(".out.nearprint-dddddd.before")).unwrap();
        let error = Folder::create(&path("out"), false, []).unwrap_err();
        assert!(matches!(error, Error::OutputTaken { .. }), "{error}");
        assert_eq!(
            (names(parent.path()), names(&path("out"))),
            (vec!["out".to_string()], vec!["clusters.jsonl".to_string()])
        );
        fs::create_dir(path(".out.nearprint-eeeeee.before")).unwrap();
        fs::write(path("out/summary.json"), MADE).unwrap();
        Folder::create(&path("out"), true, []).unwrap().commit().unwrap();
        assert_eq!((names(parent.path()), names(&path("out"))), (vec!["out".to_string()], vec![]));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_stays_and_leads_to_the_new_one() {
        let parent = tempfile::tempdir().unwrap();
        let (real, link) = (parent.path().join("real"), parent.path().join("link"));
        fs::create_dir(&real).unwrap();
        fs::write(real.join("removed.jsonl"), "").unwrap();
        fs::write(real.join("summary.json"), MADE).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let folder = Folder::create(&link, true, []).unwrap();
        fs::write(folder.path().join("clusters.jsonl"), "").unwrap();
        folder.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(names(&real), ["clusters.jsonl"]);
        assert_eq!(names(parent.path()), ["link", "real"]);
    }

    #[test]
    fn what_a_person_has_put_into_an_output_is_never_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("summary.json"), MADE).unwrap();
        fs::write(target.join("marks.jsonl"), "an hour of work").unwrap();
        let error = Folder::create(&target, true, []).unwrap_err().to_string();
        assert!(error.contains("marks.jsonl") && error.contains("move"), "{error}");
        assert_eq!(names(&target), ["marks.jsonl", "summary.json"]);
    }

    #[test]
    fn a_path_through_the_folder_itself_leads_to_it() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        for (force, path) in [(false, "out/../out"), (true, "out/../out/.")] {
            fs::create_dir_all(&target).unwrap();
            let folder = Folder::create(&parent.path().join(path), force, []).unwrap();
            fs::write(folder.path().join("clusters.jsonl"), path).unwrap();
            fs::write(folder.path().join("summary.json"), MADE).unwrap();
            folder.commit().unwrap();
            assert_eq!(fs::read_to_string(target.join("clusters.jsonl")).unwrap(), path);
            assert_eq!(names(parent.path()), ["out"]);
        }
        assert_eq!(names(&target), ["clusters.jsonl", "summary.json"]);
    }

    #[test]
    fn a_path_through_a_folder_that_is_not_there_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("out/news.jsonl");
        fs::create_dir(parent.path().join("out")).unwrap();
        fs::write(&file, "precious").unwrap();
        for path in ["out/sub/../../out", "gone/../out", "gone/../new"] {
            let error = Folder::create(&parent.path().join(path), true, [file.as_path()])
                .unwrap_err()
                .to_string();
            assert!(error.contains("does not exist"), "{path}: {error}");
        }
        assert_eq!(names(parent.path()), ["out"]);
        Folder::create(&parent.path().join("deep/new"), false, []).unwrap();
    }

    #[test]
    fn what_appears_during_the_run_is_not_replaced_without_force() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        let folder = Folder::create(&target, false, []).unwrap();
        fs::create_dir(&target).unwrap();
        fs::write(target.join("mine"), "precious").unwrap();
        let error = folder.commit().unwrap_err().to_string();
        assert!(error.contains("appeared during the run"), "{error}");
        assert_eq!(fs::read_to_string(target.join("mine")).unwrap(), "precious");
        assert_eq!(names(parent.path()), ["out"]);

        // With `force` it is refused as well, since it is no output.
        fs::remove_dir_all(&target).unwrap();
        let folder = Folder::create(&target, true, []).unwrap();
        fs::create_dir(&target).unwrap();
        fs::write(target.join("mine"), "precious").unwrap();
        assert!(folder.commit().unwrap_err().to_string().contains("appeared during the run"));
        assert_eq!(names(&target), ["mine"]);

        let file = parent.path().join("file");
        for force in [false, true] {
            let folder = Folder::create(&file, force, []).unwrap();
            fs::write(&file, "mine").unwrap();
            assert!(folder.commit().unwrap_err().to_string().contains("appeared during the run"));
            assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
            fs::remove_file(&file).unwrap();
        }
    }

    #[test]
    fn a_file_that_the_run_reads_is_not_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let (target, file) = (parent.path().join("out"), parent.path().join("out/news.stats"));
        fs::create_dir(&target).unwrap();
        fs::write(&file, "").unwrap();
        let error = Folder::create(&target, true, [file.as_path()]).unwrap_err().to_string();
        assert!(error.contains("news.stats, which the run reads"), "{error}");
    }

    #[test]
    fn what_is_there_is_replaced_only_by_force() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        fs::create_dir(&target).unwrap();
        Folder::create(&target, false, []).unwrap().commit().unwrap();
        fs::write(target.join("removed.jsonl"), "").unwrap();
        fs::write(target.join("summary.json"), MADE).unwrap();
        let error = Folder::create(&target, false, []).unwrap_err().to_string();
        assert!(error.contains("not empty") && error.contains("with force"), "{error}");
        let folder = Folder::create(&target, true, []).unwrap();
        assert_eq!(names(&target), ["removed.jsonl", "summary.json"]);
        fs::write(folder.path().join("clusters.jsonl"), "").unwrap();
        folder.commit().unwrap();
        assert_eq!(names(&target), ["clusters.jsonl"]);
        assert_eq!(names(parent.path()), ["out"]);
    }

    #[test]
    fn what_no_run_has_made_is_never_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("out");
        fs::create_dir_all(target.join("kept")).unwrap();
        for name in ["5", "3", "1"] {
            fs::write(target.join(name), "precious").unwrap();
        }
        for summary in [None, Some("no JSON"), Some("[1]"), Some("{\"version\":\"0.1.0\"}")] {
            if let Some(summary) = summary {
                fs::write(target.join("summary.json"), summary).unwrap();
            }
            let held = names(&target);
            for force in [false, true] {
                let error = Folder::create(&target, force, []).unwrap_err().to_string();
                let more = held.len() - 3;
                let says = format!(
                    "out exists, holds 1, 3, 5 and {more} more, and is not an output folder of"
                );
                assert!(error.contains(&says), "{error}");
                assert!(error.contains("name another folder, or remove it by hand"), "{error}");
                assert_eq!(names(&target), held);
            }
        }
        fs::write(target.join("summary.json"), MADE).unwrap();
        let error = Folder::create(&target, true, []).unwrap_err().to_string();
        assert!(error.contains("holds 1, 3, 5, which no run wrote"), "{error}");
        for name in ["5", "3", "1"] {
            fs::remove_file(target.join(name)).unwrap();
        }
        Folder::create(&target, true, []).unwrap().commit().unwrap();
        assert_eq!(names(&target), [""; 0]);
    }
}
