//! The output folder of a run -> the pairs that a person may mark in it: removals after a
//! comparison of texts, and pairs that just missed the bound.
//!
//! If a run has fewer pairs than a proposal needs, more cannot be marked, so marks of all of them
//! are enough.

use std::path::Path;

use nearprint_core::judge::Reason;

use super::names::Names;
use super::{LEAST_MARKS, Pair};
use crate::error::{Error, Problem, Rejection};
use crate::read::json::Value;
use crate::read::table::Table;
use crate::read::values::id;
use crate::read::{self, Format};
use crate::watch::Watch;
use crate::write::reports::{JUST_MISSED, REMOVED};

/// The reports with such pairs, with the names of both documents, and of the reason of a removal.
const REPORTS: [(&str, [&str; 3]); 2] =
    [(REMOVED, ["id", "keeper", "reason"]), (JUST_MISSED, ["left", "right", "reason"])];

/// The pairs of a run that has few of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunPairs {
    /// The number of pairs, less than [`LEAST_MARKS`].
    pub count: u64,
    /// The number of pairs without a mark.
    pub unmarked: u64,
}

/// The pairs of the run in this folder; `None` if there are [`LEAST_MARKS`] or more.
///
/// # Errors
/// [`Error::Io`], [`Error::Rejected`] for a damaged row, [`Error::Interrupted`].
pub(super) fn run_pairs(
    folder: &Path,
    names: &Names,
    is_marked: impl Fn(Pair) -> bool,
    spool: &Path,
    watch: &dyn Watch,
) -> Result<Option<RunPairs>, Error> {
    let mut pairs = RunPairs { count: 0, unmarked: 0 };
    for (report, fields) in REPORTS {
        let path = folder.join(report);
        if !path.is_file() {
            continue;
        }
        let source = read::find_table(
            &path.display().to_string(),
            Some(Format::JsonLines),
            None,
            spool,
            watch,
        )?;
        let mut table = match Table::open(&source, &fields.map(str::to_string)) {
            Err(Rejection { problem: Problem::EmptyFile, .. }) => continue,
            table => table?,
        };
        while let Some(pair) = table.next(|_, values| {
            let is_of = |reason: &Reason| matches!(&values[2], Some(Value::Text(name)) if **name == *reason.name());
            if Reason::ALL.iter().find(|reason| is_of(reason)).is_some_and(|reason| !reason.has_bound()) {
                return Ok(None);
            }
            let [left, right] = [id(values[0].as_ref(), fields[0])?, id(values[1].as_ref(), fields[1])?];
            Ok(Some(names.find(&left.0).zip(names.find(&right.0))))
        }) {
            let Some(pair) = pair? else { continue };
            pairs.count += 1;
            let is_marked = pair.is_some_and(|(left, right)| is_marked((left.min(right), left.max(right))));
            pairs.unmarked += u64::from(!is_marked);
            if pairs.count >= LEAST_MARKS {
                return Ok(None);
            }
        }
    }
    Ok(Some(pairs))
}
