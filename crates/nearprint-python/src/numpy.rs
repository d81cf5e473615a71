//! Scalars of NumPy -> values of Python.

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyString};

/// A scalar of NumPy as the value of Python that it stands for; other values as they are. A moment
/// that Python cannot hold, as one of nanoseconds, is its ISO form.
pub(crate) fn plain(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_none()
    {
        return Ok(value);
    }
    let Ok(kind) = value.getattr("dtype").and_then(|of| of.getattr("kind")) else {
        return Ok(value);
    };
    if !value.getattr("ndim").is_ok_and(|ndim| ndim.extract::<u32>().is_ok_and(|ndim| ndim == 0)) {
        return Ok(value);
    }
    match kind.extract::<String>().as_deref() {
        Ok("b" | "i" | "u" | "f" | "U" | "S") => value.call_method0("item"),
        Ok("M") => {
            let item = value.call_method0("item")?;
            if !item.is_instance_of::<PyInt>() {
                return Ok(item);
            }
            let rounded = value.call_method1("astype", ("datetime64[us]",))?;
            let item = rounded.call_method0("item")?;
            match rounded.eq(&value)? && !item.is_instance_of::<PyInt>() {
                true => Ok(item),
                false => Ok(value.str()?.into_any()),
            }
        }
        _ => Ok(value),
    }
}
