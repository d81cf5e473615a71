//! A folder or a glob -> the files in it, as sources. Files without a known ending are counted.

use std::fs;
use std::path::Path;

use super::excluded::below_glob;
use super::file::{file, file_name, unreadable};
use super::walk::Walk;
use super::{Found, Options, of_name};
use crate::error::Error;
use crate::message;
use crate::message::Setting;

/// Adds the files that match a glob.
pub(super) fn find_by_glob(pattern: &str, options: &Options, all: &mut Found) -> Result<(), Error> {
    let (before, excluded) = (all.sources.len(), all.excluded.files);
    all.searched = true;
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
                if all.excluded.matches(&below_glob(pattern, error.path())) {
                    continue;
                }
                all.sources.push(unreadable(error.path(), file_name(error.path())));
                continue;
            }
        };
        let is_folder = metadata.as_ref().is_ok_and(fs::Metadata::is_dir);
        if is_folder || all.excluded.matches(&below_glob(pattern, &path)) {
            continue;
        }
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
        (true, false) if all.excluded.files > excluded => Err(all_excluded(pattern)),
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
    let excluded = all.excluded.files;
    all.searched = true;
    let found = Walk::through(folder, all);
    if found.is_empty() && all.excluded.files > excluded {
        return Err(all_excluded(folder.display()));
    }
    if found.is_empty() {
        return Err(Error::usage(
            "input",
            message![
                folder.display(),
                " has no file that ends in .jsonl, .ndjson, .json, .parquet, .csv, .tsv, .txt or \
                 .text (.gz, .zst, .bz2 and .xz after \
                 it are fine); name other files one by one, with ",
                Setting::named("format")
            ],
        ));
    }
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

/// The error of a folder or glob of which nothing else is left.
fn all_excluded(input: impl std::fmt::Display) -> Error {
    let exclude = Setting::named("exclude");
    let problem = message![
        format!("{input} has no file of a known format but those that "),
        exclude,
        " leaves out; leave out fewer, or leave out this input"
    ];
    Error::usage("input", problem)
}
