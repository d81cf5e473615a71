//! A line that is one JSON object -> the values of some of its fields.
//!
//! The whole line is checked; only the wanted fields are kept. `doc.text` is the field `text` of
//! the object `doc`, unless the line has a field with the name `doc.text`, and
//! `messages[].content` has the values of all objects of a list. A wanted field that comes twice,
//! with or without escapes in its name, is refused like a repeated column of CSV, since either
//! might be meant.
//!
//! ```text
//! a value -> one of the kinds that are read          value.rs
//! a line -> fields inside of its objects and lists   inside.rs
//! a line that is no JSON -> its problem              not_json.rs
//! ```

mod inside;
mod not_json;
mod value;

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use inside::parse_inside;
pub(crate) use inside::{find, parse_nested, problem_around, text_parts, texts};
use not_json::not_json;
use value::AnyValue;
pub(crate) use value::Value;

use crate::error::Problem;
use crate::field::may_be_inside;

/// The values of these fields in a line that is one JSON object; `None` for a field that it lacks.
/// Arrays come without their elements, which may take twenty times the memory of the line.
pub(crate) fn parse<'line>(
    line: &'line str,
    names: &[String],
) -> Result<Vec<Option<Value<'line>>>, Problem> {
    parse_with(line, names, false)
}

/// Does what [`parse`] does, and keeps the elements of arrays.
pub(crate) fn parse_lists<'line>(
    line: &'line str,
    names: &[String],
) -> Result<Vec<Option<Value<'line>>>, Problem> {
    parse_with(line, names, true)
}

fn parse_with<'line>(
    line: &'line str,
    names: &[String],
    elements: bool,
) -> Result<Vec<Option<Value<'line>>>, Problem> {
    if names.iter().any(|name| may_be_inside(name)) {
        return parse_inside(line, names, elements);
    }
    let mut values = vec![None; names.len()];
    let mut repeated = None;
    let mut json = serde_json::Deserializer::from_str(line);
    let object = Object { names, values: &mut values, repeated: &mut repeated, elements };
    match (json.deserialize_map(object).and_then(|()| json.end()), repeated) {
        (Ok(()), None) => Ok(values),
        (Ok(()), Some(place)) => Err(Problem::RepeatedField { field: names[place].clone() }),
        (Err(error), _) => Err(not_json(line, line, &error)),
    }
}

/// The names of the fields of a line that is one JSON object, in order. Any other line has none.
pub(crate) fn names(line: &str) -> Vec<String> {
    struct Names;

    impl<'line> Visitor<'line> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'line>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some((name, IgnoredAny)) = map.next_entry()? {
                names.push(name);
            }
            Ok(names)
        }
    }

    serde_json::Deserializer::from_str(line).deserialize_map(Names).unwrap_or_default()
}

struct Object<'a, 'line> {
    names: &'a [String],
    values: &'a mut [Option<Value<'line>>],
    /// The place of a wanted field that came twice.
    repeated: &'a mut Option<usize>,
    elements: bool,
}

impl<'line> Visitor<'line> for Object<'_, 'line> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'line>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(place) = map.next_key_seed(Name(self.names))? {
            match place {
                Some(place) => {
                    let value = map.next_value_seed(AnyValue { elements: self.elements })?;
                    if self.values[place].replace(value).is_some() {
                        self.repeated.get_or_insert(place);
                    }
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The name of a field -> its place among the wanted ones.
struct Name<'a>(&'a [String]);

impl<'line> DeserializeSeed<'line> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'line>>(self, json: D) -> Result<Option<usize>, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|wanted| wanted == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::testing::{documents, messages, options, rejection};

    #[test]
    fn a_wanted_field_that_comes_twice_is_refused_however_it_is_written() {
        let bytes = br#"{"text":"a","id":1,"text":"b"}
{"text":"a","te\u0078t":"a"}
{"id":null,"text":"a","\u0069d":7}
{"text":"a","more":1,"more":2}
{"text":{"text":"a","text":"b"},"text":"a"}
{"text":"a","text":"b"
{"text":"a"}"#;
        let found = documents("a.jsonl", bytes, &options());
        let repeated = |row, field: &str| {
            rejection("a.jsonl", Some(row), Problem::RepeatedField { field: field.into() })
        };
        let expected = [repeated(1, "text"), repeated(2, "text"), repeated(3, "id")];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3].as_ref().unwrap().text, "a");
        assert_eq!(found[4], repeated(5, "text"));
        assert!(messages(&found)[4].contains("EOF while parsing"), "{:?}", messages(&found));
        assert_eq!(found[6].as_ref().unwrap().text, "a");
        assert!(
            messages(&found)[0]
                .contains("the row has the field \"text\" twice; remove one of them"),
            "{:?}",
            messages(&found)
        );
    }

    #[test]
    fn elements_are_kept_only_where_they_are_asked_for() {
        let names = ["id".to_string()];
        let line = r#"{"id":[1,"x",[2]],"text":""}"#;
        assert_eq!(format!("{:?}", parse(line, &names).unwrap()), "[Some(Array([]))]");
        let lists = parse_lists(line, &names).unwrap();
        assert_eq!(format!("{lists:?}"), "[Some(Array([Integer(1), Text(\"x\"), Array([])]))]");
    }

    #[test]
    fn deep_nesting_does_not_overflow() {
        let deep =
            format!("{{\"a\":{}{},\"text\":\"x\"}}", "[".repeat(200_000), "]".repeat(200_000));
        let found = documents("a.jsonl", deep.as_bytes(), &options());
        assert!(
            matches!(&found[..], [Ok(document)] if document.text == "x"),
            "{:?}",
            messages(&found)
        );
    }
}
