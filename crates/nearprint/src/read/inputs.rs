//! The names that the user gave (files, folders, globs, standard input) -> the list of sources.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::distinct::check_distinct;
use super::format::of_name;
use super::standard_input::{STANDARD_INPUT, spool};
use super::{Compression, Format, Options, Source, columns};
use crate::error::Error;
use crate::message;
use crate::message::Setting;
use crate::watch::Watch;

/// Lists the input files in the order of `inputs`, those of a folder or glob sorted by name.
///
/// A folder is searched to all depths for files with a known ending, hidden ones left out. A glob
/// is one only if no file has that very name. A file that is found and cannot be read (a folder
/// without permission, a link that leads nowhere) is a source as well: reading it reports the
/// problem. `-` is standard input. It is read to its end and saved in `spool_folder`, since the run
/// reads its input twice.
///
/// # Errors
/// [`Error::Usage`] where the list makes no sense (nothing found, unknown ending, one file or one
/// name twice), [`Error::Io`] where an input with a name of its own is missing or cannot be read,
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

/// The most names of left-out files that are listed.
const PASSED_OVER: usize = 10;

impl Found {
    /// Counts a file without a known ending.
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
    Ok(found)
}

/// The one file that holds a table: JSON Lines, CSV, TSV or Parquet by its ending. Standard input,
/// and a file whose ending is unknown or stands for plain text, has the format `format`, or JSON
/// Lines if that is no format of tables.
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

fn find_by_glob(pattern: &str, options: &Options, all: &mut Found) -> Result<(), Error> {
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

fn find_in_folder(folder: &Path, options: &Options, all: &mut Found) -> Result<(), Error> {
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

/// Collects the names, relative to the folder, and the paths of all files below it with a known
/// ending, and of folders that cannot be read. A name that is not Unicode is shown in its nearest
/// form; the path leads to the file. Links to files are followed, links to folders are not, since
/// they may lead in a circle. Other files are counted.
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

/// A source that cannot be read. Its format is text, so that opening it fails.
fn unreadable(path: &Path, name: String) -> Source {
    Source {
        path: path.to_path_buf(),
        name,
        label: path.display().to_string(),
        format: Format::Text,
        delimiter: None,
        compression: Compression::None,
        bytes: 0,
        modified: SystemTime::UNIX_EPOCH,
        memory: None,
    }
}

fn file(
    path: &Path,
    name: String,
    metadata: &Metadata,
    options: &Options,
) -> Result<Source, Error> {
    let label = path.display().to_string();
    if !metadata.is_file() {
        return Err(Error::usage(
            "input",
            format!(
                "{label} is not a regular file and cannot be read twice; pipe it to standard \
                 input, and name it -"
            ),
        ));
    }
    let (by_name, compression) = of_name(&file_name(path));
    let format = options.format_of(by_name).ok_or_else(|| {
        Error::usage(
            "input",
            message![
                "the format of ",
                &label,
                " is unknown; name it with ",
                Setting::named("format"),
                ", such as ",
                Setting::with("format", "json-lines")
            ],
        )
    })?;
    if format == Format::Parquet && compression != Compression::None {
        let problem = format!("{label} is a compressed Parquet file; decompress it first");
        return Err(Error::usage("input", problem));
    }
    if format == Format::Parquet {
        columns::check_readable(&label)?;
    }
    let modified = metadata.modified().map_err(Error::io("read", path))?;
    let bytes = metadata.len();
    let (path, delimiter) = (path.to_path_buf(), options.delimiter);
    Ok(Source { path, name, label, format, delimiter, compression, bytes, modified, memory: None })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Silent;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    fn find_in(
        folder: &tempfile::TempDir,
        inputs: &[&str],
        options: &Options,
    ) -> Result<Vec<Source>, String> {
        let inputs: Vec<String> =
            inputs.iter().map(|input| format!("{}/{input}", folder.path().display())).collect();
        let root = format!("{}/", folder.path().display());
        find(&inputs, options, folder.path(), &Silent)
            .map_err(|error| error.to_string().replace(&root, ""))
    }

    fn names(sources: &[Source]) -> Vec<&str> {
        sources.iter().map(|source| source.name.as_str()).collect()
    }

    #[test]
    fn a_folder_is_searched_by_ending_and_sorted() {
        let folder = folder(&[
            "d/z.jsonl",
            "d/b/a.csv.gz",
            "d/a.txt",
            "d/.hidden.jsonl",
            "d/.git/x.jsonl",
            "d/README.md",
        ]);
        let sources = find_in(&folder, &["d"], &Options::default()).unwrap();
        assert_eq!(names(&sources), ["a.txt", "b/a.csv.gz", "z.jsonl"]);
        assert_eq!(sources[1].compression, Compression::Gzip);
        assert_eq!(sources[1].format, Format::Csv);
        assert_eq!(sources[1].label, folder.path().join("d/b/a.csv.gz").display().to_string());
        assert_eq!((sources[0].bytes, sources[0].format), (1, Format::Text));
        let inputs = ["d", "d/*"].map(|input| folder.path().join(input).display().to_string());
        for input in inputs {
            let found = find_all(&[input], &Options::default(), folder.path(), &Silent).unwrap();
            assert_eq!(found.passed_over, 1);
        }
        let lines = Options { format: Some(Format::Lines), ..Options::default() };
        assert_eq!(find_in(&folder, &["d"], &lines).unwrap()[0].format, Format::Lines);
    }

    #[test]
    fn a_glob_is_one_only_where_no_file_has_the_name() {
        let folder =
            folder(&["a[1].jsonl", "a1.jsonl", "b2.jsonl", "b1.jsonl", "b.md", ".b3.jsonl"]);
        let find = |input: &str| find_in(&folder, &[input], &Options::default());
        assert_eq!(names(&find("a[1].jsonl").unwrap()), ["a[1].jsonl"]);
        assert_eq!(names(&find("b*").unwrap()), ["b1.jsonl", "b2.jsonl"]);
        assert_eq!(names(&find("*b*").unwrap()), ["b1.jsonl", "b2.jsonl"]);
        assert_eq!(find("c*").unwrap_err(), "input: c* matches no file; check the path");
        assert!(find("*.md").unwrap_err().contains("with format"));
    }

    #[test]
    fn usage_errors_name_the_file_and_the_remedy() {
        let folder = folder(&["a.md", "e/x.md", "f/a.jsonl", "g/a.jsonl", "h.parquet.gz"]);
        let error = |inputs: &[&str]| find_in(&folder, inputs, &Options::default()).unwrap_err();
        assert_eq!(
            error(&["a.md"]),
            "input: the format of a.md is unknown; name it with format, such as format = \
             \"json-lines\""
        );
        assert!(error(&["e"]).starts_with("input: e has no file that ends in .jsonl"));
        assert_eq!(
            error(&["f/a.jsonl", "g"]),
            "input: f/a.jsonl and g/a.jsonl would both have the name a.jsonl in the output; name \
             the folder that holds both instead"
        );
        assert_eq!(
            error(&["f/a.jsonl", "f/a.jsonl"]),
            "input: f/a.jsonl is given twice; name it once"
        );
        assert_eq!(
            error(&["f", "f/../f/a.jsonl"]),
            "input: f/a.jsonl and f/../f/a.jsonl are the same file; name it once"
        );
        assert!(error(&["missing.jsonl"]).starts_with("cannot read missing.jsonl: No such file"));
        assert!(error(&[]).starts_with("input: no input"));
        let parquet = Options { format: Some(Format::Parquet), ..Options::default() };
        assert!(
            find_in(&folder, &["h.parquet.gz"], &parquet)
                .unwrap_err()
                .contains("decompress it first")
        );
        let csv = Options { format: Some(Format::Csv), ..Options::default() };
        assert_eq!(find_in(&folder, &["a.md", "f/a.jsonl"], &csv).unwrap()[1].format, Format::Csv);
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_looked_at_is_a_source_that_fails_when_it_is_read() {
        let folder = folder(&["d/a.jsonl"]);
        std::os::unix::fs::symlink("nowhere", folder.path().join("d/b.jsonl")).unwrap();
        for input in ["d", "d/*.jsonl"] {
            let sources = find_in(&folder, &[input], &Options::default()).unwrap();
            assert_eq!(names(&sources), ["a.jsonl", "b.jsonl"]);
            let rejection = crate::read::read(&sources[1], &Options::default()).err().unwrap();
            assert_eq!((rejection.row, rejection.problem.name()), (None, "unreadable"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_unicode_still_leads_to_its_file() {
        let folder = folder(&[]);
        let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(
            b"\xd0\xc2\xce\xc5.jsonl",
        );
        fs::write(folder.path().join(name), "x").unwrap();
        let inputs = [folder.path().display().to_string()];
        let sources = find(&inputs, &Options::default(), folder.path(), &Silent).unwrap();
        assert_eq!(fs::read_to_string(&sources[0].path).unwrap(), "x");
    }
}
