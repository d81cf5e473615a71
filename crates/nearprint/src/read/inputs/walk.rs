//! A folder -> the files below it that have a known ending.
//!
//! Links to files and folders are followed. A folder is entered once, and a file is read once,
//! however many links lead to it, so links in a circle end. A place of its own counts before a
//! link, and a link before those that sort behind it.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::file::file_name;
use super::{Found, of_name};

/// A walk through a folder and all folders that it leads to.
#[derive(Default)]
pub(super) struct Walk {
    /// The folders that were entered, without links in their paths.
    entered: HashSet<PathBuf>,
    /// Files with a known ending, and folders that cannot be read.
    known: Files,
    /// Files without a known ending.
    others: Files,
    /// Links to folders that are not followed yet: the name below the folder of the walk, and the
    /// path.
    folders: BTreeSet<(String, PathBuf)>,
}

/// Files and links to files: the names below the folder of the walk, and the paths.
#[derive(Default)]
struct Files {
    files: Vec<(String, PathBuf)>,
    links: Vec<(String, PathBuf)>,
}

impl Files {
    /// The files by their names, each file once.
    fn each_once(self) -> Vec<(String, PathBuf)> {
        let Files { mut files, mut links } = self;
        if !links.is_empty() {
            links.sort();
            let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            let mut there: HashSet<PathBuf> = files.iter().map(|(_, path)| place(path)).collect();
            files.extend(links.into_iter().filter(|(_, path)| there.insert(place(path))));
        }
        files.sort();
        files
    }
}

impl Walk {
    /// The files of a folder by their names, each file once. Files that are excluded are left out,
    /// and files without a known ending are counted. A name that is not Unicode is shown in its
    /// nearest form, and the path leads to the file.
    pub fn through(folder: &Path, all: &mut Found) -> Vec<(String, PathBuf)> {
        let mut walk = Walk::default();
        walk.enter(folder, "", all);
        while let Some((name, link)) = walk.folders.pop_first() {
            walk.enter(&link, &format!("{name}/"), all);
        }
        walk.others.each_once().iter().for_each(|(_, path)| all.pass_over(path));
        walk.known.each_once()
    }

    fn enter(&mut self, folder: &Path, prefix: &str, all: &mut Found) {
        let place = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        if !self.entered.insert(place) {
            return;
        }
        let Ok(entries) = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>)
        else {
            if prefix.is_empty() {
                self.known.files.push((file_name(folder), folder.to_path_buf()));
            } else if !all.excluded.matches(prefix) {
                self.known.files.push((prefix.to_string(), folder.to_path_buf()));
            }
            return;
        };
        for entry in entries {
            let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            if name.starts_with('.') {
                continue;
            }
            let below = format!("{prefix}{name}");
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let metadata = fs::metadata(&path);
            if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
                match is_link {
                    true => {
                        self.folders.insert((below, path));
                    }
                    false => self.enter(&path, &format!("{below}/"), all),
                }
            } else if metadata.map_or(true, |metadata| metadata.is_file())
                && !all.excluded.matches(&below)
            {
                let files = match of_name(&name).0 {
                    Some(_) => &mut self.known,
                    None => &mut self.others,
                };
                let files = if is_link { &mut files.links } else { &mut files.files };
                files.push((below, path));
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_and_nothing_is_found_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for file in ["in/b/1.jsonl", "in/b/c/2.jsonl", "out/deep/3.jsonl", "out/4.jsonl"] {
            fs::create_dir_all(path(file).parent().unwrap()).unwrap();
            fs::write(path(file), "x").unwrap();
        }
        for (link, to) in [
            ("in/a", "b"),
            ("in/b/round", ".."),
            ("in/y", "../out/deep"),
            ("in/z", "../out"),
            ("in/a.jsonl", "b/1.jsonl"),
            ("in/5.jsonl", "../out/5"),
            ("in/6.jsonl", "../out/5"),
            ("out/back", "../in"),
            ("in/other", "../out/5"),
            ("in/another", "../out/5"),
            ("in/nowhere", "none"),
        ] {
            symlink(to, path(link)).unwrap();
        }
        fs::write(path("out/5"), "x").unwrap();
        let mut all = Found::default();
        let files = Walk::through(&path("in"), &mut all);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["5.jsonl", "b/1.jsonl", "b/c/2.jsonl", "y/3.jsonl", "z/4.jsonl"]);
        assert_eq!(all.passed_over, 1);
    }
}
