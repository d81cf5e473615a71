//! The names that the user gave (files, folders, globs, standard input) -> the list of sources.

mod companions;
mod excluded;
mod file;
mod search;
mod walk;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use companions::may_be_data;
use excluded::Excluded;
pub(crate) use excluded::pattern;
pub(crate) use file::unreadable;
use file::{file, file_name, recognized};
use search::{find_by_glob, find_in_folder};

use super::distinct::check_distinct;
use super::encoding::{self, UTF_8};
use super::format::of_name;
use super::names::tell_apart;
use super::standard_input::{STANDARD_INPUT, spool, stream};
use super::{Encoding, Format, Options, Quote, Source};
use crate::error::Error;
use crate::message;
use crate::message::{Message, Setting};
use crate::watch::Watch;

/// Lists the input files in the order of `inputs`. The files of a folder or glob are sorted by
/// name.
///
/// A folder is searched at all depths for files with a known ending. Hidden files are left out, and
/// so are files of folders and globs that a pattern of `exclude` matches. An input is a glob only
/// if no file has that very name. A file that is found but cannot be read (a folder without
/// permission, a link that leads nowhere) is a source as well: reading it reports the problem. `-` is standard input. It is read to its end and saved in `spool_folder`, since the
/// run reads its input twice. Files of one name get different names in the output: parts of the
/// folders around them.
///
/// # Errors
/// [`Error::Usage`] if nothing is found, if an ending is unknown, if a file occurs twice, or for an
/// address;
/// [`Error::Io`] if a file that is named itself is missing or cannot be read;
/// [`Error::Interrupted`].
pub fn find(
    inputs: &[String],
    options: &Options,
    spool_folder: &Path,
    watch: &dyn Watch,
) -> Result<Vec<Source>, Error> {
    let found = find_all(inputs, options, spool_folder, watch)?;
    Ok(found.alone(watch))
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
    /// The number of those that look like data.
    pub unread: u64,
    /// The names and paths of the first of those, sorted.
    pub some_unread: BTreeSet<(String, PathBuf)>,
    /// The patterns of files that are left out.
    pub excluded: Excluded,
    /// True if an input was a folder or a glob.
    pub searched: bool,
}

/// The largest number of listed names of left-out files.
const PASSED_OVER: usize = 10;

/// The largest number of names in a warning.
const NAMED: usize = 5;

impl Found {
    /// Counts a file without a known ending, and lists its name among the first.
    fn pass_over(&mut self, path: &Path) {
        let Some(metadata) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else { return };
        let name = path.display().to_string();
        if metadata.len() > 0 && may_be_data(&file_name(path)) {
            self.unread += 1;
            list(&mut self.some_unread, (name.clone(), path.to_path_buf()), NAMED);
        }
        self.passed_over += 1;
        list(&mut self.some_passed_over, name, PASSED_OVER);
    }

    /// The files of an input beside which there is no other one. Warns of patterns of `exclude`
    /// that matched none of its files; an input of named files has none that could match.
    fn alone(self, watch: &dyn Watch) -> Vec<Source> {
        if self.searched {
            self.warn_of_idle_patterns(watch);
        }
        self.sources
    }

    /// Warns of the patterns of `exclude` that matched no file.
    pub fn warn_of_idle_patterns(&self, watch: &dyn Watch) {
        self.excluded.warnings().for_each(|warning| watch.warn(&warning));
    }

    /// Counts a pattern of `exclude` that matched a file of another input as one that did here.
    pub fn join_patterns(&mut self, other: &Found) {
        self.excluded.join(&other.excluded);
    }

    /// The warnings about files whose bytes decided how they are read.
    fn guesses(&self, options: &Options) -> Vec<Message> {
        let named = |is_meant: &dyn Fn(&Source) -> bool| {
            let sources = self.sources.iter().filter(|source| is_meant(source));
            let files: Vec<&str> = sources.map(|source| source.label.as_str()).collect();
            let (first, more) = files.split_at(files.len().min(NAMED));
            match more.len() {
                0 if first.is_empty() => None,
                0 => Some(first.join(", ")),
                more => Some(format!("{} and {more} more", first.join(", "))),
            }
        };
        let mut warnings = Vec::new();
        if options.encoding == Some(Encoding::AUTO) {
            let encodings: BTreeSet<&str> =
                self.sources.iter().map(|source| encoding::name(source.encoding)).collect();
            for name in encodings.into_iter().filter(|name| *name != UTF_8.name()) {
                let files = named(&|source| encoding::name(source.encoding) == name);
                let read_as = |files| Message::from(format!("{files}: read as {name}"));
                warnings.extend(files.map(read_as));
            }
        }
        if options.quote.is_none()
            && let Some(files) = named(&|source| source.quote == Some(Quote::NONE))
        {
            warnings.push(message![
                format!(
                    "{files}: quotes are read as letters, since they would damage or join rows, \
                     and without them each line has the fields of the header; to read them as \
                     quotes, set "
                ),
                Setting::with("quote", Quote::DOUBLE.to_string())
            ]);
        }
        warnings
    }

    /// The warnings about files that look like data and are not read.
    fn warnings(&self) -> Vec<Message> {
        let mut warnings = Vec::new();
        let (mut names, mut unread) = (Vec::new(), self.unread);
        for (name, path) in &self.some_unread {
            match recognized(path) {
                None => names.push(name.as_str()),
                Some(problem) => {
                    warnings.push(message![name, " is not read; ", problem.message()]);
                    unread -= 1;
                }
            }
        }
        let others = match unread - names.len() as u64 {
            0 => names.join(", "),
            more if names.is_empty() => format!("{more} more files"),
            more => format!("{} and {more} more", names.join(", ")),
        };
        let (are, remedy) = match unread {
            0 => return warnings,
            1 => ("is not read, since its", "convert it, or name it with "),
            _ => (
                "are not read, since their",
                "convert them, or name them one by one, or with a glob, and set ",
            ),
        };
        let problem = format!("{others} {are} format or compression is unknown; {remedy}");
        warnings.push(message![problem, Setting::named("format")]);
        warnings
    }
}

/// Adds a name to the first names, at most `most`.
fn list<N: Ord>(names: &mut BTreeSet<N>, name: N, most: usize) {
    names.insert(name);
    if names.len() > most {
        names.pop_last();
    }
}

/// Does what [`find`] does, and counts the files that are left out. Does not warn of patterns that
/// matched no file.
pub(crate) fn find_all(
    inputs: &[String],
    options: &Options,
    spool_folder: &Path,
    watch: &dyn Watch,
) -> Result<Found, Error> {
    find_with(inputs, options, watch, || spool(io::stdin(), options, spool_folder, watch))
}

/// Does what [`find`] does for a reader that reads its input once: standard input is not saved, and
/// its rows can be read while they come. Only Parquet is saved, since it is not read in order.
///
/// # Errors
/// As [`find`].
pub fn find_once(
    inputs: &[String],
    options: &Options,
    spool_folder: &Path,
    watch: &dyn Watch,
) -> Result<Vec<Source>, Error> {
    // The encoding is detected by a long beginning.
    let is_detected = options.encoding == Some(Encoding::AUTO);
    let is_whole = options.format == Some(Format::Parquet) || is_detected;
    let standard_input = || match is_whole {
        true => spool(io::stdin(), options, spool_folder, watch),
        false => stream(io::stdin(), options, watch),
    };
    let found = find_with(inputs, options, watch, standard_input)?;
    Ok(found.alone(watch))
}

/// Lists the files; `standard_input` is called for `-`.
fn find_with(
    inputs: &[String],
    options: &Options,
    watch: &dyn Watch,
    standard_input: impl Fn() -> Result<Source, Error>,
) -> Result<Found, Error> {
    if options.text_fields.is_empty() {
        return Err(Error::usage("text-field", "no field is named; name at least one"));
    }
    if inputs.iter().filter(|input| *input == STANDARD_INPUT).count() > 1 {
        return Err(Error::usage("input", "- is given twice; name it once"));
    }
    let mut found = Found { excluded: Excluded::new(&options.exclude)?, ..Found::default() };
    for input in inputs {
        if input == STANDARD_INPUT {
            found.sources.push(standard_input()?);
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
    found.warnings().iter().for_each(|warning| watch.warn(warning));
    found.guesses(options).iter().for_each(|warning| watch.warn(warning));
    tell_apart(&mut found.sources);
    Ok(found)
}

/// Finds the one file of a table, which is JSON Lines, CSV, TSV or Parquet by its ending. Standard
/// input, and a file with another ending, has the format `format`, or JSON Lines if that is no
/// format of tables. Text is in this encoding.
pub(crate) fn find_table(
    input: &str,
    format: Option<Format>,
    encoding: Option<Encoding>,
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
    let quote = Some(Quote::DOUBLE);
    let options = Options { format, encoding, quote, ..Options::default() };
    let mut sources = find(&[input.to_string()], &options, spool_folder, watch)?;
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
    let found = fs::metadata(path);
    if found.is_err() && is_address(input) {
        let problem = format!(
            "{input} is an address, and addresses are not read; download the files, and name them"
        );
        return Err(Error::usage("input", problem));
    }
    match found {
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

/// Returns true for an address such as `s3://…` or `https://…`.
fn is_address(input: &str) -> bool {
    input.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests;
