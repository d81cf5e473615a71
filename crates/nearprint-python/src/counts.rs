//! Arguments of Python that count something -> numbers; refused in the words of other arguments.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::usage;

/// Defines the functions that read these arguments, for `from_py_with`.
macro_rules! counts {
    ($($name:ident: $type:ty),+) => {$(
        pub(crate) fn $name(value: &Bound<'_, PyAny>) -> PyResult<$type> {
            value.extract::<$type>().map_err(|error| refused(stringify!($name), value, error))
        }
    )+};
}

counts!(bootstrap: u32, k: usize, n: usize, recall_sample: u32, seed: u64, top: usize, worst: usize);

/// The error of a value of the argument `name`.
fn refused(name: &str, value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    if !error.is_instance_of::<PyOverflowError>(py) {
        return error;
    }
    let problem = match value.lt(0) {
        Ok(true) => format!("{value} is below 0; give a number from 0 on"),
        _ => format!("{value} is too large; give a smaller number"),
    };
    usage(py, name, problem)
}
