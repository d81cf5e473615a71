//! Help for tests of folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect::<BTreeSet<String>>().into_iter().collect()
}
