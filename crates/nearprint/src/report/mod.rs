//! The output folder of a run, and its input -> one HTML file with the removals, their reasons, and
//! the place of the bound.
//!
//! ```text
//! removed.jsonl, leaks.jsonl, just_missed.jsonl -> rows in a few bytes each      rows.rs
//! input files -> a check of the fields that a user names            fields.rs
//! input files -> texts and fields of pairs, documents counted       census.rs
//! rows, counts -> the numbers behind the plots                      plots.rs
//! rows, counts -> alarms                                            alarms.rs
//! the marks that the run was given -> their rows                    marks.rs
//! two texts -> their pieces, long ones folded                       texts.rs
//! the texts of all pairs -> parts in the page or in files           parts.rs
//! all pairs without their texts -> the list of the page             list.rs
//! all numbers -> the data of the page                               data.rs
//! data, list, parts, the page's script and style -> one file        page.rs
//! passages, with some of their places -> a page of its own          passages.rs
//! a run in memory -> a piece of HTML for a notebook                 overview.rs
//! ```
//!
//! The page has every removal, and every leak in a document that stays. Beyond some megabytes the
//! texts stand in files beside the page, and the texts on their way to it stand in a temporary
//! file. All content is text for the browser and never markup: the script makes text nodes only,
//! and a content security policy allows no other script and no address.

mod alarms;
mod census;
mod data;
mod fields;
mod list;
mod marks;
mod overview;
mod page;
mod parts;
mod passages;
mod plots;
mod rows;
mod texts;

pub use census::Reading;
pub use fields::check_field;
pub use overview::{Overview, Pair};
pub use page::{PAGE_STYLE, page_elements};
pub use passages::{Context, PassagesPage, ShownPassage, write_passages};

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use nearprint_core::compare::Measure;
use nearprint_core::normalize::Normalizer;
use serde_json::Value;

use crate::corpus::MarkFile;
use crate::error::Error;
use crate::shown_fields::ShowFields;
use crate::watch::Watch;
use crate::write::reports::{JUST_MISSED, LEAKS, REMOVED};

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
    /// The field with the source of a document, one of the kept fields of the options; `None` if
    /// the source is the file.
    pub source_field: Option<String>,
    /// The fields that are shown beside pairs, all of them kept fields of the options.
    pub show_fields: ShowFields,
    /// The normalizer of the run.
    pub normalizer: &'a Normalizer,
    /// The measure of the run.
    pub measure: Measure,
    /// The number of marks that a proposed bound needs.
    pub least_marks: u64,
    /// The marks that the run was given; `None` without them, and if their file is gone or has
    /// changed since.
    pub marks: Option<&'a MarkFile>,
}

/// Writes the report into a file, with further files in a folder beside it if the texts are many:
/// `report-data` for `report.html`. The files are in place before the page. The files of an earlier
/// page in this place are removed.
///
/// # Errors
/// [`Error::Io`] if a report of the run is missing or cannot be read, or a file cannot be written;
/// [`Error::Incompatible`] if a report of the run is damaged; [`Error::Interrupted`]. A missing
/// input file is no error: the page says so in place of its texts.
pub fn write(material: &Material<'_>, path: &Path, watch: &dyn Watch) -> Result<(), Error> {
    let removed_path = material.folder.join(REMOVED);
    let mut files = rows::Files::default();
    let removed = rows::ReportRows::read(&removed_path, &mut files)?;
    let all = removed.rows.len() as u64;
    if let Some(counted) =
        material.summary["counts"]["removed"].as_u64().filter(|counted| *counted != all)
    {
        return Err(Error::lacks_rows(removed_path, all, counted));
    }
    let mut further = |name: &str| match material.folder.join(name) {
        path if path.exists() => rows::ReportRows::read(&path, &mut files),
        _ => Ok(rows::ReportRows::default()),
    };
    let (leaks, missed) = (further(LEAKS)?, further(JUST_MISSED)?);
    let rows = [&removed, &leaks, &missed];
    let census = census::Census::new(material, rows, &files, watch)?;
    let parts = parts::Parts::new(material, rows, &census, path, watch)?;
    let parts_in = parts.files.as_ref().map(|files| files.address(path));
    let data = data::Data::new(material, rows, &files, &census, (&parts.firsts, parts_in));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!(".{name}.part"));
    let sheet = page::REMOVALS.with_files(data.parts_in.is_some());
    let failed = |error: io::Error| Error::io("write", &unfinished)(error);
    let by_field = material.source_field.is_some();
    let list = |out: &mut BufWriter<File>| list::write(rows, &census, by_field, out, failed);
    sheet.write(&unfinished, &data, list, &parts.in_page)?;
    let own = parts.files.map(|files| files.place(path)).transpose()?;
    fs::rename(&unfinished, path).map_err(Error::io("write", path))?;
    parts::remove_earlier(path, own.as_deref());
    Ok(())
}
