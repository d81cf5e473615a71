//! A finished run -> the marks of a person that it was given, and those that it has not used.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Finished;
use crate::corpus::MarkFile;

impl Finished {
    /// The marks that the run was given; `None` without them, and if their file is gone or has
    /// changed since. `summary` is that of the run.
    pub(crate) fn marks(&self, summary: &Value) -> Option<MarkFile> {
        let file = MarkFile::read(self.config.decide.marks.as_ref()?).ok()?;
        let known = summary["marks"]["hash"].as_str();
        known.is_none_or(|known| known == format!("{:032x}", file.hash)).then_some(file)
    }
}

/// The rows of the marks that a run has not used, by its summary.
pub(crate) fn unused_marks(summary: &Value) -> BTreeSet<u64> {
    let lists = ["changed", "absent"].into_iter();
    let marks = lists.filter_map(|list| summary["marks"][list].as_array()).flatten();
    marks.filter_map(|mark| mark["row"].as_u64()).collect()
}
