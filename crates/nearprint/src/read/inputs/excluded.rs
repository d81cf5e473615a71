//! The patterns of `exclude`, and a file of a folder or glob -> whether it is left out.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use crate::error::Error;
use crate::message::Message;

/// The patterns, and what they have matched so far.
#[derive(Debug, Default)]
pub(crate) struct Excluded {
    patterns: Vec<glob::Pattern>,
    /// The patterns that matched no file.
    idle: BTreeSet<String>,
    /// The number of files that were left out.
    pub(super) files: u64,
}

/// A pattern of `exclude`.
///
/// # Errors
/// [`Error::Usage`] for a text that is no glob.
pub(crate) fn pattern(text: &str) -> Result<glob::Pattern, Error> {
    let refused = |error| Error::usage("exclude", format!("\"{text}\" is not a glob: {error}"));
    glob::Pattern::new(text).map_err(refused)
}

impl Excluded {
    pub(super) fn new(patterns: &[String]) -> Result<Excluded, Error> {
        Ok(Excluded {
            patterns: patterns.iter().map(|text| pattern(text)).collect::<Result<_, _>>()?,
            idle: patterns.iter().cloned().collect(),
            files: 0,
        })
    }

    /// Returns true if the path of a file below the folder that the user named, or the file's own
    /// name, matches a pattern. `/` divides the path.
    pub(super) fn matches(&mut self, below: &str) -> bool {
        let rules =
            glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
        let name = below.trim_end_matches('/').rsplit('/').next().unwrap_or(below);
        let mut is_left_out = false;
        for pattern in &self.patterns {
            if pattern.matches_with(below, rules) || pattern.matches_with(name, rules) {
                self.idle.remove(pattern.as_str());
                is_left_out = true;
            }
        }
        self.files += u64::from(is_left_out);
        is_left_out
    }

    /// Leaves only the patterns idle that matched no file of another input, either.
    pub(super) fn join(&mut self, other: &Excluded) {
        self.idle.retain(|pattern| other.idle.contains(pattern));
    }

    /// The warnings about patterns that matched no file: they may be misspelled.
    pub(super) fn warnings(&self) -> impl Iterator<Item = Message> + '_ {
        self.idle.iter().map(|pattern| {
            Message::from(format!(
                "\"{pattern}\" matches no file of an input folder or glob; a pattern stands for \
                 the name of a file, or for its path below the folder"
            ))
            .about("exclude")
        })
    }
}

/// The path of a file that a glob has found, below the folder in which the glob begins: the part
/// of the glob before its first sign.
pub(super) fn below_glob(glob: &str, path: &Path) -> String {
    fn parts(path: &Path) -> impl Iterator<Item = Component<'_>> {
        path.components().filter(|part| *part != Component::CurDir)
    }
    let is_sign =
        |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let folders = parts(Path::new(glob)).take_while(|part| !is_sign(part)).count();
    let below: Vec<_> =
        parts(path).skip(folders).map(|part| part.as_os_str().to_string_lossy()).collect();
    below.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(pattern: &str, paths: &[&str]) -> Vec<bool> {
        let mut excluded = Excluded::new(&[pattern.to_string()]).unwrap();
        paths.iter().map(|path| excluded.matches(path)).collect()
    }

    #[test]
    fn a_pattern_stands_for_a_name_or_a_path_below_the_folder() {
        let paths = ["meta.json", "a/meta.json", "a/b/meta.json", "a/b.jsonl", "meta.jsonl"];
        assert_eq!(matching("meta.json", &paths), [true, true, true, false, false]);
        assert_eq!(matching("a/*.json", &paths), [false, true, false, false, false]);
        assert_eq!(matching("a/**", &paths), [false, true, true, true, false]);
        assert_eq!(matching("**/b/*", &paths), [false, false, true, false, false]);
        assert_eq!(matching("*", &paths), [true; 5]);
        assert_eq!(matching("b", &paths), [false; 5]);
        assert_eq!(matching("locked", &["locked/"]), [true]);
    }

    #[test]
    fn a_pattern_that_matches_nowhere_is_warned_of() {
        let patterns = ["a.json", "b.json", "c.json"].map(str::to_string);
        let [mut one, mut other] = [(); 2].map(|()| Excluded::new(&patterns).unwrap());
        assert!(one.matches("x/a.json") && other.matches("b.json"));
        one.join(&other);
        let warnings: Vec<String> = one.warnings().map(|warning| warning.to_string()).collect();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("exclude: \"c.json\" matches no file"), "{warnings:?}");
        let error = Excluded::new(&["a[".to_string()]).unwrap_err().to_string();
        assert!(error.starts_with("exclude: \"a[\" is not a glob: "), "{error}");
    }

    #[test]
    fn the_folder_of_a_glob_ends_before_its_first_sign() {
        for (glob, path, below) in [
            ("d/*.jsonl", "d/a.jsonl", "a.jsonl"),
            ("./d/**/*.jsonl", "d/e/a.jsonl", "e/a.jsonl"),
            ("/d/e?/a.jsonl", "/d/e1/a.jsonl", "e1/a.jsonl"),
            ("*", "a.jsonl", "a.jsonl"),
        ] {
            assert_eq!(below_glob(glob, Path::new(path)), below, "{glob}");
        }
    }
}
