//! A line that is one JSON object -> fields that may lie inside of its objects and lists.
//!
//! `doc.text` is the field `text` of the object `doc`, unless the line has a field with the name
//! `doc.text`. `messages[].content` is the field `content` of every object in the list `messages`;
//! so is `messages.content`. A wanted field is searched for in the source text of the line, object
//! by object.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::not_json::not_json;
use super::value::{AnyValue, Value};
use crate::error::Problem;
use crate::field::{alternatives, behind};

/// The source text of a field.
#[derive(Debug, Clone)]
pub(crate) enum Raw<'line> {
    /// The source text of its value.
    One(&'line str),
    /// The source texts of the values inside of a list, at least one.
    Each(Vec<&'line str>),
}

impl<'line> Raw<'line> {
    /// The source texts of its values.
    pub fn parts(&self) -> &[&'line str] {
        match self {
            Raw::One(raw) => std::slice::from_ref(raw),
            Raw::Each(parts) => parts,
        }
    }
}

/// The values of the wanted fields, in their order.
pub(super) fn parse_inside<'line>(
    line: &'line str,
    names: &[String],
    elements: bool,
) -> Result<Vec<Option<Value<'line>>>, Problem> {
    let found = find(line, names)?;
    let parse = |raw: &'line str, elements| {
        let mut json = serde_json::Deserializer::from_str(raw);
        AnyValue { elements }.deserialize(&mut json).map_err(|error| not_json(line, raw, &error))
    };
    let value = |raw: Raw<'line>| match raw {
        Raw::One(raw) => parse(raw, elements),
        Raw::Each(parts) => {
            let values = parts.into_iter().map(|raw| parse(raw, false));
            values.collect::<Result<_, _>>().map(Value::Each)
        }
    };
    found.into_iter().map(|raw| raw.map(value).transpose()).collect()
}

/// The source text of these fields of a line, which may lie inside of objects and lists; `None` for
/// a field that the line lacks.
pub(crate) fn find<'line>(
    line: &'line str,
    names: &[String],
) -> Result<Vec<Option<Raw<'line>>>, Problem> {
    let mut found = vec![Found::default(); names.len()];
    let wanted: Vec<(usize, &str)> = names.iter().map(String::as_str).enumerate().collect();
    find_in(line, line, &wanted, 0, &mut found)?;
    match found.iter().position(|found| found.is_repeated) {
        Some(place) => Err(Problem::RepeatedField { field: names[place].clone() }),
        None => Ok(found.into_iter().map(|found| found.raw).collect()),
    }
}

/// The source texts of the strings that together are the text of a line, in order. The text is in
/// these fields.
pub(crate) fn text_parts<'line>(line: &'line str, fields: &[String]) -> Vec<&'line str> {
    let mut parts = Vec::new();
    for field in fields {
        let found = find(line, &alternatives(field)).unwrap_or_default();
        let has_value = |raw: &Raw<'_>| raw.parts().iter().any(|part| *part != "null");
        let own = found.into_iter().flatten().find(has_value);
        let own = own.iter().flat_map(Raw::parts).filter(|part| part.starts_with('"'));
        parts.extend(own.copied());
    }
    parts
}

#[derive(Clone)]
struct Found<'line> {
    raw: Option<Raw<'line>>,
    /// The number of objects and lists around the field. The fewest count.
    depth: usize,
    is_repeated: bool,
}

impl Default for Found<'_> {
    fn default() -> Self {
        Found { raw: None, depth: usize::MAX, is_repeated: false }
    }
}

impl<'line> Found<'line> {
    fn take(&mut self, raw: Raw<'line>, depth: usize) {
        if depth <= self.depth {
            *self = Found { raw: Some(raw), depth, is_repeated: depth == self.depth };
        }
    }
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
        |key: &str| wanted.iter().any(|(_, name)| *name == key || behind(name, key).is_some());
    for (key, raw) in members(object, &is_wanted).map_err(|error| not_json(line, object, &error))? {
        for (place, _) in wanted.iter().filter(|(_, name)| *name == key) {
            found[*place].take(Raw::One(raw), depth);
        }
        let inside = wanted.iter().filter_map(|(place, name)| Some((*place, behind(name, &key)?)));
        if raw.starts_with('{') {
            let deeper: Vec<(usize, &str)> =
                inside.filter_map(|(place, rest)| Some((place, rest.strip_prefix('.')?))).collect();
            if !deeper.is_empty() {
                find_in(line, raw, &deeper, depth + 1, found)?;
            }
        } else if raw.starts_with('[') {
            for (place, rest) in inside {
                let mut parts = Vec::new();
                each(line, raw, rest.strip_prefix("[]").unwrap_or(rest), &mut parts)?;
                if !parts.is_empty() {
                    found[place].take(Raw::Each(parts), depth + 1);
                }
            }
        }
    }
    Ok(())
}

/// Finds the values in the elements of a list. `rest` is the rest of the name behind the list.
fn each<'line>(
    line: &str,
    list: &'line str,
    rest: &str,
    parts: &mut Vec<&'line str>,
) -> Result<(), Problem> {
    for element in elements(list).map_err(|error| not_json(line, list, &error))? {
        if rest.is_empty() {
            parts.push(element);
        } else if let (Some(rest), true) = (rest.strip_prefix("[]"), element.starts_with('[')) {
            each(line, element, rest, parts)?;
        } else if let (Some(name), true) = (rest.strip_prefix('.'), element.starts_with('{')) {
            let mut found = [Found::default()];
            find_in(line, element, &[(0, name)], 0, &mut found)?;
            let [Found { raw, is_repeated, .. }] = found;
            if is_repeated {
                return Err(Problem::RepeatedField { field: name.to_string() });
            }
            parts.extend(raw.iter().flat_map(Raw::parts));
        }
    }
    Ok(())
}

/// The elements of a list, as source text.
fn elements(list: &str) -> Result<Vec<&str>, serde_json::Error> {
    let elements: Vec<&RawValue> = serde_json::from_str(list)?;
    Ok(elements.into_iter().map(RawValue::get).collect())
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
/// `outer.inner`, and the texts of a list together are called `list[]` or `list[].inner`. A line
/// that is no object has no fields.
pub(crate) fn texts(line: &str) -> Vec<(String, usize)> {
    let mut texts = Vec::new();
    for (key, raw) in members(line, &|_| true).unwrap_or_default() {
        texts_of(raw, key, 0, &mut texts);
    }
    texts
}

fn texts_of(raw: &str, name: String, depth: usize, texts: &mut Vec<(String, usize)>) {
    /// Objects and lists nested deeper than this are treated as values.
    const DEEPEST: usize = 8;
    let before = texts.len();
    if depth < DEEPEST && raw.starts_with('{') {
        for (key, inner) in members(raw, &|_| true).unwrap_or_default() {
            texts_of(inner, format!("{name}.{key}"), depth + 1, texts);
        }
    } else if depth < DEEPEST && raw.starts_with('[') {
        let mut inner = Vec::new();
        let has_texts = |element: &&str| element.starts_with(['"', '{', '[']);
        for element in elements(raw).unwrap_or_default().into_iter().filter(has_texts) {
            texts_of(element, format!("{name}[]"), depth + 1, &mut inner);
            for (name, length) in inner.drain(..) {
                match texts[before..].iter_mut().find(|(own, _)| *own == name) {
                    Some((_, sum)) => *sum += length,
                    None => texts.push((name, length)),
                }
            }
        }
    }
    if texts.len() == before {
        let text = serde_json::from_str::<String>(raw).unwrap_or_default();
        texts.push((name, text.chars().count()));
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
            r#"{"id":1,"doc":{"text":"ab","more":{"deep":"一二三"}},"none":{},
            "list":[{"text":"abcd","n":1},null,{"text":"e"}],"tags":["a","bc"],"pages":[1,[2]]}"#,
        );
        let found: Vec<_> = found.iter().map(|(name, length)| (name.as_str(), *length)).collect();
        assert_eq!(
            found,
            [
                ("id", 0),
                ("doc.text", 2),
                ("doc.more.deep", 3),
                ("none", 0),
                ("list[].text", 5),
                ("list[].n", 0),
                ("tags[]", 3),
                ("pages[]", 0)
            ]
        );
    }

    #[test]
    fn a_name_with_brackets_has_the_values_of_a_list() {
        let names = ["a[].b", "a.b", "t[]", "t[][]", "a[].d.e"].map(String::from);
        for (line, expected) in [
            (
                r#"{"a":[{"b":"x"},{"c":1},null,"y",{"b":null},{"b":2}],"t":["p",["q"]]}"#,
                r#"[Some(Each([Text("x"), Null, Integer(2)])), Some(Each([Text("x"), Null, Integer(2)])), Some(Each([Text("p"), Array([])])), Some(Each([Text("q")])), None]"#,
            ),
            (
                r#"{"a":[{"d":{"e":1}},{"d":[{"e":2},{"e":3}]}],"t":[]}"#,
                "[None, None, None, None, Some(Each([Integer(1), Integer(2), Integer(3)]))]",
            ),
            // A field with the whole name comes first, and only a list has brackets.
            (
                r#"{"a[].b":"x","a.b":"y","a":{"b":"z"},"t":"q"}"#,
                r#"[Some(Text("x")), Some(Text("y")), None, None, None]"#,
            ),
        ] {
            assert_eq!(format!("{:?}", parse(line, &names).unwrap()), expected, "{line}");
        }
        assert_eq!(
            parse(r#"{"a":[{"b":1,"b":1}]}"#, &names).unwrap_err(),
            Problem::RepeatedField { field: "b".into() }
        );
        let deep = format!("{{\"t\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(
            format!("{:?}", parse(&deep, &names[2..3]).unwrap()),
            "[Some(Each([Array([])]))]"
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
