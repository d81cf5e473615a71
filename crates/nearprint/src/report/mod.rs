//! The output folder of a run, and its input -> one HTML file with the removals, their reasons, and
//! the place of the bound.
//!
//! ```text
//! removed.jsonl, just_missed.jsonl -> rows in a few bytes each      rows.rs
//! rows -> the rows whose texts are shown                            choose.rs
//! input files -> a check of the field with the source               source_field.rs
//! input files -> shown texts, documents by source and length        census.rs
//! rows, counts -> the numbers behind the plots                      plots.rs
//! rows, counts -> alarms                                            alarms.rs
//! rows, counts -> the list of clusters                              clusters.rs
//! two texts -> their pieces, long ones folded                       texts.rs
//! all results -> the data of the page, as JSON                      data.rs
//! JSON, the page's script and style -> one file                     page.rs
//! a run in memory -> a piece of HTML for a notebook                 overview.rs
//! ```
//!
//! The page suits runs of any size: beyond some megabytes clusters, pairs and texts are samples,
//! and the page says so. All content is text for the browser and never markup: the script makes
//! text nodes only, and a content security policy allows no other script and no address.

mod alarms;
mod census;
mod choose;
mod clusters;
mod data;
mod overview;
mod page;
mod plots;
mod rows;
mod source_field;
mod texts;

pub use census::Reading;
pub use overview::{Overview, Pair};
pub use source_field::check_source_field;

use std::path::Path;

use nearprint_core::compare::Measure;
use nearprint_core::normalize::Normalizer;
use serde_json::Value;

use crate::error::Error;
use crate::watch::Watch;
use crate::write::reports::{JUST_MISSED, REMOVED};

/// The inputs of a report.
pub struct Material<'a> {
    /// The output folder, or one with the same reports.
    pub folder: &'a Path,
    /// The title of the page.
    pub title: String,
    /// The user's name of the output folder in commands; `None` for a run in memory.
    pub named: Option<String>,
    /// The run in numbers, as in `summary.json`.
    pub summary: Value,
    /// The files, those of reference documents first, with the options to read them.
    pub readings: Vec<Reading>,
    /// The files that have changed since the run.
    pub changed: Vec<String>,
    /// The field with the source of a document, the only kept field of the options; `None` if the
    /// source is the file.
    pub source_field: Option<String>,
    /// The normalizer of the run.
    pub normalizer: &'a Normalizer,
    /// The measure of the run.
    pub measure: Measure,
    /// The number of marks that a proposed bound needs.
    pub least_marks: u64,
}

/// The report as HTML.
///
/// # Errors
/// [`Error::Io`] if a report of the run is missing or cannot be read; [`Error::Incompatible`] if it
/// is damaged; [`Error::Interrupted`]. A missing input file is no error: the page says so in place of
/// its texts.
pub fn html(material: &Material<'_>, watch: &dyn Watch) -> Result<String, Error> {
    let path = material.folder.join(REMOVED);
    let removed = rows::ReportRows::read(&path)?;
    let all = removed.rows.len() as u64;
    if let Some(counted) =
        material.summary["counts"]["removed"].as_u64().filter(|counted| *counted != all)
    {
        return Err(Error::lacks_rows(path, all, counted));
    }
    let missed_path = material.folder.join(JUST_MISSED);
    let missed = if missed_path.exists() {
        rows::ReportRows::read(&missed_path)?
    } else {
        rows::ReportRows::default()
    };
    let chosen = choose::Chosen::new(&removed, &missed);
    let places = chosen.places(&removed, &missed);
    let census =
        census::Census::new(material, &removed, &places, &chosen.clusters(&removed), watch)?;
    let data = data::Data::new(material, &removed, &missed, &chosen, &census)?;
    Ok(page::page(&data))
}
