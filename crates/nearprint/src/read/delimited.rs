//! CSV and TSV with a header -> documents.
//!
//! Values are strings: an id is always text, and so is a kept value, unless the field is a numeric
//! one and the value parses as a number. CSV has no null: an empty id counts as missing, and so does
//! an empty text if another alternative has one. Else it is an empty document.

use std::borrow::Cow;

use super::dialect::Dialect;
use super::frames::{Frames, Kind};
use super::records::{BadQuote, Fields};
use super::swallowed::Swallowed;
use super::wanted::Wanted;
use super::{Delimiter, Fault, Options, Source, join_texts, no_tokens, row_id, tokens_of, utf8};
use crate::document::{Document, FieldValue, Id};
use crate::error::{Hint, Problem, by_far_the_longest};
use crate::field::alternatives;
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
    /// The alternatives of each text field.
    text: Vec<Vec<usize>>,
    /// The alternatives of the id.
    id: Vec<usize>,
    /// The alternatives of each kept field.
    kept: Vec<Vec<usize>>,
    /// The number of kept fields whose values may be numbers.
    numeric: usize,
    /// True if the last kept field holds the tokens of the document.
    tokens: bool,
}

impl DelimitedReader {
    pub fn open(source: &Source, options: &Options) -> Result<DelimitedReader, Problem> {
        let mut frames = Frames::open(source, options)?;
        let dialect = Dialect::of(source).unwrap_or(Dialect::with(b','));
        let header = header(frames.header().content(), dialect)?;
        let wanted = Wanted::new(options);
        check_not_repeated(&header, &wanted.paths)?;
        let place = |path: &usize| header.iter().position(|column| *column == wanted.paths[*path]);
        let places = |paths: &Vec<usize>| paths.iter().filter_map(place).collect::<Vec<_>>();
        let text: Vec<Vec<usize>> = wanted.text.iter().map(places).collect();
        if text.iter().all(Vec::is_empty) {
            return Err(missing_column(&options.text_fields[0], header, dialect, &mut frames));
        }
        let kept: Vec<Vec<usize>> = wanted.kept.iter().map(places).collect();
        if let (Some(field), true) = (&options.tokens_field, kept.last().is_some_and(Vec::is_empty))
        {
            return Err(no_tokens(field, "absent"));
        }
        let columns = Columns {
            count: header.len(),
            text,
            id: places(&wanted.id),
            kept,
            numeric: options.numeric_fields,
            tokens: options.tokens_field.is_some(),
        };
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

    /// For each text field true if the file has a column for it.
    pub fn texts_found(&self) -> Vec<bool> {
        self.columns.text.iter().map(|places| !places.is_empty()).collect()
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
                    alternatives(name).pop().unwrap_or_default()
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
    let names = alternatives(name);
    let has_name = |columns: &[String]| columns.iter().any(|column| names.contains(column));
    let mut likely: Vec<_> = others.filter(|(_, columns)| columns.len() > count).collect();
    likely.sort_by_key(|(_, columns)| (!has_name(columns), std::cmp::Reverse(columns.len())));
    let (delimiter, columns) = likely.into_iter().next()?;
    let is_meant = has_name(&columns);
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
    let ends = record.trim_ascii_end().iter().filter(|&&byte| byte == b'\n').count();
    Problem::BadQuote { is_open: quote == BadQuote::Open, lines: 1 + ends as u64 }
}

fn document(fields: &Fields, row: u64, columns: &Columns, name: &str) -> Result<Document, Problem> {
    let value = |place: usize| utf8(fields.get(place));
    // The first value of some columns that is not empty.
    let first = |places: &[usize]| {
        let values = places.iter().map(|place| value(*place));
        let values = values.filter(|value| !matches!(value, Ok("")));
        values.into_iter().next().transpose()
    };
    let id = first(&columns.id)?.map_or_else(|| row_id(name, row), |id| Id::Text(id.to_string()));
    let kept = |(number, places): (usize, &Vec<usize>)| {
        let kept: fn(&str) -> FieldValue = match number < columns.numeric {
            true => number_or_text,
            false => |text| FieldValue::Text(text.to_string()),
        };
        Ok(first(places)?.map(kept))
    };
    let mut kept_values =
        columns.kept.iter().enumerate().map(kept).collect::<Result<Vec<_>, Problem>>()?;
    if let (true, Some(last), Some(places)) =
        (columns.tokens, kept_values.last_mut(), columns.kept.last())
    {
        *last = Some(tokens_of(first(places)?.unwrap_or_default()));
    }
    let texts = columns.text.iter().filter(|places| !places.is_empty());
    let texts = texts.map(|places| Ok(first(places)?.unwrap_or_default()));
    let texts = texts.collect::<Result<Vec<_>, Problem>>()?;
    let text =
        join_texts(texts.into_iter().map(|text| Some(Cow::Borrowed(text)))).unwrap_or_default();
    Ok(Document { row, id, text, fields: kept_values })
}

/// A value as a number if it parses as one.
fn number_or_text(value: &str) -> FieldValue {
    let number = value.trim();
    if let Ok(integer) = number.parse() {
        return FieldValue::Integer(integer);
    }
    let fraction = number.parse().ok().filter(|fraction: &f64| !fraction.is_nan());
    fraction.map_or_else(|| FieldValue::Text(value.to_string()), FieldValue::Number)
}

/// The columns of the alternatives of each text field that the header has.
pub(crate) fn text_columns(header: &[String], fields: &[String]) -> Vec<Vec<usize>> {
    let place = |name: String| header.iter().position(|column| *column == name);
    let places = |field: &String| alternatives(field).into_iter().filter_map(place).collect();
    fields.iter().map(places).filter(|places: &Vec<usize>| !places.is_empty()).collect()
}

/// The columns of the text of a record: for each field the first of these that is not empty, else
/// the first.
pub(crate) fn columns_of_text(
    record: &[u8],
    dialect: Dialect,
    fields: &[Vec<usize>],
) -> Vec<usize> {
    let mut values = Fields::default();
    if values.split(record, dialect).is_err() {
        return Vec::new();
    }
    let has_text = |place: &&usize| **place < values.len() && !values.get(**place).is_empty();
    let chosen = |places: &Vec<usize>| places.iter().find(has_text).or(places.first()).copied();
    fields.iter().filter_map(chosen).collect()
}

#[cfg(test)]
mod tests;
