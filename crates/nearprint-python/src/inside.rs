//! A field inside of Python's own objects -> its value, as the library finds it in JSON.

use nearprint::field::{alternatives, behind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::values::{is_missing, items};

/// The value of a path, or the values that it has in a list.
pub(crate) enum Found<'py> {
    One(Bound<'py, PyAny>),
    /// At least one value, or those of a field of which one alternative lies inside of another.
    Each(Vec<Bound<'py, PyAny>>),
}

impl<'py> Found<'py> {
    fn parts(&self) -> &[Bound<'py, PyAny>] {
        match self {
            Found::One(value) => std::slice::from_ref(value),
            Found::Each(values) => values,
        }
    }

    /// The value as that of one row. Of a list it is the one value that is not null, or its texts
    /// joined with a line feed. Several other values come as a list if the field `is_text`, which is
    /// refused later, and else as null.
    pub fn into_value(self, py: Python<'py>, is_text: bool) -> PyResult<Bound<'py, PyAny>> {
        let mut values = match self {
            Found::One(value) => return Ok(value),
            Found::Each(values) => values,
        };
        values.retain(|value| !is_missing(value));
        let are_texts = values.iter().all(|value| value.is_instance_of::<PyString>());
        Ok(match values.len() {
            0 => py.None().into_bound(py),
            1 => values.remove(0),
            _ if are_texts => PyString::new(py, "\n").call_method1("join", (values,))?,
            _ if is_text => PyList::new(py, values)?.into_any(),
            _ => py.None().into_bound(py),
        })
    }
}

/// The value of a path in an object with fields, with the number of objects and lists around it;
/// `None` if the object lacks it. The fewest count.
pub(crate) fn value_of<'py>(
    object: &Bound<'py, PyDict>,
    path: &str,
) -> PyResult<Option<(usize, Found<'py>)>> {
    if let Some(value) = object.get_item(path)? {
        return Ok(Some((0, Found::One(value))));
    }
    let mut least: Option<(usize, Found<'py>)> = None;
    for (key, value) in object.iter() {
        let Ok(key) = key.cast::<PyString>() else { continue };
        if let Some(rest) = behind(path, &key.to_string_lossy())
            && let Some((depth, found)) = value_behind(&value, rest)?
            && least.as_ref().is_none_or(|(least, _)| depth < *least)
        {
            least = Some((depth, found));
        }
    }
    Ok(least)
}

/// The value of the rest of a path behind a value, with the number of objects and lists around it.
pub(crate) fn value_behind<'py>(
    value: &Bound<'py, PyAny>,
    rest: &str,
) -> PyResult<Option<(usize, Found<'py>)>> {
    if let (Ok(object), Some(name)) = (value.cast::<PyDict>(), rest.strip_prefix('.')) {
        return Ok(value_of(object, name)?.map(|(depth, found)| (depth + 1, found)));
    }
    let mut found = Vec::new();
    values_in(value, rest.strip_prefix("[]").unwrap_or(rest), &mut found)?;
    Ok((!found.is_empty()).then_some((1, Found::Each(found))))
}

/// The values of a field of which one alternative lies inside of another; `None` if the object has
/// none of them. The outer one counts, and a list or a dict in it stands for the values that the
/// inner ones name.
pub(crate) fn nested<'py>(
    object: &Bound<'py, PyDict>,
    field: &str,
) -> PyResult<Option<Found<'py>>> {
    let names = alternatives(field);
    let found = |name: &String| Ok(value_of(object, name)?.map(|(_, found)| found));
    let found = names.iter().map(found).collect::<PyResult<Vec<_>>>()?;
    let has_value = |place: &usize| {
        found[*place].as_ref().is_some_and(|own| own.parts().iter().any(|part| !is_missing(part)))
    };
    let lies_in = |place: usize, outer: usize| behind(&names[place], &names[outer]).is_some();
    let is_empty = |part: &Bound<'py, PyAny>| {
        is_missing(part)
            || part.cast::<PyString>().is_ok_and(|text| text.is_empty().unwrap_or(false))
    };
    let is_full =
        |place: &usize| found[*place].as_ref().is_some_and(|own| !own.parts().iter().all(is_empty));
    let first = (0..names.len()).find(is_full).or_else(|| (0..names.len()).find(has_value));
    let Some(mut outer) = first else {
        return Ok(found.into_iter().flatten().next());
    };
    while let Some(around) = (0..names.len()).filter(has_value).find(|own| lies_in(outer, *own)) {
        outer = around;
    }
    let inner: Vec<&str> = names.iter().filter_map(|name| behind(name, &names[outer])).collect();
    let mut all = Vec::new();
    for part in found[outer].iter().flat_map(Found::parts) {
        let is_around = part.is_instance_of::<PyDict>() || elements(part).is_some();
        if inner.is_empty() || !is_around {
            all.push(part.clone());
            continue;
        }
        for rest in &inner {
            if let Some((_, found)) = value_behind(part, rest)? {
                all.extend(found.parts().iter().cloned());
                break;
            }
        }
    }
    Ok(Some(Found::Each(all)))
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
            let inside = value_of(object, name)?;
            found.extend(inside.iter().flat_map(|(_, found)| found.parts()).cloned());
        }
    }
    Ok(())
}

/// The elements of a list, a tuple, or an array of NumPy.
pub(crate) fn elements<'py>(list: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    items(list).or_else(|| items(&list.call_method0("tolist").ok()?))
}
