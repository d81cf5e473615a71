//! JSON Lines -> documents.
//!
//! [`json`](super::json) reads the wanted fields of a line. This file turns them into the text, the
//! id and the kept fields of a document, or into the reason why the row has no document. Lines are
//! cut one after the other, and the lines of a block are parsed on all threads.

use std::borrow::Cow;
use std::ops::Range;
use std::vec;

use rayon::prelude::*;

use super::compression;
use super::frames::{Frames, Kind};
use super::json::{self, Value, parse, parse_lists};
use super::wanted::{TextsFound, Wanted};
use super::{Fault, Options, Source, join_texts, no_tokens, row_id, tokens_of, utf8};
use crate::document::{Document, FieldValue, Id};
use crate::error::{Hint, Problem, by_far_the_longest};
use crate::field::{behind, is_nested};

/// Reads the documents of a file of JSON Lines.
pub(crate) struct JsonLinesReader {
    frames: Frames,
    fields: Fields,
    name: String,
    limit: u64,
    /// True until the first row was read.
    at_start: bool,
    /// The number of bytes that are read before they are parsed. The last line may exceed it.
    block: usize,
    /// The bytes of a block.
    bytes: Vec<u8>,
    /// The number of each row of the block, and its place among the bytes; `None` if the row is too
    /// long.
    rows: Vec<(u64, Option<Range<usize>>)>,
    parsed: vec::IntoIter<Result<Document, Fault>>,
    /// A fault of the file, to be reported after the rows of the block.
    failed: Option<Fault>,
}

/// The size of a block in bytes.
const BLOCK: usize = 1 << 19;

/// The least number of rows of a block that one thread parses at a time.
const TOGETHER: usize = 16;

impl JsonLinesReader {
    pub fn open(source: &Source, options: &Options) -> Result<JsonLinesReader, Problem> {
        let frames = Frames::open(source, options)?;
        Ok(JsonLinesReader {
            frames,
            fields: Fields::new(options),
            name: source.name.clone(),
            limit: options.max_document_bytes,
            at_start: true,
            block: 0,
            bytes: Vec::new(),
            rows: Vec::new(),
            parsed: Vec::new().into_iter(),
            failed: None,
        })
    }

    /// Reads lines in blocks from now on. Without blocks, each line is read when it is needed.
    pub fn read_in_blocks(&mut self) {
        self.block = BLOCK;
    }

    pub fn bytes_read(&self) -> u64 {
        self.frames.bytes_read()
    }

    pub fn content_hash(&self) -> u128 {
        self.frames.content_hash()
    }

    /// For each text field true if one of the rows so far had it.
    pub fn texts_found(&self) -> Vec<bool> {
        self.fields.found.get()
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        if std::mem::replace(&mut self.at_start, false) && self.frames.begin_an_array() {
            return Some(Err(Fault::file(Problem::JsonArray)));
        }
        if self.parsed.len() == 0 && self.failed.is_none() {
            self.read_block();
        }
        self.parsed.next().or_else(|| self.failed.take().map(Err))
    }

    /// Reads and parses the next lines, at least one.
    fn read_block(&mut self) {
        let JsonLinesReader { frames, fields, name, limit, block, bytes, rows, .. } = self;
        bytes.clear();
        bytes.shrink_to(2 * BLOCK);
        rows.clear();
        while rows.is_empty()
            || bytes.len() + rows.len() * size_of::<(u64, Option<Range<usize>>)>() < *block
        {
            let frame = match frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => {
                    self.failed = Some(Fault::file(compression::problem(&error)));
                    break;
                }
            };
            match frame.kind {
                Kind::Blank => (),
                Kind::TooLong => rows.push((frame.number, None)),
                Kind::Row => {
                    let start = bytes.len();
                    bytes.extend_from_slice(frame.content());
                    rows.push((frame.number, Some(start..bytes.len())));
                }
            }
        }
        let parse = |(row, line): &(u64, Option<Range<usize>>)| {
            let line = line.clone().ok_or(Problem::TooLong { limit: *limit });
            let document = line.and_then(|line| document(&bytes[line], *row, fields, name));
            document.map_err(|problem| Fault::row(*row, problem))
        };
        let parsed: Vec<Result<Document, Fault>> = match rows.len() > TOGETHER {
            true => rows.par_iter().with_min_len(TOGETHER).map(parse).collect(),
            false => rows.iter().map(parse).collect(),
        };
        self.parsed = parsed.into_iter();
    }
}

/// The wanted fields, and the text fields that were found.
struct Fields {
    wanted: Wanted,
    text_names: Vec<String>,
    /// The names of the fields of which one alternative lies inside of another; `None` for others.
    nested_texts: Vec<Option<String>>,
    nested_kept: Vec<Option<String>>,
    found: TextsFound,
    /// True if the last kept field holds the tokens of the document.
    tokens: bool,
}

impl Fields {
    fn new(options: &Options) -> Fields {
        let nested = |names: &[String]| {
            let nested = |name: &String| is_nested(name).then(|| name.clone());
            names.iter().map(nested).collect()
        };
        Fields {
            wanted: Wanted::new(options),
            text_names: options.text_fields.clone(),
            nested_texts: nested(&options.text_fields),
            nested_kept: nested(&options.kept_fields),
            found: TextsFound::none(options.text_fields.len()),
            tokens: options.tokens_field.is_some(),
        }
    }
}

/// The place of a field in a row: of the first alternative that has a value, else of the first one
/// that is an empty text, else of the first one that is null; `None` if the row has none of them.
fn place_of(alternatives: &[usize], values: &[Option<Value<'_>>]) -> Option<usize> {
    let mut there = alternatives.iter().filter(|place| values[**place].is_some());
    let is =
        |place: &usize, holds: fn(&Value<'_>) -> bool| values[*place].as_ref().is_some_and(holds);
    let has_value = there.clone().find(|place| is(place, |value| !value.is_empty()));
    let is_text = || there.clone().find(|place| is(place, |value| !value.is_null()));
    has_value.or_else(is_text).or_else(|| there.next()).copied()
}

/// The document of a line, or the reason why it has none.
fn document(line: &[u8], row: u64, fields: &Fields, name: &str) -> Result<Document, Problem> {
    // Valid JSON has no NUL byte, so only a line that fails is searched for one.
    let line_text = simdutf8::basic::from_utf8(line).or_else(|_| utf8(line))?;
    let parse = if fields.tokens { parse_lists } else { parse };
    let wanted = &fields.wanted;
    let mut values = match parse(line_text, &wanted.paths) {
        Ok(values) => values,
        Err(problem) => return Err(utf8(line).err().unwrap_or(problem)),
    };
    let mut texts = Vec::with_capacity(wanted.text.len());
    for (number, alternatives) in wanted.text.iter().enumerate() {
        let Some(place) = place_of(alternatives, &values) else { continue };
        fields.found.add(number);
        let nested = nested(&fields.nested_texts[number], line_text)?;
        if let Some(value) = nested.as_ref().or(values[place].as_ref()) {
            check_text(value, &wanted.paths[place], line_text)?;
        }
        texts.push((number, place, nested));
    }
    let Some(&(first, ..)) = texts.first() else {
        return Err(missing_text(&fields.text_names, line_text));
    };
    let id = match place_of(&wanted.id, &values) {
        None => row_id(name, row),
        Some(place) => id(values[place].as_ref(), &wanted.paths[place], line_text)?
            .unwrap_or_else(|| row_id(name, row)),
    };
    let kept = |alternatives: &Vec<usize>| values[place_of(alternatives, &values)?].as_ref();
    let value = |(own, name): (&Vec<usize>, &Option<String>)| {
        let nested = nested(name, line_text)?;
        Ok(nested.as_ref().or_else(|| kept(own)).and_then(kept_value))
    };
    let kept_fields = wanted.kept.iter().zip(&fields.nested_kept);
    let mut kept_values = kept_fields.map(value).collect::<Result<Vec<_>, Problem>>()?;
    if let (true, Some(last), Some(own)) =
        (fields.tokens, kept_values.last_mut(), wanted.kept.last())
    {
        *last = Some(tokens(kept(own), &wanted.paths[own[0]])?);
    }
    let own = |value: Option<Value<'_>>| value.and_then(Value::into_text).map(Cow::into_owned);
    let text = match &mut texts[..] {
        [(_, place, nested)] => own(nested.take().or_else(|| values[*place].take())),
        _ => join_texts(texts.into_iter().map(|(_, place, nested)| {
            nested.or_else(|| values[place].clone()).and_then(Value::into_text)
        })),
    };
    match text {
        Some(text) => Ok(Document { row, id, text, fields: kept_values }),
        None => Err(Problem::NullField { field: fields.text_names[first].clone() }),
    }
}

/// The values of a field of which one alternative lies inside of another; `None` without a name.
fn nested<'line>(name: &Option<String>, line: &'line str) -> Result<Option<Value<'line>>, Problem> {
    name.as_ref().map(|name| json::parse_nested(line, name)).transpose()
}

/// The problem of a row that has no text field.
fn missing_text(fields: &[String], line: &str) -> Problem {
    if let Some(problem) = fields.iter().find_map(|field| json::problem_around(line, field)) {
        return problem;
    }
    let texts = json::texts(line);
    let longest = by_far_the_longest(texts.iter().map(|(name, length)| (name.as_str(), *length)));
    Problem::MissingField {
        field: fields[0].clone(),
        setting: "text-field".into(),
        available: texts.into_iter().map(|(name, _)| name).collect(),
        hint: longest.map(Hint::Longest).map(Box::new),
    }
}

/// Refuses a value that is no text. If it has texts inside, the problem names them.
fn check_text(value: &Value<'_>, field: &str, line: &str) -> Result<(), Problem> {
    let is_text = |value: &&Value<'_>| matches!(value, Value::Text(_) | Value::Null);
    let (other, found) = match value {
        Value::Text(_) | Value::Null => return Ok(()),
        Value::Each(values) => match values.iter().find(|value| !is_text(value)) {
            None => return Ok(()),
            Some(other) if values.len() == 1 => (other, other.kind().to_string()),
            Some(other) => (other, format!("a list with {} in it", other.kind())),
        },
        other => (other, other.kind().to_string()),
    };
    let parts: Box<[String]> = match other {
        Value::Array(_) | Value::Object => {
            let texts = json::texts(line).into_iter();
            let parts = texts.filter(|(name, length)| *length > 0 && behind(name, field).is_some());
            // Other elements of the list may be texts.
            let name = |name: String| match value {
                Value::Each(_) => format!("{field}|{name}"),
                _ => name,
            };
            parts.map(|(part, _)| name(part)).collect()
        }
        _ => Box::default(),
    };
    let field = field.to_string();
    Err(match parts.is_empty() {
        true => Problem::WrongType { field, wanted: Cow::Borrowed("a string"), found },
        false => Problem::HasParts { field, setting: "text-field".into(), parts },
    })
}

/// The id that a row has in a field; `None` if it is null. Other values than strings and integers
/// of 64 bits are ids by their text.
fn id(value: Option<&Value<'_>>, field: &String, line: &str) -> Result<Option<Id>, Problem> {
    Ok(Some(match value {
        None => return Ok(None),
        Some(value) if value.is_empty() => return Ok(None),
        Some(Value::Text(id)) => Id::Text(id.to_string()),
        Some(Value::Integer(id)) => Id::Integer(*id),
        Some(Value::Unsigned(id)) => Id::Unsigned(*id),
        Some(Value::Boolean(id)) => Id::Text(id.to_string()),
        // A number has more digits in the line than a float holds.
        Some(Value::Fraction(_)) => {
            let found = json::find(line, std::slice::from_ref(field))?;
            let raw = found.first().and_then(Option::as_ref).and_then(|raw| raw.parts().first());
            Id::Text(raw.map_or_else(String::new, |raw| raw.to_string()))
        }
        Some(other) => {
            return Err(Problem::WrongType {
                field: field.clone(),
                wanted: Cow::Borrowed("a string, a number or a boolean"),
                found: other.kind().to_string(),
            });
        }
    }))
}

/// A kept value. Of a list it is the one value that is not null, or its texts joined with a line
/// feed; several other values are none.
fn kept_value(value: &Value<'_>) -> Option<FieldValue> {
    match value {
        Value::Integer(number) => Some(FieldValue::Integer((*number).into())),
        Value::Unsigned(number) => Some(FieldValue::Integer((*number).into())),
        Value::Fraction(number) => Some(FieldValue::Number(*number)),
        Value::Text(text) => Some(FieldValue::Text(text.to_string())),
        Value::Boolean(value) => Some(FieldValue::Boolean(*value)),
        Value::Each(values) => {
            let mut there = values.iter().filter(|value| !value.is_null());
            match (there.next(), there.next()) {
                (Some(only), None) => kept_value(only),
                _ => {
                    let is_text = |value: &Value<'_>| matches!(value, Value::Text(_));
                    let are_texts = values.iter().all(|value| value.is_null() || is_text(value));
                    let text = value.clone().into_text().filter(|_| are_texts)?;
                    Some(FieldValue::Text(text.into_owned()))
                }
            }
        }
        Value::Null | Value::Array(_) | Value::Object => None,
    }
}

/// The tokens of a document: a list of strings, or a string whose tokens are separated by blanks.
fn tokens(value: Option<&Value<'_>>, field: &str) -> Result<FieldValue, Problem> {
    match value {
        Some(Value::Text(text)) => Ok(tokens_of(text)),
        Some(Value::Array(elements)) => tokens_in(elements.iter(), field),
        Some(Value::Each(elements)) => {
            tokens_in(elements.iter().filter(|element| !element.is_null()), field)
        }
        Some(other) => Err(no_tokens(field, other.kind())),
        None => Err(no_tokens(field, "absent")),
    }
}

fn tokens_in<'v>(
    elements: impl Iterator<Item = &'v Value<'v>>,
    field: &str,
) -> Result<FieldValue, Problem> {
    let token = |element: &Value<'_>| match element {
        Value::Text(token) => Ok(token.to_string()),
        other => Err(no_tokens(field, format!("an array with {} in it", other.kind()))),
    };
    elements.map(token).collect::<Result<_, _>>().map(FieldValue::Tokens)
}

#[cfg(test)]
mod tests;
