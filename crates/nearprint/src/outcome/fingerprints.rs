//! The fingerprint of a document, ready to be written.

use crate::document::Id;

/// The fingerprint of a document.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FingerprintRow {
    /// The document's id.
    pub id: Id,
    /// The fingerprint in hex, bit 0 first.
    pub fingerprint: String,
    /// Distinct features of the document.
    pub features: u32,
}
