//! The names that the user gave (files, folders, globs, standard input) -> the list of sources.

mod file;
mod search;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use file::{file, file_name};
use search::{find_by_glob, find_in_folder};

use super::distinct::check_distinct;
use super::format::of_name;
use super::names::tell_apart;
use super::standard_input::{STANDARD_INPUT, spool};
use super::{Format, Options, Source};
use crate::error::Error;
use crate::message;
use crate::message::Setting;
use crate::watch::Watch;

/// Lists the input files in the order of `inputs`. The files of a folder or glob are sorted by
/// name.
///
/// A folder is searched at all depths for files with a known ending. Hidden files are left out. An
/// input is a glob only if no file has that very name. A file that is found but cannot be read (a
/// folder without permission, a link that leads nowhere) is a source as well: reading it reports
/// the problem. `-` is standard input. It is read to its end and saved in `spool_folder`, since the
/// run reads its input twice. Files of one name get different names in the output: parts of the
/// folders around them.
///
/// # Errors
/// [`Error::Usage`] if nothing is found, if an ending is unknown, or if a file occurs twice;
/// [`Error::Io`] if a file that is named itself is missing or cannot be read;
/// [`Error::Interrupted`].
pub fn find(
    inputs: &[String],
    options: &Options,
    spool_folder: &Path,
    watch: &dyn Watch,
) -> Result<Vec<Source>, Error> {
    find_all(inputs, options, spool_folder, watch).map(|found| found.sources)
}

/// The files to read, and the number of files that are left out.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files to read.
    pub sources: Vec<Source>,
    /// The number of files in folders and globs whose endings stand for no format.
    pub passed_over: u64,
    /// The names of the first of these files, sorted.
    pub some_passed_over: BTreeSet<String>,
}

/// The largest number of listed names of left-out files.
const PASSED_OVER: usize = 10;

impl Found {
    /// Counts a file without a known ending, and lists its name among the first.
    fn pass_over(&mut self, path: &Path) {
        if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            return;
        }
        self.passed_over += 1;
        self.some_passed_over.insert(path.display().to_string());
        if self.some_passed_over.len() > PASSED_OVER {
            self.some_passed_over.pop_last();
        }
    }
}

/// Does what [`find`] does, and counts the files that are left out.
pub(crate) fn find_all(
    inputs: &[String],
    options: &Options,
    spool_folder: &Path,
    watch: &dyn Watch,
) -> Result<Found, Error> {
    if options.text_fields.is_empty() {
        return Err(Error::usage("text-field", "no field is named; name at least one"));
    }
    let mut found = Found::default();
    for input in inputs {
        if input == STANDARD_INPUT {
            found.sources.push(spool(io::stdin(), options, spool_folder, watch)?);
        } else {
            find_one(input, options, &mut found)?;
        }
    }
    if found.sources.is_empty() {
        return Err(Error::usage(
            "input",
            "no input; name files, folders, globs, or - for standard input",
        ));
    }
    check_distinct(&found.sources)?;
    tell_apart(&mut found.sources);
    Ok(found)
}

/// Finds the one file of a table, which is JSON Lines, CSV, TSV or Parquet by its ending. Standard
/// input, and a file with another ending, has the format `format`, or JSON Lines if that is no
/// format of tables.
pub(crate) fn find_table(
    input: &str,
    format: Option<Format>,
    spool_folder: &Path,
    watch: &dyn Watch,
) -> Result<Source, Error> {
    let by_name = of_name(&file_name(Path::new(input))).0;
    let named = format.filter(|format| format.has_fields());
    let format = match by_name {
        Some(by_name) if by_name.has_fields() => None,
        Some(_) => named,
        None => Some(named.unwrap_or(Format::JsonLines)),
    };
    let mut sources =
        find(&[input.to_string()], &Options { format, ..Options::default() }, spool_folder, watch)?;
    match (sources.pop(), sources.len()) {
        (Some(source), 0) if !source.format.has_fields() => {
            let problem = message![
                &source.label,
                " is plain text, which has no columns; name a file of JSON Lines, CSV, TSV or \
                 Parquet, or set its format with ",
                Setting::named("format")
            ];
            Err(Error::usage("input", problem))
        }
        (Some(source), 0) => Ok(source),
        (_, more) => {
            Err(Error::usage("input", format!("{input} matches {} files; name one", more + 1)))
        }
    }
}

/// Adds the files of one input.
fn find_one(input: &str, options: &Options, all: &mut Found) -> Result<(), Error> {
    let path = Path::new(input);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => find_in_folder(path, options, all),
        Ok(metadata) => {
            let name = path
                .file_name()
                .map_or_else(|| input.to_string(), |name| name.to_string_lossy().into_owned());
            all.sources.push(file(path, name, &metadata, options)?);
            Ok(())
        }
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && input.contains(['*', '?', '[']) =>
        {
            find_by_glob(input, options, all)
        }
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

#[cfg(test)]
mod tests;
