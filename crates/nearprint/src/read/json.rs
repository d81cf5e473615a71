//! A line that is one JSON object -> the values of some of its fields.
//!
//! The whole line is checked; only the wanted fields are kept. `doc.text` is the field `text` of
//! the object `doc`, where the line has no field of that very name. A wanted field that comes
//! twice, with or without escapes in its name, is refused as a column of CSV is: either might be
//! meant.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::Problem;

/// The value of a wanted field.
#[derive(Debug, Clone)]
pub(crate) enum Value<'line> {
    Null,
    Boolean(bool),
    Integer(i64),
    Unsigned(u64),
    Fraction(f64),
    Text(Cow<'line, str>),
    /// Its elements, where they are asked for; those of arrays inside it are not kept.
    Array(Vec<Value<'line>>),
    Object,
}

impl<'line> Value<'line> {
    /// Its kind, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Integer(_) | Value::Unsigned(_) => "an integer",
            // It is read as a fraction, there being no integer like it.
            Value::Fraction(number) if *number == 0.0 && number.is_sign_negative() => {
                "a negative zero"
            }
            Value::Fraction(_) => "a number with a fraction or beyond 64 bits",
            Value::Text(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object => "an object",
        }
    }

    /// The text, where it is one.
    pub fn into_text(self) -> Option<Cow<'line, str>> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The values of these fields in a line that is one JSON object; `None` where it lacks the field.
/// Arrays come without their elements, which may take twenty times the memory of the line.
pub(crate) fn parse<'line>(
    line: &'line str,
    names: &[String],
) -> Result<Vec<Option<Value<'line>>>, Problem> {
    parse_with(line, names, false)
}

/// The same, with the elements of arrays.
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
    if names.iter().any(|name| name.contains('.')) {
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

/// The same where a name may be one inside of an object: `doc.text` is the field `text` of the
/// object `doc`, unless the object around it has a field `doc.text` itself.
fn parse_inside<'line>(
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

/// The values of these fields as they stand in a line, which may be inside of objects; `None` where
/// it lacks the field.
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
    /// The number of objects around its own. The fewest count.
    depth: usize,
    is_repeated: bool,
}

/// Looks for fields, known by their places, in an object of the line.
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

/// The name of a field inside of the object with this key, if it lies there.
fn inside<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    name.strip_prefix(key)?.strip_prefix('.')
}

/// The members of an object with these keys, their values as they stand there.
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

/// The names of the fields of a line that is one JSON object, in order, each with the characters of
/// its text, if it has one; those of an object inside of it are called `outer.inner`. None where it
/// is no object.
pub(crate) fn texts(line: &str) -> Vec<(String, usize)> {
    let mut texts = Vec::new();
    texts_in(line, "", &mut texts);
    texts
}

fn texts_in(object: &str, prefix: &str, texts: &mut Vec<(String, usize)>) {
    /// Objects inside of more are taken as values.
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

/// The problem of a line in which this part, or all of it, is no JSON.
fn not_json(line: &str, part: &str, error: &serde_json::Error) -> Problem {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let reason = message.strip_suffix(&place).unwrap_or(&message).to_string();
    let is_of_escape = reason.ends_with("hex escape");
    let reason = lone_surrogate(line).filter(|_| is_of_escape).unwrap_or(reason);
    let before = part.as_ptr() as usize - line.as_ptr() as usize;
    Problem::NotJson { column: before + error.column().max(1), reason }
}

/// The reason why a line is no JSON, where that is half of a surrogate pair: two escapes together
/// are a character.
fn lone_surrogate(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while let Some(escape) = line.get(at..)?.find('\\') {
        at += escape;
        let Some(first) = unit(at) else {
            // An escape of one letter, which may be another backslash.
            at += 2;
            continue;
        };
        let is_lone = match first {
            0xd800..=0xdbff
                if unit(at + 6).is_some_and(|second| (0xdc00..=0xdfff).contains(&second)) =>
            {
                at += 6;
                false
            }
            0xd800..=0xdfff => true,
            _ => false,
        };
        if is_lone {
            return Some(format!("\\u{first:04x} is a lone surrogate, half of a character"));
        }
        at += 6;
    }
    None
}

/// The names of the fields of a line that is one JSON object, in order; none where it is not.
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

/// A field's name -> its place among the wanted ones.
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

/// Any value; `elements` says whether those of an array are kept. An array inside an array is
/// passed over without recursion, however deep.
struct AnyValue {
    elements: bool,
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
    fn a_lone_surrogate_is_called_that() {
        let bytes = br#"{"text":"\ud83d"}
{"text":"a \uD83D\u0041"}
{"text":"\ude00\ud83d"}
{"text":"\\ud83d \ud83d\ude00 \\\ud83d\ude00"}
{"text":"\ud83dx"}
{"text":"\u12"}"#;
        let found = documents("a.jsonl", bytes, &options());
        let says = messages(&found);
        for (place, escape) in [(0, "\\ud83d"), (1, "\\ud83d"), (2, "\\ude00"), (3, "\\ud83d")] {
            let reason =
                format!("{escape} is a lone surrogate, half of a character); fix the line");
            assert!(says[place].contains(&reason), "{}", says[place]);
        }
        assert_eq!(found[3].as_ref().unwrap().text, "\\ud83d \u{1f600} \\\u{1f600}");
        assert!(!says[4].contains("surrogate"), "{}", says[4]);
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
        /// Where names have no dots, looking inside of objects finds what reading the fields one by
        /// one does.
        #[test]
        fn both_ways_to_look_for_fields_agree(line in r#"\{("[ab]":("[xy]"|1|null|\{"a":2\}|\[1\]),){0,3}"[abc]":(1|"x"|\{\})\}"#) {
            let names = ["a", "b"].map(String::from);
            // Of several fields that are there twice the one names the first in the line, the other
            // the first in the list.
            let shown =
                |values: Result<_, Problem>| values.map(|values| format!("{values:?}")).map_err(|problem| problem.name());
            proptest::prop_assert_eq!(shown(parse_inside(&line, &names, true)), shown(parse_lists(&line, &names)));
        }
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
