//! The list of sources -> a check that no file comes twice.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use super::Source;
use crate::error::Error;

/// Refuses sources of which two are one file.
///
/// # Errors
/// [`Error::Usage`].
pub(super) fn check_distinct(sources: &[Source]) -> Result<(), Error> {
    let mut files: HashMap<PathBuf, &str> = HashMap::new();
    for source in sources {
        let path = fs::canonicalize(&source.path).unwrap_or_else(|_| source.path.clone());
        if let Some(first) = files.insert(path, &source.label) {
            let problem = if first == source.label {
                format!("{first} is given twice; name it once")
            } else {
                format!("{first} and {} are the same file; name it once", source.label)
            };
            return Err(Error::usage("input", problem));
        }
    }
    Ok(())
}
