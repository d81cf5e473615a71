//! One side of a run: documents in memory, or files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, Int64Array, StringArray};
use nearprint::corpus::Origins;
use nearprint::document::Id;
use nearprint::{Config, Error};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::documents::Documents;
use crate::errors::{exception, usage};
use crate::values::items;

/// One side of a run.
pub(crate) enum Side {
    Memory(Box<Documents>),
    Files(Files),
}

/// Files, folders and globs, or the folder of an index.
pub(crate) struct Files {
    names: Vec<String>,
    /// True if all ids of the run are integers of 64 bits with a sign.
    integer_ids: OnceLock<bool>,
}

impl Side {
    /// The side of an object: a path, a list of paths, or documents. The arguments are those of
    /// [`Documents::new`].
    pub fn new(
        name: &str,
        documents: &Bound<'_, PyAny>,
        settings: &Config,
        columns: &[String],
        with_ids: bool,
        names: Vec<String>,
    ) -> PyResult<Side> {
        if let Some(names) = paths(documents) {
            // A text is easily taken for a path.
            if let ([path], true) = (&names[..], documents.is_instance_of::<PyString>())
                && path != "-"
                && !path.contains(['*', '?', '['])
                && !Path::new(path).exists()
            {
                let source = io::Error::new(
                    io::ErrorKind::NotFound,
                    "there is no such file; a string is a path, and texts go in a list",
                );
                let error = Error::Io { doing: "read", path: PathBuf::from(path), source };
                return Err(exception(documents.py(), &error));
            }
            return Ok(Side::Files(Files { names, integer_ids: OnceLock::new() }));
        }
        let documents = Documents::new(name, documents, settings, columns, with_ids, names)?;
        Ok(Side::Memory(Box::new(documents)))
    }

    /// The documents for a run.
    pub fn documents(&self) -> nearprint::Documents {
        match self {
            Side::Memory(documents) => nearprint::Documents::new(vec![documents.source.clone()]),
            Side::Files(files) => nearprint::Documents::files(files.names.iter().cloned()),
        }
    }

    /// The names of files, as the user gave them.
    pub fn names(&self) -> &[String] {
        match self {
            Side::Memory(_) => &[],
            Side::Files(files) => &files.names,
        }
    }

    /// The documents in memory; UsageError for files, for which a user calls `instead`.
    pub fn in_memory(&self, py: Python<'_>, instead: &str) -> PyResult<&Documents> {
        match self {
            Side::Memory(documents) => Ok(documents),
            Side::Files(_) => Err(usage(py, "documents", format!("these are files; {instead}"))),
        }
    }

    /// The ids of documents of this side, in the type of their column; of files, integers if all
    /// ids of the run are integers, else strings.
    pub fn ids(
        &self,
        origins: &Origins,
        documents: impl Iterator<Item = u32>,
    ) -> Result<ArrayRef, Error> {
        let files = match self {
            Side::Files(files) => files,
            Side::Memory(own) => {
                return own.ids_of(documents.map(|document| origins.row(document) as usize - 1));
            }
        };
        let integer = |document: u32| match origins.id(document) {
            Id::Integer(id) => Some(id),
            _ => None,
        };
        let is_integer = |document: u32| integer(document).is_some();
        let all_integers = || (0..origins.len() as u32).all(is_integer);
        Ok(match files.integer_ids.get_or_init(all_integers) {
            true => Arc::new(Int64Array::from_iter(documents.map(integer))),
            false => {
                let ids = documents.map(|document| origins.id(document).to_string());
                Arc::new(StringArray::from_iter_values(ids))
            }
        })
    }
}

/// The path that a value is: a string, or an object for a path.
pub(crate) fn path(value: &Bound<'_, PyAny>) -> Option<String> {
    let is_path = value.is_instance_of::<PyString>() || is_object(value);
    is_path
        .then(|| value.extract::<PathBuf>().ok().map(|path| path.display().to_string()))
        .flatten()
}

fn is_object(value: &Bound<'_, PyAny>) -> bool {
    value.hasattr("__fspath__").unwrap_or(false)
}

/// The paths that a value gives: one, or a list of objects for paths. A list of strings has texts.
pub(crate) fn paths(value: &Bound<'_, PyAny>) -> Option<Vec<String>> {
    if let Some(path) = path(value) {
        return Some(vec![path]);
    }
    let items = items(value).filter(|items| !items.is_empty() && items.iter().all(is_object))?;
    items.iter().map(path).collect()
}
