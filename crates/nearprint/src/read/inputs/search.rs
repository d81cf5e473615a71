//! A folder or a glob -> the files in it, as sources. Files without a known ending are counted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::file::{file, file_name, unreadable};
use super::{Found, Options, of_name};
use crate::error::Error;
use crate::message;
use crate::message::Setting;

/// Adds the files that match a glob.
pub(super) fn find_by_glob(pattern: &str, options: &Options, all: &mut Found) -> Result<(), Error> {
    let before = all.sources.len();
    let rules =
        glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let matches = glob::glob_with(pattern, rules).map_err(|error| {
        Error::usage(
            "input",
            format!("{pattern}: no file has this name, and it is not a glob: {error}"),
        )
    })?;
    let mut found = false;
    for path in matches {
        found = true;
        let (path, metadata) = match path {
            Ok(path) => (path.clone(), fs::metadata(path)),
            Err(error) => {
                all.sources.push(unreadable(error.path(), file_name(error.path())));
                continue;
            }
        };
        let name = file_name(&path);
        if options.format.is_none() && of_name(&name).0.is_none() {
            all.pass_over(&path);
            continue;
        }
        match metadata {
            Ok(metadata) if metadata.is_file() => {
                all.sources.push(file(&path, name, &metadata, options)?)
            }
            Ok(_) => {}
            Err(_) => all.sources.push(unreadable(&path, name)),
        }
    }
    match (found, all.sources.len() > before) {
        (_, true) => Ok(()),
        (false, false) => {
            Err(Error::usage("input", format!("{pattern} matches no file; check the path")))
        }
        (true, false) => Err(Error::usage(
            "input",
            message![
                pattern,
                " matches no file of a known format; name the format with ",
                Setting::named("format")
            ],
        )),
    }
}

/// Adds the files of a folder, at all depths.
pub(super) fn find_in_folder(
    folder: &Path,
    options: &Options,
    all: &mut Found,
) -> Result<(), Error> {
    let mut found = Vec::new();
    walk(folder, "", &mut found, all);
    if found.is_empty() {
        return Err(Error::usage(
            "input",
            message![
                folder.display(),
                " has no file that ends in .jsonl, .ndjson, .json, .parquet, .csv, .tsv, .txt or \
                 .text (.gz and .zst after \
                 it are fine); name other files one by one, with ",
                Setting::named("format")
            ],
        ));
    }
    found.sort();
    for (name, path) in found {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => {
                all.sources.push(file(&path, name, &metadata, options)?)
            }
            _ => all.sources.push(unreadable(&path, name)),
        }
    }
    Ok(())
}

/// Collects all files below a folder that have a known ending, and the folders that cannot be read:
/// the name relative to the folder, and the path. A name that is not Unicode is shown in its
/// nearest form, and the path leads to the file. Links to files are followed. Links to folders are
/// not, since they may lead in a circle. Other files are counted.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>, all: &mut Found) {
    let Ok(entries) = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) else {
        found.push((
            if prefix.is_empty() { file_name(folder) } else { prefix.to_string() },
            folder.to_path_buf(),
        ));
        return;
    };
    for entry in entries {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, &format!("{prefix}{name}/"), found, all);
        } else if of_name(&name).0.is_none() {
            all.pass_over(&path);
        } else if fs::metadata(&path).map_or(true, |metadata| metadata.is_file()) {
            found.push((format!("{prefix}{name}"), path));
        }
    }
}
