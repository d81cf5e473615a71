//! Fingerprints as a table in JSON Lines: `id, fingerprint (hex), features` and the heaviest words
//! on request. [`parquet`](super::parquet) writes them as Parquet.

use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::outcome::FingerprintRow;

/// A row of JSON Lines.
#[derive(serde::Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    row: &'a FingerprintRow,
    recipe: &'a str,
}

/// Writes rows as JSON Lines, each with the identity of the recipe, so that rows of several files
/// can be put together and still tell how they were made. `path` is the file of `out`, for
/// messages.
///
/// # Errors
/// The errors of the rows, and [`Error::Io`] if `out` fails.
pub fn fingerprints_as_json_lines(
    rows: impl Iterator<Item = Result<FingerprintRow, Error>>,
    recipe: &str,
    path: &Path,
    out: &mut impl Write,
) -> Result<(), Error> {
    for row in rows {
        let line = Line { row: &row?, recipe };
        let written = serde_json::to_writer(&mut *out, &line).map_err(std::io::Error::from);
        written.and_then(|()| out.write_all(b"\n")).map_err(Error::io("write", path))?;
    }
    out.flush().map_err(Error::io("write", path))
}
