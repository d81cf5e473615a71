//! A build without the library for Parquet: nothing is written.

use std::path::Path;

use crate::error::Error;
use crate::outcome::FingerprintRow;
use crate::read::{Options, Source};
use crate::write::{AddedFields, RowFate, Written};

fn refused(path: &Path) -> Error {
    let remedy = "this build of nearprint cannot write Parquet; build it with its feature `parquet`, or write JSON Lines";
    Error::usage("output", format!("{}: {remedy}", path.display()))
}

/// Copies the rows that are to be kept.
///
/// # Errors
/// [`Error::Usage`].
pub(in crate::write) fn kept(
    _: &Source,
    target: &Path,
    _: &Options,
    _: &mut dyn FnMut(u64) -> RowFate,
) -> Result<Written, Error> {
    Err(refused(target))
}

/// Copies all rows but the rejected ones and adds columns.
///
/// # Errors
/// [`Error::Usage`].
pub(in crate::write) fn annotated<A: AddedFields>(
    _: &Source,
    target: &Path,
    _: &Options,
    _: &mut dyn FnMut(u64) -> Option<A>,
) -> Result<Written, Error> {
    Err(refused(target))
}

/// Writes rows as a Parquet file in a build that can.
///
/// # Errors
/// [`Error::Usage`]: this build cannot.
pub fn fingerprints_as_parquet(
    _: impl Iterator<Item = Result<FingerprintRow, Error>>,
    _: bool,
    _: bool,
    _: &str,
    path: &Path,
) -> Result<(), Error> {
    Err(refused(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_names_the_remedy() {
        let error =
            fingerprints_as_parquet(std::iter::empty(), true, false, "", Path::new("f.parquet"))
                .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("f.parquet: this build of nearprint cannot write Parquet; build it with")
        );
    }
}
