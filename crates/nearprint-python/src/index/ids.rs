//! Ids of an index, from values of Python, and into a column.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use nearprint::document::Id;
use nearprint::read::{self, Source};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::errors::usage;
use crate::numpy::plain;
use crate::values::{column, is_missing, key};

/// An id: a string, an integer of any library, or the id by which [`Index::add`] calls another
/// value: `True` is `true`, 1.5 is `1.5`, `("a", 1)` is `["a", 1]`.
///
/// [`Index::add`]: nearprint::index::Index::add
pub(super) fn id_of(id: &Bound<'_, PyAny>) -> PyResult<Id> {
    let (py, id) = (id.py(), &key(plain(id.clone())?)?);
    if let Ok(text) = id.cast::<PyString>() {
        return Ok(Id::Text(text.to_str()?.to_string()));
    }
    if let Ok(scalar) = id.call_method0("as_py") {
        return id_of(&scalar);
    }
    let index = id.call_method0("__index__").ok().filter(|_| !id.is_instance_of::<PyBool>());
    let Some(integer) = index else {
        let kind =
            id.get_type().qualname().map_or_else(|_| "object".to_string(), |name| name.to_string());
        let wanted = "an id is a string, a number, a boolean, a date, a UUID or a tuple of these";
        return as_read(id).ok_or_else(|| PyTypeError::new_err(format!("{wanted}, not {kind}")));
    };
    let id = integer.extract().map(Id::Integer).or_else(|_| integer.extract().map(Id::Unsigned));
    id.map_err(|_| usage(py, "id", format!("{integer} does not fit 64 bits")))
}

/// The id of a document whose id is this value in a list of dicts; `None` if it can be none.
fn as_read(id: &Bound<'_, PyAny>) -> Option<Id> {
    let ids = column("ids", "id", [Ok(Some(id.clone()))].into_iter(), id.py()).ok()?;
    if is_missing(id) || ids.is_null(0) {
        return None;
    }
    let text: ArrayRef = Arc::new(StringArray::from(vec!["text"]));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", text)]).ok()?;
    let source = Source::in_memory("ids", vec![batch]);
    let document = read::read(&source, &read::Options::default()).ok()?.next()?.ok()?;
    Some(document.id)
}

/// Ids of an index as a column: of integers if all are, else of strings; without ids, of the type
/// of other ids.
pub(super) fn ids_column(ids: &[Option<&Id>], others: &ArrayRef) -> ArrayRef {
    let mut all = ids.iter().flatten();
    let is_empty = all.clone().next().is_none();
    if is_empty && others.data_type().is_integer()
        || !is_empty && all.clone().all(|id| matches!(id, Id::Integer(_)))
    {
        let integer =
            |id: &Option<&Id>| if let Some(Id::Integer(id)) = id { Some(*id) } else { None };
        return Arc::new(Int64Array::from_iter(ids.iter().map(integer)));
    }
    let unsigned = |id: &Id| match id {
        Id::Integer(id) => u64::try_from(*id).ok(),
        Id::Unsigned(id) => Some(*id),
        Id::Text(_) => None,
    };
    if !is_empty && all.all(|id| unsigned(id).is_some()) {
        return Arc::new(UInt64Array::from_iter(ids.iter().map(|id| id.and_then(unsigned))));
    }
    Arc::new(StringArray::from_iter(ids.iter().map(|id| id.map(ToString::to_string))))
}
