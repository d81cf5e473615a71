//! Duplicates and documents of an index as plain data.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat};
use nearprint_core::judge::Reason;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::document::{FieldValue, Id};
use crate::shares::serialize_rounded;
use crate::shown_fields::ShowFields;

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
    #[serde(skip_serializing_if = "BTreeMap::is_empty", serialize_with = "in_json")]
    pub fields: BTreeMap<String, FieldValue>,
    /// The text of the document as read, if it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl IndexMatch {
    /// Leaves out the stored fields that are not to be shown. By default all are shown.
    pub fn show(&mut self, shown: &ShowFields) {
        if let ShowFields::Named(names) = shown {
            self.fields.retain(|name, _| names.contains(name));
        }
    }
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
    #[serde(serialize_with = "in_json")]
    pub fields: BTreeMap<String, FieldValue>,
    /// The time of its expiry, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "utc_or_none")]
    pub expires: Option<i64>,
    /// The time at which it was added first, in seconds since 1970.
    #[serde(serialize_with = "utc")]
    pub added: i64,
    /// The number of its story.
    pub story: u32,
    /// True if it is a copy, which no search finds.
    pub hidden: bool,
}

/// A document of an index without its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedDocument {
    /// Its id.
    pub id: Id,
    /// Its stored fields, and its date.
    #[serde(serialize_with = "in_json")]
    pub fields: BTreeMap<String, FieldValue>,
    /// The time at which it was added first, in seconds since 1970.
    #[serde(serialize_with = "utc")]
    pub added: i64,
    /// The number of its story.
    pub story: u32,
    /// True if it is a copy, which no search finds.
    pub hidden: bool,
}

impl IndexDocument {
    /// The document as a JSON object with `id`, `text` and its fields. A field called `id` or
    /// `text` is left out.
    pub fn to_json(&self) -> String {
        let fields = self.fields.iter().map(|(name, value)| (name.clone(), plain(value)));
        let mut row = Map::from_iter(fields);
        row.insert("id".to_string(), json!(self.id));
        row.insert("text".to_string(), self.text.as_str().into());
        Value::Object(row).to_string()
    }
}

/// Writes a time as text, as in `2026-11-28T04:30:00Z`.
pub(super) fn utc<S: Serializer>(seconds: &i64, out: S) -> Result<S::Ok, S::Error> {
    match DateTime::from_timestamp(*seconds, 0) {
        Some(time) => out.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Secs, true)),
        None => out.serialize_i64(*seconds),
    }
}

fn utc_or_none<S: Serializer>(seconds: &Option<i64>, out: S) -> Result<S::Ok, S::Error> {
    match seconds {
        Some(seconds) => utc(seconds, out),
        None => out.serialize_none(),
    }
}

/// Writes fields as a JSON object.
fn in_json<S: Serializer>(
    fields: &BTreeMap<String, FieldValue>,
    out: S,
) -> Result<S::Ok, S::Error> {
    out.collect_map(fields.iter().map(|(name, value)| (name, plain(value))))
}

/// A value as a JSON value. Integers beyond 64 bits and infinity become strings.
fn plain(value: &FieldValue) -> Value {
    match value {
        FieldValue::Integer(number) | FieldValue::Time(number) => {
            match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => number.into(),
                (_, Ok(number)) => number.into(),
                _ => number.to_string().into(),
            }
        }
        FieldValue::Number(number) => serde_json::Number::from_f64(*number)
            .map_or_else(|| number.to_string().into(), Value::Number),
        FieldValue::Text(text) => text.as_str().into(),
        FieldValue::Boolean(value) => (*value).into(),
        FieldValue::Tokens(tokens) => json!(tokens),
    }
}
