//! Fingerprints as a table: `id, fingerprint (hex), features`, as JSON Lines; [`parquet`](super::parquet) writes the other form.

use std::io::Write;

use crate::document::Id;

/// One fingerprint to be written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FingerprintRow {
    /// The document's id.
    pub id: Id,
    /// The fingerprint in hex, bit 0 first.
    pub fingerprint: String,
    /// Distinct features of the document.
    pub features: u32,
}

/// Writes rows as JSON Lines.
///
/// # Errors
/// Those of `out`.
pub fn fingerprints_as_json_lines(
    rows: impl Iterator<Item = FingerprintRow>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    for row in rows {
        serde_json::to_writer(&mut *out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
