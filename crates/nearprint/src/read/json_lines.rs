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

pub(crate) struct JsonLinesReader {
    frames: Frames,
    fields: Fields,
    name: String,
    limit: u64,
    /// True until the first row was read.
    at_start: bool,
    /// The number of bytes of lines that are read before they are parsed, without the last line.
    block: usize,
    /// The bytes of a block, and its rows: each with its number and its bytes, or without the bytes
    /// if the row is too long.
    bytes: Vec<u8>,
    rows: Vec<(u64, Option<Range<usize>>)>,
    parsed: vec::IntoIter<Result<Document, Fault>>,
    /// The fault of the file after the rows of the block.
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
mod tests {
    use super::*;
    use crate::read::testing::{documents, messages, options, rejection};

    fn texts(bytes: &[u8]) -> Vec<(u64, Id, String)> {
        documents("a.jsonl", bytes, &options())
            .into_iter()
            .map(|d| d.unwrap())
            .map(|d| (d.row, d.id, d.text))
            .collect()
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
    fn a_file_that_is_one_array_is_told_from_a_bad_row() {
        for bytes in [
            "[{\"text\":\"a\"},{\"text\":\"b\"}]",
            "[\n  {\"text\": \"a\"}\n]\n",
            "\u{feff}[ {\"text\":1}]",
            " [\r\n{}]",
            "[\r\n}",
        ] {
            assert_eq!(
                documents("a.json", bytes.as_bytes(), &options()),
                [rejection("a.json", None, Problem::JsonArray)]
            );
        }
        for bytes in [
            "[1]\n{\"text\":\"a\"}",
            "[  1]\n{\"text\":\"a\"}",
            "[[{}]]\n{\"text\":\"a\"}",
            "[\"a\"]\n{\"text\":\"a\"}",
        ] {
            let found = documents("a.json", bytes.as_bytes(), &options());
            assert_eq!((found.len(), found[0].as_ref().unwrap_err().row), (2, Some(1)), "{bytes}");
        }
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
        assert_eq!(
            found[3],
            rejection("a.jsonl", Some(4), Problem::NullField { field: "title".into() })
        );
        assert_eq!(
            found[4],
            rejection(
                "a.jsonl",
                Some(5),
                Problem::MissingField {
                    field: "title".into(),
                    setting: "text-field".into(),
                    available: ["body".into()].into(),
                    hint: None
                }
            )
        );
        let wrong = Problem::WrongType {
            field: "title".into(),
            wanted: "a string".into(),
            found: "an array".into(),
        };
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
        let fields: Vec<_> =
            documents("a.jsonl", bytes, &options).into_iter().map(|d| d.unwrap().fields).collect();
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
        let same =
            Options { kept_fields: vec!["text".into()], id_field: Some("text".into()), ..options };
        let document = documents("a.jsonl", b"{\"text\":\"x\"}", &same).remove(0).unwrap();
        assert_eq!(
            (document.id, document.fields),
            (Id::Text("x".into()), vec![Some(FieldValue::Text("x".into()))])
        );
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
                "a.jsonl, row 3: no field \"text\"; there are: a; name the right one with text-field",
                "a.jsonl, row 4: not a JSON object (column 13: trailing comma); fix the line, or \
                 name the format with format",
                "a.jsonl, row 5: not a JSON object (column 1: invalid type: sequence, expected an \
                 object); fix the line, or name the format with format",
                "a.jsonl, row 6: not a JSON object (column 14: trailing characters); fix the line, \
                 or name the format with format",
                "a.jsonl, row 7: not UTF-8 (byte 9); convert the file to UTF-8",
                "a.jsonl, row 8: NUL byte at byte 10: the file is binary or UTF-16; convert it to \
                 UTF-8",
                "a.jsonl, row 9: field \"id\" is a number with a fraction or beyond 64 bits, not a string or an integer; name another field",
                "a.jsonl, row 10: field \"id\" is a boolean, not a string or an integer; name another field",
                "a.jsonl, row 11: not UTF-8 (byte 6); convert the file to UTF-8",
                "a.jsonl, row 12: not a JSON object (column 11: EOF while parsing an object); fix \
                 the line, or name the format with format",
            ]
        );
    }

    #[test]
    fn a_negative_zero_is_no_id() {
        let found = documents(
            "a.jsonl",
            b"{\"id\":-0,\"text\":\"a\"}\n{\"id\":0,\"text\":\"a\"}",
            &options(),
        );
        let says = "a.jsonl, row 1: field \"id\" is a negative zero, not a string or an integer; name another field";
        assert_eq!(messages(&found), [says]);
        assert_eq!(found[1].as_ref().unwrap().id, Id::Integer(0));
    }

    #[test]
    fn a_long_line_is_passed_over() {
        let options = Options { max_document_bytes: 20, ..options() };
        let bytes = [
            br#"{"text":"a"}"#.as_slice(),
            b"\n{\"text\":\"",
            &[b'x'; 500_000],
            b"\"}\n{\"text\":\"b\"}",
        ]
        .concat();
        let found = documents("a.jsonl", &bytes, &options);
        assert_eq!(found[1], rejection("a.jsonl", Some(2), Problem::TooLong { limit: 20 }));
        assert_eq!(found[2].as_ref().unwrap().text, "b");
    }
}
