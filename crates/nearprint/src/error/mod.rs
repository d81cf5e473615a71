//! All errors and rejections, grouped by the remedy.
//!
//! [`Error`] stops a run. [`Rejection`] is one file or row that cannot be used. If `on-error` is
//! `fail` it becomes [`Error::Rejected`]; if it is `skip` it is one of the [`Rejections`] and the
//! run goes on. If they are more than `max-rejected` allows, the error is
//! [`Error::TooManyRejected`].
//!
//! Each has a [`Message`], which the command line and Python spell in their own ways.
//! [`Display`](fmt::Display) shows it with settings named as in TOML.

mod field_use;
mod guess;
mod hint;
mod in_words;
mod max_rejected;
mod names;
mod rejection;
mod rejections;
mod taken;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::message;
use crate::message::{Message, Setting, Verb};
use crate::size::Size;

pub use field_use::FieldUse;
pub(crate) use guess::distance;
pub use hint::Hint;
pub(crate) use hint::by_far_the_longest;
pub use max_rejected::MaxRejected;
pub(crate) use names::file_in_words;
pub use rejection::{Problem, Rejection};
pub use rejections::{Loss, Rejections};
pub use taken::Taken;

/// A problem that stops a run.
///
/// ```
/// use nearprint::{Config, Deduplicator, Error};
/// let error = Deduplicator::new(Config::default().bits(100)).unwrap_err();
/// assert!(matches!(&error, Error::Usage { setting, .. } if setting == "bits"));
/// assert_eq!((error.subject(), error.can_resume()), (Some("bits"), false));
/// assert_eq!(error.to_string(), "bits: 100 is not 32, 64, 128 or 256");
/// ```
#[non_exhaustive]
pub enum Error {
    /// A setting, or a combination of settings, that is not possible. Nothing was read. Remedy:
    /// change the setting.
    Usage {
        /// The name of the setting in TOML: `max-distance`.
        setting: String,
        /// The problem with it, and a remedy.
        problem: Message,
    },
    /// An invalid file of settings, or invalid TOML text. Remedy: change the file.
    Config {
        /// The file; `None` for text.
        file: Option<PathBuf>,
        /// The problem, with its line if it has one. It may have several lines.
        problem: Message,
    },
    /// The run needs more memory than it may take. Remedy: a larger bound, or less input.
    OverMemory {
        /// The number of documents read so far.
        documents: u64,
        /// The memory that the process has, or would have after its next step, in bytes.
        bytes: u64,
        /// The bound of the memory.
        most: Size,
        /// The limit of the container, if the bound comes from it.
        container: Option<Size>,
        /// True if the next step is the index of the documents that are searched for inside of
        /// others.
        for_index: bool,
    },
    /// The output folder, or the folder of the unfinished run beside it, is in use. Remedy: name
    /// another, or wait.
    OutputTaken {
        /// The folder.
        folder: PathBuf,
        /// The holder of the folder.
        by: Taken,
    },
    /// Another process wrote to an index during the whole wait. Remedy: try again later.
    IndexTaken {
        /// The folder of the index.
        folder: PathBuf,
    },
    /// No row has a field that a setting names. Remedy: name an existing field.
    NoSuchField {
        /// The use of the field.
        used_as: FieldUse,
        /// The field.
        field: String,
        /// The existing fields, as far as they are known.
        available: Vec<String>,
    },
    /// There are more documents than document numbers. Remedy: deduplicate them in several runs.
    TooManyDocuments {
        /// The largest possible number of documents.
        most: u64,
    },
    /// There are more fingerprints than numbers for them. Remedy: search them in several runs.
    TooManyFingerprints {
        /// The largest possible number of fingerprints.
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
    /// An input file whose bytes had changed when it was read for the output. Remedy: run again
    /// when no process writes to it.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file or row of the input that cannot be used.
    Rejected(Rejection),
    /// More of the input cannot be used than `max-rejected` allows. Remedy: mend the input, or
    /// raise the bound.
    TooManyRejected {
        /// The files and rows that cannot be used.
        rejections: Box<Rejections>,
        /// The loss of the input, or of the reference documents, in numbers.
        loss: Box<Loss>,
        /// The bound.
        most: MaxRejected,
    },
    /// A file of one text that cannot be used.
    Unusable {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: Problem,
    },
    /// A file that holds no documents (corpus statistics, pairs, clusters) and is damaged, of
    /// another version, made under other settings, or without a column that it needs.
    Incompatible {
        /// The file.
        path: PathBuf,
        /// The problem, and how to make a suitable file.
        problem: Message,
    },
    /// A corpus in memory that was read for another purpose, or by another recipe. Remedy: read it
    /// again.
    Unfit(Message),
    /// The user has stopped the run.
    Interrupted,
}

impl Error {
    /// A [`Error::Usage`] from its two parts.
    pub fn usage(setting: impl Into<String>, problem: impl Into<Message>) -> Error {
        Error::Usage { setting: setting.into(), problem: problem.into() }
    }

    /// Adds that the index of the documents to search for needs the memory; for `map_err`.
    pub(crate) fn for_index(self) -> Error {
        match self {
            Error::OverMemory { documents, bytes, most, container, .. } => {
                Error::OverMemory { documents, bytes, most, container, for_index: true }
            }
            other => other,
        }
    }

    /// The error of a setting that names a file or folder which cannot be used; for `map_err`.
    pub fn setting(
        setting: &'static str,
        path: impl AsRef<Path>,
    ) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().display().to_string();
        move |error| Error::usage(setting, message![path, ": ", error])
    }

    /// An I/O error with its path; for `map_err`.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { doing, path, source }
    }

    /// The error of a report of removed documents whose number of rows differs from the summary.
    pub(crate) fn lacks_rows(path: impl Into<PathBuf>, rows: u64, counted: u64) -> Error {
        let problem =
            format!("has {rows} rows, but summary.json counts {counted} removed documents; run ");
        Error::Incompatible { path: path.into(), problem: message![problem, Verb::Dedup, " again"] }
    }

    /// Moves an [`Error::Usage`] to another setting, where one function reads two settings; other
    /// errors stay unchanged.
    pub fn of_setting(self, setting: &'static str) -> Error {
        match self {
            Error::Usage { problem, .. } => Error::usage(setting, problem),
            error => error,
        }
    }

    /// The name in TOML of the setting to change, if the error concerns one.
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
            | Error::TooManyRejected { .. }
            | Error::Unusable { .. }
            | Error::Incompatible { .. }
            | Error::Unfit(_)
            | Error::Interrupted => None,
        }
    }

    /// Returns true if a run that ended with this error can go on after its last finished stage: it
    /// was stopped, or may find later what it lacked (a disk, memory, the place of its output).
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

    /// The problem and its remedy, in a form that each face spells.
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
            Error::OutputTaken { folder, by } => by.message(folder),
            Error::IndexTaken { folder } => {
                message![
                    "another process is writing to the index in ",
                    folder.display(),
                    "; try again when it ends"
                ]
            }
            Error::NoSuchField { used_as, field, available } => used_as.message(field, available),
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
            Error::TooManyRejected { loss, most, .. } => loss.too_much(*most),
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

/// The message of [`Display`](fmt::Display), so that a `main` which returns the error shows it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::Rejected(rejection) => Some(rejection),
            Error::TooManyRejected { loss, .. } => Some(&loss.first),
            _ => None,
        }
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        Error::Rejected(rejection)
    }
}

fn way_on(rejection: &Rejection) -> &'static str {
    if rejection.row.is_some() { "leave such rows out" } else { "go on without it" }
}

/// The words of a full disk where nothing can be written elsewhere. They have their remedy.
pub(crate) const FULL_IN_PLACE: &str = "no space left on the disk; free some space, and try again";

fn io_remedy(source: &io::Error) -> Message {
    let (output, tmp_dir) = (Setting::named("output"), Setting::named("tmp-dir"));
    match source.kind() {
        _ if source.to_string() == FULL_IN_PLACE => Message::default(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            message!["; free some space, or choose another place with ", output, " or ", tmp_dir]
        }
        io::ErrorKind::PermissionDenied => message!["; check the permissions"],
        _ => Message::default(),
    }
}
