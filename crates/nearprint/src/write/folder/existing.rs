//! The place of an output folder -> a check that a run may replace what it finds there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::FINGERPRINTS;
use crate::error::{Error, Taken};
use crate::write::reports::{CLUSTERS, JUST_MISSED, LEAKS, PAIRS, REJECTED, REMOVED, SUMMARY};
use crate::write::{ANNOTATED, KEPT, PASSAGE_TEXTS, PASSAGES};

/// The existing folder with all links and dots resolved, since a rename must not pass through the
/// folder itself; `None` if there is none.
///
/// # Errors
/// [`Error::Usage`] if a file is there, or if the path is unknown until a folder is made.
pub(super) fn existing_place(target: &Path) -> Result<Option<PathBuf>, Error> {
    let problem = |problem: &str| Err(unusable(target, problem));
    if target.exists() && !target.is_dir() {
        return problem("is a file; name a folder");
    }
    // A path with `..` after a missing folder is unknown until that folder is made.
    let missing =
        target.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).last();
    let beyond = missing.and_then(|missing| target.strip_prefix(missing).ok());
    if beyond
        .is_some_and(|rest| rest.components().any(|part| part == std::path::Component::ParentDir))
    {
        return problem("leads through a folder that does not exist; name it without ..");
    }
    Ok(target.canonicalize().ok())
}

/// The error of a target that cannot be an output folder.
pub(super) fn unusable(target: &Path, problem: &str) -> Error {
    Error::usage("output", format!("{} {problem}", target.display()))
}

/// Refuses a target that must not be replaced. Returns true if the target holds an output that may
/// be replaced, false if it is empty or missing. `there` is the existing folder.
///
/// # Errors
/// [`Error::OutputTaken`]; [`Error::Usage`] if the target holds one of the files that the run
/// reads, or is a link that leads nowhere; [`Error::Io`].
pub(super) fn check_replaceable<'p>(
    target: &Path,
    there: Option<&Path>,
    force: bool,
    reads: impl IntoIterator<Item = &'p Path>,
) -> Result<bool, Error> {
    let problem = |problem: &str| Err(unusable(target, problem));
    let held = names(target)?;
    let holds_something = !held.is_empty();
    if let Some(place) = there {
        let inside = |path: &&Path| path.canonicalize().is_ok_and(|path| path.starts_with(place));
        if let Some(path) = reads.into_iter().find(inside) {
            let holds = format!("holds {}, which the run reads and would replace", path.display());
            return problem(&format!("{holds}; name another folder"));
        }
    } else if target.is_symlink() {
        return problem("is a broken link; name another folder");
    }
    if holds_something && !is_output(target) {
        return Err(Error::OutputTaken { folder: target.to_path_buf(), by: Taken::NoOutput(held) });
    }
    if holds_something && !force {
        return Err(Error::OutputTaken { folder: target.to_path_buf(), by: Taken::NotEmpty });
    }
    let others: Vec<String> =
        held.into_iter().filter(|name| !OURS.contains(&name.as_str())).collect();
    if !others.is_empty() {
        return Err(Error::OutputTaken { folder: target.to_path_buf(), by: Taken::Others(others) });
    }
    Ok(holds_something)
}

/// The names that runs write into an output folder.
const OURS: [&str; 14] = [
    KEPT,
    ANNOTATED,
    SUMMARY,
    REMOVED,
    CLUSTERS,
    PAIRS,
    JUST_MISSED,
    LEAKS,
    PASSAGES,
    PASSAGE_TEXTS,
    REJECTED,
    FINGERPRINTS,
    "report.html",
    "report-data",
];

/// The names in a folder, sorted; none if it does not exist.
fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", folder)(error)),
    };
    let name = |entry: std::io::Result<fs::DirEntry>| {
        Ok(entry?.file_name().to_string_lossy().into_owned())
    };
    let mut names = entries
        .map(name)
        .collect::<std::io::Result<Vec<_>>>()
        .map_err(Error::io("read", folder))?;
    names.sort();
    Ok(names)
}

/// Returns true if a run has made this folder. Every output has a summary, which names the version
/// of nearprint.
pub(super) fn is_output(folder: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Made {
        #[serde(rename = "nearprint")]
        _version: String,
    }
    fs::read(folder.join(SUMMARY)).is_ok_and(|bytes| serde_json::from_slice::<Made>(&bytes).is_ok())
}
