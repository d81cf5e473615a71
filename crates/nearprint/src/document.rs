//! A document as the read room returns it: id, text, and the fields for `keep` and the guards.

/// The id of a document: the user's string or integer, or `FILE:ROW` if the input has none.
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
    /// Writes the id as a person does: without quotation marks.
    ///
    /// ```
    /// use nearprint::document::Id;
    /// let ids = [Id::Integer(7), Id::Text("诗.jsonl:3".into())];
    /// assert_eq!(ids.map(|id| id.to_string()), ["7", "诗.jsonl:3"]);
    /// ```
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Id::Integer(id) => id.fmt(f),
            Id::Unsigned(id) => id.fmt(f),
            Id::Text(id) => id.fmt(f),
        }
    }
}

impl Id {
    /// Returns true if a person may mean this id by a name: its letters, or for a string also its
    /// JSON, with quotation marks.
    ///
    /// ```
    /// use nearprint::document::Id;
    /// assert!(Id::Integer(7).is_named("7") && !Id::Integer(7).is_named("\"7\""));
    /// assert!(Id::Text("7".into()).is_named("7") && Id::Text("7".into()).is_named("\"7\""));
    /// ```
    pub fn is_named(&self, name: &str) -> bool {
        let quoted = || serde_json::from_str::<String>(name).ok();
        self.to_string() == name
            || matches!(self, Id::Text(id) if name.starts_with('"') && quoted().as_ref() == Some(id))
    }
}

/// The value of a field of `keep newest:FIELD`, `same`, `differ` or `tokens-field`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FieldValue {
    /// An integer, compared exactly.
    Integer(i128),
    /// Another number, but no NaN; infinity is larger than all.
    Number(f64),
    /// A string, such as an ISO date.
    Text(String),
    /// True or false. For `keep` true is more than false, and both are less than any other value.
    Boolean(bool),
    /// The tokens of the document, from the field of `tokens-field`.
    Tokens(Vec<String>),
    /// A date or time of a column, in microseconds since 1970. Only as a date it differs from the
    /// integer.
    Time(i128),
}

impl std::fmt::Display for FieldValue {
    /// Writes the value without quotation marks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FieldValue::Integer(number) | FieldValue::Time(number) => number.fmt(f),
            FieldValue::Number(number) => number.fmt(f),
            FieldValue::Text(text) => text.fmt(f),
            FieldValue::Boolean(value) => value.fmt(f),
            FieldValue::Tokens(tokens) => tokens.join(" ").fmt(f),
        }
    }
}

/// One row of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The row number from 1 in its file, as in [`Rejection::row`](crate::error::Rejection::row).
    pub row: u64,
    /// The id.
    pub id: Id,
    /// The text as read, several text fields joined with a line feed.
    pub text: String,
    /// The values of the [kept fields](crate::read::Options::kept_fields), in their order, `None`
    /// for a field that the row lacks; empty if the input has no fields at all.
    pub fields: Vec<Option<FieldValue>>,
}

impl Document {
    /// Its own tokens, if the field of `tokens-field` is the last of its fields.
    pub fn tokens(&self) -> Option<&[String]> {
        match self.fields.last() {
            Some(Some(FieldValue::Tokens(tokens))) => Some(tokens),
            _ => None,
        }
    }

    /// The fields that have a value, by name. `names` are the names of all fields, in their order.
    pub fn named(&self, names: &[String]) -> Vec<(String, FieldValue)> {
        let values = names.iter().zip(&self.fields);
        values.filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect()
    }
}
