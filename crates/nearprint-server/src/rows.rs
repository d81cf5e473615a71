//! The body of a request -> its rows as JSON Lines.
//!
//! A body is one JSON object with a list of rows, or JSON Lines (`application/x-ndjson`), one row
//! on each line. The library reads the rows: it knows the names of their fields, and reports what
//! is wrong with them.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use memchr::{memchr2, memchr2_iter};
use serde_json::value::RawValue;

use crate::access::Asker;
use crate::problem::Problem;

/// The media type of JSON Lines.
pub(crate) const LINES: &str = "application/x-ndjson";

/// The media type of JSON.
pub(crate) const JSON: &str = "application/json";

/// The number of lines that earlier parts of a body had, for a request that is a part.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before(pub u64);

impl<S: Sync> FromRequestParts<S> for Before {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Before, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or_default())
    }
}

/// The rows of a body.
pub(crate) enum Rows {
    /// Texts without ids.
    Texts(Vec<String>),
    /// Rows, one on each line.
    Lines(Vec<u8>),
}

/// The members of a body.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<'b> {
    #[serde(borrow, default)]
    documents: Option<Vec<&'b RawValue>>,
    #[serde(default)]
    texts: Option<Vec<String>>,
}

/// The rows of a body, counted for the rate. With `texts` a list of texts is allowed. A later part
/// of a body in JSON Lines has waited for its turn, so it is counted and not refused.
///
/// # Errors
/// A problem for a body that is neither, or has more than `most` rows.
pub(crate) fn rows(
    headers: &HeaderMap,
    body: &[u8],
    texts: bool,
    most: usize,
    (asker, before): (&Asker, Before),
) -> Result<Rows, Problem> {
    let rows = match media(headers).as_str() {
        LINES => Rows::Lines(body.to_vec()),
        JSON => in_json(body, texts)?,
        other => return Err(wrong_media(other, ", or JSON Lines as application/x-ndjson")),
    };
    let count = match &rows {
        Rows::Texts(texts) => texts.len(),
        Rows::Lines(lines) => count_rows(lines),
    };
    if count > most {
        let detail = format!("the body has more than {most} rows; send them in several requests");
        return Err(Problem::of_request("rows", detail).with(StatusCode::PAYLOAD_TOO_LARGE));
    }
    match before {
        Before(0) => asker.count(count)?,
        _ => asker.count_part(count),
    }
    Ok(rows)
}

/// The media type of a body in small letters; empty without one.
pub(crate) fn media(headers: &HeaderMap) -> String {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media = media.and_then(|value| value.split(';').next()).unwrap_or_default();
    media.trim().to_ascii_lowercase()
}

/// The problem of a body of another type than JSON or the `others`. A page of another site may send
/// a body of another type, or of none, without asking the browser.
pub(crate) fn wrong_media(media: &str, others: &str) -> Problem {
    let media = if media.is_empty() { "without a type" } else { media };
    let detail = format!("the body is {media}; send it as Content-Type {JSON}{others}");
    Problem::of_request("media-type", detail).with(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}

fn in_json(body: &[u8], texts: bool) -> Result<Rows, Problem> {
    let wanted = match texts {
        true => "{\"texts\": [\"…\"]} or {\"documents\": [{\"id\": …, \"text\": \"…\"}]}",
        false => "{\"documents\": [{\"id\": …, \"text\": \"…\"}]}",
    };
    let read: Body<'_> = serde_json::from_slice(body).map_err(|error| {
        Problem::of_request("body", format!("the body is not {wanted}: {error}"))
    })?;
    match (read.texts, read.documents) {
        (Some(own), None) if texts => Ok(Rows::Texts(own)),
        (None, Some(documents)) => {
            let mut lines = Vec::with_capacity(body.len());
            for document in documents {
                // Outside of strings a line end is a blank, and inside it is escaped.
                let mut rest = document.get().as_bytes();
                while let Some(end) = memchr2(b'\n', b'\r', rest) {
                    lines.extend_from_slice(&rest[..end]);
                    lines.push(b' ');
                    rest = &rest[end + 1..];
                }
                lines.extend_from_slice(rest);
                lines.push(b'\n');
            }
            Ok(Rows::Lines(lines))
        }
        _ => Err(Problem::of_request("body", format!("the body must be {wanted}"))),
    }
}

/// The number of lines that are not blank.
fn count_rows(lines: &[u8]) -> usize {
    let (mut count, mut begin) = (0, 0);
    for end in memchr2_iter(b'\n', b'\r', lines).chain([lines.len()]) {
        count += usize::from(!lines[begin..end].trim_ascii().is_empty());
        begin = end + 1;
    }
    count
}
