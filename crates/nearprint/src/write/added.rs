//! A document -> the fields that are written beside its row.

use serde_json::Value;

use super::passage_rows::PlaceValues;
use crate::document::Id;

/// The values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// Ids of documents.
    Id,
    /// Whole numbers.
    Number,
    /// Lists of places.
    Places,
}

/// Fields that are written beside the row of a document.
pub trait AddedFields {
    /// Their names and types.
    const FIELDS: &'static [(&'static str, FieldType)];
    /// The setting that asks for them.
    const SETTING: &'static str;
    /// The advice where they cannot be written.
    const INSTEAD: &'static str;

    /// Their values, as in JSON.
    fn values(&self) -> Vec<Value>;
}

/// The decision on a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotation {
    /// The keeper of which this document is a duplicate; `None` for a kept one.
    pub duplicate_of: Option<Id>,
    /// The cluster of the document; `None` without a cluster.
    pub cluster: Option<u64>,
}

impl AddedFields for Annotation {
    const FIELDS: &'static [(&'static str, FieldType)] =
        &[("duplicate_of", FieldType::Id), ("cluster", FieldType::Number)];
    const SETTING: &'static str = "annotate";
    const INSTEAD: &'static str = "write kept copies instead";

    fn values(&self) -> Vec<Value> {
        let duplicate_of = self.duplicate_of.as_ref().map_or(Value::Null, |id| match id {
            Id::Integer(id) => (*id).into(),
            Id::Unsigned(id) => (*id).into(),
            Id::Text(id) => id.as_str().into(),
        });
        vec![duplicate_of, self.cluster.map_or(Value::Null, Value::from)]
    }
}

/// The places of passages in a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlacesOfDocument(pub(super) Vec<PlaceValues>);

impl AddedFields for PlacesOfDocument {
    const FIELDS: &'static [(&'static str, FieldType)] = &[("passages", FieldType::Places)];
    const SETTING: &'static str = "action";
    const INSTEAD: &'static str = "list the places instead";

    fn values(&self) -> Vec<Value> {
        vec![serde_json::to_value(&self.0).expect("numbers and names are JSON")]
    }
}
