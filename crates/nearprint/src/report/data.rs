//! The numbers of a report, as its page reads them.

use nearprint_core::signs::HIDDEN;
use serde::Serialize;
use serde_json::Value;

use super::Material;
use super::alarms::{Alarm, LIMITS, Limits, alarms};
use super::census::Census;
use super::marks::{Earlier, earlier};
use super::plots::{Across, Lengths, Similarities, Sizes};
use super::rows::{Files, ReportRows};

/// The number of sources in the table.
const SOURCES: usize = 50;

/// The data of the page beside its pairs.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    name: &'a str,
    folder: Option<&'a str>,
    summary: &'a Value,
    /// The files that pairs name by their numbers.
    files: &'a [String],
    /// The files that have changed since the run.
    changed: &'a [String],
    sources: Sources<'a>,
    alarms: Vec<Alarm>,
    limits: &'static Limits,
    similarities: Similarities,
    sizes: Sizes,
    lengths: Option<Lengths>,
    across: Across,
    /// The number of documents that other bounds would remove, as in the summary.
    bounds: &'a Value,
    text: Option<Bytes>,
    /// The names of the fields that are shown beside pairs.
    shown: &'a [String],
    /// The number of the first pair of each part of the texts.
    parts: &'a [usize],
    /// The folder with the files of the parts; `None` if the parts stand in the page.
    pub parts_in: Option<String>,
    marks: Marks,
    /// The first and the last character of each range of characters that are shown by their codes.
    hidden: &'static [[char; 2]],
}

/// The marks beside those that are made on the page.
#[derive(Serialize)]
struct Marks {
    /// The least number of marks for a proposal of a bound.
    least: u64,
    /// The marks that the run was given.
    earlier: Vec<Earlier>,
    /// True if the file of these is gone or has changed since.
    gone: bool,
}

/// Documents read and removed by source, the source with the most removed ones first.
#[derive(Serialize)]
struct Sources<'a> {
    by: Option<&'a str>,
    rows: Vec<(&'a Option<String>, u64, u64)>,
    /// The sources that are not shown: their number, and their documents read and removed.
    more: Option<[u64; 3]>,
}

/// The number of bytes of texts.
#[derive(Serialize)]
struct Bytes {
    all: u64,
    removed: u64,
}

impl<'a> Data<'a> {
    pub fn new(
        material: &'a Material<'_>,
        [removed, _, missed]: [&ReportRows; 3],
        files: &'a Files,
        census: &'a Census,
        (parts, parts_in): (&'a [usize], Option<String>),
    ) -> Data<'a> {
        let summary = &material.summary;
        let is_sample = summary["bounds"]["estimated"] == true;
        let min_similarity = summary["settings"]["min-similarity"].as_f64().unwrap_or(0.0);
        let counts = &census.counts;
        let [all, gone] = counts.bytes;
        let sizes = removed.sizes();
        Data {
            name: &material.title,
            folder: material.named.as_deref(),
            summary,
            files: &files.names,
            changed: &material.changed,
            sources: Sources::new(material.source_field.as_deref(), census),
            alarms: alarms(removed, &sizes, counts, min_similarity),
            limits: &LIMITS,
            similarities: Similarities::new(removed, missed, is_sample),
            sizes: Sizes::of(sizes.iter().map(|(_, size)| *size)),
            lengths: Lengths::new(counts),
            across: Across::new(census),
            bounds: &summary["bounds"],
            text: (all > 0).then_some(Bytes { all, removed: gone }),
            shown: &census.shown,
            parts,
            parts_in,
            marks: Marks {
                least: material.least_marks,
                earlier: material.marks.map_or_else(Vec::new, |marks| earlier(marks, summary)),
                gone: material.marks.is_none() && summary["marks"].is_object(),
            },
            hidden: HIDDEN,
        }
    }
}

impl<'a> Sources<'a> {
    fn new(by: Option<&'a str>, census: &'a Census) -> Sources<'a> {
        let sources = &census.counts.sources;
        let mut rows: Vec<_> =
            sources.iter().map(|(name, [read, removed])| (name, *read, *removed)).collect();
        rows.sort_by_key(|(_, read, removed)| std::cmp::Reverse((*removed, *read)));
        let rest = rows.split_off(rows.len().min(SOURCES));
        let more = [
            rest.len() as u64,
            rest.iter().map(|row| row.1).sum(),
            rest.iter().map(|row| row.2).sum(),
        ];
        Sources { by, rows, more: (!rest.is_empty()).then_some(more) }
    }
}
