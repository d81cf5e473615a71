//! Everything that can go wrong, sorted by what the user can do about it.
//!
//! [`Error`] stops a run. [`Rejection`] is one file or row that cannot be used: where `on-error` is
//! `fail` it becomes [`Error::Rejected`], where it is `skip` it is listed in `rejected.jsonl` and
//! the run goes on.
//!
//! Each has a [`Message`], which the command line and Python spell in their own ways.
//! [`Display`](fmt::Display) shows it with settings named as in TOML.

mod guess;
mod rejection;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::message;
use crate::message::{Message, Setting, Verb};
use crate::size::Size;

pub(crate) use guess::distance;
pub(crate) use rejection::by_far_the_longest;
pub use rejection::{Hint, Problem, Rejection};
use rejection::{guessed, some_of};

/// A problem that stops a run.
///
/// ```
/// use nearprint::{Config, Deduplicator, Error};
/// let error = Deduplicator::new(Config { bits: 100, ..Config::default() }).unwrap_err();
/// assert!(matches!(&error, Error::Usage { setting, .. } if setting == "bits"));
/// assert_eq!((error.subject(), error.can_resume()), (Some("bits"), false));
/// assert_eq!(error.to_string(), "bits: 100 is not 32, 64, 128 or 256");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting, or a combination of settings, that cannot be carried out. Nothing was read;
    /// change the setting.
    Usage {
        /// The setting as TOML spells it: `max-distance`.
        setting: String,
        /// The problem with it, and a remedy.
        problem: Message,
    },
    /// A file of settings, or TOML text, that holds none. Change the file.
    Config {
        /// The file; `None` for text.
        file: Option<PathBuf>,
        /// The problem, with the line where there is one. It may have several lines.
        problem: Message,
    },
    /// The run needs more memory than it may take. Give it more, or less to do.
    OverMemory {
        /// Documents read so far.
        documents: u64,
        /// Memory that the process has, or would have with its next step, in bytes.
        bytes: u64,
        /// The bound.
        most: Size,
        /// The limit of the container, where the bound comes from there.
        container: Option<Size>,
        /// Whether that step is the index of the documents that are looked for inside of others.
        for_index: bool,
    },
    /// The output folder, or the folder of the unfinished run beside it, is in use. Name another,
    /// or wait.
    OutputTaken {
        /// The folder.
        folder: PathBuf,
        /// By what.
        by: Taken,
    },
    /// Another process has been writing to an index all the time that one waits. Try again later.
    IndexTaken {
        /// The folder of the index.
        folder: PathBuf,
    },
    /// No row has a field that a setting names. Name one that is there.
    NoSuchField {
        /// The use that the setting has for it.
        used_as: FieldUse,
        /// The field.
        field: String,
        /// Fields that are there, as far as they are known.
        available: Vec<String>,
    },
    /// More documents than have numbers. Deduplicate them in several runs.
    TooManyDocuments {
        /// The most that there may be.
        most: u64,
    },
    /// More fingerprints than have numbers. Search them in several runs.
    TooManyFingerprints {
        /// The most that there may be.
        most: u64,
    },
    /// The operating system refused a file or folder (missing, no permission, disk full).
    Io {
        /// The action that failed: `read`, `write`, `create`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's own reason.
        source: io::Error,
    },
    /// An input file whose bytes were others when it was read to be written. Run again when nothing
    /// writes to it.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file or row of the input that cannot be used.
    Rejected(Rejection),
    /// A file of one text that cannot be used.
    Unusable {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: Problem,
    },
    /// A file that is no input of documents (corpus statistics, pairs, clusters) and is damaged, of
    /// another version, made under other settings, or without the columns it needs.
    Incompatible {
        /// The file.
        path: PathBuf,
        /// The difference, and how to make a file that fits.
        problem: Message,
    },
    /// A corpus in memory that was read for another purpose, or by another recipe, than it is used
    /// for. Read it again for that.
    Unfit(Message),
    /// The user asked to stop.
    Interrupted,
}

/// The use that a setting has for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldUse {
    /// It holds the ids of documents (`id-field`, `against-id-field`).
    Id {
        /// Whether it is the documents compared with that lack it.
        of_against: bool,
    },
    /// It ranks the documents (`keep`).
    Rank,
    /// It says which documents may be a pair.
    Guard {
        /// The setting that names it: `same` or `differ`.
        setting: &'static str,
        /// Whether it is the documents compared with that lack it.
        of_against: bool,
    },
    /// It tells the sources of a report apart (`source-field`).
    Source,
    /// It is a column of answers, which this setting names: `left-field`, `cluster-field`, …
    Answer(&'static str),
}

impl FieldUse {
    /// The setting that names the field.
    pub fn setting(self) -> &'static str {
        match self {
            FieldUse::Id { of_against: false } => "id-field",
            FieldUse::Id { of_against: true } => "against-id-field",
            FieldUse::Rank => "keep",
            FieldUse::Guard { setting, .. } => setting,
            FieldUse::Source => "source-field",
            FieldUse::Answer(setting) => setting,
        }
    }
}

/// The holder of an output folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Taken {
    /// An earlier run has made it.
    NotEmpty,
    /// It was there before the run, and no run has made it: the names in it. It is never replaced.
    NoOutput(Vec<String>),
    /// It is the output of an earlier run, and somebody has put these into it.
    Others(Vec<String>),
    /// It has appeared while the run was at work.
    Appeared,
    /// Another run is at work on it.
    AnotherRun,
    /// The folder of the unfinished run is there, and not one of ours.
    NotOurs,
}

impl Error {
    /// A [`Error::Usage`] from its two parts.
    pub fn usage(setting: impl Into<String>, problem: impl Into<Message>) -> Error {
        Error::Usage { setting: setting.into(), problem: problem.into() }
    }

    /// Says that memory lacks for the index of documents that are looked for; for `map_err`.
    pub(crate) fn for_index(self) -> Error {
        match self {
            Error::OverMemory { documents, bytes, most, container, .. } => {
                Error::OverMemory { documents, bytes, most, container, for_index: true }
            }
            other => other,
        }
    }

    /// A setting that names a file or folder which cannot be used; for `map_err`.
    pub fn setting(
        setting: &'static str,
        path: impl AsRef<Path>,
    ) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().display().to_string();
        move |error| Error::usage(setting, format!("{path}: {error}"))
    }

    /// Wraps an I/O error with the path it happened on; for `map_err`.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { doing, path, source }
    }

    /// Says that a report of removed documents has other than as many rows as the summary counts.
    pub(crate) fn lacks_rows(path: impl Into<PathBuf>, rows: u64, counted: u64) -> Error {
        let problem =
            format!("has {rows} rows, but summary.json counts {counted} removed documents; run ");
        Error::Incompatible { path: path.into(), problem: message![problem, Verb::Dedup, " again"] }
    }

    /// The same [`Error::Usage`] of another setting, where two settings are read by one function;
    /// other errors stay as they are.
    pub fn of_setting(self, setting: &'static str) -> Error {
        match self {
            Error::Usage { problem, .. } => Error::usage(setting, problem),
            error => error,
        }
    }

    /// The setting to change, as TOML spells it, where the error is about one.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Error::Usage { setting, .. } => Some(setting),
            Error::Config { .. } => Some("config"),
            Error::OverMemory { .. } => Some("memory"),
            Error::OutputTaken { .. } => Some("output"),
            Error::NoSuchField { used_as, .. } => Some(used_as.setting()),
            Error::TooManyDocuments { .. } | Error::TooManyFingerprints { .. } => Some("input"),
            Error::Io { .. }
            | Error::IndexTaken { .. }
            | Error::Changed { .. }
            | Error::Rejected(_)
            | Error::Unusable { .. }
            | Error::Incompatible { .. }
            | Error::Unfit(_)
            | Error::Interrupted => None,
        }
    }

    /// Whether a run that ended so can go on after its last finished stage: it was stopped, or what
    /// it lacked may be there the next time (a disk, memory, the place of its output).
    pub fn can_resume(&self) -> bool {
        match self {
            Error::Interrupted | Error::Io { .. } | Error::OverMemory { .. } => true,
            Error::OutputTaken { by, .. } => {
                matches!(
                    by,
                    Taken::NotEmpty | Taken::NoOutput(_) | Taken::Others(_) | Taken::Appeared
                )
            }
            _ => false,
        }
    }

    /// The problem and its remedy, for each face to spell.
    pub fn message(&self) -> Message {
        let message = match self {
            Error::Usage { problem, .. } => problem.clone(),
            Error::Config { file: Some(file), problem } => message![file.display(), ": ", problem],
            Error::Config { file: None, problem } => problem.clone(),
            Error::OverMemory { documents, bytes, most, container, for_index } => {
                let needed = Size(*bytes).in_unit_of(*most);
                let needed = match documents {
                    0 => format!("the run needs {needed} before the first document"),
                    documents => format!("{documents} documents need {needed}"),
                };
                let of = container
                    .map_or(String::new(), |container| format!(" of the container's {container}"));
                let limit = format!(", more than the limit of {most}{of}; raise the limit, or ");
                match for_index {
                    false => message![needed, limit, "deduplicate the input in several runs"],
                    true => message![
                        needed,
                        " with the index of ",
                        Setting::named("against"),
                        limit,
                        "do not search inside documents, with ",
                        Setting::with("min-leak-length", "off")
                    ],
                }
            }
            Error::OutputTaken { folder, by: Taken::NotEmpty } => {
                let force = Setting::named("force");
                message![
                    folder.display(),
                    " exists and is not empty; name another folder, or replace it with ",
                    force
                ]
            }
            Error::OutputTaken { folder, by: Taken::NoOutput(names) } => {
                let holds = format!(
                    "{} exists, holds {}, and is not an output folder of nearprint",
                    folder.display(),
                    some_of(names)
                );
                let force = Setting::named("force");
                let remedy = " does not replace it; name another folder, or remove it by hand";
                message![holds, ", so ", force, remedy]
            }
            Error::OutputTaken { folder, by: Taken::Others(names) } => {
                let holds = format!("{} holds {}", folder.display(), some_of(names));
                let force = Setting::named("force");
                message![
                    holds,
                    ", which no run wrote and ",
                    force,
                    " would delete; move it elsewhere, or name another folder"
                ]
            }
            Error::OutputTaken { folder, by: Taken::Appeared } => {
                message![folder.display(), " appeared during the run; name another folder"]
            }
            Error::OutputTaken { folder, by: Taken::AnotherRun } => {
                message!["another run is writing to ", folder.display(), "; wait until it ends"]
            }
            Error::OutputTaken { folder, by: Taken::NotOurs } => {
                message![
                    folder.display(),
                    " exists and is not an unfinished run of yours; move it away"
                ]
            }
            Error::IndexTaken { folder } => {
                message![
                    "another process is writing to the index in ",
                    folder.display(),
                    "; try again when it ends"
                ]
            }
            Error::NoSuchField { used_as, field, available } => {
                no_such_field(*used_as, field, available)
            }
            Error::TooManyDocuments { most } => {
                message!["more than ", *most, " documents; deduplicate them in several runs"]
            }
            Error::TooManyFingerprints { most } => {
                message!["more than ", *most, " fingerprints; search them in several runs"]
            }
            Error::Io { doing, path, source } => {
                message!["cannot ", *doing, " ", path.display(), ": ", source, io_remedy(source)]
            }
            Error::Changed { path } => {
                message![
                    path.display(),
                    " changed after it was first read; run again when nothing writes to it"
                ]
            }
            Error::Rejected(rejection) => {
                let skip = Setting::with("on-error", "skip");
                message![rejection.message(), "; or ", way_on(rejection), " with ", skip]
            }
            Error::Unusable { path, problem } => {
                message!["cannot use ", path.display(), ": ", problem.message()]
            }
            Error::Incompatible { path, problem } => message![path.display(), ": ", problem],
            Error::Unfit(problem) => {
                message!["the corpus does not fit: ", problem, "; read it again for this purpose"]
            }
            Error::Interrupted => message!["interrupted; no output was written"],
        };
        match self.subject() {
            Some(setting) => message.about(setting.to_string()),
            None => message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::Rejected(rejection) => Some(rejection),
            _ => None,
        }
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        Error::Rejected(rejection)
    }
}

fn no_such_field(used_as: FieldUse, field: &str, available: &[String]) -> Message {
    let there = guessed(field, available, None);
    let rows = |of_against: bool| match of_against {
        true => message!["no row of ", Setting::named("against")],
        false => message!["no row of the input"],
    };
    match used_as {
        FieldUse::Id { of_against } => {
            message![
                rows(of_against),
                " has a field \"",
                field,
                "\"",
                there,
                "; name the one that holds the id"
            ]
        }
        FieldUse::Rank => {
            message![
                "no row has a number or a string in a field \"",
                field,
                "\"",
                there,
                "; name another field"
            ]
        }
        FieldUse::Source => {
            message![
                rows(false),
                " has a value in a field \"",
                field,
                "\"",
                there,
                "; name another field"
            ]
        }
        FieldUse::Guard { of_against, .. } => {
            message![
                rows(of_against),
                " has a value in a field \"",
                field,
                "\"",
                there,
                "; name another field"
            ]
        }
        FieldUse::Answer(_) => message![
            "neither ",
            Setting::named("found"),
            " nor ",
            Setting::named("truth"),
            " has a column \"",
            field,
            "\"",
            there,
            "; name an existing column"
        ],
    }
}

fn way_on(rejection: &Rejection) -> &'static str {
    if rejection.row.is_some() { "leave such rows out" } else { "go on without it" }
}

fn io_remedy(source: &io::Error) -> Message {
    let (output, tmp_dir) = (Setting::named("output"), Setting::named("tmp-dir"));
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            message!["; free some space, or choose another place with ", output, " or ", tmp_dir]
        }
        io::ErrorKind::PermissionDenied => message!["; check the permissions"],
        _ => Message::default(),
    }
}
