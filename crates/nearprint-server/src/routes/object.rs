//! A body that is one JSON object -> its members.

use axum::http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use crate::problem::Problem;
use crate::rows::media;

/// The members of a body. `wanted` shows the object that is expected.
///
/// # Errors
/// A problem for a body of another type, and one with other members.
pub(super) fn object<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: &[u8],
    wanted: &str,
) -> Result<T, Problem> {
    let media = media(headers);
    // A page of another site may send other types, or none, without asking the browser.
    if media != "application/json" {
        let media = if media.is_empty() { "without a type" } else { media };
        let detail = format!("the body is {media}; send it as Content-Type application/json");
        let problem = Problem::of_request("media-type", detail);
        return Err(problem.with(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    serde_json::from_slice(body)
        .map_err(|error| Problem::of_request("body", format!("the body is not {wanted}: {error}")))
}
