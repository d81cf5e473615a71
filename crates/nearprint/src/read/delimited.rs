//! CSV and TSV with a header -> documents.
//!
//! Values are strings: an id is always text, and a kept value that parses as a number is a number.
//! CSV has no null: an empty id counts as missing, and an empty text is an empty document.

use std::borrow::Cow;

use super::dialect::Dialect;
use super::frames::{Frames, Kind};
use super::records::{BadQuote, Fields};
use super::swallowed::Swallowed;
use super::{Delimiter, Fault, Options, Source, join_texts, no_tokens, row_id, tokens_of, utf8};
use crate::document::{Document, FieldValue, Id};
use crate::error::{Hint, Problem, by_far_the_longest};
use crate::message::Message;

/// Reads CSV and TSV.
pub(crate) struct DelimitedReader {
    frames: Frames,
    dialect: Dialect,
    columns: Columns,
    fields: Fields,
    name: String,
    limit: u64,
    swallowed: Swallowed,
}

/// The places of the wanted columns.
struct Columns {
    count: usize,
    text: Vec<usize>,
    id: Option<usize>,
    /// The kept fields; `None` for a field without a column.
    kept: Vec<Option<usize>>,
    /// True if the last kept field holds the tokens of the document.
    tokens: bool,
}

impl DelimitedReader {
    pub fn open(source: &Source, options: &Options) -> Result<DelimitedReader, Problem> {
        let mut frames = Frames::open(source, options)?;
        let dialect = Dialect::of(source).unwrap_or(Dialect::with(b','));
        let header = header(frames.header().content(), dialect)?;
        let wanted =
            options.text_fields.iter().chain(&options.kept_fields).chain(&options.id_field);
        check_not_repeated(&header, wanted)?;
        let place = |name: &String| header.iter().position(|column| column == name);
        let missing = options.text_fields.iter().find(|name| place(name).is_none());
        if let Some(name) = missing {
            return Err(missing_column(name, header, dialect, &mut frames));
        }
        let text = options.text_fields.iter().filter_map(place).collect();
        let kept = options.kept_fields.iter().map(place).collect();
        if let Some(field) = options.tokens_field.as_ref().filter(|field| place(field).is_none()) {
            return Err(no_tokens(field, "absent"));
        }
        let (id, tokens) =
            (options.id_field.as_ref().and_then(place), options.tokens_field.is_some());
        let columns = Columns { count: header.len(), text, id, kept, tokens };
        let (name, limit) = (source.name.clone(), options.max_document_bytes);
        let (fields, swallowed) = (Fields::default(), Swallowed::of(source));
        Ok(DelimitedReader { frames, dialect, columns, fields, name, limit, swallowed })
    }

    pub fn bytes_read(&self) -> u64 {
        self.frames.bytes_read()
    }

    pub fn content_hash(&self) -> u128 {
        self.frames.content_hash()
    }

    /// A warning about quoted fields that may have taken in rows.
    pub fn warning(&self) -> Option<Message> {
        self.swallowed.warning()
    }

    pub fn next(&mut self) -> Option<Result<Document, Fault>> {
        let DelimitedReader { frames, dialect, columns, fields, name, limit, swallowed } = self;
        frames.next_row(*limit, |record, row| {
            split(record, *dialect, columns.count, fields)?;
            swallowed.look_at(record, row, fields, *dialect);
            document(fields, row, columns, name)
        })
    }
}

/// The problem of a header that lacks a column, with the likely cause: another delimiter, a first
/// row in place of a header, or another name.
fn missing_column(
    name: &str,
    header: Vec<String>,
    dialect: Dialect,
    frames: &mut Frames,
) -> Problem {
    let hint = match divided_otherwise(name, frames.header().content(), header.len(), dialect) {
        Some((delimiter, available)) => {
            Some(Hint::Delimiter { delimiter: delimiter.to_string(), available })
        }
        None if header.iter().any(|name| looks_like_a_value(name)) => {
            let longest = (0..header.len())
                .max_by_key(|&place| (header[place].len(), std::cmp::Reverse(place)));
            let column = |place| {
                if Some(place) == longest {
                    name.to_string()
                } else {
                    format!("column{}", place + 1)
                }
            };
            let delimiter = char::from(dialect.delimiter).to_string();
            Some(Hint::Header((0..header.len()).map(column).collect::<Vec<_>>().join(&delimiter)))
        }
        None => first_row(frames, dialect, header.len()).and_then(|row| {
            let texts = header
                .iter()
                .zip(&row)
                .map(|(column, value)| (column.as_str(), value.chars().count()));
            by_far_the_longest(texts).map(Hint::Longest)
        }),
    };
    Problem::MissingColumn {
        column: name.to_string(),
        setting: "text-field".into(),
        available: header.into(),
        hint: hint.map(Box::new),
    }
}

/// Finds another delimiter with which the header has the column, or has several columns instead of
/// one. Returns it with the columns.
fn divided_otherwise(
    name: &str,
    record: &[u8],
    count: usize,
    dialect: Dialect,
) -> Option<(Delimiter, Vec<String>)> {
    let by = |other: Delimiter| Dialect { delimiter: other.byte(), ..dialect };
    let others = Delimiter::USUAL
        .into_iter()
        .filter_map(|other| Some((other, header(record, by(other)).ok()?)));
    let mut likely: Vec<_> = others.filter(|(_, columns)| columns.len() > count).collect();
    likely.sort_by_key(|(_, columns)| {
        (!columns.iter().any(|column| column == name), std::cmp::Reverse(columns.len()))
    });
    let (delimiter, columns) = likely.into_iter().next()?;
    let is_meant = columns.iter().any(|column| column == name);
    let are_names = columns.iter().all(|column| !looks_like_a_value(column));
    (is_meant || count == 1 && are_names).then_some((delimiter, columns))
}

/// Returns true if this is unlikely to be the name of a column: nothing, a number, or a text.
fn looks_like_a_value(name: &str) -> bool {
    name.trim().is_empty()
        || name.trim().parse::<f64>().is_ok()
        || name.chars().count() > 60
        || name.contains('\n')
}

/// The values of the next row, if their number is `count`.
fn first_row(frames: &mut Frames, dialect: Dialect, count: usize) -> Option<Vec<String>> {
    let row = loop {
        let frame = frames.next().ok()??;
        match frame.kind {
            Kind::Blank => {}
            Kind::Row => break frame.content(),
            Kind::TooLong => return None,
        }
    };
    header(row, dialect).ok().filter(|values| values.len() == count)
}

/// The names of the columns in a header.
pub(crate) fn header(record: &[u8], dialect: Dialect) -> Result<Vec<String>, Problem> {
    utf8(record)?;
    let mut fields = Fields::default();
    fields.split(record, dialect).map_err(|quote| bad_quote(quote, record))?;
    (0..fields.len()).map(|place| utf8(fields.get(place)).map(str::to_string)).collect()
}

/// Refuses a header that has a wanted column several times, since any of them might be meant.
pub(super) fn check_not_repeated<'n>(
    header: &[String],
    wanted: impl IntoIterator<Item = &'n String>,
) -> Result<(), Problem> {
    let is_repeated = |name: &&String| header.iter().filter(|column| column == name).count() > 1;
    let mut columns: Vec<String> = Vec::new();
    for name in wanted.into_iter().filter(is_repeated) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    if columns.is_empty() { Ok(()) } else { Err(Problem::RepeatedColumn { columns }) }
}

/// Cuts a record into as many fields as the header has.
pub(super) fn split(
    record: &[u8],
    dialect: Dialect,
    count: usize,
    fields: &mut Fields,
) -> Result<(), Problem> {
    utf8(record)?;
    fields.split(record, dialect).map_err(|quote| bad_quote(quote, record))?;
    if fields.len() != count {
        let reason = format!(
            "{} {}, but the header has {count}; quote fields that contain the delimiter or a line \
             end",
            fields.len(),
            if fields.len() == 1 { "field" } else { "fields" }
        );
        return Err(Problem::Damaged { reason });
    }
    Ok(())
}

fn bad_quote(quote: BadQuote, record: &[u8]) -> Problem {
    let lines = 1 + record.trim_ascii_end().iter().filter(|&&byte| byte == b'\n').count();
    let wrong = match quote {
        BadQuote::Open => "a quote at the beginning of a field is never closed",
        BadQuote::Stray => "a quoted field continues after its closing quote",
    };
    Problem::Damaged {
        reason: format!(
            "{wrong}; the row spans {lines} {}; quote fields that contain quotes, and double the \
             quotes in them",
            if lines == 1 { "line" } else { "lines" }
        ),
    }
}

fn document(fields: &Fields, row: u64, columns: &Columns, name: &str) -> Result<Document, Problem> {
    let value = |place: usize| utf8(fields.get(place));
    let id = match columns.id.map(value).transpose()? {
        None | Some("") => row_id(name, row),
        Some(id) => Id::Text(id.to_string()),
    };
    let kept = |place: &Option<usize>| Ok(place.map(value).transpose()?.and_then(field_value));
    let mut kept_values = columns.kept.iter().map(kept).collect::<Result<Vec<_>, Problem>>()?;
    if let (true, Some(last), Some(Some(place))) =
        (columns.tokens, kept_values.last_mut(), columns.kept.last())
    {
        *last = Some(tokens_of(value(*place)?));
    }
    let texts = columns.text.iter().map(|&place| value(place)).collect::<Result<Vec<_>, _>>()?;
    let text =
        join_texts(texts.into_iter().map(|text| Some(Cow::Borrowed(text)))).unwrap_or_default();
    Ok(Document { row, id, text, fields: kept_values })
}

/// A kept value; a number if it parses as one.
fn field_value(value: &str) -> Option<FieldValue> {
    let number = value.trim();
    if value.is_empty() {
        None
    } else if let Ok(integer) = number.parse() {
        Some(FieldValue::Integer(integer))
    } else {
        let fraction = number.parse().ok().filter(|fraction: &f64| !fraction.is_nan());
        Some(fraction.map_or_else(|| FieldValue::Text(value.to_string()), FieldValue::Number))
    }
}

#[cfg(test)]
mod tests;
