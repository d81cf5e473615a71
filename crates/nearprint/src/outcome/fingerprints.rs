//! The fingerprint of a document, ready to be written.

use nearprint_core::recipe::Weighed;

use crate::document::Id;

/// The fingerprint of a document.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct FingerprintRow {
    /// The id of the document.
    pub id: Id,
    /// The fingerprint in hex, bit 0 first.
    pub fingerprint: String,
    /// The number of distinct features of the document.
    pub features: u32,
    /// The words that weigh most, the heaviest first, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heaviest: Option<Vec<Weighed>>,
}
