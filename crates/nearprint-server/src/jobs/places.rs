//! The folders that jobs may use, by name -> paths inside them.
//!
//! A request names a path as `NAME/below`. A path that leaves its folder, by `..` or by a link, is
//! refused.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use nearprint::Error;

/// The folders that jobs may use.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<(String, PathBuf)>);

impl Places {
    /// Folders with their names.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder that is not there, and for a name that is empty, occurs twice,
    /// or has a slash.
    pub fn new(folders: &[(String, PathBuf)]) -> Result<Places, Error> {
        let mut places = Places::default();
        for (name, folder) in folders {
            if name.is_empty() || name.contains('/') || places.root(name).is_some() {
                let problem = format!("\"{name}\" is not a name of its own; write NAME=DIR");
                return Err(Error::usage("jobs-folder", problem));
            }
            let root = folder.canonicalize().map_err(Error::setting("jobs-folder", folder))?;
            if !root.is_dir() {
                let problem = format!("{} is not a folder", folder.display());
                return Err(Error::usage("jobs-folder", problem));
            }
            places.0.push((name.clone(), root));
        }
        Ok(places)
    }

    /// Returns true if there is no folder.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn root(&self, name: &str) -> Option<&Path> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, root)| root.as_path())
    }

    /// The path of a file or folder that exists, for the setting that names it. No link in a folder
    /// leads out of its place.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn existing(&self, setting: &'static str, name: &str) -> Result<String, Error> {
        let (root, path) = self.below(setting, name)?;
        let refused = |error: io::Error| Error::usage(setting, format!("{name}: {error}"));
        let found = path.canonicalize().map_err(refused)?;
        if !found.starts_with(root) {
            return Err(leaves(setting, name));
        }
        if found.is_dir() {
            check_links(root, &found).map_err(|link| match link {
                Some(link) => leaves(setting, &link),
                None => Error::usage(setting, format!("{name} has a folder that cannot be read")),
            })?;
        }
        text(setting, found)
    }

    /// The path of an output, whose folder exists.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn output(&self, name: &str) -> Result<PathBuf, Error> {
        let (root, path) = self.below("output", name)?;
        let (Some(folder), Some(own)) = (path.parent(), path.file_name()) else {
            return Err(Error::usage("output", format!("{name} has no name; write NAME/output")));
        };
        if path == root {
            return Err(Error::usage("output", format!("{name} is the place; write NAME/output")));
        }
        let refused = |error: io::Error| Error::usage("output", format!("{name}: {error}"));
        let folder = folder.canonicalize().map_err(refused)?;
        let path = folder.join(own);
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if !folder.starts_with(root) || is_link {
            return Err(leaves("output", name));
        }
        Ok(path)
    }

    /// The root of the place that a path names, and the path.
    fn below(&self, setting: &'static str, name: &str) -> Result<(&Path, PathBuf), Error> {
        let (place, below) = name.split_once('/').unwrap_or((name, ""));
        let Some(root) = self.root(place) else {
            let names: Vec<String> = self.0.iter().map(|(name, _)| format!("{name}/")).collect();
            let names = names.join(", ");
            let problem = match self.0.is_empty() {
                true => "the server has no folder for jobs; start it with --jobs-folder NAME=DIR"
                    .to_string(),
                false => format!("{name} is in no folder for jobs; begin with one of: {names}"),
            };
            return Err(Error::usage(setting, problem));
        };
        let below = Path::new(below);
        let is_below = |part: Component<'_>| matches!(part, Component::Normal(_));
        if !below.components().all(is_below) || name.contains('\0') {
            return Err(leaves(setting, name));
        }
        Ok((root, root.join(below)))
    }
}

fn leaves(setting: &'static str, name: &str) -> Error {
    let problem =
        format!("{name} leads out of its folder for jobs; name a file or folder inside it");
    Error::usage(setting, problem)
}

/// The path as text, as the library takes it.
fn text(setting: &'static str, path: PathBuf) -> Result<String, Error> {
    let refused = |_| Error::usage(setting, "the path is not Unicode; rename the file");
    path.into_os_string().into_string().map_err(refused)
}

/// Refuses a folder that has, at any depth, a link out of `root`: the name of the link, or `None`
/// if a folder cannot be read.
fn check_links(root: &Path, folder: &Path) -> Result<(), Option<String>> {
    let (mut entered, mut folders) = (HashSet::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        if !entered.insert(folder.clone()) {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|_| None)? {
            let path = entry.map_err(|_| None)?.path();
            // A link that leads nowhere is reported by the library.
            let Ok(real) = path.canonicalize() else { continue };
            if !real.starts_with(root) {
                return Err(Some(path.file_name().unwrap_or_default().to_string_lossy().into()));
            }
            if real.is_dir() {
                folders.push(real);
            }
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_path_leaves_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("news/day")).unwrap();
        fs::create_dir_all(path("news/links")).unwrap();
        fs::create_dir(path("secret")).unwrap();
        for file in ["news/day/1.jsonl", "secret/2.jsonl"] {
            fs::write(path(file), "{}").unwrap();
        }
        symlink(path("secret/2.jsonl"), path("news/links/out.jsonl")).unwrap();
        symlink(path("secret"), path("news/away")).unwrap();
        symlink("1.jsonl", path("news/day/same.jsonl")).unwrap();
        let places = Places::new(&[("news".into(), path("news"))]).unwrap();
        let real = path("news").canonicalize().unwrap();
        let existing = |name: &str| places.existing("input", name);
        for (name, found) in [
            ("news", ""),
            ("news/day", "day"),
            ("news/day/1.jsonl", "day/1.jsonl"),
            ("news/day/same.jsonl", "day/1.jsonl"),
        ] {
            match name {
                // It holds the links.
                "news" => assert!(existing(name).is_err()),
                _ => assert_eq!(existing(name).unwrap(), real.join(found).display().to_string()),
            }
        }
        for name in [
            "news/../secret/2.jsonl",
            "news//etc/passwd",
            "news/links",
            "news/links/out.jsonl",
            "news/away/2.jsonl",
            "news/away",
            "news/none",
            "secret/2.jsonl",
            "/etc/passwd",
            "",
            "-",
            "news/*.jsonl",
            "news/day/1.jsonl\0",
        ] {
            let found = existing(name);
            assert!(matches!(&found, Err(Error::Usage { .. })), "{name}: {found:?}");
        }
        assert_eq!(places.output("news/clean").unwrap(), real.join("clean"));
        for name in ["news", "news/", "news/..", "news/away", "news/away/x", "news/no/x", "x/y"] {
            assert!(places.output(name).is_err(), "{name}");
        }
    }
}
