//! The library's errors -> exceptions of `nearprint.errors`, in one table.

use nearprint::error::Problem;
use nearprint::{Config, Error, Rejection};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error. What the user's own Ctrl-C ended is a `KeyboardInterrupt`.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let details = PyDict::new(py);
    let mut message = error.to_string();
    let (name, filled) = match error {
        Error::Usage { setting, problem } => {
            let setting = keyword(setting);
            message = format!("{setting}: {problem}");
            ("UsageError", details.set_item("setting", setting))
        }
        Error::Io { path, source, .. } => {
            let errno = || details.set_item("errno", source.raw_os_error());
            ("FileError", details.set_item("file", path).and_then(|()| errno()))
        }
        // A column is of all rows, and no run goes on without it.
        Error::Rejected(rejection) if rejection.row.is_none() => return rejected(py, rejection),
        Error::Rejected(rejection) => ("RejectedError", describe(&details, rejection)),
        Error::Incompatible { path, .. } => ("IncompatibleError", details.set_item("file", path)),
        Error::Interrupted => return PyKeyboardInterrupt::new_err("interrupted"),
        _ => ("Error", Ok(())),
    };
    let class = || py.import("nearprint.errors")?.getattr(name);
    let made = filled.and_then(|()| class()?.call((in_python(&message),), Some(&details)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A setting as a keyword argument.
fn keyword(setting: &str) -> String {
    match setting {
        "text-field" => "text".to_string(),
        "id-field" => "id".to_string(),
        other => other.replace('-', "_"),
    }
}

/// A message with flags as keyword arguments: `on_error="skip"` for `--on-error skip`, `bits=` for `--bits`. Only a word of its own
/// that is a flag is one: names of columns and files, and ids, stay what they are.
pub(crate) fn in_python(message: &str) -> String {
    let message = message.replace("with --on-error skip", "with on_error=\"skip\"");
    let settings = Config::names();
    let is_flag = |name: &str| OF_EVALUATE.contains(&name) || settings.iter().any(|setting| setting == name);
    let mut words = message.split(' ').map(|word| {
        let flag = word.strip_prefix("--").unwrap_or_default();
        let name = flag.trim_end_matches([',', ';', ')', '.']);
        match is_flag(name) {
            true => format!("{}={}", keyword(name), &flag[name.len()..]),
            false => word.to_string(),
        }
    });
    let first = words.next().unwrap_or_default();
    words.fold(first, |text, word| text + " " + &word)
}

/// The arguments of `evaluate` that are no settings.
const OF_EVALUATE: [&str; 6] =
    ["left-field", "right-field", "cluster-field", "label-field", "documents", "judged-only"];

fn describe(details: &Bound<'_, PyDict>, rejection: &Rejection) -> PyResult<()> {
    details.set_item("file", &rejection.file)?;
    details.set_item("row", rejection.row)?;
    details.set_item("problem", rejection.problem.name())?;
    details.set_item("field", field(&rejection.problem))
}

/// The field that a problem is about.
pub(crate) fn field(problem: &Problem) -> Option<&str> {
    match problem {
        Problem::MissingField { field } | Problem::NullField { field } | Problem::WrongType { field, .. } => {
            Some(field)
        }
        Problem::MissingColumn { column, .. } => Some(column),
        Problem::RepeatedColumn { columns } => columns.first().map(String::as_str),
        _ => None,
    }
}

/// The exception for a rejection that cannot be left out.
pub(crate) fn rejected(py: Python<'_>, rejection: &Rejection) -> PyErr {
    let details = PyDict::new(py);
    let class = || py.import("nearprint.errors")?.getattr("RejectedError");
    let made = describe(&details, rejection);
    let made = made.and_then(|()| class()?.call((in_python(&rejection.to_string()),), Some(&details)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Turns results of the library into those of Python.
pub(crate) trait OrException<T> {
    /// The value, or the exception for the error.
    fn or_exception(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrException<T> for Result<T, Error> {
    fn or_exception(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// A `UsageError` about a setting or an argument.
pub(crate) fn usage(py: Python<'_>, setting: &str, problem: impl Into<String>) -> PyErr {
    exception(py, &Error::usage(setting, problem))
}
