//! Files, folders and globs that are found, and inputs that are refused.

use super::*;
use crate::read::Compression;
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
    // The bytes decide, whatever the name.
    assert_eq!(sources[1].compression, Compression::None);
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
    let folder = folder(&["a[1].jsonl", "a1.jsonl", "b2.jsonl", "b1.jsonl", "b.md", ".b3.jsonl"]);
    let find = |input: &str| find_in(&folder, &[input], &Options::default());
    assert_eq!(names(&find("a[1].jsonl").unwrap()), ["a[1].jsonl"]);
    assert_eq!(names(&find("b*").unwrap()), ["b1.jsonl", "b2.jsonl"]);
    assert_eq!(names(&find("*b*").unwrap()), ["b1.jsonl", "b2.jsonl"]);
    assert_eq!(find("c*").unwrap_err(), "input: c* matches no file; check the path");
    assert!(find("*.md").unwrap_err().contains("with format"));
}

#[test]
fn files_of_one_name_get_the_names_of_their_folders() {
    let folder = folder(&["f/a.jsonl", "f/b.jsonl", "g/a.jsonl", "h/c.jsonl"]);
    let find = |inputs: &[&str]| find_in(&folder, inputs, &Options::default()).unwrap();
    let expected = ["f/a.jsonl", "f/b.jsonl", "g/a.jsonl", "c.jsonl"];
    assert_eq!(names(&find(&["f", "g", "h"])), expected);
    assert_eq!(names(&find(&["f/*", "g/a.jsonl", "h/../h/c.jsonl"])), expected);
    assert_eq!(names(&find(&["*/*.jsonl"])), expected);
    assert_eq!(names(&find(&["f", "h"])), ["a.jsonl", "b.jsonl", "c.jsonl"]);
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
    assert_eq!(error(&["f/a.jsonl", "f/a.jsonl"]), "input: f/a.jsonl is given twice; name it once");
    assert_eq!(
        error(&["f", "f/../f/a.jsonl"]),
        "input: f/a.jsonl and f/../f/a.jsonl are the same file; name it once"
    );
    assert!(error(&["missing.jsonl"]).starts_with("cannot read missing.jsonl: No such file"));
    assert!(error(&[]).starts_with("input: no input"));
    let parquet = Options { format: Some(Format::Parquet), ..Options::default() };
    assert!(
        find_in(&folder, &["h.parquet.gz"], &parquet).unwrap_err().contains("decompress it first")
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
    let name =
        <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xd0\xc2\xce\xc5.jsonl");
    fs::write(folder.path().join(name), "x").unwrap();
    let inputs = [folder.path().display().to_string()];
    let sources = find(&inputs, &Options::default(), folder.path(), &Silent).unwrap();
    assert_eq!(fs::read_to_string(&sources[0].path).unwrap(), "x");
}
