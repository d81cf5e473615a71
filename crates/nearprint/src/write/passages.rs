//! A row, and passages of its text -> the row without them, all other bytes as they were.
//!
//! A passage is a range of characters of the text as it was read: of several fields that are joined with a line feed. Each format
//! spells the characters of a field in its own way, so a field is passed over character by character as it is spelled.

use std::ops::Range;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::read::records::places;

/// Stands in place of a passage that is masked.
pub const MASK: &str = "[masked]";

/// What becomes of passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// [`MASK`] stands in place of each.
    Mask,
    /// They are left out.
    Cut,
}

/// Passages of one text: ranges of characters, sorted, none of which meets the next.
pub type Passages = Vec<Range<usize>>;

/// How a format spells a character: the bytes of the first one.
type Spelling = fn(&[u8]) -> usize;

/// The places to leave out of a row while its fields are passed over.
struct Leaving<'p> {
    passages: &'p [Range<usize>],
    /// Characters before the next field.
    before: usize,
    left_out: Vec<Range<usize>>,
}

impl Leaving<'_> {
    /// Passes over the next field of the text, which lies here in the row.
    fn field(&mut self, row: &[u8], place: Range<usize>, spelling: Spelling) {
        let (mut at, mut character) = (place.start, self.before);
        let mut passages = self.passages.iter().peekable();
        let mut open = None;
        while at < place.end {
            while passages.next_if(|passage| passage.end <= character).is_some() {}
            let is_inside = passages.peek().is_some_and(|passage| passage.start <= character);
            match (open, is_inside) {
                (None, true) => open = Some(at),
                (Some(start), false) => {
                    self.left_out.push(start..at);
                    open = None;
                }
                // One passage may begin where another one ends.
                _ => {}
            }
            at += spelling(&row[at..place.end]);
            character += 1;
        }
        self.left_out.extend(open.map(|start| start..place.end));
        self.before = character + 1;
    }

    /// Appends the row without what is left out.
    fn apply(mut self, row: &[u8], treatment: Treatment, out: &mut Vec<u8>) {
        self.left_out.sort_unstable_by_key(|place| place.start);
        let mut from = 0;
        for place in self.left_out {
            out.extend_from_slice(&row[from..place.start]);
            if treatment == Treatment::Mask {
                out.extend_from_slice(MASK.as_bytes());
            }
            from = place.end;
        }
        out.extend_from_slice(&row[from..]);
    }
}

/// The same of plain text.
pub(super) fn without_in_text(text: &[u8], passages: &[Range<usize>], treatment: Treatment, out: &mut Vec<u8>) {
    let mut leaving = Leaving { passages, before: 0, left_out: Vec::new() };
    leaving.field(text, 0..text.len(), in_text);
    leaving.apply(text, treatment, out);
}

/// Several values of one row, which together are its text, without these passages; those that are absent take no part.
pub fn without_in_values(
    values: &[Option<&str>],
    passages: &[Range<usize>],
    treatment: Treatment,
) -> Vec<Option<String>> {
    let mut leaving = Leaving { passages, before: 0, left_out: Vec::new() };
    let each = values.iter().map(|value| {
        let bytes = value.as_ref()?.as_bytes();
        leaving.left_out.clear();
        leaving.field(bytes, 0..bytes.len(), in_text);
        let (mut out, left_out) = (Vec::new(), std::mem::take(&mut leaving.left_out));
        Leaving { passages, before: 0, left_out }.apply(bytes, treatment, &mut out);
        Some(String::from_utf8(out).expect("characters are left out whole"))
    });
    each.collect()
}

/// The same of a line of JSON Lines, of which these fields are the text.
pub(super) fn without_in_json(
    line: &[u8],
    fields: &[String],
    passages: &[Range<usize>],
    treatment: Treatment,
    out: &mut Vec<u8>,
) {
    let mut leaving = Leaving { passages, before: 0, left_out: Vec::new() };
    for place in strings(line, fields).into_iter().flatten() {
        leaving.field(line, place, in_json);
    }
    leaving.apply(line, treatment, out);
}

/// The same of a record, whose text is in these columns.
pub(super) fn without_in_record(
    record: &[u8],
    delimiter: u8,
    columns: &[usize],
    passages: &[Range<usize>],
    treatment: Treatment,
    out: &mut Vec<u8>,
) {
    let mut leaving = Leaving { passages, before: 0, left_out: Vec::new() };
    let places = places(record, delimiter);
    for column in columns {
        match places[*column].clone() {
            place if record[place.clone()].first() == Some(&b'"') => {
                leaving.field(record, place.start + 1..place.end - 1, in_quotes);
            }
            place => leaving.field(record, place, in_text),
        }
    }
    leaving.apply(record, treatment, out);
}

fn in_text(text: &[u8]) -> usize {
    match text[0] {
        ..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}

/// A quote is doubled.
fn in_quotes(text: &[u8]) -> usize {
    if text.starts_with(b"\"\"") { 2 } else { in_text(text) }
}

/// Characters may be escaped, those beyond 16 bits as two halves.
fn in_json(text: &[u8]) -> usize {
    let is_high = |digits: &[u8]| {
        digits[0].eq_ignore_ascii_case(&b'd') && matches!(digits[1], b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B')
    };
    match text {
        [b'\\', b'u', digits @ ..] if is_high(digits) => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        _ => in_text(text),
    }
}

/// Where the strings of these fields lie in a line, without their quotes; `None` for a field that is null.
fn strings(line: &[u8], fields: &[String]) -> Vec<Option<Range<usize>>> {
    struct Places<'f>(&'f [String]);

    impl<'line> Visitor<'line> for Places<'_> {
        type Value = Vec<Option<&'line str>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'line>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut values = vec![None; self.0.len()];
            while let Some(name) = map.next_key::<std::borrow::Cow<'_, str>>()? {
                let value: &'line RawValue = map.next_value()?;
                for (own, field) in values.iter_mut().zip(self.0) {
                    if *field == name {
                        *own = Some(value.get());
                    }
                }
            }
            Ok(values)
        }
    }

    let values = serde_json::Deserializer::from_slice(line).deserialize_map(Places(fields)).unwrap_or_default();
    let place = |value: Option<&str>| {
        let string = value?.strip_prefix('"')?.strip_suffix('"')?;
        let start = string.as_ptr() as usize - line.as_ptr() as usize;
        Some(start..start + string.len())
    };
    values.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::records::push_field;

    /// The text without the passages, the slow way.
    fn plain(text: &str, passages: &[Range<usize>], treatment: Treatment) -> String {
        let characters: Vec<char> = text.chars().collect();
        let mut out = String::new();
        for (place, c) in characters.iter().enumerate() {
            let inside = passages.iter().find(|passage| passage.contains(&place));
            match inside {
                None => out.push(*c),
                Some(passage) if passage.start == place && treatment == Treatment::Mask => out.push_str(MASK),
                Some(_) => {}
            }
        }
        out
    }

    /// Ranges between these numbers.
    fn passages(mut bounds: Vec<usize>) -> Vec<Range<usize>> {
        bounds.sort_unstable();
        bounds.dedup();
        bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
    }

    fn json(text: &str, escapes: &[u8]) -> String {
        let escaped = |(place, c): (usize, char)| match escapes[place % escapes.len()] {
            0 => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect(),
            _ => serde_json::to_string(&c).unwrap().trim_matches('"').to_string(),
        };
        let all = text.chars().enumerate();
        all.map(|(place, c)| if c == '"' { "\\\"".to_string() } else { escaped((place, c)) }).collect()
    }

    proptest! {
        #[test]
        fn every_format_leaves_out_the_same(
            text in "[a-c天😀é\",\\\\\n ]{0,24}",
            bounds in prop::collection::vec(0usize..30, 0..6),
            escapes in prop::collection::vec(0u8..3, 1..6),
            mask in any::<bool>(),
        ) {
            let (passages, treatment) = (passages(bounds), if mask { Treatment::Mask } else { Treatment::Cut });
            let expected = plain(&text, &passages, treatment);
            let mut out = Vec::new();
            without_in_text(text.as_bytes(), &passages, treatment, &mut out);
            prop_assert_eq!(&String::from_utf8(out).unwrap(), &expected);

            let line = format!("{{\"a\": [1, \"text\"], \"t\\u0065xt\" : \"{}\" ,\"z\":null}}", json(&text, &escapes));
            let mut out = Vec::new();
            without_in_json(line.as_bytes(), &["text".to_string()], &passages, treatment, &mut out);
            let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(value["text"].as_str().unwrap(), &expected);
            let beside = out.starts_with(b"{\"a\": [1, \"text\"], \"t\\u0065xt\" : \"") && out.ends_with(b"\" ,\"z\":null}");
            prop_assert!(beside, "{}", line);

            let (mut record, mut out) = (b"x,".to_vec(), Vec::new());
            push_field(&mut record, &text, b',');
            record.extend_from_slice(b",\"y\"\"\"");
            without_in_record(&record, b',', &[1], &passages, treatment, &mut out);
            let mut fields = crate::read::records::Fields::default();
            fields.split(&out, b',').unwrap();
            prop_assert_eq!(std::str::from_utf8(fields.get(1)).unwrap(), &expected);
            prop_assert!(out.starts_with(b"x,") && out.ends_with(b",\"y\"\"\""));
        }

        #[test]
        fn passages_of_several_fields_are_left_out_of_each(
            values in prop::collection::vec(prop::option::of("[a-c天]{0,6}"), 1..4),
            bounds in prop::collection::vec(0usize..20, 0..6),
        ) {
            let (passages, fields) = (passages(bounds), ["title", "text", "end"].map(String::from));
            let borrowed: Vec<_> = values.iter().map(Option::as_deref).collect();
            let left = without_in_values(&borrowed, &passages, Treatment::Cut);
            // A line feed between two fields is no part of any.
            let mut before = 0;
            for (value, left) in borrowed.iter().zip(&left) {
                let Some(value) = value else {
                    prop_assert_eq!(left, &None);
                    continue;
                };
                let own: String = value.chars().enumerate().filter(|(place, _)| !passages.iter().any(|passage| passage.contains(&(before + place)))).map(|(_, c)| c).collect();
                prop_assert_eq!(left.as_ref(), Some(&own));
                before += value.chars().count() + 1;
            }
            let object: serde_json::Map<_, _> = fields.iter().zip(&values).map(|(field, value)| (field.clone(), value.clone().into())).collect();
            let (line, mut out) = (serde_json::to_string(&object).unwrap(), Vec::new());
            without_in_json(line.as_bytes(), &fields[..values.len()], &passages, Treatment::Cut, &mut out);
            let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
            for (field, left) in fields.iter().zip(left) {
                prop_assert_eq!(value[field].as_str(), left.as_deref());
            }
        }
    }
}
