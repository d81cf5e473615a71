//! A value of JSON -> a value of the few kinds that this room reads.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::read::join_texts;

/// The value of a wanted field.
#[derive(Debug, Clone)]
pub(crate) enum Value<'line> {
    Null,
    Boolean(bool),
    Integer(i64),
    Unsigned(u64),
    Fraction(f64),
    Text(Cow<'line, str>),
    /// An array. Its elements are kept on request; those of arrays inside it never are.
    Array(Vec<Value<'line>>),
    Object,
    /// The values inside of a list that the name of the field asks for, as `tags[]` does. Their
    /// elements are never kept.
    Each(Vec<Value<'line>>),
}

impl<'line> Value<'line> {
    /// The kind of the value, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Integer(_) | Value::Unsigned(_) => "an integer",
            // Negative zero is read as a fraction, since no integer represents it.
            Value::Fraction(number) if *number == 0.0 && number.is_sign_negative() => {
                "a negative zero"
            }
            Value::Fraction(_) => "a number with a fraction or beyond 64 bits",
            Value::Text(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object => "an object",
            Value::Each(_) => "a list",
        }
    }

    /// Returns true for null, and for a list of nothing else.
    pub fn is_null(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Each(values) => values.iter().all(Value::is_null),
            _ => false,
        }
    }

    /// Returns true for null, the empty text, and a list of nothing else.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Text(text) => text.is_empty(),
            Value::Each(values) => values.iter().all(Value::is_empty),
            _ => false,
        }
    }

    /// The text, if the value is one; the texts of a list joined with a line feed.
    pub fn into_text(self) -> Option<Cow<'line, str>> {
        match self {
            Value::Text(text) => Some(text),
            Value::Each(values) => {
                join_texts(values.into_iter().map(Value::into_text)).map(Cow::Owned)
            }
            _ => None,
        }
    }
}

/// Any value. The elements of an array are kept if `elements` is true. An array inside an array is
/// skipped without recursion, however deep.
pub(super) struct AnyValue {
    pub elements: bool,
}

impl<'line> DeserializeSeed<'line> for AnyValue {
    type Value = Value<'line>;

    fn deserialize<D: Deserializer<'line>>(self, json: D) -> Result<Value<'line>, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'line> Visitor<'line> for AnyValue {
    type Value = Value<'line>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value<'line>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value<'line>, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'line>, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'line>, E> {
        Ok(i64::try_from(number).map_or(Value::Unsigned(number), Value::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value<'line>, E> {
        Ok(Value::Fraction(number))
    }

    fn visit_borrowed_str<E>(self, text: &'line str) -> Result<Value<'line>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'line>, E> {
        Ok(Value::Text(Cow::Owned(text.to_string())))
    }

    fn visit_seq<A: SeqAccess<'line>>(self, mut array: A) -> Result<Value<'line>, A::Error> {
        let mut elements = Vec::new();
        while self.elements
            && let Some(element) = array.next_element_seed(AnyValue { elements: false })?
        {
            elements.push(element);
        }
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'line>>(self, mut object: A) -> Result<Value<'line>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object)
    }
}
