//! JSON Lines -> documents.
//!
//! The whole line is checked; only the wanted fields are kept. A wanted field that comes twice, with or without escapes in its
//! name, is refused as a column of CSV is: either might be meant.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::frames::Frames;
use super::{Fault, Options, Source, join_texts, no_tokens, row_id, tokens_of, utf8};
use crate::document::{Document, FieldValue, Id};
use crate::error::Problem;

/// Reads JSON Lines.
pub(crate) struct Reader {
    frames: Frames,
    fields: Fields,
    name: String,
    limit: u64,
}

impl Reader {
    pub fn open(source: &Source, options: &Options) -> Result<Reader, Problem> {
        let frames = Frames::open(source, options)?;
        Ok(Reader {
            frames,
            fields: Fields::new(options),
            name: source.name.clone(),
            limit: options.max_document_bytes,
        })
    }

    pub fn bytes_read(&self) -> u64 {
        self.frames.bytes_read()
    }

    pub fn content_hash(&self) -> u128 {
        self.frames.content_hash()
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        let Reader { frames, fields, name, limit } = self;
        frames.next_document(*limit, |line, row| document(line, row, fields, name))
    }
}

/// The wanted fields: each name once, and who wants it.
struct Fields {
    names: Vec<String>,
    text: Vec<usize>,
    id: usize,
    kept: Vec<usize>,
    /// The last kept field holds the tokens of the document.
    tokens: bool,
}

impl Fields {
    fn new(options: &Options) -> Fields {
        let mut names = Vec::new();
        let mut place = |name: &String| match names.iter().position(|known| known == name) {
            Some(place) => place,
            None => {
                names.push(name.clone());
                names.len() - 1
            }
        };
        let text = options.text_fields.iter().map(&mut place).collect();
        let id = place(&options.id_field);
        let kept = options.kept_fields.iter().map(&mut place).collect();
        Fields { names, text, id, kept, tokens: options.tokens_field.is_some() }
    }
}

fn document(line: &[u8], row: u64, fields: &Fields, name: &str) -> Result<Document, Problem> {
    // A line of valid JSON has no NUL byte, so that only a line that fails is searched for one.
    let text = simdutf8::basic::from_utf8(line).or_else(|_| utf8(line))?;
    let parse = if fields.tokens { parse_lists } else { parse };
    let mut values = match parse(text, &fields.names) {
        Ok(values) => values,
        Err(problem) => return Err(utf8(line).err().unwrap_or(problem)),
    };
    let wrong = |place: usize, wanted, found: &str| Problem::WrongType {
        field: fields.names[place].clone(),
        wanted: Cow::Borrowed(wanted),
        found: found.to_string(),
    };
    for &place in &fields.text {
        match &values[place] {
            Some(Value::Text(_) | Value::Null) => {}
            None => return Err(Problem::MissingField { field: fields.names[place].clone() }),
            Some(value) => return Err(wrong(place, "a string", value.kind())),
        }
    }
    let id = match &values[fields.id] {
        None | Some(Value::Null) => row_id(name, row),
        Some(Value::Text(id)) => Id::Text(id.to_string()),
        Some(Value::Integer(id)) => Id::Integer(*id),
        Some(Value::Unsigned(id)) => Id::Unsigned(*id),
        Some(value) => return Err(wrong(fields.id, "a string or an integer", value.kind())),
    };
    let kept = |place: &usize| match &values[*place] {
        Some(Value::Integer(number)) => Some(FieldValue::Integer((*number).into())),
        Some(Value::Unsigned(number)) => Some(FieldValue::Integer((*number).into())),
        Some(Value::Fraction(number)) => Some(FieldValue::Number(*number)),
        Some(Value::Text(text)) => Some(FieldValue::Text(text.to_string())),
        Some(Value::Boolean(value)) => Some(FieldValue::Boolean(*value)),
        _ => None,
    };
    let mut kept_values: Vec<Option<FieldValue>> = fields.kept.iter().map(kept).collect();
    if let (true, Some(last), Some(place)) = (fields.tokens, kept_values.last_mut(), fields.kept.last()) {
        *last = Some(tokens(values[*place].as_ref(), &fields.names[*place])?);
    }
    let text = match fields.text[..] {
        [place] => values[place].take().and_then(Value::into_text).map(Cow::into_owned),
        _ => join_texts(fields.text.iter().map(|place| values[*place].clone().and_then(Value::into_text))),
    };
    match text {
        Some(text) => Ok(Document { row, id, text, fields: kept_values }),
        None => Err(Problem::NullField { field: fields.names[fields.text[0]].clone() }),
    }
}

/// The tokens of a document: a list of strings, or a string with blanks between them.
fn tokens(value: Option<&Value<'_>>, field: &str) -> Result<FieldValue, Problem> {
    match value {
        Some(Value::Text(text)) => Ok(tokens_of(text)),
        Some(Value::Array(elements)) => {
            let token = |element: &Value<'_>| match element {
                Value::Text(token) => Ok(token.to_string()),
                other => Err(no_tokens(field, format!("an array with {} in it", other.kind()))),
            };
            elements.iter().map(token).collect::<Result<_, _>>().map(FieldValue::Tokens)
        }
        Some(other) => Err(no_tokens(field, other.kind())),
        None => Err(no_tokens(field, "absent")),
    }
}

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
            Value::Fraction(number) if *number == 0.0 && number.is_sign_negative() => "a negative zero",
            Value::Fraction(_) => "a number with a fraction or beyond 64 bits",
            Value::Text(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object => "an object",
        }
    }

    fn into_text(self) -> Option<Cow<'line, str>> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The values of these fields in a line that is one JSON object; `None` where it lacks the field. Arrays come without
/// their elements, which may take twenty times the memory of the line.
pub(crate) fn parse<'line>(line: &'line str, names: &[String]) -> Result<Vec<Option<Value<'line>>>, Problem> {
    parse_with(line, names, false)
}

/// The same, with the elements of arrays.
pub(crate) fn parse_lists<'line>(line: &'line str, names: &[String]) -> Result<Vec<Option<Value<'line>>>, Problem> {
    parse_with(line, names, true)
}

fn parse_with<'line>(line: &'line str, names: &[String], elements: bool) -> Result<Vec<Option<Value<'line>>>, Problem> {
    let mut values = vec![None; names.len()];
    let mut repeated = None;
    let mut json = serde_json::Deserializer::from_str(line);
    let object = Object { names, values: &mut values, repeated: &mut repeated, elements };
    match (json.deserialize_map(object).and_then(|()| json.end()), repeated) {
        (Ok(()), None) => Ok(values),
        (Ok(()), Some(place)) => Err(Problem::RepeatedField { field: names[place].clone() }),
        (Err(error), _) => {
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = error.to_string();
            let reason = message.strip_suffix(&place).unwrap_or(&message).to_string();
            let is_of_escape = reason.ends_with("hex escape");
            let reason = lone_surrogate(line).filter(|_| is_of_escape).unwrap_or(reason);
            Err(Problem::NotJson { column: error.column().max(1), reason })
        }
    }
}

/// The reason why a line is no JSON, where that is half of a surrogate pair: two escapes together are a character.
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
            0xd800..=0xdbff if unit(at + 6).is_some_and(|second| (0xdc00..=0xdfff).contains(&second)) => {
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

/// Any value; `elements` says whether those of an array are kept. An array inside an array is passed over without
/// recursion, however deep.
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

    fn texts(bytes: &[u8]) -> Vec<(u64, Id, String)> {
        documents("a.jsonl", bytes, &options()).into_iter().map(|d| d.unwrap()).map(|d| (d.row, d.id, d.text)).collect()
    }

    #[test]
    fn rows_are_line_numbers_and_ids_keep_their_type() {
        let found = texts(
            "\u{feff}{\"id\":-3,\"text\":\"春眠\",\"more\":{\"text\":[1]}}\r\n\n \t\r\n{\"text\":\"\\u4e0d\\u0000\",\"id\":\"x\"}\n{\"id\":18446744073709551615,\"text\":\"\"}\n{\"id\":null,\"text\":\"c\"}"
                .as_bytes(),
        );
        assert_eq!(
            found,
            [
                (1, Id::Integer(-3), "春眠".to_string()),
                (4, Id::Text("x".into()), "不\0".to_string()),
                (5, Id::Unsigned(u64::MAX), String::new()),
                (6, Id::Text("a.jsonl:6".into()), "c".to_string()),
            ]
        );
    }

    #[test]
    fn several_text_fields_are_joined() {
        let options = Options { text_fields: vec!["title".into(), "body".into()], ..options() };
        let bytes = br#"{"body":"b","title":"t"}
{"body":null,"title":"t"}
{"body":"b","title":null}
{"body":null,"title":null}
{"body":"b"}
{"body":"b","title":["t"]}"#;
        let found = documents("a.jsonl", bytes, &options);
        assert_eq!(found[0].as_ref().unwrap().text, "t\nb");
        assert_eq!(found[1].as_ref().unwrap().text, "t");
        assert_eq!(found[2].as_ref().unwrap().text, "b");
        assert_eq!(found[3], rejection("a.jsonl", Some(4), Problem::NullField { field: "title".into() }));
        assert_eq!(found[4], rejection("a.jsonl", Some(5), Problem::MissingField { field: "title".into() }));
        let wrong = Problem::WrongType { field: "title".into(), wanted: "a string".into(), found: "an array".into() };
        assert_eq!(found[5], rejection("a.jsonl", Some(6), wrong));
    }

    #[test]
    fn kept_fields_are_numbers_strings_booleans_or_nothing() {
        let options = Options { kept_fields: vec!["day".into(), "off".into()], ..options() };
        let bytes = br#"{"text":"","day":3}
{"text":"","day":-2.5}
{"text":"","day":"2024-01-01"}
{"text":"","day":null,"off":true}
{"text":""}
{"text":"","day":[]}"#;
        let fields: Vec<_> = documents("a.jsonl", bytes, &options).into_iter().map(|d| d.unwrap().fields).collect();
        assert_eq!(
            fields,
            [
                [Some(FieldValue::Integer(3)), None],
                [Some(FieldValue::Number(-2.5)), None],
                [Some(FieldValue::Text("2024-01-01".into())), None],
                [None, Some(FieldValue::Boolean(true))],
                [None, None],
                [None, None]
            ]
        );
        let same = Options { kept_fields: vec!["text".into()], id_field: "text".into(), ..options };
        let document = documents("a.jsonl", b"{\"text\":\"x\"}", &same).remove(0).unwrap();
        assert_eq!((document.id, document.fields), (Id::Text("x".into()), vec![Some(FieldValue::Text("x".into()))]));
    }

    #[test]
    fn each_bad_row_is_named_and_the_next_is_read() {
        let bytes = b"{\"text\":1}\n{\"text\":null}\n{\"a\":\"b\"}\n{\"text\":\"a\",}\n[1]\n{\"text\":\"a\"} x\n{\"text\":\"\xff\"}\n{\"text\":\"a\0\"}\n{\"id\":1.5,\"text\":\"\"}\n{\"id\":true,\"text\":\"\"}\n{\"a\":\"\xff\",\"text\":\"a\"}\n{\"text\":\"a\"\n{\"text\":\"good\"}\n";
        let found = documents("a.jsonl", bytes, &options());
        assert_eq!(found.last().unwrap().as_ref().unwrap().text, "good");
        assert_eq!(
            messages(&found),
            [
                "a.jsonl, row 1: field \"text\" is an integer, not a string; name another field",
                "a.jsonl, row 2: field \"text\" is null; give it a text",
                "a.jsonl, row 3: no field \"text\"; name the right one with text-field or id-field",
                "a.jsonl, row 4: not a JSON object (column 13: trailing comma); mend the line, or name the format with format",
                "a.jsonl, row 5: not a JSON object (column 1: invalid type: sequence, expected an object); mend the line, or name the format with format",
                "a.jsonl, row 6: not a JSON object (column 14: trailing characters); mend the line, or name the format with format",
                "a.jsonl, row 7: not UTF-8 (byte 9); convert the file to UTF-8",
                "a.jsonl, row 8: a NUL byte at byte 10: binary data or UTF-16 rather than UTF-8 text; convert the file",
                "a.jsonl, row 9: field \"id\" is a number with a fraction or beyond 64 bits, not a string or an integer; name another field",
                "a.jsonl, row 10: field \"id\" is a boolean, not a string or an integer; name another field",
                "a.jsonl, row 11: not UTF-8 (byte 6); convert the file to UTF-8",
                "a.jsonl, row 12: not a JSON object (column 11: EOF while parsing an object); mend the line, or name the format with format",
            ]
        );
    }

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
        let repeated =
            |row, field: &str| rejection("a.jsonl", Some(row), Problem::RepeatedField { field: field.into() });
        let expected = [repeated(1, "text"), repeated(2, "text"), repeated(3, "id")];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3].as_ref().unwrap().text, "a");
        assert_eq!(found[4], repeated(5, "text"));
        assert!(messages(&found)[4].contains("EOF while parsing"), "{:?}", messages(&found));
        assert_eq!(found[6].as_ref().unwrap().text, "a");
        assert!(
            messages(&found)[0].contains("the field \"text\" is there twice; leave one of them"),
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
            let reason = format!("{escape} is a lone surrogate, half of a character); mend the line");
            assert!(says[place].contains(&reason), "{}", says[place]);
        }
        assert_eq!(found[3].as_ref().unwrap().text, "\\ud83d \u{1f600} \\\u{1f600}");
        assert!(!says[4].contains("surrogate"), "{}", says[4]);
    }

    #[test]
    fn a_negative_zero_is_no_id() {
        let found = documents("a.jsonl", b"{\"id\":-0,\"text\":\"a\"}\n{\"id\":0,\"text\":\"a\"}", &options());
        let says = "a.jsonl, row 1: field \"id\" is a negative zero, not a string or an integer; name another field";
        assert_eq!(messages(&found), [says]);
        assert_eq!(found[1].as_ref().unwrap().id, Id::Integer(0));
    }

    #[test]
    fn a_long_line_is_passed_over() {
        let options = Options { max_document_bytes: 20, ..options() };
        let bytes =
            [br#"{"text":"a"}"#.as_slice(), b"\n{\"text\":\"", &[b'x'; 500_000], b"\"}\n{\"text\":\"b\"}"].concat();
        let found = documents("a.jsonl", &bytes, &options);
        assert_eq!(found[1], rejection("a.jsonl", Some(2), Problem::TooLong { limit: 20 }));
        assert_eq!(found[2].as_ref().unwrap().text, "b");
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
        let deep = format!("{{\"a\":{}{},\"text\":\"x\"}}", "[".repeat(200_000), "]".repeat(200_000));
        let found = documents("a.jsonl", deep.as_bytes(), &options());
        assert!(matches!(&found[..], [Ok(document)] if document.text == "x"), "{:?}", messages(&found));
    }
}
