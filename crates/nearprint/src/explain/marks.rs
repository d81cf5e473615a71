//! Two documents of a finished run -> the mark of a person that decided about them.

use crate::document::Id;
use crate::finished::{Finished, unused_marks};

/// A mark that a run has used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsedMark {
    /// The file, and the row in it.
    pub place: String,
    /// True if the two are duplicates, false if they are none.
    pub right: bool,
}

/// The mark on two documents, if the run has used one and its file is still the same.
pub(super) fn mark_of(finished: &Finished, ids: [&Id; 2]) -> Option<UsedMark> {
    let summary = finished.summary().ok()?;
    let (file, unused) = (finished.marks(&summary)?, unused_marks(&summary));
    [true, false].into_iter().find_map(|right| {
        let row = file.row_of(ids, right, |row| !unused.contains(&row))?;
        Some(UsedMark { place: format!("{}, row {row}", file.file), right })
    })
}
