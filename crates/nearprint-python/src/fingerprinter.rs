//! Texts -> fingerprints, with settings that are checked once.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use nearprint::error::{Problem, Rejection};
use nearprint::recipe::fingerprint_all;
use nearprint::run::on_threads;
use nearprint::{Error, read};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::documents::texts;
use crate::errors::OrException;
use crate::fingerprint::Fingerprint;
use crate::fingerprints::Fingerprints;
use crate::settings::{Config, ConfigOrPath};
use crate::watching::watched;

/// Minimum size of a text to release Python's lock for its fingerprint.
const LONG: usize = 1 << 14;

/// Makes fingerprints of texts, as dedup does. Settings are those of dedup and checked once:
/// UsageError for invalid ones, and for weights that need the statistics of a corpus (`stats=`)
/// without any.
///
/// By default features are character n-grams, and the fingerprint is SimHash (Charikar 2002);
/// preset="paper" follows E-SimHash (Zhang Hang et al. 2020).
///
/// >>> fingerprinter = nr.Fingerprinter(bits=64)
/// >>> nr.hamming(fingerprinter.fingerprint("能力比学历重要"), fingerprinter.fingerprint("能力比學歷重要!"))
/// 0
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct Fingerprinter {
    config: Config,
    fingerprinter: nearprint::Fingerprinter,
    made: Arc<str>,
}

#[pymethods]
impl Fingerprinter {
    #[new]
    #[pyo3(signature = (*, config=None, **settings))]
    fn new(
        py: Python<'_>,
        config: Option<ConfigOrPath>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Fingerprinter> {
        let config = Config::of_layers(py, config, settings)?;
        let settings = config.settings();
        let fingerprinter = py.detach(|| settings.fingerprinter()).or_exception(py)?;
        let made = fingerprinter.recipe().identity().into();
        Ok(Fingerprinter { config, fingerprinter, made })
    }

    /// The settings.
    #[getter]
    fn config(&self) -> Config {
        self.config.clone()
    }

    /// The recipe of the fingerprints, in words; only fingerprints of equal recipes are comparable.
    #[getter]
    fn description(&self) -> &str {
        &self.made
    }

    /// The fingerprint of one text. UnicodeEncodeError for a text with a lone surrogate.
    fn fingerprint(&self, py: Python<'_>, text: &str) -> PyResult<Fingerprint> {
        let mut fingerprinter = self.fingerprinter.clone();
        // The fingerprint of a short text takes less time than releasing and taking the lock.
        let words = match text.len() < LONG {
            true => fingerprinter.fingerprint(text),
            false => py.detach(|| fingerprinter.fingerprint(text)),
        };
        Ok(Fingerprint::new(
            self.config.settings().fingerprint.bits,
            words,
            Some(self.made.clone()),
        ))
    }

    /// The fingerprints of a column of n texts, made on all threads without Python's lock; null for
    /// a null text.
    ///
    /// The column is of pandas, Polars, pyarrow or another library that exports Arrow, with strings
    /// or bytes of any type, which are not copied; or a list of strings. progress as in dedup.
    /// RejectedError, with the row, for values that are not texts.
    ///
    /// >>> column = nr.Fingerprinter(bits=64).fingerprints(["a text", None])
    /// >>> column[0] is None, column[1] is None
    /// (False, True)
    #[pyo3(signature = (column, *, progress=None))]
    fn fingerprints(
        &self,
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Fingerprints> {
        let columns = texts("column", column)?
            .into_iter()
            .map(|batch| batch.column(0).clone())
            .collect::<Vec<_>>();
        let views = py.detach(|| views(&columns)).or_exception(py)?;
        let starts: Vec<usize> = views
            .iter()
            .scan(0, |start, view| Some(std::mem::replace(start, *start + view.len())))
            .collect();
        let count = views.iter().map(|view| view.len()).sum();
        let text = |number: usize| {
            let part = starts.partition_point(|start| *start <= number) - 1;
            let (view, place) = (views[part].as_string_view(), number - starts[part]);
            if view.is_valid(place) { view.value(place) } else { "" }
        };
        let (fingerprinter, threads) = (&self.fingerprinter, self.config.settings().run.threads);
        let made = watched(py, progress, |watch| {
            on_threads(threads, || fingerprint_all(fingerprinter, count, text, watch)).flatten()
        })?;
        let valid = valid(&views);
        Ok(Fingerprints::new(made.or_exception(py)?, valid, Some(self.made.clone())))
    }

    fn __repr__(&self) -> String {
        format!("Fingerprinter({})", self.made)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Config,))> {
        Ok((py.get_type::<Fingerprinter>().getattr("_restore")?, (self.config.clone(),)))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, config: &Config) -> PyResult<Fingerprinter> {
        Fingerprinter::new(py, Some(ConfigOrPath::Config(config.clone())), None)
    }
}

/// Columns of texts as views, if all values are Unicode strings.
pub(crate) fn views(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, Error> {
    let mut row = 0;
    let mut all = Vec::with_capacity(columns.len());
    for column in columns {
        let rejection = |row: Option<u64>, problem| {
            Error::from(Rejection { file: "column".to_string(), row, problem })
        };
        let failed = |error: ArrowError| Error::usage("input", error.to_string());
        if !read::holds_texts(column.data_type()) {
            let found = format!("a column of type {}", column.data_type());
            let problem = Problem::WrongType {
                field: "text".to_string(),
                wanted: "a column of strings".into(),
                found,
            };
            return Err(rejection(None, problem));
        }
        let views = read::as_views(column).map_err(failed)?;
        if let Some(bytes) = views.as_binary_view_opt() {
            for (place, bytes) in bytes.iter().enumerate() {
                if let Some(Err(error)) = bytes.map(std::str::from_utf8) {
                    let problem = Problem::NotUtf8 { offset: error.valid_up_to() };
                    return Err(rejection(Some((row + place) as u64 + 1), problem));
                }
            }
        }
        all.push(cast(&views, &DataType::Utf8View).map_err(failed)?);
        row += column.len();
    }
    Ok(all)
}

/// The rows that are not null; `None` for all.
pub(crate) fn valid(views: &[ArrayRef]) -> Option<NullBuffer> {
    if views.iter().all(|view| view.null_count() == 0) {
        return None;
    }
    let is_valid =
        |view: &ArrayRef| (0..view.len()).map(|row| view.is_valid(row)).collect::<Vec<_>>();
    Some(NullBuffer::from(views.iter().flat_map(is_valid).collect::<Vec<_>>()))
}
