//! The parameters of a request, which may name one several times, and the value in its path.

use axum::extract::{FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use nearprint::date::moment;
use nearprint::document::FieldValue;
use nearprint::index::{Filter, Ttl, Wanted};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// The parameters of a request. Unknown ones are refused.
pub(super) struct Parameters<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Parameters<T>, Problem> {
        let query = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let read = serde_path_to_error::deserialize(serde_html_form::Deserializer::new(query));
        read.map(Parameters).map_err(|error| {
            let (name, problem) = (error.path().to_string(), error.into_inner());
            let is_named = name != "." && !problem.to_string().contains(&format!("`{name}`"));
            let detail = if is_named { format!("{name}: {problem}") } else { problem.to_string() };
            Problem::of_request("parameter", detail)
        })
    }
}

/// The parameters of a call that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// Refuses parameters.
pub(super) async fn none(_: Parameters<Nothing>, request: Request, next: Next) -> Response {
    next.run(request).await
}

/// The value in the path of a request.
pub(super) struct InPath<T>(pub T);

impl<S: Sync + Send, T: DeserializeOwned + Send> FromRequestParts<S> for InPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<InPath<T>, Problem> {
        let read = Path::<T>::from_request_parts(parts, state).await;
        read.map(|Path(value)| InPath(value))
            .map_err(|rejection| Problem::of_request("path", rejection.body_text()))
    }
}

/// The most duplicates of a row that a request may ask for.
const MOST_OF_ROW: usize = 1000;

/// The most conditions of a filter.
const CONDITIONS: usize = 32;

/// The most duplicates of a row: 10 unless the request says otherwise.
///
/// # Errors
/// A problem for a number that is too large.
pub(super) fn top(top: Option<usize>) -> Result<usize, Problem> {
    match top.unwrap_or(10) {
        top if top <= MOST_OF_ROW => Ok(top),
        top => {
            let detail = format!("top is {top}; it must be at most {MOST_OF_ROW}");
            Err(Problem::of_request("parameter", detail))
        }
    }
}

/// A filter by its parameters.
///
/// # Errors
/// A problem for a value that is none.
pub(super) fn filter(
    within: Option<Ttl>,
    wanted: &[String],
    same: Vec<String>,
    differ: Vec<String>,
) -> Result<Filter, Problem> {
    if wanted.len() + same.len() + differ.len() > CONDITIONS {
        let detail = format!("where, same and differ are more than {CONDITIONS} in all");
        return Err(Problem::of_request("parameter", detail));
    }
    let wanted: Result<Vec<Wanted>, String> = wanted.iter().map(|own| own.parse()).collect();
    let wanted =
        wanted.map_err(|problem| Problem::of_request("parameter", format!("where: {problem}")))?;
    Ok(Filter { within, wanted, same, differ })
}

/// A time in seconds since 1970, rounded down.
///
/// # Errors
/// A problem for a text that is none.
pub(super) fn seconds(name: &str, time: &str) -> Result<i64, Problem> {
    let moment = moment(&FieldValue::Text(time.to_string()));
    let seconds = moment.map(|moment| moment.div_euclid(1_000_000_000) as i64);
    seconds.ok_or_else(|| {
        let detail = format!("{name}: {time} is not a time; write it as 2026-11-28T04:30:00Z");
        Problem::of_request("parameter", detail)
    })
}
