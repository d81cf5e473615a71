//! The input files -> a check that some document has each field that a user has named: the field of
//! the source, and the shown fields.
//!
//! Cost: for each field the files are read up to the first document with it, which most often is
//! the first document.

use super::Reading;
use crate::error::{Error, FieldUse};
use crate::read;
use crate::watch::{Watch, stop_if_asked};

/// The number of documents between two checks for a stop.
const BETWEEN_STOPS: usize = 4096;

/// Refuses a field that no document of the input has. Files that cannot be read are skipped, and an
/// input without documents is accepted.
///
/// # Errors
/// [`Error::NoSuchField`], [`Error::Interrupted`].
pub fn check_field(
    readings: &[Reading],
    field: &str,
    used_as: FieldUse,
    watch: &dyn Watch,
) -> Result<(), Error> {
    let inputs = || readings.iter().filter(|reading| !reading.is_against);
    let mut is_empty = true;
    for reading in inputs() {
        let options =
            read::Options { kept_fields: vec![field.to_string()], ..reading.options.clone() };
        let Ok(documents) = read::read(&reading.source, &options) else { continue };
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
    Err(Error::NoSuchField { used_as, field, available })
}
