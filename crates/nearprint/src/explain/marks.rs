//! Two documents of a finished run -> the mark of a person that decided about them.

use crate::corpus::MarkFile;
use crate::document::Id;
use crate::finished::Finished;

/// A mark that a run has used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsedMark {
    /// The file, and the row in it.
    pub place: String,
    /// True if the two are duplicates, false if they are none.
    pub right: bool,
}

/// The mark on two documents, if the run has used one and its file is still there.
pub(super) fn mark_of(finished: &Finished, ids: [&Id; 2]) -> Option<UsedMark> {
    let file = MarkFile::read(finished.config.decide.marks.as_ref()?).ok()?;
    let summary = finished.summary().ok()?;
    let unused = |row: u64| {
        let rows =
            ["changed", "absent"].into_iter().filter_map(|list| summary["marks"][list].as_array());
        rows.flatten().any(|mark| mark["row"] == row)
    };
    [true, false].into_iter().find_map(|right| {
        let row = file.row_of(ids, right, |row| !unused(row))?;
        Some(UsedMark { place: format!("{}, row {row}", file.file), right })
    })
}
