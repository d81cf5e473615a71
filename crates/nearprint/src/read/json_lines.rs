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
use super::json::{Value, parse, parse_lists, texts};
use super::{Fault, Options, Source, join_texts, no_tokens, row_id, tokens_of, utf8};
use crate::document::{Document, FieldValue, Id};
use crate::error::{Hint, Problem, by_far_the_longest};

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

/// The wanted fields: each name once, and its uses.
struct Fields {
    names: Vec<String>,
    text: Vec<usize>,
    id: Option<usize>,
    kept: Vec<usize>,
    /// True if the last kept field holds the tokens of the document.
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
        let id = options.id_field.as_ref().map(&mut place);
        let kept = options.kept_fields.iter().map(&mut place).collect();
        Fields { names, text, id, kept, tokens: options.tokens_field.is_some() }
    }
}

/// The document of a line, or the reason why it has none.
fn document(line: &[u8], row: u64, fields: &Fields, name: &str) -> Result<Document, Problem> {
    // Valid JSON has no NUL byte, so only a line that fails is searched for one.
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
            None => {
                let (field, setting) = (fields.names[place].clone(), "text-field".into());
                let texts = texts(text);
                let longest =
                    by_far_the_longest(texts.iter().map(|(name, length)| (name.as_str(), *length)));
                let available = texts.into_iter().map(|(name, _)| name).collect();
                let hint = longest.map(Hint::Longest).map(Box::new);
                return Err(Problem::MissingField { field, setting, available, hint });
            }
            Some(value) => return Err(wrong(place, "a string", value.kind())),
        }
    }
    let id = match fields.id.and_then(|place| Some((place, values[place].as_ref()?))) {
        None | Some((_, Value::Null)) => row_id(name, row),
        Some((_, Value::Text(id))) => Id::Text(id.to_string()),
        Some((_, Value::Integer(id))) => Id::Integer(*id),
        Some((_, Value::Unsigned(id))) => Id::Unsigned(*id),
        Some((place, value)) => return Err(wrong(place, "a string or an integer", value.kind())),
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
    if let (true, Some(last), Some(place)) =
        (fields.tokens, kept_values.last_mut(), fields.kept.last())
    {
        *last = Some(tokens(values[*place].as_ref(), &fields.names[*place])?);
    }
    let text = match fields.text[..] {
        [place] => values[place].take().and_then(Value::into_text).map(Cow::into_owned),
        _ => join_texts(
            fields.text.iter().map(|place| values[*place].clone().and_then(Value::into_text)),
        ),
    };
    match text {
        Some(text) => Ok(Document { row, id, text, fields: kept_values }),
        None => Err(Problem::NullField { field: fields.names[fields.text[0]].clone() }),
    }
}

/// The tokens of a document: a list of strings, or a string whose tokens are separated by blanks.
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

#[cfg(test)]
mod tests;
