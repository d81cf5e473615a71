//! All messages of the library, in its own spelling, in that of the command line and in that of
//! Python.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use nearprint::config::{OnError, Size};
use nearprint::error::{FieldUse, Hint, Problem, Taken};
use nearprint::estimate::Obstacle;
use nearprint::message::{Part, SETTINGS};
use nearprint::{Config, Error, Rejection};

use super::*;

/// The error of an input of which every row is rejected.
fn too_many() -> Error {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, "{}\n").unwrap();
    let skip = Config::default().on_error(OnError::Skip);
    let documents = nearprint::read::find(
        &[path.display().to_string()],
        &nearprint::read::Options::default(),
        folder.path(),
        &nearprint::Silent,
    );
    let documents = nearprint::Documents::new(documents.unwrap());
    nearprint::Deduplicator::new(skip).unwrap().run(documents, &nearprint::Silent).unwrap_err()
}

/// Every problem of a row or file, and every error with more than a setting and a sentence.
fn messages() -> Vec<Message> {
    let text = || "x".to_string();
    let field = || "body".to_string();
    let problems = vec![
        Problem::MissingField {
            field: field(),
            setting: "text-field".into(),
            available: ["a".to_string()].into(),
            hint: None,
        },
        Problem::NullField { field: field() },
        Problem::EmptyList { field: field() },
        Problem::NoTokens { field: field(), found: "null".into() },
        Problem::WrongType {
            field: field(),
            wanted: "a string".into(),
            found: "a number".to_string(),
        },
        Problem::HasParts {
            field: field(),
            setting: "text-field".into(),
            parts: ["body[].text".to_string()].into(),
        },
        Problem::MissingColumn {
            column: field(),
            setting: "against-id-field".into(),
            available: ["a".to_string(), "b".to_string()].into(),
            hint: Some(Box::new(Hint::Longest("b".to_string()))),
        },
        Problem::MissingColumn {
            column: field(),
            setting: "text-field".into(),
            available: ["a;b".to_string()].into(),
            hint: Some(Box::new(Hint::Delimiter {
                delimiter: ";".to_string(),
                available: vec!["a".to_string()],
            })),
        },
        Problem::MissingColumn {
            column: field(),
            setting: "text-field".into(),
            available: ["1".to_string()].into(),
            hint: Some(Box::new(Hint::Header("column1".to_string()))),
        },
        Problem::JsonArray,
        Problem::RepeatedColumn { columns: vec![field()] },
        Problem::RepeatedField { field: field() },
        Problem::NotJson { column: 7, reason: text() },
        Problem::NoDate { field: field(), found: text() },
        Problem::Undated { field: field(), value: text() },
        Problem::NotUtf8 { offset: 3 },
        Problem::OtherEncoding { likely: text() },
        Problem::NotEncoded { encoding: text() },
        Problem::NotEncodable { encoding: text() },
        Problem::NotText { found: "a zip archive".into(), remedy: "unpack it first".into() },
        Problem::ParquetAsText,
        Problem::NulByte { offset: 0 },
        Problem::TooLong { limit: 100 },
        Problem::Truncated { reason: text() },
        Problem::Damaged { reason: text() },
        Problem::BadQuote { is_open: true, lines: 2 },
        Problem::EmptyFile,
        Problem::Unreadable { reason: text() },
        Problem::Contradiction { pair: "1 and 2".to_string(), first: text() },
        Problem::DuplicateId {
            id: "1".to_string(),
            first: text(),
            setting: Some("against-id-field".into()),
        },
    ];
    let file = || PathBuf::from("file");
    let io = |kind| Error::io("write", "file")(IoError::from(kind));
    let rejected = |row| Error::from(Rejection { file: text(), row, problem: Problem::EmptyFile });
    let no_field =
        |used_as| Error::NoSuchField { used_as, field: field(), available: vec!["a".to_string()] };
    let errors = [
        Error::usage("max-distance", "is too large"),
        Error::Config { file: Some(file()), problem: "line 3".into() },
        Error::OverMemory {
            documents: 3,
            bytes: 5_000_000,
            most: "4M".parse().unwrap(),
            container: None,
            for_index: false,
        },
        Error::OverMemory {
            documents: 2,
            bytes: 5_000_000,
            most: "4M".parse().unwrap(),
            container: None,
            for_index: true,
        },
        Error::OverMemory {
            documents: 0,
            bytes: 5_000_000,
            most: Size(3 << 20),
            container: Some(Size(4 << 20)),
            for_index: false,
        },
        Error::OutputTaken { folder: file(), by: Taken::NotEmpty },
        Error::OutputTaken { folder: file(), by: Taken::NoOutput(vec!["notes".to_string()]) },
        Error::OutputTaken { folder: file(), by: Taken::Appeared },
        Error::OutputTaken { folder: file(), by: Taken::AnotherRun },
        Error::OutputTaken { folder: file(), by: Taken::NotOurs },
        no_field(FieldUse::Id { of_against: true }),
        no_field(FieldUse::Text { of_against: true }),
        no_field(FieldUse::Rank),
        no_field(FieldUse::Guard { setting: "same", of_against: true }),
        no_field(FieldUse::Stored("date-field")),
        no_field(FieldUse::Stored("store-field")),
        no_field(FieldUse::Source),
        no_field(FieldUse::Shown),
        no_field(FieldUse::Answer("left-field")),
        Error::TooManyDocuments { most: 9 },
        Error::TooManyFingerprints { most: 9 },
        io(ErrorKind::StorageFull),
        io(ErrorKind::PermissionDenied),
        io(ErrorKind::NotFound),
        Error::Changed { path: file() },
        rejected(Some(1)),
        rejected(None),
        too_many(),
        Error::Unusable { path: file(), problem: Problem::TooLong { limit: 5 } },
        Error::Incompatible { path: file(), problem: "made otherwise".into() },
        Error::Unfit("it was read for fingerprints".into()),
        Error::Interrupted,
    ];
    let obstacles = [Obstacle::Distance, Obstacle::Sample, Obstacle::Cost].map(Obstacle::message);
    problems
        .iter()
        .map(Problem::message)
        .chain(errors.iter().map(Error::message))
        .chain(obstacles)
        .collect()
}

fn in_python(message: &Message) -> String {
    message.spelled(&keywords::Keywords)
}

#[test]
fn each_face_spells_what_the_library_leaves_open() {
    for message in messages() {
        let (neutral, flags, python) =
            (message.to_string(), spelled(&message), in_python(&message));
        assert!(!neutral.contains("--") && !neutral.contains("=\""), "{neutral}");
        let mut settings = 0;
        for part in message.parts() {
            if let Part::Setting(setting) = part {
                settings += usize::from(
                    !POSITIONAL.iter().any(|(argument, _)| *argument == setting.name()),
                );
                let (flag, keyword) = (flag(setting.name()), keywords::keyword(setting.name()));
                assert!(flags.contains(&flag), "{flags}");
                assert!(
                    python.contains(&format!("{keyword}=")) || python.contains(&keyword),
                    "{python}"
                );
            }
        }
        // A word between two dashes, or before an equals sign, must be a setting.
        let is_subject = matches!(message.parts()[0], Part::Subject(_)) && flags.starts_with("--");
        assert_eq!(flags.matches("--").count(), settings + usize::from(is_subject), "{flags}");
        assert!(!python.contains("--") && python.matches('=').count() <= settings, "{python}");
    }
}

#[test]
fn spellings_are_those_of_the_faces() {
    let missing = Error::from(Rejection {
        file: "a.jsonl".to_string(),
        row: Some(2),
        problem: Problem::MissingField {
            field: "body".to_string(),
            setting: "text-field".into(),
            available: [].into(),
            hint: None,
        },
    });
    let full = Error::io("write", "out")(IoError::new(ErrorKind::StorageFull, "full"));
    let bits = Error::usage(
        "bits",
        nearprint::message!["give ", Setting::with("bits", 128u32), "; see ", Verb::Tune],
    );
    for (error, neutral, flags, python) in [
        (
            missing,
            "a.jsonl, row 2: no field \"body\"; name the right one with text-field; or leave such \
             rows out with on-error = \"skip\"",
            "a.jsonl, row 2: no field \"body\"; name the right one with --text-field; or leave \
             such rows out with --on-error skip",
            "a.jsonl, row 2: no field \"body\"; name the right one with text=; or leave such rows \
             out with on_error=\"skip\"",
        ),
        (
            full,
            "cannot write out: full; free some space, or choose another place with output or \
             tmp-dir",
            "cannot write out: full; free some space, or choose another place with --output or \
             --tmp-dir",
            "cannot write out: full; free some space, or choose another place with output or \
             tmp_dir=",
        ),
        (
            bits,
            "bits: give bits = 128; see the verb tune",
            "--bits: give --bits 128; see nearprint tune",
            "bits: give bits=128; see nearprint.tune",
        ),
    ] {
        assert_eq!(error.to_string(), neutral);
        assert_eq!(spelled(&error.message()), flags);
        assert_eq!(in_python(&error.message()), python);
    }
}

/// For each error: true if the run can be resumed, and the exit code.
#[test]
fn errors_say_whether_a_run_can_go_on_and_with_which_code_it_ends() {
    let taken = |by| Error::OutputTaken { folder: "out".into(), by };
    for (error, can_resume, code) in [
        (Error::usage("bits", "x"), false, 2),
        (
            Error::OverMemory {
                documents: 1,
                bytes: 1,
                most: Size(1),
                container: None,
                for_index: false,
            },
            true,
            1,
        ),
        (taken(Taken::NotEmpty), true, 2),
        (taken(Taken::NoOutput(vec![])), true, 2),
        (taken(Taken::Appeared), true, 2),
        (taken(Taken::AnotherRun), false, 2),
        (taken(Taken::NotOurs), false, 2),
        (Error::IndexTaken { folder: "seen".into() }, false, 1),
        (Error::TooManyDocuments { most: 1 }, false, 2),
        (
            Error::NoSuchField {
                used_as: FieldUse::Rank,
                field: "x".to_string(),
                available: vec![],
            },
            false,
            2,
        ),
        (Error::Config { file: None, problem: "x".into() }, false, 2),
        (Error::io("read", "x")(IoError::from(ErrorKind::NotFound)), true, 1),
        (Error::Unusable { path: "x".into(), problem: Problem::EmptyFile }, false, 1),
        (Error::Incompatible { path: "x".into(), problem: "x".into() }, false, 1),
        (Error::Changed { path: "x".into() }, false, 1),
        (too_many(), false, 1),
        (Error::Interrupted, true, 130),
    ] {
        assert_eq!((error.can_resume(), crate::exit_code(&error)), (can_resume, code), "{error}");
    }
}

/// The code of the library without comments and tests, file by file.
fn library() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../nearprint/src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().lines();
                let code = code
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .collect::<Vec<_>>()
                    .join("\n");
                files.push((path, code));
            }
        }
    }
    assert!(files.len() > 100, "{}", files.len());
    files
}

/// The string literal at the beginning of this code, if there is one.
fn string_at(code: &str) -> Option<&str> {
    code.trim_start().strip_prefix('"')?.split('"').next()
}

/// Every setting that the library's messages speak of.
fn spoken_of() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, code) in library() {
        for before in [
            "Setting::named(",
            "Setting::with(",
            "Error::usage(",
            "Error::setting(",
            "setting: ",
            ".of_setting(",
        ] {
            let found = code
                .match_indices(before)
                .filter_map(|(at, _)| string_at(&code[at + before.len()..]));
            names.extend(found.map(str::to_string));
        }
        for (at, _) in code.match_indices("].map(Setting::named)") {
            let list = &code[code[..at].rfind('[').unwrap()..at];
            names.extend(list.split('"').skip(1).step_by(2).map(str::to_string));
        }
    }
    names
}

#[test]
fn every_setting_that_messages_speak_of_is_one_of_both_faces() {
    let mut flags = BTreeSet::new();
    let mut commands = vec![crate::Arguments::command()];
    while let Some(command) = commands.pop() {
        flags
            .extend(command.get_arguments().filter_map(|flag| flag.get_long()).map(str::to_string));
        commands.extend(command.get_subcommands().cloned());
    }
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nearprint-python/python/nearprint");
    let python = ["deduplication.py", "evaluation.py", "index.py", "passages.py"]
        .map(|file| fs::read_to_string(python.join(file)).unwrap())
        .concat();
    let (settings, names) = (Config::names(), spoken_of());
    assert!(
        names.len() > 25 && names.contains("text-field") && names.contains("judged-only"),
        "{names:?}"
    );
    for name in names {
        let known = settings.contains(&&*name) || SETTINGS.contains(&&*name);
        assert!(known, "{name} is in no list of settings");
        assert!(
            flags.contains(&name) || POSITIONAL.iter().any(|(argument, _)| *argument == name),
            "there is no flag --{name}"
        );
        let keyword = keywords::keyword(&name);
        let in_python = settings.contains(&&*name) || python.contains(&format!("    {keyword}: "));
        let elsewhere = keywords::ELSEWHERE.contains(&&*name);
        assert!(in_python || elsewhere, "there is no argument {keyword}");
    }
}

#[test]
fn the_library_spells_no_flag() {
    for (path, code) in library() {
        for string in code.split('"').skip(1).step_by(2) {
            let flag = string
                .match_indices("--")
                .any(|(at, _)| string[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()));
            assert!(
                !flag && !string.contains("nearprint stats") && !string.contains("nearprint tune"),
                "{}: {string}",
                path.display()
            );
        }
    }
}
