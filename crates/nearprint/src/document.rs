//! A document as the read room hands it on: id, text, and the fields that `keep` and the guards ask
//! for.

/// A document's own name: the user's string or integer, or `FILE:ROW` where the input has none.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(untagged)]
pub enum Id {
    /// An integer that fits 64 bits.
    Integer(i64),
    /// An integer above `i64::MAX`.
    Unsigned(u64),
    /// A string.
    Text(String),
}

impl std::fmt::Display for Id {
    /// The id as a person names it: without quotation marks.
    ///
    /// ```
    /// use nearprint::document::Id;
    /// assert_eq!([Id::Integer(7), Id::Text("诗.jsonl:3".into())].map(|id| id.to_string()), ["7", "诗.jsonl:3"]);
    /// ```
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Integer(id) => id.fmt(f),
            Id::Unsigned(id) => id.fmt(f),
            Id::Text(id) => id.fmt(f),
        }
    }
}

/// The value of a field that `keep newest:FIELD`, `same`, `differ` or `tokens-field` looks at.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FieldValue {
    /// An integer, compared exactly.
    Integer(i128),
    /// Another number, not a NaN; infinity is larger than all.
    Number(f64),
    /// A string, such as an ISO date.
    Text(String),
    /// True or false, which `keep` takes for a missing value.
    Boolean(bool),
    /// The tokens of the document, of the field that `tokens-field` names.
    Tokens(Vec<String>),
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
    /// The values of the [kept fields](crate::read::Options::kept_fields), in their order, `None`
    /// where the row lacks one; empty also where the input has no fields at all.
    pub fields: Vec<Option<FieldValue>>,
}
