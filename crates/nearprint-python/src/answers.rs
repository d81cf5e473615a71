//! Comparisons, evaluations and tokens. Figures are JSON, which Python parses.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use nearprint::config::IdField;
use nearprint::evaluate::{Columns, Options, Question, run_of};
use nearprint::read::{Input, Source};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::counts;
use crate::documents::{Documents, chunks_of};
use crate::errors::{OrException, spelled, told, usage};
use crate::settings::{Config, ConfigOrPath};
use crate::side::path;
use crate::values::{Roles, items, names_of, of_columns, of_items};
use crate::watching::{unlocked, watched};

/// Compares two texts, as JSON.
#[pyfunction]
#[pyo3(signature = (left, right, top, config, settings))]
pub(crate) fn compare(
    py: Python<'_>,
    left: &str,
    right: &str,
    #[pyo3(from_py_with = counts::top)] top: usize,
    config: Option<ConfigOrPath>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let config = Config::of_layers(py, config, Some(settings))?.settings().clone();
    let bytes = left.len() + right.len();
    let (left, right) = (left.to_string(), right.to_string());
    let compared = move || nearprint::compare(&config, &left, &right, top);
    let comparison = unlocked(py, bytes, compared)?.or_exception(py)?;
    Ok(serde_json::to_string(&comparison).expect("a comparison is JSON"))
}

/// The tokens of a text: normalized, cut, and without tokens that the settings drop (stop_words,
/// min_token_length, han_only). Chinese by jieba's dictionary, other scripts by Unicode words (UAX
/// 29).
///
/// >>> nr.segment("能力比学历重要"), nr.segment("The Ferry", stop_words="en")
/// (['能力', '比', '学历', '重要'], ['ferry'])
#[pyfunction]
#[pyo3(signature = (text, *, config=None, **settings))]
pub(crate) fn segment(
    py: Python<'_>,
    text: &str,
    config: Option<ConfigOrPath>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<String>> {
    let words = Config::about_words(py, config, settings)?;
    let text = text.to_string();
    let recipe = py.detach(|| words.recipe()).or_exception(py)?;
    unlocked(py, text.len(), move || recipe.tokens(&text))
}

/// Compares a found answer with a labelled one; the report as JSON.
#[pyfunction]
#[pyo3(signature = (found, truth, documents, with_ids, columns, judged_only, worst, bootstrap, seed, progress, config, settings))]
#[expect(clippy::too_many_arguments, reason = "Python's half names each")]
pub(crate) fn evaluate(
    py: Python<'_>,
    found: &Bound<'_, PyAny>,
    truth: &Bound<'_, PyAny>,
    documents: Option<&Bound<'_, PyAny>>,
    with_ids: bool,
    columns: [Option<String>; 4],
    judged_only: bool,
    #[pyo3(from_py_with = counts::worst)] worst: usize,
    #[pyo3(from_py_with = counts::bootstrap)] bootstrap: u32,
    #[pyo3(from_py_with = counts::seed)] seed: u64,
    progress: Option<&Bound<'_, PyAny>>,
    config: Option<ConfigOrPath>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let run = match path(found) {
        Some(found) => run_of(&found).or_exception(py)?,
        None => None,
    };
    let config = match (&run, config) {
        (Some(run), None) => {
            let below = Config::of_text(&run.config.clone().marks(None).to_toml());
            let below = ConfigOrPath::Config(below.or_exception(py)?);
            Config::of_layers(py, Some(below), Some(settings))?
        }
        (_, config) => Config::of_layers(py, config, Some(settings))?,
    };
    let deduplicator = config.deduplicator(py)?;
    let documents = match documents {
        None => vec![],
        Some(documents) => vec![match path(documents) {
            Some(path) => Input::Named(path),
            None if config.settings().read.id_field == IdField::Off => {
                return Err(usage(
                    py,
                    "id",
                    "evaluation needs ids of documents; name the column that holds them",
                ));
            }
            None => {
                let (settings, columns) = (config.settings(), config.settings().columns());
                let name = "documents";
                let own = Documents::new(name, documents, settings, &columns, with_ids, vec![])?;
                own.source.into()
            }
        }],
    };
    let [left, right, cluster, label] = columns;
    let question = Question {
        found: answer("found", found)?,
        truth: answer("truth", truth)?,
        run,
        documents,
        columns: Columns {
            left,
            right,
            id: config.settings().read.id_field.name().map(str::to_string),
            cluster,
            label,
        },
        judged_only,
        worst,
        options: Options { replicates: bootstrap, seed },
    };
    let report =
        watched(py, progress, |watch| deduplicator.evaluate(&question, watch))?.or_exception(py)?;
    let rejections = told(&report.rejections);
    let notes: Vec<String> = report.notes.iter().map(spelled).collect();
    let advice = report.proposal.as_ref().and_then(|proposal| proposal.advice.as_ref());
    let advice = advice.map(spelled);
    let mut report = serde_json::to_value(&report).expect("a report is JSON");
    if let Some(advice) = advice {
        report["proposal"]["advice"] = advice.into();
    }
    (report["rejections"], report["notes"]) = (rejections.into(), notes.into());
    Ok(report.to_string())
}

/// Pairs or clusters: a file, or a table.
fn answer(name: &str, rows: &Bound<'_, PyAny>) -> PyResult<Input> {
    if let Some(path) = path(rows) {
        return Ok(Input::Named(path));
    }
    let py = rows.py();
    // No other field holds tuples.
    fn of_ids(fields: &[String]) -> Roles<'_> {
        Roles { ids: fields, ..Roles::default() }
    }
    if let Ok(columns) = rows.cast::<PyDict>() {
        let names = names_of(columns)?;
        let batch = of_columns(name, columns, &names, of_ids(&names))?;
        return Ok(Source::in_memory(name, vec![batch]).into());
    }
    if let Some(items) = items(rows) {
        let mut fields: Vec<String> = Vec::new();
        for row in &items {
            let row = row
                .cast::<PyDict>()
                .map_err(|_| usage(py, name, "is a list with items that are not dicts"))?;
            for field in row.keys().iter().map(|field| field.extract::<String>()) {
                let field = field?;
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
        }
        // A list without rows may be of pairs or of clusters.
        let fields =
            if items.is_empty() { vec!["left".to_string(), "right".to_string()] } else { fields };
        let batch = match items.is_empty() {
            true => {
                let none = || arrow_array::new_empty_array(&DataType::Utf8);
                RecordBatch::try_from_iter(fields.iter().map(|field| (field, none())))
                    .expect("two columns of no row")
            }
            false => of_items(name, &items, &fields, of_ids(&fields))?,
        };
        return Ok(Source::in_memory(name, vec![batch]).into());
    }
    let (chunks, field) = chunks_of(rows)?;
    let DataType::Struct(fields) = field.data_type() else {
        return Err(usage(py, name, "is a single column; give a table of pairs or clusters"));
    };
    if chunks.iter().any(|chunk| chunk.null_count() > 0) {
        return Err(usage(py, name, "has null rows; leave them out"));
    }
    let mut batches: Vec<RecordBatch> =
        chunks.iter().map(|chunk| RecordBatch::from(chunk.as_struct())).collect();
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(Schema::new(fields.clone()).into()));
    }
    Ok(Source::in_memory(name, batches).into())
}
