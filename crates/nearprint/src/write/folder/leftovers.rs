//! The leftovers of killed runs beside an output folder, or inside it.

use std::fs;
use std::path::Path;

use crate::temporary;

/// The end of the name of a folder that is being replaced.
pub(super) const BEFORE: &str = ".before";

/// The beginning of the names of temporary folders for this output.
pub(super) fn prefix(target: &Path) -> String {
    format!(".{}.", target.file_name().unwrap_or_default().to_string_lossy())
}

/// Removes the leftovers of killed runs with this output, beside it or inside it. A folder that one
/// of them was replacing is put back if its place is empty.
pub(super) fn remove_abandoned(target: &Path) {
    let prefix = prefix(target);
    let beside = target
        .parent()
        .map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    for parent in beside.into_iter().chain([target]) {
        temporary::remove_abandoned(parent, &prefix);
    }
    for (before, _lock) in
        beside.into_iter().flat_map(|parent| temporary::abandoned(parent, &prefix, BEFORE))
    {
        // A folder that cannot be moved stays, and is found the next time.
        let _ = match target.symlink_metadata().is_ok() {
            true => fs::remove_dir_all(&before),
            false => fs::rename(&before, target),
        };
    }
}
