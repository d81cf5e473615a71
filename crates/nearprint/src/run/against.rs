//! Finds the files of reference documents, such as a test set that must not be in the training
//! data.
//!
//! They are read first, so their documents have the smallest numbers and the best ranks and are
//! never removed. Only pairs across the two sides are compared; duplicates within a side stay.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::error::Error;
use crate::read::{self, STANDARD_INPUT, Source};
use crate::watch::Watch;

/// Finds the files of reference documents for the inputs `sources`. Nothing is written for them, so
/// several may have one name; an id made of file and row has the file as the user named it. The
/// format in the settings is that of the input. Here it only holds for files whose names stand for
/// no format with fields.
///
/// # Errors
/// As [`read::find`], for the setting `against`; [`Error::Usage`] also if one of these files is in
/// `sources`, or has no fields although the settings name one.
pub(super) fn find_against(
    config: &Config,
    options: &read::Options,
    against: &[String],
    sources: &[Source],
    spool: &Path,
    watch: &dyn Watch,
) -> Result<Vec<Source>, Error> {
    let labels = sources.iter().map(|source| source.label.as_str());
    check_standard_input(labels.chain(against.iter().map(String::as_str)))?;
    let place =
        |source: &Source| fs::canonicalize(&source.path).unwrap_or_else(|_| source.path.clone());
    let mut files: HashMap<PathBuf, (String, bool)> =
        sources.iter().map(|source| (place(source), (source.label.clone(), true))).collect();
    let options = &read::Options { names_first: true, ..options.clone() };
    let mut found = Vec::new();
    for input in against {
        // One by one, since two files of one name are allowed here.
        let sources = read::find(std::slice::from_ref(input), options, spool, watch)
            .map_err(|error| error.of_setting("against"))?;
        for source in sources {
            match files.insert(place(&source), (source.label.clone(), false)) {
                None => {}
                Some((first, is_input)) => {
                    return Err(given_twice(&first, is_input, &source.label));
                }
            }
            check_fields(config, &source)?;
            found.push(Source { name: source.label.clone(), ..source });
        }
    }
    Ok(found)
}

/// Refuses standard input that is named more than once.
pub(super) fn check_standard_input<'n>(
    mut names: impl Iterator<Item = &'n str>,
) -> Result<(), Error> {
    let mut again = || names.any(|name| name == STANDARD_INPUT);
    match again() && again() {
        true => Err(Error::usage(
            "against",
            "standard input (-) can be read only once; save it to a file, and name the file",
        )),
        false => Ok(()),
    }
}

/// Refuses a file without fields if the settings name the field of its texts.
fn check_fields(config: &Config, source: &Source) -> Result<(), Error> {
    if config.read.against_text_fields.is_empty() || source.format.has_fields() {
        return Ok(());
    }
    let problem = format!(
        "{} is read as plain text, which has no fields; rename it by its format, such as \
         items.jsonl, or leave this out",
        source.label
    );
    Err(Error::usage("against-text-field", problem))
}

/// One file in two places.
fn given_twice(first: &str, is_input: bool, label: &str) -> Error {
    let problem = match (is_input, first == label) {
        (true, true) => {
            format!("{label} is also an input; name it in one of the two places")
        }
        (true, false) => {
            format!(
                "{label} and the input {first} are the same file; name it in one of the two places"
            )
        }
        (false, true) => format!("{label} is given twice; name it once"),
        (false, false) => format!("{first} and {label} are the same file; name it once"),
    };
    Error::usage("against", problem)
}

#[cfg(test)]
mod tests;
