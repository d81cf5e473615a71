//! Corpus statistics in Python: a file of the user, or a temporary file that is removed with the
//! object.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use nearprint::read::Source;
use nearprint::recipe::{bad_statistics, open_statistics};
use nearprint::write::check_new_file;
use nearprint::{Deduplicator, Documents, Error};
use nearprint_core::statistics::{Order, TopFeature, merge};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tempfile::TempPath;

use crate::counts;
use crate::documents::texts;
use crate::errors::{OrException, usage};
use crate::settings::{Config, ConfigOrPath};
use crate::side::paths;
use crate::tables::table;
use crate::watching::{left_alone, watched};

/// Statistics of a corpus: document frequencies and left and right neighbors of its words, which
/// the weights tf-idf and entropy need (Zhang Hang et al. 2020, equations 3 to 10). A file, the
/// user's own or a temporary one that goes with the object.
///
/// >>> stats = nr.Stats.build(["one two", "one three"])
/// >>> stats.documents, stats.features
/// (2, 3)
/// >>> fingerprinter = nr.Fingerprinter(features="words", weights="entropy", stats=stats)
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct Stats {
    path: PathBuf,
    /// The temporary file, if it is one; it is removed with its last user.
    temporary: Option<Arc<Temporary>>,
    documents: u64,
    features: usize,
    description: String,
}

/// A temporary file. It is removed with its last holder in the process that made it, never in a
/// forked process.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: Option<TempPath>,
    process: u32,
}

impl Temporary {
    fn new(path: TempPath) -> Temporary {
        Temporary { path: Some(path), process: std::process::id() }
    }

    fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // A drop would remove the file.
            std::mem::forget(self.path.take());
        }
    }
}

impl Stats {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The temporary file, if it is one; it stays as long as it has holders.
    pub fn temporary(&self) -> Option<Arc<Temporary>> {
        self.temporary.clone()
    }

    /// The statistics in a temporary file.
    pub fn of_file(file: Arc<Temporary>) -> Result<Stats, Error> {
        Ok(Stats { temporary: Some(file.clone()), ..Stats::open(file.path(), None)? })
    }

    fn open(path: &Path, temporary: Option<Temporary>) -> Result<Stats, Error> {
        let saved = open_statistics(path)?;
        Ok(Stats {
            path: path.to_path_buf(),
            temporary: temporary.map(Arc::new),
            documents: saved.documents,
            features: saved.features.len(),
            description: saved.description,
        })
    }

    /// Statistics that `write` writes to a temporary file.
    fn written(
        write: impl FnOnce(&Path, &mut BufWriter<File>) -> Result<(), Error>,
    ) -> Result<Stats, Error> {
        let (file, path) = temporary()?.into_parts();
        let mut out = BufWriter::new(file);
        write(&path, &mut out)?;
        out.flush().map_err(Error::io("write", &*path))?;
        let place = path.to_path_buf();
        Stats::open(&place, Some(Temporary::new(path)))
    }
}

fn temporary() -> Result<tempfile::NamedTempFile, Error> {
    let named = tempfile::Builder::new().prefix("nearprint-").suffix(".stats").tempfile();
    named.map_err(Error::io("create a file in", std::env::temp_dir()))
}

#[pymethods]
impl Stats {
    /// Statistics from a file of the command line or of save. FileError if the file cannot be read,
    /// IncompatibleError for other files.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Stats> {
        left_alone(py, move || Stats::open(&path, None))?.or_exception(py)
    }

    /// Counts the statistics of a column of texts, or of files (a path, a glob, a list of
    /// `pathlib.Path`s), as `nearprint stats` does. Settings are those
    /// that make words: normalize, segmenter, stop_words, ngram, …; runs that use the statistics
    /// must have the same ones. RejectedError for a null text.
    #[staticmethod]
    #[pyo3(signature = (column, *, config=None, progress=None, **settings))]
    fn build(
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        config: Option<ConfigOrPath>,
        progress: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Stats> {
        let words = Config::about_words(py, config, settings)?;
        let (words, documents) = match paths(column) {
            Some(names) => (words, Documents::files(names)),
            None => {
                let source = Source::in_memory("column", texts("column", column)?);
                (words.text_fields(vec!["text".to_string()]), Documents::new(vec![source]))
            }
        };
        let deduplicator = Deduplicator::new(words).or_exception(py)?;
        let built = watched(py, progress, |watch| {
            let sources = deduplicator.sources(documents, watch)?;
            Stats::written(|path, out| {
                deduplicator.save_statistics(sources, path, out, watch).map(drop)
            })
        })?;
        built.or_exception(py)
    }

    /// Writes the statistics to a file for load and the command line's --stats, completely or not
    /// at all. An existing file is replaced with force=True. UsageError for another existing file,
    /// FileError if it cannot be written.
    #[pyo3(signature = (path, *, force=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        check_new_file("path", &path, force).or_exception(py)?;
        let copied = py.detach(|| {
            let part = path.with_file_name(format!(
                ".{}.part",
                path.file_name().unwrap_or_default().to_string_lossy()
            ));
            std::fs::copy(&self.path, &part)
                .and_then(|_| std::fs::rename(&part, &path))
                .inspect_err(|_| {
                    let _ = std::fs::remove_file(&part);
                })
        });
        copied.map_err(Error::io("write", path)).or_exception(py)
    }

    /// The sum of both, as if their corpora had been counted as one. IncompatibleError if words
    /// were made in another way.
    fn merge(&self, py: Python<'_>, other: &Stats) -> PyResult<Stats> {
        let ((path, own), (other, others)) =
            ((self.path.clone(), self.temporary()), (other.path.clone(), other.temporary()));
        let merged = left_alone(py, move || {
            let _files = (own, others);
            Stats::written(|_, out| {
                merge(open_statistics(&path)?, open_statistics(&other)?, out)
                    .map_err(bad_statistics(&other))
            })
        });
        merged?.or_exception(py)
    }

    /// Number of counted documents.
    #[getter]
    fn documents(&self) -> u64 {
        self.documents
    }

    /// Distinct words.
    #[getter]
    fn features(&self) -> usize {
        self.features
    }

    /// The way words were made; runs that use the statistics must make them in the same way.
    #[getter]
    fn description(&self) -> &str {
        &self.description
    }

    /// The first n words by "entropy" (the mean of both) or "frequency": a table of feature,
    /// document_frequency, left_entropy, right_entropy and entropy, in bits.
    ///
    /// >>> nr.Stats.build(["one two", "one three"]).top(1, by="frequency").column("feature").to_pylist()
    /// ['one']
    #[pyo3(signature = (n=20, by="entropy"))]
    fn top<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = counts::n)] n: usize,
        by: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let order = match by {
            "entropy" => Order::Entropy,
            "frequency" => Order::Frequency,
            other => {
                return Err(usage(
                    py,
                    "by",
                    format!("\"{other}\" is neither entropy nor frequency"),
                ));
            }
        };
        let (path, file) = (self.path.clone(), self.temporary());
        let read = move || {
            let _file = file;
            open_statistics(&path)?.top(n, order).map_err(bad_statistics(&path))
        };
        let rows = left_alone(py, read)?.or_exception(py)?;
        let reals = |value: fn(&TopFeature) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(rows.iter().map(value)))
        };
        let columns: [(&str, ArrayRef); 5] = [
            (
                "feature",
                Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.feature))),
            ),
            (
                "document_frequency",
                Arc::new(UInt64Array::from_iter_values(
                    rows.iter().map(|row| row.document_frequency),
                )),
            ),
            ("left_entropy", reals(|row| row.left_entropy)),
            ("right_entropy", reals(|row| row.right_entropy)),
            ("entropy", reals(|row| row.entropy)),
        ];
        table(
            py,
            RecordBatch::try_from_iter(columns)
                .map_err(|error| usage(py, "n", error.to_string()))?,
        )
    }

    fn __repr__(&self) -> String {
        format!("<Stats: {} documents, {} features>", self.documents, self.features)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes =
            std::fs::read(&self.path).map_err(Error::io("read", &self.path)).or_exception(py)?;
        Ok((py.get_type::<Stats>().getattr("_restore")?, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, bytes: &[u8]) -> PyResult<Stats> {
        let written =
            Stats::written(|path, out| out.write_all(bytes).map_err(Error::io("write", path)));
        written.or_exception(py)
    }
}
