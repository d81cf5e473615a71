//! Several minimum similarities, with the documents that each would remove -> lines.

use std::fmt::Write;

use nearprint::run::{AtBound, BoundsTable, Example};
use nearprint::shares::Similarity;
use nearprint_core::view::beginning;

use crate::visible::visible;

/// The characters shown of a passage.
const PASSAGE: usize = 20;

/// The answer in a line; then each minimum similarity with the documents that it would remove, and
/// pairs just above and just below it.
pub(super) fn shown(table: &BoundsTable) -> String {
    let own = table.min_similarity;
    let mut out = String::new();
    let now = table.bounds.iter().find(|at| at.min_similarity == own);
    let _ = writeln!(
        out,
        "--min-similarity {own} removes {} of {} documents. Others would remove more or fewer:",
        now.map_or(0, |at| at.removed),
        table.read
    );
    for at in &table.bounds {
        out.push('\n');
        heading(at, table, &mut out);
        at.above.iter().for_each(|pair| line("above", pair, &mut out));
        at.below.iter().for_each(|pair| line("below", pair, &mut out));
    }
    out + "\nThe distances of the search are shown by --distances.\n"
}

/// A minimum similarity and the documents that it would remove.
fn heading(at: &AtBound, table: &BoundsTable, out: &mut String) {
    let is_own = at.min_similarity == table.min_similarity;
    let about = if table.estimated && !is_own { "about " } else { "" };
    let interval = at.interval.map_or(String::new(), |[low, high]| format!(" ({low} to {high})"));
    let now = if is_own { ", as set now" } else { "" };
    let _ =
        writeln!(out, "{:<6} {about}{} documents go{interval}{now}", at.min_similarity, at.removed);
}

/// A pair in a line: its similarity, ids, and first passages that differ.
fn line(side: &str, pair: &Example, out: &mut String) {
    let (left, right) = (&pair.left, &pair.right);
    let differing = pair.differing.as_ref().map_or(String::new(), |passages| {
        let [one, other] = passages.each_ref().map(|passage| beginning(passage, PASSAGE));
        format!(": \"{one}\", \"{other}\"")
    });
    let text = format!("  {side} {} {left}, {right}{differing}", Similarity(pair.similarity));
    let _ = writeln!(out, "{}", visible(&text));
}
