//! The output folder of a run, and its input -> one HTML file to look at: what was removed, why,
//! and where the bound lies.
//!
//! ```text
//! removed.jsonl, just_missed.jsonl -> rows in a few bytes each      rows.rs
//! those rows -> the ones whose texts are shown                      choose.rs
//! the input files -> whether any document has the field of sources  source_field.rs
//! the input files -> texts of these, sources and lengths counted    census.rs
//! rows, counts -> the numbers behind the plots                      plots.rs
//! rows, counts -> what to look at first                             alarms.rs
//! rows, counts -> the clusters as they are listed                  clusters.rs
//! two texts -> their pieces, long ones folded                       texts.rs
//! all of it -> what the page shows, as JSON                         data.rs
//! JSON, the page's script and style -> one file                     page.rs
//! a run in memory -> a piece of HTML for a notebook                 overview.rs
//! ```
//!
//! The page is for any size of a run: clusters, pairs and texts are samples beyond some megabytes,
//! and the page says so. What it shows is text for the browser and never markup: the script makes
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

/// What a report is made of.
pub struct Material<'a> {
    /// The output folder, or one with the same reports.
    pub folder: &'a Path,
    /// The title of the page.
    pub title: String,
    /// What the user calls the output folder in commands; `None` for a run in memory.
    pub named: Option<String>,
    /// The run in numbers, as in `summary.json`.
    pub summary: Value,
    /// The files, those that the others were only compared with first, with the options to read
    /// them.
    pub readings: Vec<Reading>,
    /// The files of these that have changed since the run.
    pub changed: Vec<String>,
    /// The field by which sources are told apart, the only kept field of the options; `None` for
    /// the file.
    pub source_field: Option<String>,
    /// The normalizer of the run.
    pub normalizer: &'a Normalizer,
    /// The measure of the run.
    pub measure: Measure,
    /// Marks from which on a bound is proposed.
    pub least_marks: u64,
}

/// The report as HTML.
///
/// # Errors
/// [`Error::Io`] where a report of the run is missing or cannot be read; [`Error::Unusable`] where
/// it is damaged; [`Error::Interrupted`]. An input file that is not there any more is no error: the
/// page says so in place of its texts.
pub fn html(material: &Material<'_>, watch: &dyn Watch) -> Result<String, Error> {
    let path = material.folder.join("removed.jsonl");
    let removed = rows::Rows::read(&path)?;
    let all = removed.rows.len() as u64;
    if let Some(counted) =
        material.summary["counts"]["removed"].as_u64().filter(|counted| *counted != all)
    {
        return Err(Error::lacks_rows(path, all, counted));
    }
    let missed_path = material.folder.join("just_missed.jsonl");
    let missed =
        if missed_path.exists() { rows::Rows::read(&missed_path)? } else { rows::Rows::default() };
    let chosen = choose::Chosen::new(&removed, &missed);
    let places = chosen.places(&removed, &missed);
    let census =
        census::Census::new(material, &removed, &places, &chosen.clusters(&removed), watch)?;
    let data = data::Data::new(material, &removed, &missed, &chosen, &census)?;
    Ok(page::page(&data))
}
