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
    let value = |raw: Raw<'line>| match raw {
        Raw::One(raw) => parse_raw(line, raw, elements),
        Raw::Each(parts) => {
            let values = parts.into_iter().map(|raw| parse_raw(line, raw, false));
            values.collect::<Result<_, _>>().map(Value::Each)
        }
    };
    found.into_iter().map(|raw| raw.map(value).transpose()).collect()
}

/// The value of a source text in a line.
fn parse_raw<'line>(line: &str, raw: &'line str, elements: bool) -> Result<Value<'line>, Problem> {
    let mut json = serde_json::Deserializer::from_str(raw);
    AnyValue { elements }.deserialize(&mut json).map_err(|error| not_json(line, raw, &error))
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
    let parts = fields.iter().flat_map(|field| parts_of(line, field).unwrap_or_default());
    parts.filter(|part| part.starts_with('"')).collect()
}

/// The values of a field of which one alternative lies inside of another.
pub(crate) fn parse_nested<'line>(line: &'line str, field: &str) -> Result<Value<'line>, Problem> {
    let parts = parts_of(line, field)?.into_iter();
    parts.map(|raw| parse_raw(line, raw, false)).collect::<Result<_, _>>().map(Value::Each)
}

/// The source texts of the values of a field: of the first alternative that has one, else of the
/// first one that is an empty text. If that lies inside of another one that has a value, the outer
/// one counts, and a list or an object in it stands for the values that the inner ones name.
fn parts_of<'line>(line: &'line str, field: &str) -> Result<Vec<&'line str>, Problem> {
    let names = alternatives(field);
    let found = find(line, &names)?;
    let parts = |place: usize| found[place].as_ref().map_or(&[][..], Raw::parts);
    let has_value = |place: &usize| parts(*place).iter().any(|part| *part != "null");
    let lies_in = |place: usize, outer: usize| behind(&names[place], &names[outer]).is_some();
    let is_full =
        |place: &usize| parts(*place).iter().any(|part| !matches!(*part, "null" | "\"\""));
    let first = (0..names.len()).find(is_full).or_else(|| (0..names.len()).find(has_value));
    let Some(mut outer) = first else { return Ok(Vec::new()) };
    while let Some(around) = (0..names.len()).filter(has_value).find(|own| lies_in(outer, *own)) {
        outer = around;
    }
    let inner: Vec<usize> = (0..names.len()).filter(|place| lies_in(*place, outer)).collect();
    let mut all = Vec::new();
    for part in parts(outer) {
        if inner.is_empty() || !part.starts_with(['[', '{']) {
            all.push(*part);
            continue;
        }
        let range = part.as_bytes().as_ptr_range();
        let is_in = |raw: &&&str| range.contains(&raw.as_ptr());
        let own = |place: &usize| parts(*place).iter().filter(is_in).copied().collect::<Vec<_>>();
        all.extend(inner.iter().map(own).find(|own| !own.is_empty()).unwrap_or_default());
    }
    Ok(all)
}

/// The problem of a field around which an object is null or a list has no elements; `None` if that
/// is not why the line lacks the field.
pub(crate) fn problem_around(line: &str, field: &str) -> Option<Problem> {
    let is_empty = |raw: &str| {
        let elements = raw.strip_prefix('[').and_then(|raw| raw.strip_suffix(']'));
        elements.is_some_and(|elements| elements.trim().is_empty())
    };
    alternatives(field).into_iter().find_map(|name| {
        let ends = name.match_indices(['.', '[']).map(|(end, _)| end);
        let around: Vec<String> = ends.map(|end| name[..end].to_string()).collect();
        let found = find(line, &around).ok()?;
        let innermost = found.iter().flatten().next_back()?.parts();
        if !innermost.iter().all(|raw| *raw == "null" || is_empty(raw)) {
            return None;
        }
        Some(match innermost.iter().any(|raw| is_empty(raw)) {
            true => Problem::EmptyList { field: name },
            false => Problem::NullField { field: name },
        })
    })
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
mod tests;
