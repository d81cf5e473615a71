//! A finished run whose reference documents came from an index -> those of them that its reports
//! name, read from the index again.
//!
//! An index has no rows of its own. The rows in the reports are those of the run, and the ids tell
//! the documents.

use super::Finished;
use crate::error::Error;
use crate::read::Source;

/// Returns true if there is an index in this folder.
#[cfg(feature = "index")]
pub(super) fn is_there(folder: &str) -> bool {
    crate::index::Index::is_there(std::path::Path::new(folder))
}

/// The index of a run as a source; `None` if the reference documents came from files.
///
/// # Errors
/// [`Error::Io`]; [`Error::Incompatible`] if a report or the index is damaged.
#[cfg(feature = "index")]
pub(super) fn of(finished: &Finished) -> Result<Option<Source>, Error> {
    let [folder] = &finished.against[..] else { return Ok(None) };
    if !is_there(folder) {
        return Ok(None);
    }
    let mut ids = std::collections::BTreeMap::new();
    for removed in finished.removed()? {
        let removed = removed?;
        if removed.keeper_file == *folder {
            ids.insert(removed.keeper_row, removed.keeper);
        }
    }
    for leak in finished.leaks()? {
        let leak = leak?;
        if leak.item_file == *folder {
            ids.insert(leak.item_row, leak.item);
        }
    }
    for missed in finished.just_missed()? {
        let missed = missed?;
        let ends = [
            (missed.left_file, missed.left_row, missed.left),
            (missed.right_file, missed.right_row, missed.right),
        ];
        let of_index = ends.into_iter().filter(|(file, ..)| file == folder);
        ids.extend(of_index.map(|(_, row, id)| (row, id)));
    }
    crate::index::again(std::path::Path::new(folder), ids).map(Some)
}

#[cfg(not(feature = "index"))]
pub(super) fn is_there(_: &str) -> bool {
    false
}

#[cfg(not(feature = "index"))]
pub(super) fn of(_: &Finished) -> Result<Option<Source>, Error> {
    Ok(None)
}
