//! All removals, leaks in documents that stay, and pairs just below the bound -> the list of pairs
//! of the page, as JSON. It is written row by row, since a run may remove millions of documents.

use std::borrow::Cow;
use std::io::{self, Write};

use hashbrown::HashMap;
use serde::Serialize;
use serde_json::value::RawValue;

use super::census::Census;
use super::rows::{Place, ReportRows};
use crate::corpus::text_hash;
use crate::error::Error;

/// A removed document and its keeper, a document that stays and an item in it, or two documents
/// just below the bound. The names are short, since there may be many pairs.
#[derive(Serialize)]
struct Pair<'l> {
    /// The document, and its keeper or item.
    d: Document<'l>,
    k: Document<'l>,
    /// The similarity.
    s: f64,
    /// The distance of the fingerprints in bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<u32>,
    /// The reason; `missed` for a pair just below the bound.
    r: Cow<'l, str>,
    /// The action on a leak in a document that stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<Cow<'l, str>>,
    /// The number of the cluster; none for a pair without a removed document.
    #[serde(skip_serializing_if = "Option::is_none")]
    c: Option<u32>,
    /// The share of the document that stands nowhere in its keeper.
    #[serde(skip_serializing_if = "Option::is_none")]
    l: Option<f64>,
    /// The share of both texts that stands in the other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<f64>,
    /// True if a text may lose less, since one of the two is in a family of similar texts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    n: bool,
    /// The first and the last character of the keeper or item in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<[u32; 2]>,
    /// True if the document is removed and much longer than its keeper.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    o: bool,
}

/// A document of a pair.
#[derive(Serialize)]
#[serde(untagged)]
enum Document<'l> {
    /// Its number among the documents of the pairs before.
    Known(u32),
    /// In the first pair that has it, its id, the number of its file, its row, its length in
    /// characters, its source if a field names that, the values of the shown fields, and the hash
    /// of its text for marks, if the text is known.
    New(String, u32, u64, u32, Option<&'l String>, Vec<Option<String>>, Option<String>),
}

/// Writes the list of pairs as a JSON array.
pub(super) fn write(
    rows: [&ReportRows; 3],
    census: &Census,
    by_field: bool,
    out: &mut impl Write,
    failed: impl Fn(io::Error) -> Error + Copy,
) -> Result<(), Error> {
    let mut numbers: HashMap<Place, u32> = HashMap::new();
    let mut separator: &[u8] = b"[\n";
    for rows in rows {
        rows.lines(|row, line| {
            let mut document = |place: Place, id: &RawValue, length: u32| {
                let next = numbers.len() as u32;
                let number = *numbers.entry(place).or_insert(next);
                if number < next {
                    return Ok::<_, Error>(Document::Known(number));
                }
                let record = census.record(place)?;
                let values = record.iter().flat_map(|record| census.values(record));
                let values = values.map(|value| value.map(str::to_string)).collect();
                let source = census.source(place).filter(|_| by_field);
                // A text of another length shows that the file has changed since the run.
                let text = record.as_ref().map(|record| &*record.text);
                let text = text.filter(|text| text.chars().count() == length as usize);
                let hash = text.map(|text| format!("{:016x}", text_hash(text)));
                let id = id.get().to_string();
                Ok(Document::New(id, place.file, place.row, length, source, values, hash))
            };
            let pair = Pair {
                d: document(row.place, line.id, line.length)?,
                k: document(row.keeper, line.keeper, line.keeper_length)?,
                s: line.similarity,
                t: line.distance,
                r: match (line.cluster, &line.action) {
                    (0, None) => "missed".into(),
                    _ => line.reason.unwrap_or("near".into()),
                },
                a: line.action,
                c: (line.cluster > 0).then_some(line.cluster),
                l: line.lost,
                f: line.share,
                n: row.is_in_family(),
                p: line.first.zip(line.last).map(<[u32; 2]>::from),
                o: line.cluster > 0 && row.is_longer(),
            };
            let json = in_script(&serde_json::to_string(&pair).expect("it is JSON"));
            out.write_all(separator).map_err(failed)?;
            separator = b",\n";
            out.write_all(json.as_bytes()).map_err(failed)
        })?;
    }
    let end: &[u8] = if numbers.is_empty() { b"[]" } else { b"\n]" };
    out.write_all(end).map_err(failed)
}

/// JSON that may stand in a script element. A `<`, which could end the element, is written by its
/// number. Only strings of JSON can have one.
pub(super) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_data() {
        assert_eq!(in_script(r#"{"a":"</script><!--"}"#), r#"{"a":"\u003c/script>\u003c!--"}"#);
    }
}
