//! The input files -> a check that some document has the field that names its source.
//!
//! Cost: the files are read up to the first document with the field, which most often is the first
//! document.

use super::Reading;
use crate::error::{Error, FieldUse};
use crate::read;
use crate::watch::{Watch, stop_if_asked};

/// The number of documents between two checks for a stop.
const BETWEEN_STOPS: usize = 4096;

/// Refuses a field, the only kept one of the options, that no document of the input has. Files that
/// cannot be read are skipped, and an input without documents is accepted.
///
/// # Errors
/// [`Error::NoSuchField`], [`Error::Interrupted`].
pub fn check_source_field(
    readings: &[Reading],
    field: &str,
    watch: &dyn Watch,
) -> Result<(), Error> {
    let inputs = || readings.iter().filter(|reading| !reading.is_against);
    let mut is_empty = true;
    for reading in inputs() {
        let Ok(documents) = read::read(&reading.source, &reading.options) else { continue };
        for (number, document) in documents.flatten().enumerate() {
            if number % BETWEEN_STOPS == 0 {
                stop_if_asked(watch)?;
            }
            is_empty = false;
            if document.fields.first().is_some_and(Option::is_some) {
                return Ok(());
            }
        }
    }
    if is_empty {
        return Ok(());
    }
    let available = inputs().find_map(|reading| read::table::fields(&reading.source));
    let (field, available) = (field.to_string(), available.unwrap_or_default());
    Err(Error::NoSuchField { used_as: FieldUse::Source, field, available })
}
