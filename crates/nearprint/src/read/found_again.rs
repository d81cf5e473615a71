//! Files that a run will write -> the input that would find them. A later run would read them as
//! input.

use std::path::{Path, PathBuf};

use super::format::of_name;
use crate::error::Error;
use crate::message;

/// Refuses an output, which `setting` names, if one of the files `written` to it lies in an input
/// folder or matches an input glob. An input does not find hidden files and folders, whose names
/// begin with a dot, nor files whose endings stand for no format.
///
/// # Errors
/// [`Error::Usage`] if an input would find one of the files.
pub fn check_not_found_again(
    setting: &str,
    output: &Path,
    written: &[PathBuf],
    inputs: &[String],
) -> Result<(), Error> {
    let is_found = |input: &&String| written.iter().any(|file| finds(input, file));
    let Some(input) = inputs.iter().find(is_found) else { return Ok(()) };
    let lies = if Path::new(input).is_dir() {
        "is in the input folder"
    } else {
        "is among the files of the input"
    };
    let remedy = "a later run would read it as input; name a place outside, or name the input \
        files one by one";
    Err(Error::usage(setting, message![output.display(), " ", lies, " ", input, ", so ", remedy]))
}

/// Returns true if an input would find a file.
fn finds(input: &str, file: &Path) -> bool {
    if of_name(&file.file_name().unwrap_or_default().to_string_lossy()).0.is_none() {
        return false;
    }
    let named = Path::new(input);
    if let Ok(folder) = named.canonicalize() {
        let Some(place) = resolved(file) else { return false };
        let is_hidden =
            |below: &Path| below.iter().any(|name| name.to_string_lossy().starts_with('.'));
        return folder.is_dir() && place.strip_prefix(folder).is_ok_and(|below| !is_hidden(below));
    }
    let rules = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..glob::MatchOptions::new()
    };
    glob::Pattern::new(input).is_ok_and(|pattern| pattern.matches_path_with(file, rules))
}

/// The path of a file or folder with all links resolved, as far as its folders exist.
pub(crate) fn resolved(file: &Path) -> Option<PathBuf> {
    file.ancestors().find_map(|there| {
        let named = if there.as_os_str().is_empty() { Path::new(".") } else { there };
        Some(named.canonicalize().ok()?.join(file.strip_prefix(there).ok()?))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_in_an_input_folder_or_matches_a_glob_is_found_unless_it_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("in/deep")).unwrap();
        let name = |path: &str| base.join(path).display().to_string();
        for (input, file, is_found) in [
            ("in", "in/out/removed.jsonl", true),
            ("in", "in/deep/../out/removed.jsonl", true),
            ("in/deep", "in/deep/a.parquet", true),
            ("in/deep", "in/out/removed.jsonl", false),
            ("in", "in/.out/removed.jsonl", false),
            ("in", "in/news.stats", false),
            ("in", "inner/removed.jsonl", false),
            ("in/*.jsonl", "in/fingerprints.jsonl", true),
            ("in/*.jsonl", "in/out/removed.jsonl", false),
            ("in/**/*.jsonl", "in/out/kept/a.jsonl", true),
            ("in/**/*.jsonl", "in/.out/kept/a.jsonl", false),
        ] {
            let found = check_not_found_again(
                "output",
                Path::new("out"),
                &[base.join(file)],
                &[name(input)],
            );
            assert_eq!(found.is_err(), is_found, "{input} {file}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(base.join("in"), base.join("link")).unwrap();
            let found = |input: &str, file: &str| finds(&name(input), &base.join(file));
            assert!(found("in", "link/out/a.csv") && found("link", "in/out/a.csv"));
        }
    }
}
