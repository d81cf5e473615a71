//! Two columns of texts -> the verdict on the two texts of each row; a column of texts -> the tokens
//! of each.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, ListArray, RecordBatch, StringArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use nearprint::Error;
use nearprint::compare::Pairs;
use nearprint::run::on_threads;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyArray;
use rayon::prelude::*;

use crate::documents::texts;
use crate::errors::{OrException, usage};
use crate::fingerprinter::{valid, views};
use crate::settings::{Config, ConfigOrPath};
use crate::tables::table;

/// A column of texts in chunks, as views.
struct Texts {
    views: Vec<ArrayRef>,
    /// The row with which each chunk begins.
    starts: Vec<usize>,
    len: usize,
}

impl Texts {
    fn new(py: Python<'_>, name: &str, column: &Bound<'_, PyAny>) -> PyResult<Texts> {
        let batches = texts(name, column)?;
        let columns: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(0).clone()).collect();
        let views = py.detach(|| views(&columns)).or_exception(py)?;
        let (mut starts, mut len) = (Vec::new(), 0);
        for view in &views {
            starts.push(len);
            len += view.len();
        }
        Ok(Texts { views, starts, len })
    }

    fn get(&self, row: usize) -> Option<&str> {
        let part = self.starts.partition_point(|start| *start <= row) - 1;
        let (view, place) = (self.views[part].as_string_view(), row - self.starts[part]);
        view.is_valid(place).then(|| view.value(place))
    }
}

/// The verdicts on the texts of each row of two columns, or of these pairs of rows: similarity,
/// verdict. Null if one of the two is null.
#[pyfunction]
#[pyo3(signature = (left, right, config, settings, rows=None))]
pub(crate) fn pairwise<'py>(
    py: Python<'py>,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
    config: Option<ConfigOrPath>,
    settings: &Bound<'py, PyDict>,
    rows: Option<Vec<(usize, usize)>>,
) -> PyResult<Bound<'py, PyAny>> {
    let config = Config::of_layers(py, config, Some(settings))?.settings().clone();
    let (left, right) = (Texts::new(py, "left", left)?, Texts::new(py, "right", right)?);
    if rows.is_none() && left.len != right.len {
        let problem = format!("{} and {} texts cannot be compared row by row", left.len, right.len);
        return Err(usage(py, "right", problem));
    }
    let rows = rows.unwrap_or_else(|| (0..left.len).map(|row| (row, row)).collect());
    if rows.iter().any(|(one, other)| *one >= left.len || *other >= right.len) {
        let problem = format!(
            "{} and {} texts are fewer than the queries and the fingerprints; give one for each",
            left.len, right.len
        );
        return Err(usage(py, "texts", problem));
    }
    let batch = py.detach(|| {
        let pairs = Pairs::new(&config)?;
        let verdict = |(one, other): &(usize, usize)| {
            Some(pairs.verdict(left.get(*one)?, right.get(*other)?))
        };
        let verdicts: Vec<_> =
            on_threads(config.run.threads, || rows.par_iter().map(verdict).collect())?;
        let similarities = verdicts.iter().map(|own| {
            own.as_ref().map(|verdict| nearprint::shares::rounded_down(verdict.similarity))
        });
        let names = verdicts.iter().map(|own| own.as_ref().map(|verdict| verdict.name()));
        let columns: [(&str, ArrayRef); 2] = [
            ("similarity", Arc::new(Float64Array::from_iter(similarities))),
            ("verdict", Arc::new(StringArray::from_iter(names))),
        ];
        RecordBatch::try_from_iter(columns)
            .map_err(|error| Error::usage("input", error.to_string()))
    });
    table(py, batch.or_exception(py)?)
}

/// The tokens of each text of a column, as [`segment`](crate::answers::segment): lists of strings,
/// null for a null text.
#[pyfunction]
#[pyo3(signature = (column, config, settings))]
pub(crate) fn segments<'py>(
    py: Python<'py>,
    column: &Bound<'py, PyAny>,
    config: Option<ConfigOrPath>,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let words = Config::about_words(py, config, Some(settings))?;
    let texts = Texts::new(py, "column", column)?;
    let list = py.detach(|| {
        let recipe = words.recipe()?;
        let tokens = |row: usize| texts.get(row).map_or_else(Vec::new, |text| recipe.tokens(text));
        let all: Vec<Vec<String>> =
            on_threads(words.run.threads, || (0..texts.len).into_par_iter().map(tokens).collect())?;
        let tokens = StringArray::from_iter(all.iter().flatten().map(Some));
        let offsets = OffsetBuffer::from_lengths(all.iter().map(Vec::len));
        let item = Arc::new(Field::new("item", DataType::Utf8, true));
        ListArray::try_new(item, offsets, Arc::new(tokens), valid(&texts.views))
            .map_err(|error| Error::usage("input", error.to_string()))
    });
    PyArray::from_array_ref(Arc::new(list.or_exception(py)?)).into_arro3(py)
}
