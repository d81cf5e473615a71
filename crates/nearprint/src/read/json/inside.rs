//! A line that is one JSON object -> fields that may lie inside of its objects.
//!
//! `doc.text` is the field `text` of the object `doc`, unless the line has a field with the name
//! `doc.text`. A wanted field is searched for in the source text of the line, object by object.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::not_json::not_json;
use super::value::{AnyValue, Value};
use crate::error::Problem;

/// The values of the wanted fields, in their order.
pub(super) fn parse_inside<'line>(
    line: &'line str,
    names: &[String],
    elements: bool,
) -> Result<Vec<Option<Value<'line>>>, Problem> {
    let found = find(line, names)?;
    let value = |raw: &'line str| {
        let mut json = serde_json::Deserializer::from_str(raw);
        AnyValue { elements }.deserialize(&mut json).map_err(|error| not_json(line, raw, &error))
    };
    found.into_iter().map(|raw| raw.map(value).transpose()).collect()
}

/// The source text of these fields of a line, which may lie inside of objects; `None` for a field
/// that the line lacks.
pub(crate) fn find<'line>(
    line: &'line str,
    names: &[String],
) -> Result<Vec<Option<&'line str>>, Problem> {
    let mut found = vec![Found { raw: None, depth: usize::MAX, is_repeated: false }; names.len()];
    let wanted: Vec<(usize, &str)> = names.iter().map(String::as_str).enumerate().collect();
    find_in(line, line, &wanted, 0, &mut found)?;
    match found.iter().position(|found| found.is_repeated) {
        Some(place) => Err(Problem::RepeatedField { field: names[place].clone() }),
        None => Ok(found.into_iter().map(|found| found.raw).collect()),
    }
}

#[derive(Clone)]
struct Found<'line> {
    raw: Option<&'line str>,
    /// The number of objects around the object of the field. The fewest count.
    depth: usize,
    is_repeated: bool,
}

/// Finds fields, identified by their places, in an object of the line.
fn find_in<'line>(
    line: &str,
    object: &'line str,
    wanted: &[(usize, &str)],
    depth: usize,
    found: &mut [Found<'line>],
) -> Result<(), Problem> {
    let is_wanted =
        |key: &str| wanted.iter().any(|(_, name)| *name == key || inside(name, key).is_some());
    for (key, raw) in members(object, &is_wanted).map_err(|error| not_json(line, object, &error))? {
        for (place, _) in wanted.iter().filter(|(_, name)| *name == key) {
            let found = &mut found[*place];
            if depth <= found.depth {
                *found = Found { raw: Some(raw), depth, is_repeated: depth == found.depth };
            }
        }
        let deeper: Vec<(usize, &str)> =
            wanted.iter().filter_map(|(place, name)| Some((*place, inside(name, &key)?))).collect();
        if !deeper.is_empty() && raw.starts_with('{') {
            find_in(line, raw, &deeper, depth + 1, found)?;
        }
    }
    Ok(())
}

/// The rest of a field's name inside of the object with this key, if the field lies there.
fn inside<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    name.strip_prefix(key)?.strip_prefix('.')
}

/// The members of an object with these keys, as source text.
fn members<'line>(
    object: &'line str,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, &'line str)>, serde_json::Error> {
    struct Members<'a>(&'a dyn Fn(&str) -> bool);

    impl<'line> Visitor<'line> for Members<'_> {
        type Value = Vec<(String, &'line str)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'line>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(key) = map.next_key::<String>()? {
                if (self.0)(&key) {
                    members.push((key, map.next_value::<&'line RawValue>()?.get()));
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(members)
        }
    }

    let mut json = serde_json::Deserializer::from_str(object);
    let members = json.deserialize_map(Members(is_wanted))?;
    json.end()?;
    Ok(members)
}

/// The names of the fields of a line that is one JSON object, in order, each with the number of
/// characters of its text, 0 without one. A field of an object inside of the line is called
/// `outer.inner`. A line that is no object has no fields.
pub(crate) fn texts(line: &str) -> Vec<(String, usize)> {
    let mut texts = Vec::new();
    texts_in(line, "", &mut texts);
    texts
}

fn texts_in(object: &str, prefix: &str, texts: &mut Vec<(String, usize)>) {
    /// Objects nested deeper than this are treated as values.
    const DEEPEST: usize = 8;
    for (key, raw) in members(object, &|_| true).unwrap_or_default() {
        let name = format!("{prefix}{key}");
        let before = texts.len();
        if raw.starts_with('{') && prefix.matches('.').count() < DEEPEST {
            texts_in(raw, &format!("{name}."), texts);
        }
        if texts.len() == before {
            let text = serde_json::from_str::<String>(raw).unwrap_or_default();
            texts.push((name, text.chars().count()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_lists};
    use super::*;

    #[test]
    fn a_name_with_dots_is_that_of_a_field_inside_of_objects() {
        let names = ["doc.text", "doc", "a.b.c", "doc.id"].map(String::from);
        for (line, expected) in [
            (
                r#"{"doc":{"text":"a","id":7}}"#,
                r#"[Some(Text("a")), Some(Object), None, Some(Integer(7))]"#,
            ),
            (
                r#"{"doc":{"text":"a"},"doc.text":"b"}"#,
                r#"[Some(Text("b")), Some(Object), None, None]"#,
            ),
            (
                r#"{"doc.text":"b","doc":{"text":"a","text":"a"}}"#,
                r#"[Some(Text("b")), Some(Object), None, None]"#,
            ),
            (
                r#"{"doc":"text","a":{"b":{"c":null}}}"#,
                r#"[None, Some(Text("text")), Some(Null), None]"#,
            ),
            (r#"{"a.b":{"c":1},"a":{"b":{"c":2}}}"#, "[None, None, Some(Integer(1)), None]"),
            (
                r#"{"d\u006fc": {"t\u0065xt" : "\u4e00" } , "doc2":{"text":1}}"#,
                "[Some(Text(\"一\")), Some(Object), None, None]",
            ),
        ] {
            assert_eq!(format!("{:?}", parse(line, &names).unwrap()), expected, "{line}");
        }
        for line in [r#"{"doc":{"text":1,"text":2}}"#, r#"{"doc":{"text":1},"doc":{"text":2}}"#] {
            assert_eq!(
                parse(line, &names).unwrap_err(),
                Problem::RepeatedField { field: "doc.text".into() },
                "{line}"
            );
        }
        assert!(matches!(
            parse(r#"{"doc":{"text":"a"},"x":}"#, &names),
            Err(Problem::NotJson { column: 25, .. })
        ));
        let lone = parse(r#"{"doc":{"text":"\ud83d"}}"#, &names).unwrap_err();
        assert!(lone.to_string().contains("\\ud83d is a lone surrogate"), "{lone}");
    }

    #[test]
    fn the_names_of_fields_inside_of_objects_are_told_with_their_lengths() {
        let found = texts(
            r#"{"id":1,"doc":{"text":"ab","more":{"deep":"一二三"}},"none":{},"list":[{"text":"abcd"}]}"#,
        );
        let found: Vec<_> = found.iter().map(|(name, length)| (name.as_str(), *length)).collect();
        assert_eq!(
            found,
            [("id", 0), ("doc.text", 2), ("doc.more.deep", 3), ("none", 0), ("list", 0)]
        );
    }

    proptest::proptest! {
        /// Fields without dots in their names are found alike by both functions, the one that looks
        /// inside of objects and the one that reads field by field.
        #[test]
        fn both_ways_to_look_for_fields_agree(line in r#"\{("[ab]":("[xy]"|1|null|\{"a":2\}|\[1\]),){0,3}"[abc]":(1|"x"|\{\})\}"#) {
            let names = ["a", "b"].map(String::from);
            // If several fields are repeated, the one function names the first in the line, the
            // other one the first in the list.
            let shown =
                |values: Result<_, Problem>| values.map(|values| format!("{values:?}")).map_err(|problem| problem.name());
            proptest::prop_assert_eq!(shown(parse_inside(&line, &names, true)), shown(parse_lists(&line, &names)));
        }
    }
}
