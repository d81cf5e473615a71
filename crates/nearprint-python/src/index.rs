//! A persistent index: tables, texts and ids in, tables out. Figures are JSON, which Python parses.

mod folder;
mod ids;

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt32Array, UInt64Array};
use nearprint::document::Id;
use nearprint::error::Rejections;
use nearprint::index::{
    Added, Adding, Answer, Filter, Index, IndexMatch, IndexOptions, Mode, Outcome, Question, Ttl,
    Wanted,
};
use nearprint::read::Source;
use nearprint::run::on_threads;
use nearprint::{Error, Watch};
use pyo3::prelude::*;

use folder::{Folder, Opened, waiting};
pub(crate) use folder::{after_fork, before_fork};
use ids::{id_of, ids_column};

use crate::counts;
use crate::deduplication::{batch, reasons, similarities};
use crate::errors::{OrException, exception, saying, spelled, told, usage};
use crate::settings::Config;
use crate::side::Side;
use crate::tables::table;
use crate::values::items;
use crate::watching::watched;

/// An index in a folder.
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct IndexFolder {
    folder: Arc<Folder>,
}

/// A table, and messages about rows that were left out.
type Told<'py> = (Bound<'py, PyAny>, Vec<String>);

#[pymethods]
impl IndexFolder {
    /// Creates an index in an empty or new folder.
    #[staticmethod]
    #[pyo3(signature = (path, store_fields, store_text, ttl, date_field, config))]
    fn create(
        py: Python<'_>,
        path: PathBuf,
        store_fields: Vec<String>,
        store_text: bool,
        ttl: Option<&str>,
        date_field: Option<String>,
        config: &Config,
    ) -> PyResult<IndexFolder> {
        let ttl =
            ttl.map(str::parse::<Ttl>).transpose().map_err(|problem| usage(py, "ttl", problem))?;
        let options = IndexOptions { store_fields, store_text, ttl, date_field };
        let folder = folder_of(py, path)?;
        let made = waiting(|| {
            watched(py, None, |watch| {
                folder.create(watch, |path| Index::create(path, config.settings(), &options))
            })
        });
        made?.or_exception(py)?;
        Ok(IndexFolder { folder })
    }

    /// Opens the index of a folder.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<IndexFolder> {
        let index = IndexFolder { folder: folder_of(py, path)? };
        index.with(py, None, |_, _| Ok(()))?;
        Ok(index)
    }

    /// Closes it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        waiting(|| watched(py, None, |watch| self.folder.close(watch)))?.or_exception(py)
    }

    /// The folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    /// True if it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.folder.is_closed()
    }

    /// The settings of the index.
    fn config(&self, py: Python<'_>) -> PyResult<Config> {
        let settings = self.with(py, None, |opened, _| Ok(opened.config.to_toml()))?;
        Config::of_text(&settings).or_exception(py)
    }

    /// The fields to read of each document.
    fn fields(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, None, |opened, _| Ok(opened.index.options().fields()))
    }

    /// Adds documents: a row for each of them, with its outcome.
    #[pyo3(signature = (documents, columns, if_new, within, wanted, progress, config, names))]
    #[expect(clippy::too_many_arguments, reason = "Python's half names each")]
    fn add<'py>(
        &self,
        py: Python<'py>,
        documents: &Bound<'py, PyAny>,
        columns: Vec<String>,
        if_new: bool,
        within: Option<&str>,
        wanted: Vec<(String, String)>,
        progress: Option<&Bound<'py, PyAny>>,
        config: &Config,
        names: Vec<String>,
    ) -> PyResult<Told<'py>> {
        let mode = if if_new { Mode::Skip } else { Mode::All };
        let adding = Adding { mode, filter: filter(py, within, wanted)?, top: 1 };
        if config.settings().id_name().is_none() {
            return Err(usage(
                py,
                "id",
                "documents of an index need ids; name the column that holds them",
            ));
        }
        // An empty list has no columns.
        let with_ids = items(documents).is_none_or(|items| !items.is_empty());
        let settings = config.settings();
        let documents = Side::new("documents", documents, settings, &columns, with_ids, names)?;
        let mut added = Vec::new();
        let rejections = self.with(py, progress, |opened, watch| {
            opened.read_by(Some(config.settings()), |index, reader| {
                let sources = reader.sources(documents.documents(), watch)?;
                reader.add(index, &sources, &adding, watch, |outcomes| {
                    added.extend(outcomes);
                    Ok(())
                })
            })
        });
        let rejections = rejections.map_err(|error| match added.len() {
            0 => error,
            1 => saying(py, error, "1 row before the error is done"),
            rows => saying(py, error, &format!("{rows} rows before the error are done")),
        })?;
        let added = table_of_added(&documents, &added, &rejections, if_new).or_exception(py)?;
        Ok((table(py, added)?, told(&rejections)))
    }

    /// The duplicates of one text, as JSON.
    #[pyo3(signature = (text, top, within, wanted, config))]
    fn query_text(
        &self,
        py: Python<'_>,
        text: String,
        #[pyo3(from_py_with = counts::top)] top: usize,
        within: Option<&str>,
        wanted: Vec<(String, String)>,
        config: Option<&Config>,
    ) -> PyResult<String> {
        let question = Question { top, filter: filter(py, within, wanted)? };
        let sources = [Source::texts("text", vec![text])];
        let (matches, rejections) = self.with(py, None, |opened, watch| {
            let mut matches = Vec::new();
            let rejections = opened.read_by(config.map(Config::settings), |index, reader| {
                reader.query(index, &sources, &question, watch, |_, answer| {
                    matches = answer.matches;
                    Ok(())
                })
            })?;
            Ok((matches, rejections))
        })?;
        match rejections.all.into_iter().next() {
            Some(rejection) => Err(exception(py, &Error::from(rejection))),
            None => Ok(serde_json::to_string(&matches).expect("matches are JSON")),
        }
    }

    /// The duplicates of each document of a table: a row for each of them.
    #[pyo3(signature = (
        documents, columns, with_ids, top, within, wanted, progress, config, names
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's half names each")]
    fn query_table<'py>(
        &self,
        py: Python<'py>,
        documents: &Bound<'py, PyAny>,
        columns: Vec<String>,
        with_ids: bool,
        #[pyo3(from_py_with = counts::top)] top: usize,
        within: Option<&str>,
        wanted: Vec<(String, String)>,
        progress: Option<&Bound<'py, PyAny>>,
        config: &Config,
        names: Vec<String>,
    ) -> PyResult<Told<'py>> {
        let question = Question { top, filter: filter(py, within, wanted)? };
        let settings = config.settings();
        let documents = Side::new("documents", documents, settings, &columns, with_ids, names)?;
        let (found, rejections) = self.with(py, progress, |opened, watch| {
            let mut found = Vec::new();
            let rejections = opened.read_by(Some(config.settings()), |index, reader| {
                let sources = reader.sources(documents.documents(), watch)?;
                reader.query(index, &sources, &question, watch, |document, answer| {
                    let Answer { matches, more, .. } = answer;
                    let (row, id) = (document.row, &document.id);
                    let of_rank =
                        |(rank, matched)| Found { row, id: id.clone(), rank, matched, more };
                    found.extend((1..).zip(matches).map(of_rank));
                    Ok(())
                })
            })?;
            Ok((found, rejections))
        })?;
        let found = table_of_found(&documents, &found).or_exception(py)?;
        Ok((table(py, found)?, told(&rejections)))
    }

    /// Removes the documents of these ids, and returns the number of removed ones.
    fn remove(&self, py: Python<'_>, ids: Vec<Bound<'_, PyAny>>) -> PyResult<usize> {
        let mut seen = HashSet::new();
        let ids = ids.iter().map(id_of).collect::<PyResult<Vec<Id>>>()?;
        let ids: Vec<Id> = ids.into_iter().filter(|id| seen.insert(id.clone())).collect();
        if ids.is_empty() {
            return Ok(0);
        }
        let removed = self.with(py, None, |opened, _| of_threads(|| opened.index.remove(&ids)))?;
        Ok(removed.into_iter().filter(|removed| *removed).count())
    }

    /// Removes expired documents, and frees the space of removed ones.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, None, |opened, _| of_threads(|| opened.index.compact()))
    }

    /// The problems of the index.
    fn verify(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let verified =
            self.with(py, None, |opened, watch| of_threads(|| opened.index.verify(watch)))?;
        Ok(verified.problems.iter().map(spelled).collect())
    }

    /// The figures of the index, as JSON.
    fn info(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = counts::recall_sample)] recall_sample: u32,
    ) -> PyResult<String> {
        let info = self.with(py, None, |opened, watch| {
            of_threads(|| opened.index.info(recall_sample, watch))
        })?;
        Ok(serde_json::to_string(&info).expect("figures are JSON"))
    }

    /// Writes the documents to a file, as JSON Lines.
    fn export(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.with(py, None, |opened, watch| {
            of_threads(|| {
                let failed = || Error::io("write", &path);
                let mut file = BufWriter::new(File::create(&path).map_err(failed())?);
                opened.index.export(|document| {
                    if watch.stopped() {
                        return Err(Error::Interrupted);
                    }
                    writeln!(file, "{}", document.to_json()).map_err(failed())
                })?;
                file.flush().map_err(failed())
            })
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, None, |opened, _| Ok(opened.index.len()? as usize))
    }

    /// The document of an id as JSON: id, text, fields, …; None if there is none.
    fn document(&self, id: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let py = id.py();
        let id = id_of(id)?;
        let found = self.with(py, None, |opened, _| opened.index.document(&id))?;
        Ok(found.map(|found| serde_json::to_string(&found).expect("a document is JSON")))
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = id.py();
        let id = id_of(id)?;
        self.with(py, None, |opened, _| opened.index.contains(&id))
    }
}

impl IndexFolder {
    /// Waits for its turn, and calls `work` with the index, without Python's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&mut Opened, &dyn Watch) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let folder = &self.folder;
        waiting(|| watched(py, progress, |watch| folder.with(watch, |opened| work(opened, watch))))?
            .or_exception(py)
    }
}

/// The documents of the index that a question is about.
fn filter(py: Python<'_>, within: Option<&str>, wanted: Vec<(String, String)>) -> PyResult<Filter> {
    let within = within.map(str::parse::<Ttl>).transpose();
    let within = within.map_err(|problem| usage(py, "within", problem))?;
    let wanted = wanted.into_iter().map(|(field, value)| Wanted { field, value }).collect();
    Ok(Filter { within, wanted, ..Filter::default() })
}

/// The absolute path of a folder.
fn folder_of(py: Python<'_>, path: PathBuf) -> PyResult<Arc<Folder>> {
    let absolute = std::path::absolute(&path).map_err(Error::io("read", &path)).or_exception(py)?;
    Ok(Folder::new(absolute))
}

/// Does work on its own threads: others may be gone since a fork.
fn of_threads<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    on_threads(0, work).flatten()
}

/// A document found for a row.
struct Found {
    /// The row, counted from 1.
    row: u64,
    /// Its id.
    id: Id,
    rank: u32,
    matched: IndexMatch,
    /// The number of further matches.
    more: u64,
}

fn table_of_added(
    documents: &Side,
    added: &[Added],
    rejections: &Rejections,
    if_new: bool,
) -> Result<RecordBatch, Error> {
    let own = match documents {
        Side::Files(_) => ids_of_files(added.iter().map(|added| &added.id)),
        Side::Memory(documents) => {
            let rejected = rejections.iter().filter_map(|rejection| rejection.row);
            let left_out: HashSet<u64> = rejected.collect();
            let is_read = |row: &usize| !left_out.contains(&(*row as u64 + 1));
            documents.ids_of((0..documents.rows).filter(is_read))?
        }
    };
    let outcomes = added.iter().map(|added| added.outcome.name());
    let mut columns = vec![
        ("id", own),
        ("outcome", Arc::new(StringArray::from_iter_values(outcomes)) as ArrayRef),
    ];
    if if_new {
        let duplicates: Vec<Option<&IndexMatch>> =
            added.iter().map(|added| added.duplicates.matches.first()).collect();
        let is_new =
            added.iter().map(|added| matches!(added.outcome, Outcome::New | Outcome::Replaced));
        let ids: Vec<Option<&Id>> = duplicates.iter().map(|of| of.map(|of| &of.id)).collect();
        columns.extend([
            ("new", Arc::new(BooleanArray::from(is_new.collect::<Vec<_>>())) as ArrayRef),
            ("duplicate", ids_column(&ids, &columns[0].1)),
        ]);
        columns.extend(of_matches(duplicates.iter().copied()));
    }
    batch(columns)
}

fn table_of_found(documents: &Side, found: &[Found]) -> Result<RecordBatch, Error> {
    let own = match documents {
        Side::Files(_) => ids_of_files(found.iter().map(|found| &found.id)),
        Side::Memory(documents) => {
            documents.ids_of(found.iter().map(|found| found.row as usize - 1))?
        }
    };
    let ids: Vec<Option<&Id>> = found.iter().map(|found| Some(&found.matched.id)).collect();
    let matched = ids_column(&ids, &own);
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("id", own),
        ("rank", Arc::new(UInt32Array::from_iter_values(found.iter().map(|found| found.rank)))),
        ("match", matched),
    ];
    columns.extend(of_matches(found.iter().map(|found| Some(&found.matched))));
    columns.push((
        "more",
        Arc::new(UInt64Array::from_iter_values(found.iter().map(|found| found.more))),
    ));
    batch(columns)
}

/// Ids of documents of files as a column.
fn ids_of_files<'i>(ids: impl Iterator<Item = &'i Id>) -> ArrayRef {
    let none: ArrayRef = Arc::new(StringArray::new_null(0));
    ids_column(&ids.map(Some).collect::<Vec<_>>(), &none)
}

/// The columns of matches: similarity, reason, distance.
fn of_matches<'m>(
    matches: impl Iterator<Item = Option<&'m IndexMatch>> + Clone,
) -> [(&'static str, ArrayRef); 3] {
    let distances = matches.clone().map(|matched| matched.and_then(|matched| matched.distance));
    [
        (
            "similarity",
            similarities(matches.clone().map(|matched| matched.map(|matched| matched.similarity))),
        ),
        ("reason", reasons(matches.map(|matched| matched.map(|matched| matched.reason)))),
        ("distance", Arc::new(UInt32Array::from_iter(distances))),
    ]
}
