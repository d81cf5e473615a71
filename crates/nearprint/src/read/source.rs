//! What the user named (files, folders, globs, standard input) -> the list of sources.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::format::of_name;
use super::{Compression, Format, Options};
use crate::error::Error;

/// How the user names standard input.
const STANDARD_INPUT: &str = "-";

/// One input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is; for standard input the file it was saved to.
    pub path: PathBuf,
    /// Its name in the output, parts separated by `/`: the file name, or the path below the folder it was found in.
    pub name: String,
    /// What the user called it, for messages.
    pub label: String,
    /// How it is divided into rows.
    pub format: Format,
    /// How it is compressed as a whole.
    pub compression: Compression,
    /// Its size on the disk when it was found.
    pub bytes: u64,
    /// When it was last changed, as of when it was found.
    pub modified: SystemTime,
}

/// Lists the input files in the order given, those of a folder or glob sorted by name.
///
/// A folder is searched to all depths for files with a known ending, hidden ones left out. A glob is one only where no
/// file has that very name. `-` is standard input; it is read to its end and saved in `spool_folder`, since the run reads
/// its input twice.
///
/// # Errors
/// [`Error::Usage`] where the list makes no sense (nothing found, unknown ending, one file or one name twice),
/// [`Error::Io`] where a file is missing or cannot be looked at.
pub fn find(inputs: &[String], options: &Options, spool_folder: &Path) -> Result<Vec<Source>, Error> {
    if options.text_fields.is_empty() {
        return Err(Error::usage("text-field", "no field is named; name at least one"));
    }
    let mut sources = Vec::new();
    for input in inputs {
        if input == STANDARD_INPUT {
            sources.push(spool(&mut io::stdin().lock(), options, spool_folder)?);
        } else {
            find_one(input, options, &mut sources)?;
        }
    }
    if sources.is_empty() {
        return Err(Error::usage("input", "no input; name files, folders, globs, or - for standard input"));
    }
    check_distinct(&sources)?;
    Ok(sources)
}

fn find_one(input: &str, options: &Options, sources: &mut Vec<Source>) -> Result<(), Error> {
    let path = Path::new(input);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => find_in_folder(path, options, sources),
        Ok(metadata) => {
            let name = path.file_name().map_or_else(|| input.to_string(), |name| name.to_string_lossy().into_owned());
            sources.push(file(path, name, &metadata, options)?);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && input.contains(['*', '?', '[']) => {
            find_by_glob(input, options, sources)
        }
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

fn find_by_glob(pattern: &str, options: &Options, sources: &mut Vec<Source>) -> Result<(), Error> {
    let before = sources.len();
    let rules = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let matches = glob::glob_with(pattern, rules)
        .map_err(|error| Error::usage("input", format!("{pattern}: no file has this name, and as a glob: {error}")))?;
    let mut found = false;
    for path in matches {
        let path = path.map_err(|error| Error::io("read", error.path().to_path_buf())(error.into()))?;
        found = true;
        let metadata = fs::metadata(&path).map_err(Error::io("read", &path))?;
        let name = file_name(&path);
        if metadata.is_file() && (options.format.is_some() || of_name(&name).0.is_some()) {
            sources.push(file(&path, name, &metadata, options)?);
        }
    }
    match (found, sources.len() > before) {
        (_, true) => Ok(()),
        (false, false) => Err(Error::usage("input", format!("{pattern} matches no file; check the path"))),
        (true, false) => Err(Error::usage(
            "input",
            format!("{pattern} matches no file whose ending tells its format; name the format with --format"),
        )),
    }
}

fn find_in_folder(folder: &Path, options: &Options, sources: &mut Vec<Source>) -> Result<(), Error> {
    let mut found = Vec::new();
    walk(folder, "", &mut found)?;
    if found.is_empty() {
        return Err(Error::usage(
            "input",
            format!(
                "{} holds no file that ends in .jsonl, .ndjson, .json, .parquet, .csv, .tsv, .txt or .text (.gz and .zst after it are fine); name other files one by one, with --format",
                folder.display()
            ),
        ));
    }
    found.sort();
    for (name, path) in found {
        let metadata = fs::metadata(&path).map_err(Error::io("read", &path))?;
        sources.push(file(&path, name, &metadata, options)?);
    }
    Ok(())
}

/// Collects the names, relative to the folder, and the paths of all files below it with a known ending. A name that is not
/// Unicode is shown as near as can be; the path leads to the file. Links to files are followed,
/// links to folders are not: they may lead in a circle.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let entry = entry.map_err(Error::io("read", folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(Error::io("read", &path))?;
        if kind.is_dir() {
            walk(&path, &format!("{prefix}{name}/"), found)?;
        } else if of_name(&name).0.is_some() && (kind.is_file() || path.is_file()) {
            found.push((format!("{prefix}{name}"), path));
        }
    }
    Ok(())
}

fn file(path: &Path, name: String, metadata: &Metadata, options: &Options) -> Result<Source, Error> {
    let label = path.display().to_string();
    if !metadata.is_file() {
        return Err(Error::usage(
            "input",
            format!("{label} is not a regular file and cannot be read twice; send it to standard input and name it -"),
        ));
    }
    let (by_name, compression) = of_name(&file_name(path));
    let format = options.format.or(by_name).ok_or_else(|| {
        Error::usage(
            "input",
            format!(
                "the ending of {label} does not tell its format; name it with --format, such as --format json-lines"
            ),
        )
    })?;
    if format == Format::Parquet && compression != Compression::None {
        let problem = format!("{label} is Parquet compressed as a whole; decompress it first");
        return Err(Error::usage("input", problem));
    }
    let modified = metadata.modified().map_err(Error::io("read", path))?;
    let (format, bytes) = (with_lines(format, options), metadata.len());
    Ok(Source { path: path.to_path_buf(), name, label, format, compression, bytes, modified })
}

fn with_lines(format: Format, options: &Options) -> Format {
    if format == Format::Text && options.lines { Format::Lines } else { format }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Saves standard input to a file. Its compression shows in its first bytes, there being no name.
fn spool(input: &mut dyn Read, options: &Options, folder: &Path) -> Result<Source, Error> {
    let unread = || Error::io("read", "standard input");
    let format = with_lines(options.format.unwrap_or(Format::JsonLines), options);
    let mut start = Vec::new();
    (&mut *input).take(4).read_to_end(&mut start).map_err(unread())?;
    let compression = if format == Format::Parquet { Compression::None } else { Compression::of_bytes(&start) };
    let name = format!("stdin.{}{}", format.ending(), compression.ending());
    let path = folder.join(&name);
    fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let mut file = File::create(&path).map_err(Error::io("create", &path))?;
    file.write_all(&start).map_err(Error::io("write", &path))?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => file.write_all(&buffer[..count]).map_err(Error::io("write", &path))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread()(error)),
        }
    }
    let metadata = file.metadata().map_err(Error::io("read", &path))?;
    let modified = metadata.modified().map_err(Error::io("read", &path))?;
    Ok(Source { path, name, label: STANDARD_INPUT.to_string(), format, compression, bytes: metadata.len(), modified })
}

fn check_distinct(sources: &[Source]) -> Result<(), Error> {
    let mut files: HashMap<PathBuf, &str> = HashMap::new();
    for source in sources {
        let path = fs::canonicalize(&source.path).map_err(Error::io("read", &source.path))?;
        if let Some(first) = files.insert(path, &source.label) {
            let problem = if first == source.label {
                format!("{first} is given twice; name it once")
            } else {
                format!("{first} and {} are one and the same file; name it once", source.label)
            };
            return Err(Error::usage("input", problem));
        }
    }
    let mut names: HashMap<&str, &str> = HashMap::new();
    for source in sources {
        if let Some(first) = names.insert(&source.name, &source.label) {
            return Err(Error::usage(
                "input",
                format!(
                    "{first} and {} would both be called {} in the output; name the folder that holds both instead",
                    source.label, source.name
                ),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    fn find_in(folder: &tempfile::TempDir, inputs: &[&str], options: &Options) -> Result<Vec<Source>, String> {
        let inputs: Vec<String> = inputs.iter().map(|input| format!("{}/{input}", folder.path().display())).collect();
        let root = format!("{}/", folder.path().display());
        find(&inputs, options, folder.path()).map_err(|error| error.to_string().replace(&root, ""))
    }

    fn names(sources: &[Source]) -> Vec<&str> {
        sources.iter().map(|source| source.name.as_str()).collect()
    }

    #[test]
    fn a_folder_is_searched_by_ending_and_sorted() {
        let folder =
            folder(&["d/z.jsonl", "d/b/a.csv.gz", "d/a.txt", "d/.hidden.jsonl", "d/.git/x.jsonl", "d/README.md"]);
        let sources = find_in(&folder, &["d"], &Options::default()).unwrap();
        assert_eq!(names(&sources), ["a.txt", "b/a.csv.gz", "z.jsonl"]);
        assert_eq!(sources[1].compression, Compression::Gzip);
        assert_eq!(sources[1].format, Format::Csv);
        assert_eq!(sources[1].label, folder.path().join("d/b/a.csv.gz").display().to_string());
        assert_eq!((sources[0].bytes, sources[0].format), (1, Format::Text));
        let lines = Options { lines: true, ..Options::default() };
        assert_eq!(find_in(&folder, &["d"], &lines).unwrap()[0].format, Format::Lines);
    }

    #[test]
    fn a_glob_is_one_only_where_no_file_has_the_name() {
        let folder = folder(&["a[1].jsonl", "a1.jsonl", "b2.jsonl", "b1.jsonl", "b.md", ".b3.jsonl"]);
        let find = |input: &str| find_in(&folder, &[input], &Options::default());
        assert_eq!(names(&find("a[1].jsonl").unwrap()), ["a[1].jsonl"]);
        assert_eq!(names(&find("b*").unwrap()), ["b1.jsonl", "b2.jsonl"]);
        assert_eq!(names(&find("*b*").unwrap()), ["b1.jsonl", "b2.jsonl"]);
        assert_eq!(find("c*").unwrap_err(), "input: c* matches no file; check the path");
        assert!(find("*.md").unwrap_err().contains("--format"));
    }

    #[test]
    fn usage_errors_name_the_file_and_the_remedy() {
        let folder = folder(&["a.md", "e/x.md", "f/a.jsonl", "g/a.jsonl", "h.parquet.gz"]);
        let error = |inputs: &[&str]| find_in(&folder, inputs, &Options::default()).unwrap_err();
        assert_eq!(
            error(&["a.md"]),
            "input: the ending of a.md does not tell its format; name it with --format, such as --format json-lines"
        );
        assert!(error(&["e"]).starts_with("input: e holds no file that ends in .jsonl"));
        assert_eq!(
            error(&["f/a.jsonl", "g"]),
            "input: f/a.jsonl and g/a.jsonl would both be called a.jsonl in the output; name the folder that holds both instead"
        );
        assert_eq!(error(&["f/a.jsonl", "f/a.jsonl"]), "input: f/a.jsonl is given twice; name it once");
        assert_eq!(
            error(&["f", "f/../f/a.jsonl"]),
            "input: f/a.jsonl and f/../f/a.jsonl are one and the same file; name it once"
        );
        assert!(error(&["missing.jsonl"]).starts_with("cannot read missing.jsonl: No such file"));
        assert!(error(&[]).starts_with("input: no input"));
        let parquet = Options { format: Some(Format::Parquet), ..Options::default() };
        assert!(find_in(&folder, &["h.parquet.gz"], &parquet).unwrap_err().contains("decompress it first"));
        let csv = Options { format: Some(Format::Csv), ..Options::default() };
        assert_eq!(find_in(&folder, &["a.md", "f/a.jsonl"], &csv).unwrap()[1].format, Format::Csv);
    }

    #[test]
    fn standard_input_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let source = spool(&mut &b"{\"text\":\"a\"}\n"[..], &Options::default(), folder.path()).unwrap();
        assert_eq!((source.name.as_str(), source.label.as_str(), source.bytes), ("stdin.jsonl", "-", 13));
        assert_eq!(fs::read(&source.path).unwrap(), b"{\"text\":\"a\"}\n");
        let csv = Options { format: Some(Format::Csv), ..Options::default() };
        let source = spool(&mut &b"\x1f\x8brest"[..], &csv, &folder.path().join("new")).unwrap();
        assert_eq!((source.name.as_str(), source.compression), ("stdin.csv.gz", Compression::Gzip));
        assert_eq!(spool(&mut io::empty(), &csv, folder.path()).unwrap().bytes, 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_unicode_still_leads_to_its_file() {
        let folder = folder(&[]);
        let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xd0\xc2\xce\xc5.jsonl");
        fs::write(folder.path().join(name), "x").unwrap();
        let inputs = [folder.path().display().to_string()];
        let sources = find(&inputs, &Options::default(), folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&sources[0].path).unwrap(), "x");
    }
}
