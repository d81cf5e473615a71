//! Duplicates and documents of an index as plain data.

use nearprint_core::judge::Reason;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::{FieldValue, Id};
use crate::shares::serialize_rounded;

/// A document that is a duplicate of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexMatch {
    /// The id of the document.
    pub id: Id,
    /// The similarity of the document and the text, 0 to 1.
    #[serde(serialize_with = "serialize_rounded")]
    pub similarity: f64,
    /// The reason why they are duplicates.
    pub reason: Reason,
    /// The distance of their fingerprints in bits; `None` if one of them is short.
    pub distance: Option<u32>,
    /// The stored fields of the document.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// The text of the document as read, if it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The duplicates of a text.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Answer {
    /// The first duplicates: by similarity, then by distance, then in the order in which they were
    /// added.
    pub matches: Vec<IndexMatch>,
    /// The number of other duplicates.
    pub more: u64,
}

/// A document of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexDocument {
    /// Its id.
    pub id: Id,
    /// Its text: as read if the index stores texts, else normalized.
    pub text: String,
    /// Its stored fields, and its date.
    pub fields: Map<String, Value>,
    /// The time of its expiry, in seconds since 1970.
    pub expires: Option<i64>,
}

/// Fields as JSON values.
pub(super) fn in_json(
    fields: impl IntoIterator<Item = (String, FieldValue)>,
) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name, plain(value))).collect()
}

/// A value as a JSON value. Integers beyond 64 bits and infinity become strings.
fn plain(value: FieldValue) -> Value {
    match value {
        FieldValue::Integer(number) => match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) => number.into(),
            _ => number.to_string().into(),
        },
        FieldValue::Number(number) => serde_json::Number::from_f64(number)
            .map_or_else(|| number.to_string().into(), Value::Number),
        FieldValue::Text(text) => text.into(),
        FieldValue::Boolean(value) => value.into(),
        FieldValue::Tokens(tokens) => tokens.into(),
    }
}
