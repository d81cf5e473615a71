//! JSON Lines, CSV and TSV with fields added to each row. All other bytes stay unchanged.

use std::path::Path;

use serde_json::Value;

use super::copied::{Form, rejected};
use super::rows::rewrite;
use super::{AddedFields, Written, field_taken};
use crate::error::{Error, Problem, Rejection};
use crate::message;
use crate::message::Setting;
use crate::read::dialect::Dialect;
use crate::read::frames::{Frame, Kind};
use crate::read::records::push_field;
use crate::read::{Options, Source, delimited as read_delimited, json as read_json};

/// Adds the fields before each object's closing brace.
pub(super) fn json_lines<A: AddedFields>(
    source: &Source,
    target: &Path,
    options: &Options,
    annotate: &mut dyn FnMut(u64) -> Option<A>,
) -> Result<Written, Error> {
    let names: Vec<String> = A::FIELDS.iter().map(|(name, _)| name.to_string()).collect();
    let header = &mut |_: &Frame<'_>, _: &mut Vec<u8>| Ok(Form::Same);
    rewrite(source, target, options, header, &mut |frame, out| {
        let Some(added) = annotate(frame.number) else { return Ok(Form::LeftOut) };
        if frame.kind == Kind::Row {
            let fields = object_fields(frame.content(), &names);
            let fields = fields.map_err(|problem| rejected(source, frame.number, problem))?;
            if let Some(taken) = fields {
                let place = format!("{}, row {}", source.label, frame.number);
                return Err(field_taken::<A>(&place, taken));
            }
            push_json(frame, &added, out);
        }
        Ok(Form::New)
    })
}

/// The first of these fields that the object has. Also checks that the line is an object.
fn object_fields<'a>(line: &[u8], names: &'a [String]) -> Result<Option<&'a str>, Problem> {
    let line = std::str::from_utf8(line)
        .map_err(|error| Problem::NotUtf8 { offset: error.valid_up_to() })?;
    let values = read_json::parse(line, names)?;
    Ok(names.iter().zip(values).find(|(_, value)| value.is_some()).map(|(name, _)| name.as_str()))
}

fn push_json<A: AddedFields>(frame: &Frame<'_>, added: &A, out: &mut Vec<u8>) {
    // The line is one JSON object, so its last byte before white space is the brace.
    let brace = frame.content().trim_ascii_end().len() - 1;
    let (before, after) = frame.bytes.split_at(brace);
    out.extend_from_slice(before);
    if before.trim_ascii() != b"{" {
        out.push(b',');
    }
    let fields = A::FIELDS.iter().zip(added.values());
    let fields: Vec<String> =
        fields.map(|((name, _), value)| format!("\"{name}\":{value}")).collect();
    out.extend_from_slice(fields.join(",").as_bytes());
    out.extend_from_slice(after);
}

/// Adds columns at the end.
pub(super) fn delimited<A: AddedFields>(
    source: &Source,
    target: &Path,
    options: &Options,
    annotate: &mut dyn FnMut(u64) -> Option<A>,
) -> Result<Written, Error> {
    let dialect = Dialect::of(source).unwrap_or(Dialect::with(b','));
    let push = |frame: &Frame<'_>, values: Vec<String>, out: &mut Vec<u8>| match push_columns(
        frame, &values, dialect, out,
    ) {
        None => Ok(Form::New),
        Some(value) => Err(unquoted::<A>(source, value)),
    };
    let header = &mut |header: &Frame<'_>, out: &mut Vec<u8>| {
        let columns = read_delimited::header(header.content(), dialect).map_err(|problem| {
            Error::Rejected(Rejection { file: source.label.clone(), row: None, problem })
        })?;
        let mut names = A::FIELDS.iter().map(|(name, _)| name.to_string());
        match names.find(|name| columns.contains(name)) {
            Some(taken) => Err(field_taken::<A>(&source.label, &taken)),
            None => push(header, A::FIELDS.iter().map(|(name, _)| name.to_string()).collect(), out),
        }
    };
    rewrite(source, target, options, header, &mut |frame, out| {
        let Some(added) = annotate(frame.number) else { return Ok(Form::LeftOut) };
        push(frame, added.values().iter().map(plain).collect(), out)
    })
}

/// Appends a row with these values in further columns. Returns the first value that needs quotes, if
/// the dialect has none.
fn push_columns<'v>(
    frame: &Frame<'_>,
    values: &'v [String],
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> Option<&'v str> {
    out.extend_from_slice(frame.content());
    let unquoted = values.iter().find(|value| {
        out.push(dialect.delimiter);
        !push_field(out, value, dialect)
    });
    out.extend_from_slice(frame.end());
    unquoted.map(String::as_str)
}

/// The error of a value that cannot be written without quotes.
fn unquoted<A: AddedFields>(source: &Source, value: &str) -> Error {
    let problem = message![
        format!(
            "{}: the value {value:?} cannot be written without quotes; allow them with ",
            source.label
        ),
        Setting::named("quote"),
        ", or ",
        A::INSTEAD
    ];
    Error::usage(A::SETTING, problem)
}

/// The value as in CSV: a text without JSON's quotes, nothing for null.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Id;
    use crate::read::testing::{compress, decompress, options, source};
    use crate::write::{self, Annotation};

    fn annotation(row: u64) -> Option<Annotation> {
        match row {
            1 => Some(Annotation { duplicate_of: None, cluster: Some(9) }),
            2 => Some(Annotation {
                duplicate_of: Some(Id::Text("say \"一\", b".into())),
                cluster: Some(u64::MAX),
            }),
            3 => None,
            4 => Some(Annotation { duplicate_of: Some(Id::Unsigned(u64::MAX)), cluster: None }),
            _ => Some(Annotation { duplicate_of: Some(Id::Integer(-1)), cluster: Some(0) }),
        }
    }

    fn annotated(name: &str, plain: &str) -> Result<String, Error> {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path(), name, &compress(name, plain.as_bytes()), &options());
        let target = folder.path().join("out").join(name);
        let written = write::annotated(&source, &target, &options(), &mut annotation)?;
        let bytes = std::fs::read(&target).unwrap();
        assert_eq!(written.bytes, bytes.len() as u64);
        Ok(String::from_utf8(decompress(name, &bytes)).unwrap())
    }

    #[test]
    fn json_fields_come_before_the_closing_brace() {
        let plain = "\u{feff}{ \"text\" : \"}\" }\r\n{\"cluster_\":{\"cluster\":1}} \t\nnot json\n{ }\n\n{\"a\":1}\n{\"b\":2}";
        let expected = "\u{feff}{ \"text\" : \"}\" ,\"duplicate_of\":null,\"cluster\":9}\r\n{\"cluster_\":{\"cluster\":1},\"duplicate_of\":\"say \\\"一\\\", b\",\"cluster\":18446744073709551615} \t\n{ \"duplicate_of\":18446744073709551615,\"cluster\":null}\n\n{\"a\":1,\"duplicate_of\":-1,\"cluster\":0}\n{\"b\":2,\"duplicate_of\":-1,\"cluster\":0}";
        for name in ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"] {
            assert_eq!(annotated(name, plain).unwrap(), expected);
        }
    }

    #[test]
    fn a_field_of_our_name_is_refused_with_its_row() {
        assert_eq!(
            annotated("a.jsonl", "{\"text\":\"a\"}\n{\"cluster\":null}\n").unwrap_err().to_string(),
            "annotate: a.jsonl, row 2 already has a field \"cluster\"; rename it in the input, or write kept copies instead"
        );
        assert_eq!(
            annotated("a.csv", "text,duplicate_of\na,b\n").unwrap_err().to_string(),
            "annotate: a.csv already has a field \"duplicate_of\"; rename it in the input, or write kept copies instead"
        );
    }

    #[test]
    fn columns_are_added_at_the_end() {
        assert_eq!(
            annotated("a.csv", "\u{feff}text,\"i d\"\r\n\"a\n\",1\r\nb,2\nx\nc,\"\"\n\nd,e")
                .unwrap(),
            "\u{feff}text,\"i d\",duplicate_of,cluster\r\n\"a\n\",1,,9\r\nb,2,\"say \"\"一\"\", b\",18446744073709551615\nc,\"\",18446744073709551615,\n\nd,e,-1,0"
        );
        assert_eq!(
            annotated("a.tsv.gz", "text\na\nb\n").unwrap(),
            "text\tduplicate_of\tcluster\na\t\t9\nb\t\"say \"\"一\"\", b\"\t18446744073709551615\n"
        );
    }

    #[test]
    fn plain_text_cannot_be_annotated() {
        let message = annotated("a.txt", "a").unwrap_err().to_string();
        assert!(message.starts_with(
            "annotate: a.txt is plain text, which has no fields; convert it to JSON Lines"
        ));
    }
}
