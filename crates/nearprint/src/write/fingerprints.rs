//! Fingerprints as a table: `id, fingerprint (hex), features`, as JSON Lines; [`parquet`](super::parquet) writes the other form.

use std::io::Write;

use crate::outcome::FingerprintRow;

/// A row of JSON Lines.
#[derive(serde::Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    row: &'a FingerprintRow,
    recipe: &'a str,
}

/// Writes rows as JSON Lines, each with the identity of the recipe: rows of several files may be put together, and still say how
/// they were made.
///
/// # Errors
/// Those of `out`.
pub fn fingerprints_as_json_lines(
    rows: impl Iterator<Item = FingerprintRow>,
    recipe: &str,
    out: &mut impl Write,
) -> std::io::Result<()> {
    for row in rows {
        serde_json::to_writer(&mut *out, &Line { row: &row, recipe })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
