//! A body that is one JSON object -> its members.

use axum::http::HeaderMap;
use serde::de::DeserializeOwned;

use crate::problem::Problem;
use crate::rows::{JSON, media, wrong_media};

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
    if media != JSON {
        return Err(wrong_media(&media, ""));
    }
    serde_json::from_slice(body)
        .map_err(|error| Problem::of_request("body", format!("the body is not {wanted}: {error}")))
}
