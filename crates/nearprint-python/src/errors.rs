//! The library's errors -> exceptions of `nearprint.errors`.

use nearprint::error::{Loss, Problem, Rejections};
use nearprint::message::Message;
use nearprint::{Error, Rejection};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::spelling::{Keywords, keyword};

/// The names of tables and columns in messages.
const IN_MEMORY: [&str; 7] = ["documents", "against", "column", "found", "truth", "left", "right"];

/// A rejection for Python: rows of tables and lists are counted from 0, those of files from 1.
pub(crate) fn counted_from_0(rejection: &Rejection) -> Rejection {
    let is_in_memory = IN_MEMORY.contains(&rejection.file.as_str());
    let row = rejection.row.map(|row| row - u64::from(is_in_memory));
    Rejection { row, ..rejection.clone() }
}

/// The messages about rows that were left out.
pub(crate) fn told(rejections: &Rejections) -> Vec<String> {
    rejections.iter().map(|rejection| spelled(&counted_from_0(rejection).message())).collect()
}

/// The loss of a run for Python, as [`counted_from_0`].
pub(crate) fn loss_from_0(loss: &Loss) -> Loss {
    let mut own = loss.clone();
    own.first = counted_from_0(&loss.first);
    own
}

/// The exception for an error; `KeyboardInterrupt` after Ctrl-C.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let error = &match error {
        Error::Rejected(rejection) => Error::Rejected(counted_from_0(rejection)),
        Error::TooManyRejected { rejections, loss, most } => Error::TooManyRejected {
            rejections: rejections.clone(),
            loss: Box::new(loss_from_0(loss)),
            most: *most,
        },
        _ => return of_error(py, error),
    };
    of_error(py, error)
}

fn of_error(py: Python<'_>, error: &Error) -> PyErr {
    let details = PyDict::new(py);
    let setting = || details.set_item("setting", error.subject().map(keyword));
    let (name, filled) = match error {
        Error::Usage { .. }
        | Error::Config { .. }
        | Error::OverMemory { .. }
        | Error::OutputTaken { .. }
        | Error::NoSuchField { .. }
        | Error::TooManyDocuments { .. }
        | Error::TooManyFingerprints { .. } => ("UsageError", setting()),
        Error::Io { path, source, .. } => {
            let errno = || details.set_item("errno", source.raw_os_error());
            ("FileError", details.set_item("file", path).and_then(|()| errno()))
        }
        Error::IndexTaken { folder } => ("TakenError", details.set_item("file", folder)),
        Error::Changed { path } | Error::Unusable { path, .. } => {
            ("FileError", details.set_item("file", path))
        }
        // Every row needs the column, so no run can skip the rejection.
        Error::Rejected(rejection) if rejection.row.is_none() => {
            return rejected_as_it_is(py, rejection);
        }
        Error::Rejected(rejection) => ("RejectedError", describe(&details, rejection)),
        Error::TooManyRejected { loss, .. } => ("RejectedError", describe(&details, &loss.first)),
        Error::Incompatible { path, .. } => ("IncompatibleError", details.set_item("file", path)),
        Error::Interrupted => return PyKeyboardInterrupt::new_err("interrupted"),
        _ => ("Error", Ok(())),
    };
    let class = || py.import("nearprint.errors")?.getattr(name);
    let made = filled.and_then(|()| class()?.call((spelled(&error.message()),), Some(&details)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A message with Python's spelling of settings.
pub(crate) fn spelled(message: &Message) -> String {
    message.spelled(&Keywords)
}

fn describe(details: &Bound<'_, PyDict>, rejection: &Rejection) -> PyResult<()> {
    details.set_item("file", &rejection.file)?;
    details.set_item("row", rejection.row)?;
    details.set_item("problem", rejection.problem.name())?;
    details.set_item("field", field(&rejection.problem))
}

/// The field of a problem.
pub(crate) fn field(problem: &Problem) -> Option<&str> {
    match problem {
        Problem::MissingField { field, .. }
        | Problem::NullField { field }
        | Problem::NullId { field }
        | Problem::EmptyList { field }
        | Problem::NoTokens { field, .. }
        | Problem::HasParts { field, .. }
        | Problem::RepeatedField { field }
        | Problem::WrongType { field, .. }
        | Problem::NoDate { field, .. } => Some(field),
        Problem::MissingColumn { column, .. } => Some(column),
        Problem::RepeatedColumn { columns } => columns.first().map(String::as_str),
        _ => None,
    }
}

/// The exception for a rejection that cannot be left out.
pub(crate) fn rejected(py: Python<'_>, rejection: &Rejection) -> PyErr {
    rejected_as_it_is(py, &counted_from_0(rejection))
}

fn rejected_as_it_is(py: Python<'_>, rejection: &Rejection) -> PyErr {
    let details = PyDict::new(py);
    let class = || py.import("nearprint.errors")?.getattr("RejectedError");
    let made = describe(&details, rejection);
    let made = made.and_then(|()| class()?.call((spelled(&rejection.message()),), Some(&details)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Results of the library -> results of Python.
pub(crate) trait OrException<T> {
    /// The value, or the exception for the error.
    fn or_exception(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrException<T> for Result<T, Error> {
    fn or_exception(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// An exception of nearprint with more words after its message. Others stay unchanged.
pub(crate) fn saying(py: Python<'_>, error: PyErr, more: &str) -> PyErr {
    let value = error.value(py);
    let class = py.import("nearprint.errors").and_then(|errors| errors.getattr("Error"));
    if class.is_ok_and(|class| value.is_instance(&class).unwrap_or(false)) {
        // It keeps its own message if this fails.
        let _ = value.setattr("args", (format!("{value}; {more}"),));
    }
    error
}

/// A `UsageError` about a setting or an argument.
pub(crate) fn usage(py: Python<'_>, setting: &str, problem: impl Into<Message>) -> PyErr {
    exception(py, &Error::usage(setting, problem))
}
