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
use crate::read::{self, Found, STANDARD_INPUT, Source};
use crate::watch::Watch;

/// Finds the files of reference documents for the inputs that were `found`, if any are named.
/// Nothing is written for them, so their names are their labels; an id made of file and row has the
/// file as the user named it. The format in the settings is that of the input. Here it only holds
/// for files whose names stand for no format with fields. Warns of patterns of `exclude` that match
/// no file of either side.
///
/// # Errors
/// As [`read::find`], for the setting `against`; [`Error::Usage`] also if one of these files is an
/// input, or has no fields although the settings name one.
pub(super) fn find_against(
    config: &Config,
    options: &read::Options,
    against: &[String],
    found: &Found,
    spool: &Path,
    watch: &dyn Watch,
) -> Result<Vec<Source>, Error> {
    let sources = &found.sources;
    if against.is_empty() {
        found.warn_of_idle_patterns(watch);
        return Ok(Vec::new());
    }
    let labels = sources.iter().map(|source| source.label.as_str());
    check_standard_input(labels.chain(against.iter().map(String::as_str)))?;
    let place =
        |source: &Source| fs::canonicalize(&source.path).unwrap_or_else(|_| source.path.clone());
    let inputs: HashMap<PathBuf, &str> =
        sources.iter().map(|source| (place(source), source.label.as_str())).collect();
    let options = &read::Options { names_first: true, ..options.clone() };
    let mut of_against = read::find_all(against, options, spool, watch)
        .map_err(|error| error.of_setting("against"))?;
    of_against.join_patterns(found);
    of_against.warn_of_idle_patterns(watch);
    for source in &mut of_against.sources {
        if let Some(input) = inputs.get(&place(source)) {
            return Err(is_input(input, &source.label));
        }
        check_fields(config, source)?;
        source.name = source.label.clone();
    }
    Ok(of_against.sources)
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

/// The error of a file that is the input of this name as well.
fn is_input(input: &str, label: &str) -> Error {
    let are_one = match input == label {
        true => format!("{label} is also an input"),
        false => format!("{label} and the input {input} are the same file"),
    };
    Error::usage("against", format!("{are_one}; name it in one of the two places"))
}

#[cfg(test)]
mod tests;
