//! A document as the read room hands it on: id, text, and what `keep` may ask for.

/// A document's own name: the user's string or integer, or `FILE:ROW` where the input has none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(untagged)]
pub enum Id {
    /// An integer that fits 64 bits.
    Integer(i64),
    /// An integer above `i64::MAX`.
    Unsigned(u64),
    /// A string.
    Text(String),
}

/// The value of the field that `keep newest:FIELD` or `highest:FIELD` looks at.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FieldValue {
    /// An integer, compared exactly.
    Integer(i128),
    /// Another number, not a NaN; infinity is larger than all.
    Number(f64),
    /// A string, such as an ISO date.
    Text(String),
}

/// One row of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Row number from 1 in its file, as in [`Rejection::row`](crate::error::Rejection::row).
    pub row: u64,
    /// Its id.
    pub id: Id,
    /// Its text as read, several text fields joined with a line feed.
    pub text: String,
    /// The field `keep` asks for; `None` where nothing is asked or the row lacks it.
    pub field: Option<FieldValue>,
}
