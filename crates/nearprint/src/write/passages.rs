//! A row, and passages of its text -> the row without them. All other bytes stay unchanged, but a
//! field may get quotes.
//!
//! A passage is a range of characters of the text as it was read; several fields are joined with a
//! line feed. Each format encodes the characters of a field in its own way, so a field is skipped
//! character by character in its encoded form.

use std::ops::Range;

use crate::read::dialect::Dialect;
use crate::read::json;
use crate::read::records::{places, push_quoted};

/// The text in place of a masked passage.
pub const MASK: &str = "[masked]";

/// The treatment of passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// Replaced by [`MASK`].
    Mask,
    /// Left out.
    Cut,
}

/// The passages of one text: ranges of characters, sorted and apart from each other.
pub type Passages = Vec<Range<usize>>;

/// Goes through the fields of a row whose values together are its text, in order.
struct Leaving<'p> {
    passages: &'p [Range<usize>],
    treatment: Treatment,
    /// The number of characters before the next field.
    before: usize,
}

impl<'p> Leaving<'p> {
    fn new(passages: &'p [Range<usize>], treatment: Treatment) -> Leaving<'p> {
        Leaving { passages, treatment, before: 0 }
    }

    /// The next field without the passages, in its encoded form.
    /// `spelling` is the number of bytes of its first character.
    fn rest(&mut self, field: &[u8], spelling: impl Fn(&[u8]) -> usize) -> Vec<u8> {
        let mut passages = self.passages.iter().peekable();
        let (mut rest, mut at, mut is_inside) = (Vec::with_capacity(field.len()), 0, false);
        while at < field.len() {
            while passages.next_if(|passage| passage.end <= self.before).is_some() {}
            let was_inside = is_inside;
            is_inside = passages.peek().is_some_and(|passage| passage.start <= self.before);
            let end = at + spelling(&field[at..]);
            if !is_inside {
                rest.extend_from_slice(&field[at..end]);
            } else if !was_inside && self.treatment == Treatment::Mask {
                rest.extend_from_slice(MASK.as_bytes());
            }
            at = end;
            self.before += 1;
        }
        // Counts the line feed before the next field.
        self.before += 1;
        rest
    }
}

/// Appends the row with new bytes in the places of its fields.
fn replace(row: &[u8], mut places: Vec<(Range<usize>, Vec<u8>)>, out: &mut Vec<u8>) {
    places.sort_by_key(|(place, _)| place.start);
    // A field may be named twice.
    places.dedup_by(|(next, _), (last, _)| next.start == last.start);
    let mut from = 0;
    for (place, new) in places {
        out.extend_from_slice(&row[from..place.start]);
        out.extend_from_slice(&new);
        from = place.end;
    }
    out.extend_from_slice(&row[from..]);
}

/// Plain text without these passages.
pub(super) fn without_in_text(
    text: &[u8],
    passages: &[Range<usize>],
    treatment: Treatment,
) -> Vec<u8> {
    Leaving::new(passages, treatment).rest(text, in_text)
}

/// The values of one row, which together are its text, without these passages. Absent values are
/// skipped.
pub fn without_in_values(
    values: &[Option<&str>],
    passages: &[Range<usize>],
    treatment: Treatment,
) -> Vec<Option<String>> {
    let mut leaving = Leaving::new(passages, treatment);
    let mut rest = |value: &str| {
        String::from_utf8(leaving.rest(value.as_bytes(), in_text))
            .expect("characters are left out whole")
    };
    values.iter().map(|value| value.map(&mut rest)).collect()
}

/// Appends a line of JSON Lines, whose text is in these fields, without the passages.
pub(super) fn without_in_json(
    line: &[u8],
    fields: &[String],
    passages: &[Range<usize>],
    treatment: Treatment,
    out: &mut Vec<u8>,
) {
    let mut leaving = Leaving::new(passages, treatment);
    let places = strings(line, fields).into_iter();
    let places = places.map(|place| (place.clone(), leaving.rest(&line[place], in_json))).collect();
    replace(line, places, out);
}

/// Appends a record, whose text is in these columns, without the passages.
///
/// A field without quotes gets them if the rest would be read differently without them. If the
/// dialect has no quotes, an empty record becomes a space.
pub(super) fn without_in_record(
    record: &[u8],
    dialect: Dialect,
    columns: &[usize],
    passages: &[Range<usize>],
    treatment: Treatment,
    out: &mut Vec<u8>,
) {
    let mut leaving = Leaving::new(passages, treatment);
    let places = places(record, dialect);
    let mut new = |column: &usize| {
        let place = places[*column].clone();
        let is_quote = |bytes: &[u8]| dialect.quote.filter(|quote| bytes.first() == Some(quote));
        if let Some(quote) = is_quote(&record[place.clone()]) {
            let inner = place.start + 1..place.end - 1;
            let spelling = |text: &[u8]| in_quotes(text, quote, dialect.escape);
            return (inner.clone(), leaving.rest(&record[inner], spelling));
        }
        let mut rest = leaving.rest(&record[place.clone()], in_text);
        // A quote at the start would open the field, and an empty record would be a blank line.
        let is_alone = rest.is_empty() && places.len() == 1;
        match dialect.quote {
            Some(quote) if is_alone || rest.first() == Some(&quote) => {
                let unquoted = std::mem::take(&mut rest);
                push_quoted(&mut rest, &unquoted, quote, dialect.escape);
            }
            None if is_alone => rest.push(b' '),
            _ => {}
        }
        (place, rest)
    };
    let fields = columns.iter().map(&mut new).collect();
    replace(record, fields, out);
}

fn in_text(text: &[u8]) -> usize {
    match text[0] {
        ..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}

/// The number of bytes of a character in a quoted field, where a quote is doubled or escaped.
fn in_quotes(text: &[u8], quote: u8, escape: Option<u8>) -> usize {
    match text {
        [first, letter @ ..] if !letter.is_empty() && Some(*first) == escape => 1 + in_text(letter),
        [first, ..] if *first == quote => 2,
        _ => in_text(text),
    }
}

/// The number of bytes of a character in JSON, where it may be escaped; one beyond 16 bits as two
/// halves.
fn in_json(text: &[u8]) -> usize {
    let is_high = |digits: &[u8]| {
        digits[0].eq_ignore_ascii_case(&b'd')
            && matches!(digits[1], b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B')
    };
    match text {
        [b'\\', b'u', digits @ ..] if is_high(digits) => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        _ => in_text(text),
    }
}

/// The ranges of the strings in a line that together are its text, without their quotes.
fn strings(line: &[u8], fields: &[String]) -> Vec<Range<usize>> {
    let place = |raw: &str| {
        let string = raw.strip_prefix('"')?.strip_suffix('"')?;
        let start = string.as_ptr() as usize - line.as_ptr() as usize;
        Some(start..start + string.len())
    };
    let Ok(text) = std::str::from_utf8(line) else { return Vec::new() };
    json::text_parts(text, fields).into_iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests;
