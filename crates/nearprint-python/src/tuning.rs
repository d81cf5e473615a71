//! Other least similarities, and distances that a sample proposes, as JSON.

use nearprint::Error;
use nearprint::corpus::Purpose;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{OrException, told};
use crate::settings::Config;
use crate::side::Side;
use crate::watching::watched;

/// The documents that go at several least similarities, as JSON; with a size of a sample also the
/// distances that it proposes, and the settings that follow as TOML. The last ones are messages
/// about rows that were left out.
#[pyfunction]
#[pyo3(signature = (documents, sample, progress, config, with_ids, names))]
pub(crate) fn tune(
    py: Python<'_>,
    documents: &Bound<'_, PyAny>,
    sample: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    config: &Config,
    with_ids: bool,
    names: Vec<String>,
) -> PyResult<(String, Option<String>, Vec<String>)> {
    let deduplicator = config.deduplicator(py)?;
    let documents = Side::new(
        "documents",
        documents,
        config.settings(),
        &config.settings().columns(),
        with_ids,
        names,
    )?;
    let tuned = watched(py, progress, |watch| {
        let sources = deduplicator.sources(documents.documents(), watch)?;
        let tuning = match sample {
            None => None,
            Some(sample) => {
                let corpus = deduplicator.read(sources.clone(), Purpose::Tune, watch)?;
                Some(deduplicator.tune(&corpus, sample, watch)?)
            }
        };
        Ok::<_, Error>((tuning, deduplicator.bounds(sources, watch)?))
    })?;
    let (tuning, bounds) = tuned.or_exception(py)?;
    let mut figures = tuning.as_ref().map_or_else(|| json!({}), |tuning| json!(tuning));
    figures["bounds"] = json!(bounds);
    Ok((figures.to_string(), tuning.map(|tuning| tuning.to_toml()), told(&bounds.rejections)))
}
