//! Texts -> fingerprints, under settings that are checked once.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::compute::{cast, concat};
use arrow::datatypes::DataType;
use nearprint::error::{Problem, Rejection};
use nearprint::{Error, Pipeline};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::documents::texts;
use crate::errors::OrException;
use crate::fingerprints::{Fingerprint, Fingerprints};
use crate::settings::{Config, ConfigOrPath};
use crate::watching::watched;

/// Makes fingerprints of texts, as dedup does. Settings are those of dedup and checked once: UsageError for one that cannot be carried
/// out, and where weights need the statistics of a corpus and there are none (`stats=`).
///
/// Grams of letters by default; SimHash (Charikar 2002), or E-SimHash (Zhang Hang et al. 2020) with preset="paper".
///
/// >>> fingerprinter = nr.Fingerprinter(bits=64)
/// >>> nr.hamming(fingerprinter.fingerprint("能力比学历重要"), fingerprinter.fingerprint("能力比學歷重要!"))
/// 0
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct Fingerprinter {
    config: Config,
    pipeline: Box<Pipeline>,
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
        let pipeline = Box::new(config.pipeline(py)?);
        pipeline.fingerprinter().map(drop).or_exception(py)?;
        let made = pipeline.fingerprint_description().into();
        Ok(Fingerprinter { config, pipeline, made })
    }

    /// The settings.
    #[getter]
    fn config(&self) -> Config {
        self.config.clone()
    }

    /// How fingerprints are made, in words: two may be compared where this is equal.
    #[getter]
    fn description(&self) -> &str {
        &self.made
    }

    /// The fingerprint of one text. UnicodeEncodeError for a text with a lone surrogate.
    fn fingerprint(&self, py: Python<'_>, text: &str) -> PyResult<Fingerprint> {
        let words = self.pipeline.fingerprinter().or_exception(py)?.fingerprint(text);
        Ok(Fingerprint::new(self.pipeline.config().bits, words, Some(self.made.clone())))
    }

    /// The fingerprints of a column of n texts, made on all threads without Python's lock; null where the text is.
    ///
    /// The column: of pandas, Polars, pyarrow or whatever exports Arrow, strings or bytes of any kind, which are not copied; or a list
    /// of strings. progress as in dedup. RejectedError, with the row, for what is no text.
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
        let columns = texts("column", column)?.into_iter().map(|batch| batch.column(0).clone()).collect::<Vec<_>>();
        let views = py.detach(|| views(&columns)).or_exception(py)?;
        let starts: Vec<usize> =
            views.iter().scan(0, |start, view| Some(std::mem::replace(start, *start + view.len()))).collect();
        let count = views.iter().map(|view| view.len()).sum();
        let text = |number: usize| {
            let part = starts.partition_point(|start| *start <= number) - 1;
            let (view, place) = (views[part].as_string_view(), number - starts[part]);
            if view.is_valid(place) { view.value(place) } else { "" }
        };
        let made = watched(py, progress, |watch| self.pipeline.fingerprint_all(count, text, watch))?;
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

/// Columns of texts as views, where all is a string and Unicode.
fn views(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, Error> {
    let mut row = 0;
    let mut views = Vec::with_capacity(columns.len());
    for column in columns {
        let rejection = |row: Option<u64>, problem| Error::from(Rejection { file: "column".to_string(), row, problem });
        let is_bytes = matches!(column.data_type(), DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
        if !nearprint::read::holds_texts(column.data_type()) {
            let found = format!("a column of type {}", column.data_type());
            let problem = Problem::WrongType { field: "text".to_string(), wanted: "a column of strings".into(), found };
            return Err(rejection(None, problem));
        }
        if is_bytes {
            let bytes =
                cast(column, &DataType::BinaryView).map_err(|error| Error::usage("input", error.to_string()))?;
            for (place, bytes) in bytes.as_binary_view().iter().enumerate() {
                if let Some(Err(error)) = bytes.map(std::str::from_utf8) {
                    let problem = Problem::NotUtf8 { offset: error.valid_up_to() };
                    return Err(rejection(Some((row + place) as u64 + 1), problem));
                }
            }
        }
        views.push(cast(column, &DataType::Utf8View).map_err(|error| Error::usage("input", error.to_string()))?);
        row += column.len();
    }
    Ok(views)
}

fn valid(views: &[ArrayRef]) -> Option<NullBuffer> {
    if views.iter().all(|view| view.null_count() == 0) {
        return None;
    }
    let views: Vec<&dyn Array> = views.iter().map(|view| view.as_ref()).collect();
    concat(&views).ok().and_then(|all| all.logical_nulls())
}
