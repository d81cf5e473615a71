//! The list of sources -> names in the output of which none comes twice.
//!
//! The name of a file is its last part, or its path below the folder that the user named. If files
//! in two such folders have one name, the names of all files in both begin with the last parts of
//! the folders, as few as tell the files apart: `a/part-0.jsonl` and `b/part-0.jsonl`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Component, Path};

use super::{STANDARD_INPUT, Source};

/// Makes the names of sources differ. Sources whose names differ already keep them.
pub(super) fn tell_apart(sources: &mut [Source]) {
    let mut folders: Vec<Folder> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    let folder_of = |source: &Source| {
        let parts = folder_of(source);
        *known.entry(parts.clone()).or_insert_with(|| {
            folders.push(Folder { parts, shown: 0 });
            folders.len() - 1
        })
    };
    let of: Vec<usize> = sources.iter().map(folder_of).collect();
    let names = loop {
        let named = sources.iter().zip(&of).map(|(source, of)| folders[*of].named(&source.name));
        let names: Vec<String> = named.collect();
        let mut first: HashMap<&str, usize> = HashMap::new();
        let mut clashing = BTreeSet::new();
        for (name, of) in names.iter().zip(&of) {
            if let Some(other) = first.insert(name, *of) {
                clashing.extend([other, *of]);
            }
        }
        let mut has_grown = false;
        for folder in clashing {
            has_grown |= folders[folder].show_more();
        }
        if !has_grown {
            break names;
        }
    };
    let mut taken: HashSet<String> = HashSet::new();
    for (number, (source, mut name)) in sources.iter_mut().zip(names).enumerate() {
        // A path through a link and `..` may look like another path.
        while !taken.insert(name.clone()) {
            name = format!("{number}/{name}");
        }
        source.name = name;
    }
}

/// A folder that the user named, or in which a named file lies.
struct Folder {
    /// The parts of its path.
    parts: Vec<String>,
    /// The number of the last parts that the names of its files begin with.
    shown: usize,
}

impl Folder {
    /// The name of a file in the folder.
    fn named(&self, name: &str) -> String {
        let shown = &self.parts[self.parts.len() - self.shown..];
        shown.iter().map(|part| format!("{part}/")).collect::<String>() + name
    }

    /// Shows one more part. Returns false if all are shown.
    fn show_more(&mut self) -> bool {
        let has_more = self.shown < self.parts.len();
        self.shown += usize::from(has_more);
        has_more
    }
}

/// The parts of the path of the folder in which the name of a source begins. Standard input is in
/// none.
fn folder_of(source: &Source) -> Vec<String> {
    if source.label == STANDARD_INPUT {
        return Vec::new();
    }
    let path = std::path::absolute(&source.path).unwrap_or_else(|_| source.path.clone());
    let mut parts = parts(&path);
    let below = source.name.trim_end_matches('/').split('/').count();
    parts.truncate(parts.len().saturating_sub(below));
    parts
}

/// The whole path of a file as names in the output have it: parts divided by `/`, without dots.
pub(crate) fn whole_path(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    parts(&path).join("/")
}

/// The names of the folders of a path, without dots.
fn parts(path: &Path) -> Vec<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::testing::{options, source};

    /// The names of files with these paths and these names before.
    fn told_apart(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let usual = source(folder.path(), "a.jsonl", b"", &options());
        let with = |(path, name): &(&str, &str)| Source {
            path: path.into(),
            label: path.to_string(),
            name: name.to_string(),
            ..usual.clone()
        };
        let mut sources: Vec<Source> = files.iter().map(with).collect();
        tell_apart(&mut sources);
        sources.into_iter().map(|source| source.name).collect()
    }

    #[test]
    fn the_fewest_parts_of_folders_tell_files_of_one_name_apart() {
        for (files, names) in [
            (&[("/x/a/1", "1"), ("/x/b/2", "2")][..], &["1", "2"][..]),
            (&[("/x/a/1", "1"), ("/x/b/1", "1"), ("/x/c/2", "2")], &["a/1", "b/1", "2"]),
            // All files of both folders.
            (&[("/x/a/1", "1"), ("/x/a/s/2", "s/2"), ("/x/b/1", "1")], &["a/1", "a/s/2", "b/1"]),
            (&[("/x/a/1", "1"), ("/y/a/1", "1"), ("/y/b/1", "1")], &["x/a/1", "y/a/1", "b/1"]),
            // A longer name may be that of a file deeper down.
            (&[("/x/a/1", "1"), ("/x/b/1", "1"), ("/y/c/a/1", "a/1")], &["x/a/1", "b/1", "c/a/1"]),
            (&[("/1", "1"), ("/b/1", "1")], &["1", "b/1"]),
            (&[("/x/a/../b/1", "1"), ("/x/c/./1", "1")], &["b/1", "c/1"]),
            (&[("-", "1"), ("/x/b/1", "1")], &["1", "b/1"]),
            // The same path in words, by links.
            (&[("/x/a/../1", "1"), ("/x/1", "1")], &["x/1", "1/x/1"]),
        ] {
            let found = told_apart(files);
            assert_eq!(found, names, "{files:?}");
        }
    }
}
