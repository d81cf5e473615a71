//! The passages that documents in memory share, in Python: tables, and the texts without them.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{
    Array, ArrayRef, BooleanArray, LargeStringArray, RecordBatch, StringArray, UInt32Array,
};
use arrow_select::nullif::nullif;
use nearprint::outcome::PassageCounts;
use nearprint::passage::{KeepCopy, PassageAction, PassageOptions, PlaceRow, Stay};
use nearprint::run::SharedPassages;
use nearprint::write::{PlacesThatGo, Treatment, without_in_values};
use nearprint::{Deduplicator, Error};
use pyo3::prelude::*;
use pyo3_arrow::PyArray;

use crate::deduplication::batch;
use crate::documents::Documents;
use crate::errors::{OrException, loss_from_0, spelled, usage};
use crate::settings::Config;
use crate::side::Side;
use crate::tables::table;
use crate::watching::watched;

/// The passages that documents share.
#[pyclass(frozen, module = "nearprint")]
pub(crate) struct Passages(Arc<Run>);

struct Run {
    deduplicator: Deduplicator,
    options: PassageOptions,
    shared: SharedPassages,
    counts: PassageCounts,
    documents: Side,
}

#[pymethods]
impl Passages {
    /// Finds the passages of documents in memory. `with_ids` is true if the user named the column
    /// of ids. `names` are the names of all columns, for messages.
    #[staticmethod]
    #[pyo3(signature = (documents, progress, config, with_ids, names, *, min_length, min_documents, action, keep_copy, max_lost, max_edits, approved))]
    #[expect(clippy::too_many_arguments, reason = "Python's half names each")]
    fn find(
        py: Python<'_>,
        documents: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
        config: &Config,
        with_ids: bool,
        names: Vec<String>,
        min_length: u32,
        min_documents: u32,
        action: &str,
        keep_copy: Option<&str>,
        max_lost: Option<f64>,
        max_edits: f64,
        approved: Option<PathBuf>,
    ) -> PyResult<Passages> {
        let wrong = |setting: &'static str, value: &str, words: &str| {
            Err(usage(py, setting, format!("\"{value}\" is none of {words}").as_str()))
        };
        let deduplicator = config.deduplicator(py)?;
        let options = PassageOptions {
            min_length,
            min_documents,
            action: match action {
                "list" => PassageAction::List,
                "mask" => PassageAction::Mask,
                "cut" => PassageAction::Cut,
                other => return wrong("action", other, "list, mask, cut"),
            },
            keep_copy: match keep_copy {
                None => None,
                Some("first") => Some(KeepCopy::First),
                Some("best") => Some(KeepCopy::Best),
                Some("none") => Some(KeepCopy::None),
                Some(other) => return wrong("keep_copy", other, "first, best, none"),
            },
            max_lost: max_lost
                .or(deduplicator.config().decide.max_lost)
                .unwrap_or(PassageOptions::default().max_lost),
            max_edits,
            approved,
        };
        let (settings, columns) = (config.settings(), config.settings().columns());
        let documents = Side::new("documents", documents, settings, &columns, with_ids, names)?;
        let run = watched(py, progress, |watch| {
            let shared = deduplicator.shared_passages(documents.documents(), &options, watch)?;
            let counts = shared.counts()?;
            Ok::<Run, Error>(Run { deduplicator, options, shared, counts, documents })
        })?;
        Ok(Passages(Arc::new(run.or_exception(py)?)))
    }

    /// A column of booleans: true for each row of the documents.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = BooleanArray::from(vec![true; self.0.in_memory(py)?.rows]);
        PyArray::from_array_ref(Arc::new(all)).into_arro3(py)
    }

    /// The documents whose texts change: the row of each, and a table of the new texts with a column
    /// for each field of the text.
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<(Vec<usize>, Bound<'py, PyAny>)> {
        let documents = self.0.in_memory(py)?;
        let (rows, batch) = py.detach(|| self.0.changes(documents)).or_exception(py)?;
        Ok((rows, table(py, batch)?))
    }

    /// The places: id, passage, start, end, start_byte, end_byte, documents, edits, stays, why, copy.
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.0.places()).or_exception(py)?;
        table(py, batch)
    }

    /// The passages: passage, documents, places, edited, letters, text.
    fn texts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = py.detach(|| self.0.texts()).or_exception(py)?;
        table(py, batch)
    }

    /// The counts, as JSON.
    fn counts(&self) -> String {
        serde_json::to_string(&self.0.counts).expect("counts are JSON")
    }

    /// Warnings: the rows that were left out.
    fn warnings(&self) -> Vec<String> {
        let loss = self.0.shared.origins.rejections.loss();
        loss.iter().map(|loss| spelled(&loss_from_0(loss).message())).collect()
    }
}

impl Run {
    /// The documents, if they are in memory.
    fn in_memory(&self, py: Python<'_>) -> PyResult<&Documents> {
        self.documents.in_memory(py, "nearprint passages writes them without what goes")
    }

    fn changes(&self, documents: &Documents) -> Result<(Vec<usize>, RecordBatch), Error> {
        let treatment = match self.options.action {
            PassageAction::Mask => Treatment::Mask,
            _ => Treatment::Cut,
        };
        let mut going = PlacesThatGo::new(&self.shared.found, treatment);
        let (mut rows, mut left_out) = (Vec::new(), Vec::new());
        if matches!(self.options.action, PassageAction::Mask | PassageAction::Cut) {
            for document in 0..self.shared.origins.len() as u32 {
                let own = going.of(document)?;
                if !own.is_empty() {
                    rows.push(self.shared.origins.row(document) as usize - 1);
                    left_out.push(own);
                }
            }
        }
        let fields = &self.deduplicator.config().read.text_fields;
        let texts = fields.iter().map(|field| documents.texts_of(field, &rows));
        let texts = texts.collect::<Result<Vec<_>, Error>>()?;
        let mut changed: Vec<LargeStringBuilder> =
            fields.iter().map(|_| LargeStringBuilder::new()).collect();
        for (row, own) in left_out.iter().enumerate() {
            let values: Vec<_> =
                texts.iter().map(|texts| texts.is_valid(row).then(|| texts.value(row))).collect();
            let new = without_in_values(&values, own, treatment);
            changed.iter_mut().zip(new).for_each(|(column, text)| column.append_option(text));
        }
        let changed = changed.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        Ok((rows, batch(fields.iter().map(String::as_str).zip(changed).collect())?))
    }

    fn places(&self) -> Result<RecordBatch, Error> {
        let found = &self.shared.found;
        let places = found.places.iter().collect::<Result<Vec<PlaceRow>, Error>>()?;
        let numbers = |number: fn(&PlaceRow) -> u32| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(places.iter().map(number)))
        };
        let documents = places.iter().map(|place| found.documents(place));
        let stays = places.iter().map(|place| place.stay != Stay::Goes).collect::<Vec<bool>>();
        let why = places.iter().map(|place| place.stay.name());
        let none = places.iter().map(|place| place.copy.is_none()).collect::<Vec<bool>>();
        let copies = places.iter().map(|place| place.copy.unwrap_or(place.document));
        let copies = self.documents.ids(&self.shared.origins, copies)?;
        let copies = nullif(&copies, &BooleanArray::from(none))
            .map_err(|error| Error::usage("id", error.to_string()))?;
        batch(vec![
            (
                "id",
                self.documents.ids(&self.shared.origins, places.iter().map(|own| own.document))?,
            ),
            ("passage", numbers(|place| place.passage)),
            ("start", numbers(|place| place.characters[0])),
            ("end", numbers(|place| place.characters[1])),
            ("start_byte", numbers(|place| place.bytes[0])),
            ("end_byte", numbers(|place| place.bytes[1])),
            ("documents", Arc::new(UInt32Array::from_iter_values(documents))),
            ("edits", numbers(|place| place.edits)),
            ("stays", Arc::new(BooleanArray::from(stays))),
            ("why", Arc::new(StringArray::from_iter(why))),
            ("copy", copies),
        ])
    }

    fn texts(&self) -> Result<RecordBatch, Error> {
        let texts = &self.shared.texts;
        let passages = &self.shared.found.passages[..texts.len()];
        let numbers = |number: fn(&nearprint::passage::Passage) -> u32| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(passages.iter().map(number)))
        };
        batch(vec![
            ("passage", Arc::new(UInt32Array::from_iter_values(1..=texts.len() as u32))),
            ("documents", numbers(|passage| passage.documents)),
            ("places", numbers(|passage| passage.places)),
            ("edited", numbers(|passage| passage.edited)),
            ("letters", numbers(|passage| passage.letters)),
            (
                "text",
                Arc::new(LargeStringArray::from_iter_values(texts.iter().map(|text| &text.text))),
            ),
        ])
    }
}
