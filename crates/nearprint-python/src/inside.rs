//! A field inside of Python's own objects -> its value, as the library finds it in JSON.

use nearprint::field::behind;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::values::{is_missing, items};

/// The value of a path in an object with fields; `None` if the object lacks it. The strings of a
/// list are joined with a line feed; a list with other values comes as it is.
pub(crate) fn value_of<'py>(
    object: &Bound<'py, PyDict>,
    path: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(value) = object.get_item(path)? {
        return Ok(Some(value));
    }
    for (key, value) in object.iter() {
        let Ok(key) = key.cast::<PyString>() else { continue };
        if let Some(rest) = behind(path, &key.to_string_lossy())
            && let Some(found) = value_behind(&value, rest)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The value of the rest of a path behind a value.
pub(crate) fn value_behind<'py>(
    value: &Bound<'py, PyAny>,
    rest: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let (Ok(object), Some(name)) = (value.cast::<PyDict>(), rest.strip_prefix('.')) {
        return value_of(object, name);
    }
    let mut found = Vec::new();
    values_in(value, rest.strip_prefix("[]").unwrap_or(rest), &mut found)?;
    if found.is_empty() {
        return Ok(None);
    }
    found.retain(|value| !is_missing(value));
    let are_texts = found.iter().all(|value| value.is_instance_of::<PyString>());
    Ok(Some(match (found.len(), are_texts) {
        (0, _) => value.py().None().into_bound(value.py()),
        (1, _) => found.remove(0),
        (_, true) => PyString::new(value.py(), "\n").call_method1("join", (found,))?,
        (_, false) => PyList::new(value.py(), found)?.into_any(),
    }))
}

/// Adds the values in the elements of a list. `rest` is the rest of the path behind the list.
fn values_in<'py>(
    list: &Bound<'py, PyAny>,
    rest: &str,
    found: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    for element in elements(list).unwrap_or_default() {
        if rest.is_empty() {
            found.push(element);
        } else if let Some(rest) = rest.strip_prefix("[]") {
            values_in(&element, rest, found)?;
        } else if let (Ok(object), Some(name)) = (element.cast::<PyDict>(), rest.strip_prefix('.'))
        {
            found.extend(value_of(object, name)?);
        }
    }
    Ok(())
}

/// The elements of a list, a tuple, or an array of NumPy.
pub(crate) fn elements<'py>(list: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    items(list).or_else(|| items(&list.call_method0("tolist").ok()?))
}
